"""Methods of tensors where a docstring's example does not show it: odd arguments, repeats, gradients, errors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyrite as pr

A = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
U = pr.IndexingUpdateOp


@pytest.fixture(params=["cpu", "flex"])
def t(request: pytest.FixtureRequest) -> pr.Tensor:
    return pr.asarray(A, device=request.param, copy=True)


def leaf(*data: Any) -> pr.Tensor:
    return pr.asarray(*data).autodiff().require_grad()


def same(got: pr.Tensor, wanted: Any) -> None:
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got.numpy(), wanted)


def test_slices(t: pr.Tensor) -> None:
    same(t.slice([range(2), slice(1, 3), -1]), A[:, 1:3, -1:])
    same(t.slice(pr.s[:, ::-1]), A[:, ::-1])
    same(t.slice(pr.s[:5, -9:2]), A[:5, -9:2])
    same(t.slice([range(1, -1, -1)]), A[::-1])
    same(t.slice(pr.Slice(-1)), A[-1:])
    same(t.slice([pr.Slice.index(-1), pr.Slice.full(), pr.Slice(0, None, -3)]), A[-1:, :, [3, 0]])
    same(pr.zeros((0, 3)).slice(pr.s[:, 1:]), np.zeros((0, 2)))
    same(t.slice_dim(1, 2), A[:, 2:3])
    same(t.select_dim(-1, -1), A[..., -1])


def test_slice_writes(t: pr.Tensor) -> None:
    wanted = A.copy()
    wanted[:, ::-2, 1:3] = A[:, :2, :2]
    same(t.slice_assign(pr.s[:, ::-2, 1:3], t.slice(pr.s[:, :2, :2])), wanted)
    same(t, A)
    wanted[...] = A
    wanted[::2, 1] = 7
    same(t.slice_fill(pr.s[::2, 1], 7), wanted)
    assert pr.asarray([True, True]).slice_fill(pr.s[:1], False).to_list() == [False, True]
    x, v = leaf([0.0] * 4), leaf([1.0, 1.0])
    g = (x.slice_assign(pr.s[1:3], v) * pr.asarray([1.0, 2.0, 3.0, 4.0])).sum().backward()
    gx, gv = x.grad(g), v.grad(g)
    assert gx is not None
    assert gv is not None
    assert (gx.to_list(), gv.to_list()) == ([1, 0, 0, 4], [2, 3])


def test_shapes(t: pr.Tensor) -> None:
    same(t.movedim([0, 1], [2, 0]), np.moveaxis(A, [0, 1], [2, 0]))
    assert t.reshape([0, -1]).shape == (2, 12)
    assert pr.zeros((3,)).unsqueeze_dims([-1, -1, 0, 0]).shape == (1, 1, 3, 1, 1)
    assert pr.zeros((3, 4)).unsqueeze_dims([-2]).shape == (3, 1, 4)
    assert pr.zeros((1, 1)).squeeze().shape == ()
    same(t.repeat([2, 1, 2]), np.tile(A, (2, 1, 2)))
    assert t.repeat_dim(1, 0).shape == (2, 0, 4)
    assert pr.ones((2, 1)).expand([4, -1, 3]).shape == (4, 2, 3)
    assert [c.shape[2] for c in t.chunk(3, 2)] == [2, 2]
    same(pr.Tensor.stack([t, t], -1), np.stack([A, A], -1))


def test_iter_dim(t: pr.Tensor) -> None:
    it = t.iter_dim(1)
    assert len(it) == 3
    same(next(it), A[:, :1])
    assert len(it) == 2
    assert [r.to_list() for r in reversed(it)] == [A[:, 2:].tolist(), A[:, 1:2].tolist()]
    assert len(it) == 0


@pytest.mark.parametrize(
    ("update", "wanted"),
    [(U.Assign, [9, 7, 3]), (U.Add, [20, 9, 3]), (U.Mul, [270, 14, 3]), (U.Min, [5, 2, 3]), (U.Max, [9, 7, 3])],
)
def test_updates_of_repeated_indices(update: pr.IndexingUpdateOp, wanted: list[int]) -> None:
    x, i, v = pr.asarray([6, 2, 3]), pr.asarray([0, 0, 1]), pr.asarray([5, 9, 7])
    assert x.scatter(0, i, v, update).to_list() == wanted
    assert x.select_assign(0, i, v, update).to_list() == wanted
    assert x.scatter_nd(i.unsqueeze_dim(1), v, update).to_list() == wanted


def test_updates_of_bools() -> None:
    x, i, v = pr.asarray([True, False]), pr.asarray([0, 1]), pr.asarray([False, True])
    assert x.select_assign(0, i, v, U.Add).to_list() == [True, True]
    assert x.select_assign(0, i, v, U.Mul).to_list() == [False, False]
    assert x.select_assign(0, i, v, U.Assign).to_list() == [False, True]


def test_reductions_of_ints() -> None:
    assert pr.asarray([-7, 7, -1]).mean().to_list() == [0]
    assert pr.asarray([-7, -8]).mean().to_list() == [-7]
    assert pr.asarray([100, 100], dtype=pr.int8).sum().to_list() == [-56]
    assert pr.asarray([2, 0, -1]).powi_scalar(-1).to_list() == [0, 0, -1]


def test_reductions(t: pr.Tensor) -> None:
    same(t.mean_dims([]), A)
    assert t.sum_dims_squeeze([0, 1, 2]).shape == ()
    same(t.var(1), A.var(1, keepdims=True, ddof=1))
    values, indices = t.max_dim_with_indices(-1)
    same(values, A.max(-1, keepdims=True))
    same(indices, A.argmax(-1, keepdims=True))
    assert pr.asarray([1.0]).var(0).is_nan().to_list() == [True]


def test_classes() -> None:
    hot = pr.asarray([0.0, -1.0]).one_hot(2)
    assert (hot.to_list(), hot.dtype) == ([[1, 0], [0, 1]], pr.float32)
    assert pr.asarray([[0], [1]]).one_hot_fill(3, 5, -1, 1).to_list() == [[[5], [-1], [-1]], [[-1], [5], [-1]]]


def test_gradients_of_selections() -> None:
    x = leaf([3.0, 1.0, 2.0])
    g = x.grad((x.topk(2, 0) * pr.asarray([10.0, 20.0])).sum().backward())
    assert g is not None
    assert g.to_list() == [10, 0, 20]
    x = leaf([3.0, 3.0, 2.0])
    g = x.grad(x.max().backward())
    assert g is not None
    assert g.to_list() == [1, 0, 0]
    x = leaf([1.0, 2.0, 3.0])
    g = x.grad(x.mask_select(pr.asarray([True, False, True])).sum().backward())
    assert g is not None
    assert g.to_list() == [1, 0, 1]


def test_kinds_and_options() -> None:
    flex = pr.Device.flex()
    assert pr.Tensor[pr.Int].full([2], 2.0).to_list() == [2, 2]
    assert pr.Tensor[pr.Bool].ones([2]).to_list() == [True, True]
    made = pr.Tensor.zeros([2], (flex, pr.int8))
    assert (made.device, made.dtype) == (flex, pr.int8)
    assert pr.Tensor.arange(0, 3).to_list() == pr.Tensor.arange(pr.s[0:3]).to_list() == [0, 1, 2]
    assert pr.Tensor.arange(range(5, 2)).to_list() == []
    assert pr.Tensor.arange(range(3), flex).device == flex
    device = pr.Device().autodiff()
    made = pr.Tensor.ones([2], device)
    assert made.is_autodiff()
    assert made.zeros_like().is_autodiff()
    array = np.array([1.0, 2.0])
    copied = pr.Tensor.from_data(array)
    array[0] = 9
    assert (copied.to_list(), copied.dtype) == ([1.0, 2.0], pr.float64)


def test_to_device() -> None:
    x = leaf([1.0])
    y = x.to_device(pr.Device())
    assert not y.is_require_grad()
    g = x.grad(y.sum().backward())
    assert g is not None
    assert g.to_list() == [1.0]
    assert pr.asarray(3).into_scalar(pr.float32) == 3.0


MISTAKES: list[tuple[Callable[[pr.Tensor], Any], type[Exception], str]] = [
    (
        lambda t: t.slice(pr.s[2:1]),
        ValueError,
        "Tensor.slice: slice(2, 1, None) selects nothing of dimension 0 with size 2",
    ),
    (lambda t: t.slice([0, 0, 0, 0]), ValueError, "Tensor.slice: 4 slices for a tensor of shape (2, 3, 4)"),
    (lambda t: t.slice([3]), IndexError, "Tensor.slice: index 3 is out of bounds for axis 0 with size 2"),
    (lambda t: t.slice(pr.s[::0]), ValueError, "Tensor.slice: a slice step cannot be 0"),
    (lambda t: t.slice_fill(pr.s[0:3], 1), IndexError, "Tensor.slice_fill: the bound 3 leaves dimension 0 with size 2"),
    (
        lambda t: t.add(pr.ones(4)),
        ValueError,
        "Tensor.add: (2, 3, 4) and (4,) have ranks 3 and 1, methods want equal ones\n"
        "Hint: use .unsqueeze(3), or the operator, which broadcasts",
    ),
    (lambda t: t.add(3), TypeError, "Tensor.add: expected a tensor, got int 3\nHint: use add_scalar for numbers"),
    (lambda t: t.add_scalar(t), TypeError, "Tensor.add_scalar: expected a number, got Tensor"),
    (
        lambda t: t.equal(pr.ones((2, 3, 1))),
        ValueError,
        "Tensor.equal: (2, 3, 4) and (2, 3, 1) differ, this method wants equal shapes",
    ),
    (
        lambda t: t.int().exp(),
        TypeError,
        "Tensor.exp: a tensor of kind Float or Complex is needed, got int64\n"
        "Hint: cast it first, for example to float32",
    ),
    (
        lambda t: t.mask_select(pr.ones((2, 3), dtype=pr.bool)),
        ValueError,
        "Tensor.mask_select: a mask of shape (2, 3) does not fit a tensor of shape (2, 3, 4)",
    ),
    (lambda t: t.clamp(2, 1), ValueError, "Tensor.clamp: the lower bound 2 is above the upper bound 1"),
    (
        lambda t: t.topk(5, 2),
        ValueError,
        "Tensor.topk: k = 5 does not lie between 0 and 4, the size of axis 2 of (2, 3, 4)",
    ),
    (
        lambda t: pr.asarray([3]).one_hot(3),
        IndexError,
        "Tensor.one_hot: index 3 is out of bounds for axis 1 with size 3",
    ),
    (lambda t: t.sum_dims([0, 0]), ValueError, "Tensor.sum_dims: axes (0, 0) repeat an axis"),
    (
        lambda t: t.select(1, pr.asarray([3])),
        IndexError,
        "Tensor.select: index 3 is out of bounds for axis 1 with size 3",
    ),
    (lambda t: t.into_scalar(), ValueError, "Tensor.into_scalar: a tensor of shape (2, 3, 4) has 24 elements, not one"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m[2].split(":")[0])
def test_mistakes(mistake: tuple[Callable[[pr.Tensor], Any], type[Exception], str]) -> None:
    call, kind, text = mistake
    with pytest.raises(pr.PyriteError) as error:
        call(pr.asarray(A, copy=True))
    assert isinstance(error.value, kind)
    assert str(error.value) == text
