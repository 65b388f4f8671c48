"""What the tape records, which values it keeps through later writes, and that gradients flow through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expect import fails, leaf, numeric, slope

import pyrite as pr
from pyrite.apply import apply
from pyrite.ops.elementwise import check_kind
from pyrite.ops.record import REGISTRY, Samples, op

Strategy = pr.GradientCheckpointingStrategy
NO_GRAPH = (
    "Tensor.backward: the tensor is not part of a recorded graph\n"
    "Hint: mark the leaves with .require_grad() before computing"
)


def test_the_tape_survives_untracked_mixes(device: pr.Device) -> None:
    x = leaf([1.0, 2.0], device)
    plain = pr.asarray([3.0, 4.0], dtype=pr.float64, device=device)
    constant = plain.autodiff()
    y = x * 2
    z = plain * constant + 1  # nothing tracked
    y = y * z + plain
    y = pr.where(constant > 3.5, y * plain, y)
    assert slope(x, y).tolist() == [2 * 10.0, 2 * 17.0 * 4.0]


def test_integer_and_bool_results_are_not_tracked() -> None:
    x = leaf([3.0, 1.0, 2.0])
    for t in (x > 1, pr.argsort(x), x.int(), pr.argmax(x), pr.isnan(x)):
        assert t.is_autodiff()
        assert not t.is_tracked()
        fails(pr.GradientError, NO_GRAPH, lambda t=t: t.backward())
    # through an int and back nothing flows
    fails(pr.GradientError, NO_GRAPH, lambda: x.int().float().sum().backward())
    assert slope(x, x * x.int().cast(pr.float64)).tolist() == [3.0, 1.0, 2.0]


def test_piecewise_constant_ops_give_zero_or_none() -> None:
    x = leaf([1.5, -2.5])
    assert slope(x, pr.floor(x) + x).tolist() == [1.0, 1.0]
    grads = pr.sign(x).sum().backward()
    found = x.grad(grads)
    assert found is None or found.to_list() == [0.0, 0.0]


def test_an_op_without_a_rule_names_detach(device: pr.Device) -> None:
    name = "ruleless"

    def infer(x: Any) -> Any:
        check_kind(x.dtype, (pr.Float,))
        return x.shape, x.dtype

    ruleless = op(
        name,
        fuses="elementwise",
        doc="x + 1.",
        infer=infer,
        reference=lambda x: x + 1,
        samples=Samples((pr.float64,), ()),
    )
    del REGISTRY[name]  # for this test alone
    x = leaf([1.0, 2.0], device)
    y = apply(ruleless, (x,))
    assert y.to_list() == [2.0, 3.0]
    assert y.is_tracked()
    text = (
        "Tensor.backward: ruleless has no gradient\n"
        "Hint: use .detach() on its input (.inner() on a leaf) if the gradient should stop there"
    )
    fails(pr.GradientError, text, lambda: (y * x).sum().backward())
    stopped = apply(ruleless, ((x * 1).detach(),))  # of a result: a leaf keeps its setting
    assert slope(x, stopped * x).tolist() == [2.0, 3.0]
    function = lambda t: pr.sum(apply(ruleless, (t,)))  # noqa: E731
    with pytest.raises(pr.GradientError, match="ruleless has no gradient"):
        pr.grad(function)(pr.asarray([1.0], device=device))


def test_tracked_tensors_cannot_be_written_to() -> None:
    x = leaf([1.0, 2.0])
    for t in (x, x * 2, x[1:], x.reshape([2, 1])):
        with pytest.raises(pr.GradientError, match="a tensor that autodiff tracks cannot be written to") as caught:
            t[0] = 5.0
        assert "slice_assign" in str(caught.value)
    assert x.to_list() == [1.0, 2.0]


def test_a_write_after_the_forward_pass_does_not_reach_the_tape() -> None:
    """The tape keeps the values of the forward pass, whatever is written afterwards."""
    x = leaf([1.0, 2.0])
    c = pr.asarray([3.0, 4.0], dtype=pr.float64, copy=True)
    inside = pr.asarray([5.0, 6.0], dtype=pr.float64, copy=True).autodiff()
    y = x * c * inside
    c[0], inside[1] = 100.0, -1.0
    assert slope(x, y).tolist() == [15.0, 24.0]


@pytest.mark.parametrize("make", ["computed", "zeros", "written slice", "function"])
def test_a_pending_constant_written_after_the_forward_pass(device: pr.Device, make: str) -> None:
    x = leaf([1.0, 2.0], device)
    c = pr.zeros(2, dtype=pr.float64, device=device)
    if make != "zeros":
        c = c + 3
    want = [0.0, 0.0] if make == "zeros" else [9.0, 9.0] if make == "function" else [3.0, 3.0]
    y = x * (c * c if make == "function" else c)
    (c[:1] if make == "written slice" else c)[0] = 100.0
    assert slope(x, y).tolist() == want
    assert c.to_list()[0] == 100.0


VIEWS: dict[str, Callable[[pr.Tensor], pr.Tensor]] = {
    "slice": lambda c: c[1:],
    "reversed": lambda c: c[::-1][:2],
    "reshape": lambda c: c.reshape([3, 1])[1:, 0],
}


@pytest.mark.parametrize("view", list(VIEWS))
def test_a_view_of_a_pending_constant_written_after_the_forward_pass(device: pr.Device, view: str) -> None:
    x = leaf([1.0, 2.0], device)
    c = pr.zeros(3, dtype=pr.float64, device=device) + 3
    y = x * VIEWS[view](c)
    c[1] = 100.0
    assert slope(x, y).tolist() == [3.0, 3.0]


def test_foreign_memory_is_copied_by_autodiff() -> None:
    memory = np.array([1.0, 2.0])
    x = pr.asarray(memory).autodiff().require_grad()
    y = x * x
    memory[:] = 100.0
    assert x.to_list() == [1.0, 2.0]
    assert slope(x, y).tolist() == [2.0, 4.0]


def test_foreign_memory_as_a_constant() -> None:
    memory = np.array([3.0, 4.0])
    x = leaf([1.0, 2.0])
    y = x * pr.asarray(memory)
    memory[:] = 100.0
    assert slope(x, y).tolist() == [3.0, 4.0]


def test_a_constant_written_between_two_passes() -> None:
    x = leaf([1.0, 2.0])
    c = pr.asarray([3.0, 4.0], dtype=pr.float64, copy=True).autodiff()
    assert slope(x, x * c).tolist() == [3.0, 4.0]
    c[0] = 100.0
    assert (x * c).to_list() == [100.0, 8.0]
    assert slope(x, x * c).tolist() == [100.0, 4.0]


def test_a_leaf_written_between_two_passes() -> None:
    x = leaf([1.0, 2.0])
    assert slope(x, x * x).tolist() == [2.0, 4.0]
    x.set_require_grad(False)
    x[0] = 100.0
    x.require_grad()
    assert slope(x, x * x).tolist() == [200.0, 4.0]


def test_a_leaf_written_through_inner_between_two_passes() -> None:
    x = leaf([1.0, 2.0])
    first = x * x
    x.inner()[0] = 100.0
    assert slope(x, first).tolist() == [2.0, 4.0]
    assert x.to_list() == [100.0, 2.0]
    assert slope(x, x * x).tolist() == [200.0, 4.0]


def test_a_write_through_detach_does_not_reach_the_result() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1.0
    first = y * y
    d = y.detach()
    d[0] = 100.0
    assert d.to_list() == [100.0, 2.0]
    assert y.to_list() == [1.0, 2.0]
    assert slope(x, first + y * y).tolist() == [4.0, 8.0]


def test_other_devices_are_refused() -> None:
    x = leaf([1.0])
    with pytest.raises(pr.DeviceError, match="different devices"):
        x * pr.asarray([1.0], dtype=pr.float64, device="flex")


def test_to_device_on_the_same_device_is_recorded() -> None:
    x = leaf([1.0, 2.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    moved = x.to_device(pr.Device.cpu())
    assert moved.is_tracked()
    assert not moved.is_require_grad()
    assert moved.gradient_checkpointing_strategy() is Strategy.Balanced
    assert slope(x, moved * 3).tolist() == [3.0, 3.0]


def test_gradients_have_the_dtype_of_their_leaf(device: pr.Device) -> None:
    for dtype in (pr.float16, pr.bfloat16, pr.float32, pr.float64):
        x = leaf([1.0, 2.0], device, dtype)
        y = x.cast(pr.float64) * pr.asarray([3.0, 4.0], dtype=pr.float64, device=device)
        g = x.grad(y.backward())
        assert g.dtype is dtype
        assert g.cast(pr.float64).to_list() == [3.0, 4.0]


# --- gradients through movement, indexing and products --------------------------------------

A = np.arange(1.0, 13.0).reshape(3, 4)
B = np.linspace(-1.0, 2.0, 8).reshape(4, 2)
V = np.array([0.5, -1.5, 2.0, 3.0])
T = np.linspace(0.1, 2.4, 24).reshape(2, 3, 4)


def index(*values: int) -> Callable[[pr.Tensor], pr.Tensor]:
    return lambda like: pr.asarray(list(values), device=like.device)


FLOWS: dict[str, tuple[list[np.ndarray[Any, Any]], Callable[..., pr.Tensor]]] = {
    "slice": ([A], lambda a: a[1:, ::2] ** 2),
    "negative step": ([A], lambda a: a[::-1, ::-2] ** 2),
    "one row of a stepped slice": ([A], lambda a: a[0::2][:1] ** 2),
    "integer and None": ([A], lambda a: a[1, None, :] ** 2),
    "ellipsis": ([T], lambda t: t[..., 1] ** 2),
    "overlapping slices": ([A], lambda a: a[:2] * a[1:]),
    "view of a view": ([A], lambda a: a.T[1:][:, ::-1][0] ** 3),
    "transpose": ([T], lambda t: t.permute([2, 0, 1]) ** 2),
    "reshape of a transpose": ([A], lambda a: a.T.reshape([6, 2])[1:, 0] ** 2),
    "broadcast": ([V], lambda v: v.expand([3, 4]) * pr.asarray(A, device=v.device)),
    "broadcast both": ([A[:, :1].copy(), V], lambda a, v: a * v + a / v),
    "scalar beside a tensor": ([A, np.array(2.0)], lambda a, s: a**s),
    "take with repeats": ([A], lambda a: a[index(2, 0, 2, -1)(a)] ** 2),
    "gather": ([A], lambda a: a.gather(1, pr.asarray([[0, 0], [3, 1], [2, 2]], device=a.device)) ** 2),
    "boolean mask": ([A], lambda a: a[a > 4.5] ** 2),
    "boolean mask of nothing": ([A], lambda a: a[a > 99] ** 2),
    "select along an axis": ([T], lambda t: t.select(1, index(1, 1, 0)(t)) ** 2),
    "slice_assign": ([A, V], lambda a, v: a.slice_assign(pr.s[1:2], v.reshape([1, 4]) ** 2) ** 2),
    "mask_where": ([A, A * 2], lambda a, b: a.mask_where(a > 5.5, b * b)),
    "mask_fill": ([A], lambda a: a.mask_fill(a > 5.5, 3.0) ** 2),
    "concat": ([A, V], lambda a, v: pr.concat([a, v.reshape([1, 4]), a * a]) ** 2),
    "stack": ([V], lambda v: pr.stack([v, v * v, v], axis=1) ** 2),
    "split": ([A], lambda a: a.split(2, 1)[0] * a.split(2, 1)[1]),
    "flip and roll": ([A], lambda a: pr.roll(pr.flip(a, axis=0), 1, axis=1) * a),
    "tile and repeat": ([V], lambda v: pr.tile(v, (2, 3)) * pr.repeat(v, 3)),
    "where": ([A, A + 1], lambda a, b: pr.where(a > 6.5, a * b, b - a)),
    "where of a scalar": ([A], lambda a: pr.where(a > 6.5, a * a, 0.0)),
    "matmul": ([A, B], lambda a, b: (a @ b) ** 2),
    "matmul vector matrix": ([V, B], lambda v, b: (v @ b) ** 2),
    "matmul matrix vector": ([A, V], lambda a, v: (a @ v) ** 2),
    "matmul vectors": ([V, V * 2], lambda v, w: (v @ w) ** 2),
    "matmul broadcast": ([T, B], lambda t, b: (t @ b) ** 2),
    "matmul broadcast both": ([T.reshape(2, 1, 3, 4), np.stack([B, B + 1, B * 2])], lambda t, b: (t @ b) ** 2),
    "matmul of transposes": ([A, B], lambda a, b: (b.T @ a.T) ** 2),
    "einsum": ([T, B, V], lambda t, b, v: pr.einsum("nij,jk,j->ik", t, b, v) ** 2),
    "einsum trace": ([A[:, :3].copy()], lambda a: pr.einsum("ii->", a) ** 2),
    "einsum outer": ([V, B], lambda v, b: pr.einsum("i,jk->kij", v, b) ** 2),
    "tensordot": ([T, A], lambda t, a: pr.tensordot(t, a, axes=((1, 2), (0, 1))) ** 2),
    "reductions": ([T], lambda t: pr.mean(t, axis=1) * pr.max(t, axis=1) + pr.prod(t, axis=1)),
    "variance": ([A], lambda a: pr.var(a, axis=0) * pr.std(a, axis=0, correction=1)),
    "scan": ([A], lambda a: pr.cumulative_sum(a, axis=1) ** 2),
    "cumulative product": ([V], lambda v: pr.cumulative_prod(v)),
    "sort": ([V], lambda v: pr.sort(v) * pr.asarray([1.0, 2.0, 3.0, 4.0], dtype=pr.float64, device=v.device)),
    "topk": ([V], lambda v: v.topk(2, 0) ** 2),
    "softmax": ([A], lambda a: pr.softmax(a / 3, axis=-1) ** 2),
    "empty slice": ([A], lambda a: a[3:]),
}


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("flow", list(FLOWS))
def test_gradients_flow(flow: str, device: pr.Device, strategy: Strategy) -> None:
    arrays, f = FLOWS[flow]
    leaves = [leaf(a, device).with_gradient_checkpointing_strategy(strategy) for a in arrays]
    grads = pr.sum(f(*leaves)).backward()

    def value(*inputs: np.ndarray[Any, Any]) -> float:
        return float(pr.sum(f(*[pr.asarray(a, device="flex", copy=True) for a in inputs])).numpy())

    for t, want in zip(leaves, numeric(value, [a.copy() for a in arrays])):
        got = t.grad(grads)
        assert got is not None
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6, atol=1e-6)


def test_a_whole_network_against_differences(device: pr.Device) -> None:
    """MLP, layer norm and cross-entropy in float64."""
    rng = np.random.default_rng(3)
    shapes = [(4, 5), (5, 6), (6,), (6,), (6,), (6, 3), (3,)]
    arrays = [rng.standard_normal(s) for s in shapes]
    labels = np.array([0, 2, 1, 2])

    def loss(where: pr.Device, x: Any, w1: Any, b1: Any, gamma: Any, beta: Any, w2: Any, b2: Any) -> pr.Tensor:
        h = pr.layer_norm(pr.silu(x @ w1 + b1), gamma, beta)
        return pr.mean(pr.cross_entropy(h @ w2 + b2, pr.asarray(labels, device=where)))

    def value(*inputs: np.ndarray[Any, Any]) -> float:
        return float(loss(pr.Device.flex(), *[pr.asarray(a, device="flex", copy=True) for a in inputs]).numpy())

    leaves = [leaf(a, device) for a in arrays]
    grads = loss(device, *leaves).backward()
    wanted = numeric(value, arrays)
    for t, want in zip(leaves, wanted):
        np.testing.assert_allclose(t.grad(grads).numpy(), want, rtol=1e-6, atol=1e-8)
    slopes = pr.grad(lambda *p: loss(device, *p), argnums=tuple(range(7)))(*[t.inner() for t in leaves])
    for s, t in zip(slopes, leaves):
        assert s.numpy().tobytes() == t.grad(grads).numpy().tobytes()


def test_numpy_knows_the_same_network(device: pr.Device) -> None:
    """The loss and the gradient of the last layer, by hand."""
    rng = np.random.default_rng(4)
    x, w, b, y = rng.standard_normal((6, 5)), rng.standard_normal((5, 3)), rng.standard_normal(3), np.arange(6) % 3
    z = x @ w + b
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    delta = (p - np.eye(3)[y]) / 6
    tw, tb = leaf(w, device), leaf(b, device)
    loss = pr.mean(pr.cross_entropy(pr.asarray(x, device=device) @ tw + tb, pr.asarray(y, device=device)))
    assert float(loss.numpy()) == pytest.approx(-np.log(p[np.arange(6), y]).mean(), rel=1e-12)
    grads = loss.backward()
    np.testing.assert_allclose(tw.grad(grads).numpy(), x.T @ delta, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(tb.grad(grads).numpy(), delta.sum(0), rtol=1e-10, atol=1e-14)
