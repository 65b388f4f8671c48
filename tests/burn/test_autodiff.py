"""Autodiff as users see it: the methods of the tape, `pr.grad`, devices; every documented rule and every error."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite.apply import apply
from pyrite.ops.elementwise import check_kind
from pyrite.ops.record import REGISTRY, Samples, op

Strategy = pr.GradientCheckpointingStrategy
DEVICES = ["cpu", "flex"]
CONSUMED = (
    "Tensor.backward: a step of this graph was already consumed by an earlier backward\n"
    "Hint: add the losses before calling backward, or compute the forward pass again"
)
NO_GRAPH = (
    "Tensor.backward: the tensor is not part of a recorded graph\n"
    "Hint: mark the leaves with .require_grad() before computing"
)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> pr.Device:
    return pr.Device(request.param)


def leaf(values: Any, device: pr.Device | None = None, dtype: Any = pr.float64) -> pr.Tensor:
    """A tensor that requires its gradient."""
    return pr.asarray(values, dtype=dtype, device=device, copy=True).autodiff().require_grad()


def slope(x: pr.Tensor, y: pr.Tensor) -> np.ndarray[Any, Any]:
    """The gradient of Σ y at x."""
    found = x.grad(y.sum().backward())
    assert found is not None
    return found.numpy()


def fails(kind: type[Exception], text: str, call: Callable[[], Any]) -> None:
    """The call raises exactly this class with exactly this text."""
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert str(caught.value) == text
    assert isinstance(caught.value, pr.PyriteError)


def numeric(f: Callable[..., float], arrays: list[np.ndarray[Any, Any]], step: float = 1e-6) -> list[Any]:
    """Central differences of a scalar function of float64 arrays."""
    out = []
    for a in arrays:
        g = np.zeros_like(a)
        for at in np.ndindex(a.shape):
            kept = a[at]
            a[at] = kept + step
            high = f(*arrays)
            a[at] = kept - step
            low = f(*arrays)
            a[at] = kept
            g[at] = (high - low) / (2 * step)
        out.append(g)
    return out


# --- backward ----------------------------------------------------------------------------


def test_backward_of_a_scalar(device: pr.Device) -> None:
    x = leaf([1.0, 2.0, 3.0], device)
    grads = (x * x * x).sum().backward()
    assert isinstance(grads, pr.Gradients)
    assert len(grads) == 1
    assert x.grad(grads).to_list() == [3.0, 12.0, 27.0]


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (2, 1, 3), (0,), (3, 0)])
def test_backward_seeds_ones_whatever_the_shape(device: pr.Device, shape: tuple[int, ...]) -> None:
    x = leaf(np.arange(1.0, 1 + np.prod(shape)).reshape(shape), device)
    g = x.grad((x * x).backward())
    assert g.shape == shape
    np.testing.assert_array_equal(g.numpy(), 2 * x.numpy())


def test_backward_of_a_leaf_gives_ones_and_consumes_nothing() -> None:
    x = leaf([1.0, 2.0])
    assert x.grad(x.backward()).to_list() == [1.0, 1.0]
    assert x.grad(x.backward()).to_list() == [1.0, 1.0]


def test_backward_without_autodiff() -> None:
    text = "Tensor.backward: autodiff is off for this tensor\nHint: call .autodiff().require_grad() on the leaves"
    fails(pr.GradientError, text, lambda: pr.asarray([1.0]).backward())
    fails(pr.GradientError, text, lambda: pr.asarray([1]).backward())
    fails(pr.GradientError, text, lambda: leaf([1.0]).inner().backward())


def test_backward_outside_a_graph() -> None:
    constant = pr.asarray([1.0, 2.0]).autodiff()
    fails(pr.GradientError, NO_GRAPH, lambda: constant.backward())
    fails(pr.GradientError, NO_GRAPH, lambda: (constant * 2).sum().backward())
    fails(pr.GradientError, NO_GRAPH, lambda: (leaf([1.0]) * 2).detach().backward())


def test_errors_are_runtime_errors() -> None:
    with pytest.raises(RuntimeError, match="not part of a recorded graph"):
        pr.asarray([1.0]).autodiff().backward()


def test_backward_twice() -> None:
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    loss.backward()
    fails(pr.GradientError, CONSUMED, lambda: loss.backward())


def test_clones_share_the_steps() -> None:
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    clone = copy.copy(loss)
    assert x.grad(clone.backward()).to_list() == [2.0, 4.0]
    fails(pr.GradientError, CONSUMED, lambda: loss.backward())
    fails(pr.GradientError, CONSUMED, lambda: clone.backward())


def test_deep_copies_share_the_steps() -> None:
    x = leaf([1.0, 2.0])
    y = x * x
    y.backward()
    # a deep copy is an operation on y: a step of its own above the consumed one
    fails(pr.GradientError, CONSUMED, lambda: copy.deepcopy(y).backward())


def test_a_consumed_intermediate_is_refused_in_new_results() -> None:
    x = leaf([1.0, 2.0])
    y = x * x
    y.sum().backward()
    fails(pr.GradientError, CONSUMED, lambda: y.backward())
    fails(pr.GradientError, CONSUMED, lambda: (y * 2).sum().backward())
    later = y + 1
    fails(pr.GradientError, CONSUMED, lambda: (later * later).backward())
    assert y.to_list() == [1.0, 4.0]


def test_refused_before_anything_else_is_consumed() -> None:
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    y = x * x
    y.sum().backward()
    fresh = w * w * w
    newest = fresh * 2
    fails(pr.GradientError, CONSUMED, lambda: (y + newest).sum().backward())
    # the branch through w was reachable, but nothing of it was consumed
    assert w.grad(newest.sum().backward()).to_list() == [54.0, 96.0]


def test_a_fresh_branch_survives_the_backward_of_its_sibling() -> None:
    x = leaf([2.0])
    left, right = x * 3, x * x
    assert slope(x, left).tolist() == [3.0]
    assert slope(x, right).tolist() == [4.0]


def test_siblings_above_a_shared_intermediate_do_not_survive() -> None:
    x = leaf([2.0])
    shared = x * x
    left, right = shared * 3, shared * 5
    slope(x, left)
    fails(pr.GradientError, CONSUMED, lambda: right.backward())


def test_losses_that_share_intermediates_are_added_first() -> None:
    x = leaf([2.0])
    shared = x * x
    assert slope(x, shared * 3 + shared * 5).tolist() == [32.0]


def test_a_branch_between_loss_and_backward_is_only_consumed_where_reachable() -> None:
    x = leaf([2.0])
    y = x * x
    unused = y * 7
    z = y * 3
    z.backward()
    fails(pr.GradientError, CONSUMED, lambda: unused.backward())
    assert unused.is_tracked()


def test_leaves_are_reusable(device: pr.Device) -> None:
    x = leaf([1.0, 2.0], device)
    for k in range(1, 5):
        assert slope(x, x * x * k).tolist() == [2.0 * k, 4.0 * k]


def test_every_backward_has_its_own_gradients() -> None:
    x = leaf([1.0, 2.0])
    first, second = (x * 2).backward(), (x * 5).backward()
    assert x.grad(first).to_list() == [2.0, 2.0]
    assert x.grad(second).to_list() == [5.0, 5.0]


def test_detach_of_a_consumed_result_starts_again() -> None:
    x = leaf([1.0, 2.0])
    y = x * x
    y.backward()
    again = y.detach().require_grad()
    assert slope(again, again * 3).tolist() == [3.0, 3.0]
    assert x.grad((again * 3).backward()) is None


def test_a_leaf_used_many_times_gets_the_sum(device: pr.Device) -> None:
    x = leaf([3.0], device)
    assert slope(x, x * x + x + x * 2 - x / 4).tolist() == [2 * 3 + 1 + 2 - 0.25]


def test_diamonds_are_walked_once(device: pr.Device) -> None:
    x = leaf([1.0], device)
    y = x
    for _ in range(60):  # 2^60 paths
        y = (y + y) / 2
    assert slope(x, y).tolist() == [1.0]


@pytest.mark.parametrize("strategy", list(Strategy))
def test_long_graphs_do_not_recurse(strategy: Strategy) -> None:
    x = leaf([1.0]).with_gradient_checkpointing_strategy(strategy)
    y = x
    for _ in range(3000):
        y = y + 0.001
    assert slope(x, y * y)[0] == pytest.approx(8.0)


def test_backward_frees_what_the_steps_held() -> None:
    x = leaf(np.ones(10))
    y = pr.exp(x)
    z = (y * y).sum()
    step = y._v.step
    assert step.saved
    assert step.state is not None
    z.backward()
    assert step.saved == ()
    assert step.parents == ()
    assert step.state is None


def test_a_graph_that_nobody_holds_is_freed() -> None:
    x = leaf([1.0, 2.0])
    y = pr.exp(x)
    watch = weakref.ref(y)
    z = (y * 2).sum()
    del y, z
    gc.collect()
    assert watch() is None
    assert slope(x, x * 2).tolist() == [2.0, 2.0]


def test_backward_in_two_threads() -> None:
    """Each thread has its graph; the leaf is shared."""
    x = leaf(np.arange(1.0, 101.0))
    found: dict[int, Any] = {}

    def work(k: int) -> None:
        for _ in range(20):
            found[k] = slope(x, x * x * k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(1, 4):
        np.testing.assert_array_equal(found[k], 2 * k * np.arange(1.0, 101.0))


# --- grad, grad_remove, grad_replace ------------------------------------------------------


def test_grad_is_plain_and_repeatable() -> None:
    x = leaf([1.0, 2.0])
    grads = (x * x).backward()
    first, second = x.grad(grads), x.grad(grads)
    assert not first.is_autodiff()
    assert not first.is_tracked()
    assert first.to_list() == second.to_list() == [2.0, 4.0]
    assert (first.shape, first.dtype) == (x.shape, x.dtype)


def test_grad_of_every_handle_of_the_leaf() -> None:
    x = leaf([1.0, 2.0])
    clone = copy.copy(x)
    grads = (x * x).backward()
    assert clone.grad(grads).to_list() == [2.0, 4.0]


def test_grad_is_none_where_there_is_none() -> None:
    x, unused = leaf([1.0, 2.0]), leaf([5.0])
    constant = pr.asarray([1.0, 2.0], dtype=pr.float64).autodiff()
    plain = pr.asarray([1.0, 2.0], dtype=pr.float64)
    y = x * constant * plain
    grads = y.sum().backward()
    assert unused.grad(grads) is None  # not in this graph
    assert constant.grad(grads) is None  # does not retain
    assert plain.grad(grads) is None  # outside autodiff
    assert y.grad(grads) is None  # a result
    assert x.inner().grad(grads) is None
    assert x.detach().grad(grads) is None  # another leaf
    for t in (unused, constant, plain, y):
        assert t.grad_remove(grads) is None
    assert len(grads) == 1


def test_grad_remove() -> None:
    x = leaf([1.0, 2.0])
    grads = (x * x).backward()
    g = x.grad_remove(grads)
    assert g.to_list() == [2.0, 4.0]
    assert not g.is_autodiff()
    assert x.grad_remove(grads) is None
    assert x.grad(grads) is None
    assert len(grads) == 0


def test_grad_replace() -> None:
    x = leaf([1.0, 2.0])
    grads = (x * x).backward()
    new = pr.asarray([7.0, 8.0], dtype=pr.float64)
    x.grad_replace(grads, new)
    assert x.grad(grads).to_list() == [7.0, 8.0]
    x.grad_replace(grads, x.grad(grads) * 2)
    assert x.grad_remove(grads).to_list() == [14.0, 16.0]
    x.grad_replace(grads, new)
    assert x.grad(grads).to_list() == [7.0, 8.0]


def test_grad_replace_errors() -> None:
    x = leaf([1.0, 2.0])
    grads = (x * x).backward()
    plain = pr.asarray([1.0, 2.0], dtype=pr.float64)
    name = "Tensor.grad_replace: "
    fails(
        pr.GradientError, name + "autodiff is off for this tensor", lambda: plain.grad_replace(grads, plain)
    )
    inside = name + "the new gradient has autodiff on\nHint: pass grad.inner()"
    fails(pr.GradientError, inside, lambda: x.grad_replace(grads, plain.autodiff()))
    fails(pr.GradientError, inside, lambda: x.grad_replace(grads, x))
    fails(
        pr.DeviceError,
        name + "the tensor and its new gradient are on different devices",
        lambda: x.grad_replace(grads, plain.to_device(pr.Device.flex())),
    )
    fails(
        pr.ShapeError,
        name + "a gradient of shape (1,) does not fit a tensor of shape (2,)",
        lambda: x.grad_replace(grads, plain[:1]),
    )
    fails(
        pr.DTypeError,
        name + "a float32 gradient does not fit a float64 tensor",
        lambda: x.grad_replace(grads, plain.cast(pr.float32)),
    )
    assert x.grad(grads).to_list() == [2.0, 4.0]


def test_a_plain_sgd_loop(device: pr.Device) -> None:
    w = leaf([5.0, -3.0], device)
    for _ in range(100):
        grads = ((w - 1.0) ** 2).sum().backward()
        w = (w.inner() - w.grad(grads) * 0.1).autodiff().require_grad()
    np.testing.assert_allclose(w.numpy(), [1.0, 1.0], atol=1e-8)


# --- is_tracked, is_autodiff, inner, without_autodiff, autodiff, from_inner ----------------


def test_is_tracked() -> None:
    plain = pr.asarray([1.0, 2.0])
    constant = plain.autodiff()
    x = leaf([1.0, 2.0], dtype=pr.float32)
    assert not plain.is_tracked()
    assert not constant.is_tracked()
    assert not (constant * 2).is_tracked()
    assert x.is_tracked()
    y = x * plain
    assert y.is_tracked()
    y.backward()
    assert y.is_tracked()  # the tape was consumed, the mark stays
    assert x.is_tracked()
    assert not x.inner().is_tracked()
    assert not y.detach().is_tracked()


def test_is_autodiff_of_every_kind() -> None:
    for values in ([1.0], [1], [True]):
        t = pr.asarray(values)
        assert not t.is_autodiff()
        assert t.autodiff().is_autodiff()
        assert not t.autodiff().is_tracked()
        assert t.autodiff().dtype is t.dtype
        assert not t.autodiff().inner().is_autodiff()


def test_results_are_autodiff_if_an_operand_is() -> None:
    x, plain = leaf([1.0, 2.0]), pr.asarray([1.0, 2.0], dtype=pr.float64)
    for t in (x + plain, plain + x, x > plain, pr.argsort(x), x.int(), pr.where(x > 0, plain, plain)):
        assert t.is_autodiff()
    assert not (plain + x.inner()).is_autodiff()


@pytest.mark.parametrize("name", ["inner", "without_autodiff"])
def test_inner(name: str) -> None:
    x = leaf([1.0, 2.0])
    y = x * x
    t = getattr(y, name)()
    assert not t.is_autodiff()
    assert t.to_list() == [1.0, 4.0]
    assert getattr(t, name)() is t  # off already: unchanged
    # a constant beside a tensor with autodiff
    assert slope(x, x * t).tolist() == [1.0, 4.0]
    assert y.is_tracked()


def test_autodiff_is_idempotent() -> None:
    plain = pr.asarray([1.0, 2.0])
    t = plain.autodiff()
    assert not t.is_require_grad()
    assert t.gradient_checkpointing_strategy() is Strategy.Disabled
    assert t.autodiff() is t
    x = leaf([1.0, 2.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    y = x * x
    again = y.autodiff()
    assert again.gradient_checkpointing_strategy() is Strategy.Balanced
    assert again.is_tracked()
    assert x.grad(again.backward()).to_list() == [2.0, 4.0]


def test_from_inner() -> None:
    plain = pr.asarray([1.0, 2.0])
    t = pr.Tensor.from_inner(plain)
    assert t.is_autodiff()
    assert not t.is_require_grad()
    assert t.gradient_checkpointing_strategy() is Strategy.Disabled
    balanced = t.with_gradient_checkpointing_strategy(Strategy.Balanced)
    assert pr.Tensor.from_inner(balanced) is balanced
    assert pr.Tensor.from_inner(pr.asarray([1])).is_autodiff()


def test_autodiff_after_inner_has_the_default_strategy() -> None:
    x = leaf([1.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    assert x.inner().autodiff().gradient_checkpointing_strategy() is Strategy.Disabled


# --- strategies ----------------------------------------------------------------------------


def test_strategy_of_a_tensor() -> None:
    plain = pr.asarray([1.0])
    assert plain.gradient_checkpointing_strategy() is None
    assert plain.autodiff().gradient_checkpointing_strategy() is Strategy.Disabled
    b = plain.autodiff().with_gradient_checkpointing_strategy(Strategy.Balanced)
    assert b.gradient_checkpointing_strategy() is Strategy.Balanced
    assert (pr.exp(b) + plain).gradient_checkpointing_strategy() is Strategy.Balanced
    assert (b > 0).gradient_checkpointing_strategy() is Strategy.Balanced


def test_another_strategy_is_the_same_leaf() -> None:
    x = leaf([1.0, 2.0])
    b = x.with_gradient_checkpointing_strategy(Strategy.Balanced)
    assert x.gradient_checkpointing_strategy() is Strategy.Disabled
    assert b.is_require_grad()
    assert x.grad((b * b).backward()).to_list() == [2.0, 4.0]


def test_strategy_needs_autodiff() -> None:
    text = (
        "Tensor.with_gradient_checkpointing_strategy: autodiff is off for this tensor\n"
        "Hint: call .autodiff() first"
    )
    fails(
        pr.GradientError, text, lambda: pr.asarray([1.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    )


MIXES: dict[str, tuple[str, Callable[[pr.Tensor, pr.Tensor], Any]]] = {
    "add": ("operator +", lambda a, b: a + b),
    "compare": ("operator >", lambda a, b: a > b),
    "pr.multiply": ("pr.multiply", lambda a, b: pr.multiply(a, b)),
    "pr.concat": ("pr.concat", lambda a, b: pr.concat([a, b])),
    "matmul": ("operator @", lambda a, b: a @ b),
    "method": ("Tensor.mul", lambda a, b: a.mul(b)),
}


@pytest.mark.parametrize("mix", list(MIXES))
def test_mixed_strategies_raise(mix: str) -> None:
    name, f = MIXES[mix]
    x = leaf([1.0, 2.0])
    b = x.with_gradient_checkpointing_strategy(Strategy.Balanced)
    for first, second in ((x, b), (b, x)):
        one, two = (t.gradient_checkpointing_strategy().name for t in (first, second))
        text = (
            f"{name}: operands carry different checkpointing strategies ({one} and {two})\n"
            "Hint: give both the same one with with_gradient_checkpointing_strategy"
        )
        fails(pr.GradientError, text, lambda a=first, c=second: f(a, c))


def test_constants_of_another_strategy_raise_too() -> None:
    x = leaf([1.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    with pytest.raises(pr.GradientError, match="different checkpointing strategies"):
        x + pr.asarray([1.0], dtype=pr.float64).autodiff()
    assert (x + pr.asarray([1.0], dtype=pr.float64)).is_tracked()


def block(
    x: pr.Tensor, wq: pr.Tensor, wk: pr.Tensor, wv: pr.Tensor, w1: pr.Tensor, b1: pr.Tensor, w2: pr.Tensor,
    g: pr.Tensor,
) -> pr.Tensor:  # fmt: skip
    """A small transformer block: attention, gelu network, two norms."""
    h = pr.layer_norm(x) * g
    q, k, v = h @ wq, h @ wk, h @ wv
    weights = pr.softmax(q @ k.swap_dims(-1, -2) / 4.0, axis=-1)
    x = x + weights @ v
    return x + pr.gelu(pr.layer_norm(x) @ w1 + b1) @ w2


def parameters(rng: np.random.Generator, dtype: Any) -> list[np.ndarray[Any, Any]]:
    shapes = [(2, 5, 8), (8, 8), (8, 8), (8, 8), (8, 16), (16,), (16, 8), (8,)]
    return [rng.standard_normal(s).astype(dtype) for s in shapes]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_balanced_equals_disabled_bit_for_bit(device: pr.Device, dtype: str) -> None:
    arrays = parameters(np.random.default_rng(0), dtype)
    found = []
    for strategy in Strategy:
        leaves = [
            leaf(a, device, getattr(pr, dtype)).with_gradient_checkpointing_strategy(strategy) for a in arrays
        ]
        grads = pr.sum(block(*leaves) ** 2).backward()
        assert len(grads) == len(arrays)
        found.append([t.grad(grads).numpy() for t in leaves])
    for a, b in zip(*found):
        assert np.isfinite(a).all()
        assert a.tobytes() == b.tobytes()


def test_balanced_holds_less() -> None:
    """Of a chain of elementwise ops only the leaf stays; Disabled keeps what each rule reads."""

    def held(strategy: Strategy) -> int:
        x = leaf(np.linspace(0.1, 1, 100)).with_gradient_checkpointing_strategy(strategy)
        y = x
        for _ in range(6):
            y = pr.sin(pr.exp(-y))
        loss = y.sum()
        seen, stack, values = set(), [loss._v.step], set()
        while stack:
            step = stack.pop()
            if step is None or step in seen:
                continue
            seen.add(step)
            stack.extend(step.parents)
            for s in (*step.saved, step.state):
                if type(s).__name__ == "Held" and s.value.shape == (100,):
                    values.add(id(s.value.node))
        return len(values)

    assert held(Strategy.Balanced) == 1
    assert held(Strategy.Disabled) > 5


def test_checkpointing_does_not_change_consumption() -> None:
    x = leaf([1.0, 2.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    y = pr.exp(x)
    z = y * y
    z.backward()
    fails(pr.GradientError, CONSUMED, lambda: z.backward())
    fails(pr.GradientError, CONSUMED, lambda: (y * 2).backward())
    assert slope(x, x * x).tolist() == [2.0, 4.0]


# --- detach, require_grad, is_require_grad, set_require_grad -------------------------------


def test_detach_starts_a_new_lineage() -> None:
    x = leaf([1.0, 2.0])
    y = x * x
    d = y.detach()
    assert d.is_autodiff()
    assert not d.is_tracked()
    assert not d.is_require_grad()
    assert d.to_list() == [1.0, 4.0]
    assert slope(x, d * x).tolist() == [1.0, 4.0]
    fails(pr.GradientError, NO_GRAPH, lambda: (d * 2).backward())
    assert slope(x, y).tolist() == [2.0, 4.0]  # the old graph is whole


def test_detach_of_a_leaf_keeps_its_setting() -> None:
    x = leaf([1.0, 2.0])
    d = x.detach()
    assert d.is_require_grad()
    grads = (d * 3 + x * 5).backward()
    assert d.grad(grads).to_list() == [3.0, 3.0]
    assert x.grad(grads).to_list() == [5.0, 5.0]
    assert not pr.asarray([1.0]).autodiff().detach().is_require_grad()


def test_detach_keeps_the_strategy_and_does_nothing_without_autodiff() -> None:
    x = leaf([1.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    assert x.detach().gradient_checkpointing_strategy() is Strategy.Balanced
    assert (x * 2).detach().gradient_checkpointing_strategy() is Strategy.Balanced
    plain = pr.asarray([1.0])
    assert plain.detach() is plain


def test_require_grad() -> None:
    t = pr.asarray([1.0, 2.0]).autodiff()
    clone = copy.copy(t)
    assert not t.is_require_grad()
    assert t.require_grad().is_require_grad()
    assert t.is_require_grad()
    assert clone.is_require_grad()  # every handle of the leaf
    assert t.require_grad().require_grad().is_require_grad()
    assert not (t * 2).is_require_grad()
    assert not pr.asarray([1.0]).is_require_grad()
    assert not pr.asarray([1]).is_require_grad()


@pytest.mark.parametrize("name", ["require_grad", "set_require_grad"])
def test_require_grad_errors(name: str) -> None:
    def call(t: pr.Tensor) -> Any:
        return t.require_grad() if name == "require_grad" else t.set_require_grad(True)

    text = f"Tensor.{name}: autodiff is off for this tensor\nHint: call .autodiff() first"
    fails(pr.GradientError, text, lambda: call(pr.asarray([1.0])))
    text = (
        f"Tensor.{name}: only a leaf can require a gradient; this tensor is the result of an operation\n"
        "Hint: call .detach() first to start a new lineage"
    )
    x = leaf([1.0])
    fails(pr.GradientError, text, lambda: call(x * 2))
    fails(pr.GradientError, text, lambda: call(x.to_device(pr.Device.cpu())))
    text = f"Tensor.{name}: expected a tensor of kind Float, got int64"
    fails(pr.DTypeError, text, lambda: call(pr.asarray([1]).autodiff()))
    assert call(x.to_device(pr.Device.cpu()).detach()).is_require_grad()


def test_detach_is_for_floats() -> None:
    text = "Tensor.detach: expected a tensor of kind Float, got bool"
    fails(pr.DTypeError, text, lambda: pr.asarray([True]).detach())


def test_set_require_grad_false() -> None:
    plain = pr.asarray([1.0])
    assert plain.set_require_grad(False) is plain  # harmless without autodiff
    x = leaf([1.0, 2.0])
    y = x * x
    off = y.set_require_grad(False)  # as detach
    assert off.is_autodiff()
    assert not off.is_tracked()
    assert not off.is_require_grad()
    assert slope(x, y).tolist() == [2.0, 4.0]
    x.set_require_grad(False)
    assert not x.is_require_grad()
    assert not x.is_tracked()
    fails(pr.GradientError, NO_GRAPH, lambda: (x * 2).backward())
    x.set_require_grad(True)
    assert slope(x, x * 3).tolist() == [3.0, 3.0]


# --- recording ------------------------------------------------------------------------------


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


# --- pr.grad and pr.value_and_grad ----------------------------------------------------------


def tensor(values: Any, device: pr.Device | None = None) -> pr.Tensor:
    return pr.asarray(values, dtype=pr.float64, device=device, copy=True)


def test_value_and_grad(device: pr.Device) -> None:
    value, g = pr.value_and_grad(lambda x: (x * x).sum())(tensor([1.0, 3.0], device))
    assert float(value) == 10.0
    assert g.to_list() == [2.0, 6.0]
    assert not value.is_autodiff()
    assert not g.is_autodiff()


def test_argnums(device: pr.Device) -> None:
    f = lambda a, b, scale=1.0: (a * a * b).sum() * scale  # noqa: E731
    a, b = tensor([2.0], device), tensor([5.0], device)
    assert pr.grad(f)(a, b).to_list() == [20.0]
    assert pr.grad(f, argnums=1)(a, b).to_list() == [4.0]
    assert pr.grad(f, 1)(a, b, scale=3.0).to_list() == [12.0]
    assert pr.grad(f, argnums=-1)(a, b).to_list() == [4.0]
    for many in ((0, 1), [0, 1]):
        both = pr.grad(f, argnums=many)(a, b)
        assert isinstance(both, tuple)
        assert [g.to_list() for g in both] == [[20.0], [4.0]]
    (one,) = pr.grad(f, argnums=(1,))(a, b)
    assert one.to_list() == [4.0]
    value, both = pr.value_and_grad(f, argnums=(1, 0))(a, b)
    assert float(value) == 20.0
    assert [g.to_list() for g in both] == [[4.0], [20.0]]


def test_the_same_tensor_twice_is_two_arguments() -> None:
    x = tensor([2.0])
    assert pr.grad(lambda a, b: (a * a * b).sum())(x, x).to_list() == [8.0]


def test_has_aux() -> None:
    def f(x: pr.Tensor) -> Any:
        return (x * x).sum(), {"double": x * 2, "list": [x + 1, (x, 3)], "text": "kept"}

    g, aux = pr.grad(f, has_aux=True)(tensor([1.0, 2.0]))
    assert g.to_list() == [2.0, 4.0]
    assert aux["double"].to_list() == [2.0, 4.0]
    assert aux["list"][0].to_list() == [2.0, 3.0]
    assert aux["list"][1][0].to_list() == [1.0, 2.0]
    assert aux["list"][1][1] == 3
    assert aux["text"] == "kept"
    assert (aux["double"] * 1).is_autodiff() is False
    (value, aux), g = pr.value_and_grad(f, has_aux=True)(tensor([1.0, 2.0]))
    assert float(value) == 5.0
    assert aux["double"].to_list() == g.to_list() == [2.0, 4.0]


def test_aux_may_be_a_named_tuple() -> None:
    pair = namedtuple("pair", "a b")
    _, aux = pr.grad(lambda x: ((x * x).sum(), pair(x, x * 2)), has_aux=True)(tensor([1.0]))
    assert isinstance(aux, pair)
    assert aux.b.to_list() == [2.0]


def test_unused_arguments_have_zero_gradients(device: pr.Device) -> None:
    x = tensor([1.0, 2.0], device)
    assert pr.grad(lambda x: pr.asarray(3.0, device=device))(x).to_list() == [0.0, 0.0]
    g = pr.grad(lambda x, y: x.sum(), argnums=(0, 1))(x, x)
    assert [t.to_list() for t in g] == [[1.0, 1.0], [0.0, 0.0]]
    assert pr.grad(lambda x: pr.sum(pr.floor(x)))(x).to_list() == [0.0, 0.0]


def test_detach_inside_grad(device: pr.Device) -> None:
    x = tensor([2.0, 3.0], device)
    assert pr.grad(lambda t: (t * t.detach()).sum())(x).to_list() == [2.0, 3.0]
    assert pr.grad(lambda t: (t * (t * t).detach()).sum())(x).to_list() == [4.0, 9.0]
    assert pr.grad(lambda t: t.detach().sum())(x).to_list() == [0.0, 0.0]


def test_results_of_one_element_of_any_rank() -> None:
    for shape in ((), (1,), (1, 1)):
        g = pr.grad(lambda x, s=shape: pr.sum(x * x).reshape(s))(tensor([1.0, 2.0]))
        assert g.to_list() == [2.0, 4.0]


def test_to_the_third_order(device: pr.Device) -> None:
    x = tensor([2.0, 3.0], device)
    f = lambda t: (t**4).sum()  # noqa: E731
    first = pr.grad(f)
    second = pr.grad(lambda t: first(t).sum())
    third = pr.grad(lambda t: second(t).sum())
    np.testing.assert_allclose(first(x).numpy(), 4 * x.numpy() ** 3, rtol=1e-14)
    np.testing.assert_allclose(second(x).numpy(), 12 * x.numpy() ** 2, rtol=1e-14)
    np.testing.assert_allclose(third(x).numpy(), 24 * x.numpy(), rtol=1e-14)


@pytest.mark.parametrize("name", ["exp", "sin", "tanh", "log", "sqrt", "reciprocal", "silu", "gelu", "softplus", "erf"])
def test_third_order_of_functions(name: str) -> None:
    """The third derivative against differences of the second."""
    g: Any = getattr(pr, name)
    for _ in range(2):
        g = pr.grad(lambda t, inner=g: pr.sum(inner(t)))
    third = pr.grad(lambda t: pr.sum(g(t)))
    x, h = np.array([0.4, 0.9, 1.7]), 1e-5
    want = (g(tensor(x + h)).numpy() - g(tensor(x - h)).numpy()) / (2 * h)
    np.testing.assert_allclose(third(tensor(x)).numpy(), want, rtol=1e-6, atol=1e-8)


def test_a_hessian(device: pr.Device) -> None:
    """Of x' A x / 2 + Σ x⁴: A's symmetric part plus a diagonal."""
    a = np.array([[2.0, 1.0, 0.0], [3.0, 5.0, -1.0], [4.0, 0.5, 1.0]])
    ta, x = tensor(a, device), np.array([1.0, -2.0, 0.5])
    f = lambda t: (t @ (ta @ t)) / 2 + pr.sum(t**4)  # noqa: E731
    rows = [pr.grad(lambda t, i=i: pr.grad(f)(t)[i])(tensor(x, device)).numpy() for i in range(3)]
    np.testing.assert_allclose(rows, (a + a.T) / 2 + np.diag(12 * x**2), rtol=1e-12)


def test_levels_are_not_confused() -> None:
    one = tensor(1.0)
    inner = lambda x: x * pr.grad(lambda y: x + y)(one)  # noqa: E731
    assert float(pr.grad(inner)(one)) == 1.0
    inner = lambda x: pr.grad(lambda y: x * x * y)(one) * x  # noqa: E731  x³
    assert float(pr.grad(inner)(tensor(2.0))) == 12.0


def test_second_derivatives_through_matmul_indexing_and_where(device: pr.Device) -> None:
    x = tensor([1.0, -2.0, 3.0], device)
    w = tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 1.0]], device)

    def f(t: pr.Tensor) -> pr.Tensor:
        h = pr.where(t > 0, t**3, t * t)
        return pr.sum((h @ w)[:1] ** 2) + pr.sum(h[pr.asarray([0, 0, 2], device=device)])

    def slopes(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return pr.grad(f)(tensor(values, device)).numpy()

    got = pr.grad(lambda t: pr.sum(pr.grad(f)(t)))(x).numpy()
    base, h = x.numpy().copy(), 1e-6
    want = [((slopes(base + h * e) - slopes(base - h * e)) / (2 * h)).sum() for e in np.eye(3)]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_grad_through_the_tape_of_backward(device: pr.Device) -> None:
    """A gradient penalty: pr.grad inside, backward outside."""
    x = leaf([1.0, 2.0], device)
    p = pr.grad(lambda t: (t**3).sum())(x)  # 3x²
    assert p.is_tracked()
    assert slope(x, p * p).tolist() == [36.0, 288.0]


def test_closures_over_leaves() -> None:
    w = leaf([3.0])
    g = pr.grad(lambda t: (t * t * w).sum())(tensor([2.0]))
    assert g.is_tracked()
    assert slope(w, g).tolist() == [4.0]


def test_values_of_value_and_grad_stay_on_the_tape_of_backward() -> None:
    x = leaf([1.0, 2.0])
    value, g = pr.value_and_grad(lambda t: (t * t * t).sum())(x)
    assert slope(x, value + g.sum()).tolist() == [3.0 + 6.0, 12.0 + 12.0]


def test_a_balanced_leaf_in_grad() -> None:
    x = leaf([1.0, 2.0]).with_gradient_checkpointing_strategy(Strategy.Balanced)
    g = pr.grad(lambda t: pr.sum(pr.exp(t * t)))(x)
    assert g.gradient_checkpointing_strategy() is Strategy.Balanced
    got = slope(x, g)
    v = np.array([1.0, 2.0])
    np.testing.assert_allclose(got, np.exp(v * v) * (2 + 4 * v * v), rtol=1e-14)


def test_grad_leaves_its_arguments_alone() -> None:
    x = tensor([1.0, 2.0])
    pr.grad(lambda t: (t * t).sum())(x)
    assert not x.is_autodiff()
    memory = np.array([1.0, 2.0])
    view = pr.asarray(memory)
    assert pr.grad(lambda t: (t * t).sum())(view).to_list() == [2.0, 4.0]
    memory[0] = 7.0
    assert pr.grad(lambda t: (t * t).sum())(view).to_list() == [14.0, 4.0]


def test_a_failed_function_leaves_no_level_open() -> None:
    def broken(t: pr.Tensor) -> pr.Tensor:
        raise KeyError("mine")

    for _ in range(3):
        with pytest.raises(KeyError, match="mine"):
            pr.grad(lambda t: pr.grad(broken)(t))(tensor([1.0]))
    x = leaf([2.0])
    assert slope(x, x * x).tolist() == [4.0]
    assert pr.grad(lambda t: (t * t).sum())(tensor([2.0])).to_list() == [4.0]


def test_grad_in_threads() -> None:
    found: list[Any] = [None] * 4

    def work(k: int) -> None:
        found[k] = pr.grad(lambda t: pr.grad(lambda u: (u**3).sum() * k)(t).sum())(tensor([2.0])).to_list()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [[12.0 * k] for k in range(4)]


def test_half_precision_arguments() -> None:
    for dtype in (pr.float16, pr.bfloat16):
        g = pr.grad(lambda t: (t * t).sum())(pr.asarray([1.0, 2.0], dtype=dtype))
        assert g.dtype is dtype
        assert g.to_list() == [2.0, 4.0]


GRAD_ERRORS: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
    "too many elements": (
        pr.ShapeError,
        "the function must return one element, got shape (2,)\nHint: reduce it, for example with pr.sum",
        lambda: pr.value_and_grad(lambda t: t)(tensor([1.0, 2.0])),
    ),
    "no element": (
        pr.ShapeError,
        "the function must return one element, got shape (0,)\nHint: reduce it, for example with pr.sum",
        lambda: pr.value_and_grad(lambda t: t[:0])(tensor([1.0, 2.0])),
    ),
    "a number": (
        pr.DTypeError,
        "the function must return a Float tensor, got float",
        lambda: pr.value_and_grad(lambda t: 3.0)(tensor([1.0])),
    ),
    "None": (
        pr.DTypeError,
        "the function must return a Float tensor, got NoneType",
        lambda: pr.value_and_grad(lambda t: None)(tensor([1.0])),
    ),
    "a pair without has_aux": (
        pr.DTypeError,
        "the function must return a Float tensor, got tuple",
        lambda: pr.value_and_grad(lambda t: (t, 1))(tensor([1.0])),
    ),
    "an int tensor": (
        pr.DTypeError,
        "the function must return a Float tensor, got int64",
        lambda: pr.value_and_grad(lambda t: pr.argmax(t))(tensor([1.0])),
    ),
    "an int argument": (
        pr.DTypeError,
        "argument 0 must be a Float tensor to be differentiated, got int64",
        lambda: pr.value_and_grad(lambda t: t)(pr.asarray([1])),
    ),
    "a Python number": (
        pr.DTypeError,
        "argument 1 must be a Float tensor to be differentiated, got float",
        lambda: pr.value_and_grad(lambda t, u: t, argnums=1)(tensor([1.0]), 2.0),
    ),
    "no argument": (
        pr.ArgumentError,
        "argument 0 of 0 is to be differentiated, but is not there",
        lambda: pr.value_and_grad(lambda: 1)(),
    ),
    "too few arguments": (
        pr.ArgumentError,
        "argument 2 of 1 is to be differentiated, but is not there",
        lambda: pr.value_and_grad(lambda t: t, argnums=(0, 2))(tensor([1.0])),
    ),
    "autodiff inside": (
        pr.GradientError,
        "autodiff cannot be turned on inside pr.grad\nHint: differentiate with pr.grad alone",
        lambda: pr.value_and_grad(lambda t: t.autodiff())(tensor([1.0])),
    ),
}


@pytest.mark.parametrize("case", list(GRAD_ERRORS))
def test_grad_errors(case: str) -> None:
    kind, text, call = GRAD_ERRORS[case]
    fails(kind, f"pr.value_and_grad: {text}", call)


def test_errors_of_functions_inside_keep_their_name() -> None:
    text = "operator +: (2,) and (3,) do not broadcast: axis -1 has sizes 2 and 3"
    fails(pr.ShapeError, text, lambda: pr.grad(lambda t: (t + tensor([1.0, 2.0, 3.0])).sum())(tensor([1.0, 2.0])))


def test_grad_has_its_own_name_in_errors() -> None:
    one = tensor([1.0])
    text = "pr.grad: with has_aux the function returns a pair, got Tensor"
    fails(pr.ArgumentError, text, lambda: pr.grad(lambda t: (t * t).sum(), has_aux=True)(one))
    text = "pr.grad: argnums (0, -2) name an argument twice"
    fails(pr.ArgumentError, text, lambda: pr.grad(lambda a, b: a.sum(), argnums=(0, -2))(one, one))


def test_tensors_that_escape_from_grad() -> None:
    kept: list[pr.Tensor] = []

    def f(t: pr.Tensor) -> pr.Tensor:
        kept.append(t * t)
        return kept[-1].sum()

    assert pr.grad(f)(tensor([3.0])).to_list() == [6.0]
    assert kept[0].to_list() == [9.0]
    hint = "a tensor of a finished pr.grad call is used after it\nHint: return it from the function, with has_aux=True"
    fails(pr.GradientError, f"operator +: {hint}", lambda: kept[0] + 1)
    fails(pr.GradientError, f"operator *: {hint}", lambda: pr.grad(lambda t: (t * kept[0]).sum())(tensor([3.0])))


def test_wrong_types_of_arguments() -> None:
    x = leaf([1.0])
    grads = (x * 2).backward()
    text = "Tensor.grad_replace: the new gradient must be a tensor, got int"
    fails(pr.DTypeError, text, lambda: x.grad_replace(grads, 3))  # type: ignore[arg-type]
    text = "Tensor.grad: expected the Gradients that backward gives, got str"
    fails(pr.DTypeError, text, lambda: x.grad("no"))  # type: ignore[arg-type]
    text = "Tensor.with_gradient_checkpointing_strategy: 'Balanced' is not a GradientCheckpointingStrategy"
    fails(pr.ArgumentError, text, lambda: x.with_gradient_checkpointing_strategy("Balanced"))  # type: ignore[arg-type]


# --- devices ---------------------------------------------------------------------------------


def test_autodiff_device(device: pr.Device) -> None:
    on = device.autodiff()
    assert on.is_autodiff()
    assert not device.is_autodiff()
    assert on == device  # equality ignores autodiff
    assert hash(on) == hash(device)
    assert on.gradient_checkpointing_strategy() is Strategy.Disabled
    balanced = on.gradient_checkpointing()
    assert balanced.gradient_checkpointing_strategy() is Strategy.Balanced
    assert on.gradient_checkpointing_strategy() is Strategy.Disabled
    assert not balanced.inner().is_autodiff()
    assert not device.inner().is_autodiff()


def test_autodiff_device_errors(device: pr.Device) -> None:
    name = device.name
    off = f"autodiff is off for device {name}\nHint: call .autodiff() first"
    fails(pr.DeviceError, f"autodiff is already on for device {name}", lambda: device.autodiff().autodiff())
    fails(pr.DeviceError, off, lambda: device.gradient_checkpointing())
    fails(pr.DeviceError, off, lambda: device.gradient_checkpointing_strategy())
    fails(pr.DeviceError, off, lambda: device.autodiff().inner().gradient_checkpointing_strategy())


CREATIONS: dict[str, Callable[[pr.Device], pr.Tensor]] = {
    "zeros": lambda d: pr.Tensor.zeros([2], d),
    "ones": lambda d: pr.Tensor.ones([2], d),
    "full": lambda d: pr.Tensor.full([2], 3.0, d),
    "from_data": lambda d: pr.Tensor.from_data([1.0, 2.0], d),
    "from_floats": lambda d: pr.Tensor.from_floats([1.0, 2.0], d),
    "from_ints": lambda d: pr.Tensor.from_ints([1, 2], d),
    "random": lambda d: pr.Tensor.random([2], pr.Distribution.Default, d),
    "arange": lambda d: pr.Tensor.arange(0, 2, d),
    "pr.zeros": lambda d: pr.zeros(2, device=d),
    "pr.linspace": lambda d: pr.linspace(0, 1, 3, device=d),
    "pr.asarray": lambda d: pr.asarray([1.0, 2.0], device=d),
    "asarray of an array": lambda d: pr.asarray(np.ones(3), device=d),
}


@pytest.mark.parametrize("name", list(CREATIONS))
def test_creation_on_an_autodiff_device(name: str, device: pr.Device) -> None:
    make = CREATIONS[name]
    assert not make(device).is_autodiff()
    on = make(device.autodiff())
    assert on.is_autodiff()
    assert not on.is_tracked()
    assert on.gradient_checkpointing_strategy() is Strategy.Disabled
    balanced = make(device.autodiff().gradient_checkpointing())
    assert balanced.gradient_checkpointing_strategy() is Strategy.Balanced
    assert on.device == device
    assert on.device.is_autodiff()
    assert balanced.device.gradient_checkpointing_strategy() is Strategy.Balanced


def test_training_on_an_autodiff_device(device: pr.Device) -> None:
    on = device.autodiff().gradient_checkpointing()
    w = pr.Tensor.from_floats([[1.0, -1.0], [0.5, 2.0]], on).require_grad()
    x = pr.Tensor.from_floats([[1.0, 2.0]], device)
    grads = pr.sum(pr.tanh(x @ w)).backward()
    t = 1 - np.tanh([2.0, 3.0]) ** 2
    np.testing.assert_allclose(w.grad(grads).numpy(), np.outer([1.0, 2.0], t), rtol=1e-5)
    assert w.zeros_like().gradient_checkpointing_strategy() is Strategy.Balanced
