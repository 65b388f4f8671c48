"""Reductions and running values of numbers: Burn's methods, name for name."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, cast_to
from ..dtypes import Int
from ..errors import AxisError, ShapeError, public
from ..layout import normalize_axes, normalize_axis, size_of
from .basic import along, scalar, whole

if TYPE_CHECKING:
    from ..tensor import Tensor


def _one(dim: Any) -> int:
    """A dimension; a list of them belongs into the method that ends in s."""
    try:
        return operator.index(dim)
    except TypeError:
        raise AxisError(f"dimension {dim!r} is not an int") from None


def _mean(t: Handle, dims: Any) -> Tensor:
    if t._v.dtype.kind is not Int:
        return along("mean", t, dims)
    axes = normalize_axes(dims, len(t._v.shape))
    count = size_of([t._v.shape[a] for a in axes])
    if count == 0:
        raise ShapeError(f"an Int tensor of shape {t._v.shape} has no mean over dimensions {axes}: they hold nothing")
    total = along("sum", t, axes)
    return apply("idiv", (total, scalar(total, count)))


def device_indices(t: Handle, found: Tensor) -> Tensor:
    """Indices in the int dtype of the device."""
    return cast_to(found, t.device.settings().int_dtype)  # type: ignore[attr-defined]


def _extreme_with_indices(name: str, t: Handle, dim: int) -> tuple[Tensor, Tensor]:
    axis = normalize_axis(dim, len(t._v.shape))
    places = apply(f"arg{name}", (t,), axis, True)
    return apply(name, (t,), (axis,), True), device_indices(t, places)


class Reductions(Handle):
    """Reductions and running values. Without a dimension the shape is (1,), with one the rank is kept."""

    __slots__ = ()

    @public("Tensor.sum")
    def sum(self) -> Tensor:
        """The sum of all elements, of shape (1,).

        The dtype is kept, so integers wrap; `pr.sum` widens them.

        Example:
            >>> pr.asarray([1, 2, 3]).sum().to_list()
            [6]

        Source: Burn, `Tensor::sum`.
        """
        return whole("sum", self)

    @public("Tensor.sum_dim")
    def sum_dim(self, dim: int) -> Tensor:
        """The sum along a dimension.

        Example:
            >>> pr.arange(6).reshape([2, 3]).sum_dim(1).to_list()
            [[3], [12]]

        Source: Burn, `Tensor::sum_dim`.
        """
        return along("sum", self, _one(dim))

    @public("Tensor.sum_dims")
    def sum_dims(self, dims: Sequence[int]) -> Tensor:
        """The sum over dimensions.

        Example:
            >>> pr.arange(6).reshape([2, 3]).sum_dims([0, 1]).to_list()
            [[15]]

        Source: Burn, `Tensor::sum_dims`.
        """
        return along("sum", self, dims)

    @public("Tensor.sum_dims_squeeze")
    def sum_dims_squeeze(self, dims: Sequence[int]) -> Tensor:
        """The sum over dimensions, which are dropped.

        Example:
            >>> pr.arange(6).reshape([2, 3]).sum_dims_squeeze([0]).to_list()
            [3, 5, 7]

        Source: Burn, `Tensor::sum_dims_squeeze`.
        """
        return apply("sum", (self,), normalize_axes(dims, len(self._v.shape)), False)

    @public("Tensor.prod")
    def prod(self) -> Tensor:
        """The product of all elements, of shape (1,).

        The dtype is kept, so integers wrap; `pr.prod` widens them. The gradient is exact at zeros.

        Example:
            >>> pr.asarray([2, 3]).prod().to_list()
            [6]

        Source: Burn, `Tensor::prod`.
        """
        return whole("prod", self)

    @public("Tensor.prod_dim")
    def prod_dim(self, dim: int) -> Tensor:
        """The product along a dimension.

        Example:
            >>> pr.arange(6).reshape([2, 3]).prod_dim(1).to_list()
            [[0], [60]]

        Source: Burn, `Tensor::prod_dim`.
        """
        return along("prod", self, _one(dim))

    @public("Tensor.prod_dims")
    def prod_dims(self, dims: Sequence[int]) -> Tensor:
        """The product over dimensions.

        Example:
            >>> pr.arange(6).reshape([2, 3]).prod_dims([0, 1]).to_list()
            [[0]]

        Source: Burn, `Tensor::prod_dims`.
        """
        return along("prod", self, dims)

    @public("Tensor.mean")
    def mean(self) -> Tensor:
        """The mean of all elements, of shape (1,). Int tensors stay Int, rounded toward zero.

        Raises `ShapeError` for an Int mean of nothing; a Float one is NaN.

        Example:
            >>> pr.asarray([1.0, 2.0]).mean().to_list()
            [1.5]

        Source: Burn, `Tensor::mean`.
        """
        return apply("reshape", (_mean(self, range(len(self._v.shape))),), (1,))

    @public("Tensor.mean_dim")
    def mean_dim(self, dim: int) -> Tensor:
        """The mean along a dimension.

        Example:
            >>> pr.asarray([[1.0, 3.0]]).mean_dim(1).to_list()
            [[2.0]]

        Source: Burn, `Tensor::mean_dim`.
        """
        return _mean(self, _one(dim))

    @public("Tensor.mean_dims")
    def mean_dims(self, dims: Sequence[int]) -> Tensor:
        """The mean over dimensions.

        Example:
            >>> pr.asarray([[1.0, 3.0]]).mean_dims([0, 1]).to_list()
            [[2.0]]

        Source: Burn, `Tensor::mean_dims`.
        """
        return _mean(self, dims)

    @public("Tensor.max")
    def max(self) -> Tensor:
        """The largest element, of shape (1,); NaN if there is one.

        The gradient goes to the first of equals. Raises `ShapeError` when there is no element.

        Example:
            >>> pr.asarray([1, 3, 2]).max().to_list()
            [3]

        Source: Burn, `Tensor::max`.
        """
        return whole("max", self)

    @public("Tensor.max_dim")
    def max_dim(self, dim: int) -> Tensor:
        """The largest element along a dimension; NaN if there is one.

        Example:
            >>> pr.arange(6).reshape([2, 3]).max_dim(1).to_list()
            [[2], [5]]

        Source: Burn, `Tensor::max_dim`.
        """
        return along("max", self, _one(dim))

    @public("Tensor.max_dims")
    def max_dims(self, dims: Sequence[int]) -> Tensor:
        """The largest element over dimensions.

        Example:
            >>> pr.arange(6).reshape([2, 3]).max_dims([0, 1]).to_list()
            [[5]]

        Source: Burn, `Tensor::max_dims`.
        """
        return along("max", self, dims)

    @public("Tensor.max_dim_with_indices")
    def max_dim_with_indices(self, dim: int) -> tuple[Tensor, Tensor]:
        """The largest element along a dimension and its index: the first of equals, or of NaNs.

        Example:
            >>> [t.to_list() for t in pr.arange(6).reshape([2, 3]).max_dim_with_indices(1)]
            [[[2], [5]], [[2], [2]]]

        Source: Burn, `Tensor::max_dim_with_indices`.
        """
        return _extreme_with_indices("max", self, dim)

    @public("Tensor.argmax")
    def argmax(self, dim: int) -> Tensor:
        """The index of the largest element along a dimension, which keeps size 1: the first of equals, or of NaNs.

        Example:
            >>> pr.arange(6).reshape([2, 3]).argmax(1).to_list()
            [[2], [2]]

        Source: Burn, `Tensor::argmax`.
        """
        return device_indices(self, apply("argmax", (self,), normalize_axis(dim, len(self._v.shape)), True))

    @public("Tensor.min")
    def min(self) -> Tensor:
        """The smallest element, of shape (1,); NaN if there is one.

        The gradient goes to the first of equals. Raises `ShapeError` when there is no element.

        Example:
            >>> pr.asarray([1, 3, 2]).min().to_list()
            [1]

        Source: Burn, `Tensor::min`.
        """
        return whole("min", self)

    @public("Tensor.min_dim")
    def min_dim(self, dim: int) -> Tensor:
        """The smallest element along a dimension; NaN if there is one.

        Example:
            >>> pr.arange(6).reshape([2, 3]).min_dim(1).to_list()
            [[0], [3]]

        Source: Burn, `Tensor::min_dim`.
        """
        return along("min", self, _one(dim))

    @public("Tensor.min_dims")
    def min_dims(self, dims: Sequence[int]) -> Tensor:
        """The smallest element over dimensions.

        Example:
            >>> pr.arange(6).reshape([2, 3]).min_dims([0, 1]).to_list()
            [[0]]

        Source: Burn, `Tensor::min_dims`.
        """
        return along("min", self, dims)

    @public("Tensor.min_dim_with_indices")
    def min_dim_with_indices(self, dim: int) -> tuple[Tensor, Tensor]:
        """The smallest element along a dimension and its index: the first of equals, or of NaNs.

        Example:
            >>> [t.to_list() for t in pr.arange(6).reshape([2, 3]).min_dim_with_indices(1)]
            [[[0], [3]], [[0], [0]]]

        Source: Burn, `Tensor::min_dim_with_indices`.
        """
        return _extreme_with_indices("min", self, dim)

    @public("Tensor.argmin")
    def argmin(self, dim: int) -> Tensor:
        """The index of the smallest element along a dimension, which keeps size 1: the first of equals, or of NaNs.

        Example:
            >>> pr.arange(6).reshape([2, 3]).argmin(1).to_list()
            [[0], [0]]

        Source: Burn, `Tensor::argmin`.
        """
        return device_indices(self, apply("argmin", (self,), normalize_axis(dim, len(self._v.shape)), True))

    @public("Tensor.max_abs")
    def max_abs(self) -> Tensor:
        """The largest magnitude, of shape (1,); NaN if there is one.

        Example:
            >>> pr.asarray([1, -3]).max_abs().to_list()
            [3]

        Source: Burn, `Tensor::max_abs`.
        """
        return whole("max", apply("abs", (self,)))

    @public("Tensor.max_abs_dim")
    def max_abs_dim(self, dim: int) -> Tensor:
        """The largest magnitude along a dimension.

        Example:
            >>> pr.asarray([[1, -3]]).max_abs_dim(1).to_list()
            [[3]]

        Source: Burn, `Tensor::max_abs_dim`.
        """
        return along("max", apply("abs", (self,)), _one(dim))

    @public("Tensor.max_abs_dims")
    def max_abs_dims(self, dims: Sequence[int]) -> Tensor:
        """The largest magnitude over dimensions.

        Example:
            >>> pr.asarray([[1, -3]]).max_abs_dims([0, 1]).to_list()
            [[3]]

        Source: Burn, `Tensor::max_abs_dims`.
        """
        return along("max", apply("abs", (self,)), dims)

    @public("Tensor.cumsum")
    def cumsum(self, dim: int) -> Tensor:
        """The running sum along a dimension; the dtype is kept.

        Example:
            >>> pr.asarray([2, 1, 3]).cumsum(0).to_list()
            [2, 3, 6]

        Source: Burn, `Tensor::cumsum`.
        """
        return apply("cumsum", (self,), normalize_axis(dim, len(self._v.shape)), False)

    @public("Tensor.cumprod")
    def cumprod(self, dim: int) -> Tensor:
        """The running product along a dimension; the gradient is exact at zeros.

        Example:
            >>> pr.asarray([2, 1, 3]).cumprod(0).to_list()
            [2, 2, 6]

        Source: Burn, `Tensor::cumprod`.
        """
        return apply("cumprod", (self,), normalize_axis(dim, len(self._v.shape)), False)

    @public("Tensor.cummax")
    def cummax(self, dim: int) -> Tensor:
        """The running maximum along a dimension; from the first NaN on it is NaN.

        Example:
            >>> pr.asarray([2, 1, 3]).cummax(0).to_list()
            [2, 2, 3]

        Source: Burn, `Tensor::cummax`.
        """
        return apply("cummax", (self,), normalize_axis(dim, len(self._v.shape)), False)

    @public("Tensor.cummin")
    def cummin(self, dim: int) -> Tensor:
        """The running minimum along a dimension; from the first NaN on it is NaN.

        Example:
            >>> pr.asarray([2, 1, 3]).cummin(0).to_list()
            [2, 1, 1]

        Source: Burn, `Tensor::cummin`.
        """
        return apply("cummin", (self,), normalize_axis(dim, len(self._v.shape)), False)
