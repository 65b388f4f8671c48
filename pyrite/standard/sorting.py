"""Sorting, the largest elements, and distinct values. NaN counts as the largest value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..apply import apply, do_of, evaluate, wrap
from ..errors import public
from ..layout import normalize_axis
from ..ops import sorting
from ..tensor import Tensor
from .arguments import fresh, tensor

__all__ = [
    "argsort", "sort", "topk", "unique_all", "unique_counts", "unique_inverse", "unique_values",
]  # fmt: skip


@public("pr.sort")
def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements along the axis in order: NaN last, and first when descending. Always stable.

    Raises `AxisError` for rank 0, `DTypeError` for Complex tensors.

    Example:
        >>> pr.sort(pr.asarray([3, 1, 2]), descending=True).to_list()
        [3, 2, 1]

    Source: array API, `sort`.
    """
    t = tensor(x)
    return apply("sort", (t,), normalize_axis(axis, t.rank), bool(descending), bool(stable))


@public("pr.argsort")
def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The indices that sort along the axis, as int64; equal elements keep their order.

    Raises `AxisError` for rank 0, `DTypeError` for Complex tensors.

    Example:
        >>> pr.argsort(pr.asarray([3, 1, 2])).to_list()
        [1, 2, 0]

    Source: array API, `argsort`.
    """
    t = tensor(x)
    return apply("argsort", (t,), normalize_axis(axis, t.rank), bool(descending), bool(stable))


class TopK(NamedTuple):
    """The largest (or smallest) elements along an axis and their indices."""

    values: Tensor
    indices: Tensor


@public("pr.topk")
def topk(x: Tensor, /, k: int, *, axis: int = -1, largest: bool = True) -> TopK:
    """The `k` largest (or smallest) elements along the axis, in that order, and their indices.

    Raises `ShapeError` unless 0 ≤ k ≤ the size of the axis.

    Example:
        >>> values, indices = pr.topk(pr.asarray([3, 9, 5]), 2)
        >>> values.to_list(), indices.to_list()
        ([9, 5], [1, 2])
    """
    t = tensor(x)
    values, indices = sorting.topk(do_of(t), t._v, k, axis, largest)
    return TopK(wrap(values), wrap(indices))


class UniqueAll(NamedTuple):
    """The distinct values of a tensor, and where and how often they occur."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """The distinct values of a tensor and how often they occur."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """The distinct values of a tensor and the place of each element among them."""

    values: Tensor
    inverse_indices: Tensor


def _unique(t: Tensor) -> UniqueAll:
    array = evaluate(t)
    wide = array.astype(np.float32) if t.dtype.is_half() else array
    values, indices, inverse, counts = np.unique(
        wide, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    parts = (values.astype(array.dtype), *(i.astype(np.int64) for i in (indices, inverse, counts)))
    return UniqueAll(*(fresh(p.reshape(array.shape) if p is parts[2] else p, t) for p in parts))


@public("pr.unique_all")
def unique_all(x: Tensor, /) -> UniqueAll:
    """The distinct values in order, the index of the first of each in the flattened tensor, the place of each
    element of x among them, and how often each occurs. NaNs are distinct; 0.0 and -0.0 are one value.

    Reads the values at the call, since the shape depends on them. No gradient.

    Example:
        >>> r = pr.unique_all(pr.asarray([3, 1, 3]))
        >>> r.values.to_list(), r.indices.to_list(), r.inverse_indices.to_list(), r.counts.to_list()
        ([1, 3], [1, 0], [1, 0, 1], [1, 2])

    Source: array API, `unique_all`.
    """
    return _unique(tensor(x))


@public("pr.unique_counts")
def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The distinct values in order and how often each occurs; as `pr.unique_all`.

    Example:
        >>> pr.unique_counts(pr.asarray([3, 1, 3])).counts.to_list()
        [1, 2]

    Source: array API, `unique_counts`.
    """
    found = _unique(tensor(x))
    return UniqueCounts(found.values, found.counts)


@public("pr.unique_inverse")
def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The distinct values in order and the place of each element of x among them; as `pr.unique_all`.

    Example:
        >>> pr.unique_inverse(pr.asarray([3, 1, 3])).inverse_indices.to_list()
        [1, 0, 1]

    Source: array API, `unique_inverse`.
    """
    found = _unique(tensor(x))
    return UniqueInverse(found.values, found.inverse_indices)


@public("pr.unique_values")
def unique_values(x: Tensor, /) -> Tensor:
    """The distinct values in order; NaNs are distinct. Reads the values at the call.

    Example:
        >>> pr.unique_values(pr.asarray([3, 1, 3])).to_list()
        [1, 3]

    Source: array API, `unique_values`.
    """
    return _unique(tensor(x)).values
