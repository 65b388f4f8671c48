"""Elementary functions: roots, exponentials, logarithms, trigonometry, rounding, complex parts.

Builders evaluate them to 1 ulp with C99's special values, half types in float32. Most accept
Complex tensors, which run on the reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS, Complex, DType, Float, complex64, complex128, float32, float64
from ..errors import DTypeError
from ..layout import broadcast_shapes
from .elementwise import FIELDS, Array, binary_infer, check_equal, check_kind, part_dtype, unary_infer
from .record import NO_RULE, ZERO, Aval, Samples, Shape, op
from .samples import binary, reals, unary

_LN2 = math.log(2.0)
_LN10 = math.log(10.0)
_TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def _called(name: str) -> Callable[[Any, Any], Any]:
    return lambda b, x: b.call(name, x)


def _function(
    name: str,
    doc: str,
    reference: Any,
    vjp: Any,
    lo: float = -3.0,
    hi: float = 3.0,
    *,
    dtypes: tuple[DType, ...] = FLOATS + COMPLEX,
    cost: int = 20,
) -> None:
    """Registers a smooth function that the builder calls by name; it accepts Complex if `dtypes` does."""
    kinds = FIELDS if dtypes[-1] in COMPLEX else (Float,)
    op(
        name,
        fuses="elementwise",
        doc=doc,
        infer=unary_infer(*kinds),
        reference=reference,
        scalar=_called(name),
        vjp=vjp,
        samples=Samples(FLOATS, unary(lo, hi), False, True),
        cost=cost,
    )


# ---------------------------------------------------------------- roots and powers


def _over_twice(do: Any, g: Any, out: Any) -> Any:
    """g / (2·out), and the subgradient 0 where out is 0."""
    zero = do.eq(out, 0)
    return do.where(zero, 0, do.div(g, do.mul(do.where(zero, 1, out), 2)))


op(
    "sqrt",
    fuses="elementwise",
    doc="The non-negative y with y² = x; NaN where x < 0. Its gradient at 0 is taken as 0.",
    infer=unary_infer(*FIELDS),
    reference=np.sqrt,
    scalar=lambda b, x: b.sqrt(x),
    vjp=lambda do, g, out, _x: [_over_twice(do, g, out)],
    samples=reals(0.1, 4, exact=True),
    cost=4,
)


def _pow_vjp(do: Any, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
    # d/dx = y·x^(y-1), 0 where y = 0; d/dy = x^y·ln x, 0 at the base 0 while y ≥ 0
    flat = do.eq(y, 0)
    gx = do.where(flat, 0, do.mul(y, do.pow(x, do.where(flat, 1, do.sub(y, 1)))))
    still = do.eq(x, 0)
    if x.dtype.kind is Float:
        still = do.logical_and(still, do.ge(y, 0))
    gy = do.where(still, 0, do.mul(out, do.log(do.where(still, 1, x))))
    return [do.mul(g, gx), do.mul(g, gy)]


op(
    "pow",
    fuses="elementwise",
    arity=2,
    doc="xʸ; NaN where x < 0 and y is no integer, 1 where y = 0.",
    infer=binary_infer(*FIELDS),
    reference=np.power,
    scalar=lambda b, x, y: b.call("pow", x, y),
    vjp=_pow_vjp,
    samples=Samples(FLOATS, binary(0.2, 3, -3, 3), False, True),
    cost=50,
)


def _hypot_vjp(do: Any, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
    zero = do.eq(out, 0)
    safe = do.where(zero, 1, out)
    return [do.mul(g, do.where(zero, 0, do.div(v, safe))) for v in (x, y)]


op(
    "hypot",
    fuses="elementwise",
    arity=2,
    doc="√(x² + y²) without overflow or underflow on the way. Its gradient at the origin is taken as 0.",
    infer=binary_infer(Float),
    reference=np.hypot,
    scalar=lambda b, x, y: b.call("hypot", x, y),
    vjp=_hypot_vjp,
    samples=Samples(FLOATS, binary(), False, True),
    cost=20,
)

# ---------------------------------------------------------------- exponentials and logarithms

def _expm1_reference(x: Array) -> Any:
    if x.dtype.kind != "c":
        return np.expm1(x)
    # e^re·cos im - 1 = (e^re - 1)·cos im - 2 sin²(im/2), without cancellation; beyond numbers as C99's exponential
    far = np.asarray(np.exp(x))
    near = np.expm1(x.real) * np.cos(x.imag) - 2 * np.sin(x.imag / 2) ** 2 + 0.0  # -0 becomes 0
    far.real = np.where(np.isfinite(x) & np.isfinite(near), near, far.real - 1)
    return far


_function("exp", "eˣ.", np.exp, lambda do, g, out, _x: [do.mul(g, out)])
_function("exp2", "2ˣ.", np.exp2, lambda do, g, out, _x: [do.mul(do.mul(g, out), _LN2)])
_function(
    "expm1",
    "eˣ - 1, accurate near 0.",
    _expm1_reference,
    # out + 1 rather than eˣ, which would be computed again
    lambda do, g, out, _x: [do.mul(g, do.add(out, 1))],
)
_function("log", "ln x; -∞ at 0, NaN below.", np.log, lambda do, g, _out, x: [do.div(g, x)], 0.1, 5)
_function("log2", "log₂ x.", np.log2, lambda do, g, _out, x: [do.div(g, do.mul(x, _LN2))], 0.1, 5)
_function("log10", "log₁₀ x.", np.log10, lambda do, g, _out, x: [do.div(g, do.mul(x, _LN10))], 0.1, 5)
_function("log1p", "ln(1 + x), accurate near 0.", np.log1p, lambda do, g, _out, x: [do.div(g, do.add(x, 1))], -0.8, 3)


def _sigmoid_reference(x: Array) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


op(
    "sigmoid",
    fuses="elementwise",
    doc="1 / (1 + e⁻ˣ).",
    infer=unary_infer(Float),
    reference=_sigmoid_reference,
    scalar=_called("sigmoid"),
    vjp=lambda do, g, out, _x: [do.mul(g, do.mul(out, do.sub(1, out)))],
    samples=reals(-5, 5),
    cost=26,
)


def _erf_reference(x: Array) -> Any:
    from scipy.special import erf

    return erf(x)


def _erf_vjp(do: Any, g: Any, _out: Any, x: Any) -> list[Any]:
    # 2/√π·e^(-x²)
    return [do.mul(g, do.mul(do.exp(do.neg(do.mul(x, x))), _TWO_OVER_ROOT_PI))]


_function("erf", "2/√π·∫₀ˣ e^(-t²) dt.", _erf_reference, _erf_vjp, dtypes=FLOATS)


def _erfc_reference(x: Array) -> Any:
    from scipy.special import erfc

    return erfc(x)


_function(
    "erfc",
    "1 - erf(x), without cancellation for large x.",
    _erfc_reference,
    lambda do, g, _out, x: [do.neg(do.mul(g, do.mul(do.exp(do.neg(do.mul(x, x))), _TWO_OVER_ROOT_PI)))],
    dtypes=FLOATS,
)

# ---------------------------------------------------------------- trigonometry


def _one_minus_square(do: Any, x: Any) -> Any:
    """1 - x², without cancellation near ±1."""
    return do.mul(do.sub(1, x), do.add(x, 1))


_function("sin", "sin x.", np.sin, lambda do, g, _out, x: [do.mul(g, do.cos(x))])
_function("cos", "cos x.", np.cos, lambda do, g, _out, x: [do.neg(do.mul(g, do.sin(x)))])
_function("tan", "tan x.", np.tan, lambda do, g, out, _x: [do.mul(g, do.add(do.mul(out, out), 1))], -1.4, 1.4)
_function(
    "asin",
    "The angle in [-π/2, π/2] whose sine is x; NaN outside [-1, 1].",
    np.arcsin,
    lambda do, g, _out, x: [do.div(g, do.sqrt(_one_minus_square(do, x)))],
    -0.9,
    0.9,
)
_function(
    "acos",
    "The angle in [0, π] whose cosine is x; NaN outside [-1, 1].",
    np.arccos,
    lambda do, g, _out, x: [do.neg(do.div(g, do.sqrt(_one_minus_square(do, x))))],
    -0.9,
    0.9,
)
_function(
    "atan",
    "The angle in (-π/2, π/2) whose tangent is x.",
    np.arctan,
    lambda do, g, _out, x: [do.div(g, do.add(do.mul(x, x), 1))],
)


def _atan2_vjp(do: Any, g: Any, _out: Any, x: Any, y: Any) -> list[Any]:
    # d/dx = y/(x² + y²), d/dy = -x/(x² + y²), each divided twice by the norm; 0 at the origin
    norm = do.hypot(x, y)
    zero = do.eq(norm, 0)
    norm = do.where(zero, 1, norm)
    by_norm = do.where(zero, 0, do.div(g, norm))
    return [do.mul(by_norm, do.div(y, norm)), do.neg(do.mul(by_norm, do.div(x, norm)))]


op(
    "atan2",
    fuses="elementwise",
    arity=2,
    doc="The angle in [-π, π] of the point (y, x): its ordinate is the first input. The gradient at the origin is 0.",
    infer=binary_infer(Float),
    reference=np.arctan2,
    scalar=lambda b, x, y: b.call("atan2", x, y),
    vjp=_atan2_vjp,
    samples=Samples(FLOATS, binary(), False, True),
    cost=30,
)

# ---------------------------------------------------------------- hyperbolic functions


def _asinh_vjp(do: Any, g: Any, _out: Any, x: Any) -> list[Any]:
    # 1/√(x² + 1), where hypot cannot overflow
    root = do.hypot(x, 1) if x.dtype.kind is Float else do.sqrt(do.add(do.mul(x, x), 1))
    return [do.div(g, root)]


_function("sinh", "(eˣ - e⁻ˣ) / 2.", np.sinh, lambda do, g, _out, x: [do.mul(g, do.cosh(x))])
_function("cosh", "(eˣ + e⁻ˣ) / 2.", np.cosh, lambda do, g, _out, x: [do.mul(g, do.sinh(x))])


def _tanh_reference(x: Array) -> Any:
    out = np.asarray(np.tanh(x))
    if x.dtype.kind == "c":
        # at infinity the imaginary part is a zero with the sign of im, as in the array API; C99 takes sin(2 im)
        far = np.isinf(x.real) & np.isfinite(x.imag)
        out.imag = np.where(far, np.copysign(0, x.imag), out.imag)
    return out


_function("tanh", "sinh x / cosh x.", _tanh_reference, lambda do, g, out, _x: [do.mul(g, _one_minus_square(do, out))])
_function("asinh", "The inverse of sinh.", np.arcsinh, _asinh_vjp)
_function(
    "acosh",
    "The non-negative inverse of cosh; NaN below 1.",
    np.arccosh,
    lambda do, g, _out, x: [do.div(g, do.mul(do.sqrt(do.sub(x, 1)), do.sqrt(do.add(x, 1))))],
    1.2,
    5,
)
_function(
    "atanh",
    "The inverse of tanh; ±∞ at ±1, NaN beyond.",
    np.arctanh,
    lambda do, g, _out, x: [do.div(g, _one_minus_square(do, x))],
    -0.9,
    0.9,
)

# ---------------------------------------------------------------- rounding


def _rounding(name: str, doc: str, reference: Any, scalar: Any, cost: int = 1) -> None:
    op(
        name,
        fuses="elementwise",
        doc=doc,
        infer=unary_infer(Float),
        reference=reference,
        scalar=scalar,
        vjp=ZERO,
        samples=reals(-4, 4, exact=True),
        cost=cost,
    )


def _away_reference(x: Array) -> Any:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


def _away_scalar(b: Any, x: Any) -> Any:
    # x - trunc(x) is exact, unlike x + 0.5
    whole = b.trunc(x)
    half = b.ge(b.abs(b.sub(x, whole)), b.const(0.5, x.dtype))
    return b.select(half, b.add(whole, b.copysign(b.const(1, x.dtype), x)), whole)


_rounding("floor", "The greatest integer not above x.", np.floor, lambda b, x: b.floor(x))
_rounding("ceil", "The least integer not below x.", np.ceil, lambda b, x: b.ceil(x))
_rounding("trunc", "x without its fraction.", np.trunc, lambda b, x: b.trunc(x))
_rounding("rint", "The nearest integer, halves to even.", np.rint, lambda b, x: b.rint(x))
_rounding("round_away", "The nearest integer, halves away from zero.", _away_reference, _away_scalar, 4)

op(
    "nextafter",
    fuses="elementwise",
    arity=2,
    doc="The next number of the dtype after x in the direction of y; y where they are equal.",
    infer=binary_infer(Float),
    reference=np.nextafter,
    half="native",
    vjp=NO_RULE,
    samples=Samples(FLOATS, binary(), True, True),
)

# ---------------------------------------------------------------- complex numbers


def _part_infer(x: Aval) -> tuple[Shape, DType]:
    check_kind(x.dtype, (Complex,))
    return x.shape, part_dtype(x.dtype)


def _complex_infer(re: Aval, im: Aval) -> tuple[Shape, DType]:
    check_equal(re.dtype, im.dtype)
    if re.dtype not in (float32, float64):
        raise DTypeError(f"the parts of a complex tensor are float32 or float64, got {re.dtype.name}")
    return broadcast_shapes(re.shape, im.shape), complex64 if re.dtype is float32 else complex128


def _complex_reference(re: Array, im: Array) -> Any:
    out = np.empty(np.broadcast_shapes(re.shape, im.shape), np.result_type(re, np.complex64))
    out.real, out.imag = re, im
    return out


op(
    "real",
    fuses="elementwise",
    doc="The real part.",
    infer=_part_infer,
    reference=np.real,
    vjp=lambda do, g, _out, _x: [do.cast(g, _x.dtype)],
    samples=Samples(COMPLEX, unary(), True),
)

op(
    "imag",
    fuses="elementwise",
    doc="The imaginary part.",
    infer=_part_infer,
    reference=np.imag,
    vjp=lambda do, g, _out, _x: [do.complex_(do.mul(g, 0), do.neg(g))],
    samples=Samples(COMPLEX, unary(), True),
)

op(
    "conj",
    fuses="elementwise",
    doc="The complex conjugate.",
    infer=unary_infer(Complex),
    reference=np.conj,
    vjp=lambda do, g, _out, _x: [do.conj(g)],
    samples=Samples(COMPLEX, unary(), True),
)

op(
    "complex_",
    fuses="elementwise",
    arity=2,
    doc="x + iy.",
    infer=_complex_infer,
    reference=_complex_reference,
    vjp=lambda do, g, _out, _x, _y: [do.real(g), do.neg(do.imag(g))],
    samples=Samples((float64, float32), binary(), True),
)
