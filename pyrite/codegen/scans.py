"""Running values in vector code: their tree over 16 elements, along the lanes of a row or down 16 rows of columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import columns
from .instructions import memory_type
from .loops import AHEAD, LANES, STRIP, Reduction
from .vector import V

if TYPE_CHECKING:
    from .llvm import Renderer

_STEPS = (1, 2, 4, 8)


def along_lanes(k: Renderer, r: Reduction, x: V, before: V) -> tuple[V, V]:
    """The running values of 16 elements of a row, after `before` in every lane; and their last in every lane."""
    t = k.vec.llvm_type(x.type)
    neutral = k.identity(r)
    for by in _STEPS:
        order = ", ".join(f"i32 {lane - by if lane >= by else LANES + lane}" for lane in range(LANES))
        earlier = k.i(f"shufflevector {t} {x.ref}, {t} {neutral.ref}, <{LANES} x i32> <{order}>")
        x = k.combine(r, V(earlier, x.type), x)
    last = k.i(f"shufflevector {t} {x.ref}, {t} poison, <{LANES} x i32> splat (i32 {LANES - 1})")
    # the next 16 wait for one step only: what is summed up here does not depend on `before`
    return k.combine(r, before, x), k.combine(r, before, V(last, x.type))


def _down_rows(k: Renderer, r: Reduction, buffer: str, carry: str, c: str, low: str) -> None:
    """The same down 16 rows of a buffer, for 16 columns from c on."""
    places = [columns.slot(k, r, buffer, str(row * STRIP), c, low) for row in range(LANES)]
    x = [columns.running(k, r, p) for p in places]
    for by in _STEPS:
        x = x[:by] + [k.combine(r, x[row - by], x[row]) for row in range(by, LANES)]
    held = columns.slot(k, r, carry, "0", c, low)
    before = columns.running(k, r, held)
    x = [k.combine(r, before, v) for v in x]
    for v, p in [*zip(x, places), (x[-1], held)]:
        columns.keep(k, v, r, p)


def columns_of_scans(k: Renderer) -> None:
    """A kernel that walks a strip of columns 16 rows at a time: fills each scan's buffer, runs down it, then stores."""
    nest, vec = k.nest, k.vec
    outer = len(nest.sizes) - 2
    rows, n = k.word(outer), k.word(outer + 1)
    types = [vec.llvm_type(memory_type(r.acc)) for r in nest.reductions]
    buffers = [k.i(f"alloca {t}, i64 {STRIP}, align 64") for t in types]  # LANES rows of STRIP columns
    carries = [k.i(f"alloca {t}, i64 {STRIP // LANES}, align 64") for t in types]
    in_all = columns.strips(k, n)

    def task(index: str) -> None:
        _, low, high = columns.strip_at(k, index, in_all, n, outer)
        for r, carry in zip(nest.reductions, carries):
            for c in range(0, STRIP, LANES):
                columns.keep(k, k.identity(r), r, columns.slot(k, r, carry, "0", str(c), "0"))
        heads, bases = k.pointers, k.form_bases

        def some(first: str) -> None:
            end = k.i(f"add i64 {first}, {LANES}")
            over = k.i(f"icmp slt i64 {rows}, {end}")
            last = k.i(f"select i1 {over}, i64 {rows}, i64 {end}")

            def each_row(body: Callable[[str, V | None], None]) -> None:
                def go(row: str) -> None:
                    columns.go_to_row(k, row, heads, bases, outer, AHEAD)
                    place = k.i(f"mul i64 {k.i(f'sub i64 {row}, {first}')}, {STRIP}")
                    k.at_scan = place, low, buffers
                    columns.along(k, low, high, body)

                k.counted(first, last, 1, go)

            def scan(r: Reduction, buffer: str, carry: str) -> None:
                def fill(c: str, mask: V | None) -> None:
                    columns.keep(k, k.value(r.body, {}, c, mask), r, columns.slot(k, r, buffer, k.at_scan[0], c, low))

                each_row(fill)
                k.counted(low, high, LANES, lambda c: _down_rows(k, r, buffer, carry, c, low))

            for r, buffer, carry in zip(nest.reductions, buffers, carries):
                scan(r, buffer, carry)
            each_row(k.store_all)

        k.counted("0", rows, LANES, some)
        k.pointers, k.form_bases, k.ahead = heads, bases, {}

    k.counted("%r0", "%r1", 1, task)
    vec.raw("ret void")
