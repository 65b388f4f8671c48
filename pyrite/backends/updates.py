"""Runs the kernels that write at indices: argument blocks, and the pieces for several threads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen.updates import render_update
from ..dtypes import DType, from_numpy
from ..ops.record import Updates
from ..storage import Storage, address_of
from . import threads
from .launch import KERNELS, Jobs

_PARALLEL = 1 << 17  # elements; fewer are not worth several threads
_STRIP = 64  # columns that one piece has at least


def run_updates(u: Updates, dtype: DType, out: Storage, arrays: Sequence[np.ndarray[Any, Any]]) -> None:
    """Writes the last of the arrays into `out` at the indices, which have been checked."""
    rows = np.ascontiguousarray(u.rows(arrays))
    values = np.ascontiguousarray(arrays[-1])
    if not values.size:
        return
    index = from_numpy(rows.dtype)
    key = ("update", u.mode, u.each, dtype.short, index.short)
    function = KERNELS.get(key, lambda: render_update(u, dtype, index))
    words = (out.pointer, address_of(rows), address_of(values), u.size, u.count, u.columns)
    block = (ctypes.c_int64 * len(words))(*words)
    jobs = Jobs(function, block, _pieces(u, values.size))
    if jobs.count == 1 or not threads.POOL.drive(jobs.record, jobs.count, threads.POOL.size):
        Jobs(function, block, [(0, u.lead, 0, u.columns)]).call()


def _pieces(u: Updates, size: int) -> list[tuple[int, int, int, int]]:
    """Leading indices and columns in pieces: two pieces never write to one element."""
    if size < _PARALLEL:
        return [(0, u.lead, 0, u.columns)]
    if u.columns >= 2 * _STRIP:
        step = max(_STRIP, -(-u.columns // 16) + 15 & -16)
        return [(0, u.lead, c, min(c + step, u.columns)) for c in range(0, u.columns, step)]
    step = -(-u.lead // 16)
    return [(r, min(r + step, u.lead), 0, u.columns) for r in range(0, u.lead, step)]
