"""The last step from a group to a loop nest: axes are merged, levels found, spills chosen, the structure named.

Works on sizes and strides alone; the group decides what is in the kernel.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ops.movement import Affine
from .builder import COSTLY, READS, Expr

if TYPE_CHECKING:
    from .loops import Access, Nest, Reduction

_FEW = 2  # an innermost axis up to this long is not walked in vectors where a longer one is there
LINE = 64  # bytes of a cache line
_CACHE, _WAYS = 1 << 19, 8  # bytes of a small second-level cache, and lines of one set
_MANY = 64  # from here on another axis is walked instead


class Wrap(NamedTuple):
    """How an access runs along an axis made of several that do not merge in memory.

    Element i lies i % width strides of that axis from where i // width begins. The digits of the latter by the sizes
    of the outer axes, innermost first, are multiplied by their strides.
    """

    width: int
    outer: tuple[tuple[int, int], ...]  # size and stride

    @property
    def words(self) -> list[int]:
        """What a kernel is told: strides, and between them the sizes but the outermost."""
        return [x for size, stride in self.outer for x in (stride, size)][:-1]


def collapse(
    kind: str, sizes: list[int], vectors: list[list[int]], inner: int, block: int, items: list[int], shortest: int
) -> tuple[list[Wrap | None], int] | None:
    """Drops axes of size 1 and merges neighbours; None when the `inner` axes that are walked do not become one.

    `vectors` are strides along the same axes, the first ones of reads and writes with elements of `items` bytes. Says
    of each whether it wraps along the walked axis, which rows may do at a width of at least `shortest`. With `block`,
    that axis is cut into blocks of so many elements; the axis before it counts them and stays apart. The second result
    is `block`, or 0 where blocks never reach over a border: then they are ordinary rows.
    """

    def drop(k: int) -> None:
        del sizes[k]
        for v in vectors:
            del v[k]

    def merges(k: int) -> bool:
        return all(v[k] == v[k + 1] * sizes[k + 1] for v in vectors)

    def merge(k: int) -> None:
        sizes[k + 1] *= sizes[k]
        drop(k)

    begin = len(sizes) - inner - (kind == "columns")
    wraps = _join(sizes, vectors, begin, inner, shortest if kind == "rows" else 1, items if kind == "rows" else [])
    if wraps is None:
        return None
    if block and kind == "rows" and _cut_at_borders(sizes, vectors, wraps, block):
        wraps, block = [None] * len(vectors), 0
    elif block:
        at = len(sizes) - 1 - (kind == "columns")
        sizes[at] = block
        for v, w in zip(vectors, wraps):
            v[at - 1] += 0 if w else v[at] * block
    if kind == "columns":
        while len(sizes) > 2 and not block:
            # the axis beside the columns joins them
            n = sizes[-1]
            if n != 1 and not all(v[-3] == v[-1] * n for v in vectors):
                break
            for axes in vectors if n == 1 else ():
                axes[-1] = axes[-3]
            sizes[-1] *= sizes[-3]
            drop(len(sizes) - 3)
        k = len(sizes) - 3
        while k >= 0:
            if sizes[k] == 1:
                drop(k)
            elif k + 1 < len(sizes) - 2 and merges(k) and not (block and k + 1 == len(sizes) - 3):
                merge(k)
            k -= 1
        return wraps, block
    keep = 1 if inner else 0  # the row itself
    keep += 1 if block else 0  # the axis of blocks
    k = len(sizes) - 1 - keep
    while k >= 0:
        if sizes[k] == 1:
            drop(k)
        elif k + 1 < len(sizes) - keep and merges(k):
            merge(k)
        k -= 1
    if not sizes:
        sizes.append(1)
        for v in vectors:
            v.append(0)
    return wraps, block


def _cut_at_borders(sizes: list[int], vectors: list[list[int]], wraps: list[Wrap | None], block: int) -> bool:
    """Cuts a row where all its wraps have their borders, if those are borders of blocks too."""
    widths = {w.width for w in wraps if w is not None}
    if len(widths) != 1 or any(len(w.outer) > 1 for w in wraps if w is not None):
        return False
    width = widths.pop()
    if width % block:
        return False
    sizes[-2:] = [sizes[-1] // width, width // block, block]
    for v, w in zip(vectors, wraps):
        each = v[-2] + v[-1] * block  # from block to block; what counts them is a stride of results
        v[-2:] = [w.outer[0][1] if w is not None else each * (width // block), each, v[-1]]
    return True


def _join(
    sizes: list[int], vectors: list[list[int]], begin: int, count: int, shortest: int, items: list[int]
) -> list[Wrap | None] | None:
    """Makes `count` axes one, in place."""
    if not count:
        return [None] * len(vectors)
    end = begin + count
    joined: list[tuple[int, Wrap | None]] = []
    for number, v in enumerate(vectors):
        if 0 in sizes[begin:end]:
            joined.append((0, None))  # nothing is read
            continue
        levels: list[tuple[int, int]] = []  # size and stride of what merges, innermost first
        for size, stride in zip(reversed(sizes[begin:end]), reversed(v[begin:end])):
            if size == 1:
                continue
            if levels and stride == levels[-1][0] * levels[-1][1]:
                levels[-1] = levels[-1][0] * size, levels[-1][1]
            else:
                levels.append((size, stride))
        if len(levels) < 2:
            joined.append((levels[0][1] if levels else v[end - 1], None))
            continue
        width, stride = levels[0]
        if width < shortest or (number < len(items) and _thrashes(levels, items[number])):
            return None
        joined.append((stride, Wrap(width, tuple(levels[1:]))))
    size = 1
    for s in sizes[begin:end]:
        size *= s
    sizes[begin:end] = [size]
    for v, (stride, _) in zip(vectors, joined):
        v[begin:end] = [stride]
    return [w for _, w in joined]


def _thrashes(levels: list[tuple[int, int]], itemsize: int) -> bool:
    """Does a walk return to its cache lines only when they are gone? Then a copy, made in tiles, costs less."""
    step = abs(levels[0][1]) * itemsize
    if step < LINE:
        return False
    lines = 1
    for size, stride in levels:
        if 0 < abs(stride) * itemsize < LINE:
            # strides of a high power of two use few of the sets of a cache
            return lines > _CACHE // max(LINE, gcd(step, _CACHE // _WAYS))
        lines *= size
    return False


def turn(sizes: list[int], vectors: list[list[int]]) -> bool:
    """Walks a long outer axis in vectors where the innermost one is shorter than a vector."""
    if len(sizes) < 2 or not 0 < sizes[-1] <= _FEW:
        return False
    longest = max(range(len(sizes) - 1), key=lambda k: sizes[k])
    if sizes[longest] < _MANY:
        return False
    for axes in [sizes, *vectors]:
        axes.append(axes.pop(longest))
    return True


def find_levels(
    kind: str, live: list[Expr], accesses: list[Access], forms: list[Affine], reductions: list[Reduction],
    form_wraps: list[Wrap | None],
) -> None:  # fmt: skip
    """Says of each expression what it depends on; arguments come first."""
    for e in live:
        e.inner = any(a.inner for a in e.args)
        e.level = max([a.level for a in e.args], default=0)
        if e.name in READS:
            strides, wrap = accesses[e.data].strides, accesses[e.data].wrap
        elif e.name == "index":
            strides, wrap = list(forms[e.data][1:]), form_wraps[e.data]
        elif e.name == "scan":
            reductions[e.data].level = e.level
            e.inner = True
            continue
        elif e.name == "reduced":
            r = reductions[e.data]
            r.level = r.body.level
            e.level = r.level + 1
            e.inner = kind == "columns"
            continue
        else:
            continue
        e.inner = e.inner or strides[-1] != 0 or wrap is not None
        if kind == "columns":
            e.inner = True


def find_spills(nest: Nest) -> list[Expr]:
    """Costly row elements that several levels need: computed once, kept in a scratch row."""
    if nest.kind != "rows" or nest.levels < 2:
        return []
    first: dict[int, int] = {}
    spilled: dict[int, Expr] = {}
    for level in range(nest.levels):
        stack = [e for e in roots(nest, level) if e.inner]
        seen: set[int] = set()
        while stack:
            e = stack.pop()
            if e.id in seen or not e.inner:
                continue
            seen.add(e.id)
            if e.name in COSTLY and first.setdefault(e.id, level) < level:
                spilled[e.id] = e
                continue
            stack.extend(e.args)
    return [spilled[k] for k in sorted(spilled)]


def roots(nest: Nest, level: int) -> list[Expr]:
    """What the loop of a level computes for each element of a row."""
    found = [r.body for r in nest.reductions if r.level == level and not r.scan]
    return found + [e for k, e in nest.stores if e.level == level and (e.inner or nest.accesses[k].step)]


def key_of(nest: Nest) -> tuple[Any, ...]:
    """The structure of a nest: what its code depends on."""
    number = {e.id: i for i, e in enumerate(nest.exprs)}
    return (
        nest.kind,
        len(nest.sizes),
        bool(nest.total),
        nest.blocks,
        nest.tiled,
        tuple([(a.dtype.short, a.store, stride_class(a.step)) for a in nest.accesses]),
        tuple([stride_class(f[-1]) for f in nest.forms]),
        tuple([w and (nest.widths.index(w.width), len(w.outer)) for w in nest.wraps]),
        tuple([s.dtype.short for s in nest.scalars]),
        tuple([(e.name, e.dtype.short, tuple([number[a.id] for a in e.args]), repr(e.data)) for e in nest.exprs]),
        tuple([(a, number[e.id]) for a, e in nest.stores]),
        tuple([(r.node.name, number[r.body.id], r.acc.short) for r in nest.reductions]),
        tuple([number[e.id] for e in nest.spills]),
    )


def stride_class(step: int) -> int:
    """What code depends on of a stride: whether it is -1, 0 or 1; 2 stands for all others."""
    return step if -1 <= step <= 1 else 2
