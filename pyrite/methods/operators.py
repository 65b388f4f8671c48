"""Python's operators on tensors. They follow the array API: promotion inside a kind, full broadcasting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, binary, cast_to, do_of, need_kind, operand, pair, plain, wrap
from ..backends.autodiff import array_of
from ..device import device_of
from ..dtypes import Bool, Complex, Float, Int, kind_of_scalar
from ..errors import ArgumentError, PyriteError, named, public
from ..ops.contract import matmul_any
from ..ops.record import REGISTRY, Op

if TYPE_CHECKING:
    from ..tensor import Tensor

_ADD, _SUB, _MUL, _DIV, _MATMUL = (REGISTRY[name] for name in ("add", "sub", "mul", "div", "matmul"))
_FLOORDIV, _FLOORMOD, _SHL, _SHR = (REGISTRY[name] for name in ("floordiv", "floormod", "shl", "shr"))
_EQ, _NE, _LT, _LE, _GT, _GE = (REGISTRY[name] for name in ("eq", "ne", "lt", "le", "gt", "ge"))

def _known(x: Any) -> bool:
    """Can `x` be an operand? Anything else is left to its own class."""
    return isinstance(x, Handle) or kind_of_scalar(x) is not None or hasattr(x, "__array__")


def _two(op: Op, symbol: str, x: Any, y: Any) -> Tensor:
    try:
        found = plain(op, x, y)
        if found is not None:
            return found
        return binary(op, x, y) if _known(x) and _known(y) else NotImplemented
    except PyriteError as error:
        caught = error
    raise named(caught, f"operator {symbol}") from caught.__cause__


def _divided(x: Any, y: Any) -> Tensor:
    try:
        if x._v.dtype.kind is Float if isinstance(x, Handle) else y._v.dtype.kind is Float:
            found = plain(_DIV, x, y)
            if found is not None:
                return found
        return divide(x, y) if _known(x) and _known(y) else NotImplemented
    except PyriteError as error:
        caught = error
    raise named(caught, "operator /") from caught.__cause__


class Operators(Handle):
    """`+ - * / // % ** @ & | ^ ~ << >> == != < <= > >=` on both sides."""

    __slots__ = ()
    __array_priority__ = 1000
    __array_ufunc__ = None  # NumPy leaves `array + tensor` to us

    def __add__(self, other: Any) -> Tensor:
        return _two(_ADD, "+", self, other)

    def __radd__(self, other: Any) -> Tensor:
        return _two(_ADD, "+", other, self)

    def __sub__(self, other: Any) -> Tensor:
        return _two(_SUB, "-", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return _two(_SUB, "-", other, self)

    def __mul__(self, other: Any) -> Tensor:
        return _two(_MUL, "*", self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return _two(_MUL, "*", other, self)

    def __truediv__(self, other: Any) -> Tensor:
        return _divided(self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return _divided(other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        return _two(_FLOORDIV, "//", self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return _two(_FLOORDIV, "//", other, self)

    def __mod__(self, other: Any) -> Tensor:
        return _two(_FLOORMOD, "%", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return _two(_FLOORMOD, "%", other, self)

    @public("operator **")
    def __pow__(self, other: Any) -> Tensor:
        return power(self, other) if _known(other) else NotImplemented

    @public("operator **")
    def __rpow__(self, other: Any) -> Tensor:
        return power(other, self) if _known(other) else NotImplemented

    @public("operator @")
    def __matmul__(self, other: Any) -> Tensor:
        return matmul(self, other) if _known(other) else NotImplemented

    @public("operator @")
    def __rmatmul__(self, other: Any) -> Tensor:
        return matmul(other, self) if _known(other) else NotImplemented

    def __and__(self, other: Any) -> Tensor:
        return _bits("and", "&", self, other) if _known(other) else NotImplemented

    def __rand__(self, other: Any) -> Tensor:
        return _bits("and", "&", other, self) if _known(other) else NotImplemented

    def __or__(self, other: Any) -> Tensor:
        return _bits("or", "|", self, other) if _known(other) else NotImplemented

    def __ror__(self, other: Any) -> Tensor:
        return _bits("or", "|", other, self) if _known(other) else NotImplemented

    def __xor__(self, other: Any) -> Tensor:
        return _bits("xor", "^", self, other) if _known(other) else NotImplemented

    def __rxor__(self, other: Any) -> Tensor:
        return _bits("xor", "^", other, self) if _known(other) else NotImplemented

    def __lshift__(self, other: Any) -> Tensor:
        return _two(_SHL, "<<", self, other)

    def __rlshift__(self, other: Any) -> Tensor:
        return _two(_SHL, "<<", other, self)

    def __rshift__(self, other: Any) -> Tensor:
        return _two(_SHR, ">>", self, other)

    def __rrshift__(self, other: Any) -> Tensor:
        return _two(_SHR, ">>", other, self)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return _two(_EQ, "==", self, other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return _two(_NE, "!=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Any) -> Tensor:
        return _two(_LT, "<", self, other)

    def __le__(self, other: Any) -> Tensor:
        return _two(_LE, "<=", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return _two(_GT, ">", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return _two(_GE, ">=", self, other)

    @public("operator -")
    def __neg__(self) -> Tensor:
        return apply("neg", (self,))

    @public("operator +")
    def __pos__(self) -> Tensor:
        need_kind(self, Int, Float, Complex)
        return apply("copy", (self,))

    @public("abs")
    def __abs__(self) -> Tensor:
        return apply("abs", (self,))

    @public("operator ~")
    def __invert__(self) -> Tensor:
        return apply("logical_not" if self._v.dtype.is_bool() else "bit_not", (self,))


def divide(x: Any, y: Any) -> Tensor:
    """x / y; Ints are divided as floats of the device's default dtype."""
    a, b = pair(x, y)
    if a._v.dtype.kind is Int:
        dtype = device_of(array_of(a._v).backend).settings().float_dtype
        a, b = cast_to(a, dtype), cast_to(b, dtype)
    return apply("div", (a, b))


def power(x: Any, y: Any) -> Tensor:
    """x ** y. A literal exponent of a float tensor that is a small integer multiplies; ints refuse negative ones."""
    if isinstance(x, Handle) and isinstance(y, (int, float)) and not isinstance(y, bool):
        kind = x._v.dtype.kind
        if kind is Float:
            if y == 2:
                return apply("square", (x,))
            if y == 1:
                return apply("mul", (x, operand(1, x)))
            if y == 3:
                return apply("mul", (apply("square", (x,)), x))
            if y == 0.5:
                # pow(-0, 0.5) is +0 and pow(-inf, 0.5) is +inf, unlike sqrt's: only the power function is exact
                return binary("pow", x, y)
        elif kind is Int and isinstance(y, int) and y < 0:
            raise ArgumentError(
                f"an int tensor cannot be raised to the negative power {y}", "convert it to floats first"
            )
    a, b = pair(x, y)
    if a._v.dtype.kind is Int:
        return apply("ipow", (a, b))
    return apply("pow", (a, b))


def matmul(x: Any, y: Any) -> Tensor:
    """Matrix product with NumPy's rules for vectors and batches."""
    if isinstance(x, Handle) and isinstance(y, Handle) and len(x._v.shape) > 1 and len(y._v.shape) > 1:
        found = plain(_MATMUL, x, y)
        if found is not None:
            return found
    if kind_of_scalar(x) is not None or kind_of_scalar(y) is not None:
        raise ArgumentError("a matrix product needs two tensors, got a number", "use * for scaling")
    a, b = pair(x, y)
    return wrap(matmul_any(do_of(a, b), a._v, b._v))


def _bits(name: str, symbol: str, x: Any, y: Any) -> Any:
    try:
        a, b = pair(x, y)
        kind = a._v.dtype.kind
        return apply(("logical_" if kind is Bool else "bit_") + name, (a, b))
    except PyriteError as error:
        caught = error
    raise named(caught, f"operator {symbol}") from caught.__cause__
