"""The last step from a group to a loop nest: axes are merged, levels found, spills chosen, the structure named.

Works on sizes and strides alone; the group decides what is in the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.movement import Affine
from .builder import COSTLY, READS, Expr

if TYPE_CHECKING:
    from .loops import Access, Nest, Reduction

_FEW = 2  # an innermost axis up to this long is not walked in vectors where a longer one is there
_MANY = 64  # from here on another axis is walked instead


def collapse(kind: str, sizes: list[int], vectors: list[list[int]], inner: int, blocks: bool) -> bool:
    """Drops axes of size 1 and merges neighbours; false when the innermost `inner` axes do not become one.

    `vectors` are strides along the same axes. With `blocks`, the axis of blocks stays apart.
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

    if inner and kind == "rows" and 0 in sizes[len(sizes) - inner :]:
        # rows without elements: nothing is read along them
        for axes, one in [(sizes, 0)] + [(v, 0) for v in vectors]:
            axes[len(axes) - inner :] = [one]
        inner = 1
    if kind == "columns":
        while len(sizes) > 2 and not blocks:
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
            elif k + 1 < len(sizes) - 2 and merges(k) and not (blocks and k + 1 == len(sizes) - 3):
                merge(k)
            k -= 1
        return True
    if inner:
        for _ in range(inner - 1):
            k = len(sizes) - 2
            if sizes[k] == 1:
                drop(k)
            elif sizes[k + 1] == 1:
                drop(k + 1)
            elif merges(k):
                merge(k)
            else:
                return False
    keep = 1 if inner else 0  # the row itself
    keep += 1 if blocks else 0  # the axis of blocks
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
    return True


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
    kind: str, live: list[Expr], accesses: list[Access], forms: list[Affine], reductions: list[Reduction]
) -> None:
    """Says of each expression what it depends on; arguments come first."""
    for e in live:
        e.inner = any(a.inner for a in e.args)
        e.along = any(a.along for a in e.args)
        e.level = max([a.level for a in e.args], default=0)
        if e.name in READS:
            strides = accesses[e.data].strides
        elif e.name == "index":
            strides = list(forms[e.data][1:])
        elif e.name == "scan":
            reductions[e.data].level = e.level
            e.inner = e.along = True
            continue
        elif e.name == "reduced":
            r = reductions[e.data]
            r.level = r.body.level
            e.level = r.level + 1
            e.inner = kind == "columns"
            continue
        else:
            continue
        e.inner = e.inner or strides[-1] != 0
        if kind == "columns":
            e.along = e.along or strides[-2] != 0
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
        tuple([s.dtype.short for s in nest.scalars]),
        tuple([(e.name, e.dtype.short, tuple([number[a.id] for a in e.args]), repr(e.data)) for e in nest.exprs]),
        tuple([(a, number[e.id]) for a, e in nest.stores]),
        tuple([(r.node.name, number[r.body.id], r.acc.short) for r in nest.reductions]),
        tuple([number[e.id] for e in nest.spills]),
    )


def stride_class(step: int) -> int:
    """What code depends on of a stride: whether it is -1, 0 or 1; 2 stands for all others."""
    return step if -1 <= step <= 1 else 2
