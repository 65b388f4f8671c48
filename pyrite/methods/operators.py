"""Python's operators on tensors. They follow the array API: promotion inside a kind, full broadcasting."""

from __future__ import annotations

from collections.abc import Callable
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

Method = Callable[[Any, Any], "Tensor"]

_ADD, _SUB, _MUL, _DIV, _MATMUL = (REGISTRY[name] for name in ("add", "sub", "mul", "div", "matmul"))
_FLOORDIV, _FLOORMOD, _SHL, _SHR = (REGISTRY[name] for name in ("floordiv", "floormod", "shl", "shr"))
_EQ, _NE, _LT, _LE, _GT, _GE = (REGISTRY[name] for name in ("eq", "ne", "lt", "le", "gt", "ge"))

def _known(x: Any) -> bool:
    """Can `x` be an operand? Anything else is left to its own class."""
    return isinstance(x, Handle) or kind_of_scalar(x) is not None or hasattr(x, "__array__")


def _operator(name: str, op: Op, symbol: str, general: Method | None = None, swapped: bool = False) -> Method:
    """The method of an operator, `swapped` for the right operand. With `general` only floats are plain."""
    only_floats = general is not None
    otherwise = general if general is not None else lambda x, y: apply(op, pair(x, y))

    def method(self: Any, other: Any) -> Tensor:
        x, y = (other, self) if swapped else (self, other)
        try:
            if not only_floats or self._v.dtype.kind is Float:
                found = plain(op, x, y)
                if found is not None:
                    return found
            return otherwise(x, y) if _known(other) else NotImplemented
        except PyriteError as error:
            caught = error
        raise named(caught, f"operator {symbol}") from caught.__cause__

    method.__name__, method.__qualname__ = name, f"Operators.{name}"
    return method


def _operators(name: str, op: Op, symbol: str, general: Method | None = None) -> tuple[Method, Method]:
    """The methods for the left and the right operand."""
    return (
        _operator(f"__{name}__", op, symbol, general),
        _operator(f"__r{name}__", op, symbol, general, swapped=True),
    )


def divide(x: Any, y: Any) -> Tensor:
    """x / y; Ints are divided as floats of the device's default dtype."""
    a, b = pair(x, y)
    if a._v.dtype.kind is Int:
        dtype = device_of(array_of(a._v).backend).settings().float_dtype
        a, b = cast_to(a, dtype), cast_to(b, dtype)
    return apply("div", (a, b))


class Operators(Handle):
    """`+ - * / // % ** @ & | ^ ~ << >> == != < <= > >=` on both sides."""

    __slots__ = ()
    __array_priority__ = 1000
    __array_ufunc__ = None  # NumPy leaves `array + tensor` to us

    __add__, __radd__ = _operators("add", _ADD, "+")
    __sub__, __rsub__ = _operators("sub", _SUB, "-")
    __mul__, __rmul__ = _operators("mul", _MUL, "*")
    __truediv__, __rtruediv__ = _operators("truediv", _DIV, "/", divide)
    __floordiv__, __rfloordiv__ = _operators("floordiv", _FLOORDIV, "//")
    __mod__, __rmod__ = _operators("mod", _FLOORMOD, "%")

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

    __lshift__, __rlshift__ = _operators("lshift", _SHL, "<<")
    __rshift__, __rrshift__ = _operators("rshift", _SHR, ">>")

    __eq__ = _operator("__eq__", _EQ, "==")  # type: ignore[assignment]
    __ne__ = _operator("__ne__", _NE, "!=")  # type: ignore[assignment]

    __hash__ = None  # type: ignore[assignment]

    __lt__ = _operator("__lt__", _LT, "<")
    __le__ = _operator("__le__", _LE, "<=")
    __gt__ = _operator("__gt__", _GT, ">")
    __ge__ = _operator("__ge__", _GE, ">=")

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
