"""The compiled backend of the CPU: plans a drain once, then looks the plan up and launches.

A plan belongs to a structure: ops, parameters, dtypes, shapes and which results are alive.
Kernels belong to less: the loop nest without its sizes. Values of Python scalars, pointers and
sizes are arguments.
"""

from __future__ import annotations

import contextvars
import ctypes
import os
import struct
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codegen.fuse import KernelStep, Planner, lower_graph
from ..codegen.jit import COMPILING, STATISTICS, compile_kernel
from ..codegen.llvm import argument_words, render
from ..codegen.loops import STRIP, Nest, PNode, check_nest
from ..dtypes import DType, float32
from ..errors import (
    ArgumentError,
    BoundsError,
    DeferredArgumentError,
    DeferredBoundsError,
    ExecutionError,
    OutOfMemoryError,
    PyriteError,
)
from ..graph import Failures, Node, check, describe_site, fail, pending_below
from ..layout import contiguous_strides, size_of
from ..storage import POOL, POOLED, Storage
from . import threads
from .base import BACKENDS, Array, reference_storage
from .ownership import free_to_take
from .stream import StreamBackend, base_of

_ref = weakref.ref
_CHUNK = 1 << 15  # weighted elements that are worth a thread
PARALLEL = 16 * _CHUNK
_TILE_ROWS, _TILE_COLUMNS = 128, 128
_PLANS = 2048  # plans kept
_SCRATCH = 5  # place of the scratch memory in a job
_PACK = {"f64": "<d", "f32": "<f", "f16": "<e"}

DEBUG = int(os.environ.get("PYRITE_DEBUG", "0") or 0)
CHECK = bool(os.environ.get("PYRITE_CHECK"))  # stage checkers; tests turn them on

_fusion: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "pyrite_fusion", default=os.environ.get("PYRITE_FUSE", "1") != "0"
)


@contextmanager
def fusion(on: bool) -> Iterator[None]:
    """Turns fusion on or off for the block; what was queued before runs as it was meant to.

    Results are the same, bit for bit: without fusion every operation is a kernel of its own.

    Example:
        >>> with pr.fusion(False):
        ...     y = (pr.ones(3) * 2 + 1).to_list()
        >>> y
        [3.0, 3.0, 3.0]
    """
    _settle_all()
    token = _fusion.set(bool(on))
    try:
        yield
    finally:
        try:
            _settle_all()
        finally:
            _fusion.reset(token)


_backends: weakref.WeakSet[CompiledBackend] = weakref.WeakSet()


def _settle_all() -> None:
    for backend in list(_backends):
        backend.settle()


class Kernels:
    """Compiled kernels by structure."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}
        self.lock = threading.Lock()

    def get(self, nest: Nest) -> Any:
        """The function of a nest."""
        found = self._known.get(nest.key)
        if found is None:
            with self.lock:
                found = self._known.get(nest.key)
                if found is None:
                    text = render(nest)
                    if DEBUG >= 3:
                        print(text)
                    start = time.perf_counter()
                    found = self._known[nest.key] = compile_kernel(text)
                    if DEBUG >= 2:
                        print(f"pyrite: compiled in {(time.perf_counter() - start) * 1e3:.1f} ms")
        return found


KERNELS = Kernels()

_held_at_fork: list[Any] = []


def _before_fork() -> None:
    """Waits for drains and compilations of other threads: in the child those would never end."""
    locks: list[Any] = [*[b.lock for b in BACKENDS], KERNELS.lock, COMPILING, POOL.lock]
    for lock in locks:
        lock.acquire()
        _held_at_fork.append(lock)


def _after_fork() -> None:
    while _held_at_fork:
        _held_at_fork.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class Job:
    """What a kernel is called with: its argument block, the rows and columns to do, and a worker's scratch memory."""

    __slots__ = ("words", "address")

    def __init__(self, block: Any, r0: int, r1: int, c0: int, c1: int) -> None:
        self.words = (ctypes.c_int64 * 6)(ctypes.addressof(block), r0, r1, c0, c1, 0)
        self.address = ctypes.addressof(self.words)


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
    reuse: dict[int, list[int]] = field(default_factory=dict)  # result slot: inputs read last, at the same places
    floats: Any = field(init=False)  # the same words as pairs of float32
    whole: Job = field(init=False)
    parts: list[Job] = field(init=False)  # the whole in pieces for several threads; empty: not worth it

    def __post_init__(self) -> None:
        rows, columns = self.rows, self.columns
        self.floats = (ctypes.c_float * (2 * len(self.block))).from_buffer(self.block)
        self.whole = Job(self.block, 0, rows, 0, columns)
        pieces: list[tuple[int, int, int, int]] = []
        if self.empty:
            pass
        elif self.tiled:
            pieces = _tiles(rows, columns)
        elif rows * self.weight * (columns or 1) >= PARALLEL:
            pieces = _chunks(rows, columns, self.weight, self.nest.tiled)
        self.parts = [Job(self.block, *p) for p in pieces]


@dataclass
class Fallback:
    """An op that runs on its reference."""

    node: PNode
    why: str
    freed: list[int] = field(default_factory=list)
    reads: list[tuple[PNode, int]] = field(init=False)  # its inputs, and the slots of their memory or constants

    def __post_init__(self) -> None:
        self.reads = [(x, (x if x.base is None else x.base).slot) for x in self.node.inputs]


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
        self.steps: list[Launch | Fallback] = []
        uses: dict[int, int] = {}
        for step in steps.steps:
            made = _launch(step) if isinstance(step, KernelStep) else Fallback(step.node, step.why)
            for slot in _slots(made):
                uses[slot] = len(self.steps)
            self.steps.append(made)
        keep = {p.slot for p in wanted} | set(range(self.inputs))
        for slot, last in uses.items():
            if slot not in keep:
                self.steps[last].freed.append(slot)
        # after an error the rest is computed again, from inputs that must still be there
        may_fail = any(
            isinstance(s, Fallback) and s.node.op is not None and (s.node.op.bounds is not None or s.node.op.fails)
            for s in self.steps
        )
        kept = {p.slot for p in wanted} | (set(range(self.inputs)) if may_fail else set())
        for number, step_ in enumerate(self.steps):
            if isinstance(step_, Launch):
                dying = {s for _, s, _ in step_.pointers if uses[s] == number and s not in kept}
                step_.reuse = _reusable(step_, dying)


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
                and r.strides == a.strides
                and size_of(r.node.shape) == size_of(a.node.shape)
            ):  # fmt: skip
                found.setdefault(a.node.slot, []).append(slot)
    return found


def _slots(step: Launch | Fallback) -> list[int]:
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
    scalars = []
    for k, node in enumerate(nest.scalars):
        at = words["scalars"] + k
        if node.slot < 0:
            block[at] = pack(node.params[0], node.dtype)
        else:
            scalars.append((at, node.slot, node.dtype))
    n = nest.sizes[-1]
    cost = 1 + sum(8 if e.name == "call" else 1 for e in nest.exprs) // 8
    if nest.kind == "columns":
        rows = size_of(nest.sizes[:-2]) * -(-n // STRIP)
        columns, weight = 0, STRIP * max(1, nest.sizes[-2]) * cost
        empty = rows == 0
    else:
        rows = size_of(nest.sizes[:-1])
        columns = 0 if nest.reductions else n
        weight = (max(1, n) if nest.reductions else 1) * cost
        empty = rows == 0 or (n == 0 and not nest.reductions)
    scratch = sum((n + 16) * max(e.dtype.itemsize, 4) for e in nest.spills)
    stored = [(p.slot, size_of(p.shape), p.dtype) for p in step.stored]
    words_array = (ctypes.c_int64 * len(block))(*block)
    return Launch(
        None if empty else KERNELS.get(nest), words_array, pointers, scalars, stored,
        rows, columns, weight, scratch, empty, nest,
        nest.tiled and rows >= 8 and n >= 8,
    )  # fmt: skip


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


class CompiledBackend(StreamBackend):
    """Queues, fuses and compiles; ops without a loop form run on their reference."""

    name = "cpu"

    def __init__(self) -> None:
        super().__init__()
        _backends.add(self)
        self._plans: OrderedDict[Any, Plan] = OrderedDict()
        self._scratch: dict[int, Storage] = {}
        self._taken: list[int] = []  # slots that this drain has written results over

    def _drain(self, taken: list[weakref.ref[Array]]) -> None:
        STATISTICS.queued += len(taken)
        super()._drain(taken)

    def execute(self, pending: list[Node], outputs: list[Node]) -> None:
        """Runs the plan of `pending`; an error poisons what depends on it, the rest is computed."""
        STATISTICS.drains += 1
        if CHECK:
            check(pending)
        while outputs:
            if Failures.seen and any(n.error is not None for n in pending):
                _inherit_errors(pending)
                outputs = [n for n in outputs if n.error is None]
                pending = pending_below(outputs)
                continue
            key, inputs = _structure(pending, outputs)
            plan = self._plans.get(key)
            if plan is None:
                STATISTICS.plans += 1
                try:
                    plan = Plan(pending, inputs, set(outputs), _fusion.get())
                except Exception as fault:  # of ours: the read raises it, the device stays usable
                    _fail_all(pending, fault)
                    return
                self._plans[key] = plan
                if len(self._plans) > _PLANS:
                    self._plans.popitem(last=False)
            else:
                STATISTICS.plan_hits += 1
                self._plans.move_to_end(key)
            storages: list[Storage | None] = [n.storage for n in inputs]
            first = len(storages)
            storages += [None] * (plan.slots - first)
            taken = self._taken = []
            try:
                failed = self._run(plan, inputs, storages, pending)
                for i in plan.wanted:
                    storage = storages[first + i]
                    if storage is not None:
                        node = pending[i]
                        node.storage = storage
                        node.inputs = ()
            except BaseException:  # an interrupt: what has no value stays queued, if its inputs are still there
                if taken:
                    lost = ExecutionError("interrupted after an input was written over")
                    for node in pending:
                        if not node.known:
                            fail(node, lost)
                raise
            if failed is None:
                return
            self._poison(pending, failed[0], failed[1], first, {inputs[s] for s in taken if s < first})
            outputs = [n for n in outputs if not n.known and n.error is None]
            pending = pending_below(outputs)

    def _run(
        self, plan: Plan, inputs: Sequence[Node], storages: list[Storage | None], pending: Sequence[Node]
    ) -> Any:
        """Runs the steps; returns (step, error) of the first that failed."""
        for step in plan.steps:
            started = time.perf_counter() if DEBUG else 0.0
            try:
                if isinstance(step, Launch):
                    self._kernel(step, inputs, storages, pending)
                else:
                    self._fallback(step, inputs, storages)
            except Exception as error:
                for slot in _results(step):
                    storages[slot] = None  # it may be there, but it is not computed
                return step, error
            for slot in step.freed:
                storages[slot] = None
            if DEBUG:
                _report(step, time.perf_counter() - started)
        return None

    def _kernel(
        self, step: Launch, inputs: Sequence[Node], storages: list[Storage | None], pending: Sequence[Node]
    ) -> None:
        reuse = step.reuse
        for slot, size, dtype in step.stored:
            if slot in reuse:
                for source in reuse[slot]:
                    # a memory that was taken already is held twice, so it is not free any more
                    if free_to_take(source, size, inputs, storages, pending):
                        self._taken.append(source)  # first: an interrupt must find it
                        STATISTICS.reused += 1
                        storages[slot] = storages[source]
                        break
                else:
                    storages[slot] = Storage.new(size, dtype)
            else:
                storages[slot] = Storage.new(size, dtype)
        if step.empty:
            return
        STATISTICS.kernels += 1
        words = step.block  # ours alone: drains hold the device's lock
        count = len(inputs)
        for at, slot, after in step.pointers:
            storage = storages[slot]
            if slot < count:
                node = inputs[slot]
                if node.offset:
                    after += node.offset * node.dtype.itemsize
            words[at] = storage.pointer + after  # type: ignore[union-attr]
        for at, slot, dtype in step.scalars:
            value = inputs[slot].value
            if dtype is float32:
                step.floats[2 * at] = value  # its lower half; the kernel reads no more
            else:
                words[at] = pack(value, dtype)
        function = step.function
        parts = step.parts
        if not parts or (not step.tiled and threads.POOL.size == 1):
            if step.scratch:
                step.whole.words[_SCRATCH] = self._scratch_of(step, 0)
            function(step.whole.address)
            return
        if not step.scratch:
            threads.POOL.run(lambda worker, part: function(part.address), parts)
            return
        scratch = [self._scratch_of(step, w) for w in range(threads.POOL.size)]

        def run(worker: int, part: Job) -> None:
            part.words[_SCRATCH] = scratch[worker]
            function(part.address)

        threads.POOL.run(run, parts)

    def _scratch_of(self, step: Launch, worker: int) -> int:
        held = self._scratch.get(worker)
        if held is None or held.flat.size < step.scratch:
            held = self._scratch[worker] = Storage.new(step.scratch, DType.U8)
        return held.pointer

    def _fallback(self, step: Fallback, inputs: Sequence[Node], storages: list[Storage | None]) -> None:
        STATISTICS.fallbacks += 1
        arrays = []
        for x, slot in step.reads:
            if x.kind == "const":
                arrays.append(np.asarray(inputs[slot].value, x.dtype.np))
                continue
            storage = storages[slot]
            assert storage is not None
            offset = x.offset + (inputs[slot].offset if slot < len(inputs) else 0)
            flat = storage.flat
            if x.strides is None and not offset and flat.size == x.size:
                arrays.append(flat.reshape(x.shape))
            else:
                arrays.append(storage.view(x.shape, x.strides or contiguous_strides(x.shape), offset))
        p = step.node
        assert p.op is not None
        storages[p.slot] = reference_storage(p.op, arrays, p.params, p.shape, p.dtype)

    def _poison(
        self, pending: Sequence[Node], step: Launch | Fallback, error: BaseException, first: int, gone: set[Node]
    ) -> None:
        """Marks the failed nodes, those whose inputs are `gone`, written over, and all that depend on them."""
        slots = _results(step)
        for i, node in enumerate(pending):
            if not node.known and (first + i in slots or any(x in gone for x in node.inputs)):
                fail(node, _at_call(error, node))
        _inherit_errors(pending)
        if not any(n.error is not None for n in pending):
            # a value between the nodes failed: nothing that is left can be computed
            for node in pending:
                if not node.known:
                    fail(node, _at_call(error, node))


def _inherit_errors(pending: Sequence[Node]) -> None:
    """What depends on a failed node has failed: its inputs may have changed since."""
    for node in pending:
        if not node.known and node.error is None:
            for x in node.inputs:
                if x.error is not None:
                    fail(node, x.error)
                    break


def _results(step: Launch | Fallback) -> set[int]:
    """The slots that a step fills."""
    return {s for s, _, _ in step.stored} if isinstance(step, Launch) else {step.node.slot}


def _fail_all(pending: Sequence[Node], error: Exception) -> None:
    """Every pending node carries a fault of the planner or compiler to whoever reads it."""
    for node in pending:
        fault = ExecutionError(f"internal error while planning {node!r}: {type(error).__name__}: {error}")
        fault.__cause__ = error
        fail(node, fault)


def make_plan(backend: CompiledBackend, node: Node) -> tuple[Plan, int]:
    """The plan of draining the queue now, with `node` alive; and the number of ops in it. Runs nothing."""
    with backend.lock:
        outputs = [base_of(node)]
        for ref in backend._queue:
            array = ref()
            if array is not None:
                base = base_of(array.root.node)
                if not base.known and base.error is None and base not in outputs:
                    outputs.append(base)
        pending = pending_below(outputs)
        _, inputs = _structure(pending, outputs)
        return Plan(pending, inputs, set(outputs), _fusion.get()), len(pending)


def _at_call(error: BaseException, node: Node) -> PyriteError:
    """The error as the read will raise it: with the line that queued the op."""
    name = node.op.name if node.op is not None else "an operation"
    where = describe_site(node.site)
    if isinstance(error, BoundsError):
        return DeferredBoundsError(f"{error.reason}, in {name} queued at {where}")
    if isinstance(error, ArgumentError):
        return DeferredArgumentError(f"{error.reason}, in {name} queued at {where}")
    if isinstance(error, MemoryError):
        return OutOfMemoryError(f"no memory for {name} with a result of shape {node.shape}, queued at {where}")
    what = str(error) if isinstance(error, PyriteError) else f"{type(error).__name__}: {error}"
    fault = ExecutionError(f"{what}, in {name} queued at {where}")
    fault.__cause__ = error
    return fault


def _structure(pending: Sequence[Node], outputs: Sequence[Node]) -> tuple[Any, list[Node]]:
    """The key of a drain's plan, and the known nodes that it reads.

    The key is flat. A call says how many inputs it has, and their shapes and dtypes: per input there follows its
    place (that of a known node is negative; where one is met first, its strides come too), then the layout of what
    may be a view.
    """
    index: dict[Node, int] = {}
    inputs: list[Node] = []
    items: list[Any] = [_fusion.get()]
    add = items.append
    for place, node in enumerate(pending):
        call = node.call
        add(call)
        for x in node.inputs:
            at = index.get(x)
            if at is None:
                inputs.append(x)
                at = index[x] = -len(inputs)
                add(x.strides if x.op is not None or x.value is None else _CONSTANT)
            add(at)
        index[node] = place
        if call.placed:  # type: ignore[union-attr]
            add(node.strides)
            add(node.checked)
    items += [index[n] for n in outputs]
    return tuple(items), inputs


_CONSTANT = "constant"


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


def _report(step: Launch | Fallback, seconds: float) -> None:
    if isinstance(step, Launch):
        nest = step.nest
        print(f"pyrite: {seconds * 1e6:9.1f} us  {nest.kind} {nest.sizes}: {' '.join(nest.ops)}")
        if DEBUG >= 2:
            for e in nest.exprs:
                print(f"    {e}")
    else:
        print(f"pyrite: {seconds * 1e6:9.1f} us  {step.node.name} on NumPy ({step.why})")

