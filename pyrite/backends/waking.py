"""How threads that sleep are woken: on Linux without the GIL, and each on a processor of its own."""

from __future__ import annotations

import ctypes
import os
import sys
from queue import SimpleQueue
from typing import Any

_MANY = 4  # threads that wake at once


class Semaphore:
    """Wakes a thread that sleeps in machine code; `lead` posts it."""

    def __init__(self, wait: int, post: int, memory: Any) -> None:
        self.thread = 0  # as the system numbers it
        self.wait = wait
        self.post = post
        self._memory = memory
        self.address = ctypes.addressof(memory)

    def sleep(self) -> None:
        """Never called: the thread sleeps inside."""


class Queue:
    """The same through Python, where the system has no such semaphores."""

    wait = address = 0

    def __init__(self) -> None:
        self._calls: SimpleQueue[None] = SimpleQueue()

    def call(self) -> None:
        """Ends the sleep of the thread."""
        self._calls.put(None)

    def sleep(self) -> None:
        """Until it is called."""
        self._calls.get()


def semaphore() -> Semaphore | None:
    """A new semaphore of the C library; None where there are none (macOS has the functions, but they refuse)."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    try:
        init, wait, post = library.sem_init, library.sem_wait, library.sem_post
    except AttributeError:
        return None
    memory = (ctypes.c_int64 * 16)()  # a sem_t has 16 to 32 bytes
    if init(ctypes.byref(memory), 0, 0):
        return None
    sleep, wake = (ctypes.cast(f, ctypes.c_void_p).value or 0 for f in (wait, post))
    return Semaphore(sleep, wake, memory)


class Processors:
    """Has threads wake on processors of their own, on Linux.

    A thread wakes where it slept, or where its waker runs: when all processors were busy a moment ago the system does
    not look for an idle one, and two threads of a kernel take turns on one processor for some milliseconds. So a
    thread is barred, for one launch, from the processor of its waker and those where others are about to wake.
    """

    def __init__(self) -> None:
        self.address = 0  # of the function that tells a thread its processor; 0 where there is none
        self._here: Any = None
        if sys.platform.startswith("linux"):
            try:
                self._here = ctypes.PyDLL(None).sched_getcpu
                self.address = ctypes.cast(self._here, ctypes.c_void_p).value or 0
            except AttributeError:
                pass

    def spread(self, sleepers: list[tuple[int, int]], barred: list[tuple[int, set[int]]]) -> None:
        """Before threads (number, processor where it went to sleep) are called; what `free` needs goes to `barred`."""
        taken = {self._here()}
        for thread, place in sleepers:
            # where there are many the system finds an idle processor, unless it does not look for one
            if place in taken or len(sleepers) < _MANY:
                try:
                    allowed = os.sched_getaffinity(thread)
                    left = allowed - taken
                    if left:
                        barred.append((thread, allowed))  # first: an interrupt must find it
                        os.sched_setaffinity(thread, left)
                        place = place if place in left else min(left)
                except OSError:  # a system that forbids it
                    self.address = 0
            taken.add(place)

    def free(self, barred: list[tuple[int, set[int]]]) -> None:
        """Allows the threads what they were allowed before."""
        for thread, allowed in barred:
            try:
                os.sched_setaffinity(thread, allowed)
            except OSError:  # what was allowed a moment ago is no longer there
                self.address = 0
