"""Functions, statistics and tests of Float tensors: Burn's methods, name for name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, array_in, cast_to, do_of, evaluate, operand, wrap
from ..device import device_of
from ..dtypes import DType, Float, float64, int64, kind_of_scalar, uint64
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..layout import Ints, normalize_axis
from ..ops import composite, random, sorting
from ..ops.elementwise import check_kind
from .basic import beside, same_shape, whole
from .basic import scalar as number
from .operators import power

if TYPE_CHECKING:
    from ..tensor import Tensor


def _scaled(t: Handle, factor: float) -> Tensor:
    check_kind(t._v.dtype, (Float,))
    return apply("mul", (t, operand(factor, t)))


def _axes(t: Handle, dim: int) -> Ints:
    return (normalize_axis(dim, len(t._v.shape)),)


def _int_dtype(t: Handle) -> DType:
    return t.device.settings().int_dtype  # type: ignore[attr-defined, no-any-return]


def _categorical(do: Any, key: int, weights: Any, count: int) -> Any:
    """Inverts the running sum of the weights: an index is the number of sums that a draw has passed."""
    shape = weights.shape
    rank, n = len(shape), shape[-1]
    sums = do.cumsum(do.cast(weights, float64), rank - 1, False)
    total = do.slice(sums, (0,) * (rank - 1) + (n - 1,), (1,) * rank, (*shape[:-1], 1))
    drawn = do.mul(random.uniform(do, do.scalar(key, uint64), (*shape[:-1], count), float64), total)
    passed = do.le(do.reshape(sums, (*shape[:-1], 1, n)), do.reshape(drawn, (*shape[:-1], count, 1)))
    return do.sum(do.cast(passed, int64), (rank,), False)


def _var_mean(t: Handle, dim: int, correction: int) -> tuple[Tensor, Tensor]:
    check_kind(t._v.dtype, (Float,))
    variance, mean = composite.var_mean(do_of(t), t._v, _axes(t, dim), True, correction)
    return wrap(variance), wrap(mean)


def _close(t: Handle, other: Tensor, rtol: float | None, atol: float | None) -> Tensor:
    x, y = beside(t, other)
    check_kind(x._v.dtype, (Float,))
    relative, absolute = 1e-5 if rtol is None else rtol, 1e-8 if atol is None else atol
    return wrap(composite.isclose(do_of(x, y), x._v, y._v, relative, absolute))


class Floating(Handle):
    """Functions of Float tensors; other kinds raise `DTypeError`."""

    __slots__ = ()

    @public("Tensor.exp")
    def exp(self) -> Tensor:
        """eˣ.

        Example:
            >>> pr.asarray([0.0]).exp().to_list()
            [1.0]

        Source: Burn, `Tensor::exp`.
        """
        return apply("exp", (self,))

    @public("Tensor.log")
    def log(self) -> Tensor:
        """ln x; -∞ at 0, NaN below.

        Example:
            >>> pr.asarray([1.0, 0.0]).log().to_list()
            [0.0, -inf]

        Source: Burn, `Tensor::log`.
        """
        return apply("log", (self,))

    @public("Tensor.log1p")
    def log1p(self) -> Tensor:
        """ln(1 + x), accurate near 0.

        Example:
            >>> pr.asarray([0.0, -1.0]).log1p().to_list()
            [0.0, -inf]

        Source: Burn, `Tensor::log1p`.
        """
        return apply("log1p", (self,))

    @public("Tensor.sqrt")
    def sqrt(self) -> Tensor:
        """The square root; NaN below 0. Gradient at 0: taken as 0.

        Example:
            >>> pr.asarray([4.0]).sqrt().to_list()
            [2.0]

        Source: Burn, `Tensor::sqrt`.
        """
        return apply("sqrt", (self,))

    @public("Tensor.sin")
    def sin(self) -> Tensor:
        """sin x.

        Example:
            >>> pr.asarray([0.0]).sin().to_list()
            [0.0]

        Source: Burn, `Tensor::sin`.
        """
        return apply("sin", (self,))

    @public("Tensor.cos")
    def cos(self) -> Tensor:
        """cos x.

        Example:
            >>> pr.asarray([0.0]).cos().to_list()
            [1.0]

        Source: Burn, `Tensor::cos`.
        """
        return apply("cos", (self,))

    @public("Tensor.tan")
    def tan(self) -> Tensor:
        """tan x.

        Example:
            >>> pr.asarray([0.0]).tan().to_list()
            [0.0]

        Source: Burn, `Tensor::tan`.
        """
        return apply("tan", (self,))

    @public("Tensor.sinh")
    def sinh(self) -> Tensor:
        """(eˣ - e⁻ˣ) / 2.

        Example:
            >>> pr.asarray([0.0]).sinh().to_list()
            [0.0]

        Source: Burn, `Tensor::sinh`.
        """
        return apply("sinh", (self,))

    @public("Tensor.cosh")
    def cosh(self) -> Tensor:
        """(eˣ + e⁻ˣ) / 2.

        Example:
            >>> pr.asarray([0.0]).cosh().to_list()
            [1.0]

        Source: Burn, `Tensor::cosh`.
        """
        return apply("cosh", (self,))

    @public("Tensor.tanh")
    def tanh(self) -> Tensor:
        """sinh x / cosh x.

        Example:
            >>> pr.asarray([0.0, 100.0]).tanh().to_list()
            [0.0, 1.0]

        Source: Burn, `Tensor::tanh`.
        """
        return apply("tanh", (self,))

    @public("Tensor.asin")
    def asin(self) -> Tensor:
        """The angle in [-π/2, π/2] whose sine is x; NaN outside [-1, 1].

        Example:
            >>> pr.asarray([0.0]).asin().to_list()
            [0.0]

        Source: Burn, `Tensor::asin`.
        """
        return apply("asin", (self,))

    @public("Tensor.acos")
    def acos(self) -> Tensor:
        """The angle in [0, π] whose cosine is x; NaN outside [-1, 1].

        Example:
            >>> pr.asarray([1.0]).acos().to_list()
            [0.0]

        Source: Burn, `Tensor::acos`.
        """
        return apply("acos", (self,))

    @public("Tensor.atan")
    def atan(self) -> Tensor:
        """The angle in (-π/2, π/2) whose tangent is x.

        Example:
            >>> pr.asarray([0.0]).atan().to_list()
            [0.0]

        Source: Burn, `Tensor::atan`.
        """
        return apply("atan", (self,))

    @public("Tensor.asinh")
    def asinh(self) -> Tensor:
        """The inverse of sinh.

        Example:
            >>> pr.asarray([0.0]).asinh().to_list()
            [0.0]

        Source: Burn, `Tensor::asinh`.
        """
        return apply("asinh", (self,))

    @public("Tensor.acosh")
    def acosh(self) -> Tensor:
        """The non-negative inverse of cosh; NaN below 1.

        Example:
            >>> pr.asarray([1.0]).acosh().to_list()
            [0.0]

        Source: Burn, `Tensor::acosh`.
        """
        return apply("acosh", (self,))

    @public("Tensor.atanh")
    def atanh(self) -> Tensor:
        """The inverse of tanh; ±∞ at ±1, NaN beyond.

        Example:
            >>> pr.asarray([0.0, 1.0]).atanh().to_list()
            [0.0, inf]

        Source: Burn, `Tensor::atanh`.
        """
        return apply("atanh", (self,))

    @public("Tensor.erf")
    def erf(self) -> Tensor:
        """The error function.

        Example:
            >>> pr.asarray([0.0, 10.0]).erf().to_list()
            [0.0, 1.0]

        Source: Burn, `Tensor::erf`.
        """
        return apply("erf", (self,))

    @public("Tensor.recip")
    def recip(self) -> Tensor:
        """1 / x; ±∞ at ±0.

        Example:
            >>> pr.asarray([2.0, 0.0]).recip().to_list()
            [0.5, inf]

        Source: Burn, `Tensor::recip`.
        """
        return apply("recip", (self,))

    @public("Tensor.round")
    def round(self) -> Tensor:
        """The nearest integer, halves to even. The gradient is 0.

        Example:
            >>> pr.asarray([-1.5, 2.5]).round().to_list()
            [-2.0, 2.0]

        Source: Burn, `Tensor::round`.
        """
        return apply("rint", (self,))

    @public("Tensor.floor")
    def floor(self) -> Tensor:
        """The greatest integer not above. The gradient is 0.

        Example:
            >>> pr.asarray([-1.5, 2.5]).floor().to_list()
            [-2.0, 2.0]

        Source: Burn, `Tensor::floor`.
        """
        return apply("floor", (self,))

    @public("Tensor.ceil")
    def ceil(self) -> Tensor:
        """The least integer not below. The gradient is 0.

        Example:
            >>> pr.asarray([-1.5, 2.5]).ceil().to_list()
            [-1.0, 3.0]

        Source: Burn, `Tensor::ceil`.
        """
        return apply("ceil", (self,))

    @public("Tensor.trunc")
    def trunc(self) -> Tensor:
        """Without the fraction. The gradient is 0.

        Example:
            >>> pr.asarray([-1.5, 2.5]).trunc().to_list()
            [-1.0, 2.0]

        Source: Burn, `Tensor::trunc`.
        """
        return apply("trunc", (self,))

    @public("Tensor.deg2rad")
    def deg2rad(self) -> Tensor:
        """x·π/180.

        Example:
            >>> pr.asarray([0.0]).deg2rad().to_list()
            [0.0]

        Source: Burn, `Tensor::deg2rad`.
        """
        return _scaled(self, math.pi / 180)

    @public("Tensor.rad2deg")
    def rad2deg(self) -> Tensor:
        """x·180/π.

        Example:
            >>> pr.asarray([0.0]).rad2deg().to_list()
            [0.0]

        Source: Burn, `Tensor::rad2deg`.
        """
        return _scaled(self, 180 / math.pi)

    @public("Tensor.is_nan")
    def is_nan(self) -> Tensor:
        """True where an element is NaN.

        Example:
            >>> pr.asarray([1.0, pr.nan, pr.inf]).is_nan().to_list()
            [False, True, False]

        Source: Burn, `Tensor::is_nan`.
        """
        return apply("isnan", (self,))

    @public("Tensor.is_inf")
    def is_inf(self) -> Tensor:
        """True where an element is ∞ or -∞.

        Example:
            >>> pr.asarray([1.0, pr.nan, pr.inf]).is_inf().to_list()
            [False, False, True]

        Source: Burn, `Tensor::is_inf`.
        """
        return apply("isinf", (self,))

    @public("Tensor.is_finite")
    def is_finite(self) -> Tensor:
        """True where an element is neither infinite nor NaN.

        Example:
            >>> pr.asarray([1.0, pr.nan, pr.inf]).is_finite().to_list()
            [True, False, False]

        Source: Burn, `Tensor::is_finite`.
        """
        return apply("isfinite", (self,))

    @public("Tensor.contains_nan")
    def contains_nan(self) -> Tensor:
        """Is any element NaN? Shape (1,).

        Example:
            >>> pr.asarray([1.0, pr.nan]).contains_nan().to_list()
            [True]

        Source: Burn, `Tensor::contains_nan`.
        """
        return whole("any", apply("isnan", (self,)))

    @public("Tensor.powf")
    def powf(self, other: Tensor) -> Tensor:
        """self to the powers `other`; NaN for a negative base with a fractional power.

        Example:
            >>> pr.asarray([4.0]).powf(pr.asarray([0.5])).to_list()
            [2.0]

        Source: Burn, `Tensor::powf`.
        """
        check_kind(self._v.dtype, (Float,))
        return apply("pow", beside(self, other, "use powf_scalar for numbers"))

    @public("Tensor.powf_scalar")
    def powf_scalar(self, other: float) -> Tensor:
        """self to one power.

        Example:
            >>> pr.asarray([4.0]).powf_scalar(0.5).to_list()
            [2.0]

        Source: Burn, `Tensor::powf_scalar`.
        """
        check_kind(self._v.dtype, (Float,))
        if kind_of_scalar(other) is None:
            raise DTypeError(f"expected a number, got {type(other).__name__}")
        return power(self, float(other))

    @public("Tensor.hypot")
    def hypot(self, other: Tensor) -> Tensor:
        """√(self² + other²), without overflow on the way.

        Example:
            >>> pr.asarray([3.0]).hypot(pr.asarray([4.0])).to_list()
            [5.0]

        Source: Burn, `Tensor::hypot`.
        """
        return apply("hypot", beside(self, other))

    @public("Tensor.atan2")
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point with ordinate self and abscissa `other`.

        Example:
            >>> pr.asarray([0.0]).atan2(pr.asarray([1.0])).to_list()
            [0.0]

        Source: Burn, `Tensor::atan2`.
        """
        return apply("atan2", beside(self, other))

    @public("Tensor.fmod")
    def fmod(self, other: Tensor) -> Tensor:
        """self - other·trunc(self / other), with the sign of self: C's fmod. The shapes must be equal.

        Example:
            >>> pr.asarray([-7.0]).fmod(pr.asarray([3.0])).to_list()
            [-1.0]

        Source: Burn, `Tensor::fmod`.
        """
        return apply("fmod", same_shape(self, other))

    @public("Tensor.fmod_scalar")
    def fmod_scalar(self, scalar: float) -> Tensor:
        """As `fmod`, by a number.

        Example:
            >>> pr.asarray([-7.0]).fmod_scalar(3).to_list()
            [-1.0]

        Source: Burn, `Tensor::fmod_scalar`.
        """
        return apply("fmod", (self, number(self, scalar)))

    @public("Tensor.var")
    def var(self, dim: int) -> Tensor:
        """The variance along a dimension, divided by n - 1.

        One element gives NaN.

        Example:
            >>> pr.asarray([1.0, 3.0]).var(0).to_list()
            [2.0]

        Source: Burn, `Tensor::var`.
        """
        check_kind(self._v.dtype, (Float,))
        return wrap(composite.var(do_of(self), self._v, _axes(self, dim), True, 1))

    @public("Tensor.var_bias")
    def var_bias(self, dim: int) -> Tensor:
        """The variance along a dimension, divided by n.

        Example:
            >>> pr.asarray([1.0, 3.0]).var_bias(0).to_list()
            [1.0]

        Source: Burn, `Tensor::var_bias`.
        """
        check_kind(self._v.dtype, (Float,))
        return wrap(composite.var(do_of(self), self._v, _axes(self, dim), True, 0))

    @public("Tensor.var_mean")
    def var_mean(self, dim: int) -> tuple[Tensor, Tensor]:
        """`var` and the mean along a dimension.

        Example:
            >>> [t.to_list() for t in pr.asarray([1.0, 3.0]).var_mean(0)]
            [[2.0], [2.0]]

        Source: Burn, `Tensor::var_mean`.
        """
        return _var_mean(self, dim, 1)

    @public("Tensor.var_mean_bias")
    def var_mean_bias(self, dim: int) -> tuple[Tensor, Tensor]:
        """`var_bias` and the mean along a dimension.

        Example:
            >>> [t.to_list() for t in pr.asarray([1.0, 3.0]).var_mean_bias(0)]
            [[1.0], [2.0]]

        Source: Burn, `Tensor::var_mean_bias`.
        """
        return _var_mean(self, dim, 0)

    @public("Tensor.median")
    def median(self, dim: int) -> Tensor:
        """The middle element along a dimension, the lower one of two; NaN if there is one. The gradient goes to it.

        Example:
            >>> pr.asarray([3.0, 1.0, 2.0]).median(0).to_list()
            [2.0]

        Source: Burn, `Tensor::median`.
        """
        check_kind(self._v.dtype, (Float,))
        return wrap(composite.median(do_of(self), self._v, dim, True))

    @public("Tensor.median_with_indices")
    def median_with_indices(self, dim: int) -> tuple[Tensor, Tensor]:
        """The median along a dimension and its index.

        Example:
            >>> [t.to_list() for t in pr.asarray([3.0, 1.0, 2.0]).median_with_indices(0)]
            [[2.0], [2]]

        Source: Burn, `Tensor::median_with_indices`.
        """
        check_kind(self._v.dtype, (Float,))
        values, indices = sorting.median_with_indices(do_of(self), self._v, dim)
        return wrap(values), cast_to(wrap(indices), _int_dtype(self))

    @public("Tensor.cov")
    def cov(self, dim: int, correction_factor: int) -> Tensor:
        """The covariance matrix of a matrix whose observations lie along `dim`; divides by n - correction.

        Example:
            >>> pr.asarray([[1.0, 3.0], [2.0, 6.0]]).cov(1, 1).to_list()
            [[2.0, 4.0], [4.0, 8.0]]

        Source: Burn, `Tensor::cov`.
        """
        check_kind(self._v.dtype, (Float,))
        return wrap(composite.cov(do_of(self), self._v, dim, correction_factor))

    @public("Tensor.cross")
    def cross(self, other: Tensor, dim: int = -1) -> Tensor:
        """The vector product along a dimension of size 3, the last one by default.

        Example:
            >>> pr.asarray([1.0, 0.0, 0.0]).cross(pr.asarray([0.0, 1.0, 0.0]), 0).to_list()
            [0.0, 0.0, 1.0]

        Source: Burn, `Tensor::cross`.
        """
        x, y = beside(self, other)
        check_kind(x._v.dtype, (Float,))
        return wrap(composite.cross(do_of(x, y), x._v, y._v, dim))

    @public("Tensor.is_close")
    def is_close(self, other: Tensor, rtol: float | None = None, atol: float | None = None) -> Tensor:
        """|self - other| ≤ atol + rtol·|other|; NaN is close to nothing, ∞ to itself.

        `rtol` is 1e-5 and `atol` 1e-8 by default.

        Example:
            >>> pr.asarray([1.0, 2.0]).is_close(pr.asarray([1.0, 2.1])).to_list()
            [True, False]

        Source: Burn, `Tensor::is_close`.
        """
        return _close(self, other, rtol, atol)

    @public("Tensor.all_close")
    def all_close(self, other: Tensor, rtol: float | None = None, atol: float | None = None) -> bool:
        """Is every element close, as in `is_close`?

        Example:
            >>> pr.asarray([1.0]).all_close(pr.asarray([1.0]))
            True

        Source: Burn, `Tensor::all_close`.
        """
        return bool(evaluate(_close(self, other, rtol, atol)).all())

    @public("Tensor.categorical")
    def categorical(self, num_samples: int) -> Tensor:
        """Indices drawn by the weights in the last dimension, which becomes `num_samples`; the others are a batch.

        The weights need not sum to 1; one of 0 is never drawn. Draws from the device's stream of random numbers.
        Raises `ArgumentError` for no samples, `ShapeError` for no weights.

        Example:
            >>> pr.asarray([[0.0, 2.0], [1.0, 0.0]]).categorical(3).to_list()
            [[1, 1, 1], [0, 0, 0]]

        Source: Burn, `Tensor::categorical`.
        """
        check_kind(self._v.dtype, (Float,))
        shape = self._v.shape
        if isinstance(num_samples, bool) or num_samples < 1:
            raise ArgumentError(f"{num_samples} samples were asked for, at least 1 is needed")
        if not shape or shape[-1] == 0:
            raise ShapeError(f"a tensor of shape {shape} has no weights along a last dimension")
        device = device_of(array_in(self).backend)
        drawn = _categorical(do_of(self), device.next_key(), self._v, num_samples)
        return cast_to(wrap(drawn), _int_dtype(self))
