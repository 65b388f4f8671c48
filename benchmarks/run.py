"""Times Pyrite beside the other array libraries that are installed: same inputs, checked results, one interleaved run.

NumPy is always there; PyTorch (eager), JAX (jit) and numexpr take part if they can be imported.
See README.md in this folder for what is measured and how to read the table.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.metadata
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Slow BLAS kernel settings and Pyrite's checkers must be out of the environment before NumPy is imported.
UNWANTED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYRITE_CHECK", "PYRITE_DEBUG")
if __name__ == "__main__" and any(name in os.environ for name in UNWANTED):
    os.execve(
        sys.executable, [sys.executable, *sys.argv], {k: v for k, v in os.environ.items() if k not in UNWANTED}
    )

import numpy as np  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

import pyrite as pr  # noqa: E402

Array = np.ndarray[Any, np.dtype[Any]]
Call = Callable[[], Any]
M = 1 << 20
EPS = 1e-5
RATE = 0.01
SAMPLE = 0.01  # seconds of calls in one sample
PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"


# --- libraries ---------------------------------------------------------------------------


class Library:
    """How one library takes inputs, runs a function of a namespace and gives results back."""

    name = "NumPy"
    module = "numpy"
    xp: Any = np

    def take(self, a: Array) -> Any:
        """An input of the library's own, which shares no memory with the others'."""
        return a.copy()

    def ready(self, function: Callable[..., Any], inputs: Sequence[Any]) -> Call:
        """A call that returns when the result is there."""
        return functools.partial(function, self.xp, *inputs)

    def give(self, x: Any) -> Array:
        """A result as a NumPy array."""
        return np.asarray(x)

    def version(self) -> str:
        return f"{self.name} {importlib.metadata.version(self.module)}"


class Pyrite(Library):
    name, module, xp = "Pyrite", "pyrite", pr

    def take(self, a: Array) -> Any:
        return pr.asarray(a, copy=True)

    def ready(self, function: Callable[..., Any], inputs: Sequence[Any]) -> Call:
        sync = pr.Device.cpu().sync

        def call() -> Any:
            result = function(pr, *inputs)
            sync()
            return result

        return call

    def give(self, x: Any) -> Array:
        return x.numpy() if isinstance(x, pr.Tensor) else np.asarray(x)


class Torch(Library):
    name, module = "PyTorch", "torch"

    def __init__(self) -> None:
        self.xp = importlib.import_module("torch")

    def take(self, a: Array) -> Any:
        return self.xp.from_numpy(a.copy())

    def give(self, x: Any) -> Array:
        return x.detach().numpy() if hasattr(x, "detach") else np.asarray(x)


class Jax(Library):
    name, module = "JAX", "jax"

    def __init__(self) -> None:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        self.jax = importlib.import_module("jax")
        self.xp = importlib.import_module("jax.numpy")

    def take(self, a: Array) -> Any:
        return self.jax.device_put(a.astype(np.int32) if a.dtype == np.int64 else a.copy())

    def ready(self, function: Callable[..., Any], inputs: Sequence[Any]) -> Call:
        wait = self.jax.block_until_ready
        if getattr(function, "eager", False):
            return lambda: wait(function(self.jax, *inputs))
        compiled = self.jax.jit(functools.partial(function, self.xp))
        return lambda: wait(compiled(*inputs))


class Numexpr(Library):
    name, module = "numexpr", "numexpr"

    def __init__(self) -> None:
        self.xp = importlib.import_module("numexpr")


PEERS: dict[str, type[Library]] = {"NumPy": Library, "PyTorch": Torch, "JAX": Jax, "numexpr": Numexpr}


def libraries() -> list[Library]:
    """Pyrite and the peers that can be imported."""
    found: list[Library] = [Pyrite()]
    for kind in PEERS.values():
        try:
            found.append(kind())
        except ImportError:
            continue
    return found


# --- workloads ---------------------------------------------------------------------------


@dataclass
class Work:
    """One workload: seeded inputs, one function of (namespace, *inputs), and other forms by library."""

    name: str
    what: str
    inputs: Callable[[np.random.Generator], dict[str, Array]]
    function: Callable[..., Any]
    forms: dict[str, Callable[..., Any] | None] = field(default_factory=dict)  # None: the library has none
    tolerance: float = 1e-5
    per: int = 1  # operations in one call; times are of one

    def form(self, library: str) -> Callable[..., Any] | None:
        if library == "numexpr":
            return self.forms.get(library)
        return self.forms.get(library, self.function)


def normal(r: np.random.Generator, *shape: int) -> Array:
    return r.standard_normal(shape, dtype=np.float32)


def three(n: int) -> Callable[[np.random.Generator], dict[str, Array]]:
    return lambda r: {"x": normal(r, n), "y": normal(r, n), "z": normal(r, n)}


def one(*shape: int) -> Callable[[np.random.Generator], dict[str, Array]]:
    return lambda r: {"x": normal(r, *shape) + np.float32(0.5)}


def silu(xp: Any, x: Any, w: Any, b: Any) -> Any:
    t = x * w + b
    return t / (1 + xp.exp(-t))


def silu_of(find: Callable[[Any], Callable[[Any], Any]]) -> Callable[..., Any]:
    return lambda xp, x, w, b: find(xp)(x * w + b)


def silu_numexpr(ne: Any, x: Any, w: Any, b: Any) -> Any:
    return ne.evaluate("(x*w+b) / (1 + exp(-(x*w+b)))", {"x": x, "w": w, "b": b})


def jax_nn(name: str) -> Callable[..., Any]:
    def find(*_: Any) -> Any:
        return getattr(importlib.import_module("jax").nn, name)

    return find


SILU: dict[str, Any] = {
    "Pyrite": silu_of(lambda xp: xp.silu),
    "PyTorch": silu_of(lambda xp: xp.nn.functional.silu),
    "JAX": silu_of(jax_nn("silu")),
    "numexpr": silu_numexpr,
}


def chain(xp: Any, x: Any, y: Any, z: Any) -> Any:
    t = xp.tanh(x * y + z)
    e = xp.exp(t * -0.5)
    c = xp.clip(xp.where(y > 0.25, e, t), -0.9, 1.2)
    return xp.abs(c * x + t) * y


def chain_numexpr(ne: Any, x: Any, y: Any, z: Any) -> Any:
    t = ne.evaluate("tanh(x*y+z)", {"x": x, "y": y, "z": z})
    c = "where(y > k, exp(t*h), t)"
    c = f"where({c} < lo, lo, where({c} > hi, hi, {c}))"
    numbers = {"k": 0.25, "h": -0.5, "lo": -0.9, "hi": 1.2}
    values = {n: np.float32(v) for n, v in numbers.items()}
    return ne.evaluate(f"abs({c}*x+t)*y", {"x": x, "y": y, "t": t, **values})


def norm(xp: Any, x: Any, g: Any, b: Any) -> Any:
    mean = xp.mean(x, axis=-1, keepdims=True)
    var = xp.var(x, axis=-1, keepdims=True)
    return (x - mean) / xp.sqrt(var + EPS) * g + b


def norm_torch(torch: Any, x: Any, g: Any, b: Any) -> Any:
    var, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return (x - mean) / torch.sqrt(var + EPS) * g + b


def norm_inputs(r: np.random.Generator) -> dict[str, Array]:
    return {"x": normal(r, 4096, 1024) * 2 + 1, "g": normal(r, 1024), "b": normal(r, 1024)}


def softmax(axis: int) -> tuple[Callable[..., Any], dict[str, Any]]:
    def written_out(xp: Any, x: Any) -> Any:
        e = xp.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    return written_out, {
        "Pyrite": lambda xp, x: xp.softmax(x, axis=axis),
        "PyTorch": lambda xp, x: xp.softmax(x, axis),
        "JAX": lambda xp, x: jax_nn("softmax")()(x, axis),
    }


# neural networks


def layers(sizes: Sequence[int], batch: int) -> Callable[[np.random.Generator], dict[str, Array]]:
    def make(r: np.random.Generator) -> dict[str, Array]:
        out: dict[str, Array] = {"x": r.random((batch, sizes[0]), dtype=np.float32)}
        out["y"] = r.integers(0, sizes[-1], batch)
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
            out[f"w{i}"] = normal(r, a, b) * np.float32(math.sqrt(2 / a))
            out[f"b{i}"] = normal(r, b) * np.float32(0.01)
        return out

    return make


def step_numpy(xp: Any, x: Any, y: Any, *p: Any) -> Any:
    """Loss of an MLP with relu and cross-entropy, and its parameters after a step of gradient descent."""
    rows, acts = np.arange(len(y)), [x]
    for i in range(0, len(p) - 2, 2):
        acts.append(np.maximum(acts[-1] @ p[i] + p[i + 1], 0))
    z = acts[-1] @ p[-2] + p[-1]
    z = z - z.max(1, keepdims=True)
    e = np.exp(z)
    total = e.sum(1, keepdims=True)
    loss = (np.log(total[:, 0]) - z[rows, y]).mean()
    d = e / total
    d[rows, y] -= 1
    d /= len(y)
    new: list[Any] = [None] * len(p)
    for i in range(len(p) - 2, -1, -2):
        new[i], new[i + 1] = p[i] - RATE * (acts[i // 2].T @ d), p[i + 1] - RATE * d.sum(0)
        if i:
            d = (d @ p[i].T) * (acts[i // 2] > 0)
    return [loss, *new]


def step_pyrite(xp: Any, x: Any, y: Any, *p: Any) -> Any:
    def loss(*p: Any) -> Any:
        h = x
        for i in range(0, len(p) - 2, 2):
            h = pr.relu(h @ p[i] + p[i + 1])
        return pr.mean(pr.cross_entropy(h @ p[-2] + p[-1], y))

    value, slopes = pr.value_and_grad(loss, argnums=tuple(range(len(p))))(*p)
    return [value, *[w - g * RATE for w, g in zip(p, slopes)]]


def step_torch(torch: Any, x: Any, y: Any, *p: Any) -> Any:
    for w in p:
        w.requires_grad_()
    h = x
    for i in range(0, len(p) - 2, 2):
        h = torch.relu(torch.addmm(p[i + 1], h, p[i]))
    loss = torch.nn.functional.cross_entropy(torch.addmm(p[-1], h, p[-2]), y)
    slopes = torch.autograd.grad(loss, p)
    with torch.no_grad():
        return [loss, *[w - RATE * g for w, g in zip(p, slopes)]]


def step_jax(xp: Any, x: Any, y: Any, *p: Any) -> Any:
    jax = importlib.import_module("jax")

    def loss(p: Any) -> Any:
        h = x
        for i in range(0, len(p) - 2, 2):
            h = jax.nn.relu(h @ p[i] + p[i + 1])
        z = jax.nn.log_softmax(h @ p[-2] + p[-1])
        return -xp.take_along_axis(z, y[:, None], 1).mean()

    value, slopes = jax.value_and_grad(loss)(p)
    return [value, *[w - RATE * g for w, g in zip(p, slopes)]]


STEPS: dict[str, Any] = {"Pyrite": step_pyrite, "PyTorch": step_torch, "JAX": step_jax}


# small operations


def adds(xp: Any, x: Any, b: Any) -> Any:
    for _ in range(1000):
        x = x + b
    return x


def adds_jax(jax: Any, x: Any, b: Any) -> Any:
    add = _jitted_add(jax)
    for _ in range(1000):
        x = add(x, b)
    return x


adds_jax.eager = True  # type: ignore[attr-defined]


@functools.cache
def _jitted_add(jax: Any) -> Any:
    return jax.jit(lambda x, y: x + y)


def add_and_read_jax(jax: Any, x: Any, y: Any) -> Any:
    return np.asarray(_jitted_add(jax)(x, y))


add_and_read_jax.eager = True  # type: ignore[attr-defined]


def small(n: int) -> Callable[[np.random.Generator], dict[str, Array]]:
    return lambda r: {"x": normal(r, n), "y": normal(r, n) * np.float32(0.01)}


def matrices(n: int) -> Callable[[np.random.Generator], dict[str, Array]]:
    return lambda r: {"a": normal(r, n, n), "b": normal(r, n, n)}


LAST, LAST_FORMS = softmax(-1)
FIRST, FIRST_FORMS = softmax(0)
SQUARE = one(4096, 4096)

WORKS = [
    Work("silu 4M", "silu(x*w+b), 4M elements", three(4 * M), silu, SILU),
    Work("silu 64K", "the same, 64K elements", three(1 << 16), silu, SILU),
    Work("silu 1K", "the same, 1K elements", three(1 << 10), silu, SILU),
    Work("chain 4M", "12 operations: tanh, exp, where, clip, abs, …", three(4 * M), chain, {"numexpr": chain_numexpr}),
    Work(
        "norm", "(x-mean)/sqrt(var+eps)*g+b written out, 4096x1024", norm_inputs, norm, {"PyTorch": norm_torch}, 1e-4
    ),
    Work("softmax last axis", "4096x1024", one(4096, 1024), LAST, LAST_FORMS),
    Work("softmax axis 0", "4096x1024", one(4096, 1024), FIRST, FIRST_FORMS),
    Work("sum all", "4096x4096", SQUARE, lambda xp, x: xp.sum(x), tolerance=1e-4),
    Work("sum axis 0", "4096x4096", SQUARE, lambda xp, x: xp.sum(x, axis=0), tolerance=1e-4),
    Work("sum axis 1", "4096x4096", SQUARE, lambda xp, x: xp.sum(x, axis=1), tolerance=1e-4),
    Work(
        "max axis 1", "4096x4096", SQUARE, lambda xp, x: xp.max(x, axis=1),
        {"PyTorch": lambda xp, x: xp.amax(x, 1)}, 0,
    ),
    Work(
        "var axis 1", "4096x4096", SQUARE, lambda xp, x: xp.var(x, axis=1),
        {"PyTorch": lambda xp, x: xp.var(x, 1, correction=0)}, 1e-4,
    ),
    Work("matmul 256", "float32", matrices(256), lambda xp, a, b: a @ b),
    Work("matmul 1024", "float32", matrices(1024), lambda xp, a, b: a @ b),
    Work(
        "gather rows", "8192 rows of 50000x256",
        lambda r: {"t": normal(r, 50000, 256), "i": r.integers(0, 50000, 8192)},
        lambda xp, t, i: t[i], {"Pyrite": lambda xp, t, i: xp.take(t, i, axis=0)}, 0,
    ),
    Work(
        "cumsum last axis", "4096x1024", one(4096, 1024), lambda xp, x: xp.cumsum(x, axis=-1),
        {"Pyrite": lambda xp, x: xp.cumulative_sum(x, axis=-1)}, 1e-4,
    ),
    Work(
        "sort last axis", "1024x4096", one(1024, 4096), lambda xp, x: xp.sort(x, axis=-1),
        {"PyTorch": lambda xp, x: xp.sort(x, -1)[0]}, 0,
    ),
    Work(
        "MLP step", "784-512-512-10, batch 128: loss, gradients, update", layers((784, 512, 512, 10), 128),
        step_numpy, STEPS, 1e-3,
    ),
    Work("tiny MLP step", "16-32-32-2, batch 32", layers((16, 32, 32, 2), 32), step_numpy, STEPS, 1e-3),
    Work(
        "1000 adds", "y = y + b, 100 elements, one by one; time of one", small(100), adds, {"JAX": adds_jax},
        1e-4, 1000,
    ),
    Work(
        "add and read", "10 elements, result as a NumPy array", small(10), lambda xp, x, y: x + y,
        {
            "Pyrite": lambda xp, x, y: (x + y).numpy(),
            "PyTorch": lambda xp, x, y: (x + y).numpy(),
            "JAX": add_and_read_jax,
        },
    ),
    Work(
        "transposed copy", "4096x4096", SQUARE, lambda xp, x: xp.ascontiguousarray(x.T),
        {
            "Pyrite": lambda xp, x: xp.asarray(x.T, copy=True, order="C"),
            "PyTorch": lambda xp, x: x.T.contiguous(),
            "JAX": lambda xp, x: x.T.copy(),
        },
        0,
    ),
    Work("strided sum", "x[::2, ::3] of 4096x4096", SQUARE, lambda xp, x: xp.sum(x[::2, ::3]), tolerance=1e-4),
]  # fmt: skip


# fresh processes: what to run in them, by library; the process prints the seconds

IMPORTS = {"Pyrite": "pyrite", "NumPy": "numpy", "PyTorch": "torch", "JAX": "jax, jax.numpy", "numexpr": "numexpr"}
FIRST_INPUTS = (
    "import numpy as np; r = np.random.default_rng(0)\n"
    "x, w, b = (r.standard_normal(1 << 22, dtype='f4') for _ in range(3))"
)
FIRST_CALLS = {
    "Pyrite": (
        "import pyrite as pr",
        "x, w, b = (pr.asarray(a, copy=True) for a in (x, w, b)); y = pr.silu(x * w + b); pr.Device.cpu().sync()",
    ),
    "NumPy": ("pass", "t = x * w + b; y = t / (1 + np.exp(-t))"),
    "PyTorch": (
        "import torch",
        "x, w, b = (torch.tensor(a) for a in (x, w, b)); y = torch.nn.functional.silu(x * w + b)",
    ),
    "JAX": (
        "import jax",
        "x, w, b = (jax.device_put(a) for a in (x, w, b));"
        "y = jax.jit(lambda x, w, b: jax.nn.silu(x * w + b))(x, w, b).block_until_ready()",
    ),
    "numexpr": ("import numexpr as ne", "y = ne.evaluate('(x*w+b) / (1 + exp(-(x*w+b)))')"),
}
PROCESSES = {
    "import": "import in a fresh process, files in memory",
    "first silu": "first silu 4M in a fresh process, no cache: import not included",
}


def in_process(name: str, library: str) -> float:
    """Seconds of one measurement in a fresh process with empty caches."""
    if name == "import":
        before, timed = "pass", f"import {IMPORTS[library]}"
    else:
        preparation, timed = FIRST_CALLS[library]
        before = f"{FIRST_INPUTS}\n{preparation}"
    code = f"{before}\nimport time\nt0 = time.perf_counter()\n{timed}\nprint(time.perf_counter() - t0)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYRITE_CACHE_DIR": folder, "JAX_PLATFORMS": "cpu"}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
    return float(done.stdout)


# --- measuring ---------------------------------------------------------------------------


@dataclass
class Result:
    """Seconds of one operation, by library and round."""

    name: str
    what: str
    times: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    def median(self, library: str) -> float:
        return statistics.median(self.times[library])

    def minimum(self, library: str) -> float:
        return min(self.times[library])

    def best(self) -> str | None:
        """The peer with the smallest median."""
        peers = [n for n in self.times if n != "Pyrite"]
        return min(peers, key=self.median) if peers else None

    def ratio(self) -> float | None:
        """Pyrite's time over that of the best peer: the median over the rounds."""
        best = self.best()
        if best is None or "Pyrite" not in self.times:
            return None
        return statistics.median(p / q for p, q in zip(self.times["Pyrite"], self.times[best]))


def flat(results: Any, give: Callable[[Any], Array]) -> list[Array]:
    return [np.asarray(give(r)) for r in (results if isinstance(results, (list, tuple)) else [results])]


def off(got: Sequence[Array], want: Sequence[Array]) -> float:
    """The largest error, relative to the largest value of its array."""
    worst = 0.0
    for g, w in zip(got, want, strict=True):
        if g.shape != w.shape:
            return math.inf
        scale = float(np.abs(w).max()) or 1.0
        error = float(np.abs(g.astype(np.float64) - w).max()) / scale
        worst = max(worst, error if math.isfinite(error) else math.inf)
    return worst


def measure(work: Work, found: Sequence[Library], rounds: int) -> Result:
    """Checks every library's result against float64, then times them in turn."""
    result = Result(work.name, work.what)
    inputs = work.inputs(np.random.default_rng(zlib.crc32(work.name.encode())))
    wide = [a.astype(np.float64) if a.dtype == np.float32 else a for a in inputs.values()]
    want = flat(work.function(np, *wide), np.asarray)
    calls: dict[str, tuple[Call, int]] = {}
    for library in found:
        function = work.form(library.name)
        if function is None:
            continue
        call = library.ready(function, [library.take(a) for a in inputs.values()])
        error = off(flat(call(), library.give), want)
        if error > work.tolerance:
            result.wrong[library.name] = f"wrong by {error:.1e}"
            continue
        start = time.perf_counter()
        call()
        calls[library.name] = call, max(1, int(SAMPLE / (time.perf_counter() - start)))
        result.times[library.name] = []
    del want, wide
    for _ in range(rounds):
        for name, (call, count) in calls.items():
            time.sleep(0.002)  # threads of the library before stop spinning
            start = time.perf_counter()
            for _ in range(count):
                call()
            result.times[name].append((time.perf_counter() - start) / count / work.per)
    return result


def measure_process(name: str, found: Sequence[Library], rounds: int) -> Result:
    result = Result(name, PROCESSES[name], {lib.name: [] for lib in found})
    for _ in range(rounds):
        for library in found:
            result.times[library.name].append(in_process(name, library.name))
    return result


# --- showing -----------------------------------------------------------------------------


def span(seconds: float) -> str:
    """Three digits and a unit."""
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    unit, scale = next(((u, s) for u, s in units.items() if seconds >= s), ("ns", 1e-9))
    value = seconds / scale
    return f"{value:.{max(0, 2 - int(math.log10(max(value, 1))))}f} {unit}"


def cell(result: Result, library: str) -> str:
    if library in result.wrong:
        return result.wrong[library]
    if library not in result.times:
        return ""
    return f"{span(result.median(library))} / {span(result.minimum(library))}"


def heading(found: Sequence[Library], rounds: int) -> str:
    """What ran where."""
    processor = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = ", ".join(library.version() for library in found)
    return f"{versions}; Python {platform.python_version()}; {processor}, {cores} cores; {rounds} rounds"


def rows(results: Sequence[Result], found: Sequence[Library]) -> list[list[str]]:
    out = []
    for r in results:
        ratio = r.ratio()
        shown = "" if ratio is None else f"{ratio:.2f} ({r.best()})"
        out.append([r.name, r.what, *[cell(r, lib.name) for lib in found], shown])
    return out


COLUMNS = "Pyrite / best peer"


def show(results: Sequence[Result], found: Sequence[Library], title: str) -> None:
    console = Console() if sys.stdout.isatty() else Console(width=60 + 24 * len(found))
    table = Table(title="median / minimum", caption=title)
    table.add_column("workload")
    for library in found:
        table.add_column(library.name, justify="right")
    table.add_column(COLUMNS, justify="right")
    for name, _, *cells in rows(results, found):
        table.add_row(name, *cells)
    console.print(table)


def page(results: Sequence[Result], found: Sequence[Library], title: str) -> str:
    """The table as a page of the documentation."""
    names = ["workload", "what", *[lib.name for lib in found], COLUMNS]
    lines = [
        "# Performance",
        "",
        "Made by `python benchmarks/run.py --write`. Each cell is median / minimum; the last column is Pyrite's time",
        "over that of the fastest other library, the median over the rounds: below 1, Pyrite is ahead. Inputs are",
        "float32 and the same for all, results are checked against float64 first, the libraries take turns in one",
        "process. A difference below 20 % means nothing. `benchmarks/README.md` says what is measured and how.",
        "",
        title + ".",
        "",
        "| " + " | ".join(names) + " |",
        "|---|---|" + "--:|" * (len(names) - 2),
        *["| " + " | ".join(r) + " |" for r in rows(results, found)],
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 rounds")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", metavar="REGEX", default="", help="workloads whose name matches")
    parser.add_argument("--libraries", metavar="A,B", help="instead of all that are installed")
    parser.add_argument("--json", metavar="FILE", type=Path, help="all samples")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    rounds = 3 if options.quick else options.rounds
    found = libraries()
    if options.libraries:
        wanted = options.libraries.lower().split(",")
        found = [lib for lib in found if lib.name.lower() in wanted]
    results = []
    for work in WORKS:
        if re.search(options.only, work.name):
            results.append(measure(work, found, rounds))
            print(".", end="", flush=True)
    for name in PROCESSES:
        if re.search(options.only, name):
            results.append(measure_process(name, found, rounds))
            print(".", end="", flush=True)
    print()
    title = heading(found, rounds)
    show(results, found, title)
    if options.json:
        data = [{"name": r.name, "what": r.what, "seconds": r.times, "wrong": r.wrong} for r in results]
        options.json.write_text(json.dumps({"run": title, "results": data}, indent=1))
    if options.write:
        PAGE.write_text(page(results, found, title))
        print(f"wrote {PAGE}")
    wrong = [f"{r.name}: {n} is {text}" for r in results for n, text in r.wrong.items()]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if any("Pyrite" in r.wrong for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
