"""The compiled backend of the CPU: looks the plan of a drain up, or makes it, and runs its steps."""

from __future__ import annotations

import contextvars
import os
import time
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..codegen.driver import MOST
from ..codegen.jit import COMPILING, STATISTICS
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
from ..layout import contiguous_strides
from ..storage import POOL, Storage
from . import threads
from .base import BACKENDS, Array, check_values, reference_storage
from .launch import DEBUG, KERNELS
from .ownership import free_to_take
from .plans import CHECK, Launch, Opaque, Plan, pack, structure
from .products import TINY, addresses, one_blas_thread
from .stream import StreamBackend, base_of
from .updates import run_updates

_PLANS = 2048  # plans kept
_LINE = 64  # bytes of a cache line, on which scratch memory starts
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


class CompiledBackend(StreamBackend):
    """Queues, fuses and compiles; ops without a loop form run on their reference."""

    name = "cpu"

    def __init__(self) -> None:
        super().__init__()
        _backends.add(self)
        self._plans: OrderedDict[Any, Plan] = OrderedDict()
        self._latest: Plan | None = None  # the plan used last
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
            key, inputs = structure(pending, outputs, _fusion.get())
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
                if plan is not self._latest:
                    self._plans.move_to_end(key)
            self._latest = plan
            storages: list[Storage | None] = [n.storage for n in inputs]
            first = len(storages)
            storages += [None] * (plan.slots - first)
            taken = self._taken = []
            try:
                failed = self._run(plan, inputs, storages)
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

    def _run(self, plan: Plan, inputs: Sequence[Node], storages: list[Storage | None]) -> Any:
        """Runs the steps; returns (step, error) of the first that failed."""
        for step in plan.steps:
            started = time.perf_counter() if DEBUG else 0.0
            try:
                if isinstance(step, Launch):
                    self._kernel(step, inputs, storages)
                else:
                    self._opaque(step, inputs, storages)
            except Exception as error:
                for slot in _results(step):
                    storages[slot] = None  # it may be there, but it is not computed
                return step, error
            for slot in step.freed:
                storages[slot] = None
            if DEBUG:
                _report(step, time.perf_counter() - started)
        return None

    def _kernel(self, step: Launch, inputs: Sequence[Node], storages: list[Storage | None]) -> None:
        reuse = step.reuse
        for slot, size, dtype in step.stored:
            if slot in reuse:
                for source, uses in reuse[slot]:
                    # a memory that was taken already is held twice, so it is not free any more
                    if free_to_take(source, size, inputs, storages, uses):
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
        parts = step.parts
        if parts is not None:
            size = threads.POOL.size
            if size > 1 or step.tiled:
                if step.scratch:
                    for worker in range(min(size, MOST)):
                        threads.POOL.set_scratch(worker, self._scratch_of(step, worker))
                if threads.POOL.drive(parts.record, parts.count, size, step.much):
                    return
        step.whole.call(self._scratch_of(step, 0) if step.scratch else 0)

    def _scratch_of(self, step: Launch, worker: int) -> int:
        held = self._scratch.get(worker)
        if held is None or held.flat.size < step.scratch + _LINE:
            held = self._scratch[worker] = Storage.new(step.scratch + _LINE, DType.U8)
        return held.pointer + _LINE - 1 & -_LINE

    def _opaque(self, step: Opaque, inputs: Sequence[Node], storages: list[Storage | None]) -> None:
        p = step.node
        if step.product is not None:
            STATISTICS.fallbacks += 1
            a, b = addresses(step.reads, inputs, storages)
            made = storages[p.slot] = Storage.new(p.size, p.dtype)
            if step.product.work <= TINY:
                step.product.run(a, b, made.pointer)
            else:
                with one_blas_thread():
                    step.product.run(a, b, made.pointer)
            return
        out: Storage | None = None
        if step.takes and free_to_take(step.reads[0][1], p.size, inputs, storages, 0):
            out = storages[step.reads[0][1]]
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
        assert p.op is not None
        if step.updates is None:
            STATISTICS.fallbacks += 1
            storages[p.slot] = reference_storage(p.op, arrays, p.params, p.shape, p.dtype)
            return
        STATISTICS.kernels += 1
        check_values(p.op, arrays, p.params)
        if out is not None:
            self._taken.append(step.reads[0][1])  # first: an interrupt must find it
            STATISTICS.reused += 1
        else:
            out = Storage.new(p.size, p.dtype)
            np.copyto(out.flat.reshape(p.shape), arrays[0])
        run_updates(step.updates, p.dtype, out, arrays)
        storages[p.slot] = out

    def _poison(
        self, pending: Sequence[Node], step: Launch | Opaque, error: BaseException, first: int, gone: set[Node]
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


def _results(step: Launch | Opaque) -> set[int]:
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
        for ref in backend.queue:
            array = ref()
            if array is not None:
                base = base_of(array.root.node)
                if not base.known and base.error is None and base not in outputs:
                    outputs.append(base)
        pending = pending_below(outputs)
        _, inputs = structure(pending, outputs, _fusion.get())
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


def _report(step: Launch | Opaque, seconds: float) -> None:
    if isinstance(step, Launch):
        nest = step.nest
        print(f"pyrite: {seconds * 1e6:9.1f} us  {nest.kind} {nest.sizes}: {' '.join(nest.ops)}")
        if DEBUG >= 2:
            for e in nest.exprs:
                print(f"    {e}")
    else:
        where = "in BLAS" if step.product is not None else "at indices" if step.updates else f"on NumPy ({step.why})"
        print(f"pyrite: {seconds * 1e6:9.1f} us  {step.node.name} {where}")

