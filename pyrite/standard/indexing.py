"""Elements by index, selection and search."""

from __future__ import annotations

import numpy as np

from ..apply import apply, cast_to, do_of, evaluate, pair, wrap
from ..dtypes import Bool, Complex, Float, Int, bool_, check_scalar, int8, kind_of_scalar
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..layout import broadcast_shapes, normalize_axis
from ..tensor import Tensor
from .arguments import Operand, fresh, tensor

__all__ = ["isin", "nonzero", "searchsorted", "take", "take_along_axis", "where"]

_ORDER = (Bool, Int, Float, Complex)


@public("pr.take")
def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The slices of x at `indices` along the axis, which may be left out for rank 1. A copy.

    Indices from -size to -1 count from the end; others raise `BoundsError` (an IndexError), at the call when
    their values are known by then. The gradient of repeated indices adds up.

    Example:
        >>> pr.take(pr.asarray([[1, 2], [3, 4], [5, 6]]), pr.asarray([2, 0]), axis=0).to_list()
        [[5, 6], [1, 2]]

    Source: array API, `take`.
    """
    t, i = tensor(x), tensor(indices)
    if axis is None:
        if t.rank != 1:
            raise ArgumentError(f"the axis is missing: it may be left out for rank 1, the tensor has shape {t.shape}")
        axis = 0
    return apply("take", (t, i), normalize_axis(axis, t.rank))


@public("pr.take_along_axis")
def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """One element for each index: out[i, j] = x[i, indices[i, j]] for the last axis. Other axes broadcast.

    Raises `BoundsError` as `pr.take`, `ShapeError` for ranks that differ.

    Example:
        >>> pr.take_along_axis(pr.asarray([[3, 1, 2]]), pr.asarray([[1, 2, 0]])).to_list()
        [[1, 2, 3]]

    Source: array API, `take_along_axis`.
    """
    t, i = tensor(x), tensor(indices)
    at = normalize_axis(axis, t.rank)
    if i.rank != t.rank:
        raise ShapeError(f"indices of shape {i.shape} and a tensor of shape {t.shape} must have equal ranks")
    rest = [s[:at] + s[at + 1 :] for s in (tuple(t.shape), tuple(i.shape))]
    common = broadcast_shapes(*rest)
    t, i = (apply("expand", (v,), (*common[:at], v.shape[at], *common[at:])) for v in (t, i))
    return apply("gather", (t, i), at)


@public("pr.where")
def where(condition: Tensor, x1: Operand, x2: Operand, /) -> Tensor:
    """x1 where the condition holds, x2 elsewhere; all three broadcast. One or both may be Python numbers.

    The gradient never carries a NaN over from the side not taken. Raises `DTypeError` for a condition that
    is not Bool.

    Example:
        >>> pr.where(pr.asarray([True, False]), pr.asarray([1, 2]), 0).to_list()
        [1, 0]

    Source: array API, `where`.
    """
    c = tensor(condition)
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        kinds = [k for k in (kind_of_scalar(x1), kind_of_scalar(x2)) if k is not None]
        if len(kinds) == 2:
            if (kinds[0] is Bool) != (kinds[1] is Bool):
                raise DTypeError(f"{x1!r} and {x2!r} are of different kinds")
            dtype = c.device.default_dtype(max(kinds, key=_ORDER.index))
            x1 = wrap(do_of(c).scalar(check_scalar(x1, dtype), dtype))
    a, b = pair(x1, x2)
    return apply("where", (c, a, b))


@public("pr.nonzero")
def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The coordinates of the elements that are not 0, one int64 vector for each axis, in row-major order.

    Reads the values at the call, since the shape depends on them. Raises `ShapeError` for rank 0.

    Example:
        >>> [i.to_list() for i in pr.nonzero(pr.asarray([[0, 2], [3, 0]]))]
        [[0, 1], [1, 0]]

    Source: array API, `nonzero`.
    """
    t = tensor(x)
    if t.rank == 0:
        raise ShapeError("a tensor of rank 0 has no coordinates")
    return tuple(fresh(i, t) for i in np.nonzero(evaluate(t) != 0))


@public("pr.searchsorted")
def searchsorted(x1: Tensor, x2: Operand, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Where each value of x2 goes in the sorted vector x1, as int64: before equal ones, or after with "right".

    `sorter` holds the indices that sort x1. Raises `ShapeError` unless x1 has rank 1.

    Example:
        >>> pr.searchsorted(pr.asarray([1, 3, 5]), pr.asarray([0, 3, 9])).to_list()
        [0, 1, 3]

    Source: array API, `searchsorted`.
    """
    edges, values = pair(tensor(x1), x2)
    if sorter is not None:
        edges = apply("take", (edges, tensor(sorter)), 0)
    return apply("searchsorted", (edges, values), side)


@public("pr.isin")
def isin(x1: Operand, x2: Operand, /, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Is each element of x1 among those of x2 (with `invert`: not)? NaN is in nothing.

    `assume_unique` is a hint that changes no result.

    Example:
        >>> pr.isin(pr.asarray([1, 2, 3]), pr.asarray([3, 1])).to_list()
        [True, False, True]

    Source: array API, `isin`.
    """
    a, b = pair(x1, x2)
    if b.size == 0:
        return wrap(do_of(a).full(invert, a._v.shape, bool_))
    do = do_of(a, b)
    row = do.sort(do.reshape(b._v, (b.size,)), 0, False, True)
    if a.dtype.is_bool():
        row, a = do.cast(row, int8), cast_to(a, int8)
    place = do.minimum(do.searchsorted(row, a._v, "left"), b.size - 1)
    found = do.eq(do.take(row, place, 0), a._v)
    return wrap(do.logical_not(found) if invert else found)
