"""Reductions down columns: a strip of columns is walked row by row, with 16 accumulators to each column.

Row r belongs to accumulator r mod 16, and in the end the 16 are combined in pairs: so the bits depend on neither the
width of a strip nor the order in which the accumulators are filled. They are filled one after the other, as what one
of them has of a strip stays in the first cache; and several rows of it are added at a time, where little code says
what is added. The accumulators lie in scratch memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from . import reads
from .instructions import alignment, memory_type
from .loops import ACCUMULATOR, LANES, Nest, Reduction
from .vector import V

if TYPE_CHECKING:
    from .llvm import Renderer

_CODE = 100  # instructions at most for rows that are added one after another
_CALL = 100  # that a function stands for
_MOST_ROWS = 8  # that are added one after another


def columns_of_reductions(k: Renderer) -> None:
    """A kernel that reduces strips of columns."""
    nest = k.nest
    outer = len(nest.sizes) - 2
    rows, n, width = k.word(outer), k.word(outer + 1), k.word(k.words["strip"])
    elements = k.i(f"mul i64 {width}, {LANES}")  # LANES rows of a strip
    buffers = []
    for number in range(len(nest.reductions)):
        at = k.i(f"mul i64 {elements}, {number * ACCUMULATOR}")
        buffers.append(k.i(f"getelementptr i8, ptr %scratch, i64 {at}"))
    in_all = strips(k, n)
    together = _rows_together(nest)
    far = 0 if together > 1 else LANES  # several rows at a time: the machine sees the pattern by itself

    def task(index: str) -> None:
        places, low, high = strip_at(k, index, in_all, n, outer)
        length = k.in_block(places, rows)

        def clear(at: str) -> None:
            for r, buffer in zip(nest.reductions, buffers):
                keep(k, k.identity(r), r, slot(k, r, buffer, at, "0", "0"))

        k.counted("0", elements, LANES, clear)
        heads, bases = k.pointers, k.form_bases

        def walk(lane: str) -> None:
            at = k.i(f"mul i64 {lane}, {width}")

            def add(r: str, count: int) -> None:
                walked = []
                for number in range(count):
                    go_to_row(k, k.i(f"add i64 {r}, {number * LANES}"), heads, bases, outer, far)
                    walked.append((k.pointers, k.form_bases))
                along(k, low, high, lambda c, mask: _accumulate(k, c, mask, low, at, buffers, walked))

            middle = lane
            if together > 1:
                left = k.i(f"sub i64 {length}, {lane}")
                steps = k.i(f"sdiv i64 {left}, {together * LANES}")
                middle = k.i(f"add i64 {lane}, {k.i(f'mul i64 {steps}, {together * LANES}')}")
                k.counted(lane, middle, together * LANES, lambda r: add(r, together))
            k.counted(middle, length, LANES, lambda r: add(r, 1))

        k.counted("0", str(LANES), 1, walk)
        k.pointers, k.form_bases, k.ahead = heads, bases, {}
        k.counted(low, high, LANES, lambda c: _results(k, c, low, high, buffers))

    k.counted("%r0", "%r1", 1, task)
    k.vec.raw("ret void")


def _rows_together(nest: Nest) -> int:
    """How many rows of one accumulator are added at a time."""
    code = sum(_CALL if e.name == "call" else 1 for e in nest.exprs)
    count = _MOST_ROWS
    while count > 1 and count * code > _CODE:
        count //= 2
    return count


def _accumulate(
    k: Renderer, c: str, mask: V | None, low: str, at: str, buffers: list[str],
    walked: Sequence[tuple[list[str], list[str]]],
) -> None:  # fmt: skip
    """Adds some rows, each given by its pointers and form bases, in 16 columns from c on."""
    reductions = k.nest.reductions
    slots = [slot(k, r, buffer, at, c, low) for r, buffer in zip(reductions, buffers)]
    values = [running(k, r, p) for r, p in zip(reductions, slots)]
    for row in walked:
        k.pointers, k.form_bases = row
        known: dict[int, V] = {}
        values = [k.combine(r, v, k.value(r.body, known, c, mask)) for r, v in zip(reductions, values)]
    for r, v, p in zip(reductions, values, slots):
        keep(k, v, r, p)


def _results(k: Renderer, c: str, low: str, high: str, buffers: list[str]) -> None:
    """Combines the 16 accumulators in pairs and stores what depends on the results."""
    known: dict[int, V] = {}
    width = k.word(k.words["strip"])
    places = [k.i(f"mul i64 {width}, {lane}") for lane in range(LANES)]
    for r, buffer in zip(k.nest.reductions, buffers):
        lanes = [running(k, r, slot(k, r, buffer, at, c, low)) for at in places]
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = [k.combine(r, lanes[j], lanes[j + half]) for j in range(half)]
        assert r.result is not None
        known[r.result.id] = lanes[0]
    mask = k.vec.icmp("slt", k.lanes(c), k.splat("i64", high))
    k.store_these(k.nest.stores, known, c, mask)


# --- what the scans of columns take too --------------------------------------------------


def strips(k: Renderer, n: str) -> str:
    """In how many strips n columns are walked."""
    width = k.word(k.words["strip"])
    more = k.i(f"add i64 {n}, {width}")
    return k.i(f"sdiv i64 {k.i(f'sub i64 {more}, 1')}, {width}")


def strip_at(k: Renderer, index: str, in_all: str, n: str, outer: int) -> tuple[list[str], str, str]:
    """Goes to strip number `index`: the outer indices, its first column and the one behind its last."""
    width = k.word(k.words["strip"])
    strip = k.i(f"urem i64 {index}, {in_all}")
    places = k.outer(k.i(f"udiv i64 {index}, {in_all}"), outer)
    k.bases(places)
    low = k.i(f"mul i64 {strip}, {width}")
    end = k.i(f"add i64 {low}, {width}")
    over = k.i(f"icmp slt i64 {n}, {end}")
    return places, low, k.i(f"select i1 {over}, i64 {n}, i64 {end}")


def go_to_row(k: Renderer, r: str, heads: list[str], bases: list[str], axis: int, ahead: int) -> None:
    """Pointers and indices of row r; memory is asked for `ahead` rows early, unless that is 0."""
    k.pointers, k.ahead = [], {}
    at = reads.divided(k, k.i(f"add i64 {r}, {k.done}"))
    for number, access in enumerate(k.nest.accesses):
        if access.store and not any(r.scan for r in k.nest.reductions):
            k.pointers.append(heads[number])
            continue
        t = k.vec.scalar_type(memory_type(access.dtype))
        step = k.step_word("accesses", number, axis)
        by = reads.Wrapped(k, number, at, step).first if access.wrap else k.i(f"mul i64 {r}, {step}")
        k.pointers.append(k.i(f"getelementptr {t}, ptr {heads[number]}, i64 {by}"))
        if ahead and access.step == 1 and access.strides[axis] and not access.store:
            later = k.i(f"mul i64 {step}, {ahead}")
            k.ahead[number] = k.i(f"getelementptr {t}, ptr {k.pointers[number]}, i64 {later}")
    k.form_bases = []
    for number in range(len(k.nest.forms)):
        step = k.step_word("forms", number, axis)
        wraps = k.nest.form_wraps[number]
        by = reads.Wrapped(k, len(heads) + number, at, step).first if wraps else k.i(f"mul i64 {r}, {step}")
        k.form_bases.append(k.i(f"add i64 {bases[number]}, {by}"))


def along(k: Renderer, low: str, high: str, body: Callable[[str, V | None], None]) -> None:
    """Whole vectors of a strip of columns, then one masked step."""
    vec = k.vec
    count = k.i(f"sub i64 {high}, {low}")
    whole = k.i(f"and i64 {count}, {-LANES}")
    middle = k.i(f"add i64 {low}, {whole}")
    k.counted(low, middle, LANES, lambda c: body(c, None))
    tail, after = vec.name("tail"), vec.name("done")
    more = k.i(f"icmp slt i64 {middle}, {high}")
    vec.raw(f"br i1 {more}, label %{tail}, label %{after}")
    vec.start(tail)
    body(middle, vec.icmp("slt", k.lanes(middle), k.splat("i64", high)))
    vec.raw(f"br label %{after}")
    vec.start(after)


def slot(k: Renderer, r: Reduction, buffer: str, at: str, c: str, low: str) -> str:
    """Where a buffer has column c, `at` elements after its column `low`."""
    s = k.vec.scalar_type(memory_type(r.acc))
    place = k.i(f"add i64 {at}, {k.i(f'sub i64 {c}, {low}')}")
    return k.i(f"getelementptr {s}, ptr {buffer}, i64 {place}")


def running(k: Renderer, r: Reduction, p: str) -> V:
    """One vector of accumulators."""
    type = memory_type(r.acc)
    return k.from_memory(V(k.i(f"load {k.vec.llvm_type(type)}, ptr {p}, align {alignment(type)}"), type), r.acc)


def keep(k: Renderer, v: V, r: Reduction, p: str) -> None:
    """Puts one vector of accumulators back."""
    v = k.to_memory(v, r.acc)
    k.vec.raw(f"store {k.vec.llvm_type(v.type)} {v.ref}, ptr {p}, align {alignment(v.type)}")
