"""Dtypes: conversion, what converts to what, limits; and the constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..apply import cast_to
from ..device import Device
from ..dtypes import Bool, Complex, DType, Float, Int, as_dtype, kind_of_scalar
from ..dtypes import promote as promoted
from ..errors import ArgumentError, DTypeError, public
from ..ops.elementwise import part_dtype
from ..tensor import Tensor
from .arguments import Number, copied, tensor

__all__ = [
    "astype", "can_cast", "e", "finfo", "iinfo", "inf", "isdtype", "nan", "newaxis", "pi", "result_type",
]  # fmt: skip

e = math.e
inf = math.inf
nan = math.nan
pi = math.pi
newaxis = None


@public("pr.astype")
def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Device | str | None = None) -> Tensor:
    """x in another dtype; of the same one a copy, or with copy=False the tensor itself.

    Floats go to integers toward zero and saturate, NaN becomes 0; integers wrap; to bool is x ≠ 0.
    The gradient passes between Float dtypes. Raises `DTypeError` for Complex to real.

    Example:
        >>> pr.astype(pr.asarray([1.9, -1.9, 300.0]), pr.int8).to_list()
        [1, -1, 127]

    Source: array API, `astype`.
    """
    t = tensor(x)
    kept = as_dtype(dtype)
    if device is not None and Device(str(device.name if isinstance(device, Device) else device)) != t.device:
        from ..interop import asarray

        t = asarray(t, device=device)
    return copied(t) if copy and t.dtype is kept else cast_to(t, kept)


def _dtype(x: Any) -> DType:
    return x.dtype if isinstance(x, Tensor) else as_dtype(x)


@public("pr.can_cast")
def can_cast(from_: Any, to: Any, /) -> bool:
    """Does promotion take the first dtype (or tensor) to the second?

    Example:
        >>> pr.can_cast(pr.int32, pr.int64), pr.can_cast(pr.int64, pr.float64)
        (True, False)

    Source: array API, `can_cast`.
    """
    source, target = _dtype(from_), as_dtype(to)
    try:
        return promoted(source, target) is target
    except DTypeError:
        return False


_KINDS: dict[str, Callable[[DType], bool]] = {
    "bool": DType.is_bool,
    "signed integer": DType.is_int,
    "unsigned integer": DType.is_uint,
    "integral": lambda d: d.kind is Int,
    "real floating": DType.is_float,
    "complex floating": DType.is_complex,
    "numeric": lambda d: d.kind is not Bool,
}


@public("pr.isdtype")
def isdtype(dtype: Any, kind: Any) -> bool:
    """Is the dtype of a kind: a dtype, a name such as "real floating", or a tuple of these?

    Raises `ArgumentError` for an unknown name.

    Example:
        >>> pr.isdtype(pr.float32, "real floating"), pr.isdtype(pr.int8, ("bool", pr.int8))
        (True, True)

    Source: array API, `isdtype`.
    """
    given = as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(given, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ArgumentError(f"{kind!r} is not a kind of dtype; there are {', '.join(map(repr, _KINDS))}")
        return _KINDS[kind](given)
    return given is as_dtype(kind)


@public("pr.result_type")
def result_type(*arrays_and_dtypes: Tensor | DType | Number) -> DType:
    """The dtype of an operation on tensors, dtypes and Python numbers; a number takes that of the rest.

    Raises `DTypeError` for kinds that do not mix, or when there are only numbers.

    Example:
        >>> pr.result_type(pr.int32, pr.asarray([1]), 5)
        pyrite.int64

    Source: array API, `result_type`.
    """
    result: DType | None = None
    numbers = []
    for x in arrays_and_dtypes:
        kind = None if isinstance(x, (Tensor, DType)) else kind_of_scalar(x)
        if kind is not None:
            numbers.append((kind, x))
        else:
            dtype = _dtype(x)
            result = dtype if result is None else promoted(result, dtype)
    if result is None:
        raise DTypeError("expected at least one tensor or dtype")
    order = (Bool, Int, Float, Complex)
    for kind, x in numbers:
        if order.index(kind) > order.index(result.kind) or (kind is Bool) != (result.kind is Bool):
            raise DTypeError(f"the Python {type(x).__name__} {x!r} does not go with {result.name}")
    return result


@dataclass(frozen=True)
class FloatLimits:
    """The limits of a Float dtype, under the names of the standard."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntLimits:
    """The limits of an Int dtype, under the names of the standard."""

    bits: int
    max: int
    min: int
    dtype: DType


@public("pr.finfo")
def finfo(type: Any, /) -> FloatLimits:
    """The limits of a Float dtype or tensor: bits, eps, max, min, smallest_normal, dtype.

    Of a Complex one those of its parts. Raises `DTypeError` for other kinds.

    Example:
        >>> pr.finfo(pr.float32).bits
        32

    Source: array API, `finfo`.
    """
    dtype = _dtype(type)
    if dtype.is_complex():
        dtype = part_dtype(dtype)
    info = dtype.finfo()
    if info is None:
        raise DTypeError(f"{dtype.name} is not a Float dtype", "use pr.iinfo for integers")
    return FloatLimits(info.bits, info.epsilon, info.max, info.min, info.min_positive, dtype)


@public("pr.iinfo")
def iinfo(type: Any, /) -> IntLimits:
    """The limits of an Int dtype or tensor: bits, max, min, dtype.

    Raises `DTypeError` for other kinds.

    Example:
        >>> pr.iinfo(pr.int8).max
        127

    Source: array API, `iinfo`.
    """
    dtype = _dtype(type)
    info = dtype.iinfo()
    if info is None:
        raise DTypeError(f"{dtype.name} is not an Int dtype", "use pr.finfo for floats")
    return IntLimits(info.bits, info.max, info.min, dtype)
