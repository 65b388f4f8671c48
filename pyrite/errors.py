"""The exception family and the boundary that names the user's function.

`infer` functions and layout functions raise the bare reason ("(2, 5) and (3,) do not
broadcast"). The outermost public function prefixes its own name and drops inner frames,
so a user sees one line about the call they typed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, ParamSpec, Self, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


class PyriteError(Exception):
    """Base of every error Pyrite raises on purpose."""

    def __init__(self, reason: str = "", hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.function: str | None = None
        self.details: dict[str, Any] = {}

    def given(self, **details: Any) -> Self:
        """Adds what was expected and what was there as attributes, for programs that read errors."""
        self.details.update(details)
        return self

    def __getattr__(self, name: str) -> Any:
        details = self.__dict__.get("details", {})
        if name in details:
            return details[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __str__(self) -> str:
        text = f"{self.function}: {self.reason}" if self.function else self.reason
        return f"{text}\nHint: {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.reason, self.hint, self.function, self.details))


def _rebuild(
    kind: type[PyriteError], reason: str, hint: str | None, function: str | None, details: dict[str, Any]
) -> PyriteError:
    error = kind(reason, hint).given(**details)
    error.function = function
    return error


class ShapeError(PyriteError, ValueError):
    """Extents or ranks that do not fit, or an empty reduction."""


class AxisError(PyriteError, ValueError, IndexError):
    """An axis out of range or repeated."""


class BoundsError(PyriteError, IndexError):
    """An index out of bounds."""


class DTypeError(PyriteError, TypeError):
    """A wrong kind or dtype."""


class ArgumentError(PyriteError, ValueError):
    """An argument with a value that the function does not take."""


class ScalarRangeError(PyriteError, OverflowError):
    """A Python number that does not fit the dtype."""


class GradientError(PyriteError, RuntimeError):
    """No gradient rule, a consumed graph, or a write to a tracked tensor."""


def _nest(owner: type[PyriteError], *kinds: type[PyriteError]) -> None:
    """Makes `kinds` attributes of `owner`, where tracebacks and pickles find them."""
    for kind in kinds:
        name = kind.__name__.lstrip("_")
        kind.__name__, kind.__qualname__ = name, f"{owner.__name__}.{name}"
        setattr(owner, name, kind)


class DeviceError(PyriteError, RuntimeError):
    """Mixed devices, a device that is not there, or defaults that cannot be set.

    `DeviceError.AlreadyInitialized`: the defaults are locked. `DeviceError.UnsupportedDType`: no device has them.
    """

    AlreadyInitialized: ClassVar[type[DeviceError]]
    UnsupportedDType: ClassVar[type[DeviceError]]


class _AlreadyInitialized(DeviceError):
    """`DeviceError.AlreadyInitialized`."""


class _UnsupportedDType(DeviceError):
    """`DeviceError.UnsupportedDType`."""


_nest(DeviceError, _AlreadyInitialized, _UnsupportedDType)


class ReadOnlyError(PyriteError, ValueError):
    """A write to a read-only buffer or through an overlapping view."""


class BufferProtocolError(PyriteError, BufferError):
    """A foreign buffer that cannot be viewed (DLPack, buffer protocol)."""


class TensorReadError(PyriteError, RuntimeError):
    """The values of a tensor could not be read or converted.

    `TensorReadError.Execution` is `ExecutionError`, `TensorReadError.Data` is `DataError`;
    `TensorReadError.InvalidShape`: not the one element that was asked for.
    """

    Execution: ClassVar[type[TensorReadError]]
    Data: ClassVar[type[TensorReadError]]
    InvalidShape: ClassVar[type[TensorReadError]]


class ExecutionError(TensorReadError):
    """A queued operation failed while it ran; the text names the line that queued it.

    `ExecutionError.WithContext` and `ExecutionError.Generic` are the same class: there is always a context.
    """

    WithContext: ClassVar[type[ExecutionError]]
    Generic: ClassVar[type[ExecutionError]]


class _InvalidShape(TensorReadError, ShapeError):
    """`TensorReadError.InvalidShape`."""


class DataError(TensorReadError):
    """`TensorData` that cannot be had in the form asked for; its kinds are attributes, as in the original."""

    StorageAccess: ClassVar[type[DataError]]
    InvalidRepresentation: ClassVar[type[DataError]]
    DTypeMismatch: ClassVar[type[DataError]]
    UnsupportedConversion: ClassVar[type[DataError]]
    ElementCountMismatch: ClassVar[type[DataError]]


class _StorageAccess(DataError):
    """`DataError.StorageAccess`."""


class _InvalidRepresentation(DataError, ValueError):
    """`DataError.InvalidRepresentation`: bytes that are no values of the dtype."""


class _DTypeMismatch(DataError, DTypeError):
    """`DataError.DTypeMismatch`: another element type than the stored one."""


class _UnsupportedConversion(DataError, DTypeError):
    """`DataError.UnsupportedConversion`: no conversion between two element types."""


class _ElementCountMismatch(DataError, ShapeError):
    """`DataError.ElementCountMismatch`: more or fewer values than the shape holds."""


ExecutionError.WithContext = ExecutionError.Generic = ExecutionError
TensorReadError.Execution, TensorReadError.Data = ExecutionError, DataError
_nest(TensorReadError, _InvalidShape)
_nest(DataError, _StorageAccess, _InvalidRepresentation, _DTypeMismatch, _UnsupportedConversion, _ElementCountMismatch)


class DeferredBoundsError(BoundsError, ExecutionError):
    """An index that was computed in a queued operation is out of bounds."""


class DeferredArgumentError(ArgumentError, ExecutionError):
    """A value that was computed in a queued operation is not one that the operation takes."""


class OutOfMemoryError(ExecutionError, MemoryError):
    """No memory for a result; the device stays usable."""


class ContractError(ShapeError, AssertionError):
    """A shape that `assert_shape` refuses."""


class PrimitiveConversionError(PyriteError, TypeError):
    """A tensor or primitive of another kind or backend than asked for; the two cases are attributes."""

    BackendMismatch: ClassVar[type[PrimitiveConversionError]]
    KindMismatch: ClassVar[type[PrimitiveConversionError]]


class _BackendMismatch(PrimitiveConversionError):
    """`PrimitiveConversionError.BackendMismatch`."""


class _KindMismatch(PrimitiveConversionError, DTypeError):
    """`PrimitiveConversionError.KindMismatch`."""


_nest(PrimitiveConversionError, _BackendMismatch, _KindMismatch)

_COROUTINE = 0x80  # the flag of a coroutine function's code


def public(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Marks a function that users call: its errors carry `name` and end at the user's line."""

    def wrap(fn: Callable[P, R]) -> Callable[P, R]:
        code = getattr(fn, "__code__", None)
        if code is not None and code.co_flags & _COROUTINE:

            @functools.wraps(fn)
            async def later(*args: P.args, **kwargs: P.kwargs) -> Any:
                try:
                    return await cast("Any", fn)(*args, **kwargs)
                except PyriteError as error:
                    caught = error
                raise named(caught, name) from caught.__cause__

            return cast("Callable[P, R]", later)

        @functools.wraps(fn)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return fn(*args, **kwargs)
            except PyriteError as error:
                caught = error
            # outside the handler, so that no inner frame stays chained
            raise named(caught, name) from caught.__cause__

        return call

    return wrap


def named(error: PyriteError, name: str) -> PyriteError:
    """`error` as the error of the public function `name`, without inner frames."""
    if not isinstance(error, ExecutionError):
        error.function = name
    return error.with_traceback(None)


def surface(error: PyriteError, name: str) -> NoReturn:
    """Raises `error` again as the error of the public function `name`."""
    raise named(error, name) from error.__cause__
