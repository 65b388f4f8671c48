"""All ops. Importing this package fills the registry."""

from . import (
    composite,
    contract,
    creation,
    elementwise,
    fft,
    functions,
    grid,
    indexing,
    linalg,
    movement,
    random,
    reduce,
    scan,
    signal,
    sorting,
)
from .record import REGISTRY, Op, all_ops

__all__ = [
    "REGISTRY", "Op", "all_ops", "composite", "contract", "creation", "elementwise", "fft", "functions", "grid",
    "indexing", "linalg", "movement", "random", "reduce", "scan", "signal", "sorting",
]  # fmt: skip
