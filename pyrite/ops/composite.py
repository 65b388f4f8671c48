"""Functions made of ops alone: `do` runs them, so they differentiate to every order and fuse.

Half-precision inputs are widened at the start and rounded once at the end. Statistics and norms
run in float64 inside, where neither a large mean nor a square overflows.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ..dtypes import ALL, DType, Float, float32, float64, int64
from ..errors import ArgumentError, DTypeError, ShapeError
from ..layout import broadcast_shapes, normalize_axis, size_of
from .record import ZERO, Samples, Shape, op
from .reduce import count_nonzero
from .samples import unary
from .sorting import median_with_indices

Axes = tuple[int, ...]

stop_gradient = op(
    "stop_gradient",
    fuses="elementwise",
    doc="x, as a constant to differentiation.",
    infer=lambda x: (x.shape, x.dtype),
    reference=lambda x: x,
    scalar=lambda b, x: x,
    vjp=ZERO,
    samples=Samples(ALL, unary(), exact=True),
    half="native",
)


def _round_once(f: Callable[..., Any]) -> Callable[..., Any]:
    """Runs `f` on float32 in place of half-precision tensors and rounds its result; refuses other kinds."""

    @functools.wraps(f)
    def run(do: Any, x: Any, *rest: Any, **named: Any) -> Any:
        if x.dtype.kind is not Float:
            raise DTypeError(f"expected a Float tensor, this one is {x.dtype.name}")
        if not x.dtype.is_half():
            return f(do, x, *rest, **named)
        wide = [do.cast(r, float32) if getattr(r, "dtype", None) in _HALVES else r for r in (x, *rest)]
        return do.cast(f(do, *wide, **named), x.dtype)

    return run


_HALVES = tuple(d for d in ALL if d.is_half())


def _double(do: Any, x: Any) -> Any:
    """x in float64, if it is of a narrower Float dtype."""
    if x.dtype.kind is not Float:
        raise DTypeError(f"expected a Float tensor, this one is {x.dtype.name}")
    return x if x.dtype is float64 else do.cast(x, float64)


def _as(do: Any, x: Any, dtype: DType) -> Any:
    return x if x.dtype is dtype else do.cast(x, dtype)


def _count(shape: Shape, axes: Axes) -> int:
    return size_of([shape[a] for a in axes])


# --- statistics --------------------------------------------------------------------------


def _spread(do: Any, x: Any, axes: Axes, keepdims: bool, correction: float) -> tuple[Any, Any]:
    """Variance and mean in float64; no element left to divide by gives NaN or infinity."""
    wide = _double(do, x)
    mean = do.mean(wide, axes, True)
    squares = do.sum(do.square(do.sub(wide, mean)), axes, keepdims)
    return do.div(squares, float(max(_count(x.shape, axes) - correction, 0))), mean


def var(do: Any, x: Any, axes: Axes, keepdims: bool, correction: float = 0) -> Any:
    """Σ(x - mean)² / (n - correction) over `axes`."""
    return _as(do, _spread(do, x, axes, keepdims, correction)[0], x.dtype)


def std(do: Any, x: Any, axes: Axes, keepdims: bool, correction: float = 0) -> Any:
    """The square root of the variance; its gradient is 0 where the variance is."""
    return _as(do, do.sqrt(_spread(do, x, axes, keepdims, correction)[0]), x.dtype)


def var_mean(do: Any, x: Any, axes: Axes, keepdims: bool, correction: float = 0) -> tuple[Any, Any]:
    """Variance and mean over `axes`."""
    variance, mean = _spread(do, x, axes, keepdims, correction)
    if not keepdims:
        mean = do.reshape(mean, variance.shape)
    return _as(do, variance, x.dtype), _as(do, mean, x.dtype)


def median(do: Any, x: Any, axis: int, keepdims: bool) -> Any:
    """The middle element along `axis`: of two the lower one, NaN if there is any."""
    axis = normalize_axis(axis, len(x.shape))
    values = median_with_indices(do, x, axis)[0]
    return values if keepdims else do.reshape(values, x.shape[:axis] + x.shape[axis + 1 :])


def cov(do: Any, x: Any, axis: int, correction: float = 1) -> Any:
    """The covariance matrix of the variables of a matrix whose observations lie along `axis`."""
    if len(x.shape) != 2:
        raise ShapeError(f"a covariance needs a tensor of rank 2, this one has shape {x.shape}")
    axis = normalize_axis(axis, 2)
    wide = _double(do, x)
    centred = do.sub(wide, do.mean(wide, (axis,), True))
    turned = do.permute(centred, (1, 0))
    product = do.matmul(centred, turned) if axis == 1 else do.matmul(turned, centred)
    return _as(do, do.div(product, float(max(x.shape[axis] - correction, 0))), x.dtype)


def vector_norm(do: Any, x: Any, ord: float, axes: Axes, keepdims: bool) -> Any:
    """(Σ|x|ᵖ)^(1/p) over `axes`; p = 0 counts, ±∞ are the extremes. No overflow inside; gradient 0 at 0."""
    size = do.abs(x)
    dtype = size.dtype
    if dtype.kind is not Float:
        raise DTypeError(f"a norm needs a Float or Complex tensor, this one is {x.dtype.name}")
    if ord == math.inf:
        return do.max(size, axes, keepdims)
    if ord == -math.inf:
        return do.min(size, axes, keepdims)
    if ord == 0:
        return do.cast(count_nonzero(do, size, axes, keepdims), dtype)
    if ord == 1:
        return do.sum(size, axes, keepdims)
    wide = _double(do, size)
    empty = _count(x.shape, axes) == 0
    scale = None if empty or (dtype is not float64 and ord == 2) else _scale(do, wide, axes, largest=ord > 0)
    if scale is not None:
        wide = do.div(wide, scale)
    total = _power_sum(do, wide, ord, axes)
    norm = total if scale is None else do.mul(total, scale)
    if not keepdims:
        norm = do.reshape(norm, tuple(n for i, n in enumerate(x.shape) if i not in axes))
    return _as(do, norm, dtype)


def _scale(do: Any, size: Any, axes: Axes, largest: bool) -> Any:
    """A constant that brings the element that dominates to 1; 1 where that is zero, infinite or NaN."""
    extreme = do.stop_gradient(do.max(size, axes, True) if largest else do.min(size, axes, True))
    usable = do.logical_and(do.gt(extreme, 0), do.isfinite(extreme))
    return do.where(usable, extreme, 1)


def _power_sum(do: Any, size: Any, ord: float, axes: Axes) -> Any:
    """(Σ sizeᵖ)^(1/p), axes kept, with derivative 0 where a power has none."""
    if ord == 2:
        return do.sqrt(do.sum(do.square(size), axes, True))
    if ord < 0:
        return do.pow(do.sum(do.pow(size, ord), axes, True), 1 / ord)
    # 0ᵖ⁻¹ is infinite for p < 1, so zeros take a way around
    zero = do.eq(size, 0)
    total = do.sum(do.where(zero, 0, do.pow(do.where(zero, 1, size), ord)), axes, True)
    none = do.eq(total, 0)
    return do.where(none, 0, do.pow(do.where(none, 1, total), 1 / ord))


# --- softmax and losses ------------------------------------------------------------------


def _peak(do: Any, x: Any, axis: int) -> Any:
    """The maximum along `axis`, as a constant: softmax does not depend on what is subtracted."""
    return do.stop_gradient(do.max(x, (axis,), True))


@_round_once
def softmax(do: Any, x: Any, axis: int) -> Any:
    """exp(x) / Σ exp(x) along `axis`; NaN where all elements are -∞."""
    axis = normalize_axis(axis, len(x.shape))
    if x.shape[axis] == 0:
        return x
    e = do.exp(do.sub(x, _peak(do, x, axis)))
    return do.div(e, do.sum(e, (axis,), True))


@_round_once
def log_softmax(do: Any, x: Any, axis: int) -> Any:
    """x - log Σ exp(x) along `axis`."""
    axis = normalize_axis(axis, len(x.shape))
    if x.shape[axis] == 0:
        return x
    z = do.sub(x, _peak(do, x, axis))
    return do.sub(z, do.log(do.sum(do.exp(z), (axis,), True)))


def softmin(do: Any, x: Any, axis: int) -> Any:
    """softmax(-x)."""
    return softmax(do, do.neg(x), axis)


@_round_once
def quiet_softmax(do: Any, x: Any, axis: int) -> Any:
    """exp(x) / (1 + Σ exp(x)) along `axis`; 0 where all elements are -∞."""
    axis = normalize_axis(axis, len(x.shape))
    if x.shape[axis] == 0:
        return x
    top = do.maximum(_peak(do, x, axis), 0)
    e = do.exp(do.sub(x, top))
    return do.div(e, do.add(do.exp(do.neg(top)), do.sum(e, (axis,), True)))


@_round_once
def logsumexp(do: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
    """log Σ exp(x) over `axes`; -∞ of nothing and of -∞ alone."""
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    if _count(x.shape, axes) == 0:
        out = do.full(-math.inf, shape, x.dtype)
    else:
        top = do.stop_gradient(do.max(x, axes, True))
        top = do.where(do.isfinite(top), top, 0)
        out = do.add(do.log(do.sum(do.exp(do.sub(x, top)), axes, True)), top)
    return out if keepdims else do.reshape(out, tuple(n for i, n in enumerate(x.shape) if i not in axes))


@_round_once
def layer_norm(do: Any, x: Any, gamma: Any = None, beta: Any = None, eps: float = 1e-5) -> Any:
    """(x - mean) / √(variance + eps) · gamma + beta over the last axis; the variance is the biased one."""
    last = (len(x.shape) - 1,)
    centred = do.sub(x, do.mean(x, last, True))
    scale = do.sqrt(do.add(do.mean(do.square(centred), last, True), eps))
    out = do.div(centred, scale)
    if gamma is not None:
        out = do.mul(out, gamma)
    return out if beta is None else do.add(out, beta)


def _axis_numbers(do: Any, rank: int, axis: int, size: int) -> Any:
    """0, 1, … along `axis`, with size 1 along the others."""
    return do.iota(tuple(size if i == axis else 1 for i in range(rank)), axis, int64)


@_round_once
def _cross_entropy(do: Any, logits: Any, targets: Any, axis: int) -> Any:
    z = do.sub(logits, _peak(do, logits, axis))
    chosen = do.eq(_axis_numbers(do, len(z.shape), axis, z.shape[axis]), targets)
    # log Σ exp(z) - z[target]: both terms are small, where those of x need not be
    return do.sub(do.log(do.sum(do.exp(z), (axis,), False)), do.sum(do.where(chosen, z, 0), (axis,), False))


def cross_entropy(do: Any, logits: Any, targets: Any, axis: int = -1) -> Any:
    """-log_softmax(logits)[target] along `axis`, one loss for each target."""
    axis = normalize_axis(axis, len(logits.shape))
    rows = logits.shape[:axis] + logits.shape[axis + 1 :]
    if targets.shape != rows:
        raise ShapeError(f"logits of shape {logits.shape} need targets of shape {rows}, these have {targets.shape}")
    classes = do.wrap_index(targets, logits.shape[axis], axis)
    if logits.shape[axis] == 0:
        return do.full(0, rows, logits.dtype)
    return _cross_entropy(do, logits, do.reshape(classes, rows[:axis] + (1,) + rows[axis:]), axis)


@_round_once
def mse(do: Any, prediction: Any, target: Any) -> Any:
    """The mean of the squared differences, of rank 0."""
    squares = do.square(do.sub(prediction, target))
    return do.mean(squares, tuple(range(len(squares.shape))), False)


def one_hot(do: Any, indices: Any, classes: int, dtype: DType, axis: int = -1, checked: bool = True) -> Any:
    """1 at the class of each index, 0 elsewhere, along a new `axis`; unchecked, an index outside gives zeros."""
    rank = len(indices.shape) + 1
    axis = normalize_axis(axis, rank)
    if checked:
        indices = do.wrap_index(indices, classes, axis)
    column = do.reshape(_as(do, indices, int64), indices.shape[:axis] + (1,) + indices.shape[axis:])
    return do.cast(do.eq(_axis_numbers(do, rank, axis, classes), column), dtype)


# --- activations -------------------------------------------------------------------------


def clamp(do: Any, x: Any, lo: Any, hi: Any) -> Any:
    """x, but not below `lo` nor above `hi` (numbers, tensors or None); NaN stays. On a bound x gets the gradient."""
    if isinstance(lo, (int, float)) and isinstance(hi, (int, float)) and lo > hi:
        raise ArgumentError(f"the lower bound {lo} is above the upper bound {hi}")
    if lo is not None:
        x = do.maximum(x, lo)
    return x if hi is None else do.minimum(x, hi)


def relu(do: Any, x: Any) -> Any:
    """max(0, x); the gradient at 0 is 0."""
    return do.maximum(0, x)  # on a tie the first operand, the constant, takes the gradient


@_round_once
def relu6(do: Any, x: Any) -> Any:
    """x between 0 and 6."""
    return do.minimum(do.maximum(0, x), 6)


@_round_once
def leaky_relu(do: Any, x: Any, slope: float = 0.01) -> Any:
    """x for x ≥ 0, else slope·x."""
    return do.where(do.lt(x, 0), do.mul(x, slope), x)


@_round_once
def prelu(do: Any, x: Any, alpha: Any) -> Any:
    """x for x ≥ 0, else alpha·x; alpha has one element or one for each index of axis 1."""
    if len(alpha.shape) != 1 or (alpha.shape[0] != 1 and (len(x.shape) < 2 or alpha.shape[0] != x.shape[1])):
        raise ShapeError(f"alpha of shape {alpha.shape} must have one element, or the size of axis 1 of {x.shape}")
    if alpha.shape[0] != 1:
        alpha = do.reshape(alpha, (*alpha.shape, *(1,) * (len(x.shape) - 2)))
    slope = do.mul(x, alpha) if x.shape else do.mul(x, do.reshape(alpha, ()))
    return do.where(do.lt(x, 0), slope, x)


@_round_once
def elu(do: Any, x: Any, alpha: float = 1.0) -> Any:
    """x for x > 0, else alpha·(eˣ - 1)."""
    return do.where(do.gt(x, 0), x, do.mul(do.expm1(do.minimum(x, 0)), alpha))


@_round_once
def celu(do: Any, x: Any, alpha: float = 1.0) -> Any:
    """x for x > 0, else alpha·(exp(x/alpha) - 1)."""
    return do.where(do.gt(x, 0), x, do.mul(do.expm1(do.div(do.minimum(x, 0), alpha)), alpha))


@_round_once
def selu(do: Any, x: Any) -> Any:
    """The self-normalising elu of Klambauer and others (2017), with their constants."""
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    low = do.mul(do.expm1(do.minimum(x, 0)), alpha * scale)
    return do.where(do.gt(x, 0), do.mul(x, scale), low)


@_round_once
def gelu(do: Any, x: Any) -> Any:
    """x·Φ(x), with the normal distribution function Φ = erfc(-x/√2)/2."""
    return do.mul(do.mul(x, 0.5), do.erfc(do.mul(x, -math.sqrt(0.5))))


@_round_once
def gelu_approximate(do: Any, x: Any) -> Any:
    """x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))."""
    # tanh is ±1 long before the bounds, where the cube could overflow in the gradient
    near = clamp(do, x, -30.0, 30.0)
    inner = do.mul(near, do.add(do.mul(do.square(near), 0.044715), 1))
    return do.mul(do.mul(x, 0.5), do.add(do.tanh(do.mul(inner, math.sqrt(2 / math.pi))), 1))


@_round_once
def silu(do: Any, x: Any) -> Any:
    """x·sigmoid(x)."""
    return do.mul(x, do.sigmoid(x))


def _softplus(do: Any, x: Any) -> Any:
    """log(1 + eˣ) as max(x, 0) + log1p(exp(-|x|)), with -|x| written so that the gradient at 0 is 1/2."""
    above = do.gt(x, 0)
    return do.add(do.where(above, x, 0), do.log1p(do.exp(do.where(above, do.neg(x), x))))


@_round_once
def softplus(do: Any, x: Any, beta: float = 1.0) -> Any:
    """log(1 + exp(beta·x)) / beta; beta·x may overflow, x itself is added."""
    if beta == 1:
        return _softplus(do, x)
    scaled = do.mul(x, beta)
    above = do.gt(scaled, 0)
    rest = do.log1p(do.exp(do.where(above, do.neg(scaled), scaled)))
    return do.add(do.where(above, x, 0), do.div(rest, beta))


@_round_once
def log_sigmoid(do: Any, x: Any) -> Any:
    """-log(1 + e⁻ˣ)."""
    return do.neg(_softplus(do, do.neg(x)))


@_round_once
def mish(do: Any, x: Any) -> Any:
    """x·tanh(softplus(x))."""
    return do.mul(x, do.tanh(_softplus(do, x)))


@_round_once
def softsign(do: Any, x: Any) -> Any:
    """x / (1 + |x|)."""
    return do.div(x, do.add(do.abs(x), 1))


@_round_once
def hard_sigmoid(do: Any, x: Any, alpha: float = 1 / 6, beta: float = 0.5) -> Any:
    """alpha·x + beta between 0 and 1."""
    return clamp(do, do.add(do.mul(x, alpha), beta), 0.0, 1.0)


@_round_once
def hard_swish(do: Any, x: Any) -> Any:
    """x times x/6 + 1/2 between 0 and 1."""
    return do.mul(x, clamp(do, do.add(do.div(x, 6), 0.5), 0.0, 1.0))


@_round_once
def hardtanh(do: Any, x: Any, lo: float = -1.0, hi: float = 1.0) -> Any:
    """x between `lo` and `hi`."""
    return clamp(do, x, lo, hi)


@_round_once
def shrink(do: Any, x: Any, threshold: float, bias: float) -> Any:
    """x - bias above the threshold, x + bias below its negative, else 0."""
    inner = do.where(do.isnan(x), x, 0)
    return do.where(do.gt(x, threshold), do.sub(x, bias), do.where(do.lt(x, -threshold), do.add(x, bias), inner))


def soft_shrink(do: Any, x: Any, threshold: float = 0.5) -> Any:
    """`shrink` whose bias is the threshold, which makes it continuous."""
    return shrink(do, x, threshold, threshold)


@_round_once
def hard_shrink(do: Any, x: Any, threshold: float = 0.5) -> Any:
    """x where |x| is above the threshold, else 0."""
    return do.where(do.le(do.abs(x), threshold), 0, x)


@_round_once
def threshold(do: Any, x: Any, threshold: float, value: float) -> Any:
    """x above the threshold, else `value`; NaN stays."""
    return do.where(do.le(x, threshold), value, x)


def _tanh_coefficients(count: int) -> list[float]:
    """c[k] of tanh(x) = Σ c[k]·x²ᵏ⁺¹, from tanh' = 1 - tanh²."""
    c = [1.0]
    for k in range(1, count):
        c.append(-sum(c[i] * c[k - 1 - i] for i in range(k)) / (2 * k + 1))
    return c


_TANH = _tanh_coefficients(14)


@_round_once
def tanhshrink(do: Any, x: Any) -> Any:
    """x - tanh(x); by its Taylor series near 0, where the difference would cancel."""
    near = clamp(do, x, -0.4, 0.4)
    square = do.square(near)
    series = do.mul(square, -_TANH[-1])
    for c in _TANH[-2:0:-1]:
        series = do.mul(square, do.sub(series, c))
    return do.where(do.lt(do.abs(x), 0.4), do.mul(near, series), do.sub(x, do.tanh(x)))


def glu(do: Any, x: Any, axis: int = -1) -> Any:
    """a·sigmoid(b) of the halves a and b of `axis`."""
    axis = normalize_axis(axis, len(x.shape))
    if x.shape[axis] % 2:
        raise ShapeError(f"axis {axis} of {x.shape} has an odd size")
    a, b = chunk(do, x, 2, axis) if x.shape[axis] else (x, x)
    return _glu(do, a, b)


@_round_once
def _glu(do: Any, a: Any, b: Any) -> Any:
    return do.mul(a, do.sigmoid(b))


# --- comparison and interpolation --------------------------------------------------------


def isclose(do: Any, x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """|x - y| ≤ atol + rtol·|y|; an infinity is close to itself alone."""
    both = do.logical_and(do.isfinite(x), do.isfinite(y))
    near = do.le(do.abs(do.sub(x, y)), do.add(do.mul(do.abs(y), rtol), atol))
    close = do.logical_or(do.logical_and(both, near), do.eq(x, y))
    return do.logical_or(close, do.logical_and(do.isnan(x), do.isnan(y))) if equal_nan else close


def lerp(do: Any, a: Any, b: Any, weight: Any) -> Any:
    """a + weight·(b - a), exact at the weights 0 and 1."""
    step = do.sub(b, a)
    if isinstance(weight, (int, float)):
        return do.add(a, do.mul(step, weight)) if weight < 0.5 else do.sub(b, do.mul(step, 1 - weight))
    low, high = do.add(a, do.mul(step, weight)), do.sub(b, do.mul(step, do.sub(1, weight)))
    return do.where(do.lt(weight, 0.5), low, high)


# --- matrices ----------------------------------------------------------------------------


def trace(do: Any, x: Any, offset: int = 0) -> Any:
    """The sum of the diagonal of the last two axes."""
    rank = len(x.shape)
    if rank < 2:
        raise ShapeError(f"a trace needs rank 2 or more, this tensor has shape {x.shape}")
    return do.sum(do.diagonal(x, rank - 2, rank - 1, offset), (rank - 2,), False)


def cross(do: Any, x: Any, y: Any, axis: int = -1) -> Any:
    """The vector product along `axis`, of size 3 in both; the other axes broadcast."""
    rank = max(len(x.shape), len(y.shape))
    axis = normalize_axis(axis, rank)
    for t in (x, y):
        at = axis - rank + len(t.shape)
        if at < 0 or t.shape[at] != 3:
            raise ShapeError(f"{x.shape} and {y.shape} must both have size 3 along axis {axis - rank}")
    broadcast_shapes(x.shape, y.shape)
    from_end = axis - rank
    x1, x2 = (roll(do, x, -k, from_end) for k in (1, 2))
    y1, y2 = (roll(do, y, -k, from_end) for k in (1, 2))
    return do.sub(do.mul(x1, y2), do.mul(x2, y1))


# --- arrangement -------------------------------------------------------------------------


def narrow(do: Any, x: Any, axis: int, start: int, length: int) -> Any:
    """The elements start … start+length-1 of `axis`."""
    rank = len(x.shape)
    axis = normalize_axis(axis, rank)
    starts = tuple(start if i == axis else 0 for i in range(rank))
    sizes = tuple(length if i == axis else n for i, n in enumerate(x.shape))
    return do.slice(x, starts, (1,) * rank, sizes)


def flip(do: Any, x: Any, axes: Axes) -> Any:
    """x with the order along `axes` reversed."""
    starts = tuple(max(n - 1, 0) if i in axes else 0 for i, n in enumerate(x.shape))
    return do.slice(x, starts, tuple(-1 if i in axes else 1 for i in range(len(x.shape))), x.shape)


def roll(do: Any, x: Any, shift: int, axis: int) -> Any:
    """x moved by `shift` toward higher indices of `axis`; what leaves at one end enters at the other."""
    axis = normalize_axis(axis, len(x.shape))
    n = x.shape[axis]
    shift = shift % n if n else 0
    if shift == 0:
        return x
    return do.concat([narrow(do, x, axis, n - shift, shift), narrow(do, x, axis, 0, n - shift)], axis)


def tile(do: Any, x: Any, counts: Sequence[int]) -> Any:
    """x repeated as a whole counts[i] times along axis i; missing counts are 1, missing axes have size 1."""
    rank = max(len(counts), len(x.shape))
    times = (1,) * (rank - len(counts)) + tuple(counts)
    shape = (1,) * (rank - len(x.shape)) + x.shape
    apart = do.reshape(x, tuple(s for n in shape for s in (1, n)))
    spread = do.expand(apart, tuple(s for t, n in zip(times, shape) for s in (t, n)))
    return do.reshape(spread, tuple(t * n for t, n in zip(times, shape)))


def repeat(do: Any, x: Any, times: int, axis: int) -> Any:
    """Each element along `axis` `times` times in a row."""
    axis = normalize_axis(axis, len(x.shape))
    n, before, after = x.shape[axis], x.shape[:axis], x.shape[axis + 1 :]
    spread = do.expand(do.reshape(x, (*before, n, 1, *after)), (*before, n, times, *after))
    return do.reshape(spread, (*before, n * times, *after))


def stack(do: Any, xs: Sequence[Any], axis: int) -> Any:
    """Tensors of one shape side by side along a new axis."""
    if not xs:
        raise ShapeError("no tensors to stack")
    shape = xs[0].shape
    for i, x in enumerate(xs):
        if x.shape != shape:
            raise ShapeError(f"tensor 0 has shape {shape} and tensor {i} {x.shape}: only equal shapes stack")
    axis = normalize_axis(axis, len(shape) + 1)
    return do.concat([do.reshape(x, (*shape[:axis], 1, *shape[axis:])) for x in xs], axis)


def split(do: Any, x: Any, sizes: Sequence[int], axis: int) -> list[Any]:
    """Consecutive pieces of the given sizes along `axis`."""
    axis = normalize_axis(axis, len(x.shape))
    if any(s < 0 for s in sizes) or sum(sizes) != x.shape[axis]:
        raise ShapeError(f"pieces of sizes {tuple(sizes)} do not make up axis {axis} of {x.shape}")
    pieces = []
    start = 0
    for s in sizes:
        pieces.append(narrow(do, x, axis, start, s))
        start += s
    return pieces


def chunk(do: Any, x: Any, chunks: int, axis: int) -> list[Any]:
    """At most `chunks` pieces along `axis`, all but the last of size ⌈n / chunks⌉."""
    axis = normalize_axis(axis, len(x.shape))
    if chunks < 1:
        raise ArgumentError(f"{chunks} chunks were asked for, at least 1 is needed")
    n = x.shape[axis]
    size = max(1, -(-n // chunks))
    sizes = [size] * (n // size) + ([n % size] if n % size else [])
    return split(do, x, sizes or [0], axis)


def diff(do: Any, x: Any, axis: int = -1, times: int = 1) -> Any:
    """x[k+1] - x[k] along `axis`, `times` times over."""
    axis = normalize_axis(axis, len(x.shape))
    for _ in range(times):
        n = max(x.shape[axis] - 1, 0)
        if x.shape[axis] == 0:
            break
        later, earlier = narrow(do, x, axis, 1, n), narrow(do, x, axis, 0, n)
        x = do.ne(later, earlier) if x.dtype.is_bool() else do.sub(later, earlier)
    return x


def meshgrid(do: Any, xs: Sequence[Any], cartesian: bool = False, sparse: bool = False) -> list[Any]:
    """A grid of rank len(xs) for each vector, which varies along its own axis; `cartesian` swaps the first two."""
    for x in xs:
        if len(x.shape) != 1:
            raise ShapeError(f"a grid is made of tensors of rank 1, one has shape {x.shape}")
    rank = len(xs)
    places = [1, 0, *range(2, rank)] if cartesian and rank > 1 else list(range(rank))
    whole = [0] * rank
    for x, place in zip(xs, places):
        whole[place] = x.shape[0]
    grids = []
    for x, place in zip(xs, places):
        line = do.reshape(x, tuple(x.shape[0] if i == place else 1 for i in range(rank)))
        grids.append(line if sparse else do.expand(line, tuple(whole)))
    return grids
