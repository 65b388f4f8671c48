"""Selection and equality of tensors of any kind, and what all methods share: Burn's methods, name for name."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ..apply import Handle, apply, do_of, evaluate, operand, pair, wrap
from ..dtypes import bool_, kind_of_scalar
from ..errors import ArgumentError, AxisError, BoundsError, DTypeError, ShapeError, public
from ..layout import (
    DimSlice,
    Ints,
    check_index,
    normalize_axes,
    normalize_axis,
    python_slice,
    size_of,
)
from ..ops import composite

if TYPE_CHECKING:
    from ..tensor import Tensor


class IndexingUpdateOp(Enum):
    """How a write combines old and new: `Assign`, `Add` (or, for Bool), `Mul` (and, for Bool), `Min`, `Max`."""

    Assign = "assign"
    Add = "add"
    Mul = "mul"
    Min = "min"
    Max = "max"


@dataclass(frozen=True)
class Slice:
    """Burn's slice: from `start` to before `end` (None: the end), every `step`.

    Negative bounds count from the end. A negative step reverses the selected range: `Slice(2, 8, -2)` picks
    7, 5, 3. Raises `ArgumentError` for a step of 0.
    """

    start: int = 0
    end: int | None = None
    step: int = 1

    def __post_init__(self) -> None:
        if self.step == 0:
            raise ArgumentError("a slice step cannot be 0")

    @staticmethod
    def full() -> Slice:
        """All of a dimension."""
        return Slice()

    @staticmethod
    def index(index: int) -> Slice:
        """One index."""
        return Slice(index, None if index == -1 else index + 1)


class _SliceMaker:
    """`pr.s[1:3, ::2]` is the tuple of slices between the brackets."""

    def __getitem__(self, key: Any) -> tuple[Any, ...]:
        return key if isinstance(key, tuple) else (key,)


s = _SliceMaker()
full_slice = Slice()


# -- what the methods share


def need_tensor(x: Any, hint: str | None = None) -> Tensor:
    """`x`; raises `DTypeError` when it is no tensor."""
    if not isinstance(x, Handle):
        raise DTypeError(f"expected a tensor, got {type(x).__name__} {x!r}", hint)
    return x  # type: ignore[return-value]


def scalar(t: Handle, x: Any) -> Tensor:
    """A number of the dtype of `t`; raises `DTypeError` for a tensor or a number that does not go with it."""
    if kind_of_scalar(x) is None:
        raise DTypeError(f"expected a number, got {type(x).__name__}")
    return operand(x, t)


def beside(t: Handle, other: Any, hint: str | None = None) -> tuple[Tensor, Tensor]:
    """Two operands of a method: tensors of one kind and equal rank, promoted; sizes of 1 broadcast."""
    o = need_tensor(other, hint)
    a, b = t._v.shape, o._v.shape
    if len(a) != len(b):
        raise ShapeError(
            f"{a} and {b} have ranks {len(a)} and {len(b)}, methods want equal ones",
            f"use .unsqueeze({max(len(a), len(b))}), or the operator, which broadcasts",
        )
    return pair(t, o)


def same_shape(t: Handle, other: Any) -> tuple[Tensor, Tensor]:
    """Two operands of a method that does not broadcast."""
    o = need_tensor(other, "the method that ends in _scalar takes numbers")
    if t._v.shape != o._v.shape:
        raise ShapeError(f"{t._v.shape} and {o._v.shape} differ, this method wants equal shapes")
    return pair(t, o)


def whole(name: str, t: Handle) -> Tensor:
    """A reduction of all elements, of shape (1,)."""
    reduced = apply(name, (t,), tuple(range(len(t._v.shape))), False)
    return apply("reshape", (reduced,), (1,))


def along(name: str, t: Handle, dims: int | Sequence[int]) -> Tensor:
    """A reduction of some dimensions, which stay with size 1."""
    return apply(name, (t,), normalize_axes(dims, len(t._v.shape)), True)


def moved_axes(source: Ints, destination: Ints, rank: int) -> Ints:
    """The permutation that puts axes `source` at `destination`."""
    if len(source) != len(destination):
        raise ArgumentError(f"{len(source)} axes {source} cannot go to {len(destination)} places {destination}")
    start = [normalize_axis(a, rank) for a in source]
    end = [normalize_axis(a, rank) for a in destination]
    for axes, given in ((start, source), (end, destination)):
        if len(set(axes)) != len(axes):
            raise AxisError(f"axes {given} repeat an axis")
    order = [a for a in range(rank) if a not in start]
    for place, axis in sorted(zip(end, start)):
        order.insert(place, axis)
    return tuple(order)


def _index_vector(indices: Any) -> Tensor:
    i = need_tensor(indices)
    if len(i._v.shape) != 1:
        raise ShapeError(f"indices must have rank 1, these have shape {i._v.shape}")
    return i


def _outside(do: Any, shape: Ints, starts: Ints, steps: Ints, sizes: Ints) -> Any:
    """True outside a strided range."""
    return do.place(do.full(False, sizes, bool_), shape, starts, steps, sizes, 1)


def _ranges(shape: Ints, slices: Any, clamp: bool) -> tuple[Ints, Ints, Ints]:
    """Starts, steps and sizes of a selection; without `clamp`, a range must lie inside the tensor."""
    given = list(slices) if isinstance(slices, (tuple, list)) else [slices]
    if len(given) > len(shape):
        raise ArgumentError(f"{len(given)} slices for a tensor of shape {shape}")
    parts = [_range(g, n, axis, clamp) for axis, (g, n) in enumerate(zip(given, shape))]
    parts += [DimSlice(0, 1, n) for n in shape[len(given) :]]
    return tuple(p.start for p in parts), tuple(p.step for p in parts), tuple(p.size for p in parts)


def _range(part: Any, size: int, axis: int, clamp: bool) -> DimSlice:
    if isinstance(part, slice):
        if not clamp:
            for bound in (part.start, part.stop):
                if bound is not None:
                    _check_bound(operator.index(bound), size, axis)
        found = python_slice(part, size)
        whole_axis = part.start is None and part.stop is None
    elif isinstance(part, range) and part.step < 0:
        found = DimSlice(check_index(part.start, size, axis), part.step, len(part))
        if len(part):
            check_index(part[-1], size, axis)
        whole_axis = False
    elif isinstance(part, (Slice, range)):
        piece = part if isinstance(part, Slice) else Slice(part.start, part.stop, part.step)
        found = _burn_range(piece, size, axis, clamp)
        whole_axis = piece.start == 0 and piece.end is None
    else:
        try:
            at = operator.index(part)
        except TypeError:
            raise ArgumentError(f"{part!r} is not a slice: expected a slice, an int, a range or pr.Slice") from None
        return DimSlice(check_index(at, size, axis), 1, 1)
    if found.size == 0 and not (whole_axis and size == 0):
        raise ShapeError(f"{part!r} selects nothing of dimension {axis} with size {size}")
    return found


def _check_bound(bound: int, size: int, axis: int) -> None:
    if not -size <= bound <= size:
        raise BoundsError(f"the bound {bound} leaves dimension {axis} with size {size}")


def _burn_range(part: Slice, size: int, axis: int, clamp: bool) -> DimSlice:
    end = size if part.end is None else part.end
    if not clamp:
        _check_bound(part.start, size, axis)
        _check_bound(end, size, axis)
    start, end = (min(max(b + size if b < 0 else b, 0), size) for b in (part.start, end))
    count = max(0, -(-(end - start) // abs(part.step)))
    return DimSlice(start if part.step > 0 else max(end - 1, 0), part.step, count)


def _selected(t: Handle, mask: Any) -> Tensor:
    m = need_tensor(mask)
    if not m._v.dtype.is_bool():
        raise DTypeError(f"a mask must be bool, this one is {m._v.dtype.name}")
    if m._v.shape != t._v.shape:
        raise ShapeError(f"a mask of shape {m._v.shape} does not fit a tensor of shape {t._v.shape}")
    count = int(np.count_nonzero(evaluate(m)))
    do = do_of(t, m)
    return wrap(do.take(do.reshape(t._v, (size_of(t._v.shape),)), do.nonzero_flat(m._v, count), 0))


class Selecting(Handle):
    """Slices, indices and masks; any kind. What writes gives a changed copy."""

    __slots__ = ()

    @public("Tensor.slice")
    def slice(self, slices: Any) -> Tensor:
        """A range of each leading dimension: Python slices, ints, ranges, `pr.Slice`, or a sequence of them. A view.

        Bounds clamp; an int keeps its dimension at size 1. Raises `ShapeError` for an empty or descending range,
        `ArgumentError` for more slices than dimensions or a step of 0.

        Example:
            >>> t = pr.arange(10)
            >>> t.slice(pr.s[2:8:3]).to_list()
            [2, 5]
            >>> t.slice(pr.Slice(2, 8, -2)).to_list()
            [7, 5, 3]

        Source: Burn, `Tensor::slice`.
        """
        return apply("slice", (self,), *_ranges(self._v.shape, slices, clamp=True))

    @public("Tensor.slice_assign")
    def slice_assign(self, slices: Any, values: Tensor) -> Tensor:
        """A copy with the selection replaced by `values`, which has exactly its shape.

        Raises `ShapeError` for another shape, `BoundsError` for a range that leaves the tensor.

        Example:
            >>> pr.zeros(4).slice_assign(pr.s[1:3], pr.asarray([5.0, 6.0])).to_list()
            [0.0, 5.0, 6.0, 0.0]

        Source: Burn, `Tensor::slice_assign`.
        """
        starts, steps, sizes = _ranges(self._v.shape, slices, clamp=False)
        x, v = pair(self, need_tensor(values))
        if v._v.shape != sizes:
            raise ShapeError(f"values of shape {v._v.shape} do not fill a selection of shape {sizes}")
        do = do_of(x, v)
        spread = do.place(v._v, x._v.shape, starts, steps, sizes, 0)
        return wrap(do.where(_outside(do, x._v.shape, starts, steps, sizes), x._v, spread))

    @public("Tensor.slice_fill")
    def slice_fill(self, slices: Any, value: Any) -> Tensor:
        """A copy with the selection filled with a number.

        Example:
            >>> pr.zeros(4).slice_fill(pr.s[::2], 1).to_list()
            [1.0, 0.0, 1.0, 0.0]

        Source: Burn, `Tensor::slice_fill`.
        """
        starts, steps, sizes = _ranges(self._v.shape, slices, clamp=False)
        do = do_of(self)
        number = scalar(self, value)._v
        return wrap(do.where(_outside(do, self._v.shape, starts, steps, sizes), self._v, number))

    @public("Tensor.slice_dim")
    def slice_dim(self, dim: int, slice: Any) -> Tensor:
        """`slice` along one dimension; a range that leaves it raises `BoundsError`.

        Example:
            >>> pr.arange(6).reshape([2, 3]).slice_dim(1, pr.s[1:3]).to_list()
            [[1, 2], [4, 5]]

        Source: Burn, `Tensor::slice_dim`.
        """
        axis = normalize_axis(dim, len(self._v.shape))
        part = slice[0] if isinstance(slice, tuple) and len(slice) == 1 else slice
        parts = [full_slice] * axis + [part]
        return apply("slice", (self,), *_ranges(self._v.shape, parts, clamp=False))

    @public("Tensor.select_dim")
    def select_dim(self, dim: int, index: int) -> Tensor:
        """The slice at one index of a dimension, without that dimension. A view.

        Example:
            >>> pr.arange(6).reshape([2, 3]).select_dim(0, -1).to_list()
            [3, 4, 5]

        Source: Burn, `Tensor::select_dim`.
        """
        shape = self._v.shape
        axis = normalize_axis(dim, len(shape))
        at = check_index(operator.index(index), shape[axis], axis)
        piece = composite.narrow(do_of(self), self._v, axis, at, 1)
        return apply("reshape", (wrap(piece),), shape[:axis] + shape[axis + 1 :])

    @public("Tensor.select")
    def select(self, dim: int, indices: Tensor) -> Tensor:
        """The slices at the indices, an Int tensor of rank 1, along a dimension.

        Negative indices count from the end; others out of range raise `BoundsError`. Gradients of repeats add up.

        Example:
            >>> pr.arange(6).reshape([2, 3]).select(1, pr.asarray([2, 0])).to_list()
            [[2, 0], [5, 3]]

        Source: Burn, `Tensor::select`.
        """
        i = _index_vector(indices)
        return apply("take", (self, i), normalize_axis(dim, len(self._v.shape)))

    @public("Tensor.take")
    def take(self, dim: int, indices: Tensor) -> Tensor:
        """As `select`, with indices of any rank: their dimensions stand in place of `dim`.

        Example:
            >>> pr.arange(6).reshape([2, 3]).take(1, pr.asarray([[2], [0]])).shape
            (2, 2, 1)

        Source: Burn, `Tensor::take`.
        """
        return apply("take", (self, need_tensor(indices)), normalize_axis(dim, len(self._v.shape)))

    @public("Tensor.select_assign")
    def select_assign(self, dim: int, indices: Tensor, values: Tensor, update: IndexingUpdateOp) -> Tensor:
        """A copy with the slices at the indices combined with `values` by `update`.

        Of repeated indices `Assign` keeps the last one, the others reduce over all.

        Example:
            >>> pr.zeros(3).select_assign(0, pr.asarray([0, 0, 2]), pr.ones(3), pr.IndexingUpdateOp.Add).to_list()
            [2.0, 0.0, 1.0]

        Source: Burn, `Tensor::select_assign`.
        """
        x, v = pair(self, need_tensor(values))
        axis = normalize_axis(dim, len(self._v.shape))
        return apply("put", (x, _index_vector(indices), v), axis, IndexingUpdateOp(update).value)

    @public("Tensor.gather")
    def gather(self, dim: int, indices: Tensor) -> Tensor:
        """One element for each index: out[i, j] = t[indices[i, j], j] for dimension 0.

        Example:
            >>> pr.arange(6).reshape([2, 3]).gather(1, pr.asarray([[2], [0]])).to_list()
            [[2], [3]]

        Source: Burn, `Tensor::gather`.
        """
        return apply("gather", (self, need_tensor(indices)), normalize_axis(dim, len(self._v.shape)))

    @public("Tensor.scatter")
    def scatter(self, dim: int, indices: Tensor, values: Tensor, update: IndexingUpdateOp) -> Tensor:
        """A copy with one update for each index: t[indices[i, j], j] op= values[i, j] for dimension 0.

        Of repeated indices `Assign` keeps the last one, the others reduce over all.

        Example:
            >>> pr.zeros(3).scatter(0, pr.asarray([0, 0, 2]), pr.ones(3), pr.IndexingUpdateOp.Add).to_list()
            [2.0, 0.0, 1.0]

        Source: Burn, `Tensor::scatter`.
        """
        x, v = pair(self, need_tensor(values))
        axis = normalize_axis(dim, len(self._v.shape))
        return apply("scatter", (x, need_tensor(indices), v), axis, IndexingUpdateOp(update).value)

    @public("Tensor.gather_nd")
    def gather_nd(self, indices: Tensor) -> Tensor:
        """Slices at coordinates: the last dimension of `indices`, of size K, addresses the first K dimensions.

        Example:
            >>> pr.arange(6).reshape([2, 3]).gather_nd(pr.asarray([[1, 2], [0, 0]])).to_list()
            [5, 0]

        Source: Burn, `Tensor::gather_nd`.
        """
        return apply("gather_nd", (self, need_tensor(indices)))

    @public("Tensor.scatter_nd")
    def scatter_nd(self, indices: Tensor, values: Tensor, update: IndexingUpdateOp) -> Tensor:
        """A copy with the slices at the coordinates combined with `values` by `update`.

        Example:
            >>> pr.zeros((2, 2)).scatter_nd(pr.asarray([[1, 0]]), pr.ones(1), pr.IndexingUpdateOp.Assign).to_list()
            [[0.0, 0.0], [1.0, 0.0]]

        Source: Burn, `Tensor::scatter_nd`.
        """
        x, v = pair(self, need_tensor(values))
        return apply("scatter_nd", (x, need_tensor(indices), v), IndexingUpdateOp(update).value)

    @public("Tensor.mask_where")
    def mask_where(self, mask: Tensor, value: Tensor) -> Tensor:
        """`value` where the mask is true, this tensor elsewhere; shapes broadcast.

        The gradient never carries a NaN over from the side not taken.

        Example:
            >>> pr.zeros(2).mask_where(pr.asarray([True, False]), pr.ones(2)).to_list()
            [1.0, 0.0]

        Source: Burn, `Tensor::mask_where`.
        """
        x, v = pair(self, need_tensor(value))
        return apply("where", (need_tensor(mask), v, x))

    @public("Tensor.mask_fill")
    def mask_fill(self, mask: Tensor, value: Any) -> Tensor:
        """A number where the mask is true, this tensor elsewhere.

        Example:
            >>> pr.zeros(2).mask_fill(pr.asarray([True, False]), 7).to_list()
            [7.0, 0.0]

        Source: Burn, `Tensor::mask_fill`.
        """
        return apply("where", (need_tensor(mask), scalar(self, value), self))

    @public("Tensor.mask_select")
    def mask_select(self, mask: Tensor) -> Tensor:
        """The elements where the mask is true, in row-major order, as a vector.

        Reads the mask at the call, since the shape depends on it. The gradient of the others is 0.

        Example:
            >>> pr.arange(4).mask_select(pr.asarray([True, False, True, False])).to_list()
            [0, 2]

        Source: Burn, `Tensor::mask_select`.
        """
        return _selected(self, mask)

    @public("Tensor.mask_select_async")
    async def mask_select_async(self, mask: Tensor) -> Tensor:
        """The coroutine form of `mask_select`.

        Example:
            >>> import asyncio
            >>> t = pr.asarray([1, 2, 3])
            >>> asyncio.run(t.mask_select_async(t > 1)).to_list()
            [2, 3]

        Source: Burn, `Tensor::mask_select_async`.
        """
        return _selected(self, mask)

    @public("Tensor.any")
    def any(self) -> Tensor:
        """Is any element non-zero (NaN is)? Shape (1,).

        Example:
            >>> pr.asarray([0, 2]).any().to_list()
            [True]

        Source: Burn, `Tensor::any`.
        """
        return whole("any", self)

    @public("Tensor.any_dim")
    def any_dim(self, dim: int) -> Tensor:
        """Is any element along a dimension non-zero? The rank is kept.

        Example:
            >>> pr.arange(6).reshape([2, 3]).any_dim(1).to_list()
            [[True], [True]]

        Source: Burn, `Tensor::any_dim`.
        """
        return along("any", self, dim)

    @public("Tensor.all")
    def all(self) -> Tensor:
        """Are all elements non-zero? Shape (1,).

        Example:
            >>> pr.asarray([0, 2]).all().to_list()
            [False]

        Source: Burn, `Tensor::all`.
        """
        return whole("all", self)

    @public("Tensor.all_dim")
    def all_dim(self, dim: int) -> Tensor:
        """Are all elements along a dimension non-zero? The rank is kept.

        Example:
            >>> pr.arange(6).reshape([2, 3]).all_dim(1).to_list()
            [[False], [True]]

        Source: Burn, `Tensor::all_dim`.
        """
        return along("all", self, dim)

    @public("Tensor.equal")
    def equal(self, other: Tensor) -> Tensor:
        """self = other, as Bool. The shapes must be equal; operators and `pr.equal` broadcast.

        Example:
            >>> pr.asarray([1, 2]).equal(pr.asarray([1, 3])).to_list()
            [True, False]

        Source: Burn, `Tensor::equal`.
        """
        return apply("eq", same_shape(self, other))

    @public("Tensor.equal_scalar")
    def equal_scalar(self, other: Any) -> Tensor:
        """self = a number, as Bool.

        Example:
            >>> pr.asarray([1, 2]).equal_scalar(1).to_list()
            [True, False]

        Source: Burn, `Tensor::equal_scalar`.
        """
        return apply("eq", (self, scalar(self, other)))

    @public("Tensor.equal_elem")
    def equal_elem(self, other: Any) -> Tensor:
        """The same as `equal_scalar`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.equal_elem(2).to_list()
            [False, True, False]

        Source: Burn, `Tensor::equal_elem`.
        """
        return apply("eq", (self, scalar(self, other)))

    @public("Tensor.not_equal")
    def not_equal(self, other: Tensor) -> Tensor:
        """self ≠ other, as Bool. The shapes must be equal; operators and `pr.not_equal` broadcast.

        Example:
            >>> pr.asarray([1, 2]).not_equal(pr.asarray([1, 3])).to_list()
            [False, True]

        Source: Burn, `Tensor::not_equal`.
        """
        return apply("ne", same_shape(self, other))

    @public("Tensor.not_equal_scalar")
    def not_equal_scalar(self, other: Any) -> Tensor:
        """self ≠ a number, as Bool.

        Example:
            >>> pr.asarray([1, 2]).not_equal_scalar(1).to_list()
            [False, True]

        Source: Burn, `Tensor::not_equal_scalar`.
        """
        return apply("ne", (self, scalar(self, other)))

    @public("Tensor.not_equal_elem")
    def not_equal_elem(self, other: Any) -> Tensor:
        """The same as `not_equal_scalar`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.not_equal_elem(2).to_list()
            [True, False, True]

        Source: Burn, `Tensor::not_equal_elem`.
        """
        return apply("ne", (self, scalar(self, other)))
