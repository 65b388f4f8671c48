"""TensorData, tolerances, reading, errors of reading, transactions and coroutines."""

import asyncio
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite import TensorData, Tolerance

DTYPES = [
    pr.float64, pr.float32, pr.float16, pr.bfloat16, pr.int64, pr.int32, pr.int16, pr.int8,
    pr.uint64, pr.uint32, pr.uint16, pr.uint8, pr.bool, pr.complex64, pr.complex128,
]  # fmt: skip


def test_constructor() -> None:
    d = TensorData([[1.0, 2.0], [3.0, 4.0]])
    assert (d.shape, d.dtype, d.rank, d.num_elements()) == ((2, 2), pr.float32, 2, 4)
    assert isinstance(d.shape, pr.Shape)
    assert TensorData([1, 2]).dtype is pr.int64
    assert TensorData([True]).dtype is pr.bool
    assert TensorData([1, 2], pr.float16).dtype is pr.float16
    assert TensorData(np.arange(3, dtype=np.uint8)).dtype is pr.uint8
    assert TensorData(pr.asarray([1, 2], dtype=pr.int8)).dtype is pr.int8
    assert TensorData(TensorData([1.5]), pr.int32).try_to_vec() == [1]
    source = np.arange(3.0)
    d = TensorData(source)
    source[0] = 9
    assert d.try_to_vec() == [0, 1, 2]
    with pytest.raises(ValueError, match="^pr.TensorData: nested lists are ragged"):
        TensorData([[1], [1, 2]])
    with pytest.raises(TypeError, match="^pr.TensorData: the list holds text"):
        TensorData(["a"])


def test_makers() -> None:
    assert TensorData.new([1, 2, 3, 4, 5, 6], [2, 3]).numpy().tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(pr.DataError.ElementCountMismatch, match=r"shape \(2, 2\) holds 4 elements, 3 were given"):
        TensorData.new([1, 2, 3], [2, 2])
    assert TensorData.zeros([2]).try_to_vec() == [0.0, 0.0]
    assert TensorData.ones([2], pr.int8).try_to_vec() == [1, 1]
    assert TensorData.full([2], 2.5).dtype is pr.float32
    assert TensorData.full_dtype([2], 3, pr.uint8).try_to_vec() == [3, 3]
    with pytest.raises(OverflowError, match="300 does not fit uint8"):
        TensorData.full([1], 300, pr.uint8)
    rng = np.random.default_rng(0)
    TensorData.random([1000], pr.Distribution.Uniform(-1.0, 2.0), rng).assert_within_range(-1.0, 2.0)
    TensorData.random([1000], pr.Distribution.Default, rng, pr.float16).assert_within_range(0.0, 1.0)
    TensorData.random([1000], pr.Distribution.Default, rng, pr.int8).assert_within_range(0, 128)
    assert TensorData.random([2, 3], pr.Distribution.Normal(5.0, 0.1), rng).shape == (2, 3)
    assert set(TensorData.random([100], pr.Distribution.Bernoulli(0.5), rng, pr.bool).try_to_vec()) == {True, False}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_bytes(dtype: pr.DType) -> None:
    d = TensorData([[0, 1, 1]], dtype)
    again = TensorData.from_bytes(d.as_bytes(), [1, 3], dtype)
    assert again == d
    assert again.into_bytes() == d.into_bytes()
    assert len(d.as_bytes()) == 3 * dtype.size()
    assert pickle.loads(pickle.dumps(d)) == d
    assert pr.Tensor.from_data(d).dtype is dtype
    assert pr.Tensor.from_data(d).to_data() == d


def test_bytes_are_checked_when_read() -> None:
    d = TensorData.from_bytes_vec(b"\0\0\0", [1], pr.float32)
    assert d.as_bytes() == b"\0\0\0"
    with pytest.raises(pr.DataError.InvalidRepresentation, match="3 bytes are no float32 data"):
        d.as_slice()
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        TensorData.from_bytes(b"\2", [1], pr.bool).try_to_vec()


def test_slices() -> None:
    d = TensorData([[1, 2], [3, 4]])
    assert d.as_slice().tolist() == [1, 2, 3, 4]
    assert d.as_slice(pr.int64).tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="read-only"):
        d.as_slice()[0] = 3
    d.as_mut_slice()[1] = 20
    assert d.view()[0, 1] == 20
    d.mut_view()[1, 1] = 40
    assert d.try_view(pr.int64)[1, 1] == d.try_mut_view()[1, 1] == 40
    assert d.numpy().tolist() == [[1, 20], [3, 40]]
    for read in (d.as_slice, d.as_mut_slice, d.try_to_vec, d.try_into_vec, d.view, d.mut_view):
        with pytest.raises(pr.DataError.DTypeMismatch, match="the data is int64, not float32\nHint: convert"):
            read(pr.float32)
    t = pr.asarray([1, 2])
    data = t.to_data()
    data.as_mut_slice()[0] = 9
    assert t.to_list() == [1, 2]
    t[1] = 7
    assert data.try_to_vec() == [9, 2]


def test_conversions() -> None:
    d = TensorData([1.9, -1.9, 0.0, math.nan])
    assert d.try_to_vec_as(pr.int32) == d.try_into_vec_as(pr.int32) == [1, -1, 0, 0]
    assert d.try_to_vec_as(pr.bool) == [True, True, False, True]
    assert d.try_cast(pr.float32) is d
    assert d.try_cast_as(pr.float64).dtype is d.convert(pr.float64).dtype is d.convert_dtype(pr.float64).dtype
    assert list(d.iter(pr.int8)) == [1, -1, 0, 0]
    assert [type(x) for x in TensorData([1.5], pr.bfloat16)] == [float]
    assert list(TensorData([3, 4])) == [3, 4]
    with pytest.raises(pr.DataError.UnsupportedConversion, match="complex64 data cannot become float32"):
        TensorData([1j]).try_cast(pr.float32)


def test_text_and_equality() -> None:
    assert str(TensorData([0.0, 1 / 3, 2 / 3, 1.0])) == "[0.0, 0.33333334, 0.6666667, 1.0]"
    assert str(TensorData([[True, False]])) == "[true, false]"
    assert repr(TensorData([1])) == "TensorData([1], shape=(1,), dtype=pyrite.int64)"
    assert TensorData([1, 2]) == TensorData([1, 2])
    assert TensorData([1, 2]) != TensorData([[1, 2]])
    assert TensorData([1, 2]) != TensorData([1, 2], pr.int32)
    assert TensorData([1]) != 1


def test_assertions() -> None:
    d = TensorData([1.0, 2.0])
    d.assert_eq(TensorData([1.0, 2.0]), strict=True)
    d.assert_eq(TensorData([1, 2]), False)
    TensorData([math.nan]).assert_eq(TensorData([math.nan]), True)
    with pytest.raises(AssertionError, match="the data is float32, expected int64"):
        d.assert_eq(TensorData([1, 2]), True)
    with pytest.raises(AssertionError, match=r"the data has shape \(2,\), expected \(1, 2\)"):
        d.assert_eq(TensorData([[1, 2]]), False)
    with pytest.raises(AssertionError) as caught:
        TensorData(list(range(8))).assert_eq(TensorData([0] * 8), False)
    lines = str(caught.value).split("\n")
    assert lines[0] == "the data differs in 7 of 8 elements"
    assert lines[1] == "  at [1]: 1, expected 0"
    assert lines[6:] == ["  and 2 more"]
    d.assert_approx_eq(TensorData([1.0000001, 2.001]))
    TensorData([math.inf, math.nan]).assert_approx_eq(TensorData([math.inf, math.nan]))
    for other in ([1.0, 2.1], [1.0, math.nan], [1.0, math.inf]):
        with pytest.raises(AssertionError, match="the data is not close by Tolerance"):
            d.assert_approx_eq(TensorData(other))
    d.assert_within_range(1.0, 2.5)
    d.assert_within_range_inclusive(1.0, 2.0)
    with pytest.raises(AssertionError, match=r"2.0 at \[1\] is outside \[1.0, 2.0\)"):
        d.assert_within_range(1.0, 2.0)
    with pytest.raises(AssertionError, match="outside"):
        d.assert_within_range_inclusive(1.5, 2.0)


def test_tolerances() -> None:
    assert Tolerance.default() == Tolerance.balanced() == Tolerance(0.005, 1e-5) == Tolerance.rel_abs(0.005, 1e-5)
    assert Tolerance.permissive() == Tolerance(0.01, 0.01)
    assert Tolerance.relative(0.1).approx_eq(100.0, 109.0)
    assert not Tolerance.relative(0.1).approx_eq(0.0, 1e-9)
    assert Tolerance.absolute(0.1).approx_eq(100.0, 100.05)
    assert not Tolerance.absolute(0.1).approx_eq(100.0, 100.2)
    assert Tolerance().set_relative(0.5).set_absolute(2.0).approx_eq(0.0, 1.9)
    strict = Tolerance.strict()
    assert strict.approx_eq(1.0, 1.0)
    assert not strict.approx_eq(1.0, 1.0000001)
    assert strict.approx_eq(0.0, 1e-38, pr.float32)
    assert not strict.approx_eq(0.0, 1e-38, pr.float64)
    half = Tolerance().set_half_precision_relative(0.5).set_half_precision_absolute(0.0)
    assert half.approx_eq(1.0, 1.4, pr.float16)
    assert not half.approx_eq(1.0, 1.4, pr.float32)
    assert Tolerance().set_single_precision_absolute(1.0).approx_eq(1.0, 1.5, pr.float32)
    assert Tolerance().set_single_precision_relative(0.5).approx_eq(1.0, 1.5, pr.float32)
    assert Tolerance().set_double_precision_absolute(1.0).approx_eq(1.0, 1.5)
    assert Tolerance().set_double_precision_relative(0.5).approx_eq(1.0, 1.5)
    for bad in (lambda: Tolerance(1.5), lambda: Tolerance(0.1, -1.0)):
        with pytest.raises(ValueError, match="tolerance"):
            bad()


# -- reading tensors


def test_every_reader(device: pr.Device) -> None:
    t = pr.asarray([[1.9, -1.9]], device=device) + 0
    plain = TensorData([[1.9, -1.9]])
    for name in ("to_data", "try_to_data", "into_data", "try_into_data"):
        assert getattr(t, name)() == plain
    cast = TensorData([[1, -1]], pr.int32)
    for form in ("as", "dtype"):
        for name in (f"to_data_{form}", f"try_to_data_{form}", f"into_data_{form}", f"try_into_data_{form}"):
            assert getattr(t, name)(pr.int32) == cast
    assert t.try_to_vec_as(pr.int32) == t.try_into_vec_as(pr.int32) == [1, -1]
    assert t.T.to_data() == TensorData([[1.9], [-1.9]])
    assert pr.Tensor.from_data(plain, device).to_data() == plain


def test_scalars(device: pr.Device) -> None:
    t = pr.asarray([[2.5]], device=device)
    assert (t.into_scalar(), t.try_into_scalar(pr.int32), t.into_scalar(pr.bool)) == (2.5, 2, True)
    assert type(t.into_scalar(pr.bool)) is bool
    with pytest.raises(pr.TensorReadError.InvalidShape, match=r"shape \(2,\) has 2 elements, not one"):
        pr.zeros(2, device=device).into_scalar()
    with pytest.raises(pr.TensorReadError):
        pr.zeros(0, device=device).try_into_scalar()
    with pytest.raises(pr.DataError.UnsupportedConversion):
        pr.asarray([1j], device=device).into_scalar(pr.float32)


def test_coroutines(device: pr.Device) -> None:
    t = pr.asarray([[1.0, 2.0]], device=device)
    mask = pr.asarray([[True, False]], device=device)

    async def run() -> list[Any]:
        return [
            (await t.to_data_async()).try_to_vec(),
            (await t.into_data_async()).try_to_vec(),
            (await t.mask_select_async(mask)).to_list(),
            [i.to_list() for i in await mask.nonzero_async()],
            (await mask.argwhere_async()).to_list(),
            await t.sum().into_scalar_async(),
            await t.sum().try_into_scalar_async(pr.int32),
            [d.try_to_vec() for d in await pr.Transaction().register(t).execute_async()],
        ]

    wanted = [[1.0, 2.0], [1.0, 2.0], [1.0], [[0], [0]], [[0, 0]], 3.0, 3, [[1.0, 2.0]]]
    assert asyncio.run(run()) == wanted
    with pytest.raises(ValueError, match="^Tensor.mask_select_async: a mask of shape"):
        asyncio.run(_await(lambda: t.mask_select_async(mask.T)))
    with pytest.raises(pr.TensorReadError, match="^Tensor.into_scalar_async: a tensor of shape"):
        asyncio.run(_await(t.into_scalar_async))


async def _await(call: Callable[[], Any]) -> Any:
    return await call()


def test_failed_computations() -> None:
    bad = pr.zeros(2).select(0, pr.arange(2) + pr.asarray(1) * 5)
    for read in (bad.to_data, bad.try_into_data, lambda: bad.to_data_as(pr.int32), lambda: bad.try_to_vec_as(pr.int32)):
        with pytest.raises(pr.ExecutionError) as caught:
            read()
        assert isinstance(caught.value, pr.TensorReadError.Execution)
        assert isinstance(caught.value, pr.ExecutionError.WithContext)
        assert "test_data.py" in caught.value.reason
    with pytest.raises(pr.ExecutionError):
        pr.Transaction().register(pr.zeros(1)).register(bad).execute()
    with pytest.raises(pr.ExecutionError):
        asyncio.run(_await(bad.to_data_async))


def test_names_of_errors() -> None:
    for kind in (pr.DataError.StorageAccess, pr.TensorReadError.InvalidShape, pr.DeviceError.UnsupportedDType):
        error = kind("x")
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert again.reason == error.reason
    assert pr.TensorReadError.Data is pr.DataError
    assert issubclass(pr.DataError.DTypeMismatch, TypeError)
    assert f"{pr.DataError.DTypeMismatch.__qualname__}" == "DataError.DTypeMismatch"


# -- transactions


def test_transaction(device: pr.Device) -> None:
    tx = pr.Transaction.default()
    assert tx.execute() == []
    x = pr.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    tensors = [x * 2, x.T, x > 1, x.int(), pr.zeros(0, device=device), x.autodiff() + 1]
    for t in tensors:
        assert tx.register(t) is tx
    assert tx.execute() == tx.try_execute() == [t.to_data() for t in tensors]
    with pytest.raises(TypeError, match="^Transaction.register: expected a tensor, got int"):
        tx.register(3)  # type: ignore[arg-type]


def test_transaction_of_two_devices() -> None:
    a, b = pr.asarray([1.0]) + 1, pr.asarray([1.0], device="flex") + 2
    got = pr.Transaction().register(a).register(b).execute()
    assert [d.try_to_vec() for d in got] == [[2.0], [3.0]]


# -- the examples of the book


def test_the_book() -> None:
    data = TensorData([float(25), float(180), 80.0])
    assert pr.Tensor.from_data(data).to_list() == [25.0, 180.0, 80.0]
    assert pr.Tensor.from_data([1.0, 2.0, 3.0]).dtype is pr.float32
    assert pr.Tensor[pr.Int].from_data(TensorData([1, 2, 3, 4, 5, 6][0:3])).to_list() == [1, 2, 3]
    assert pr.Tensor.from_floats([1.0, 2.0, 3.0, 4.0, 5.0]).shape == (5,)
    x = pr.Tensor.from_floats([1.0, 2.0, 3.0, 4.0])
    low, high = x.min(), x.max()
    assert str((x - low).div(high - low).to_data()) == "[0.0, 0.33333334, 0.6666667, 1.0]"
    low, high = x.clone().min(), x.clone().max()
    assert str((x.clone() - low.clone()).div(high - low).to_data()) == "[0.0, 0.33333334, 0.6666667, 1.0]"


def test_errors_carry_what_was_expected() -> None:
    with pytest.raises(pr.DataError.DTypeMismatch) as caught:
        pr.TensorData([1, 2]).as_slice(pr.float32)
    assert (caught.value.expected, caught.value.actual) == (pr.float32, pr.int64)
    with pytest.raises(pr.DataError.ElementCountMismatch) as counts:
        pr.TensorData.new([1, 2, 3], [2, 2])
    assert (counts.value.expected, counts.value.actual) == (4, 3)
    with pytest.raises(pr.TensorReadError.InvalidShape) as shape:
        pr.ones(3).into_scalar()
    again = pickle.loads(pickle.dumps(shape.value))
    assert (again.expected, again.actual, str(again)) == (1, 3, str(shape.value))
    with pytest.raises(AttributeError):
        again.nothing  # noqa: B018

