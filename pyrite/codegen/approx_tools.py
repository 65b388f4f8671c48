"""Building blocks of the elementary functions: constants, polynomials, exact sums and products.

A pair (h, l) stands for the unevaluated sum h + l (double-double arithmetic: T. J. Dekker, "A floating-point
technique for extending the available precision", 1971). Coefficients come lowest power first; all polynomials of
this package interpolate their function at Chebyshev nodes, computed with 70 digits and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .vector import V, Vector

Pair = tuple[V, V]

INTEGER = {"f64": "i64", "f32": "i32"}
FRACTION_BITS = {"f64": 52, "f32": 23}
BIAS = {"f64": 1023, "f32": 127}
# Adding it rounds to an integer, half to even, which then stands in the low bits of the sum.
ROUNDER = {"f64": 1.5 * 2.0**52, "f32": 1.5 * 2.0**23}
INF = float("inf")
NAN = float("nan")


def hexadecimal(*texts: str) -> tuple[float, ...]:
    """Constants given to the last bit."""
    return tuple(float.fromhex(text) for text in texts)


def constants(b: Vector, type: str) -> Callable[[float], V]:
    """A short name for constants of one type."""
    return lambda value: b.const(type, value)


def polynomial(b: Vector, x: V, coefficients: Sequence[float]) -> V:
    """Horner's scheme with fma."""
    result = b.const(x.type, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = b.fma(result, x, b.const(x.type, coefficient))
    return result


def fast_two_sum(b: Vector, x: V, y: V) -> Pair:
    """x + y exactly, for |x| >= |y| or x = 0."""
    total = b.fadd(x, y)
    return total, b.fsub(y, b.fsub(total, x))


def two_sum(b: Vector, x: V, y: V) -> Pair:
    """x + y exactly (Knuth)."""
    total = b.fadd(x, y)
    part = b.fsub(total, x)
    return total, b.fadd(b.fsub(x, b.fsub(total, part)), b.fsub(y, part))


def two_product(b: Vector, x: V, y: V) -> Pair:
    """x y exactly."""
    product = b.fmul(x, y)
    return product, b.fma(x, y, b.fneg(product))


def divide_pair(b: Vector, x: Pair, y: Pair) -> Pair:
    """x / y to about 100 bits, for y within 2**±1000."""
    inverse = b.fdiv(b.const("f64", 1.0), y[0])
    quotient = b.fmul(x[0], inverse)
    negative = b.fneg(quotient)
    remainder = b.fma(negative, y[1], b.fadd(b.fma(negative, y[0], x[0]), x[1]))
    return quotient, b.fmul(remainder, inverse)


def sqrt_pair(b: Vector, x: Pair) -> Pair:
    """The square root of x to about 100 bits, for x = 0 or x above 2**-1000."""
    root = b.sqrt(x[0])
    remainder = b.fadd(b.fma(b.fneg(root), root, x[0]), x[1])
    # The tiny addend is absorbed unless the root is 0.
    return root, b.fdiv(remainder, b.fma(root, b.const("f64", 2.0), b.const("f64", 2.0**-600)))


def lower_bound(b: Vector, x: V, bound: float) -> V:
    """The larger of x and a constant; keeps NaN."""
    limit = b.const(x.type, bound)
    return b.select(b.fcmp("ogt", limit, x), limit, x)


def upper_bound(b: Vector, x: V, bound: float) -> V:
    """The smaller of x and a constant; keeps NaN."""
    limit = b.const(x.type, bound)
    return b.select(b.fcmp("olt", limit, x), limit, x)


def power_of_two(b: Vector, exponent: V, type: str) -> V:
    """The float whose biased exponent stands in the low bits of an integer; higher bits are ignored."""
    return b.bitcast(b.shl(exponent, b.const(exponent.type, FRACTION_BITS[type])), type)


def flip_sign(b: Vector, x: V, mask: V) -> V:
    """x with the sign bit toggled where the mask has it."""
    return b.bitcast(b.ixor(b.bitcast(x, mask.type), mask), x.type)


def through_f64(kernel: Callable[..., V]) -> Callable[..., V]:
    """A kernel of f64 values, more exact than f32 needs, applied to f32 values and rounded once."""

    def function(b: Vector, *values: V) -> V:
        return b.fptrunc(kernel(b, *(b.fpext(value, "f64") for value in values)), "f32")

    return function
