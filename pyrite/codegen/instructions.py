"""The neutral instructions of the builder in vector code: one element of arithmetic, comparison, casts.

Owns how dtypes are held in registers and in memory. Nothing here can trap, and every result
depends on the arguments alone.
"""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, bfloat16, bool_, float32, float64
from .approx import FUNCTIONS
from .builder import Builder
from .vector import V, Vector

_REGISTER = {"bool": "i1", "bf16": "f32"}
_MEMORY = {"bool": "i8", "bf16": "i16"}


def register_type(dtype: DType) -> str:
    """The vector builder's type of a value in a register; bfloat16 is held as the equal float32."""
    return _REGISTER.get(dtype.short) or ("i" + str(dtype.bits) if dtype.kind.__name__ == "Int" else dtype.short)


def memory_type(dtype: DType) -> str:
    """The type of one element in memory."""
    return _MEMORY.get(dtype.short) or register_type(dtype)


def alignment(type: str) -> int:
    return 1 if type == "i1" else max(1, int(type[1:]) // 8)


class Value:
    """A rendered value with the dtype that rules ask for."""

    __slots__ = ("v", "dtype")

    def __init__(self, v: V, dtype: DType) -> None:
        self.v = v
        self.dtype = dtype


class Direct(Builder):
    """A builder that emits vector code at once, for monoids."""

    def __init__(self, vec: Vector) -> None:
        self.vec = vec

    def _ins(self, name: str, dtype: DType, args: tuple[Any, ...], data: Any = None) -> Value:
        return Value(instruction(self.vec, name, dtype, [(a.v, a.dtype) for a in args], data), dtype)


def instruction(vec: Vector, name: str, dtype: DType, args: list[tuple[V, DType]], data: Any) -> V:
    """One instruction of the neutral builder in vector code."""
    if name == "const":
        return vec.const(register_type(dtype), data)
    xs = [v for v, _ in args]
    source = args[0][1]
    floating = source.is_float()
    if name in ("add", "sub", "mul"):
        return getattr(vec, ("f" if floating else "i") + name)(*xs)  # type: ignore[no-any-return]
    if name in _PLAIN:
        return getattr(vec, _PLAIN[name])(*xs)  # type: ignore[no-any-return]
    if name == "call":
        return FUNCTIONS[data](vec, *xs)
    if name == "select":
        return vec.select(*xs)
    if name == "cast":
        return _cast(vec, xs[0], source, dtype)
    if name == "bitcast":
        return vec.bitcast(xs[0], register_type(dtype))
    if name in ("eq", "ne", "lt", "le"):
        return _compare(vec, name, xs[0], xs[1], source)
    if name == "neg":
        return vec.fneg(xs[0]) if floating else vec.isub(vec.const(xs[0].type, 0), xs[0])
    if name == "abs":
        if floating:
            return vec.fabs(xs[0])
        if not source.signed:
            return xs[0]
        zero = vec.const(xs[0].type, 0)
        return vec.select(vec.icmp("slt", xs[0], zero), vec.isub(zero, xs[0]), xs[0])
    if name in ("min", "max"):
        return _extreme(vec, name, xs[0], xs[1], source)
    if name == "not":
        return vec.ixor(xs[0], vec.const(xs[0].type, 1 if xs[0].type == "i1" else -1))
    if name == "shr":
        return vec.ashr(*xs) if source.signed else vec.lshr(*xs)
    if name in ("idiv", "irem"):
        return _divide(vec, name, xs[0], xs[1], source)
    raise AssertionError(f"no instruction {name}")


_PLAIN = {
    "div": "fdiv", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint",
    "copysign": "copysign", "and": "iand", "or": "ior", "xor": "ixor", "shl": "shl",
}  # fmt: skip


def _compare(vec: Vector, name: str, x: V, y: V, dtype: DType) -> V:
    if dtype.is_float():
        return vec.fcmp({"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole"}[name], x, y)
    if name in ("eq", "ne"):
        return vec.icmp(name, x, y)
    return vec.icmp(("s" if dtype.signed else "u") + name, x, y)


def _extreme(vec: Vector, name: str, x: V, y: V, dtype: DType) -> V:
    if dtype.is_float():
        return vec.maximum(x, y) if name == "max" else vec.minimum(x, y)
    order = ("s" if dtype.signed else "u") + ("gt" if name == "max" else "lt")
    return vec.select(vec.icmp(order, x, y), x, y)


def _divide(vec: Vector, name: str, x: V, y: V, dtype: DType) -> V:
    """Division that cannot trap: a zero divisor gives 0, MIN / -1 gives MIN and MIN % -1 gives 0."""
    zero, one = vec.const(x.type, 0), vec.const(x.type, 1)
    bad = vec.icmp("eq", y, zero)
    safe = vec.select(bad, one, y)
    if dtype.signed:
        minus = vec.icmp("eq", y, vec.const(x.type, -1))
        safe = vec.select(minus, one, safe)
    sign = "s" if dtype.signed else "u"
    kind = "div" if name == "idiv" else "rem"
    q = V(vec.emit(f"{sign}{kind} {vec.llvm_type(x.type)} {x.ref}, {safe.ref}"), x.type)
    if dtype.signed and name == "idiv":
        q = vec.select(minus, vec.isub(zero, x), q)
    return vec.select(bad, zero, q)


def _cast(vec: Vector, x: V, source: DType, target: DType) -> V:
    to = register_type(target)
    if target is bool_:
        zero = vec.const(x.type, 0)
        return vec.fcmp("une", x, zero) if source.is_float() else vec.icmp("ne", x, zero)
    if source.is_float():
        if target.is_float():
            return _cast_float(vec, x, source, target)
        wide = vec.fpext(x, "f32") if x.type == "f16" else x
        return vec.fptosi_sat(wide, to) if target.signed else vec.fptoui_sat(wide, to)
    if target.is_float():
        # halves come through float64: exact up to 53 bits, then rounded once
        via = "f64" if target.is_half() else to
        if source is bool_:
            value = vec.uitofp(x, via)
        else:
            value = vec.sitofp(x, via) if source.signed else vec.uitofp(x, via)
        return _cast_float(vec, value, float64, target) if target.is_half() else value
    if source.bits == target.bits and source is not bool_:
        return x
    if source is bool_ or (source.bits < target.bits and not source.signed):
        return vec.zext(x, to)
    return vec.sext(x, to) if source.bits < target.bits else vec.itrunc(x, to)


def _cast_float(vec: Vector, x: V, source: DType, target: DType) -> V:
    if source is target:
        return x
    wide = vec.fpext(x, "f32") if x.type == "f16" else x
    if target is float64:
        return wide if wide.type == "f64" else vec.fpext(wide, "f64")
    if target is float32:
        return wide if wide.type == "f32" else vec.fptrunc(wide, "f32")
    if wide.type == "f64":
        wide = _round_to_odd(vec, wide)
    return _to_bfloat(vec, wide) if target is bfloat16 else vec.fptrunc(wide, "f16")


def _round_to_odd(vec: Vector, x: V) -> V:
    """float64 to float32 so that a later rounding to 16 bits is right: inexact results get an odd last bit.

    (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.)
    """
    near = vec.fptrunc(x, "f32")
    back = vec.fpext(near, "f64")
    bits = vec.bitcast(near, "i32")
    one = vec.const("i32", 1)
    away = vec.fcmp("ogt", vec.fabs(back), vec.fabs(x))
    toward = vec.select(away, vec.isub(bits, one), bits)
    inexact = vec.fcmp("one", back, x)
    return vec.bitcast(vec.select(inexact, vec.ior(toward, one), bits), "f32")


def _to_bfloat(vec: Vector, x: V) -> V:
    """float32 rounded to the nearest bfloat16, halves to even, as a float32; subnormals kept."""
    bits = vec.bitcast(x, "i32")
    odd = vec.iand(vec.lshr(bits, vec.const("i32", 16)), vec.const("i32", 1))
    rounded = vec.iadd(vec.iadd(bits, vec.const("i32", 0x7FFF)), odd)
    nan = vec.fcmp("uno", x, x)
    quiet = vec.ior(bits, vec.const("i32", 0x400000))
    kept = vec.iand(vec.select(nan, quiet, rounded), vec.const("i32", -65536))
    return vec.bitcast(kept, "f32")
