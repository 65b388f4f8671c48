"""sin, cos, tan and their inverses.

Arguments reduce to r = x - k pi / 2 with |r| <= pi / 4. Moderate ones take pi / 2 in two or three parts (Cody and
Waite, as in approx_exp); large ones multiply by the bits of 2 / pi that matter (M. H. Payne, R. N. Hanek, "Radian
reduction for trigonometric functions", 1983) in a branch taken only where such an argument occurs. So every finite
argument is right.
"""

from __future__ import annotations

from .approx_tools import (
    INF,
    INTEGER,
    NAN,
    ROUNDER,
    constants,
    divide_pair,
    fast_two_sum,
    flip_sign,
    hexadecimal,
    polynomial,
    sqrt_pair,
    two_product,
    two_sum,
    upper_bound,
)
from .vector import V, Vector

# The first 1280 bits of 2 / pi.
_TWO_OVER_PI_BITS = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e0"
    "06492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f4"
    "9c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d"
    "7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361d",
    16,
)

# (sin(r) / r - 1) / z and (cos(r) - 1 + z / 2) / z**2 in z = r**2
_SIN_MID = (
    -0.16666666663844049,
    0.008333331870341349,
    -0.00019840084376422702,
    2.724962008007533e-06,
)
_COS_MID = (
    0.041666666664311826,
    -0.0013888887668370663,
    2.480059840835012e-05,
    -2.730070403808665e-07,
)
_SIN_F64 = (
    -0.16666666666666666,
    0.008333333333333331,
    -0.0001984126984126504,
    2.755731921932058e-06,
    -2.50521062259944e-08,
    1.6058530596645953e-10,
    -7.586636882825159e-13,
)
_COS_F64 = (
    0.041666666666666664,
    -0.0013888888888888887,
    2.4801587301584632e-05,
    -2.755731922139249e-07,
    2.0876755787492604e-09,
    -1.1470460319209511e-11,
    4.745838412531023e-14,
)
# (asin(x) / x - 1) / x**2 in x**2, |x| <= 1/2
_ASIN_MID = (
    0.16666666686085643,
    0.07499992404401838,
    0.04464766388813485,
    0.030269138728589183,
    0.023611817008891752,
    0.010574415516912909,
    0.030974540371355073,
)
_ASIN_F64 = (
    0.16666666666666669,
    0.07499999999998433,
    0.04464285714635543,
    0.030381944138531247,
    0.02237217294214989,
    0.017352392720869973,
    0.013971212973552933,
    0.011479177415184906,
    0.01032281435018578,
    0.005457506718640358,
    0.01740087944269402,
    -0.014851887071247204,
    0.028757851367421566,
)
# (atan(x) / x - 1) / x**2 in x**2, |x| <= 1 and |x| <= sqrt(2) - 1
_ATAN_MID = (
    -0.33333333293301176,
    0.19999990275947271,
    -0.14285317963907304,
    0.1110470678864422,
    -0.09036742342070782,
    0.0741749696430051,
    -0.05760716083128117,
    0.038327445983064846,
    -0.019261081322765883,
    0.00620725453378005,
    -0.0009362994719496015,
)
_ATAN_F64 = (
    -0.3333333333333333,
    0.199999999999998,
    -0.14285714285659326,
    0.11111111105106705,
    -0.09090908751076636,
    0.0769229630497447,
    -0.06666423628069258,
    0.058789145444006215,
    -0.052303478730160745,
    0.04551108126325172,
    -0.034558092551413795,
    0.01627194475162406,
)

_SIGN = 1 << 63
_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_HALF_PI = hexadecimal("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54", "-0x1.f1976b7ed8fbcp-110")


# Reduction: every function gives an integer whose low two bits are k mod 4, and r.
#
# A large x is X 2**(32 g) with 2 <= X < 2**33. Of F = 2**(32 g) 2 / pi, bits that make X F a multiple of 4 are
# dropped and bits too small to matter too; what is left is a sum of few floats for each g.


def _parts(group: int, first: int, width: int, count: int) -> list[float]:
    """F as `count` floats of `width` bits, the first bit of all weighing 2**first."""
    parts = []
    for n in range(count):
        low = first + 1 - width * (n + 1)
        # The bit of F that weighs 2**low weighs 2**(low - 32 group) in 2 / pi.
        bits = _TWO_OVER_PI_BITS >> (1280 + low - 32 * group) if low <= 32 * group else 0
        parts.append(float(bits % (1 << width)) * 2.0**low)
    return parts


def _tables(name: str, parts: list[list[float]]) -> list[tuple[str, str]]:
    """Names and texts of global tables, one for each part, indexed by group."""
    tables = []
    for n, column in enumerate(zip(*parts)):
        table = f"@pyrite.two_over_pi.{name}.{n}"
        entries = ", ".join(f"double {Vector.literal('f64', value)}" for value in column)
        tables.append((table, f"{table} = internal unnamed_addr constant [{len(parts)} x double] [{entries}]"))
    return tables


_TABLES_F32 = _tables("f32", [_parts(group, 23, 29, 4) for group in range(4)])
_TABLES_F64 = _tables("f64", [_parts(group, 52, 53, 4) for group in range(32)])


def _scaled(b: Vector, x: V, tables: list[tuple[str, str]]) -> tuple[V, list[V]]:
    """X and the parts of F, for x >= 2."""
    i = constants(b, "i64")
    word = b.bitcast(x, "i64")
    scaled = b.ior(b.iand(word, i((1 << 57) - 1)), i(1 << 62))
    group = b.iand(b.lshr(word, i(57)), i(31))
    b.declarations.update(text for _, text in tables)
    return b.bitcast(scaled, "f64"), [b.gather(table, "f64", group) for table, _ in tables]


def _modulo_4(b: Vector, x: V) -> V:
    """x - 4 n with |result| <= 2, exactly."""
    c = constants(b, "f64")
    return b.fma(b.rint(b.fmul(x, c(0.25))), c(-4.0), x)


def _large_f32(b: Vector, x: V) -> tuple[V, V]:
    """Reduce f32 values from 2**27 up, given as f64. The products are exact."""
    scaled, parts = _scaled(b, x, _TABLES_F32)
    p = [b.fmul(scaled, part) for part in parts]
    s, e = two_sum(b, _modulo_4(b, p[0]), _modulo_4(b, p[1]))
    s, el = two_sum(b, s, p[2])
    k, quadrant = _round(b, s)
    rest = b.fadd(b.fadd(e, el), p[3])
    return quadrant, b.fmul(b.fadd(b.fsub(s, k), rest), b.const("f64", _HALF_PI[0]))


def _large_f64(b: Vector, x: V) -> tuple[V, V, V]:
    """Reduce f64 values from 2**22 up; 2**-61 is the closest they come to a multiple of pi / 2."""
    c = constants(b, "f64")
    scaled, parts = _scaled(b, x, _TABLES_F64)
    (p, pl), (q, ql), (t, tl) = (two_product(b, scaled, part) for part in parts[:3])
    # Bounds: p 2**86, pl and q 2**33, ql and t 2**-20, tl and the last product 2**-73.
    s, e = two_sum(b, b.fadd(_modulo_4(b, p), _modulo_4(b, pl)), _modulo_4(b, q))
    k, quadrant = _round(b, s)
    middle, small = two_sum(b, ql, t)
    s, el = two_sum(b, b.fsub(s, k), middle)
    h, l = two_sum(b, s, b.fadd(e, el))
    l = b.fadd(l, b.fadd(small, b.fma(scaled, parts[3], tl)))
    r, rest = two_product(b, h, c(_HALF_PI[0]))
    return quadrant, r, b.fadd(rest, b.fma(h, c(_HALF_PI[1]), b.fmul(l, c(_HALF_PI[0]))))


def _round(b: Vector, x: V) -> tuple[V, V]:
    """x rounded to an integer, and an integer with its low bits."""
    c = constants(b, "f64")
    shifted = b.fadd(x, c(ROUNDER["f64"]))
    return b.fsub(shifted, c(ROUNDER["f64"])), b.bitcast(shifted, "i64")


def _nearest(b: Vector, x: V) -> tuple[V, V]:
    """k = x 2 / pi rounded to an integer, and an integer with the low bits of k."""
    c = constants(b, "f64")
    shifted = b.fma(x, c(_TWO_OVER_PI), c(ROUNDER["f64"]))
    return b.fsub(shifted, c(ROUNDER["f64"])), b.bitcast(shifted, "i64")


def _from(b: Vector, x: V, exponent: int) -> tuple[V, V]:
    """Whether finite x >= 2**exponent, and x there (elsewhere 2**exponent)."""
    i = constants(b, "i64")
    start = (1023 + exponent) << 52
    large = b.icmp("ult", b.isub(b.bitcast(x, "i64"), i(start)), i((2047 << 52) - start))
    return large, b.select(large, x, b.const("f64", 2.0**exponent))


def _reduce_f32(b: Vector, x: V) -> tuple[V, V]:
    """Reduce f32 values x >= 0, given as f64, to 2**-30."""
    c = constants(b, "f64")
    k, quadrant = _nearest(b, x)
    r = b.fma(k, c(-_HALF_PI[1]), b.fma(k, c(-_HALF_PI[0]), x))
    large, big = _from(b, x, 27)

    def rare() -> list[V]:
        q, s = _large_f32(b, big)
        return [b.select(large, q, quadrant), b.select(large, s, r)]

    quadrant, r = b.where_any(large, [quadrant, r], rare)
    return quadrant, r


def _reduce_f64(b: Vector, x: V) -> tuple[V, V, V]:
    """Reduce f64 values x >= 0; r is a pair."""
    c = constants(b, "f64")
    k, quadrant = _nearest(b, x)
    near = b.fma(k, c(-_HALF_PI[0]), x)
    product, lost = two_product(b, k, c(-_HALF_PI[1]))
    r, rest = two_sum(b, near, product)
    rest = b.fma(k, c(-_HALF_PI[2]), b.fadd(rest, lost))
    large, big = _from(b, x, 22)

    def rare() -> list[V]:
        q, s, t = _large_f64(b, big)
        return [b.select(large, q, quadrant), b.select(large, s, r), b.select(large, t, rest)]

    quadrant, r, rest = b.where_any(large, [quadrant, r, rest], rare)
    return quadrant, r, rest


def _sine_and_cosine(b: Vector, x: V) -> tuple[V, V, V]:
    """k, sin(r) and cos(r) as f64 for x >= 0; for f32 to 2**-32."""
    c = constants(b, "f64")
    if x.type == "f32":
        k, r = _reduce_f32(b, b.fpext(x, "f64"))
        z = b.fmul(r, r)
        sine = b.fma(b.fmul(r, z), polynomial(b, z, _SIN_MID), r)
        return k, sine, b.fma(z, b.fma(z, polynomial(b, z, _COS_MID), c(-0.5)), c(1.0))
    k, r, rest = _reduce_f64(b, x)
    z = b.fmul(r, r)
    sine = b.fadd(r, b.fma(b.fmul(r, z), polynomial(b, z, _SIN_F64), rest))
    near, lost = fast_two_sum(b, c(1.0), b.fmul(z, c(-0.5)))
    correction = b.fma(b.fneg(r), rest, lost)
    return k, sine, b.fadd(near, b.fma(b.fmul(z, z), polynomial(b, z, _COS_F64), correction))


def _signed(b: Vector, x: V, k: V, sign: V | None) -> V:
    """x, f64, with the sign of k's second bit and of the mask, if any."""
    flip = b.shl(k, b.const("i64", 62))
    if sign is not None:
        flip = b.ixor(flip, sign)
    return flip_sign(b, x, b.iand(flip, b.const("i64", _SIGN)))


def _narrow(b: Vector, x: V, type: str) -> V:
    return x if x.type == type else b.fptrunc(x, type)


def _wide(b: Vector, x: V) -> V:
    return x if x.type == "f64" else b.fpext(x, "f64")


def sin(b: Vector, x: V) -> V:
    """The sine."""
    k, sine, cosine = _sine_and_cosine(b, b.fabs(x))
    value = b.select(b.itrunc(k, "i1"), cosine, sine)
    return _narrow(b, _signed(b, value, k, b.bitcast(_wide(b, x), "i64")), x.type)


def cos(b: Vector, x: V) -> V:
    """The cosine."""
    k, sine, cosine = _sine_and_cosine(b, b.fabs(x))
    value = b.select(b.itrunc(k, "i1"), sine, cosine)
    return _narrow(b, _signed(b, value, b.iadd(k, b.const("i64", 1)), None), x.type)


def tan(b: Vector, x: V) -> V:
    """The tangent."""
    c = constants(b, "f64")
    size = b.fabs(x)
    if x.type == "f32":
        k, sine, cosine = _sine_and_cosine(b, size)
        odd = b.itrunc(k, "i1")
        value = b.fdiv(b.select(odd, cosine, sine), b.select(odd, sine, cosine))
    else:
        k, r, rest = _reduce_f64(b, size)
        z, zl = two_product(b, r, r)
        end = b.fma(b.fmul(z, c(-0.5)), rest, rest)
        s, sl = fast_two_sum(b, r, b.fma(b.fmul(r, z), polynomial(b, z, _SIN_F64), end))
        near, lost = fast_two_sum(b, c(1.0), b.fmul(z, c(-0.5)))
        lost = b.fma(b.fneg(r), rest, b.fma(zl, c(-0.5), lost))
        e, el = fast_two_sum(b, near, b.fma(b.fmul(z, z), polynomial(b, z, _COS_F64), lost))
        odd = b.itrunc(k, "i1")
        q, ql = divide_pair(
            b,
            (b.select(odd, e, s), b.select(odd, el, sl)),
            (b.select(odd, s, e), b.select(odd, sl, el)),
        )
        value = b.fadd(q, ql)
    # Odd quadrants give -cos / sin.
    sign = b.bitcast(_wide(b, x), "i64")
    return _narrow(b, _signed(b, value, b.shl(k, b.const("i64", 1)), sign), x.type)


def _arcsine(b: Vector, x: V) -> tuple[V, V, V, V]:
    """Whether |x| > 1/2, then s and t with asin(y) = s + t, for y = |x| or else sqrt((1 - |x|) / 2); |x| as f64."""
    c = constants(b, "f64")
    size = _wide(b, b.fabs(x))
    large = b.fcmp("ogt", size, c(0.5))
    z = b.select(large, b.fma(size, c(-0.5), c(0.5)), b.fmul(size, size))
    if x.type == "f32":
        s = b.select(large, b.sqrt(z), size)
        return large, s, b.fmul(b.fmul(s, z), polynomial(b, z, _ASIN_MID)), size
    root, rest = sqrt_pair(b, (z, c(0.0)))
    s = b.select(large, root, size)
    return large, s, b.fma(b.fmul(s, z), polynomial(b, z, _ASIN_F64), b.select(large, rest, c(0.0))), size


def asin(b: Vector, x: V) -> V:
    """The inverse of the sine."""
    c = constants(b, "f64")
    large, s, t, _ = _arcsine(b, x)
    near, lost = fast_two_sum(b, c(_HALF_PI[0]), b.fmul(s, c(-2.0)))
    other = b.fadd(near, b.fadd(b.fma(t, c(-2.0), lost), c(_HALF_PI[1])))
    return b.copysign(_narrow(b, b.select(large, other, b.fadd(s, t)), x.type), x)


def acos(b: Vector, x: V) -> V:
    """The inverse of the cosine."""
    c = constants(b, "f64")
    zero = c(0.0)
    large, s, t, _ = _arcsine(b, x)
    # |x| <= 1/2: pi / 2 - asin(x); else 2 asin(y) for positive x and pi - 2 asin(y) for negative.
    negative = b.fcmp("olt", _wide(b, x), zero)
    signed = b.ixor(negative, large)
    factor = b.select(large, c(2.0), c(1.0))
    factor = b.select(signed, factor, b.fneg(factor))
    turned = b.ior(b.ixor(large, b.const("i1", 1)), negative)
    base = b.select(large, c(2 * _HALF_PI[0]), c(_HALF_PI[0]))
    end = b.select(large, c(2 * _HALF_PI[1]), c(_HALF_PI[1]))
    near, lost = fast_two_sum(b, b.select(turned, base, zero), b.fmul(s, factor))
    total = b.fadd(near, b.fadd(b.fma(t, factor, lost), b.select(turned, end, zero)))
    return _narrow(b, total, x.type)


def _angle(b: Vector, n: V, d: V, swapped: V, negative: V | None) -> V:
    """atan(n / d) in f64 for 0 <= n <= d, taken from pi / 2 where swapped, and that from pi where negative."""
    c = constants(b, "f64")
    zero = c(0.0)
    # Above tan(pi / 8), pi / 4 + atan((n - d) / (n + d)).
    upper = b.fcmp("ogt", n, b.fmul(d, c(2.0**0.5 - 1)))
    less, less_l = two_sum(b, n, b.fneg(d))
    more, more_l = fast_two_sum(b, d, n)
    q, ql = divide_pair(
        b,
        (b.select(upper, less, n), b.select(upper, less_l, zero)),
        (b.select(upper, more, d), b.select(upper, more_l, zero)),
    )
    z = b.fmul(q, q)
    t = b.fma(b.fmul(q, z), polynomial(b, z, _ATAN_F64), b.fma(b.fneg(z), ql, ql))
    h, lost = fast_two_sum(b, b.select(upper, c(_HALF_PI[0] / 2), zero), q)
    l = b.fadd(b.fadd(lost, b.select(upper, c(_HALF_PI[1] / 2), zero)), t)
    base, end = b.select(swapped, c(_HALF_PI[0]), zero), b.select(swapped, c(_HALF_PI[1]), zero)
    minus = swapped
    if negative is not None:
        whole = b.iand(negative, b.ixor(swapped, b.const("i1", 1)))
        base, end = b.select(whole, c(2 * _HALF_PI[0]), base), b.select(whole, c(2 * _HALF_PI[1]), end)
        minus = b.ixor(swapped, negative)
    sign = b.select(minus, c(-1.0), c(1.0))
    near, lost = fast_two_sum(b, base, b.fmul(h, sign))
    return b.fadd(near, b.fadd(b.fma(l, sign, lost), end))


def _arctangent(b: Vector, q: V) -> V:
    """atan(q) in f64 to 2**-32, for |q| <= 1."""
    z = b.fmul(q, q)
    return b.fma(b.fmul(q, z), polynomial(b, z, _ATAN_MID), q)


def atan(b: Vector, x: V) -> V:
    """The inverse of the tangent."""
    c = constants(b, "f64")
    one = c(1.0)
    size = b.fabs(x)
    if x.type == "f32":
        wide = b.fpext(size, "f64")
        swapped = b.fcmp("ogt", wide, one)
        angle = _arctangent(b, b.select(swapped, b.fdiv(one, wide), wide))
        return b.copysign(b.fptrunc(b.select(swapped, b.fsub(c(_HALF_PI[0]), angle), angle), "f32"), x)
    size = upper_bound(b, size, 2.0**60)
    swapped = b.fcmp("ogt", size, one)
    n, d = b.select(swapped, one, size), b.select(swapped, size, one)
    return b.copysign(_angle(b, n, d, swapped, None), x)


def atan2(b: Vector, y: V, x: V) -> V:
    """The angle of the point (x, y), with the special values of C99 (Annex F.9.1.4)."""
    type = x.type
    c = constants(b, type)
    one, inf = c(1.0), c(INF)
    integer = INTEGER[type]
    negative = b.icmp("slt", b.bitcast(x, integer), b.const(integer, 0))
    ax, ay = b.fabs(x), b.fabs(y)
    swapped = b.fcmp("ogt", ay, ax)
    n, d = b.select(swapped, ax, ay), b.select(swapped, ay, ax)
    # Infinities and zeros act as the points (1, 1), (1, 0).
    extreme = b.ior(b.fcmp("oeq", d, inf), b.fcmp("oeq", d, c(0.0)))
    n = b.select(extreme, b.select(b.fcmp("oeq", n, inf), one, c(0.0)), n)
    d = b.select(extreme, one, d)
    if type == "f32":
        c = constants(b, "f64")
        angle = _arctangent(b, b.fdiv(b.fpext(n, "f64"), b.fpext(d, "f64")))
        angle = b.select(swapped, b.fsub(c(_HALF_PI[0]), angle), angle)
        angle = b.fptrunc(b.select(negative, b.fsub(c(2 * _HALF_PI[0]), angle), angle), "f32")
    else:
        ratio = b.fdiv(n, d)
        scale = b.select(b.fcmp("ogt", d, c(2.0**500)), c(2.0**-600), one)
        scale = b.select(b.fcmp("olt", d, c(2.0**-400)), c(2.0**600), scale)
        angle = _angle(b, b.fmul(n, scale), b.fmul(d, scale), swapped, negative)
        # Tiny angles are the ratio, which scaling could have cut off.
        tiny = b.iand(b.fcmp("olt", ratio, c(2.0**-40)), b.ixor(b.ior(swapped, negative), b.const("i1", 1)))
        angle = b.select(tiny, ratio, angle)
    return b.select(b.fcmp("uno", x, y), b.const(type, NAN), b.copysign(angle, y))
