"""Counts of kernels, compilations and buffers: exact numbers, no timings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite.storage import POOL


def tensor(*shape: int, seed: int = 0) -> pr.Tensor:
    return pr.asarray(np.random.default_rng(seed).normal(size=shape).astype(np.float32), copy=True)


def counted(function: Callable[[], Any]) -> dict[str, int]:
    """What a call does once its kernels are compiled."""
    function()
    pr.Device.cpu().sync()
    before = pr.stats()
    held = function()
    pr.Device.cpu().sync()
    after = pr.stats()
    del held
    return {k: after[k] - before[k] for k in after}


def kernels(function: Callable[[], Any]) -> int:
    found = counted(function)
    assert found["fallbacks"] == 0
    return found["kernels"]


X = tensor(64, 1000)
W = tensor(64, 1000, seed=1)
GAMMA, BETA = tensor(1000, seed=2), tensor(1000, seed=3)
ROWS = pr.asarray(np.random.default_rng(1).integers(-64, 64, 100), copy=True)
COLUMNS = pr.asarray(np.random.default_rng(2).integers(0, 1000, 77), copy=True)
PICKS = pr.asarray(np.random.default_rng(3).integers(0, 1000, (64, 5)), copy=True)
TARGETS = pr.asarray(np.random.default_rng(0).integers(0, 1000, 64), copy=True)


def gradient(function: Callable[[Any], Any]) -> Callable[[], Any]:
    """The gradient of Σ w · function(x) where w makes the incoming gradient an ordinary tensor."""

    def call() -> Any:
        q = X.autodiff().require_grad()
        y = function(q)
        seed = W if y.shape == W.shape else W[:, 0]
        return q.grad((y * seed).backward())

    return call


ONE_KERNEL = {
    "softmax": lambda: pr.softmax(X, axis=-1),
    "log_softmax": lambda: pr.log_softmax(X, axis=-1),
    "logsumexp": lambda: pr.logsumexp(X, axis=-1),
    "layer norm": lambda: pr.layer_norm(X, GAMMA, BETA),
    "variance": lambda: pr.var(X, axis=-1),
    "norm written out": lambda: (X - pr.mean(X, axis=-1, keepdims=True))
    / pr.sqrt(pr.var(X, axis=-1, keepdims=True) + 1e-5),
    "cross-entropy of each row": lambda: pr.cross_entropy(X, TARGETS),
    "gradient of softmax": gradient(lambda q: pr.softmax(q, axis=-1)),
    "gradient of log_softmax": gradient(lambda q: pr.log_softmax(q, axis=-1)),
    "gradient of layer norm": gradient(lambda q: pr.layer_norm(q, GAMMA, BETA)),
    "gradient of variance": gradient(lambda q: pr.var(q, axis=-1)),
    "gradient of cross-entropy": gradient(lambda q: pr.cross_entropy(q, TARGETS)),
    "silu of an affine map": lambda: pr.silu(X * W + 1.0),
    "a bias gradient": lambda: pr.sum(X * W, axis=0),
    "two bias gradients": lambda: (pr.sum(X * W, axis=0), pr.sum(X, axis=0)),
    "views of a computed value": lambda: (X * 2.0)[::2, 5:900].T + 1.0,
    "rows by index, then work on them": lambda: pr.tanh(pr.take(X, ROWS, axis=0) * 2.0),
    "elements by index, reduced": lambda: pr.sum(pr.take(X, COLUMNS, axis=1), axis=-1),
    "a pick in every row": lambda: pr.take_along_axis(X, PICKS, axis=1) + 1.0,
    "joined and padded": lambda: pr.concat([X * 2.0, W], axis=1) + 1.0,
}


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_one_kernel(name: str) -> None:
    assert kernels(ONE_KERNEL[name]) == 1


def test_a_costly_value_of_the_second_and_third_loop() -> None:
    """It has to be computed in the second loop of the row, not read from a scratch row that nobody has filled."""
    x = X.numpy().astype(np.float64)
    low = pr.min(X, axis=-1, keepdims=True)
    e = pr.exp(X)
    got = e / pr.sum(e - low, axis=-1, keepdims=True)
    want = np.exp(x) / (np.exp(x) - x.min(-1, keepdims=True)).sum(-1, keepdims=True)
    assert np.allclose(got.numpy(), want, rtol=1e-5)


def test_a_scalar_beside_a_tensor_without_elements() -> None:
    """It must not join a kernel that is left with no element to walk."""
    for work in (lambda x: x / pr.sum(x), lambda x: pr.cumulative_sum(x)):
        one = pr.asarray(np.array(-3.0, np.float32), copy=True)
        empty = work(pr.zeros((0,)))
        sign = pr.sign(one)
        assert (sign.item(), empty.shape) == (-1.0, (0,))


def test_adamw_is_one_kernel() -> None:
    p, g, m, v = (tensor(300, 70, seed=s) for s in range(4))
    v = v * v
    pr.Device.cpu().sync()

    def update() -> Any:
        m2 = m * 0.9 + g * 0.1
        v2 = v * 0.999 + g * g * 0.001
        p2 = p - 0.001 * (m2 / (1 - 0.9**3) / (pr.sqrt(v2 / (1 - 0.999**3)) + 1e-8) + 0.01 * p)
        return p2, m2, v2

    assert kernels(update) == 1


def test_mean_of_cross_entropy_with_gradient() -> None:
    """The rows are one kernel with their gradient; the mean over the rows is the second."""

    def step() -> Any:
        q = X.autodiff().require_grad()
        loss = pr.mean(pr.cross_entropy(q, TARGETS))
        return loss, q.grad(loss.backward())

    assert kernels(step) == 2


def test_lengths_compile_nothing_new() -> None:
    before = pr.stats()
    for n in range(1, 1001):
        float(pr.sum(pr.tanh(pr.ones(n) * 2 + 1)))
    after = pr.stats()
    made = after["compiled"] + after["loaded"] - before["compiled"] - before["loaded"]
    assert made <= 4


def test_scalars_compile_nothing_new() -> None:
    x = tensor(100)
    (x * 0.5 + 0.25).numpy()
    before = pr.stats()
    for k in range(1000):
        (x * float(k) + 1.0 / (k + 1)).numpy()
    after = pr.stats()
    assert after["compiled"] + after["loaded"] == before["compiled"] + before["loaded"]
    assert after["plans"] == before["plans"]


def test_a_loop_plans_once() -> None:
    w = tensor(50, 50)
    states = []
    for _ in range(6):
        x = w.autodiff().require_grad()
        loss = pr.sum(pr.tanh(x) ** 2)
        w = (x.inner() - 0.1 * x.grad(loss.backward())).inner()
        float(loss)
        states.append(pr.stats()["plans"])
    assert states[-1] == states[2]


def test_dead_results_cost_nothing() -> None:
    def waste() -> Any:
        for _ in range(50):
            pr.exp(X)
        return X + 1.0

    assert kernels(waste) == 1


def test_unfused_runs_a_kernel_per_op() -> None:
    with pr.fusion(False):
        assert kernels(lambda: pr.silu(X * W + 1.0)) >= 3


def test_no_temporaries() -> None:
    """The chain allocates its result and nothing else."""
    x = tensor(1 << 20)
    result = (x * 2 + x - 1) / (x + 1)
    result.numpy()
    taken = POOL.allocated + POOL.reused
    again = (x * 2 + x - 1) / (x + 1)
    pr.Device.cpu().sync()
    assert POOL.allocated + POOL.reused == taken + 1
    del again


def test_freed_buffers_come_back() -> None:
    x = tensor(1 << 20)
    (x + 1.0).numpy()
    before = POOL.allocated
    for _ in range(20):
        y = x + 1.0
        pr.Device.cpu().sync()
        del y
    assert POOL.allocated - before <= 1


def test_a_dying_input_gives_its_memory_to_the_result() -> None:
    p, g = tensor(1 << 18), tensor(1 << 18, seed=1)
    before = pr.stats()["reused"]
    for _ in range(5):
        p = p - g * 0.5
        pr.Device.cpu().sync()
    assert pr.stats()["reused"] == before + 5


def test_memory_that_is_seen_elsewhere_is_not_written_over() -> None:
    """A second handle, a view, a NumPy array and the tape each keep the old values."""
    p = tensor(1 << 18)
    want = p.numpy()
    old, view, array = p, p[5:9], np.asarray(p)
    x = tensor(1 << 18, seed=1).autodiff().require_grad()
    y = pr.sum(x * p)
    p = p * 2.0
    pr.Device.cpu().sync()
    assert old[0].item() == want[0]
    assert view.to_list() == want[5:9].tolist()
    assert array[7] == want[7]
    del old, view
    p = p * 2.0
    pr.Device.cpu().sync()
    assert array[7] == want[7]
    assert np.array_equal(x.grad(y.backward()).numpy(), want)


def test_explain() -> None:
    plan = pr.explain(pr.softmax(X, axis=-1))
    assert (plan.kernels, plan.fallbacks) == (1, 0)
    assert plan.steps[0].results == ((64, 1000),)
    assert plan.bytes_moved == 2 * 64 * 1000 * 4
    assert "exp" in str(plan)
    plan = pr.explain(X @ W.T)
    assert plan.fallbacks == 1
    assert plan.steps[0].kind == "blas"
    late_product = pr.explain(X.cast(pr.float16) @ W.T.cast(pr.float16))
    assert "BLAS is not given" in late_product.steps[-1].reason
    picture = pr.explain(pr.relu(X @ W.T) @ X).svg()
    assert picture.startswith("<svg ")
    assert picture.count("<rect ") == 3
    assert picture.count("marker-end") == 2
    late = pr.explain(pr.take(X, ROWS + 0, axis=0))
    assert "indices were not known" in late.steps[-1].reason
    known = X + 1.0
    known.numpy()
    assert pr.explain(known).steps == ()


def test_constants_that_happen_to_be_equal_are_not_taken_for_one() -> None:
    """A plan made where two numbers are equal serves other numbers too."""
    x = pr.asarray(np.linspace(-3, 3, 77, dtype=np.float32), copy=True)
    want = x.numpy()
    before = pr.stats()["plans"]
    for a, b in ((2.0, 2.0), (2.0, 3.0), (3.0, 2.0), (0.0, 0.0), (0.0, -0.0), (-0.0, 0.0), (1.0, float("nan"))):
        got = ((x * a + b).numpy(), (pr.abs(x) * a - b).numpy())
        f = np.float32
        expected = (want * f(a) + f(b), np.abs(want) * f(a) - f(b))
        for g, w in zip(got, expected):
            assert np.array_equal(g.view(np.int32)[~np.isnan(w)], w.view(np.int32)[~np.isnan(w)])
            assert np.array_equal(np.isnan(g), np.isnan(w))
    assert pr.stats()["plans"] - before <= 2


def test_the_sign_of_a_zero_constant_is_kept() -> None:
    x = pr.asarray(np.ones(3, np.float32), copy=True)
    assert np.signbit((x * -0.0).numpy()).all()
    assert not np.signbit((x * 0.0).numpy()).any()
    assert np.signbit((x * -0.0).numpy()).all()
    assert (pr.asarray([2, 3]) * 1).to_list() == [2, 3]
    assert (pr.asarray([True, False]) & True).to_list() == [True, False]
