"""Matrix products on our own threads: BLAS runs on one thread, and the work is split here.

So products use as many threads as kernels do (`set_num_threads`, one in a worker process), no pool of BLAS
competes with ours for the cores, and the batches of a product do not each start and stop threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..ops.record import Op
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


def run_parts(op: Op, parts: list[Any], params: tuple[Any, ...]) -> None:
    """Runs the independent parts of an op, each (out, *inputs), on all threads."""
    assert op.into is not None
    into: Callable[..., None] = op.into
    threads.POOL.run(lambda worker, part: into(*part, *params), parts)
