"""Arithmetic, rounding, classification and parts of numbers, element by element.

Tensors broadcast; on either side of two a Python number may stand. Float functions take Float and Complex tensors; an
Int tensor raises `DTypeError`, naming the cast.
"""

from __future__ import annotations

from typing import Any

from ..apply import apply, cast_to, do_of, need_kind, operand, pair, wrap
from ..dtypes import Complex, Float, Int, float32, promote
from ..errors import ArgumentError, public
from ..methods.operators import power
from ..ops.composite import clamp
from ..ops.elementwise import complex_sign
from ..tensor import Tensor
from .arguments import Operand, copied, one, side, tensor, two

__all__ = [
    "abs",
    "add",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "divide",
    "floor",
    "floor_divide",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "logaddexp",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "square",
    "subtract",
    "trunc",
]


def _whole(name: str, x: Any) -> Tensor:
    """A rounding: integers stay as they are."""
    t = tensor(x)
    return copied(t) if t.dtype.kind is Int else apply(name, (t,))


def _class_of(name: str, x: Any, of_ints: bool) -> Tensor:
    """A test of floats, which all integers answer alike."""
    t = tensor(x)
    if t.dtype.kind is not Int:
        return apply(name, (t,))
    return apply("eq" if of_ints else "ne", (t, t))


@public("pr.add")
def add(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 + x2; integers wrap.

    Raises `DTypeError` for Bool tensors and for two kinds.

    Example:
        >>> pr.add(pr.asarray([1, 2]), 3).to_list()
        [4, 5]

    Source: array API, `add`.
    """
    return two("add", x1, x2)


@public("pr.subtract")
def subtract(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 - x2; integers wrap.

    Example:
        >>> pr.subtract(10, pr.asarray([1, 2])).to_list()
        [9, 8]

    Source: array API, `subtract`.
    """
    return two("sub", x1, x2)


@public("pr.multiply")
def multiply(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 · x2; integers wrap.

    Example:
        >>> pr.multiply(pr.asarray([1.5, 2.0]), 2).to_list()
        [3.0, 4.0]

    Source: array API, `multiply`.
    """
    return two("mul", x1, x2)


@public("pr.divide")
def divide(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 / x2, the true quotient; two Int tensors give the device's default Float dtype.

    Example:
        >>> pr.divide(pr.asarray([1, 2]), 4).to_list()
        [0.25, 0.5]

    Source: array API, `divide`.
    """
    a, b = pair(side(x1), side(x2))
    if a.dtype.kind is Int:
        dtype = a.device.settings().float_dtype
        a, b = cast_to(a, dtype), cast_to(b, dtype)
    return apply("div", (a, b))


@public("pr.floor_divide")
def floor_divide(x1: Operand, x2: Operand, /) -> Tensor:
    """⌊x1 / x2⌋. Integers: 0 where x2 is 0, and the least value over -1 wraps. Infinities: the quotient itself.

    Its gradient is 0. The method `Tensor.div` of two Int tensors truncates instead.

    Example:
        >>> pr.floor_divide(pr.asarray([-7, 7]), 2).to_list()
        [-4, 3]

    Source: array API, `floor_divide`.
    """
    return two("floordiv", x1, x2)


@public("pr.remainder")
def remainder(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 - x2·⌊x1 / x2⌋, with the sign of x2. Where x2 is 0: 0 for integers, NaN for floats.

    Example:
        >>> pr.remainder(pr.asarray([-7, 7]), 3).to_list()
        [2, 1]

    Source: array API, `remainder`.
    """
    return two("floormod", x1, x2)


@public("pr.pow")
def pow(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 to the power x2; integers wrap.

    Raises `ArgumentError` for an Int tensor with a negative Python exponent. With a tensor of negative
    Int exponents the real value is truncated.

    Example:
        >>> pr.pow(pr.asarray([1.0, 2.0, 3.0]), 2).to_list()
        [1.0, 4.0, 9.0]

    Source: array API, `pow`.
    """
    return power(side(x1), side(x2))


@public("pr.negative")
def negative(x: Tensor, /) -> Tensor:
    """-x; integers wrap.

    Example:
        >>> pr.negative(pr.asarray([1, -2])).to_list()
        [-1, 2]

    Source: array API, `negative`.
    """
    return one("neg", x)


@public("pr.positive")
def positive(x: Tensor, /) -> Tensor:
    """x in a tensor of its own.

    Raises `DTypeError` for a Bool tensor.

    Example:
        >>> pr.positive(pr.asarray([1, -2])).to_list()
        [1, -2]

    Source: array API, `positive`.
    """
    t = tensor(x)
    need_kind(t, Int, Float, Complex)
    return apply("copy", (t,))


@public("pr.abs")
def abs(x: Tensor, /) -> Tensor:
    """|x|; the least integer wraps to itself. Complex tensors give their modulus.

    Gradient at 0: 0.

    Example:
        >>> pr.abs(pr.asarray([-1.5, 2.0])).to_list()
        [1.5, 2.0]

    Source: array API, `abs`.
    """
    return one("abs", x)


@public("pr.sign")
def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1 by the sign of x; NaN for NaN, x / |x| for Complex.

    Its gradient is 0 for real tensors.

    Example:
        >>> pr.sign(pr.asarray([-2.5, 0.0, 4.0])).to_list()
        [-1.0, 0.0, 1.0]

    Source: array API, `sign`.
    """
    t = tensor(x)
    if t.dtype.kind is Complex:
        return wrap(complex_sign(do_of(t), t._v))
    return apply("sign", (t,))


@public("pr.square")
def square(x: Tensor, /) -> Tensor:
    """x · x; integers wrap.

    Example:
        >>> pr.square(pr.asarray([1, -3])).to_list()
        [1, 9]

    Source: array API, `square`.
    """
    return one("square", x)


@public("pr.floor")
def floor(x: Tensor, /) -> Tensor:
    """The greatest integer not above x; Int tensors stay as they are.

    Its gradient is 0.

    Example:
        >>> pr.floor(pr.asarray([-1.5, 1.5])).to_list()
        [-2.0, 1.0]

    Source: array API, `floor`.
    """
    return _whole("floor", x)


@public("pr.ceil")
def ceil(x: Tensor, /) -> Tensor:
    """The least integer not below x; Int tensors stay as they are.

    Its gradient is 0.

    Example:
        >>> pr.ceil(pr.asarray([-1.5, 1.5])).to_list()
        [-1.0, 2.0]

    Source: array API, `ceil`.
    """
    return _whole("ceil", x)


@public("pr.trunc")
def trunc(x: Tensor, /) -> Tensor:
    """x without its fraction; Int tensors stay as they are.

    Its gradient is 0.

    Example:
        >>> pr.trunc(pr.asarray([-1.5, 1.5])).to_list()
        [-1.0, 1.0]

    Source: array API, `trunc`.
    """
    return _whole("trunc", x)


@public("pr.round")
def round(x: Tensor, /) -> Tensor:
    """The nearest integer, halves to even; Int tensors stay as they are. Of a Complex tensor both parts.

    Its gradient is 0.

    Example:
        >>> pr.round(pr.asarray([0.5, 1.5, 2.6])).to_list()
        [0.0, 2.0, 3.0]

    Source: array API, `round`.
    """
    t = tensor(x)
    if t.dtype.kind is not Complex:
        return _whole("rint", t)
    do = do_of(t)
    return wrap(do.complex_(do.rint(do.real(t._v)), do.rint(do.imag(t._v))))


@public("pr.isnan")
def isnan(x: Tensor, /) -> Tensor:
    """True where x is NaN.

    Example:
        >>> pr.isnan(pr.asarray([1.0, pr.nan])).to_list()
        [False, True]

    Source: array API, `isnan`.
    """
    return _class_of("isnan", x, False)


@public("pr.isinf")
def isinf(x: Tensor, /) -> Tensor:
    """True where x is ∞ or -∞.

    Example:
        >>> pr.isinf(pr.asarray([1.0, -pr.inf])).to_list()
        [False, True]

    Source: array API, `isinf`.
    """
    return _class_of("isinf", x, False)


@public("pr.isfinite")
def isfinite(x: Tensor, /) -> Tensor:
    """True where x is neither infinite nor NaN.

    Example:
        >>> pr.isfinite(pr.asarray([1.0, pr.inf])).to_list()
        [True, False]

    Source: array API, `isfinite`.
    """
    return _class_of("isfinite", x, True)


@public("pr.signbit")
def signbit(x: Tensor, /) -> Tensor:
    """True where the sign bit of a float is set, -0.0 included.

    Example:
        >>> pr.signbit(pr.asarray([-0.0, 0.0])).to_list()
        [True, False]

    Source: array API, `signbit`.
    """
    t = tensor(x)
    do = do_of(t)
    return wrap(do.lt(do.copysign(1, t._v), 0))


@public("pr.copysign")
def copysign(x1: Operand, x2: Operand, /) -> Tensor:
    """|x1| with the sign of x2.

    Example:
        >>> pr.copysign(pr.asarray([1.0, 2.0]), -1.0).to_list()
        [-1.0, -2.0]

    Source: array API, `copysign`.
    """
    return two("copysign", x1, x2)


@public("pr.hypot")
def hypot(x1: Operand, x2: Operand, /) -> Tensor:
    """√(x1² + x2²), without overflow on the way.

    Gradient at the origin: 0.

    Example:
        >>> pr.hypot(pr.asarray([3.0]), 4.0).to_list()
        [5.0]

    Source: array API, `hypot`.
    """
    return two("hypot", x1, x2)


@public("pr.reciprocal")
def reciprocal(x: Tensor, /) -> Tensor:
    """1 / x; ±∞ at ±0.

    Example:
        >>> pr.reciprocal(pr.asarray([2.0, 0.0])).to_list()
        [0.5, inf]

    Source: array API, `reciprocal`.
    """
    return one("recip", x)


@public("pr.logaddexp")
def logaddexp(x1: Operand, x2: Operand, /) -> Tensor:
    """ln(exp x1 + exp x2), without overflow on the way.

    Example:
        >>> pr.logaddexp(pr.asarray([1000.0]), -1000.0).to_list()
        [1000.0]

    Source: array API, `logaddexp`.
    """
    a, b = pair(side(x1), side(x2))
    dtype = a.dtype
    if dtype.is_half():
        a, b = cast_to(a, float32), cast_to(b, float32)
    return cast_to(wrap(_log_add_exp(do_of(a, b), a._v, b._v)), dtype)


@public("pr.maximum")
def maximum(x1: Operand, x2: Operand, /) -> Tensor:
    """The larger of x1 and x2; NaN if either is. The gradient goes to x1 where they are equal.

    Example:
        >>> pr.maximum(pr.asarray([1, 5]), 3).to_list()
        [3, 5]

    Source: array API, `maximum`.
    """
    return two("maximum", x1, x2)


@public("pr.minimum")
def minimum(x1: Operand, x2: Operand, /) -> Tensor:
    """The smaller of x1 and x2; NaN if either is. The gradient goes to x1 where they are equal.

    Example:
        >>> pr.minimum(pr.asarray([1, 5]), 3).to_list()
        [1, 3]

    Source: array API, `minimum`.
    """
    return two("minimum", x1, x2)


@public("pr.nextafter")
def nextafter(x1: Operand, x2: Operand, /) -> Tensor:
    """The next number of the dtype after x1 in the direction of x2; x2 where they are equal.

    It has no gradient.

    Example:
        >>> (pr.nextafter(pr.asarray([1.0]), 2.0) - 1).to_list()
        [1.1920928955078125e-07]

    Source: array API, `nextafter`.
    """
    return two("nextafter", x1, x2)


@public("pr.real")
def real(x: Tensor, /) -> Tensor:
    """The real part; a real tensor is its own.

    Example:
        >>> pr.real(pr.asarray([1 + 2j])).to_list()
        [1.0]

    Source: array API, `real`.
    """
    t = tensor(x)
    return copied(t) if t.dtype.kind in (Float, Int) else apply("real", (t,))


@public("pr.imag")
def imag(x: Tensor, /) -> Tensor:
    """The imaginary part; 0 for a real tensor.

    Example:
        >>> pr.imag(pr.asarray([1 + 2j])).to_list()
        [2.0]

    Source: array API, `imag`.
    """
    t = tensor(x)
    if t.dtype.kind in (Float, Int):
        return wrap(do_of(t).full(0, t.shape, t.dtype))
    return apply("imag", (t,))


@public("pr.conj")
def conj(x: Tensor, /) -> Tensor:
    """The complex conjugate; a real tensor is its own.

    Example:
        >>> pr.conj(pr.asarray([1 + 2j])).to_list()
        [(1-2j)]

    Source: array API, `conj`.
    """
    t = tensor(x)
    return copied(t) if t.dtype.kind in (Float, Int) else apply("conj", (t,))


def _log_add_exp(do: Any, x: Any, y: Any) -> Any:
    """The larger one plus log1p(exp(-|x - y|)), written so that the gradients at x = y are 1/2 each."""
    alike = do.logical_and(do.eq(x, y), do.isinf(x))  # their difference is NaN
    second = do.gt(y, x)
    low = do.where(alike, 0, do.where(second, do.sub(x, y), do.sub(y, x)))
    return do.add(do.where(second, y, x), do.log1p(do.exp(low)))


@public("pr.clip")
def clip(x: Tensor, /, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """x, but not below `min` nor above `max`; NaN stays. The dtype is that of x.

    Bounds broadcast against x. On a bound the gradient goes to x. Raises `ArgumentError` when two numbers
    are given with min > max.

    Example:
        >>> pr.clip(pr.asarray([-2.0, 0.5, 9.0]), 0, 1).to_list()
        [0.0, 0.5, 1.0]

    Source: array API, `clip`.
    """
    t = tensor(x)
    if isinstance(min, (int, float)) and isinstance(max, (int, float)) and min > max:
        raise ArgumentError(f"the lower bound {min} is above the upper bound {max}")
    if min is None and max is None:
        return copied(t)
    low, high = _bound(min, t), _bound(max, t)
    do = do_of(t, *[b for b in (low, high) if b is not None])
    return wrap(clamp(do, t._v, None if low is None else low._v, None if high is None else high._v))


def _bound(bound: Operand | None, t: Tensor) -> Tensor | None:
    if bound is None:
        return None
    b = operand(side(bound), t)
    promote(b.dtype, t.dtype)  # kinds do not mix
    return cast_to(b, t.dtype)
