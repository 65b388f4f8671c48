"""The builder that `scalar` rules and monoids speak to, and the expressions it makes.

One method per instruction; `_ins` decides what an instruction becomes. `Recorder` keeps each
distinct expression once; a renderer derives from `Builder` to emit code directly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import DType, bool_, float32, int64


class Expr:
    """A recorded value: instruction, arguments, and what it depends on.

    `inner` (varies along the innermost axis) and `level` (how many reductions have to be finished
    before it) are set when its kernel is complete.
    """

    __slots__ = ("id", "name", "dtype", "args", "data", "inner", "level")

    def __init__(self, id: int, name: str, dtype: DType, args: tuple[Expr, ...], data: Any) -> None:
        self.id = id
        self.name = name
        self.dtype = dtype
        self.args = args
        self.data = data
        self.inner = False
        self.level = 0

    def __repr__(self) -> str:
        rest = [f"%{a.id}" for a in self.args] + ([repr(self.data)] if self.data is not None else [])
        return f"%{self.id}: {self.dtype.short} = {self.name}({', '.join(rest)})"


COSTLY = frozenset({"call", "idiv", "irem", "scan"})  # never computed twice where a scratch row can hold them
READS = frozenset({"load", "fetch"})


class Builder:
    """Instructions on one element. Values have a `dtype`; halves never come here."""

    def _ins(self, name: str, dtype: DType, args: tuple[Any, ...], data: Any = None) -> Any:
        raise NotImplementedError

    def index(self, axis: int) -> Any:
        """The element's index along an axis of the op's output."""
        raise NotImplementedError

    def const(self, value: Any, dtype: DType) -> Any:
        """A literal."""
        return self._ins("const", dtype, (), value)

    def add(self, x: Any, y: Any) -> Any:
        """x + y; ints wrap."""
        return self._ins("add", x.dtype, (x, y))

    def sub(self, x: Any, y: Any) -> Any:
        """x - y; ints wrap."""
        return self._ins("sub", x.dtype, (x, y))

    def mul(self, x: Any, y: Any) -> Any:
        """x * y; ints wrap."""
        return self._ins("mul", x.dtype, (x, y))

    def div(self, x: Any, y: Any) -> Any:
        """x / y of floats."""
        return self._ins("div", x.dtype, (x, y))

    def idiv(self, x: Any, y: Any) -> Any:
        """Truncating division of ints: x / 0 = 0, MIN / -1 = MIN."""
        return self._ins("idiv", x.dtype, (x, y))

    def irem(self, x: Any, y: Any) -> Any:
        """Remainder of `idiv`: x % 0 = 0, MIN % -1 = 0."""
        return self._ins("irem", x.dtype, (x, y))

    def neg(self, x: Any) -> Any:
        """-x."""
        return self._ins("neg", x.dtype, (x,))

    def abs(self, x: Any) -> Any:
        """|x|; MIN stays MIN."""
        return self._ins("abs", x.dtype, (x,))

    def sqrt(self, x: Any) -> Any:
        """Square root, correctly rounded."""
        return self._ins("sqrt", x.dtype, (x,))

    def floor(self, x: Any) -> Any:
        """Round down."""
        return self._ins("floor", x.dtype, (x,))

    def ceil(self, x: Any) -> Any:
        """Round up."""
        return self._ins("ceil", x.dtype, (x,))

    def trunc(self, x: Any) -> Any:
        """Round toward zero."""
        return self._ins("trunc", x.dtype, (x,))

    def rint(self, x: Any) -> Any:
        """Round to nearest, halves to even."""
        return self._ins("rint", x.dtype, (x,))

    def min(self, x: Any, y: Any) -> Any:
        """Smaller one; NaN wins, -0 < +0."""
        return self._ins("min", x.dtype, (x, y))

    def max(self, x: Any, y: Any) -> Any:
        """Larger one; NaN wins, -0 < +0."""
        return self._ins("max", x.dtype, (x, y))

    def copysign(self, x: Any, y: Any) -> Any:
        """|x| with the sign of y."""
        return self._ins("copysign", x.dtype, (x, y))

    def eq(self, x: Any, y: Any) -> Any:
        """x == y."""
        return self._ins("eq", bool_, (x, y))

    def ne(self, x: Any, y: Any) -> Any:
        """x != y; true for NaN."""
        return self._ins("ne", bool_, (x, y))

    def lt(self, x: Any, y: Any) -> Any:
        """x < y."""
        return self._ins("lt", bool_, (x, y))

    def le(self, x: Any, y: Any) -> Any:
        """x <= y."""
        return self._ins("le", bool_, (x, y))

    def gt(self, x: Any, y: Any) -> Any:
        """x > y."""
        return self._ins("lt", bool_, (y, x))

    def ge(self, x: Any, y: Any) -> Any:
        """x >= y."""
        return self._ins("le", bool_, (y, x))

    def and_(self, x: Any, y: Any) -> Any:
        """Bitwise and."""
        return self._ins("and", x.dtype, (x, y))

    def or_(self, x: Any, y: Any) -> Any:
        """Bitwise or."""
        return self._ins("or", x.dtype, (x, y))

    def xor(self, x: Any, y: Any) -> Any:
        """Bitwise exclusive or."""
        return self._ins("xor", x.dtype, (x, y))

    def not_(self, x: Any) -> Any:
        """Bitwise not."""
        return self._ins("not", x.dtype, (x,))

    def shl(self, x: Any, n: Any) -> Any:
        """x << n for 0 <= n < bits."""
        return self._ins("shl", x.dtype, (x, n))

    def shr(self, x: Any, n: Any) -> Any:
        """x >> n for 0 <= n < bits, arithmetic for signed dtypes."""
        return self._ins("shr", x.dtype, (x, n))

    def select(self, cond: Any, x: Any, y: Any) -> Any:
        """x where cond, else y."""
        return self._ins("select", x.dtype, (cond, x, y))

    def cast(self, x: Any, dtype: DType) -> Any:
        """Conversion: float to int saturates with NaN to 0, to bool is x != 0."""
        return x if x.dtype is dtype else self._ins("cast", dtype, (x,))

    def bitcast(self, x: Any, dtype: DType) -> Any:
        """The same bits as another dtype of the same width."""
        return x if x.dtype is dtype else self._ins("bitcast", dtype, (x,))

    def call(self, name: str, *args: Any) -> Any:
        """An elementary function by name."""
        return self._ins("call", args[0].dtype, args, name)


class Recorder(Builder):
    """Interns expressions, so that equal ones are computed once."""

    def __init__(self) -> None:
        self.exprs: list[Expr] = []
        self._known: dict[tuple[Any, ...], Expr] = {}
        self.forms: list[tuple[int, ...]] = []  # affine indices of the kernel, by number
        self._form_ids: dict[tuple[int, ...], int] = {}
        self.place: Callable[[int], Expr] | None = None  # the index of the op being recorded, per axis

    def _ins(self, name: str, dtype: DType, args: tuple[Any, ...], data: Any = None) -> Expr:
        # repr tells -0.0 from 0.0 and keeps NaN equal to itself
        key = (name, dtype, tuple([a.id for a in args]), data if type(data) is str else repr(data))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Expr(len(self.exprs), name, dtype, args, data)
            self.exprs.append(found)
        return found

    def index(self, axis: int) -> Expr:
        assert self.place is not None, "an index is only known inside an op"
        return self.place(axis)

    def index_of(self, form: tuple[int, ...]) -> Expr:
        """The value of an affine form of the loop indices."""
        if not any(form[1:]):
            return self._ins("const", int64, (), form[0])
        number = self._form_ids.setdefault(form, len(self.forms))
        if number == len(self.forms):
            self.forms.append(form)
        return self._ins("index", int64, (), number)


def widened(b: Builder, rule: Any, args: list[Any], params: tuple[Any, ...], dtype: DType) -> Any:
    """Applies a scalar rule with halves computed in float32 and rounded once."""
    wide = [b.cast(a, float32) if a.dtype.is_half() else a for a in args]
    result = rule(b, *wide, *params)
    return b.cast(result, dtype)
