"""Reverse-mode differentiation around any backend: one class of steps for all ops.

`run` is the one door to all ops. A value is an `Array`, or a `Traced` of some level around a
value of a lower level; a rule runs its ops one level below its own, so that levels nest and
higher derivatives come by themselves. Level 1 is the tape of the tensors' own `backward`;
`grad` opens further ones.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Union

from ..dtypes import Bool, DType, Float
from ..errors import GradientError
from ..graph import Form, form_of
from ..layout import Ints
from ..ops.record import NO_RULE, REGISTRY, ZERO, Op, Rule, no_rule
from .base import Array, Backend

_sequence = itertools.count(1).__next__
_id = operator.attrgetter("id")

Value = Union[Array, "Traced"]
ACTIVE: set[int] = set()  # levels of `grad` calls that are running


class GradientCheckpointingStrategy(Enum):
    """What the tape keeps: `Disabled` every value a rule needs, `Balanced` recomputes the memory-bound ones."""

    Disabled = "Disabled"
    Balanced = "Balanced"


class Step:
    """One value on the tape: a leaf, or the result of an op with tracked inputs."""

    __slots__ = ("id", "op", "params", "parents", "saved", "state", "shape", "dtype", "requires", "consumed")

    def __init__(self, shape: Ints, dtype: DType) -> None:
        self.id = _sequence()
        self.op: Op | None = None
        self.params: tuple[Any, ...] = ()
        self.parents: tuple[Step | None, ...] = ()
        self.saved: tuple[Any, ...] = ()  # states of out and inputs, as far as the rule reads them
        self.state: Any = None  # how to get the value back; None until something needs it
        self.shape = shape
        self.dtype = dtype
        self.requires = False  # a leaf whose gradient is kept
        self.consumed = False

    @property
    def tracked(self) -> bool:
        """Does this value take part in the graph?"""
        return self.requires or self.op is not None


class Traced:
    """A value with its place on the tape of one level."""

    __slots__ = ("value", "level", "step", "strategy", "shape", "dtype", "__weakref__")

    def __init__(self, value: Value, level: int, step: Step, strategy: GradientCheckpointingStrategy) -> None:
        self.value = value
        self.level = level
        self.step = step
        self.strategy = strategy
        self.shape: Ints = step.shape
        self.dtype: DType = step.dtype


class Held:
    """A value kept for the backward pass."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


class Recompute:
    """A value that is computed again for the backward pass."""

    __slots__ = ("op", "params", "inputs")

    def __init__(self, op: Op, params: tuple[Any, ...], inputs: tuple[Any, ...]) -> None:
        self.op = op
        self.params = params
        self.inputs = inputs


def array_of(value: Value) -> Array:
    """The array inside all levels."""
    while type(value) is Traced:
        value = value.value
    return value  # type: ignore[return-value]


def capture(value: Value) -> Value:
    """The present value, whatever is written to its memory later."""
    if isinstance(value, Traced):
        return Traced(capture(value.value), value.level, value.step, value.strategy)
    return value.backend.capture(value)


def run(op: Op, values: Sequence[Value], params: tuple[Any, ...] = ()) -> Value:
    """Runs an op on values of any levels."""
    level = 0
    for v in values:
        if type(v) is Traced and v.level > level:
            level = v.level
    if not level:
        return values[0].backend.run(op, values, params)  # type: ignore
    return _record(op, values, params, level)


def _record(op: Op, values: Sequence[Value], params: tuple[Any, ...], level: int) -> Traced:
    if level > 1 and level not in ACTIVE:
        raise GradientError(
            "a tensor of a finished pr.grad call is used after it", "return it from the function, with has_aux=True"
        )
    strategy: GradientCheckpointingStrategy | None = None
    inner: list[Value] = []
    parents: list[Step | None] = []
    tracked = False
    for v in values:
        if type(v) is Traced and v.level == level:
            if strategy is None:
                strategy = v.strategy
            elif strategy is not v.strategy:
                raise GradientError(
                    f"operands carry different checkpointing strategies ({strategy.name} and {v.strategy.name})",
                    "give both the same one with with_gradient_checkpointing_strategy",
                )
            inner.append(v.value)
            on = v.step.tracked
            parents.append(v.step if on else None)
            tracked = tracked or on
        else:
            inner.append(v)
            parents.append(None)
    assert strategy is not None
    out = run(op, inner, params)
    step = Step(out.shape, out.dtype)
    if tracked and (out.dtype.is_float() or out.dtype.is_complex()):
        step.op = op
        step.params = params
        step.parents = tuple(parents)
        step.saved = _save(op, params, values, inner, out, step, strategy, level)
    return Traced(out, level, step, strategy)


def _save(
    op: Op, params: tuple[Any, ...], values: Sequence[Value], inner: Sequence[Value], out: Value, step: Step,
    strategy: GradientCheckpointingStrategy, level: int,
) -> tuple[Any, ...]:  # fmt: skip
    if strategy is GradientCheckpointingStrategy.Balanced and op.fuses in ("elementwise", "movement"):
        # the value of a memory-bound op is never kept: it comes again from what its inputs keep
        step.state = Recompute(op, params, tuple([_state(v, x, level) for v, x in zip(values, inner)]))
    needs = op.needs
    if not needs:
        return ()  # the rule is no function: nothing is ever read
    if needs[0] and step.state is None:
        step.state = Held(capture(out))
    saved: list[Any] = [step.state if needs[0] else _form(out)]
    for i, v in enumerate(inner):
        needed = needs[1] if op.variadic else needs[1 + i]
        saved.append(_state(values[i], v, level) if needed else _form(v))
    return tuple(saved)


def _state(v: Value, inside: Value, level: int) -> Any:
    """How the backward pass gets the value of an operand back; `inside` is its value one level below."""
    if type(v) is Traced and v.level == level:
        kept = v.step.state
        # after a write the kept handle has a node of its own: it is the old value, not the present one
        if kept is None or (type(kept) is Held and array_of(kept.value).node is not array_of(inside).node):
            kept = v.step.state = Held(capture(inside))
        return kept
    return Held(capture(inside))


def _form(v: Value) -> Form:
    """Shape and dtype of a value, for a rule that does not read it."""
    return v.node.form if type(v) is Array else form_of(v.shape, v.dtype)


class Do:
    """Runs ops by name: `do.mul(x, 2)`. Python numbers take the dtype of the other operand."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    def __getattr__(self, name: str) -> Callable[..., Any]:
        op = REGISTRY.get(name)
        if op is None:
            raise AttributeError(f"there is no op {name}")
        if op.variadic:

            def call_list(xs: Sequence[Any], *params: Any) -> Any:
                return run(op, tuple(xs), params)

            function: Callable[..., Any] = call_list
        else:
            arity = op.arity

            def call(*args: Any) -> Any:
                values = args[:arity]
                for v in values:
                    if type(v) is not Array:
                        break
                else:
                    return (values[0].backend if values else self.backend).run(op, values, args[arity:])
                for v in values:
                    if type(v) is not Array and type(v) is not Traced:
                        values = self._lift(values)
                        break
                return run(op, values, args[arity:])

            def call_one(x: Any, *params: Any) -> Any:
                return x.backend.run(op, (x,), params) if type(x) is Array else call(x, *params)

            def call_two(x: Any, y: Any, *params: Any) -> Any:
                if type(x) is Array:
                    if type(y) is Array:
                        return x.backend.run(op, (x, y), params)
                    if type(y) is float or type(y) is int:
                        return x.backend.run(op, (x, self.literal(y, x.node.dtype)), params)
                elif type(y) is Array and (type(x) is float or type(x) is int):
                    return y.backend.run(op, (self.literal(x, y.node.dtype), y), params)
                return call(x, y, *params)

            function = call_one if arity == 1 else call_two if arity == 2 else call
        self.__dict__[name] = function
        return function

    def _lift(self, values: Sequence[Any]) -> tuple[Any, ...]:
        dtype: DType | None = None
        for v in values:
            if isinstance(v, (Array, Traced)):
                dtype = v.dtype
        assert dtype is not None, "an op needs at least one tensor"
        return tuple([v if isinstance(v, (Array, Traced)) else self.literal(v, dtype) for v in values])

    def scalar(self, value: Any, dtype: DType) -> Array:
        """A rank-0 constant of a dtype."""
        return self.backend.constant(_of_kind(value, dtype), dtype)

    def literal(self, value: Any, dtype: DType) -> Array:
        """The same as an operand, which is not handed on."""
        return self.backend.literal(_of_kind(value, dtype), dtype)

    def full(self, value: Any, shape: Ints, dtype: DType) -> Any:
        """A constant in every element; its value compiles nothing new."""
        constant = self.scalar(value, dtype)
        return constant if shape == () else run(REGISTRY["expand"], (constant,), (tuple(shape),))


def _of_kind(value: Any, dtype: DType) -> Any:
    kind = dtype.kind
    return float(value) if kind is Float else bool(value) if kind is Bool else value


def sum_to(do: Do, g: Any, shape: Ints) -> Any:
    """Sums a gradient over the axes along which its input was broadcast."""
    if g.shape == shape:
        return g
    lead = len(g.shape) - len(shape)
    axes = tuple(i for i, s in enumerate(g.shape) if i < lead or (shape[i - lead] == 1 and s != 1))
    if axes:
        g = do.sum(g, axes, True)
    return do.reshape(g, shape) if g.shape != shape else g


class Gradients:
    """The gradients of one backward pass, by leaf. Read them with `tensor.grad(gradients)`."""

    def __init__(self, by_leaf: dict[Step, Value]) -> None:
        self._by_leaf = by_leaf

    def __len__(self) -> int:
        return len(self._by_leaf)

    def get(self, step: Step) -> Value | None:
        """The gradient of a leaf."""
        return self._by_leaf.get(step)

    def pop(self, step: Step) -> Value | None:
        """Takes the gradient of a leaf out."""
        return self._by_leaf.pop(step, None)

    def put(self, step: Step, value: Value) -> None:
        """Replaces the gradient of a leaf."""
        self._by_leaf[step] = value


def backward(root: Traced, seed: Value | None = None) -> Gradients:
    """Walks the tape from `root` back to its leaves and consumes it."""
    first = root.step
    if not first.tracked:
        raise GradientError(
            "the tensor is not part of a recorded graph", "mark the leaves with .require_grad() before computing"
        )
    order = _reachable(first)
    closed = False
    for step in order:
        if step.consumed:
            raise GradientError(
                "a step of this graph was already consumed by an earlier backward",
                "add the losses before calling backward, or compute the forward pass again",
            )
        closed = closed or (step.op is not None and step.op.vjp is NO_RULE)
    if closed:
        _refuse_no_rule(first)
    do = Do(array_of(root).backend)
    grads: dict[Step, Value] = {first: do.full(1, root.shape, root.dtype) if seed is None else seed}
    kept: dict[Step, Value] = {}
    cache: dict[int, Value] = {}
    for step in order:  # newest first
        g = grads.pop(step, None)
        if step.op is None:
            if g is not None and step.requires:
                kept[step] = g
            continue
        if g is not None:
            if array_of(g).backend is not do.backend:
                do = Do(array_of(g).backend)  # the forward pass went from one device to another
            for parent, part in zip(step.parents, _pull(do, step, g, cache)):
                if parent is None or part is None:
                    continue
                form = part.node if type(part) is Array else part
                if form.shape != parent.shape:
                    part = sum_to(do, part, parent.shape)
                if form.dtype is not parent.dtype:
                    part = do.cast(part, parent.dtype)
                old = grads.get(parent)
                grads[parent] = part if old is None else do.add(old, part)
        step.consumed = True
        step.saved = ()
        step.parents = ()
        step.state = None
    return Gradients(kept)


def _reachable(first: Step) -> list[Step]:
    seen = {first}
    stack = [first]
    while stack:
        for parent in stack.pop().parents:
            if parent is not None and parent not in seen:
                seen.add(parent)
                stack.append(parent)
    return sorted(seen, key=_id, reverse=True)


def _refuse_no_rule(first: Step) -> None:
    """Raises before anything is consumed, if the gradient would reach an op without a rule."""
    seen = {first}
    stack = [first]
    while stack:
        step = stack.pop()
        if step.op is None or step.op.vjp is ZERO:
            continue
        if step.op.vjp is NO_RULE:
            raise no_rule(step.op)
        for parent in step.parents:
            if parent is not None and parent not in seen:
                seen.add(parent)
                stack.append(parent)


def _pull(do: Do, step: Step, g: Value, cache: dict[int, Value]) -> Sequence[Value | None]:
    """The gradients of a step's inputs."""
    op = step.op
    assert op is not None
    rule = op.vjp
    if isinstance(rule, Rule):
        return [None] * len(step.parents)  # `backward` has refused what has no rule
    saved = [
        s.value if type(s) is Held else s if type(s) is Form else _restored(s, cache) for s in step.saved
    ]
    if op.variadic:
        return rule(do, g, saved[0], saved[1:], *step.params)
    parts = rule(do, g, *saved, *step.params)
    if not op.masks or not g.dtype.is_float():
        return parts
    # 0 times an infinite derivative is 0: a branch that was not taken leaks no NaN
    return [p if p is None or not p.dtype.is_float() else do.unless_zero(g, p) for p in parts]


def _restored(state: Recompute, cache: dict[int, Value]) -> Any:
    """A value that is computed again; it is shared during one backward pass."""
    stack = [state]
    while stack:
        s = stack[-1]
        if id(s) in cache:
            stack.pop()
            continue
        missing = [i for i in s.inputs if type(i) is Recompute and id(i) not in cache]
        if missing:
            stack.extend(missing)
            continue
        values = [i.value if type(i) is Held else cache[id(i)] for i in s.inputs]
        cache[id(s)] = run(s.op, values, s.params)
        stack.pop()
    return cache[id(state)]
