"""Matrix products in parts: right for every way of splitting, on our threads, with BLAS as it was afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite.backends.products import BLAS

SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((700, 200), (200, 300)), ((90, 400), (400, 1100)), ((6, 5, 80, 90), (6, 5, 90, 70)), ((70, 64, 64), (64, 80)),
    ((2, 300, 200), (1, 200, 300)), ((40, 64, 64), (64, 64)), ((1, 3, 300, 128), (2, 1, 128, 200)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = pr.get_num_threads()
    yield
    pr.set_num_threads(before)


def pair(a: Any, b: Any, dtype: Any = np.float32) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    return rng.standard_normal(a).astype(dtype), rng.standard_normal(b).astype(dtype)


@pytest.mark.parametrize(("a", "b"), SHAPES, ids=str)
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_any_number_of_threads(a: Any, b: Any, count: int) -> None:
    x, y = pair(a, b)
    pr.set_num_threads(count)
    got = (pr.asarray(x, copy=True) @ pr.asarray(y, copy=True)).numpy()
    want = x.astype(np.float64) @ y
    np.testing.assert_allclose(got, want, atol=1e-5 * np.abs(want).max())


LAYOUTS: dict[str, Any] = {
    "rows": lambda t: t,
    "turned": lambda t: pr.asarray(t.mT, copy=True, order="C").mT,
    "part of wider rows": lambda t: pr.concat([t, t], axis=-1)[..., : t.shape[-1]],
    "batches apart": lambda t: pr.stack([t, t], axis=1)[:, 0],
    "every second column": lambda t: pr.stack([t, t], axis=-1)[..., 0],
    "repeated rows": lambda t: pr.broadcast_to(t[..., :1, :], t.shape),
    "backwards": lambda t: pr.flip(t, axis=-1),
}


@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("right", LAYOUTS)
def test_layouts(left: str, right: str) -> None:
    for a, b in (((3, 5, 4), (3, 4, 6)), ((1, 5, 1), (1, 1, 6)), ((3, 1, 4), (3, 4, 1)), ((70, 90, 80), (70, 80, 60))):
        x, y = (LAYOUTS[how](pr.asarray(t, copy=True)) for how, t in zip((left, right), pair(a, b)))
        want = x.numpy().astype(np.float64) @ y.numpy()
        np.testing.assert_allclose((x @ y).numpy(), want, atol=1e-5 * max(1, np.abs(want).max()))


def test_a_shared_factor_and_further_rows() -> None:
    x, y = pair((7, 9, 40), (40, 30))
    a, b = pr.asarray(x, copy=True), pr.asarray(y, copy=True)
    for left, plain in ((a, x), (a[::2], x[::2]), (a[:, :4], x[:, :4]), (a[:, :, 3:31], x[:, :, 3:31])):
        right, other = (b, y) if plain.shape[-1] == 40 else (b[3:31], y[3:31])
        np.testing.assert_allclose((left @ right).numpy(), plain.astype(np.float64) @ other, atol=1e-4)
    z = pr.broadcast_to(a[:1], (5, 9, 40))
    np.testing.assert_allclose((z @ b).numpy(), z.numpy().astype(np.float64) @ y, atol=1e-4)


def test_nothing_to_add_gives_zeros() -> None:
    for a, b in (((3, 0), (0, 4)), ((0, 3), (3, 4)), ((2, 3, 0), (2, 0, 5))):
        assert not (pr.zeros(a) @ pr.zeros(b)).numpy().any()


def test_batches_do_not_depend_on_the_number_of_threads() -> None:
    x, y = (pr.asarray(a, copy=True) for a in pair((64, 96, 80), (64, 80, 96)))
    results = set()
    for count in (1, 2, 3, 7):
        pr.set_num_threads(count)
        results.add((x @ y).numpy().tobytes())
    assert len(results) == 1


def test_views_need_no_copy_to_be_right() -> None:
    x, y = pair((300, 400), (300, 200))
    a, b = pr.asarray(x, copy=True), pr.asarray(y, copy=True)
    np.testing.assert_allclose((a.mT @ b).numpy(), x.T.astype(np.float64) @ y, atol=1e-3)
    np.testing.assert_allclose((b.mT @ a[:, 10:390]).numpy(), y.T.astype(np.float64) @ x[:, 10:390], atol=1e-3)
    np.testing.assert_allclose((b.mT @ a[:, ::3]).numpy(), y.T.astype(np.float64) @ x[:, ::3], atol=1e-3)


def test_ints_and_halves() -> None:
    x, y = pair((200, 150), (150, 220), np.int64)
    np.testing.assert_array_equal((pr.asarray(x, copy=True) @ pr.asarray(y, copy=True)).numpy(), x @ y)
    h, k = (pr.asarray(a, copy=True) for a in pair((200, 150), (150, 220), np.float16))
    want = h.numpy().astype(np.float64) @ k.numpy()
    np.testing.assert_allclose((h @ k).numpy(), want, rtol=1e-3, atol=1e-2)


def test_blas_keeps_its_own_number_of_threads() -> None:
    controls = BLAS.controls()
    if not controls:
        pytest.skip("the BLAS of this NumPy has no thread control")
    before = [c.get_num_threads() for c in controls]
    try:
        for c in controls:
            c.set_num_threads(2)
        x, y = (pr.asarray(a, copy=True) for a in pair((300, 300), (300, 300)))
        (x @ y).numpy()
        assert [c.get_num_threads() for c in controls] == [2] * len(controls)
    finally:
        for c, count in zip(controls, before):
            c.set_num_threads(count)


def test_a_product_that_does_not_fit_is_an_error_of_ours() -> None:
    x = pr.ones((1 << 22, 1))
    with pytest.raises(pr.OutOfMemoryError, match="no memory for matmul"):
        (x @ x.mT).numpy()
    assert float((pr.ones((2, 2)) @ pr.ones((2, 2))).sum()) == 8
