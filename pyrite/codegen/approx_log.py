"""log, log2, log10, log1p, pow, asinh, acosh and atanh.

Logarithms split x = 2**k m with m in [sqrt(1/2), sqrt(2)) and use s = f / (2 + f), f = m - 1:
log(1 + f) = 2 s + s**3 R(s**2) = f - (f**2 / 2 - s (f**2 / 2 + s**2 R(s**2))) (fdlibm, Sun Microsystems 1993; its
published splitting of ln 2). In f32, log takes a polynomial in f itself, which needs no division.
"""

from __future__ import annotations

from .approx_exp import LN2, exp_medium, exp_pair
from .approx_tools import (
    INF,
    INTEGER,
    NAN,
    ROUNDER,
    Pair,
    constants,
    divide_pair,
    fast_two_sum,
    flip_sign,
    hexadecimal,
    lower_bound,
    polynomial,
    power_of_two,
    sqrt_pair,
    through_f64,
    two_product,
    two_sum,
    upper_bound,
)
from .vector import V, Vector

_SQRT_HALF = {"f64": 0x3FE6A09E667F3BCD, "f32": 0x3F3504F3}
_LN2 = float.fromhex("0x1.62e42fefa39efp-1")
_LOG2_E = hexadecimal("0x1.71547652b82fep+0", "0x1.777d0ffda0d24p-56")
_LOG10_E = hexadecimal("0x1.bcb7b1526e50ep-2", "0x1.95355baaafad3p-57")
# log10(2), the head with trailing zeros for exact products with k.
_LOG10_2 = hexadecimal("0x1.3441350800000p-2", "0x1.f79fef311f12bp-34")
_THIRD = hexadecimal("0x1.5555555555555p-2", "0x1.5555555555555p-56")

# (log(1 + f) - f + f**2 / 2) / f**3
_LOG_F32 = (
    0.3333333134651184,
    -0.2499999701976776,
    0.20000715553760529,
    -0.1666780263185501,
    0.14249058067798615,
    -0.12425687164068222,
    0.11685419827699661,
    -0.11479733884334564,
    0.06971611827611923,
)
# R above
_LOG_MID = (
    0.6666666666737868,
    0.3999999879244169,
    0.28571755535032944,
    0.22191337428065783,
    0.19363884986633198,
)
_LOG_F64 = (
    0.6666666666666666,
    0.40000000000000885,
    0.28571428570799784,
    0.22222222392581045,
    0.18181795547521137,
    0.15386244737621665,
    0.13268638369266825,
    0.13088034850927555,
)
# ((atanh(s) / s - 1) / z - 1 / 3) / z in z = s**2
_LOG_PAIR = (
    0.2,
    0.14285714285714685,
    0.11111111110826383,
    0.09090909168049924,
    0.0769229744350359,
    0.0666740439940617,
    0.05853063232281699,
    0.058621635304233734,
)


def _split(b: Vector, x: V, subnormal: bool = True) -> tuple[V, V, V]:
    """k, m - 1 and the integer k with x = 2**k m for finite positive x."""
    type, integer = x.type, INTEGER[x.type]
    c, i = constants(b, type), constants(b, integer)
    bits = 52 if type == "f64" else 23
    correction = i(0)
    if subnormal:
        tiny = b.fcmp("olt", x, c(2.0**-1022 if type == "f64" else 2.0**-126))
        x = b.select(tiny, b.fmul(x, c(2.0**bits)), x)
        correction = b.select(tiny, i(-bits), correction)
    word = b.bitcast(x, integer)
    k = b.ashr(b.isub(word, i(_SQRT_HALF[type])), i(bits))
    f = b.fsub(b.bitcast(b.isub(word, b.shl(k, i(bits))), type), c(1.0))
    if subnormal:
        k = b.iadd(k, correction)
    # The same as sitofp, which older machines lack for i64.
    rounder = c(ROUNDER[type])
    count = b.fsub(b.bitcast(b.iadd(k, b.bitcast(rounder, integer)), type), rounder)
    return count, f, k


def _log_domain(b: Vector, x: V, result: V) -> V:
    """The result where x is positive and finite; else the limit or NaN."""
    c = constants(b, x.type)
    result = b.select(b.fcmp("olt", x, c(INF)), result, x)
    result = b.select(b.fcmp("oeq", x, c(0.0)), c(-INF), result)
    return b.select(b.fcmp("olt", x, c(0.0)), c(NAN), result)


def _log_fraction(b: Vector, f: V) -> V:
    """log(1 + f) in f64 to 40 bits."""
    s = b.fdiv(f, b.fadd(f, b.const("f64", 2.0)))
    z = b.fmul(s, s)
    return b.fma(b.fmul(s, z), polynomial(b, z, _LOG_MID), b.fadd(s, s))


def _log1p_medium(b: Vector, x: V) -> V:
    """log(1 + x) in f64 to 32 bits, for -1 < x < 2**300."""
    c = constants(b, "f64")
    total, lost = two_sum(b, c(1.0), x)
    k, f, count = _split(b, total, subnormal=False)
    scale = power_of_two(b, b.isub(b.const("i64", 1023), count), "f64")
    return b.fma(k, c(_LN2), _log_fraction(b, b.fma(lost, scale, f)))


def _log_terms(b: Vector, f: V) -> tuple[V, V]:
    """f**2 / 2 and t with log(1 + f) = f - (f**2 / 2 - t), in f64."""
    c = constants(b, "f64")
    s = b.fdiv(f, b.fadd(f, c(2.0)))
    z = b.fmul(s, s)
    square = b.fmul(b.fmul(f, f), c(0.5))
    return square, b.fmul(s, b.fma(z, polynomial(b, z, _LOG_F64), square))


def _log_sum(b: Vector, k: V, f: V, extra: V | None = None) -> V:
    """k ln 2 + log(1 + f) + extra in f64."""
    c = constants(b, "f64")
    head, tail = LN2["f64"]
    square, t = _log_terms(b, f)
    near, lost = fast_two_sum(b, b.fmul(k, c(head)), f)
    t = b.fma(k, c(tail), t)
    if extra is not None:
        t = b.fadd(t, extra)
    return b.fadd(near, b.fadd(lost, b.fsub(t, square)))


def log(b: Vector, x: V) -> V:
    """The natural logarithm."""
    k, f, _ = _split(b, x)
    if x.type == "f64":
        return _log_domain(b, x, _log_sum(b, k, f))
    c = constants(b, "f32")
    head, tail = LN2["f32"]
    near, lost = fast_two_sum(b, b.fmul(k, c(head)), f)
    rest = b.fma(f, polynomial(b, f, _LOG_F32), c(-0.5))
    return _log_domain(b, x, b.fadd(near, b.fma(b.fmul(f, f), rest, b.fma(k, c(tail), lost))))


def _log_base(b: Vector, x: V, scale: tuple[float, ...], two: tuple[float, ...]) -> V:
    """log(x) times a scale, where `two` is log(2) times the same scale."""
    if x.type == "f32":
        c = constants(b, "f64")
        k, f, _ = _split(b, b.fpext(x, "f64"), subnormal=False)
        result = b.fma(k, c(sum(two)), b.fmul(c(scale[0]), _log_fraction(b, f)))
        return _log_domain(b, x, b.fptrunc(result, "f32"))
    c = constants(b, "f64")
    k, f, _ = _split(b, x)
    square, t = _log_terms(b, f)
    h, l = fast_two_sum(b, f, b.fneg(square))
    # The rounding error of f**2 / 2 counts too.
    l = b.fadd(b.fadd(l, b.fma(b.fmul(f, c(-0.5)), f, square)), t)
    h, l = fast_two_sum(b, h, l)
    p, pl = two_product(b, h, c(scale[0]))
    pl = b.fadd(pl, b.fma(l, c(scale[0]), b.fmul(h, c(scale[1]))))
    near, lost = fast_two_sum(b, b.fmul(k, c(two[0])), p)
    lost = b.fadd(lost, pl)
    if len(two) > 1:
        lost = b.fma(k, c(two[1]), lost)
    return _log_domain(b, x, b.fadd(near, lost))


def log2(b: Vector, x: V) -> V:
    """The logarithm to base 2; exact for powers of 2."""
    return _log_base(b, x, _LOG2_E, (1.0,))


def log10(b: Vector, x: V) -> V:
    """The logarithm to base 10."""
    return _log_base(b, x, _LOG10_E, _LOG10_2)


def _log1p_pair(b: Vector, h: V, l: V | None = None, binades: V | None = None) -> V:
    """log((1 + h + l) 2**binades) in f64, for finite h > -1; if l is given, h >= 2**-30 and l is below its ulp."""
    c, i = constants(b, "f64"), constants(b, "i64")
    total, lost = two_sum(b, c(1.0), h)
    if l is not None:
        total, lost = fast_two_sum(b, total, b.fadd(lost, l))
    k, f, count = _split(b, total, subnormal=False)
    exponent = b.isub(i(1023), count)
    scale = power_of_two(b, b.select(b.icmp("sgt", exponent, i(0)), exponent, i(0)), "f64")
    f, lost = two_sum(b, f, b.fmul(lost, scale))
    if binades is not None:
        k = b.fadd(k, binades)
    # The end is lost / (1 + f), to the few bits that matter.
    return _log_sum(b, k, f, b.fmul(lost, polynomial(b, f, (1.0, -1.0, 1.0, -0.75))))


def log1p(b: Vector, x: V) -> V:
    """log(1 + x)."""
    c = constants(b, x.type)
    result = through_f64(_log1p_medium)(b, x) if x.type == "f32" else _log1p_pair(b, x)
    result = b.select(b.fcmp("olt", x, c(INF)), result, x)
    result = b.select(b.fcmp("oeq", x, c(-1.0)), c(-INF), result)
    return b.copysign(b.select(b.fcmp("olt", x, c(-1.0)), c(NAN), result), x)


def _log_exact(b: Vector, x: V) -> Pair:
    """log(x) as a pair to about 67 bits, for finite positive f64 x."""
    c = constants(b, "f64")
    k, f, _ = _split(b, x)
    d, dl = fast_two_sum(b, c(2.0), f)
    s, sl = divide_pair(b, (b.fadd(f, f), c(0.0)), (d, dl))
    # 2 s = f / (1 + f / 2); z = s**2
    z, zl = two_product(b, b.fmul(s, c(0.5)), b.fmul(s, c(0.5)))
    zl = b.fma(b.fmul(s, c(0.5)), sl, zl)
    third, lost = fast_two_sum(b, c(_THIRD[0]), b.fmul(z, polynomial(b, z, _LOG_PAIR)))
    third_l = b.fma(zl, c(0.2), b.fadd(lost, c(_THIRD[1])))
    w, wl = two_product(b, z, third)
    wl = b.fadd(wl, b.fma(z, third_l, b.fmul(zl, third)))
    v, vl = two_product(b, s, w)
    vl = b.fadd(vl, b.fma(s, wl, b.fmul(sl, w)))
    h, l = fast_two_sum(b, s, v)
    l = b.fadd(l, b.fadd(sl, vl))
    head, tail = LN2["f64"]
    near, rest = fast_two_sum(b, b.fmul(k, c(head)), h)
    return fast_two_sum(b, near, b.fadd(rest, b.fma(k, c(tail), l)))


def _pow_medium(b: Vector, x: V, y: V) -> V:
    """x**y in f64 to 28 bits, for positive f32 values."""
    k, f, _ = _split(b, x, subnormal=False)
    power = b.fmul(y, b.fma(k, b.const("f64", _LN2), _log_fraction(b, f)))
    return exp_medium(b, upper_bound(b, lower_bound(b, power, -200.0), 200.0))


def _pow_exact(b: Vector, x: V, y: V) -> V:
    """x**y in f64, for finite positive x and |y| <= 2**65."""
    c = constants(b, "f64")
    h, l = _log_exact(b, x)
    p, pl = two_product(b, y, h)
    pl = b.fma(y, l, pl)
    pl = b.select(b.fcmp("olt", b.fabs(p), c(800.0)), pl, c(0.0))
    return exp_pair(b, upper_bound(b, lower_bound(b, p, -800.0), 800.0), pl)


def pow(b: Vector, x: V, y: V) -> V:
    """x**y with the special values of C99 (Annex F.9.4.4)."""
    type = x.type
    c, i = constants(b, type), constants(b, INTEGER[type])
    zero, one, inf = c(0.0), c(1.0), c(INF)
    size = b.fabs(x)
    # A larger y changes nothing but could make infinity times zero.
    limited = upper_bound(b, lower_bound(b, y, -(2.0**65)), 2.0**65)
    result = _pow_exact(b, size, limited) if type == "f64" else through_f64(_pow_medium)(b, size, limited)
    # |x| is 0 or infinity
    vanishes = b.fcmp("oeq", size, zero)
    extreme = b.ior(vanishes, b.fcmp("oeq", size, inf))
    to_zero = b.ixor(vanishes, b.fcmp("olt", y, zero))
    result = b.select(extreme, b.select(to_zero, zero, inf), result)
    # Negative x: odd integers y give a sign, fractions no value.
    half = b.fmul(limited, c(0.5))
    whole = b.fcmp("oeq", b.trunc(limited), limited)
    odd = b.iand(whole, b.fcmp("one", b.trunc(half), half))
    sign = b.iand(b.bitcast(x, INTEGER[type]), i(1 << (63 if type == "f64" else 31)))
    result = b.select(odd, flip_sign(b, result, sign), result)
    bad = b.iand(b.iand(b.fcmp("olt", x, zero), b.fcmp("one", x, c(-INF))), b.ixor(whole, b.const("i1", 1)))
    result = b.select(b.ior(bad, b.fcmp("uno", x, y)), c(NAN), result)
    return b.select(b.ior(b.fcmp("oeq", x, one), b.fcmp("oeq", y, zero)), one, result)


def _log_sum_of(b: Vector, size: V, h: V, l: V) -> V:
    """log(1 + h + l) for size < 2**60, else log(2 size), in f64."""
    c = constants(b, "f64")
    large = b.fcmp("oge", size, c(2.0**60))
    zero = c(0.0)
    h, l = fast_two_sum(b, b.select(large, size, h), b.select(large, zero, l))
    return _log1p_pair(b, h, l, b.select(large, c(1.0), zero))


def asinh(b: Vector, x: V) -> V:
    """log(x + sqrt(x**2 + 1)), from log1p of x + x**2 / (1 + sqrt(x**2 + 1))."""
    c = constants(b, "f64")
    one = c(1.0)
    size = b.fabs(x)
    if x.type == "f32":
        wide = b.fpext(size, "f64")
        square = b.fmul(wide, wide)
        root = b.sqrt(b.fadd(square, one))
        result = b.fptrunc(_log1p_medium(b, b.fadd(wide, b.fdiv(square, b.fadd(root, one)))), "f32")
    else:
        z, zl = two_product(b, size, size)
        s, lost = two_sum(b, z, one)
        root, rest = sqrt_pair(b, (s, b.fadd(lost, zl)))
        d, lost = two_sum(b, root, one)
        q, ql = divide_pair(b, (z, zl), (d, b.fadd(lost, rest)))
        h, l = two_sum(b, size, q)
        result = _log_sum_of(b, size, h, b.fadd(l, ql))
        result = b.select(b.fcmp("olt", size, c(2.0**-28)), size, result)
    return b.copysign(b.select(b.fcmp("olt", size, b.const(x.type, INF)), result, size), x)


def acosh(b: Vector, x: V) -> V:
    """log(x + sqrt(x**2 - 1)), from log1p of t + sqrt(t (t + 2)), t = x - 1."""
    c = constants(b, "f64")
    if x.type == "f32":
        t = b.fsub(b.fpext(x, "f64"), c(1.0))
        u = b.fadd(t, b.sqrt(b.fmul(t, b.fadd(t, c(2.0)))))
        result = b.fptrunc(_log1p_medium(b, u), "f32")
    else:
        t = b.fsub(x, c(1.0))
        s, lost = two_sum(b, t, c(2.0))
        v, vl = two_product(b, t, s)
        root, rest = sqrt_pair(b, (v, b.fma(t, lost, vl)))
        h, l = two_sum(b, root, t)
        result = _log_sum_of(b, x, h, b.fadd(l, rest))
    result = b.select(b.fcmp("olt", x, b.const(x.type, INF)), result, x)
    return b.select(b.fcmp("olt", x, b.const(x.type, 1.0)), b.const(x.type, NAN), result)


def atanh(b: Vector, x: V) -> V:
    """log((1 + x) / (1 - x)) / 2, from log1p of 2 x / (1 - x)."""
    c = constants(b, x.type)
    size = b.fabs(x)
    one, half = b.const("f64", 1.0), b.const("f64", 0.5)
    if x.type == "f32":
        wide = b.fpext(size, "f64")
        u = b.fdiv(b.fadd(wide, wide), b.fsub(one, wide))
        result = b.fptrunc(b.fmul(_log1p_medium(b, u), half), "f32")
    else:
        q = divide_pair(b, (b.fadd(size, size), c(0.0)), two_sum(b, one, b.fneg(size)))
        result = b.fmul(_log1p_pair(b, *fast_two_sum(b, *q)), half)
        result = b.select(b.fcmp("olt", size, c(2.0**-28)), size, result)
    result = b.select(b.fcmp("oeq", size, c(1.0)), c(INF), result)
    # Not ogt: NaN stays NaN.
    return b.copysign(b.select(b.fcmp("ule", size, c(1.0)), result, c(NAN)), x)
