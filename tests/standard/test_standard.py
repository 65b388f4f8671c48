"""The functions of `pr.*` against NumPy: values, dtypes, shapes, and the text of errors."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import pyrite as pr

F32 = np.array([-2.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 3.0], np.float32)
EDGES = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -3e38], np.float32)
INTS = np.array([-7, -2, -1, 0, 1, 2, 3, 9], np.int64)
BOOLS = np.array([True, False, True, True])
GRID = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 7.5


def check(got: Any, wanted: Any, exact: bool = True, dtype: Any = None) -> None:
    """Values, shape and dtype of a tensor; inexact ones to 4 ulp of their dtype."""
    wanted = np.asarray(wanted)
    assert isinstance(got, pr.Tensor)
    assert got.shape == wanted.shape
    assert got.dtype.np == (wanted.dtype if dtype is None else dtype.np)
    if exact or got.dtype.kind in (pr.Bool, pr.Int):
        np.testing.assert_array_equal(got.numpy(), wanted.astype(got.dtype.np))
    else:
        eps = float(np.finfo(got.dtype.np).eps)
        np.testing.assert_allclose(got.numpy(), wanted.astype(got.dtype.np), rtol=4 * eps, atol=4 * eps)


FLOAT_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "sqrt": np.sqrt, "reciprocal": np.reciprocal, "erf": scipy.special.erf,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit,
}  # fmt: skip


@pytest.mark.parametrize("name", FLOAT_FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_functions(name: str, dtype: Any) -> None:
    for values in (F32, EDGES):
        x = values.astype(dtype)
        with np.errstate(all="ignore"):
            wanted = FLOAT_FUNCTIONS[name](x.astype(np.float64))
        if wanted.dtype != bool:
            with np.errstate(all="ignore"):
                wanted = wanted.astype(dtype)
        check(getattr(pr, name)(pr.asarray(x)), wanted, wanted.dtype == bool)


@pytest.mark.parametrize("name", sorted(set(FLOAT_FUNCTIONS) - {"isnan", "isinf", "isfinite"}))
def test_float_functions_refuse_ints(name: str) -> None:
    with pytest.raises(pr.DTypeError) as error:
        getattr(pr, name)(pr.asarray([1, 2]))
    assert isinstance(error.value, TypeError)
    assert str(error.value).startswith(f"pr.{name}: a tensor of kind Float")
    assert "got int64\nHint: cast it first, for example to float32" in str(error.value)


ANY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs, "negative": np.negative, "positive": np.positive, "sign": np.sign, "square": np.square,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.round, "isnan": np.isnan, "isinf": np.isinf,
    "isfinite": np.isfinite,
}  # fmt: skip


@pytest.mark.parametrize("name", ANY_FUNCTIONS)
@pytest.mark.parametrize("values", [F32, EDGES, INTS, F32.astype(np.float16)], ids=["f32", "edges", "i64", "f16"])
def test_functions_of_any_number(name: str, values: Any) -> None:
    with np.errstate(all="ignore"):
        check(getattr(pr, name)(pr.asarray(values)), ANY_FUNCTIONS[name](values))


PAIRS: dict[str, Callable[..., Any]] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "floor_divide": np.floor_divide,
    "remainder": np.remainder,
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("values", [F32, INTS], ids=["f32", "i64"])
def test_pairs(name: str, values: Any) -> None:
    """Tensors that broadcast, and Python numbers on either side."""
    f, wanted = getattr(pr, name), PAIRS[name]
    a, b = values[:, None], np.flip(values) if "i" in values.dtype.kind else values + values.dtype.type(0.125)
    b = np.where(b == 0, b.dtype.type(3), b)
    check(f(pr.asarray(a), pr.asarray(b)), wanted(a, b))
    number = 2 if values.dtype.kind == "i" else 1.5
    check(f(pr.asarray(values), number), wanted(values, values.dtype.type(number)))
    with np.errstate(all="ignore"):
        some = values[values != 0]
        check(f(number, pr.asarray(some)), wanted(values.dtype.type(number), some))


def test_float_pairs() -> None:
    x, y = pr.asarray(F32), pr.asarray(F32[::-1].copy())
    a, b = F32.astype(np.float64), F32[::-1].astype(np.float64)
    with np.errstate(all="ignore"):
        check(pr.divide(x, y), F32 / F32[::-1])
        check(pr.atan2(x, y), np.arctan2(a, b).astype(np.float32), exact=False)
        check(pr.hypot(x, y), np.hypot(a, b).astype(np.float32), exact=False)
        check(pr.copysign(x, y), np.copysign(F32, F32[::-1]))
        check(pr.logaddexp(x, y), np.logaddexp(a, b).astype(np.float32), exact=False)
        check(pr.pow(pr.abs(x), y), np.power(np.abs(a), b).astype(np.float32), exact=False)
    check(pr.divide(pr.asarray(INTS), 2), (INTS / 2).astype(np.float32))
    check(pr.pow(pr.asarray(INTS), 3), INTS**3)
    check(pr.pow(2, pr.asarray([0, 1, 5])), np.array([1, 2, 32]))


def test_promotion() -> None:
    assert pr.add(pr.ones(2, dtype=pr.int32), pr.ones(2, dtype=pr.int64)).dtype is pr.int64
    assert pr.add(pr.ones(2, dtype=pr.uint8), pr.ones(2, dtype=pr.int8)).dtype is pr.int16
    assert pr.add(pr.ones(2, dtype=pr.float16), pr.ones(2)).dtype is pr.float32
    assert pr.add(pr.ones(2, dtype=pr.float16), pr.ones(2, dtype=pr.bfloat16)).dtype is pr.float32
    assert pr.add(pr.ones(2, dtype=pr.int8), 1).dtype is pr.int8
    assert pr.add(pr.ones(2, dtype=pr.float16), 1.5).dtype is pr.float16


def test_logic_and_bits() -> None:
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    for name in ("and", "or", "xor"):
        wanted = getattr(np, f"logical_{name}")
        check(getattr(pr, f"logical_{name}")(pr.asarray(x), pr.asarray(y)), wanted(x, y))
        check(getattr(pr, f"bitwise_{name}")(pr.asarray(x), pr.asarray(y)), wanted(x, y))
        bits = getattr(np, f"bitwise_{name}")
        check(getattr(pr, f"bitwise_{name}")(pr.asarray(INTS), 6), bits(INTS, 6))
    check(pr.logical_not(pr.asarray(x)), ~x)
    check(pr.bitwise_invert(pr.asarray(INTS)), ~INTS)
    check(pr.bitwise_invert(pr.asarray(x)), ~x)
    check(pr.bitwise_left_shift(pr.asarray(INTS), 3), INTS << 3)
    check(pr.bitwise_right_shift(pr.asarray(INTS), 1), INTS >> 1)


def test_complex() -> None:
    z = np.array([3 + 4j, -1j, 0], np.complex64)
    t = pr.asarray(z)
    check(pr.real(t), z.real)
    check(pr.imag(t), z.imag)
    check(pr.conj(t), z.conj())
    check(pr.abs(t), np.abs(z))
    check(pr.sign(t), np.array([0.6 + 0.8j, -1j, 0], np.complex64), exact=False)
    check(pr.imag(pr.asarray([1.0, pr.inf])), np.zeros(2, np.float32))
    check(pr.real(pr.asarray(INTS)), INTS)


def test_clip() -> None:
    x = pr.asarray(F32)
    check(pr.clip(x, -1, 1), np.clip(F32, -1, 1))
    check(pr.clip(x, min=0.5), np.maximum(F32, np.float32(0.5)))
    check(pr.clip(x, max=pr.asarray(0.5, dtype=pr.float64)), np.minimum(F32, np.float32(0.5)))
    check(pr.clip(x, pr.asarray([[0.0], [1.0]]), None), np.maximum(F32, np.array([[0.0], [1.0]], np.float32)))
    check(pr.clip(pr.asarray(EDGES), -1, 1), np.clip(EDGES, -1, 1))
    check(pr.clip(x), F32)
    with pytest.raises(pr.ArgumentError, match=r"pr.clip: the lower bound 2 is above the upper bound 1"):
        pr.clip(x, 2, 1)


# ---------------------------------------------------------------- creation


def test_creation() -> None:
    check(pr.zeros((2, 3)), np.zeros((2, 3), np.float32))
    check(pr.ones(3, dtype=pr.int8), np.ones(3, np.int8))
    check(pr.zeros((0, 3), dtype=pr.bool), np.zeros((0, 3), bool))
    check(pr.ones((), dtype=pr.complex64), np.ones((), np.complex64))
    check(pr.full((2,), 3), np.full(2, 3))
    check(pr.full((2,), 3.5), np.full(2, 3.5, np.float32))
    check(pr.full((2,), True), np.full(2, True))
    check(pr.full((2,), 3, dtype=pr.float16), np.full(2, 3, np.float16))
    check(pr.full((), 1j), np.full((), 1j, np.complex64))
    assert pr.empty((4, 0)).shape == (4, 0)
    x = pr.asarray(INTS)
    check(pr.zeros_like(x), np.zeros_like(INTS))
    check(pr.ones_like(x, dtype=pr.float64), np.ones(8))
    check(pr.full_like(x, -1), np.full_like(INTS, -1))
    assert pr.empty_like(x).shape == x.shape
    assert pr.zeros(2, device="flex").device == pr.Device.flex()


def test_created_tensors_can_be_written() -> None:
    t = pr.zeros((2, 2))
    t[0, 1] = 5.0
    assert t.to_list() == [[0.0, 5.0], [0.0, 0.0]]


def test_new_fill_values_compile_nothing() -> None:
    (pr.full((3, 4), 0.5) + 1).to_list()
    before = pr.stats()
    for k in range(4):
        (pr.full((3, 4), float(k)) + 1).to_list()
    after = pr.stats()
    assert after["compiled"] + after["loaded"] == before["compiled"] + before["loaded"]


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (5,), ()])
def test_column_order(shape: Any) -> None:
    device = pr.Device()
    device.set_default_order("F")
    t = pr.full(shape, 2.5, device=device)
    check(t, np.full(shape, 2.5, np.float32))
    assert t.layout.f_contig
    check(pr.eye(2, 3, k=1, device=device), np.eye(2, 3, k=1, dtype=np.float32))
    check(pr.eye(3, k=-1, device=device), np.eye(3, k=-1, dtype=np.float32))


def test_ranges() -> None:
    for args in ((5,), (2, 8), (2, 9, 3), (9, 2, -3), (3, 3), (5, 1)):
        check(pr.arange(*args), np.arange(*args))
    for args in ((0.0, 1.0, 0.25), (1.5,), (5.0, 1.0, -1.5)):
        check(pr.arange(*args, dtype=pr.float64), np.arange(*args))
    check(pr.arange(3.0), np.arange(3, dtype=np.float32))
    check(pr.arange(4, dtype=pr.uint8), np.arange(4, dtype=np.uint8))
    for num in (0, 1, 2, 7):
        check(pr.linspace(-1.0, 2.0, num, dtype=pr.float64), np.linspace(-1.0, 2.0, num), exact=False)
    check(pr.linspace(0, 4, 4, endpoint=False), np.linspace(0, 4, 4, endpoint=False, dtype=np.float32))
    check(pr.linspace(0, 1 + 1j, 3), np.linspace(0, 1 + 1j, 3).astype(np.complex64))
    with pytest.raises(pr.ArgumentError, match="pr.arange: the step is 0"):
        pr.arange(0, 3, 0)
    with pytest.raises(pr.DTypeError, match=r"pr.arange: a range is made of ints and floats, got 'a'"):
        pr.arange("a")  # type: ignore[arg-type]


def test_matrices() -> None:
    for k in (-2, -1, 0, 1, 3):
        check(pr.eye(3, 4, k=k), np.eye(3, 4, k=k, dtype=np.float32))
        check(pr.tril(pr.asarray(GRID), k=k), np.tril(GRID, k))
        check(pr.triu(pr.asarray(GRID), k=k), np.triu(GRID, k))
    check(pr.eye(2, dtype=pr.bool), np.eye(2, dtype=bool))
    check(pr.eye(2, dtype=pr.complex64), np.eye(2, dtype=np.complex64))
    vectors = [np.arange(2), np.arange(3), np.arange(4)]
    for indexing in ("xy", "ij"):
        for got, wanted in zip(
            pr.meshgrid(*map(pr.asarray, vectors), indexing=indexing), np.meshgrid(*vectors, indexing=indexing)
        ):
            check(got, wanted)
    with pytest.raises(pr.ArgumentError, match='pr.meshgrid: indexing \'yx\' is not "xy" or "ij"'):
        pr.meshgrid(pr.arange(2), indexing="yx")


# ---------------------------------------------------------------- reductions


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(axis: Any, keepdims: bool) -> None:
    x = pr.asarray(GRID)
    wide = GRID.astype(np.float64)
    if axis is None or axis == () or isinstance(axis, (int, tuple)):
        for name in ("sum", "mean", "std", "var", "max", "min", "any", "all"):
            wanted = getattr(np, name)(wide, axis=axis, keepdims=keepdims)
            got = getattr(pr, name)(x, axis=axis, keepdims=keepdims)
            check(got, wanted if wanted.dtype == bool else wanted.astype(np.float32), exact=False)
    check(
        pr.prod(pr.asarray(GRID / 8), axis=axis, keepdims=keepdims),
        np.prod(wide / 8, axis=axis, keepdims=keepdims).astype(np.float32), exact=False,
    )  # fmt: skip
    check(pr.count_nonzero(x > 0, axis=axis, keepdims=keepdims), np.sum(GRID > 0, axis=axis, keepdims=keepdims))
    if axis is None or isinstance(axis, int):
        check(pr.argmax(x, axis=axis, keepdims=keepdims), np.argmax(GRID, axis=axis, keepdims=keepdims))
        check(pr.argmin(x, axis=axis, keepdims=keepdims), np.argmin(GRID, axis=axis, keepdims=keepdims))


def test_dtypes_of_sums() -> None:
    assert pr.sum(pr.ones(3, dtype=pr.int8)).dtype is pr.int64
    assert pr.sum(pr.ones(3, dtype=pr.uint8)).dtype is pr.uint64
    assert pr.prod(pr.ones(3, dtype=pr.int32)).dtype is pr.int64
    assert pr.sum(pr.ones(3, dtype=pr.float16)).dtype is pr.float16
    assert pr.sum(pr.ones(3, dtype=pr.int8), dtype=pr.int8).dtype is pr.int8
    assert pr.sum(pr.ones(3), dtype=pr.float64).dtype is pr.float64
    assert pr.sum(pr.full(300, 100, dtype=pr.int8)).item() == 30000
    check(pr.sum(pr.asarray(BOOLS), dtype=pr.int64), np.array(3))
    check(pr.var(pr.asarray(GRID), correction=1), np.float32(np.var(GRID.astype(np.float64), ddof=1)), exact=False)


def test_running_values() -> None:
    x = pr.asarray(INTS)
    check(pr.cumulative_sum(x), np.cumsum(INTS))
    check(pr.cumulative_prod(x), np.cumprod(INTS))
    check(pr.cumulative_sum(pr.asarray(GRID), axis=1), np.cumsum(GRID, axis=1))
    check(pr.cumulative_sum(x, include_initial=True), np.concatenate([[0], np.cumsum(INTS)]))
    check(pr.cumulative_prod(x, include_initial=True), np.concatenate([[1], np.cumprod(INTS)]))
    assert pr.cumulative_sum(pr.ones(2, dtype=pr.int8)).dtype is pr.int64
    check(pr.diff(pr.asarray(GRID), axis=1), np.diff(GRID, axis=1))
    check(pr.diff(x, n=2), np.diff(INTS, n=2))
    check(pr.diff(x, prepend=pr.asarray([0]), append=pr.asarray([5])), np.diff(INTS, prepend=[0], append=[5]))
    with pytest.raises(pr.ArgumentError) as error:
        pr.cumulative_sum(pr.asarray(GRID))
    assert str(error.value) == (
        "pr.cumulative_sum: the axis is missing: it may be left out for rank 1, the tensor has shape (2, 3, 4)"
    )


# ---------------------------------------------------------------- manipulation


def test_shapes() -> None:
    x = pr.asarray(GRID)
    check(pr.reshape(x, (4, -1)), GRID.reshape(4, -1))
    check(pr.reshape(x, 24), GRID.reshape(24))
    check(pr.reshape(x, (4, 6), order="F"), GRID.reshape(4, 6, order="F"))
    check(pr.permute_dims(x, (2, 0, 1)), GRID.transpose(2, 0, 1))
    check(pr.moveaxis(x, 0, -1), np.moveaxis(GRID, 0, -1))
    check(pr.moveaxis(x, (0, 1), (-1, 0)), np.moveaxis(GRID, (0, 1), (-1, 0)))
    check(pr.expand_dims(x, axis=1), GRID[:, None])
    check(pr.expand_dims(x, axis=(0, -1)), GRID[None, ..., None])
    check(pr.squeeze(pr.asarray(GRID[:, None, :1]), axis=(1, 2)), GRID[:, 0])
    check(pr.broadcast_to(pr.asarray(GRID[0, :1]), (3, 4)), np.broadcast_to(GRID[0, :1], (3, 4)))
    for got, wanted in zip(
        pr.broadcast_arrays(pr.asarray(GRID), pr.arange(4)), np.broadcast_arrays(GRID, np.arange(4))
    ):
        check(got, wanted)
    assert pr.broadcast_shapes((2, 1), (3,), ()) == (2, 3)


def test_arrangement() -> None:
    x = pr.asarray(GRID)
    for axis in (0, 1, -1):
        check(pr.concat([x, x], axis=axis), np.concatenate([GRID, GRID], axis))
        check(pr.stack([x, x], axis=axis), np.stack([GRID, GRID], axis))
        check(pr.flip(x, axis=axis), np.flip(GRID, axis))
        check(pr.roll(x, 2, axis=axis), np.roll(GRID, 2, axis))
        check(pr.repeat(x, 3, axis=axis), np.repeat(GRID, 3, axis))
        for got, wanted in zip(pr.unstack(x, axis=axis), np.moveaxis(GRID, axis, 0)):
            check(got, wanted)
    check(pr.concat([x, pr.arange(3.0)], axis=None), np.concatenate([GRID.ravel(), np.arange(3, dtype=np.float32)]))
    check(pr.flip(x), np.flip(GRID))
    check(pr.roll(x, -5), np.roll(GRID, -5))
    check(pr.roll(x, (1, 2), axis=(0, 2)), np.roll(GRID, (1, 2), (0, 2)))
    check(pr.roll(x, 1, axis=(0, 2)), np.roll(GRID, 1, (0, 2)))
    check(pr.repeat(x, 2), np.repeat(GRID, 2))
    check(pr.repeat(x, pr.asarray([1, 0, 2]), axis=1), np.repeat(GRID, [1, 0, 2], 1))
    for counts in ((2,), (2, 1, 3), (2, 2, 1, 1), (0, 1)):
        check(pr.tile(x, counts), np.tile(GRID, counts))


def test_copies_and_views() -> None:
    x = pr.arange(6)
    view, copy = pr.reshape(x, (2, 3)), pr.reshape(x, (2, 3), copy=True)
    x[0] = 9
    assert view[0, 0].item() == 9
    assert copy[0, 0].item() == 0
    with pytest.raises(pr.ArgumentError) as error:
        pr.reshape(pr.permute_dims(view, (1, 0)), (6,), copy=False)
    assert str(error.value) == "pr.reshape: shape (3, 2) becomes (6,) only by a copy here, but copy=False"
    same = pr.astype(x, pr.int64)
    x[1] = 7
    assert same[1].item() == 1
    assert pr.astype(x, pr.int64, copy=False) is x


# ---------------------------------------------------------------- indexing and sorting


def test_indexing() -> None:
    x = pr.asarray(GRID)
    i = np.array([2, -1, 0])
    check(pr.take(x, pr.asarray(i), axis=1), np.take(GRID, i, 1))
    check(pr.take(pr.asarray(INTS), pr.asarray(i)), np.take(INTS, i))
    j = np.argsort(GRID, axis=1)
    check(pr.take_along_axis(x, pr.asarray(j), axis=1), np.take_along_axis(GRID, j, 1))
    j = np.zeros((1, 3, 2), np.int64)
    check(pr.take_along_axis(x, pr.asarray(j)), np.take_along_axis(GRID, np.broadcast_to(j, (2, 3, 2)), -1))
    c = GRID > 0
    check(pr.where(pr.asarray(c), x, -x), np.where(c, GRID, -GRID))
    check(pr.where(pr.asarray(c), x, 0), np.where(c, GRID, np.float32(0)))
    check(pr.where(pr.asarray(c), 1, 2.5), np.where(c, np.float32(1), np.float32(2.5)))
    check(pr.where(pr.asarray(c), 1, 2), np.where(c, 1, 2))
    for got, wanted in zip(pr.nonzero(pr.asarray(c)), np.nonzero(c)):
        check(got, wanted)
    edges = np.array([1.0, 2.0, 2.0, 5.0], np.float32)
    for side in ("left", "right"):
        check(pr.searchsorted(pr.asarray(edges), x, side=side), np.searchsorted(edges, GRID, side=side))
    order = np.array([3, 0, 1, 2])
    check(
        pr.searchsorted(pr.asarray(edges[[1, 2, 3, 0]]), pr.asarray([2.0]), sorter=pr.asarray(order)),
        np.searchsorted(edges[[1, 2, 3, 0]], [2.0], sorter=order),
    )
    check(pr.isin(x, pr.asarray([0.5, 9.0])), np.isin(GRID, [0.5, 9.0]))
    check(pr.isin(pr.asarray(INTS), pr.asarray([9, 1]), invert=True), np.isin(INTS, [9, 1], invert=True))
    check(pr.isin(pr.asarray([pr.nan]), pr.asarray([pr.nan])), np.array([False]))
    check(pr.isin(pr.asarray(INTS), pr.asarray([], dtype=pr.int64)), np.zeros(8, bool))
    check(pr.isin(pr.asarray(BOOLS), True), BOOLS)


def test_sorting() -> None:
    x = np.array([[3.0, np.nan, -1.0, 2.0], [0.5, 0.25, 7.0, -2.0]], np.float32)
    t = pr.asarray(x)
    for axis in (0, 1, -1):
        check(pr.sort(t, axis=axis), np.sort(x, axis))
        check(pr.argsort(t, axis=axis), np.argsort(x, axis, kind="stable"))
    check(pr.sort(t, descending=True), np.flip(np.sort(x), -1))
    values, indices = pr.topk(pr.asarray(INTS), 3)
    check(values, np.array([9, 3, 2]))
    check(indices, np.array([7, 6, 5]))
    assert pr.topk(pr.asarray(INTS), 2, largest=False).values.to_list() == [-7, -2]


def test_unique() -> None:
    x = np.array([[3, 1], [1, 7]])
    found = pr.unique_all(pr.asarray(x))
    wanted = np.unique_all(x)
    for got, one in zip(found, wanted):
        check(got, one)
    check(pr.unique_counts(pr.asarray(x)).counts, wanted.counts)
    check(pr.unique_inverse(pr.asarray(x)).inverse_indices, wanted.inverse_indices)
    check(pr.unique_values(pr.asarray(x)), wanted.values)
    nans = pr.unique_all(pr.asarray([pr.nan, 1.0, pr.nan]))
    assert nans.values.shape == (3,)
    assert nans.counts.to_list() == [1, 1, 1]
    assert pr.unique_values(pr.asarray([2.0, 1.0, 2.0], dtype=pr.bfloat16)).to_list() == [1.0, 2.0]


# ---------------------------------------------------------------- linear algebra


def test_products() -> None:
    a, b = GRID, GRID.transpose(0, 2, 1) / 4
    x, y = pr.asarray(a), pr.asarray(b)
    check(pr.matmul(x, y), a @ b, exact=False)
    check(pr.matmul(x, pr.asarray(b[0, :, 0])), a @ b[0, :, 0], exact=False)
    check(pr.matmul(pr.arange(3), pr.arange(3)), np.array(5))
    check(pr.matrix_transpose(x), a.transpose(0, 2, 1))
    check(pr.tensordot(x, pr.asarray(b[0]), axes=1), np.tensordot(a, b[0], 1), exact=False)
    check(pr.tensordot(x, y, axes=((1, 2), (2, 1))), np.tensordot(a, b, ((1, 2), (2, 1))), exact=False)
    check(pr.tensordot(x, x, axes=3), np.tensordot(a, a, 3), exact=False)
    check(pr.tensordot(pr.arange(2), pr.arange(3), axes=0), np.tensordot(np.arange(2), np.arange(3), 0))
    check(pr.vecdot(x, x, axis=1), (a * a).sum(1), exact=False)
    check(pr.einsum("bij,bjk->bik", x, y), np.einsum("bij,bjk->bik", a, b), exact=False)
    check(pr.einsum("bii->b", pr.asarray(a[:, :, :3])), np.einsum("bii->b", a[:, :, :3]))
    check(pr.einsum("ijk->", x), np.float32(a.sum()))
    check(pr.linalg.outer(pr.arange(2), pr.arange(3)), np.outer(np.arange(2), np.arange(3)))
    check(pr.linalg.cross(pr.asarray(a[:, :, :3]), pr.asarray(a[:, :, 1:])), np.cross(a[:, :, :3], a[:, :, 1:]))
    for offset in (-1, 0, 2):
        check(pr.linalg.diagonal(x, offset=offset), np.diagonal(a, offset, 1, 2))
        check(pr.linalg.trace(x, offset=offset), np.trace(a, offset, 1, 2))
    assert pr.linalg.trace(pr.ones((2, 2), dtype=pr.int8)).dtype is pr.int64


@pytest.mark.parametrize("ord", [2, 1, 0, 3, 0.5, math.inf, -math.inf, -1])
def test_vector_norm(ord: float) -> None:
    for axis in (None, 1, (0, 2)):
        wanted = np.linalg.vector_norm(GRID.astype(np.float64), axis=axis, ord=ord)
        check(pr.linalg.vector_norm(pr.asarray(GRID), axis=axis, ord=ord), wanted.astype(np.float32), exact=False)


# ---------------------------------------------------------------- dtypes, activations, the rest


def test_data_types() -> None:
    check(pr.astype(pr.asarray([1.9, -1.9, 300.0, pr.nan]), pr.uint8), np.array([1, 0, 255, 0], np.uint8))
    check(pr.astype(pr.asarray([0.0, 2.0]), pr.bool), np.array([False, True]))
    assert pr.can_cast(pr.int8, pr.int32)
    assert not pr.can_cast(pr.int32, pr.int8)
    assert not pr.can_cast(pr.uint64, pr.int64)
    assert pr.isdtype(pr.bfloat16, "real floating")
    assert pr.isdtype(pr.uint8, "integral")
    assert not pr.isdtype(pr.bool, "numeric")
    assert pr.result_type(pr.float32, pr.float64, 1) is pr.float64
    info = pr.finfo(pr.float32)
    wanted = np.finfo(np.float32)
    assert (info.bits, info.eps, info.max, info.min) == (32, wanted.eps, wanted.max, wanted.min)
    assert info.smallest_normal == wanted.smallest_normal
    assert (pr.iinfo(pr.int8).min, pr.iinfo(pr.int8).max, pr.iinfo(pr.int8).dtype) == (-128, 127, pr.int8)
    assert pr.DType.F32 is pr.FloatDType.F32 is pr.float32
    assert (pr.pi, pr.e, pr.newaxis) == (math.pi, math.e, None)


def test_activations() -> None:
    x = GRID.astype(np.float64)
    t = pr.asarray(x)
    check(pr.relu(t), np.maximum(x, 0))
    check(pr.sigmoid(t), scipy.special.expit(x), exact=False)
    check(pr.silu(t), x * scipy.special.expit(x), exact=False)
    check(pr.gelu(t), x * 0.5 * (1 + scipy.special.erf(x / math.sqrt(2))), exact=False)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    check(pr.gelu(t, approximate=True), 0.5 * x * (1 + np.tanh(inner)), exact=False)
    check(pr.softplus(t), np.logaddexp(x, 0), exact=False)
    check(pr.softmax(t, axis=1), scipy.special.softmax(x, 1), exact=False)
    check(pr.log_softmax(t), scipy.special.log_softmax(x, -1), exact=False)
    check(pr.logsumexp(t, axis=(0, 1)), scipy.special.logsumexp(x, (0, 1)), exact=False)
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    gamma, beta = np.arange(4.0), np.ones(4)
    check(
        pr.layer_norm(t, pr.asarray(gamma), pr.asarray(beta)), (x - mean) / np.sqrt(var + 1e-5) * gamma + beta,
        exact=False,
    )  # fmt: skip
    logits, targets = x[0], np.array([1, 3, -1])
    wanted = -scipy.special.log_softmax(logits, -1)[np.arange(3), targets]
    check(pr.cross_entropy(pr.asarray(logits), pr.asarray(targets)), wanted, exact=False)
    check(pr.one_hot(pr.asarray([0, 2]), 3), np.eye(3, dtype=np.float32)[[0, 2]])
    check(pr.one_hot(pr.asarray([0, 2]), 3, axis=0, dtype=pr.int8), np.eye(3, dtype=np.int8)[[0, 2]].T)


def test_random() -> None:
    key = pr.random.key(7)
    draws = pr.random.uniform(key, (1000,), -2.0, 3.0)
    assert draws.dtype is pr.float32
    assert bool(pr.all(draws >= -2))
    assert bool(pr.all(draws < 3))
    assert abs(float(pr.mean(draws)) - 0.5) < 0.2
    assert pr.random.uniform(key, (10,), -2.0, 3.0).to_list() == draws[:10].to_list()
    normal = pr.random.normal(key, (4000,), 5.0, 2.0, dtype=pr.float64)
    assert abs(float(pr.mean(normal)) - 5) < 0.2
    assert abs(float(pr.std(normal)) - 2) < 0.2
    ints = pr.random.randint(key, (500,), -3, 4, dtype=pr.int8)
    assert (int(pr.min(ints)), int(pr.max(ints)), ints.dtype) == (-3, 3, pr.int8)
    assert abs(float(pr.mean(pr.astype(pr.random.bernoulli(key, (2000,), 0.25), pr.float32))) - 0.25) < 0.05
    assert sorted(pr.random.permutation(key, 20).to_list()) == list(range(20))
    assert sorted(pr.random.permutation(key, pr.asarray([5, 6, 7])).to_list()) == [5, 6, 7]
    first, second = pr.random.split(key)
    assert first.item() != second.item()
    assert pr.random.fold_in(key, 1).item() != pr.random.fold_in(key, 2).item()
    assert pr.random.key(7).item() == key.item()
    flex = pr.random.key(7, device="flex")
    assert pr.random.normal(flex, (5,)).to_list() == pr.random.normal(key, (5,)).to_list()


def test_tensor_random() -> None:
    device = pr.Device()
    device.seed(1)
    a = pr.Tensor.random([100], pr.Distribution.Normal(1.0, 2.0), device)
    b = pr.Tensor.random([100], pr.Distribution.Normal(1.0, 2.0), device)
    assert a.to_list() != b.to_list()
    device.seed(1)
    assert pr.Tensor.random([100], pr.Distribution.Normal(1.0, 2.0)).to_list() == a.to_list()
    assert pr.Tensor.random([3], pr.Distribution.Default, pr.float64).dtype is pr.float64
    assert set(pr.Tensor.random([50], pr.Distribution.Bernoulli(0.5)).to_list()) == {0.0, 1.0}
    assert pr.Tensor[pr.Int].random([50], pr.Distribution.Uniform(2, 5)).max().item() == 4
    with pytest.raises(pr.ArgumentError, match="Tensor.random: a finite range with low ≤ high is needed"):
        pr.Tensor.random([3], pr.Distribution.Uniform(2.0, 1.0))


def test_threads() -> None:
    pr.set_num_threads(3)
    assert pr.get_num_threads() == 3
    with pytest.raises(pr.ArgumentError) as error:
        pr.set_num_threads(0)
    assert str(error.value) == "pr.set_num_threads: 0 is not a number of threads: expected an int from 1 on"


MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: pr.sin(1.0), TypeError, "pr.sin: expected a tensor, got float 1.0\nHint: make one of it with pr.asarray"),
    (lambda: pr.add(1, 2), TypeError, "pr.add: expected at least one tensor, got int and int"),
    (
        lambda: pr.add(pr.ones((2, 4)), pr.ones(3)), ValueError,
        "pr.add: (2, 4) and (3,) do not broadcast: axis -1 has sizes 4 and 3",
    ),
    (
        lambda: pr.add(pr.ones(2), pr.asarray([1, 2])), TypeError,
        "pr.add: float32 and int64 are of different kinds (Float and Int)\n"
        "Hint: convert one of them first, for example with .cast(pr.float32)",
    ),
    (
        lambda: pr.add(pr.asarray([1], dtype=pr.int8), 200), OverflowError,
        "pr.add: 200 does not fit int8 (-128 to 127)",
    ),
    (
        lambda: pr.add(pr.asarray([1]), 1.5), TypeError,
        "pr.add: the Python float 1.5 does not go with a int64 tensor\nHint: convert the tensor or the number first",
    ),
    (
        lambda: pr.sum(pr.ones((2, 3)), axis=2), IndexError,
        "pr.sum: axis 2 is out of range for rank 2 (valid: -2 to 1)",
    ),
    (lambda: pr.sum(pr.ones((2, 3)), axis=(0, -2)), ValueError, "pr.sum: axes (0, -2) repeat an axis"),
    (
        lambda: pr.max(pr.zeros((0, 3))), ValueError,
        "pr.max: axis 0 of (0, 3) has size 0, so there is no largest element",
    ),
    (
        lambda: pr.mean(pr.asarray([1, 2])), TypeError,
        "pr.mean: a tensor of kind Float or Complex is needed, got int64\nHint: cast it first, for example to float32",
    ),
    (
        lambda: pr.reshape(pr.arange(6), (4, 2)), ValueError,
        "pr.reshape: (6,) has 6 elements, (4, 2) holds 8.",
    ),
    (lambda: pr.squeeze(pr.ones((2, 1)), axis=0), ValueError,
     "pr.squeeze: axis 0 of (2, 1) has size 2, only size 1 can be dropped"),
    (
        lambda: pr.concat([pr.ones((2, 3)), pr.ones((2, 4))]), ValueError,
        "pr.concat: cannot join (2, 3) with (2, 4) along axis 0: axis 1 differs",
    ),
    (lambda: pr.concat([]), ValueError, "pr.concat: expected at least one tensor, got an empty list"),
    (
        lambda: pr.concat(pr.ones(2)), TypeError,  # type: ignore[arg-type]
        "pr.concat: expected a list of tensors, got a tensor\nHint: put the tensors into a list",
    ),
    (lambda: pr.zeros((-1,)), ValueError, "pr.zeros: shape (-1,) has a negative size"),
    (
        lambda: pr.take(pr.arange(3), pr.asarray([3])), IndexError,
        "pr.take: index 3 is out of bounds for axis 0 with size 3",
    ),
    (
        lambda: pr.matmul(pr.ones((2, 3)), pr.ones((2, 3))), ValueError,
        "pr.matmul: (2, 3) and (2, 3) do not multiply: axis -1 of the first has size 3, axis -2 of the second 2",
    ),
    (
        lambda: pr.where(pr.asarray([1, 0]), 1, 2), TypeError,
        "pr.where: the condition must be bool, got int64\nHint: compare with 0, or cast it to bool first",
    ),
    (lambda: pr.full((2,), "a"), TypeError, "pr.full: a fill value is a number, got str"),  # type: ignore[arg-type]
    (lambda: pr.finfo(pr.int8), TypeError, "pr.finfo: int8 is not a Float dtype\nHint: use pr.iinfo for integers"),
    (
        lambda: pr.isdtype(pr.int8, "float"), ValueError,
        "pr.isdtype: 'float' is not a kind of dtype; there are 'bool', 'signed integer', 'unsigned integer', "
        "'integral', 'real floating', 'complex floating', 'numeric'",
    ),
    (lambda: pr.zeros(2, device="gpu"), RuntimeError, "pr.zeros: there is no device 'gpu'; there are cpu, flex"),
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m[2].split(":")[0])
def test_mistakes(mistake: tuple[Callable[[], Any], type[Exception], str]) -> None:
    call, kind, text = mistake
    with pytest.raises(pr.PyriteError) as error:
        call()
    assert isinstance(error.value, kind)
    assert str(error.value) == text


def test_gradients_of_composites() -> None:
    """Values at kinks, and branches that are not taken."""
    grad = pr.grad(lambda a: pr.sum(pr.logaddexp(a, pr.asarray([0.0, 1.0]))))
    np.testing.assert_allclose(grad(pr.asarray([0.0, 1.0])).numpy(), [0.5, 0.5])
    assert pr.grad(lambda a: pr.sum(pr.relu(a)))(pr.asarray([0.0, 1.0])).to_list() == [0.0, 1.0]
    assert pr.grad(lambda a: pr.sum(pr.clip(a, 0, 1)))(pr.asarray([0.0, 0.5, 2.0])).to_list() == [1.0, 1.0, 0.0]
    assert pr.grad(lambda a: pr.sum(pr.repeat(a, pr.asarray([2, 0]))))(pr.asarray([1.0, 1.0])).to_list() == [2.0, 0.0]
    assert pr.grad(lambda a: pr.sum(pr.astype(a, pr.float32) * 3))(pr.asarray([1.0])).to_list() == [3.0]


def test_public_names() -> None:
    assert len(pr.__all__) == len(set(pr.__all__))
    for name in pr.__all__:
        assert hasattr(pr, name)
