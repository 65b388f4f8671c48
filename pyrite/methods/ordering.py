"""Sorting, the largest elements and classes as vectors: Burn's methods, name for name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, cast_to, do_of, wrap
from ..dtypes import int64
from ..errors import ArgumentError, DTypeError, public
from ..layout import normalize_axis
from ..ops import composite, sorting
from .creation import converted
from .reducing import device_indices

if TYPE_CHECKING:
    from ..tensor import Tensor


def _sorted(t: Handle, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    axis = normalize_axis(dim, len(t._v.shape))
    order = apply("argsort", (t,), axis, descending, True)
    return apply("gather", (t, order), axis), device_indices(t, order)


def _one_hot(t: Handle, classes: int, on: Any, off: Any, axis: int) -> Tensor:
    if classes < 1:
        raise ArgumentError(f"{classes} classes were asked for, at least 1 is needed")
    kind = t._v.dtype.kind
    if t._v.dtype.is_bool() or t._v.dtype.is_complex():
        raise DTypeError(f"classes are numbers, this tensor is {t._v.dtype.name}")
    dtype = t.device.default_dtype(kind)  # type: ignore[attr-defined]
    do = do_of(t)
    hot = composite.one_hot(do, cast_to(t, int64)._v, classes, dtype, axis)
    if on == 1 and off == 0:
        return wrap(hot)
    return wrap(do.where(do.ne(hot, 0), do.scalar(converted(on, dtype), dtype), converted(off, dtype)))


class Ordering(Handle):
    """Sorted tensors, their largest elements, and classes; NaN counts as the largest."""

    __slots__ = ()

    @public("Tensor.sort")
    def sort(self, dim: int) -> Tensor:
        """The elements along a dimension in ascending order, NaN last.

        Example:
            >>> pr.asarray([2, 1, 3]).sort(0).to_list()
            [1, 2, 3]

        Source: Burn, `Tensor::sort`.
        """
        return apply("sort", (self,), normalize_axis(dim, len(self._v.shape)), False, True)

    @public("Tensor.sort_with_indices")
    def sort_with_indices(self, dim: int) -> tuple[Tensor, Tensor]:
        """The elements along a dimension in ascending order, NaN last, and where each came from.

        Example:
            >>> [t.to_list() for t in pr.asarray([2, 1, 3]).sort_with_indices(0)]
            [[1, 2, 3], [1, 0, 2]]

        Source: Burn, `Tensor::sort_with_indices`.
        """
        return _sorted(self, dim, False)

    @public("Tensor.argsort")
    def argsort(self, dim: int) -> Tensor:
        """The indices that sort a dimension in ascending order, NaN last.

        Example:
            >>> pr.asarray([2, 1, 3]).argsort(0).to_list()
            [1, 0, 2]

        Source: Burn, `Tensor::argsort`.
        """
        return device_indices(self, apply("argsort", (self,), normalize_axis(dim, len(self._v.shape)), False, True))

    @public("Tensor.sort_descending")
    def sort_descending(self, dim: int) -> Tensor:
        """The elements along a dimension in descending order, NaN first.

        Example:
            >>> pr.asarray([2, 1, 3]).sort_descending(0).to_list()
            [3, 2, 1]

        Source: Burn, `Tensor::sort_descending`.
        """
        return apply("sort", (self,), normalize_axis(dim, len(self._v.shape)), True, True)

    @public("Tensor.sort_descending_with_indices")
    def sort_descending_with_indices(self, dim: int) -> tuple[Tensor, Tensor]:
        """The elements along a dimension in descending order, NaN first, and where each came from.

        Example:
            >>> [t.to_list() for t in pr.asarray([2, 1, 3]).sort_descending_with_indices(0)]
            [[3, 2, 1], [2, 0, 1]]

        Source: Burn, `Tensor::sort_descending_with_indices`.
        """
        return _sorted(self, dim, True)

    @public("Tensor.argsort_descending")
    def argsort_descending(self, dim: int) -> Tensor:
        """The indices that sort a dimension in descending order, NaN first.

        Example:
            >>> pr.asarray([2, 1, 3]).argsort_descending(0).to_list()
            [2, 0, 1]

        Source: Burn, `Tensor::argsort_descending`.
        """
        return device_indices(self, apply("argsort", (self,), normalize_axis(dim, len(self._v.shape)), True, True))

    @public("Tensor.topk")
    def topk(self, k: int, dim: int) -> Tensor:
        """The `k` largest elements along a dimension, largest first.

        The gradient goes to the elements picked. Raises `ShapeError` for more than there are.

        Example:
            >>> pr.asarray([2, 1, 3]).topk(2, 0).to_list()
            [3, 2]

        Source: Burn, `Tensor::topk`.
        """
        return self.topk_with_indices(k, dim)[0]

    @public("Tensor.topk_with_indices")
    def topk_with_indices(self, k: int, dim: int) -> tuple[Tensor, Tensor]:
        """The `k` largest elements along a dimension and their indices.

        Example:
            >>> [t.to_list() for t in pr.asarray([2, 1, 3]).topk_with_indices(2, 0)]
            [[3, 2], [2, 0]]

        Source: Burn, `Tensor::topk_with_indices`.
        """
        values, indices = sorting.topk(do_of(self), self._v, k, dim)
        return wrap(values), device_indices(self, wrap(indices))

    @public("Tensor.argtopk")
    def argtopk(self, k: int, dim: int) -> Tensor:
        """The indices of the `k` largest elements along a dimension.

        Example:
            >>> pr.asarray([2, 1, 3]).argtopk(2, 0).to_list()
            [2, 0]

        Source: Burn, `Tensor::argtopk`.
        """
        return self.topk_with_indices(k, dim)[1]

    @public("Tensor.one_hot")
    def one_hot(self, num_classes: int) -> Tensor:
        """1 at the class of each element, 0 elsewhere, along a new last dimension. The kind is kept.

        -1 is the last class. Raises `BoundsError` for a class out of range, `ArgumentError` for fewer than 1 class.

        Example:
            >>> pr.asarray([0, 2]).one_hot(3).to_list()
            [[1, 0, 0], [0, 0, 1]]

        Source: Burn, `Tensor::one_hot`.
        """
        return _one_hot(self, num_classes, 1, 0, -1)

    @public("Tensor.one_hot_fill")
    def one_hot_fill(self, num_classes: int, on_value: float, off_value: float, axis: int) -> Tensor:
        """`on_value` at the class of each element, `off_value` elsewhere, along a new dimension.

        Example:
            >>> pr.asarray([0, 1]).one_hot_fill(2, 5, -1, -1).to_list()
            [[5, -1], [-1, 5]]

        Source: Burn, `Tensor::one_hot_fill`.
        """
        return _one_hot(self, num_classes, on_value, off_value, axis)
