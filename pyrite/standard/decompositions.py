"""Determinants, decompositions and solvers of `pr.linalg`; LAPACK computes them, unfused.

They take Complex matrices too. Q R, Cholesky, singular and eigenvalue decompositions of these have no gradient.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from ..apply import apply, cast_to, do_of, wrap
from ..dtypes import DType, float32, promote
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..ops.elementwise import part_dtype
from ..tensor import Tensor
from .arguments import fields, floats


class QRResult(NamedTuple):
    """The factors of A = Q R."""

    Q: Tensor
    R: Tensor


class SVDResult(NamedTuple):
    """The factors of A = U diag(S) Vh."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class EighResult(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EigResult(NamedTuple):
    """Complex eigenvalues, and eigenvectors in columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SlogdetResult(NamedTuple):
    """Sign and logarithm of the magnitude of a determinant."""

    sign: Tensor
    logabsdet: Tensor


def _widened(x: Any) -> tuple[Tensor, DType]:
    """A Float or Complex tensor, in float32 if it is of half precision, and its dtype: results are rounded once."""
    t = fields(x)
    return (cast_to(t, float32) if t.dtype.is_half() else t), t.dtype


def _part(dtype: DType) -> DType:
    """The dtype of absolute values."""
    return part_dtype(dtype) if dtype.is_complex() else dtype


def _adjoint(t: Tensor) -> Tensor:
    """The transposed matrices, conjugate if they are Complex."""
    return apply("conj", (t.mT,)) if t.dtype.is_complex() else t.mT


def _need_square(t: Tensor) -> None:
    if t.rank < 2 or t.shape[-1] != t.shape[-2]:
        raise ShapeError(f"the matrices must be square, the tensor has shape {t.shape}")


@public("pr.linalg.det")
def det(x: Tensor, /) -> Tensor:
    """The determinants of the square matrices `(…, n, n)`: shape `(…)`, rank 0 for one matrix.

    Raises `ShapeError` below rank 2 and for matrices that are not square, `DTypeError` for Int
    and Bool tensors. Gradient: the cofactors, also where the matrix is singular.

    Example:
        >>> pr.linalg.det(pr.asarray([[2.0, 0.0], [0.0, 3.0]])).item()
        6.0

    Source: Burn, `linalg::det`; array API, `linalg.det`.
    """
    return apply("det", (fields(x),))


@public("pr.linalg.slogdet")
def slogdet(x: Tensor, /) -> SlogdetResult:
    """Sign and log |det| of square matrices, from the LU decomposition: no overflow.

    Example:
        >>> pr.linalg.slogdet(pr.asarray([[0.0, 1.0], [1.0, 0.0]])).sign.item()
        -1.0

    Source: array API, `linalg.slogdet`.
    """
    from .elementary import log
    from .elementwise import abs as magnitude
    from .elementwise import sign
    from .linalg import diagonal
    from .reductions import prod, sum

    t, dtype = _widened(x)
    _need_square(t)
    diag = diagonal(apply("lu_u", (t,)))
    swaps = _parity(apply("lu_p", (t,)), t)
    found = prod(sign(diag), axis=-1) * swaps, sum(log(magnitude(diag)), axis=-1)
    return SlogdetResult(cast_to(found[0], dtype), cast_to(found[1], _part(dtype)))


def _parity(order: Tensor, like: Tensor) -> Tensor:
    """+1 or -1 for even and odd permutations: the determinant of the permutation matrix, by counting inversions."""
    from .manipulation import expand_dims
    from .reductions import sum

    n = order.shape[-1]
    greater = expand_dims(order, axis=-1) > expand_dims(order, axis=-2)
    row = wrap(do_of(order).iota((n, n), 0, order.dtype))
    col = wrap(do_of(order).iota((n, n), 1, order.dtype))
    inversions = sum(cast_to(greater & (row < col), order.dtype), axis=(-2, -1))
    return cast_to(1 - 2 * (inversions % 2), like.dtype)


@public("pr.linalg.inv")
def inv(x: Tensor, /) -> Tensor:
    """The inverses of square matrices. A singular one raises `ValueError` when the result is read.

    Example:
        >>> pr.linalg.inv(pr.asarray([[2.0, 0.0], [0.0, 4.0]])).to_list()
        [[0.5, 0.0], [0.0, 0.25]]

    Source: array API, `linalg.inv`.
    """
    return apply("inv", (fields(x),))


@public("pr.linalg.solve")
def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """X with x1 @ X = x2, for square matrices `(…, n, n)`; x2 is `(n,)` or `(…, n, k)`.

    Batches broadcast. A singular matrix raises `ValueError` when the result is read; shapes that
    do not fit raise `ShapeError` at the call.

    Example:
        >>> pr.linalg.solve(pr.asarray([[2.0, 0.0], [0.0, 4.0]]), pr.asarray([2.0, 4.0])).to_list()
        [1.0, 1.0]

    Source: array API, `linalg.solve`.
    """
    a, b = fields(x1), fields(x2)
    dtype = promote(a.dtype, b.dtype)
    a, b = cast_to(a, dtype), cast_to(b, dtype)
    if b.rank == 1:
        _need_square(a)
        if b.shape[0] != a.shape[-1]:
            raise ShapeError(f"matrices of shape {a.shape} need right sides of size {a.shape[-1]}, got {b.shape}")
        found = apply("solve", (a, apply("reshape", (b,), (*b.shape, 1))))
        return apply("reshape", (found,), tuple(found.shape[:-1]))
    return apply("solve", (a, b))


@public("pr.linalg.cholesky")
def cholesky(x: Tensor, /, upper: bool = False) -> Tensor:
    """L with x = L Lᴴ (or Lᴴ with `upper`) for symmetric or Hermitian positive definite matrices.

    Only the named triangle is read. Raises `ValueError` when a matrix turns out not to be
    positive definite.

    Example:
        >>> pr.linalg.cholesky(pr.asarray([[4.0, 0.0], [0.0, 9.0]])).to_list()
        [[2.0, 0.0], [0.0, 3.0]]

    Source: array API, `linalg.cholesky`.
    """
    t = fields(x)
    return _adjoint(apply("cholesky", (_adjoint(t),))) if upper else apply("cholesky", (t,))


@public("pr.linalg.lu")
def lu(tensor: Tensor, /) -> tuple[Tensor, Tensor, Tensor]:
    """(P, L, U) with A = P @ L @ U by partial pivoting, for matrices `(…, r, c)`.

    P `(…, r, r)`, L `(…, r, k)` with a unit diagonal, U `(…, k, c)`, k = min(r, c). Singular
    matrices factor too. Raises `ShapeError` below rank 2. Gradient: through L and U.

    Example:
        >>> p, l, u = pr.linalg.lu(pr.asarray([[4.0, 3.0], [6.0, 3.0]]))
        >>> u.to_list()
        [[6.0, 3.0], [0.0, 1.0]]

    Source: Burn, `linalg::lu`.
    """
    t = fields(tensor)
    order = apply("lu_p", (t,))
    do = do_of(t)
    rows = t.shape[-2]
    # A = (L U)[p]: row i of P holds its 1 in column p[i]
    place = apply("reshape", (order,), (*order.shape, 1))
    column = wrap(do.iota((1, rows), 1, order.dtype))
    p = cast_to(place == column, t.dtype)
    return p, apply("lu_l", (t,)), apply("lu_u", (t,))


@public("pr.linalg.qr")
def qr(x: Tensor, /, reduced: bool = True, *, mode: Literal["reduced", "complete"] | None = None) -> QRResult:
    """(Q, R) with A = Q @ R, Q orthonormal and R upper triangular, for matrices `(…, r, c)`.

    Reduced: Q `(…, r, k)`, R `(…, k, c)`, k = min(r, c); else `(…, r, r)` and `(…, r, c)`. Signs are
    LAPACK's. Gradient: for reduced factors of full rank.

    Example:
        >>> q, r = pr.linalg.qr(pr.asarray([[3.0, 2.0], [4.0, 6.0]]))
        >>> pr.abs(r).numpy().round(4).tolist()
        [[5.0, 6.0], [0.0, 2.0]]

    Source: Burn, `linalg::qr` (`reduced`); array API, `linalg.qr` (`mode`).
    """
    t = fields(x)
    if mode is not None:
        if mode not in ("reduced", "complete"):
            raise ArgumentError(f'mode {mode!r} is not "reduced" or "complete"')
        reduced = mode == "reduced"
    return QRResult(apply("qr_q", (t,), bool(reduced)), apply("qr_r", (t,), bool(reduced)))


@public("pr.linalg.svd")
def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """(U, S, Vh) with A = U diag(S) Vh, S descending, for matrices `(…, r, c)`.

    Gradient: through S always, through U and Vh where the singular values are distinct and the
    factors not full.

    Example:
        >>> pr.linalg.svd(pr.asarray([[0.0, 2.0], [1.0, 0.0]])).S.to_list()
        [2.0, 1.0]

    Source: array API, `linalg.svd`.
    """
    t = fields(x)
    full = bool(full_matrices)
    return SVDResult(apply("svd_u", (t,), full), apply("svd_s", (t,), full), apply("svd_v", (t,), full))


@public("pr.linalg.svdvals")
def svdvals(x: Tensor, /) -> Tensor:
    """The singular values of matrices `(…, r, c)`, descending: shape `(…, min(r, c))`.

    Example:
        >>> pr.linalg.svdvals(pr.asarray([[3.0, 0.0], [0.0, 4.0]])).to_list()
        [4.0, 3.0]

    Source: array API, `linalg.svdvals`.
    """
    return apply("svd_s", (fields(x),), False)


@public("pr.linalg.eigh")
def eigh(x: Tensor, /) -> EighResult:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices; only the lower triangle is read.

    Gradient: for distinct eigenvalues.

    Example:
        >>> pr.linalg.eigh(pr.asarray([[2.0, 0.0], [0.0, 1.0]])).eigenvalues.to_list()
        [1.0, 2.0]

    Source: array API, `linalg.eigh`.
    """
    t = fields(x)
    return EighResult(apply("eigh_values", (t,)), apply("eigh_vectors", (t,)))


@public("pr.linalg.eigvalsh")
def eigvalsh(x: Tensor, /) -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices, ascending.

    Example:
        >>> pr.linalg.eigvalsh(pr.asarray([[2.0, 0.0], [0.0, 1.0]])).to_list()
        [1.0, 2.0]

    Source: array API, `linalg.eigvalsh`.
    """
    return apply("eigh_values", (fields(x),))


@public("pr.linalg.eig")
def eig(x: Tensor, /) -> EigResult:
    """Eigenvalues `(…, n)` and eigenvectors `(…, n, n)`, in columns, of square matrices. Both are Complex.

    The order and the scale of the vectors are LAPACK's. No gradient.

    Example:
        >>> pr.linalg.eig(pr.asarray([[0.0, -1.0], [1.0, 0.0]])).eigenvalues.to_list()
        [1j, -1j]

    Source: array API, `linalg.eig`.
    """
    t = fields(x)
    return EigResult(apply("eig_values", (t,)), apply("eig_vectors", (t,)))


@public("pr.linalg.eigvals")
def eigvals(x: Tensor, /) -> Tensor:
    """The eigenvalues `(…, n)` of square matrices, Complex, in LAPACK's order. No gradient.

    Example:
        >>> pr.linalg.eigvals(pr.asarray([[0.0, -1.0], [1.0, 0.0]])).to_list()
        [1j, -1j]

    Source: array API, `linalg.eigvals`.
    """
    return apply("eig_values", (fields(x),))


@public("pr.linalg.pinv")
def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """The pseudo-inverses of matrices `(…, r, c)`; singular values up to `rtol` times the largest count as 0.

    `rtol`, a number or a tensor for the shape `(…)`, is max(r, c) times the dtype's epsilon by default.
    Gradient: where the singular values are distinct.

    Example:
        >>> pr.linalg.pinv(pr.asarray([[2.0, 0.0], [0.0, 0.0]])).numpy().round(6).tolist()
        [[0.5, 0.0], [0.0, 0.0]]

    Source: array API, `linalg.pinv`.
    """
    from .elementwise import reciprocal
    from .indexing import where

    t, dtype = _widened(x)
    u, s, vh = svd(t, full_matrices=False)
    if s.size == 0:
        return cast_to(apply("matmul", (_adjoint(vh), _adjoint(u))), dtype)
    kept = _counts(s, t.shape, rtol, dtype)
    inverse = where(kept, reciprocal(where(kept, s, 1.0)), 0.0)
    return cast_to(apply("matmul", (_adjoint(vh) * inverse[..., None, :], _adjoint(u))), dtype)


def _counts(s: Tensor, shape: tuple[int, ...], rtol: Any, dtype: DType) -> Tensor:
    """Which singular values exceed `rtol` times the largest; there is at least one."""
    from .reductions import max

    largest = max(s, axis=-1, keepdims=True)
    if isinstance(rtol, Tensor):
        given = cast_to(floats(rtol), s.dtype)
        return s > largest * apply("reshape", (given,), (*given.shape, 1))
    info = _part(dtype).finfo()
    assert info is not None
    return s > largest * (_larger(shape[-2:]) * info.epsilon if rtol is None else float(rtol))


def _larger(sizes: tuple[int, ...]) -> int:
    return sorted(sizes)[-1]


@public("pr.linalg.matrix_rank")
def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """How many singular values exceed `rtol` times the largest (as in `pinv`): int64, shape `(…)`.

    Example:
        >>> pr.linalg.matrix_rank(pr.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
        1

    Source: array API, `linalg.matrix_rank`.
    """
    from ..dtypes import int64
    from .reductions import sum

    t, dtype = _widened(x)
    s = apply("svd_s", (t,), False)
    on = s if s.size == 0 else _counts(s, t.shape, rtol, dtype)
    return sum(cast_to(on, int64), axis=-1)


@public("pr.linalg.matrix_power")
def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """The n-th power of square matrices by repeated squaring; negative n inverts, 0 gives the identity.

    Example:
        >>> pr.linalg.matrix_power(pr.asarray([[1.0, 1.0], [0.0, 1.0]]), 5).to_list()
        [[1.0, 5.0], [0.0, 1.0]]

    Source: array API, `linalg.matrix_power`.
    """
    t, dtype = _widened(x)
    if not isinstance(n, int) or isinstance(n, bool):
        raise DTypeError(f"the power must be an int, got {type(n).__name__}")
    _need_square(t)
    if n < 0:
        t, n = apply("inv", (t,)), -n
    result: Tensor | None = None
    while n:
        if n & 1:
            result = t if result is None else apply("matmul", (result, t))
        n >>= 1
        if n:
            t = apply("matmul", (t, t))
    if result is not None:
        return cast_to(result, dtype)
    from .creation import eye

    unit = eye(t.shape[-1], dtype=dtype, device=t.device.inner())
    return apply("expand", (unit,), tuple(t.shape))


@public("pr.linalg.matrix_norm")
def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """A norm of matrices: "fro", "nuc", ±1 (columns), ±inf (rows) or ±2 (singular values).

    Example:
        >>> pr.linalg.matrix_norm(pr.asarray([[3.0, 0.0], [0.0, 4.0]])).item()
        5.0

    Source: array API, `linalg.matrix_norm`.
    """
    from ..ops import composite
    from .elementwise import abs as magnitude
    from .reductions import max, min, sum

    t, dtype = _widened(x)
    if t.rank < 2:
        raise ShapeError(f"a matrix norm needs rank 2 or more, the tensor has shape {t.shape}")
    rank = t.rank
    if ord == "fro":
        found = wrap(composite.vector_norm(do_of(t), t._v, 2.0, (rank - 2, rank - 1), keepdims))
    elif ord in (1, -1, float("inf"), float("-inf")):
        sums = sum(magnitude(t), axis=-2 if ord in (1, -1) else -1, keepdims=True)
        found = (max if ord in (1, float("inf")) else min)(sums, axis=(-2, -1), keepdims=keepdims)
    elif ord in ("nuc", 2, -2):
        s = svdvals(t)
        found = sum(s, axis=-1) if ord == "nuc" else (max if ord == 2 else min)(s, axis=-1)
        if keepdims:
            found = apply("reshape", (found,), (*found.shape, 1, 1))
    else:
        raise ArgumentError(f'ord {ord!r} is not "fro", "nuc", 1, -1, 2, -2, inf or -inf')
    return cast_to(found, _part(dtype))
