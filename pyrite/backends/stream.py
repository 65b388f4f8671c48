"""The queue of one device: takes nodes in program order and drains them.

Handles are held weakly: a drain computes what is still alive or needed by something alive, in
order, and drops the rest. It happens when a value is read, before a write, on `sync`, and when
the queue passes a bound.
"""

from __future__ import annotations

import weakref

from ..graph import Node, fail, pending_below
from .base import QUEUE_BOUND, Array, Backend


class StreamBackend(Backend):
    """Queues nodes; a derived class executes them."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: list[weakref.ref[Array]] = []
        self._draining = False

    def submit(self, array: Array) -> None:
        """Appends to the queue."""
        self.queue.append(weakref.ref(array))
        if len(self.queue) >= QUEUE_BOUND:
            self.settle()

    def settle(self) -> None:
        """Drains the queue."""
        with self.lock:
            if self._draining or not self.queue:
                return
            taken: list[weakref.ref[Array]] = []
            try:
                self._draining = True
                taken = self.queue[:]
                del self.queue[: len(taken)]  # the list stays: another thread may be about to append to it
                self._drain(taken)
            except BaseException:
                # what was not computed is pending still: keep it reachable for the next drain
                self.queue[:0] = [r for r in taken if _unfinished(r)]
                raise
            finally:
                self._draining = False
                if self._late:
                    self.bind_captures()

    def _drain(self, taken: list[weakref.ref[Array]]) -> None:
        outputs: list[Node] = []
        views: list[Node] = []
        seen: set[Node] = set()
        held: list[Array] = []  # alive while their nodes are computed
        for ref in taken:
            array = ref()
            if array is None:
                continue
            held.append(array)
            node = array.node
            if array.base is None and node.op is not None and node.op.fuses != "movement":
                # the plain case: no view
                if node.storage is None and node.error is None and node not in seen:
                    seen.add(node)
                    outputs.append(node)
                continue
            for handle in (array.root, array):
                node = handle.node
                if node.known or node.error is not None or node in seen:
                    continue
                seen.add(node)
                (views if is_view(node) else outputs).append(node)
        if outputs:
            self.execute(pending_below(outputs), outputs)
        for node in views:
            show(node)

    def bind_captures(self) -> None:
        """As the base's; a captured view whose own handle is gone is shown over its base first."""
        for ref in self._late:
            held = ref()
            if held is not None and is_view(held.node) and base_of(held.node).known:
                show(held.node)
        super().bind_captures()

    def execute(self, pending: list[Node], outputs: list[Node]) -> None:
        """Computes `outputs`; `pending` is everything they need, in order."""
        raise NotImplementedError


def _unfinished(ref: weakref.ref[Array]) -> bool:
    array = ref()
    return array is not None and not array.node.known and array.node.error is None


def is_view(node: Node) -> bool:
    """Is this pending node a view of memory to come?"""
    return node.op is not None and node.op.fuses == "movement" and node.strides is not None


def base_of(node: Node) -> Node:
    """The node whose memory a pending view shows."""
    while is_view(node) and node.inputs:
        node = node.inputs[0]
    return node


def show(view: Node) -> None:
    """Gives a pending view the storage of its base, or the base's error."""
    if view.known or view.error is not None:
        return
    chain = [view]
    base = view.inputs[0]
    while not base.known and is_view(base) and base.inputs:
        chain.append(base)
        base = base.inputs[0]
    for node in chain:
        if base.error is not None:
            fail(node, base.error)
        else:
            assert base.storage is not None, f"{base} was not computed"
            node.settle(base.storage)
