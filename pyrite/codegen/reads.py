"""One vector from memory: in a row, a stride apart, at given places, or along an axis that is several axes of memory.

Along such an axis element i lies at offset(i // width) + (i % width) * stride. The quotient and the remainder of a
vector's first lane are carried along a row, for each width. A vector is no longer than the width, so it goes over one
border at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .instructions import alignment
from .loops import LANES
from .vector import V

if TYPE_CHECKING:
    from .llvm import Renderer


def read(k: Renderer, type: str, first: str, step: int, stride: str, keep: V | None) -> V:
    """One vector in memory form from the address of its first lane on; `step` is the class of the stride."""
    t, s = k.vec.llvm_type(type), k.vec.scalar_type(type)
    if step == 0:
        if keep is not None:
            return gather(k, type, first, V("splat (i64 0)", "i64"), keep)
        return k.splat(type, k.i(f"load {s}, ptr {first}, align {alignment(type)}"))
    if step == 2:
        if keep is None:
            return _one_by_one(k, type, first, stride)
        return gather(k, type, first, k.vec.imul(V(k.iota, "i64"), k.splat("i64", stride)), keep)
    if step == -1:
        first = k.i(f"getelementptr {s}, ptr {first}, i64 {1 - LANES}")
        keep = keep and backwards(k, keep)
    if keep is None:
        got = V(k.i(f"load {t}, ptr {first}, align {alignment(type)}"), type)
    else:
        got = _masked_load(k, type, first, keep)
    return got if step == 1 else backwards(k, got)


def backwards(k: Renderer, v: V) -> V:
    """The lanes in the opposite order."""
    t = k.vec.llvm_type(v.type)
    order = ", ".join(f"i32 {lane}" for lane in reversed(range(LANES)))
    return V(k.i(f"shufflevector {t} {v.ref}, {t} poison, <{LANES} x i32> <{order}>"), v.type)


def gather(k: Renderer, type: str, pointer: str, offsets: V, mask: V | None) -> V:
    """Elements at places given in every lane."""
    t, s = k.vec.llvm_type(type), k.vec.scalar_type(type)
    ps = k.i(f"getelementptr {s}, ptr {pointer}, <{LANES} x i64> {offsets.ref}")
    name = f"@llvm.masked.gather.v{LANES}{type}.v{LANES}p0"
    k.vec.declarations.add(f"declare {t} {name}(<{LANES} x ptr>, i32, <{LANES} x i1>, {t})")
    on = mask.ref if mask is not None else "splat (i1 true)"
    got = k.i(f"call {t} {name}(<{LANES} x ptr> {ps}, i32 {alignment(type)}, <{LANES} x i1> {on}, {t} zeroinitializer)")
    return V(got, type)


def _masked_load(k: Renderer, type: str, p: str, keep: V) -> V:
    t = k.vec.llvm_type(type)
    name = f"@llvm.masked.load.v{LANES}{type}.p0"
    k.vec.declarations.add(f"declare {t} {name}(ptr, i32, <{LANES} x i1>, {t})")
    on = f"<{LANES} x i1> {keep.ref}"
    return V(k.i(f"call {t} {name}(ptr {p}, i32 {alignment(type)}, {on}, {t} zeroinitializer)"), type)


def _one_by_one(k: Renderer, type: str, first: str, stride: str, border: tuple[str, str] | None = None) -> V:
    """Elements a stride apart, which many machines load faster one by one than as a gather.

    With a border: how many lanes come before it, and where the first lane would lie for the others.
    """
    t, s = k.vec.llvm_type(type), k.vec.scalar_type(type)
    got = "poison"
    for lane in range(LANES):
        base = first
        if border is not None and lane:
            base = k.i(f"select i1 {k.i(f'icmp sle i64 {border[0]}, {lane}')}, ptr {border[1]}, ptr {first}")
        p = k.i(f"getelementptr {s}, ptr {base}, i64 {k.i(f'mul i64 {stride}, {lane}')}")
        one = k.i(f"load {s}, ptr {p}, align {alignment(type)}")
        got = k.i(f"insertelement {t} {got}, {s} {one}, i64 {lane}")
    return V(got, type)


# -- along several axes of memory


def begin(k: Renderer, start: str) -> list[str]:
    """Quotient and remainder of a row's element number `start`, for each width."""
    if start == "0" == k.done:
        return ["0", "0"] * len(k.nest.widths)
    return divided(k, k.i(f"add i64 {start}, {k.done}")) if k.nest.widths else []


def divided(k: Renderer, number: str) -> list[str]:
    """Quotient and remainder by each width."""
    found = []
    for n in range(len(k.nest.widths)):
        found += _split(k, number, k.word(k.words["widths"] + n))
    return found


def _split(k: Renderer, number: str, by: str) -> list[str]:
    return [k.i(f"udiv i64 {number}, {by}"), k.i(f"urem i64 {number}, {by}")]


def onward(k: Renderer, at: list[str]) -> list[str]:
    """Quotients and remainders a vector later."""
    found = []
    for n, (q, r) in enumerate(zip(at[::2], at[1::2])):
        width = k.word(k.words["widths"] + n)
        moved = k.i(f"add i64 {r}, {LANES}")
        over = k.i(f"icmp sge i64 {moved}, {width}")
        more = k.i(f"zext i1 {over} to i64")
        back = k.i(f"select i1 {over}, i64 {width}, i64 0")
        found += [k.i(f"add i64 {q}, {more}"), k.i(f"sub i64 {moved}, {back}")]
    return found


class Wrapped:
    """Wrap number `number` of the accesses, then forms, at some quotients and remainders."""

    def __init__(self, k: Renderer, number: int, at: list[str], stride: str) -> None:
        wraps = k.nest.wraps
        wrap = wraps[number]
        assert wrap is not None
        words = k.words["wraps"] + sum(len(w.words) for w in wraps[:number] if w is not None)
        self.k = k
        self.stride = stride
        self.words = [k.word(words + n) for n in range(len(wrap.words))]
        place = k.nest.widths.index(wrap.width)
        self.width = k.word(k.words["widths"] + place)
        self.quotient, self.remainder = at[2 * place : 2 * place + 2]
        self.start = self._offset(self.quotient)
        self.first = k.i(f"add i64 {self.start}, {k.i(f'mul i64 {self.remainder}, {stride}')}")
        self.before = k.i(f"sub i64 {self.width}, {self.remainder}")  # lanes before the border

    def _offset(self, q: str) -> str:
        """Where quotient q begins: its digits by the sizes of the axes, times their strides."""
        k, total = self.k, "0"
        for at in range(0, len(self.words), 2):
            if at + 1 < len(self.words):
                q, digit = _split(k, q, self.words[at + 1])
            else:
                digit = q
            total = k.i(f"add i64 {total}, {k.i(f'mul i64 {digit}, {self.words[at]}')}")
        return total

    def jump(self) -> str:
        """What the lanes behind the border lie further."""
        k = self.k
        following = self._offset(k.i(f"add i64 {self.quotient}, 1"))
        apart = k.i(f"sub i64 {following}, {self.start}")
        return k.i(f"sub i64 {apart}, {k.i(f'mul i64 {self.width}, {self.stride}')}")

    def lanes(self) -> V:
        """What each lane adds to the first one."""
        k, vec = self.k, self.k.vec
        lane = V(k.iota, "i64")
        behind = vec.icmp("sge", lane, k.splat("i64", self.before))
        jump = vec.select(behind, k.splat("i64", self.jump()), vec.const("i64", 0))
        return vec.iadd(vec.imul(lane, k.splat("i64", self.stride)), jump)

    def load(self, type: str, pointer: str, step: int, keep: V | None) -> V:
        """One vector in memory form; `step` is the class of the stride."""
        k, vec = self.k, self.k.vec
        t, s = vec.llvm_type(type), vec.scalar_type(type)
        first = k.i(f"getelementptr {s}, ptr {pointer}, i64 {self.first}")
        plain, over, after = vec.name("plain"), vec.name("over"), vec.name("joined")
        crosses = k.i(f"icmp slt i64 {self.before}, {LANES}")
        vec.raw(f"br i1 {crosses}, label %{over}, label %{plain}")
        vec.start(plain)
        x = read(k, type, first, step, self.stride, keep)
        x_end = vec.block
        vec.raw(f"br label %{after}")
        vec.start(over)
        second = k.i(f"getelementptr {s}, ptr {first}, i64 {self.jump()}")
        if step == 1:
            lane, before = V(k.iota, "i64"), k.splat("i64", self.before)
            near, far = vec.icmp("slt", lane, before), vec.icmp("sge", lane, before)
            if keep is not None:
                near, far = vec.iand(near, keep), vec.iand(far, keep)
            y = vec.select(near, _masked_load(k, type, first, near), _masked_load(k, type, second, far))
        elif keep is None:
            y = _one_by_one(k, type, first, self.stride, (self.before, second))
        else:
            y = gather(k, type, first, self.lanes(), keep)
        y_end = vec.block
        vec.raw(f"br label %{after}")
        vec.start(after)
        return V(k.i(f"phi {t} [ {x.ref}, %{x_end} ], [ {y.ref}, %{y_end} ]"), type)
