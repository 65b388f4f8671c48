"""Arithmetic, comparisons, logic, bits, selection and casts, one element at a time.

Inputs broadcast and have equal dtypes (promotion is the dialects' business). Gradients of
Complex tensors are those of holomorphic functions: rules carry no conjugates, and the
descent direction of a real loss is the conjugate of the gradient.

References are called with NumPy's floating-point warnings off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import (
    ALL,
    COMPLEX,
    FLOATS,
    INTS,
    Bool,
    Complex,
    DType,
    Float,
    Int,
    Kind,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float32,
    float64,
    int32,
    uint32,
)
from ..errors import DTypeError
from ..layout import broadcast_shapes
from .record import ZERO, Arg, Aval, Case, Samples, Shape, op
from .samples import PAIRS, binary, ints, reals, unary

Array = np.ndarray[Any, Any]
Infer = Callable[..., tuple[Shape, DType]]
Kinds = tuple[type[Kind], ...]

NUMBERS: Kinds = (Float, Int, Complex)
REALS: Kinds = (Float, Int)
FIELDS: Kinds = (Float, Complex)


def computed(dtype: DType) -> DType:
    """The dtype that `scalar` rules see in place of `dtype`: float32 for the half types."""
    return float32 if dtype.is_half() else dtype


def check_kind(dtype: DType, kinds: Kinds) -> None:
    """Raises `DTypeError` unless `dtype` is of one of `kinds`."""
    if dtype.kind in kinds:
        return
    wanted = " or ".join(k.__name__ for k in kinds)
    hint = None
    if dtype.kind is Bool and Int in kinds:
        hint = "use the logical operations and, or, xor, not on bool, or cast it to a number first"
    elif Bool in kinds and len(kinds) == 1:
        hint = "compare with 0, or cast it to bool first"
    elif dtype.kind in (Int, Bool) and Float in kinds:
        hint = "cast it first, for example to float32"
    raise DTypeError(f"a tensor of kind {wanted} is needed, got {dtype.name}", hint)


def check_equal(a: DType, b: DType) -> None:
    """Raises `DTypeError` unless the two dtypes are one."""
    if a is not b:
        raise DTypeError(f"{a.name} and {b.name} differ", f"cast one of them first, for example to {a.name}")


def unary_infer(*kinds: type[Kind], result: DType | None = None) -> Infer:
    """`infer` of one input that keeps its shape; the dtype is the input's or `result`."""

    def infer(x: Aval) -> tuple[Shape, DType]:
        check_kind(x.dtype, kinds)
        return x.shape, result or x.dtype

    return infer


def binary_infer(*kinds: type[Kind], result: DType | None = None) -> Infer:
    """`infer` of two inputs that broadcast; the dtype is theirs or `result`."""

    def infer(x: Aval, y: Aval) -> tuple[Shape, DType]:
        dtype = x.dtype
        if dtype.kind not in kinds or dtype is not y.dtype:
            check_kind(dtype, kinds)
            check_kind(y.dtype, kinds)
            check_equal(dtype, y.dtype)
        a, b = x.shape, y.shape
        return a if a == b or not b else broadcast_shapes(a, b), result or dtype

    return infer


def _pairs(dtypes: tuple[DType, ...], lo: float = -3.0, hi: float = 3.0, exact: bool = True) -> Samples:
    return Samples(dtypes, binary(lo, hi), exact, True)


# ---------------------------------------------------------------- arithmetic

op(
    "add",
    fuses="elementwise",
    arity=2,
    doc="x + y; integers wrap.",
    infer=binary_infer(*NUMBERS),
    reference=np.add,
    scalar=lambda b, x, y: b.add(x, y),
    vjp=lambda do, g, _out, _x, _y: [g, g],
    samples=_pairs(FLOATS + INTS + COMPLEX),
)

op(
    "sub",
    fuses="elementwise",
    arity=2,
    doc="x - y; integers wrap.",
    infer=binary_infer(*NUMBERS),
    reference=np.subtract,
    scalar=lambda b, x, y: b.sub(x, y),
    vjp=lambda do, g, _out, _x, _y: [g, do.neg(g)],
    samples=_pairs(FLOATS + INTS + COMPLEX),
)

op(
    "mul",
    fuses="elementwise",
    arity=2,
    doc="x · y; integers wrap.",
    infer=binary_infer(*NUMBERS),
    reference=np.multiply,
    scalar=lambda b, x, y: b.mul(x, y),
    vjp=lambda do, g, _out, x, y: [do.mul(g, y), do.mul(g, x)],
    masks=True,
    samples=_pairs(FLOATS + INTS + COMPLEX),
)


def _div_vjp(do: Any, g: Any, out: Any, _x: Any, y: Any) -> list[Any]:
    # d(x/y) = dx/y - (x/y)·dy/y
    gx = do.div(g, y)
    return [gx, do.neg(do.mul(gx, out))]


op(
    "div",
    fuses="elementwise",
    arity=2,
    doc="x / y, the true quotient.",
    infer=binary_infer(*FIELDS),
    reference=np.divide,
    scalar=lambda b, x, y: b.div(x, y),
    vjp=_div_vjp,
    samples=Samples(FLOATS + COMPLEX, binary(-3, 3, 0.5, 3), True, True),
    cost=4,
)


def _idiv_reference(x: Array, y: Array) -> Any:
    safe = np.where(y == 0, 1, y)
    floor = np.floor_divide(x, safe)
    rest = x - floor * safe
    # the floor is one too low where the signs differ and something is left
    trunc = floor + ((rest != 0) & ((x < 0) != (y < 0)))
    return np.where(y == 0, 0, trunc)


op(
    "idiv",
    fuses="elementwise",
    arity=2,
    doc="The quotient x / y of integers, rounded toward zero; 0 where y = 0, and the least value over -1 wraps.",
    infer=binary_infer(Int),
    reference=_idiv_reference,
    scalar=lambda b, x, y: b.idiv(x, y),
    vjp=ZERO,
    samples=_pairs(INTS, -9, 10),
    cost=20,
)

op(
    "truncmod",
    fuses="elementwise",
    arity=2,
    doc="x - y·trunc(x / y) of integers, with the sign of x; 0 where y = 0.",
    infer=binary_infer(Int),
    reference=lambda x, y: np.where(y == 0, 0, x - _idiv_reference(x, y) * y),
    scalar=lambda b, x, y: b.irem(x, y),
    vjp=ZERO,
    samples=_pairs(INTS, -9, 10),
    cost=20,
)


def _crosses(b: Any, rest: Any, y: Any) -> Any:
    """Is a truncated remainder non-zero with the other sign than y: then floors differ from truncation."""
    zero = b.const(0, y.dtype)
    return b.and_(b.ne(rest, zero), b.xor(b.lt(rest, zero), b.lt(y, zero)))


def _floordiv_scalar(b: Any, x: Any, y: Any) -> Any:
    dtype = x.dtype
    one = b.const(1, dtype)
    if dtype.kind is Int:
        q = b.idiv(x, y)
        if not dtype.signed:
            return q
        crosses = b.and_(_crosses(b, b.irem(x, y), y), b.ne(y, b.const(0, dtype)))
        return b.select(crosses, b.sub(q, one), q)
    # As NumPy: from the exact remainder, so that q·y + floormod(x, y) = x up to one rounding.
    zero = b.const(0, dtype)
    rest = b.call("fmod", x, y)
    quotient = b.div(x, y)
    q = b.div(b.sub(x, rest), y)
    q = b.select(_crosses(b, rest, y), b.sub(q, one), q)
    whole = b.floor(q)
    whole = b.select(b.gt(b.sub(q, whole), b.const(0.5, dtype)), b.add(whole, one), whole)
    whole = b.select(b.eq(q, zero), b.copysign(zero, quotient), whole)
    # with an infinity on either side, the quotient is the answer of the array API
    inf = b.const(float("inf"), dtype)
    plain = b.or_(b.eq(y, zero), b.or_(b.eq(b.abs(x), inf), b.eq(b.abs(y), inf)))
    return b.select(plain, quotient, whole)


def _floordiv_reference(x: Array, y: Array) -> Any:
    if x.dtype.kind == "f":
        return np.where((y == 0) | np.isinf(x) | np.isinf(y), x / y, np.floor_divide(x, y))
    return np.where(y == 0, 0, np.floor_divide(x, np.where(y == 0, 1, y)))


op(
    "floordiv",
    fuses="elementwise",
    arity=2,
    doc=(
        "⌊x / y⌋. Integers: 0 where y = 0, and the least value over -1 wraps. "
        "Floats: x / y where y = 0 or either is infinite."
    ),
    infer=binary_infer(*REALS),
    reference=_floordiv_reference,
    scalar=_floordiv_scalar,
    vjp=ZERO,
    samples=_pairs(FLOATS + INTS, -9, 10),
    cost=40,
)


def _floormod_scalar(b: Any, x: Any, y: Any) -> Any:
    dtype = x.dtype
    if dtype.kind is Int:
        rest = b.irem(x, y)
        if not dtype.signed:
            return rest
        crosses = b.and_(_crosses(b, rest, y), b.ne(y, b.const(0, dtype)))
        return b.select(crosses, b.add(rest, y), rest)
    zero = b.const(0, dtype)
    rest = b.call("fmod", x, y)
    moved = b.select(_crosses(b, rest, y), b.add(rest, y), rest)
    return b.select(b.eq(rest, zero), b.copysign(zero, y), moved)


def _floormod_reference(x: Array, y: Array) -> Any:
    if x.dtype.kind == "f":
        return np.remainder(x, y)
    return np.where(y == 0, 0, np.remainder(x, np.where(y == 0, 1, y)))


op(
    "floormod",
    fuses="elementwise",
    arity=2,
    doc="x - y·⌊x / y⌋, with the sign of y. Where y = 0: 0 for integers, NaN for floats.",
    infer=binary_infer(*REALS),
    reference=_floormod_reference,
    scalar=_floormod_scalar,
    vjp=lambda do, g, _out, x, y: [g, do.neg(do.mul(g, do.floordiv(x, y)))],
    samples=_pairs(FLOATS + INTS, -9, 10),
    cost=40,
)


def _fmod_vjp(do: Any, g: Any, out: Any, x: Any, y: Any) -> list[Any]:
    # x - out is y·trunc(x/y) exactly or nearly, so that rounding finds the integer
    return [g, do.neg(do.mul(g, do.rint(do.div(do.sub(x, out), y))))]


op(
    "fmod",
    fuses="elementwise",
    arity=2,
    doc="x - y·trunc(x / y) as C's fmod: exact, with the sign of x; NaN where y = 0 or x is infinite.",
    infer=binary_infer(Float),
    reference=np.fmod,
    scalar=lambda b, x, y: b.call("fmod", x, y),
    vjp=_fmod_vjp,
    samples=_pairs(FLOATS, -9, 9),
    cost=30,
)

op(
    "neg",
    fuses="elementwise",
    doc="-x; integers wrap.",
    infer=unary_infer(*NUMBERS),
    reference=np.negative,
    scalar=lambda b, x: b.neg(x),
    vjp=lambda do, g, _out, _x: [do.neg(g)],
    samples=Samples(FLOATS + INTS + COMPLEX, unary(), True, True),
)


def part_dtype(dtype: DType) -> DType:
    """The dtype of the parts of a complex number."""
    return float64 if dtype is complex128 else float32


def _abs_infer(x: Aval) -> tuple[Shape, DType]:
    check_kind(x.dtype, NUMBERS)
    return x.shape, part_dtype(x.dtype) if x.dtype.kind is Complex else x.dtype


def complex_sign(do: Any, x: Any) -> Any:
    """x / |x| of a complex tensor, 0 at 0."""
    size = do.abs(x)
    zero = do.eq(size, 0)
    return do.where(zero, 0, do.div(x, do.cast(do.where(zero, 1.0, size), x.dtype)))


def _abs_vjp(do: Any, g: Any, _out: Any, x: Any) -> list[Any]:
    # the sign is 0 at 0, a subgradient
    if x.dtype.kind is Complex:
        return [do.mul(do.cast(g, x.dtype), do.conj(complex_sign(do, x)))]
    return [do.mul(g, do.sign(x))]


op(
    "abs",
    fuses="elementwise",
    doc="|x|; the least integer wraps to itself.",
    infer=_abs_infer,
    reference=np.abs,
    scalar=lambda b, x: b.abs(x),
    vjp=_abs_vjp,
    samples=Samples(FLOATS + INTS + COMPLEX, unary(), True, True),
)


def _sign_scalar(b: Any, x: Any) -> Any:
    zero, one = b.const(0, x.dtype), b.const(1, x.dtype)
    rest = zero
    if x.dtype.kind is Float:
        rest = b.select(b.eq(x, zero), zero, x)  # NaN stays
    if x.dtype.signed:
        rest = b.select(b.lt(x, zero), b.const(-1, x.dtype), rest)
    return b.select(b.gt(x, zero), one, rest)


op(
    "sign",
    fuses="elementwise",
    doc="-1, 0 or 1 by the sign of x; 0 for -0, NaN for NaN.",
    infer=unary_infer(*REALS),
    reference=np.sign,
    scalar=_sign_scalar,
    vjp=ZERO,
    samples=Samples(FLOATS + INTS, unary(), True, True),
)

op(
    "square",
    fuses="elementwise",
    doc="x²; integers wrap.",
    infer=unary_infer(*NUMBERS),
    reference=np.square,
    scalar=lambda b, x: b.mul(x, x),
    vjp=lambda do, g, _out, x: [do.mul(g, do.mul(x, 2))],
    samples=Samples(FLOATS + INTS, unary(), True, True),
)

op(
    "recip",
    fuses="elementwise",
    doc="1 / x; ±∞ at ±0.",
    infer=unary_infer(*FIELDS),
    reference=lambda x: np.divide(np.ones((), x.dtype), x),
    scalar=lambda b, x: b.div(b.const(1, x.dtype), x),
    vjp=lambda do, g, out, _x: [do.neg(do.mul(g, do.mul(out, out)))],
    samples=reals(0.5, 3, exact=True),
    cost=4,
)


def _extreme_reference(pick: Any, low: bool) -> Callable[[Array, Array], Any]:
    def reference(x: Array, y: Array) -> Any:
        out = pick(x, y)
        if x.dtype.kind != "f":
            return out
        # -0 < +0, which NumPy leaves open: the sum of two zeros is the larger, and mirrored the smaller
        zeros = -((-x) + (-y)) if low else x + y
        return np.where((x == 0) & (y == 0), zeros, out)

    return reference


def _split_by(do: Any, second: Any, g: Any) -> list[Any]:
    return [do.where(second, 0, g), do.where(second, g, 0)]


op(
    "maximum",
    fuses="elementwise",
    arity=2,
    doc="The larger of x and y; NaN if either is. The gradient goes to x where they are equal.",
    infer=binary_infer(*REALS),
    reference=_extreme_reference(np.maximum, False),
    scalar=lambda b, x, y: b.max(x, y),
    vjp=lambda do, g, _out, x, y: _split_by(do, do.lt(x, y), g),
    samples=_pairs(FLOATS + INTS),
)

op(
    "minimum",
    fuses="elementwise",
    arity=2,
    doc="The smaller of x and y; NaN if either is. The gradient goes to x where they are equal.",
    infer=binary_infer(*REALS),
    reference=_extreme_reference(np.minimum, True),
    scalar=lambda b, x, y: b.min(x, y),
    vjp=lambda do, g, _out, x, y: _split_by(do, do.gt(x, y), g),
    samples=_pairs(FLOATS + INTS),
)

op(
    "copysign",
    fuses="elementwise",
    arity=2,
    doc="|x| with the sign bit of y.",
    infer=binary_infer(Float),
    reference=np.copysign,
    scalar=lambda b, x, y: b.copysign(x, y),
    vjp=lambda do, g, _out, x, y: [do.mul(g, do.mul(do.sign(x), do.copysign(1, y))), None],
    samples=_pairs(FLOATS),
)


def _ipow_scalar(b: Any, x: Any, y: Any) -> Any:
    # One square a bit of the exponent; the sign bit is handled apart.
    dtype = x.dtype
    zero, one = b.const(0, dtype), b.const(1, dtype)
    odd = b.ne(b.and_(y, one), zero)
    result = b.select(odd, x, one)
    power = x
    for i in range(1, dtype.bits - (1 if dtype.signed else 0)):
        power = b.mul(power, power)
        bit = b.and_(y, b.const(1 << i, dtype))
        result = b.select(b.ne(bit, zero), b.mul(result, power), result)
    if not dtype.signed:
        return result
    minus = b.const(-1, dtype)
    inverse = b.select(b.eq(x, minus), b.select(odd, minus, one), b.select(b.eq(x, one), one, zero))
    return b.select(b.lt(y, zero), inverse, result)


def _ipow_reference(x: Array, y: Array) -> Any:
    result = np.power(x, np.where(y < 0, 0, y))
    if x.dtype.kind == "u":
        return result
    inverse = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0))
    return np.where(y < 0, inverse.astype(x.dtype), result)


op(
    "ipow",
    fuses="elementwise",
    arity=2,
    doc="xʸ of integers, wrapped; for y < 0 the real value truncated, and 0 where x = 0.",
    infer=binary_infer(Int),
    reference=_ipow_reference,
    scalar=_ipow_scalar,
    vjp=ZERO,
    samples=Samples(INTS, binary(-3, 4, -2, 7), True, True),
    cost=60,
)

# ---------------------------------------------------------------- comparisons


def _comparison(name: str, text: str, kinds: Kinds, dtypes: tuple[DType, ...], reference: Any) -> None:
    op(
        name,
        fuses="elementwise",
        arity=2,
        doc=f"x {text} y, as bool.",
        infer=binary_infer(*kinds, result=bool_),
        reference=reference,
        scalar=lambda b, x, y: getattr(b, name)(x, y),
        vjp=ZERO,
        samples=Samples(dtypes, binary(-2, 3), True, True),
    )


_comparison("eq", "=", (Float, Int, Bool, Complex), ALL, np.equal)
_comparison("ne", "≠", (Float, Int, Bool, Complex), ALL, np.not_equal)
_comparison("lt", "<", REALS, FLOATS + INTS, np.less)
_comparison("le", "≤", REALS, FLOATS + INTS, np.less_equal)
_comparison("gt", ">", REALS, FLOATS + INTS, np.greater)
_comparison("ge", "≥", REALS, FLOATS + INTS, np.greater_equal)

# ---------------------------------------------------------------- logic and bits


def _bitwise(name: str, doc: str, kind: type[Kind], dtypes: tuple[DType, ...], reference: Any, call: str) -> None:
    op(
        name,
        fuses="elementwise",
        arity=2,
        doc=doc,
        infer=binary_infer(kind),
        reference=reference,
        scalar=lambda b, x, y: getattr(b, call)(x, y),
        vjp=ZERO,
        samples=Samples(dtypes, binary(0 if kind is Bool else -9, 2 if kind is Bool else 10), True, True),
    )


_bitwise("logical_and", "True where both are.", Bool, (bool_,), np.logical_and, "and_")
_bitwise("logical_or", "True where at least one is.", Bool, (bool_,), np.logical_or, "or_")
_bitwise("logical_xor", "True where exactly one is.", Bool, (bool_,), np.logical_xor, "xor")
_bitwise("bit_and", "The bits set in both integers.", Int, INTS, np.bitwise_and, "and_")
_bitwise("bit_or", "The bits set in at least one of two integers.", Int, INTS, np.bitwise_or, "or_")
_bitwise("bit_xor", "The bits set in exactly one of two integers.", Int, INTS, np.bitwise_xor, "xor")

op(
    "logical_not",
    fuses="elementwise",
    doc="True where x is false.",
    infer=unary_infer(Bool),
    reference=np.logical_not,
    scalar=lambda b, x: b.not_(x),
    vjp=ZERO,
    samples=Samples((bool_,), unary(0, 2), True, True),
)

op(
    "bit_not",
    fuses="elementwise",
    doc="All bits flipped; -x - 1 for signed integers.",
    infer=unary_infer(Int),
    reference=np.invert,
    scalar=lambda b, x: b.not_(x),
    vjp=ZERO,
    samples=ints(-9, 10),
)


def _too_wide(b: Any, n: Any) -> Any:
    wide = b.ge(n, b.const(n.dtype.bits, n.dtype))
    return b.or_(wide, b.lt(n, b.const(0, n.dtype))) if n.dtype.signed else wide


def _shl_scalar(b: Any, x: Any, n: Any) -> Any:
    zero = b.const(0, x.dtype)
    wide = _too_wide(b, n)
    return b.select(wide, zero, b.shl(x, b.select(wide, zero, n)))


def _shr_scalar(b: Any, x: Any, n: Any) -> Any:
    wide = _too_wide(b, n)
    shifted = b.shr(x, b.select(wide, b.const(x.dtype.bits - 1, x.dtype), n))
    return shifted if x.dtype.signed else b.select(wide, b.const(0, x.dtype), shifted)


def _shift_reference(x: Array, n: Array, left: bool) -> Any:
    bits = x.dtype.itemsize * 8
    wide = (n < 0) | (n >= bits)
    if left:
        return np.where(wide, 0, np.left_shift(x, np.where(wide, 0, n)))
    sign = np.right_shift(x, x.dtype.type(bits - 1)) if x.dtype.kind == "i" else 0
    return np.where(wide, sign, np.right_shift(x, np.where(wide, 0, n)))


op(
    "shl",
    fuses="elementwise",
    arity=2,
    doc="x shifted left by y bits; 0 where y is negative or no less than the width.",
    infer=binary_infer(Int),
    reference=lambda x, n: _shift_reference(x, n, True),
    scalar=_shl_scalar,
    vjp=ZERO,
    samples=Samples(INTS, binary(-9, 10, -2, 70), True, True),
    cost=3,
)

op(
    "shr",
    fuses="elementwise",
    arity=2,
    doc="⌊x / 2ʸ⌋, by bits; where y is negative or no less than the width, 0, or -1 for x < 0.",
    infer=binary_infer(Int),
    reference=lambda x, n: _shift_reference(x, n, False),
    scalar=_shr_scalar,
    vjp=ZERO,
    samples=Samples(INTS, binary(-9, 10, -2, 70), True, True),
    cost=3,
)

# ---------------------------------------------------------------- selection


def _where_infer(c: Aval, x: Aval, y: Aval) -> tuple[Shape, DType]:
    if c.dtype is not bool_:
        raise DTypeError(f"the condition must be bool, got {c.dtype.name}", "compare with 0, or cast it to bool first")
    check_equal(x.dtype, y.dtype)
    return broadcast_shapes(c.shape, x.shape, y.shape), x.dtype


def _where_cases() -> tuple[Case, ...]:
    out = [Case((Arg(b, 0, 2, bool_), Arg(a), Arg(b))) for a, b in PAIRS]
    out += [Case((Arg((2, 1), 0, 2, bool_), Arg((1, 3)), Arg(()))), Case((Arg((), 0, 2, bool_), Arg((4,)), Arg((4,))))]
    return tuple(out)


op(
    "where",
    fuses="elementwise",
    arity=3,
    doc="x where the condition holds, y elsewhere. The gradient never carries a NaN over from the side not taken.",
    infer=_where_infer,
    reference=np.where,
    scalar=lambda b, c, x, y: b.select(c, x, y),
    vjp=lambda do, g, _out, c, _x, _y: [None, do.where(c, g, 0), do.where(c, 0, g)],
    samples=Samples(ALL, _where_cases(), True, True),
)

# ---------------------------------------------------------------- casts


def _cast_infer(x: Aval, dtype: DType) -> tuple[Shape, DType]:
    if x.dtype.kind is Complex and dtype.kind in (Float, Int):
        raise DTypeError(f"{x.dtype.name} does not convert to {dtype.name}", "take the real or the imaginary part")
    return x.shape, dtype


def _to_odd(x: Array) -> Array:
    """float64 to float32, inexact results to the odd neighbour: a second rounding then gives the nearest value."""
    near = x.astype(np.float32)
    back = near.astype(np.float64)
    bits = near.view(np.uint32) - (np.abs(back) > np.abs(x)).astype(np.uint32)
    return np.where(np.isnan(x), near, (bits | (back != x)).view(np.float32))


def saturate(x: Array, dtype: np.dtype[Any]) -> Array:
    """Floats as integers: toward zero, clipped to the range of `dtype`, NaN as 0."""
    info = np.iinfo(dtype)
    whole = np.trunc(x)
    low, high = float(info.min), 2.0 ** (info.bits - (info.min < 0))  # both exact in every float dtype
    out = np.where((whole >= low) & (whole < high), whole, 0).astype(dtype)
    out = np.where(whole >= high, info.max, out)
    return np.where(whole < low, info.min, out)


def _cast_reference(x: Array, dtype: DType) -> Any:
    kind = dtype.kind
    if kind is Bool:
        return x != 0
    if kind is Int and x.dtype.kind == "f":
        return saturate(x, dtype.np)
    if dtype.is_half():
        if x.dtype == np.float64:
            return _to_odd(x) if dtype is bfloat16 else x
        return x.astype(np.float32)
    return x.astype(dtype.np)


def _cast_scalar(b: Any, x: Any, dtype: DType) -> Any:
    if not (dtype.is_half() and x.dtype is float64):
        return b.cast(x, computed(dtype))
    # to the odd neighbour, as in _to_odd
    near = b.cast(x, float32)
    back = b.cast(near, float64)
    one, zero = b.const(1, uint32), b.const(0, uint32)
    bits = b.bitcast(near, uint32)
    bits = b.sub(bits, b.select(b.gt(b.abs(back), b.abs(x)), one, zero))
    bits = b.or_(bits, b.select(b.ne(back, x), one, zero))
    return b.select(b.ne(x, x), near, b.bitcast(bits, float32))


def _cast_vjp(do: Any, g: Any, _out: Any, _x: Any, dtype: DType) -> list[Any]:
    if _x.dtype.kind is Complex and dtype.kind is Complex:
        return [do.cast(g, _x.dtype)]
    if _x.dtype.kind is not Float or dtype.kind not in FIELDS:
        return [None]
    return [do.cast(do.real(g) if dtype.kind is Complex else g, _x.dtype)]


op(
    "cast",
    fuses="elementwise",
    params=("dtype",),
    doc=(
        "x as another dtype. Float to integer goes toward zero and saturates, NaN becomes 0; integers wrap; "
        "to bool is x ≠ 0. Each conversion rounds once. The gradient passes between floats."
    ),
    infer=_cast_infer,
    reference=_cast_reference,
    scalar=_cast_scalar,
    vjp=_cast_vjp,
    samples=Samples(
        FLOATS + INTS + (bool_,),
        unary(-300, 300, [(d,) for d in FLOATS + INTS + (bool_,)], [(), (5,), (67,), (0,), (2, 3)])
        + unary(-3, 3, [(complex64,)], [(5,)]),
        True,
        True,
    ),
)


def _bitcast_infer(x: Aval, dtype: DType) -> tuple[Shape, DType]:
    for d in (x.dtype, dtype):
        if d.kind not in REALS or d.is_half():
            raise DTypeError(f"the bits of {d.name} cannot be reinterpreted: only integers, float32 and float64")
    if x.dtype.itemsize != dtype.itemsize:
        raise DTypeError(f"{x.dtype.name} and {dtype.name} differ in width: {x.dtype.bits} and {dtype.bits} bits")
    return x.shape, dtype


op(
    "bitcast",
    fuses="elementwise",
    params=("dtype",),
    doc="The bits of x read as another dtype of the same width.",
    infer=_bitcast_infer,
    reference=lambda x, dtype: np.ascontiguousarray(x).view(dtype.np).reshape(x.shape),
    scalar=lambda b, x, dtype: b.bitcast(x, dtype),
    vjp=ZERO,
    samples=Samples(
        (float32, int32, uint32),
        unary(-3, 4, [(uint32,), (int32,), (float32,)]),
        True,
        True,
    ),
)

# ---------------------------------------------------------------- classification


def _classify(name: str, doc: str, reference: Any, scalar: Any) -> None:
    op(
        name,
        fuses="elementwise",
        doc=doc,
        infer=unary_infer(*FIELDS, result=bool_),
        reference=reference,
        scalar=scalar,
        vjp=ZERO,
        samples=Samples(FLOATS + COMPLEX, unary(), True, True),
    )


def _infinity(b: Any, x: Any) -> Any:
    return b.const(float("inf"), x.dtype)


_classify("isnan", "True where x is NaN.", np.isnan, lambda b, x: b.ne(x, x))
_classify("isinf", "True where x is ∞ or -∞.", np.isinf, lambda b, x: b.eq(b.abs(x), _infinity(b, x)))
_classify(
    "isfinite",
    "True where x is neither infinite nor NaN.",
    np.isfinite,
    lambda b, x: b.lt(b.abs(x), _infinity(b, x)),
)

op(
    "unless_zero",
    fuses="elementwise",
    arity=2,
    doc="y where x is not 0, else 0. Its gradient is that of y: it only takes 0 · inf and 0 · NaN away.",
    infer=binary_infer(Float),
    reference=lambda x, y: np.where(x == 0, np.zeros((), y.dtype), y),
    scalar=lambda b, x, y: b.select(b.eq(x, b.const(0, x.dtype)), b.const(0, y.dtype), y),
    vjp=lambda do, g, _out, _x, _y: [None, g],
    samples=_pairs(FLOATS),
)

op(
    "copy",
    fuses="elementwise",
    doc="x in memory of its own.",
    infer=lambda x: (x.shape, x.dtype),
    reference=lambda x: x.copy(),
    scalar=lambda b, x: x,
    vjp=lambda do, g, _out, _x: [g],
    samples=Samples(ALL, unary(), True),
    half="native",
)
