"""The exception family and the boundary that names the user's function.

`infer` functions and layout functions raise the bare reason ("(2, 5) and (3,) do not
broadcast"). The outermost public function prefixes its own name and drops inner frames,
so a user sees one line about the call they typed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class PyriteError(Exception):
    """Base of every error Pyrite raises on purpose."""

    def __init__(self, reason: str = "", hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.function: str | None = None

    def __str__(self) -> str:
        text = f"{self.function}: {self.reason}" if self.function else self.reason
        return f"{text}\nHint: {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.reason, self.hint, self.function))


def _rebuild(kind: type[PyriteError], reason: str, hint: str | None, function: str | None) -> PyriteError:
    error = kind(reason, hint)
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


class DeviceError(PyriteError, RuntimeError):
    """Mixed devices, or defaults that are already locked."""


class ReadOnlyError(PyriteError, ValueError):
    """A write to a read-only buffer or through an overlapping view."""


class BufferProtocolError(PyriteError, BufferError):
    """A foreign buffer that cannot be viewed (DLPack, buffer protocol)."""


class ExecutionError(PyriteError, RuntimeError):
    """A queued operation failed while it ran; the text names the line that queued it."""


class DeferredBoundsError(BoundsError, ExecutionError):
    """An index that was computed in a queued operation is out of bounds."""


class OutOfMemoryError(ExecutionError, MemoryError):
    """No memory for a result; the device stays usable."""


class TensorReadError(PyriteError, RuntimeError):
    """The values of a tensor could not be read or converted."""


def public(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Marks a function that users call: its errors carry `name` and end at the user's line."""

    def wrap(fn: Callable[P, R]) -> Callable[P, R]:
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
