"""Compiled kernels by structure, and what they are called with."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.driver import JOB
from ..codegen.jit import compile_kernel
from . import threads

DEBUG = int(os.environ.get("PYRITE_DEBUG", "0") or 0)


class Kernels:
    """Compiled kernels by structure."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}
        self.lock = threading.Lock()

    def get(self, key: Any, text_of: Callable[[], str]) -> Any:
        """The function of a structure, whose text `text_of` gives when it is met first."""
        found = self._known.get(key)
        if found is None:
            with self.lock:
                found = self._known.get(key)
                if found is None:
                    text = text_of()
                    if DEBUG >= 3:
                        print(text)
                    start = time.perf_counter()
                    found = self._known[key] = compile_kernel(text)
                    if DEBUG >= 2:
                        print(f"pyrite: compiled in {(time.perf_counter() - start) * 1e3:.1f} ms")
        return found


KERNELS = Kernels()


class Jobs:
    """What a kernel is called with, for one or more pieces: argument block, rows and columns to do, scratch memory."""

    __slots__ = ("function", "block", "words", "address", "count", "_record", "record")

    def __init__(self, function: Any, block: Any, pieces: Sequence[tuple[int, int, int, int]]) -> None:
        self.function = function
        self.block = block
        self.count = len(pieces)
        self.words = (ctypes.c_int64 * (JOB * self.count))()
        for k, piece in enumerate(pieces):
            self.words[JOB * k : JOB * k + JOB] = [ctypes.addressof(block), *piece, 0]
        self.address = ctypes.addressof(self.words)
        code = ctypes.cast(function, ctypes.c_void_p).value or 0
        self._record = (ctypes.c_int64 * 4)(threads.POOL.address, code, self.address, self.count)
        self.record = ctypes.addressof(self._record)

    def call(self, scratch: int = 0) -> None:
        """Runs the first piece here and now."""
        self.words[JOB - 1] = scratch
        self.function(self.address)
