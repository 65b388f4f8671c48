"""Tensors from and to other libraries: `asarray`, DLPack, pickles, safetensors files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .apply import Handle, apply, array_in, created, evaluate, wrap
from .backends.autodiff import Traced
from .backends.base import Array
from .device import Device, as_device, device_of
from .dtypes import DType, as_dtype, check_scalar, from_numpy, kind_of_scalar
from .errors import (
    ArgumentError,
    BufferProtocolError,
    DTypeError,
    ScalarRangeError,
    ShapeError,
    TensorReadError,
    public,
)
from .layout import BoundsLayoutError, Ints, Layout, as_shape, contiguous_strides, is_contiguous, size_of, span
from .storage import POOL, POOLED, Storage

if TYPE_CHECKING:
    from .tensor import Tensor

_ORDERS = ("C", "F", "K", "A")


@public("pr.asarray")
def asarray(
    obj: Any,
    layout: Any = None,
    *,
    dtype: Any = None,
    device: Device | str | None = None,
    order: str | None = None,
    copy: bool | None = None,
) -> Tensor:
    """A tensor of the given data, sharing memory where it can.

    Lists and numbers give a tensor of its own in the device's default dtypes. NumPy arrays, `bytes`,
    `bytearray`, `array.array`, memoryviews and DLPack exporters keep their dtype and are viewed, not
    copied: writes through the tensor reach a writable buffer, and raise for a read-only one.

    Args:
        layout: a shape, laid out in the device's default order, or a `pr.Layout` over flat data.
        order: the memory order of the result: "C", "F", "K" (axes as they are, gaps squeezed out)
            or "A" (F for an F-contiguous input, else C).
        copy: True always copies, False raises `ArgumentError` where a copy is needed.

    Raises:
        ShapeError: ragged lists, or a shape whose size is not the data's.
        IndexError (also a ValueError): a layout that leaves the buffer.
        DTypeError: data without a dtype here.

    Example:
        >>> pr.asarray([1, 2, 3, 4, 5, 6], [2, 3]).to_list()
        [[1, 2, 3], [4, 5, 6]]

    Source: RSTSR, `asarray`; array API, `asarray`.
    """
    where = None if device is None else as_device(device)
    target = None if dtype is None else as_dtype(dtype)
    if order is not None and order not in _ORDERS:
        raise ArgumentError(f'order {order!r} is not "C", "F", "K" or "A"')
    if isinstance(obj, Handle):
        return _from_tensor(obj, layout, target, where, order, copy)
    where = where or Device.cpu()
    scalar_kind = None if isinstance(obj, np.generic) else kind_of_scalar(obj)
    if scalar_kind is not None and layout is None:
        if copy is False:
            raise ArgumentError("a Python number becomes a tensor only by a copy, but copy=False")
        kept = target or where.default_dtype(scalar_kind)
        return _own(_number(obj, scalar_kind, kept), kept, where)
    array, shared = _array(obj, target, where)
    kept = target or from_numpy(array.dtype)
    if copy is False and (not shared or array.dtype != kept.np):
        raise ArgumentError(f"{type(obj).__name__} becomes a {kept.name} tensor only by a copy, but copy=False")
    if array.dtype != kept.np:
        array, shared = _convert(array, kept), False
    elif not array.dtype.isnative:
        array, shared = array.astype(kept.np), False
    if copy:
        array, shared = _copied(array), False
    return _place(array, kept, where, layout, order, shared, copy)


asarray_f = asarray


def _array(obj: Any, target: DType | None, device: Device) -> tuple[np.ndarray[Any, Any], bool]:
    """The data as a NumPy array, and whether it shares the memory of `obj`."""
    if isinstance(obj, np.ndarray):
        if isinstance(obj, np.ma.MaskedArray):
            raise ArgumentError("a masked array would lose its mask", "pass array.filled(value)")
        return np.asarray(obj), True
    if isinstance(obj, str):
        raise DTypeError("a str is not numbers")
    if isinstance(obj, np.generic):
        return np.asarray(obj), False
    if isinstance(obj, (list, tuple)) or kind_of_scalar(obj) is not None:
        return _from_list(obj, target, device), False
    if hasattr(obj, "__dlpack__"):
        return _import_dlpack(obj), True
    if hasattr(obj, "__array__") or hasattr(obj, "__array_interface__"):
        return np.asarray(obj), True
    try:
        buffer = memoryview(obj)
    except TypeError:
        buffer = None
    except (ValueError, BufferError) as error:
        raise BufferProtocolError(f"the buffer of {type(obj).__name__} cannot be viewed: {error}") from None
    if buffer is not None:
        try:
            return np.asarray(buffer), True
        except (TypeError, ValueError, BufferError, NotImplementedError) as error:
            raise BufferProtocolError(f"the buffer of {type(obj).__name__} cannot be viewed: {error}") from None
    if hasattr(obj, "__iter__") and hasattr(obj, "__len__") and not isinstance(obj, (Set, Mapping)):
        return _from_list(list(obj), target, device), False
    raise DTypeError(f"{type(obj).__name__} is not data for a tensor: expected numbers, lists or a buffer")


def data_of(obj: Any, target: DType | None, device: Device) -> np.ndarray[Any, Any]:
    """Foreign data as a NumPy array; lists of integers are checked against `target`, but keep their kind."""
    array, _ = _array(obj, target, device)
    return array


def in_dtype(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """Values in another dtype with the conversions of `cast`; itself if it has it."""
    return array if array.dtype == dtype.np else _convert(array, dtype)


def _number(value: Any, kind: type[dtypes.Kind], dtype: DType) -> np.ndarray[Any, Any]:
    """A Python number as an array of rank 0: exact inside its kind, else with Pyrite's conversions."""
    if dtype.kind is kind or (kind is dtypes.Int and dtype.kind is dtypes.Float):
        with np.errstate(all="ignore"):
            return np.asarray(check_scalar(value, dtype)).astype(dtype.np)
    if kind is dtypes.Int and not -(1 << 63) <= value < 1 << 64:
        raise ScalarRangeError(f"{value} does not fit 64 bits")
    return _convert(np.asarray(value), dtype)


def _from_list(obj: Any, target: DType | None, device: Device) -> np.ndarray[Any, Any]:
    plain = _plain(obj)
    try:
        array = np.array(plain)
    except ValueError:
        raise ShapeError("nested lists are ragged: the rows differ in length") from None
    except OverflowError:
        raise ScalarRangeError("an integer does not fit 64 bits") from None
    if array.size == 0 and array.dtype == np.float64:
        kind: Any = target.kind if target is not None else dtypes.Float
        return array.astype((target or device.default_dtype(kind)).np)
    if array.dtype == np.float64 and _too_wide(plain, array):
        raise ScalarRangeError("the integers of the list fit neither int64 nor uint64")
    if array.dtype.kind == "O":
        raise DTypeError("the list holds something that is not a number, or an integer beyond 64 bits")
    if array.dtype.kind in "US":
        raise DTypeError("the list holds text, not numbers")
    if target is not None:
        if array.dtype.kind in "iu" and target.kind is dtypes.Int and array.size:
            check_scalar(int(array.max()), target)
            check_scalar(int(array.min()), target)
        return array
    if array.dtype == np.uint64 and array.size:
        raise ScalarRangeError(f"{int(array.max())} does not fit int64", "pass dtype=pr.uint64")
    kinds = {"b": dtypes.Bool, "i": dtypes.Int, "f": dtypes.Float, "c": dtypes.Complex}
    kind = kinds.get(array.dtype.kind)
    if kind is None or (array.dtype.itemsize != 8 and kind in (dtypes.Int, dtypes.Float)) or _holds_arrays(plain):
        return array  # arrays and NumPy numbers inside the list have a dtype of their own
    wanted = device.default_dtype(kind)
    if kind is dtypes.Int and array.size:
        check_scalar(int(array.max()), wanted)
        check_scalar(int(array.min()), wanted)
    with np.errstate(all="ignore"):
        return array.astype(wanted.np)


def _too_wide(obj: Any, array: np.ndarray[Any, Any]) -> bool:
    """Did NumPy turn Python ints beyond 64 bits, or of both signs beyond 63, into floats?"""
    return bool((np.abs(array) >= 2.0**63).any()) and not any(isinstance(x, float) for x in _leaves(obj))


def _leaves(obj: Any) -> Iterator[Any]:
    if isinstance(obj, (list, tuple)):
        for x in obj:
            yield from _leaves(x)
    elif isinstance(obj, np.ndarray):
        yield from obj.ravel()
    else:
        yield obj


def _holds_arrays(obj: Any) -> bool:
    while isinstance(obj, (list, tuple)) and obj:
        obj = obj[0]
    return isinstance(obj, np.ndarray)


def _plain(obj: Any) -> Any:
    """Tensors inside lists as NumPy arrays."""
    if isinstance(obj, Handle):
        return evaluate(obj)
    if isinstance(obj, (list, tuple)) and any(isinstance(x, (list, tuple, Handle)) for x in obj):
        return [_plain(x) for x in obj]
    return obj


def _convert(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """Values in another dtype with Pyrite's conversions (saturating, NaN to 0)."""
    source = from_numpy(array.dtype)
    if source.kind is dtypes.Complex and dtype.kind is not dtypes.Complex:
        raise DTypeError(f"{source.name} data cannot become {dtype.name}", "take pr.real first")
    from .ops.record import REGISTRY, reference_array

    with np.errstate(all="ignore"):
        wide = array.astype(np.float32) if source.is_half() else array
        return reference_array(REGISTRY["cast"].reference(wide, dtype), dtype)


def _copied(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy in the same order; a large one in memory of the pool, which begins at a cache line and has large pages."""
    if array.nbytes < POOLED or not (array.flags.c_contiguous or array.flags.f_contiguous):
        return np.array(array, order="K", copy=True)
    flat = POOL.take(array.size, array.dtype)
    made = flat.reshape(array.shape) if array.flags.c_contiguous else flat.reshape(array.shape[::-1]).T
    made[...] = array
    return made


def _own(array: np.ndarray[Any, Any], dtype: DType, device: Device) -> Tensor:
    strides = tuple(s // dtype.itemsize for s in array.strides)
    storage = Storage.adopt(array)
    kept = None if is_contiguous(array.shape, strides) else strides
    return created(device.backend.from_storage(storage, dtype, array.shape, kept), device)


def borrow(array: np.ndarray[Any, Any]) -> tuple[Storage, Ints, int] | None:
    """Storage, strides and offset over the memory of an array; None when its strides split elements."""
    item = array.itemsize
    if array.size == 0:
        return Storage(np.empty(0, array.dtype)), contiguous_strides(array.shape), 0
    if any(s % item for n, s in zip(array.shape, array.strides) if n > 1) or not array.flags.aligned:
        return None
    strides = tuple(s // item if n > 1 else 1 for n, s in zip(array.shape, array.strides))
    low, high = span(array.shape, strides, 0)
    lowest = array[tuple(slice(-1, None) if s < 0 else slice(0, 1) for s in strides)] if array.ndim else array
    flat = np.lib.stride_tricks.as_strided(lowest, (high - low + 1,), (item,), writeable=array.flags.writeable)
    storage = Storage(flat, writable=bool(array.flags.writeable), foreign=True)
    storage.may_change(not _is_constant(array))  # others may write to memory that is read-only here
    return storage, strides, -low


def _is_constant(array: np.ndarray[Any, Any]) -> bool:
    """Does the memory belong to a bytes object, which nobody changes?"""
    owner: Any = array
    while isinstance(owner, (np.ndarray, memoryview)):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    return isinstance(owner, bytes)


def _place(
    array: np.ndarray[Any, Any], dtype: DType, device: Device, layout: Any, order: str | None, shared: bool, copy: Any
) -> Tensor:
    placed: Layout | None = None
    if layout is not None:
        if not array.flags.c_contiguous:
            raise ShapeError(f"a layout needs flat data, the array of shape {array.shape} is strided")
        array = array.reshape(-1)
        placed = _layout(layout, array.size, device)
    if order is not None:
        seen = array if placed is None else _seen(array, placed)
        wanted = _ordered(seen, order)
        if wanted is not None:
            if copy is False:
                raise ArgumentError(f'order "{order}" needs a copy here, but copy=False')
            return _own(wanted, dtype, device)
    if not shared and placed is None:
        return _own(array if array.flags.owndata or array.base is None else np.array(array, order="K"), dtype, device)
    found = borrow(array)
    if found is None:
        if copy is False:
            raise ArgumentError("the array's memory is not aligned to its elements, so it needs a copy, but copy=False")
        return _own(np.array(array, order="C"), dtype, device)
    storage, strides, offset = found
    if not shared:
        storage.share(False)
    if placed is None:
        kept = None if is_contiguous(array.shape, strides) else strides
        return created(device.backend.from_storage(storage, dtype, array.shape, kept, offset), device)
    return created(
        device.backend.from_storage(storage, dtype, placed.shape, placed.strides, placed.offset), device
    )


def _layout(layout: Any, size: int, device: Device) -> Layout:
    if isinstance(layout, Layout):
        low, high = span(layout.shape, layout.strides, layout.offset)
        if high >= size:
            raise BoundsLayoutError(f"the layout ({layout}) reaches element {high} of a buffer with {size}")
        return layout
    shape = as_shape(layout)
    if size_of(shape) != size:
        raise ShapeError(f"shape {shape} holds {size_of(shape)} elements, the data has {size}")
    return Layout.c(shape) if device.default_order == "C" else Layout.f(shape)


def _seen(flat: np.ndarray[Any, Any], layout: Layout) -> np.ndarray[Any, Any]:
    if layout.size == 0:
        return np.empty(layout.shape, flat.dtype)
    item = flat.itemsize
    return np.lib.stride_tricks.as_strided(
        flat[layout.offset :], layout.shape, tuple(s * item for s in layout.strides), writeable=False
    )


def _ordered(array: np.ndarray[Any, Any], order: str) -> np.ndarray[Any, Any] | None:
    """A compact copy in an order; None when the array is in it already."""
    if order == "A":
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    if order == "C" and array.flags.c_contiguous:
        return None
    if order == "F" and array.flags.f_contiguous:
        return None
    if order == "K" and (array.flags.c_contiguous or array.flags.f_contiguous):
        return None
    return np.array(array, order=order, copy=True)  # type: ignore[call-overload, no-any-return]


def _from_tensor(
    t: Handle, layout: Any, dtype: DType | None, device: Device | None, order: str | None, copy: bool | None
) -> Tensor:
    here = device_of(array_in(t).backend)
    moves = device is not None and device != here
    converts = dtype is not None and dtype is not t._v.dtype
    if copy is False and (moves or converts):
        raise ArgumentError("another dtype or device needs a copy, but copy=False")
    result: Any = t
    if moves:
        assert device is not None
        result = move(result, device)
    if converts:
        result = apply("cast", (result,), dtype)
    if layout is not None:
        if isinstance(t._v, Traced):
            raise ArgumentError("a layout cannot be put on a tensor with autodiff", "use reshape")
        base = array_in(result)
        base.backend.own_memory(base)
        array = evaluate(result)
        node = base.node
        if not array.flags.c_contiguous:
            raise ShapeError(f"a layout needs flat data, the tensor of shape {node.shape} is strided")
        placed = _layout(layout, array.size, device or here)
        assert node.storage is not None
        view = base.backend.from_storage(
            node.storage, node.dtype, placed.shape, placed.strides, placed.offset + node.offset
        )
        result = wrap(view)
    if order == "C" and copy and not moves and not converts:
        return apply("copy", (result,))
    if order is not None and not isinstance(result._v, Traced):
        array = evaluate(result)
        wanted = _ordered(array, order)
        exact = array_in(result).node.offset == 0 or order == "A"
        if wanted is None and not exact:
            wanted = np.array(array, order="K", copy=True)
        if wanted is not None:
            if copy is False:
                raise ArgumentError(f'order "{order}" needs a copy here, but copy=False')
            return _own(wanted, result._v.dtype, (device or here).inner())
    if copy and not moves and not converts:
        if isinstance(result._v, Traced):
            return apply("copy", (result,))
        return _own(np.array(evaluate(result), order="K"), result._v.dtype, here)
    return result  # type: ignore[no-any-return]


def move(t: Handle, device: Device) -> Tensor:
    """The values on another device; autodiff association and history are not carried."""
    v = t._v
    if isinstance(v, Traced):
        raise ArgumentError("a tensor with autodiff is moved with .to_device(...)")
    assert isinstance(v, Array)
    array = v.backend.evaluate(v)
    device.lock()
    return wrap(device.backend.upload(array, v.dtype))


# -- DLPack


@public("pr.from_dlpack")
def from_dlpack(x: Any, /, *, device: Device | str | None = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of any object with `__dlpack__`, without a copy.

    Raises `BufferProtocolError` (a BufferError) when the exporter refuses, `DTypeError` for a
    dtype that has no counterpart.

    Example:
        >>> pr.from_dlpack(np.arange(4.0)[::-1]).to_list()
        [3.0, 2.0, 1.0, 0.0]

    Source: array API, `from_dlpack`.
    """
    if isinstance(x, Handle):
        return asarray(x, device=device, copy=copy)
    if not hasattr(x, "__dlpack__"):
        raise DTypeError(f"{type(x).__name__} has no __dlpack__ method")
    return asarray(_import_dlpack(x), device=device, copy=copy)


def _import_dlpack(x: Any) -> np.ndarray[Any, Any]:
    if isinstance(x, np.ndarray):
        return x
    try:
        return np.from_dlpack(x)
    except (BufferError, TypeError, RuntimeError, ValueError) as error:
        raise BufferProtocolError(f"{type(x).__name__} cannot be imported through DLPack: {error}") from None


def is_tracked(t: Handle) -> bool:
    """Does autodiff of any level track the tensor?"""
    v = t._v
    while type(v) is Traced:
        if v.step.tracked:
            return True
        v = v.value
    return False


class Exchange(Handle):
    """The exporting side of DLPack."""

    __slots__ = ()

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """The tensor as a DLPack capsule; runs what is queued. The consumer shares the memory unless `copy`."""
        return _export(self, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """(1, 0): host memory."""
        return (1, 0)


@public("Tensor.__dlpack__")
def _export(t: Handle, max_version: Any, dl_device: Any, copy: bool | None) -> Any:
    if t._v.dtype is dtypes.bfloat16:
        raise BufferProtocolError("bfloat16 cannot be exported through DLPack here", "export .cast(pr.float32)")
    if is_tracked(t):
        raise BufferProtocolError("the memory of a tensor that autodiff tracks cannot be shared", "export t.inner()")
    inside = array_in(t)
    if inside.node.value is not None or copy:
        array = np.array(evaluate(t))
    else:
        inside.backend.share(inside)
        array = evaluate(t)
    try:
        return array.__dlpack__(max_version=max_version, dl_device=dl_device)
    except (BufferError, TypeError) as error:
        raise BufferProtocolError(str(error)) from None


# -- pickles and files

_SAVED = {
    "BOOL": dtypes.bool_, "I8": dtypes.int8, "I16": dtypes.int16, "I32": dtypes.int32, "I64": dtypes.int64,
    "U8": dtypes.uint8, "U16": dtypes.uint16, "U32": dtypes.uint32, "U64": dtypes.uint64,
    "F16": dtypes.float16, "BF16": dtypes.bfloat16, "F32": dtypes.float32, "F64": dtypes.float64,
}  # fmt: skip


def restore(data: bytes, dtype: DType, shape: Ints, device: str) -> Tensor:
    """Rebuilds a pickled tensor."""
    array = np.frombuffer(data, dtype.np).reshape(shape)
    return _own(np.array(array), dtype, Device(device))


@public("pr.save_safetensors")
def save_safetensors(tensors: Mapping[str, Tensor], path: str | os.PathLike[str]) -> None:
    """Writes named tensors to a safetensors file: whole or not at all.

    Any view is written as its values, row-major. Raises `DTypeError` for something else than
    tensors, `OSError` when the file cannot be written.

    Example:
        >>> pr.save_safetensors({"w": pr.ones((2, 2))}, tmp / "w.safetensors")
        >>> pr.load_safetensors(tmp / "w.safetensors")["w"].to_list()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    from safetensors.numpy import save

    if not isinstance(tensors, Mapping):
        raise DTypeError(f"expected a mapping of names to tensors, got {type(tensors).__name__}")
    arrays = {}
    for name, t in tensors.items():
        if not isinstance(t, Handle):
            raise DTypeError(f"entry {name!r} is not a tensor but {type(t).__name__}")
        if t._v.dtype.is_complex():
            raise DTypeError(f"entry {name!r} is {t._v.dtype.name}, which the format does not hold")
        if str(name) == "__metadata__":
            raise ArgumentError("the name '__metadata__' is taken by the format")
        if str(name) in arrays:
            raise ArgumentError(f"two entries have the name {str(name)!r}")
        arrays[str(name)] = np.array(evaluate(t), order="C")
    data = save(arrays)
    target = os.fspath(path)
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, target)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


@public("pr.load_safetensors")
def load_safetensors(path: str | os.PathLike[str], *, device: Device | str | None = None) -> dict[str, Tensor]:
    """The tensors of a safetensors file by name.

    Raises `TensorReadError` for a damaged file, `OSError` when it cannot be read.

    Example:
        >>> pr.save_safetensors({"w": pr.ones(2)}, tmp / "a.safetensors")
        >>> pr.load_safetensors(tmp / "a.safetensors")["w"].to_list()
        [1.0, 1.0]
    """
    from safetensors import SafetensorError, deserialize

    with open(path, "rb") as file:
        data = file.read()
    try:
        entries = deserialize(data)  # type: ignore[no-untyped-call]
    except (SafetensorError, ValueError, TypeError, OverflowError) as error:
        raise TensorReadError(f"{os.fspath(path)!r} is not a safetensors file: {error}") from None
    where = as_device(device)
    tensors = {}
    for name, entry in entries:
        dtype = _SAVED.get(entry["dtype"])
        if dtype is None:
            raise TensorReadError(f"entry {name!r} of {os.fspath(path)!r} is {entry['dtype']}, which has no dtype here")
        array = np.frombuffer(entry["data"], dtype.np).reshape(entry["shape"])
        tensors[name] = _own(np.array(array), dtype, where)
    return tensors

