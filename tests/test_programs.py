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

import ml_dtypes
import numpy as np
import pytest
from contract import same_bits

from pyrite.apply import apply, wrap
from pyrite.backends import plans, threads
from pyrite.backends.compiled import fusion
from pyrite.device import Device
from pyrite.dtypes import from_numpy
from pyrite.errors import ReadOnlyError
from pyrite.interop import asarray
from pyrite.ops.record import REGISTRY

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
        self.held: list[tuple[Any, np.ndarray[Any, Any]]] = []  # tensors and NumPy's views of them
        self.buffers: list[np.ndarray[Any, Any]] = []  # memory of somebody else

    def upload(self, x: np.ndarray[Any, Any]) -> Any:
        return wrap(self.device.backend.upload(x, from_numpy(x.dtype)))

    def device_op(self, name: str, *params: Any) -> Any:
        return wrap(self.device.backend.run(REGISTRY[name], (), params))

    def start(self, x: np.ndarray[Any, Any]) -> None:
        self.slots.append(self.upload(x))

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
             "where", "look", "pad", "scan"]
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
        elif kind == "scan" and shape:
            axis, reverse = r.randrange(len(shape)), r.random() < 0.4
            name = r.choice(["cumsum", "cummax", "cummin"] + ["cumprod"] * (not exact))
            add(shape, lambda m, i=i, a=axis, b=reverse, n=name: m.put(apply(n, (m.slots[i],), a, b)))
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
    values = [t.numpy() for t in machine.slots]
    for t, view in machine.held:
        assert same_bits(np.asarray(view), t.numpy()), f"a view of {t.dtype} {t.shape} differs\n{view}\n{t}"
    return values


def ways(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool, bool, int]]:
    """(name, fused, a read after each line, threads)."""
    monkeypatch.setattr(plans, "_CHUNK", 8)
    monkeypatch.setattr(plans, "POOLED", 1)  # also small results are written over dying inputs
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



# --- all dtypes, indices, opaque ops, sizes beyond one block ------------------------------

NUMBERS = [np.dtype(t) for t in ("int8", "uint8", "int32", "int64", "float16", "float32", "float64")] + [
    np.dtype(ml_dtypes.bfloat16)
]  # fmt: skip
BOOL = np.dtype(bool)
WIDE_SHAPES: list[tuple[int, ...]] = [
    (), (1,), (5,), (0, 3), (2, 0, 4), (3, 4), (4, 1), (1, 7), (130,), (17, 16), (4097,), (3, 5000), (2, 2, 4100),
    (70, 130), (300, 9), (20, 17, 33), (5, 1, 6, 4), (8200, 2), (12289,),
]  # fmt: skip
LARGEST = 30_000


class Wide:
    """A random program over tensors of several dtypes; every value stays a small whole number, so all is exact."""

    def __init__(self, seed: int, length: int = 45) -> None:
        self.r = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.known: list[tuple[tuple[int, ...], np.dtype[Any]]] = []
        self.lines: list[Callable[[Machine], None]] = []
        for _ in range(4):
            self.fresh()
        kinds = [k for k, n in self.KINDS.items() for _ in range(n)]
        while len(self.lines) < length:
            i = self.r.randrange(len(self.known))
            getattr(self, self.r.choice(kinds))(i, *self.known[i])

    KINDS = {
        "one": 2, "two": 5, "scalar": 2, "cast": 3, "choose": 2, "view": 5, "reduce": 4, "write": 3, "join": 2,
        "pad": 2, "place": 1, "take": 2, "gather": 1, "index": 2, "later_take": 1, "opaque": 2, "clone": 2, "drop": 2,
        "look": 1, "hold": 1, "foreign": 1, "poke": 2, "mean": 1, "iota": 1, "compare": 1,
        "scan": 3, "arg": 2,
    }  # fmt: skip

    def put(self, shape: tuple[int, ...], dtype: np.dtype[Any], make: Callable[[Machine], Any]) -> None:
        self.known.append((tuple(shape), dtype))
        self.lines.append(lambda m: m.put(make(m)))

    def values(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        low, high = (0, 2) if dtype == BOOL else (0, 9) if dtype.kind == "u" else (-8, 9)
        return self.rng.integers(low, high, shape).astype(dtype)

    def fresh(self) -> None:
        shape, dtype = self.r.choice(WIDE_SHAPES), self.r.choice([*NUMBERS, BOOL])
        x = self.values(shape, dtype)
        self.known.append((shape, dtype))
        self.lines.append(lambda m: m.start(x))

    def pick(self, test: Callable[[tuple[int, ...], np.dtype[Any]], bool]) -> int | None:
        fitting = [j for j, (s, d) in enumerate(self.known) if test(s, d)]
        return self.r.choice(fitting) if fitting else None

    def one(self, i: int, shape: Any, dtype: Any) -> None:
        names = ["logical_not"] if dtype == BOOL else ["neg", "abs", "sign"] if dtype.kind != "u" else ["neg", "sign"]
        name = self.r.choice(names)
        self.put(shape, dtype, lambda m: apply(name, (m.slots[i],)))

    def two(self, i: int, shape: Any, dtype: Any) -> None:
        j = self.pick(lambda s, d: _joint(s, shape) and (d == BOOL) == (dtype == BOOL))
        if j is None:
            return
        name = self.r.choice(["logical_and", "logical_xor"] if dtype == BOOL else EXACT)

        def make(m: Machine) -> Any:
            y = m.slots[j]
            if y.dtype is not m.slots[i].dtype:
                y = apply("cast", (y,), from_numpy(dtype))
            out = apply(name, (m.slots[i], y))
            return _small(m, out) if name == "mul" else out

        self.put(np.broadcast_shapes(self.known[j][0], shape), dtype, make)

    def scalar(self, i: int, shape: Any, dtype: Any) -> None:
        if dtype == BOOL:
            return
        name, v = self.r.choice(["add", "sub", "mul", "maximum", "minimum"]), self.r.choice([0, 1, 2, 3])
        self.put(shape, dtype, lambda m: _small(m, apply(name, (m.slots[i], m.scalar(v, m.slots[i])))))

    def cast(self, i: int, shape: Any, dtype: Any) -> None:
        to = self.r.choice([*NUMBERS, BOOL])
        self.put(shape, to, lambda m: apply("cast", (m.slots[i],), from_numpy(to)))

    def compare(self, i: int, shape: Any, dtype: Any) -> None:
        name = self.r.choice(["eq", "ne"] if dtype == BOOL else ["lt", "eq"])
        self.put(shape, BOOL, lambda m: apply(name, (m.slots[i], m.scalar(1, m.slots[i]))))

    def choose(self, i: int, shape: Any, dtype: Any) -> None:
        c = self.pick(lambda s, d: d == BOOL and _joint(s, shape))
        if c is None:
            return
        wide = np.broadcast_shapes(shape, self.known[c][0])
        j = self.pick(lambda s, d: d == dtype and _joint(s, wide))
        assert j is not None
        out = np.broadcast_shapes(wide, self.known[j][0])
        self.put(out, dtype, lambda m: apply("where", (m.slots[c], m.slots[i], m.slots[j])))

    def view(self, i: int, shape: Any, dtype: Any) -> None:
        made = _wide_view(self.r, shape)
        if made is not None:
            out, params, op = made
            self.put(out, dtype, lambda m: apply(op, (m.slots[i],), *params))

    def reduce(self, i: int, shape: Any, dtype: Any) -> None:
        axes = tuple(sorted(self.r.sample(range(len(shape)), self.r.randint(0, len(shape)))))
        keep = self.r.random() < 0.5
        names = ["any", "all"] + ["sum", "max", "min"] * (dtype != BOOL) + ["prod"] * (dtype.kind in "iu")
        name = self.r.choice(names)
        if name in ("max", "min") and any(shape[a] == 0 for a in axes):
            return
        out = tuple(1 if k in axes else s for k, s in enumerate(shape) if keep or k not in axes)
        kind = BOOL if name in ("any", "all") else dtype
        self.put(out, kind, lambda m: apply(name, (m.slots[i],), axes, keep))

    def mean(self, i: int, shape: Any, dtype: Any) -> None:
        if dtype.kind in "iub" or 0 in shape:
            return
        axes = tuple(sorted(self.r.sample(range(len(shape)), self.r.randint(0, len(shape)))))
        out = tuple(1 if k in axes else s for k, s in enumerate(shape))
        self.put(out, dtype, lambda m: apply("floor", (apply("mean", (m.slots[i],), axes, True),)))

    def write(self, i: int, shape: Any, dtype: Any) -> None:
        made = _wide_view(self.r, shape)
        if made is None or made[2] == "expand":
            return
        out, params, op = made
        j = self.pick(lambda s, d: d == dtype and _fits(s, out))
        if j is None:
            return

        def line(m: Machine) -> None:
            try:
                apply(op, (m.slots[i],), *params)[...] = m.slots[j]
            except ReadOnlyError:
                pass  # elements of an expanded view share memory: refused on every device alike

        self.lines.append(line)

    def join(self, i: int, shape: Any, dtype: Any) -> None:
        if not shape:
            return
        axis = self.r.randrange(len(shape))
        j = self.pick(
            lambda s, d: d == dtype and len(s) == len(shape)
            and all(a == b for k, (a, b) in enumerate(zip(s, shape)) if k != axis)
        )  # fmt: skip
        assert j is not None
        other = self.known[j][0]
        out = tuple(s + other[k] if k == axis else s for k, s in enumerate(shape))
        if int(np.prod(out)) <= LARGEST:
            self.put(out, dtype, lambda m: apply("concat", (m.slots[i], m.slots[j]), axis))

    def pad(self, i: int, shape: Any, dtype: Any) -> None:
        widths = tuple((self.r.randint(0, 2), self.r.randint(0, 2)) for _ in shape)
        out = tuple(s + a + b for s, (a, b) in zip(shape, widths))
        if int(np.prod(out)) <= LARGEST:
            self.put(out, dtype, lambda m: apply("pad", (m.slots[i],), widths, 1))

    def place(self, i: int, shape: Any, dtype: Any) -> None:
        steps = tuple(self.r.choice([1, 1, 2, -1, -2]) if s > 1 else 1 for s in shape)
        whole = tuple(max(1, (s - 1) * abs(k) + 1 + self.r.randint(0, 2)) for s, k in zip(shape, steps))
        starts = tuple((s - 1) * -k if k < 0 and s else 0 for s, k in zip(shape, steps))
        if int(np.prod(whole)) <= LARGEST:
            self.put(whole, dtype, lambda m: apply("place", (m.slots[i],), whole, starts, steps, shape, 1))

    def numbers(self, size: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        x = self.rng.integers(-size, size, shape)
        return x.astype(self.r.choice(["int64", "int32"])) if size > 127 or self.r.random() < 0.5 else x.astype("int8")

    def take(self, i: int, shape: Any, dtype: Any, later: bool = False) -> None:
        if not shape or 0 in shape:
            return
        axis = self.r.randrange(len(shape))
        index = self.numbers(shape[axis], self.r.choice([(3,), (), (2, 3), (40,), (1, 1), (0,), (200,)]))
        out = shape[:axis] + index.shape + shape[axis + 1 :]
        if int(np.prod(out)) > LARGEST:
            return

        def make(m: Machine) -> Any:
            k = m.upload(index)
            return apply("take", (m.slots[i], apply("add", (k, m.scalar(0, k))) if later else k), axis)

        self.put(out, dtype, make)

    def later_take(self, i: int, shape: Any, dtype: Any) -> None:
        self.take(i, shape, dtype, True)

    def gather(self, i: int, shape: Any, dtype: Any) -> None:
        if not shape or 0 in shape:
            return
        axis = self.r.randrange(len(shape))
        out = tuple(self.r.choice([1, 3, s]) if k == axis else s for k, s in enumerate(shape))
        index = self.numbers(shape[axis], out)
        self.put(out, dtype, lambda m: apply("gather", (m.slots[i], m.upload(index)), axis))

    def index(self, i: int, shape: Any, dtype: Any) -> None:
        if len(shape) < 2 or 0 in shape:
            return
        axes = tuple(sorted(self.r.sample(range(len(shape)), 2)))
        a = self.numbers(shape[axes[0]], self.r.choice([(4,), (2, 1), (1, 4)]))
        b = self.numbers(shape[axes[1]], self.r.choice([(4,), (1, 4), ()]))
        joint = np.broadcast_shapes(a.shape, b.shape)
        place = axes[0] if axes[1] == axes[0] + 1 else 0
        rest = tuple(s for k, s in enumerate(shape) if k not in axes)
        out = rest[:place] + joint + rest[place:]
        if int(np.prod(out)) <= LARGEST:
            self.put(out, dtype, lambda m: apply("index", (m.slots[i], m.upload(a), m.upload(b)), axes))

    def opaque(self, i: int, shape: Any, dtype: Any) -> None:
        if dtype == BOOL or not shape:
            return
        axis = self.r.randrange(len(shape))
        name = self.r.choice(["sort", "matmul"])
        if name == "sort":
            self.put(shape, dtype, lambda m: apply("sort", (m.slots[i],), axis, False, True))
        elif len(shape) >= 2 and shape[-1] <= 300 and shape[-2] <= 300 and dtype in (np.float32, np.int32):
            turn = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)

            def product(m: Machine) -> Any:
                x = _small(m, m.slots[i], 8)
                return _small(m, apply("matmul", (x, apply("permute", (x,), turn))))

            self.put((*shape[:-1], shape[-2]), dtype, product)

    def scan(self, i: int, shape: Any, dtype: Any) -> None:
        if dtype == BOOL or not shape:
            return
        axis, reverse = self.r.randrange(len(shape)), self.r.random() < 0.4
        name = self.r.choice(["cumsum", "cumsum", "cumsum", "cummax", "cummin", "cumargmax", "cumargmin"])
        out = np.dtype("int64") if "arg" in name else dtype
        self.put(shape, out, lambda m: _small(m, apply(name, (_small(m, m.slots[i]),), axis, reverse)))

    def arg(self, i: int, shape: Any, dtype: Any) -> None:
        axis = self.r.choice([None, *range(len(shape))])
        keep = self.r.random() < 0.5
        name = self.r.choice(["argmax", "argmin"])
        if dtype == BOOL or 0 in (shape if axis is None else (shape[axis],)):
            return
        gone = range(len(shape)) if axis is None else (axis,)
        out = tuple(1 if k in gone else s for k, s in enumerate(shape) if keep or k not in gone)
        self.put(out, np.dtype("int64"), lambda m: _small(m, apply(name, (m.slots[i],), axis, keep)))

    def clone(self, i: int, shape: Any, dtype: Any) -> None:
        way = self.r.choice(["clone", "detach"]) if dtype.kind not in "iub" else "clone"
        self.put(shape, dtype, lambda m: getattr(m.slots[i], way)())

    def drop(self, i: int, shape: Any, dtype: Any) -> None:
        x = self.values(shape, dtype)

        def line(m: Machine) -> None:
            m.start(x)
            m.slots[i] = m.slots.pop()

        self.lines.append(line)

    def look(self, i: int, shape: Any, dtype: Any) -> None:
        self.lines.append(lambda m: m.slots[i].numpy() is None)

    def hold(self, i: int, shape: Any, dtype: Any) -> None:
        """A view for NumPy: it shows the tensor, whatever happens to others; read back as a value."""

        def line(m: Machine) -> None:
            m.held.append((m.slots[i], np.asarray(m.slots[i])))

        self.lines.append(line)

    def foreign(self, i: int, shape: Any, dtype: Any) -> None:
        x = self.values(shape, dtype)

        def make(m: Machine) -> Any:
            mine = x.copy()
            m.buffers.append(mine)
            return asarray(mine, device=m.device)

        self.put(shape, dtype, make)

    def poke(self, i: int, shape: Any, dtype: Any) -> None:
        """Somebody else writes to shared memory."""
        v = self.r.randint(0, 5)

        def line(m: Machine) -> None:
            for b in m.buffers[-2:]:
                b[...] = np.asarray(v).astype(b.dtype)

        self.lines.append(line)

    def iota(self, i: int, shape: Any, dtype: Any) -> None:
        if dtype.kind == "i" and shape:
            axis = self.r.randrange(len(shape))
            self.put(shape, dtype, lambda m: _small(m, m.device_op("iota", shape, axis, from_numpy(dtype))))


def _joint(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        return int(np.prod(np.broadcast_shapes(a, b))) <= LARGEST
    except ValueError:
        return False


def _small(m: Machine, t: Any, most: int = 100) -> Any:
    """Clamped, so that later sums and products stay exact."""
    low = 0 if t.dtype.kind.__name__ == "Int" and not t.dtype.signed else -most
    return apply("minimum", (apply("maximum", (t, m.scalar(low, t))), m.scalar(most, t)))


def _wide_view(r: random.Random, shape: tuple[int, ...]) -> Any:
    if len(shape) >= 2 and 0 not in shape and r.random() < 0.12:
        a, b = r.sample(range(len(shape)), 2)
        offset = r.choice([0, 0, 1, -1, 40])
        size = max(0, min(shape[a] + min(offset, 0), shape[b] - max(offset, 0)))
        return (*(s for k, s in enumerate(shape) if k not in (a, b)), size), (a, b, offset), "diagonal"
    if shape and 0 not in shape and r.random() < 0.12:
        axis = r.randrange(len(shape))
        size, step = r.choice([1, 2, 3, 9]), r.choice([1, 2, 5])
        count = 0 if size > shape[axis] else (shape[axis] - size) // step + 1
        out = (*shape[:axis], count, *shape[axis + 1 :], size)
        return None if int(np.prod(out)) > LARGEST else (out, (axis, size, step), "unfold")
    if 0 in shape and r.random() < 0.5:
        order = list(range(len(shape)))
        r.shuffle(order)
        return tuple(shape[k] for k in order), (tuple(order),), "permute"
    return _view(r, shape)


def run_wide(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Wide(seed).lines
    found: dict[str, list[np.ndarray[Any, Any]]] = {}
    before = threads.POOL.size
    try:
        for name, fused, look, count in ways(monkeypatch):
            threads.POOL.size = count
            with fusion(fused):
                found[name] = results(lines, Device.cpu(), look)
    finally:
        threads.POOL.size = before
    wanted = results(lines, Device.flex(), False)
    for name, got in found.items():
        for k, (g, w) in enumerate(zip(got, wanted)):
            assert same_bits(g, w), f"program {seed}, value {k} {g.dtype}{g.shape}: {name} differs from NumPy\n{g}\n{w}"


@pytest.mark.parametrize("block", range(6))
def test_wide_programs(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(block * 5, block * 5 + 5):
        run_wide(seed, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_many_wide_programs(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(100_000 + block * 10, 100_000 + block * 10 + 10):
        run_wide(seed, monkeypatch)
