"""Reads and writes at the places that index tensors name.

Indices are Int tensors of any width. Values from -size to -1 count from the end; the `bounds`
field of each record raises `BoundsError` for anything else, from the values of the indices and
the shapes of the other inputs alone.

The ops that write are functional: they give a changed copy. `mode` is one of "assign", "add",
"mul", "min" and "max". Where several updates meet one element, "assign" keeps the last in
row-major order and the others reduce over all of them in that order. On Bool, "add" is or and
"mul" is and. The gradient of "mul" is defined for unique indices; that of "min" and "max" goes
to the old element on a tie with it, else to the first update that gave the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dtypes import ALL, FLOATS, INTS, Bool, Complex, DType, Float, Int, bool_, int64
from ..errors import ArgumentError, AxisError, BoundsError, DTypeError, ShapeError
from ..layout import broadcast_shapes, normalize_axis, size_of
from .record import ZERO, Arg, Aval, Case, Samples, Shape, Updates, op

Array = NDArray[Any]
Axes = tuple[int, ...]

MODES = ("assign", "add", "mul", "min", "max")


# --- checks ------------------------------------------------------------------------------


def check_indices(indices: Any, size: int, axis: int) -> None:
    """Raises `BoundsError` for the first index, in row-major order, that `axis` of `size` does not have."""
    array = np.asarray(indices)
    if array.size == 0:
        return
    if -size <= int(array.min()) and int(array.max()) < size:
        return
    wide = array if array.dtype == np.uint64 else array.astype(np.int64)
    wrong = wide[(wide < -size) | (wide >= size)]
    raise BoundsError(f"index {int(wrong[0])} is out of bounds for axis {axis} with size {size}")


def _from_front(indices: Array, size: int) -> Array:
    """Checked indices as int64, counted from the front."""
    wide = indices.astype(np.int64)
    return np.where(wide < 0, wide + size, wide)


def _check_index_dtype(*indices: Aval) -> None:
    for i in indices:
        if i.dtype.kind is not Int:
            raise DTypeError(f"indices must be an Int tensor, these are {i.dtype.name}")


def _check_values(x: Aval, values: Aval, shape: Shape, mode: str) -> None:
    """Checks the updates of a write, whose shape must be `shape`."""
    if mode not in MODES:
        raise ArgumentError(f"{mode!r} is not an update mode (assign, add, mul, min or max)")
    if values.dtype is not x.dtype:
        raise DTypeError(f"values are {values.dtype.name} and the tensor is {x.dtype.name}: the dtypes must be equal")
    if mode in ("min", "max") and x.dtype.kind is Complex:
        raise DTypeError(f"{mode} needs an order, which {x.dtype.name} does not have")
    if values.shape != shape:
        raise ShapeError(f"values have shape {values.shape}, the indices of a tensor of shape {x.shape} need {shape}")


# --- the shared write --------------------------------------------------------------------

_UFUNCS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def _update(target: Array, rows: Array, values: Array, mode: str) -> Array:
    """Writes row j of `values` to row rows[j] of `target`, an array (n, w) that may be overwritten."""
    if mode == "assign":
        # NumPy leaves open which of several updates of one element stays, so pick the last
        order = np.arange(rows.size)
        last = np.full(len(target), -1)
        np.maximum.at(last, rows, order)
        kept = last[rows] == order
        target[rows[kept]] = values[kept]
        return target
    width = target.shape[1]
    flat = (rows[:, None] * width + np.arange(width)).reshape(-1)
    _UFUNCS[mode].at(target.reshape(-1), flat, np.ascontiguousarray(values).reshape(-1))
    return target


def _update_vjp(
    do: Any,
    g: Any,
    x: Any,
    values: Any,
    mode: str,
    pick: Callable[[Any], Any],
    place: Callable[[Any, Any, str], Any],
) -> list[Any]:
    """Gradients of out = place(x, values, mode), where `pick` reads a tensor like x at the indices."""
    if mode == "add":
        return [g, pick(g)]
    if mode == "mul":
        return [place(g, values, "mul"), do.mul(pick(g), pick(x))]
    count = size_of(values.shape)
    number = do.reshape(do.iota((count,), 0, int64), values.shape)
    if mode == "assign":
        last = place(do.full(-1, x.shape, int64), number, "assign")
        won = do.eq(pick(last), number)
        return [place(g, do.full(0, values.shape, g.dtype), "assign"), do.where(won, pick(g), 0)]
    old, new = pick(x), pick(place(x, values, mode))
    better = do.gt(values, old) if mode == "max" else do.lt(values, old)
    best = do.eq(values, new)
    if x.dtype.kind is Float:  # a NaN beats every number
        better = do.logical_or(better, do.logical_and(do.isnan(values), do.logical_not(do.isnan(old))))
        best = do.logical_or(best, do.isnan(values))
    won = do.logical_and(better, best)
    first = place(do.full(count, x.shape, int64), do.where(won, number, count), "min")
    won = do.logical_and(won, do.eq(pick(first), number))
    taken = place(do.full(False, x.shape, bool_), won, "add")
    return [do.where(taken, 0, g), do.where(won, pick(g), 0)]


def _modes(make: Callable[[str], tuple[Case, ...]]) -> tuple[Case, ...]:
    return tuple(case for mode in MODES for case in make(mode))


def _at(shape: Shape, size: int, distinct: bool = False) -> Arg:
    """Indices of an axis of `size`; distinct ones are not negative, so that no two are one place."""
    return Arg(shape, 0 if distinct else -size, size, int64, distinct)


def _unique(mode: str) -> bool:
    return mode in ("mul", "min", "max")


# Writes: the modes differ in dtypes, so complex numbers are left to the tests of the dialects.
_WRITABLE = FLOATS + INTS + (bool_,)


# --- gather and scatter ------------------------------------------------------------------


def _check_along(x: Aval, indices: Aval, axis: int) -> None:
    axis = normalize_axis(axis, len(x.shape))
    _check_index_dtype(indices)
    if len(indices.shape) != len(x.shape):
        raise ShapeError(
            f"indices of shape {indices.shape} and a tensor of shape {x.shape} must have equal ranks",
        )
    for i, (n, m) in enumerate(zip(x.shape, indices.shape)):
        if i != axis and n != m:
            raise ShapeError(
                f"indices of shape {indices.shape} and a tensor of shape {x.shape} differ along axis {i}: "
                f"only axis {axis} may differ"
            )


def _bounds_along(x: Any, indices: Any, *rest: Any) -> None:
    axis = rest[1] if len(rest) == 3 else rest[0]  # scatter and put have the values in between
    check_indices(indices, x.shape[axis], axis % len(x.shape))


def _gather_infer(x: Aval, indices: Aval, axis: int) -> tuple[Shape, DType]:
    _check_along(x, indices, axis)
    return indices.shape, x.dtype


def _gather_vjp(do: Any, g: Any, _out: Any, _x: Any, indices: Any, axis: int) -> list[Any]:
    return [do.scatter(do.full(0, _x.shape, g.dtype), indices, g, axis, "add"), None]


def _gather_fetch(shapes: Sequence[Shape], axis: int) -> list[Any]:
    """Axis `axis` is read at the index, the others at the place itself."""
    rank = len(shapes[0])
    return [(1, tuple(range(rank))) if i == axis % rank else i for i in range(rank)]


gather = op(
    "gather",
    fuses="opaque",
    fetch=_gather_fetch,
    doc="One element for each index: out[i, j, k] = x[indices[i, j, k], j, k] for axis 0, likewise for the others.",
    params=("axis",),
    arity=2,
    infer=_gather_infer,
    reference=lambda x, indices, axis: np.take_along_axis(x, _from_front(indices, x.shape[axis]), axis),
    bounds=_bounds_along,
    indices=lambda count: (1,),
    vjp=_gather_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((5,)), _at((7,), 5)), (0,)),
            Case((Arg((4, 3)), _at((2, 3), 4)), (0,)),
            Case((Arg((2, 3)), _at((2, 5), 3)), (1,)),
            Case((Arg((2, 3, 4)), _at((2, 6, 4), 3)), (1,)),
            Case((Arg((3, 4)), _at((0, 4), 3)), (0,)),
            Case((Arg((0, 4)), _at((0, 3), 4)), (1,)),
            Case((Arg((70,)), _at((90,), 70)), (0,)),
        ),
        exact=True,
    ),
    half="native",
)


def _scatter_infer(x: Aval, indices: Aval, values: Aval, axis: int, mode: str) -> tuple[Shape, DType]:
    _check_along(x, indices, axis)
    _check_values(x, values, indices.shape, mode)
    return x.shape, x.dtype


def _scatter_reference(x: Array, indices: Array, values: Array, axis: int, mode: str) -> Array:
    lanes = np.moveaxis(x, axis, 0).copy()
    index = np.moveaxis(_from_front(indices, x.shape[axis]), axis, 0)
    rest = size_of(lanes.shape[1:])
    cells = index.reshape(len(index), rest) * rest + np.arange(rest)
    updates = np.moveaxis(values, axis, 0).reshape(-1, 1)
    out = _update(lanes.reshape(-1, 1), cells.reshape(-1), updates, mode)
    return np.moveaxis(out.reshape(lanes.shape), 0, axis)


def _scatter_updates(shapes: Sequence[Shape], axis: int, mode: str) -> Updates:
    shape, axis = shapes[0], axis % len(shapes[0])
    lead, columns = size_of(shape[:axis]), size_of(shape[axis + 1 :])
    return Updates(lead, shape[axis], shapes[1][axis], columns, mode, lambda arrays: arrays[1], each=True)


def _scatter_vjp(do: Any, g: Any, _out: Any, x: Any, indices: Any, values: Any, axis: int, mode: str) -> list[Any]:
    gx, gv = _update_vjp(
        do,
        g,
        x,
        values,
        mode,
        lambda t: do.gather(t, indices, axis),
        lambda t, v, m: do.scatter(t, indices, v, axis, m),
    )
    return [gx, None, gv]


scatter = op(
    "scatter",
    fuses="opaque",
    doc="The tensor with one update for each index: x[indices[i, j, k], j, k] op= values[i, j, k] for axis 0.",
    params=("axis", "mode"),
    arity=3,
    infer=_scatter_infer,
    reference=_scatter_reference,
    updates=_scatter_updates,
    bounds=_bounds_along,
    indices=lambda count: (1,),
    vjp=_scatter_vjp,
    samples=Samples(
        _WRITABLE,
        _modes(
            lambda mode: (
                Case((Arg((5,)), _at((4,), 5, _unique(mode)), Arg((4,))), (0, mode)),
                Case((Arg((8, 2)), _at((3, 2), 8, _unique(mode)), Arg((3, 2))), (0, mode)),
                Case((Arg((2, 8)), _at((2, 3), 8, _unique(mode)), Arg((2, 3))), (1, mode)),
                Case((Arg((3, 4)), _at((0, 4), 3), Arg((0, 4))), (0, mode)),
                Case((Arg((80,)), _at((70,), 80, _unique(mode)), Arg((70,))), (0, mode)),
            )
        ),
    ),
)


# --- take and put ------------------------------------------------------------------------


def _take_infer(x: Aval, indices: Aval, axis: int) -> tuple[Shape, DType]:
    axis = normalize_axis(axis, len(x.shape))
    _check_index_dtype(indices)
    return x.shape[:axis] + indices.shape + x.shape[axis + 1 :], x.dtype


def _take_vjp(do: Any, g: Any, _out: Any, _x: Any, indices: Any, axis: int) -> list[Any]:
    axis %= len(_x.shape)
    count = size_of(indices.shape)
    updates = do.reshape(g, _x.shape[:axis] + (count,) + _x.shape[axis + 1 :])
    return [do.put(do.full(0, _x.shape, g.dtype), do.reshape(indices, (count,)), updates, axis, "add"), None]


def _take_fetch(shapes: Sequence[Shape], axis: int) -> list[Any]:
    axis %= len(shapes[0])
    extra = len(shapes[1])
    found: list[Any] = [i if i < axis else i + extra - 1 for i in range(len(shapes[0]))]
    found[axis] = (1, tuple(range(axis, axis + extra)))
    return found


take = op(
    "take",
    fuses="opaque",
    fetch=_take_fetch,
    doc="Whole slices along an axis: the axes of `indices`, of any rank, stand in its place.",
    params=("axis",),
    arity=2,
    infer=_take_infer,
    reference=lambda x, indices, axis: np.take(x, _from_front(indices, x.shape[axis]), axis),
    bounds=_bounds_along,
    indices=lambda count: (1,),
    vjp=_take_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((5,)), _at((), 5)), (0,)),
            Case((Arg((5,)), _at((7,), 5)), (0,)),
            Case((Arg((4, 3)), _at((2, 3), 4)), (0,)),
            Case((Arg((2, 3, 4)), _at((5,), 3)), (1,)),
            Case((Arg((2, 3, 4)), _at((2, 2), 4)), (2,)),
            Case((Arg((3, 4)), _at((0,), 3)), (0,)),
            Case((Arg((70, 2)), _at((90,), 70)), (0,)),
        ),
        exact=True,
    ),
    half="native",
)


def _put_infer(x: Aval, indices: Aval, values: Aval, axis: int, mode: str) -> tuple[Shape, DType]:
    axis = normalize_axis(axis, len(x.shape))
    _check_index_dtype(indices)
    if len(indices.shape) != 1:
        raise ShapeError(f"indices must have rank 1, these have shape {indices.shape}")
    _check_values(x, values, x.shape[:axis] + indices.shape + x.shape[axis + 1 :], mode)
    return x.shape, x.dtype


def _put_reference(x: Array, indices: Array, values: Array, axis: int, mode: str) -> Array:
    lanes = np.moveaxis(x, axis, 0).copy()
    width = size_of(lanes.shape[1:])
    updates = np.moveaxis(values, axis, 0).reshape(len(indices), width)
    out = _update(lanes.reshape(len(lanes), width), _from_front(indices, len(lanes)), updates, mode)
    return np.moveaxis(out.reshape(lanes.shape), 0, axis)


def _put_updates(shapes: Sequence[Shape], axis: int, mode: str) -> Updates:
    shape, axis = shapes[0], axis % len(shapes[0])
    lead, columns = size_of(shape[:axis]), size_of(shape[axis + 1 :])
    return Updates(lead, shape[axis], shapes[1][0], columns, mode, lambda arrays: arrays[1])


def _put_vjp(do: Any, g: Any, _out: Any, x: Any, indices: Any, values: Any, axis: int, mode: str) -> list[Any]:
    gx, gv = _update_vjp(
        do,
        g,
        x,
        values,
        mode,
        lambda t: do.take(t, indices, axis),
        lambda t, v, m: do.put(t, indices, v, axis, m),
    )
    return [gx, None, gv]


put = op(
    "put",
    fuses="opaque",
    doc="The tensor with whole slices along an axis updated, one for each of the indices, which have rank 1.",
    params=("axis", "mode"),
    arity=3,
    infer=_put_infer,
    reference=_put_reference,
    updates=_put_updates,
    bounds=_bounds_along,
    indices=lambda count: (1,),
    vjp=_put_vjp,
    samples=Samples(
        _WRITABLE,
        _modes(
            lambda mode: (
                Case((Arg((5,)), _at((4,), 5, _unique(mode)), Arg((4,))), (0, mode)),
                Case((Arg((4, 3)), _at((3,), 4, _unique(mode)), Arg((3, 3))), (0, mode)),
                Case((Arg((2, 5, 3)), _at((4,), 5, _unique(mode)), Arg((2, 4, 3))), (1, mode)),
                Case((Arg((3, 4)), _at((0,), 3), Arg((0, 4))), (0, mode)),
                Case((Arg((70, 2)), _at((67,), 70, _unique(mode)), Arg((67, 2))), (0, mode)),
            )
        ),
    ),
)


# --- whole coordinates -------------------------------------------------------------------


def _check_nd(x: Aval, indices: Aval) -> int:
    """The number of axes that the last axis of `indices` addresses."""
    _check_index_dtype(indices)
    if not indices.shape:
        raise ShapeError("indices must have at least one axis, these have shape ()")
    k = indices.shape[-1]
    if k > len(x.shape):
        raise ShapeError(f"indices of shape {indices.shape} address {k} axes, the tensor of shape {x.shape} has fewer")
    return k


def _bounds_nd(x: Any, indices: Any, *_: Any) -> None:
    array = np.asarray(indices)
    for axis in range(array.shape[-1]):
        check_indices(array[..., axis], x.shape[axis], axis)


def _linear(parts: Sequence[Array], shape: Shape) -> Array:
    """Row-major positions in `shape` of the coordinates `parts`, flattened; no axes address position 0."""
    at: Any = np.int64(0)
    for index, size in zip(parts, shape):
        at = at * size + _from_front(index, size)
    return np.asarray(at).reshape(-1)


def _nd_rows(shape: Shape, indices: Array) -> tuple[Array, int, int]:
    """Rows that `indices` name in a (rows, width) view of a tensor of `shape`, and that view's sizes."""
    k = indices.shape[-1]
    rows = _linear([indices[..., i] for i in range(k)], shape[:k])
    if k == 0:
        rows = np.zeros(size_of(indices.shape[:-1]), np.int64)
    return rows, size_of(shape[:k]), size_of(shape[k:])


def _gather_nd_reference(x: Array, indices: Array) -> Array:
    rows, n, width = _nd_rows(x.shape, indices)
    return x.reshape(n, width)[rows].reshape(indices.shape[:-1] + x.shape[indices.shape[-1] :])


def _gather_nd_infer(x: Aval, indices: Aval) -> tuple[Shape, DType]:
    k = _check_nd(x, indices)
    return indices.shape[:-1] + x.shape[k:], x.dtype


def _gather_nd_vjp(do: Any, g: Any, _out: Any, _x: Any, indices: Any) -> list[Any]:
    return [do.scatter_nd(do.full(0, _x.shape, g.dtype), indices, g, "add"), None]


gather_nd = op(
    "gather_nd",
    fuses="opaque",
    doc="Slices at coordinates: the last axis of `indices`, of size K, addresses the first K axes.",
    arity=2,
    infer=_gather_nd_infer,
    reference=_gather_nd_reference,
    bounds=_bounds_nd,
    indices=lambda count: (1,),
    vjp=_gather_nd_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((3, 3)), _at((5, 2), 3))),
            Case((Arg((3, 3)), _at((2,), 3))),
            Case((Arg((4, 3)), _at((2, 3, 1), 4))),
            Case((Arg((3, 3, 2)), _at((70, 2), 3))),
            Case((Arg((3, 2)), _at((0, 2), 2))),
            Case((Arg((3, 2)), _at((4, 0), 2))),
        ),
        exact=True,
    ),
    half="native",
)


def _scatter_nd_infer(x: Aval, indices: Aval, values: Aval, mode: str) -> tuple[Shape, DType]:
    k = _check_nd(x, indices)
    _check_values(x, values, indices.shape[:-1] + x.shape[k:], mode)
    return x.shape, x.dtype


def _scatter_nd_reference(x: Array, indices: Array, values: Array, mode: str) -> Array:
    rows, n, width = _nd_rows(x.shape, indices)
    out = _update(x.copy(order="C").reshape(n, width), rows, values.reshape(rows.size, width), mode)
    return out.reshape(x.shape)


def _scatter_nd_updates(shapes: Sequence[Shape], mode: str) -> Updates:
    shape, k = shapes[0], shapes[1][-1]
    count, columns = size_of(shapes[1][:-1]), size_of(shape[k:])
    return Updates(1, size_of(shape[:k]), count, columns, mode, lambda arrays: _nd_rows(shape, arrays[1])[0])


def _scatter_nd_vjp(do: Any, g: Any, _out: Any, x: Any, indices: Any, values: Any, mode: str) -> list[Any]:
    gx, gv = _update_vjp(
        do,
        g,
        x,
        values,
        mode,
        lambda t: do.gather_nd(t, indices),
        lambda t, v, m: do.scatter_nd(t, indices, v, m),
    )
    return [gx, None, gv]


scatter_nd = op(
    "scatter_nd",
    fuses="opaque",
    doc="The tensor with the slices at the coordinates `indices` updated; the shapes are those of `gather_nd`.",
    params=("mode",),
    arity=3,
    infer=_scatter_nd_infer,
    reference=_scatter_nd_reference,
    updates=_scatter_nd_updates,
    bounds=_bounds_nd,
    indices=lambda count: (1,),
    vjp=_scatter_nd_vjp,
    samples=Samples(
        _WRITABLE,
        _modes(
            lambda mode: (
                Case((Arg((9, 9)), _at((4, 2), 9, _unique(mode)), Arg((4,))), (mode,)),
                Case((Arg((6, 3)), _at((2, 2, 1), 6, _unique(mode)), Arg((2, 2, 3))), (mode,)),
                Case((Arg((3, 2)), _at((0, 2), 2), Arg((0,))), (mode,)),
                Case((Arg((90,)), _at((70, 1), 90, _unique(mode)), Arg((70,))), (mode,)),
            )
        ),
    ),
)


# --- several index tensors ---------------------------------------------------------------


def _index_parts(x: Aval, indices: Sequence[Aval], axes: Axes) -> tuple[Shape, int, Shape]:
    """The broadcast shape of the indices, its place in the result, and the axes kept whole."""
    if not axes or len(axes) != len(indices):
        raise ShapeError(f"{len(indices)} index tensors were given for the axes {axes}")
    rank = len(x.shape)
    if any(not 0 <= a < rank for a in axes) or any(a >= b for a, b in zip(axes, axes[1:])):
        raise AxisError(f"axes {axes} must grow and lie inside rank {rank}")
    _check_index_dtype(*indices)
    shape = broadcast_shapes(*(i.shape for i in indices))
    place = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    return shape, place, tuple(s for i, s in enumerate(x.shape) if i not in axes)


def _index_infer(xs: Sequence[Aval], axes: Axes) -> tuple[Shape, DType]:
    shape, place, rest = _index_parts(xs[0], xs[1:], axes)
    return rest[:place] + shape + rest[place:], xs[0].dtype


def _index_reference(xs: Sequence[Array], axes: Axes) -> Array:
    key: list[Any] = [slice(None)] * xs[0].ndim
    for axis, index in zip(axes, xs[1:]):
        key[axis] = _from_front(index, xs[0].shape[axis])
    return np.asarray(xs[0][tuple(key)])


def _index_bounds(xs: Sequence[Any], axes: Axes, *_: Any) -> None:
    for axis, index in zip(axes, xs[1:]):
        check_indices(index, xs[0].shape[axis], axis)


def _index_vjp(do: Any, g: Any, _out: Any, xs: Sequence[Any], axes: Axes) -> list[Any]:
    zeros = do.full(0, xs[0].shape, g.dtype)
    return [do.index_put([zeros, *xs[1:], g], axes, "add"), *(None for _ in xs[1:])]


def _index_fetch(shapes: Sequence[Shape], axes: Axes) -> list[Any]:
    wide = len(broadcast_shapes(*shapes[1:]))
    place = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    found: list[Any] = []
    kept = 0
    for axis in range(len(shapes[0])):
        if axis in axes:
            number = 1 + axes.index(axis)
            rank = len(shapes[number])
            found.append((number, tuple(range(place + wide - rank, place + wide))))
        else:
            found.append(kept if kept < place else kept + wide)
            kept += 1
    return found


index = op(
    "index",
    fuses="opaque",
    fetch=_index_fetch,
    doc="NumPy's advanced indexing: [x, i0, i1, …], where i_k indexes axis axes[k]. The indices broadcast together; "
    "their axes stand in place of the indexed ones where those are neighbours, else in front.",
    params=("axes",),
    variadic=True,
    infer=_index_infer,
    reference=_index_reference,
    bounds=_index_bounds,
    indices=lambda count: range(1, count),
    vjp=_index_vjp,
    samples=Samples(
        ALL,
        (
            Case((Arg((5,)), _at((4,), 5)), ((0,),)),
            Case((Arg((3, 4)), _at((2, 3), 3), _at((3,), 4)), ((0, 1),)),
            Case((Arg((2, 3, 4)), _at((5,), 3), _at((5,), 4)), ((1, 2),)),
            Case((Arg((2, 3, 4)), _at((5, 1), 2), _at((6,), 4)), ((0, 2),)),
            Case((Arg((2, 3, 4)), _at((), 3)), ((1,),)),
            Case((Arg((3, 4)), _at((0,), 3), _at((1,), 4)), ((0, 1),)),
            Case((Arg((70, 2)), _at((90,), 70), _at((90,), 2)), ((0, 1),)),
        ),
        exact=True,
    ),
    half="native",
)


def _index_put_infer(xs: Sequence[Aval], axes: Axes, mode: str) -> tuple[Shape, DType]:
    shape, dtype = _index_infer(xs[:-1], axes)
    _check_values(xs[0], xs[-1], shape, mode)
    return xs[0].shape, dtype


def _index_put_reference(xs: Sequence[Array], axes: Axes, mode: str) -> Array:
    x, indices, values = xs[0], xs[1:-1], xs[-1]
    k = len(axes)
    together = np.broadcast_arrays(*indices)
    shape, rank = together[0].shape, together[0].ndim
    place = axes[0] if axes[-1] - axes[0] == k - 1 else 0
    front = np.moveaxis(x, axes, range(k)).copy()
    width = size_of(front.shape[k:])
    rows = _linear(together, front.shape[:k])
    updates = np.moveaxis(values, range(place, place + rank), range(rank)).reshape(size_of(shape), width)
    out = _update(front.reshape(size_of(front.shape[:k]), width), rows, updates, mode)
    return np.moveaxis(out.reshape(front.shape), range(k), axes)


def _index_put_updates(shapes: Sequence[Shape], axes: Axes, mode: str) -> Updates | None:
    """None where the indexed axes are no neighbours in order: the slices between them are no columns."""
    shape, first, k = shapes[0], axes[0], len(axes)
    if axes != tuple(range(first, first + k)):
        return None
    count = size_of(broadcast_shapes(*shapes[1:-1]))
    indexed = shape[first : first + k]
    lead, columns = size_of(shape[:first]), size_of(shape[first + k :])
    return Updates(
        lead, size_of(indexed), count, columns, mode,
        lambda arrays: _linear(np.broadcast_arrays(*arrays[1:-1]), indexed),
    )  # fmt: skip


def _index_put_vjp(do: Any, g: Any, _out: Any, xs: Sequence[Any], axes: Axes, mode: str) -> list[Any]:
    indices = xs[1:-1]
    gx, gv = _update_vjp(
        do,
        g,
        xs[0],
        xs[-1],
        mode,
        lambda t: do.index([t, *indices], axes),
        lambda t, v, m: do.index_put([t, *indices, v], axes, m),
    )
    return [gx, *(None for _ in indices), gv]


index_put = op(
    "index_put",
    fuses="opaque",
    doc="The tensor with the elements that `index` would read updated: [x, i0, i1, …, values].",
    params=("axes", "mode"),
    variadic=True,
    infer=_index_put_infer,
    reference=_index_put_reference,
    updates=_index_put_updates,
    bounds=lambda xs, axes, mode: _index_bounds(xs[:-1], axes),
    indices=lambda count: range(1, count - 1),
    vjp=_index_put_vjp,
    samples=Samples(
        _WRITABLE,
        _modes(
            lambda mode: (
                Case((Arg((5,)), _at((4,), 5, _unique(mode)), Arg((4,))), ((0,), mode)),
                Case(
                    (Arg((9, 9)), _at((2, 3), 9, _unique(mode)), _at((3,), 9, _unique(mode)), Arg((2, 3))),
                    ((0, 1), mode),
                ),
                Case(
                    (Arg((5, 3, 6)), _at((4,), 5, _unique(mode)), _at((4,), 6, _unique(mode)), Arg((4, 3))),
                    ((0, 2), mode),
                ),
                Case((Arg((2, 5, 4)), _at((3,), 5, _unique(mode)), Arg((2, 3, 4))), ((1,), mode)),
                Case((Arg((3, 4)), _at((0,), 3), _at((1,), 4), Arg((0,))), ((0, 1), mode)),
            )
        ),
    ),
)


# --- positions ---------------------------------------------------------------------------


def _nonzero_infer(mask: Aval, count: int) -> tuple[Shape, DType]:
    if mask.dtype.kind is not Bool:
        raise DTypeError(f"a mask must be bool, this one is {mask.dtype.name}")
    return (count,), int64


nonzero_flat = op(
    "nonzero_flat",
    fuses="opaque",
    doc="The row-major positions of the true elements; the caller has counted them.",
    params=("count",),
    infer=_nonzero_infer,
    reference=lambda mask, count: np.flatnonzero(mask),
    vjp=ZERO,
    samples=Samples((bool_,), (Case((Arg((0,)),), (0,)), Case((Arg((2, 0)),), (0,))), exact=True),
)


def _wrap_index_infer(indices: Aval, size: int, axis: int) -> tuple[Shape, DType]:
    _check_index_dtype(indices)
    return indices.shape, int64


def _wrap_index(b: Any, index: Any, size: int, _axis: int) -> Any:
    wide = b.cast(index, int64)
    return b.select(b.lt(wide, b.const(0, int64)), b.add(wide, b.const(size, int64)), wide)


wrap_index = op(
    "wrap_index",
    fuses="elementwise",
    scalar=_wrap_index,
    doc="Checked indices of an axis of `size`, counted from the front; `axis` only serves the error.",
    params=("size", "axis"),
    infer=_wrap_index_infer,
    reference=lambda indices, size, axis: _from_front(indices, size),
    bounds=check_indices,
    indices=lambda count: (0,),
    vjp=ZERO,
    samples=Samples((int64,), tuple(Case((_at(s, 5),), (5, 0)) for s in ((), (4,), (0,), (2, 3), (70,))), exact=True),
)
