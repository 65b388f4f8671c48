"""`t[...]` and `t[...] = v`, with the array API's and NumPy's meaning.

Ints, slices, `...` and None give views; integer arrays and masks give copies. A write goes into
the tensor's memory: every view of it sees the new values, no earlier result does.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..apply import Handle, apply, array_in, evaluate, wrap
from ..backends.base import Array, require_writable
from ..dtypes import Complex, Float, Int, check_scalar, from_numpy, kind_of_scalar
from ..errors import ArgumentError, BoundsError, DTypeError, GradientError, ShapeError, public
from ..interop import asarray, data_of, is_tracked
from ..layout import DimSlice, Ints, broadcast_shapes, check_index, python_slice
from ..ops.indexing import check_indices

if TYPE_CHECKING:
    from ..tensor import Tensor


class Indexing(Handle):
    """Reading and writing parts of a tensor."""

    __slots__ = ()

    @public("Tensor[...]")
    def __getitem__(self, key: Any) -> Tensor:
        return read(self, key)

    @public("Tensor[...] =")
    def __setitem__(self, key: Any, value: Any) -> None:
        write(self, key, value)


class Parsed:
    """An index, taken apart: a basic part for every axis, and what is advanced."""

    def __init__(self, shape: Ints, key: Any) -> None:
        self.shape = shape
        self.ranges: list[DimSlice] = []
        self.result: list[int | None] = []  # per result axis: a size, or None for a new axis
        self.kept: list[int | None] = []  # per result axis: the tensor's axis, or None for a new one
        self.arrays: list[tuple[int, Any]] = []  # (axis among the kept ones and new ones, index tensor)
        self.spacer: int | None = None  # a new axis that is not in the result
        self.parse(key if isinstance(key, tuple) else (key,))

    def parse(self, key: tuple[Any, ...]) -> None:
        """Fills the fields; raises for what is no index or is out of bounds."""
        items: list[Any] = []
        used = 0
        seen_ellipsis = False
        for k in key:
            k = _as_index(k)
            if k is Ellipsis:
                if seen_ellipsis:
                    raise ArgumentError("an index can hold only one ellipsis")
                seen_ellipsis = True
            elif isinstance(k, Mask):
                used += k.rank
            elif k is not None:
                used += 1
            items.append(k)
        rank = len(self.shape)
        if used > rank:
            raise BoundsError(f"{used} {'index' if used == 1 else 'indices'} for shape {self.shape} of rank {rank}")
        if not seen_ellipsis:
            items.append(Ellipsis)
        advanced = any(isinstance(k, (Mask, Indices)) for k in items)
        axis = 0
        for i, k in enumerate(items):
            if k is Ellipsis:
                if rank == used and self.arrays and advanced and any(not _is_basic(x) for x in items[i + 1 :]):
                    # NumPy takes index arrays on both sides for separated, though no axis is between them
                    self.spacer = len(self.result)
                    self.result.append(None)
                    self.kept.append(None)
                for _ in range(rank - used):
                    self._keep(DimSlice(0, 1, self.shape[axis]))
                    axis += 1
            elif k is None:
                self.result.append(None)
                self.kept.append(None)
            elif isinstance(k, slice):
                self._keep(python_slice(k, self.shape[axis]))
                axis += 1
            elif isinstance(k, int):
                at = check_index(k, self.shape[axis], axis)
                if advanced:
                    # beside index arrays an int is an index array of rank 0
                    self._array(axis, np.asarray(at))
                else:
                    self.ranges.append(DimSlice(at, 1, 1))
                axis += 1
            elif isinstance(k, Mask) and k.rank == 0:
                # a scalar mask is an axis of size 1, taken once or not at all
                self.arrays.append((len(self.result), np.zeros(int(bool(k.value)), np.int64)))
                self.result.append(None)
                self.kept.append(None)
            elif isinstance(k, Mask):
                for part in k.indices(self.shape[axis : axis + k.rank], axis):
                    self._array(axis, part)
                    axis += 1
            else:
                self._array(axis, k.value)
                axis += 1

    def _keep(self, part: DimSlice) -> None:
        self.kept.append(len(self.ranges))
        self.ranges.append(part)
        self.result.append(part.size)

    def _array(self, axis: int, value: Any) -> None:
        size = self.shape[axis]
        self.arrays.append((len(self.result), value))
        self.kept.append(len(self.ranges))
        self.ranges.append(DimSlice(0, 1, size))
        self.result.append(size)

    @property
    def basic_shape(self) -> Ints:
        """The shape after the basic part."""
        return tuple(1 if s is None else s for s in self.result)


    def without_spacer(self, shape: Ints) -> Ints:
        """The shape of the result, from one that has the spacer: the index arrays' axes stand in front there."""
        if self.spacer is None:
            return shape
        at = len(shape) - len(self.result) + self.spacer + sum(axis > self.spacer for axis, _ in self.arrays)
        return shape[:at] + shape[at + 1 :]


def _is_basic(k: Any) -> bool:
    return k is None or k is Ellipsis or isinstance(k, slice)


class Indices:
    """An integer array index: a tensor or a NumPy array."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Mask:
    """A mask index."""

    def __init__(self, value: np.ndarray[Any, Any]) -> None:
        self.value = value
        self.rank = value.ndim

    def indices(self, shape: Ints, axis: int) -> list[np.ndarray[Any, Any]]:
        """Coordinates of the true elements, one array per axis."""
        for i, (a, b) in enumerate(zip(self.value.shape, shape)):
            if a not in (b, 0):  # the array API lets a mask be empty
                raise BoundsError(f"a mask of shape {self.value.shape} has size {a} where axis {axis + i} has {b}")
        return list(np.nonzero(self.value))


def _as_index(k: Any) -> Any:
    if k is None or k is Ellipsis or isinstance(k, slice):
        if isinstance(k, slice):
            return slice(*[_slice_part(p) for p in (k.start, k.stop, k.step)])
        return k
    if isinstance(k, (bool, np.bool_)):
        return Mask(np.asarray(k))
    if isinstance(k, Handle):
        dtype = k._v.dtype
        if dtype.is_bool():
            return Mask(evaluate(k))
        if dtype.kind is not Int:
            raise DTypeError(f"an index tensor must be of kind Int or Bool, got {dtype.name}")
        return Indices(k) if k._v.shape else int(evaluate(k))
    if isinstance(k, (list, range, np.ndarray)):
        try:
            array = np.asarray(k)
        except ValueError:
            raise ShapeError("the rows of an index list differ in length") from None
        if array.dtype == np.bool_:
            return Mask(array)
        if array.size == 0 and not isinstance(k, np.ndarray):
            array = array.astype(np.int64)
        if array.dtype.kind not in "iu":
            raise DTypeError(f"an index array must hold ints or bools, got {array.dtype}")
        return Indices(array) if array.ndim else int(array)
    try:
        return operator.index(k)
    except TypeError:
        raise DTypeError(
            f"{type(k).__name__} {k!r} is not an index: expected ints, slices, ..., None, int or bool tensors"
        ) from None


def _slice_part(part: Any) -> Any:
    if isinstance(part, Handle):
        return int(evaluate(part))
    return part


def basic(t: Handle, parsed: Parsed) -> Tensor:
    """The view that the basic part selects."""
    array = t._v
    if type(array) is Array and array.node.storage is not None:
        return wrap(_view_of_memory(array, parsed))
    v: Any = t
    whole = all(r.start == 0 and r.step == 1 and r.size == s for r, s in zip(parsed.ranges, parsed.shape))
    if not whole:
        starts, steps, sizes = zip(*parsed.ranges)
        drop = tuple([axis for axis in range(len(sizes)) if axis not in parsed.kept])
        v = apply("slice", (v,), starts, steps, sizes, drop)
    if v._v.shape != parsed.basic_shape or v is t:
        v = apply("reshape", (v,), parsed.basic_shape)
    return v  # type: ignore[no-any-return]


def _view_of_memory(array: Array, parsed: Parsed) -> Array:
    """The same where the values are known: strides and an offset, no operation."""
    node = array.node
    offset = node.offset
    strides: list[int] = []
    for part, stride in zip(parsed.ranges, node.element_strides()):
        if part.size:
            offset += part.start * stride
        strides.append(stride * part.step)
    kept = tuple([1 if axis is None else strides[axis] for axis in parsed.kept])
    return array.backend.view(array, parsed.basic_shape, kept, offset)


def read(t: Handle, key: Any) -> Tensor:
    """t[key]."""
    array = t._v
    shape = array.shape
    if type(key) is int and shape:
        # the commonest read: one index
        at = check_index(key, shape[0], 0)
        if type(array) is Array and array.node.storage is not None:
            node = array.node
            strides = node.element_strides()
            return wrap(array.backend.view(array, shape[1:], strides[1:], node.offset + at * strides[0]))
        rest = len(shape) - 1
        return apply("slice", (t,), (at,) + (0,) * rest, (1,) * (rest + 1), (1, *shape[1:]), (0,))
    parsed = Parsed(t._v.shape, key)
    view = basic(t, parsed)
    if not parsed.arrays:
        return view
    device = view.device.inner()
    tensors = [a if isinstance(a, Handle) else asarray(a, device=device) for _, a in parsed.arrays]
    broadcast_shapes(*[i._v.shape for i in tensors])
    result = apply("index", (view, *tensors), tuple(axis for axis, _ in parsed.arrays))
    if parsed.spacer is not None:
        result = apply("reshape", (result,), parsed.without_spacer(result._v.shape))
    return result


def write(t: Handle, key: Any, value: Any) -> None:
    """t[key] = value."""
    refuse_tracked(t)
    parsed = Parsed(t._v.shape, key)
    array = array_in(t)
    array.backend.own_memory(array)
    evaluate(t)
    require_writable(array.node)  # of the tensor itself: a part of a broadcast view may look harmless
    view = basic(t, parsed)
    index: Any = ...
    shape = view._v.shape
    if parsed.arrays:
        parts: list[Any] = [slice(None)] * len(shape)
        for axis, a in parsed.arrays:
            places = evaluate(a) if isinstance(a, Handle) else a
            check_indices(places, shape[axis], axis)
            parts[axis] = places
        whole = broadcast_shapes(*[np.shape(parts[axis]) for axis, _ in parsed.arrays])
        for axis, _ in parsed.arrays:
            # in row-major memory of their own NumPy takes them in order, so that the last of duplicates stays
            parts[axis] = np.array(np.broadcast_to(parts[axis], whole), order="C")
        index = tuple(parts)
        shape = np.broadcast_to(np.empty((), np.int8), shape)[index].shape
    new = _values(value, t)
    selected = parsed.without_spacer(shape)
    if new.shape != selected and not _fits(new.shape, selected):
        raise ShapeError(f"values of shape {new.shape} do not fill a selection of shape {selected}")
    if parsed.arrays:
        new = np.broadcast_to(new.reshape(new.shape[max(0, new.ndim - len(selected)) :]), selected)
        new = np.array(new, order="C").reshape(shape)
    array_in(view).backend.write(array_in(view), index, new)


def _fits(given: Ints, wanted: Ints) -> bool:
    while len(given) > len(wanted) and given[0] == 1:
        given = given[1:]
    if len(given) > len(wanted):
        return False
    return all(g in (1, w) for g, w in zip(given[::-1], wanted[::-1]))


def _values(value: Any, t: Handle) -> np.ndarray[Any, Any]:
    """What is written, as an array of the tensor's dtype; only conversions inside the kind.

    Python's ints go with floats, and both with complex numbers, in lists too.
    """
    dtype = t._v.dtype
    if kind_of_scalar(value) is not None:
        with np.errstate(all="ignore"):
            return np.asarray(check_scalar(value, dtype)).astype(dtype.np)
    if isinstance(value, Handle):
        other = value._v.dtype
        array = evaluate(value)
        wider: tuple[Any, ...] = ()
    else:
        array = data_of(value, dtype, t.device)  # type: ignore[attr-defined]
        other = from_numpy(array.dtype)
        wider = {Float: (Int,), Complex: (Int, Float)}.get(dtype.kind, ())
    if other.kind is not dtype.kind and other.kind not in wider:
        raise DTypeError(
            f"cannot write {other.name} values into a {dtype.name} tensor", f"convert them: .cast(pr.{dtype.name})"
        )
    with np.errstate(all="ignore"):
        return array if other is dtype else array.astype(dtype.np)


def refuse_tracked(t: Handle) -> None:
    """Raises `GradientError` for a tensor that autodiff tracks."""
    if is_tracked(t):
        raise GradientError(
            "a tensor that autodiff tracks cannot be written to",
            "use t.slice_assign(...), which gives a new tensor",
        )
