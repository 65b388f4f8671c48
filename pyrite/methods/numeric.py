"""Arithmetic, order, products and reductions of numbers: Burn's methods, name for name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, do_of, wrap
from ..dtypes import Int, kind_of_scalar
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..ops import creation
from .basic import beside, same_shape, scalar, whole
from .operators import power

if TYPE_CHECKING:
    from ..tensor import Tensor


def _quotient(x: Handle, y: Handle) -> Tensor:
    return apply("idiv" if x._v.dtype.kind is Int else "div", (x, y))


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

    @public("Tensor.rem")
    def rem(self, other: Any) -> Tensor:
        """`remainder`, by a tensor or a number.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.rem(pr.asarray([2, 2, 2])).to_list()
            [1, 0, 1]

        Source: Burn, `Rem::rem`.
        """
        if isinstance(other, Handle):
            return apply("floormod", beside(self, other))
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

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.greater_elem(2).to_list()
            [False, False, True]

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

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.greater_equal_elem(2).to_list()
            [False, True, True]

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

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.lower_elem(2).to_list()
            [True, False, False]

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

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.lower_equal_elem(2).to_list()
            [True, True, False]

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
