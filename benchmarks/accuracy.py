"""Measures the largest error of the elementary functions of Pyrite and NumPy, in ulps, on the same inputs.

An ulp is the distance between the two numbers next to the exact value; 0.5 is the best possible. The inputs cover all
magnitudes and are dense where functions are delicate; they and the references are those of tests/test_accuracy.py.
"""

from __future__ import annotations

import argparse
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


def pyrite_function(name: str) -> Callable[..., Array]:
    """The op on NumPy arrays, through the whole engine."""
    return lambda *arguments: apply(name, [pr.asarray(a, copy=True) for a in arguments]).numpy()


def errors(name: str, type: str, result: Array, arguments: tuple[Array, ...], truth: Any) -> Array:
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


def measure(name: str, type: str, count: int) -> dict[str, tuple[float, list[float]]]:
    """Largest error and its argument, by library."""
    arguments = binary_samples(name, type, count) if name in BINARY else (unary_samples(type, count),)
    with np.errstate(all="ignore"):
        results = {"Pyrite": pyrite_function(name)(*arguments), "NumPy": numpy_function(name)(*arguments)}
        if type == "f32":
            truth: Any = numpy_function(name)(*(a.astype(np.float64) for a in arguments))
        else:
            truth = [exact(name, *point) for point in zip(*(a.tolist() for a in arguments))]
        return {
            library: confirmed(name, arguments, result, errors(name, type, result, arguments, truth))
            for library, result in results.items()
        }


def shown(error: float) -> str:
    return f"{error:.2f}" if error < 100 else f"{error:.0f}" if np.isfinite(error) else "wrong"


def page(lines: list[list[str]], title: str) -> str:
    """The table as a page of the documentation."""
    head = ["function", "Pyrite float32", "NumPy float32", "Pyrite float64", "NumPy float64"]
    return "\n".join(
        [
            "# Accuracy",
            "",
            "Made by `python benchmarks/accuracy.py --write`: the largest error found, in ulps, on the same inputs",
            "for both. 0.5 is the best possible: a result rounded correctly. Pyrite's functions are built to stay",
            "below 1, and `tests/test_accuracy.py` holds them to it. NumPy's depend on the processor.",
            "",
            "The inputs cover all magnitudes, both signs and random bit patterns, and are dense near 1, near the",
            "ends of the range and near multiples of π/2. float64 results are compared with mpmath at 200 bits,",
            "float32 results with float64, and their largest error with mpmath. A largest error found is a lower",
            "bound. NumPy's column has SciPy's `erf`.",
            "",
            "float16 and bfloat16 results are computed in float32 and rounded once. Sums, means and variances of",
            "float32 accumulate in float64.",
            "",
            title + ".",
            "",
            "| " + " | ".join(head) + " |",
            "|---|" + "--:|" * 4,
            *["| " + " | ".join([f"`{name}`", *cells]) + " |" for name, *cells in lines],
            "",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000, help="float64 inputs of a function: twelve times as many")
    parser.add_argument("--only", metavar="A,B", help="these functions")
    parser.add_argument("--where", action="store_true", help="the arguments with the largest errors, too")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(FUNCTIONS)
    start = time.perf_counter()
    counts = {"f32": 20 * options.samples, "f64": options.samples}
    table = Table(title="largest error in ulps")
    table.add_column("function")
    for column in ("Pyrite f32", "NumPy f32", "Pyrite f64", "NumPy f64"):
        table.add_column(column, justify="right")
    lines, places, worst = [], [], 0.0
    for name in names:
        cells = []
        for type in TYPES:
            for library, (error, at) in measure(name, type, counts[type]).items():
                cells.append(shown(error))
                places.append(f"{library} {name} {type}: {error:.4f} at {', '.join(map(repr, at))}")
                worst = max(worst, error if library == "Pyrite" else 0.0)
        lines.append([name, *cells])
        table.add_row(name, *cells)
    title = (
        f"Pyrite {version('pyrite')}, NumPy {np.__version__}; "
        f"about {12 * counts['f32']:,} float32 and {12 * counts['f64']:,} float64 inputs for each function"
    )
    table.caption = f"{title}; {time.perf_counter() - start:.0f} s"
    (Console() if sys.stdout.isatty() else Console(width=110)).print(table)
    if options.where:
        print("\n".join(places))
    if options.write:
        PAGE.write_text(page(lines, title))
        print(f"wrote {PAGE}")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
