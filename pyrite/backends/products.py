"""Matrix products on our own threads: BLAS runs on one thread, and the work is split here.

So products use as many threads as kernels do (`set_num_threads`, one in a worker process), no pool of BLAS
competes with ours for the cores, and the batches of a product do not each start and stop threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..dtypes import DType
from ..layout import Ints, size_of
from ..ops.record import Op
from ..storage import Storage
from . import threads


class _Blas:
    """The thread counts of the BLAS libraries that NumPy may call, found at the first product."""

    def __init__(self) -> None:
        self._found: list[Any] | None = None

    def controls(self) -> list[Any]:
        """A control per library; none for one whose threads cannot be set, such as Apple's."""
        if self._found is None:
            from threadpoolctl import ThreadpoolController

            libraries = ThreadpoolController().select(user_api="blas").lib_controllers
            self._found = [x for x in libraries if "scipy.libs" not in (x.filepath or "")]
        return self._found


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


def run_parts(
    op: Op, arrays: Sequence[np.ndarray[Any, Any]], params: tuple[Any, ...], shape: Ints, dtype: DType
) -> Storage:
    """The result of an op that comes in independent parts, run on all threads."""
    assert op.into is not None
    assert op.parts is not None
    into = op.into
    storage = Storage.new(size_of(shape), dtype)
    out = storage.flat.reshape(shape)
    parts = op.parts(threads.POOL.size, out, *arrays, *params)
    if not parts:
        with np.errstate(all="ignore"):
            into(out, *arrays, *params)
        return storage

    def work(worker: int, part: tuple[Any, ...]) -> None:
        with np.errstate(all="ignore"):  # of this thread
            into(*part, *params)

    with one_blas_thread():
        threads.POOL.run(work, parts)
    return storage
