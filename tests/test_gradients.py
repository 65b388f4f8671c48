"""Gradient rules against central differences, first and second order, on both devices; and kinks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contract import seed_of, values

import pyrite as pr
from pyrite.apply import do_on, wrap
from pyrite.backends.autodiff import ACTIVE, Step, Traced, backward, run
from pyrite.backends.autodiff import GradientCheckpointingStrategy as Strategy
from pyrite.device import Device
from pyrite.dtypes import float64
from pyrite.ops import REGISTRY
from pyrite.ops.record import Case, Op, Rule

STEP = 1e-6
RULED = sorted(n for n, o in REGISTRY.items() if not isinstance(o.vjp, Rule) and float64 in o.samples.dtypes)
# rules that are right for values but not a derivative to compare with: a stand-in or a pass-through
NOT_NUMERIC = {
    "unless_zero": "passes the gradient of its second input through, also where the value is 0",
    "stop_gradient": "its gradient is zero on purpose",
    "copysign": "its derivative at a sampled sign change is one-sided",
}


def traced(x: Any, level: int) -> Traced:
    step = Step(x.shape, x.dtype)
    step.requires = True
    return Traced(x, level, step, Strategy.Disabled)


class Function:
    """Σ w · op(inputs) as a function of the float inputs, with its derivatives on a device."""

    def __init__(self, op: Op, case: Case, device: Device, seed: int) -> None:
        self.op, self.case, self.device = op, case, device
        rng = np.random.default_rng(seed)
        self.inputs = [values(a, float64, rng) for a in case.args]
        self.dtypes = [a.dtype or float64 for a in case.args]
        self.floats = [i for i, d in enumerate(self.dtypes) if d is float64]
        self.weight: Any = None
        self.seed = seed

    def arrays(self, inputs: Any) -> list[Any]:
        return [self.device.backend.upload(x, d) for x, d in zip(inputs, self.dtypes)]

    def value(self, arrays: Any) -> Any:
        out = run(self.op, arrays, self.case.params)
        if self.weight is None:
            self.weight = np.random.default_rng(self.seed + 1).uniform(0.5, 1.5, out.shape)
        do = do_on(self.device)
        w = self.device.backend.upload(self.weight, float64)
        product = do.mul(out, w)
        return do.sum(product, tuple(range(len(out.shape))), False)

    def number(self, inputs: Any) -> float:
        return float(wrap(self.value(self.arrays(inputs))).numpy())

    def slopes(self, arrays: Any, level: int) -> list[Any]:
        """Gradients as values one level below `level`."""
        ACTIVE.add(level)
        leaves = [traced(a, level) if i in self.floats else a for i, a in enumerate(arrays)]
        found = backward(self.value(leaves))
        do = do_on(self.device)
        return [
            do.full(0, arrays[i].shape, float64) if (g := found.get(leaves[i].step)) is None else g
            for i in self.floats
        ]

    def gradient(self, inputs: Any) -> list[np.ndarray[Any, Any]]:
        return [wrap(g).numpy() for g in self.slopes(self.arrays(inputs), 1)]


def spots(x: np.ndarray[Any, Any], rng: np.random.Generator) -> list[tuple[int, ...]]:
    """A few positions of an array."""
    flat = np.arange(x.size) if x.size <= 6 else rng.choice(x.size, 6, replace=False)
    return [tuple(int(k) for k in np.unravel_index(i, x.shape)) for i in flat]


def bumped(inputs: Any, i: int, at: tuple[int, ...], by: float) -> Any:
    out = [x.copy() for x in inputs]
    out[i][at] += by
    return out


def close(got: float, want: float, scale: float) -> bool:
    return abs(got - want) <= 2e-4 * max(1.0, abs(want), scale)


@pytest.mark.parametrize("name", [n for n in RULED if n not in NOT_NUMERIC])
def test_first_order(name: str) -> None:
    op = REGISTRY[name]
    for k, case in enumerate(op.samples.cases):
        f = Function(op, case, Device.flex(), seed_of(name, k))
        if not f.floats or run(op, f.arrays(f.inputs), case.params).dtype is not float64:
            continue
        exact = f.gradient(f.inputs)
        compiled = Function(op, case, Device.cpu(), seed_of(name, k))
        compiled.weight = f.weight
        for g, h in zip(exact, compiled.gradient(f.inputs)):
            np.testing.assert_allclose(h, g, rtol=1e-9, atol=1e-9, err_msg=f"{name} {case}")
        rng = np.random.default_rng(k)
        for i, g in zip(f.floats, exact):
            assert g.shape == f.inputs[i].shape, f"{name} {case}"
            for at in spots(g, rng):
                high, low = f.number(bumped(f.inputs, i, at, STEP)), f.number(bumped(f.inputs, i, at, -STEP))
                want = (high - low) / (2 * STEP)
                assert close(g[at], want, 0), f"{name} {case} input {i} at {at}: {g[at]}, differences give {want}"


@pytest.mark.parametrize("name", [n for n in RULED if n not in NOT_NUMERIC])
def test_second_order(name: str) -> None:
    op = REGISTRY[name]
    for k, case in enumerate(op.samples.cases[:4]):
        f = Function(op, case, Device.flex(), seed_of(name, k))
        if not f.floats or run(op, f.arrays(f.inputs), case.params).dtype is not float64:
            continue
        rng = np.random.default_rng(k)
        f.number(f.inputs)
        probes = [rng.uniform(0.5, 1.5, f.inputs[i].shape) for i in f.floats]

        def slope(inputs: Any, f: Function = f, probes: Any = probes) -> float:
            return float(sum((g * p).sum() for g, p in zip(f.gradient(inputs), probes)))

        do = do_on(Device.flex())
        outer = [traced(a, 1) if i in f.floats else a for i, a in enumerate(f.arrays(f.inputs))]
        total: Any = None
        for g, p in zip(f.slopes(outer, 2), probes):
            part = do.sum(do.mul(g, Device.flex().backend.upload(p, float64)), tuple(range(len(g.shape))), False)
            total = part if total is None else do.add(total, part)
        if not isinstance(total, Traced) or not total.step.tracked:
            second: Any = {}
        else:
            second = backward(total)._by_leaf
        for i in f.floats:
            found = second.get(outer[i].step)
            h = np.zeros(f.inputs[i].shape) if found is None else wrap(found).numpy()
            for at in spots(h, rng)[:3]:
                want = (slope(bumped(f.inputs, i, at, STEP)) - slope(bumped(f.inputs, i, at, -STEP))) / (2 * STEP)
                assert close(h[at], want, 0), f"{name} {case} input {i} at {at}: {h[at]}, differences give {want}"


def slope_of(f: Any, x: Any, dtype: Any = None) -> Any:
    """The gradient of Σ f at x, as a list."""
    return pr.grad(lambda t: pr.sum(f(t)))(pr.asarray(x, dtype=dtype)).to_list()


KINKS = [
    ("abs at 0", lambda t: pr.abs(t), [0.0, -2.0], [0.0, -1.0]),
    ("sqrt at 0", lambda t: pr.sqrt(t) * 0.0, [0.0], [0.0]),
    ("relu at 0", lambda t: pr.relu(t), [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]),
    ("max ties", lambda t: pr.max(t), [1.0, 3.0, 3.0], [0.0, 1.0, 0.0]),
    ("min ties", lambda t: pr.min(t), [1.0, 1.0, 3.0], [1.0, 0.0, 0.0]),
    ("maximum tie goes first", lambda t: pr.maximum(t, pr.asarray([2.0])), [2.0], [1.0]),
    ("prod with a zero", lambda t: pr.prod(t), [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
    ("prod with two zeros", lambda t: pr.prod(t), [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    ("cumprod with a zero", lambda t: pr.cumulative_prod(t), [2.0, 0.0, 3.0, 4.0], [1.0, 32.0, 0.0, 0.0]),
    ("norm at 0", lambda t: pr.linalg.vector_norm(t), [0.0, 0.0], [0.0, 0.0]),
    ("squared norm at 0", lambda t: pr.linalg.vector_norm(t) ** 2, [0.0, 0.0], [0.0, 0.0]),
    ("where, exp overflows", lambda t: pr.where(t <= 0, pr.exp(t), 1 + t), [100.0], [1.0]),
    ("where, sqrt of a negative", lambda t: pr.where(t > 0, pr.sqrt(t), 0.0), [-1.0, 4.0], [0.0, 0.25]),
    ("where, log of a negative", lambda t: pr.where(t > 0, pr.log(t), 0.0), [-1.0, 2.0], [0.0, 0.5]),
    ("where, division by zero", lambda t: pr.where(t != 0, 1.0 / t, 0.0), [0.0, 2.0], [0.0, -0.25]),
    ("square of 0", lambda t: t**2, [0.0], [0.0]),
    ("pow at base 0", lambda t: t**3.5, [0.0], [0.0]),
    ("softmax of large values", lambda t: pr.softmax(t, axis=0)[0], [1e4, -1e4], [0.0, 0.0]),
]


@pytest.mark.parametrize(("f", "x", "want"), [k[1:] for k in KINKS], ids=[k[0] for k in KINKS])
def test_kinks(f: Any, x: Any, want: Any) -> None:
    assert slope_of(f, x) == want


def test_second_derivative_where_the_gradient_is_zero() -> None:
    """Taking 0 · inf away must not take a second derivative away."""
    f = lambda t: pr.sum((t * t - 1.0) ** 2)  # noqa: E731
    hessian = pr.grad(lambda t: pr.sum(pr.grad(f)(t)))(pr.asarray([1.0, 0.0], dtype=pr.float64))
    assert hessian.to_list() == [8.0, -4.0]
