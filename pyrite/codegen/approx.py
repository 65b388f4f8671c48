"""The elementary functions of the code generator, at most 1 ulp off in f32 and f64; f32 mostly goes through f64.

`FUNCTIONS` maps names to functions that emit code: each takes the vector builder and one or two values of type "f32"
or "f64", and gives a value of the same type. Special values are C99's (Annex F), subnormals are kept, and a result
depends on nothing but its own arguments. The modules beside this one hold the functions by topic.
"""

from __future__ import annotations

from collections.abc import Callable

from . import approx_exp, approx_log, approx_trig
from .approx_tools import INF, NAN, constants, fast_two_sum, sqrt_pair, through_f64, two_product
from .vector import V, Vector


def hypot(b: Vector, x: V, y: V) -> V:
    """sqrt(x**2 + y**2) without overflow on the way; infinite if either is."""
    c = constants(b, x.type)
    inf = c(INF)
    ax, ay = b.fabs(x), b.fabs(y)
    if x.type == "f32":
        wide, other = b.fpext(ax, "f64"), b.fpext(ay, "f64")
        result = b.fptrunc(b.sqrt(b.fma(wide, wide, b.fmul(other, other))), "f32")
    else:
        swap = b.fcmp("ogt", ay, ax)
        large, small = b.select(swap, ay, ax), b.select(swap, ax, ay)
        high, low = b.fcmp("ogt", large, c(2.0**500)), b.fcmp("olt", large, c(2.0**-400))
        scale = b.select(high, c(2.0**-600), b.select(low, c(2.0**600), c(1.0)))
        back = b.select(high, c(2.0**600), b.select(low, c(2.0**-600), c(1.0)))
        p, pl = two_product(b, *[b.fmul(large, scale)] * 2)
        q, ql = two_product(b, *[b.fmul(small, scale)] * 2)
        s, sl = fast_two_sum(b, p, q)
        root, rest = sqrt_pair(b, (s, b.fadd(sl, b.fadd(pl, ql))))
        result = b.fmul(b.fadd(root, rest), back)
    return b.select(b.ior(b.fcmp("oeq", ax, inf), b.fcmp("oeq", ay, inf)), inf, result)


def _remainder(b: Vector, x: V, y: V) -> V:
    """The exact x - trunc(x / y) y in f64, by long division, 48 bits of the quotient at a time."""
    c, i = constants(b, "f64"), constants(b, "i64")
    zero = c(0.0)
    size, divisor = b.fabs(x), b.fabs(y)
    # False for NaN too.
    valid = b.iand(b.fcmp("olt", size, c(INF)), b.fcmp("ogt", divisor, zero))
    # The divisor's biased exponent, subnormals included.
    tiny = b.fcmp("olt", divisor, c(2.0**-1022))
    normal = b.select(tiny, b.fmul(divisor, c(2.0**54)), divisor)
    exponent = b.lshr(b.bitcast(normal, "i64"), i(52))
    exponent = b.isub(exponent, b.select(tiny, i(54 - 48), i(-48)))
    exponent = b.select(b.icmp("sgt", exponent, i(0)), exponent, i(0))

    def step(values: list[V]) -> tuple[V, list[V]]:
        (rest,) = values
        active = b.iand(valid, b.fcmp("oge", rest, divisor))
        # Scale the divisor so that the quotient stays below 2**53; each step is then exact.
        excess = b.isub(b.lshr(b.bitcast(rest, "i64"), i(52)), exponent)
        excess = b.select(b.icmp("sgt", excess, i(0)), excess, i(0))
        half = b.lshr(excess, i(1))
        scaled = divisor
        for part in (half, b.isub(excess, half)):
            scaled = b.fmul(scaled, b.bitcast(b.shl(b.iadd(part, i(1023)), i(52)), "f64"))
        quotient = b.trunc(b.fdiv(rest, scaled))
        reduced = b.fma(b.fneg(quotient), scaled, rest)
        # The rounded quotient may be one too large.
        reduced = b.select(b.fcmp("olt", reduced, zero), b.fadd(reduced, scaled), reduced)
        rest = b.select(active, reduced, rest)
        return b.iand(active, b.fcmp("oge", rest, divisor)), [rest]

    (rest,) = b.repeat_while([size], step)
    return b.copysign(b.select(valid, rest, c(NAN)), x)


def fmod(b: Vector, x: V, y: V) -> V:
    """x - trunc(x / y) y, exactly, with the sign of x."""
    return _remainder(b, x, y) if x.type == "f64" else through_f64(_remainder)(b, x, y)


FUNCTIONS: dict[str, Callable[..., V]] = {
    "exp": approx_exp.exp,
    "exp2": approx_exp.exp2,
    "expm1": approx_exp.expm1,
    "log": approx_log.log,
    "log2": approx_log.log2,
    "log10": approx_log.log10,
    "log1p": approx_log.log1p,
    "pow": approx_log.pow,
    "sin": approx_trig.sin,
    "cos": approx_trig.cos,
    "tan": approx_trig.tan,
    "asin": approx_trig.asin,
    "acos": approx_trig.acos,
    "atan": approx_trig.atan,
    "atan2": approx_trig.atan2,
    "sinh": approx_exp.sinh,
    "cosh": approx_exp.cosh,
    "tanh": approx_exp.tanh,
    "sigmoid": approx_exp.sigmoid,
    "asinh": approx_log.asinh,
    "acosh": approx_log.acosh,
    "atanh": approx_log.atanh,
    "erf": approx_exp.erf,
    "erfc": approx_exp.erfc,
    "hypot": hypot,
    "fmod": fmod,
}
