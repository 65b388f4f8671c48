"""Buffers: owned memory from a pool, and borrowed foreign memory.

Owns where elements live and who may write. Large buffers are reused, backed by huge pages
where the system has them: a fresh page costs more than the arithmetic on it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from .dtypes import DType
from .errors import OutOfMemoryError
from .layout import Ints, size_of

POOLED = 1 << 16  # bytes; smaller buffers are left to NumPy's allocator
_HUGE = 1 << 21


def _pool_limit() -> int:
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        memory = 4 << 30
    return int(os.environ.get("PYRITE_POOL_BYTES", min(1 << 30, memory // 8)))


def _map(size: int) -> mmap.mmap:
    """Zeroed memory; private, so that a forked child and its parent do not write into each other's buffers."""
    if hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)


class _Lease(weakref.ref[Any]):
    """A buffer in use: calls back when nobody shows it any more."""

    __slots__ = ("size", "block")

    size: int
    block: mmap.mmap


class Pool:
    """Freed buffers by size class, up to `limit` bytes in all."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self.allocated = 0  # buffers taken from the system
        self.reused = 0
        self._free: dict[int, list[mmap.mmap]] = {}
        self._live: dict[int, _Lease] = {}
        self.lock = threading.RLock()

    @staticmethod
    def size_class(nbytes: int) -> int:
        """The bytes really taken: at most an eighth more than asked for."""
        step = max(4096, 1 << max(0, nbytes.bit_length() - 4))
        return -(-nbytes // step) * step

    def take(self, count: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """A flat array with undefined content; its memory comes back when its last view dies."""
        size = self.size_class(count * dtype.itemsize)
        with self.lock:
            free = self._free.get(size)
            if free:
                block = free.pop()
                self.held -= size
                self.reused += 1
            else:
                self.allocated += 1
                block = self._new(size)
        array = np.frombuffer(block, dtype, count)
        lease = _Lease(array.base, self._give)  # every view of the memory leads to this base
        lease.size = size
        lease.block = block
        self._live[id(lease)] = lease
        return array

    def _new(self, size: int) -> mmap.mmap:
        try:
            block = _map(size)
        except (OSError, ValueError, OverflowError):
            self.clear()
            try:
                block = _map(size)
            except (OSError, ValueError, OverflowError):
                raise OutOfMemoryError(f"no memory for a buffer of {size} bytes") from None
        if size >= _HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
            try:
                block.madvise(mmap.MADV_HUGEPAGE)
            except OSError:
                pass  # a kernel without huge pages: ordinary pages do
        return block

    def _give(self, lease: _Lease) -> None:
        with self.lock:
            self._live.pop(id(lease), None)
            size = lease.size
            if self.held + size <= self.limit:
                self._free.setdefault(size, []).append(lease.block)
                self.held += size

    def clear(self) -> None:
        """Returns the unused buffers to the system."""
        with self.lock:
            self._free.clear()
            self.held = 0


POOL = Pool(_pool_limit())


def _slow_address(array: np.ndarray[Any, Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _quick_address(array: np.ndarray[Any, Any]) -> int:
    # the first field of an array object after its header is the address of its data
    return _word(id(array) + _HEADER).value


_empty = np.empty
_new: Any = object.__new__
_word = ctypes.c_ssize_t.from_address
_HEADER = object.__basicsize__


def _address_reader() -> Callable[[np.ndarray[Any, Any]], int]:
    """The quick way, seven times as fast, where the interpreter lays objects out as it expects."""
    if sys.implementation.name != "cpython":
        return _slow_address
    probes: list[np.ndarray[Any, Any]] = [np.empty(3), np.empty((2, 5), np.int8)[1:, 2:], np.zeros(1 << 16)]
    quick = all(_quick_address(p) == _slow_address(p) for p in probes)
    return _quick_address if quick else _slow_address


address_of = _address_reader()


class Volatile:
    """Has this process any memory that somebody else may change? As long as it has none, nobody need look for it."""

    seen = False


class Storage:
    """A flat buffer of elements.

    `foreign` memory belongs to somebody else; when it is `volatile`, he may change it at any time.
    """

    __slots__ = ("flat", "pointer", "writable", "foreign", "volatile", "captures", "twins", "__weakref__")

    def __init__(self, flat: np.ndarray[Any, Any], *, writable: bool = True, foreign: bool = False) -> None:
        self.flat = flat
        self.pointer: int = address_of(flat)
        self.writable = writable
        self.foreign = foreign
        self.volatile = False
        self.may_change(foreign and writable)
        self.captures: list[weakref.ref[Any]] = []
        self.twins: list[weakref.ref[Storage]] = []  # who shows this memory too, until one of them is written to

    @staticmethod
    def new(size: int, dtype: DType) -> Storage:
        """Owned memory for `size` elements, content undefined; raises `OutOfMemoryError`."""
        nbytes = size * dtype.itemsize
        flat = _empty(size, dtype.np) if nbytes < POOLED else POOL.take(size, dtype.np)
        made: Storage = _new(Storage)  # without a call of __init__: this is on the way of every small kernel
        made.flat = flat
        made.pointer = address_of(flat)
        made.writable = True
        made.foreign = made.volatile = False
        made.captures = []
        made.twins = []
        return made

    @staticmethod
    def adopt(array: np.ndarray[Any, Any]) -> Storage:
        """Takes over a NumPy array that nobody else holds; it must be contiguous in some order."""
        return Storage(array.reshape(-1) if array.flags.c_contiguous else array.ravel(order="K"))

    def view(self, shape: Ints, strides: Ints, offset: int) -> np.ndarray[Any, Any]:
        """A NumPy view of some of the elements."""
        flat = self.flat
        item = flat.itemsize
        if size_of(shape) == 0:
            return np.empty(shape, flat.dtype)
        return np.ndarray(shape, flat.dtype, flat, offset * item, tuple(s * item for s in strides))

    def share(self, foreign: bool) -> None:
        """Says whether somebody else may write here."""
        self.foreign = foreign
        self.may_change(foreign and self.writable)

    def may_change(self, volatile: bool) -> None:
        """Says whether the content may change behind our back."""
        self.volatile = volatile
        Volatile.seen |= volatile

    def capture(self, holder: weakref.ref[Any]) -> None:
        """Remembers a handle that must keep the present values when the memory is written to."""
        captures = self.captures
        captures.append(holder)
        if len(captures) > 64 and not len(captures) & (len(captures) - 1):
            self.captures = [c for c in captures if c() is not None]

    def twin(self) -> Storage:
        """Another storage over the same memory, until one of the two is written to."""
        other = Storage(self.flat[:], writable=self.writable)
        if not self.twins:
            self.twins.append(weakref.ref(self))
        other.twins = self.twins
        self.twins.append(weakref.ref(other))
        return other

    def part(self) -> None:
        """Called before every write: of several twins, the first keeps the memory, the others get their own."""
        if not self.twins:
            return
        group = [s for s in (ref() for ref in self.twins) if s is not None]
        for s in group[1:] if group[0] is self else [self]:
            s.twins = []
            s._move()
        left = [weakref.ref(s) for s in group if s.twins]
        group[0].twins[:] = left if len(left) > 1 else []

    def _move(self) -> None:
        flat = self.flat
        nbytes = flat.nbytes
        fresh = np.empty_like(flat) if nbytes < POOLED else POOL.take(flat.size, flat.dtype)
        fresh[...] = flat
        self.flat = fresh
        self.pointer = address_of(fresh)
