"""Reads at indices inside kernels: every index dtype and layout, under boxes that guard them, into reductions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from contract import same_bits

import pyrite as pr
from pyrite.apply import apply, wrap
from pyrite.backends import plans, threads
from pyrite.backends.compiled import fusion
from pyrite.device import Device
from pyrite.dtypes import from_numpy
from pyrite.errors import BoundsError

SHAPES = [(1,), (9,), (3, 4), (40, 17), (5, 130), (2, 3, 20), (6, 1, 33), (4097,), (3, 4100), (200, 3, 7)]
INDEX = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]
DTYPES = ["float32", "float32", "int32", "float16", "bool", "float64", "uint8"]
LARGEST = 60_000


class Reads:
    """A random read of x at indices, wrapped in elementwise work, boxes and reductions, for any device."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.shape = self.r.choice(SHAPES)
        self.dtype = np.dtype(self.r.choice(DTYPES))
        self.x = self.rng.integers(0, 2 if self.dtype == bool else 9, self.shape).astype(self.dtype)
        self.seed = seed

    def numbers(self, size: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        dtype = np.dtype(self.r.choice(INDEX))
        low = 0 if dtype.kind == "u" else -size
        if size > np.iinfo(dtype).max:
            dtype = np.dtype("int64")
        values = self.rng.integers(low, size, shape)
        if values.size and self.r.random() < 0.5:
            values.reshape(-1)[0], values.reshape(-1)[-1] = low, size - 1
        return values.astype(dtype)

    def laid(self, device: Device, x: np.ndarray[Any, Any], r: random.Random) -> Any:
        """The values as a plain tensor, a stepped or turned view, or a pending result."""
        def up(a: np.ndarray[Any, Any]) -> Any:
            return wrap(device.backend.upload(a, from_numpy(a.dtype)))

        way = r.choice(["plain", "plain", "stepped", "turned"])
        if way == "stepped" and x.ndim:
            whole = np.repeat(x, 2, 0)
            whole[1::2] = 0
            sizes = x.shape
            return apply("slice", (up(whole),), (0,) * x.ndim, (2, *(1,) * (x.ndim - 1)), sizes)
        if way == "turned" and x.ndim:
            order = tuple(range(x.ndim))[::-1]
            return apply("permute", (up(np.ascontiguousarray(x.transpose(order))),), order)
        return up(x)

    def run(self, device: Device, pending: bool) -> list[np.ndarray[Any, Any]]:
        r = self.r = random.Random(self.seed + 1)
        self.rng = np.random.default_rng(self.seed + 1)
        x = self.laid(device, self.x, r)
        if r.random() < 0.4:
            x = apply("maximum", (x, x)) if self.dtype != bool else apply("logical_or", (x, x))
        rank = len(self.shape)
        kind = r.choice(["take", "gather", "index"] if rank > 1 else ["take", "gather"])

        def at(size: int, shape: tuple[int, ...]) -> Any:
            i = self.laid(device, self.numbers(size, shape), r)
            return apply("bit_or", (i, i)) if pending else i

        if kind == "take":
            axis = r.randrange(rank)
            y = apply("take", (x, at(self.shape[axis], r.choice([(), (1,), (30,), (2, 3), (3, 1), (0,)]))), axis)
        elif kind == "gather":
            axis = r.randrange(rank)
            shape = tuple(r.choice([1, 5, s]) if k == axis else s for k, s in enumerate(self.shape))
            y = apply("gather", (x, at(self.shape[axis], shape)), axis)
        else:
            axes = tuple(sorted(r.sample(range(rank), r.randint(2, rank))))
            shapes = [r.choice([(4,), (2, 1), (1, 4), (1,), ()]) for _ in axes]
            y = apply("index", (x, *[at(self.shape[a], s) for a, s in zip(axes, shapes)]), axes)
        if int(np.prod(y.shape)) > LARGEST:
            return []
        found = [y]
        z = apply("cast", (y,), pr.float32)
        for _ in range(r.randint(0, 3)):
            z = self.wrapped(device, z, r)
            found.append(z)
        if r.random() < 0.7:
            axes = tuple(sorted(r.sample(range(len(z.shape)), r.randint(0, len(z.shape)))))
            total = apply("sum", (z,), axes, True)
            found += [total, apply("sub", (z, total))]
        if r.random() < 0.5:
            found = found[-1:]
        return [t.numpy() for t in found]

    def wrapped(self, device: Device, z: Any, r: random.Random) -> Any:
        shape = z.shape
        way = r.choice(["pad", "place", "concat", "slice", "permute", "reshape", "scale", "expand", "where"])
        if int(np.prod(shape)) * 4 > LARGEST and way in ("pad", "place", "concat", "expand"):
            way = "scale"
        if way == "pad":
            return apply("pad", (z,), tuple((r.randint(0, 3), r.randint(0, 20)) for _ in shape), 1)
        if way == "place":
            whole = tuple(s + 2 for s in shape)
            return apply("place", (z,), whole, (1,) * len(shape), (1,) * len(shape), shape, 2)
        if way == "concat" and shape:
            axis = r.randrange(len(shape))
            return apply("concat", (z, apply("neg", (z,)), z)[: r.randint(1, 3)], axis)
        if way == "slice" and shape and 0 not in shape:
            steps = tuple(r.choice([1, 2, -1]) for _ in shape)
            sizes = tuple(-(-s // abs(k)) for s, k in zip(shape, steps))
            starts = tuple(s - 1 if k < 0 else 0 for s, k in zip(shape, steps))
            return apply("slice", (z,), starts, steps, sizes)
        if way == "permute":
            order = list(range(len(shape)))
            r.shuffle(order)
            return apply("permute", (z,), tuple(order))
        if way == "reshape":
            return apply("reshape", (z,), (int(np.prod(shape)),))
        if way == "expand" and int(np.prod(shape)) * 3 <= LARGEST:
            return apply("expand", (z,), (3, *shape))
        if way == "where":
            one = wrap(device.backend.constant(3.0, pr.float32))
            return apply("where", (apply("lt", (z, one)), z, one))
        return apply("add", (z, wrap(device.backend.constant(2.0, pr.float32))))


def run_everywhere(seed: int, pending: bool) -> None:
    reads = Reads(seed)
    wanted = reads.run(Device.flex(), pending)
    before = threads.POOL.size
    try:
        for fused, count in ((True, 1), (True, 3), (False, 2)):
            threads.POOL.size = count
            with fusion(fused):
                got = reads.run(Device.cpu(), pending)
            for k, (g, w) in enumerate(zip(got, wanted, strict=True)):
                assert same_bits(g, w), f"reads {seed}, value {k}: fused {fused}, {count} threads\n{g}\n{w}"
    finally:
        threads.POOL.size = before


@pytest.mark.parametrize("block", range(5))
def test_reads_at_known_indices(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 16)
    for seed in range(block * 20, block * 20 + 20):
        run_everywhere(seed, False)


def test_reads_at_pending_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 16)
    for seed in range(5000, 5020):
        run_everywhere(seed, True)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_many_reads(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 16)
    for seed in range(100_000 + block * 40, 100_000 + block * 40 + 40):
        run_everywhere(seed, block % 5 == 0)


@pytest.mark.parametrize("dtype", INDEX)
@pytest.mark.parametrize("wrong", [9, 1000, -10, -(1 << 40), (1 << 63) - 1, (1 << 63) + 5])
def test_no_index_outside_is_read(dtype: str, wrong: int) -> None:
    info = np.iinfo(dtype)
    if not info.min <= wrong <= info.max:
        return
    x = pr.asarray(np.arange(9.0), copy=True)
    i = pr.asarray(np.array([0, wrong], dtype), copy=True)
    with pytest.raises(BoundsError):
        apply("take", (x, i), 0)
    late = apply("take", (x, apply("bit_or", (i, i))), 0)
    with pytest.raises(BoundsError):
        late.numpy()


def test_a_write_to_the_indices_comes_after_the_read() -> None:
    x = pr.asarray(np.arange(9.0), copy=True)
    i = pr.asarray(np.array([1, 2]), copy=True)
    y = apply("take", (x, i), 0)
    i[...] = 1 << 40
    assert y.to_list() == [1.0, 2.0]


def test_foreign_indices_are_read_at_the_call() -> None:
    x = pr.asarray(np.arange(9.0), copy=True)
    mine = np.array([1, 2])
    y = apply("take", (x, pr.asarray(mine)), 0)
    mine[:] = 1 << 40
    assert y.to_list() == [1.0, 2.0]
