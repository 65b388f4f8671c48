"""Arithmetic, order, products and reductions of numbers: Burn's methods, name for name."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, cast_to, do_of, wrap
from ..dtypes import Int, int64, kind_of_scalar
from ..errors import ArgumentError, AxisError, DTypeError, ShapeError, public
from ..layout import normalize_axes, normalize_axis, size_of
from ..ops import composite, creation, sorting
from .basic import along, beside, same_shape, scalar, whole
from .creation import converted
from .operators import power

if TYPE_CHECKING:
    from ..tensor import Tensor


def _quotient(x: Handle, y: Handle) -> Tensor:
    return apply("idiv" if x._v.dtype.kind is Int else "div", (x, y))


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


def _indices(t: Handle, found: Tensor) -> Tensor:
    """Indices in the int dtype of the device."""
    return cast_to(found, t.device.settings().int_dtype)  # type: ignore[attr-defined]


def _extreme_with_indices(name: str, t: Handle, dim: int) -> tuple[Tensor, Tensor]:
    axis = normalize_axis(dim, len(t._v.shape))
    places = apply(name, (t,), axis, True)
    return apply("gather", (t, places), axis), _indices(t, places)


def _sorted(t: Handle, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    axis = normalize_axis(dim, len(t._v.shape))
    order = apply("argsort", (t,), axis, descending, True)
    return apply("gather", (t, order), axis), _indices(t, order)


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


class Arithmetic(Handle):
    """Arithmetic, order and products of Int and Float tensors; Bool ones raise `DTypeError`."""

    __slots__ = ()

    @public("Tensor.add")
    def add(self, other: Tensor) -> Tensor:
        """self + other; integers wrap.

        The ranks must be equal and sizes of 1 broadcast, in every method of two tensors.

        Example:
            >>> pr.asarray([4, 6]).add(pr.asarray([1, 2])).to_list()
            [5, 8]

        Source: Burn, `Tensor::add`.
        """
        return apply("add", beside(self, other, "use add_scalar for numbers"))

    @public("Tensor.add_scalar")
    def add_scalar(self, other: Any) -> Tensor:
        """self + a number; integers wrap.

        Example:
            >>> pr.asarray([4, 6]).add_scalar(2).to_list()
            [6, 8]

        Source: Burn, `Tensor::add_scalar`.
        """
        return apply("add", (self, scalar(self, other)))

    @public("Tensor.sub")
    def sub(self, other: Tensor) -> Tensor:
        """self - other; integers wrap.

        Example:
            >>> pr.asarray([4, 6]).sub(pr.asarray([1, 2])).to_list()
            [3, 4]

        Source: Burn, `Tensor::sub`.
        """
        return apply("sub", beside(self, other, "use sub_scalar for numbers"))

    @public("Tensor.sub_scalar")
    def sub_scalar(self, other: Any) -> Tensor:
        """self - a number; integers wrap.

        Example:
            >>> pr.asarray([4, 6]).sub_scalar(2).to_list()
            [2, 4]

        Source: Burn, `Tensor::sub_scalar`.
        """
        return apply("sub", (self, scalar(self, other)))

    @public("Tensor.mul")
    def mul(self, other: Tensor) -> Tensor:
        """self · other; integers wrap.

        Example:
            >>> pr.asarray([4, 6]).mul(pr.asarray([1, 2])).to_list()
            [4, 12]

        Source: Burn, `Tensor::mul`.
        """
        return apply("mul", beside(self, other, "use mul_scalar for numbers"))

    @public("Tensor.mul_scalar")
    def mul_scalar(self, other: Any) -> Tensor:
        """self · a number; integers wrap.

        Example:
            >>> pr.asarray([4, 6]).mul_scalar(2).to_list()
            [8, 12]

        Source: Burn, `Tensor::mul_scalar`.
        """
        return apply("mul", (self, scalar(self, other)))

    @public("Tensor.div")
    def div(self, other: Tensor) -> Tensor:
        """self / other. Int tensors stay Int, rounded toward zero; the operator `/` gives floats.

        An Int division by zero gives 0.

        Example:
            >>> pr.asarray([-7, 7]).div(pr.asarray([2, 2])).to_list()
            [-3, 3]

        Source: Burn, `Tensor::div`.
        """
        return _quotient(*beside(self, other, "use div_scalar for numbers"))

    @public("Tensor.div_scalar")
    def div_scalar(self, other: Any) -> Tensor:
        """self / a number; as `div`.

        Example:
            >>> pr.asarray([-7.0, 7.0]).div_scalar(2).to_list()
            [-3.5, 3.5]

        Source: Burn, `Tensor::div_scalar`.
        """
        return _quotient(self, scalar(self, other))

    @public("Tensor.remainder")
    def remainder(self, other: Tensor) -> Tensor:
        """self - other·⌊self / other⌋, with the sign of `other`.

        Example:
            >>> pr.asarray([-7, 7]).remainder(pr.asarray([3, 3])).to_list()
            [2, 1]

        Source: Burn, `Tensor::remainder`.
        """
        return apply("floormod", beside(self, other, "use remainder_scalar for numbers"))

    @public("Tensor.remainder_scalar")
    def remainder_scalar(self, other: Any) -> Tensor:
        """As `remainder`, by a number.

        Example:
            >>> pr.asarray([-7, 7]).remainder_scalar(3).to_list()
            [2, 1]

        Source: Burn, `Tensor::remainder_scalar`.
        """
        return apply("floormod", (self, scalar(self, other)))

    @public("Tensor.neg")
    def neg(self) -> Tensor:
        """-self; integers wrap.

        Example:
            >>> pr.asarray([1, -2]).neg().to_list()
            [-1, 2]

        Source: Burn, `Tensor::neg`.
        """
        return apply("neg", (self,))

    @public("Tensor.abs")
    def abs(self) -> Tensor:
        """|self|; the least integer wraps to itself. Gradient at 0: 0.

        Example:
            >>> pr.asarray([1, -2]).abs().to_list()
            [1, 2]

        Source: Burn, `Tensor::abs`.
        """
        return apply("abs", (self,))

    @public("Tensor.sign")
    def sign(self) -> Tensor:
        """-1, 0 or 1 by the sign; NaN for NaN. The gradient is 0.

        Example:
            >>> pr.asarray([3.0, -2.0, 0.0]).sign().to_list()
            [1.0, -1.0, 0.0]

        Source: Burn, `Tensor::sign`.
        """
        return apply("sign", (self,))

    @public("Tensor.square")
    def square(self) -> Tensor:
        """self · self.

        Example:
            >>> pr.asarray([3, -2]).square().to_list()
            [9, 4]

        Source: Burn, `Tensor::square`.
        """
        return apply("square", (self,))

    @public("Tensor.powi")
    def powi(self, other: Tensor) -> Tensor:
        """self to whole powers of the same kind. Int: a negative power truncates the real value, 0 for the base 0.

        Example:
            >>> pr.asarray([2, 3]).powi(pr.asarray([3, 2])).to_list()
            [8, 9]

        Source: Burn, `Tensor::powi`.
        """
        x, y = beside(self, other, "use powi_scalar for numbers")
        return apply("ipow" if x._v.dtype.kind is Int else "pow", (x, y))

    @public("Tensor.powi_scalar")
    def powi_scalar(self, other: int) -> Tensor:
        """self to one whole power; as `powi`.

        Example:
            >>> pr.asarray([2.0, -3.0]).powi_scalar(2).to_list()
            [4.0, 9.0]

        Source: Burn, `Tensor::powi_scalar`.
        """
        if isinstance(other, bool) or kind_of_scalar(other) is not Int:
            raise DTypeError(f"expected an int, got {type(other).__name__} {other!r}", "use powf_scalar for floats")
        if self._v.dtype.kind is Int:
            return apply("ipow", (self, scalar(self, other)))
        return power(self, int(other))

    @public("Tensor.matmul")
    def matmul(self, other: Tensor) -> Tensor:
        """The matrix product of the last two dimensions; the leading ones broadcast.

        Raises `ShapeError` where the inner sizes differ, and below rank 2.

        Example:
            >>> pr.asarray([[1, 2]]).matmul(pr.asarray([[3], [4]])).to_list()
            [[11]]

        Source: Burn, `Tensor::matmul`.
        """
        return apply("matmul", beside(self, other, "use mul_scalar for scaling"))

    @public("Tensor.dot")
    def dot(self, other: Tensor) -> Tensor:
        """Σ self · other of two vectors, of shape (1,).

        Example:
            >>> pr.asarray([1, 2]).dot(pr.asarray([3, 4])).to_list()
            [11]

        Source: Burn, `Tensor::dot`.
        """
        x, y = same_shape(self, other)
        if len(x._v.shape) != 1:
            raise ShapeError(f"a dot product needs rank 1, the tensors have shape {x._v.shape}")
        return whole("sum", apply("mul", (x, y)))

    @public("Tensor.triu")
    def triu(self, diagonal: int) -> Tensor:
        """The elements with column - row ≥ `diagonal` of each matrix, 0 elsewhere.

        Example:
            >>> pr.ones((2, 2)).triu(1).to_list()
            [[0.0, 1.0], [0.0, 0.0]]

        Source: Burn, `Tensor::triu`.
        """
        return wrap(creation.triu(do_of(self), self._v, diagonal))

    @public("Tensor.tril")
    def tril(self, diagonal: int) -> Tensor:
        """The elements with column - row ≤ `diagonal` of each matrix, 0 elsewhere.

        Example:
            >>> pr.ones((2, 2)).tril(0).to_list()
            [[1.0, 0.0], [1.0, 1.0]]

        Source: Burn, `Tensor::tril`.
        """
        return wrap(creation.tril(do_of(self), self._v, diagonal))

    @public("Tensor.greater")
    def greater(self, other: Tensor) -> Tensor:
        """self > other, as Bool; false beside NaN. The shapes must be equal.

        Example:
            >>> pr.asarray([1, 3]).greater(pr.asarray([2, 2])).to_list()
            [False, True]

        Source: Burn, `Tensor::greater`.
        """
        return apply("gt", same_shape(self, other))

    @public("Tensor.greater_scalar")
    def greater_scalar(self, other: Any) -> Tensor:
        """self > a number, as Bool.

        Example:
            >>> pr.asarray([1, 3]).greater_scalar(2).to_list()
            [False, True]

        Source: Burn, `Tensor::greater_scalar`.
        """
        return apply("gt", (self, scalar(self, other)))

    @public("Tensor.greater_elem")
    def greater_elem(self, other: Any) -> Tensor:
        """The same as `greater_scalar`.

        Source: Burn, `Tensor::greater_elem`.
        """
        return apply("gt", (self, scalar(self, other)))

    @public("Tensor.greater_equal")
    def greater_equal(self, other: Tensor) -> Tensor:
        """self ≥ other, as Bool; false beside NaN. The shapes must be equal.

        Example:
            >>> pr.asarray([1, 3]).greater_equal(pr.asarray([2, 2])).to_list()
            [False, True]

        Source: Burn, `Tensor::greater_equal`.
        """
        return apply("ge", same_shape(self, other))

    @public("Tensor.greater_equal_scalar")
    def greater_equal_scalar(self, other: Any) -> Tensor:
        """self ≥ a number, as Bool.

        Example:
            >>> pr.asarray([1, 3]).greater_equal_scalar(2).to_list()
            [False, True]

        Source: Burn, `Tensor::greater_equal_scalar`.
        """
        return apply("ge", (self, scalar(self, other)))

    @public("Tensor.greater_equal_elem")
    def greater_equal_elem(self, other: Any) -> Tensor:
        """The same as `greater_equal_scalar`.

        Source: Burn, `Tensor::greater_equal_elem`.
        """
        return apply("ge", (self, scalar(self, other)))

    @public("Tensor.lower")
    def lower(self, other: Tensor) -> Tensor:
        """self < other, as Bool; false beside NaN. The shapes must be equal.

        Example:
            >>> pr.asarray([1, 3]).lower(pr.asarray([2, 2])).to_list()
            [True, False]

        Source: Burn, `Tensor::lower`.
        """
        return apply("lt", same_shape(self, other))

    @public("Tensor.lower_scalar")
    def lower_scalar(self, other: Any) -> Tensor:
        """self < a number, as Bool.

        Example:
            >>> pr.asarray([1, 3]).lower_scalar(2).to_list()
            [True, False]

        Source: Burn, `Tensor::lower_scalar`.
        """
        return apply("lt", (self, scalar(self, other)))

    @public("Tensor.lower_elem")
    def lower_elem(self, other: Any) -> Tensor:
        """The same as `lower_scalar`.

        Source: Burn, `Tensor::lower_elem`.
        """
        return apply("lt", (self, scalar(self, other)))

    @public("Tensor.lower_equal")
    def lower_equal(self, other: Tensor) -> Tensor:
        """self ≤ other, as Bool; false beside NaN. The shapes must be equal.

        Example:
            >>> pr.asarray([1, 3]).lower_equal(pr.asarray([2, 2])).to_list()
            [True, False]

        Source: Burn, `Tensor::lower_equal`.
        """
        return apply("le", same_shape(self, other))

    @public("Tensor.lower_equal_scalar")
    def lower_equal_scalar(self, other: Any) -> Tensor:
        """self ≤ a number, as Bool.

        Example:
            >>> pr.asarray([1, 3]).lower_equal_scalar(2).to_list()
            [True, False]

        Source: Burn, `Tensor::lower_equal_scalar`.
        """
        return apply("le", (self, scalar(self, other)))

    @public("Tensor.lower_equal_elem")
    def lower_equal_elem(self, other: Any) -> Tensor:
        """The same as `lower_equal_scalar`.

        Source: Burn, `Tensor::lower_equal_elem`.
        """
        return apply("le", (self, scalar(self, other)))

    @public("Tensor.max_pair")
    def max_pair(self, other: Tensor) -> Tensor:
        """The larger of each two elements; NaN if either is.

        Example:
            >>> pr.asarray([1, 3]).max_pair(pr.asarray([2, 2])).to_list()
            [2, 3]

        Source: Burn, `Tensor::max_pair`.
        """
        return apply("maximum", beside(self, other, "use clamp_min for numbers"))

    @public("Tensor.min_pair")
    def min_pair(self, other: Tensor) -> Tensor:
        """The smaller of each two elements; NaN if either is.

        Example:
            >>> pr.asarray([1, 3]).min_pair(pr.asarray([2, 2])).to_list()
            [1, 2]

        Source: Burn, `Tensor::min_pair`.
        """
        return apply("minimum", beside(self, other, "use clamp_max for numbers"))

    @public("Tensor.clamp")
    def clamp(self, min: Any, max: Any) -> Tensor:
        """Not below `min` nor above `max`; NaN stays. Raises `ArgumentError` for min > max.

        Example:
            >>> pr.asarray([-2, 1, 5]).clamp(0, 3).to_list()
            [0, 1, 3]

        Source: Burn, `Tensor::clamp`.
        """
        if min > max:
            raise ArgumentError(f"the lower bound {min} is above the upper bound {max}")
        low, high = scalar(self, min), scalar(self, max)
        return apply("minimum", (apply("maximum", (self, low)), high))

    @public("Tensor.clamp_min")
    def clamp_min(self, min: Any) -> Tensor:
        """Not below `min`; NaN stays.

        Example:
            >>> pr.asarray([-2, 1]).clamp_min(0).to_list()
            [0, 1]

        Source: Burn, `Tensor::clamp_min`.
        """
        return apply("maximum", (self, scalar(self, min)))

    @public("Tensor.clamp_max")
    def clamp_max(self, max: Any) -> Tensor:
        """Not above `max`; NaN stays.

        Example:
            >>> pr.asarray([-2, 1]).clamp_max(0).to_list()
            [-2, 0]

        Source: Burn, `Tensor::clamp_max`.
        """
        return apply("minimum", (self, scalar(self, max)))


class Reductions(Handle):
    """Reductions, running values and sorting. Without a dimension the shape is (1,), with one the rank is kept."""

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
        return _extreme_with_indices("argmax", self, dim)

    @public("Tensor.argmax")
    def argmax(self, dim: int) -> Tensor:
        """The index of the largest element along a dimension, which keeps size 1: the first of equals, or of NaNs.

        Example:
            >>> pr.arange(6).reshape([2, 3]).argmax(1).to_list()
            [[2], [2]]

        Source: Burn, `Tensor::argmax`.
        """
        return _indices(self, apply("argmax", (self,), normalize_axis(dim, len(self._v.shape)), True))

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
        return _extreme_with_indices("argmin", self, dim)

    @public("Tensor.argmin")
    def argmin(self, dim: int) -> Tensor:
        """The index of the smallest element along a dimension, which keeps size 1: the first of equals, or of NaNs.

        Example:
            >>> pr.arange(6).reshape([2, 3]).argmin(1).to_list()
            [[0], [0]]

        Source: Burn, `Tensor::argmin`.
        """
        return _indices(self, apply("argmin", (self,), normalize_axis(dim, len(self._v.shape)), True))

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
        return _indices(self, apply("argsort", (self,), normalize_axis(dim, len(self._v.shape)), False, True))

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
        return _indices(self, apply("argsort", (self,), normalize_axis(dim, len(self._v.shape)), True, True))

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
        return wrap(values), _indices(self, wrap(indices))

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
