"""`explain`: what the engine is going to do with a pending tensor, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

from .apply import Handle, array_in
from .backends.compiled import CompiledBackend, make_plan
from .backends.plans import Launch, Opaque
from .codegen.loops import Access
from .errors import ArgumentError, public
from .layout import size_of


@dataclass(frozen=True)
class ExplainedStep:
    """One step of a plan.

    `kind` is "kernel", "blas" (a matrix product that BLAS computes) or "numpy" (an op without a loop
    form, run on its reference; `reason` says why). `ops` are the operations in it, `sizes` the loop's
    extents, `results` the shapes it stores, `bytes_read` and `bytes_written` what it moves at least.
    `after` are the places of the steps whose results it reads, `in_place` how many results may be
    written over a dying input.
    """

    kind: str
    ops: tuple[str, ...]
    sizes: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]
    bytes_read: int
    bytes_written: int
    reason: str = ""
    after: tuple[int, ...] = ()
    in_place: int = 0


@dataclass(frozen=True)
class Explanation:
    """A plan: its steps in order; `str()` gives it as text, `svg()` as a picture."""

    steps: tuple[ExplainedStep, ...] = ()
    note: str = ""
    operations: int = field(default=0)

    @property
    def kernels(self) -> int:
        """How many kernels run."""
        return sum(s.kind == "kernel" for s in self.steps)

    @property
    def fallbacks(self) -> int:
        """How many ops run on NumPy or BLAS."""
        return sum(s.kind in ("numpy", "blas") for s in self.steps)

    @property
    def bytes_moved(self) -> int:
        """Bytes read and written by all steps."""
        return sum(s.bytes_read + s.bytes_written for s in self.steps)

    def __str__(self) -> str:
        if not self.steps:
            return self.note
        lines = [
            f"{self.operations} operations in {self.kernels} kernels, {self.fallbacks} on NumPy or BLAS, "
            f"{_bytes(self.bytes_moved)} moved"
        ]
        for i, s in enumerate(self.steps, 1):
            shapes = ", ".join(str(r) for r in s.results)
            lines.append(f"{i}. {_title(s)}: {' '.join(s.ops) or 'copy'}")
            place = ", may reuse the memory of an input" if s.in_place else ""
            lines.append(f"   gives {shapes}; reads {_bytes(s.bytes_read)}, writes {_bytes(s.bytes_written)}{place}")
        return "\n".join(lines)

    def svg(self) -> str:
        """The plan as an SVG picture: a box for each step, an arrow for each result that a later step reads."""
        return draw(self)


def _title(s: ExplainedStep) -> str:
    if s.kind == "kernel":
        return f"kernel over {'×'.join(map(str, s.sizes))}"
    return "BLAS" if s.kind == "blas" else f"NumPy ({s.reason})"


def _bytes(n: int) -> str:
    value = float(n)
    for unit in ("B", "KB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.2f} GB"


@public("pr.explain")
def explain(t: Any) -> Explanation:
    """The plan by which `t` and everything else that is pending on its device would be computed now.

    Runs nothing. Says which operations share a kernel, how many bytes each step moves, and which
    operations fall back to NumPy and why. A tensor whose values are known has no plan.

    Example:
        >>> x = pr.ones((64, 10))
        >>> plan = pr.explain(pr.softmax(x, axis=-1))
        >>> plan.kernels, plan.fallbacks
        (1, 0)
    """
    if not isinstance(t, Handle):
        raise ArgumentError(f"expected a tensor, got {type(t).__name__}")
    array = array_in(t)
    if array.node.known:
        return Explanation(note="the values are known: nothing is left to run")
    if not isinstance(array.backend, CompiledBackend):
        return Explanation(note="this device runs every operation at once, on NumPy")
    plan, pending = make_plan(array.backend, array.node)
    made: dict[int, int] = {}  # slot: the step that fills it
    steps = []
    for number, step in enumerate(plan.steps):
        steps.append(_step(step, made))
        stored = [s for s, _, _ in step.stored] if isinstance(step, Launch) else [step.node.slot]
        made.update(dict.fromkeys(stored, number))
    return Explanation(tuple(steps), operations=pending)


def _step(step: Launch | Opaque, made: dict[int, int]) -> ExplainedStep:
    if isinstance(step, Opaque):
        node = step.node
        after = {made[b.slot] for b in (x if x.base is None else x.base for x in node.inputs) if b.slot in made}
        read = sum(size_of(x.shape) * x.dtype.itemsize for x in node.inputs)
        if step.updates is not None:
            updated = node.inputs[-1].shape
            return ExplainedStep(
                "kernel", (node.name,), updated, (node.shape,), read, size_of(node.shape) * node.dtype.itemsize, "",
                tuple(sorted(after)), int(step.takes),
            )  # fmt: skip
        return ExplainedStep(
            "numpy" if step.product is None else "blas", (node.name,), (), (node.shape,), read,
            size_of(node.shape) * node.dtype.itemsize, step.why if step.product is None else "", tuple(sorted(after)),
        )  # fmt: skip
    nest = step.nest
    sizes = nest.sizes
    read = sum(_touched(a, sizes) for a in nest.accesses if not a.store)
    written = sum(_touched(a, sizes) for a in nest.accesses if a.store)
    shapes = tuple(a.node.shape for a in nest.accesses if a.store)
    after = {made[a.node.slot] for a in nest.accesses if not a.store and a.node.slot in made}
    return ExplainedStep(
        "kernel", tuple(nest.ops), tuple(sizes), shapes, read, written, "", tuple(sorted(after)), len(step.reuse)
    )


def _touched(access: Access, sizes: list[int]) -> int:
    return size_of([s for s, t in zip(sizes, access.strides) if t]) * access.dtype.itemsize


# -- the picture

_WIDTH, _LINE, _GAP, _MARGIN = 520, 18, 26, 16
_COLORS = {"kernel": ("#e8f1fb", "#2f6db5"), "blas": ("#eaf5ea", "#3c8a3c"), "numpy": ("#fdf0e1", "#c47a1f")}


def _lines(step: ExplainedStep, number: int) -> list[str]:
    """The text of a box: what it is, the ops in lines of about 60 characters, what it moves."""
    lines = [f"{number}. {_title(step)}"]
    row = ""
    for name in step.ops or ("copy",):
        if row and len(row) + len(name) > 60:
            lines.append(row)
            row = ""
        row = f"{row} {name}".strip()
    lines.append(row)
    shapes = ", ".join(str(r) for r in step.results)
    lines.append(f"gives {shapes}; reads {_bytes(step.bytes_read)}, writes {_bytes(step.bytes_written)}")
    return lines


def draw(plan: Explanation) -> str:
    """The SVG text of a plan."""
    boxes: list[str] = []
    tops: list[int] = []
    bottoms: list[int] = []
    y = _MARGIN
    for number, step in enumerate(plan.steps, 1):
        lines = _lines(step, number)
        height = _LINE * len(lines) + 14
        fill, edge = _COLORS[step.kind]
        boxes.append(
            f'<rect x="{_MARGIN}" y="{y}" width="{_WIDTH}" height="{height}" rx="6" fill="{fill}" stroke="{edge}"/>'
        )
        for k, text in enumerate(lines):
            weight = ' font-weight="bold"' if k == 0 else ""
            boxes.append(
                f'<text x="{_MARGIN + 12}" y="{y + 20 + k * _LINE}" fill="#1c1c1c"{weight}>{escape(text)}</text>'
            )
        tops.append(y)
        bottoms.append(y + height)
        y += height + _GAP
    arrows: list[str] = []
    right = _MARGIN + _WIDTH
    for number, step in enumerate(plan.steps):
        for source in step.after:
            start, end = bottoms[source], tops[number]
            if source == number - 1:
                middle = _MARGIN + _WIDTH // 2
                arrows.append(f'<path d="M{middle} {start} L{middle} {end - 2}" {_ARROW}/>')
            else:
                # past the boxes between, on the right
                out = right + 14 + 9 * (number - source)
                a, b = start - 12, end + 14
                arrows.append(f'<path d="M{right} {a} C{out} {a} {out} {b} {right + 2} {b}" {_ARROW}/>')
    wide = right + 40 + 9 * len(plan.steps)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{y}" viewBox="0 0 {wide} {y}" '
    marker = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#555"/></marker></defs>'
    )
    if not plan.steps:
        boxes.append(f'<text x="{_MARGIN}" y="{_MARGIN + 14}">{escape(plan.note)}</text>')
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="48" viewBox="0 0 {wide} 48" '
    body = "\n".join([marker, *boxes, *arrows])
    return f'{head}font-family="monospace" font-size="13">\n{body}\n</svg>\n'


_ARROW = 'fill="none" stroke="#555" stroke-width="1.4" marker-end="url(#tip)"'
