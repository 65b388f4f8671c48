"""Plans: what is prepared once for a structure of queued ops, so that a drain launches with no work per op.

A plan belongs to a structure: ops, parameters, dtypes, shapes and which results are alive.
Kernels belong to less: the loop nest without its sizes. Values of Python scalars, pointers and
sizes are arguments.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codegen.fuse import KernelStep, Planner, lower_graph
from ..codegen.llvm import argument_words, render
from ..codegen.loops import ACCUMULATOR, LANES, STRIP, WIDE, Nest, PNode, check_nest
from ..codegen.updates import can_update
from ..dtypes import DType
from ..graph import Node
from ..layout import size_of
from ..ops.record import Updates
from ..storage import POOLED
from .launch import KERNELS, Jobs
from .products import Product, prepare

_CHUNK = 1 << 15  # weighted elements in a piece
_SHARES = 4  # strips that memory keeps busy
_WORTH = 4  # pieces that are worth several threads
_MUCH = 2048  # and that take longer than compiling something
_TILE_ROWS, _TILE_COLUMNS = 128, 128
_PACK = {"f64": "<d", "f32": "<f", "f16": "<e"}

CHECK = bool(os.environ.get("PYRITE_CHECK"))  # stage checkers; tests turn them on


@dataclass
class Launch:
    """A kernel with all arguments but pointers and scalars filled in."""

    function: Any
    block: Any  # the argument words, a ctypes array; pointers and scalars are set at each launch
    pointers: list[tuple[int, int, int]]  # word, slot, bytes after the slot's first element
    scalars: list[tuple[int, int, DType]]  # word, slot, dtype
    stored: list[tuple[int, int, DType]]  # slot, elements, dtype
    rows: int
    columns: int  # 0: rows only can be split
    weight: int  # elements of work per row (or per column)
    scratch: int  # bytes a worker needs
    empty: bool
    nest: Nest
    tiled: bool = False  # reads or writes across the rows: run in small rectangles
    freed: list[int] = field(default_factory=list)
    # result slot: inputs read last, at the same places, and how often pending nodes name each
    reuse: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    floats: Any = field(init=False)  # the same words as pairs of float32
    whole: Jobs = field(init=False)
    parts: Jobs | None = field(init=False)  # the whole in pieces for several threads; None: not worth it
    much: bool = field(init=False)  # takes longer than compiling

    def __post_init__(self) -> None:
        rows, columns = self.rows, self.columns
        self.floats = (ctypes.c_float * (2 * len(self.block))).from_buffer(self.block)
        work = rows * self.weight * (columns or 1)
        self.much = work >= _MUCH * _CHUNK
        self.parts = None
        if self.empty:
            return
        self.whole = Jobs(self.function, self.block, [(0, rows, 0, columns)])
        if self.tiled:
            self.parts = Jobs(self.function, self.block, _tiles(rows, columns))
        elif work >= _WORTH * _CHUNK:
            self.parts = Jobs(self.function, self.block, _chunks(rows, columns, self.weight, self.nest.tiled))


@dataclass
class Opaque:
    """An op without a loop form: a product by BLAS, updates at indices, or what runs on its NumPy reference."""

    node: PNode
    why: str
    freed: list[int] = field(default_factory=list)
    reads: list[tuple[PNode, int]] = field(init=False)  # its inputs, and the slots of their memory or constants
    updates: Updates | None = field(init=False)  # of an op that writes at indices and has a kernel for it
    takes: bool = False  # may write over the memory of its first input, which nobody reads later
    product: Product | None = field(init=False)  # of a matrix product that BLAS computes in place

    def __post_init__(self) -> None:
        node = self.node
        self.reads = [(x, (x if x.base is None else x.base).slot) for x in node.inputs]
        self.updates = None
        self.product = prepare(node) if node.op is not None and node.op.product else None
        if node.op is not None and node.op.updates is not None and can_update(node.dtype):
            self.updates = node.op.updates([x.shape for x in node.inputs], *node.params)


class Plan:
    """The steps of a drain, ready to launch."""

    def __init__(self, pending: Sequence[Node], inputs: Sequence[Node], outputs: set[Node], fuse: bool) -> None:
        leaves, nodes = lower_graph(pending, inputs)
        wanted = {p for p, n in zip(nodes, pending) if n in outputs}
        steps = Planner(nodes, wanted, fuse).run()
        self.slots = steps.slots
        self.inputs = len(inputs)
        self.leaves = leaves
        self.wanted = [i for i, n in enumerate(pending) if n in outputs]  # places in `pending`
        self.steps: list[Launch | Opaque] = []
        uses: dict[int, int] = {}
        for step in steps.steps:
            made = _launch(step) if isinstance(step, KernelStep) else Opaque(step.node, step.why)
            for slot in _slots(made):
                uses[slot] = len(self.steps)
            self.steps.append(made)
        keep = {p.slot for p in wanted} | set(range(self.inputs))
        for slot, last in uses.items():
            if slot not in keep:
                self.steps[last].freed.append(slot)
        # after an error the rest is computed again, from inputs that must still be there
        may_fail = any(
            isinstance(s, Opaque) and s.node.op is not None and (s.node.op.bounds is not None or s.node.op.fails)
            for s in self.steps
        )
        kept = {p.slot for p in wanted} | (set(range(self.inputs)) if may_fail else set())
        for number, step_ in enumerate(self.steps):
            if isinstance(step_, Launch):
                dying = {s for _, s, _ in step_.pointers if uses[s] == number and s not in kept}
                named = {s: sum(x is inputs[s] for p in pending for x in p.inputs) for s in dying if s < self.inputs}
                step_.reuse = {
                    slot: [(s, named.get(s, 0)) for s in found] for slot, found in _reusable(step_, dying).items()
                }
            elif step_.updates is not None:
                x, slot = step_.reads[0]
                once = [s for _, s in step_.reads].count(slot) == 1
                whole = x.base is None and x.strides is None and not x.offset and x.kind != "const"
                step_.takes = once and whole and uses[slot] == number and slot not in kept and slot >= self.inputs


def _reusable(step: Launch, dying: set[int]) -> dict[int, list[int]]:
    """Inputs that a result may be written over: read only once, at the very place that is written."""
    accesses = step.nest.accesses
    reads: dict[int, list[Any]] = {}
    for a in accesses:
        if not a.store:
            reads.setdefault(a.node.slot, []).append(a)
    found: dict[int, list[int]] = {}
    for number, e in step.nest.stores:
        a = accesses[number]
        if size_of(a.node.shape) * a.dtype.itemsize < POOLED:
            continue
        if step.nest.kind == "rows" and (a.step == 0 or e.level < step.nest.levels - 1):
            continue  # written before the row has been read for the last time
        for slot, seen in reads.items():
            r = seen[0]
            if (
                slot in dying and len(seen) == 1 and r.dtype is a.dtype and not r.indirect and r.offset == 0
                and r.wrap is None
                and r.strides == a.strides
                and size_of(r.node.shape) == size_of(a.node.shape)
            ):  # fmt: skip
                found.setdefault(a.node.slot, []).append(slot)
    return found


def _slots(step: Launch | Opaque) -> list[int]:
    if isinstance(step, Launch):
        return [s for _, s, _ in step.pointers]
    return [step.node.slot] + [(x if x.base is None else x.base).slot for x in step.node.inputs]


def _launch(step: KernelStep) -> Launch:
    nest = step.nest
    if CHECK:
        check_nest(nest)
    words = argument_words(nest)
    block = [0] * words["end"]
    axes = len(nest.sizes)
    block[: axes] = nest.sizes
    block[words["total"]] = nest.total
    pointers = []
    for k, access in enumerate(nest.accesses):
        at = words["accesses"] + k * (1 + axes)
        block[at + 1 : at + 1 + axes] = access.strides
        pointers.append((at, access.node.slot, access.offset * access.dtype.itemsize))
    for k, form in enumerate(nest.forms):
        at = words["forms"] + k * (1 + axes)
        block[at : at + 1 + axes] = form
    block[words["widths"] : words["scalars"]] = nest.widths + [x for w in nest.wraps if w is not None for x in w.words]
    scalars = []
    for k, node in enumerate(nest.scalars):
        at = words["scalars"] + k
        if node.slot < 0:
            block[at] = pack(node.params[0], node.dtype)
        else:
            scalars.append((at, node.slot, node.dtype))
    n = nest.sizes[-1]
    cost = 1 + sum(8 if e.name == "call" else 1 for e in nest.exprs) // 8
    scratch = sum((n + 16) * max(e.dtype.itemsize, 4) for e in nest.spills)
    if nest.kind == "columns":
        scans = any(r.scan for r in nest.reductions)
        width = block[words["strip"]] = STRIP if scans else _strip(size_of(nest.sizes[:-2]), n, cost)
        scratch = 0 if scans else len(nest.reductions) * LANES * width * ACCUMULATOR
        rows = size_of(nest.sizes[:-2]) * -(-n // width)
        columns, weight = 0, width * max(1, nest.sizes[-2]) * cost
        empty = rows == 0
    else:
        rows = size_of(nest.sizes[:-1])
        columns = 0 if nest.reductions else n
        weight = (max(1, n) if nest.reductions else 1) * cost
        empty = rows == 0 or (n == 0 and not nest.reductions)
    stored = [(p.slot, size_of(p.shape), p.dtype) for p in step.stored]
    words_array = (ctypes.c_int64 * len(block))(*block)
    return Launch(
        None if empty else KERNELS.get(nest.key, lambda: render(nest)), words_array, pointers, scalars, stored,
        rows, columns, weight, scratch, empty, nest,
        nest.tiled and rows >= 8 and n >= 8,
    )  # fmt: skip


def _strip(outer: int, n: int, cost: int) -> int:
    """Columns that are reduced together: the more the better for memory, but there must be work for some threads."""
    width = WIDE
    while width > STRIP and outer * -(-n // width) < _SHARES * cost:
        width //= 2
    return width


def pack(value: Any, dtype: DType) -> int:
    """A scalar as a 64-bit word whose low bytes are the element."""
    if dtype.short in _PACK:
        try:
            data = struct.pack(_PACK[dtype.short], value)
        except OverflowError:
            data = struct.pack(_PACK[dtype.short], float("inf") if value > 0 else float("-inf"))
    else:
        data = _element(value, dtype)
    word: int = int.from_bytes(data, "little")
    return word - (1 << 64) if word >> 63 else word


def _element(value: Any, dtype: DType) -> bytes:
    data: bytes = np.asarray(value, dtype.np).tobytes()
    return data


def _chunks(rows: int, columns: int, weight: int, together: bool = False) -> list[tuple[int, int, int, int]]:
    """The domain in pieces of about equal work; they depend on the size alone. `together`: all rows in each piece."""
    if together and columns and rows < 8:
        step = max(_CHUNK // (weight * max(1, rows)), -(-columns // 16)) + 15 & -16
        return [(0, rows, c, min(c + step, columns)) for c in range(0, columns, step)]
    if columns and rows < 8:
        step = max(_CHUNK // weight, -(-columns // 16)) + 15 & -16
        return [
            (r, r + 1, c, min(c + step, columns)) for r in range(rows) for c in range(0, columns, step)
        ]
    per_row = weight * (columns or 1)
    step = max(-(-_CHUNK // per_row), -(-rows // 16))
    return [(r, min(r + step, rows), 0, columns) for r in range(0, rows, step)]


def _tiles(rows: int, columns: int) -> list[tuple[int, int, int, int]]:
    """Small rectangles: an access that jumps along a row meets its cache lines again in the next rows."""
    return [
        (r, min(r + _TILE_ROWS, rows), c, min(c + _TILE_COLUMNS, columns))
        for r in range(0, rows, _TILE_ROWS)
        for c in range(0, columns, _TILE_COLUMNS)
    ]


def structure(pending: Sequence[Node], outputs: Sequence[Node], fuse: bool) -> tuple[Any, list[Node]]:
    """The key of a drain's plan, and the known nodes that it reads.

    The key is flat. A call says how many inputs it has, and their shapes and dtypes: per input there follows its
    place (that of a known node is negative; where one is met first, its strides come too), then the layout of what
    may be a view. Every use of a constant is an input of its own: constants are equal or not by chance.
    """
    index: dict[Node, int] = {}
    inputs: list[Node] = []
    items: list[Any] = [fuse]
    add = items.append
    for place, node in enumerate(pending):
        call = node.call
        add(call)
        for x in node.inputs:
            at = index.get(x)
            if at is None:
                inputs.append(x)
                if x.value is not None:
                    add(_CONSTANT)
                    continue
                at = index[x] = -len(inputs)
                add(x.strides)
            add(at)
        index[node] = place
        if call.placed:  # type: ignore[union-attr]
            add(node.strides)
            add(node.checked)
    items += [index[n] for n in outputs]
    return tuple(items), inputs


_CONSTANT = "constant"
