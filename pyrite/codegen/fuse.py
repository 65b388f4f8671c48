"""Graph to steps: which values are stored, and which kernel computes each.

Works on `PNode`s, copies of the pending nodes that hold no storage, so that a plan can be kept
and used again for other nodes of the same structure.

Stored are: what the user still holds, what an opaque op reads, and what is too costly to
compute twice. Reductions and scans are always values of their own, though they stay in registers
when only their own kernel reads them. Every stored value joins the first kernel that can compute it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..graph import Node
from ..layout import Ints, contiguous_strides, size_of
from ..ops.movement import view_layout
from ..ops.record import REGISTRY, Op
from .loops import BLOCK, MAX_EXPRS, Cut, Group, Nest, NoFit, PNode, Reduce, Refine

COSTLY_OP = 8  # an op from this cost on is not computed in two kernels
MAX_CHAIN = 96  # ops that one stored value may stand for
_SMALL = 1 << 14  # elements; values below share a kernel though they share no input
_BUFFERS = 8  # scans of a columns kernel: each has 17 KiB on the stack
_SPLIT_ROWS = 64  # fewer rows than this and each longer than a block: blocks become rows


@dataclass
class OpaqueStep:
    """An op that runs on its NumPy reference."""

    node: PNode
    why: str


@dataclass
class KernelStep:
    """A kernel and the values that it stores."""

    nest: Nest
    stored: list[PNode]


@dataclass
class Steps:
    """An ordered list of steps; `leaves` and `nodes` tie slots to the nodes of a drain."""

    steps: list[OpaqueStep | KernelStep] = field(default_factory=list)
    slots: int = 0


def lower_graph(pending: Sequence[Node], inputs: Sequence[Node]) -> tuple[list[PNode], list[PNode]]:
    """PNodes of the inputs and of the pending nodes, in the same order; slots number both.

    A constant is among the inputs once for each use, in the order of the uses.
    """
    made: dict[Node, PNode] = {}
    leaves = []
    for i, node in enumerate(inputs):
        kind = "const" if node.value is not None else "leaf"
        p = PNode(kind, None, (), (), node.shape, node.dtype)
        p.strides = node.strides
        p.slot = i
        made[node] = p
        leaves.append(p)
    constants = iter([p for p in leaves if p.kind == "const"])
    out = []
    for i, node in enumerate(pending):
        p = _lower_node(node, tuple([made[x] if x.value is None else next(constants) for x in node.inputs]))
        p.slot = len(inputs) + i
        made[node] = p
        out.append(p)
    return leaves, out


def _lower_node(node: Node, inputs: tuple[PNode, ...]) -> PNode:
    op = node.op
    assert op is not None
    p = PNode("opaque", op, inputs, node.params, node.shape, node.dtype)
    p.kind = _kind(p, node.checked, node.strides is not None)
    if p.kind == "movement" and node.strides is not None:
        x = inputs[0]
        p.base = x.base if x.base is not None else x
        p.strides, p.offset = node.strides, node.offset
    return p


def _kind(p: PNode, checked: bool = False, view: bool = False) -> str:
    """How a value is computed; `checked` says that its indices are known to be in bounds."""
    op = p.op
    assert op is not None
    complex_ = p.dtype.is_complex() or any(x.dtype.is_complex() for x in p.inputs)
    if op.fuses == "movement" and (view or not complex_):
        return "movement"
    if complex_:
        return "opaque"
    if op.fetch is not None:
        return "fetch" if checked and size_of(p.shape) else "opaque"
    if op.fuses == "elementwise":
        if op.regions is not None:
            boxes, _ = op.regions([x.shape for x in p.inputs], *p.params)
            whole = all(s == 1 or n <= 1 for b in boxes for s, n in zip(b.steps, b.sizes))
            return "regions" if whole else "opaque"
        return "elementwise" if op.scalar is not None and (op.bounds is None or checked) else "opaque"
    if op.fuses in ("reduce", "scan") and op.monoid is not None:
        return op.fuses
    if op.fuses == "composed" and op.composed is not None:
        return "composed"
    return "opaque"


class Compose:
    """Makes planned values by the names of ops, as gradient rules do: `do.mul(x, 2)`. They are kept in `made`."""

    def __init__(self, slot: Callable[[], int]) -> None:
        self.slot = slot
        self.made: list[PNode] = []

    def __getattr__(self, name: str) -> Callable[..., PNode]:
        op = REGISTRY.get(name)
        if op is None:
            raise AttributeError(f"there is no op {name}")
        arity = op.arity

        def call(*args: Any) -> PNode:
            inputs = args[:arity]
            dtypes = [x.dtype for x in inputs if isinstance(x, PNode)]
            xs = tuple([x if isinstance(x, PNode) else PNode("const", None, (), (x,), (), dtypes[-1]) for x in inputs])
            params = args[arity:]
            shape, result = op.infer(*xs, *params)
            if op.fuses == "movement":
                p = _movement(name, xs[0], params, shape)
            else:
                p = PNode("opaque", op, xs, params, shape, result)
                p.kind = _kind(p)
            p.slot = self.slot()
            self.made.append(p)
            return p

        return call


def _movement(name: str, x: PNode, params: tuple[Any, ...], shape: Ints) -> PNode:
    """A movement made by the planner; a view where strides allow."""
    op: Op = REGISTRY[name]
    p = PNode("movement", op, (x,), params, shape, x.dtype)
    strides = contiguous_strides(x.shape) if x.strides is None else x.strides
    placed = view_layout(op, params, x.shape, strides, x.offset, shape)
    if placed is not None:
        p.strides, p.offset = placed
        p.base = x.base if x.base is not None else x
    return p


class Planner:
    """Turns the PNodes of a drain into steps."""

    def __init__(self, nodes: list[PNode], outputs: set[PNode], fuse: bool = True) -> None:
        self.nodes = nodes
        self.outputs = outputs
        self.fuse = fuse
        self.forced: set[PNode] = set(outputs)
        self.order: list[PNode] = []
        self.slots = max([n.slot for n in nodes], default=-1) + 1

    def run(self) -> Steps:
        """Plans, storing more each time a kernel turns out not to work, until all fit."""
        self._canonical()
        for p in self.nodes:
            if p.kind in ("opaque", "fetch"):
                for x in p.inputs if p.kind == "opaque" else p.inputs[:1]:
                    base = x if x.base is None else x.base
                    if base.kind not in ("leaf", "const") and base not in self.forced:
                        self._store(base)
        while True:
            try:
                return self._attempt()
            except Cut as cut:
                self._store(cut.node)

    def _store(self, node: PNode) -> None:
        """From now on the value gets memory of its own; a view becomes a copy."""
        if node.kind == "leaf":
            self._copy(node)
            return
        if node.base is not None:
            base = node.base
            if base.kind != "leaf" and base not in self.forced:
                self._store(base)
                return
            node.base, node.strides, node.offset = None, None, 0
        elif node in self.forced:
            raise AssertionError(f"cannot plan {node}")
        self.forced.add(node)
        self._insert(node)

    def _copy(self, leaf: PNode) -> None:
        """From now on a row-major copy of an input is read instead of it."""
        copy = PNode("movement", REGISTRY["reshape"], (), (leaf.shape,), leaf.shape, leaf.dtype)
        copy.slot = self._slot()
        for p in self.order:
            p.inputs = tuple(copy if x is leaf else x for x in p.inputs)
        copy.inputs = (leaf,)
        self.forced.add(copy)
        self.order.insert(0, copy)

    def _insert(self, node: PNode) -> None:
        if node not in self.order:
            place = max([self.order.index(x) for x in node.inputs if x in self.order], default=-1)
            self.order.insert(place + 1, node)

    # -- canonical reductions

    def _canonical(self) -> None:
        """Writes out composed values, and every reduction as chains of one range of axes, at most one block long."""
        for p in self.nodes:
            for q in self._composed(p) if p.kind == "composed" else [p]:
                if q.kind == "reduce":
                    self._reduce_chain(q)
                else:
                    self.order.append(q)

    def _composed(self, p: PNode) -> list[PNode]:
        """The values that `p` is made of; the last one is `p` itself."""
        do = Compose(self._slot)
        assert p.op is not None
        assert p.op.composed is not None
        last = p.op.composed(do, *p.inputs, *p.params)
        assert do.made[-1] is last, f"{p} is not the last value it is made of"
        assert last.base is None, f"{p} is made as a view"
        assert (last.shape, last.dtype) == (p.shape, p.dtype), f"{p} is made of {last}"
        p.kind, p.op, p.inputs, p.params = last.kind, last.op, last.inputs, last.params
        p.name, p.cost = last.name, last.cost
        return [*do.made[:-1], p]

    def _reduce_chain(self, p: PNode) -> None:
        axes: Ints = p.params[0]
        x = p.inputs[0]
        op = p.op
        assert op is not None
        assert op.monoid is not None
        count = size_of([x.shape[a] for a in axes])
        groups: list[tuple[int, int]] = []
        for a in axes:
            if groups and groups[-1][1] == a:
                groups[-1] = (groups[-1][0], a + 1)
            else:
                groups.append((a, a + 1))
        acc = op.monoid.accumulate(x.dtype)
        value = x
        if not groups:
            groups = [(len(x.shape), len(x.shape) + 1)]
            value = self._reshape(x, (*x.shape, 1))
            self.order.append(value)
        raw = True
        for i, (a, b) in enumerate(reversed(groups)):
            last = i == len(groups) - 1
            value = self._one_range(p, op, value, a, b, raw, last, acc, count)
            raw = False
        # the last value becomes p itself: same slot, so that users of p find it
        inner = value
        flat_shape = inner.shape
        if flat_shape == p.shape:
            p.inputs, p.red, p.params = inner.inputs, inner.red, inner.params
            self.order[self.order.index(inner)] = p
        else:
            p.kind = "movement"
            p.op = REGISTRY["reshape"]
            p.name = "reshape"
            p.inputs, p.params = (inner,), (p.shape,)
            p.strides, p.offset, p.base = contiguous_strides(p.shape), 0, inner
            inner.name = op.name
            self.order.append(p)
            if p in self.outputs:
                self.outputs.add(inner)
                self.forced.add(inner)

    def _one_range(
        self, p: PNode, op: Op, x: PNode, a: int, b: int, raw: bool, last: bool, acc: Any, count: int
    ) -> PNode:
        n = size_of(x.shape[a:b])
        outer, inner = x.shape[:a], x.shape[b:]
        rows = size_of(outer) * size_of(inner)
        column = size_of(inner) != 1
        if n > BLOCK and (column or rows < _SPLIT_ROWS or n > BLOCK * BLOCK):
            q = PNode("reduce", op, (x,), (), (*outer, -(-n // BLOCK), *inner), acc)
            q.red = Reduce(a, b, BLOCK, n, raw, False, 0)
            q.slot = self._slot()
            self.order.append(q)
            return self._one_range(p, op, q, len(outer), len(outer) + 1, False, last, acc, count)
        q = PNode("reduce", op, (x,), (), (*outer, *inner), p.dtype if last else acc)
        q.red = Reduce(a, b, 0, n, raw, last, count)
        q.slot = self._slot()
        self.order.append(q)
        return q

    def _reshape(self, x: PNode, shape: Ints) -> PNode:
        if x.shape == shape:
            return x
        p = _movement("reshape", x, (shape,), shape)
        p.slot = self._slot()
        return p

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    # -- one attempt

    def _attempt(self) -> Steps:
        order = self.order
        for p in order:
            p.group = None
            p.member = False
        self._mark(order)
        groups: list[Group | OpaqueStep] = []
        for p in order:
            if not p.member:
                continue
            if p.kind == "opaque":
                p.group = len(groups)
                groups.append(OpaqueStep(p, _why(p)))
            else:
                self._assign(p, groups)
        self._cost_check(groups)
        return self._finish(groups)

    def _mark(self, order: list[PNode]) -> None:
        """Marks the values that a step computes."""
        below: dict[PNode, set[PNode]] = {}
        for p in order:
            fusible = p.kind in ("elementwise", "regions", "fetch") or (p.kind == "movement" and p.base is None)
            p.member = p.kind in ("opaque", "reduce", "scan") or p in self.forced or (fusible and not self.fuse)
            mine: set[PNode] = {p}
            for x in p.inputs:
                if not x.member:
                    mine |= below.get(x, set())
            if len(mine) > MAX_CHAIN and fusible:
                p.member = True
            below[p] = set() if p.member else mine

    def _assign(self, p: PNode, groups: list[Group | OpaqueStep]) -> None:
        red = p.red if p.kind == "reduce" else None
        if self.fuse:
            for g in reversed(groups):
                if isinstance(g, OpaqueStep) or len(g.rec.exprs) > MAX_EXPRS:
                    continue
                if self._try_join(p, g):
                    return
        number = len(groups)
        if p.kind == "scan":
            self._own_scan(p, number, groups)
            return
        if red is None:
            self._own_elementwise(p, number, groups)
            return
        splits: list[Any] = []
        while True:
            g = self._reduction_group(p, red, number)
            for s in splits:
                g.split(s)
            try:
                g.add_reduction(p)
                break
            except Refine as refine:
                splits.append(refine.split)
        g.refinable = False
        g.probe()
        p.group = number
        groups.append(g)

    def _reduction_group(self, p: PNode, red: Reduce, number: int) -> Group:
        """An empty kernel over the domain of a reduction."""
        x = p.inputs[0]
        outer, inner = x.shape[: red.begin], x.shape[red.end :]
        # an axis of the domain counts blocks; where an element lies does not depend on it
        blocks = (-(-red.total // red.block),) if red.block else ()
        reduced = x.shape[red.begin : red.end]
        k, m, b, r = len(outer), len(inner), len(blocks), len(reduced)
        total = red.total if red.block else 0
        if size_of(inner) != 1:
            # all inner axes but the last stand beside the outer ones
            domain = (*outer, *inner[:-1], *blocks, *reduced, inner[-1])
            at = k + m - 1
            sides = tuple(range(k, at))
            last = (at + b + r,)
            into = (*range(k), *range(at + b, at + b + r), *sides, *last)
            out = (*range(k), *range(at, at + b), *sides, *last)
            g = Group(number, "columns", domain, 1, total, into, out)
            g.reduced = r
        else:
            at = k
            into = (*range(k), *range(k + b, k + b + r + m))
            g = Group(number, "rows", (*outer, *blocks, *reduced, *inner), r + m, total, into)
        if blocks:
            g.counts = at
        return g

    def _own_scan(self, p: PNode, number: int, groups: list[Group | OpaqueStep]) -> None:
        axis, flip = _scanned(p)
        shape = p.shape
        rank = len(shape)
        if size_of(shape[axis + 1 :]) == 1:
            g = Group(number, "rows", shape, rank - axis)
        else:
            # all axes behind the scanned one but the last stand beside the outer ones
            order = (*range(axis), *range(axis + 1, rank - 1), axis, rank - 1)
            into = tuple([order.index(k) for k in range(rank)])
            g = Group(number, "columns", tuple([shape[k] for k in order]), 1, 0, into)
            g.shape = shape
        g.scanned, g.flip = axis, flip
        g.add_scan(p)
        p.group = number
        groups.append(g)

    def _own_elementwise(self, p: PNode, number: int, groups: list[Group | OpaqueStep]) -> None:
        splits: list[Any] = []
        while True:
            g = Group(number, "rows", p.shape, 0)
            for s in splits:
                g.split(s)
            try:
                g.add_element(p)
                break
            except Refine as refine:
                splits.append(refine.split)
        g.refinable = False
        p.group = number
        groups.append(g)

    def _try_join(self, p: PNode, g: Group) -> bool:
        """Adds p to an existing kernel where that saves a pass over memory."""
        red = p.red if p.kind == "reduce" else None
        saved = len(g.members), len(g.reductions), g.tail, g.scanned
        before, mark = len(g.rec.exprs), len(g.trail)
        try:
            if red is not None:
                if not self._same_domain(p, red, g):
                    return False
                g.tail = g.tail or len(p.inputs[0].shape) - red.begin
                expr = g.add_reduction(p)
            elif p.kind == "scan":
                if not self._same_walk(p, g):
                    return False
                g.scanned = _scanned(p)[0]
                if g.kind == "rows":
                    g.tail = len(p.shape) - g.scanned
                expr = g.add_scan(p)
            else:
                g.add_element(p)
                expr = g.members[-1][1]
            g.probe()
            # reductions of one domain tend to meet later: they go together even before they do
            if red is None and size_of(g.shape) > _SMALL and not g.related(expr, before):
                raise NoFit
        except (NoFit, Cut):
            for node, _ in g.members[saved[0] :]:
                g.member_set.discard(node)
                for key in [k for k in g.memo if k[0] is node]:
                    del g.memo[key]
            del g.members[saved[0] :], g.reductions[saved[1] :]
            g.tail, g.scanned = saved[2:]
            g.forget(mark)
            return False
        p.group = g.number
        return True

    def _same_domain(self, p: PNode, red: Reduce, g: Group) -> bool:
        x = p.inputs[0]
        inner = x.shape[red.end :]
        if g.total or red.block or g.flip or (g.kind == "columns" and g.scanned is not None):
            return False
        if size_of(inner) != 1:
            same = g.kind == "columns" and len(inner) == 1 and g.shape == x.shape
            return same and (red.begin, red.end) == (len(x.shape) - 1 - g.reduced, len(x.shape) - 1)
        if g.kind != "rows" or g.shape != x.shape or (g.splits and not g.tail):
            return False
        tail = len(x.shape) - red.begin + sum(len(s.sizes) - 1 for s in g.splits)
        return g.tail in (0, tail)

    def _same_walk(self, p: PNode, g: Group) -> bool:
        """Does a kernel walk the rows of a scan, or can it?"""
        axis, flip = _scanned(p)
        if g.total or g.splits or g.shape != p.shape or flip != g.flip:
            return False
        if g.kind == "columns":
            return g.scanned == axis and len(g.reductions) < _BUFFERS
        return size_of(p.shape[axis + 1 :]) == 1 and g.tail in (0, len(p.shape) - axis)

    def _cost_check(self, groups: list[Group | OpaqueStep]) -> None:
        """Costly values computed in two places, or again for every row, are stored instead."""
        where: dict[PNode, set[int]] = {}
        for g in groups:
            if isinstance(g, OpaqueStep):
                continue
            for node, forms in g.lowered.items():
                if node.cost < COSTLY_OP or node.member:
                    continue
                where.setdefault(node, set()).add(g.number)
                if len(forms) > 1 or _repeated(node, g, next(iter(forms))):
                    raise Cut(node)
                if len(where[node]) > 1:
                    raise Cut(node)

    def _finish(self, groups: list[Group | OpaqueStep]) -> Steps:
        steps = Steps(slots=self.slots)
        # backwards: a value is stored when it is asked for or a later step reads it
        read: set[PNode] = set()
        for g in reversed(groups):
            if isinstance(g, OpaqueStep):
                read.update(x if x.base is None else x.base for x in g.node.inputs)
                steps.steps.append(g)
                continue
            stored = [n for n, _ in g.members if n in self.outputs or n in read]
            if stored:
                read |= g.reads(set(stored))
                steps.steps.append(KernelStep(g.finish(set(stored)), stored))
        steps.steps.reverse()
        return steps


def _repeated(node: PNode, g: Group, forms: Any) -> bool:
    """Is the value computed again and again along an axis that it does not depend on?"""
    if not isinstance(forms, tuple):
        return False
    used = {k for f in forms for k, c in enumerate(f[1:]) if c}
    walked = [k for k in range(len(g.domain)) if g.domain[k] > 1 and k != g.counts]
    depends_inner = any(k >= len(g.domain) - max(1, g.tail) for k in used)
    return depends_inner and any(k not in used for k in walked)


def _scanned(p: PNode) -> tuple[int, bool]:
    """The axis of a scan, counted from the front, and whether it runs from the end."""
    axis, reverse = p.params
    return axis % len(p.shape), bool(reverse)


def _why(p: PNode) -> str:
    """Why an op runs on its reference."""
    if p.dtype.is_complex() or any(x.dtype.is_complex() for x in p.inputs):
        return "complex numbers run on the reference"
    assert p.op is not None
    if p.op.fetch is not None or (p.op.fuses == "elementwise" and p.op.bounds is not None):
        return "its indices were not known at the call, so they are checked as it runs"
    if p.op.fuses == "elementwise":
        return "this range has no loop form"
    if p.op.product:
        return "a layout, dtype or number of batches that BLAS is not given, or no BLAS that can be called"
    return "no loop form; runs on NumPy"
