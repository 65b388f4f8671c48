"""What users pass to the functions of this folder, as tensors, axes and fresh results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..apply import Handle, apply, array_in, binary, cast_to, do_on, wrap
from ..device import Device
from ..dtypes import Complex, DType, Float, as_dtype, check_scalar, from_numpy, kind_of_scalar, promote
from ..errors import ArgumentError, DTypeError
from ..layout import as_shape
from ..ops.elementwise import check_kind
from ..storage import Storage
from ..tensor import Tensor

Number = int | float | complex  # bool is an int
Operand = Tensor | int | float | complex
Axes = int | Sequence[int] | None


def tensor(x: Any) -> Tensor:
    """`x` if it is a tensor, an array as one; raises `DTypeError` for numbers, lists and the rest."""
    if isinstance(x, Tensor):
        return x
    if hasattr(x, "__array__") and not isinstance(x, np.generic):
        from ..interop import asarray

        return asarray(x)
    raise DTypeError(f"expected a tensor, got {type(x).__name__} {_short(x)}", "make one of it with pr.asarray")


def side(x: Any) -> Any:
    """One of two operands: a number stays one, anything else is a tensor."""
    return x if isinstance(x, Tensor) or kind_of_scalar(x) is not None else tensor(x)


def one(name: str, x: Any) -> Tensor:
    """The op `name` of one tensor."""
    return apply(name, (tensor(x),))


def two(name: str, x1: Any, x2: Any) -> Tensor:
    """The op `name` of two operands, brought to one dtype and shape."""
    return binary(name, side(x1), side(x2))


def floats(x: Any) -> Tensor:
    """`x` as a Float tensor; raises `DTypeError` for other kinds, naming the cast."""
    t = tensor(x)
    if t._v.dtype.kind is not Float:
        check_kind(t.dtype, (Float,))
    return t


def fields(x: Any) -> Tensor:
    """`x` as a Float or Complex tensor; raises `DTypeError` for other kinds, naming the cast."""
    t = tensor(x)
    check_kind(t.dtype, (Float, Complex))
    return t


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 40 else text[:37] + "..."


def tensors(xs: Any) -> list[Tensor]:
    """A sequence of tensors of one dtype, promoted inside their kind; raises for an empty one."""
    if isinstance(xs, Handle):
        raise DTypeError("expected a list of tensors, got a tensor", "put the tensors into a list")
    found = [tensor(x) for x in xs]
    if not found:
        raise ArgumentError("expected at least one tensor, got an empty list")
    dtype = found[0].dtype
    for t in found[1:]:
        dtype = promote(dtype, t.dtype)
    return [cast_to(t, dtype) for t in found]


def copied(x: Handle) -> Tensor:
    """The same values in a tensor of their own."""
    return apply("cast", (x,), x._v.dtype)


def fresh(array: np.ndarray[Any, Any], like: Handle) -> Tensor:
    """A tensor that owns a computed NumPy array, on the device of `like`."""
    owned = np.array(array, order="C")
    return wrap(array_in(like).backend.from_storage(Storage.adopt(owned), from_numpy(owned.dtype), owned.shape))


def maybe_dtype(dtype: Any) -> DType | None:
    """The dtype that was asked for, if one was."""
    return None if dtype is None else as_dtype(dtype)


def filled(value: Any, shape: Any, dtype: DType, device: Device) -> Any:
    """A constant in every element, laid out in the order of the device; raises for a value that does not fit."""
    sizes = as_shape(shape)
    value = check_scalar(value, dtype)
    do = do_on(device)
    if device.default_order == "C" or len(sizes) < 2:
        return do.full(value, sizes, dtype)
    # columns first: the axes reversed in memory
    return do.permute(do.full(value, sizes[::-1], dtype), tuple(range(len(sizes)))[::-1])
