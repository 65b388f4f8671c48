"""Autodiff on tensors: Burn's methods, name for name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..apply import Handle, apply, array_in, need_kind, wrap
from ..backends.autodiff import (
    GradientCheckpointingStrategy,
    Gradients,
    Step,
    Traced,
    Value,
    array_of,
    backward,
    run,
)
from ..dtypes import Float
from ..errors import ArgumentError, DeviceError, DTypeError, GradientError, ShapeError, public
from ..ops.record import REGISTRY

if TYPE_CHECKING:
    from ..tensor import Tensor

_LEVEL = 1  # the tape of `backward`


def _traced(t: Handle) -> Traced | None:
    v = t._v
    return v if type(v) is Traced and v.level == _LEVEL else None


def _need_gradients(grads: object) -> None:
    if not isinstance(grads, Gradients):
        raise DTypeError(f"expected the Gradients that backward gives, got {type(grads).__name__}")


def _unshared(traced: Traced) -> Value:
    """The value below; of a result as a copy, which costs nothing unless it is kept."""
    if traced.step.op is None:
        return traced.value
    return run(REGISTRY["stop_gradient"], (traced.value,))


class Autodiff(Handle):
    """Recording, differentiating and reading gradients."""

    __slots__ = ()

    @public("Tensor.backward")
    def backward(self) -> Gradients:
        """Computes the gradients of this tensor with respect to the leaves that require them.

        A tensor of any shape is seeded with ones. Consumes the recorded steps that are reachable
        from here; leaves stay usable, and so do branches that share no step.

        Raises:
            GradientError: autodiff is off, the tensor is in no recorded graph, or a needed step
                was consumed by an earlier backward (nothing else is consumed then).

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> x.grad((x * x).sum().backward()).to_list()
            [2.0, 4.0]

        Source: Burn, `Tensor::backward`.
        """
        traced = _traced(self)
        if traced is None:
            raise GradientError("autodiff is off for this tensor", "call .autodiff().require_grad() on the leaves")
        return backward(traced)

    @public("Tensor.grad")
    def grad(self, grads: Gradients) -> Tensor | None:
        """The retained gradient of this leaf, without autodiff; None when there is none.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> x.grad((x * x).sum().backward()).to_list()
            [2.0, 4.0]

        Source: Burn, `Tensor::grad`.
        """
        traced = _traced(self)
        _need_gradients(grads)
        found = None if traced is None else grads.get(traced.step)
        return None if found is None else wrap(found)

    @public("Tensor.grad_remove")
    def grad_remove(self, grads: Gradients) -> Tensor | None:
        """As `grad`, and takes the gradient out of `grads`.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> grads = (x * x).sum().backward()
            >>> x.grad_remove(grads).to_list()
            [2.0, 4.0]
            >>> x.grad(grads) is None
            True

        Source: Burn, `Tensor::grad_remove`.
        """
        traced = _traced(self)
        _need_gradients(grads)
        found = None if traced is None else grads.pop(traced.step)
        return None if found is None else wrap(found)

    @public("Tensor.grad_replace")
    def grad_replace(self, grads: Gradients, grad: Tensor) -> None:
        """Replaces this tensor's entry in `grads`.

        Raises:
            GradientError: this tensor is outside autodiff, or `grad` is inside.
            DeviceError: the two are on different devices.
            ShapeError, DTypeError: `grad` has another shape or dtype than the tensor.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> grads = (x * x).sum().backward()
            >>> x.grad_replace(grads, pr.asarray([0.5, 0.5]))
            >>> x.grad(grads).to_list()
            [0.5, 0.5]

        Source: Burn, `Tensor::grad_replace`.
        """
        traced = _traced(self)
        if traced is None:
            raise GradientError("autodiff is off for this tensor")
        _need_gradients(grads)
        if not isinstance(grad, Handle):
            raise DTypeError(f"the new gradient must be a tensor, got {type(grad).__name__}")
        if _traced(grad) is not None:
            raise GradientError("the new gradient has autodiff on", "pass grad.inner()")
        if array_in(self).backend is not array_in(grad).backend:
            raise DeviceError("the tensor and its new gradient are on different devices")
        if grad._v.shape != self._v.shape:
            raise ShapeError(f"a gradient of shape {grad._v.shape} does not fit a tensor of shape {self._v.shape}")
        if grad._v.dtype is not self._v.dtype:
            raise DTypeError(f"a {grad._v.dtype.name} gradient does not fit a {self._v.dtype.name} tensor")
        grads.put(traced.step, grad._v)

    def is_tracked(self) -> bool:
        """Does this tensor take part in a recorded graph (also one that was consumed since)?

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> (x * 2).is_tracked()
            True

        Source: Burn, `Tensor::is_tracked`.
        """
        traced = _traced(self)
        return traced is not None and traced.step.tracked

    def is_autodiff(self) -> bool:
        """Is autodiff on for this tensor?

        Example:
            >>> pr.asarray([1.0]).is_autodiff()
            False

        Source: Burn, `Tensor::is_autodiff`.
        """
        return _traced(self) is not None

    def inner(self) -> Tensor:
        """The same values without autodiff; the tensor itself when it is off.

        Of a leaf it is a view of the same memory, of a result a copy: writing to it leaves the graph alone.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> x.inner().is_autodiff()
            False

        Source: Burn, `Tensor::inner`.
        """
        traced = _traced(self)
        return self if traced is None else wrap(_unshared(traced))  # type: ignore[return-value]

    def without_autodiff(self) -> Tensor:
        """The same as `inner`.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> x.without_autodiff().is_autodiff()
            False

        Source: Burn, `Tensor::without_autodiff`.
        """
        return self.inner()

    def autodiff(self) -> Tensor:
        """This tensor with autodiff on, not yet requiring a gradient; itself if it is on already.

        The values of a writable foreign buffer are copied, since the tape could not see them change.

        Example:
            >>> pr.asarray([1.0]).autodiff().is_autodiff()
            True

        Source: Burn, `Tensor::autodiff`.
        """
        v = self._v
        if type(v) is Traced:
            if v.level > _LEVEL and _traced(self) is None:
                raise GradientError("autodiff cannot be turned on inside pr.grad", "differentiate with pr.grad alone")
            return self  # type: ignore[return-value]
        array = array_of(v)
        storage = array.node.storage
        if storage is not None and storage.volatile:
            v = array.backend.capture(array)
        return wrap(Traced(v, _LEVEL, Step(v.shape, v.dtype), GradientCheckpointingStrategy.Disabled))

    @staticmethod
    def from_inner(inner: Tensor) -> Tensor:
        """The given tensor with autodiff on; the static form of `autodiff`.

        Example:
            >>> pr.Tensor.from_inner(pr.asarray([1.0])).is_autodiff()
            True

        Source: Burn, `Tensor::from_inner`.
        """
        return inner.autodiff()

    def gradient_checkpointing_strategy(self) -> GradientCheckpointingStrategy | None:
        """The checkpointing strategy; None when autodiff is off.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> x.gradient_checkpointing_strategy().name
            'Disabled'

        Source: Burn, `Tensor::gradient_checkpointing_strategy`.
        """
        traced = _traced(self)
        return None if traced is None else traced.strategy

    @public("Tensor.with_gradient_checkpointing_strategy")
    def with_gradient_checkpointing_strategy(self, strategy: GradientCheckpointingStrategy) -> Tensor:
        """This tensor with another checkpointing strategy; results of ops carry it.

        `Disabled` keeps what the gradient rules read; `Balanced` computes elementwise values again.
        Raises `GradientError` when autodiff is off; an op on two strategies raises too.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> balanced = pr.GradientCheckpointingStrategy.Balanced
            >>> x.with_gradient_checkpointing_strategy(balanced).gradient_checkpointing_strategy().name
            'Balanced'

        Source: Burn, `Tensor::with_gradient_checkpointing_strategy`.
        """
        traced = _traced(self)
        if traced is None:
            raise GradientError("autodiff is off for this tensor", "call .autodiff() first")
        if not isinstance(strategy, GradientCheckpointingStrategy):
            raise ArgumentError(f"{strategy!r} is not a GradientCheckpointingStrategy")
        return wrap(Traced(traced.value, _LEVEL, traced.step, strategy))

    @public("Tensor.detach")
    def detach(self) -> Tensor:
        """The same values with no history; a leaf keeps its `require_grad` setting.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> (x * 2).detach().is_tracked()
            False

        Source: Burn, `Tensor::detach`.
        """
        need_kind(self, Float)
        traced = _traced(self)
        if traced is None:
            # inside pr.grad the gradient stops here at every level
            return apply("stop_gradient", (self,)) if type(self._v) is Traced else self  # type: ignore[return-value]
        step = Step(traced.shape, traced.dtype)
        step.requires = traced.step.requires
        return wrap(Traced(_unshared(traced), _LEVEL, step, traced.strategy))

    @public("Tensor.require_grad")
    def require_grad(self) -> Tensor:
        """Marks this leaf: its gradient is kept by `backward`. Every handle of the leaf is marked.

        Raises `GradientError` when autodiff is off or the tensor is not a leaf.

        Example:
            >>> pr.asarray([1.0]).autodiff().require_grad().is_require_grad()
            True

        Source: Burn, `Tensor::require_grad`.
        """
        return self._set(True)

    def is_require_grad(self) -> bool:
        """Is the gradient kept after `backward`?

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> x.is_require_grad(), (x * 2).is_require_grad()
            (True, False)

        Source: Burn, `Tensor::is_require_grad`.
        """
        traced = _traced(self)
        return traced is not None and traced.step.requires

    @public("Tensor.set_require_grad")
    def set_require_grad(self, require_grad: bool) -> Tensor:
        """As `require_grad` for True; False ends the keeping and, on a result, starts a new lineage.

        Example:
            >>> x = pr.asarray([1.0, 2.0]).autodiff().require_grad()
            >>> x.set_require_grad(False).is_require_grad()
            False

        Source: Burn, `Tensor::set_require_grad`.
        """
        return self._set(require_grad)

    def _set(self, on: bool) -> Tensor:
        need_kind(self, Float)
        traced = _traced(self)
        if traced is None:
            if on:
                raise GradientError("autodiff is off for this tensor", "call .autodiff() first")
            return self.detach()
        if traced.step.op is not None:
            if on:
                raise GradientError(
                    "only a leaf can require a gradient; this tensor is the result of an operation",
                    "call .detach() first to start a new lineage",
                )
            return wrap(Traced(_unshared(traced), _LEVEL, Step(traced.shape, traced.dtype), traced.strategy))
        traced.step.requires = on
        return self  # type: ignore[return-value]
