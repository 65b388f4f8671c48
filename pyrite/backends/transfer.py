"""Values on their way to another device; on the tape it is one step whose gradient goes back."""

from __future__ import annotations

from typing import Any

from ..graph import form_of
from ..ops.record import Op, Samples
from .autodiff import Step, Traced, Value, array_of
from .base import Backend


def transfer(value: Value, target: Backend) -> Value:
    """`value` on another backend: read, copied and, on every level that tracks it, recorded."""
    if not isinstance(value, Traced):
        return target.upload(value.backend.evaluate(value), value.dtype)
    out = transfer(value.value, target)
    step = Step(out.shape, out.dtype)
    if value.step.tracked and (out.dtype.is_float() or out.dtype.is_complex()):
        step.op = _TRANSFER
        step.params = (array_of(value).backend,)
        step.parents = (value.step,)
        step.saved = (form_of(out.shape, out.dtype),) * 2
    return Traced(out, value.level, step, value.strategy)


def _back(do: Any, g: Value, _out: Any, _x: Any, source: Backend) -> list[Value]:
    return [transfer(g, source)]


# of no backend, so it is in no registry
_TRANSFER = Op(
    "to_device",
    "opaque",
    "The same values on another device.",
    infer=lambda x, source: (x.shape, x.dtype),
    reference=lambda x, source: x,
    samples=Samples((), ()),
    params=("source",),
    vjp=_back,
    needs=(False, False),
)
