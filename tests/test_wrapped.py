"""Reductions over several axes that do not merge in memory: no copy is made, and the bits are those of a copy."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from contract import same_bits
from test_fusion import kernels
from test_fuzz_reductions import laid_out

import pyrite as pr
from pyrite.apply import apply, wrap
from pyrite.backends import plans, threads
from pyrite.backends.compiled import fusion
from pyrite.codegen.complete import Wrap, _thrashes, collapse
from pyrite.device import Device
from pyrite.dtypes import from_numpy
from pyrite.storage import Storage

WAYS = [(True, 1), (True, 3), (False, 1), (False, 2)]
WIDTHS = [1, 2, 15, 16, 17, 31, 32, 33, 48, 100, 4095, 4096, 4097, 5000, 8192]


def tensor(x: np.ndarray[Any, Any]) -> Any:
    return pr.asarray(x, copy=True)


def numbers(*shape: int, dtype: str = "float32", seed: int = 0) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape).astype(dtype) if dtype[0] == "f" else rng.integers(-99, 99, shape).astype(dtype)


def each_way(function: Callable[[], Any]) -> list[np.ndarray[Any, Any]]:
    """What it gives fused and unfused, with one and several threads."""
    found = []
    before = threads.POOL.size
    try:
        for fused, count in WAYS:
            threads.POOL.size = count
            with fusion(fused):
                found.append(function().numpy())
    finally:
        threads.POOL.size = before
    return found


def check(work: Callable[..., Any], *views: np.ndarray[Any, Any], seed: int = 0, what: str = "") -> None:
    """Some work on views laid out at random has the bits of the work on contiguous tensors."""
    (want, *others) = each_way(lambda: work(*[tensor(np.ascontiguousarray(v)) for v in views]))
    r = random.Random(seed)
    placed = [laid_out(v, r) for v in views]
    for got in [*others, *each_way(lambda: work(*placed))]:
        assert same_bits(got, want), what


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 64)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_width(width: int) -> None:
    for k, rows in enumerate((1, 2, 3, 17, 130)):
        if rows * width > 100_000:
            continue
        for dtype in ("float32", "float64", "int8", "float16"):
            x = numbers(rows, width, dtype=dtype)
            for seed in range(3):
                check(lambda x: pr.sum(x), x, seed=10 * k + seed, what=f"{x.shape} {dtype}")


def test_every_axis() -> None:
    axes = [a for n in (1, 2, 3, 4) for a in combinations(range(4), n)]
    shapes = [(7, 19, 33), (3, 70, 70), (70, 3, 100), (2, 300, 20, 1), (3, 5, 40, 17), (66, 64, 65)]
    for seed, shape in enumerate(shapes):
        for some in axes:
            if some[-1] < len(shape):
                for work in (
                    lambda x, some=some: pr.sum(x, axis=some),
                    lambda x, some=some: pr.max(x, axis=some, keepdims=True),
                    lambda x, some=some: pr.var(x, axis=some),
                ):
                    check(work, numbers(*shape), seed=seed, what=f"{shape} over {some}")


PRODUCERS = {
    "a product with another layout": lambda x, y: pr.sum(pr.exp(x) * y),
    "a row added": lambda x, y: pr.sum(x * y[0]),
    "a column added": lambda x, y: pr.sum(x + y[:, :1]),
    "a costly column": lambda x, y: pr.sum(x * pr.exp(y[:, :1])),
    "padded": lambda x, y: pr.sum(apply("pad", (x,), ((1, 2), (3, 0)), 1) * 2.0),
    "joined": lambda x, y: pr.mean(pr.concat([x, y], axis=1)),
    "indices": lambda x, y: pr.sum(pr.where(pr.triu(pr.ones_like(x)) > 0, x, y)),
    "the place of the largest": lambda x, y: pr.argmax(x * y),
    "elements too": lambda x, y: pr.exp(x - pr.max(x)) / pr.sum(pr.exp(x - pr.max(x))) + y,
    "turned": lambda x, y: pr.sum(pr.permute_dims(x, (1, 0)) * 2.0),
    "stepped after the work": lambda x, y: pr.sum((x * y)[::-2, ::3]),
    "taken": lambda x, y: pr.sum(pr.take(x, pr.asarray([0, 2, 1, 1]), axis=0) * y[:4]),
    "taken across": lambda x, y: pr.sum(pr.take(x, pr.arange(x.shape[1] - 1, -1, -1), axis=1) * y),
    "flat": lambda x, y: pr.sum(pr.reshape(x, (-1,)) * pr.reshape(y, (-1,))),
    "rows made longer": lambda x, y: pr.sum(pr.reshape(x, (2, -1)) * pr.exp(pr.reshape(y, (2, -1))), axis=1),
    "columns of a reshape": lambda x, y: pr.sum(pr.reshape(pr.concat([x, y]), (-1, 2)), axis=0),
    "variance of a reshape": lambda x, y: pr.var(pr.reshape(x * y, (-1,))),
    "softmax of a reshape": lambda x, y: pr.softmax(pr.reshape(x * y, (-1,))),
}


@pytest.mark.parametrize("name", PRODUCERS)
def test_producers(name: str) -> None:
    for seed, shape in enumerate([(4, 20), (6, 16), (34, 17), (9, 1000), (70, 300), (4, 4100)]):
        check(PRODUCERS[name], numbers(*shape), numbers(*shape, seed=1), seed=seed, what=f"{name} {shape}")


def test_against_numpy() -> None:
    x = numbers(400, 700)
    t = tensor(x)
    for view in (np.s_[::2, ::3], np.s_[:, 1:-1], np.s_[::-1, 5:], np.s_[3:, ::-2]):
        want = x[view].astype(np.float64)
        scale = np.abs(want).sum() * 1e-7
        assert abs(float(pr.sum(t[view])) - want.sum()) <= scale
        assert abs(float(pr.sum(pr.permute_dims(t[view], (1, 0)))) - want.sum()) <= scale
        assert float(pr.max(t[view])) == want.max()


X, Z = tensor(numbers(300, 400)), tensor(numbers(20, 50, 60))
Y, ROW = tensor(numbers(150, 134)), tensor(numbers(134))
STEPS = {
    # one kernel for each level of blocks
    "stepped": (2, lambda: pr.sum(X[::2, ::3])),
    "without a border": (2, lambda: pr.mean(X[:, 1:-1])),
    "turned": (2, lambda: pr.sum(X.T)),
    "with another layout": (2, lambda: pr.sum(pr.exp(X[::2, ::3]) * Y)),
    "with a row": (2, lambda: pr.sum(X[::2, ::3] * ROW)),
    "flat": (2, lambda: pr.sum(pr.reshape(X[::2, ::3], (-1,)) * 2.0)),
    "flat in part": (1, lambda: pr.sum(pr.reshape(Z[:, 1:-1, 1:-1], (20, -1)), axis=1)),
    "all of three": (2, lambda: pr.sum(Z[:, 1:-1, 1:-1])),
    "the last two of three": (1, lambda: pr.sum(Z[:, 1:-1, 1:-1], axis=(1, 2))),
    "the first two of three": (1, lambda: pr.sum(Z[:, 1:-1, 1:-1], axis=(0, 1))),
    "softmax over two": (1, lambda: pr.exp(Z[:, 1:] - pr.max(Z[:, 1:], axis=(1, 2), keepdims=True))),
}


@pytest.mark.parametrize("name", STEPS)
def test_no_copy(name: str) -> None:
    count, work = STEPS[name]
    assert kernels(work) == count


def test_other_sizes_compile_nothing_new() -> None:
    float(pr.sum(X[1:, 2:]))
    before = pr.stats()
    for n in range(20, 60):
        float(pr.sum(X[n:, n:]))
    after = pr.stats()
    assert after["compiled"] + after["loaded"] == before["compiled"] + before["loaded"]


def test_nothing_outside_is_read() -> None:
    """A view that ends where its memory ends, on a page behind which there may be none."""
    for rows, width in ((3, 16), (5, 17), (2, 40)):
        x = numbers(rows, width + 1)
        storage = Storage.new(x.size, from_numpy(x.dtype))
        storage.flat[:] = np.nan
        t = wrap(Device.cpu().backend.from_storage(storage, from_numpy(x.dtype), x.shape))
        storage.flat.reshape(x.shape)[:, 1:] = x[:, 1:]
        got = float(pr.sum(apply("slice", (t,), (0, 1), (1, 1), (rows, width))))
        assert abs(got - x[:, 1:].astype(np.float64).sum()) < 1e-5


def test_wraps() -> None:
    sizes, vectors = [5, 20, 30], [[1200, 60, 2], [600, 30, 1], [7, 0, 3]]
    wrap = Wrap(30, ((20, 0), (5, 7)))
    assert collapse("rows", sizes, vectors, 3, 0, [4, 4, 4], 16) == ([None, None, wrap], 0)
    assert (sizes, vectors) == ([3000], [[2], [1], [3]])
    assert wrap.words == [0, 20, 7]
    assert collapse("rows", [5, 15], [[16, 1]], 2, 0, [4], 16) is None, "a vector could wrap twice"
    sizes, vectors = [2, 90, 60], [[0, 64, 1], [1, 0, 0]]
    assert collapse("rows", sizes, vectors, 2, 4096, [4, 4], 16) == ([Wrap(60, ((90, 64),)), None], 4096)
    assert (sizes, vectors) == ([2, 4096], [[0, 1], [1, 0]])
    sizes, vectors = [14, 7, 8192], [[0, 9000, 1], [0, 8192, 1], [1, 0, 0]]
    assert collapse("rows", sizes, vectors, 2, 4096, [4, 4, 4], 16) == ([None] * 3, 0), "blocks end at the border"
    assert (sizes, vectors) == ([7, 2, 4096], [[9000, 4096, 1], [8192, 4096, 1], [2, 1, 0]])


def test_a_transposed_matrix_is_copied_where_its_columns_do_not_fit_a_cache() -> None:
    assert _thrashes([(4096, 4096), (4096, 1)], 4)
    assert not _thrashes([(1000, 1000), (1000, 1)], 4)
    assert not _thrashes([(4096, 4), (4096, 20000)], 4)
    x = numbers(4100, 1024)
    assert kernels(lambda: pr.sum(tensor(x).T)) == 3
    assert float(pr.sum(tensor(x).T)) == float(pr.sum(tensor(np.ascontiguousarray(x.T))))
