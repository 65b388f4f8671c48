"""Tensors as handles: copies, changes in place, and who holds the memory. Burn's methods, name for name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..apply import Handle, created, do_on, wrap
from ..backends.autodiff import Traced, Value, array_of
from ..backends.base import Array
from ..backends.ownership import exported, is_private
from ..errors import BoundsError, DTypeError, ShapeError, public
from ..layout import check_index
from ..ops.record import REGISTRY
from .creation import converted

if TYPE_CHECKING:
    from ..tensor import Tensor


def _calibrate() -> int:
    """What `getrefcount` says of an attribute that nothing else holds, on this interpreter."""
    t = Handle()
    t._v = Array.__new__(Array)
    return sys.getrefcount(t._v)


_ALONE = _calibrate()


def _alone(t: Handle) -> bool:
    """Is the value held by this tensor only, through all levels of autodiff?"""
    if sys.getrefcount(t._v) > _ALONE:
        return False
    v = t._v
    while type(v) is Traced:
        if sys.getrefcount(v.value) > _ALONE:
            return False
        v = v.value
    array = array_of(v)
    if sys.getrefcount(array.node) > _ALONE:
        return False  # another handle, or a queued operation, waits for it
    array.backend.evaluate(array)
    return is_private(array)


def copied(v: Value) -> Value:
    """The value in the same place of the graph, safe from writes to `v`: memory is shared until one comes."""
    if isinstance(v, Traced):
        return Traced(copied(v.value), v.level, v.step, v.strategy)
    node, storage = v.node, v.node.storage
    if node.value is not None:
        return Array(node, v.backend)  # a constant gets memory before it is written to
    if storage is None:
        return v.backend.run(REGISTRY["cast"], (v,), (v.dtype,))  # a copy, if it is still there when the queue runs
    if storage.foreign or not storage.writable or exported(storage, twins=False):
        return v.backend.upload(node.array(), node.dtype)
    return v.backend.from_storage(storage.twin(), node.dtype, node.shape, node.strides, node.offset)


class Handles(Handle):
    """Copies of tensors, and tensors that become others."""

    __slots__ = ()

    @public("Tensor.clone")
    def clone(self) -> Tensor:
        """A second handle of the same value and graph node: writes to one do not show in the other.

        The memory is shared until one of the two is written to. The clone of a value that is not computed yet
        gets its own, if it is still there when the value is computed.

        Example:
            >>> t = pr.asarray([1, 2])
            >>> c = t.clone()
            >>> t[0] = 5
            >>> c.to_list()
            [1, 2]

        Source: Burn, `Clone::clone`.
        """
        return wrap(copied(self._v))

    @public("Tensor.clone_from")
    def clone_from(self, source: Tensor) -> None:
        """Makes this tensor a clone of another.

        Example:
            >>> a, b = pr.asarray([1, 2]), pr.asarray([3, 4])
            >>> a.clone_from(b)
            >>> a.to_list()
            [3, 4]

        Source: Burn, `Clone::clone_from`.
        """
        if not isinstance(source, Handle):
            raise DTypeError(f"expected a tensor, got {type(source).__name__}")
        self._v = copied(source._v)

    @public("Tensor.can_mut")
    def can_mut(self) -> bool:
        """Does this handle alone hold its memory, so that an operation may write over it? Never wrongly True.

        A clone or view that is alive, a gradient tape, or an operation that waits for the value makes it False.
        Runs what is queued.

        Example:
            >>> t = pr.asarray([1, 2])
            >>> t.can_mut()
            True
            >>> view = t.slice(pr.s[:1])
            >>> t.can_mut()
            False

        Source: Burn, `Tensor::can_mut`.
        """
        return _alone(self)

    @public("Tensor.inplace")
    def inplace(self, func: Callable[[Tensor], Tensor]) -> None:
        """The tensor becomes `func(tensor)`; clones and views keep their values. If `func` raises, nothing changes.

        Raises `DTypeError` when the result is no tensor of the same kind, `ShapeError` for another rank.

        Example:
            >>> t = pr.asarray([1, 2])
            >>> t.inplace(lambda x: x + 1)
            >>> t.to_list()
            [2, 3]

        Source: Burn, `Tensor::inplace`.
        """
        new = func(wrap(self._v))
        if not isinstance(new, Handle) or new._v.dtype.kind is not self._v.dtype.kind:
            what = new._v.dtype.name if isinstance(new, Handle) else type(new).__name__
            raise DTypeError(f"the function gave {what}, expected a tensor of kind {self._v.dtype.kind.__name__}")
        if len(new._v.shape) != len(self._v.shape):
            raise ShapeError(f"the function gave shape {new._v.shape}, the tensor has shape {self._v.shape}")
        self._v = new._v

    @public("Tensor.extract")
    def extract(self) -> Tensor:
        """Takes the value out: gives it back and leaves a tensor of the same kind whose sizes are all 0.

        Example:
            >>> t = pr.asarray([1, 2])
            >>> t.extract().to_list(), t.shape
            ([1, 2], (0,))

        Source: Burn, `Tensor::extract`.
        """
        taken = wrap(self._v)
        dtype, device = taken.dtype, taken.device
        nothing = do_on(device).full(converted(0, dtype), (0,) * taken.rank, dtype)
        self._v = created(nothing, device)._v
        return taken

    @public("Tensor.slice_assign_inplace")
    def slice_assign_inplace(self, index: int, value: Tensor) -> None:
        """Row `index` of a matrix becomes `value`, of shape (1, columns); clones keep theirs.

        Raises `BoundsError` for a row that is not there, `ShapeError` for another shape.

        Example:
            >>> t = pr.zeros((2, 2))
            >>> t.slice_assign_inplace(1, pr.ones((1, 2)))
            >>> t.to_list()
            [[0.0, 0.0], [1.0, 1.0]]

        Source: Burn, `SliceAccess::slice_assign_inplace`.
        """
        t: Any = self
        if len(self._v.shape) != 2:
            raise ShapeError(f"rows are written in a matrix, the tensor has shape {self._v.shape}")
        rows = self._v.shape[0]
        if isinstance(index, bool) or not isinstance(index, int):
            raise BoundsError(f"a row number is an int, not {index!r}")
        at = check_index(index, rows, 0)
        self._v = t.slice_assign([slice(at, at + 1)], value)._v

    def is_distributed(self) -> bool:
        """Is the tensor marked as spread over several processes? Never here.

        Example:
            >>> pr.ones(3).is_distributed()
            False

        Source: Burn, `Tensor::is_distributed`.
        """
        return False

    def set_distributed(self, param_id: Any) -> Tensor:
        """The tensor itself: there is no distributed training here.

        Example:
            >>> pr.ones(3).set_distributed(1).is_distributed()
            False

        Source: Burn, `Tensor::set_distributed`.
        """
        return wrap(self._v)

