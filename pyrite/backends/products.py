"""Matrix products on our own threads: BLAS is called from machine code, and runs on one thread.

So products use as many threads as kernels do (`set_num_threads`, one in a worker process), no pool of BLAS
competes with ours for the cores, and the batches of a product do not each start and stop threads. Where the BLAS
that NumPy uses cannot be called so (integers, complex numbers, layouts that BLAS does not take, Apple's library),
NumPy's own product runs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..codegen.loops import PNode
from ..codegen.products import PLAIN, TRANSPOSED, can_multiply, render_product
from ..dtypes import DType
from ..graph import Node
from ..layout import Ints, contiguous_strides, size_of
from ..storage import Storage
from . import threads
from .launch import KERNELS, Jobs

_WORTH = 1 << 22  # multiplications that are worth a thread
_BATCHES = 4096  # more would make the table of their places too large to keep
_MUCH = 1 << 28  # that take longer than compiling something
TINY = 1 << 18  # multiplications that no BLAS spreads over threads
_STRIP = 16  # a strip has a multiple of so many rows or columns: whole tiles of the usual kernels


class _Blas:
    """The BLAS that NumPy calls, found at the first product: its thread counts, and its products."""

    def __init__(self) -> None:
        self._found: list[Any] | None = None
        self._gemms: dict[DType, tuple[int, int] | None] = {}

    def controls(self) -> list[Any]:
        """A control per library; none for one whose threads cannot be set, such as Apple's."""
        if self._found is None:
            from threadpoolctl import ThreadpoolController

            libraries = ThreadpoolController().select(user_api="blas").lib_controllers
            self._found = [x for x in libraries if "scipy.libs" not in (x.filepath or "")]
        return self._found

    def gemm(self, dtype: DType) -> tuple[int, int] | None:
        """Address of the product and bits of its integers; None if no library says both beyond doubt."""
        if dtype not in self._gemms:
            self._gemms[dtype] = self._find(f"{'s' if dtype.short == 'f32' else 'd'}gemm")
        return self._gemms[dtype]

    def _find(self, name: str) -> tuple[int, int] | None:
        for control in self.controls():
            library = getattr(control, "dynlib", None)
            for symbol, bits in ((f"scipy_cblas_{name}64_", 64), (f"cblas_{name}64_", 64), (f"scipy_cblas_{name}", 32)):
                function = getattr(library, symbol, None)
                if function is not None:
                    return ctypes.cast(function, ctypes.c_void_p).value or 0, bits
        return None


BLAS = _Blas()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS on one thread for the block."""
    changed = []
    try:
        for control in BLAS.controls():
            count = control.get_num_threads()
            if count is not None and count != 1:
                changed.append((control, count))
                control.set_num_threads(1)
        yield
    finally:
        for control, count in changed:
            control.set_num_threads(count)


class Product:
    """A product that BLAS can compute in place, with all arguments but the three addresses filled in."""

    def __init__(self, p: PNode, gemm: tuple[int, int], a: _Matrix, b: _Matrix) -> None:
        address, integers = gemm
        dtype, item = p.dtype, p.dtype.itemsize
        x, y = p.inputs
        m, k, n = x.shape[-2], x.shape[-1], y.shape[-1]
        lead = p.shape[:-2]
        strides = contiguous_strides(p.shape)
        if size_of(y.shape[:-2]) == 1 and not a.turned and _in_line(lead, a.strides, m * a.step):
            m, lead = m * size_of(lead), ()  # one product over all rows
        offsets = np.stack([_offsets(lead, s) for s in (a.strides, b.strides, strides[:-2])], axis=-1) * item
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        batches = len(self.offsets)
        self.work = batches * m * n * k
        columns = n > m
        shifts = (0, 1 if not b.turned else b.step, 1) if columns else (1 if a.turned else a.step, 0, n)
        words = (
            address, 0, 0, 0, self.offsets.ctypes.data, m, n, k, a.step, b.step, n,
            TRANSPOSED if a.turned else PLAIN, TRANSPOSED if b.turned else PLAIN, int(columns),
            *[s * item for s in shifts],
        )  # fmt: skip
        self.block = (ctypes.c_int64 * len(words))(*words)
        self.function = KERNELS.get(("product", dtype.short, integers), lambda: render_product(dtype, integers))
        self.whole = Jobs(self.function, self.block, [(0, batches, 0, n if columns else m)])
        self._cut: dict[int, Jobs] = {}
        self._size = batches, n if columns else m

    def run(self, a: int, b: int, c: int) -> None:
        """Computes from two addresses to a third."""
        block = self.block
        block[1] = a
        block[2] = b
        block[3] = c
        count = min(threads.POOL.size, self.work // _WORTH) if self.work >= 2 * _WORTH else 1
        if count > 1:
            jobs = self._cut.get(count)
            if jobs is None:
                jobs = self._cut[count] = Jobs(self.function, self.block, self._pieces(count))
            if threads.POOL.drive(jobs.record, jobs.count, count, self.work >= _MUCH):
                return
        self.whole.call()

    def _pieces(self, count: int) -> list[tuple[int, int, int, int]]:
        """Groups of batches where there are enough, else strips of each matrix."""
        batches, long = self._size
        if batches >= count:
            step = -(-batches // min(batches, 4 * count))
            return [(k, min(k + step, batches), 0, long) for k in range(0, batches, step)]
        step = -(-long // count) + _STRIP - 1 & -_STRIP
        return [(i, i + 1, k, min(k + step, long)) for i in range(batches) for k in range(0, long, step)]


class _Matrix:
    """The matrices of one operand: how far apart their rows (columns, if turned) and their batches lie."""

    def __init__(self, turned: bool, step: int, strides: Ints) -> None:
        self.turned = turned
        self.step = step
        self.strides = strides


def _matrix(x: PNode, lead: Ints) -> _Matrix | None:
    """None if rows and columns are both apart, or overlap: BLAS takes no such matrix."""
    strides = contiguous_strides(x.shape) if x.strides is None else x.strides
    rows, columns = x.shape[-2:]
    down, along = strides[-2:]
    if rows == 1:
        down = columns
    if columns == 1:
        along = 1
    missing = len(lead) - (len(x.shape) - 2)
    batch = (0,) * missing + tuple([0 if s == 1 else t for s, t in zip(x.shape[:-2], strides[:-2])])
    if along == 1 and down >= columns:
        return _Matrix(False, down, batch)
    if (down == 1 or rows == 1) and along >= rows:
        return _Matrix(True, along, batch)
    return None


def _in_line(lead: Ints, strides: Ints, step: int) -> bool:
    """Do the batches follow one another as further rows?"""
    for size, stride in zip(reversed(lead), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def _offsets(lead: Ints, strides: Ints) -> Any:
    """Where each batch begins, in elements."""
    out = np.zeros(1, np.int64)
    for size, stride in zip(lead, strides):
        out = np.add.outer(out, np.arange(size, dtype=np.int64) * stride).reshape(-1)
    return out


def prepare(p: PNode) -> Product | None:
    """The product of a planned value, if BLAS can compute it."""
    if not can_multiply(p.dtype) or not p.size or not p.inputs[0].shape[-1]:
        return None
    if any(x.kind == "const" for x in p.inputs):
        return None
    gemm = BLAS.gemm(p.dtype)
    a, b = (_matrix(x, p.shape[:-2]) for x in p.inputs)
    if gemm is None or a is None or b is None or size_of(p.shape[:-2]) > _BATCHES:
        return None
    if gemm[1] == 32 and max(p.size, *[x.size for x in p.inputs], a.step, b.step) >= 1 << 31:
        return None
    return Product(p, gemm, a, b)


def addresses(
    reads: Sequence[tuple[PNode, int]], inputs: Sequence[Node], storages: Sequence[Storage | None]
) -> list[int]:
    """Where the operands of a step begin."""
    found = []
    for x, slot in reads:
        storage = storages[slot]
        assert storage is not None
        offset = x.offset + (inputs[slot].offset if slot < len(inputs) else 0)
        found.append(storage.pointer + offset * x.dtype.itemsize)
    return found
