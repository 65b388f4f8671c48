"""Measures the largest error of the elementary functions of Pyrite, NumPy and PyTorch, in ulps, on the same inputs.

PyTorch takes part if it can be imported. An ulp is the distance between the two numbers next to the exact value; 0.5 is
the best possible. The inputs cover all magnitudes and are dense where functions are delicate; they and the references
are those of tests/test_accuracy.py.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import pyrite as pr
from pyrite.apply import apply
from pyrite.codegen.approx import FUNCTIONS

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from test_accuracy import (  # noqa: E402
    BINARY,
    binary_samples,
    exact,
    numpy_function,
    ulps_f32,
    ulps_f64,
    unary_samples,
)

Array = np.ndarray[Any, np.dtype[Any]]
PAGE = ROOT / "docs" / "accuracy.md"
TYPES = ("f32", "f64")
NAMES = ["sqrt", *FUNCTIONS]
Measured = tuple[float, list[float]] | None  # the largest error and its argument


def pyrite_function(name: str) -> Callable[..., Array]:
    """The op on NumPy arrays, through the whole engine."""
    return lambda *arguments: apply(name, [pr.asarray(a, copy=True) for a in arguments]).numpy()


def torch_function(name: str) -> Callable[..., Array] | None:
    """PyTorch's function on NumPy arrays, if it has one."""
    torch: Any = importlib.import_module("torch")
    function = getattr(torch, name, None)
    return None if function is None else lambda *arguments: function(*map(torch.tensor, arguments)).numpy()


LIBRARIES: dict[str, Callable[[str], Callable[..., Array] | None]] = {
    "Pyrite": pyrite_function,
    "NumPy": numpy_function,
    "PyTorch": torch_function,
}


def installed() -> dict[str, str]:
    """The libraries that can be imported, and their versions."""
    found = {"Pyrite": version("pyrite"), "NumPy": np.__version__}
    try:
        return found | {"PyTorch": str(importlib.import_module("torch").__version__)}
    except ImportError:
        return found


def errors(type: str, result: Array, truth: Any) -> Array:
    """Ulps of every element."""
    if type == "f32":
        return ulps_f32(result, truth)
    return np.array([ulps_f64(r, t) for r, t in zip(result.tolist(), truth)])


def confirmed(name: str, arguments: tuple[Array, ...], result: Array, found: Array) -> tuple[float, list[float]]:
    """The largest error and where; an f32 one, found with NumPy in float64, is settled by mpmath."""
    worst = int(np.argmax(found))
    at = [float(a[worst]) for a in arguments]
    error = float(found[worst])
    if result.dtype == np.float32 and np.isfinite(error):
        truth = exact(name, *at)
        if truth is not None and np.isfinite(float(truth)):
            unit = 2.0 ** int(np.clip(np.frexp(float(truth))[1] - 24, -149, 104))
            error = abs(float((float(result[worst]) - truth) / unit))
    return error, at


def measure(name: str, type: str, count: int, libraries: dict[str, str]) -> dict[str, Measured]:
    """What is found of each library; None of one that lacks the function."""
    arguments = binary_samples(name, type, count) if name in BINARY else (unary_samples(type, count),)
    found: dict[str, Measured] = {}
    with np.errstate(all="ignore"):
        if type == "f32":
            truth: Any = numpy_function(name)(*(a.astype(np.float64) for a in arguments))
        else:
            truth = [exact(name, *point) for point in zip(*(a.tolist() for a in arguments))]
        for library in libraries:
            function = LIBRARIES[library](name)
            if function is None:
                found[library] = None
                continue
            result = function(*arguments)
            found[library] = confirmed(name, arguments, result, errors(type, result, truth))
    return found


def shown(found: Measured) -> str:
    if found is None:
        return ""
    error = found[0]
    if not np.isfinite(error):
        return "wrong"
    return f"{error:.2f}" if error < 100 else f"{error:.0f}" if error < 1e6 else f"{error:.0e}"


def page(lines: list[list[str]], columns: list[str], title: str) -> str:
    """The table as a page of the documentation."""
    return "\n".join(
        [
            "# Accuracy",
            "",
            "Made by `python benchmarks/accuracy.py --write`: the largest error found, in ulps, of every library on",
            "the same inputs. 0.5 is the best possible: a result rounded correctly. Pyrite's functions are built to",
            "stay below 1, and `tests/test_accuracy.py` holds them to it. NumPy's and PyTorch's depend on the",
            "processor.",
            "",
            "The inputs cover all magnitudes, both signs and random bit patterns, and are dense near 1, near the",
            "ends of the range and near multiples of π/2. float64 results are compared with mpmath at 200 bits,",
            "float32 results with float64, and their largest error with mpmath. A largest error found is a lower",
            "bound. Results below the smallest normal number count too: a library that gives 0 there is far off.",
            "`wrong` stands for NaN or an infinity where there is a number, or for the reverse.",
            "",
            "PyTorch's functions are those of its tensors on the CPU, called one at a time. NumPy's column has",
            "SciPy's `erf`, `erfc` and `expit`, which is `sigmoid`.",
            "",
            "float16 and bfloat16 results are computed in float32 and rounded once. Sums, means and variances of",
            "float32 accumulate in float64.",
            "",
            title + ".",
            "",
            "| " + " | ".join(["function", *columns]) + " |",
            "|---|" + "--:|" * len(columns),
            *["| " + " | ".join([f"`{name}`", *cells]) + " |" for name, *cells in lines],
            "",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000, help="float64 inputs of a function: 13 times as many")
    parser.add_argument("--only", metavar="A,B", help="these functions")
    parser.add_argument("--where", action="store_true", help="the arguments with the largest errors, too")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else NAMES
    libraries = installed()
    start = time.perf_counter()
    counts = {"f32": 20 * options.samples, "f64": options.samples}
    table = Table(title="largest error in ulps")
    table.add_column("function")
    columns = [f"{library} {width}" for width in ("float32", "float64") for library in libraries]
    for column in columns:
        table.add_column(column, justify="right")
    lines, places, worst = [], [], 0.0
    for name in names:
        cells = []
        for type in TYPES:
            for library, found in measure(name, type, counts[type], libraries).items():
                cells.append(shown(found))
                if found is None:
                    continue
                error, at = found
                places.append(f"{library} {name} {type}: {error:.4f} at {', '.join(map(repr, at))}")
                worst = max(worst, error if library == "Pyrite" else 0.0)
        lines.append([name, *cells])
        table.add_row(name, *cells)
    title = (
        f"{', '.join(' '.join(pair) for pair in libraries.items())}; "
        f"about {13 * counts['f32']:,} float32 and {13 * counts['f64']:,} float64 inputs for each function"
    )
    table.caption = f"{title}; {time.perf_counter() - start:.0f} s"
    (Console() if sys.stdout.isatty() else Console(width=110)).print(table)
    if options.where:
        print("\n".join(places))
    if options.write:
        PAGE.write_text(page(lines, columns, title))
        print(f"wrote {PAGE}")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
