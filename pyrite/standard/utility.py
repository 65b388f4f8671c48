"""What the engine runs on and what it did: threads and counters."""

from __future__ import annotations

from ..backends import threads
from ..codegen.jit import STATISTICS
from ..errors import public

__all__ = ["get_num_threads", "reset_stats", "set_num_threads", "stats"]


@public("pr.set_num_threads")
def set_num_threads(count: int, /) -> None:
    """Sets how many threads kernels use. No result depends on it.

    `PYRITE_NUM_THREADS` sets it at the start; without it, it is the number of cores that the process may use.
    Raises `ArgumentError` unless it is an int from 1 on.

    Example:
        >>> pr.set_num_threads(pr.get_num_threads())
    """
    threads.set_num_threads(count)


@public("pr.get_num_threads")
def get_num_threads() -> int:
    """How many threads kernels use.

    Example:
        >>> pr.get_num_threads() >= 1
        True
    """
    return threads.get_num_threads()


@public("pr.stats")
def stats() -> dict[str, int]:
    """What the engine did since the start, or since `pr.reset_stats`: kernels compiled and run, plans, buffers.

    Example:
        >>> pr.stats()["compiled"] >= 0
        True
    """
    return STATISTICS.snapshot()


@public("pr.reset_stats")
def reset_stats() -> None:
    """Sets the counts of `pr.stats` to 0.

    Example:
        >>> pr.reset_stats()
        >>> pr.stats()["kernels"]
        0
    """
    for name in vars(STATISTICS):
        setattr(STATISTICS, name, 0)
