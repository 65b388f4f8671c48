"""`pr.asarray`: every row of RSTSR's table; layouts; exchange with buffers, DLPack, NumPy, pickle, safetensors."""

from __future__ import annotations

import array as arrays
import copy
import ctypes
import json
import mmap
import operator
import pickle
import random
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from expect import fails

import pyrite as pr

NAMES = ["cpu", "flex"]
DATA = [1, 2, 3, 4, 5, 6]


@pytest.fixture(params=[*NAMES, None])
def where(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Keywords for a device, or none at all: rows of the table come in both forms."""
    return {} if request.param is None else {"device": pr.Device(request.param)}


READ_ONLY: dict[str, Callable[[], Any]] = {
    "bytes": lambda: bytes(DATA),
    "memoryview": lambda: memoryview(bytes(DATA)),
    "numpy": lambda: frozen(np.array(DATA, np.int16)),
    "toreadonly": lambda: memoryview(arrays.array("d", DATA)).toreadonly(),
}
WRITABLE: dict[str, Callable[[], Any]] = {
    "numpy": lambda: np.array(DATA, np.int32),
    "numpy floats": lambda: np.array(DATA, np.float64),
    "array.array": lambda: arrays.array("q", DATA),
    "bytearray": lambda: bytearray(DATA),
    "memoryview": lambda: memoryview(bytearray(DATA)),
    "ctypes": lambda: (ctypes.c_float * 6)(*DATA),
    "dlpack": lambda: Exporter(np.array(DATA, np.float32)),
}


class Exporter:
    """An object that offers DLPack and nothing else."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def frozen(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    x.flags.writeable = False
    return x


def element(buffer: Any, i: int) -> Any:
    return buffer.array[i] if isinstance(buffer, Exporter) else buffer[i]


def change(buffer: Any, i: int, value: Any) -> None:
    (buffer.array if isinstance(buffer, Exporter) else buffer)[i] = value


def put(t: pr.Tensor, key: Any, value: Any) -> Callable[[], None]:
    return lambda: t.__setitem__(key, value)


# -- the table, rows 1 to 8: data of Python


@pytest.mark.parametrize("data", [DATA, tuple(DATA), range(1, 7)], ids=["list", "tuple", "range"])
def test_rows_1_and_4_data_and_layout(data: Any, where: dict[str, Any]) -> None:
    t = pr.asarray(data, pr.Layout([2, 3], [3, 1]), **where)
    assert t.to_list() == [[1, 2, 3], [4, 5, 6]]
    assert t.dtype is pr.int64
    assert pr.asarray(data, pr.Layout.f([2, 3]), **where).to_list() == [[1, 3, 5], [2, 4, 6]]
    part = pr.asarray(data, pr.Layout([2, 2], [3, 1], 1), **where)
    assert part.to_list() == [[2, 3], [5, 6]]
    assert (part.layout.offset, part.strides) == (1, (3, 1))


@pytest.mark.parametrize("name", NAMES)
def test_row_1_the_devices_order_has_no_say_over_a_layout(name: str) -> None:
    column_major = pr.Device(name, default_order="F")
    assert pr.asarray(DATA, pr.Layout.c([2, 3]), device=column_major).to_list() == [[1, 2, 3], [4, 5, 6]]


def test_rows_2_and_5_data_and_shape(where: dict[str, Any]) -> None:
    t = pr.asarray(DATA, [2, 3], **where)
    assert t.to_list() == [[1, 2, 3], [4, 5, 6]]
    assert t.layout == pr.Layout.c([2, 3])


@pytest.mark.parametrize("name", NAMES)
def test_row_2_column_major(name: str) -> None:
    column_major = pr.Device(name)
    column_major.set_default_order("F")
    assert column_major.default_order == "F"
    t = pr.asarray(DATA, [2, 3], device=column_major)
    assert t.to_list() == [[1, 3, 5], [2, 4, 6]]
    assert repr(t.layout) == "2-Dim, contiguous: Ff, shape: [2, 3], stride: [1, 2], offset: 0"
    assert t.device == pr.Device(name)


def test_rows_3_and_6_data(where: dict[str, Any]) -> None:
    t = pr.asarray(DATA, **where)
    assert (t.shape, t.strides, t.to_list()) == ((6,), (1,), DATA)
    assert t.device == where.get("device", pr.Device.cpu())


@pytest.mark.parametrize(
    ("value", "dtype"), [(42, pr.int64), (2.5, pr.float32), (1 - 2j, pr.complex64), (True, pr.bool_)]
)
def test_rows_7_and_8_numbers(value: Any, dtype: pr.DType, where: dict[str, Any]) -> None:
    t = pr.asarray(value, **where)
    assert (t.shape, t.dtype, t.item()) == ((), dtype, value)
    assert t.device == where.get("device", pr.Device.cpu())
    assert repr(t.layout) == "0-Dim, contiguous: CcFf, shape: [], stride: [], offset: 0"


def test_owned_data_is_independent_and_writable(device: pr.Device) -> None:
    data = [1.0, 2.0]
    t = pr.asarray(data, device=device)
    data[0] = 9.0
    t[1] = 5
    assert (t.to_list(), data) == ([1.0, 5.0], [9.0, 2.0])
    x = np.arange(3)
    owned = pr.asarray(x, device=device, copy=True)
    owned[0] = 7
    x[1] = 8
    assert (x.tolist(), owned.to_list()) == ([0, 8, 2], [7, 1, 2])


# -- rows 9 to 14: tensors


def case(kind: str, device: pr.Device) -> pr.Tensor:
    whole = pr.reshape(pr.arange(96, device=device), (4, 6, 4))
    if kind == "owned":
        return whole
    if kind == "view":
        return pr.permute_dims(whole[:2, 2:6:2, 2:], (1, 0, 2))
    return whole[::-1, :, ::-2]


@pytest.mark.parametrize("kind", ["owned", "view", "reversed"])
@pytest.mark.parametrize("order", ["C", "F", "K", "A"])
def test_rows_9_to_11_tensor_in_an_order(kind: str, order: str, device: pr.Device) -> None:
    t = case(kind, device)
    x = t.numpy()
    got = pr.asarray(t, order=order)
    assert np.array_equal(got.numpy(), x)
    assert (got.dtype, got.offset) == (t.dtype, 0)
    assert got.layout.c_contig or got.layout.f_contig or order == "K"
    if order in "CF":
        assert got.layout == (pr.Layout.c if order == "C" else pr.Layout.f)(x.shape)
    if order == "K":
        expected = {"owned": (24, 4, 1), "view": (2, 4, 1), "reversed": (12, 2, 1)}
        assert got.strides == expected[kind]
    if order == "A":
        assert got.layout.c_contig


def test_row_9_the_documents_view(device: pr.Device) -> None:
    t = case("view", device)
    assert t.layout == pr.Layout([2, 2, 2], [8, 24, 1], 10)
    assert pr.asarray(pr.asarray(t, order="F"), order="A").layout.f_contig


def test_row_11_an_owned_tensor_of_that_layout_is_not_copied(device: pr.Device) -> None:
    t = pr.asarray(DATA, [2, 3], device=device)
    same = pr.asarray(t, order="C")
    same[0, 0] = 10
    assert t[0, 0].item() == 10
    fresh = pr.asarray(t, order="C", copy=True)
    fresh[0, 0] = 20
    assert t[0, 0].item() == 10


@pytest.mark.parametrize("kind", ["owned", "view", "reversed"])
def test_rows_12_to_14_tensor(kind: str, device: pr.Device) -> None:
    t = case(kind, device)
    shared = pr.asarray(t)
    assert np.array_equal(shared.numpy(), t.numpy())
    shared[0, 0, 0] = -1
    assert t[0, 0, 0].item() == -1
    fresh = pr.asarray(t, copy=True)
    fresh[0, 0, 0] = -2
    assert t[0, 0, 0].item() == -1


def test_tensor_with_a_layout(device: pr.Device) -> None:
    t = pr.asarray(DATA, device=device)
    square = pr.asarray(t, pr.Layout([2, 2], [3, 1], 1))
    assert square.to_list() == [[2, 3], [5, 6]]
    square[1, 1] = 60
    assert t.to_list() == [1, 2, 3, 4, 5, 60]
    assert pr.asarray(t[2:], [2, 2]).to_list() == [[3, 4], [5, 60]]
    assert pr.asarray(pr.full((), 3.0, device=device), [1, 1]).to_list() == [[3.0]]


def test_tensor_to_another_dtype_and_device() -> None:
    t = pr.asarray([1.5, -2.5])
    moved = pr.asarray(t, dtype=pr.int32, device="flex")
    assert (moved.to_list(), moved.dtype, moved.device) == ([1, -2], pr.int32, pr.Device.flex())
    with pytest.raises(pr.ArgumentError, match="^pr.asarray: another dtype or device needs a copy, but copy=False$"):
        pr.asarray(t, dtype=pr.float64, copy=False)
    with pytest.raises(pr.ArgumentError, match="^pr.asarray: another dtype or device needs a copy, but copy=False$"):
        pr.asarray(t, device="flex", copy=False)


def test_copy_of_a_tensor_with_autodiff_has_memory_of_its_own() -> None:
    t = pr.asarray([1.0, 2.0], device=pr.Device.cpu().autodiff())
    fresh = pr.asarray(t, copy=True)
    fresh[0] = 9
    assert t.to_list() == [1.0, 2.0]
    assert fresh.is_autodiff()


# -- rows 15 to 26: read-only buffers


@pytest.mark.parametrize("kind", READ_ONLY)
def test_rows_15_to_26_read_only_buffers(kind: str, where: dict[str, Any]) -> None:
    buffer = READ_ONLY[kind]()
    for layout, expected in [
        (pr.Layout([2, 2], [3, 1], 1), [[2, 3], [5, 6]]),
        ([2, 3], [[1, 2, 3], [4, 5, 6]]),
        (None, DATA),
    ]:
        t = pr.asarray(buffer, layout, **where)
        assert t.to_list() == expected
        for write in (
            put(t, 0, 9),
            put(t, ..., 9),
            put(t[:1], 0, 9),
            put(t, [0], 9),
        ):
            fails(
                pr.ReadOnlyError,
                "Tensor[...] =: the tensor views a read-only buffer\n"
                "Hint: write to a copy: pr.asarray(t, copy=True)",
                write,
            )
        assert t.to_list() == expected
        assert (t + 1).numpy().flags.writeable


@pytest.mark.parametrize("name", NAMES)
def test_row_16_column_major(name: str) -> None:
    t = pr.asarray(bytes(DATA), [2, 3], device=pr.Device(name, default_order="F"))
    assert t.to_list() == [[1, 3, 5], [2, 4, 6]]


def test_changes_made_elsewhere_are_seen_through_a_read_only_view(device: pr.Device) -> None:
    x, data = np.array(DATA), bytearray(DATA)
    views: list[tuple[Any, Any]] = [(x, frozen(x[:])), (data, memoryview(data).toreadonly())]
    for buffer, view in views:
        t = pr.asarray(view, device=device)
        doubled = t * 2
        buffer[0] = 100
        assert t[0].item() == 100
        assert doubled.to_list() == [2, 4, 6, 8, 10, 12]


# -- rows 27 to 38: writable buffers


@pytest.mark.parametrize("kind", WRITABLE)
def test_rows_27_to_38_writable_buffers(kind: str, where: dict[str, Any]) -> None:
    buffer = WRITABLE[kind]()
    t = pr.asarray(buffer, pr.Layout([2, 2], [3, 1], 1), **where)
    assert t.to_list() == [[2, 3], [5, 6]]
    t[0, 0] = 10
    t[1] = [50, 60]
    assert [element(buffer, i) for i in range(6)] == [1, 10, 3, 4, 50, 60]
    matrix = pr.asarray(buffer, [2, 3], **where)
    matrix[0, 2] = 30
    assert element(buffer, 2) == 30
    flat = pr.asarray(buffer, **where)
    flat[::2] = 0
    assert [element(buffer, i) for i in range(6)] == [0, 10, 0, 4, 0, 60]
    change(buffer, 3, 7)
    assert matrix[1, 0].item() == flat[3].item() == 7
    assert t.to_list() == [[10, 0], [0, 60]]


@pytest.mark.parametrize("name", NAMES)
def test_row_28_column_major(name: str) -> None:
    x = np.array(DATA)
    t = pr.asarray(x, [2, 3], device=pr.Device(name, default_order="F"))
    t[0, 1] = 30
    assert (x.tolist(), t.to_list()) == ([1, 2, 30, 4, 5, 6], [[1, 30, 5], [2, 4, 6]])


def test_asarray_f_is_the_same_function() -> None:
    assert pr.asarray_f is pr.asarray


def test_an_operation_means_the_buffers_content_at_its_line(device: pr.Device) -> None:
    x = np.arange(4.0)
    t = pr.asarray(x, device=device)
    doubled, view = t * 2, t[1:]
    summed = view + 0
    x[:] = 100
    assert (doubled.to_list(), summed.to_list()) == ([0.0, 2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert view.to_list() == [100.0] * 3


def test_the_buffer_stays_alive(device: pr.Device) -> None:
    data = bytearray(DATA)
    t = pr.asarray(data, device=device)[2:]
    with pytest.raises(BufferError):
        data.append(7)
    del data
    assert t.to_list() == [3, 4, 5, 6]
    with mmap.mmap(-1, 4096) as m:
        m[:3] = b"abc"
        u = pr.asarray(m, device=device)
        assert u[:4].to_list() == [97, 98, 99, 0]
        del u


# -- kinds of data


def test_nested_lists_and_arrays_keep_their_shape(device: pr.Device) -> None:
    data: Any
    for data in ([[1, 2], [3, 4]], [[[1.5]]], [], [[], []], np.zeros((2, 0, 3)), np.arange(6.0).reshape(3, 2).T):
        t = pr.asarray(data, device=device)
        assert np.array_equal(t.numpy(), np.asarray(data))
    mixed = [pr.asarray([1, 2], device=device), [3, 4]]
    assert pr.asarray(mixed, device=device).to_list() == [[1, 2], [3, 4]]


def test_default_dtypes_and_kept_dtypes(device: pr.Device) -> None:
    for data, dtype in [
        ([1], pr.int64), ([1.0], pr.float32), ([True], pr.bool_), ([1j], pr.complex64), ([1, 2.5], pr.float32),
        ([], pr.float32), ([np.float16(1)], pr.float16), ([np.array([1.0, 2.0])], pr.float64),
        (np.float64(1), pr.float64), (np.int8(1), pr.int8), (np.array(1, np.uint16), pr.uint16),
        (b"ab", pr.uint8), (arrays.array("f", [1]), pr.float32), (memoryview(b"ab").cast("b"), pr.int8),
        (np.zeros(2, ml_dtypes.bfloat16), pr.bfloat16), (np.zeros(2, ">i4"), pr.int32),
        (np.zeros(2, ">f8"), pr.float64),
    ]:  # fmt: skip
        assert pr.asarray(data, device=device).dtype is dtype, data


def test_other_byte_orders_and_unaligned_memory(device: pr.Device) -> None:
    x = np.arange(5, dtype=">u2")
    assert pr.asarray(x, device=device).to_list() == [0, 1, 2, 3, 4]
    raw = np.frombuffer(b"\0" + np.arange(3.0).tobytes(), np.uint8)[1:].view(np.float64)
    assert pr.asarray(raw, device=device).to_list() == [0.0, 1.0, 2.0]
    fields = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i1"), ("b", "f8")])
    assert pr.asarray(fields["b"], device=device).to_list() == [2.0, 4.0]


def test_conversions_with_dtype(device: pr.Device) -> None:
    for data, dtype, expected in [
        ([1.9, -1.9], pr.int64, [1, -1]), ([1e30, -1e30, float("nan")], pr.int32, [2**31 - 1, -(2**31), 0]),
        (1e30, pr.int32, 2**31 - 1), (2.5, pr.uint8, 2), (True, pr.float32, 1.0), (3, pr.float64, 3.0),
        (2, pr.bool_, True),
        ([0, 2], pr.bool_, [False, True]), ([2**63], pr.uint64, [2**63]), (2**63, pr.uint64, 2**63),
        (10**30, pr.float64, 1e30), (1, pr.complex64, 1 + 0j), ([True, False], pr.float32, [1.0, 0.0]),
        (np.array([300, -1]), pr.uint8, [44, 255]), ([0.1], pr.float64, [0.1]), ([], pr.int32, []),
    ]:  # fmt: skip
        t = pr.asarray(data, dtype=dtype, device=device)
        assert (t.to_list(), t.dtype) == (expected, dtype), data


def test_a_scalar_of_numpy_is_a_copy() -> None:
    with pytest.raises(pr.ArgumentError, match="becomes a float64 tensor only by a copy"):
        pr.asarray(np.float64(1), copy=False)


# -- order and copy of foreign data


@pytest.mark.parametrize("order", ["C", "F", "K", "A"])
@pytest.mark.parametrize("form", ["C", "F", "gaps", "reversed", "permuted"])
def test_order_of_arrays(order: str, form: str, device: pr.Device) -> None:
    x = np.arange(120).reshape(4, 5, 6)
    x = {
        "C": x, "F": np.asfortranarray(x), "gaps": x[::2, 1:], "reversed": x[::-1, :, ::-1],
        "permuted": x.transpose(1, 0, 2),
    }[form]  # fmt: skip
    t = pr.asarray(x, order=order, device=device)
    assert np.array_equal(t.numpy(), x)
    same = {"C": ["C"], "F": ["F"], "K": ["C", "F"], "A": ["C", "F"]}[order]
    if form in same:
        assert np.shares_memory(np.asarray(t), x)
        assert pr.asarray(x, order=order, copy=False, device=device).shape == x.shape
    else:
        assert not np.shares_memory(np.asarray(t), x)
        if order != "K":
            layout = pr.Layout.f if order == "F" or (order == "A" and form == "F") else pr.Layout.c
            assert t.layout == layout(x.shape)
        with pytest.raises(pr.ArgumentError, match=f'^pr.asarray: order "{order}" needs a copy here, but copy=False$'):
            pr.asarray(x, order=order, copy=False, device=device)


def test_order_with_a_layout(device: pr.Device) -> None:
    t = pr.asarray(DATA, pr.Layout([3, 2], [1, 3]), order="C", device=device)
    assert (t.to_list(), t.strides) == ([[1, 4], [2, 5], [3, 6]], (2, 1))


@pytest.mark.parametrize("data", [[1, 2], 3, np.arange(3, dtype=np.int32), np.arange(3, dtype=">i8")])
def test_copy_false_where_a_copy_is_needed(data: Any, device: pr.Device) -> None:
    with pytest.raises(pr.ArgumentError, match="only by a copy, but copy=False$"):
        pr.asarray(data, dtype=pr.int64, copy=False, device=device)


def test_copy_false_and_true(device: pr.Device) -> None:
    x = np.arange(6.0)
    assert np.shares_memory(np.asarray(pr.asarray(x[::-2], copy=False, device=device)), x)
    assert not np.shares_memory(np.asarray(pr.asarray(x, copy=True, device=device)), x)
    read_only = pr.asarray(bytes(3), copy=True, device=device)
    read_only[0] = 1
    assert read_only.to_list() == [1, 0, 0]


# -- errors


def test_errors_of_asarray(device: pr.Device) -> None:
    def go(*args: Any, **options: Any) -> Callable[[], Any]:
        return lambda: pr.asarray(*args, device=device, **options)

    fails(ValueError, "pr.asarray: shape (2, 4) holds 8 elements, the data has 6", go(DATA, [2, 4]))
    fails(ValueError, "pr.asarray: shape (2, 2) holds 4 elements, the data has 6", go(DATA, [2, 2]))
    fails(ValueError, "pr.asarray: shape (-1, 6) has a negative size", go(DATA, [-1, 6]))
    fails(
        IndexError,
        "pr.asarray: the layout (2-Dim, contiguous: c, shape: [2, 3], stride: [4, 1], offset: 0) reaches element 6 of "
        "a buffer with 6",
        go(DATA, pr.Layout([2, 3], [4, 1])),
    )
    fails(ValueError, "pr.asarray: nested lists are ragged: the rows differ in length", go([[1, 2], [3]]))
    fails(ValueError, 'pr.asarray: order \'G\' is not "C", "F", "K" or "A"', go(DATA, order="G"))
    fails(TypeError, "pr.asarray: a str is not numbers", go("abc"))
    fails(TypeError, "pr.asarray: the list holds text, not numbers", go(["a"]))
    fails(
        TypeError, "pr.asarray: the list holds something that is not a number, or an integer beyond 64 bits", go([None])
    )
    for odd in (None, {1, 2}, {1: 2}, object(), len):
        fails(
            TypeError,
            f"pr.asarray: {type(odd).__name__} is not data for a tensor: expected numbers, lists or a buffer",
            go(odd),
        )
    fails(TypeError, "pr.asarray: NumPy dtype datetime64[s] has no counterpart here", go(np.zeros(2, "M8[s]")))
    fails(OverflowError, f"pr.asarray: {2**63} does not fit int64\nHint: pass dtype=pr.uint64", go([2**63]))
    fails(OverflowError, "pr.asarray: 300 does not fit uint8 (0 to 255)", go([1, 300], dtype=pr.uint8))
    fails(OverflowError, "pr.asarray: -1 does not fit uint8 (0 to 255)", go(-1, dtype=pr.uint8))
    fails(OverflowError, f"pr.asarray: {2**63} does not fit int64 ({-(2**63)} to {2**63 - 1})", go(2**63))
    fails(
        OverflowError, "pr.asarray: the integers of the list fit neither int64 nor uint64", go([2**63, -1])
    )
    fails(
        TypeError,
        "pr.asarray: complex128 data cannot become float32\nHint: take pr.real first",
        go([1j], dtype=pr.float32),
    )
    fails(
        ValueError,
        "pr.asarray: a layout needs flat data, the array of shape (2, 3) is strided",
        go(np.arange(12).reshape(2, 6)[:, ::2], [6]),
    )
    fails(
        ValueError,
        "pr.asarray: a masked array would lose its mask\nHint: pass array.filled(value)",
        go(np.ma.array([1, 2], mask=[True, False])),
    )
    assert pr.asarray(np.arange(6).reshape(2, 3), [3, 2], device=device).to_list() == [[0, 1], [2, 3], [4, 5]]


def test_unknown_device() -> None:
    text = "pr.asarray: there is no device 'gpu'; there are cpu, flex"
    fails(RuntimeError, text, lambda: pr.asarray(1, device="gpu"))


# -- Layout


def test_layout_members() -> None:
    c, f = pr.Layout.c([2, 3]), pr.Layout.f((2, 3))
    assert (c.shape, c.strides, c.offset, c.ndim, c.size) == ((2, 3), (3, 1), 0, 2, 6)
    assert (c.c_contig, c.f_contig, c.c_prefer, c.f_prefer) == (True, False, True, False)
    assert (f.c_contig, f.f_contig, f.c_prefer, f.f_prefer) == (False, True, False, True)
    gaps = pr.Layout([2, 2], [3, 1])
    assert (gaps.c_contig, gaps.c_prefer) == (False, True)
    assert pr.Layout.c(()).c_contig
    assert pr.Layout([0, 3], [7, 7]).f_contig
    assert pr.Layout([1, 3], [99, 1]) == pr.Layout.c([1, 3])
    assert hash(pr.Layout([1, 3], [99, 1])) == hash(pr.Layout.c([1, 3]))
    assert c != f
    assert c != pr.Layout([2, 3], [3, 1], 1)
    assert pickle.loads(pickle.dumps(gaps)) == gaps
    with pytest.raises(AttributeError, match="immutable"):
        c.shape = (3, 2)


@pytest.mark.parametrize(
    ("layout", "flags"),
    [
        (pr.Layout.c([2, 3]), "Cc"), (pr.Layout.f([2, 3]), "Ff"), (pr.Layout.c([]), "CcFf"), (pr.Layout.c([4]), "Cc"),
        (pr.Layout([2, 2], [3, 1]), "c"), (pr.Layout([2, 2], [1, 3]), "f"), (pr.Layout([2, 2], [6, 2]), "Custom"),
        (pr.Layout([3], [-1], 2), "Custom"), (pr.Layout.c([0, 3]), "Empty"),
    ],
)  # fmt: skip
def test_layout_text(layout: pr.Layout, flags: str) -> None:
    assert str(layout) == repr(layout)
    assert repr(layout) == (
        f"{layout.ndim}-Dim, contiguous: {flags}, shape: {list(layout.shape)}, stride: {list(layout.strides)}, "
        f"offset: {layout.offset}"
    )


def test_layout_errors() -> None:
    fails(ValueError, "pr.Layout: shape (2, 3) has 2 axes, strides (1,) have 1", lambda: pr.Layout([2, 3], [1]))
    fails(ValueError, "pr.Layout: offset -1 is negative", lambda: pr.Layout([2], [1], -1))
    fails(
        ValueError,
        "pr.Layout: strides (-1,) with offset 1 reach element -1, below the buffer",
        lambda: pr.Layout([3], [-1], 1),
    )
    fails(
        ValueError,
        "pr.Layout: shape (3, 3) with strides (1, 1) reaches one element through two indices",
        lambda: pr.Layout([3, 3], [1, 1]),
    )
    fails(ValueError, "pr.Layout: strides 'ab' and offset 0 must be ints", lambda: pr.Layout([2, 2], "ab"))
    fails(ValueError, "pr.Layout.c: shape (-1,) has a negative size", lambda: pr.Layout.c([-1]))
    fails(
        ValueError, "pr.Layout.f: 2.5 is not a shape: expected an int or a sequence of ints", lambda: pr.Layout.f(2.5)
    )


def test_backwards_and_broadcast_layouts(device: pr.Device) -> None:
    x = np.arange(3)
    t = pr.asarray(x, pr.Layout([3], [-1], 2), device=device)
    assert t.to_list() == [2, 1, 0]
    t[0] = 20
    assert x.tolist() == [0, 1, 20]
    wide = pr.asarray(x, pr.Layout([2, 3], [0, 1]), device=device)
    assert wide.to_list() == [[0, 1, 20]] * 2
    assert pr.sum(wide, axis=0).to_list() == [0, 2, 40]
    for write in (put(wide, ..., 5), put(wide, 0, 5)):
        fails(
            pr.ReadOnlyError,
            "Tensor[...] =: elements of this view share memory (shape (2, 3), strides (0, 1))\n"
            "Hint: write to a copy: pr.asarray(t, copy=True)",
            write,
        )
    assert x.tolist() == [0, 1, 20]
    assert pr.asarray(x, pr.Layout([0, 5], [9, 9], 2), device=device).shape == (0, 5)


# -- exchange of random views

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
]  # fmt: skip


def random_view(seed: int) -> np.ndarray[Any, Any]:
    """A view with steps, reversals, transposition, offset, broadcasting, sizes 0 and 1, of any dtype."""
    r = random.Random(seed)
    rank = r.choice([0, 1, 1, 2, 2, 3, 4])
    shape = [r.choice([1, 2, 3, 5, 7, 0] if r.random() < 0.2 else [1, 2, 3, 5, 7]) for _ in range(rank)]
    count = int(np.prod(shape, dtype=int))
    x = (np.random.default_rng(seed).integers(0, 200, count) % 113).astype(r.choice(DTYPES)).reshape(shape)
    for axis in range(rank):
        step = r.choice([1, 1, 2, -1, -2, 3])
        start = r.randrange(x.shape[axis]) if x.shape[axis] and r.random() < 0.4 else None
        x = x[(slice(None),) * axis + (slice(start, None, step),)]
    if rank > 1 and r.random() < 0.5:
        x = x.transpose(r.sample(range(rank), rank))
    if r.random() < 0.15:
        x = np.broadcast_to(x, (r.randint(1, 3), *x.shape))
    if r.random() < 0.1:
        x = x[..., None]
    return x


@pytest.mark.parametrize("block", range(10))
def test_500_random_views(block: int, device: pr.Device) -> None:
    for seed in range(block * 50, block * 50 + 50):
        x = random_view(seed)
        t = pr.asarray(x, device=device)
        assert (t.shape, t.dtype.np) == (x.shape, x.dtype), seed
        back = np.asarray(t)
        assert np.array_equal(back, x), seed
        assert not back.flags.writeable
        assert np.array_equal(t.numpy(), x), seed
        if x.flags.writeable and x.size:
            assert np.shares_memory(back, x), seed
            assert np.array_equal(np.from_dlpack(pr.from_dlpack(x, device=device)), x), seed
            imported = pr.from_dlpack(Exporter(x), device=device)
            assert np.array_equal(imported.numpy(), x), seed
            assert np.shares_memory(np.asarray(imported), x), seed
        computed = t if t.dtype is pr.bool_ else t + t
        plain = pr.asarray(np.array(x, order="C"), device=device)
        expected = plain if t.dtype is pr.bool_ else plain + plain
        assert computed.numpy().tobytes() == expected.numpy().tobytes(), seed
        fresh = pr.asarray(x, copy=True, device=device)
        assert np.array_equal(np.from_dlpack(fresh), x), seed
        try:
            buffer = memoryview(x)  # type: ignore[arg-type]
        except (ValueError, BufferError):
            continue
        assert np.array_equal(pr.asarray(buffer, device=device).numpy(), x), seed


def test_dlpack_shares_memory_both_ways(device: pr.Device) -> None:
    t = pr.asarray([1.0, 2.0, 3.0], device=device)
    later = t * 10
    x = np.from_dlpack(t)
    x[0] = 100.0
    assert (t.to_list(), later.to_list()) == ([100.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    after = t + 1
    x[1] = 200.0
    assert after.to_list() == [101.0, 3.0, 4.0]
    t[2] = 300.0
    assert x.tolist() == [100.0, 200.0, 300.0]
    del t
    assert x.sum() == 600.0
    assert pr.zeros((2,), device=device).__dlpack_device__() == (1, 0)


def test_gradients_keep_the_values_from_before_an_export(device: pr.Device) -> None:
    for pending in (False, True):
        w = pr.asarray([3.0, 4.0], device=device)
        w = w * 1 if pending else w
        leaf = pr.asarray([1.0, 1.0], device=device).autodiff().require_grad()
        loss = (leaf * w.autodiff()).sum()
        np.from_dlpack(w)[:] = 50
        gradient = leaf.grad(loss.backward())
        assert gradient is not None
        assert gradient.to_list() == [3.0, 4.0]


def test_dlpack_copies_and_refusals(device: pr.Device) -> None:
    t = pr.asarray([1.0, 2.0], device=device)
    x = np.from_dlpack(t, copy=True)
    x[0] = 9
    assert t.to_list() == [1.0, 2.0]
    assert np.from_dlpack(pr.full((), 7.0, device=device)) == 7.0
    fails(
        BufferError,
        "Tensor.__dlpack__: bfloat16 cannot be exported through DLPack here\nHint: export .cast(pr.float32)",
        lambda: np.from_dlpack(pr.zeros((2,), dtype=pr.bfloat16, device=device)),
    )
    fails(
        BufferError,
        "Tensor.__dlpack__: the memory of a tensor that autodiff tracks cannot be shared\nHint: export t.inner()",
        lambda: np.from_dlpack(t.autodiff().require_grad()),
    )
    fails(TypeError, "pr.from_dlpack: list has no __dlpack__ method", lambda: pr.from_dlpack([1]))
    assert pr.from_dlpack(t) is t

    class Broken:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("no")

        def __dlpack_device__(self) -> Any:
            return (1, 0)

    fails(
        BufferError,
        "pr.from_dlpack: Broken cannot be imported through DLPack: no",
        lambda: pr.from_dlpack(Broken(), device=device),
    )
    read_only = pr.asarray(b"abc", device=device)
    assert np.from_dlpack(read_only).tolist() == [97, 98, 99]
    assert not np.from_dlpack(read_only).flags.writeable


def test_objects_with_array_protocols(device: pr.Device) -> None:
    class Has:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
            return np.arange(3.0, dtype=dtype)

    assert pr.asarray(Has(), device=device).to_list() == [0.0, 1.0, 2.0]

    class Sub(np.ndarray[Any, Any]):
        pass

    assert pr.asarray(np.zeros((1, 2)).view(Sub), device=device)[0].shape == (2,)


def test_numpy_takes_tensors(device: pr.Device) -> None:
    t = pr.asarray([1.5, 2.5], device=device)
    view = np.asarray(t)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    t[0] = 7
    assert view[0] == 7
    own = np.array(t)
    own[0] = 1
    assert t[0].item() == 7
    assert np.asarray(t, dtype=np.int8).tolist() == [7, 2]
    with pytest.raises(pr.ArgumentError, match=r"^Tensor.__array__: a float32 tensor becomes <class 'numpy.int8'>"):
        t.__array__(np.int8, copy=False)
    for result in (np.ones(2, np.float32) + t, t + np.ones(2, np.float32), np.float32(1) + t, t + np.float32(1)):
        assert isinstance(result, pr.Tensor)
        assert result.to_list() == [8.0, 3.5]
    assert np.sin(np.asarray(t)).shape == (2,)


# -- pickle and copy


@pytest.mark.parametrize("block", range(2))
def test_pickles(block: int, device: pr.Device) -> None:
    for seed in range(block * 50, block * 50 + 50):
        x = random_view(seed)
        t = pr.asarray(x, device=device)
        data = pickle.dumps(t)
        assert len(data) <= x.nbytes + 2048
        back = pickle.loads(data)
        assert (back.dtype, back.shape, back.device) == (t.dtype, t.shape, t.device)
        assert np.array_equal(back.numpy(), x)


def test_a_pickled_slice_is_small_and_writable(device: pr.Device) -> None:
    t = pr.zeros((1024, 1024), device=device)[3]
    data = pickle.dumps(t)
    assert len(data) < 4096 + 2048
    back = pickle.loads(data)
    back[0] = 5
    assert (back[0].item(), t[0].item()) == (5.0, 0.0)
    half = pr.asarray([1.5], dtype=pr.bfloat16, device=device)
    assert pickle.loads(pickle.dumps(half)).dtype is pr.bfloat16


def test_copies(device: pr.Device) -> None:
    t = pr.asarray([1, 2, 3], device=device)
    deep = copy.deepcopy(t)
    deep[0] = 9
    assert t.to_list() == [1, 2, 3]
    assert copy.deepcopy([t, t])[0].to_list() == [1, 2, 3]
    shallow = copy.copy(t)
    shallow[0] = 9
    assert t.to_list() == [1, 2, 3]


# -- safetensors


def test_safetensors_of_any_view(tmp_path: Path, device: pr.Device) -> None:
    tensors, expected = {}, {}
    for seed in range(80):
        x = random_view(seed)
        if x.dtype.kind != "c":
            tensors[f"view.{seed}"], expected[f"view.{seed}"] = pr.asarray(x, device=device), x
    tensors["half"] = pr.asarray([1.5, -2.0], dtype=pr.bfloat16, device=device)
    tensors["pending"] = pr.zeros((2, 3), device=device).mT + 1
    expected["half"], expected["pending"] = tensors["half"].numpy(), np.ones((3, 2), np.float32)
    path = tmp_path / "all.safetensors"
    pr.save_safetensors(tensors, path)
    back = pr.load_safetensors(path, device=device)
    assert back.keys() == tensors.keys()
    for name, x in expected.items():
        assert back[name].dtype is tensors[name].dtype, name
        assert np.array_equal(back[name].numpy(), x), name
        assert back[name].shape == x.shape, name
        assert back[name].device == device
    assert [p.name for p in tmp_path.iterdir()] == ["all.safetensors"]


def test_safetensors_of_a_transposed_tensor(tmp_path: Path) -> None:
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    pr.save_safetensors({"x": pr.asarray(x), "t": pr.asarray(x).T}, tmp_path / "f")
    back = pr.load_safetensors(str(tmp_path / "f"))
    assert np.array_equal(back["x"].numpy(), x)
    assert np.array_equal(back["t"].numpy(), x.T)
    back["x"][0, 0] = 5
    assert pr.load_safetensors(tmp_path / "f")["x"][0, 0].item() == 0.0


def test_safetensors_errors(tmp_path: Path) -> None:
    path = tmp_path / "x"
    fails(
        TypeError,
        "pr.save_safetensors: entry 'a' is not a tensor but list",
        lambda: pr.save_safetensors({"a": [1]}, path),  # type: ignore[dict-item]
    )
    fails(
        TypeError,
        "pr.save_safetensors: entry 'c' is complex64, which the format does not hold",
        lambda: pr.save_safetensors({"c": pr.asarray([1j])}, path),
    )
    fails(
        ValueError,
        "pr.save_safetensors: the name '__metadata__' is taken by the format",
        lambda: pr.save_safetensors({"__metadata__": pr.asarray([1.0])}, path),
    )
    fails(
        ValueError,
        "pr.save_safetensors: two entries have the name '1'",
        lambda: pr.save_safetensors({1: pr.asarray(1), "1": pr.asarray(2)}, path),  # type: ignore[dict-item]
    )
    fails(
        TypeError,
        "pr.save_safetensors: expected a mapping of names to tensors, got list",
        lambda: pr.save_safetensors([], path),  # type: ignore[arg-type]
    )
    assert not path.exists()
    with pytest.raises(FileNotFoundError):
        pr.load_safetensors(path)
    with pytest.raises(FileNotFoundError):
        pr.save_safetensors({"a": pr.asarray([1.0])}, tmp_path / "none" / "x")
    pr.save_safetensors({}, path)
    assert pr.load_safetensors(path) == {}


def file_of(header: Any, body: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def entry(dtype: str = "F32", shape: Any = (2,), offsets: Any = (0, 8)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


HOSTILE = {
    "empty": b"",
    "short": b"\x08\0",
    "huge header": struct.pack("<Q", 1 << 62) + b"{}",
    "header beyond the end": struct.pack("<Q", 100) + b"{}",
    "not json": file_of(b"{nonsense"),
    "not utf8": file_of(b"\xff\xfe{}"),
    "a list": file_of([]),
    "offsets beyond the end": file_of({"a": entry(offsets=(0, 800))}, b"\0" * 8),
    "offsets backwards": file_of({"a": entry(offsets=(8, 0))}, b"\0" * 8),
    "negative offsets": file_of({"a": entry(offsets=(-8, 0))}, b"\0" * 8),
    "wrong size": file_of({"a": entry(shape=(3,))}, b"\0" * 8),
    "negative shape": file_of({"a": entry(shape=(-2,))}, b"\0" * 8),
    "overflowing shape": file_of({"a": entry(shape=(1 << 40, 1 << 40))}, b"\0" * 8),
    "overlapping entries": file_of({"a": entry(), "b": entry()}, b"\0" * 8),
    "a hole": file_of({"a": entry(offsets=(8, 16))}, b"\0" * 16),
    "unknown dtype": file_of({"a": entry(dtype="F77")}, b"\0" * 8),
    "missing fields": file_of({"a": {"dtype": "F32"}}, b"\0" * 8),
    "text": b"this is a text file and no tensor in it" * 4,
    "zip": b"PK\x03\x04" + b"\0" * 100,
    "trailing bytes": file_of({"a": entry()}, b"\0" * 20),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(HOSTILE[kind])
    with pytest.raises(pr.TensorReadError, match="^pr.load_safetensors: '.*bad' is not a safetensors file: "):
        pr.load_safetensors(path)


def test_a_dtype_without_a_counterpart(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(file_of({"a": entry(dtype="F8_E4M3", shape=(8,))}, b"\0" * 8))
    text = f"pr.load_safetensors: entry 'a' of '{path}' is F8_E4M3, which has no dtype here"
    fails(pr.TensorReadError, text, lambda: pr.load_safetensors(path))


def test_truncated_and_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "x"
    pr.save_safetensors({"a": pr.ones((3, 4)), "b": pr.arange(5)}, path)
    data = path.read_bytes()
    r = random.Random(0)
    for cut in range(0, len(data), 7):
        path.write_bytes(data[:cut])
        with pytest.raises(pr.TensorReadError):
            pr.load_safetensors(path)
    header = 8 + struct.unpack("<Q", data[:8])[0]
    for _ in range(300):
        damaged = bytearray(data)
        damaged[r.randrange(header)] = r.randrange(256)
        path.write_bytes(damaged)
        try:
            pr.load_safetensors(path)  # a damaged name is still a file
        except pr.TensorReadError:
            pass


# -- Python's protocols


def test_iteration(device: pr.Device) -> None:
    t = pr.asarray([[1, 2], [3, 4]], device=device)
    assert [row.to_list() for row in t] == [[1, 2], [3, 4]]
    assert [[x.item() for x in row] for row in t] == [[1, 2], [3, 4]]
    (a, b), _ = t
    assert (int(a), int(b)) == (1, 2)
    for row in t:
        row[0] = 0
    assert t.to_list() == [[0, 2], [0, 4]]
    assert list(pr.zeros((0, 3), device=device)) == []
    number = pr.asarray(1, device=device)
    fails(ValueError, "iter(Tensor): a tensor of rank 0 cannot be iterated over", lambda: iter(number))
    assert [row.to_list() for row in reversed(t)] == [[0, 4], [0, 2]]


def test_numbers_from_tensors(device: pr.Device) -> None:
    one = pr.asarray([[2.5]], device=device)
    assert (one.item(), float(one), int(one), bool(one), complex(one)) == (2.5, 2.5, 2, True, 2.5 + 0j)
    assert type(one.item()) is float
    assert type(pr.asarray(3, device=device).item()) is int
    assert type(pr.asarray(True, device=device).item()) is bool
    assert pr.asarray([1.5], dtype=pr.bfloat16, device=device).item() == 1.5
    assert pr.asarray(2**64 - 1, dtype=pr.uint64, device=device).item() == 2**64 - 1
    assert not pr.asarray(0.0, device=device)
    assert bool(pr.asarray(float("nan"), device=device))
    assert [10, 20, 30][pr.asarray(2, device=device)] == 30
    assert list(range(pr.asarray(3, device=device))) == [0, 1, 2]
    two = pr.asarray([1, 2], device=device)
    for name, call in [
        ("Tensor.item", lambda: two.item()), ("bool(Tensor)", lambda: bool(two)), ("int(Tensor)", lambda: int(two)),
        ("float(Tensor)", lambda: float(two)), ("complex(Tensor)", lambda: complex(two)),
        ("Tensor.__index__", lambda: operator.index(two)), ("Tensor.into_scalar", lambda: two.into_scalar()),
    ]:  # fmt: skip
        fails(ValueError, f"{name}: a tensor of shape (2,) has 2 elements, not one", call)
    fails(
        TypeError,
        "Tensor.__index__: only an Int tensor can be an index, this one is float32",
        lambda: [1, 2][pr.asarray(1.0, device=device)],
    )
    fails(
        TypeError,
        "float(Tensor): a complex64 number has an imaginary part\nHint: take pr.real first",
        lambda: float(pr.asarray(1j, device=device)),
    )
    fails(ValueError, "int(Tensor): nan has no int", lambda: int(pr.asarray(float("nan"), device=device)))


def test_len_contains_hash(device: pr.Device) -> None:
    t = pr.asarray([[1, 2], [3, 4]], device=device)
    assert len(t) == 2
    assert 3 in t
    assert 9 not in t
    assert "a" not in t
    assert pr.asarray(3, device=device) in t
    fails(ValueError, "len(Tensor): a tensor of rank 0 has no length", lambda: len(pr.asarray(1, device=device)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(t)
    assert pr.Tensor([1, 2]).to_list() == [1, 2]


def test_no_warnings(device: pr.Device) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pr.asarray([1e300], device=device).to_list() == [float("inf")]
        assert pr.asarray(1e300, device=device).item() == float("inf")
        assert pr.asarray([1e300], dtype=pr.bfloat16, device=device).to_list() == [float("inf")]
        assert pr.asarray(np.array([1e300]), dtype=pr.float16, device=device).to_list() == [float("inf")]
        t = pr.zeros((2,), dtype=pr.float16, device=device)
        t[0] = 1e10
        t[1:] = [1e10]
        assert t.to_list() == [float("inf")] * 2
