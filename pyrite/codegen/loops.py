"""Groups of values to loop nests: the meeting point of all renderers. Free of LLVM.

A kernel of kind "rows" walks the rows of a domain (…, n): for each row a few loops over n, one
per level of reductions; without reductions it is an elementwise kernel. A kernel of kind
"columns" walks a domain (…, r, n) and reduces or scans r for a block of n at a time.

Every reduction follows one tree that depends on its length alone: 16 lanes, lane l takes the
elements l, l+16, … of a block of 4096 in order, the lanes are combined in pairs (l with l+8,
then l+4, l+2, l+1), and the blocks' results are reduced in the same way.

Every scan (a running value) follows one tree that depends on the position alone: 16 elements are
combined with those 1, 2, 4 and 8 places before them, and what came before the 16 is combined with
the results. A scan from the end walks its rows from the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..dtypes import DType, bool_, int64
from ..layout import Ints, contiguous_strides, size_of
from ..ops.movement import Affine, Split, affine_add, affine_scale
from ..ops.record import Monoid, Op
from .builder import READS, Expr, Recorder, widened
from .complete import LINE, Wrap, collapse, find_levels, find_spills, key_of, turn

LANES = 16
BLOCK = 4096  # elements that one set of lanes takes in sequence
STRIP = 128  # columns of a "columns" kernel that are walked together, at least
WIDE = 1024  # and at most
ACCUMULATOR = 8  # bytes at most
AHEAD = 8  # rows that memory is asked for before they are read
MAX_EXPRS = 400  # a kernel beyond this takes no further members


class PNode:
    """A value while it is planned: what a node says, without holding the node."""

    __slots__ = (
        "kind", "op", "inputs", "params", "shape", "dtype", "slot", "strides", "offset", "base",
        "group", "member", "red", "cost", "name",
    )  # fmt: skip

    def __init__(self, kind: str, op: Op | None, inputs: tuple[PNode, ...], params: Any, shape: Ints, dtype: DType):
        self.kind = kind  # leaf, const, elementwise, regions, fetch, movement, reduce, scan, opaque
        self.op = op
        self.inputs = inputs
        self.params = params
        self.shape = shape
        self.dtype = dtype
        self.slot = -1  # where the running plan keeps its storage or constant
        self.strides: Ints | None = None  # of a leaf, or of a view over `base`
        self.offset = 0
        self.base: PNode | None = None  # the value whose memory a view shows
        self.group: int | None = None  # the step that stores it
        self.member = False
        self.red: Reduce | None = None
        self.cost = op.cost if op is not None else 0
        self.name = op.name if op is not None else kind

    @property
    def size(self) -> int:
        """The number of elements."""
        return size_of(self.shape)

    def __repr__(self) -> str:
        return f"<{self.name} {self.dtype.short}{list(self.shape)}>"


@dataclass(frozen=True)
class Reduce:
    """A reduction in canonical form: axes begin … end of the input, dropped from the result."""

    begin: int
    end: int
    block: int = 0  # reduce blocks of this many elements: the result has an axis of blocks
    total: int = 0  # elements in all, where the last block may be short
    raw: bool = True  # takes elements, not partial results
    final: bool = True  # gives the result, not a partial one
    count: int = 0  # elements that the final result stands for


class Cut(Exception):
    """`node` has to be stored before the kernel that reads it."""

    def __init__(self, node: PNode) -> None:
        self.node = node


class NoFit(Exception):
    """A value cannot be computed inside this group."""


@dataclass
class Access:
    """A read or write of one buffer: element strides along the axes of the domain."""

    node: PNode
    dtype: DType
    offset: int
    strides: list[int]
    store: bool
    indirect: bool = False  # read at a place that an index tensor says
    wrap: Wrap | None = None  # along the walked axis, whose stride holds within the width of the wrap only

    @property
    def step(self) -> int:
        """Stride along the innermost axis."""
        return self.strides[-1] if self.strides else 0


@dataclass
class Reduction:
    """One reduction of a kernel, or one scan: a reduction whose running value is seen at every element."""

    node: PNode
    monoid: Monoid
    body: Expr
    acc: DType
    result: Expr | None = None
    level: int = 0
    scan: bool = False


@dataclass
class Nest:
    """A complete loop nest. `key` is its structure without sizes, strides and offsets."""

    kind: str
    sizes: list[int]  # outer sizes, then (columns only) the reduced size, then the innermost
    accesses: list[Access]
    forms: list[Affine]
    scalars: list[PNode]
    exprs: list[Expr]
    stores: list[tuple[int, Expr]]
    reductions: list[Reduction]
    spills: list[Expr]
    total: int  # of a ragged last block, else 0
    blocks: bool  # reduced rows longer than one block
    levels: int
    form_wraps: list[Wrap | None] = field(default_factory=list)  # as of an access, one per form
    tiled: bool = False  # reads or writes across the rows: walk a few columns of many rows at a time
    key: tuple[Any, ...] = field(default=())
    ops: list[str] = field(default_factory=list)
    rows: int = 1

    @property
    def wraps(self) -> list[Wrap | None]:
        """Of all accesses, then of all forms."""
        return [a.wrap for a in self.accesses] + self.form_wraps

    @property
    def widths(self) -> list[int]:
        """The distinct widths of the wraps."""
        return sorted({w.width for w in self.wraps if w is not None})


class Group:
    """A kernel in the making: members are added while they fit."""

    def __init__(
        self, number: int, kind: str, domain: Ints, tail: int, total: int = 0, into: Ints = (), out: Ints = ()
    ) -> None:
        self.number = number
        self.kind = kind
        self.domain: list[int] = list(domain)
        self.tail = tail  # innermost axes that are one row (rows with reductions), 0 without
        self.total = total  # of reductions in blocks: the elements in all
        self.into = into  # domain axes in the order of a reduction's input, where they are not simply all
        self.out = out  # and in the order of its result
        self.reduced = 1  # axes of a columns kernel that are reduced
        self.counts: int | None = None  # the domain axis that counts blocks
        self.rec = Recorder()
        self.memo: dict[Any, Expr] = {}
        self.accesses: list[Access] = []
        self._access_ids: dict[Any, int] = {}
        self.scalars: list[PNode] = []
        self.members: list[tuple[PNode, Expr]] = []
        self.member_set: set[PNode] = set()
        self.reductions: list[Reduction] = []
        self.lowered: dict[PNode, set[Any]] = {}  # where each unstored value was computed
        self.shape = tuple(domain)  # of its elements, in the order that a value has its axes in
        self.scanned: int | None = None  # the axis of `shape` that scans run along
        self.flip = False  # that axis is walked from its end
        self.splits: list[Split] = []
        self.refinable = True  # an axis that is walked may be split still
        self._box_memo: dict[Any, list[Any]] = {}
        self.target: PNode | None = None  # the value being added
        self.trail: list[Any] = []  # what was lowered, in order

    # -- indices

    def axis(self, k: int) -> Affine:
        """The affine form of domain axis k."""
        return tuple(1 if i == k + 1 and self.domain[k] > 1 else 0 for i in range(len(self.domain) + 1))

    def zero(self) -> Affine:
        """The constant 0."""
        return (0,) * (len(self.domain) + 1)

    def _normal(self, form: Affine) -> Affine:
        return (form[0], *(c if s > 1 else 0 for c, s in zip(form[1:], self.domain)))

    def split(self, at: Split) -> None:
        """Splits a domain axis that is walked; values keep the axis that it was."""
        more = len(at.sizes) - 1
        into = self.into or tuple(range(len(self.domain)))
        place = into.index(at.axis)
        self.splits.append(Split(place, at.sizes))
        self.domain[at.axis : at.axis + 1] = at.sizes
        moved = tuple([k + more if k > at.axis else k for k in into])
        self.into = (*moved[:place], *range(at.axis, at.axis + more + 1), *moved[place + 1 :])
        self.out = tuple([k + more if k > at.axis else k for k in self.out])
        if self.kind == "columns":
            self.reduced += more
        elif self.tail:
            self.tail += more

    def _may_split(self, axis: int) -> bool:
        behind = len(self.domain) - axis
        if not self.refinable or self.scanned is not None:
            return False
        return behind <= (self.tail or behind) if self.kind == "rows" else 1 < behind <= 1 + self.reduced

    def element_forms(self) -> tuple[Affine, ...]:
        """Indices of a value whose shape is the group's."""
        forms = [self.axis(k) for k in self.into or range(len(self.domain))]
        if self.flip and self.scanned is not None:
            at = self.scanned
            forms[at] = affine_scale(forms[at], -1, max(self.shape[at] - 1, 0))
        # undo the splits, innermost last: merged axis = sum of its parts
        for split in reversed(self.splits):
            parts = forms[split.axis : split.axis + len(split.sizes)]
            merged = self.zero()
            for f, s in zip(parts, split.sizes):
                merged = affine_add(affine_scale(merged, s), f)
            forms[split.axis : split.axis + len(split.sizes)] = [merged]
        return tuple(forms)

    def outer_forms(self, shape: Ints) -> tuple[Affine, ...] | None:
        """Indices of a value with one element per row (or per column), None when `shape` is no such shape."""
        axes = list(self.out) if self.kind == "columns" else list(range(len(self.domain) - self.tail))
        wanted = [k for k in axes if self.domain[k] != 1]
        given = [i for i, s in enumerate(shape) if s != 1]
        if [self.domain[k] for k in wanted] != [shape[i] for i in given]:
            return None
        forms = [self.zero()] * len(shape)
        for k, i in zip(wanted, given):
            forms[i] = self.axis(k)
        return tuple(forms)

    # -- lowering, without recursion: a stack of (node, forms, guard)

    def lower(self, node: PNode, forms: Any, guard: Expr | None = None) -> Expr:
        """The expression of one element of `node`. Raises `Split`s as `Refine`, `Cut` or `NoFit`."""
        first = (node, forms, guard)
        stack = [first]
        memo = self.memo
        while stack:
            task = stack[-1]
            if task in memo:
                stack.pop()
                continue
            deps = self._deps(task)
            missing = [d for d in deps if d not in memo]
            if missing:
                stack.extend(missing)
                continue
            memo[task] = self._build(task, deps)
            self.trail.append(task)
            stack.pop()
            if len(self.rec.exprs) > 4 * MAX_EXPRS and len(self.members) > 0:
                raise NoFit
        return memo[first]

    def _source(self, node: PNode) -> PNode | None:
        """The stored value to read `node` from, if there is one."""
        base = node if node.base is None else node.base
        if base.kind == "leaf":
            return base
        if not base.member or base in self.member_set or base is self.target:
            return None
        if base.group is None or base.group >= self.number:
            raise NoFit
        return base

    def _deps(self, task: Any) -> list[Any]:
        node, forms, guard = task
        if guard is None and 0 in node.shape:
            guard = self._never()
        if guard is not None and (node, forms, None) in self.memo and node in self.member_set:
            return [(node, forms, None)]
        if node.kind == "const" or self._source(node) is not None:
            return []
        if node in self.member_set:
            raise NoFit  # a member is only known at its own index
        if isinstance(forms, Flat):
            return self._flat_deps(task)
        kind = node.kind
        if kind == "elementwise":
            rank = len(node.shape)
            deps = []
            zero = self.zero()
            for x in node.inputs:
                lead = rank - len(x.shape)
                deps.append((x, tuple([zero if s == 1 else forms[lead + i] for i, s in enumerate(x.shape)]), guard))
            return deps
        if kind == "movement":
            x = node.inputs[0]
            pulled = node.op.pull(forms, tuple(self.domain), x.shape, node.shape, *node.params)
            if isinstance(pulled, Split) and self._may_split(pulled.axis):
                raise Refine(pulled)
            if pulled is None or isinstance(pulled, Split):
                if node.name != "reshape":
                    raise Cut(x)
                return [(x, self._flat(node, forms), guard)]
            return [(x, tuple([self._normal(f) for f in pulled]), guard)]
        if kind == "regions":
            return [(x, f, self._and(guard, c)) for x, f, c in self._boxes(node, forms)]
        if kind == "fetch":
            return self._index_deps(node, forms, guard)
        raise Cut(node)

    def _index_deps(self, node: PNode, forms: Any, guard: Expr | None) -> list[Any]:
        """The index tensors of an indirect read; what is read must be in memory."""
        x = node.inputs[0]
        if self._source(x) is None:
            if (x if x.base is None else x.base) in self.member_set:
                raise NoFit
            raise Cut(x)
        assert node.op is not None
        assert node.op.fetch is not None
        zero = self.zero()
        deps = []
        for at in node.op.fetch([i.shape for i in node.inputs], *node.params):
            if isinstance(at, tuple):
                number, axes = at
                shape = node.inputs[number].shape
                index = tuple([zero if s == 1 else forms[a] for a, s in zip(axes, shape)])
                deps.append((node.inputs[number], index, guard))
        return deps

    def _fetch(self, node: PNode, forms: Any, guard: Expr | None, indices: list[Expr]) -> Expr:
        """An indirect read: the affine part as in a load, the rest as an expression."""
        x = node.inputs[0]
        source = self._source(x)
        assert source is not None
        assert node.op is not None
        assert node.op.fetch is not None
        strides, offset = self._placed(x, source)
        rec = self.rec
        total = affine_scale(self.zero(), 1, offset)
        place: Expr | None = None
        rest = iter(indices)
        for at, size, stride in zip(node.op.fetch([i.shape for i in node.inputs], *node.params), x.shape, strides):
            if not isinstance(at, tuple):
                total = affine_add(total, affine_scale(forms[at], stride))
                continue
            i = rec.cast(next(rest), int64)
            i = rec.select(rec.lt(i, rec.const(0, int64)), rec.add(i, self._number(size)), i)
            part = rec.mul(i, self._number(stride))
            place = part if place is None else rec.add(place, part)
        number = self._access(source, node.dtype, self._normal(total), False, indirect=True)
        return rec._ins("fetch", node.dtype, (place,) if guard is None else (place, guard), number)

    def _flat(self, node: PNode, forms: Any) -> Flat:
        total = self.zero()
        for f, s in zip(forms, contiguous_strides(node.shape)):
            total = affine_add(total, affine_scale(f, s))
        return Flat(self._normal(total))

    def _flat_deps(self, task: Any) -> list[Any]:
        """Inputs by linear index: only values of the same shape, and single elements, have one."""
        node, flat, guard = task
        if node.kind == "movement" and node.name == "reshape":
            return [(node.inputs[0], flat, guard)]
        if node.kind != "elementwise":
            raise Cut(node)
        deps: list[Any] = []
        for x in node.inputs:
            if size_of(x.shape) == 1:
                deps.append((x, (self.zero(),) * len(x.shape), guard))
            elif size_of(x.shape) == size_of(node.shape):
                deps.append((x, flat, guard))
            else:
                raise Cut(node)
        return deps

    def _and(self, a: Expr | None, b: Expr | None) -> Expr | None:
        if a is None or b is None:
            return b if a is None else a
        found: Expr = self.rec.and_(a, b)
        return found

    def _boxes(self, node: PNode, forms: Any) -> list[Any]:
        """(input, its indices, the condition of being inside) for every box of a regions op."""
        known = self._box_memo.get((node, forms))
        if known is not None:
            return known
        assert node.op is not None
        assert node.op.regions is not None
        found, _ = node.op.regions([x.shape for x in node.inputs], *node.params)
        result = []
        for box in found:
            inside: Expr | None = None
            for f, start, size, whole in zip(forms, box.starts, box.sizes, node.shape):
                if size == whole:
                    continue
                place = self.rec.index_of(f)
                if start > 0:
                    inside = self._and(inside, self.rec.le(self._number(start), place))
                if start + size < whole:
                    inside = self._and(inside, self.rec.lt(place, self._number(start + size)))
            moved = tuple([affine_scale(f, 1, -start) for f, start in zip(forms, box.starts)])
            if all(box.sizes):
                result.append((node.inputs[box.input], moved, inside))
        self._box_memo[(node, forms)] = result
        return result

    def _build(self, task: Any, deps: list[Any]) -> Expr:
        node, forms, guard = task
        if node.kind == "const":
            return self._argument(node)
        source = self._source(node)
        if source is not None:
            return self._load(node, source, forms, guard)
        args = [self.memo[d] for d in deps]
        if node in self.member_set or node.kind == "movement":
            return args[0]
        self.lowered.setdefault(node, set()).add(forms)
        op = node.op
        assert op is not None
        if node.kind == "regions":
            assert op.regions is not None
            _, fill = op.regions([x.shape for x in node.inputs], *node.params)
            value: Expr = self.rec.const(bool(fill) if node.dtype.is_bool() else fill, node.dtype)
            for (_, _, inside), arg in zip(self._boxes(node, forms), args):
                value = arg if inside is None else self.rec.select(inside, arg, value)
            return value
        if node.kind == "fetch":
            return self._fetch(node, forms, guard, args)
        self.rec.place = self._place(node, forms)
        assert op.scalar is not None
        if op.half == "native":
            result: Expr = op.scalar(self.rec, *args, *node.params)
        else:
            result = widened(self.rec, op.scalar, args, node.params, node.dtype)
        self.rec.place = None
        return result

    def _place(self, node: PNode, forms: Any) -> Any:
        if not isinstance(forms, Flat):
            return lambda axis: self.rec.index_of(forms[axis])
        strides = contiguous_strides(node.shape)

        def index(axis: int) -> Expr:
            rec = self.rec
            at = rec.index_of(forms.form)
            if strides[axis] > 1:
                at = rec.idiv(at, self._number(strides[axis]))
            return at if axis == 0 else rec.irem(at, self._number(node.shape[axis]))

        return index

    def _number(self, value: int) -> Expr:
        """A size known to the plan, as an argument: the kernel serves other sizes too."""
        return self._argument(PNode("const", None, (), (value,), (), int64))

    def _argument(self, node: PNode) -> Expr:
        if node not in self.scalars:
            self.scalars.append(node)
        return self.rec._ins("arg", node.dtype, (), self.scalars.index(node))

    def _placed(self, node: PNode, source: PNode) -> tuple[Ints, int]:
        """Strides and offset of a stored value, or of a view of one."""
        shown = node if node.strides is not None else source
        return contiguous_strides(node.shape) if shown.strides is None else shown.strides, shown.offset

    def _never(self) -> Expr:
        """Guards what has no elements: a row without any still evaluates what does not vary along it."""
        never: Expr = self.rec.const(False, bool_)
        return never

    def _load(self, node: PNode, source: PNode, forms: Any, guard: Expr | None) -> Expr:
        strides, offset = self._placed(node, source)
        if guard is None and 0 in node.shape:
            guard = self._never()
        if isinstance(forms, Flat):
            if strides != contiguous_strides(node.shape) and not _collapses(node.shape, strides):
                raise Cut(node)
            step = strides[-1] if strides else 1
            for s, t in zip(reversed(node.shape), reversed(strides)):
                if s > 1:
                    step = t
                    break
            total = affine_scale(forms.form, step, offset)
        else:
            total = affine_scale(self.zero(), 1, offset)
            for f, stride in zip(forms, strides):
                total = affine_add(total, affine_scale(f, stride))
        number = self._access(source, node.dtype, self._normal(total), False)
        return self.rec._ins("load", node.dtype, () if guard is None else (guard,), number)

    def _access(self, node: PNode, dtype: DType, form: Affine, store: bool, indirect: bool = False) -> int:
        key = (node, form, store, indirect)
        found = self._access_ids.get(key)
        if found is None:
            found = self._access_ids[key] = len(self.accesses)
            self.accesses.append(Access(node, dtype, form[0], list(form[1:]), store, indirect))
        return found

    # -- members

    def add_element(self, node: PNode) -> None:
        """Adds a value of the group's own shape, or (with reductions) one value per row."""
        if self.total:
            raise NoFit
        self.target = node
        forms = self._own_forms(node)
        if forms is None:
            raise NoFit
        self._add(node, forms, self.lower(node, forms))

    def _own_forms(self, node: PNode) -> tuple[Affine, ...] | None:
        """Indices of a member: an element of the domain, or a value of one row (of one column)."""
        if node.red is None and node.shape == self.shape and (self.kind == "rows" or self.scanned is not None):
            return self.element_forms()
        if not self.reductions or (self.kind == "columns" and self.scanned is not None):
            return None
        if node.red is None and 0 in self.shape:
            return None  # a kernel over nothing is not run, unless it reduces
        return self.outer_forms(node.shape)

    def _add(self, node: PNode, forms: Any, expr: Expr) -> None:
        self.members.append((node, expr))
        self.member_set.add(node)
        self.memo[(node, forms, None)] = expr

    def add_reduction(self, node: PNode) -> Expr:
        """Adds a reduction over the group's reduced axes; gives what it reduces."""
        red = node.red
        assert red is not None
        x = node.inputs[0]
        body = self.lower(x, self.element_forms())
        if self.kind == "columns" and any(e.name == "reduced" for e in self._live([body])):
            raise NoFit  # columns are walked once: a result is not there yet
        r = self._reduction(node, body, red)
        assert r.result is not None
        value = r.result
        if red.final:
            if r.monoid.finish is not None:
                value = r.monoid.finish(self.rec, value, self.rec.cast(self._number(red.count), r.acc))
            value = self._decoded(node, r, value)
        forms_out = self.outer_forms(node.shape)
        assert forms_out is not None, (node, self.domain)
        self._add(node, forms_out, value)
        return body

    def add_scan(self, node: PNode) -> Expr:
        """Adds a scan along the group's axis; gives what it runs over."""
        x = node.inputs[0]
        forms = self.element_forms()
        body = self.lower(x, forms)
        r = self._reduction(node, body, None)
        assert r.result is not None
        self._add(node, forms, self._decoded(node, r, r.result))
        return body

    def _decoded(self, node: PNode, r: Reduction, value: Expr) -> Expr:
        """A running value as an element of the result."""
        if r.monoid.decode is not None:
            value = r.monoid.decode(self.rec, value, node.dtype)
        found: Expr = self.rec.cast(value, node.dtype)
        return found

    def _reduction(self, node: PNode, body: Expr, red: Reduce | None) -> Reduction:
        """The entry of a reduction, or of a scan without `red`; equal ones share one."""
        assert node.op is not None
        monoid = node.op.monoid
        assert monoid is not None
        raw = red is None or red.raw
        acc = monoid.accumulate(body.dtype) if raw else body.dtype
        if raw and monoid.encode is not None:
            body = monoid.encode(self.rec, body)
        body = self.rec.cast(body, acc)
        for r in self.reductions:
            if r.body is body and r.monoid is monoid and r.acc is acc and r.scan is (red is None):
                return r
        number = len(self.reductions)
        r = Reduction(node, monoid, body, acc, scan=red is None)
        self.reductions.append(r)
        name, args = ("scan", (body,)) if r.scan else ("reduced", ())
        r.result = self.rec._ins(name, acc, args, number)
        return r

    def forget(self, mark: int) -> None:
        """Takes back what was lowered since the trail had `mark` entries: an attempt that did not fit."""
        for task in self.trail[mark:]:
            self.memo.pop(task, None)
            found = self.lowered.get(task[0])
            if found is not None:
                found.discard(task[1])
                if not found:
                    del self.lowered[task[0]]
        del self.trail[mark:]

    # -- completion

    def probe(self) -> None:
        """Raises `Cut` when the axes of a row, or the reduced axes, cannot be walked as one."""
        if self._walked() < 2 or not self.reductions:
            return
        live = self._live([e for _, e in self.members])
        read = [self.accesses[e.data] for e in live if e.name in READS]
        vectors = [list(a.strides) for a in read]
        vectors += [list(self.rec.forms[e.data][1:]) for e in live if e.name == "index"]
        if any(n.shape == self.shape and n.red is None for n, _ in self.members):
            vectors.append(list(contiguous_strides(self.domain)))
        self._merge(list(self.domain), vectors, read)

    def _walked(self) -> int:
        """How many axes of the domain are walked as one."""
        return self.tail if self.kind == "rows" else self.reduced

    def _merge(self, sizes: list[int], vectors: list[list[int]], accesses: list[Access]) -> tuple[Any, int]:
        items = [a.dtype.itemsize for a in accesses]
        found = collapse(self.kind, sizes, vectors, self._walked(), BLOCK if self.total else 0, items, LANES)
        if found is None:
            raise Cut(self.reductions[0].node.inputs[0])
        return found

    def reads(self, stored: set[PNode]) -> set[PNode]:
        """The values in memory that the stored members are computed from."""
        live = self._live([e for n, e in self.members if n in stored])
        return {self.accesses[e.data].node for e in live if e.name in READS}

    def related(self, expr: Expr, before: int) -> bool:
        """Does `expr` use something that was in the kernel before expression number `before`?"""
        return any(e.id < before and e.name in ("load", "fetch", "reduced", "call") for e in self._live([expr]))

    def finish(self, stored: set[PNode]) -> Nest:
        """The loop nest; members outside `stored` stay in registers. Raises `Cut` when rows do not collapse."""
        stores: list[tuple[int, Expr]] = []
        for node, expr in self.members:
            if node not in stored or 0 in node.shape:
                continue
            forms = self._own_forms(node)
            assert forms is not None
            total = self.zero()
            for f, s in zip(forms, contiguous_strides(node.shape)):
                total = affine_add(total, affine_scale(f, s))
            stores.append((self._access(node, node.dtype, self._normal(total), True), expr))
        live = self._live([e for _, e in stores])
        kept = sorted({e.data for e in live if e.name in ("reduced", "scan")})
        args = sorted({e.data for e in live if e.name == "arg"})
        used = sorted({e.data for e in live if e.name in READS} | {a for a, _ in stores})
        forms_used = sorted({e.data for e in live if e.name == "index"})
        vectors = [self.accesses[a].strides for a in used] + [list(self.rec.forms[f][1:]) for f in forms_used]
        sizes = list(self.domain)
        wraps, block = self._merge(sizes, vectors, [self.accesses[a] for a in used])
        turned = self.kind == "rows" and not self.reductions and not any(wraps) and turn(sizes, vectors)
        renumber = {a: i for i, a in enumerate(used)}
        accesses = [self.accesses[a] for a in used]
        for access, wrap in zip(accesses, wraps):
            access.wrap = wrap
        form_wraps = wraps[len(used) :]
        forms_out = []
        for f, v in zip(forms_used, vectors[len(used) :]):
            forms_out.append((self.rec.forms[f][0], *v))
        form_number = {f: i for i, f in enumerate(forms_used)}
        for e in live:
            if e.name in READS:
                e.data = renumber[e.data]
            elif e.name == "index":
                e.data = form_number[e.data]
            elif e.name in ("reduced", "scan"):
                e.data = kept.index(e.data)
            elif e.name == "arg":
                e.data = args.index(e.data)
        self.reductions = [self.reductions[i] for i in kept]
        self.scalars = [self.scalars[i] for i in args]
        stores = [(renumber[a], e) for a, e in stores]
        find_levels(self.kind, live, accesses, forms_out, self.reductions, form_wraps)
        nest = Nest(
            self.kind, sizes, accesses, forms_out, self.scalars, live, stores, self.reductions, [],
            self.total if block else 0,
            self.kind == "rows" and any(not r.scan for r in self.reductions) and sizes[-1] > BLOCK,
            max([e.level for e in live], default=0) + 1, form_wraps,
        )  # fmt: skip
        nest.spills = find_spills(nest)
        nest.tiled = (
            self.kind == "rows" and not self.reductions and len(sizes) > 1
            and (turned or any(abs(a.step) * a.dtype.itemsize >= LINE and not a.indirect for a in accesses))
        )  # fmt: skip
        nest.ops = [n.name for n in self.lowered] + [r.node.name for r in self.reductions]
        nest.key = key_of(nest)
        nest.rows = size_of(sizes[:-1])
        return nest

    def _live(self, roots: list[Expr]) -> list[Expr]:
        seen: set[int] = set()
        stack = list(roots)
        while stack:
            e = stack.pop()
            if e.id in seen:
                continue
            seen.add(e.id)
            stack.extend(e.args)
            if e.name == "reduced":
                stack.append(self.reductions[e.data].body)
        return [e for e in self.rec.exprs if e.id in seen]


@dataclass(frozen=True)
class Flat:
    """An index given by its row-major number."""

    form: Affine


class Refine(Exception):
    """The group's domain needs an axis split."""

    def __init__(self, split: Split) -> None:
        self.split = split


def _collapses(shape: Ints, strides: Ints) -> bool:
    pairs = [(s, t) for s, t in zip(shape, strides) if s != 1]
    return all(t == s2 * t2 for (_, t), (s2, t2) in zip(pairs, pairs[1:]))


def check_nest(nest: Nest) -> None:
    """Invariants of a loop nest: arguments come first, every access has all strides, results are stored once."""
    axes = len(nest.sizes)
    seen: set[int] = set()
    for e in nest.exprs:
        assert all(a.id in seen for a in e.args), f"{e} comes before its arguments"
        assert e.level >= max([a.level for a in e.args], default=0), f"{e} is on a level below its arguments"
        if e.name in READS:
            assert not nest.accesses[e.data].store, f"{e} reads what is only written"
        seen.add(e.id)
    for access in nest.accesses:
        assert len(access.strides) == axes, f"{access} has strides for another number of axes"
        assert not (access.store and access.wrap), f"{access} is written in pieces"
    for form in nest.forms:
        assert len(form) == axes + 1, f"{form} is for another number of axes"
    assert nest.kind != "rows" or all(w >= LANES for w in nest.widths), "a vector may wrap twice"
    written = [number for number, _ in nest.stores]
    assert len(set(written)) == len(written), "a buffer is stored twice"
    assert all(nest.accesses[k].store for k in written), "a store goes to a buffer that is only read"
    for r in nest.reductions:
        assert r.body.id in seen, f"the reduction {r.node} reduces nothing in this nest"
        assert r.level < nest.levels, f"the reduction {r.node} has no loop"
