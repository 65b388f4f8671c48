"""Reductions over random shapes, axes, dtypes and layouts, around the borders of vectors, strips and blocks.

Each runs fused, unfused and with several threads: the same bits; and against NumPy in a wider type.
"""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from contract import same_bits

from pyrite.apply import apply, wrap
from pyrite.backends import plans, threads
from pyrite.backends.compiled import fusion
from pyrite.device import Device
from pyrite.dtypes import from_numpy
from pyrite.storage import Storage

SIZES = [0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 8192, 12289]
BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), BF16]
INTS = [np.dtype(t) for t in ("int8", "uint8", "int32", "int64", "uint16")]
BOOL = np.dtype(bool)
EPSILON = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52}
WAYS = [("fused", True, 1), ("3 threads", True, 3), ("unfused", False, 1), ("unfused, 2 threads", False, 2)]


def shape_of(r: random.Random, rank: int, most: int) -> tuple[int, ...]:
    """A random shape of at most `most` elements that is not always small; nor is a result of no elements huge."""
    while True:
        shape = tuple(r.choice(SIZES) for _ in range(rank))
        if int(np.prod(shape)) <= most and int(np.prod([s or 1 for s in shape])) <= 10_000_000:
            return shape


def laid_out(x: np.ndarray[Any, Any], r: random.Random) -> Any:
    """The values as a tensor over memory in some other order: permuted, stepped, reversed, with a border."""
    order = list(range(x.ndim))
    if r.random() < 0.5:
        r.shuffle(order)
    steps = [r.choice([1, 1, 2, -1, -3]) for _ in order]
    sizes = [x.shape[a] for a in order]
    whole = [max(1, (s - 1) * abs(k) + 1 + r.choice([0, 0, 1])) for s, k in zip(sizes, steps)]
    if int(np.prod(whole)) > 4_000_000:
        steps, whole = [1] * x.ndim, sizes
    starts = [(s - 1) * -k if k < 0 and s else 0 for s, k in zip(sizes, steps)]
    memory = np.full(whole, 77 if x.dtype != BOOL else True).astype(x.dtype)
    storage = Storage.new(memory.size, from_numpy(x.dtype))
    flat = storage.flat.reshape(whole)
    flat[...] = memory
    ends = [a + s * k for a, s, k in zip(starts, sizes, steps)]
    ranges = [slice(a, e if e >= 0 else None, k) for a, e, k in zip(starts, ends, steps)]
    part = tuple(p if s else slice(0, 0) for p, s in zip(ranges, sizes))
    flat[part] = np.transpose(x, order)
    t = wrap(Device.cpu().backend.from_storage(storage, from_numpy(x.dtype), tuple(whole)))
    t = apply("slice", (t,), tuple(starts), tuple(steps), tuple(sizes))
    return apply("permute", (t,), tuple(int(i) for i in np.argsort(order)))


def close(got: np.ndarray[Any, Any], exact: np.ndarray[Any, Any], scale: np.ndarray[Any, Any]) -> bool:
    """Within one unit in the last place; float64 within a few roundings of the largest partial result."""
    item = got.dtype.itemsize
    eps = 2.0**-7 if got.dtype == BF16 else EPSILON[item]
    bound = np.abs(exact) * eps + (2.0**-133 if got.dtype == BF16 else 0 if item == 8 else 6e-8 if item == 2 else 1e-45)
    if item == 8:
        bound = scale * eps * 4
    with np.errstate(all="ignore"):
        wide = got.astype(np.longdouble)
        return bool(np.all((np.abs(wide - exact) <= bound) | (np.isnan(wide) & np.isnan(exact)) | (wide == exact)))


def check(shape: tuple[int, ...], axes: tuple[int, ...], dtype: np.dtype[Any], name: str, r: random.Random) -> None:
    rng = np.random.default_rng(r.randrange(1 << 30))
    if dtype == BOOL:
        x = rng.integers(0, 2, shape).astype(bool)
    elif dtype in INTS:
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    else:
        x = rng.uniform(0.9, 1.1, shape).astype(dtype) if name == "prod" else rng.normal(size=shape).astype(dtype)
    keep = r.random() < 0.5
    t = laid_out(x, r)
    row_shape = tuple(s if r.random() < 0.5 else 1 for s in shape)
    prologue = dtype in FLOATS and name != "prod" and r.random() < 0.6
    row = rng.normal(size=row_shape).astype(dtype)
    u = laid_out(row, r) if prologue else None
    epilogue = r.random() < 0.5 and dtype != BOOL

    def run() -> list[Any]:
        source = apply("mul", (t, u)) if u is not None else t
        y = apply(name, (source,), axes, keep)
        found = [y]
        if epilogue and y.dtype is t.dtype:
            kept = y if keep else apply("reshape", (y,), tuple(1 if k in axes else s for k, s in enumerate(shape)))
            found.append(apply("sub", (source, kept)))
            found.append(apply("maximum", (apply("max", (found[1],), axes, True), kept)) if 0 not in shape else y)
        return found

    results = {}
    before = threads.POOL.size
    try:
        for way, fused, count in WAYS:
            threads.POOL.size = count
            with fusion(fused):
                results[way] = [v.numpy() for v in run()]
    finally:
        threads.POOL.size = before
    what = f"{name} of {dtype}{shape} over {axes}"
    for way, values in results.items():
        for k, (g, w) in enumerate(zip(values, results["unfused"])):
            assert same_bits(g, w), f"{what}: value {k} {way} differs from unfused"
    got = results["fused"][0]
    source = x
    if u is not None:
        with np.errstate(all="ignore"):
            wide = np.float32 if dtype.itemsize == 2 else dtype
            source = (x.astype(wide) * row.astype(wide)).astype(dtype)
    with np.errstate(all="ignore"):
        if name in ("any", "all"):
            assert same_bits(got, np.asarray(getattr(np, name)(source != 0, axis=axes, keepdims=keep))), what
        elif name in ("max", "min"):
            wide = source.astype(np.float32) if dtype == BF16 else source
            want = np.asarray(getattr(np, name)(wide, axis=axes, keepdims=keep)).astype(dtype)
            assert np.array_equal(got, want), what
        elif dtype in INTS:
            want = np.asarray(getattr(np, name)(source, axis=axes, keepdims=keep, dtype=dtype))
            assert same_bits(got, want), what
        else:
            exact = np.asarray(getattr(np, name)(source.astype(np.longdouble), axis=axes, keepdims=keep))
            scale = np.asarray(getattr(np, name)(np.abs(source.astype(np.longdouble)), axis=axes, keepdims=keep))
            if name == "prod":
                scale = scale * max(1, int(np.prod([shape[a] for a in axes])))
            assert close(got, exact, scale), what


def any_check(r: random.Random, rank: int, most: int) -> None:
    shape = shape_of(r, rank, most)
    axes = tuple(sorted(r.sample(range(rank), r.randint(0, rank))))
    dtype = r.choice(FLOATS * 2 + INTS + [BOOL])
    names = ["any", "all"]
    if dtype != BOOL:
        names += ["sum", "sum", "prod"]
        if all(shape[a] for a in axes):
            names += ["max", "min"]
            names += ["mean"] * (dtype in FLOATS)
    check(shape, axes, dtype, r.choice(names), r)


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_reductions(rank: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 64)
    r = random.Random(rank)
    for _ in range(45):
        any_check(r, rank, 60_000)


@pytest.mark.parametrize("n", SIZES)
def test_every_border(n: int) -> None:
    """Rows, columns and both of each size, with every subset of axes."""
    r = random.Random(n)
    shapes = [(n,), (n, 3), (3, n), (2, n, 3), (1, n, 1)]
    for shape in shapes:
        for count in range(len(shape) + 1):
            for axes in combinations(range(len(shape)), count):
                check(shape, axes, np.dtype(np.float32), "sum", r)


def test_small_shapes_with_empty_axes() -> None:
    r = random.Random(0)
    for shape in product([0, 1, 2], repeat=3):
        for count in range(4):
            for axes in combinations(range(3), count):
                check(shape, axes, r.choice(FLOATS), r.choice(["sum", "prod", "any"]), r)
                if all(shape[a] for a in axes):
                    check(shape, axes, r.choice(FLOATS), "max", r)


def test_rows_without_elements_read_nothing() -> None:
    x = apply("mul", (laid_out(np.ones((3_000_000, 0)), random.Random(0)),) * 2)
    assert not apply("sum", (x,), (1,), False).numpy().any()


@pytest.mark.slow
@pytest.mark.parametrize("block", range(12))
def test_many_reductions(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 64)
    r = random.Random(1000 + block)
    for _ in range(40):
        any_check(r, r.choice([1, 2, 2, 3, 3, 4]), 1_000_000)
