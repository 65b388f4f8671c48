"""`pr.activation`: activation functions under Burn's names, each one expression that fuses.

All take Float tensors and keep shape and dtype. NaN in gives NaN out and leaves its neighbours alone;
half-precision tensors are computed in float32 and rounded once; no branch that is not taken reaches
a gradient. Another kind raises `DTypeError`, a `dim` out of range `AxisError`.
"""

from __future__ import annotations

from typing import Any

from ..apply import apply, do_of, pair, wrap
from ..dtypes import Float, check_scalar
from ..errors import ArgumentError, public
from ..methods.basic import need_tensor
from ..ops import composite
from ..ops.elementwise import check_kind
from ..tensor import Tensor

__all__ = [
    "celu", "elu", "gelu", "gelu_approximate", "glu", "hard_shrink", "hard_sigmoid", "hard_swish", "hardtanh",
    "leaky_relu", "log_sigmoid", "log_softmax", "mish", "prelu", "quiet_softmax", "relu", "relu6", "selu", "shrink",
    "sigmoid", "silu", "soft_shrink", "softmax", "softmin", "softplus", "softsign", "tanh", "tanhshrink",
    "threshold", "thresholded_relu",
]  # fmt: skip


def _floats(x: Any) -> Tensor:
    t = need_tensor(x)
    check_kind(t._v.dtype, (Float,))
    return t


def _number(x: Any, t: Tensor) -> float:
    return float(check_scalar(x, t._v.dtype))


def _run(function: Any, t: Tensor, *params: Any) -> Tensor:
    return wrap(function(do_of(t), t._v, *params))


# --- ramps with a bend -------------------------------------------------------------------


@public("pr.activation.relu")
def relu(tensor: Tensor) -> Tensor:
    """max(0, x). The gradient at 0 is 0.

    Example:
        >>> pr.activation.relu(pr.asarray([-1.0, 0.0, 2.0])).to_list()
        [0.0, 0.0, 2.0]

    Source: Burn, `activation::relu`.
    """
    return _run(composite.relu, _floats(tensor))


@public("pr.activation.relu6")
def relu6(tensor: Tensor) -> Tensor:
    """x between 0 and 6.

    Example:
        >>> pr.activation.relu6(pr.asarray([-1.0, 2.0, 7.0])).to_list()
        [0.0, 2.0, 6.0]

    Source: Burn, `activation::relu6`.
    """
    return _run(composite.relu6, _floats(tensor))


@public("pr.activation.leaky_relu")
def leaky_relu(tensor: Tensor, negative_slope: float) -> Tensor:
    """x for x ≥ 0, else slope · x. The gradient at 0 is 1.

    Example:
        >>> pr.activation.leaky_relu(pr.asarray([-2.0, 2.0]), 0.5).to_list()
        [-1.0, 2.0]

    Source: Burn, `activation::leaky_relu`.
    """
    t = _floats(tensor)
    return _run(composite.leaky_relu, t, _number(negative_slope, t))


@public("pr.activation.prelu")
def prelu(tensor: Tensor, alpha: Tensor) -> Tensor:
    """x for x ≥ 0, else alpha · x; `alpha` is `(1,)`, or `(channels,)` along dim 1. Gradient to both.

    Raises `ShapeError` for an `alpha` of another rank or with neither 1 nor the size of dim 1 elements.

    Example:
        >>> pr.activation.prelu(pr.asarray([[-2.0, -2.0]]), pr.asarray([0.5, 0.25])).to_list()
        [[-1.0, -0.5]]

    Source: Burn, `activation::prelu`.
    """
    t, a = pair(_floats(tensor), _floats(alpha))
    return _run(composite.prelu, t, a._v)


@public("pr.activation.threshold")
def threshold(tensor: Tensor, threshold: float, value: float) -> Tensor:
    """x where x > threshold, else `value`; NaN stays.

    Example:
        >>> pr.activation.threshold(pr.asarray([0.5, 1.5]), 1.0, -3.0).to_list()
        [-3.0, 1.5]

    Source: Burn, `activation::threshold`.
    """
    t = _floats(tensor)
    return _run(composite.threshold, t, _number(threshold, t), _number(value, t))


@public("pr.activation.thresholded_relu")
def thresholded_relu(tensor: Tensor, alpha: float) -> Tensor:
    """x where x > alpha, else 0; NaN stays.

    Example:
        >>> pr.activation.thresholded_relu(pr.asarray([0.5, 1.5]), 1.0).to_list()
        [0.0, 1.5]

    Source: Burn, `activation::thresholded_relu`.
    """
    t = _floats(tensor)
    return _run(composite.threshold, t, _number(alpha, t), 0.0)


@public("pr.activation.hardtanh")
def hardtanh(tensor: Tensor, min_val: float, max_val: float) -> Tensor:
    """x between `min_val` and `max_val`; NaN stays.

    Raises `ArgumentError` where min_val > max_val.

    Example:
        >>> pr.activation.hardtanh(pr.asarray([-3.0, 0.5, 3.0]), -1.0, 1.0).to_list()
        [-1.0, 0.5, 1.0]

    Source: Burn, `activation::hardtanh`.
    """
    t = _floats(tensor)
    return _run(composite.hardtanh, t, _number(min_val, t), _number(max_val, t))


@public("pr.activation.hard_sigmoid")
def hard_sigmoid(tensor: Tensor, alpha: float, beta: float) -> Tensor:
    """alpha · x + beta between 0 and 1. PyTorch's is alpha 1/6 and beta 0.5, that of ONNX 0.2 and 0.5.

    Example:
        >>> pr.activation.hard_sigmoid(pr.asarray([-9.0, 1.0, 9.0]), 0.25, 0.5).to_list()
        [0.0, 0.75, 1.0]

    Source: Burn, `activation::hard_sigmoid`.
    """
    t = _floats(tensor)
    return _run(composite.hard_sigmoid, t, _number(alpha, t), _number(beta, t))


@public("pr.activation.hard_swish")
def hard_swish(tensor: Tensor) -> Tensor:
    """x · (x/6 + 1/2 between 0 and 1).

    Example:
        >>> pr.activation.hard_swish(pr.asarray([-4.0, 0.0, 4.0])).to_list()
        [-0.0, 0.0, 4.0]

    Source: Burn, `activation::hard_swish`.
    """
    return _run(composite.hard_swish, _floats(tensor))


@public("pr.activation.shrink")
def shrink(tensor: Tensor, lambda_: float, bias: float) -> Tensor:
    """x - bias where x > λ, x + bias where x < -λ, else 0.

    Example:
        >>> pr.activation.shrink(pr.asarray([-2.0, 0.5, 2.0]), 1.0, 0.25).to_list()
        [-1.75, 0.0, 1.75]

    Source: Burn, `activation::shrink`.
    """
    t = _floats(tensor)
    return _run(composite.shrink, t, _number(lambda_, t), _number(bias, t))


@public("pr.activation.soft_shrink")
def soft_shrink(tensor: Tensor, lambda_: float = 0.5) -> Tensor:
    """`shrink` with λ as the bias, which makes it continuous.

    Example:
        >>> pr.activation.soft_shrink(pr.asarray([-2.0, 0.25, 2.0])).to_list()
        [-1.5, 0.0, 1.5]

    Source: Burn, `activation::soft_shrink`.
    """
    t = _floats(tensor)
    return _run(composite.soft_shrink, t, _number(lambda_, t))


@public("pr.activation.hard_shrink")
def hard_shrink(tensor: Tensor, lambda_: float = 0.5) -> Tensor:
    """x where |x| > λ, else 0.

    Example:
        >>> pr.activation.hard_shrink(pr.asarray([-2.0, 0.25, 2.0])).to_list()
        [-2.0, 0.0, 2.0]

    Source: Burn, `activation::hard_shrink`.
    """
    t = _floats(tensor)
    return _run(composite.hard_shrink, t, _number(lambda_, t))


# --- smooth ones -------------------------------------------------------------------------


@public("pr.activation.elu")
def elu(tensor: Tensor, alpha: float) -> Tensor:
    """x for x > 0, else alpha · (eˣ - 1), accurate near 0.

    Example:
        >>> pr.activation.elu(pr.asarray([-100.0, 2.0]), 0.5).to_list()
        [-0.5, 2.0]

    Source: Burn, `activation::elu`.
    """
    t = _floats(tensor)
    return _run(composite.elu, t, _number(alpha, t))


@public("pr.activation.celu")
def celu(tensor: Tensor, alpha: float) -> Tensor:
    """x for x > 0, else alpha · (exp(x/alpha) - 1), accurate near 0.

    Raises `ArgumentError` for an alpha of 0.

    Example:
        >>> pr.activation.celu(pr.asarray([-100.0, 2.0]), 0.5).to_list()
        [-0.5, 2.0]

    Source: Burn, `activation::celu`.
    """
    t = _floats(tensor)
    scale = _number(alpha, t)
    if scale == 0:
        raise ArgumentError("alpha is 0, by which x is divided")
    return _run(composite.celu, t, scale)


@public("pr.activation.selu")
def selu(tensor: Tensor) -> Tensor:
    """γ · x for x > 0, else γ · α · (eˣ - 1), with α = 1.6732632423543772 and γ = 1.0507009873554805.

    Example:
        >>> pr.activation.selu(pr.asarray([0.0, 1.0], dtype=pr.float64)).to_list()
        [0.0, 1.0507009873554805]

    Source: Burn, `activation::selu`.
    """
    return _run(composite.selu, _floats(tensor))


@public("pr.activation.gelu")
def gelu(tensor: Tensor) -> Tensor:
    """x · Φ(x) = x/2 · (1 + erf(x/√2)), the exact form; so is the gradient, Φ(x) + x · φ(x).

    Example:
        >>> pr.activation.gelu(pr.asarray([-100.0, 0.0, 10.0])).to_list()
        [-0.0, 0.0, 10.0]

    Source: Burn, `activation::gelu` (whose gradient is that of the tanh form).
    """
    return _run(composite.gelu, _floats(tensor))


@public("pr.activation.gelu_approximate")
def gelu_approximate(tensor: Tensor) -> Tensor:
    """x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))).

    Example:
        >>> pr.activation.gelu_approximate(pr.asarray([0.0, 10.0])).to_list()
        [0.0, 10.0]

    Source: Burn, `activation::gelu_approximate`.
    """
    return _run(composite.gelu_approximate, _floats(tensor))


@public("pr.activation.sigmoid")
def sigmoid(tensor: Tensor) -> Tensor:
    """1 / (1 + e⁻ˣ), without overflow, at the precision of the dtype.

    Example:
        >>> pr.activation.sigmoid(pr.asarray([-1000.0, 0.0, 1000.0])).to_list()
        [0.0, 0.5, 1.0]

    Source: Burn, `activation::sigmoid`.
    """
    return apply("sigmoid", (_floats(tensor),))


@public("pr.activation.log_sigmoid")
def log_sigmoid(tensor: Tensor) -> Tensor:
    """-log(1 + e⁻ˣ), over the whole range: x for very negative x, nearly 0 for large ones.

    Example:
        >>> pr.activation.log_sigmoid(pr.asarray([-1000.0, 1000.0])).to_list()
        [-1000.0, -0.0]

    Source: Burn, `activation::log_sigmoid`.
    """
    return _run(composite.log_sigmoid, _floats(tensor))


@public("pr.activation.silu")
def silu(tensor: Tensor) -> Tensor:
    """x · sigmoid(x).

    Example:
        >>> pr.activation.silu(pr.asarray([0.0, 100.0])).to_list()
        [0.0, 100.0]

    Source: Burn, `activation::silu`.
    """
    return _run(composite.silu, _floats(tensor))


@public("pr.activation.softplus")
def softplus(tensor: Tensor, beta: float) -> Tensor:
    """log(1 + exp(beta · x)) / beta, over the whole range: x where beta · x is large.

    Raises `ArgumentError` for a beta of 0.

    Example:
        >>> pr.activation.softplus(pr.asarray([-1000.0, 1000.0]), 2.0).to_list()
        [0.0, 1000.0]

    Source: Burn, `activation::softplus`.
    """
    t = _floats(tensor)
    scale = _number(beta, t)
    if scale == 0:
        raise ArgumentError("beta is 0, by which the result is divided")
    return _run(composite.softplus, t, scale)


@public("pr.activation.mish")
def mish(tensor: Tensor) -> Tensor:
    """x · tanh(softplus(x)).

    Example:
        >>> pr.activation.mish(pr.asarray([0.0, 100.0])).to_list()
        [0.0, 100.0]

    Source: Burn, `activation::mish`.
    """
    return _run(composite.mish, _floats(tensor))


@public("pr.activation.softsign")
def softsign(tensor: Tensor) -> Tensor:
    """x / (1 + |x|).

    Example:
        >>> pr.activation.softsign(pr.asarray([-1.0, 3.0])).to_list()
        [-0.5, 0.75]

    Source: Burn, `activation::softsign`.
    """
    return _run(composite.softsign, _floats(tensor))


@public("pr.activation.tanh")
def tanh(tensor: Tensor) -> Tensor:
    """sinh x / cosh x.

    Example:
        >>> pr.activation.tanh(pr.asarray([0.0, 100.0])).to_list()
        [0.0, 1.0]

    Source: Burn, `activation::tanh`.
    """
    return apply("tanh", (_floats(tensor),))


@public("pr.activation.tanhshrink")
def tanhshrink(tensor: Tensor) -> Tensor:
    """x - tanh(x), accurate near 0.

    Example:
        >>> pr.activation.tanhshrink(pr.asarray([0.0, 100.0])).to_list()
        [0.0, 99.0]

    Source: Burn, `activation::tanhshrink`.
    """
    return _run(composite.tanhshrink, _floats(tensor))


# --- along a dim -------------------------------------------------------------------------


@public("pr.activation.glu")
def glu(tensor: Tensor, dim: int) -> Tensor:
    """a · sigmoid(b) of the halves a and b of `dim`, whose size is halved.

    Raises `ShapeError` for an odd size.

    Example:
        >>> pr.activation.glu(pr.asarray([[1.0, 2.0, 0.0, 100.0]]), 1).to_list()
        [[0.5, 2.0]]

    Source: Burn, `activation::glu`.
    """
    return _run(composite.glu, _floats(tensor), dim)


@public("pr.activation.softmax")
def softmax(tensor: Tensor, dim: int) -> Tensor:
    """exp(x) / Σ exp(x) along `dim`, without overflow; NaN where all elements are -∞.

    Example:
        >>> pr.activation.softmax(pr.asarray([[1000.0, 1000.0]]), 1).to_list()
        [[0.5, 0.5]]

    Source: Burn, `activation::softmax`.
    """
    return _run(composite.softmax, _floats(tensor), dim)


@public("pr.activation.softmin")
def softmin(tensor: Tensor, dim: int) -> Tensor:
    """softmax(-x) along `dim`.

    Example:
        >>> pr.activation.softmin(pr.asarray([[1000.0, 0.0]]), 1).to_list()
        [[0.0, 1.0]]

    Source: Burn, `activation::softmin`.
    """
    return _run(composite.softmin, _floats(tensor), dim)


@public("pr.activation.log_softmax")
def log_softmax(tensor: Tensor, dim: int) -> Tensor:
    """x - log Σ exp(x) along `dim`, without overflow; -∞ stays -∞.

    Example:
        >>> pr.activation.log_softmax(pr.asarray([[0.0, -1000.0]]), 1).to_list()
        [[0.0, -1000.0]]

    Source: Burn, `activation::log_softmax`.
    """
    return _run(composite.log_softmax, _floats(tensor), dim)


@public("pr.activation.quiet_softmax")
def quiet_softmax(tensor: Tensor, dim: int) -> Tensor:
    """exp(x) / (1 + Σ exp(x)) along `dim`, without overflow; 0 where all elements are -∞.

    Example:
        >>> pr.activation.quiet_softmax(pr.asarray([[1000.0, 1000.0]]), 1).to_list()
        [[0.5, 0.5]]

    Source: Burn, `activation::quiet_softmax`.
    """
    return _run(composite.quiet_softmax, _floats(tensor), dim)
