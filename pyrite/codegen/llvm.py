"""Loop nests to LLVM IR text: 16 lanes at a time, a main loop and one masked step for the rest.

Every element goes through the same vector operations whether it is in the main loop or in the
rest, so its bits do not depend on where it lies. No optimisation pass is needed or run.

A kernel is `void kernel(ptr job)`. The job is six 64-bit words: args, r0, r1, c0, c1 and scratch, for rows
r0 … r1, and columns c0 … c1 of each row where there are no reductions. `args` is a block of 64-bit words
in the order that `argument_words` gives.
"""

from __future__ import annotations

from collections.abc import Callable

from ..dtypes import DType, Int, bfloat16, bool_
from . import columns, reads
from .builder import Expr
from .complete import roots, stride_class
from .instructions import Direct, Value, alignment, instruction, memory_type, register_type
from .loops import AHEAD, BLOCK, LANES, Nest, Reduction
from .scans import along_lanes, columns_of_scans
from .vector import V, Vector

_FAR = 2048  # bytes of a later row
_JOB = (("ptr", "args"), ("i64", "r0"), ("i64", "r1"), ("i64", "c0"), ("i64", "c1"), ("ptr", "scratch"))
_IOTA = ", ".join(f"i64 {i}" for i in range(LANES))
def argument_words(nest: Nest) -> dict[str, int]:
    """Where in the argument block each part begins: sizes, per access pointer and strides, forms, wraps, scalars."""
    axes = len(nest.sizes)
    at = axes + 2
    words = {"sizes": 0, "total": axes, "strip": axes + 1, "accesses": at}
    at += len(nest.accesses) * (1 + axes)
    words["forms"] = at
    at += len(nest.forms) * (1 + axes)
    words["widths"] = at
    at += len(nest.widths)
    words["wraps"] = at
    at += sum(len(w.words) for w in nest.wraps if w is not None)
    words["scalars"] = at
    words["end"] = at + len(nest.scalars)
    return words


class Renderer:
    """Writes one kernel."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.vec = Vector("entry")
        self.vec_b = Direct(self.vec)
        self.words = argument_words(nest)
        self.args: dict[int, str] = {}
        self.iota = f"<{_IOTA}>"
        self.row: dict[int, V] = {}  # expressions of the row at hand
        self.pointers: list[str] = []
        self.columns = "%c0", "%c1"  # of a kernel without reductions
        self.scratch: dict[int, str] = {}
        self.spilled_at: dict[int, int] = {}  # by expression: the level that puts it into its scratch row
        self.carry: dict[int, V] = {}  # by scan: the value of all elements before, in every lane
        self.at_scan = "0", "0", [""]  # of a column kernel: place in the buffers, first column, buffers
        self.done = "0"  # elements of the reduced axis in the blocks before
        self.at_wrap: list[str] = []  # quotient and remainder of the first lane by each width
        self.ahead: dict[int, str] = {}  # addresses of a later row of a column kernel, to be fetched early

    # -- text helpers

    def i(self, text: str) -> str:
        """One scalar instruction."""
        return self.vec.emit(text)

    def word(self, at: int) -> str:
        """Word number `at` of the argument block, loaded at the entry."""
        return self.args[at]

    def _load_words(self) -> None:
        pointers = {self.words["accesses"] + k * (1 + len(self.nest.sizes)) for k in range(len(self.nest.accesses))}
        scalars = {self.words["scalars"] + k: s for k, s in enumerate(self.nest.scalars)}
        for at in range(self.words["end"]):
            p = self.i(f"getelementptr i64, ptr %args, i64 {at}")
            if at in pointers:
                self.args[at] = self.i(f"load ptr, ptr {p}, align 8")
            elif at in scalars:
                dtype = scalars[at].dtype
                t = self.vec.scalar_type(memory_type(dtype))
                raw = self.i(f"load {t}, ptr {p}, align 8")
                self.args[at] = self.splat(memory_type(dtype), raw).ref
                self.row_constant(at, dtype)
            else:
                self.args[at] = self.i(f"load i64, ptr {p}, align 8")

    def row_constant(self, at: int, dtype: DType) -> None:
        """A scalar argument in its register form."""
        self.args[at] = self.from_memory(V(self.args[at], memory_type(dtype)), dtype).ref

    def splat(self, type: str, scalar: str) -> V:
        t, s = self.vec.llvm_type(type), self.vec.scalar_type(type)
        one = self.i(f"insertelement {t} poison, {s} {scalar}, i64 0")
        return V(self.i(f"shufflevector {t} {one}, {t} poison, <{LANES} x i32> zeroinitializer"), type)

    def from_memory(self, v: V, dtype: DType) -> V:
        """A vector as it is computed with, from what memory has."""
        if dtype is bool_:
            return self.vec.icmp("ne", v, self.vec.const("i8", 0))
        if dtype is bfloat16:
            wide = self.vec.zext(v, "i32")
            return self.vec.bitcast(self.vec.shl(wide, self.vec.const("i32", 16)), "f32")
        return v

    def to_memory(self, v: V, dtype: DType) -> V:
        """The reverse."""
        if dtype is bool_:
            return self.vec.zext(v, "i8")
        if dtype is bfloat16:
            bits = self.vec.lshr(self.vec.bitcast(v, "i32"), self.vec.const("i32", 16))
            return self.vec.itrunc(bits, "i16")
        return v

    # -- the whole

    def render(self) -> str:
        """The text of a module with the one function `kernel`."""
        self._load_words()
        if self.nest.kind == "rows":
            self._rows()
        elif any(r.scan for r in self.nest.reductions):
            columns_of_scans(self)
        else:
            columns.columns_of_reductions(self)
        body = "\n".join(self.vec.lines)
        declarations = "\n".join(sorted(self.vec.declarations))
        head = "define void @kernel(ptr %job) {\nentry:\n"
        for at, (type, name) in enumerate(_JOB):
            head += f"  %job{at} = getelementptr i64, ptr %job, i64 {at}\n"
            head += f"  %{name} = load {type}, ptr %job{at}, align 8\n"
        return f"{head}{body}\n}}\n\n{declarations}\n"

    def counted(self, start: str, stop: str, step: int, body: Callable[[str], None]) -> None:
        """for (i = start; i < stop; i += step) body(i), values flowing through memory only."""
        vec = self.vec
        head, inside, after = vec.name("for"), vec.name("do"), vec.name("end")
        before = vec.block
        vec.raw(f"br label %{head}")
        vec.start(head)
        at = len(vec.lines)
        index = f"%{vec.name('i')}"
        go = self.i(f"icmp slt i64 {index}, {stop}")
        vec.raw(f"br i1 {go}, label %{inside}, label %{after}")
        vec.start(inside)
        body(index)
        following = self.i(f"add i64 {index}, {step}")
        end = vec.block
        vec.raw(f"br label %{head}")
        vec.lines.insert(at, f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{end} ]")
        vec.start(after)

    def outer(self, row: str, count: int) -> list[str]:
        """Indices along the outer axes of flat row number `row`."""
        indices: list[str] = []
        rest = row
        for k in range(count - 1, 0, -1):
            size = self.word(k)
            indices.append(self.i(f"urem i64 {rest}, {size}"))
            rest = self.i(f"udiv i64 {rest}, {size}")
        indices.append(rest)
        return indices[::-1] if count else []

    def bases(self, outer: list[str]) -> None:
        """Pointers and index constants of the row at hand."""
        nest = self.nest
        axes = len(nest.sizes)
        self.pointers = []
        for k, access in enumerate(nest.accesses):
            at = self.words["accesses"] + k * (1 + axes)
            total = "0"
            for d, index in enumerate(outer):
                part = self.i(f"mul i64 {index}, {self.word(at + 1 + d)}")
                total = part if total == "0" else self.i(f"add i64 {total}, {part}")
            t = self.vec.scalar_type(memory_type(access.dtype))
            self.pointers.append(self.i(f"getelementptr {t}, ptr {self.word(at)}, i64 {total}"))
        self.form_bases = []
        for k in range(len(nest.forms)):
            at = self.words["forms"] + k * (1 + axes)
            total = self.word(at)
            for d, index in enumerate(outer):
                part = self.i(f"mul i64 {index}, {self.word(at + 1 + d)}")
                total = self.i(f"add i64 {total}, {part}")
            self.form_bases.append(total)

    def in_block(self, places: list[str], size: str) -> str:
        """How many of the reduced elements there are at some outer indices, of which the last may count blocks."""
        if not self.nest.total:
            return size
        self.done = self.i(f"mul i64 {places[-1]}, {BLOCK}")
        rest = self.i(f"sub i64 {self.word(self.words['total'])}, {self.done}")
        short = self.i(f"icmp slt i64 {rest}, {size}")
        return self.i(f"select i1 {short}, i64 {rest}, i64 {size}")

    def step_word(self, base: str, k: int, axis: int) -> str:
        """The stride of access or form number k along an axis."""
        return self.word(self.words[base] + k * (1 + len(self.nest.sizes)) + 1 + axis)

    # -- expressions

    def value(self, e: Expr, known: dict[int, V], at: str | None, mask: V | None) -> V:
        """The vector of an expression; `at` is the index along the innermost axis, None outside its loop."""
        stack = [e]
        while stack:
            x = stack[-1]
            if x.id in known or x.id in self.row:
                stack.pop()
                continue
            todo = [a for a in x.args if a.id not in known and a.id not in self.row]
            if todo:
                stack.extend(todo)
                continue
            stack.pop()
            v = self._one(x, known, at, mask)
            known[x.id] = v
        return known[e.id] if e.id in known else self.row[e.id]

    def _one(self, e: Expr, known: dict[int, V], at: str | None, mask: V | None) -> V:
        if e.name == "arg":
            return V(self.word(self.words["scalars"] + e.data), register_type(e.dtype))
        if e.name == "index":
            return self._index(e.data, "i64", at)
        if e.name == "cast" and e.args[0].name == "index" and e.dtype.kind is Int and e.dtype.bits == 32:
            return self._index(e.args[0].data, "i32", at)  # wraps as a cast does, with half the work
        args = [(known[a.id] if a.id in known else self.row[a.id], a.dtype) for a in e.args]
        if e.name == "load":
            return self._load(e, self.pointers[e.data], at, mask, args[0][0] if args else None)
        if e.name == "fetch":
            return self._fetch(e, at, mask, [v for v, _ in args])
        if e.name == "scan":
            return self._scan(e, args[0][0], at)
        return instruction(self.vec, e.name, e.dtype, args, e.data)

    def _index(self, number: int, type: str, at: str | None) -> V:
        """An index of the kernel: the first lane's as a scalar, then its step from lane to lane."""
        first, step = self.form_bases[number], stride_class(self.nest.forms[number][-1])
        if at is not None and self.nest.kind == "rows" and self.nest.form_wraps[number]:
            by = self.step_word("forms", number, len(self.nest.sizes) - 1)
            w = reads.Wrapped(self, len(self.nest.accesses) + number, self.at_wrap, by)
            first = self.i(f"add i64 {first}, {w.first}")
            v = self.vec.iadd(self.splat("i64", first), w.lanes())
            return v if type == "i64" else self.vec.itrunc(v, type)
        if at is not None and step:
            by = "1" if step == 1 else self.step_word("forms", number, len(self.nest.sizes) - 1)
            first = self.i(f"add i64 {first}, {at if step == 1 else self.i(f'mul i64 {at}, {by}')}")
        if type != "i64":
            first = self.i(f"trunc i64 {first} to {type}")
        base = self.splat(type, first)
        if at is None or not step:
            return base
        lanes = V(self.iota.replace("i64", type), type)
        if step == 1:
            return self.vec.iadd(base, lanes)
        if type != "i64":
            by = self.i(f"trunc i64 {by} to {type}")
        return self.vec.iadd(base, self.vec.imul(lanes, self.splat(type, by)))

    def lanes(self, at: str) -> V:
        """`at` and the numbers after it, one in each lane."""
        return self.vec.iadd(self.splat("i64", at), V(self.iota, "i64"))

    def _both(self, a: V | None, b: V | None) -> V | None:
        if a is None or b is None:
            return a or b
        return self.vec.iand(a, b)

    def _fetch(self, e: Expr, at: str | None, mask: V | None, args: list[V]) -> V:
        """A read at an index: an ordinary load where the index is one for the whole row."""
        access = self.nest.accesses[e.data]
        type = memory_type(access.dtype)
        place, guard = args[0], args[1] if len(args) > 1 else None
        pointer = self.pointers[e.data]
        if not e.args[0].inner:
            lane = self.i(f"extractelement <{LANES} x i64> {place.ref}, i64 0")
            row = self.i(f"getelementptr {self.vec.scalar_type(type)}, ptr {pointer}, i64 {lane}")
            return self._load(e, row, at, mask, guard)
        if at is not None and self._wraps(e.data):
            by = self.step_word("accesses", e.data, len(self.nest.sizes) - 1)
            w = reads.Wrapped(self, e.data, self.at_wrap, by)
            place = self.vec.iadd(place, self.vec.iadd(self.splat("i64", w.first), w.lanes()))
        elif at is not None and access.step:
            stride = self.splat("i64", self.step_word("accesses", e.data, len(self.nest.sizes) - 1))
            place = self.vec.iadd(place, self.vec.imul(self.lanes(at), stride))
        return self.from_memory(reads.gather(self, type, pointer, place, self._both(mask, guard)), access.dtype)

    def _load(self, e: Expr, pointer: str, at: str | None, mask: V | None, guard: V | None) -> V:
        access = self.nest.accesses[e.data]
        type = memory_type(access.dtype)
        s = self.vec.scalar_type(type)
        step, keep = stride_class(access.step), self._both(mask, guard)
        stride = self.step_word("accesses", e.data, len(self.nest.sizes) - 1)
        if at is not None and self._wraps(e.data):
            w = reads.Wrapped(self, e.data, self.at_wrap, stride)
            return self.from_memory(w.load(type, pointer, step, keep), access.dtype)
        if at is None or step == 0:
            return self.from_memory(reads.read(self, type, pointer, 0, stride, guard), access.dtype)
        if step == 1:
            p = self.i(f"getelementptr {s}, ptr {pointer}, i64 {at}")
            if e.data in self.ahead:
                # rows lie far apart, so the machine does not see the pattern by itself
                later = self.i(f"getelementptr {s}, ptr {self.ahead[e.data]}, i64 {at}")
                self.vec.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
                self.vec.raw(f"call void @llvm.prefetch.p0(ptr {later}, i32 0, i32 3, i32 1)")
        else:
            p = self.i(f"getelementptr {s}, ptr {pointer}, i64 {self.i(f'mul i64 {at}, {stride}')}")
        return self.from_memory(reads.read(self, type, p, step, stride, keep), access.dtype)

    def _wraps(self, number: int) -> bool:
        return self.nest.kind == "rows" and self.nest.accesses[number].wrap is not None

    def _store(self, number: int, v: V, at: str, mask: V | None) -> None:
        access = self.nest.accesses[number]
        type = memory_type(access.dtype)
        v = self.to_memory(v, access.dtype)
        t, s = self.vec.llvm_type(type), self.vec.scalar_type(type)
        pointer = self.pointers[number]
        if access.step == 1:
            p = self.i(f"getelementptr {s}, ptr {pointer}, i64 {at}")
            self._store_vector(type, v, p, mask)
            return
        if access.step == -1:
            p = self.i(f"getelementptr {s}, ptr {pointer}, i64 {self.i(f'sub i64 {1 - LANES}, {at}')}")
            self._store_vector(type, reads.backwards(self, v), p, mask and reads.backwards(self, mask))
            return
        stride = self.splat("i64", self.step_word("accesses", number, len(self.nest.sizes) - 1))
        offsets = self.vec.imul(self.lanes(at), stride)
        ps = self.i(f"getelementptr {s}, ptr {pointer}, <{LANES} x i64> {offsets.ref}")
        name = f"@llvm.masked.scatter.v{LANES}{type}.v{LANES}p0"
        self.vec.declarations.add(f"declare void {name}({t}, <{LANES} x ptr>, i32, <{LANES} x i1>)")
        on = mask.ref if mask is not None else "splat (i1 true)"
        self.vec.raw(f"call void {name}({t} {v.ref}, <{LANES} x ptr> {ps}, i32 {alignment(type)}, <{LANES} x i1> {on})")

    def store_these(self, stores: list[tuple[int, Expr]], known: dict[int, V], at: str, mask: V | None) -> None:
        """Stores some expressions, each to the access of its number."""
        # all reads come before the first write: a result may lie over an input
        for number, v in [(k, self.value(e, known, at, mask)) for k, e in stores]:
            self._store(number, v, at, mask)

    def store_all(self, at: str, mask: V | None) -> None:
        """Stores one vector of every result."""
        self.store_these(self.nest.stores, {}, at, mask)

    def _store_vector(self, type: str, v: V, p: str, mask: V | None) -> None:
        t = self.vec.llvm_type(type)
        if mask is None:
            self.vec.raw(f"store {t} {v.ref}, ptr {p}, align {alignment(type)}")
            return
        name = f"@llvm.masked.store.v{LANES}{type}.p0"
        self.vec.declarations.add(f"declare void {name}({t}, ptr, i32, <{LANES} x i1>)")
        self.vec.raw(f"call void {name}({t} {v.ref}, ptr {p}, i32 {alignment(type)}, <{LANES} x i1> {mask.ref})")

    # -- rows

    def _rows(self) -> None:
        nest = self.nest
        outer = len(nest.sizes) - 1
        n = self.word(outer)
        # reads of whole rows at an index: the machine cannot foresee where the next one lies
        jumps = [
            e for e in nest.exprs
            if e.name == "fetch" and not e.args[0].inner and nest.accesses[e.data].step == 1 and not nest.tiled
            and not nest.accesses[e.data].wrap
        ]  # fmt: skip

        def row(index: str) -> None:
            places = self.outer(index, outer)
            self.bases(places)
            length = self.in_block(places, n)
            self._scratch_rows(n)
            if jumps:
                later = self.i(f"add i64 {index}, {AHEAD}")
                over = self.i(f"icmp slt i64 {later}, %r1")
                self._fetch_early(jumps, self.i(f"select i1 {over}, i64 {later}, i64 {index}"), n)
                self.bases(places)
            self.row = {}
            for level in range(nest.levels):
                self._row_level(level, length)
            self.row = {}

        if nest.tiled:

            def strip(start: str) -> None:
                end = self.i(f"add i64 {start}, {LANES}")
                over = self.i(f"icmp slt i64 %c1, {end}")
                self.columns = start, self.i(f"select i1 {over}, i64 %c1, i64 {end}")
                self.counted("%r0", "%r1", 1, row)

            self.counted("%c0", "%c1", LANES, strip)
        else:
            self.counted("%r0", "%r1", 1, row)
        self.vec.raw("ret void")

    def _fetch_early(self, jumps: list[Expr], row: str, n: str) -> None:
        """Asks for what a later row reads at an index."""
        self.bases(self.outer(row, len(self.nest.sizes) - 1))
        for e in jumps:
            dtype = self.nest.accesses[e.data].dtype
            place = self.value(e.args[0], {}, None, None)
            lane = self.i(f"extractelement <{LANES} x i64> {place.ref}, i64 0")
            start = self.i(
                f"getelementptr {self.vec.scalar_type(memory_type(dtype))}, ptr {self.pointers[e.data]}, i64 {lane}"
            )
            size = self.i(f"mul i64 {n}, {dtype.itemsize}")
            much = self.i(f"icmp slt i64 {size}, {_FAR}")
            end = self.i(f"select i1 {much}, i64 {size}, i64 {_FAR}")
            self.counted("0", end, 64, lambda at, start=start: self._prefetch(start, at))  # type: ignore[misc]

    def _prefetch(self, start: str, at: str) -> None:
        self.vec.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        p = self.i(f"getelementptr i8, ptr {start}, i64 {at}")
        self.vec.raw(f"call void @llvm.prefetch.p0(ptr {p}, i32 0, i32 3, i32 1)")

    def _scratch_rows(self, n: str) -> None:
        at = "0"
        self.scratch = {}
        for e in self.nest.spills:
            p = self.i(f"getelementptr i8, ptr %scratch, i64 {at}")
            self.scratch[e.id] = p
            padded = self.i(f"add i64 {n}, {LANES}")
            nbytes = self.i(f"mul i64 {padded}, {max(e.dtype.itemsize, 4)}")
            at = self.i(f"add i64 {at}, {nbytes}")

    def _row_level(self, level: int, length: str) -> None:
        nest = self.nest
        # values of the row as a whole: stored by lane 0
        for number, e in nest.stores:
            if e.level == level and not e.inner and not self._element_store(number):
                v = self.to_memory(self.value(e, self.row, None, None), e.dtype)
                t, s = self.vec.llvm_type(v.type), self.vec.scalar_type(v.type)
                lane = self.i(f"extractelement {t} {v.ref}, i64 0")
                self.vec.raw(f"store {s} {lane}, ptr {self.pointers[number]}, align {alignment(v.type)}")
        reductions = [r for r in nest.reductions if r.level == level and not r.scan]
        stores = [
            (k, e) for k, e in nest.stores
            if e.level == level and (e.inner or self._element_store(k))
        ]  # fmt: skip
        if not reductions and not stores:
            return
        for root in [r.body for r in reductions] + [e for _, e in stores]:
            self._hoist(root)
        finals = self._row_loops(level, reductions, stores, length)
        for r, v in zip(reductions, finals):
            assert r.result is not None
            self.row[r.result.id] = self._combine_lanes(r, v)

    def _element_store(self, number: int) -> bool:
        return self.nest.accesses[number].step != 0

    def _hoist(self, root: Expr) -> None:
        """Computes what does not vary along the row before its loop."""
        stack = [root]
        seen: set[int] = set()
        while stack:
            e = stack.pop()
            if e.id in seen or e.id in self.row:
                continue
            seen.add(e.id)
            if not e.inner:
                self.value(e, self.row, None, None)
            else:
                stack.extend(e.args)

    def identity(self, r: Reduction) -> V:
        return self.vec.const(register_type(r.acc), r.monoid.identity(r.acc))

    def combine(self, r: Reduction, a: V, b: V) -> V:
        result: Value = r.monoid.combine(self.vec_b, Value(a, r.acc), Value(b, r.acc))
        return result.v

    def _scan(self, e: Expr, x: V, at: str | None) -> V:
        """The running value at one vector of a row; a column kernel has computed it before."""
        r = self.nest.reductions[e.data]
        if self.nest.kind == "columns":
            place, low, buffers = self.at_scan
            assert at is not None
            return columns.running(self, r, columns.slot(self, r, buffers[e.data], place, at, low))
        result, self.carry[e.data] = along_lanes(self, r, x, self.carry[e.data])
        return result

    def _scans(self, level: int) -> list[int]:
        """The scans that the loop of a level runs; those in scratch rows have run before."""
        found: set[int] = set()
        seen = set(self.row)
        stack = roots(self.nest, level)
        while stack:
            e = stack.pop()
            if e.id in seen or self._spilled_before(e, level):
                continue
            seen.add(e.id)
            if e.name == "scan":
                found.add(e.data)
            stack.extend(e.args)
        return sorted(found)

    def _combine_lanes(self, r: Reduction, v: V) -> V:
        """The pairwise tree over the lanes: l with l+8, l+4, l+2, l+1; the result in every lane."""
        t = self.vec.llvm_type(v.type)
        for by in (8, 4, 2, 1):
            order = ", ".join(f"i32 {(k + by) % LANES}" for k in range(LANES))
            other = V(self.i(f"shufflevector {t} {v.ref}, {t} poison, <{LANES} x i32> <{order}>"), v.type)
            v = self.combine(r, v, other)
        return V(self.i(f"shufflevector {t} {v.ref}, {t} poison, <{LANES} x i32> zeroinitializer"), v.type)

    def _row_loops(
        self, level: int, reductions: list[Reduction], stores: list[tuple[int, Expr]], length: str
    ) -> list[V]:
        """The loop over one row; returns the lanes of each reduction."""
        nest = self.nest
        scans = self._scans(level)
        count = len(reductions)
        first = [self.identity(r) for r in [*reductions, *[nest.reductions[k] for k in scans]]]
        if not reductions and not nest.reductions:
            return self._span(*self.columns, first, level, reductions, stores, scans)
        if not nest.blocks:
            return self._span("0", length, first, level, reductions, stores, scans)[:count]
        vec = self.vec
        head, inside, after = vec.name("blocks"), vec.name("block"), vec.name("joined")
        before = vec.block
        vec.raw(f"br label %{head}")
        vec.start(head)
        place = len(vec.lines)
        index = f"%{vec.name('b')}"
        carried = [V(f"%{vec.name()}", x.type) for x in first]
        go = self.i(f"icmp slt i64 {index}, {length}")
        vec.raw(f"br i1 {go}, label %{inside}, label %{after}")
        vec.start(inside)
        end = self.i(f"add i64 {index}, {BLOCK}")
        over = self.i(f"icmp slt i64 {length}, {end}")
        stop = self.i(f"select i1 {over}, i64 {length}, i64 {end}")
        begin = first[:count] + carried[count:]  # blocks are reduced apart, scans go on
        lanes = self._span(index, stop, begin, level, reductions, stores, scans)
        number = self.i(f"udiv i64 {index}, {BLOCK}")
        lane = self.splat("i64", self.i(f"and i64 {number}, {LANES - 1}"))
        mine = vec.icmp("eq", V(self.iota, "i64"), lane)
        following = []
        for r, old, v in zip(reductions, carried, lanes):
            part = self._combine_lanes(r, v)
            following.append(vec.select(mine, self.combine(r, old, part), old))
        following += lanes[count:]
        last = vec.block
        vec.raw(f"br label %{head}")
        phis = [f"  {index} = phi i64 [ 0, %{before} ], [ {end}, %{last} ]"]
        for c, x, y in zip(carried, first, following):
            phis.append(f"  {c.ref} = phi {vec.llvm_type(c.type)} [ {x.ref}, %{before} ], [ {y.ref}, %{last} ]")
        vec.lines[place:place] = phis
        vec.start(after)
        return carried[:count]

    def _span(
        self, start: str, stop: str, first: list[V], level: int, reductions: list[Reduction],
        stores: list[tuple[int, Expr]], scans: list[int],
    ) -> list[V]:  # fmt: skip
        """Elements start … stop of the row: whole vectors, then one masked step. Carries reductions, then scans."""
        vec = self.vec
        head, inside, rest, tail, after = (vec.name(x) for x in ("main", "body", "rest", "tail", "done"))
        origin = reads.begin(self, start)
        walk = [f"%{vec.name('at')}" for _ in origin]
        before = vec.block
        vec.raw(f"br label %{head}")
        vec.start(head)
        place = len(vec.lines)
        index = f"%{vec.name('c')}"
        carried = [V(f"%{vec.name()}", x.type) for x in first]
        end = self.i(f"add i64 {index}, {LANES}")
        whole = self.i(f"icmp sle i64 {end}, {stop}")
        vec.raw(f"br i1 {whole}, label %{inside}, label %{rest}")
        vec.start(inside)
        self.at_wrap = walk
        following = self._step(index, None, carried, level, reductions, stores, scans)
        onward = reads.onward(self, walk)
        last = vec.block
        vec.raw(f"br label %{head}")
        phis = [
            f"  {i} = phi i64 [ {x}, %{before} ], [ {y}, %{last} ]"
            for i, x, y in zip([index, *walk], [start, *origin], [end, *onward])
        ]
        for c, x, y in zip(carried, first, following):
            phis.append(f"  {c.ref} = phi {vec.llvm_type(c.type)} [ {x.ref}, %{before} ], [ {y.ref}, %{last} ]")
        vec.lines[place:place] = phis
        vec.start(rest)
        more = self.i(f"icmp slt i64 {index}, {stop}")
        vec.raw(f"br i1 {more}, label %{tail}, label %{after}")
        vec.start(tail)
        mask = vec.icmp("slt", self.lanes(index), self.splat("i64", stop))
        final = self._step(index, mask, carried, level, reductions, stores, scans)
        tail_end = vec.block
        vec.raw(f"br label %{after}")
        vec.start(after)
        return [
            V(self.i(f"phi {vec.llvm_type(c.type)} [ {c.ref}, %{rest} ], [ {f.ref}, %{tail_end} ]"), c.type)
            for c, f in zip(carried, final)
        ]

    def _step(
        self, at: str, mask: V | None, carried: list[V], level: int, reductions: list[Reduction],
        stores: list[tuple[int, Expr]], scans: list[int],
    ) -> list[V]:  # fmt: skip
        """One vector of a row."""
        known: dict[int, V] = {}
        self.carry = dict(zip(scans, carried[len(reductions) :]))
        for e in self.nest.spills:
            if self._spilled_before(e, level):
                known[e.id] = self._unspill(e, at)
        result = []
        for r, old in zip(reductions, carried):
            x = self.value(r.body, known, at, mask)
            new = self.combine(r, old, x)
            result.append(new if mask is None else self.vec.select(mask, new, old))
        self.store_these(stores, known, at, mask)
        for e in self.nest.spills:
            if e.id in known and not self._spilled_before(e, level):
                self._spill(e, known[e.id], at)
                self.spilled_at.setdefault(e.id, level)
        return result + [self.carry[k] for k in scans]

    def _spilled_before(self, e: Expr, level: int) -> bool:
        return self.spilled_at.get(e.id, level) < level

    def _spill_type(self, e: Expr) -> str:
        return register_type(e.dtype)

    def _spill(self, e: Expr, v: V, at: str) -> None:
        t, s = self.vec.llvm_type(v.type), self.vec.scalar_type(v.type)
        p = self.i(f"getelementptr {s}, ptr {self.scratch[e.id]}, i64 {at}")
        self.vec.raw(f"store {t} {v.ref}, ptr {p}, align {alignment(v.type)}")

    def _unspill(self, e: Expr, at: str) -> V:
        type = self._spill_type(e)
        t, s = self.vec.llvm_type(type), self.vec.scalar_type(type)
        p = self.i(f"getelementptr {s}, ptr {self.scratch[e.id]}, i64 {at}")
        return V(self.i(f"load {t}, ptr {p}, align {alignment(type)}"), type)


def render(nest: Nest) -> str:
    """The LLVM IR of a nest."""
    return Renderer(nest).render()
