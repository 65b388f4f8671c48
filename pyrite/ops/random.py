"""Random numbers from a key and a position: the same on every device, for every thread count.

A key is a 64-bit integer, held in a uint64 tensor of shape (). Element i of a draw is a function
of the key and of i alone, so a draw is one more elementwise op. Threefry-2x32 with 20 rounds:
Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).

Everything from the bits to uniform and normal numbers is made of exactly rounded operations, in
one formula that both the builder and the reference run: the bits of a draw never differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import (
    DType,
    Float,
    Int,
    bool_,
    check_scalar,
    float32,
    float64,
    int32,
    int64,
    uint32,
    uint64,
)
from ..errors import ArgumentError, DTypeError, ScalarRangeError, ShapeError
from ..layout import contiguous_strides, size_of
from .elementwise import binary_infer, check_kind
from .record import ZERO, Arg, Aval, Case, Samples, Shape, op
from .samples import binary, unary

_MASK64 = (1 << 64) - 1
_MASK32 = (1 << 32) - 1


class _Arrays:
    """The builder of `scalar` rules, over whole NumPy arrays: what the formulas below need of it."""

    add, sub, mul, div = np.add, np.subtract, np.multiply, np.divide
    and_, or_, xor = np.bitwise_and, np.bitwise_or, np.bitwise_xor
    shl, shr = np.left_shift, np.right_shift
    gt, ge, ne = np.greater, np.greater_equal, np.not_equal
    neg, sqrt, select = np.negative, np.sqrt, np.where

    @staticmethod
    def const(value: Any, dtype: DType) -> Any:
        return np.asarray(value, dtype.np)

    @staticmethod
    def cast(x: Any, dtype: DType) -> Any:
        return np.asarray(x).astype(dtype.np)

    @staticmethod
    def bitcast(x: Any, dtype: DType) -> Any:
        return np.asarray(x).view(dtype.np)


# ---------------------------------------------------------------- bits

_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_PARITY = 0x1BD11BDA


def _threefry(b: Any, k0: Any, k1: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
    """Encrypts the counter (x0, x1) with the key (k0, k1); all uint32."""
    keys = (k0, k1, b.xor(b.xor(k0, k1), b.const(_PARITY, uint32)))
    x0, x1 = b.add(x0, k0), b.add(x1, k1)
    for i in range(20):
        turn = _ROTATIONS[i % 8]
        x0 = b.add(x0, x1)
        x1 = b.or_(b.shl(x1, b.const(turn, uint32)), b.shr(x1, b.const(32 - turn, uint32)))
        x1 = b.xor(x1, x0)
        if i % 4 == 3:
            n = (i + 1) // 4
            x0 = b.add(x0, keys[n % 3])
            x1 = b.add(b.add(x1, keys[(n + 1) % 3]), b.const(n, uint32))
    return x0, x1


def _halves(b: Any, x: Any) -> tuple[Any, Any]:
    """The low and the high 32 bits of a uint64, each as uint32."""
    return b.cast(x, uint32), b.cast(b.shr(x, b.const(32, uint64)), uint32)


def _random_bits(b: Any, key: Any, place: Any, dtype: DType) -> Any:
    low, high = _threefry(b, *_halves(b, key), *_halves(b, place))
    if dtype is uint32:
        return low
    return b.or_(b.cast(low, uint64), b.shl(b.cast(high, uint64), b.const(32, uint64)))


def _bits_infer(key: Aval, shape: Shape, dtype: DType) -> tuple[Shape, DType]:
    if key.dtype is not uint64:
        raise DTypeError(f"a key is a uint64, got {key.dtype.name}")
    if key.shape != ():
        raise ShapeError(f"a key has shape (), got {key.shape}")
    if dtype is not uint32 and dtype is not uint64:
        raise DTypeError(f"random bits come as uint32 or uint64, not {dtype.name}")
    return shape, dtype


def _bits_scalar(b: Any, key: Any, shape: Shape, dtype: DType) -> Any:
    place = b.const(0, int64)
    for axis, stride in enumerate(contiguous_strides(shape)):
        if shape[axis] != 1:
            place = b.add(place, b.mul(b.index(axis), b.const(stride, int64)))
    return _random_bits(b, key, b.cast(place, uint64), dtype)


op(
    "random_bits",
    fuses="elementwise",
    params=("shape", "dtype"),
    doc="Uniform random bits: element i, counted in row-major order, is Threefry of the key x and the counter i.",
    infer=_bits_infer,
    reference=lambda key, shape, dtype: _random_bits(
        _Arrays, key, np.arange(size_of(shape), dtype=np.uint64).reshape(shape), dtype
    ),
    scalar=_bits_scalar,
    vjp=ZERO,
    samples=Samples(
        (uint64,),
        tuple(
            Case((Arg((), 0, 2**40, uint64),), (shape, d))
            for shape in ((), (5,), (0,), (67,), (2, 3), (2, 1, 3, 5))
            for d in (uint32, uint64)
        ),
        True,
    ),
    cost=100,
)


def _mulhi(b: Any, x: Any, y: Any) -> Any:
    """The high 64 bits of a 128-bit product, from four products of halves."""
    mask, half = b.const(_MASK32, uint64), b.const(32, uint64)
    xl, xh, yl, yh = b.and_(x, mask), b.shr(x, half), b.and_(y, mask), b.shr(y, half)
    cross, other = b.mul(xl, yh), b.mul(xh, yl)
    middle = b.add(b.add(b.shr(b.mul(xl, yl), half), b.and_(cross, mask)), b.and_(other, mask))
    high = b.add(b.add(b.mul(xh, yh), b.shr(cross, half)), b.shr(other, half))
    return b.add(high, b.shr(middle, half))


def _mulhi_infer(x: Aval, y: Aval) -> tuple[Shape, DType]:
    if x.dtype is not uint64:
        raise DTypeError(f"uint64 is needed, got {x.dtype.name}")
    return binary_infer(Int)(x, y)


op(
    "mulhi",
    fuses="elementwise",
    arity=2,
    doc="⌊x·y / 2⁶⁴⌋ of unsigned integers.",
    infer=_mulhi_infer,
    reference=lambda x, y: _mulhi(_Arrays, x, y),
    scalar=_mulhi,
    vjp=ZERO,
    samples=Samples((uint64,), binary(0, 2.0**63), True, True),
    cost=10,
)

# ---------------------------------------------------------------- uniform numbers


def _unit(b: Any, bits: Any, dtype: DType) -> Any:
    # as many leading bits as the significand holds: the conversion is exact and stays below 1
    kept = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}[dtype.name]
    word, real, whole = (uint64, float64, int64) if dtype is float64 else (uint32, float32, int32)
    top = b.bitcast(b.shr(bits, b.const(word.bits - kept, word)), whole)
    return b.mul(b.cast(top, real), b.const(2.0**-kept, real))


def _unit_infer(bits: Aval, dtype: DType) -> tuple[Shape, DType]:
    check_kind(dtype, (Float,))
    word = word_of(dtype)
    if bits.dtype is not word:
        raise DTypeError(f"{dtype.name} is made of {word.name} bits, got {bits.dtype.name}")
    return bits.shape, dtype


def word_of(dtype: DType) -> DType:
    """The bits that one random float of `dtype` is made of."""
    return uint64 if dtype is float64 else uint32


op(
    "unit_of_bits",
    fuses="elementwise",
    params=("dtype",),
    doc="Leading bits as a number in [0, 1): a multiple of 2^-53 (float64), 2^-24 (float32), 2^-11 or 2^-8 (half).",
    infer=_unit_infer,
    reference=lambda bits, dtype: _unit(_Arrays, bits, dtype),
    scalar=_unit,
    vjp=ZERO,
    samples=Samples((uint32,), unary(0, 2**32 - 1, [(float32,)]), True, True),
    cost=3,
)

# ---------------------------------------------------------------- normal numbers

# Quantiles of the normal distribution: Wichura, "Algorithm AS 241: the percentage points of the
# normal distribution", Applied Statistics 37 (1988), PPND7 and PPND16. Numerators and
# denominators, constant term first: the centre, the tail down to e^-25, the tail beyond.
_Polynomial = tuple[float, ...]
_PPND7: tuple[tuple[_Polynomial, _Polynomial], ...] = (
    (
        (3.3871327179e0, 5.0434271938e1, 1.5929113202e2, 5.9109374720e1),
        (1.0, 1.7895169469e1, 7.8757757664e1, 6.7187563600e1),
    ),
    (
        (1.4234372777e0, 2.7568153900e0, 1.3067284816e0, 1.7023821103e-1),
        (1.0, 7.3700164250e-1, 1.2021132975e-1),
    ),
)
_PPND16: tuple[tuple[_Polynomial, _Polynomial], ...] = (
    (
        (
            3.3871328727963666080e0,
            1.3314166789178437745e2,
            1.9715909503065514427e3,
            1.3731693765509461125e4,
            4.5921953931549871457e4,
            6.7265770927008700853e4,
            3.3430575583588128105e4,
            2.5090809287301226727e3,
        ),
        (
            1.0,
            4.2313330701600911252e1,
            6.8718700749205790830e2,
            5.3941960214247511077e3,
            2.1213794301586595867e4,
            3.9307895800092710610e4,
            2.8729085735721942674e4,
            5.2264952788528545610e3,
        ),
    ),
    (
        (
            1.42343711074968357734e0,
            4.63033784615654529590e0,
            5.76949722146069140550e0,
            3.64784832476320460504e0,
            1.27045825245236838258e0,
            2.41780725177450611770e-1,
            2.27238449892691845833e-2,
            7.74545014278341407640e-4,
        ),
        (
            1.0,
            2.05319162663775882187e0,
            1.67638483018380384940e0,
            6.89767334985100004550e-1,
            1.48103976427480074590e-1,
            1.51986665636164571966e-2,
            5.47593808499534494600e-4,
            1.05075007164441684324e-9,
        ),
    ),
    (
        (
            6.65790464350110377720e0,
            5.46378491116411436990e0,
            1.78482653991729133580e0,
            2.96560571828504891230e-1,
            2.65321895265761230930e-2,
            1.24266094738807843860e-3,
            2.71155556874348757815e-5,
            2.01033439929228813265e-7,
        ),
        (
            1.0,
            5.99832206555887937690e-1,
            1.36929880922735805310e-1,
            1.48753612908506148525e-2,
            7.86869131145613259100e-4,
            1.84631831751005468180e-5,
            1.42151175831644588870e-7,
            2.04426310338993978564e-15,
        ),
    ),
)


def _polynomial(b: Any, x: Any, coefficients: Sequence[float], real: DType) -> Any:
    total = b.const(coefficients[-1], real)
    for c in reversed(coefficients[:-1]):
        total = b.add(b.mul(total, x), b.const(c, real))
    return total


def _log(b: Any, x: Any, real: DType) -> Any:
    """ln x of a positive normal number: ln(2ᵉ·m) = e·ln 2 + 2·artanh((m - 1)/(m + 1)), by its series."""
    word, whole, width, bias, terms = (uint64, int64, 52, 1023, 12) if real is float64 else (uint32, int32, 23, 127, 6)
    one = b.const(1, real)
    bits = b.bitcast(x, word)
    exponent = b.sub(b.bitcast(b.shr(bits, b.const(width, word)), whole), b.const(bias, whole))
    digits = b.and_(bits, b.const((1 << width) - 1, word))
    m = b.bitcast(b.or_(digits, b.const(bias << width, word)), real)
    big = b.gt(m, b.const(math.sqrt(2.0), real))
    m = b.select(big, b.mul(m, b.const(0.5, real)), m)
    e = b.cast(exponent, real)
    e = b.select(big, b.add(e, one), e)
    s = b.div(b.sub(m, one), b.add(m, one))
    series = _polynomial(b, b.mul(s, s), [2.0 / (2 * i + 1) for i in range(terms)], real)
    return b.add(b.mul(e, b.const(math.log(2.0), real)), b.mul(s, series))


def _normal(b: Any, bits: Any) -> Any:
    """One bit is the sign, the others t in (0, 1/2] the probability of the tail beyond the result."""
    word, real, whole, table = (
        (uint64, float64, int64, _PPND16) if bits.dtype in (uint64, uint64.np) else (uint32, float32, int32, _PPND7)
    )
    top = 1 << (word.bits - 1)
    half = b.const(0.5, real)
    magnitude = b.bitcast(b.and_(bits, b.const(top - 1, word)), whole)
    t = b.mul(b.add(b.cast(magnitude, real), half), b.const(2.0**-word.bits, real))

    q = b.sub(half, t)
    centre = b.ge(b.const(0.425, real), q)
    near = b.sub(b.const(0.180625, real), b.mul(q, q))
    root = b.sqrt(b.neg(_log(b, t, real)))
    tail = b.sub(root, b.const(1.6, real))
    (a_top, a_below), (c_top, c_below) = table[:2]
    numerator, denominator = _polynomial(b, tail, c_top, real), _polynomial(b, tail, c_below, real)
    if len(table) == 3:  # 2^-33 is no further than e^-25, 2^-65 is
        far = b.gt(root, b.const(5, real))
        beyond = b.sub(root, b.const(5, real))
        numerator = b.select(far, _polynomial(b, beyond, table[2][0], real), numerator)
        denominator = b.select(far, _polynomial(b, beyond, table[2][1], real), denominator)
    numerator = b.select(centre, b.mul(q, _polynomial(b, near, a_top, real)), numerator)
    denominator = b.select(centre, _polynomial(b, near, a_below, real), denominator)
    z = b.div(numerator, denominator)
    negative = b.ne(b.and_(bits, b.const(top, word)), b.const(0, word))
    return b.select(negative, b.neg(z), z)


def _normal_infer(bits: Aval) -> tuple[Shape, DType]:
    if bits.dtype is not uint32 and bits.dtype is not uint64:
        raise DTypeError(f"uint32 or uint64 is needed, got {bits.dtype.name}")
    return bits.shape, float32 if bits.dtype is uint32 else float64


op(
    "normal_of_bits",
    fuses="elementwise",
    doc="Uniform bits as standard normal numbers, by the inverse of the distribution function; always finite.",
    infer=_normal_infer,
    reference=lambda bits: _normal(_Arrays, bits),
    scalar=_normal,
    vjp=ZERO,
    samples=Samples((uint32, uint64), unary(0, 2**32 - 1), True, True),
    cost=60,
)

# ---------------------------------------------------------------- keys

_SEEDS, _SPLITS, _FOLDS = 0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0  # digits of π
_SPREAD = 0x9E3779B97F4A7C15  # odd, so that multiplying by it is one to one


class _Ints:
    """The builder over Python ints, for uint32."""

    @staticmethod
    def const(value: int, _dtype: DType) -> int:
        return value

    @staticmethod
    def add(x: int, y: int) -> int:
        return (x + y) & _MASK32

    @staticmethod
    def xor(x: int, y: int) -> int:
        return x ^ y

    @staticmethod
    def or_(x: int, y: int) -> int:
        return x | y

    @staticmethod
    def shl(x: int, n: int) -> int:
        return (x << n) & _MASK32

    @staticmethod
    def shr(x: int, n: int) -> int:
        return x >> n


def _block(key: int, counter: int) -> int:
    """What `random_bits` with `key` gives at position `counter`, as uint64."""
    low, high = _threefry(_Ints, key & _MASK32, key >> 32, counter & _MASK32, counter >> 32)
    return int(low) | int(high) << 32


def key_of(seed: int) -> int:
    """The key of a seed, any Python int."""
    key = _block(_SEEDS, seed & _MASK64)
    rest = seed >> 64
    while rest:
        key = fold_key(key, rest & _MASK64)
        if rest == -1:
            break
        rest >>= 64
    return key


def fold_key(key: int, data: int) -> int:
    """A new key from `key` and an int: `fold_in` on Python ints."""
    return _block(key ^ _FOLDS ^ (data * _SPREAD & _MASK64), 0)


def split_key_ints(key: int, n: int) -> list[int]:
    """`n` new keys from `key`: `split_key` on Python ints."""
    return [_block(key ^ _SPLITS, i) for i in range(n)]


def fold_in(do: Any, key: Any, data: int) -> Any:
    """A new key from the key and an int, independent of those for other ints."""
    return do.random_bits(do.bit_xor(key, _FOLDS ^ (data * _SPREAD & _MASK64)), (), uint64)


def split_key(do: Any, key: Any, n: int) -> Any:
    """`n` independent keys, as a uint64 tensor of shape (n,)."""
    if n < 0:
        raise ArgumentError(f"the number of keys is {n}")
    return do.random_bits(do.bit_xor(key, _SPLITS), (n,), uint64)


# ---------------------------------------------------------------- distributions


def uniform(do: Any, key: Any, shape: Shape, dtype: DType) -> Any:
    """Uniform in [0, 1): every multiple of 2^-53 (float64), 2^-24 (float32), 2^-11, 2^-8; never 1."""
    check_kind(dtype, (Float,))
    return do.unit_of_bits(do.random_bits(key, shape, word_of(dtype)), dtype)


def _below(value: float, dtype: DType) -> float:
    """The largest number of `dtype` that is less than `value`."""
    near = np.asarray(value).astype(dtype.np)
    if float(near) >= value:
        near = np.nextafter(near, np.asarray(-math.inf).astype(dtype.np))
    return float(near)


def uniform_range(do: Any, key: Any, shape: Shape, low: float, high: float, dtype: DType) -> Any:
    """Uniform in [low, high), never `high`; `low` itself where the two are equal."""
    check_kind(dtype, (Float,))
    low, high = float(low), float(high)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ArgumentError(f"a finite range with low ≤ high is needed, got {low} to {high}")
    info = dtype.finfo()
    assert info is not None
    if max(abs(low), abs(high)) > info.max:
        raise ScalarRangeError(f"the bounds {low} and {high} do not fit {dtype.name}")
    if low == high:
        return do.full(low, shape, dtype)
    real = float64 if dtype is float64 else float32
    u = uniform(do, key, shape, real)
    wide = high - low
    if real is float32 and wide > 3.4028234e38 or wide == math.inf:
        values = do.add(do.mul(do.sub(1.0, u), low), do.mul(u, high))
    else:
        values = do.add(do.mul(u, high - low), low)
    if real is not dtype:
        values = do.cast(values, dtype)
    # rounding may reach the end
    return do.minimum(values, _below(high, dtype))


def normal(do: Any, key: Any, shape: Shape, dtype: DType) -> Any:
    """Standard normal, always finite: within ±6.4 (±9.1 in float64)."""
    check_kind(dtype, (Float,))
    z = do.normal_of_bits(do.random_bits(key, shape, word_of(dtype)))
    return do.cast(z, dtype) if dtype.is_half() else z


def bernoulli(do: Any, key: Any, shape: Shape, p: Any) -> Any:
    """True with probability p, a number (to a multiple of 2^-32) or a Float tensor that broadcasts to the shape."""
    if not isinstance(p, (int, float)):
        return do.lt(uniform(do, key, shape, p.dtype), p)
    if not 0 <= p <= 1:
        raise ArgumentError(f"a probability lies between 0 and 1, got {p}")
    threshold = round(p * 2**32)
    if threshold > _MASK32:
        return do.full(True, shape, bool_)
    return do.lt(do.random_bits(key, shape, uint32), threshold)


def randint(do: Any, key: Any, shape: Shape, low: int, high: int, dtype: DType) -> Any:
    """Uniform integers in [low, high); each has its probability within 2^-64."""
    check_kind(dtype, (Int,))
    if low >= high:
        raise ArgumentError(f"the range from {low} to {high} holds no integer")
    check_scalar(low, dtype)
    check_scalar(high - 1, dtype)
    bits = do.random_bits(key, shape, uint64)
    span = high - low
    offset = bits if span > _MASK64 else do.mulhi(bits, span)
    # wraps into the dtype, where the sum is right again
    return do.add(do.cast(offset, dtype), low)


def permutation(do: Any, key: Any, n: int, dtype: DType) -> Any:
    """The integers below n in random order."""
    if n < 0:
        raise ArgumentError(f"the number of elements is {n}")
    order = do.argsort(do.random_bits(key, (n,), uint64), 0, False, True)
    return order if dtype is int64 else do.cast(order, dtype)
