"""The examples of the Tensor document, with the values they ought to have, on every device."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite import IndexingUpdateOp, PadMode, Slice, s

nan, inf = math.nan, math.inf
A = [[1.0, -2.0, 3.0], [5.0, 9.0, 6.0]]
B = [[2.0, 3.0, 4.0], [1.0, 2.0, 3.0]]
C = [[1.0, 3.0, 4.0], [1.0, 2.0, 3.0]]
R = [[3.0, 4.9], [2.0, 1.9], [4.0, 5.9]]
X = [[3.0, 4.9, 2.0], [2.0, 1.9, 3.0], [6.0, 1.5, 7.0], [3.0, 4.9, 9.0]]
G = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
S = [[12.0, -2.0, 3.0], [5.0, 3.0, 6.0]]
N = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
M = [[True, False, True], [False, True, False]]
T, U = [[True, True], [False, False]], [[True, False], [True, False]]
Z = [[True, False, True], [False, True, False], [False, True, False]]

Make = Callable[..., pr.Tensor]


@pytest.fixture(params=["cpu", "flex"])
def f(request: pytest.FixtureRequest) -> Make:
    device = pr.Device(request.param)
    return lambda data, kind=None: (pr.Tensor if kind is None else pr.Tensor[kind]).from_data(data, device)


# name, call, value (a list, a shape as a tuple, or several results as a list of lists)
VALUES: list[tuple[str, Callable[[Make], Any], Any]] = [
    ("indexing: rows", lambda f: f(X).clone().slice([range(1, 3)]), X[1:3]),
    ("indexing: rows and columns", lambda f: f(X).slice([range(2), range(2)]), [[3.0, 4.9], [2.0, 1.9]]),
    ("indexing: select", lambda f: f(X).select(1, f([0, 2])), [[3.0, 2.0], [2.0, 3.0], [6.0, 7.0], [3.0, 9.0]]),
    ("zeros_like", lambda f: f(A).zeros_like(), [[0.0] * 3] * 2),
    ("ones_like", lambda f: f(A).ones_like(), [[1.0] * 3] * 2),
    ("full_like", lambda f: f(A).full_like(5.0), [[5.0] * 3] * 2),
    ("transpose", lambda f: f(A).transpose(), [[1.0, 5.0], [-2.0, 9.0], [3.0, 6.0]]),
    ("t", lambda f: f(A).t(), [[1.0, 5.0], [-2.0, 9.0], [3.0, 6.0]]),
    ("swap_dims", lambda f: f(A).swap_dims(0, -1), [[1.0, 5.0], [-2.0, 9.0], [3.0, 6.0]]),
    ("permute", lambda f: f([[1.0, 5.0], [-2.0, 9.0], [3.0, 6.0]]).permute([1, 0]), A),
    (
        "movedim",
        lambda f: f([[[1.0], [5.0]], [[-2.0], [9.0]], [[3.0], [6.0]]]).movedim(1, 0),
        [[[1.0], [-2.0], [3.0]], [[5.0], [9.0], [6.0]]],
    ),
    (
        "flip",
        lambda f: f([[3.0, 4.9, 2.0], [2.0, 1.9, 3.0], [4.0, 5.9, 8.0], [1.4, 5.8, 6.0]]).flip([0, 1]),
        [[6.0, 5.8, 1.4], [8.0, 5.9, 4.0], [3.0, 1.9, 2.0], [2.0, 4.9, 3.0]],
    ),
    ("slice: a range", lambda f: f(list(range(10))).slice(s[2:8]), [2, 3, 4, 5, 6, 7]),
    ("slice: a step", lambda f: f(list(range(10))).slice(s[0:10:2]), [0, 2, 4, 6, 8]),
    ("slice: reversed", lambda f: f(list(range(10))).slice(Slice(step=-1)), list(range(9, -1, -1))),
    ("slice_assign: a step", lambda f: f([0.0] * 10).slice_assign(s[0:10:2], f([1.0] * 5)), [1, 0] * 5),
    (
        "slice_assign: reversed",
        lambda f: f([0.0, 1.0, 2.0, 3.0, 4.0]).slice_assign(Slice(step=-1), f([10.0, 11.0, 12.0, 13.0, 14.0])),
        [14, 13, 12, 11, 10],
    ),
    (
        "slice_assign: a region",
        lambda f: f([[0.0] * 6] * 4).slice_assign([range(1, 3), range(2, 5)], f([[1.0] * 3] * 2)),
        [[0] * 6, [0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 1, 0], [0] * 6],
    ),
    (
        "slice_assign: even rows and columns",
        lambda f: f([[0.0] * 8] * 8).slice_assign(s[::2, ::2], f([[1.0] * 4] * 4)),
        [[1, 0] * 4, [0] * 8] * 4,
    ),
    ("slice_fill: a range", lambda f: f([0.0] * 10).slice_fill(s[2:5], 1.0), [0, 0, 1, 1, 1, 0, 0, 0, 0, 0]),
    (
        "slice_fill: a region",
        lambda f: f([[0.0] * 6] * 4).slice_fill([range(1, 3), range(2, 5)], -1.0),
        [[0] * 6, [0, 0, -1, -1, -1, 0], [0, 0, -1, -1, -1, 0], [0] * 6],
    ),
    ("slice_fill: from the end", lambda f: f([0.0] * 10).slice_fill(s[-3:], 2.0), [0] * 7 + [2] * 3),
    ("slice_fill: a step", lambda f: f([0.0] * 10).slice_fill(s[0:10:2], 1.0), [1, 0] * 5),
    ("select_dim: a row", lambda f: f(G).select_dim(0, 1), [4.0, 5.0, 6.0]),
    ("select_dim: a column", lambda f: f(G).select_dim(1, 1), [2.0, 5.0]),
    ("select", lambda f: f([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]]).select(0, f([0])), [[1.0, -2.0, 3.0]]),
    ("mask_where", lambda f: f(A).mask_where(f(M), f(B)), [[2.0, -2.0, 4.0], [5.0, 2.0, 6.0]]),
    ("mask_fill", lambda f: f(A).mask_fill(f(M), 3.0), [[3.0, -2.0, 3.0], [5.0, 3.0, 6.0]]),
    ("mask_select", lambda f: f(G).mask_select(f(M)), [1.0, 3.0, 5.0]),
    ("repeat_dim", lambda f: f(R).repeat_dim(0, 2), R + R),
    ("repeat", lambda f: f(R).repeat([2, 1]), R + R),
    (
        "equal",
        lambda f: f([[2.0, 4.9], [2.0, 1.9], [4.0, 5.9]]).equal(f(R)),
        [[False, True], [True, True], [True, True]],
    ),
    (
        "not_equal",
        lambda f: f([[2.0, 4.9], [2.0, 1.9], [4.0, 5.9]]).not_equal(f(R)),
        [[True, False], [False, False], [False, False]],
    ),
    ("equal_scalar", lambda f: f(A).equal_scalar(3.0), [[False, False, True], [False] * 3]),
    ("equal_elem", lambda f: f(A).equal_elem(3.0), [[False, False, True], [False] * 3]),
    ("not_equal_scalar", lambda f: f(A).not_equal_scalar(3.0), [[True, True, False], [True] * 3]),
    ("not_equal_elem", lambda f: f(A).not_equal_elem(3.0), [[True, True, False], [True] * 3]),
    (
        "cat",
        lambda f: pr.Tensor.cat(
            [f([[3.0, 4.9, 2.0, 1.0], [2.0, 1.9, 3.0, 1.0]]), f([[4.0, 5.9, 8.0], [1.4, 5.8, 6.0]])], 1
        ),
        [[3.0, 4.9, 2.0, 1.0, 4.0, 5.9, 8.0], [2.0, 1.9, 3.0, 1.0, 1.4, 5.8, 6.0]],
    ),
    ("stack", lambda f: pr.Tensor.stack([f(A), f(B), f(C)], 0), [A, B, C]),
    ("iter_dim", lambda f: list(f(X[:2]).iter_dim(0)), [[X[0]], [X[1]]]),
    ("narrow", lambda f: f(X).narrow(0, 1, 3), X[1:]),
    (
        "chunk",
        lambda f: f(X).chunk(2, 1),
        [[[3.0, 4.9], [2.0, 1.9], [6.0, 1.5], [3.0, 4.9]], [[2.0], [3.0], [7.0], [9.0]]],
    ),
    ("split", lambda f: f([0.0, 1.0, 2.0, 3.0, 4.0]).split(2, 0), [[0.0, 1.0], [2.0, 3.0], [4.0]]),
    (
        "split_with_sizes",
        lambda f: f([0.0, 1.0, 2.0, 3.0, 4.0]).split_with_sizes([2, 3], 0),
        [[0.0, 1.0], [2.0, 3.0, 4.0]],
    ),
    ("any", lambda f: [f(M).any(), f([[False] * 3] * 2).any()], [[True], [False]]),
    ("any_dim", lambda f: f([[True, False, False], [False, True, False]]).any_dim(1), [[True], [True]]),
    ("all", lambda f: f([[True, False, True], [True, True, True]]).all(), [False]),
    ("all_dim", lambda f: f([[True, True, False], [True, True, True]]).all_dim(0), [[True, True, False]]),
    ("into_scalar", lambda f: f([[3.0]]).into_scalar(), 3.0),
    ("expand", lambda f: f([[1.0], [2.0], [3.0]]).expand([3, 4]), [[1.0] * 4, [2.0] * 4, [3.0] * 4]),
    ("unfold", lambda f: f([1.0, 2.0, 3.0, 4.0]).unfold(0, 2, 1), [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]),
    ("int of Bool", lambda f: f([True, False, True]).int(), [1, 0, 1]),
    ("float of Bool", lambda f: f([True, False, True]).float(), [1.0, 0.0, 1.0]),
    ("cast of Bool", lambda f: f([True, False, True]).cast(pr.IntDType.I64), [1, 0, 1]),
    ("bool_not", lambda f: f([[True, False], [False, True]]).bool_not(), [[False, True], [True, False]]),
    ("bool_and", lambda f: f(T).bool_and(f(U)), [[True, False], [False, False]]),
    ("bool_or", lambda f: f(T).bool_or(f(U)), [[True, True], [True, False]]),
    ("bool_xor", lambda f: f(T).bool_xor(f(U)), [[False, True], [True, False]]),
    ("nonzero", lambda f: f(Z).nonzero(), [[0, 0, 1, 2], [0, 2, 1, 1]]),
    ("argwhere", lambda f: f(Z).argwhere(), [[0, 0], [0, 2], [1, 1], [2, 1]]),
    ("einsum", lambda f: pr.Tensor.einsum("ij,j->i", [f([[1.0, 2.0], [3.0, 4.0]]), f([10.0, 20.0])]), [50.0, 110.0]),
    (
        "einsum with operands",
        lambda f: pr.Tensor.einsum("ij,j->i", [pr.EinsumOperand(f(T).int()), f([10, 20])]),
        [30, 0],
    ),
    ("median", lambda f: f([[1.0, 5.0, 3.0, 2.0], [8.0, 4.0, 6.0, 7.0]]).median(0), [[1.0, 4.0, 3.0, 2.0]]),
    ("median along rows", lambda f: f([[1.0, 5.0, 3.0, 2.0], [8.0, 4.0, 6.0, 7.0]]).median(1), [[2.0], [6.0]]),
    (
        "median of all",
        lambda f: f([[1.0, 5.0, 3.0, 2.0], [8.0, 4.0, 6.0, 7.0]]).flatten(0, 1).median(0),
        [4.0],
    ),
    (
        "median_with_indices",
        lambda f: f([[1.0, 5.0, 3.0, 2.0], [8.0, 4.0, 6.0, 7.0]]).median_with_indices(1),
        [[[2.0], [6.0]], [[3], [2]]],
    ),
    ("cast of Float", lambda f: f([1.0, 2.5]).cast(pr.IntDType.I64), [1, 2]),
    ("cast of Float to Float", lambda f: f([1.0, 2.5]).cast(pr.FloatDType.F64), [1.0, 2.5]),
    ("is_close", lambda f: f(A).is_close(f(A), None, None), [[True] * 3] * 2),
    ("all_close", lambda f: f(A).all_close(f(A), None, None), True),
    ("is_nan", lambda f: f([[1.0, nan, 3.0], [5.0, 9.0, 6.0]]).is_nan(), [[False, True, False], [False] * 3]),
    ("contains_nan", lambda f: [f([[1.0, nan]]).contains_nan(), f(A).contains_nan()], [[True], [False]]),
    ("is_inf", lambda f: f([[1.0, inf, 3.0], [nan, 9.0, 6.0]]).is_inf(), [[False, True, False], [False] * 3]),
    (
        "is_finite",
        lambda f: f([[1.0, inf, 3.0], [nan, 9.0, 6.0]]).is_finite(),
        [[True, False, True], [False, True, True]],
    ),
    ("powf", lambda f: f(A).powf(f(B)), [[1.0, -8.0, 81.0], [5.0, 81.0, 216.0]]),
    ("powf_scalar", lambda f: f(A).powf_scalar(2.0), [[1.0, 4.0, 9.0], [25.0, 81.0, 36.0]]),
    ("categorical", lambda f: f([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).categorical(4), [[1] * 4, [2] * 4]),
    ("fmod", lambda f: f([5.3, -5.3, 5.3, -5.3]).fmod(f([2.0, 2.0, -2.0, -2.0])), [1.3, -1.3, 1.3, -1.3]),
    ("fmod_scalar", lambda f: f([5.3, -5.3, 7.5, -7.5]).fmod_scalar(2.0), [1.3, -1.3, 1.5, -1.5]),
    ("float of Int", lambda f: f(list(range(5))).float(), [0.0, 1.0, 2.0, 3.0, 4.0]),
    ("cast of Int", lambda f: f(list(range(5))).cast(pr.FloatDType.F32), [0.0, 1.0, 2.0, 3.0, 4.0]),
    ("add", lambda f: [f(A) + f(B), f(A).add(f(B))], [[[3.0, 1.0, 7.0], [6.0, 11.0, 9.0]]] * 2),
    ("add_scalar", lambda f: [f(A) + 2.0, f(A).add_scalar(2.0)], [[[3.0, 0.0, 5.0], [7.0, 11.0, 8.0]]] * 2),
    ("sub", lambda f: [f(A) - f(B), f(A).sub(f(B))], [[[-1.0, -5.0, -1.0], [4.0, 7.0, 3.0]]] * 2),
    ("sub_scalar", lambda f: [f(A) - 2.0, f(A).sub_scalar(2.0)], [[[-1.0, -4.0, 1.0], [3.0, 7.0, 4.0]]] * 2),
    ("div", lambda f: [f(A) / f(B), f(A).div(f(B))], [[[0.5, -0.6666667, 0.75], [5.0, 4.5, 2.0]]] * 2),
    ("div_scalar", lambda f: [f(A) / 2.0, f(A).div_scalar(2.0)], [[[0.5, -1.0, 1.5], [2.5, 4.5, 3.0]]] * 2),
    (
        "remainder_scalar",
        lambda f: [f(A) % 2.0, f(A).remainder_scalar(2.0), f(A).rem(2.0)],
        [[[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]] * 3,
    ),
    ("mul", lambda f: [f(A) * f(B), f(A).mul(f(B))], [[[2.0, -6.0, 12.0], [5.0, 18.0, 18.0]]] * 2),
    ("mul_scalar", lambda f: [f(A) * 2.0, f(A).mul_scalar(2.0)], [[[2.0, -4.0, 6.0], [10.0, 18.0, 12.0]]] * 2),
    ("neg", lambda f: [-f(A), f(A).neg()], [[[-1.0, 2.0, -3.0], [-5.0, -9.0, -6.0]]] * 2),
    ("sign", lambda f: f(A).sign(), [[1.0, -1.0, 1.0], [1.0, 1.0, 1.0]]),
    ("mean", lambda f: f(A).mean(), [3.6666667]),
    ("sum", lambda f: f(A).sum(), [22.0]),
    ("mean_dim", lambda f: f(A).mean_dim(0), [[3.0, 3.5, 4.5]]),
    ("mean_dim of rows", lambda f: f(A).mean_dim(1), [[0.6666667], [6.6666665]]),
    ("mean_dims", lambda f: f([[2.0, 4.0], [6.0, -4.0]]).mean_dims([0, 1]), [[2.0]]),
    ("sum_dim", lambda f: f(A).sum_dim(0), [[6.0, 7.0, 9.0]]),
    ("sum_dim of rows", lambda f: f(A).sum_dim(1), [[2.0], [20.0]]),
    ("sum_dims", lambda f: f(A).sum_dims([0, 1]), [[22.0]]),
    (
        "sum_dims_squeeze",
        lambda f: f([A, [[9.0, 2.0, 5.0], [5.0, 7.0, 7.0]]]).sum_dims_squeeze([0, 1]),
        [20.0, 16.0, 21.0],
    ),
    ("prod", lambda f: f(A).prod(), [-1620.0]),
    ("prod_dim", lambda f: f(A).prod_dim(0), [[5.0, -18.0, 18.0]]),
    ("prod_dim of rows", lambda f: f(A).prod_dim(1), [[-6.0], [270.0]]),
    ("prod_dims", lambda f: f(A).prod_dims([0, 1]), [[-1620.0]]),
    ("cumsum", lambda f: f(G).cumsum(0), [[1.0, 2.0, 3.0], [5.0, 7.0, 9.0]]),
    ("cumsum of rows", lambda f: f(G).cumsum(1), [[1.0, 3.0, 6.0], [4.0, 9.0, 15.0]]),
    ("cumprod", lambda f: f(G).cumprod(0), [[1.0, 2.0, 3.0], [4.0, 10.0, 18.0]]),
    ("cumprod of rows", lambda f: f(G).cumprod(1), [[1.0, 2.0, 6.0], [4.0, 20.0, 120.0]]),
    ("abs", lambda f: f([[1, -2, 3], [4, -5, 6], [7, -8, 9]]).abs(), N),
    ("triu", lambda f: f(N).triu(1), [[0, 2, 3], [0, 0, 6], [0, 0, 0]]),
    ("tril", lambda f: f(N).tril(-1), [[0, 0, 0], [4, 0, 0], [7, 8, 0]]),
    (
        "powi",
        lambda f: f([[1, -2, 3], [5, 9, 6]]).powi(f([[2, 3, 4], [1, 2, 3]])),
        [[1, -8, 81], [5, 81, 216]],
    ),
    ("powi_scalar", lambda f: f([[1, -2, 3], [5, 9, 6]]).powi_scalar(2), [[1, 4, 9], [25, 81, 36]]),
    (
        "powi_scalar of Float",
        lambda f: f([[1.5, -2.0, 3.0], [5.0, 9.0, 6.0]]).powi_scalar(2),
        [[2.25, 4.0, 9.0], [25.0, 81.0, 36.0]],
    ),
    ("bool", lambda f: f([[1.0, -2.0, 3.0], [0.0, 9.0, 6.0]]).bool(), [[True, True, True], [False, True, True]]),
    ("matmul", lambda f: f([[1.0, 2.0], [3.0, 4.0]]).matmul(f([[5.0], [6.0]])), [[17.0], [39.0]]),
    ("dot", lambda f: f([1.0, 2.0]).dot(f([-2.0, 3.0])), [4.0]),
    ("sort", lambda f: f(S).sort(0), [[5.0, -2.0, 3.0], [12.0, 3.0, 6.0]]),
    ("sort of rows", lambda f: f(S).sort(1), [[-2.0, 3.0, 12.0], [3.0, 5.0, 6.0]]),
    ("sort_descending", lambda f: f(S).sort_descending(0), [[12.0, 3.0, 6.0], [5.0, -2.0, 3.0]]),
    ("sort_descending of rows", lambda f: f(S).sort_descending(1), [[12.0, 3.0, -2.0], [6.0, 5.0, 3.0]]),
    (
        "sort_with_indices",
        lambda f: f(S).sort_with_indices(0),
        [[[5.0, -2.0, 3.0], [12.0, 3.0, 6.0]], [[1, 0, 0], [0, 1, 1]]],
    ),
    (
        "sort_descending_with_indices",
        lambda f: f(S).sort_descending_with_indices(0),
        [[[12.0, 3.0, 6.0], [5.0, -2.0, 3.0]], [[0, 1, 1], [1, 0, 0]]],
    ),
    ("argsort", lambda f: f(S).argsort(0), [[1, 0, 0], [0, 1, 1]]),
    ("argsort_descending", lambda f: f(S).argsort_descending(0), [[0, 1, 1], [1, 0, 0]]),
    ("argsort_descending of rows", lambda f: f(S).argsort_descending(1), [[0, 2, 1], [2, 0, 1]]),
    ("topk", lambda f: f(S).topk(2, 0), [[12.0, 3.0, 6.0], [5.0, -2.0, 3.0]]),
    ("topk of rows", lambda f: f(S).topk(1, 1), [[12.0], [6.0]]),
    (
        "topk_with_indices",
        lambda f: f(S).topk_with_indices(2, 0),
        [[[12.0, 3.0, 6.0], [5.0, -2.0, 3.0]], [[0, 1, 1], [1, 0, 0]]],
    ),
    ("topk_with_indices of rows", lambda f: f(S).topk_with_indices(1, 1), [[[12.0], [6.0]], [[0], [2]]]),
    ("one_hot", lambda f: f([0.0, 1.0, 2.0, 3.0]).one_hot(4), np.eye(4).tolist()),
    (
        "one_hot_fill",
        lambda f: f([[0.0, 2.0], [1.0, -1.0]]).one_hot_fill(3, 5.0, 0.0, -1),
        [[[5.0, 0.0, 0.0], [0.0, 0.0, 5.0]], [[0.0, 5.0, 0.0], [0.0, 0.0, 5.0]]],
    ),
    ("greater", lambda f: f(A).greater(f(C)), [[False] * 3, [True] * 3]),
    ("greater_equal", lambda f: f(A).greater_equal(f(C)), [[True, False, False], [True] * 3]),
    ("lower", lambda f: f(A).lower(f(C)), [[False, True, True], [False] * 3]),
    ("lower_equal", lambda f: f(A).lower_equal(f(C)), [[True] * 3, [False] * 3]),
    ("greater_scalar", lambda f: f(A).greater_scalar(3.0), [[False] * 3, [True] * 3]),
    ("greater_elem", lambda f: f(A).greater_elem(3.0), [[False] * 3, [True] * 3]),
    ("greater_equal_scalar", lambda f: f(A).greater_equal_scalar(3.0), [[False, False, True], [True] * 3]),
    ("greater_equal_elem", lambda f: f(A).greater_equal_elem(3.0), [[False, False, True], [True] * 3]),
    ("lower_scalar", lambda f: f(A).lower_scalar(3.0), [[True, True, False], [False] * 3]),
    ("lower_elem", lambda f: f(A).lower_elem(3.0), [[True, True, False], [False] * 3]),
    ("lower_equal_scalar", lambda f: f(A).lower_equal_scalar(3.0), [[True] * 3, [False] * 3]),
    ("lower_equal_elem", lambda f: f(A).lower_equal_elem(3.0), [[True] * 3, [False] * 3]),
    ("argmax", lambda f: f([3.0, nan, nan]).argmax(0).into_scalar(), 1),
    ("max", lambda f: f(A).max(), [9.0]),
    ("max_dim_with_indices", lambda f: f(A).max_dim_with_indices(0), [[[5.0, 9.0, 6.0]], [[1, 1, 1]]]),
    ("max_abs", lambda f: f([[1.0, -7.0, 3.0], [5.0, -1.0, 6.0]]).max_abs(), [7.0]),
    ("max_pair", lambda f: f(A).max_pair(f(B)), [[2.0, 3.0, 4.0], [5.0, 9.0, 6.0]]),
    ("max_abs_dim", lambda f: f(A).max_abs_dim(0), [[5.0, 9.0, 6.0]]),
    ("max_abs_dims", lambda f: f(A).max_abs_dims([0, 1]), [[9.0]]),
    ("max_abs_dims of none", lambda f: f(A).max_abs_dims([]), [[1.0, 2.0, 3.0], [5.0, 9.0, 6.0]]),
    ("min", lambda f: f(A).min(), [-2.0]),
    ("min_dim", lambda f: f(A).min_dim(0), [[1.0, -2.0, 3.0]]),
    ("min_dims", lambda f: f(A).min_dims([0, 1]), [[-2.0]]),
    (
        "min_dim_with_indices",
        lambda f: f([[7.0, -2.0, 3.0], [5.0, 9.0, 6.0]]).min_dim_with_indices(0),
        [[[5.0, -2.0, 3.0]], [[1, 0, 0]]],
    ),
    ("min_pair", lambda f: f(A).min_pair(f(B)), [[1.0, -2.0, 3.0], [1.0, 2.0, 3.0]]),
    ("clamp", lambda f: f(N).clamp(2, 6), [[2, 2, 3], [4, 5, 6], [6, 6, 6]]),
    ("clamp_min", lambda f: f(N).clamp_min(4), [[4, 4, 4], [4, 5, 6], [7, 8, 9]]),
    ("clamp_max", lambda f: f(N).clamp_max(5), [[1, 2, 3], [4, 5, 5], [5, 5, 5]]),
    ("cummin", lambda f: f([[3.0, 5.0, 2.0], [4.0, 1.0, 6.0]]).cummin(0), [[3.0, 5.0, 2.0], [3.0, 1.0, 2.0]]),
    ("cummin of rows", lambda f: f([[3.0, 5.0, 2.0], [4.0, 1.0, 6.0]]).cummin(1), [[3.0, 3.0, 2.0], [4.0, 1.0, 1.0]]),
    ("cummax", lambda f: f([[3.0, 1.0, 2.0], [4.0, 5.0, 2.0]]).cummax(0), [[3.0, 1.0, 2.0], [4.0, 5.0, 2.0]]),
    ("cummax of rows", lambda f: f([[3.0, 1.0, 2.0], [4.0, 5.0, 2.0]]).cummax(1), [[3.0, 3.0, 3.0], [4.0, 5.0, 5.0]]),
    ("max_dim", lambda f: f(A).max_dim(0), [[5.0, 9.0, 6.0]]),
    ("max_dims", lambda f: f(A).max_dims([0, 1]), [[9.0]]),
    (
        "pad by four ints",
        lambda f: f(S).pad((1, 1, 1, 1), PadMode.Constant(0.0)),
        [[0.0] * 5, [0.0, 12.0, -2.0, 3.0, 0.0], [0.0, 5.0, 3.0, 6.0, 0.0], [0.0] * 5],
    ),
    (
        "pad by pairs",
        lambda f: f(S).pad([(1, 1), (2, 2)], PadMode.Constant(0.0)),
        np.pad(S, ((1, 1), (2, 2))).tolist(),
    ),
    (
        "pad by reflection",
        lambda f: f(S).pad([(1, 1)], PadMode.Reflect),
        [[-2.0, 12.0, -2.0, 3.0, -2.0], [3.0, 5.0, 3.0, 6.0, 3.0]],
    ),
    ("take", lambda f: f(G).take(-1, f([2, 0, 1])), [[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]]),
    (
        "take by a matrix",
        lambda f: f(G).take(1, f([[0, 2], [1, 0]])),
        [[[1.0, 3.0], [2.0, 1.0]], [[4.0, 6.0], [5.0, 4.0]]],
    ),
    ("trunc", lambda f: f([2.3, -1.7, 0.5, -0.5, 3.9]).trunc(), [2.0, -1.0, 0.0, -0.0, 3.0]),
    ("gather", lambda f: f(G).gather(1, f([[2, 0], [1, 1]])), [[3.0, 1.0], [5.0, 5.0]]),
    (
        "select_assign",
        lambda f: f(G).select_assign(1, f([0, 2]), f([[10.0, 20.0], [30.0, 40.0]]), IndexingUpdateOp.Add),
        [[11.0, 2.0, 23.0], [34.0, 5.0, 46.0]],
    ),
    (
        "scatter",
        lambda f: f(G).scatter(0, f([[0, 1, 0]]), f([[10.0, 20.0, 30.0]]), IndexingUpdateOp.Assign),
        [[10.0, 2.0, 30.0], [4.0, 20.0, 6.0]],
    ),
    ("gather_nd", lambda f: f(G).gather_nd(f([[1, 2], [0, 0]])), [6.0, 1.0]),
    (
        "scatter_nd",
        lambda f: f(G).scatter_nd(f([[1], [0]]), f([[7.0] * 3, [8.0] * 3]), IndexingUpdateOp.Mul),
        [[8.0, 16.0, 24.0], [28.0, 35.0, 42.0]],
    ),
    ("roll_dim", lambda f: f(G).roll_dim(1, 1), [[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]]),
    ("roll", lambda f: f(G).roll([1, -1], [0, 1]), [[5.0, 6.0, 4.0], [2.0, 3.0, 1.0]]),
    ("square", lambda f: f([3, -2]).square(), [9, 4]),
    ("bitwise", lambda f: [f([12]) & f([10]), f([12]) | f([10]), f([12]) ^ f([10]), ~f([12])], [[8], [14], [6], [-13]]),
]

SHAPES: list[tuple[str, Callable[[Make], pr.Tensor], tuple[int, ...]]] = [
    ("empty_like", lambda f: f(np.zeros((2, 3, 4))).empty_like(), (2, 3, 4)),
    ("reshape", lambda f: f(np.ones((2, 3, 4))).reshape([2, -1]), (2, 12)),
    ("flatten", lambda f: f(np.ones((2, 3, 4))).flatten(1, 2), (2, 12)),
    ("squeeze", lambda f: f(np.ones((1, 3, 1, 3))).squeeze(), (3, 3)),
    ("squeeze_dim", lambda f: f(np.ones((3, 1, 3))).squeeze_dim(1), (3, 3)),
    ("squeeze_dims", lambda f: f(np.ones((2, 1, 4, 1))).squeeze_dims([1, 3]), (2, 4)),
    ("unsqueeze", lambda f: f(np.ones((3, 3))).unsqueeze(4), (1, 1, 3, 3)),
    ("unsqueeze_dim", lambda f: f(np.ones((3, 3))).unsqueeze_dim(1), (3, 1, 3)),
    ("unsqueeze_dims", lambda f: f(np.ones((3, 4, 5))).unsqueeze_dims([0, -1, -1]), (1, 3, 4, 5, 1, 1)),
    ("slice: ranges", lambda f: f(np.ones((4, 6))).slice([range(1, 3), range(2, 5)]), (2, 3)),
    ("slice: a step, reversed", lambda f: f(np.ones((4, 6))).slice([s[0:4:2][0], Slice(step=-1)]), (2, 6)),
    ("slice: mixed", lambda f: f(np.ones((4, 6, 8))).slice(s[1:3, ::2, -3:]), (2, 3, 3)),
    ("slice: from the end", lambda f: f(np.ones((4, 6))).slice(s[-2:, :-1]), (2, 5)),
    ("slice_dim: a range", lambda f: f(np.zeros((3, 4, 5))).slice_dim(1, s[1:3]), (3, 2, 5)),
    ("slice_dim: a step", lambda f: f(np.zeros((3, 4, 5))).slice_dim(2, s[0:5:2]), (3, 4, 3)),
    ("slice_dim: reversed", lambda f: f(np.zeros((3, 4, 5))).slice_dim(1, Slice(step=-1)), (3, 4, 5)),
    ("slice_dim: a start and a step", lambda f: f(np.zeros((3, 4, 5))).slice_dim(0, s[2::3]), (1, 4, 5)),
    ("slice_dim: an index", lambda f: f(np.zeros((3, 4, 5))).slice_dim(0, 1), (1, 4, 5)),
    ("argmax", lambda f: f(np.ones((2, 3, 3))).argmax(1), (2, 1, 3)),
    ("argmin", lambda f: f(np.ones((2, 3, 3))).argmin(1), (2, 1, 3)),
    ("argtopk", lambda f: f(np.ones((2, 3, 3))).argtopk(1, 2), (2, 3, 1)),
    ("cov", lambda f: f(np.ones((2, 3))).cov(1, 1), (2, 2)),
    ("matmul", lambda f: f(np.ones((5, 1, 4))).matmul(f(np.ones((1, 4, 2)))), (5, 1, 2)),
]


def listed(result: Any) -> Any:
    if isinstance(result, pr.Tensor):
        return result.to_list()
    return [listed(r) for r in result] if isinstance(result, (list, tuple)) else result


def close(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(close, got, wanted))
    return isinstance(got, bool) == isinstance(wanted, bool) and math.isclose(got, wanted, rel_tol=1e-5)


@pytest.mark.parametrize(("call", "wanted"), [v[1:] for v in VALUES], ids=[v[0] for v in VALUES])
def test_values(f: Make, call: Callable[[Make], Any], wanted: Any) -> None:
    got = listed(call(f))
    assert close(got, wanted), f"{got} instead of {wanted}"


@pytest.mark.parametrize(("call", "shape"), [v[1:] for v in SHAPES], ids=[v[0] for v in SHAPES])
def test_shapes(f: Make, call: Callable[[Make], pr.Tensor], shape: tuple[int, ...]) -> None:
    assert call(f).shape == shape


@pytest.mark.parametrize("name", ["cpu", "flex"])
def test_creation(name: str) -> None:
    device = pr.Device(name)
    assert pr.Tensor.empty([2, 3, 4], device).dims == (2, 3, 4)
    assert pr.Tensor.zeros(pr.Shape([2, 3]), device).to_list() == [[0.0] * 3] * 2
    assert pr.Tensor.ones(pr.Shape([2, 3]), device).to_list() == [[1.0] * 3] * 2
    assert pr.Tensor.full(pr.Shape([2, 3]), 5.0, device).to_list() == [[5.0] * 3] * 2
    assert pr.Tensor.ones([2, 3, 4], device).shape == (2, 3, 4)
    assert pr.Tensor[pr.Int].arange(range(5), device).to_list() == [0, 1, 2, 3, 4]
    assert pr.Tensor[pr.Int].arange_step(range(5), 2, device).to_list() == [0, 2, 4]
    assert pr.Tensor.from_ints([[1, 2], [3, 4]], device).to_list() == [[1, 2], [3, 4]]
    assert pr.Tensor.from_floats([[1.0, 2.0], [3.0, 4.0]], device).to_list() == [[1.0, 2.0], [3.0, 4.0]]
    assert pr.Tensor[pr.Bool].from_bool([[True, False], [False, True]], device).kind is pr.Bool
    assert pr.Tensor.cartesian_grid([2, 3], device).to_list() == [
        [[0, 0], [0, 1], [0, 2]],
        [[1, 0], [1, 1], [1, 2]],
    ]
    assert pr.Tensor.eye(2, device).to_list() == [[1.0, 0.0], [0.0, 1.0]]
    lower, upper = [[False] * 3, [True, False, False], [True, True, False]], [[False, True, True], [False, False, True]]
    assert pr.Tensor[pr.Bool].triu_mask([3, 3], 0, device).to_list() == lower
    assert pr.Tensor[pr.Bool].tril_mask([3, 3], 0, device).to_list() == [*upper, [False] * 3]
    mask = pr.Tensor[pr.Bool].diag_mask([3, 3], 0, device)
    assert mask.to_list() == [[False, True, True], [True, False, True], [True, True, False]]
    drawn = pr.Tensor.random(pr.Shape([2, 3]), pr.Distribution.Uniform(0.0, 1.0), device)
    drawn.to_data().assert_within_range(0.0, 1.0)
    assert drawn.random_like(pr.Distribution.Default).shape == (2, 3)


FUNCTIONS: list[tuple[str, list[float], Callable[[Any], Any]]] = [
    ("cosh", [0.0, -1.0, 2.0], np.cosh),
    ("sinh", [0.0, -1.0, 2.0], np.sinh),
    ("tanh", [0.0, -1.0, 2.0], np.tanh),
    ("acos", [0.0, -1.0, 1.0], np.arccos),
    ("acosh", [1.0, 2.0, 3.0], np.arccosh),
    ("asin", [0.0, -1.0, 1.0], np.arcsin),
    ("asinh", [0.0, -1.0, 1.0], np.arcsinh),
    ("atan", [0.0, -1.0, 2.0], np.arctan),
    ("atanh", [0.0, -0.5, 0.5], np.arctanh),
    ("exp", [0.0, -1.0, 2.0], np.exp),
    ("log", [1.0, 0.5, 2.0], np.log),
    ("log1p", [1.0, 0.5, 2.0], np.log1p),
    ("sqrt", [1.0, 0.5, 2.0], np.sqrt),
    ("sin", [0.0, -1.0, 2.0], np.sin),
    ("cos", [0.0, -1.0, 2.0], np.cos),
    ("tan", [0.0, -1.0, 2.0], np.tan),
    ("erf", [0.0, -1.0, 2.0], np.vectorize(math.erf)),
    ("recip", [1.0, -4.0, 2.0], np.reciprocal),
    ("deg2rad", [0.0, 90.0, -180.0], np.deg2rad),
    ("rad2deg", [0.0, 1.0, -2.0], np.rad2deg),
    ("round", [0.5, 1.5, -2.5], np.rint),
    ("floor", [0.5, 1.5, -2.5], np.floor),
    ("ceil", [0.5, 1.5, -2.5], np.ceil),
]


@pytest.mark.parametrize(("name", "data", "wanted"), FUNCTIONS, ids=[x[0] for x in FUNCTIONS])
def test_functions(f: Make, name: str, data: list[float], wanted: Callable[[Any], Any]) -> None:
    got = getattr(f(data), name)()
    np.testing.assert_allclose(got.numpy(), wanted(np.array(data)), rtol=3e-7)


def test_functions_of_two(f: Make) -> None:
    y, x = [-2.0, 2.0, -2.0], [1.0, -1.0, -1.0]
    np.testing.assert_allclose(f(y).atan2(f(x)).numpy(), np.arctan2(y, x), rtol=3e-7)
    np.testing.assert_allclose(f(y).hypot(f(x)).numpy(), np.hypot(y, x), rtol=3e-7)
    assert f([1.0, 0.0, 0.0]).cross(f([0.0, 1.0, 0.0])).to_list() == [0.0, 0.0, 1.0]


def test_nan_of_a_maximum(f: Make) -> None:
    assert math.isnan(f([1.0, nan, 3.0]).max().into_scalar())


def test_statistics(f: Make) -> None:
    t, x = f(A), np.array(A)
    np.testing.assert_allclose(t.var(1).numpy(), x.var(1, ddof=1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(t.var_bias(1).numpy(), x.var(1, keepdims=True), rtol=1e-6)
    for got, ddof in ((t.var_mean(0), 1), (t.var_mean_bias(0), 0)):
        np.testing.assert_allclose(got[0].numpy(), x.var(0, ddof=ddof, keepdims=True), rtol=1e-6)
        np.testing.assert_allclose(got[1].numpy(), x.mean(0, keepdims=True), rtol=1e-6)
