"""Autodiff as users see it: the methods of the tape and of devices; every documented rule and every error."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expect import fails, leaf, slope

import pyrite as pr

Strategy = pr.GradientCheckpointingStrategy
CONSUMED = (
    "Tensor.backward: a step of this graph was already consumed by an earlier backward\n"
    "Hint: add the losses before calling backward, or compute the forward pass again"
)
NO_GRAPH = (
    "Tensor.backward: the tensor is not part of a recorded graph\n"
    "Hint: mark the leaves with .require_grad() before computing"
)


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
