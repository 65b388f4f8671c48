"""`pr.linalg`: against NumPy and SciPy; batches, empty, singular, half precision, gradients, errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from expect import fails

import pyrite as pr

L = pr.linalg
Norm = L.Norm
Array = np.ndarray[Any, Any]
BATCHES: list[tuple[int, ...]] = [(), (3,), (2, 1), (0,)]
SHAPES = [(1, 1), (3, 3), (5, 5), (4, 2), (2, 4), (1, 3), (3, 1), (0, 0), (0, 3), (3, 0)]
HALVES = [pr.float16, pr.bfloat16]


def noise(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def spd(*shape: int, seed: int = 0) -> Array:
    """Symmetric positive definite matrices."""
    x = noise(*shape, seed=seed)
    return np.asarray(x @ np.swapaxes(x, -1, -2) + 2 * np.eye(shape[-1]))


def close(got: pr.Tensor, want: Any, tol: float = 1e-10) -> None:
    want = np.asarray(want)
    assert got.shape == want.shape
    np.testing.assert_allclose(got.numpy().astype(np.float64), want, rtol=tol, atol=tol)


def fails_when_read(text: str, call: Callable[[], pr.Tensor]) -> None:
    """The values decide: a `ValueError` at the read, that names the line of the call; at the call where it runs."""
    with pytest.raises(pr.ArgumentError) as caught:
        call().numpy()
    assert isinstance(caught.value, ValueError)
    assert text in str(caught.value)
    if isinstance(caught.value, pr.ExecutionError):
        assert "test_linalg.py" in str(caught.value)


# --- square matrices ---------------------------------------------------------------------


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
def test_square(n: int, batch: tuple[int, ...], device: pr.Device) -> None:
    x = noise(*batch, n, n)
    t = pr.asarray(x, device=device)
    close(L.det(t), np.linalg.det(x) if n else np.ones(batch))
    sign, log = L.slogdet(t)
    want = np.linalg.slogdet(x)
    close(sign, want.sign)
    close(log, want.logabsdet)
    close(L.inv(t), np.linalg.inv(x))
    b = noise(*batch, n, 2, seed=1)
    close(L.solve(t, pr.asarray(b, device=device)), np.linalg.solve(x, b))
    for power in (0, 1, 2, 3, 7, -1, -2):
        close(L.matrix_power(t, power), np.linalg.matrix_power(x, power), 1e-6)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_symmetric(n: int, batch: tuple[int, ...], device: pr.Device) -> None:
    x = spd(*batch, n, n)
    t = pr.asarray(x, device=device)
    low = np.linalg.cholesky(x)
    close(L.cholesky(t), low)
    close(L.cholesky(t, upper=True), np.swapaxes(low, -1, -2))
    close(L.cholesky(t, True), np.swapaxes(low, -1, -2))
    values, vectors = L.eigh(t)
    close(values, np.linalg.eigvalsh(x))
    close(L.eigvalsh(t), np.linalg.eigvalsh(x))
    close(vectors @ (values[..., None] * vectors.mT), x)
    close(vectors.mT @ vectors, np.broadcast_to(np.eye(n), x.shape))


@pytest.mark.parametrize("dtype", [pr.float64, pr.float32, pr.float16], ids=str)
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_eig(n: int, batch: tuple[int, ...], dtype: Any, device: pr.Device) -> None:
    t = pr.asarray(noise(*batch, n, n), dtype=dtype, device=device)
    x = t.numpy().astype(np.float64)
    values, vectors = L.eig(t)
    wide = pr.complex128 if dtype is pr.float64 else pr.complex64
    assert (values.dtype, vectors.dtype) == (wide, wide)
    assert (values.shape, vectors.shape) == ((*batch, n), (*batch, n, n))
    v = vectors.numpy()
    tol = 1e-10 if dtype is pr.float64 else 1e-4
    np.testing.assert_allclose(x @ v, v * values.numpy()[..., None, :], rtol=tol, atol=tol)
    np.testing.assert_array_equal(L.eigvals(t).numpy(), values.numpy())


def test_eig_has_no_gradient() -> None:
    with pytest.raises(pr.GradientError, match="eig_values has no gradient"):
        pr.grad(lambda t: pr.sum(pr.real(L.eigvals(t))))(pr.asarray([[1.0, 2.0], [3.0, 4.0]]))


def test_only_one_triangle_is_read(device: pr.Device) -> None:
    x = spd(4, 4)
    lower = pr.asarray(np.tril(x) + np.triu(np.full((4, 4), np.nan), 1), device=device)
    upper = pr.asarray(np.triu(x) + np.tril(np.full((4, 4), np.nan), -1), device=device)
    close(L.cholesky(lower), np.linalg.cholesky(x))
    close(L.cholesky(upper, upper=True), np.linalg.cholesky(x).T)
    close(L.eigvalsh(lower), np.linalg.eigvalsh(x))
    close(L.eigh(lower).eigenvalues, np.linalg.eigvalsh(x))


def test_solve_forms(device: pr.Device) -> None:
    a, v = noise(3, 3), noise(3, seed=1)
    t = pr.asarray(a, device=device)
    close(L.solve(t, pr.asarray(v, device=device)), np.linalg.solve(a, v))
    stacks = noise(2, 1, 3, 3)
    b = noise(4, 3, 2, seed=2)
    close(L.solve(pr.asarray(stacks, device=device), pr.asarray(b, device=device)), np.linalg.solve(stacks, b))
    many = L.solve(pr.asarray(stacks, device=device), pr.asarray(v, device=device))
    close(many, np.linalg.solve(stacks, v[:, None])[..., 0])
    close(L.solve(t, pr.asarray(b, device=device)), np.linalg.solve(a, b))
    assert L.solve(pr.asarray(a, dtype=pr.float32, device=device), pr.asarray(b, device=device)).dtype == pr.float64
    assert L.solve(t, pr.zeros((3, 0), dtype=pr.float64, device=device)).numpy().shape == (3, 0)


def test_singular(device: pr.Device) -> None:
    t = pr.asarray([[1.0, 2.0], [2.0, 4.0]], device=device)
    assert L.det(t).item() == 0.0
    assert [v.item() for v in L.slogdet(t)] == [0.0, -math.inf]
    assert L.matrix_rank(t).item() == 1
    for form in (t, pr.stack([pr.eye(2, device=device), t])):
        fails_when_read(
            "a matrix of shape (2, 2) is singular, so it has no inverse",
            lambda form=form: L.inv(form),  # type: ignore[misc]
        )
        fails_when_read(
            "a matrix of shape (2, 2) is singular, so there is no solution",
            lambda form=form: L.solve(form, pr.ones((2, 1), device=device)),  # type: ignore[misc]
        )
    fails_when_read("a matrix of shape (2, 2) is singular, so it has no inverse", lambda: L.matrix_power(t, -2))
    indefinite = pr.asarray([[1.0, 2.0], [2.0, 1.0]], device=device)
    fails_when_read("a matrix of shape (2, 2) is not positive definite", lambda: L.cholesky(indefinite))
    assert (t + 1).to_list() == [[2.0, 3.0], [3.0, 5.0]]  # the device goes on


def test_determinants_do_not_overflow(device: pr.Device) -> None:
    x = np.eye(300) * 1e3
    x[[0, 1]] = x[[1, 0]]
    sign, log = L.slogdet(pr.asarray(x, device=device))
    assert sign.item() == -1.0
    assert math.isclose(log.item(), 300 * math.log(1e3))
    assert L.det(pr.asarray(x, device=device)).item() == -math.inf


# --- any shape ---------------------------------------------------------------------------


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("shape", SHAPES)
def test_lu(shape: tuple[int, int], batch: tuple[int, ...], device: pr.Device) -> None:
    x = noise(*batch, *shape)
    r, c = shape
    k = min(shape)
    p, low, up = L.lu(pr.asarray(x, device=device))
    assert (p.shape, low.shape, up.shape) == ((*batch, r, r), (*batch, r, k), (*batch, k, c))
    close(p @ low @ up, x)
    close(p @ p.mT, np.broadcast_to(np.eye(r), (*batch, r, r)))
    assert np.isin(p.numpy(), (0, 1)).all()
    found = low.numpy()
    assert (np.triu(found, 1) == 0).all()
    assert (np.abs(found) <= 1).all()
    assert (found[..., range(k), range(k)] == 1).all()
    assert (np.tril(up.numpy(), -1) == 0).all()


def test_lu_of_scipy_and_of_singular_matrices(device: pr.Device) -> None:
    x = noise(5, 4)
    for got, want in zip(L.lu(pr.asarray(x, device=device)), scipy.linalg.lu(x)):
        close(got, want)
    for singular in (np.zeros((3, 3)), np.ones((3, 3)), np.array([[0.0, 1.0], [0.0, 2.0]])):
        p, low, up = L.lu(pr.asarray(singular, device=device))
        close(p @ low @ up, singular)


def test_documented_examples(device: pr.Device) -> None:
    p, low, up = L.lu(pr.asarray([[4.0, 3.0], [6.0, 3.0]], device=device))
    assert p.to_list() == [[0.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(low.numpy(), [[1, 0], [2 / 3, 1]], rtol=1e-6)
    np.testing.assert_allclose(up.numpy(), [[6, 3], [0, 1]], rtol=1e-6)
    q, r = L.qr(pr.asarray([[3.0, 2.0], [4.0, 6.0]], device=device))
    np.testing.assert_allclose(np.abs(r.numpy()), [[5, 6], [0, 2]], atol=1e-5)
    np.testing.assert_allclose((q @ r).numpy(), [[3, 2], [4, 6]], rtol=1e-6)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("shape", SHAPES)
def test_qr(shape: tuple[int, int], batch: tuple[int, ...], device: pr.Device) -> None:
    x = noise(*batch, *shape)
    t = pr.asarray(x, device=device)
    r, c = shape
    for reduced, k in ((True, min(shape)), (False, r)):
        q, up = L.qr(t, reduced)
        assert (q.shape, up.shape) == ((*batch, r, k), (*batch, k, c))
        close(q @ up, x)
        close(q.mT @ q, np.broadcast_to(np.eye(k), (*batch, k, k)))
        assert (np.tril(up.numpy(), -1) == 0).all()
        mode: Any = "reduced" if reduced else "complete"
        np.testing.assert_array_equal(L.qr(t, mode=mode).R.numpy(), up.numpy())
        np.testing.assert_array_equal(L.qr(t, reduced=reduced).Q.numpy(), q.numpy())
    assert L.qr(t).Q.shape == (*batch, r, min(shape))


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("shape", SHAPES)
def test_svd(shape: tuple[int, int], batch: tuple[int, ...], device: pr.Device) -> None:
    x = noise(*batch, *shape)
    t = pr.asarray(x, device=device)
    r, c = shape
    k = min(shape)
    u, s, vh = L.svd(t, full_matrices=False)
    assert (u.shape, s.shape, vh.shape) == ((*batch, r, k), (*batch, k), (*batch, k, c))
    close(u @ (s[..., None] * vh), x)
    assert (np.diff(s.numpy(), axis=-1) <= 0).all()
    close(L.svdvals(t), np.linalg.svd(x, compute_uv=False) if x.size else np.zeros((*batch, k)))
    full = L.svd(t)
    assert (full.U.shape, full.S.shape, full.Vh.shape) == ((*batch, r, r), (*batch, k), (*batch, c, c))
    close(full.U.mT @ full.U, np.broadcast_to(np.eye(r), (*batch, r, r)))
    close(full.Vh @ full.Vh.mT, np.broadcast_to(np.eye(c), (*batch, c, c)))
    close(full.U[..., :, :k] @ (full.S[..., None] * full.Vh[..., :k, :]), x)
    close(L.pinv(t), np.linalg.pinv(x) if x.size else np.zeros((*batch, c, r)))
    close(L.matrix_rank(t), np.full(batch, k))


def test_rank_and_pinv_of_deficient_matrices(device: pr.Device) -> None:
    x = noise(5, 2) @ noise(2, 4, seed=1)
    t = pr.asarray(x, device=device)
    assert (L.matrix_rank(t).item(), L.matrix_rank(t).dtype) == (2, pr.int64)
    close(L.pinv(t), np.linalg.pinv(x))
    assert L.matrix_rank(pr.zeros((3, 3), device=device)).item() == 0
    assert L.pinv(pr.zeros((2, 3), device=device)).to_list() == [[0.0, 0.0]] * 3
    d = pr.asarray(np.stack([np.diag([1.0, 1e-3]), np.diag([1.0, 0.5])]), device=device)
    assert L.matrix_rank(d).to_list() == [2, 2]
    assert L.matrix_rank(d, rtol=1e-2).to_list() == [1, 2]
    rtol = pr.asarray([1e-6, 0.9], dtype=pr.float64, device=device)
    assert L.matrix_rank(d, rtol=rtol).to_list() == [2, 1]
    close(L.pinv(d, rtol=rtol)[1], np.diag([1.0, 0.0]))
    close(L.pinv(d, rtol=1e-2)[0], np.diag([1.0, 0.0]))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf])
def test_matrix_norm(ord: Any, keepdims: bool, device: pr.Device) -> None:
    for shape in [(3, 3), (2, 4, 3), (2, 1, 1, 5)]:
        x = noise(*shape)
        want = np.linalg.norm(x, ord, axis=(-2, -1), keepdims=keepdims)
        close(L.matrix_norm(pr.asarray(x, device=device), ord=ord, keepdims=keepdims), want)
    if ord in ("fro", "nuc"):
        assert L.matrix_norm(pr.zeros((2, 0, 3), device=device), ord=ord).to_list() == [0.0, 0.0]


# --- diagonals and products --------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, 1, -1, 2, 9])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 4), (4, 2), (0, 3)])
def test_trace_and_diagonals(shape: tuple[int, ...], offset: int, device: pr.Device) -> None:
    x = np.arange(float(np.prod(shape))).reshape(shape)
    t = pr.asarray(x, device=device)
    close(L.trace(t, offset=offset), np.trace(x, offset, -2, -1))
    close(L.diagonal(t, offset=offset), np.diagonal(x, offset, -2, -1))
    if offset == 0:
        close(L.trace(t), np.trace(x, 0, -2, -1))
        close(L.diag(t), np.diagonal(x, 0, -2, -1))


def test_traces_of_ints(device: pr.Device) -> None:
    t = pr.asarray([[100, 1], [1, 100]], dtype=pr.int8, device=device)
    assert (L.trace(t).item(), L.trace(t).dtype) == (200, pr.int64)
    assert L.trace(t.cast(pr.uint8)).dtype == pr.uint64
    assert L.trace(t, dtype=pr.int8).item() == -56
    assert L.trace(t, dtype=pr.float64).item() == 200.0
    assert L.trace(pr.ones((2, 3, 3), dtype=pr.float16, device=device)).to_list() == [3.0, 3.0]


def test_diag_of_any_kind(device: pr.Device) -> None:
    assert L.diag(pr.asarray([[True, False], [False, False]], device=device)).to_list() == [True, False]
    assert L.diag(pr.asarray([[1j, 0], [0, 2]], device=device)).to_list() == [1j, 2 + 0j]


def test_matvec_and_outer(device: pr.Device) -> None:
    for dtype in (pr.float64, pr.int32):
        m = pr.asarray(noise(2, 1, 3, 4) * 9, device=device).cast(dtype)
        v = pr.asarray(noise(5, 4, seed=1) * 9, device=device).cast(dtype).reshape((1, 5, 4))
        got = L.matvec(m, v)
        assert (got.shape, got.dtype) == ((2, 5, 3), dtype)
        np.testing.assert_allclose(got.numpy(), (m.numpy() @ v.numpy()[..., None])[..., 0], rtol=1e-12)
        a, b = v, m[:, 0, :1]
        found = L.outer(a, b)
        assert (found.shape, found.dtype) == ((2, 5, 4, 4), dtype)
        np.testing.assert_array_equal(found.numpy(), a.numpy()[..., None] * b.numpy()[..., None, :])
    x, y = noise(3), noise(4)
    close(L.outer(pr.asarray(x, device=device), pr.asarray(y, device=device)), np.outer(x, y))
    assert L.matvec(pr.zeros((2, 3)), pr.zeros(3, dtype=pr.float64)).dtype == pr.float64
    assert L.outer(pr.zeros(2), pr.zeros(3, dtype=pr.float64)).dtype == pr.float64
    assert L.matvec(pr.zeros((2, 0), device=device), pr.zeros(0, device=device)).to_list() == [0.0, 0.0]


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
def test_outer_dim(dim: int, device: pr.Device) -> None:
    x, y = noise(2, 3, 4), noise(2, 3, 4, seed=1)
    got = L.outer_dim(pr.asarray(x, device=device), pr.asarray(y, device=device), dim)
    at = dim % 3
    close(got, np.expand_dims(x, at + 1) * np.expand_dims(y, at))


def test_products_of_the_standard(device: pr.Device) -> None:
    x, y = noise(2, 3, 4), noise(2, 4, 3, seed=1)
    a, b = pr.asarray(x, device=device), pr.asarray(y, device=device)
    close(L.matmul(a, b), x @ y)
    close(L.matrix_transpose(a), np.swapaxes(x, -1, -2))
    close(L.tensordot(a, b, axes=([2, 0], [1, 0])), np.tensordot(x, y, ([2, 0], [1, 0])))
    close(L.vecdot(a, b.mT), np.vecdot(x, np.swapaxes(y, -1, -2)))
    u, v = noise(5, 3), noise(5, 3, seed=2)
    close(L.cross(pr.asarray(u, device=device), pr.asarray(v, device=device)), np.cross(u, v))
    close(L.cross(pr.asarray(u.T, device=device), pr.asarray(v.T, device=device), axis=0), np.cross(u.T, v.T, axis=0))


# --- norms -------------------------------------------------------------------------------

PS = [0, 0.5, 1, 1.5, 2, 3, 7.5, -1, -2, math.inf, -math.inf]


@pytest.mark.parametrize("p", PS)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_norms_along_a_dim(dim: int, p: float, device: pr.Device) -> None:
    x = noise(4, 5)
    t = pr.asarray(x, device=device)
    want = np.linalg.norm(x, p, axis=dim, keepdims=True)
    close(L.lp_norm(t, p, dim), want)
    close(L.vector_norm(t, p, dim), want)
    close(L.vector_norm(t, norm=Norm.Lp(p), dim=dim), want)
    close(L.vector_norm(t, axis=dim, keepdims=True, ord=p), want)
    close(L.vector_norm(t, axis=dim, ord=p), want.squeeze(dim))
    special = {0: Norm.L0, 1: Norm.L1, 2: Norm.L2, math.inf: Norm.LInf, -math.inf: Norm.LNegInf}.get(p)
    if special is not None:
        assert special.to_exponent() == p
        close(L.vector_norm(t, special, dim), want)
    named: Any = {0: L.l0_norm, 1: L.l1_norm, 2: L.l2_norm, math.inf: L.max_abs_norm, -math.inf: L.min_abs_norm}
    if p in named:
        close(named[p](t, dim), want)


def test_vector_norm_over_axes(device: pr.Device) -> None:
    x = noise(2, 3, 4)
    t = pr.asarray(x, device=device)
    close(L.vector_norm(t), np.linalg.norm(x.ravel()))
    close(L.vector_norm(t, keepdims=True), np.linalg.norm(x.ravel()).reshape(1, 1, 1))
    close(L.vector_norm(t, axis=(0, 2)), np.linalg.norm(x, axis=(0, 2)))
    close(L.vector_norm(t, axis=(0, 2), ord=3), (np.abs(x) ** 3).sum((0, 2)) ** (1 / 3))
    close(L.vector_norm(pr.asarray(-3.0, device=device)), 3.0)
    z = pr.asarray([3 + 4j, 5 - 12j], dtype=pr.complex128, device=device)
    close(L.vector_norm(z), math.sqrt(25 + 169))
    close(L.vector_norm(z, ord=1), 18.0)


def test_norms_of_ints(device: pr.Device) -> None:
    for dtype in (pr.int32, pr.int64):
        t = pr.asarray([[3, 0, -4], [0, 0, 7]], dtype=dtype, device=device)
        for f, want in [
            (L.l0_norm, [[2], [1]]),
            (L.l1_norm, [[7], [7]]),
            (L.max_abs_norm, [[4], [7]]),
            (L.min_abs_norm, [[0], [0]]),
        ]:
            got = f(t, 1)
            assert (got.to_list(), got.dtype) == (want, dtype)


def test_norms_neither_overflow_nor_vanish(device: pr.Device) -> None:
    for size in (1e30, 1e-30, 1e200, 1e-200):
        dtype = pr.float32 if 1e-40 < size < 1e40 else pr.float64
        t = pr.asarray([3 * size, 4 * size], dtype=dtype, device=device)
        for p, want in [(2, 5.0), (3, 91 ** (1 / 3)), (0.5, (3**0.5 + 2) ** 2), (-1, 1 / (1 / 3 + 1 / 4))]:
            np.testing.assert_allclose(L.lp_norm(t, p, 0).numpy() / size, [want], rtol=1e-5)
        np.testing.assert_allclose(L.cosine_similarity(t, t, 0).numpy(), [1.0], rtol=1e-6)
        np.testing.assert_allclose(L.vector_normalize(t, 2, 0, 0.0).numpy(), [0.6, 0.8], rtol=1e-6)


def test_norms_of_nothing_and_of_nan(device: pr.Device) -> None:
    empty = pr.zeros((2, 0), device=device)
    for f in (L.l0_norm, L.l1_norm, L.l2_norm):
        assert f(empty, 1).to_list() == [[0.0], [0.0]]
        assert f(empty, 0).shape == (1, 0)
    assert L.lp_norm(empty, 3.0, 1).to_list() == [[0.0], [0.0]]
    bad = pr.asarray([[1.0, math.nan], [1.0, 2.0]], device=device)
    for p in (0.5, 1, 2, 3, -1, math.inf, -math.inf):
        got = L.lp_norm(bad, p, 1).numpy()
        assert np.isnan(got[0, 0]), p
        assert np.isfinite(got[1, 0]), p


def test_normalize_and_similarity(device: pr.Device) -> None:
    x, y = noise(3, 4), noise(3, 4, seed=1)
    x[1] = 0
    a, b = pr.asarray(x, device=device), pr.asarray(y, device=device)
    for norm in (1, 2, Norm.LInf, 3.0):
        size = np.linalg.norm(x, norm.to_exponent() if isinstance(norm, Norm) else norm, axis=1, keepdims=True)
        close(L.vector_normalize(a, norm, 1, 1e-8), x / np.maximum(size, 1e-8))
    close(L.vector_normalize(a, 2, 1, 100.0), x / 100)
    sizes = [np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y)]
    dot = (x * y).sum(1, keepdims=True)
    want = np.where(sizes[0] == 0, 0, dot / np.where(sizes[0] == 0, 1, sizes[0] * sizes[1]))
    close(L.cosine_similarity(a, b, 1), want)
    assert L.cosine_similarity(a, b, -1).to_list()[1] == [0.0]
    close(L.cosine_similarity(a, b, 1, 10.0), dot / 100)
    close(L.cosine_similarity(a, b[:1], 1), L.cosine_similarity(a, pr.stack([b[0]] * 3), 1).numpy())


def test_the_class_of_norms() -> None:
    assert [n.to_exponent() for n in (Norm.L0, Norm.L1, Norm.L2, Norm.LInf, Norm.LNegInf)] == [
        0.0, 1.0, 2.0, math.inf, -math.inf,
    ]  # fmt: skip
    assert Norm.Lp(2.0) == Norm.L2
    assert Norm.Lp(2.5).to_exponent() == 2.5


# --- dtypes ------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[[pr.Tensor], Any]] = {
    "det": L.det,
    "slogdet": L.slogdet,
    "inv": L.inv,
    "solve": lambda t: L.solve(t, t[..., :2] + 1),
    "lu": L.lu,
    "qr": L.qr,
    "svd": L.svd,
    "svdvals": L.svdvals,
    "pinv": lambda t: L.pinv(t, rtol=1e-3),
    "matrix_power": lambda t: L.matrix_power(t, 3),
    "norm 1": lambda t: L.matrix_norm(t, ord=1),
    "norm nuc": lambda t: L.matrix_norm(t, ord="nuc"),
    "norm fro": L.matrix_norm,
    "vector_norm": lambda t: L.vector_norm(t, 3, 1),
    "normalize": lambda t: L.vector_normalize(t, 2, 1, 1e-3),
    "similarity": lambda t: L.cosine_similarity(t, t + 1, 0),
    "trace": L.trace,
}


def results(found: Any) -> list[pr.Tensor]:
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("dtype", [*HALVES, pr.float32], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_narrow_floats(name: str, dtype: Any, device: pr.Device) -> None:
    t = pr.asarray(noise(4, 4) + 2 * np.eye(4), dtype=dtype, device=device)
    found = results(FUNCTIONS[name](t))
    wide = results(FUNCTIONS[name](pr.astype(t, pr.float32 if dtype in HALVES else pr.float64)))
    for got, want in zip(found, wide, strict=True):
        assert got.dtype == dtype
        if dtype in HALVES:
            # an inner sum t + 1 may be rounded once more than in float32
            tol = dtype.finfo().epsilon * (30 if name in ("solve", "similarity") else 0.51)
            np.testing.assert_allclose(got.numpy().astype(float), want.numpy().astype(float), rtol=tol, atol=1e-6)
        else:
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_narrow_symmetric(dtype: Any, device: pr.Device) -> None:
    t = pr.asarray(spd(3, 3), dtype=dtype, device=device)
    wide = pr.astype(t, pr.float32)
    for f in (L.cholesky, L.eigvalsh, L.eigh):
        for got, want in zip(results(f(t)), results(f(wide)), strict=True):
            assert got.dtype == dtype
            np.testing.assert_array_equal(got.numpy(), pr.astype(want, dtype).numpy())


@pytest.mark.parametrize("view", ["transposed", "reversed", "strided", "broadcast"])
def test_layouts(view: str, device: pr.Device) -> None:
    x = noise(8, 8)
    x, change = {
        "transposed": (x[:4, :4].T, lambda t: t[:4, :4].T),
        "reversed": (x[3::-1, 3::-1], lambda t: t[3::-1, 3::-1]),
        "strided": (x[::2, 1::2], lambda t: t[::2, 1::2]),
        "broadcast": (np.broadcast_to(x[:4, :4], (2, 4, 4)), lambda t: pr.broadcast_to(t[:4, :4], (2, 4, 4))),
    }[view]
    t = change(pr.asarray(noise(8, 8), device=device))
    for f in FUNCTIONS.values():
        plain = results(f(pr.asarray(np.ascontiguousarray(x), device=device)))
        for got, want in zip(results(f(t)), plain, strict=True):
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-12, atol=1e-13)


# --- gradients ---------------------------------------------------------------------------


def check_gradient(f: Callable[..., Any], arrays: list[Array], device: pr.Device, tol: float = 1e-6) -> None:
    """Σ w · f over all results of f against central differences in every entry."""
    given = lambda: [pr.asarray(a, device=device, copy=True) for a in arrays]  # noqa: E731
    probes = [noise(*r.shape, seed=90 + k) for k, r in enumerate(results(f(*given())))]

    def value(*ts: pr.Tensor) -> pr.Tensor:
        parts = [pr.sum(r * pr.asarray(w, device=device)) for r, w in zip(results(f(*ts)), probes)]
        total = parts[0]
        for p in parts[1:]:
            total = total + p
        return total

    slopes = pr.grad(value, argnums=tuple(range(len(arrays))))(*given())
    for a, g in zip(arrays, slopes):
        assert g.shape == a.shape
        got = g.numpy()
        for at in np.ndindex(a.shape):
            kept = a[at]
            a[at] = kept + 1e-6
            high = value(*given()).item()
            a[at] = kept - 1e-6
            low = value(*given()).item()
            a[at] = kept
            want = (high - low) / 2e-6
            assert abs(got[at] - want) <= tol * max(1.0, abs(want)), (at, got[at], want)


# none of these is near a matrix with equal or zero singular values
SQUARE = noise(3, 3, seed=11) + np.diag([2.0, 3.0, 5.0])
STACK = noise(2, 2, 2, seed=12) + np.diag([2.0, 4.0])
TALL, WIDE = noise(4, 2, seed=13), noise(2, 4, seed=14)

GRADIENTS: dict[str, tuple[Callable[..., Any], list[Array]]] = {
    "det": (L.det, [SQUARE]),
    "det of a stack": (L.det, [STACK]),
    "det of a singular matrix": (L.det, [np.array([[1.0, 2.0], [2.0, 4.0]])]),
    "det of rank 2 of 3": (L.det, [np.array([[1.0, 2, 3], [4, 5, 6], [5, 7, 9]])]),
    "det of rank 1 of 3": (L.det, [np.outer([1.0, 2, 3], [4.0, 5, 6])]),
    "det of zeros": (L.det, [np.zeros((2, 2))]),
    "slogdet": (lambda t: L.slogdet(t).logabsdet, [SQUARE]),
    "inv": (L.inv, [SQUARE]),
    "inv of a stack": (L.inv, [STACK]),
    "solve": (L.solve, [SQUARE, noise(3, 2, seed=1)]),
    "solve of a vector": (L.solve, [SQUARE, noise(3, seed=1)]),
    "solve that broadcasts": (L.solve, [STACK, noise(2, 3, seed=1)]),
    "solve with one matrix": (L.solve, [STACK[0], noise(3, 2, 1, seed=1)]),
    "cholesky": (L.cholesky, [spd(3, 3)]),
    "cholesky upper": (lambda t: L.cholesky(t, upper=True), [spd(3, 3)]),
    "cholesky of a stack": (L.cholesky, [spd(2, 2, 2)]),
    "lu": (lambda t: L.lu(t)[1:], [SQUARE]),
    "lu of a stack": (lambda t: L.lu(t)[1:], [STACK]),
    "lu tall": (lambda t: L.lu(t)[1:], [TALL]),
    "lu wide": (lambda t: L.lu(t)[1:], [WIDE]),
    "lu, lower": (lambda t: L.lu(t)[1], [WIDE]),
    "lu, upper": (lambda t: L.lu(t)[2], [TALL]),
    "qr": (L.qr, [SQUARE]),
    "qr of a stack": (L.qr, [STACK]),
    "qr tall": (L.qr, [TALL]),
    "qr wide": (L.qr, [WIDE]),
    "qr, q": (lambda t: L.qr(t).Q, [WIDE]),
    "qr, r": (lambda t: L.qr(t).R, [TALL]),
    "qr complete wide": (lambda t: L.qr(t, False), [WIDE]),
    "svd": (lambda t: L.svd(t, full_matrices=False), [SQUARE]),
    "svd full": (L.svd, [SQUARE]),
    "svd tall": (lambda t: L.svd(t, full_matrices=False), [TALL]),
    "svd wide": (lambda t: L.svd(t, full_matrices=False), [WIDE]),
    "svd of a stack": (lambda t: L.svd(t, full_matrices=False), [STACK]),
    "svdvals": (L.svdvals, [WIDE]),
    "eigh": (L.eigh, [spd(3, 3)]),
    "eigh of a stack": (L.eigh, [spd(2, 2, 2)]),
    "eigvalsh": (L.eigvalsh, [spd(3, 3)]),
    "pinv": (L.pinv, [SQUARE]),
    "pinv tall": (L.pinv, [TALL]),
    "pinv wide": (L.pinv, [WIDE]),
    "matrix_power": (lambda t: L.matrix_power(t, 3), [SQUARE / 5]),
    "matrix_power negative": (lambda t: L.matrix_power(t, -2), [SQUARE]),
    "norm fro": (L.matrix_norm, [WIDE]),
    "norm nuc": (lambda t: L.matrix_norm(t, ord="nuc"), [WIDE]),
    "norm 2": (lambda t: L.matrix_norm(t, ord=2), [STACK]),
    "norm inf": (lambda t: L.matrix_norm(t, ord=math.inf), [STACK]),
    "l1": (lambda t: L.l1_norm(t, 1), [WIDE]),
    "l2": (lambda t: L.l2_norm(t, 0), [WIDE]),
    "l3": (lambda t: L.lp_norm(t, 3, 1), [WIDE]),
    "l-1": (lambda t: L.lp_norm(t, -1, 1), [WIDE]),
    "l0.5": (lambda t: L.lp_norm(t, 0.5, 1), [WIDE]),
    "max abs": (lambda t: L.max_abs_norm(t, 1), [WIDE]),
    "normalize": (lambda t: L.vector_normalize(t, 3, 1, 1e-9), [WIDE]),
    "similarity": (lambda a, b: L.cosine_similarity(a, b, 1), [WIDE.copy(), noise(2, 4, seed=15)]),
    "trace": (lambda t: L.trace(t, offset=1), [SQUARE]),
    "diag": (L.diag, [WIDE]),
    "matvec": (L.matvec, [STACK, noise(2, 2, seed=1)]),
    "outer_dim": (lambda a, b: L.outer_dim(a, b, 0), [WIDE.copy(), noise(2, 4, seed=15)]),
    "cross": (L.cross, [noise(2, 3), noise(2, 3, seed=1)]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str, device: pr.Device) -> None:
    f, arrays = GRADIENTS[name]
    check_gradient(f, [a.copy() for a in arrays], device, 2e-5 if name.startswith(("svd", "eigh", "pinv")) else 2e-6)


def test_gradients_at_zero(device: pr.Device) -> None:
    slope = lambda f: pr.grad(lambda t: pr.sum(f(t)))(pr.zeros((2, 3), device=device)).to_list()  # noqa: E731
    nothing = [[0.0] * 3] * 2
    for f in (L.l0_norm, L.l1_norm, L.l2_norm, L.max_abs_norm):
        assert slope(lambda t, f=f: f(t, 1)) == nothing
    for p in (0.5, 1, 2, 3, 0):
        assert slope(lambda t, p=p: L.lp_norm(t, p, 1)) == nothing
    assert slope(L.vector_norm) == nothing
    assert slope(L.matrix_norm) == nothing
    other = pr.ones((2, 3), device=device)
    assert np.isfinite(slope(lambda t: L.cosine_similarity(t, other, 1, 1e-3))).all()
    assert np.isfinite(slope(lambda t: L.vector_normalize(t, 2, 1, 1e-3))).all()


def test_gradient_of_l0_is_zero() -> None:
    assert pr.grad(lambda t: pr.sum(L.l0_norm(t, 0)))(pr.asarray([1.0, 0.0])).to_list() == [0.0, 0.0]


def test_gradient_of_a_determinant_is_its_cofactors(device: pr.Device) -> None:
    x = pr.asarray([[1.0, 2.0], [2.0, 4.0]], device=device)
    np.testing.assert_allclose(pr.grad(L.det)(x).numpy(), [[4, -2], [-2, 1]], rtol=1e-6)
    assert pr.grad(L.det)(pr.zeros((3, 3), device=device)).to_list() == [[0.0] * 3] * 3
    assert pr.grad(L.det)(pr.asarray([[5.0]], device=device)).to_list() == [[1.0]]


def test_gradients_that_are_not_there(device: pr.Device) -> None:
    x = pr.asarray(TALL, device=device)
    text = "the complete QR of matrices of shape (4, 2) has no gradient: its extra columns are arbitrary"
    with pytest.raises(pr.ArgumentError) as caught:
        pr.grad(lambda t: pr.sum(L.qr(t, False).Q))(x)
    assert text in str(caught.value)
    with pytest.raises(pr.ArgumentError) as caught:
        pr.grad(lambda t: pr.sum(L.svd(t).U))(x)
    assert "the full singular vectors have no gradient: the extra ones are arbitrary" in str(caught.value)


# --- errors ------------------------------------------------------------------------------

V, W, I = pr.zeros(3), pr.zeros((2, 3)), pr.zeros((2, 2), dtype=pr.int64)
SQ = pr.zeros((2, 2))
CAST = "\nHint: cast it first, for example to float32"
FLOAT = "a tensor of kind Float is needed, got int64" + CAST
FIELD = "a tensor of kind Float or Complex is needed, got int64" + CAST
MATRIX = "matrices need rank 2 or more, the tensor has shape (3,)"
NOT_SQUARE = "the matrices must be square, the tensor has shape (2, 3)"
OUT = "axis 2 is out of range for rank 2 (valid: -2 to 1)"

MISTAKES: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    *[(n, lambda n=n: getattr(L, n)(I), pr.DTypeError, FIELD) for n in
      ("det", "slogdet", "inv", "lu", "qr", "svd", "svdvals", "eig", "eigvals", "eigh", "eigvalsh", "cholesky",
       "pinv", "matrix_rank", "matrix_norm")],
    *[(n, lambda n=n: getattr(L, n)(V), pr.ShapeError, MATRIX) for n in
      ("det", "inv", "lu", "qr", "svd", "svdvals", "eig", "eigvals", "eigh", "eigvalsh", "pinv", "matrix_rank")],
    *[(n, lambda n=n: getattr(L, n)(W), pr.ShapeError, NOT_SQUARE) for n in
      ("det", "slogdet", "inv", "eig", "eigvals", "eigh", "eigvalsh", "cholesky")],
    *[(n, lambda n=n: getattr(L, n)(W, 2), pr.AxisError, OUT) for n in
      ("l0_norm", "l1_norm", "l2_norm", "max_abs_norm", "min_abs_norm")],
    ("lp_norm", lambda: L.lp_norm(W, 2.0, 2), pr.AxisError, OUT),
    ("vector_norm", lambda: L.vector_norm(W, 2, 2), pr.AxisError, OUT),
    ("vector_norm", lambda: L.vector_norm(W, axis=2), pr.AxisError, OUT),
    ("vector_normalize", lambda: L.vector_normalize(W, 2, 2, 1e-6), pr.AxisError, OUT),
    ("cosine_similarity", lambda: L.cosine_similarity(W, W, 2), pr.AxisError, OUT),
    ("outer_dim", lambda: L.outer_dim(W, W, 2), pr.AxisError, OUT),
    ("slogdet", lambda: L.slogdet(V), pr.ShapeError, "the matrices must be square, the tensor has shape (3,)"),
    ("det", lambda: L.det([[1.0]]), pr.DTypeError,
     "expected a tensor, got list [[1.0]]\nHint: make one of it with pr.asarray"),
    ("solve", lambda: L.solve(W, V), pr.ShapeError, NOT_SQUARE),
    ("solve", lambda: L.solve(SQ, V), pr.ShapeError, "matrices of shape (2, 2) need right sides of size 2, got (3,)"),
    ("solve", lambda: L.solve(SQ, pr.zeros((3, 2))), pr.ShapeError,
     "matrices of shape (2, 2) need right sides of shape (…, 2, k), got (3, 2)"),
    ("solve", lambda: L.solve(pr.zeros((2, 3, 3)), pr.zeros((4, 3, 1))), pr.ShapeError,
     "the batches of (2, 3, 3) and (4, 3, 1) do not broadcast"),
    ("solve", lambda: L.solve(SQ, pr.asarray([1, 2])), pr.DTypeError, FIELD),
    ("qr", lambda: L.qr(SQ, mode="full"), pr.ArgumentError, "mode 'full' is not \"reduced\" or \"complete\""),
    ("matrix_power", lambda: L.matrix_power(W, 2), pr.ShapeError, NOT_SQUARE),
    ("matrix_power", lambda: L.matrix_power(SQ, 0.5), pr.DTypeError, "the power must be an int, got float"),
    ("matrix_norm", lambda: L.matrix_norm(V), pr.ShapeError,
     "a matrix norm needs rank 2 or more, the tensor has shape (3,)"),
    ("matrix_norm", lambda: L.matrix_norm(SQ, ord=3), pr.ArgumentError,
     'ord 3 is not "fro", "nuc", 1, -1, 2, -2, inf or -inf'),
    ("trace", lambda: L.trace(V), pr.ShapeError, "a trace needs rank 2 or more, this tensor has shape (3,)"),
    ("diag", lambda: L.diag(V), pr.ShapeError, "a diagonal needs rank 2 or more, the tensor has shape (3,)"),
    ("diagonal", lambda: L.diagonal(V), pr.ShapeError, "a diagonal needs rank 2 or more, the tensor has shape (3,)"),
    ("vector_norm", lambda: L.vector_norm(I), pr.DTypeError,
     "a tensor of kind Float or Complex is needed, got int64" + CAST),
    ("vector_norm", lambda: L.vector_norm(I, 2, 0), pr.DTypeError, FLOAT),
    ("vector_norm", lambda: L.vector_norm(W, 2), pr.ArgumentError,
     "a norm needs the dim too\nHint: or use the keywords ord= and axis="),
    ("vector_norm", lambda: L.vector_norm(W, dim=1), pr.ArgumentError,
     "a dim needs the norm too\nHint: or use the keywords ord= and axis="),
    ("vector_norm", lambda: L.vector_norm(W, 2, 1, axis=0), pr.ArgumentError,
     "a norm and its dim do not go with axis= and keepdims="),
    ("vector_norm", lambda: L.vector_norm(W, "fro", 1), pr.ArgumentError,
     "'fro' is not a norm: expected a pr.linalg.Norm or a number"),
    ("l2_norm", lambda: L.l2_norm(I, 0), pr.DTypeError, FLOAT),
    ("lp_norm", lambda: L.lp_norm(I, 2, 0), pr.DTypeError, FLOAT),
    ("l0_norm", lambda: L.l0_norm(pr.asarray([True]), 0), pr.DTypeError,
     "expected a tensor of kind Float or Int, got bool"),
    ("max_abs_norm", lambda: L.max_abs_norm(pr.zeros((2, 0)), 1), pr.ShapeError,
     "axis 1 of (2, 0) has size 0, so there is no largest element"),
    ("cosine_similarity", lambda: L.cosine_similarity(W, V, 0), pr.ShapeError,
     "the shapes (2, 3) and (3,) have different ranks"),
    ("cosine_similarity", lambda: L.cosine_similarity(W, pr.zeros((2, 4)), 1), pr.ShapeError,
     "the shapes (2, 3) and (2, 4) have different sizes along axis 1"),
    ("cosine_similarity", lambda: L.cosine_similarity(W, pr.zeros((4, 3)), 1), pr.ShapeError,
     "(2, 3) and (4, 3) do not broadcast: axis -2 has sizes 2 and 4"),
    ("matvec", lambda: L.matvec(W, W), pr.ShapeError, "a matrix of shape (2, 3) needs a vector of rank 1, got (2, 3)"),
    ("matvec", lambda: L.matvec(V, V), pr.ShapeError, "a matrix of shape (3,) needs a vector of rank 1, got (3,)"),
    ("matvec", lambda: L.matvec(W, pr.zeros(2)), pr.ShapeError,
     "matrices of shape (2, 3) need vectors of size 3, got (2,)"),
    ("outer", lambda: L.outer(pr.asarray(1.0), pr.asarray(1.0)), pr.ShapeError,
     "an outer product needs two tensors of one rank from 1 on, got () and ()"),
    ("outer", lambda: L.outer(W, V), pr.ShapeError,
     "an outer product needs two tensors of one rank from 1 on, got (2, 3) and (3,)"),
    ("outer", lambda: L.outer(W, pr.zeros((4, 3))), pr.ShapeError,
     "(2, 3) and (4, 3) do not broadcast along axis 0, only axis 1 may differ"),
    ("cross", lambda: L.cross(SQ, SQ), pr.ShapeError, "(2, 2) and (2, 2) must both have size 3 along axis -1"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "kind", "text"), MISTAKES)
def test_errors(name: str, call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    fails(kind, f"pr.linalg.{name}: {text}", call)


def test_kinds_and_devices_do_not_mix() -> None:
    for f in (L.matvec, L.outer, L.solve):
        with pytest.raises(pr.DTypeError):
            f(SQ, pr.asarray([1, 2]))
        with pytest.raises(pr.DeviceError, match="tensors are on different devices"):
            f(SQ, pr.zeros((2, 2) if f is not L.matvec else (2,), device="flex"))


def test_every_name_is_documented() -> None:
    for name in L.__all__:
        if name != "Norm":
            assert "Source: " in (getattr(L, name).__doc__ or ""), name
