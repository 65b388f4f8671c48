"""Who else holds a buffer: the question behind writing over inputs, and `can_mut`.

Answered by CPython's reference counts, against what the same code counts for a buffer that nobody
else holds, so that a new way of counting changes both sides. Where counts are not exact (an
interpreter without the GIL) nothing is ever free to take.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DType
from ..graph import Node, leaf
from ..storage import Storage
from .base import Array

_EXACT: bool = getattr(sys, "_is_gil_enabled", lambda: True)()


def held_by(items: Sequence[Any], i: int) -> int:
    """References to items[i]."""
    return sys.getrefcount(items[i])


def _shown(storage: Storage) -> tuple[int, bool]:
    """References to the array that owns the memory, and whether it is the storage's own array."""
    flat = storage.flat
    owner = flat
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return sys.getrefcount(owner), owner is flat


def exported(storage: Storage, twins: bool = True) -> bool:
    """Does a NumPy array outside, or with `twins` another storage, show this memory?"""
    count, own = _shown(storage)
    others = 0 if twins else sum(ref() is not None for ref in storage.twins) - bool(storage.twins)
    return count > (_OWN_HELD if own else _VIEW_HELD) + others


def _calibrate() -> tuple[int, int]:
    """What `held_by` counts for a node and a storage that only a plan's lists hold."""
    storage = Storage.new(1, DType.F32)
    nodes = [leaf(storage, DType.F32, (1,))]
    storages = [storage]
    del storage
    return held_by(nodes, 0), held_by(storages, 0)


_NODE_HELD, _STORAGE_HELD = _calibrate()
_OWN_HELD, _VIEW_HELD = _shown(Storage(np.empty(2)))[0], _shown(Storage(np.empty(2)[:1]))[0]


def is_private(array: Array) -> bool:
    """Does this handle alone hold the memory it shows, whole and in order? Never wrongly True."""
    node = array.node
    storage = node.storage
    if not _EXACT or storage is None or storage.foreign or not storage.writable:
        return False
    if node.offset or node.strides is not None or storage.flat.size != node.size or exported(storage):
        return False
    storages, nodes = [storage], [node]
    del storage, node
    return held_by(nodes, 0) <= _NODE_HELD + 1 and held_by(storages, 0) <= _STORAGE_HELD


def free_to_take(slot: int, size: int, inputs: Sequence[Node], storages: list[Storage | None], uses: int) -> bool:
    """Does nobody but a running plan hold the memory in `slot`? `uses`: how often pending nodes name it as an input."""
    if slot < len(inputs) and held_by(inputs, slot) > _NODE_HELD + uses:
        return False
    storage = storages[slot]
    if not _EXACT or storage is None or storage.flat.size != size or not storage.writable or storage.foreign:
        return False
    if exported(storage):
        return False
    if slot >= len(inputs):
        del storage
        return held_by(storages, slot) <= _STORAGE_HELD - 1  # a value between: no node holds it
    node = inputs[slot]
    if node.offset or node.strides is not None:
        return False
    del node, storage
    return held_by(inputs, slot) <= _NODE_HELD + uses and held_by(storages, slot) <= _STORAGE_HELD
