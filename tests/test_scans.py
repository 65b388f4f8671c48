"""Running sums, products and extremes as kernels: their tree, their bits, and what they share a kernel with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from contract import same_bits

import pyrite as pr
from pyrite.apply import apply, wrap
from pyrite.backends import plans

NAMES = ("cumsum", "cumprod", "cummax", "cummin")
LENGTHS = (0, 1, 15, 16, 17, 31, 33, 4095, 4096, 4097, 9000)
COMBINE: dict[str, Callable[..., Any]] = {
    "cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum,
}  # fmt: skip


def normal(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=shape)


def scan(name: str, x: np.ndarray[Any, Any], axis: int = -1, reverse: bool = False) -> np.ndarray[Any, Any]:
    t = apply(name, (pr.asarray(x, copy=True),), axis % x.ndim, reverse)
    result: np.ndarray[Any, Any] = t.numpy()
    return result


def tree(name: str, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The documented tree along the last axis, in the dtype of `x`."""
    combine, n = COMBINE[name], x.shape[-1]
    out = x.copy()
    with np.errstate(all="ignore"):
        for start in range(0, n, 16):
            part = out[..., start : start + 16]
            for by in (1, 2, 4, 8):
                part[..., by:] = combine(part[..., :-by], part[..., by:])
            if start:
                part[...] = combine(out[..., start - 1 : start], part)
    return out


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name", NAMES)
def test_the_tree_is_the_same_on_every_axis_and_from_both_ends(name: str, n: int) -> None:
    x = 1 + 0.01 * normal(3, n)
    want = tree(name, x)
    assert same_bits(scan(name, x), want)
    assert same_bits(scan(name, x[1]), want[1])
    assert same_bits(scan(name, np.array(x.T), 0), np.array(want.T))
    assert same_bits(scan(name, np.array(x.reshape(3, n, 1)), 1)[..., 0], want)
    assert same_bits(scan(name, np.array(x[:, ::-1]), -1, True), np.array(want[:, ::-1]))
    assert same_bits(scan(name, np.array(x.T[::-1]), 0, True), np.array(want.T[::-1]))
    deep = np.array(np.moveaxis(np.stack([x, x]), -1, 1))
    assert same_bits(scan(name, np.array(deep[..., None] * np.ones(5)), 1)[..., 3], np.array(deep * 0 + want.T))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_narrow_floats_accumulate_in_float64_and_round_once(dtype: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    x = (1 + 0.01 * normal(5, 700)).astype(kind)
    for name in NAMES:
        want = tree(name, x.astype(np.float64)).astype(kind)
        for axis in (1, 0):
            got = scan(name, x if axis == 1 else np.array(x.T), axis)
            assert same_bits(got, want if axis == 1 else np.array(want.T)), (name, dtype, axis)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "int64"])
def test_integers_wrap_in_their_own_dtype(dtype: str) -> None:
    info = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(info.min, info.max, (4, 333), dtype=dtype)
    for name in NAMES:
        combine: Any = COMBINE[name]
        for axis in (0, 1):
            assert np.array_equal(scan(name, x, axis), combine.accumulate(x, axis=axis, dtype=dtype)), name


def test_error_bound_of_running_sums() -> None:
    """The bound in docs/numerics.md, on sums that cancel."""
    x = normal(9000) * 10.0 ** np.random.default_rng(1).integers(-8, 9, 9000)
    got = scan("cumsum", x)
    for k in (0, 1, 15, 16, 17, 100, 4095, 4096, 8999):
        exact = math.fsum(x[: k + 1])
        assert abs(got[k] - exact) <= (k / 16 + 5) * 2.0**-53 * np.abs(x[: k + 1]).sum() + 2.0**-53 * abs(exact)


@pytest.mark.parametrize("name", ["cumargmax", "cumargmin"])
def test_places_of_running_extremes(name: str) -> None:
    x = np.random.default_rng(0).integers(-3, 4, (3, 70, 5)).astype(np.float32)
    holes = x.copy()
    holes[1, 30:60:7, 2] = np.nan
    for values in (x, holes, x[:, :1], x[:, :0], -0.0 * x):
        for axis in range(3):
            for reverse in (False, True):
                ours, numpy = (
                    apply(name, (pr.asarray(np.array(values), copy=True, device=pr.Device(d)),), axis, reverse)
                    for d in ("cpu", "flex")
                )
                assert np.array_equal(ours.numpy(), numpy.numpy())
    plan = pr.explain(apply(name, (pr.asarray(x, copy=True),), 1, False))
    assert (plan.kernels, plan.fallbacks) == (2, 0)


@pytest.mark.parametrize("axis", [0, 1])
def test_special_values(axis: int) -> None:
    nan, inf = np.nan, np.inf
    rows = [
        [-0.0, -0.0, 0.0, -0.0], [1.0, nan, 2.0, inf], [inf, 1.0, -inf, 2.0], [-inf, -inf, 3.0, nan],
        [0.0, -0.0, -1.0, 1.0], [-0.0, 0.0, 1.0, -1.0],
    ]  # fmt: skip
    for dtype in (np.float32, np.float64):
        x = np.array([r + [1.0] * 30 for r in rows], dtype)
        x = x if axis == 1 else np.array(x.T)
        with pr.fusion(True):
            for name in NAMES:
                on = [
                    apply(name, (pr.asarray(x, copy=True, device=pr.Device(d)),), axis, r).numpy()
                    for d in ("cpu", "flex") for r in (False, True)
                ]  # fmt: skip
                assert same_bits(on[0], on[2]), (name, on[0], on[2])
                assert same_bits(on[1], on[3]), (name, on[1], on[3])
    first = scan("cummax", np.array([3.0] * 20 + [nan] + [9.0] * 20))
    assert np.array_equal(np.isnan(first), [False] * 20 + [True] * 21)
    assert np.signbit(scan("cumsum", np.full(40, -0.0))).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_threads_and_layouts_change_no_bit(axis: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_CHUNK", 8)
    x = normal(9, 130, 37)
    want = [scan(name, x, axis, r) for name in NAMES for r in (False, True)]
    t = pr.asarray(x, copy=True)
    turned = pr.asarray(np.array(x.transpose(2, 0, 1)), copy=True).permute((1, 2, 0))
    for count in (1, 2, 3, 7):
        pr.set_num_threads(count)
        for source in (t, turned, t * 1.0):
            got = [apply(name, (source,), axis, r).numpy() for name in NAMES for r in (False, True)]
            assert all(same_bits(g, w) for g, w in zip(got, want))
        alone = [apply(name, (t[4:5],), axis, r).numpy() for name in NAMES for r in (False, True)]
        if axis:
            assert all(same_bits(g, w[4:5]) for g, w in zip(alone, want))


# --- fusion -------------------------------------------------------------------------------

X = pr.asarray(normal(40, 500).astype(np.float32), copy=True)
W = pr.asarray(normal(40, 500, seed=1).astype(np.float32), copy=True)
LONG = pr.asarray(normal(70, 9000).astype(np.float32), copy=True)


def down(name: str, t: Any, axis: int = 1, reverse: bool = False) -> Any:
    return apply(name, (t,), axis, reverse)


def nested(t: Any, axis: int) -> Any:
    inner = down("cumsum", pr.tanh(t), axis)
    return down("cummax", inner * W, axis) - inner


ONE_KERNEL: dict[str, Callable[[], Any]] = {
    "work before and after": lambda: pr.exp(down("cumsum", X * 0.01 + W)) * 2.0,
    "work before and after, axis 0": lambda: pr.exp(down("cumsum", X * 0.01 + W, 0)) * 2.0,
    "from the end": lambda: down("cumsum", X * W, 1, True) + X,
    "from the end, axis 0": lambda: down("cumsum", X * W, 0, True) + X,
    "divided by the sum of its row": lambda: down("cumsum", X) / pr.sum(X, axis=1, keepdims=True),
    "over the softmax": lambda: down("cumsum", pr.softmax(X, axis=-1)),
    "long rows, over the softmax": lambda: down("cumsum", pr.softmax(LONG, axis=-1)),
    "reduced": lambda: pr.max(down("cumsum", X), axis=1),
    "reduced and used again": lambda: (lambda s: s - pr.max(s, axis=1, keepdims=True))(down("cumsum", X)),
    "long rows, reduced and used again": lambda: (lambda s: s / pr.sum(s, axis=1, keepdims=True))(
        down("cumsum", LONG)
    ),
    "two of one tensor": lambda: (down("cumsum", X), down("cummax", X)),
    "two of one tensor, axis 0": lambda: (down("cumsum", X, 0), down("cummax", X, 0)),
    "one of another": lambda: nested(X, 1),
    "one of another, axis 0": lambda: nested(X, 0),
    "an exclusive sum": lambda: down("cumsum", X) - X,
    "views around it": lambda: down("cumsum", X[::2, 10:400]) + 1.0,
}


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_one_kernel_with_the_bits_of_many(name: str) -> None:
    def values() -> list[Any]:
        found = ONE_KERNEL[name]()
        return [t.numpy() for t in (found if isinstance(found, tuple) else (found,))]

    found = ONE_KERNEL[name]()
    first = found[0] if isinstance(found, tuple) else found
    plan = pr.explain(first)
    assert (plan.kernels, plan.fallbacks) == (1, 0), plan
    del found, first
    fused = values()
    with pr.fusion(False):
        apart = values()
    assert all(same_bits(f, a) for f, a in zip(fused, apart))


def test_lengths_compile_nothing_new() -> None:
    before = pr.stats()
    for n in range(1, 200):
        for axis in (0, 1):
            down("cumsum", pr.ones((n, n)), axis).numpy()
    down("cumsum", pr.ones((2, 9000)), 1).numpy()
    after = pr.stats()
    made = after["compiled"] + after["loaded"] - before["compiled"] - before["loaded"]
    assert made <= 4


def test_both_directions_are_two_kernels() -> None:
    plan = pr.explain(down("cumsum", X) + down("cumsum", X, 1, True))
    assert (plan.kernels, plan.fallbacks) == (2, 0), plan


def test_a_dying_input_gives_its_memory_to_the_result() -> None:
    for axis in (0, 1):
        t = pr.asarray(np.ones((300, 1000), np.float32), copy=True)
        pr.Device.cpu().sync()
        before = pr.stats()["reused"]
        t = down("cumsum", t, axis) - t
        want = np.cumsum(np.ones((300, 1000)), axis) - 1
        assert np.array_equal(t.numpy(), want)
        assert pr.stats()["reused"] == before + 1


def test_complex_runs_on_numpy() -> None:
    x = normal(3, 20) + 1j
    plan = pr.explain(down("cumsum", pr.asarray(x, copy=True)))
    assert plan.fallbacks == 1
    assert "complex" in plan.steps[0].reason
    assert np.allclose(scan("cumsum", x), np.cumsum(x, -1))


def test_gradients_are_kernels() -> None:
    for name in ("cumsum", "cumprod"):
        q = X.autodiff().require_grad()
        g = q.grad((down(name, pr.tanh(q)) * W).sum().backward())
        assert np.isfinite(g.numpy()).all()
    q = X.autodiff().require_grad()
    loss = (down("cumsum", pr.tanh(q)) * W).sum()
    assert pr.explain(q.grad(loss.backward())).fallbacks == 0


def test_a_running_place_along_an_axis_of_one() -> None:
    """The place is a constant then: it may join a kernel whose reduction nobody reads."""
    backend = pr.Device.cpu().backend
    x = wrap(backend.upload(np.ones((7, 3, 200), np.int32), pr.int32))
    found = apply("cumargmax", (apply("max", (x,), (0, 1), True),), 0, False)
    assert found.numpy().shape == (1, 1, 200)
    assert not found.numpy().any()
