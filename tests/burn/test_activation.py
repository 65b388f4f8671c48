"""`pr.activation`: values against exact arithmetic, range, gradients, NaN, half precision, fusion and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from expect import fails

import pyrite as pr

A = pr.activation
FLOATS = [pr.float64, pr.float32]
HALVES = [pr.float16, pr.bfloat16]
Call = Callable[[pr.Tensor], pr.Tensor]


def softplus(x: Any) -> Any:
    return x + mp.log1p(mp.exp(-x)) if x > 0 else mp.log1p(mp.exp(x))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def clamp(x: Any, low: float, high: float) -> Any:
    return min(max(x, mp.mpf(low)), mp.mpf(high))


SELU_SCALE, SELU_ALPHA = mp.mpf(1.0507009873554805), mp.mpf(1.6732632423543772)

# name: the call and its formula
ELEMENTWISE: dict[str, tuple[Call, Callable[[Any], Any]]] = {
    "relu": (A.relu, lambda x: max(x, mp.mpf(0))),
    "relu6": (A.relu6, lambda x: clamp(x, 0, 6)),
    "leaky_relu": (lambda t: A.leaky_relu(t, 0.25), lambda x: x if x >= 0 else x / 4),
    "prelu": (lambda t: A.prelu(t, pr.asarray([0.25], dtype=t.dtype, device=t.device.inner())),
              lambda x: x if x >= 0 else x / 4),
    "threshold": (lambda t: A.threshold(t, 0.5, -2.0), lambda x: x if x > 0.5 else mp.mpf(-2)),
    "thresholded_relu": (lambda t: A.thresholded_relu(t, 0.5), lambda x: x if x > 0.5 else mp.mpf(0)),
    "hardtanh": (lambda t: A.hardtanh(t, -1.0, 2.0), lambda x: clamp(x, -1, 2)),
    "hard_sigmoid": (lambda t: A.hard_sigmoid(t, 0.25, 0.5), lambda x: clamp(x / 4 + 0.5, 0, 1)),
    "hard_swish": (A.hard_swish, lambda x: x * clamp(x / 6 + 0.5, 0, 1)),
    "shrink": (lambda t: A.shrink(t, 0.75, 0.25), lambda x: x - 0.25 if x > 0.75 else x + 0.25 if x < -0.75 else 0 * x),
    "soft_shrink": (A.soft_shrink, lambda x: x - 0.5 if x > 0.5 else x + 0.5 if x < -0.5 else 0 * x),
    "hard_shrink": (A.hard_shrink, lambda x: x if abs(x) > 0.5 else 0 * x),
    "elu": (lambda t: A.elu(t, 1.5), lambda x: x if x > 0 else 1.5 * mp.expm1(x)),
    "celu": (lambda t: A.celu(t, 2.0), lambda x: x if x > 0 else 2 * mp.expm1(x / 2)),
    "selu": (A.selu, lambda x: SELU_SCALE * (x if x > 0 else SELU_ALPHA * mp.expm1(x))),
    "gelu": (A.gelu, lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2 if abs(x) < 1e4 else max(x, mp.mpf(0))),
    "gelu_approximate": (
        A.gelu_approximate,
        lambda x: x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3))),
    ),
    "sigmoid": (A.sigmoid, sigmoid),
    "log_sigmoid": (A.log_sigmoid, lambda x: -softplus(-x)),
    "silu": (A.silu, lambda x: x * sigmoid(x)),
    "softplus": (lambda t: A.softplus(t, 1.0), softplus),
    "softplus beta": (lambda t: A.softplus(t, 2.0), lambda x: softplus(2 * x) / 2),
    "softplus negative beta": (lambda t: A.softplus(t, -1.0), lambda x: -softplus(-x)),
    "mish": (A.mish, lambda x: x * mp.tanh(softplus(x))),
    "softsign": (A.softsign, lambda x: x / (1 + abs(x))),
    "tanh": (A.tanh, mp.tanh),
    "tanhshrink": (A.tanhshrink, lambda x: x - mp.tanh(x)),
}  # fmt: skip
# the sums 1 + erf, 1 + tanh and x/6 + 1/2 of these cancel on the left, where the result is nearly 0
ABSOLUTE = {"gelu", "gelu_approximate", "hard_swish"}
LOOSE = {"tanhshrink": 5.0}  # just outside its series, the difference still loses a few bits

ALONG: dict[str, Callable[..., pr.Tensor]] = {
    "softmax": A.softmax,
    "softmin": A.softmin,
    "log_softmax": A.log_softmax,
    "quiet_softmax": A.quiet_softmax,
    "glu": A.glu,
}


def along(name: str, x: np.ndarray[Any, Any], axis: int) -> np.ndarray[Any, Any]:
    """The formula in extended precision."""
    x = np.moveaxis(x, axis, -1).astype(np.longdouble)
    if name == "softmin":
        x, name = -x, "softmax"
    if name == "glu":
        n = x.shape[-1] // 2
        y = x[..., :n] / (1 + np.exp(-x[..., n:]))
    elif name == "quiet_softmax":
        y = np.exp(x) / (1 + np.exp(x).sum(-1, keepdims=True))
    else:
        z = x - x.max(-1, keepdims=True)
        total = np.exp(z).sum(-1, keepdims=True)
        y = np.exp(z) / total if name == "softmax" else z - np.log(total)
    return np.moveaxis(y, -1, axis)


POINTS = np.concatenate(
    [
        np.linspace(-12, 12, 97) + 0.01,
        [0.0, 1e-30, 1e-12, 1e-8, 1e-4, -1e-4, -1e-8, 0.39, 0.41, -0.41, 20.0, -20.0, 40.0, 87.0, -87.0, 1e4, -1e4],
    ]
)


def exact(formula: Callable[[Any], Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    with mp.workdps(120):
        return np.array([float(formula(mp.mpf(float(v)))) for v in x])


# --- values ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_values(name: str, dtype: Any, device: pr.Device) -> None:
    call, formula = ELEMENTWISE[name]
    t = pr.asarray(POINTS, dtype=dtype, device=device)
    x = t.numpy().astype(np.float64)
    y = call(t)
    assert (y.shape, y.dtype) == (t.shape, dtype)
    eps = dtype.finfo().epsilon
    want = exact(formula, x)
    # gradual underflow loses digits below the smallest normal number, more where a factor x follows
    small = dtype.finfo().min_positive * eps * np.maximum(np.abs(x), 1)
    bound = (np.abs(x) if name in ABSOLUTE else np.abs(want)) * 4 * LOOSE.get(name, 1.0) * eps + small
    error = np.abs(y.numpy().astype(np.float64) - want)
    worst = np.argmax(error / bound)
    assert (error <= bound).all(), f"{x[worst]}: {y.numpy()[worst]}, exactly {want[worst]}"


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("axis", [0, 1, -1, -3])
@pytest.mark.parametrize("name", ALONG)
def test_values_along(name: str, axis: int, dtype: Any, device: pr.Device) -> None:
    x = np.random.default_rng(0).normal(0, 4, (4, 6, 8))
    t = pr.asarray(x, dtype=dtype, device=device)
    y = ALONG[name](t, axis)
    want = along(name, t.numpy().astype(np.float64), axis)
    assert (y.shape, y.dtype) == (want.shape, dtype)
    eps = dtype.finfo().epsilon
    # errors of log_softmax are those of x - max and of a logarithm of at most the size of both
    floor = 16 * eps if name == "log_softmax" else 0.0
    np.testing.assert_allclose(y.numpy().astype(np.float64), want.astype(np.float64), rtol=16 * eps, atol=floor)


def test_hard_values() -> None:
    x = pr.asarray([-np.inf, np.inf])
    assert A.softplus(x, 1.0).to_list() == [0.0, np.inf]
    assert A.log_sigmoid(x).to_list() == [-np.inf, 0.0]
    assert A.sigmoid(x).to_list() == [0.0, 1.0]
    assert A.elu(x, 2.0).to_list() == [-2.0, np.inf]
    assert A.hardtanh(x, -1.0, 1.0).to_list() == [-1.0, 1.0]
    assert A.hard_sigmoid(x, 0.2, 0.5).to_list() == [0.0, 1.0]
    assert A.relu6(x).to_list() == [0.0, 6.0]


def test_defaults_of_lambda() -> None:
    x = pr.asarray([-1.0, -0.5, 0.25, 0.5, 0.75])
    assert A.hard_shrink(x).to_list() == [-1.0, 0.0, 0.0, 0.0, 0.75]
    assert A.hard_shrink(x, 0.6).to_list() == [-1.0, 0.0, 0.0, 0.0, 0.75]
    assert A.soft_shrink(x).to_list() == [-0.5, 0.0, 0.0, 0.0, 0.25]
    assert A.soft_shrink(x, 0.0).to_list() == x.to_list()
    assert A.threshold(x, 0.5, 9.0).to_list() == [9.0, 9.0, 9.0, 9.0, 0.75]


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 3, 4), (2, 3, 2, 2)])
def test_prelu_by_channel(shape: tuple[int, ...], device: pr.Device) -> None:
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    count = 1 if len(shape) == 1 else shape[1]
    alpha = np.linspace(-0.5, 0.5, count).astype(np.float32)
    wide = alpha if len(shape) == 1 else alpha.reshape((-1,) + (1,) * (len(shape) - 2))
    got = A.prelu(pr.asarray(x, device=device), pr.asarray(alpha, device=device))
    np.testing.assert_array_equal(got.numpy(), np.where(x >= 0, x, wide * x))


def test_prelu_promotes() -> None:
    y = A.prelu(pr.asarray([-1.0], dtype=pr.float32), pr.asarray([0.1], dtype=pr.float64))
    assert (y.dtype, y.to_list()) == (pr.float64, [-0.1])


def test_rank_0_and_layouts(device: pr.Device) -> None:
    x = np.random.default_rng(2).normal(size=(3, 4)).astype(np.float32)
    for name, (call, _) in ELEMENTWISE.items():
        whole = call(pr.asarray(x, device=device)).numpy()
        assert call(pr.asarray(x[1, 2], device=device)).shape == (), name
        turned = call(pr.asarray(x, device=device).T)
        np.testing.assert_array_equal(turned.numpy(), whole.T, err_msg=name)
        np.testing.assert_array_equal(call(pr.asarray(x, device=device)[::-1, 1:]).numpy(), whole[::-1, 1:], name)


# --- range -------------------------------------------------------------------------------

FAR = [50.0, 89.0, 104.0, 710.0, 746.0, 1e4, 1e10, 1e30, 3e38]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_far_out(name: str, dtype: Any, device: pr.Device) -> None:
    """No overflow on the way, for any finite x, in values and gradients."""
    call, formula = ELEMENTWISE[name]
    limit = dtype.finfo().max
    x = np.array([s * v for v in [*FAR, 0.9 * limit] for s in (1, -1)]).astype(dtype.np)
    t = pr.asarray(x, device=device)
    got = call(t).numpy().astype(np.float64)
    want = exact(formula, x)
    assert np.isfinite(got).all()
    eps = dtype.finfo().epsilon
    bound = 4 * eps * np.abs(want) + (100 * eps if name in ABSOLUTE else 0.0) + 1e4 * dtype.finfo().min_positive
    assert (np.abs(got - want) <= bound).all(), (x, got, want)
    slope = pr.grad(lambda t: pr.sum(call(t)))(t).numpy()
    assert np.isfinite(slope).all(), (x, slope)
    side = lambda v: float(mp.diff(formula, mp.mpf(float(v)), h=mp.mpf(10) ** -30))  # noqa: E731
    with mp.workdps(120):
        right = np.array([side(v) for v in x[:12]])
    np.testing.assert_allclose(slope[:12], right, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["softmax", "softmin", "log_softmax", "quiet_softmax"])
def test_far_out_along(name: str, device: pr.Device) -> None:
    x = np.array([[1e4, -1e4, 1e4, 0.0], [1e30, 1e30, -1e30, 0.0], [-1e30, -1e30, -1e30, -1e30]], np.float32)
    t = pr.asarray(x, device=device)
    y = ALONG[name](t, 1)
    assert np.isfinite(y.numpy()).all()
    if name == "log_softmax":
        np.testing.assert_allclose(y.numpy()[0], -np.log(2) - np.array([0, 2e4, 0, 1e4]), rtol=1e-6)
    if name in ("softmax", "softmin"):
        np.testing.assert_allclose(y.numpy().sum(1), 1, rtol=1e-6)
    if name == "quiet_softmax":
        np.testing.assert_allclose(y.numpy(), [[0.5, 0, 0.5, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 0]], rtol=1e-6)
    slope = pr.grad(lambda t: pr.sum(ALONG[name](t, 1) * pr.asarray([1.0, 2.0, 3.0, 4.0], device=device)))(t)
    assert np.isfinite(slope.numpy()).all()


def test_a_shift_changes_nothing() -> None:
    x = np.array([[1.0, 2.0, 4.0]])
    for name in ("softmax", "log_softmax"):
        plain = ALONG[name](pr.asarray(x), 1).to_list()
        assert ALONG[name](pr.asarray(x + 2.0**40), 1).to_list() == plain
    wide = ALONG["quiet_softmax"](pr.asarray(x - 700), 1)
    np.testing.assert_allclose(wide.numpy(), np.exp(x - 700), rtol=1e-12)


def test_rows_of_minus_infinity(device: pr.Device) -> None:
    x = pr.asarray([[-np.inf, -np.inf], [-np.inf, 0.0]], device=device)
    assert np.isnan(A.softmax(x, 1).numpy()[0]).all()
    assert A.softmax(x, 1).to_list()[1] == [0.0, 1.0]
    assert A.log_softmax(x, 1).to_list()[1] == [-np.inf, 0.0]
    assert A.quiet_softmax(x, 1).to_list() == [[0.0, 0.0], [0.0, 0.5]]
    assert A.softmin(-x, 1).to_list()[1] == [0.0, 1.0]


def test_rows_sum_to_one() -> None:
    x = np.random.default_rng(3).normal(0, 30, (50, 333)).astype(np.float32)
    np.testing.assert_allclose(A.softmax(pr.asarray(x), 1).numpy().sum(1, dtype=np.float64), 1, rtol=1e-6)
    np.testing.assert_allclose(A.softmin(pr.asarray(x), 1).numpy().sum(1, dtype=np.float64), 1, rtol=1e-6)


# --- NaN, halves, empty ------------------------------------------------------------------


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_nan(name: str, device: pr.Device) -> None:
    x = np.linspace(-3, 3, 70).astype(np.float32)
    call = ELEMENTWISE[name][0]
    clean = call(pr.asarray(x, device=device)).numpy()
    x[[0, 17, 69]] = np.nan
    got = call(pr.asarray(x, device=device)).numpy()
    at = np.isnan(x)
    assert np.isnan(got[at]).all()
    np.testing.assert_array_equal(got[~at], clean[~at])


@pytest.mark.parametrize("name", ALONG)
def test_nan_along(name: str, device: pr.Device) -> None:
    x = np.random.default_rng(4).normal(size=(3, 6)).astype(np.float32)
    clean = ALONG[name](pr.asarray(x, device=device), 1).numpy()
    x[1, 2] = np.nan
    got = ALONG[name](pr.asarray(x, device=device), 1).numpy()
    assert np.isnan(got[1, 2])
    np.testing.assert_array_equal(got[[0, 2]], clean[[0, 2]])
    if name != "glu":
        assert np.isnan(got[1]).all()
    else:
        assert np.isnan(got[1]).sum() == 1


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", [*ELEMENTWISE, *ALONG])
def test_halves_round_once(name: str, dtype: Any, device: pr.Device) -> None:
    x = np.random.default_rng(5).normal(0, 3, (4, 40))
    t = pr.asarray(x, dtype=dtype, device=device)
    call = ELEMENTWISE[name][0] if name in ELEMENTWISE else lambda t: ALONG[name](t, 1)
    got, wide = call(t), call(pr.astype(t, pr.float32))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.numpy(), pr.astype(wide, dtype).numpy())


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 4)])
@pytest.mark.parametrize("name", [*ELEMENTWISE, *ALONG])
def test_empty(name: str, shape: tuple[int, ...], device: pr.Device) -> None:
    t = pr.zeros(shape, device=device)
    if name in ELEMENTWISE:
        assert ELEMENTWISE[name][0](t).to_list() == t.to_list()
    else:
        want = (*shape[:-1], shape[-1] // 2) if name == "glu" else shape
        assert ALONG[name](t, -1).shape == want


# --- gradients ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_gradients(name: str, device: pr.Device) -> None:
    call, formula = ELEMENTWISE[name]
    x = np.array([-9.3, -3.1, -2.2, -0.9, -0.6, -0.3, -0.05, -1e-3, 1e-3, 0.05, 0.3, 0.39, 0.6, 0.9, 1.3, 5.1, 9.7])
    got = pr.grad(lambda t: pr.sum(call(t)))(pr.asarray(x, dtype=pr.float64, device=device)).numpy()
    with mp.workdps(40):
        want = [float(mp.diff(formula, mp.mpf(float(v)), h=mp.mpf(10) ** -15)) for v in x]
    np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", [n for n in ELEMENTWISE if n != "prelu"])
def test_second_derivatives(name: str) -> None:
    call, formula = ELEMENTWISE[name]
    x = np.array([-5.2, -0.9, -0.3, 0.3, 0.9, 1.7, 4.9])
    slope = pr.grad(lambda t: pr.sum(call(t)))
    got = pr.grad(lambda t: pr.sum(slope(t)))(pr.asarray(x, dtype=pr.float64)).numpy()
    with mp.workdps(60):
        want = [float(mp.diff(formula, mp.mpf(float(v)), 2, h=mp.mpf(10) ** -15)) for v in x]
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ALONG)
def test_gradients_along(name: str, device: pr.Device) -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(3, 4, 2))
    w = rng.normal(size=(3, 2, 2) if name == "glu" else x.shape)
    f = lambda t: pr.sum(ALONG[name](t, 1) * pr.asarray(w, device=device))  # noqa: E731
    got = pr.grad(f)(pr.asarray(x, device=device)).numpy()
    for at in np.ndindex(x.shape):
        high, low = x.astype(np.longdouble), x.astype(np.longdouble)
        high[at] += 1e-6
        low[at] -= 1e-6
        want = ((along(name, high, 1) - along(name, low, 1)) * w).sum() / 2e-6
        assert abs(got[at] - float(want)) < 1e-8


def test_gradients_of_prelu(device: pr.Device) -> None:
    x = np.array([[-2.0, 3.0, -1.0], [-4.0, -5.0, 0.0]])
    alpha = np.array([0.5, 0.25, 0.125])
    args = pr.asarray(x, device=device), pr.asarray(alpha, device=device)
    gx, ga = pr.grad(lambda t, a: pr.sum(A.prelu(t, a)), argnums=(0, 1))(*args)
    assert gx.to_list() == [[0.5, 1.0, 0.125], [0.5, 0.25, 1.0]]
    assert ga.to_list() == [-6.0, -5.0, -1.0]
    one = pr.grad(lambda a: pr.sum(A.prelu(args[0], a)))(pr.asarray([0.5], dtype=pr.float64, device=device))
    assert one.to_list() == [-12.0]


def test_kinks() -> None:
    zero = pr.asarray([0.0])
    slope = lambda f: pr.grad(lambda t: pr.sum(f(t)))(zero).to_list()  # noqa: E731
    assert slope(A.relu) == [0.0]
    assert slope(lambda t: A.leaky_relu(t, 0.5)) == [1.0]
    assert slope(lambda t: A.prelu(t, pr.asarray([0.5]))) == [1.0]
    assert slope(lambda t: A.softplus(t, 1.0)) == [0.5]
    assert slope(lambda t: A.softplus(t, 3.0)) == [0.5]
    assert slope(A.log_sigmoid) == [0.5]
    assert slope(A.gelu) == [0.5]
    assert slope(A.softsign) == [1.0]
    assert slope(A.tanhshrink) == [0.0]


# --- fusion ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ELEMENTWISE, *ALONG])
def test_fuses(name: str) -> None:
    """One kernel forward, none of it on the reference backend, its gradient included."""
    call = ELEMENTWISE[name][0] if name in ELEMENTWISE else lambda t: ALONG[name](t, 1)
    # a copy: what reads an array of NumPy's runs at once
    t = pr.asarray(np.random.default_rng(7).normal(size=(8, 16)).astype(np.float32), copy=True)
    call(t).numpy()
    before = pr.stats()
    call(t).numpy()
    after = pr.stats()
    assert after["fallbacks"] == before["fallbacks"]
    assert after["kernels"] == before["kernels"] + 1
    pr.grad(lambda t: pr.sum(call(t)))(t).numpy()
    assert pr.stats()["fallbacks"] == before["fallbacks"]


# --- errors ------------------------------------------------------------------------------

HINT = "\nHint: cast it first, for example to float32"


@pytest.mark.parametrize("dtype", [pr.int64, pr.uint8, pr.bool_], ids=str)
@pytest.mark.parametrize("name", [*ELEMENTWISE, *ALONG])
def test_kinds(name: str, dtype: Any, device: pr.Device) -> None:
    t = pr.zeros((2, 4), dtype=dtype, device=device)
    call = ELEMENTWISE[name][0] if name in ELEMENTWISE else lambda t: ALONG[name](t, 1)
    if name == "prelu":
        call = lambda t: A.prelu(t, pr.asarray([0.5], device=device))  # noqa: E731
    text = f"pr.activation.{name.split()[0]}: a tensor of kind Float is needed, got {dtype.name}{HINT}"
    fails(pr.DTypeError, text, lambda: call(t))


T = pr.zeros((2, 3))


@pytest.mark.parametrize("name", ALONG)
def test_dims(name: str) -> None:
    text = f"pr.activation.{name}: axis 2 is out of range for rank 2 (valid: -2 to 1)"
    fails(pr.AxisError, text, lambda: ALONG[name](T, 2))
    text = f"pr.activation.{name}: axis -3 is out of range for rank 2 (valid: -2 to 1)"
    fails(pr.AxisError, text, lambda: ALONG[name](T, -3))
    fails(pr.AxisError, f"pr.activation.{name}: axis 0.5 is not an int", lambda: ALONG[name](T, 0.5))
    text = f"pr.activation.{name}: axis 0 is out of range: the tensor has rank 0"
    fails(pr.AxisError, text, lambda: ALONG[name](pr.asarray(1.0), 0))
    with pytest.raises(IndexError):
        ALONG[name](T, 2)


MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: A.hardtanh(T, 2.0, 1.0),
        pr.ArgumentError,
        "pr.activation.hardtanh: the lower bound 2.0 is above the upper bound 1.0",
    ),
    (lambda: A.glu(T, 1), pr.ShapeError, "pr.activation.glu: axis 1 of (2, 3) has an odd size"),
    (
        lambda: A.prelu(T, pr.zeros(2)),
        pr.ShapeError,
        "pr.activation.prelu: alpha of shape (2,) must have one element, or the size of axis 1 of (2, 3)",
    ),
    (
        lambda: A.prelu(pr.zeros(3), pr.zeros(3)),
        pr.ShapeError,
        "pr.activation.prelu: alpha of shape (3,) must have one element, or the size of axis 1 of (3,)",
    ),
    (
        lambda: A.prelu(T, pr.zeros((1, 3))),
        pr.ShapeError,
        "pr.activation.prelu: alpha of shape (1, 3) must have one element, or the size of axis 1 of (2, 3)",
    ),
    (lambda: A.prelu(T, 0.5), pr.DTypeError, "pr.activation.prelu: expected a tensor, got float 0.5"),
    (
        lambda: A.prelu(T, pr.asarray([1])),
        pr.DTypeError,
        "pr.activation.prelu: a tensor of kind Float is needed, got int64" + HINT,
    ),
    (lambda: A.celu(T, 0.0), pr.ArgumentError, "pr.activation.celu: alpha is 0, by which x is divided"),
    (lambda: A.softplus(T, 0), pr.ArgumentError, "pr.activation.softplus: beta is 0, by which the result is divided"),
    (lambda: A.relu([1.0]), pr.DTypeError, "pr.activation.relu: expected a tensor, got list [1.0]"),
    (
        lambda: A.elu(T, "1"),
        pr.DTypeError,
        "pr.activation.elu: the Python str '1' does not go with a float32 tensor\n"
        "Hint: convert the tensor or the number first",
    ),
    (
        lambda: A.softmax(pr.asarray([1j]), 0),
        pr.DTypeError,
        "pr.activation.softmax: a tensor of kind Float is needed, got complex64",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), MISTAKES, ids=[m[2].split(":")[0] for m in MISTAKES])
def test_errors(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    fails(kind, text, call)


def test_every_name_is_there() -> None:
    names = {n.split()[0] for n in [*ELEMENTWISE, *ALONG]}
    assert names == set(A.__all__)
    for name in A.__all__:
        assert "Source: Burn" in (getattr(A, name).__doc__ or ""), name
