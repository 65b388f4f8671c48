"""From what users pass to what ops take: operands, promotion, creation options.

The dialects call `apply` with a record; `Handle` is the part of a Tensor that they see.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .backends.autodiff import Do, Step, Traced, Value, array_of, run
from .backends.base import Array
from .device import Device, TensorCreationOptions, as_device, device_of
from .dtypes import DType, Float, Kind, as_dtype, check_scalar, kind_of_scalar, promote
from .errors import ArgumentError, DeviceError, DTypeError
from .layout import Ints
from .ops.record import REGISTRY, Op

if TYPE_CHECKING:
    from .tensor import Tensor


class Handle:
    """A value of the engine in the user's hands."""

    __slots__ = ("_v", "__weakref__")

    _v: Value


_BIG = 1 << 53  # ints below are floats without a check
_tensor_class: type[Any] = Handle
_new: Any = object.__new__


def set_tensor_class(cls: type[Any]) -> None:
    """Tells `wrap` the class of tensors."""
    global _tensor_class
    _tensor_class = cls


def wrap(value: Value) -> Tensor:
    """A tensor over a value."""
    t: Tensor = _new(_tensor_class)
    t._v = value
    return t


def do_of(*tensors: Handle) -> Do:
    """Runs ops on the device of the tensors; raises `DeviceError` when they are on different ones."""
    backend = array_of(tensors[0]._v).backend
    if len(tensors) > 1:
        for t in tensors:
            other = array_of(t._v).backend
            if other is not backend:
                raise DeviceError(
                    f"tensors are on different devices ({device_of(backend)!r} and {device_of(other)!r})",
                    "move one of them with .to_device(...)",
                )
    return _DOS[backend]


class _Dos(dict[Any, Do]):
    def __missing__(self, backend: Any) -> Do:
        self[backend] = made = Do(backend)
        return made


_DOS = _Dos()


def do_on(device: Device) -> Do:
    """Runs ops on a device."""
    return _DOS[device.backend]


def same_device(tensors: Sequence[Handle]) -> None:
    """Raises `DeviceError` unless all tensors are on one device."""
    do_of(*tensors)


def apply(name: str | Op, tensors: Sequence[Handle], *params: Any) -> Tensor:
    """Runs an op on tensors of one device."""
    op = REGISTRY[name] if isinstance(name, str) else name
    if len(tensors) == 1:
        x = tensors[0]._v
        return wrap(x.backend.run(op, (x,), params) if type(x) is Array else run(op, (x,), params))
    if len(tensors) == 2:
        x, y = tensors[0]._v, tensors[1]._v
        if type(x) is Array and type(y) is Array and x.backend is y.backend:
            return wrap(x.backend.run(op, (x, y), params))
    do_of(*tensors)
    return wrap(run(op, tuple([t._v for t in tensors]), params))


def operand(x: Any, like: Handle) -> Tensor:
    """`x` as a tensor beside `like`: a Python number takes its dtype and must fit, an array becomes a tensor."""
    if isinstance(x, Handle):
        return x  # type: ignore
    if type(x) is float and like._v.dtype.kind is Float:
        return wrap(array_of(like._v).backend.constant(x, like._v.dtype))
    if kind_of_scalar(x) is not None and not isinstance(x, np.generic):
        return scalar_like(x, like)
    if isinstance(x, np.generic):
        return scalar_like(x.item(), like)
    from .interop import asarray

    return asarray(x, device=device_of(array_of(like._v).backend))


def scalar_like(x: Any, like: Handle) -> Tensor:
    """A rank-0 constant of the dtype of `like`."""
    dtype = like._v.dtype
    return wrap(array_of(like._v).backend.constant(check_scalar(x, dtype), dtype))


def cast_to(t: Handle, dtype: DType) -> Tensor:
    """`t` in another dtype; itself if it has it."""
    if t._v.dtype is dtype:
        return t  # type: ignore
    return apply("cast", (t,), dtype)


def pair(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Two operands of one dtype: promoted inside a kind, Python numbers fitted to the other."""
    a: Any
    b: Any
    if not isinstance(x, Handle):
        if not isinstance(y, Handle):
            raise DTypeError(f"expected at least one tensor, got {type(x).__name__} and {type(y).__name__}")
        a, b = operand(x, y), y
    else:
        a, b = x, operand(y, x)
    da, db = a._v.dtype, b._v.dtype
    if da is not db:
        dtype = promote(da, db)
        a, b = cast_to(a, dtype), cast_to(b, dtype)
    return a, b


def plain(op: Op, x: Any, y: Any) -> Tensor | None:
    """The quick way for the plain case: tensors of one dtype on one device, or a float tensor and a number."""
    if isinstance(x, Handle):
        a = x._v
        if isinstance(y, Handle):
            b = y._v
            if type(a) is Array and type(b) is Array:
                if a.node.dtype is b.node.dtype and a.backend is b.backend:
                    return wrap(a.backend.run(op, (a, b)))
            elif a.dtype is b.dtype and array_of(a).backend is array_of(b).backend:
                return wrap(run(op, (a, b)))
        elif type(y) is float or (type(y) is int and -_BIG < y < _BIG):
            if type(a) is Array:
                if a.node.dtype.kind is Float:
                    return wrap(a.backend.run(op, (a, a.backend.literal(float(y), a.node.dtype))))
            elif a.dtype.kind is Float:
                return wrap(run(op, (a, array_of(a).backend.literal(float(y), a.dtype))))
    elif isinstance(y, Handle) and (type(x) is float or (type(x) is int and -_BIG < x < _BIG)):
        b = y._v
        if type(b) is Array and b.node.dtype.kind is Float:
            return wrap(b.backend.run(op, (b.backend.literal(float(x), b.node.dtype), b)))
    return None


def binary(name: str | Op, x: Any, y: Any) -> Tensor:
    """An op on two operands, broadcast as in the array API."""
    op = REGISTRY[name] if isinstance(name, str) else name
    found = plain(op, x, y)
    return apply(op, pair(x, y)) if found is None else found


def need_kind(t: Handle, *kinds: type[Kind]) -> None:
    """Raises `DTypeError` unless the tensor is of one of the kinds."""
    if t._v.dtype.kind not in kinds:
        names = " or ".join(k.__name__ for k in kinds)
        raise DTypeError(f"expected a tensor of kind {names}, got {t._v.dtype.name}")


def options(given: Any, dtype: Any, device: Any) -> tuple[Device, DType | None]:
    """Creation options: a Device, a DType, a pair of both or `TensorCreationOptions`, or the keywords."""
    if given is not None:
        if isinstance(given, TensorCreationOptions):
            given = (given.device, given.dtype)
        for part in given if isinstance(given, tuple) else (given,):
            if isinstance(part, Device):
                if device is not None:
                    raise ArgumentError("the device was given twice")
                device = part
            elif isinstance(part, DType):
                if dtype is not None:
                    raise ArgumentError("the dtype was given twice")
                dtype = part
            elif part is not None:
                raise DTypeError(f"{part!r} is not a creation option: expected a Device, a DType or a pair of both")
    return as_device(device), None if dtype is None else as_dtype(dtype)


def created(value: Value, device: Device) -> Tensor:
    """A new tensor of a device: it takes part in autodiff if the device does."""
    device.lock()
    if type(value) is Array and value.node.value is not None:
        value.backend.own_memory(value)  # a user's tensor has memory, for views to show and writes to change
    strategy = device._strategy
    if strategy is not None:
        value = Traced(value, 1, Step(value.shape, value.dtype), strategy)
    return wrap(value)


def evaluate(t: Handle) -> np.ndarray[Any, Any]:
    """The values, computed now, as a NumPy view that must not be written to."""
    array = array_of(t._v)
    return array.backend.evaluate(array)


def array_in(t: Handle) -> Array:
    """The array inside a tensor."""
    return array_of(t._v)


def ints(value: Any, what: str) -> Ints:
    """A tuple of ints from an int or a sequence; raises `ArgumentError` naming `what`."""
    try:
        return (operator.index(value),)
    except TypeError:
        pass
    try:
        return tuple([operator.index(v) for v in value])
    except TypeError:
        raise ArgumentError(f"{what} must be an int or a sequence of ints, got {value!r}") from None

