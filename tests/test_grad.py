"""`pr.grad` and `pr.value_and_grad`: arguments, nesting, higher orders, their errors."""

from __future__ import annotations

import threading
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expect import fails, leaf, slope

import pyrite as pr

Strategy = pr.GradientCheckpointingStrategy


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
