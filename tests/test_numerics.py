"""The error bounds that docs/numerics.md states, on every axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyrite as pr

U = 2.0**-53
EPS = 2.0**-24


def check(x: np.ndarray[Any, Any], axis: int) -> None:
    """Sum, mean, variance and norm of float32 data along an axis against float64 in a longer sum."""
    t = pr.asarray(x, copy=True)
    wide = x.astype(np.float64)
    n = x.shape[axis]
    levels = 1 if n <= 4096 else 2 if n <= 4096**2 else 3
    magnitude = np.abs(wide).sum(axis)
    for name, got, want, scale in (
        ("sum", pr.sum(t, axis=axis), wide.sum(axis, dtype=np.longdouble), magnitude),
        ("mean", pr.mean(t, axis=axis), wide.mean(axis, dtype=np.longdouble), magnitude / n),
        ("var", pr.var(t, axis=axis), wide.var(axis, dtype=np.longdouble), None),
        ("norm", pr.linalg.vector_norm(t, axis=axis), np.sqrt((wide**2).sum(axis, dtype=np.longdouble)), None),
    ):
        error = np.abs(got.numpy().astype(np.longdouble) - want)
        bound = EPS * np.abs(want)
        # var and norm have no cancelling sums: all terms are of one sign
        bound += 260 * levels * U * (scale if scale is not None else 2 * np.abs(want))
        assert np.all(error <= bound), f"{name} of {x.shape} along {axis}: {error} > {bound}"


@pytest.mark.parametrize("n", [10, 4096, 4097, 100_003])
def test_bounds(n: int) -> None:
    rng = np.random.default_rng(n)
    for make in (lambda s: rng.normal(size=s), lambda s: rng.uniform(0, 1, s), lambda s: rng.normal(1e4, 1, s)):
        check(make((n, 3)).astype(np.float32), 0)
        check(make((3, n)).astype(np.float32), 1)
        check(make((n,)).astype(np.float32), 0)


@pytest.mark.slow
def test_bounds_of_long_sums() -> None:
    n = 2**24 + 8
    ones = np.ones((n, 2), np.float32)
    for x, axis in ((ones, 0), (ones.T.copy(), 1), (np.random.default_rng(0).uniform(0, 1, n).astype(np.float32), 0)):
        check(x, axis)


def test_one_axis_is_as_good_as_another() -> None:
    """The same elements along a row, a column and a strided view: the same bits."""
    x = np.random.default_rng(0).normal(size=(9000, 5)).astype(np.float32)
    columns = pr.sum(pr.asarray(x, copy=True), axis=0).numpy()
    rows = pr.sum(pr.asarray(x.T.copy(), copy=True), axis=1).numpy()
    view = pr.sum(pr.asarray(x, copy=True).T, axis=1).numpy()
    single = np.array([float(pr.sum(pr.asarray(x[:, k].copy(), copy=True))) for k in range(5)], np.float32)
    assert columns.tobytes() == rows.tobytes() == view.tobytes() == single.tobytes()


def test_finite_means_do_not_overflow() -> None:
    assert float(pr.mean(pr.full((3,), 3e38))) == np.float32(3e38)
    assert float(pr.sum(pr.asarray([3e38, 3e38, -3e38, -3e38]))) == 0.0
    np.testing.assert_allclose(float(pr.std(pr.asarray([0.8e20, 1e20, 1.2e20]))), 1.6329932e19, rtol=1e-6)
    half = pr.full((100_000,), 1.0, dtype=pr.float16)
    assert (float(pr.mean(half)), float(pr.sum(half))) == (1.0, float("inf"))
    assert float(pr.sum(pr.ones(4096, dtype=pr.float16))) == 4096.0
    assert float(pr.sum(pr.ones(512, dtype=pr.bfloat16))) == 512.0
