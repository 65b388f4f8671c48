"""Random programs of ops, views and writes.

Each runs fused, unfused, with a read after every line, with one and several threads (in chunks
as small as they get), and on the NumPy device: the same bits everywhere for exact functions,
and for the others the same bits in every way of running the compiled device.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from contract import same_bits

from pyrite.apply import apply, wrap
from pyrite.backends import compiled, threads
from pyrite.backends.compiled import fusion
from pyrite.device import Device
from pyrite.dtypes import from_numpy
from pyrite.errors import ReadOnlyError

EXACT = ["add", "sub", "mul", "maximum", "minimum"]
EXACT_ONE = ["neg", "abs", "square", "floor", "sign"]
ROUNDED_ONE = ["exp", "tanh", "sin", "sigmoid", "log1p"]
SHAPES = [(4,), (3, 4), (2, 3, 4), (1, 4), (3, 1), (5, 7), (40, 3), (2, 33), (6,), (130,)]


class Machine:
    """Runs a program's lines on one device; `look` says what to do after each."""

    def __init__(self, device: Device, look: bool) -> None:
        self.device = device
        self.look = look
        self.slots: list[Any] = []

    def start(self, x: np.ndarray[Any, Any]) -> None:
        backend = self.device.backend
        self.slots.append(wrap(backend.upload(x, from_numpy(x.dtype))))

    def scalar(self, v: float, like: Any) -> Any:
        return wrap(self.device.backend.constant(v, like.dtype))

    def put(self, t: Any) -> None:
        self.slots.append(t)
        if self.look:
            t.numpy()


def program(seed: int, exact: bool, length: int = 40) -> list[Callable[[Machine], None]]:
    """The lines of a random program; shapes are tracked so that every line is valid."""
    r = random.Random(seed)
    shapes: list[tuple[int, ...]] = []
    lines: list[Callable[[Machine], None]] = []
    rng = np.random.default_rng(seed)
    dtype = np.dtype("int32") if exact and r.random() < 0.4 else np.dtype("float32")

    def add(shape: tuple[int, ...], line: Callable[[Machine], None]) -> None:
        shapes.append(shape)
        lines.append(line)

    for _ in range(3):
        shape = r.choice(SHAPES)
        x = rng.integers(-8, 9, shape).astype(dtype)
        add(shape, lambda m, x=x: m.start(x))
    for _ in range(length):
        i = r.randrange(len(shapes))
        shape = shapes[i]
        kind = r.choice(
            ["one", "two", "two", "two", "scalar", "view", "view", "view", "reduce", "write", "write", "drop", "join",
             "where", "look", "pad"]
        )  # fmt: skip
        if kind == "one":
            name = r.choice(EXACT_ONE if exact else EXACT_ONE + ROUNDED_ONE * 2)
            if dtype.kind == "i" and name == "floor":
                name = "neg"
            add(shape, lambda m, i=i, n=name: m.put(apply(n, (m.slots[i],))))
        elif kind == "two":
            fitting = [j for j, s in enumerate(shapes) if _broadcasts(s, shape)]
            j = r.choice(fitting)
            name = r.choice(EXACT)
            out = np.broadcast_shapes(shapes[j], shape)
            add(out, lambda m, i=i, j=j, n=name: m.put(apply(n, (m.slots[i], m.slots[j]))))
        elif kind == "scalar":
            name, v = r.choice(EXACT), r.choice([0, 1, 2, -3])
            add(shape, lambda m, i=i, n=name, v=v: m.put(apply(n, (m.slots[i], m.scalar(v, m.slots[i])))))
        elif kind == "view":
            made = _view(r, shape)
            if made is None:
                continue
            out, params, op = made
            add(out, lambda m, i=i, p=params, o=op: m.put(apply(o, (m.slots[i],), *p)))
        elif kind == "reduce" and shape:
            axes = tuple(sorted(r.sample(range(len(shape)), r.randint(1, len(shape)))))
            keep = r.random() < 0.6
            name = r.choice(["sum", "max", "min"])
            if 0 in shape:
                continue
            out = tuple(1 if k in axes else s for k, s in enumerate(shape)) if keep else tuple(
                s for k, s in enumerate(shape) if k not in axes
            )
            add(out, lambda m, i=i, a=axes, k=keep, n=name: m.put(apply(n, (m.slots[i],), a, k)))
        elif kind == "write":
            made = _view(r, shape)
            if made is None or made[2] == "expand":
                continue
            out, params, op = made
            fitting = [j for j, s in enumerate(shapes) if _fits(s, out)]
            if not fitting:
                continue
            j = r.choice(fitting)

            def line(m: Machine, i: int = i, j: int = j, p: Any = params, o: str = op) -> None:
                try:
                    target = apply(o, (m.slots[i],), *p)
                    target[...] = m.slots[j]
                except ReadOnlyError:
                    pass  # elements of an expanded view share memory: refused on every device alike

            lines.append(line)
        elif kind == "drop" and len(shapes) > 4:
            x = rng.integers(-8, 9, shape).astype(dtype)

            def replace(m: Machine, i: int = i, x: Any = x) -> None:
                m.start(x)
                m.slots[i] = m.slots.pop()

            lines.append(replace)
        elif kind == "join" and shape:
            axis = r.randrange(len(shape))
            fitting = [
                j for j, s in enumerate(shapes)
                if len(s) == len(shape) and all(a == b for k, (a, b) in enumerate(zip(s, shape)) if k != axis)
            ]  # fmt: skip
            j = r.choice(fitting)
            out = tuple(s + shapes[j][k] if k == axis else s for k, s in enumerate(shape))
            if out[axis] > 300:
                continue
            add(out, lambda m, i=i, j=j, a=axis: m.put(apply("concat", (m.slots[i], m.slots[j]), a)))
        elif kind == "where":
            fitting = [j for j, s in enumerate(shapes) if s == shape]
            j = r.choice(fitting)

            def choose(m: Machine, i: int = i, j: int = j) -> None:
                x, y = m.slots[i], m.slots[j]
                m.put(apply("where", (apply("lt", (x, y)), x, y)))

            add(shape, choose)
        elif kind == "pad" and shape:
            widths = tuple((r.randint(0, 2), r.randint(0, 2)) for _ in shape)
            out = tuple(s + a + b for s, (a, b) in zip(shape, widths))
            if max(out) > 300:
                continue
            add(out, lambda m, i=i, w=widths: m.put(apply("pad", (m.slots[i],), w, 3)))
        elif kind == "look":
            lines.append(lambda m, i=i: m.slots[i].numpy() is None)
    return lines


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        return int(np.prod(np.broadcast_shapes(a, b))) <= 4000
    except ValueError:
        return False


def _fits(s: tuple[int, ...], out: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(s, out) == out
    except ValueError:
        return False


def _view(r: random.Random, shape: tuple[int, ...]) -> Any:
    if not shape or 0 in shape:
        return None
    op = r.choice(["slice", "permute", "reshape", "expand", "slice"])
    if op == "slice":
        starts, steps, sizes = [], [], []
        for s in shape:
            step = r.choice([1, 1, 2, -1, -2])
            start = r.randrange(s)
            room = (s - 1 - start) // step + 1 if step > 0 else start // -step + 1
            size = r.randint(1, max(1, room)) if r.random() < 0.4 else room
            starts.append(start)
            steps.append(step)
            sizes.append(size)
        return tuple(sizes), (tuple(starts), tuple(steps), tuple(sizes)), "slice"
    if op == "permute":
        order = list(range(len(shape)))
        r.shuffle(order)
        return tuple(shape[k] for k in order), (tuple(order),), "permute"
    if op == "reshape":
        n = int(np.prod(shape))
        divisors = [d for d in range(1, n + 1) if n % d == 0]
        d = r.choice(divisors)
        out = r.choice([(n,), (d, n // d), (1, d, n // d)])
        return out, (out,), "reshape"
    out = (2, *shape) if int(np.prod(shape)) < 500 else shape
    return out, (out,), "expand"


def results(lines: list[Callable[[Machine], None]], device: Device, look: bool) -> list[np.ndarray[Any, Any]]:
    machine = Machine(device, look)
    for line in lines:
        line(machine)
    return [t.numpy() for t in machine.slots]


def ways(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool, bool, int]]:
    """(name, fused, a read after each line, threads)."""
    monkeypatch.setattr(compiled, "_CHUNK", 8)
    monkeypatch.setattr(compiled, "POOLED", 1)  # also small results are written over dying inputs
    return [
        ("fused, 1 thread", True, False, 1), ("fused, 2 threads", True, False, 2), ("fused, 5 threads", True, False, 5),
        ("unfused", False, False, 1), ("read each line", True, True, 2),
    ]  # fmt: skip


def run_everywhere(seed: int, exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = program(seed, exact)
    found: dict[str, list[np.ndarray[Any, Any]]] = {}
    before = threads.POOL.size
    try:
        for name, fused, look, count in ways(monkeypatch):
            threads.POOL.size = count
            with ExitStack() as stack:
                stack.enter_context(fusion(fused))
                found[name] = results(lines, Device.cpu(), look)
    finally:
        threads.POOL.size = before
    first = found["unfused"]
    if exact:
        found["NumPy"] = results(lines, Device.flex(), False)
    for name, got in found.items():
        for k, (g, w) in enumerate(zip(got, first)):
            assert same_bits(g, w), f"program {seed}, value {k}: {name} differs from unfused\n{g}\n{w}"


@pytest.mark.parametrize("block", range(8))
def test_exact_programs(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(block * 12, block * 12 + 12):
        run_everywhere(seed, True, monkeypatch)


@pytest.mark.parametrize("block", range(4))
def test_rounded_programs(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(10_000 + block * 12, 10_000 + block * 12 + 12):
        run_everywhere(seed, False, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_many_programs(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(100_000 + block * 25, 100_000 + block * 25 + 25):
        run_everywhere(seed, block % 3 > 0, monkeypatch)

