"""The worker threads. Work is split by size, never by their number, so bits do not depend on it.

The pieces of a kernel are shared in machine code (`codegen/driver.py`): after a launch the workers wait for the next
one without the GIL for a fifth of a millisecond, so that one kernel after another finds them ready; then they sleep,
on Linux without the GIL too: a thread that has to wait for it comes too late for most kernels. The pool is rebuilt in
a forked child.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from typing import Any

from ..codegen.driver import (
    ASLEEP,
    AWAKE,
    CALLED,
    CALLS,
    COUNT,
    DONE,
    LIMIT,
    MOST,
    PLACES,
    POST,
    READY,
    SCRATCH,
    SLEEPERS,
    TURNS,
    WORDS,
    lead_text,
    serve_text,
)
from ..codegen.jit import compile_kernel
from ..errors import ArgumentError
from .waking import Processors, Queue, Semaphore, semaphore

_TURNS = 20_000  # that a worker waits for more: about 0.2 ms
_HASTE = 50  # the same where there are more threads than cores


def available_cores() -> int:
    """Cores this process may use: its affinity, and a container's quota rounded down."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    quota = _quota()
    return max(1, min(cores, int(quota)) if quota else cores)


def _quota() -> float | None:
    try:
        with open("/sys/fs/cgroup/cpu.max") as file:
            limit, period = file.read().split()
        return None if limit == "max" else float(limit) / float(period)
    except (OSError, ValueError):
        pass
    try:
        with open("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") as file:
            limit_us = float(file.read())
        with open("/sys/fs/cgroup/cpu/cpu.cfs_period_us") as file:
            period_us = float(file.read())
        return limit_us / period_us if limit_us > 0 else None
    except (OSError, ValueError):
        return None


class Pool:
    """A few daemon threads that take pieces of a kernel."""

    def __init__(self) -> None:
        self._size = _initial()
        self._chosen = bool(os.environ.get("PYRITE_NUM_THREADS"))
        self._bells: list[Semaphore | Queue] = []  # wake the threads, which are numbered from 1 on
        self._processors = Processors()
        self.words = (ctypes.c_int64 * WORDS)()  # of `codegen/driver.py`; lives as long as the process
        self.address = ctypes.addressof(self.words)
        self._driving = threading.Lock()
        self._cores = available_cores()
        self._preparing = threading.Lock()
        self._compiling: threading.Thread | None = None
        self._lead: Any = None
        self._serve_pieces: Any = None

    @property
    def size(self) -> int:
        """How many threads kernels use: one in a daemonic worker process, unless somebody chose otherwise."""
        if not self._chosen and _in_worker():
            return 1
        return self._size

    @size.setter
    def size(self, count: int) -> None:
        self._size = count
        self._chosen = True

    def drive(self, record: int, count: int, size: int, much: bool = False) -> bool:
        """Runs the `count` jobs of a record for `lead` on `size` threads, whose scratch memory has been set.

        False if there is not yet the code for it: that is compiled aside, and only waited for when there is `much`
        to do.
        """
        if self._lead is None and not self._prepared(much):
            return False
        words = self.words
        caught: BaseException | None = None
        barred: list[tuple[int, set[int]]] = []
        with self._driving:
            try:
                helpers = self._wake(min(size, count, MOST) - 1, barred)
                words[LIMIT] = helpers + 1
                words[TURNS] = _TURNS if helpers < self._cores else _HASTE
                self._lead(record)
            except BaseException:  # an interrupt: who was to be called may not have been
                for number in range(1, len(self._bells) + 1):
                    if words[READY + number] == CALLED:
                        words[READY + number] = ASLEEP
                raise
            finally:  # even when interrupted: helpers use the caller's buffers
                ended = False
                while not ended:
                    try:
                        if words[DONE] < words[COUNT]:
                            time.sleep(0)
                        else:
                            self._processors.free(barred)
                            ended = True
                    except KeyboardInterrupt as interrupt:
                        caught = interrupt
        if caught is not None:
            raise caught
        return True

    def _prepared(self, wait: bool) -> bool:
        """Is the code for sharing there? The first question has it compiled in a thread of its own."""
        with self._preparing:
            thread = self._compiling
            if thread is None:
                thread = threading.Thread(target=self._compile, daemon=True, name="pyrite-compile")
                try:
                    thread.start()
                except RuntimeError:  # no more threads: the next launch asks again
                    return False
                self._compiling = thread
        if wait:
            thread.join()
        return self._lead is not None

    def _compile(self) -> None:
        self._serve_pieces = compile_kernel(serve_text())
        self._lead = compile_kernel(lead_text())

    def set_scratch(self, worker: int, address: int) -> None:
        """Where a thread finds its scratch memory, from the next launch on; the caller's is number 0."""
        self.words[SCRATCH + worker] = address

    def _wake(self, helpers: int, barred: list[tuple[int, set[int]]]) -> int:
        """Sees to it that so many threads look for pieces, or soon will; fewer where the system has no more."""
        while len(self._bells) < helpers:
            bell = semaphore() or Queue()
            args = (bell, len(self._bells) + 1)
            self.words[READY + args[1]] = AWAKE
            thread = threading.Thread(target=self._serve, args=args, daemon=True, name="pyrite")
            self._bells.append(bell)  # first: an interrupt must not leave a thread whose number is given out again
            try:
                thread.start()
            except RuntimeError:
                self._bells.pop()
                helpers = len(self._bells)
                break
        words = self.words
        sleepers: list[tuple[int, int]] = []
        for number in range(1, helpers + 1):
            if words[READY + number] == ASLEEP:
                words[READY + number] = CALLED
                bell = self._bells[number - 1]
                if isinstance(bell, Semaphore):
                    words[POST] = bell.post
                    words[SLEEPERS + len(sleepers)] = bell.address
                    sleepers.append((bell.thread, words[PLACES + number]))
                else:
                    bell.call()
        words[CALLS] = len(sleepers)
        if sleepers and self._processors.address:
            self._processors.spread(sleepers, barred)
        return helpers

    def _serve(self, bell: Semaphore | Queue, number: int) -> None:
        record = (ctypes.c_int64 * 5)(self.address, number, bell.wait, bell.address, self._processors.address)
        address = ctypes.addressof(record)
        if isinstance(bell, Semaphore):
            bell.thread = threading.get_native_id()
        while True:
            self._serve_pieces(address)
            bell.sleep()

    def reset(self) -> None:
        """In a forked child: the parent's threads are not there."""
        self._bells = []
        self._driving = threading.Lock()
        self._preparing = threading.Lock()
        if self._lead is None:
            self._compiling = None
        ctypes.memset(self.words, 0, ctypes.sizeof(self.words))


def _initial() -> int:
    given = os.environ.get("PYRITE_NUM_THREADS")
    if given:
        try:
            count = int(given)
        except ValueError:
            count = 0
        if count < 1:
            raise ArgumentError(f"PYRITE_NUM_THREADS is {given!r}, expected a whole number from 1 on")
        return count
    # pools of processes say with this how many threads each of them may start
    shared = os.environ.get("OMP_NUM_THREADS", "")
    return min(available_cores(), int(shared)) if shared.isdigit() and int(shared) > 0 else available_cores()


def _in_worker() -> bool:
    """Is this a daemonic process of a pool or a data loader, of which there is one for every core already?"""
    module = sys.modules.get("multiprocessing.process")
    return module is not None and bool(module.current_process().daemon)


POOL = Pool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.reset)


def set_num_threads(count: int) -> None:
    """Sets how many threads kernels use; results do not depend on it."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ArgumentError(f"{count!r} is not a number of threads: expected an int from 1 on")
    POOL.size = count


def get_num_threads() -> int:
    """How many threads kernels use."""
    return POOL.size
