"""Padding of numbers: Burn's method, name for name."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..apply import Handle, apply, array_in, need_kind, wrap
from ..backends.autodiff import run
from ..dtypes import Float, Int, int64, kind_of_scalar
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..ops.record import REGISTRY
from .creation import converted

if TYPE_CHECKING:
    from ..tensor import Tensor


@dataclass(frozen=True)
class PadMode:
    """What stands in the padding: `PadMode.Constant(value)`, `Reflect` (the edge is not repeated) or `Edge`."""

    name: str = "Constant"
    value: Any = 0.0
    Reflect: ClassVar[PadMode]
    Edge: ClassVar[PadMode]

    @staticmethod
    def Constant(value: Any = 0.0) -> PadMode:
        """One value everywhere."""
        return PadMode("Constant", value)

    def __repr__(self) -> str:
        return f"PadMode.{self.name}" + (f"({self.value!r})" if self.name == "Constant" else "")


PadMode.Reflect = PadMode("Reflect")
PadMode.Edge = PadMode("Edge")


def _widths(padding: Any, rank: int) -> list[tuple[int, int]]:
    """One pair for each dimension, from pairs for the last ones or (left, right, top, bottom)."""
    given = list(padding)
    try:
        sides = [operator.index(p) for p in given]
    except TypeError:
        try:
            pairs = [(operator.index(a), operator.index(b)) for a, b in given]
        except (TypeError, ValueError):
            raise ArgumentError(f"{padding!r} is no padding: expected pairs (before, after) or four ints") from None
    else:
        if given and len(given) != 4:
            raise ArgumentError(f"padding by ints takes four (left, right, top, bottom), got {len(given)}")
        pairs = [(sides[2], sides[3]), (sides[0], sides[1])] if given else []
    if len(pairs) > rank:
        raise ArgumentError(f"padding for {len(pairs)} dimensions, the tensor has {rank}")
    for pair in pairs:
        if min(pair) < 0:
            raise ShapeError(f"the padding {pair} is negative")
    return [(0, 0)] * (rank - len(pairs)) + pairs


def _sources(mode: PadMode, axis: int, n: int, before: int, after: int) -> np.ndarray[Any, Any]:
    """Where each element along a padded dimension comes from."""
    places = np.arange(-before, n + after)
    if mode.name == "Edge":
        if n == 0:
            raise ShapeError(f"dimension {axis} has size 0 and so no edge to repeat")
        return np.clip(places, 0, n - 1)
    if max(before, after) >= n:
        raise ShapeError(
            f"reflecting dimension {axis} of size {n} gives at most {max(n - 1, 0)} elements, "
            f"padding ({before}, {after}) asks for more"
        )
    places = np.abs(places)
    return np.where(places < n, places, 2 * (n - 1) - places)


class Padding(Handle):
    """Padding of Int and Float tensors."""

    __slots__ = ()

    @public("Tensor.pad")
    def pad(self, padding: Any, mode: PadMode | float) -> Tensor:
        """The tensor with more elements around it.

        `padding` holds pairs (before, after) for the last dimensions, or four ints (left, right, top, bottom) for
        the last two. `mode` is a `PadMode`; a number is a constant.

        Raises:
            ArgumentError: more pairs than dimensions, or something else than pairs.
            ShapeError: negative widths, reflecting more than there is, the edge of a size of 0.

        Example:
            >>> t = pr.asarray([[1, 2, 3]])
            >>> t.pad([(1, 0), (1, 1)], 0).to_list()
            [[0, 0, 0, 0, 0], [0, 1, 2, 3, 0]]
            >>> t.pad([(2, 1)], pr.PadMode.Reflect).to_list()
            [[3, 2, 1, 2, 3, 2]]
            >>> t.pad((1, 1, 0, 0), pr.PadMode.Edge).to_list()
            [[1, 1, 2, 3, 3]]

        Source: Burn, `Tensor::pad`.
        """
        need_kind(self, Int, Float)
        widths = _widths(padding, len(self._v.shape))
        if not isinstance(mode, PadMode):
            if kind_of_scalar(mode) is None:
                raise DTypeError(f"expected a PadMode or a number, got {type(mode).__name__}")
            mode = PadMode.Constant(mode)
        if mode.name == "Constant":
            return apply("pad", (self,), tuple(widths), converted(mode.value, self._v.dtype))
        out, backend = self._v, array_in(self).backend
        for axis, (before, after) in enumerate(widths):
            if before or after:
                sources = _sources(mode, axis, self._v.shape[axis], before, after)
                out = run(REGISTRY["take"], (out, backend.upload(sources, int64)), (axis,))
        return wrap(out)
