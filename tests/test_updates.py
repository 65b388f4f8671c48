"""Kernels that write at indices: every mode and width, repeated indices in order, same bits for any thread count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite.apply import apply
from pyrite.ops.indexing import MODES
from pyrite.ops.record import REGISTRY

DTYPES = [pr.float32, pr.float64, pr.int8, pr.uint16, pr.int32, pr.uint32, pr.int64, pr.uint64]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    drawn = rng.standard_normal(shape) * 3
    if dtype.is_float():
        drawn[rng.random(shape) < 0.05] = np.nan
        drawn[rng.random(shape) < 0.05] = -0.0
        drawn[rng.random(shape) < 0.05] = np.inf
    else:
        drawn = np.abs(drawn) if not dtype.signed else drawn
    return drawn.astype(dtype.np)


def in_order(out: Any, index: Any, new: Any, mode: str) -> Any:
    """The definition: out is (lead, size, columns), new (lead, count, columns), index (count,) or like new."""
    act = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
    out = out.copy()
    every = np.broadcast_to(index[None, :, None], new.shape) if index.ndim == 1 else index
    with np.errstate(all="ignore"):
        for at in np.ndindex(new.shape):
            place = at[0], every[at], at[2]
            out[place] = new[at] if mode == "assign" else act[mode](out[place], new[at])
    return out


def check(got: Any, want: Any) -> None:
    np.testing.assert_array_equal(got, want)
    if got.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(got)[got == 0], np.signbit(want)[want == 0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows(mode: str, dtype: Any) -> None:
    rng = np.random.default_rng(7)
    for columns in (1, 2, 15, 16, 17, 33, 100):
        for lead in (1, 3):
            x, new = numbers(rng, (lead, 9, columns), dtype), numbers(rng, (lead, 24, columns), dtype)
            index = rng.integers(-9, 9, 24)
            args = [pr.asarray(a, copy=True) for a in (x, index, new)]
            check(apply("put", args, 1, mode).numpy(), in_order(x, index, new, mode))


@pytest.mark.parametrize("mode", MODES)
def test_an_index_for_each_element(mode: str) -> None:
    rng = np.random.default_rng(8)
    for columns in (1, 16, 21):
        for lead in (1, 4):
            x, new = numbers(rng, (lead, 6, columns), pr.float32), numbers(rng, (lead, 19, columns), pr.float32)
            index = rng.integers(-6, 6, new.shape)
            args = [pr.asarray(a, copy=True) for a in (x, index, new)]
            check(apply("scatter", args, 1, mode).numpy(), in_order(x, index, new, mode))


@pytest.mark.parametrize("kind", [pr.int8, pr.uint8, pr.int32, pr.uint32, pr.uint64], ids=str)
def test_dtypes_of_indices(kind: Any) -> None:
    x, new = np.zeros((5, 3), np.float32), np.ones((4, 3), np.float32)
    index = np.array([4, 0, 4, 2], kind.np)
    got = apply("put", [pr.asarray(a, copy=True) for a in (x, index, new)], 0, "add").numpy()
    np.testing.assert_array_equal(got[:, 0], [1, 0, 1, 0, 2])


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1), (1, 2), (2,), (0, 2)])
def test_index_put_is_the_reference(axes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(9)
    x = rng.standard_normal((4, 5, 6))
    indices = [rng.integers(-x.shape[a], x.shape[a], (3, 2)) for a in axes]
    shape = np.moveaxis(x, axes, range(len(axes)))[tuple(indices)].shape
    if len(axes) == 1 and axes != (0,):
        shape = (*x.shape[: axes[0]], 3, 2, *x.shape[axes[0] + 1 :])
    if axes == (1, 2):
        shape = (4, 3, 2)
    new = rng.standard_normal(shape)
    want = REGISTRY["index_put"].reference([x, *indices, new], axes, "add")
    got = apply("index_put", [pr.asarray(a, copy=True) for a in (x, *indices, new)], axes, "add").numpy()
    np.testing.assert_allclose(got, want, rtol=1e-14)


def test_same_bits_for_any_thread_count() -> None:
    rng = np.random.default_rng(10)
    x, index = rng.standard_normal((40, 700), dtype=np.float32), rng.integers(0, 40, 900)
    new = rng.standard_normal((900, 700), dtype=np.float32)
    args = [pr.asarray(a, copy=True) for a in (x, index, new)]
    before = pr.get_num_threads()
    results = []
    try:
        for threads in (1, 2, 3, 7):
            pr.set_num_threads(threads)
            results.append(apply("put", args, 0, "add").numpy().tobytes())
    finally:
        pr.set_num_threads(before)
    assert len(set(results)) == 1


def test_the_gradient_of_a_lookup_takes_the_memory_of_its_zeros() -> None:
    table = pr.asarray(np.ones((3000, 64), np.float32), copy=True)
    index = pr.asarray(np.arange(500) % 7, copy=True)

    def loss(t: Any) -> Any:
        return pr.sum(pr.take(t, index, axis=0) * 2.0)

    pr.grad(loss)(table).numpy()
    before = pr.stats()
    slope = pr.grad(loss)(table)
    got = slope.numpy()
    after = pr.stats()
    assert after["fallbacks"] == before["fallbacks"]
    assert after["reused"] == before["reused"] + 1
    want = np.zeros((3000, 64))
    np.add.at(want, np.arange(500) % 7, 2.0)
    np.testing.assert_array_equal(got, want)


def test_a_tensor_that_is_held_keeps_its_values() -> None:
    x = pr.asarray(np.zeros((600, 64), np.float32), copy=True) + 1
    y = apply("put", [x, pr.asarray([1, 1]), pr.ones((2, 64))], 0, "add")
    np.testing.assert_array_equal(y.numpy()[:3, 0], [1, 3, 1])
    np.testing.assert_array_equal(x.numpy()[:3, 0], [1, 1, 1])


def test_bad_indices_leave_everything_as_it_was() -> None:
    x = pr.asarray(np.zeros((600, 64), np.float32), copy=True)
    late = pr.asarray([1, 599]) + pr.asarray([0, 1])  # not known at the call
    y = apply("put", [x * 1.0, late, pr.ones((2, 64))], 0, "add")
    with pytest.raises(pr.BoundsError, match="index 600 is out of bounds for axis 0 with size 600"):
        y.numpy()
    assert float(x.sum()) == 0


def test_explain_calls_it_a_kernel() -> None:
    x = pr.asarray(np.zeros((6, 4), np.float32), copy=True)
    plan = pr.explain(apply("put", [x, pr.asarray([1, 1]), pr.ones((2, 4))], 0, "add"))
    assert plan.fallbacks == 0
    assert "put" in str(plan)
