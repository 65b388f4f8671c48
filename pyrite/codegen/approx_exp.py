"""exp, exp2, expm1, sinh, cosh, tanh, sigmoid, erf and erfc.

Exponentials reduce to r = x - k ln 2 with |r| <= ln 2 / 2 and k integral (W. J. Cody, W. Waite, "Software Manual for
the Elementary Functions", 1980), take e**r from a polynomial and scale by 2**k, in two steps where the result
may be subnormal or the largest power does not exist.
"""

from __future__ import annotations

from .approx_tools import (
    BIAS,
    INTEGER,
    ROUNDER,
    Pair,
    constants,
    divide_pair,
    fast_two_sum,
    hexadecimal,
    lower_bound,
    polynomial,
    power_of_two,
    two_product,
    two_sum,
    upper_bound,
)
from .vector import V, Vector

_LOG2_E = float.fromhex("0x1.71547652b82fep+0")
# ln 2 as a head with enough trailing zeros for exact products with k, and a tail.
LN2 = {
    "f64": hexadecimal("0x1.62e42fee00000p-1", "0x1.a39ef35793c76p-33"),
    "f32": hexadecimal("0x1.62e4000000000p-1", "0x1.7f7d1cf79abcap-20"),
}

# (e**r - 1 - r) / r**2
_EXP_F32 = (
    0.5,
    0.1666666716337204,
    0.041666463017463684,
    0.00833331048488617,
    0.0013933685841038823,
    0.00019891030387952924,
)
_EXP_MID = (
    0.5000000013498178,
    0.16666666681659179,
    0.04166646460202654,
    0.008333310889582076,
    0.0013933685862617174,
    0.00019891030654370327,
)
_EXP_F64 = (
    0.5,
    0.16666666666666669,
    0.041666666666666664,
    0.008333333333330051,
    0.0013888888888886545,
    0.00019841269863105968,
    2.4801587317181886e-05,
    2.7557268378684192e-06,
    2.755728291148268e-07,
    2.5100424157005067e-08,
    2.0911264239196083e-09,
)
# the same to 27 bits of e**r
_EXP_SHORT = (
    0.5,
    0.16666576266288757,
    0.041666556149721146,
    0.008363203145563602,
    0.0013926213141530752,
)
# (2**r - 1) / r, |r| <= 1/2
_EXP2_F32 = (
    0.6931471824645996,
    0.24022650718688965,
    0.05550410971045494,
    0.009618056938052177,
    0.0013333501992747188,
    0.00015461444854736328,
    1.529732435301412e-05,
)
_EXP2_F64 = (
    0.6931471805599453,
    0.24022650695910072,
    0.055504108664821625,
    0.00961812910762848,
    0.001333355814640647,
    0.00015403530393370734,
    1.5252733841556773e-05,
    1.3215486808705563e-06,
    1.0178057087733941e-07,
    7.0548973041554995e-09,
    4.4558179083360645e-10,
    2.5729324177362305e-11,
)
# (tanh(x) / x - 1) / x**2 in x**2, |x| <= 0.75
_TANH_F32 = (
    -0.3333333432674408,
    0.133333221077919,
    -0.053965166211128235,
    0.021835781633853912,
    -0.008684717118740082,
    0.00308992643840611,
    -0.0006965330103412271,
)
# (sinh(x) / x - 1) / x**2 in x**2, |x| <= 1
_SINH_F64 = (
    0.16666666666666666,
    0.008333333333333333,
    0.00019841269841269773,
    2.755731922404034e-06,
    2.505210836405804e-08,
    1.6059048396350562e-10,
    7.646625361656657e-13,
    2.8445264169895285e-15,
)
# erf(x) / x in u = x**2 / 7.75 - 1, |x| < 3.94
_ERF_MID = (
    0.3591809672760571,
    -0.179347463186075,
    0.13356889621110593,
    -0.10887467594821408,
    0.09055181320326076,
    -0.07419087939148185,
    0.05857295580221049,
    -0.04394065628209652,
    0.03106439106463156,
    -0.020628186889884003,
    0.012875562936464177,
    -0.007512255460011089,
    0.004047543934610495,
    -0.0021028973062560178,
    0.001129103792194757,
    -0.0005078298461721299,
    0.0001321434849527693,
    -6.10106812626193e-05,
    6.632954832399177e-05,
    -2.360482746824144e-05,
)
# erf(x) / x - 1 + 3 x**2 / 8 in x**2, |x| <= 1; the part taken out is added last, to round less
_ERF_F64 = (
    0.12837916709551256,
    -0.0011263890318354043,
    0.11283791670945006,
    -0.02686617064323777,
    0.0052239776071164225,
    -0.0008548325975389692,
    0.00012055294904839707,
    -1.492473690741966e-05,
    1.6447424703317362e-06,
    -1.6208483801871705e-07,
    1.3720064546777686e-08,
    -7.795898827002142e-10,
)
# e**(x**2) erfc(x) in t = (x - 5 / 4) / (x + 5 / 4), 1 <= x <= 5.95
_ERFCX = (
    0.3678229164523611,
    -0.5220546899115247,
    0.14541763194221308,
    0.028229416359956502,
    -0.013800420607742699,
    -0.0077306614580519495,
    -3.9314865386315935e-05,
    0.0016411765917810465,
    0.0008163368987991337,
    2.7765509175715526e-05,
    -0.0002072149629628233,
    -0.0001412186195827777,
    -4.833443686016776e-05,
    6.471738327217613e-05,
    -5.824377953256593e-05,
    0.0001058273264899642,
    -4.574500484394096e-05,
)
# e**(x**2) erfc(x) in t = (x - 4) / (x + 4), 0 <= x <= 10.3, to 31 bits
_ERFC_MID = (
    0.13699945762207683,
    -0.2590680494840569,
    0.218719680895916,
    -0.16425777788485932,
    0.10896310851577816,
    -0.06310844455655554,
    0.03129965722246609,
    -0.012839319687394041,
    0.004059397590324853,
    -0.0008154844319979681,
    -2.934033107223982e-05,
    0.00010103770344258051,
)
# e**(x**2) erfc(x) (x + 5 / 8) in t = (x - 15 / 4) / (x + 15 / 4), 9 / 16 <= x <= 27.25, the form of M. M. Shepherd and
# J. G. Laframboise, "Chebyshev approximation of (1 + 2 x) exp(x**2) erfc(x) in 0 <= x < inf", 1981. With 5 / 8 it is
# nearly constant, so that the polynomial's own roundings hardly count; its first coefficient is exact to 57 bits.
_ERFC = (
    0.6369550305782936,
    -0.10429804072970184,
    0.03004371610731019,
    0.02069188230458684,
    -0.04157642606687671,
    0.03930186974315403,
    -0.02632879629737723,
    0.01315356106781536,
    -0.004647919491080678,
    0.0008746209867546498,
    0.0001277991279544762,
    -0.00013908956577859008,
    2.6271802488265092e-05,
    1.041875734295039e-05,
    -5.625996963660301e-06,
    -4.034282179167529e-07,
    8.47233142622645e-07,
    -3.882010012374342e-08,
    -1.1742576165960176e-07,
    1.3408339702978696e-08,
    1.2234596614703794e-08,
    -1.9645151767371275e-09,
)

_SQUARED = {"f64": _EXP_F64, "f32": _EXP_F32}


def _nearest(b: Vector, x: V, scale: float, bias: int) -> Pair:
    """k = x scale rounded to an integer, and an integer whose low bits are k + bias."""
    c = constants(b, x.type)
    rounder = c(ROUNDER[x.type] + bias)
    shifted = b.fma(x, c(scale), rounder) if scale != 1.0 else b.fadd(x, rounder)
    return b.fsub(shifted, rounder), b.bitcast(shifted, INTEGER[x.type])


def _scaled(b: Vector, x: V, k: V, biased: V) -> V:
    """x 2**k where the integer's low bits are k plus twice the bias; rounded once, as subnormals are."""
    if b.has_scale:
        return b.scale(x, k)
    return _two_steps(b, x, biased)


def _two_steps(b: Vector, x: V, biased: V) -> V:
    half = b.lshr(biased, b.const(biased.type, 1))
    x = b.fmul(x, power_of_two(b, b.isub(biased, half), x.type))
    return b.fmul(x, power_of_two(b, half, x.type))


def _reduced(b: Vector, x: V, k: V) -> V:
    """x - k ln 2."""
    c = constants(b, x.type)
    head, tail = LN2[x.type]
    return b.fma(k, c(-tail), b.fma(k, c(-head), x))


def exp(b: Vector, x: V) -> V:
    """e**x."""
    c = constants(b, x.type)
    low, high = (-746.0, 710.0) if x.type == "f64" else (-104.0, 89.0)
    x = upper_bound(b, lower_bound(b, x, low), high)
    k, biased = _nearest(b, x, _LOG2_E, 2 * BIAS[x.type])
    r = _reduced(b, x, k)
    near, rest = fast_two_sum(b, c(1.0), r)
    tail = b.fma(b.fmul(r, r), polynomial(b, r, _SQUARED[x.type]), rest)
    return _scaled(b, b.fadd(near, tail), k, biased)


def exp2(b: Vector, x: V) -> V:
    """2**x."""
    c = constants(b, x.type)
    low, high = (-1080.0, 1025.0) if x.type == "f64" else (-152.0, 129.0)
    x = upper_bound(b, lower_bound(b, x, low), high)
    k, biased = _nearest(b, x, 1.0, 2 * BIAS[x.type])
    r = b.fsub(x, k)
    return _scaled(b, b.fma(r, polynomial(b, r, _EXP2_F64 if x.type == "f64" else _EXP2_F32), c(1.0)), k, biased)


def exp_medium(b: Vector, x: V) -> V:
    """e**x in f64 to 32 bits, for |x| <= 700."""
    k, biased = _nearest(b, x, _LOG2_E, 1023)
    r = _reduced(b, x, k)
    tail = b.fma(b.fmul(r, r), polynomial(b, r, _EXP_MID), r)
    scale = power_of_two(b, biased, "f64")
    return b.fma(tail, scale, scale)


def _expm1_medium(b: Vector, x: V) -> V:
    """e**x - 1 in f64 to 32 bits, for |x| <= 700."""
    k, biased = _nearest(b, x, _LOG2_E, 1023)
    r = _reduced(b, x, k)
    tail = b.fma(b.fmul(r, r), polynomial(b, r, _EXP_MID), r)
    scale = power_of_two(b, biased, "f64")
    return b.fma(tail, scale, b.fsub(scale, b.const("f64", 1.0)))


def _fraction_pair(b: Vector, x: V, bias: int) -> tuple[V, V, V]:
    """r, w with e**x = 2**k (1 + r + w) to about 60 bits, and an integer whose low bits are k + bias (f64)."""
    c = constants(b, "f64")
    k, biased = _nearest(b, x, _LOG2_E, bias)
    head, tail = LN2["f64"]
    near = b.fma(k, c(-head), x)
    r = b.fma(k, c(-tail), near)
    lost = b.fma(k, c(-tail), b.fsub(near, r))
    # r**2 / 2 exactly: it can be a good part of e**x - 1.
    square, rest = two_product(b, r, b.fmul(r, c(0.5)))
    cubic = b.fma(b.fmul(b.fmul(r, r), r), polynomial(b, r, _EXP_F64[1:]), b.fadd(rest, lost))
    return r, b.fadd(square, cubic), biased


def _exp_terms(b: Vector, h: V, l: V) -> tuple[V, V, V, V]:
    """p, q, k with e**(h + l) = 2**k (p + q), and an integer whose low bits are k + 2046; as for exp_pair."""
    c = constants(b, "f64")
    k, biased = _nearest(b, h, _LOG2_E, 2046)
    head, tail = LN2["f64"]
    r, lost = fast_two_sum(b, b.fma(k, c(-head), h), b.fma(k, c(-tail), l))
    near, rest = fast_two_sum(b, c(1.0), r)
    rest = b.fadd(rest, b.fma(lost, r, lost))
    return near, b.fma(b.fmul(r, r), polynomial(b, r, _EXP_F64), rest), k, biased


def exp_pair(b: Vector, h: V, l: V) -> V:
    """e**(h + l) in f64, for l below an ulp of h and |h| <= 800."""
    near, rest, k, biased = _exp_terms(b, h, l)
    return _scaled(b, b.fadd(near, rest), k, biased)


def _expm1_pair(b: Vector, x: V) -> Pair:
    """e**x - 1 in f64 as a pair, for |x| <= 709."""
    r, w, biased = _fraction_pair(b, x, 1023)
    scale = power_of_two(b, biased, "f64")
    near, rest = fast_two_sum(b, b.fsub(scale, b.const("f64", 1.0)), b.fmul(scale, r))
    return fast_two_sum(b, near, b.fma(scale, w, rest))


def expm1(b: Vector, x: V) -> V:
    """e**x - 1."""
    if x.type == "f32":
        wide = b.fpext(upper_bound(b, lower_bound(b, x, -20.0), 100.0), "f64")
        return b.copysign(b.fptrunc(_expm1_medium(b, wide), "f32"), x)
    c = constants(b, "f64")
    clamped = upper_bound(b, lower_bound(b, x, -40.0), 710.0)
    r, w, biased = _fraction_pair(b, clamped, 1023)
    # 2**1024 does not exist: take half of the last binade and double it.
    last = b.fcmp("ogt", x, c(709.4))
    biased = b.isub(biased, b.zext(last, "i64"))
    scale = power_of_two(b, biased, "f64")
    near, rest = fast_two_sum(b, b.fsub(scale, b.select(last, c(0.5), c(1.0))), b.fmul(scale, r))
    total = b.fadd(near, b.fma(scale, w, rest))
    return b.copysign(b.select(last, b.fadd(total, total), total), x)


def _hyperbolic(b: Vector, x: V, sign: float) -> V:
    """(e**x ± e**-x) / 2 for x >= 0 in f64; the difference for x >= 1 only."""
    c = constants(b, "f64")
    x = upper_bound(b, x, 711.0)
    r, w, biased = _fraction_pair(b, x, 2046 - 1)
    near, rest = fast_two_sum(b, c(1.0), r)
    h, l = fast_two_sum(b, near, b.fadd(rest, w))
    # e**x = 2**k (h + l), so the sum is 2**(k - 1) (h + l ± 2**(-2 k) / (h + l)); beyond k = 500 it makes no odds.
    k = b.isub(b.iand(biased, b.const("i64", 0xFFF)), b.const("i64", 2045))
    k = b.select(b.icmp("sgt", k, b.const("i64", 500)), b.const("i64", 500), k)
    scale = power_of_two(b, b.isub(b.const("i64", 1023), b.iadd(k, k)), "f64")
    q, ql = divide_pair(b, (b.fmul(scale, c(sign)), c(0.0)), (h, l))
    total, lost = two_sum(b, h, q)
    return _two_steps(b, b.fadd(total, b.fadd(lost, b.fadd(l, ql))), biased)


def cosh(b: Vector, x: V) -> V:
    """(e**x + e**-x) / 2."""
    x = b.fabs(x)
    if x.type == "f64":
        return _hyperbolic(b, x, 1.0)
    c = constants(b, "f64")
    e = exp_medium(b, b.fpext(upper_bound(b, x, 100.0), "f64"))
    return b.fptrunc(b.fmul(b.fadd(e, b.fdiv(c(1.0), e)), c(0.5)), "f32")


def sinh(b: Vector, x: V) -> V:
    """(e**x - e**-x) / 2."""
    c = constants(b, "f64")
    size = b.fabs(x)
    if x.type == "f64":
        z = b.fmul(size, size)
        small = b.fma(b.fmul(size, z), polynomial(b, z, _SINH_F64), size)
        return b.copysign(b.select(b.fcmp("olt", size, c(1.0)), small, _hyperbolic(b, size, -1.0)), x)
    e = _expm1_medium(b, b.fpext(upper_bound(b, size, 100.0), "f64"))
    half = b.fmul(c(0.5), b.fadd(e, b.fdiv(e, b.fadd(e, c(1.0)))))
    return b.copysign(b.fptrunc(half, "f32"), x)


def tanh(b: Vector, x: V) -> V:
    """sinh(x) / cosh(x)."""
    c = constants(b, x.type)
    size = b.fabs(x)
    if x.type == "f64":
        # e / (e + 2) with e = e**(2 x) - 1.
        h, l = _expm1_pair(b, upper_bound(b, b.fadd(size, size), 80.0))
        d, dl = two_sum(b, h, c(2.0))
        q, ql = divide_pair(b, (h, l), (d, b.fadd(dl, l)))
        return b.copysign(b.fadd(q, ql), x)
    z = b.fmul(size, size)
    small = b.fma(b.fmul(size, z), polynomial(b, z, _TANH_F32), size)
    # 1 - 2 / d with d = e**(2 x) + 1, and the rounding errors of d and of the quotient.
    twice = upper_bound(b, b.fadd(size, size), 40.0)
    k, biased = _nearest(b, twice, _LOG2_E, 127)
    r = _reduced(b, twice, k)
    tail = b.fma(b.fmul(r, r), polynomial(b, r, _EXP_F32), r)
    scale = power_of_two(b, biased, "f32")
    base = b.fadd(scale, c(1.0))
    d = b.fma(tail, scale, base)
    negative = b.fdiv(c(-2.0), d)
    rest = b.fma(negative, b.fma(tail, scale, b.fsub(base, d)), b.fma(negative, d, c(2.0)))
    near, lost = fast_two_sum(b, c(1.0), negative)
    large = b.fadd(near, b.fma(b.fmul(rest, negative), c(0.5), lost))
    return b.copysign(b.select(b.fcmp("olt", size, c(0.75)), small, large), x)


def sigmoid(b: Vector, x: V) -> V:
    """1 / (1 + e**-x)."""
    c = constants(b, x.type)
    one = c(1.0)
    # q = 1 / (1 + e**|x|) is (near + w) / (g + near + w), where near + w is e**r and g is 2**k. All of them carry a
    # small factor, so that g exists and only q can be subnormal.
    bits, top, coefficients = (100, 746.0, _EXP_F64) if x.type == "f64" else (30, 104.0, _EXP_SHORT)
    unit = c(2.0**-bits)
    size = upper_bound(b, b.fabs(x), top)
    k, biased = _nearest(b, size, _LOG2_E, BIAS[x.type] - bits)
    g = power_of_two(b, biased, x.type)
    r = b.fneg(_reduced(b, size, k))
    near = b.fma(r, unit, unit)
    lost = b.fma(r, unit, b.fsub(unit, near))
    w = b.fma(b.fmul(r, r), polynomial(b, r, [value * 2.0**-bits for value in coefficients]), lost)
    e = b.fadd(near, w)
    inverse = b.fdiv(one, b.fadd(g, e))
    q = b.fmul(e, inverse)
    # The remainder near + w - q (g + near + w), whose first difference is exact.
    negative = b.fneg(q)
    rest = b.fma(negative, near, b.fma(negative, g, near))
    rest = b.fma(w, b.fsub(one, q), rest)
    q = b.fma(rest, inverse, q)
    return b.select(b.fcmp("oge", x, c(0.0)), b.fsub(one, q), q)


def erf(b: Vector, x: V) -> V:
    """2 / sqrt(pi) times the integral of e**(-t**2) from 0 to x."""
    c = constants(b, "f64")
    size = b.fabs(x)
    if x.type == "f32":
        wide = b.fpext(upper_bound(b, size, 3.93), "f64")
        u = b.fma(b.fmul(wide, wide), c(1 / 7.75), c(-1.0))
        return b.copysign(b.fptrunc(b.fmul(wide, polynomial(b, u, _ERF_MID)), "f32"), x)
    size = upper_bound(b, size, 5.95)
    z = b.fmul(size, size)
    small = b.fma(size, b.fma(z, c(-0.375), polynomial(b, z, _ERF_F64)), size)
    t = b.fdiv(b.fsub(size, c(1.25)), b.fadd(size, c(1.25)))
    complement = b.fmul(exp(b, b.fneg(z)), polynomial(b, t, _ERFCX))
    return b.copysign(b.select(b.fcmp("olt", size, c(1.0)), small, b.fsub(c(1.0), complement)), x)


def erfc(b: Vector, x: V) -> V:
    """1 - erf(x), without cancellation for large x; 2 for -inf."""
    if x.type == "f32":
        return _erfc_f32(b, x)
    c = constants(b, "f64")
    one = c(1.0)
    size = b.fabs(x)
    tail = _erfc_tail(b, upper_bound(b, size, 27.25))
    tail = b.select(b.fcmp("olt", x, c(0.0)), b.fsub(c(2.0), tail), tail)
    # near 0: (1 - x) - x q where erf(x) = x + x q
    near = upper_bound(b, lower_bound(b, x, -0.5625), 0.5625)
    square = b.fmul(near, near)
    q = b.fma(square, c(-0.375), polynomial(b, square, _ERF_F64))
    head, lost = fast_two_sum(b, one, b.fneg(near))
    small = b.fadd(head, b.fma(b.fneg(near), q, lost))
    return b.select(b.fcmp("olt", size, c(0.5625)), small, tail)


def _erfc_tail(b: Vector, x: V) -> V:
    """erfc(x) in f64 for 9 / 16 <= x <= 27.25: e**(-x**2) P(t) / (x + 5 / 8), all three as pairs, rounded once."""
    c = constants(b, "f64")
    one = c(1.0)
    z, zl = two_product(b, x, x)
    near, rest, k, biased = _exp_terms(b, b.fneg(z), b.fneg(zl))
    e, el = fast_two_sum(b, near, rest)
    # 1 / d and t from one division; the error of 1 / d is added, that of t hardly counts
    d, dl = fast_two_sum(b, c(0.625), x)
    other = b.fadd(x, c(3.75))
    both = b.fdiv(one, b.fmul(d, other))
    inverse = b.fmul(other, both)
    negative = b.fneg(inverse)
    error = b.fma(negative, dl, b.fma(negative, d, one))
    t = b.fmul(b.fsub(x, c(3.75)), b.fmul(d, both))
    first, slope = c(_ERFC[0]), polynomial(b, t, _ERFC[1:])
    p = b.fma(t, slope, first)
    pl = b.fma(t, slope, b.fsub(first, p))
    m, ml = two_product(b, p, inverse)
    ml = b.fma(m, error, b.fma(pl, inverse, ml))
    y, yl = two_product(b, e, m)
    yl = b.fma(e, ml, b.fma(el, m, yl))
    return _scaled(b, b.fadd(y, yl), k, biased)


def _erfc_f32(b: Vector, x: V) -> V:
    c = constants(b, "f64")
    size = b.fpext(upper_bound(b, b.fabs(x), 10.3), "f64")
    t = b.fdiv(b.fsub(size, c(4.0)), b.fadd(size, c(4.0)))
    tail = b.fmul(exp_medium(b, b.fneg(b.fmul(size, size))), polynomial(b, t, _ERFC_MID))
    negative = b.fcmp("olt", x, b.const("f32", 0.0))
    return b.select(negative, b.fptrunc(b.fsub(c(2.0), tail), "f32"), b.fptrunc(tail, "f32"))
