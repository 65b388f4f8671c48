"""Tensors from nothing: constants and index ramps, and what is made of them."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from ..dtypes import ALL, FLOATS, INTS, Bool, Complex, DType, Float, Int, bool_, check_scalar, float64, int64
from ..errors import ArgumentError, DTypeError, ShapeError
from .elementwise import REALS, Array, check_kind, computed, part_dtype
from .record import ZERO, Aval, Case, Samples, Shape, op

# ---------------------------------------------------------------- ops


def _full_infer(value: Any, shape: Shape, dtype: DType) -> tuple[Shape, DType]:
    check_scalar(value, dtype)
    return shape, dtype


def _full_scalar(b: Any, value: Any, _shape: Shape, dtype: DType) -> Any:
    # a half constant is rounded here, once, and not again by way of float32
    return b.const(float(_constant(value, dtype)) if dtype.is_half() else value, computed(dtype))


def _constant(value: Any, dtype: DType) -> Any:
    return np.asarray(value).astype(dtype.np)


def _full_cases() -> tuple[Case, ...]:
    values: list[tuple[Any, DType]] = [(True if d.kind is Bool else 3 if d.kind is Int else 0.1, d) for d in ALL]
    shapes: tuple[Shape, ...] = ((), (5,), (67,), (0, 3), (2, 3, 2, 2))
    return tuple(Case((), (value, shape, d)) for value, d in values for shape in shapes)


op(
    "full",
    fuses="elementwise",
    arity=0,
    params=("value", "shape", "dtype"),
    doc="The same Python number everywhere.",
    infer=_full_infer,
    reference=lambda value, shape, dtype: np.broadcast_to(_constant(value, dtype), shape).copy(),
    scalar=_full_scalar,
    vjp=ZERO,
    samples=Samples(ALL, _full_cases(), True),
)


def _iota_infer(shape: Shape, _axis: int, dtype: DType) -> tuple[Shape, DType]:
    check_kind(dtype, REALS)
    return shape, dtype


def _iota_reference(shape: Shape, axis: int, dtype: DType) -> Array:
    line = np.arange(shape[axis]).astype(computed(dtype).np)
    return np.broadcast_to(line.reshape((-1,) + (1,) * (len(shape) - axis - 1)), shape).copy()


op(
    "iota",
    fuses="elementwise",
    arity=0,
    params=("shape", "axis", "dtype"),
    doc="The index along the axis, converted to the dtype.",
    infer=_iota_infer,
    reference=_iota_reference,
    scalar=lambda b, shape, axis, dtype: b.cast(b.index(axis), computed(dtype)),
    vjp=ZERO,
    samples=Samples(
        FLOATS + INTS,
        tuple(
            Case((), (shape, axis, d))
            for d in FLOATS + INTS
            for shape, axis in (((5,), 0), ((300,), 0), ((0,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3, 2, 2), 2))
        ),
        True,
    ),
)

# ---------------------------------------------------------------- ramps


def arange_size(start: float, stop: float, step: float) -> int:
    """How many of start, start + step, … lie before stop.

    A quotient within rounding of an integer counts as that integer: (1.0, 1.3, 0.1) are 3.
    """
    if step == 0:
        raise ArgumentError("the step is 0")
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return len(range(start, stop, step))
    if not (math.isfinite(start) and math.isfinite(stop) and math.isfinite(step)):
        raise ArgumentError(f"start {start}, stop {stop} and step {step} must be finite")
    steps = (stop - start) / step
    if not math.isfinite(steps) or steps > sys.maxsize:
        raise ArgumentError(f"the range from {start} to {stop} by {step} has too many elements")
    slack = 2 * sys.float_info.epsilon * (abs(start) + abs(stop)) / abs(step)
    near = round(steps)
    return max(0, near if abs(steps - near) <= min(slack, 0.25) else math.ceil(steps))


def arange(do: Any, start: float, stop: float, step: float, dtype: DType) -> Any:
    """start, start + step, … before stop; each is rounded once from float64, integers are exact."""
    size = arange_size(start, stop, step)
    if dtype.kind is Int:
        if not (isinstance(start, int) and isinstance(step, int)):
            raise DTypeError(f"a range of floats does not go with {dtype.name}", "use integers or a Float dtype")
        if size:
            check_scalar(start, dtype)
            check_scalar(start + (size - 1) * step, dtype)
        index = do.iota((size,), 0, dtype)
        # the arithmetic wraps, so that a step may leave the dtype's range
        return do.add(do.mul(index, _wrapped(step, dtype)), _wrapped(start, dtype))
    check_kind(dtype, REALS)
    index = do.iota((size,), 0, float64)
    return do.cast(do.add(do.mul(index, float(step)), float(start)), dtype)


def _wrapped(value: int, dtype: DType) -> int:
    value %= 1 << dtype.bits
    return value - (1 << dtype.bits) if dtype.signed and value >> (dtype.bits - 1) else value


def linspace(do: Any, start: Any, stop: Any, num: int, endpoint: bool, dtype: DType) -> Any:
    """`num` evenly spaced values from start; the last is exactly stop with `endpoint`."""
    if num < 0:
        raise ArgumentError(f"the number of points is {num}")
    if dtype.kind is Complex:
        start, stop = complex(start), complex(stop)
        parts = [
            linspace(do, a, b, num, endpoint, part_dtype(dtype))
            for a, b in ((start.real, stop.real), (start.imag, stop.imag))
        ]
        return do.complex_(*parts)
    check_kind(dtype, REALS)
    start, stop = float(start), float(stop)
    gaps = max(num - 1 if endpoint else num, 1)
    step = (stop - start) / gaps
    if not math.isfinite(step):
        step = stop / gaps - start / gaps  # the difference overflows
    index = do.iota((num,), 0, float64)
    values = do.add(do.mul(index, step), start)
    if endpoint and num > 1:
        values = do.where(do.eq(index, float(num - 1)), stop, values)
    return do.cast(values, dtype)


# ---------------------------------------------------------------- matrices


def diagonal_number(do: Any, rows: int, cols: int) -> Any:
    """The int64 matrix of column - row: the number of the diagonal of each element."""
    return do.sub(do.iota((1, cols), 1, int64), do.iota((rows, 1), 0, int64))


def _inside(k: int, rows: int, cols: int) -> int:
    """The number of a diagonal; of one beyond the matrix that of the nearest just outside, which fits int64."""
    return max(-rows, min(k, cols))


def eye(do: Any, rows: int, cols: int, k: int, dtype: DType) -> Any:
    """Ones on diagonal `k`, zeros elsewhere."""
    ones = do.eq(diagonal_number(do, rows, cols), _inside(k, rows, cols))
    return ones if dtype is bool_ else do.cast(ones, dtype)


def _sides(x: Aval) -> tuple[int, int]:
    if len(x.shape) < 2:
        raise ShapeError(f"a matrix or a batch of them is needed, got shape {x.shape}")
    return x.shape[-2], x.shape[-1]


def triu(do: Any, x: Any, k: int) -> Any:
    """The elements with column - row ≥ k, zero elsewhere, of the last two axes."""
    sides = _sides(x)
    return do.where(do.ge(diagonal_number(do, *sides), _inside(k, *sides)), x, _nothing(x.dtype))


def tril(do: Any, x: Any, k: int) -> Any:
    """The elements with column - row ≤ k, zero elsewhere, of the last two axes."""
    sides = _sides(x)
    return do.where(do.le(diagonal_number(do, *sides), _inside(k, *sides)), x, _nothing(x.dtype))


def _nothing(dtype: DType) -> Any:
    return False if dtype is bool_ else 0.0 if dtype.kind is Float else 0
