"""The protocol of a backend: run, read, write; and `Array`, the handle that backends take and give.

An `Array` is a handle on a node. Views made by movement ops keep their `root` alive: the root's
storage is theirs, so a write through one is seen by all.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import PyriteError, ReadOnlyError
from ..graph import Call, Node, call_of, call_site, constant, exact, known_calls, leaf, literal, next_number
from ..layout import Ints, overlaps, size_of
from ..ops.movement import view_layout
from ..ops.record import Op, reference_array
from ..storage import Storage, Volatile

BACKENDS: weakref.WeakSet[Backend] = weakref.WeakSet()
QUEUE_BOUND = 256  # handles; a loop that never reads must not grow
_new: Any = object.__new__
_ref = weakref.ref


class Array:
    """A handle on a node of one backend."""

    __slots__ = ("node", "base", "backend", "__weakref__")

    node: Node
    base: Array | None  # of a view: the handle whose memory it shows (never itself: that would be a cycle)
    backend: Backend

    def __init__(self, node: Node, backend: Backend, base: Array | None = None) -> None:
        self.node = node
        self.backend = backend
        self.base = base

    @property
    def root(self) -> Array:
        """The handle whose memory this one shows; itself unless it is a view."""
        return self if self.base is None else self.base

    @property
    def shape(self) -> Ints:
        """Sizes of the axes."""
        return self.node.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.node.dtype

    def __repr__(self) -> str:
        return f"Array({self.node!r})"


class Backend:
    """Runs ops. `run` checks and appends; `evaluate` makes sure that values are there."""

    name = "base"

    def __init__(self) -> None:
        self.lock = threading.RLock()
        BACKENDS.add(self)
        self.queue: list[weakref.ref[Array]] | None = None  # of one that computes later: what it has not computed
        self._late: list[weakref.ref[Array]] = []  # captures of values that had no memory yet

    # -- what a backend supplies

    def submit(self, array: Array) -> None:
        """Takes a new node: computes it or queues it."""
        raise NotImplementedError

    def settle(self) -> None:
        """Runs whatever is queued."""
        raise NotImplementedError

    # -- what all share

    def run(self, op: Op, inputs: Sequence[Array], params: tuple[Any, ...] = ()) -> Array:
        """The result of `op` as a new handle; every user error is raised here."""
        # every operation passes here, so the plain cases are written out, and nothing is made by a call of __init__
        nodes: tuple[Node, ...]
        call: Call | None = None
        if len(inputs) == 2:
            a, b = inputs
            nodes = x, y = a.node, b.node
            if not params:
                call = known_calls.get((op, x.form, y.form))
        elif len(inputs) == 1:
            x = inputs[0].node
            nodes = (x,)
            call = known_calls.get((op, exact(params), x.form) if params else (op, x.form))
        else:
            nodes = tuple([a.node for a in inputs])
        if call is None:
            call = call_of(op, nodes, params)
        node: Node = _new(Node)
        node.op = op
        node.inputs = nodes
        node.params = params
        node.shape = call.shape
        node.dtype = call.dtype
        node.form = call.form
        node.seq = next_number()
        node.storage = None
        node.call = call
        if call.placed:
            if op.fuses == "movement":
                view = self._view(node, call, inputs[0])
                if view is not None:
                    return view
            elif op.bounds is not None:
                node.checked = check_bounds(op, nodes, params)
        if call.named:
            node.site = call_site()
        array: Array = _new(Array)
        array.node = node
        array.backend = self
        array.base = None
        queue = self.queue
        if queue is None:
            self.submit(array)
        else:
            queue.append(_ref(array))
            if len(queue) >= QUEUE_BOUND:
                self.settle()
        if Volatile.seen and node.storage is None:
            for n in nodes:
                if n.storage is not None and n.storage.volatile:
                    self.settle()  # nobody can see a later write to foreign memory, so it is read now
                    break
        return array

    def _view(self, node: Node, call: Call, base: Array) -> Array | None:
        """A movement as a view of its input's memory, known or to come; None when it takes a copy."""
        source = node.inputs[0]
        if source.value is not None:
            return None
        plain = source.strides is None and not source.offset
        placed: Any = call.layout if plain else None
        if placed is None:
            placed = view_layout(
                call.op, node.params, source.shape, source.element_strides(), source.offset, node.shape
            ) or False
            if plain:
                call.layout = placed
        if placed is False:
            return None
        node.strides, node.offset = placed
        array = Array(node, self, base.root)
        if source.storage is not None:
            node.settle(source.storage)
        else:
            self.submit(array)
        return array

    def evaluate(self, array: Array) -> np.ndarray[Any, Any]:
        """The values as a NumPy view; raises the error of the op that failed, if one did."""
        node = array.node
        if not node.known:
            with self.lock:
                if not node.known and node.error is None:
                    self.settle()
                    if not node.known and node.error is None:  # an interrupt can lose a place in the queue
                        self.submit(array)
                        self.settle()
        if node.error is not None:
            raise node.error.with_traceback(None)
        return node.array()

    def constant(self, value: Any, dtype: DType) -> Array:
        """A rank-0 constant."""
        return Array(constant(value, dtype), self)

    def literal(self, value: Any, dtype: DType) -> Array:
        """A rank-0 constant as an operand: its node may have other users, so it never becomes a tensor's own."""
        array: Array = _new(Array)
        array.node = literal(value, dtype)
        array.backend = self
        array.base = None
        return array

    def from_storage(
        self, storage: Storage, dtype: DType, shape: Ints, strides: Ints | None = None, offset: int = 0
    ) -> Array:
        """A handle on existing memory."""
        return Array(leaf(storage, dtype, shape, strides, offset), self)

    def view(self, array: Array, shape: Ints, strides: Ints, offset: int) -> Array:
        """A view of a known array's memory; the caller vouches for the layout."""
        node = array.node
        assert node.storage is not None
        return Array(leaf(node.storage, node.dtype, shape, strides, offset), self, array.root)

    def upload(self, array: np.ndarray[Any, Any], dtype: DType) -> Array:
        """A handle on a copy of a NumPy array, row-major."""
        storage = Storage.new(array.size, dtype)
        storage.flat.reshape(array.shape)[...] = array
        return self.from_storage(storage, dtype, array.shape)

    def capture(self, array: Array) -> Array:
        """The present value of a handle, whatever is written later; a copy only if a write comes."""
        node = array.node
        held = Array(node, self, array.root if node.storage is None else None)
        storage = node.storage
        if storage is None:
            if node.value is None:
                self._late.append(weakref.ref(held))
        elif storage.volatile:
            return self.upload(node.array(), node.dtype)
        else:
            storage.capture(weakref.ref(held))
        return held

    def bind_captures(self) -> None:
        """Ties captures to the memory that their values have by now; called after every drain."""
        waiting = []
        for ref in self._late:
            held = ref()
            if held is None:
                continue
            storage = held.node.storage
            if storage is not None:
                storage.capture(ref)
            elif held.node.error is None:
                waiting.append(ref)
        self._late = waiting

    def write(self, array: Array, index: Any, value: np.ndarray[Any, Any]) -> None:
        """Writes into the memory of `array`, so that every view sees it and no earlier read does."""
        with self.lock:
            self.settle()
            self.evaluate(array)
            node = array.node
            storage = node.storage
            assert storage is not None, "a constant gets memory before it is written to"
            require_writable(node)
            storage.part()
            target = node.array()
            if np.may_share_memory(target, value):
                value = value.copy()
            self._keep_captures(storage)
            target[index] = value

    def show(self, array: Array) -> np.ndarray[Any, Any]:
        """As `evaluate`, for a view that outlives the call: twins move away, so that no write to them shows."""
        with self.lock:
            self.evaluate(array)
            storage = array.node.storage
            if storage is not None:
                storage.part()
            return array.node.array()

    def share(self, array: Array) -> None:
        """Lets others write to the memory of `array`: what was computed or captured from it keeps its values."""
        with self.lock:
            self.settle()
            self.evaluate(array)
            storage = array.node.storage
            if storage is not None:
                storage.part()
                self._keep_captures(storage)
                storage.share(True)

    def own_memory(self, array: Array) -> None:
        """Gives a constant memory of its own, so that it can be written to."""
        node = array.node
        if node.value is not None:
            array.node = leaf(Storage.adopt(np.array(node.array())), node.dtype, node.shape)

    def _keep_captures(self, storage: Storage) -> None:
        for ref in storage.captures:
            held = ref()
            if held is not None and held.node.storage is storage:
                old = held.node
                copy = Storage.new(old.size, old.dtype)
                copy.flat.reshape(old.shape)[...] = old.array()
                held.node = leaf(copy, old.dtype, old.shape)
        storage.captures.clear()


def require_writable(node: Node) -> None:
    """Raises `ReadOnlyError` for read-only memory and for views with overlapping elements."""
    storage = node.storage
    assert storage is not None
    if not storage.writable:
        raise ReadOnlyError("the tensor views a read-only buffer", "write to a copy: pr.asarray(t, copy=True)")
    if node.strides is not None and overlaps(node.shape, node.strides, ignore_zero=False):
        raise ReadOnlyError(
            f"elements of this view share memory (shape {node.shape}, strides {node.strides})",
            "write to a copy: pr.asarray(t, copy=True)",
        )


def check_bounds(op: Op, nodes: Sequence[Node], params: tuple[Any, ...]) -> bool:
    """Checks index values at the call; False when they are not known yet."""
    assert op.bounds is not None
    places = op.indices(len(nodes)) if op.indices is not None else range(len(nodes))
    args = [n.array() if i in places and n.known else n for i, n in enumerate(nodes)]
    if not all(nodes[i].known for i in places):
        return False
    if op.variadic:
        op.bounds(args, *params)
    else:
        op.bounds(*args, *params)
    return True


def apply_reference(
    op: Op, arrays: Sequence[np.ndarray[Any, Any]], params: tuple[Any, ...], dtype: DType
) -> np.ndarray[Any, Any]:
    """The op's NumPy reference; halves compute in float32 and round once."""
    check_values(op, arrays, params)
    if op.half == "widen":
        arrays = [a.astype(np.float32) if a.dtype.itemsize == 2 and a.dtype in _HALVES else a for a in arrays]
    with np.errstate(all="ignore"):
        result = op.reference(arrays, *params) if op.variadic else op.reference(*arrays, *params)
        return reference_array(result, dtype)


def check_values(op: Op, arrays: Sequence[np.ndarray[Any, Any]], params: tuple[Any, ...]) -> None:
    """Runs the checks of an op that reads values, such as those of indices."""
    if op.bounds is not None:
        if op.variadic:
            op.bounds(arrays, *params)
        else:
            op.bounds(*arrays, *params)


_HALVES = tuple([d.np for d in (DType.F16, DType.BF16)])


def reference_storage(
    op: Op, arrays: Sequence[np.ndarray[Any, Any]], params: tuple[Any, ...], shape: Ints, dtype: DType
) -> Storage:
    """Runs the reference and gives its result a storage of its own, row-major."""
    if op.into is not None and not dtype.is_half():
        check_values(op, arrays, params)
        storage = Storage.new(size_of(shape), dtype)
        with np.errstate(all="ignore"):
            op.into(storage.flat.reshape(shape), *arrays, *params)
        return storage
    result = apply_reference(op, arrays, params, dtype)
    if result.shape != shape:
        raise PyriteError(f"internal: the reference of {op.name} gave {result.shape}, inferred {shape}")
    fresh = result.flags.owndata or result.base is not None and not any(
        np.may_share_memory(result, a) for a in arrays
    )
    if fresh and result.flags.c_contiguous and result.flags.writeable:
        return Storage.adopt(result)
    storage = Storage.new(result.size, dtype)
    storage.flat.reshape(result.shape)[...] = result
    return storage
