"""Times Pyrite beside the other array libraries that are installed: same inputs, checked results, one interleaved run.

NumPy is always there; PyTorch (eager, and compiled where there is a C++ compiler), JAX (jit) and numexpr take part if
they can be imported. See README.md in this folder for what is measured and how to read the tables.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.metadata
import json
import math
import os
import platform
import re
import shutil
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
from _workloads import COMPILED, WORKS, Work  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

Array = np.ndarray[Any, np.dtype[Any]]
Call = Callable[[], Any]
SAMPLE = 0.01  # seconds of calls in one sample
HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
README = HERE.parent / "README.md"
MARKERS = ("<!-- benchmark table -->", "<!-- end of benchmark table -->")


# --- libraries ---------------------------------------------------------------------------


class Library:
    """How one library takes inputs, runs a function of a namespace and gives results back."""

    name = "NumPy"
    module = "numpy"
    fresh = True  # takes part in what is measured in fresh processes

    def __init__(self) -> None:
        self.xp = importlib.import_module(self.module)

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
    name, module = "Pyrite", "pyrite"

    def take(self, a: Array) -> Any:
        return self.xp.asarray(a, copy=True)

    def ready(self, function: Callable[..., Any], inputs: Sequence[Any]) -> Call:
        pr = self.xp
        sync = pr.Device.cpu().sync

        def call() -> Any:
            result = function(pr, *inputs)
            sync()
            return result

        return call

    def give(self, x: Any) -> Array:
        return x.numpy() if isinstance(x, self.xp.Tensor) else np.asarray(x)


class Torch(Library):
    name, module = "PyTorch", "torch"

    def take(self, a: Array) -> Any:
        return self.xp.from_numpy(a.copy())

    def give(self, x: Any) -> Array:
        return x.detach().numpy() if hasattr(x, "detach") else np.asarray(x)


class TorchCompiled(Torch):
    name = COMPILED
    fresh = False  # its first call takes many seconds

    def __init__(self) -> None:
        self.compiler = os.environ.get("CXX") or ("clang++" if sys.platform == "darwin" else "g++")
        if shutil.which(self.compiler) is None:
            raise ImportError(f"torch.compile needs a C++ compiler: no {self.compiler}")
        # a pool of compiling processes would still be there when the timing begins
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        super().__init__()

    def ready(self, function: Callable[..., Any], inputs: Sequence[Any]) -> Call:
        # From an empty state, as PyTorch stops compiling what it has compiled too often; and as a whole: without
        # fullgraph it would run eagerly, and say nothing, where it cannot compile.
        torch = self.xp
        torch.compiler.reset()
        compiled = torch.compile(lambda *given: function(torch, *given), dynamic=False, fullgraph=True)
        return functools.partial(compiled, *inputs)

    def version(self) -> str:
        done = subprocess.run([self.compiler, "-dumpversion"], capture_output=True, text=True, check=False)
        return f"its compiled code by {Path(self.compiler).name} {done.stdout.strip()}"


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


KINDS: dict[str, type[Library]] = {
    kind.name: kind for kind in (Pyrite, Library, Torch, TorchCompiled, Jax, Numexpr)
}


def libraries() -> list[Library]:
    """Pyrite and the others that can be imported."""
    found: list[Library] = []
    for kind in KINDS.values():
        try:
            found.append(kind())
        except ImportError:
            if kind is Pyrite:
                raise
    return found


# --- fresh processes ---------------------------------------------------------------------

# What to time in them, by library; the process prints the seconds.
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
PEAK = next(work for work in WORKS if work.name == "chain 4M")


def in_fresh_process(code: str, **more: str) -> str:
    """What the code prints in a process of its own, with an empty kernel cache and more in its environment."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYRITE_CACHE_DIR": folder, "JAX_PLATFORMS": "cpu", **more}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def seconds(name: str, library: str) -> float:
    """One measurement in a fresh process."""
    if name == "import":
        before, timed = "pass", f"import {IMPORTS[library]}"
    else:
        preparation, timed = FIRST_CALLS[library]
        before = f"{FIRST_INPUTS}\n{preparation}"
    code = f"{before}\nimport time\nt0 = time.perf_counter()\n{timed}\nprint(time.perf_counter() - t0)"
    return float(in_fresh_process(code))


def resident(name: str) -> float:
    """A figure of this process from the kernel, in MB: VmRSS is what it has in memory, VmHWM the most it had."""
    found = re.search(rf"^{name}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else math.nan


def print_peak(name: str, warm: bool) -> None:
    """Peak memory of one call in this process, which is a fresh one: MB above the import, MB above the inputs.

    `warm`: after a call on small inputs, which loads and compiles what it needs.
    """
    library = KINDS[name]()
    function = PEAK.form(name) or PEAK.function
    imported = resident("VmRSS")
    a = np.random.default_rng(0).standard_normal(4 << 20, np.float32)
    if warm:
        library.ready(function, [library.take(a[: 1 << 16]) for _ in range(3)])()
    inputs = [library.take(a) for _ in range(3)]
    settle()
    library.take(a[:1])  # JAX copies later, and lets go of what it has copied when it is called again
    del a
    given = resident("VmRSS")
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    result = library.ready(function, inputs)()
    peak = resident("VmHWM")
    del result
    print(json.dumps([peak - imported, peak - given]))


def peak_memory(found: Sequence[Library], times: int = 3) -> dict[str, list[float]]:
    """By library, the figures of `PEAK_COLUMNS` in MB, medians over fresh processes; empty where /proc is missing."""
    # not from getrusage: it starts with the peak of the process that started this one
    if not Path("/proc/self/status").exists():
        return {}
    # freed arrays go back to the system: from those of making the inputs the call could take memory unseen
    returned = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}

    def runs(name: str, warm: bool) -> list[list[float]]:
        code = f"import sys; sys.path.insert(0, {str(HERE)!r}); import run; run.print_peak({name!r}, {warm})"
        return [json.loads(in_fresh_process(code, **returned)) for _ in range(times)]

    out = {}
    for library in found:
        if library.fresh:
            columns = [*zip(*runs(library.name, False)), [above for _, above in runs(library.name, True)]]
            out[library.name] = [statistics.median(column) for column in columns]
    return out


# --- measuring ---------------------------------------------------------------------------


@dataclass
class Result:
    """Seconds of one operation, by library and round."""

    name: str
    what: str
    times: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)  # in place of times: a wrong result, or none
    skipped: str = ""  # why there is nothing at all

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


def settle() -> None:
    """Returns when the threads of the library that ran before no longer spin: OpenBLAS's do for 0.1 s."""
    quiet = 0
    for _ in range(100):
        before = time.process_time()
        time.sleep(0.006)  # the kernel may count processor time in steps of 4 ms
        quiet = quiet + 1 if time.process_time() - before < 0.001 else 0
        if quiet == 2:
            return


def measure(work: Work, found: Sequence[Library], rounds: int) -> Result:
    """Checks every library's result against float64, then times them in turn."""
    result = Result(work.name, work.what)
    inputs = work.inputs(np.random.default_rng(zlib.crc32(work.name.encode())))
    wide = [a.astype(np.float64) if a.dtype == np.float32 else a for a in inputs.values()]
    try:
        want = flat((work.reference or work.function)(np, *wide), np.asarray)
    except ImportError as error:
        result.skipped = f"skipped: no {error.name} to check it with"
        return result
    calls: dict[str, tuple[Call, int]] = {}
    for library in found:
        function = work.form(library.name)
        if function is None:
            continue
        try:
            call = library.ready(function, [library.take(a) for a in inputs.values()])
            worst = off(flat(call(), library.give), want)
        except Exception as failure:  # one library must not stop the others
            result.wrong[library.name] = f"fails: {type(failure).__name__}"
            print(f"\n{work.name}: {library.name}: {failure}", file=sys.stderr)
            continue
        if worst > work.tolerance:
            result.wrong[library.name] = f"wrong by {worst:.1e}"
            continue
        settle()
        start = time.perf_counter()
        call()
        calls[library.name] = call, max(1, int(SAMPLE / (time.perf_counter() - start)))
        result.times[library.name] = []
    del want, wide
    turns = list(calls.items())
    for k in range(rounds):
        first = k % max(1, len(turns))  # nobody always comes after the same other
        for name, (call, count) in turns[first:] + turns[:first]:
            settle()
            for _ in range(max(1, count // 4)):  # back to speed after the pause
                call()
            start = time.perf_counter()
            for _ in range(count):
                call()
            result.times[name].append((time.perf_counter() - start) / count / work.per)
    return result


def measure_process(name: str, found: Sequence[Library], rounds: int) -> Result:
    fresh = [library.name for library in found if library.fresh]
    result = Result(name, PROCESSES[name], {library: [] for library in fresh})
    for _ in range(rounds):
        for library in fresh:
            result.times[library].append(seconds(name, library))
    return result


# --- showing -----------------------------------------------------------------------------


def span(seconds: float) -> str:
    """Three digits and a unit."""
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    unit, scale = next(((u, s) for u, s in units.items() if seconds >= s), ("ns", 1e-9))
    value = seconds / scale
    return f"{value:.{max(0, 2 - int(math.log10(max(value, 1))))}f} {unit}"


def cell(result: Result, library: str) -> str:
    if result.skipped and library == "Pyrite":
        return result.skipped
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
PEAK_TITLE = "Peak memory of chain 4M in a fresh process, MB of 2^20 bytes"
PEAK_COLUMNS = ("library", "above the import", "above import and inputs", "the same, after a small call")


def peak_rows(memory: dict[str, list[float]]) -> list[list[str]]:
    return [[name, *[f"{mb:.0f}" for mb in figures]] for name, figures in memory.items()]


def show(results: Sequence[Result], memory: dict[str, list[float]], found: Sequence[Library], title: str) -> None:
    console = Console() if sys.stdout.isatty() else Console(width=60 + 24 * len(found))
    if results:
        table = Table(title="median / minimum", caption=title)
        table.add_column("workload")
        for library in found:
            table.add_column(library.name, justify="right")
        table.add_column(COLUMNS, justify="right")
        for name, _, *cells in rows(results, found):
            table.add_row(name, *cells)
        console.print(table)
    if memory:
        table = Table(*PEAK_COLUMNS, title=PEAK_TITLE)
        for row in peak_rows(memory):
            table.add_row(*row)
        console.print(table)


def markdown(names: Sequence[str], lines: Sequence[Sequence[str]], texts: int = 1) -> list[str]:
    """A table whose first columns are texts and the others figures."""
    marks = "|" + "---|" * texts + "--:|" * (len(names) - texts)
    return ["| " + " | ".join(names) + " |", marks, *["| " + " | ".join(line) + " |" for line in lines]]


def page(results: Sequence[Result], memory: dict[str, list[float]], found: Sequence[Library], title: str) -> str:
    """The tables as a page of the documentation."""
    lines = [
        "# Performance",
        "",
        "Made by `python benchmarks/run.py --write`. Each cell is median / minimum; the last column is Pyrite's time",
        "over that of the fastest other library, the median over the rounds: below 1, Pyrite is ahead. Inputs are",
        "float32 and the same for all, results are checked against float64 first, the libraries take turns in one",
        "process. PyTorch compiled is `torch.compile` in its default mode. A difference below 20 % means nothing.",
        "`benchmarks/README.md` says what is measured and how.",
        "",
        title + ".",
        "",
        *markdown(["workload", "what", *[lib.name for lib in found], COLUMNS], rows(results, found), 2),
        "",
    ]
    if memory:
        lines += [
            "## Peak memory",
            "",
            f"{PEAK_TITLE}. The first figure includes the inputs, 48 MB, and the",
            "result, 16 MB, the others only the result. The first two include what a first call loads and compiles.",
            "",
            *markdown(PEAK_COLUMNS, peak_rows(memory)),
            "",
        ]
    return "\n".join(lines)


def short(results: Sequence[Result], title: str) -> str:
    """The table as the README has it: medians of Pyrite and of the best peer."""
    lines = []
    for r in results:
        ratio, best = r.ratio(), r.best()
        ours = span(r.median("Pyrite")) if "Pyrite" in r.times else cell(r, "Pyrite")
        theirs = f"{best}, {span(r.median(best))}" if best else ""
        lines.append([r.name, ours, theirs, "" if ratio is None else f"{ratio:.2f}"])
    table = markdown(["workload", "Pyrite", "best peer", COLUMNS], lines)
    return "\n".join([*table, "", title + "."])


def write_between(path: Path, text: str) -> bool:
    """Puts the text between the two markers of the file; False, and nothing written, if it lacks them."""
    old = path.read_text() if path.exists() else ""
    before, opening, rest = old.partition(MARKERS[0])
    _, closing, after = rest.partition(MARKERS[1])
    if not (opening and closing):
        return False
    path.write_text(f"{before}{opening}\n{text}\n{closing}{after}")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 rounds")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", metavar="REGEX", default="", help="workloads whose name matches")
    parser.add_argument("--libraries", metavar="A,B", help="instead of all that are installed")
    parser.add_argument("--json", metavar="FILE", type=Path, help="all samples")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}, and the short table of {README.name}")
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
    memory = peak_memory(found) if re.search(options.only, "peak memory") else {}
    print()
    title = heading(found, rounds)
    show(results, memory, found, title)
    if options.json:
        data = [
            {"name": r.name, "what": r.what, "seconds": r.times, "wrong": r.wrong, "skipped": r.skipped}
            for r in results
        ]
        megabytes = {name: dict(zip(PEAK_COLUMNS[1:], figures)) for name, figures in memory.items()}
        options.json.write_text(json.dumps({"run": title, "results": data, "peak memory": megabytes}, indent=1))
    if options.write:
        PAGE.write_text(page(results, memory, found, title))
        print(f"wrote {PAGE}")
        done = write_between(README, short(results, title))
        print(f"wrote {README}" if done else f"{README} lacks the markers {' and '.join(MARKERS)}: not written")
    wrong = [f"{r.name}: {n}: {text}" for r in results for n, text in r.wrong.items()]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if any("Pyrite" in r.wrong for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
