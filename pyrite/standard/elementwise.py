"""Functions of single elements. Tensors broadcast; on either side of two a Python number may stand.

Float functions take Float and Complex tensors; an Int tensor raises `DTypeError`, naming the cast.
"""

from __future__ import annotations

from typing import Any

from ..apply import apply, binary, cast_to, do_of, need_kind, operand, pair, wrap
from ..dtypes import Bool, Complex, Float, Int, float32, kind_of_scalar, promote
from ..errors import ArgumentError, public
from ..methods.operators import power
from ..ops.composite import clamp
from ..ops.elementwise import complex_sign
from ..tensor import Tensor
from .arguments import Operand, copied, tensor

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "erf",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]


def _one(name: str, x: Any) -> Tensor:
    return apply(name, (tensor(x),))


def _two(name: str, x1: Any, x2: Any) -> Tensor:
    return binary(name, _side(x1), _side(x2))


def _side(x: Any) -> Any:
    """One of two operands: a number stays one, anything else is a tensor."""
    return x if kind_of_scalar(x) is not None else tensor(x)


def _whole(name: str, x: Any) -> Tensor:
    """A rounding: integers stay as they are."""
    t = tensor(x)
    return copied(t) if t.dtype.kind is Int else apply(name, (t,))


def _logical(name: str, x1: Any, x2: Any) -> Tensor:
    a, b = pair(_side(x1), _side(x2))
    return apply(f"logical_{name}", (a, b))


def _bits(name: str, x1: Any, x2: Any) -> Tensor:
    a, b = pair(_side(x1), _side(x2))
    return apply(f"logical_{name}" if a.dtype.kind is Bool else f"bit_{name}", (a, b))


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
    return _two("add", x1, x2)


@public("pr.subtract")
def subtract(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 - x2; integers wrap.

    Example:
        >>> pr.subtract(10, pr.asarray([1, 2])).to_list()
        [9, 8]

    Source: array API, `subtract`.
    """
    return _two("sub", x1, x2)


@public("pr.multiply")
def multiply(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 · x2; integers wrap.

    Example:
        >>> pr.multiply(pr.asarray([1.5, 2.0]), 2).to_list()
        [3.0, 4.0]

    Source: array API, `multiply`.
    """
    return _two("mul", x1, x2)


@public("pr.divide")
def divide(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 / x2, the true quotient; two Int tensors give the device's default Float dtype.

    Example:
        >>> pr.divide(pr.asarray([1, 2]), 4).to_list()
        [0.25, 0.5]

    Source: array API, `divide`.
    """
    a, b = pair(_side(x1), _side(x2))
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
    return _two("floordiv", x1, x2)


@public("pr.remainder")
def remainder(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 - x2·⌊x1 / x2⌋, with the sign of x2. Where x2 is 0: 0 for integers, NaN for floats.

    Example:
        >>> pr.remainder(pr.asarray([-7, 7]), 3).to_list()
        [2, 1]

    Source: array API, `remainder`.
    """
    return _two("floormod", x1, x2)


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
    return power(_side(x1), _side(x2))


@public("pr.negative")
def negative(x: Tensor, /) -> Tensor:
    """-x; integers wrap.

    Example:
        >>> pr.negative(pr.asarray([1, -2])).to_list()
        [-1, 2]

    Source: array API, `negative`.
    """
    return _one("neg", x)


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
    return _one("abs", x)


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
    return _one("square", x)


@public("pr.sqrt")
def sqrt(x: Tensor, /) -> Tensor:
    """The square root; NaN below 0.

    Gradient at 0: taken as 0.

    Example:
        >>> pr.sqrt(pr.asarray([4.0, 9.0])).to_list()
        [2.0, 3.0]

    Source: array API, `sqrt`.
    """
    return _one("sqrt", x)


@public("pr.exp")
def exp(x: Tensor, /) -> Tensor:
    """eˣ.

    Example:
        >>> pr.exp(pr.asarray([0.0])).to_list()
        [1.0]

    Source: array API, `exp`.
    """
    return _one("exp", x)


@public("pr.expm1")
def expm1(x: Tensor, /) -> Tensor:
    """eˣ - 1, accurate near 0.

    Example:
        >>> pr.expm1(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `expm1`.
    """
    return _one("expm1", x)


@public("pr.log")
def log(x: Tensor, /) -> Tensor:
    """ln x; -∞ at 0, NaN below.

    Example:
        >>> pr.log(pr.asarray([1.0, 0.0])).to_list()
        [0.0, -inf]

    Source: array API, `log`.
    """
    return _one("log", x)


@public("pr.log1p")
def log1p(x: Tensor, /) -> Tensor:
    """ln(1 + x), accurate near 0.

    Example:
        >>> pr.log1p(pr.asarray([0.0, -1.0])).to_list()
        [0.0, -inf]

    Source: array API, `log1p`.
    """
    return _one("log1p", x)


@public("pr.log2")
def log2(x: Tensor, /) -> Tensor:
    """log₂ x.

    Example:
        >>> pr.log2(pr.asarray([8.0])).to_list()
        [3.0]

    Source: array API, `log2`.
    """
    return _one("log2", x)


@public("pr.log10")
def log10(x: Tensor, /) -> Tensor:
    """log₁₀ x.

    Example:
        >>> pr.log10(pr.asarray([1000.0])).to_list()
        [3.0]

    Source: array API, `log10`.
    """
    return _one("log10", x)


@public("pr.sin")
def sin(x: Tensor, /) -> Tensor:
    """sin x.

    Example:
        >>> pr.sin(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `sin`.
    """
    return _one("sin", x)


@public("pr.cos")
def cos(x: Tensor, /) -> Tensor:
    """cos x.

    Example:
        >>> pr.cos(pr.asarray([0.0])).to_list()
        [1.0]

    Source: array API, `cos`.
    """
    return _one("cos", x)


@public("pr.tan")
def tan(x: Tensor, /) -> Tensor:
    """tan x.

    Example:
        >>> pr.tan(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `tan`.
    """
    return _one("tan", x)


@public("pr.asin")
def asin(x: Tensor, /) -> Tensor:
    """The angle in [-π/2, π/2] whose sine is x; NaN outside [-1, 1].

    Example:
        >>> pr.asin(pr.asarray([0.0, 2.0])).to_list()
        [0.0, nan]

    Source: array API, `asin`.
    """
    return _one("asin", x)


@public("pr.acos")
def acos(x: Tensor, /) -> Tensor:
    """The angle in [0, π] whose cosine is x; NaN outside [-1, 1].

    Example:
        >>> pr.acos(pr.asarray([1.0])).to_list()
        [0.0]

    Source: array API, `acos`.
    """
    return _one("acos", x)


@public("pr.atan")
def atan(x: Tensor, /) -> Tensor:
    """The angle in (-π/2, π/2) whose tangent is x.

    Example:
        >>> pr.atan(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `atan`.
    """
    return _one("atan", x)


@public("pr.atan2")
def atan2(x1: Operand, x2: Operand, /) -> Tensor:
    """The angle in [-π, π] of the point with abscissa x2 and ordinate x1.

    Gradient at the origin: 0.

    Example:
        >>> pr.atan2(pr.asarray([0.0, 1.0]), pr.asarray([1.0, 0.0])).to_list()
        [0.0, 1.5707963705062866]

    Source: array API, `atan2`.
    """
    return _two("atan2", x1, x2)


@public("pr.sinh")
def sinh(x: Tensor, /) -> Tensor:
    """(eˣ - e⁻ˣ) / 2.

    Example:
        >>> pr.sinh(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `sinh`.
    """
    return _one("sinh", x)


@public("pr.cosh")
def cosh(x: Tensor, /) -> Tensor:
    """(eˣ + e⁻ˣ) / 2.

    Example:
        >>> pr.cosh(pr.asarray([0.0])).to_list()
        [1.0]

    Source: array API, `cosh`.
    """
    return _one("cosh", x)


@public("pr.tanh")
def tanh(x: Tensor, /) -> Tensor:
    """sinh x / cosh x.

    Example:
        >>> pr.tanh(pr.asarray([0.0, 100.0])).to_list()
        [0.0, 1.0]

    Source: array API, `tanh`.
    """
    return _one("tanh", x)


@public("pr.asinh")
def asinh(x: Tensor, /) -> Tensor:
    """The inverse of sinh.

    Example:
        >>> pr.asinh(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `asinh`.
    """
    return _one("asinh", x)


@public("pr.acosh")
def acosh(x: Tensor, /) -> Tensor:
    """The non-negative inverse of cosh; NaN below 1.

    Example:
        >>> pr.acosh(pr.asarray([1.0])).to_list()
        [0.0]

    Source: array API, `acosh`.
    """
    return _one("acosh", x)


@public("pr.atanh")
def atanh(x: Tensor, /) -> Tensor:
    """The inverse of tanh; ±∞ at ±1, NaN beyond.

    Example:
        >>> pr.atanh(pr.asarray([0.0, 1.0])).to_list()
        [0.0, inf]

    Source: array API, `atanh`.
    """
    return _one("atanh", x)


@public("pr.erf")
def erf(x: Tensor, /) -> Tensor:
    """The error function, 2/√π · ∫₀ˣ exp(-t²) dt.

    Example:
        >>> pr.erf(pr.asarray([0.0, 10.0])).to_list()
        [0.0, 1.0]

    Source: SciPy, `scipy.special.erf`.
    """
    return _one("erf", x)


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
    return _two("copysign", x1, x2)


@public("pr.hypot")
def hypot(x1: Operand, x2: Operand, /) -> Tensor:
    """√(x1² + x2²), without overflow on the way.

    Gradient at the origin: 0.

    Example:
        >>> pr.hypot(pr.asarray([3.0]), 4.0).to_list()
        [5.0]

    Source: array API, `hypot`.
    """
    return _two("hypot", x1, x2)


@public("pr.reciprocal")
def reciprocal(x: Tensor, /) -> Tensor:
    """1 / x; ±∞ at ±0.

    Example:
        >>> pr.reciprocal(pr.asarray([2.0, 0.0])).to_list()
        [0.5, inf]

    Source: array API, `reciprocal`.
    """
    return _one("recip", x)


@public("pr.logaddexp")
def logaddexp(x1: Operand, x2: Operand, /) -> Tensor:
    """ln(exp x1 + exp x2), without overflow on the way.

    Example:
        >>> pr.logaddexp(pr.asarray([1000.0]), -1000.0).to_list()
        [1000.0]

    Source: array API, `logaddexp`.
    """
    a, b = pair(_side(x1), _side(x2))
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
    return _two("maximum", x1, x2)


@public("pr.minimum")
def minimum(x1: Operand, x2: Operand, /) -> Tensor:
    """The smaller of x1 and x2; NaN if either is. The gradient goes to x1 where they are equal.

    Example:
        >>> pr.minimum(pr.asarray([1, 5]), 3).to_list()
        [1, 3]

    Source: array API, `minimum`.
    """
    return _two("minimum", x1, x2)


@public("pr.nextafter")
def nextafter(x1: Operand, x2: Operand, /) -> Tensor:
    """The next number of the dtype after x1 in the direction of x2; x2 where they are equal.

    It has no gradient.

    Example:
        >>> (pr.nextafter(pr.asarray([1.0]), 2.0) - 1).to_list()
        [1.1920928955078125e-07]

    Source: array API, `nextafter`.
    """
    return _two("nextafter", x1, x2)


@public("pr.equal")
def equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 = x2, as Bool.

    Example:
        >>> pr.equal(pr.asarray([1, 2, 3]), 2).to_list()
        [False, True, False]

    Source: array API, `equal`.
    """
    return _two("eq", x1, x2)


@public("pr.not_equal")
def not_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 ≠ x2, as Bool.

    Example:
        >>> pr.not_equal(pr.asarray([1, 2, 3]), 2).to_list()
        [True, False, True]

    Source: array API, `not_equal`.
    """
    return _two("ne", x1, x2)


@public("pr.less")
def less(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 < x2, as Bool.

    Example:
        >>> pr.less(pr.asarray([1, 2, 3]), 2).to_list()
        [True, False, False]

    Source: array API, `less`.
    """
    return _two("lt", x1, x2)


@public("pr.less_equal")
def less_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 ≤ x2, as Bool.

    Example:
        >>> pr.less_equal(pr.asarray([1, 2, 3]), 2).to_list()
        [True, True, False]

    Source: array API, `less_equal`.
    """
    return _two("le", x1, x2)


@public("pr.greater")
def greater(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 > x2, as Bool.

    Example:
        >>> pr.greater(pr.asarray([1, 2, 3]), 2).to_list()
        [False, False, True]

    Source: array API, `greater`.
    """
    return _two("gt", x1, x2)


@public("pr.greater_equal")
def greater_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 ≥ x2, as Bool.

    Example:
        >>> pr.greater_equal(pr.asarray([1, 2, 3]), 2).to_list()
        [False, True, True]

    Source: array API, `greater_equal`.
    """
    return _two("ge", x1, x2)


@public("pr.logical_and")
def logical_and(x1: Operand, x2: Operand, /) -> Tensor:
    """True where both are true; Bool tensors only.

    Example:
        >>> pr.logical_and(pr.asarray([True, False]), True).to_list()
        [True, False]

    Source: array API, `logical_and`.
    """
    return _logical("and", x1, x2)


@public("pr.logical_or")
def logical_or(x1: Operand, x2: Operand, /) -> Tensor:
    """True where at least one is true; Bool tensors only.

    Example:
        >>> pr.logical_or(pr.asarray([True, False]), True).to_list()
        [True, True]

    Source: array API, `logical_or`.
    """
    return _logical("or", x1, x2)


@public("pr.logical_xor")
def logical_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """True where exactly one is true; Bool tensors only.

    Example:
        >>> pr.logical_xor(pr.asarray([True, False]), True).to_list()
        [False, True]

    Source: array API, `logical_xor`.
    """
    return _logical("xor", x1, x2)


@public("pr.logical_not")
def logical_not(x: Tensor, /) -> Tensor:
    """True where x is false; Bool tensors only.

    Example:
        >>> pr.logical_not(pr.asarray([True, False])).to_list()
        [False, True]

    Source: array API, `logical_not`.
    """
    return _one("logical_not", x)


@public("pr.bitwise_and")
def bitwise_and(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits set in both; Int and Bool tensors.

    Example:
        >>> pr.bitwise_and(pr.asarray([12, 10]), 6).to_list()
        [4, 2]

    Source: array API, `bitwise_and`.
    """
    return _bits("and", x1, x2)


@public("pr.bitwise_or")
def bitwise_or(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits set in at least one; Int and Bool tensors.

    Example:
        >>> pr.bitwise_or(pr.asarray([12, 10]), 6).to_list()
        [14, 14]

    Source: array API, `bitwise_or`.
    """
    return _bits("or", x1, x2)


@public("pr.bitwise_xor")
def bitwise_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits set in exactly one; Int and Bool tensors.

    Example:
        >>> pr.bitwise_xor(pr.asarray([12, 10]), 6).to_list()
        [10, 12]

    Source: array API, `bitwise_xor`.
    """
    return _bits("xor", x1, x2)


@public("pr.bitwise_left_shift")
def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 shifted left by x2 bits; 0 where x2 is negative or no less than the width.

    Example:
        >>> pr.bitwise_left_shift(pr.asarray([1, 3]), 2).to_list()
        [4, 12]

    Source: array API, `bitwise_left_shift`.
    """
    return _two("shl", x1, x2)


@public("pr.bitwise_right_shift")
def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """⌊x1 / 2^x2⌋; where x2 is negative or no less than the width, 0, or -1 for x1 < 0.

    Example:
        >>> pr.bitwise_right_shift(pr.asarray([8, -8]), 2).to_list()
        [2, -2]

    Source: array API, `bitwise_right_shift`.
    """
    return _two("shr", x1, x2)


@public("pr.bitwise_invert")
def bitwise_invert(x: Tensor, /) -> Tensor:
    """All bits flipped; Int and Bool tensors.

    Example:
        >>> pr.bitwise_invert(pr.asarray([0, 5])).to_list()
        [-1, -6]

    Source: array API, `bitwise_invert`.
    """
    t = tensor(x)
    return apply("logical_not" if t.dtype.kind is Bool else "bit_not", (t,))


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
    b = operand(_side(bound), t)
    promote(b.dtype, t.dtype)  # kinds do not mix
    return cast_to(b, t.dtype)
