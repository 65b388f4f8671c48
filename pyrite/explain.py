"""`explain`: what the engine is going to do with a pending tensor, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .apply import Handle, array_in
from .backends.compiled import CompiledBackend, Fallback, Launch, Plan, make_plan
from .codegen.loops import Access
from .errors import ArgumentError, public
from .layout import size_of


@dataclass(frozen=True)
class ExplainedStep:
    """One step of a plan.

    `kind` is "kernel" or "numpy" (an op without a loop form, run on its reference; `reason` says
    why). `ops` are the operations in it, `sizes` the loop's extents, `results` the shapes it
    stores, `bytes_read` and `bytes_written` what it moves at least.
    """

    kind: str
    ops: tuple[str, ...]
    sizes: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]
    bytes_read: int
    bytes_written: int
    reason: str = ""


@dataclass(frozen=True)
class Explanation:
    """A plan: its steps in order; `str()` gives it as text."""

    steps: tuple[ExplainedStep, ...] = ()
    note: str = ""
    operations: int = field(default=0)

    @property
    def kernels(self) -> int:
        """How many kernels run."""
        return sum(s.kind == "kernel" for s in self.steps)

    @property
    def fallbacks(self) -> int:
        """How many ops run on NumPy."""
        return sum(s.kind == "numpy" for s in self.steps)

    @property
    def bytes_moved(self) -> int:
        """Bytes read and written by all steps."""
        return sum(s.bytes_read + s.bytes_written for s in self.steps)

    def __str__(self) -> str:
        if not self.steps:
            return self.note
        lines = [
            f"{self.operations} operations in {self.kernels} kernels, {self.fallbacks} on NumPy, "
            f"{_bytes(self.bytes_moved)} moved"
        ]
        for i, s in enumerate(self.steps, 1):
            what = f"kernel over {'×'.join(map(str, s.sizes))}" if s.kind == "kernel" else f"NumPy ({s.reason})"
            shapes = ", ".join(str(r) for r in s.results)
            lines.append(f"{i}. {what}: {' '.join(s.ops) or 'copy'}")
            lines.append(
                f"   gives {shapes}; reads {_bytes(s.bytes_read)}, writes {_bytes(s.bytes_written)}"
            )
        return "\n".join(lines)


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
    return Explanation(tuple(_step(s, plan) for s in plan.steps), operations=pending)


def _step(step: Launch | Fallback, plan: Plan) -> ExplainedStep:
    if isinstance(step, Fallback):
        node = step.node
        read = sum(size_of(x.shape) * x.dtype.itemsize for x in node.inputs)
        return ExplainedStep(
            "numpy", (node.name,), (), (node.shape,), read, size_of(node.shape) * node.dtype.itemsize, step.why
        )
    nest = step.nest
    sizes = nest.sizes
    read = sum(_touched(a, sizes) for a in nest.accesses if not a.store)
    written = sum(_touched(a, sizes) for a in nest.accesses if a.store)
    shapes = tuple(a.node.shape for a in nest.accesses if a.store)
    return ExplainedStep("kernel", tuple(nest.ops), tuple(sizes), shapes, read, written)


def _touched(access: Access, sizes: list[int]) -> int:
    return size_of([s for s, t in zip(sizes, access.strides) if t]) * access.dtype.itemsize
