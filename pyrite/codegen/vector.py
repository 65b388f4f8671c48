"""The vector builder: emits LLVM IR text that works on 16 lanes at a time.

Owns the spelling of instructions, constants and intrinsics; knows nothing of loops over memory, ops or tensors.
Every operation is exactly one IEEE operation: no fast-math flags and no calls into a mathematics library.
Integer operations wrap; shift counts must be below the width and `fptosi`, `fptoui` need arguments in range
(elsewhere LLVM gives poison, which is harmless only where a `select` drops it).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from .jit import host_has

WIDTH = 16

_SCALARS = {"f64": "double", "f32": "float", "f16": "half"}
_UNITS = {"f64": "<d", "f32": "<f", "f16": "<e"}


class V:
    """A value of 16 lanes: an SSA name or a constant's text, and the type of one lane."""

    __slots__ = ("ref", "type")

    def __init__(self, ref: str, type: str) -> None:
        self.ref = ref
        self.type = type

    def __repr__(self) -> str:
        return f"V({self.ref!r}, {self.type!r})"


class Vector:
    """Collects the text of a function body; `block` is the label of the block being written."""

    def __init__(self, block: str = "entry") -> None:
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self.block = block
        self._count = 0

    # Text

    def name(self, prefix: str = "v") -> str:
        """A fresh name, without its sigil."""
        self._count += 1
        return f"{prefix}{self._count}"

    def emit(self, text: str) -> str:
        """Append an instruction with a result and return the result's name."""
        ref = f"%{self.name()}"
        self.lines.append(f"  {ref} = {text}")
        return ref

    def raw(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {text}")

    @staticmethod
    def scalar_type(type: str) -> str:
        """LLVM's name of one lane's type."""
        return _SCALARS.get(type, type)

    @staticmethod
    def llvm_type(type: str) -> str:
        """LLVM's name of the whole vector's type."""
        return f"<{WIDTH} x {_SCALARS.get(type, type)}>"

    # Blocks

    def start(self, label: str) -> None:
        """Begin a block; the previous one must have been ended by a branch."""
        self.lines.append(f"{label}:")
        self.block = label

    def any(self, condition: V) -> str:
        """A scalar i1: whether some lane is true."""
        self.declarations.add(f"declare i1 @llvm.vector.reduce.or.v{WIDTH}i1(<{WIDTH} x i1>)")
        return self.emit(f"call i1 @llvm.vector.reduce.or.v{WIDTH}i1(<{WIDTH} x i1> {condition.ref})")

    def where_any(self, condition: V, otherwise: Sequence[V], rare: Callable[[], Sequence[V]]) -> list[V]:
        """The values `rare` emits if some lane of the condition is true, else `otherwise`.

        The branch is taken for the whole vector, so `rare` must give every lane for which the condition is false
        the bits of `otherwise`: a lane's result never depends on its neighbours.
        """
        before, then, after = self.block, self.name("rare"), self.name("join")
        self.raw(f"br i1 {self.any(condition)}, label %{then}, label %{after}")
        self.start(then)
        values = rare()
        end = self.block
        self.raw(f"br label %{after}")
        self.start(after)
        return [
            V(self.emit(f"phi {self.llvm_type(x.type)} [ {x.ref}, %{before} ], [ {y.ref}, %{end} ]"), x.type)
            for x, y in zip(otherwise, values, strict=True)
        ]

    def repeat_while(self, initial: Sequence[V], body: Callable[[list[V]], tuple[V, Sequence[V]]]) -> list[V]:
        """Run `body` (values -> condition, next values) at least once and as long as the condition holds in any lane.

        A lane that is done must map its values to themselves.
        """
        before, head, after = self.block, self.name("loop"), self.name("done")
        self.raw(f"br label %{head}")
        self.start(head)
        place = len(self.lines)
        values = [V(f"%{self.name()}", x.type) for x in initial]
        condition, following = body(values)
        end = self.block
        self.raw(f"br i1 {self.any(condition)}, label %{head}, label %{after}")
        self.lines[place:place] = [
            f"  {v.ref} = phi {self.llvm_type(v.type)} [ {x.ref}, %{before} ], [ {y.ref}, %{end} ]"
            for v, x, y in zip(values, initial, following, strict=True)
        ]
        self.start(after)
        return list(following)

    # Constants

    def const(self, type: str, value: float) -> V:
        """The same constant in every lane: floats rounded to the type, integers in two's complement."""
        return V(f"splat ({_SCALARS.get(type, type)} {self.literal(type, value)})", type)

    @staticmethod
    def literal(type: str, value: float) -> str:
        """LLVM's spelling of a scalar constant, exact to the bit."""
        if type == "i1":
            return "true" if value else "false"
        if type not in _SCALARS:
            bits = int(type[1:])
            wrapped = int(value) & ((1 << bits) - 1)
            return str(wrapped - (1 << bits) if wrapped >> (bits - 1) else wrapped)
        try:
            packed = struct.pack(_UNITS[type], value)
        except OverflowError:
            packed = struct.pack(_UNITS[type], float("inf") if value > 0 else float("-inf"))
        if type == "f16":
            return f"0xH{int.from_bytes(packed, 'little'):04X}"
        # LLVM writes a float as the double of the same value.
        (widened,) = struct.unpack(_UNITS[type], packed)
        return f"0x{int.from_bytes(struct.pack('<d', widened), 'little'):016X}"

    # Helpers of the wrappers below

    def _binary(self, instruction: str, x: V, y: V) -> V:
        return V(self.emit(f"{instruction} {self.llvm_type(x.type)} {x.ref}, {y.ref}"), x.type)

    def _intrinsic(self, name: str, *values: V) -> V:
        type = values[0].type
        vector = self.llvm_type(type)
        function = f"@llvm.{name}.v{WIDTH}{type}"
        self.declarations.add(f"declare {vector} {function}({', '.join([vector] * len(values))})")
        return V(self.emit(f"call {vector} {function}({', '.join(f'{vector} {v.ref}' for v in values)})"), type)

    def _convert(self, instruction: str, x: V, type: str) -> V:
        return V(self.emit(f"{instruction} {self.llvm_type(x.type)} {x.ref} to {self.llvm_type(type)}"), type)

    def _saturate(self, instruction: str, x: V, type: str) -> V:
        source, target = self.llvm_type(x.type), self.llvm_type(type)
        function = f"@llvm.{instruction}.sat.v{WIDTH}{type}.v{WIDTH}{x.type}"
        self.declarations.add(f"declare {target} {function}({source})")
        return V(self.emit(f"call {target} {function}({source} {x.ref})"), type)

    # Floats

    def fadd(self, x: V, y: V) -> V:
        """x + y."""
        return self._binary("fadd", x, y)

    def fsub(self, x: V, y: V) -> V:
        """x - y."""
        return self._binary("fsub", x, y)

    def fmul(self, x: V, y: V) -> V:
        """x y."""
        return self._binary("fmul", x, y)

    def fdiv(self, x: V, y: V) -> V:
        """x / y."""
        return self._binary("fdiv", x, y)

    def fma(self, x: V, y: V, z: V) -> V:
        """x y + z with one rounding."""
        return self._intrinsic("fma", x, y, z)

    def fneg(self, x: V) -> V:
        """-x; flips the sign bit, of NaN too."""
        return V(self.emit(f"fneg {self.llvm_type(x.type)} {x.ref}"), x.type)

    def fabs(self, x: V) -> V:
        """|x|; clears the sign bit, of NaN too."""
        return self._intrinsic("fabs", x)

    def sqrt(self, x: V) -> V:
        """The correctly rounded square root."""
        return self._intrinsic("sqrt", x)

    def floor(self, x: V) -> V:
        """The largest integral value not above x."""
        return self._intrinsic("floor", x)

    def ceil(self, x: V) -> V:
        """The smallest integral value not below x."""
        return self._intrinsic("ceil", x)

    def trunc(self, x: V) -> V:
        """x rounded toward zero."""
        return self._intrinsic("trunc", x)

    def rint(self, x: V) -> V:
        """x rounded to the nearest integral value, half to even."""
        return self._intrinsic("roundeven", x)

    def copysign(self, x: V, y: V) -> V:
        """|x| with the sign bit of y."""
        return self._intrinsic("copysign", x, y)

    def maximum(self, x: V, y: V) -> V:
        """The larger; NaN propagates and -0 < +0."""
        return self._intrinsic("maximum", x, y)

    def minimum(self, x: V, y: V) -> V:
        """The smaller; NaN propagates and -0 < +0."""
        return self._intrinsic("minimum", x, y)

    # Comparisons and selection

    def fcmp(self, predicate: str, x: V, y: V) -> V:
        """Compare floats (oeq, une, olt, ole, ogt, oge, uno, ord, ...)."""
        return V(self.emit(f"fcmp {predicate} {self.llvm_type(x.type)} {x.ref}, {y.ref}"), "i1")

    def icmp(self, predicate: str, x: V, y: V) -> V:
        """Compare integers (eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge)."""
        return V(self.emit(f"icmp {predicate} {self.llvm_type(x.type)} {x.ref}, {y.ref}"), "i1")

    def select(self, condition: V, x: V, y: V) -> V:
        """x where the condition is true, else y."""
        vector = self.llvm_type(x.type)
        return V(self.emit(f"select <{WIDTH} x i1> {condition.ref}, {vector} {x.ref}, {vector} {y.ref}"), x.type)

    # Integers

    def iadd(self, x: V, y: V) -> V:
        """x + y."""
        return self._binary("add", x, y)

    def isub(self, x: V, y: V) -> V:
        """x - y."""
        return self._binary("sub", x, y)

    def imul(self, x: V, y: V) -> V:
        """x y."""
        return self._binary("mul", x, y)

    def iand(self, x: V, y: V) -> V:
        """Bitwise and."""
        return self._binary("and", x, y)

    def ior(self, x: V, y: V) -> V:
        """Bitwise or."""
        return self._binary("or", x, y)

    def ixor(self, x: V, y: V) -> V:
        """Bitwise exclusive or."""
        return self._binary("xor", x, y)

    def shl(self, x: V, y: V) -> V:
        """x shifted left by y."""
        return self._binary("shl", x, y)

    def lshr(self, x: V, y: V) -> V:
        """x shifted right by y, filled with zeros."""
        return self._binary("lshr", x, y)

    def ashr(self, x: V, y: V) -> V:
        """x shifted right by y, filled with the sign."""
        return self._binary("ashr", x, y)

    def gather(self, table: str, type: str, index: V) -> V:
        """Entries of a constant table; the index, i64, must be in range in every lane."""
        element, vector, pointers = self.scalar_type(type), self.llvm_type(type), f"<{WIDTH} x ptr>"
        function, mask = f"@llvm.masked.gather.v{WIDTH}{type}.v{WIDTH}p0", f"<{WIDTH} x i1>"
        self.declarations.add(f"declare {vector} {function}({pointers}, i32, {mask}, {vector})")
        address = self.emit(f"getelementptr {element}, ptr {table}, <{WIDTH} x i64> {index.ref}")
        size = int(type[1:]) // 8
        rest = f"i32 {size}, {mask} splat (i1 true), {vector} poison"
        return V(self.emit(f"call {vector} {function}({pointers} {address}, {rest})"), type)

    @property
    def has_scale(self) -> bool:
        """Has this processor an instruction for `scale`?"""
        return host_has("avx512f")

    def scale(self, x: V, k: V) -> V:
        """x 2**k for a whole float k, rounded once."""
        lanes, name, mask = (16, "ps", "i16") if x.type == "f32" else (8, "pd", "i8")
        vector = f"<{lanes} x {self.scalar_type(x.type)}>"
        function = f"@llvm.x86.avx512.mask.scalef.{name}.512"
        self.declarations.add(f"declare {vector} {function}({vector}, {vector}, {vector}, {mask}, i32)")

        def part(a: str, n: str) -> str:
            return self.emit(f"call {vector} {function}({vector} {a}, {vector} {n}, {vector} {a}, {mask} -1, i32 4)")

        if lanes == WIDTH:
            return V(part(x.ref, k.ref), x.type)
        whole = self.llvm_type(x.type)
        parts = []
        for start in range(0, WIDTH, lanes):
            order = ", ".join(f"i32 {start + i}" for i in range(lanes))
            a, n = (
                self.emit(f"shufflevector {whole} {v.ref}, {whole} poison, <{lanes} x i32> <{order}>") for v in (x, k)
            )
            parts.append(part(a, n))
        order = ", ".join(f"i32 {i}" for i in range(WIDTH))
        joined = f"shufflevector {vector} {parts[0]}, {vector} {parts[1]}, <{WIDTH} x i32> <{order}>"
        return V(self.emit(joined), x.type)

    # Conversions

    def bitcast(self, x: V, type: str) -> V:
        """The same bits as another type of the same width."""
        return x if x.type == type else self._convert("bitcast", x, type)

    def sitofp(self, x: V, type: str) -> V:
        """A signed integer as a float, rounded to nearest."""
        return self._convert("sitofp", x, type)

    def uitofp(self, x: V, type: str) -> V:
        """An unsigned integer as a float, rounded to nearest."""
        return self._convert("uitofp", x, type)

    def fptosi(self, x: V, type: str) -> V:
        """A float truncated to a signed integer; x must be in range."""
        return self._convert("fptosi", x, type)

    def fptoui(self, x: V, type: str) -> V:
        """A float truncated to an unsigned integer; x must be in range."""
        return self._convert("fptoui", x, type)

    def fptosi_sat(self, x: V, type: str) -> V:
        """A float truncated to a signed integer, saturating; NaN gives 0."""
        return self._saturate("fptosi", x, type)

    def fptoui_sat(self, x: V, type: str) -> V:
        """A float truncated to an unsigned integer, saturating; NaN gives 0."""
        return self._saturate("fptoui", x, type)

    def fpext(self, x: V, type: str) -> V:
        """A float in a wider type."""
        return self._convert("fpext", x, type)

    def fptrunc(self, x: V, type: str) -> V:
        """A float rounded to a narrower type."""
        return self._convert("fptrunc", x, type)

    def zext(self, x: V, type: str) -> V:
        """An integer widened with zeros."""
        return self._convert("zext", x, type)

    def sext(self, x: V, type: str) -> V:
        """An integer widened with its sign."""
        return self._convert("sext", x, type)

    def itrunc(self, x: V, type: str) -> V:
        """The low bits of an integer."""
        return self._convert("trunc", x, type)
