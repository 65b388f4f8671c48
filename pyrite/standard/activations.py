"""Activations and losses of neural networks, each one expression that fuses. Float tensors."""

from __future__ import annotations

from typing import Any

from ..apply import apply, cast_to, do_of, pair, wrap
from ..dtypes import as_dtype
from ..errors import ArgumentError, public
from ..layout import normalize_axes
from ..ops import composite
from ..tensor import Tensor
from .arguments import Axes, floats, tensor

__all__ = [
    "cross_entropy", "gelu", "layer_norm", "log_softmax", "logsumexp", "one_hot", "relu", "sigmoid", "silu",
    "softmax", "softplus",
]  # fmt: skip


@public("pr.relu")
def relu(x: Tensor, /) -> Tensor:
    """max(0, x); NaN stays. The gradient at 0 is 0.

    Example:
        >>> pr.relu(pr.asarray([-1.0, 2.0])).to_list()
        [0.0, 2.0]
    """
    t = floats(x)
    return wrap(composite.relu(do_of(t), t._v))


@public("pr.gelu")
def gelu(x: Tensor, /, *, approximate: bool = False) -> Tensor:
    """x · Φ(x) with the normal distribution function Φ, or its usual approximation by tanh.

    Example:
        >>> pr.gelu(pr.asarray([0.0, 10.0])).to_list()
        [0.0, 10.0]
    """
    t = floats(x)
    return wrap((composite.gelu_approximate if approximate else composite.gelu)(do_of(t), t._v))


@public("pr.silu")
def silu(x: Tensor, /) -> Tensor:
    """x · sigmoid(x).

    Example:
        >>> pr.silu(pr.asarray([0.0, 100.0])).to_list()
        [0.0, 100.0]
    """
    t = floats(x)
    return wrap(composite.silu(do_of(t), t._v))


@public("pr.sigmoid")
def sigmoid(x: Tensor, /) -> Tensor:
    """1 / (1 + e⁻ˣ), without overflow.

    Example:
        >>> pr.sigmoid(pr.asarray([0.0, 1000.0])).to_list()
        [0.5, 1.0]
    """
    return apply("sigmoid", (tensor(x),))


@public("pr.softplus")
def softplus(x: Tensor, /, *, beta: float = 1.0) -> Tensor:
    """ln(1 + exp(beta · x)) / beta, without overflow.

    Raises `ArgumentError` for a beta of 0.

    Example:
        >>> pr.softplus(pr.asarray([1000.0, -1000.0])).to_list()
        [1000.0, 0.0]
    """
    t = floats(x)
    if beta == 0:
        raise ArgumentError("beta is 0")
    return wrap(composite.softplus(do_of(t), t._v, float(beta)))


@public("pr.softmax")
def softmax(x: Tensor, /, *, axis: int = -1) -> Tensor:
    """exp(x) / Σ exp(x) along the axis, without overflow; NaN where all elements are -∞.

    Example:
        >>> pr.softmax(pr.asarray([1000.0, 1000.0])).to_list()
        [0.5, 0.5]
    """
    t = floats(x)
    return wrap(composite.softmax(do_of(t), t._v, axis))


@public("pr.log_softmax")
def log_softmax(x: Tensor, /, *, axis: int = -1) -> Tensor:
    """x - ln Σ exp(x) along the axis, without overflow.

    Example:
        >>> pr.log_softmax(pr.asarray([0.0, -1000.0])).to_list()
        [0.0, -1000.0]
    """
    t = floats(x)
    return wrap(composite.log_softmax(do_of(t), t._v, axis))


@public("pr.logsumexp")
def logsumexp(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """ln Σ exp(x) over the axes, without overflow; -∞ of nothing.

    Example:
        >>> pr.logsumexp(pr.asarray([1000.0, -1000.0])).item()
        1000.0
    """
    t = floats(x)
    return wrap(composite.logsumexp(do_of(t), t._v, normalize_axes(axis, t.rank), keepdims))


@public("pr.layer_norm")
def layer_norm(x: Tensor, /, gamma: Tensor | None = None, beta: Tensor | None = None, *, eps: float = 1e-5) -> Tensor:
    """(x - mean) / √(variance + eps) over the last axis, times gamma plus beta; the variance divides by n.

    Raises `ShapeError` for rank 0, or where gamma and beta do not broadcast.

    Example:
        >>> pr.layer_norm(pr.asarray([[1.0, 3.0]]), eps=0.0).to_list()
        [[-1.0, 1.0]]
    """
    t = floats(x)
    normalize_axes(-1, t.rank)
    given = [None if p is None else cast_to(pair(t, p)[1], t.dtype) for p in (gamma, beta)]
    do = do_of(t, *[p for p in given if p is not None])
    return wrap(composite.layer_norm(do, t._v, *[None if p is None else p._v for p in given], eps=float(eps)))


@public("pr.cross_entropy")
def cross_entropy(logits: Tensor, targets: Tensor, /, *, axis: int = -1) -> Tensor:
    """-log_softmax(logits) at the target class, one loss for each target: take `pr.mean` of them.

    `targets` is an Int tensor with the shape of `logits` without the axis of the classes. A class counted
    from the end is allowed, one out of range raises `BoundsError`.

    Raises `ShapeError` for another shape, `DTypeError` for targets that are not Int.

    Example:
        >>> pr.cross_entropy(pr.asarray([[0.0, 0.0], [100.0, 0.0]]), pr.asarray([1, 0])).to_list()
        [0.6931471824645996, 0.0]
    """
    x, t = floats(logits), tensor(targets)
    return wrap(composite.cross_entropy(do_of(x, t), x._v, t._v, axis))


@public("pr.one_hot")
def one_hot(indices: Tensor, num_classes: int, /, *, axis: int = -1, dtype: Any = None) -> Tensor:
    """1 at the class of each index, 0 elsewhere, along a new axis. The dtype is the default Float one.

    A class counted from the end is allowed, one out of range raises `BoundsError`.

    Example:
        >>> pr.one_hot(pr.asarray([0, 2]), 3, dtype=pr.int64).to_list()
        [[1, 0, 0], [0, 0, 1]]
    """
    t = tensor(indices)
    kept = t.device.settings().float_dtype if dtype is None else as_dtype(dtype)
    return wrap(composite.one_hot(do_of(t), t._v, int(num_classes), kept, axis))
