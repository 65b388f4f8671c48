"""Ops that only move elements: views where strides can express them, guarded reads otherwise.

A movement op gives `pull`: from the index of an output element, one affine form per output
axis, to the index of the input element, one per input axis. An affine form over the d axes of
a kernel's domain is (constant, c_1, …, c_d). `reshape` may ask for the domain to be split.

An op with `regions` (place, pad, concat) is made of boxes: each input fills one box of the
output, the rest holds a constant.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import ALL, DType, check_scalar
from ..errors import ArgumentError, DTypeError, ShapeError
from ..layout import Ints, contiguous_strides, infer_reshape, reshape_strides, size_of
from .record import Arg, Aval, Case, Op, Samples, Shape, op

Affine = tuple[int, ...]


class Split(NamedTuple):
    """The answer of a `pull` that needs domain axis `axis` split into `sizes`."""

    axis: int
    sizes: Ints


class Box(NamedTuple):
    """Input number `input` fills the box of the output that begins at `starts`, every `steps`."""

    input: int
    starts: Ints
    steps: Ints
    sizes: Ints


def affine_add(a: Affine, b: Affine) -> Affine:
    """Sum of two affine forms."""
    return tuple(x + y for x, y in zip(a, b))


def affine_scale(a: Affine, by: int, plus: int = 0) -> Affine:
    """`a * by + plus`."""
    return (a[0] * by + plus, *(x * by for x in a[1:]))


def whole_axis(a: Affine, domain: Ints) -> int | None:
    """The domain axis that `a` runs along from 0 by 1, if it is such a form."""
    if a[0] != 0:
        return None
    found = [k for k, c in enumerate(a[1:]) if c != 0]
    if len(found) == 1 and a[1 + found[0]] == 1:
        return found[0]
    return None


# --- reshape -----------------------------------------------------------------------------


def _reshape_pull(index: Sequence[Affine], domain: Ints, in_shape: Ints, out_shape: Ints, *_: Any) -> Any:
    """Blocks of output axes map to blocks of input axes of the same size."""
    zero: Affine = (0,) * (len(domain) + 1)
    if size_of(in_shape) == 0:
        return [zero] * len(in_shape)
    result: list[Affine] = []
    i = j = 0
    while i < len(in_shape) or j < len(out_shape):
        if i < len(in_shape) and in_shape[i] == 1:
            result.append(zero)
            i += 1
            continue
        if j < len(out_shape) and out_shape[j] == 1:
            j += 1
            continue
        have, want = in_shape[i], out_shape[j]
        i1, j1 = i + 1, j + 1
        while have != want:
            if have < want:
                have *= in_shape[i1]
                i1 += 1
            else:
                want *= out_shape[j1]
                j1 += 1
        merged = zero
        for k in range(j, j1):
            merged = affine_add(affine_scale(merged, out_shape[k]), index[k])
        sizes = [s for s in in_shape[i:i1] if s != 1]
        if len(sizes) == 1:
            result.extend(merged if s != 1 else zero for s in in_shape[i:i1])
        else:
            parts = _unmerge(merged, domain, sizes)
            if parts is None:
                axis = whole_axis(merged, domain)
                if axis is None or domain[axis] != have:
                    return None
                return Split(axis, tuple(sizes))
            rest = iter(parts)
            result.extend(next(rest) if s != 1 else zero for s in in_shape[i:i1])
        i, j = i1, j1
    return result


def _unmerge(merged: Affine, domain: Ints, sizes: Sequence[int]) -> list[Affine] | None:
    """Splits one affine form into one per size where no axis straddles a border: digits of a mixed radix."""
    parts: list[Affine] = []
    rest = list(merged)
    for size in reversed(sizes):
        low = [0] * len(rest)
        reach = 0
        low[0] = rest[0] % size
        reach += low[0]
        for k in range(1, len(rest)):
            c = rest[k]
            if c % size:
                if abs(c) >= size or c < 0:
                    return None
                low[k] = c
                reach += c * (domain[k - 1] - 1)
        if reach >= size:
            return None
        parts.append(tuple(low))
        rest = [(r - v) // size for r, v in zip(rest, low)]
    if any(rest):
        return None
    return parts[::-1]


def _reshape_infer(x: Aval, shape: Shape) -> tuple[Shape, DType]:
    return infer_reshape(x.shape, shape), x.dtype


reshape = op(
    "reshape",
    fuses="movement",
    doc="The same elements in row-major order under another shape.",
    params=("shape",),
    infer=_reshape_infer,
    reference=lambda x, shape: np.reshape(x, shape),
    pull=_reshape_pull,
    vjp=lambda do, g, _out, _x, _shape: [do.reshape(g, _x.shape)],
    samples=Samples(
        ALL,
        (
            Case((Arg((2, 3, 4)),), ((4, 6),)),
            Case((Arg((6, 4)),), ((4, 6),)),
            Case((Arg((2, 3)),), ((1, 2, 1, 3, 1),)),
            Case((Arg((0, 3)),), ((3, 0, 2),)),
            Case((Arg((1,)),), ((),)),
            Case((Arg((8, 9)),), ((72,),)),
            Case((Arg((72,)),), ((2, 4, 9),)),
        ),
        exact=True,
    ),
    half="native",
)


# --- permute -----------------------------------------------------------------------------


def _permute_pull(index: Sequence[Affine], domain: Ints, in_shape: Ints, out_shape: Ints, order: Ints) -> Any:
    result: list[Any] = [None] * len(order)
    for i, axis in enumerate(order):
        result[axis] = index[i]
    return result


permute = op(
    "permute",
    fuses="movement",
    doc="The axes in another order: output axis i is input axis order[i].",
    params=("order",),
    infer=lambda x, order: (tuple(x.shape[a] for a in order), x.dtype),
    reference=lambda x, order: np.transpose(x, order),
    pull=_permute_pull,
    vjp=lambda do, g, _out, _x, order: [do.permute(g, tuple(int(i) for i in np.argsort(order)))],
    samples=Samples(
        ALL,
        (
            Case((Arg((2, 3)),), ((1, 0),)),
            Case((Arg((2, 3, 4)),), ((2, 0, 1),)),
            Case((Arg((0, 3)),), ((1, 0),)),
            Case((Arg(()),), ((),)),
            Case((Arg((5, 70)),), ((1, 0),)),
        ),
        exact=True,
    ),
    half="native",
)


# --- slice -------------------------------------------------------------------------------


def _slice_infer(x: Aval, starts: Ints, steps: Ints, sizes: Ints, drop: Ints = ()) -> tuple[Shape, DType]:
    for axis, (n, start, step, size) in enumerate(zip(x.shape, starts, steps, sizes)):
        last = start + (size - 1) * step
        if size and not (0 <= start < n and 0 <= last < n):
            raise ShapeError(f"a range from {start} to {last} leaves axis {axis} of shape {x.shape}")
    return (tuple([s for i, s in enumerate(sizes) if i not in drop]) if drop else sizes), x.dtype


def _slice_reference(x: np.ndarray[Any, Any], starts: Ints, steps: Ints, sizes: Ints, drop: Ints = ()) -> Any:
    return np.squeeze(x[_python_slices(starts, steps, sizes)], drop)


def _slice_pull(
    index: Sequence[Affine], domain: Ints, in_shape: Ints, out_shape: Ints,
    starts: Ints, steps: Ints, sizes: Ints, drop: Ints = (),
) -> Any:  # fmt: skip
    zero: Affine = (0,) * (len(domain) + 1)
    rest = iter(index)
    full = [zero if i in drop else next(rest) for i in range(len(sizes))]
    return [affine_scale(a, step, start) if size else a for a, start, step, size in zip(full, starts, steps, sizes)]


def _slice_vjp(
    do: Any, g: Any, _out: Any, _x: Any, starts: Ints, steps: Ints, sizes: Ints, drop: Ints = ()
) -> list[Any]:
    whole = do.reshape(g, sizes) if drop else g
    return [do.place(whole, _x.shape, starts, steps, sizes, 0)]


def _python_slices(starts: Ints, steps: Ints, sizes: Ints) -> tuple[slice, ...]:
    parts = []
    for start, step, size in zip(starts, steps, sizes):
        stop = start + size * step
        parts.append(slice(start, stop if stop >= 0 else None, step) if size else slice(0, 0))
    return tuple(parts)


slice_ = op(
    "slice",
    fuses="movement",
    doc="A strided range of every axis: `sizes` elements from `starts`, every `steps` (negative ones walk back). "
    "The axes in `drop`, of size 1, are left out.",
    params=("starts", "steps", "sizes", "drop"),
    infer=_slice_infer,
    reference=_slice_reference,
    pull=_slice_pull,
    vjp=_slice_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((5,)),), ((1,), (1,), (3,))),
            Case((Arg((5, 6)),), ((4, 1), (-1, 2), (5, 3))),
            Case((Arg((3, 4)),), ((0, 0), (1, 1), (3, 0))),
            Case((Arg((80,)),), ((79,), (-1,), (80,))),
            Case((Arg((4, 5, 3)),), ((2, 1, 0), (1, 2, 1), (1, 2, 3), (0,))),
            Case((Arg((4, 5)),), ((2, 4), (1, -1), (1, 1), (0, 1))),
        ),
        exact=True,
    ),
    half="native",
)


# --- expand ------------------------------------------------------------------------------


def _expand_infer(x: Aval, shape: Shape) -> tuple[Shape, DType]:
    extra = len(shape) - len(x.shape)
    if extra < 0:
        raise ShapeError(f"{x.shape} cannot be expanded to {shape}: the target has fewer axes")
    for i, s in enumerate(x.shape):
        if s != shape[extra + i] and s != 1:
            raise ShapeError(f"{x.shape} cannot be expanded to {shape}: axis {i - len(x.shape)} has size {s}, not 1")
    return shape, x.dtype


def _expand_pull(index: Sequence[Affine], domain: Ints, in_shape: Ints, out_shape: Ints, shape: Ints) -> Any:
    extra = len(shape) - len(in_shape)
    zero: Affine = (0,) * (len(domain) + 1)
    return [zero if s == 1 else index[extra + i] for i, s in enumerate(in_shape)]


expand = op(
    "expand",
    fuses="movement",
    doc="Broadcast to a larger shape, aligned at the right; only axes of size 1 grow.",
    params=("shape",),
    infer=_expand_infer,
    reference=lambda x, shape: np.broadcast_to(x, shape),
    pull=_expand_pull,
    vjp=lambda do, g, _out, _x, _shape: [g],  # autodiff sums a gradient down to its input's shape
    samples=Samples(
        ALL,
        (
            Case((Arg((3,)),), ((2, 3),)),
            Case((Arg((2, 1)),), ((2, 5),)),
            Case((Arg(()),), ((2, 2),)),
            Case((Arg((1, 3)),), ((0, 3),)),
            Case((Arg((70, 1)),), ((70, 3),)),
        ),
        exact=True,
    ),
    half="native",
)


# --- diagonal ----------------------------------------------------------------------------


def _diagonal_size(shape: Ints, axis1: int, axis2: int, offset: int) -> int:
    rows, cols = shape[axis1], shape[axis2]
    return max(0, min(rows + min(offset, 0), cols - max(offset, 0)))


def _diagonal_infer(x: Aval, axis1: int, axis2: int, offset: int) -> tuple[Shape, DType]:
    if axis1 == axis2:
        raise ShapeError(f"the diagonal of {x.shape} needs two different axes, both are {axis1}")
    rest = tuple(s for i, s in enumerate(x.shape) if i not in (axis1, axis2))
    return (*rest, _diagonal_size(x.shape, axis1, axis2, offset)), x.dtype


def _diagonal_pull(
    index: Sequence[Affine], domain: Ints, in_shape: Ints, out_shape: Ints, axis1: int, axis2: int, offset: int
) -> Any:
    rest = iter(index[:-1])
    along = index[-1]
    result = []
    for i in range(len(in_shape)):
        if i == axis1:
            result.append(affine_scale(along, 1, max(0, -offset)))
        elif i == axis2:
            result.append(affine_scale(along, 1, max(0, offset)))
        else:
            result.append(next(rest))
    return result


def _diagonal_vjp(do: Any, g: Any, _out: Any, _x: Any, axis1: int, axis2: int, offset: int) -> list[Any]:
    """Spread along a new axis, kept where column - row = offset, then the axes put back."""
    shape = _x.shape
    rows, cols = shape[axis1], shape[axis2]
    rest = [i for i in range(len(shape)) if i not in (axis1, axis2)]
    size = g.shape[-1]
    lead = g.shape[:-1]
    zeros = (0,) * len(lead)
    ones = (1,) * len(lead)
    start = max(0, -offset)
    tall = do.place(g, (*lead, rows), (*zeros, start), (*ones, 1), (*lead, size), 0)
    wide = do.expand(do.reshape(tall, (*lead, rows, 1)), (*lead, rows, cols))
    full = (*lead, rows, cols)
    row = do.iota(full, len(lead), _I64)
    col = do.iota(full, len(lead) + 1, _I64)
    on = do.eq(do.sub(col, row), offset)
    spread = do.where(on, wide, do.full(0, full, g.dtype))
    order = [*rest, axis1, axis2]
    return [do.permute(spread, tuple(int(i) for i in np.argsort(order)))]


diagonal = op(
    "diagonal",
    fuses="movement",
    doc="The elements where index of axis2 - index of axis1 = offset, along a new last axis.",
    params=("axis1", "axis2", "offset"),
    infer=_diagonal_infer,
    reference=lambda x, axis1, axis2, offset: np.diagonal(x, offset, axis1, axis2),
    pull=_diagonal_pull,
    vjp=_diagonal_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((3, 3)),), (0, 1, 0)),
            Case((Arg((3, 4)),), (0, 1, 1)),
            Case((Arg((4, 2, 3)),), (2, 0, -1)),
            Case((Arg((2, 2)),), (0, 1, 5)),
        ),
        exact=True,
    ),
    half="native",
)


# --- unfold ------------------------------------------------------------------------------


def _unfold_infer(x: Aval, axis: int, size: int, step: int) -> tuple[Shape, DType]:
    if size < 0 or step < 1:
        raise ArgumentError(f"windows of size {size} every {step}: the size must be >= 0 and the step >= 1")
    n = x.shape[axis]
    count = 0 if size > n else (n - size) // step + 1
    return (*x.shape[:axis], count, *x.shape[axis + 1 :], size), x.dtype


def _unfold_pull(
    index: Sequence[Affine], domain: Ints, in_shape: Ints, out_shape: Ints, axis: int, size: int, step: int
) -> Any:
    result = list(index[:-1])
    result[axis] = affine_add(affine_scale(index[axis], step), index[-1])
    return result


def _unfold_reference(x: np.ndarray[Any, Any], axis: int, size: int, step: int) -> Any:
    if size > x.shape[axis]:
        return np.empty((*x.shape[:axis], 0, *x.shape[axis + 1 :], size), x.dtype)
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis)
    return windows[(slice(None),) * axis + (slice(None, None, step),)]


def _unfold_vjp(do: Any, g: Any, _out: Any, _x: Any, axis: int, size: int, step: int) -> list[Any]:
    """Windows overlap in blocks of `step`: block b of every window, laid end to end, starts at b · step."""
    shape = _x.shape
    rank = len(shape)
    count = g.shape[axis]
    if count == 0 or size == 0 or size_of(shape) == 0:
        return [do.full(0, shape, g.dtype)]
    blocks = -(-size // step)
    # the window goes beside its axis and is filled up to whole blocks
    near = do.permute(g, (*range(axis + 1), rank, *range(axis + 1, rank)))
    near = do.pad(near, tuple((0, blocks * step - size if i == axis + 1 else 0) for i in range(rank + 1)), 0)
    before, after = shape[:axis], shape[axis + 1 :]
    near = do.reshape(near, (*before, count, blocks, step, *after))
    total: Any = None
    for k in range(blocks):
        starts = tuple(k if i == axis + 1 else 0 for i in range(rank + 2))
        sizes = (*before, count, 1, step, *after)
        part = do.reshape(do.slice(near, starts, (1,) * (rank + 2), sizes), (*before, count * step, *after))
        room = tuple((k * step, (blocks - 1 - k) * step) if i == axis else (0, 0) for i in range(rank))
        part = do.pad(part, room, 0)
        total = part if total is None else do.add(total, part)
    length = (count + blocks - 1) * step
    n = shape[axis]
    if length > n:
        return [do.slice(total, (0,) * rank, (1,) * rank, shape)]
    return [do.pad(total, tuple((0, n - length if i == axis else 0) for i in range(rank)), 0)]


unfold = op(
    "unfold",
    fuses="movement",
    doc="All complete windows of `size` every `step` along `axis`; the window becomes the last axis.",
    params=("axis", "size", "step"),
    infer=_unfold_infer,
    reference=_unfold_reference,
    pull=_unfold_pull,
    vjp=_unfold_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((7,)),), (0, 3, 1)),
            Case((Arg((3, 8)),), (1, 3, 2)),
            Case((Arg((5, 2)),), (0, 2, 3)),
            Case((Arg((2,)),), (0, 3, 1)),
        ),
        exact=True,
    ),
    half="native",
)


# --- boxes: place, pad, concat -----------------------------------------------------------


def _place_boxes(
    shapes: Sequence[Ints], shape: Ints, starts: Ints, steps: Ints, sizes: Ints, value: Any
) -> tuple[list[Box], Any]:
    return [Box(0, starts, steps, sizes)], value


def _pad_boxes(shapes: Sequence[Ints], widths: tuple[tuple[int, int], ...], value: Any) -> tuple[list[Box], Any]:
    return [Box(0, tuple(lo for lo, _ in widths), (1,) * len(widths), shapes[0])], value


def _concat_boxes(shapes: Sequence[Ints], axis: int) -> tuple[list[Box], Any]:
    found = []
    at = 0
    for i, s in enumerate(shapes):
        starts = tuple(at if k == axis else 0 for k in range(len(s)))
        found.append(Box(i, starts, (1,) * len(s), s))
        at += s[axis]
    return found, 0


def _place_infer(
    x: Aval, shape: Shape, starts: Ints, steps: Ints, sizes: Ints, value: Any
) -> tuple[Shape, DType]:
    if tuple(sizes) != tuple(x.shape):
        raise ShapeError(f"a range of sizes {sizes} does not take values of shape {x.shape}")
    for axis, (n, start, step, size) in enumerate(zip(shape, starts, steps, sizes)):
        last = start + (size - 1) * step
        if size and not (0 <= start < n and 0 <= last < n):
            raise ShapeError(f"a range from {start} to {last} leaves axis {axis} of shape {shape}")
    check_scalar(_plain(value, x.dtype), x.dtype)
    return tuple(shape), x.dtype


def _plain(value: Any, dtype: DType) -> Any:
    return bool(value) if dtype.is_bool() and value in (0, 1) else value


def _place_reference(
    x: np.ndarray[Any, Any], shape: Ints, starts: Ints, steps: Ints, sizes: Ints, value: Any
) -> np.ndarray[Any, Any]:
    out = np.full(shape, value, x.dtype)
    if x.size:
        out[_python_slices(starts, steps, sizes)] = x
    return out


place = op(
    "place",
    fuses="elementwise",
    doc="`value` everywhere but in a strided range, which holds x: the transpose of `slice`.",
    params=("shape", "starts", "steps", "sizes", "value"),
    infer=_place_infer,
    reference=_place_reference,
    regions=_place_boxes,
    vjp=lambda do, g, _out, _x, shape, starts, steps, sizes, value: [do.slice(g, starts, steps, sizes)],
    samples=Samples(
        ALL,
        (
            Case((Arg((2,)),), ((5,), (1,), (2,), (2,), 0)),
            Case((Arg((2, 3)),), ((4, 3), (1, 0), (1, 1), (2, 3), 1)),
            Case((Arg((2, 3)),), ((4, 6), (3, 5), (-2, -1), (2, 3), 0)),
            Case((Arg((0,)),), ((3,), (0,), (1,), (0,), 0)),
        ),
        exact=True,
    ),
    half="native",
)


def _pad_infer(x: Aval, widths: tuple[tuple[int, int], ...], value: Any) -> tuple[Shape, DType]:
    if len(widths) != len(x.shape):
        raise ShapeError(f"padding of shape {x.shape} needs {len(x.shape)} pairs of widths, got {len(widths)}")
    for axis, (lo, hi) in enumerate(widths):
        if lo < 0 or hi < 0:
            raise ShapeError(f"padding widths ({lo}, {hi}) of axis {axis} are negative")
    check_scalar(_plain(value, x.dtype), x.dtype)
    return tuple(lo + n + hi for n, (lo, hi) in zip(x.shape, widths)), x.dtype


pad = op(
    "pad",
    fuses="elementwise",
    doc="x with `value` around it: widths holds (before, after) for every axis.",
    params=("widths", "value"),
    infer=_pad_infer,
    reference=lambda x, widths, value: np.pad(x, widths, constant_values=value) if x.ndim else x.copy(),
    regions=_pad_boxes,
    vjp=lambda do, g, _out, _x, widths, value: [
        do.slice(g, tuple(lo for lo, _ in widths), (1,) * len(widths), _x.shape)
    ],
    samples=Samples(
        ALL,
        (
            Case((Arg((3,)),), (((1, 2),), 0)),
            Case((Arg((2, 3)),), (((0, 1), (2, 0)), 1)),
            Case((Arg((0, 2)),), (((1, 1), (0, 0)), 0)),
            Case((Arg((40, 3)),), (((5, 5), (1, 1)), 0)),
        ),
        exact=True,
    ),
    half="native",
)


def _concat_infer(xs: Sequence[Aval], axis: int) -> tuple[Shape, DType]:
    if not xs:
        raise ArgumentError("expected at least one tensor, got an empty list")
    first = xs[0]
    total = 0
    for x in xs:
        if x.dtype is not first.dtype:
            raise DTypeError(f"cannot join {first.dtype.name} with {x.dtype.name}")
        if len(x.shape) != len(first.shape):
            raise ShapeError(f"cannot join {first.shape} with {x.shape}: the ranks differ")
        for i, (a, b) in enumerate(zip(first.shape, x.shape)):
            if a != b and i != axis:
                raise ShapeError(f"cannot join {first.shape} with {x.shape} along axis {axis}: axis {i} differs")
        total += x.shape[axis]
    return (*first.shape[:axis], total, *first.shape[axis + 1 :]), first.dtype


def _concat_vjp(do: Any, g: Any, _out: Any, _xs: Sequence[Any], axis: int) -> list[Any]:
    found, _ = _concat_boxes([x.shape for x in _xs], axis)
    return [do.slice(g, b.starts, b.steps, b.sizes) for b in found]


concat = op(
    "concat",
    fuses="elementwise",
    doc="The inputs one after the other along `axis`.",
    params=("axis",),
    variadic=True,
    infer=_concat_infer,
    reference=lambda xs, axis: np.concatenate(xs, axis),
    regions=_concat_boxes,
    vjp=_concat_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((2,)), Arg((3,))), (0,)),
            Case((Arg((2, 3)), Arg((2, 1)), Arg((2, 0))), (1,)),
            Case((Arg((30, 2)), Arg((50, 2))), (0,)),
        ),
        exact=True,
    ),
    half="native",
)


def split_axis(index: Sequence[Affine], axis: int, sizes: Ints) -> list[Affine]:
    """The same forms over a domain whose axis `axis` is split into `sizes`."""
    steps = contiguous_strides(sizes)
    at = axis + 1
    return [(*a[:at], *(a[at] * s for s in steps), *a[at + 1 :]) for a in index]


@functools.cache
def _identity(rank: int) -> tuple[Affine, ...]:
    """The forms of the axes themselves."""
    return tuple([tuple([1 if k == i + 1 else 0 for k in range(rank + 1)]) for i in range(rank)])


def view_layout(op: Op, params: tuple[Any, ...], shape: Ints, strides: Ints, offset: int, out: Ints) -> Any:
    """Strides and offset of a movement's result over its input's memory, or None when strides cannot say it."""
    if size_of(out) == 0:
        return contiguous_strides(out), offset
    if op is reshape:
        result = reshape_strides(shape, strides, out)
        return None if result is None else (result, offset)
    rank = len(out)
    index = _identity(rank)
    assert op.pull is not None
    total = [offset] + [0] * rank
    for form, stride in zip(op.pull(index, out, shape, out, *params), strides):
        for k, c in enumerate(form):
            total[k] += c * stride
    return tuple(total[1:]), total[0]


_I64: DType = DType.I64
