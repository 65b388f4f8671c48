"""argmax and argmin as kernels: the first of equals, the first NaN, long and odd lengths, one pass over memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite.backends import plans

SHAPES: list[tuple[int, ...]] = [
    (1,), (16,), (17,), (4096,), (4097,), (12289,), (16411,), (2, 5000), (70, 12288), (3, 40000), (8192, 5),
    (2, 9001, 4), (20000, 1), (1, 4099), (6, 5, 4), (4, 0, 3),
]  # fmt: skip
PLACES = ((pr.argmax, np.argmax), (pr.argmin, np.argmin))


def tables(shape: tuple[int, ...], dtype: Any) -> list[np.ndarray[Any, Any]]:
    """Ties everywhere, none, and for floats NaN after infinities, one value only, and zeros of both signs."""
    rng = np.random.default_rng(0)
    ties = rng.integers(-3, 4, shape).astype(dtype)
    if np.dtype(dtype).kind != "f":
        info = np.iinfo(dtype)
        return [ties, rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)]
    spread = rng.normal(size=shape).astype(dtype)
    if not spread.size:
        return [ties]
    late = spread.copy()
    late.flat[-1] = np.nan
    two = spread.copy()
    two.flat[0], two.flat[two.size // 2], two.flat[-1] = np.inf, -np.nan, np.nan
    zeros = np.where(ties > 0, 0.0, -0.0).astype(dtype)
    return [ties, spread, late, two, np.full(shape, -np.inf, dtype), np.full(shape, np.inf, dtype), zeros]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64", "int64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_same_as_numpy(shape: tuple[int, ...], dtype: str) -> None:
    before = pr.stats()["fallbacks"]
    for x in tables(shape, dtype):
        t = pr.asarray(x, copy=True)
        for ours, numpy in PLACES:
            for axis in (None, *range(len(shape))):
                if 0 in (shape if axis is None else (shape[axis],)):
                    continue
                want = numpy(x, axis=axis)
                got = ours(t, axis=axis)
                assert got.dtype is pr.int64
                assert np.array_equal(got.numpy(), want), (shape, dtype, axis)
                assert np.array_equal(ours(t, axis=axis, keepdims=True).numpy(), numpy(x, axis=axis, keepdims=True))
    assert pr.stats()["fallbacks"] == before


def test_one_kernel_for_rows() -> None:
    x = pr.asarray(np.random.default_rng(0).normal(size=(70, 1000)).astype(np.float32), copy=True)
    plan = pr.explain(pr.argmax(x * 2.0 + 1.0, axis=1))
    assert (plan.kernels, plan.fallbacks) == (1, 0)
    assert plan.bytes_moved == 70 * 1000 * 4 + 70 * 8
    top, place = pr.max(x, axis=1), pr.argmax(x, axis=1)
    plan = pr.explain(top)
    assert (plan.kernels, plan.fallbacks) == (1, 0)
    assert plan.bytes_moved == 70 * 1000 * 4 + 70 * (4 + 8)
    assert np.array_equal(np.take_along_axis(x.numpy(), place.numpy()[:, None], 1)[:, 0], top.numpy())


def test_long_axes_are_read_once() -> None:
    x = pr.asarray(np.random.default_rng(0).normal(size=(3, 1 << 20)).astype(np.float32), copy=True)
    for axis in (None, 1):
        plan = pr.explain(pr.argmax(x, axis=axis))
        assert plan.fallbacks == 0
        assert plan.bytes_moved < 1.01 * x.size * 4


def test_threads_and_fusion_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 8)
    x = np.random.default_rng(0).integers(-5, 6, (9, 9001)).astype(np.float32)
    t = pr.asarray(x, copy=True)
    for count in (1, 2, 3, 7):
        pr.set_num_threads(count)
        for fused in (True, False):
            with pr.fusion(fused):
                assert np.array_equal(pr.argmax(t * 2.0, axis=1).numpy(), np.argmax(x, axis=1))
                assert pr.argmin(t).item() == np.argmin(x)
