"""A smoke test of everything, in a few seconds: `make check` and the pre-commit hook run it."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import pyrite as pr

DEVICES = ["cpu", "flex"]


def test_elementwise_and_reduction(device: pr.Device) -> None:
    x = np.linspace(-2.0, 3.0, 60, dtype=np.float32).reshape(5, 12)
    t = pr.asarray(x, device=device)
    got = pr.sum(pr.exp(t * 2 + 1) / (1 + pr.abs(t)), axis=1)
    np.testing.assert_allclose(got.numpy(), (np.exp(x * 2 + 1) / (1 + np.abs(x))).sum(1), rtol=1e-5)


def test_softmax_and_matmul(device: pr.Device) -> None:
    x = np.arange(12.0).reshape(3, 4) / 7
    t = pr.asarray(x, device=device)
    e = np.exp(x - x.max(-1, keepdims=True))
    np.testing.assert_allclose(pr.softmax(t, axis=-1).numpy(), e / e.sum(-1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose((t @ t.T).numpy(), x @ x.T, rtol=1e-12)


def test_views_and_writes(device: pr.Device) -> None:
    x = np.arange(24.0).reshape(4, 6)
    t = pr.asarray(x, device=device, copy=True)
    before = t + 0
    view = t.T[::-1, 1:]
    t[1:3, ::2] = -1
    x2 = x.copy()
    x2[1:3, ::2] = -1
    assert np.array_equal(before.numpy(), x)
    assert np.array_equal(view.numpy(), x2.T[::-1, 1:])
    assert t[-1, -1].item() == 23.0


def test_integers_and_bools(device: pr.Device) -> None:
    t = pr.asarray([7, -7, 3], device=device)
    assert (t // 2).to_list() == [3, -4, 1]
    assert (t % 2 == 1).to_list() == [True, True, True]
    assert (t << 1 | 1).to_list() == [15, -13, 7]
    assert pr.sum(t).dtype == pr.int64


def test_indexing(device: pr.Device) -> None:
    x = np.arange(12).reshape(3, 4)
    t = pr.asarray(x, device=device)
    i = pr.asarray([2, 0, -1], device=device)
    assert np.array_equal(t[i].numpy(), x[[2, 0, -1]])
    assert np.array_equal(t[t > 5].numpy(), x[x > 5])
    assert np.array_equal(t[..., None, 1].numpy(), x[..., None, 1])


def test_gradient(device: pr.Device) -> None:
    x = pr.asarray([1.0, 2.0, 3.0], device=device).autodiff().require_grad()
    grads = (x * x * x).sum().backward()
    gradient = x.grad(grads)
    assert gradient is not None
    assert gradient.to_list() == [3.0, 12.0, 27.0]
    assert pr.grad(lambda y: pr.sum(pr.sin(y)))(pr.asarray([0.0], device=device)).to_list() == [1.0]


def test_sort_and_statistics(device: pr.Device) -> None:
    t = pr.asarray([3.0, 1.0, 2.0], device=device)
    assert pr.sort(t).to_list() == [1.0, 2.0, 3.0]
    assert pr.argmax(t).item() == 0
    assert pr.mean(t).item() == 2.0
    assert pr.cumulative_sum(t).to_list() == [3.0, 4.0, 6.0]


def test_random_is_the_same_everywhere() -> None:
    drawn = [pr.random.uniform(pr.random.key(7, device=name), (100,)).numpy() for name in DEVICES]
    assert np.array_equal(drawn[0], drawn[1])


def test_errors_name_the_call(device: pr.Device) -> None:
    with pytest.raises(pr.ShapeError, match=r"^operator \+: \(2,\) and \(3,\) do not broadcast"):
        pr.zeros((2,), device=device) + pr.zeros((3,), device=device)
    with pytest.raises(pr.BoundsError, match=r"index 5 is out of bounds for axis 0 with size 3"):
        pr.zeros((3,), device=device)[5]


def test_exchange(device: pr.Device, tmp_path: Path) -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)[:, ::-1]
    t = pr.asarray(x, device=device)
    assert np.array_equal(np.from_dlpack(t), x)
    assert np.array_equal(np.asarray(t), x)
    assert np.array_equal(pickle.loads(pickle.dumps(t)).numpy(), x)
    assert np.array_equal(copy.deepcopy(t).numpy(), x)
    pr.save_safetensors({"x": t}, tmp_path / "t")
    assert np.array_equal(pr.load_safetensors(tmp_path / "t")["x"].numpy(), x)


def test_text(device: pr.Device) -> None:
    text = str(pr.asarray([[1, 2], [3, 4]], device=device))
    assert "[[1, 2],\n [3, 4]]" in text
    assert 'kind:  "Int"' in text


def test_fusion_gives_one_kernel() -> None:
    t = pr.ones((50, 40))
    t.numpy()
    pr.reset_stats()
    (pr.tanh(t * 3 - 1) + t).numpy()
    assert pr.stats()["kernels"] == 1
