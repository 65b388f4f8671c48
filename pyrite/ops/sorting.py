"""Sorting, the order that sorts, and places in sorted rows.

NaN counts as the largest value: last in ascending order, first in descending order. Every sort
is stable: equal elements (0.0 and -0.0 too) keep their order, in descending sorts as well, so
that results do not depend on the size or the machine; `stable` states what the caller needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dtypes import FLOATS, INTS, Complex, DType, bool_, int64
from ..errors import ArgumentError, DTypeError, ShapeError
from ..layout import normalize_axis
from .record import ZERO, Arg, Aval, Case, Samples, Shape, op

Array = NDArray[Any]


def _sort_infer(x: Aval, axis: int, descending: bool, stable: bool) -> tuple[Shape, DType]:
    normalize_axis(axis, len(x.shape))
    if x.dtype.kind is Complex:
        raise DTypeError(f"sorting needs an order, which {x.dtype.name} does not have")
    return x.shape, x.dtype


def _sort_reference(x: Array, axis: int, descending: bool, stable: bool) -> Array:
    # of equal values only 0.0 and -0.0 can be told apart; without them the faster unstable sort gives the same
    zeros = x.dtype.kind == "f" and bool(np.any(np.signbit(x) & (x == 0)))
    kind: Any = "stable" if zeros else "quicksort"
    if not descending:
        return np.asarray(np.sort(x, axis, kind))
    return np.flip(np.sort(np.flip(x, axis), axis, kind), axis)


def _argsort_reference(x: Array, axis: int, descending: bool, stable: bool) -> Array:
    if not descending:
        return np.asarray(np.argsort(x, axis, "stable"))
    # flipped before and after, an ascending stable sort is a descending stable one
    order = np.argsort(np.flip(x, axis), axis, "stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(order, axis))


def _sort_vjp(do: Any, g: Any, _out: Any, x: Any, axis: int, descending: bool, _stable: bool) -> list[Any]:
    """Each element's gradient goes back to where it came from."""
    origin = do.argsort(x, axis, descending, True)
    return [do.scatter(do.full(0, x.shape, g.dtype), origin, g, axis, "add")]


def _cases(distinct: bool) -> tuple[Case, ...]:
    shapes: tuple[tuple[Shape, int], ...] = (
        ((1,), 0), ((5,), 0), ((0,), 0), ((67,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 0, 3), 2), ((2, 3, 2, 2), 1),
    )  # fmt: skip
    return tuple(Case((Arg(s, distinct=distinct),), (a, d, True)) for s, a in shapes for d in (False, True))


sort = op(
    "sort",
    fuses="opaque",
    doc="The elements of each lane along an axis in order, NaN as the largest.",
    params=("axis", "descending", "stable"),
    infer=_sort_infer,
    reference=_sort_reference,
    vjp=_sort_vjp,
    samples=Samples(FLOATS + INTS, _cases(True), exact=True),
)

argsort = op(
    "argsort",
    fuses="opaque",
    doc="The indices along an axis that sort each lane; equal elements keep their order.",
    params=("axis", "descending", "stable"),
    infer=lambda x, axis, descending, stable: (_sort_infer(x, axis, descending, stable)[0], int64),
    reference=_argsort_reference,
    vjp=ZERO,
    samples=Samples(FLOATS + INTS + (bool_,), _cases(False), exact=True),
)


def _searchsorted_infer(edges: Aval, values: Aval, side: str) -> tuple[Shape, DType]:
    if len(edges.shape) != 1:
        raise ShapeError(f"the sorted tensor must have rank 1, it has shape {edges.shape}")
    if side not in ("left", "right"):
        raise ArgumentError(f"side {side!r} must be 'left' or 'right'")
    if edges.dtype is not values.dtype:
        raise DTypeError(
            f"the sorted tensor is {edges.dtype.name} and the values are {values.dtype.name}: the dtypes must be equal"
        )
    if edges.dtype.kind is Complex:
        raise DTypeError(f"searching needs an order, which {edges.dtype.name} does not have")
    return values.shape, int64


def _searchsorted_reference(edges: Array, values: Array, side: Any) -> Array:
    return np.asarray(np.searchsorted(edges, values, side))


searchsorted = op(
    "searchsorted",
    fuses="opaque",
    doc="Where each value goes in a sorted row: the number of elements below it ('left') or not above it ('right').",
    params=("side",),
    arity=2,
    infer=_searchsorted_infer,
    reference=_searchsorted_reference,
    vjp=ZERO,
    samples=Samples(
        INTS + FLOATS,
        tuple(
            Case((Arg((n,), 1, 1), Arg(s)), (side,))
            for n in (0, 5)
            for s in ((), (3,), (2, 4))
            for side in ("left", "right")
        ),
        exact=True,
    ),
)


def topk(do: Any, x: Any, k: int, axis: int, largest: bool = True) -> tuple[Any, Any]:
    """The `k` largest (or smallest) elements along `axis`, in that order, and their indices."""
    axis = normalize_axis(axis, len(x.shape))
    if not 0 <= k <= x.shape[axis]:
        raise ShapeError(f"k = {k} does not lie between 0 and {x.shape[axis]}, the size of axis {axis} of {x.shape}")
    rank = len(x.shape)
    sizes = tuple(k if i == axis else n for i, n in enumerate(x.shape))
    indices = do.slice(do.argsort(x, axis, largest, True), (0,) * rank, (1,) * rank, sizes)
    return do.gather(x, indices, axis), indices


def median_with_indices(do: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """The middle element along `axis`, kept with size 1, and its index: of two the lower one, with NaNs the first."""
    axis = normalize_axis(axis, len(x.shape))
    n = x.shape[axis]
    if n == 0:
        raise ShapeError(f"the median along axis {axis} of shape {x.shape} has no elements to choose from")
    order = do.argsort(x, axis, False, True)
    one = tuple(1 if i == axis else s for i, s in enumerate(x.shape))
    middle = do.full((n - 1) // 2, one, int64)
    if x.dtype.is_float():
        nans = do.sum(do.cast(do.isnan(x), int64), (axis,), True)  # they are sorted to the end
        middle = do.where(do.gt(nans, 0), do.sub(n, nans), middle)
    indices = do.gather(order, middle, axis)
    return do.gather(x, indices, axis), indices
