"""Decompositions and solvers of the matrices in the last two axes; LAPACK computes them.

Each result of a decomposition is an op of its own (`lu_l`, `qr_r`, …); a gradient is linear in the
gradients of the results, so every rule stands alone. Halves and float32 are not widened to
float64: LAPACK works in float32, halves come as float32. Complex matrices work too; what is no
holomorphic function of them (Q R, Cholesky, singular and eigenvalues) has no gradient there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import Complex, DType, complex64, complex128, float32, float64, int64
from ..errors import ArgumentError, DTypeError, GradientError, ShapeError
from .elementwise import FIELDS, check_kind, part_dtype
from .record import ZERO, Arg, Aval, Case, Samples, Shape, op

Array = np.ndarray[Any, Any]
_FLOATS = (float64, float32)


def _matrix(x: Aval, square: bool = False) -> Shape:
    check_kind(x.dtype, FIELDS)
    if len(x.shape) < 2:
        raise ShapeError(f"matrices need rank 2 or more, the tensor has shape {x.shape}")
    if square and x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"the matrices must be square, the tensor has shape {x.shape}")
    return x.shape


def _part(dtype: DType) -> DType:
    """The dtype of absolute values."""
    return part_dtype(dtype) if dtype.kind is Complex else dtype


def _need_real(x: Aval) -> None:
    if x.dtype.kind is Complex:
        raise GradientError(
            "this decomposition of Complex matrices has no gradient",
            "use .detach() on its input (.inner() on a leaf) if the gradient should stop there",
        )


def _swap(do: Any, x: Any) -> Any:
    rank = len(x.shape)
    return do.permute(x, (*range(rank - 2), rank - 1, rank - 2))


def _numbers(do: Any, n: int, axis: int) -> Any:
    return do.iota((n, 1) if axis == 0 else (1, n), axis, int64)


def _keep(do: Any, x: Any, lower: bool, diagonal: bool) -> Any:
    """The lower or upper triangle of the last two axes, with or without the diagonal."""
    rows, cols = _numbers(do, x.shape[-2], 0), _numbers(do, x.shape[-1], 1)
    low, high = (cols, rows) if lower else (rows, cols)
    on = do.le(low, high) if diagonal else do.lt(low, high)
    return do.where(on, x, 0)


def _rows(do: Any, x: Any, start: int, stop: int) -> Any:
    return _piece(do, x, start, stop, len(x.shape) - 2)


def _cols(do: Any, x: Any, start: int, stop: int) -> Any:
    return _piece(do, x, start, stop, len(x.shape) - 1)


def _piece(do: Any, x: Any, start: int, stop: int, axis: int) -> Any:
    starts = tuple(start if i == axis else 0 for i in range(len(x.shape)))
    sizes = tuple(stop - start if i == axis else s for i, s in enumerate(x.shape))
    return do.slice(x, starts, (1,) * len(sizes), sizes)


# ---------------------------------------------------------------- solving


def _solve_infer(a: Aval, b: Aval) -> tuple[Shape, DType]:
    n = _matrix(a, square=True)[-1]
    if a.dtype is not b.dtype:
        raise DTypeError(f"{a.dtype.name} and {b.dtype.name} differ", "cast one of them first")
    if len(b.shape) < 2 or b.shape[-2] != n:
        raise ShapeError(f"matrices of shape {a.shape} need right sides of shape (…, {n}, k), got {b.shape}")
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ShapeError(f"the batches of {a.shape} and {b.shape} do not broadcast") from None
    return (*batch, n, b.shape[-1]), a.dtype


def _solve_reference(a: Array, b: Array) -> Array:
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    wide = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    try:
        return np.asarray(np.linalg.solve(a, wide))
    except np.linalg.LinAlgError:
        raise ArgumentError(f"a matrix of shape {a.shape[-2:]} is singular, so there is no solution") from None


def _solve_vjp(do: Any, g: Any, out: Any, a: Any, _b: Any) -> list[Any]:
    # X = A⁻¹B: gB = A⁻ᵀ g, gA = -gB Xᵀ
    gb = do.solve(_swap(do, a), g)
    return [do.neg(do.matmul(gb, _swap(do, out))), gb]


_WELL = Arg((3, 3), 0.5, 3.0, None, True)

op(
    "solve",
    fuses="opaque",
    fails=True,
    arity=2,
    doc="X with A X = B for square matrices A (…, n, n) and right sides B (…, n, k). A singular A raises.",
    infer=_solve_infer,
    reference=_solve_reference,
    vjp=_solve_vjp,
    samples=Samples(
        _FLOATS,
        (
            Case((_WELL, Arg((3, 2)))),
            Case((Arg((2, 2, 2), 0.5, 3.0, None, True), Arg((2, 2, 1)))),
            Case((Arg((2, 2, 2), 0.5, 3.0, None, True), Arg((2, 2)))),
        ),
    ),
)


def _inv_reference(x: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(x))
    except np.linalg.LinAlgError:
        raise ArgumentError(f"a matrix of shape {x.shape[-2:]} is singular, so it has no inverse") from None


op(
    "inv",
    fuses="opaque",
    fails=True,
    doc="The inverse of square matrices. A singular one raises.",
    infer=lambda x: (_matrix(x, square=True), x.dtype),
    reference=_inv_reference,
    # d(A⁻¹) = -A⁻¹ dA A⁻¹
    vjp=lambda do, g, out, _x: [do.neg(do.matmul(_swap(do, out), do.matmul(g, _swap(do, out))))],
    samples=Samples(_FLOATS, (Case((_WELL,)), Case((Arg((2, 2, 2), 0.5, 3.0, None, True),)), Case((Arg((0, 0)),)))),
)


# ---------------------------------------------------------------- determinant


def _wide(x: Array) -> Array:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _det_reference(x: Array) -> Any:
    if x.shape[-1] == 0:
        return np.ones(x.shape[:-2], x.dtype)
    return np.linalg.det(_wide(x))


def _cofactors_reference(x: Array) -> Any:
    """det(A) A⁻ᵀ without dividing: from A = U S Vᴴ it is det(U)det(Vᴴ) Ū cof(S) Vᵀ."""
    n = x.shape[-1]
    if n == 0:
        return np.empty(x.shape, x.dtype)
    u, s, vt = np.linalg.svd(_wide(x))
    sign = np.linalg.det(u) * np.linalg.det(vt)
    others = np.stack([np.prod(np.delete(s, k, axis=-1), axis=-1) for k in range(n)], axis=-1)
    return sign[..., None, None] * (u.conj() * others[..., None, :]) @ vt.conj()


def _cofactors_vjp(do: Any, g: Any, out: Any, x: Any) -> list[Any]:
    # with C = det(A) A⁻ᵀ: gA = (<g, C> C - C gᵀ C) / det(A)
    rank = len(x.shape)
    det = do.reshape(do.det(x), (*x.shape[:-2], 1, 1))
    inner = do.sum(do.mul(g, out), (rank - 2, rank - 1), True)
    turned = do.matmul(out, do.matmul(_swap(do, g), out))
    return [do.div(do.sub(do.mul(inner, out), turned), det)]


op(
    "cofactors",
    fuses="opaque",
    fails=True,
    doc="The matrix of cofactors, det(A) A⁻ᵀ where A can be inverted; the gradient of det. Its own gradient divides "
    "by the determinant.",
    infer=lambda x: (_matrix(x, square=True), x.dtype),
    reference=_cofactors_reference,
    vjp=_cofactors_vjp,
    samples=Samples(_FLOATS, (Case((_WELL,)), Case((Arg((2, 2, 2), 0.5, 3.0, None, True),)), Case((Arg((1, 1)),)))),
)


def _det_vjp(do: Any, g: Any, _out: Any, x: Any) -> list[Any]:
    return [do.mul(do.reshape(g, (*x.shape[:-2], 1, 1)), do.cofactors(x))]


op(
    "det",
    fuses="opaque",
    fails=True,
    doc="The determinant of square matrices; 1 for an empty one.",
    infer=lambda x: (_matrix(x, square=True)[:-2], x.dtype),
    reference=_det_reference,
    vjp=_det_vjp,
    samples=Samples(_FLOATS, (Case((_WELL,)), Case((Arg((2, 2, 2), 0.5, 3.0, None, True),)), Case((Arg((0, 0)),)))),
)


# ---------------------------------------------------------------- LU


def _lu(x: Array) -> tuple[Array, Array, Array]:
    from scipy.linalg import lu

    if x.size == 0:
        r, c = x.shape[-2:]
        k = min(r, c)
        p = np.broadcast_to(np.arange(r), (*x.shape[:-2], r))
        eye = np.broadcast_to(np.eye(r, k, dtype=x.dtype), (*x.shape[:-2], r, k))
        return p, eye, np.zeros((*x.shape[:-2], k, c), x.dtype)
    p, low, up = lu(x, p_indices=True)
    return p, low, up


def _lu_infer(part: str) -> Callable[[Aval], tuple[Shape, DType]]:
    def infer(x: Aval) -> tuple[Shape, DType]:
        *batch, r, c = _matrix(x)
        k = min(r, c)
        if part == "p":
            return (*batch, r), int64
        return (*batch, *((r, k) if part == "l" else (k, c))), x.dtype

    return infer


def _permuted(do: Any, x: Any, p: Any) -> Any:
    """Rows put back in their old order: row p[i] of the result is row i of x... as A = L[p] U has it."""
    index = do.expand(do.reshape(p, (*p.shape, 1)), (*p.shape, x.shape[-1]))
    return do.scatter(do.full(0, x.shape, x.dtype), _invert(do, index, len(p.shape) - 1), x, len(p.shape) - 1, "assign")


def _invert(do: Any, index: Any, axis: int) -> Any:
    return do.argsort(index, axis, False, True)


def _lu_vjp(part: str) -> Callable[..., list[Any]]:
    """The gradient through L or U alone (de Hoog, Anderssen and Lukas 2011; the other gradient is zero).

    Square: gA = Pᵀ L⁻ᵀ (tril(Lᵀ gL, -1) + triu(gU Uᵀ)) U⁻ᵀ. Wide matrices correct the lower part by
    the columns that U has beyond the square, tall ones the upper part by the rows of L.
    """

    def vjp(do: Any, g: Any, _out: Any, x: Any) -> list[Any]:
        r, c = x.shape[-2:]
        k = min(r, c)
        p, low, up = do.lu_p(x), do.lu_l(x), do.lu_u(x)
        l1, u1 = _rows(do, low, 0, k), _cols(do, up, 0, k)
        lower = do.matmul(_swap(do, low), g) if part == "l" else None
        upper = do.matmul(g, _swap(do, up)) if part == "u" else None
        if r < c and part == "u":
            u2, g2 = _cols(do, up, k, c), _cols(do, g, k, c)
            lower = do.neg(do.matmul(g2, _swap(do, u2)))
            upper = do.matmul(_cols(do, g, 0, k), _swap(do, u1))
        if r > c and part == "l":
            l2, g2 = _rows(do, low, k, r), _rows(do, g, k, r)
            lower = do.matmul(_swap(do, l1), _rows(do, g, 0, k))
            upper = do.neg(do.matmul(_swap(do, l2), g2))
        middle: Any = None
        for triangle, below in ((lower, True), (upper, False)):
            if triangle is not None:
                kept = _keep(do, triangle, below, not below)
                middle = kept if middle is None else do.add(middle, kept)
        # X U1⁻ᵀ = (U1⁻¹ Xᵀ)ᵀ
        if r < c:
            inner = _swap(do, do.solve(u1, _swap(do, middle)))
            if part == "u":
                inner = do.concat([inner, _cols(do, g, k, c)], len(x.shape) - 1)
            else:
                inner = do.pad(inner, ((0, 0),) * (len(x.shape) - 1) + ((0, c - k),), 0)
            result = do.solve(_swap(do, l1), inner)
        else:
            result = do.solve(_swap(do, l1), middle)
            if r > c:
                if part == "l":
                    result = do.concat([result, _rows(do, g, k, r)], len(x.shape) - 2)
                else:
                    result = do.pad(result, ((0, 0),) * (len(x.shape) - 2) + ((0, r - k), (0, 0)), 0)
            result = _swap(do, do.solve(u1, _swap(do, result)))
        return [_permuted(do, result, p)]

    return vjp


_LU_CASES = (
    Case((Arg((3, 3), 0.5, 3.0, None, True),)),
    Case((Arg((2, 4), 0.5, 3.0, None, True),)),
    Case((Arg((4, 2), 0.5, 3.0, None, True),)),
    Case((Arg((2, 2, 2), 0.5, 3.0, None, True),)),
    Case((Arg((1, 1), 0.5, 3.0, None, True),)),
)

op(
    "lu_p",
    fuses="opaque",
    fails=True,
    doc="The row order of an LU decomposition with partial pivoting: A = (L U)[p].",
    infer=_lu_infer("p"),
    reference=lambda x: _lu(x)[0],
    vjp=ZERO,
    samples=Samples(_FLOATS, _LU_CASES),
)
op(
    "lu_l",
    fuses="opaque",
    fails=True,
    doc="The unit lower factor of an LU decomposition with partial pivoting, (…, r, min(r, c)).",
    infer=_lu_infer("l"),
    reference=lambda x: _lu(x)[1],
    vjp=_lu_vjp("l"),
    samples=Samples(_FLOATS, _LU_CASES),
)
op(
    "lu_u",
    fuses="opaque",
    fails=True,
    doc="The upper factor of an LU decomposition with partial pivoting, (…, min(r, c), c).",
    infer=_lu_infer("u"),
    reference=lambda x: _lu(x)[2],
    vjp=_lu_vjp("u"),
    samples=Samples(_FLOATS, _LU_CASES),
)


# ---------------------------------------------------------------- QR


def _qr_infer(part: str) -> Callable[[Aval, bool], tuple[Shape, DType]]:
    def infer(x: Aval, reduced: bool) -> tuple[Shape, DType]:
        *batch, r, c = _matrix(x)
        k = min(r, c) if reduced else r
        return (*batch, *((r, k) if part == "q" else (k, c))), x.dtype

    return infer


def _qr(x: Array, reduced: bool) -> tuple[Array, Array]:
    found = np.linalg.qr(x, "reduced" if reduced else "complete")
    return np.asarray(found[0]), np.asarray(found[1])


def _qr_vjp(part: str) -> Callable[..., list[Any]]:
    """gA = (gQ + Q copyltu(R gRᵀ - gQᵀ Q)) R⁻ᵀ for r ≥ c (Walter and Lehmann 2018); wide matrices by blocks."""

    def vjp(do: Any, g: Any, _out: Any, x: Any, reduced: bool) -> list[Any]:
        _need_real(x)
        r, c = x.shape[-2:]
        if not reduced and r > c:
            raise ArgumentError(
                f"the complete QR of matrices of shape ({r}, {c}) has no gradient: its extra columns are arbitrary"
            )
        q, up = do.qr_q(x, True), do.qr_r(x, True)
        if r >= c:
            return [_qr_tall(do, q, up, g if part == "q" else None, g if part == "r" else None)]
        u = _cols(do, up, 0, r)
        y = _cols(do, x, r, c)
        if part == "q":
            left = _qr_tall(do, q, u, g, None)
            return [do.pad(left, ((0, 0),) * (len(x.shape) - 1) + ((0, c - r),), 0)]
        gu, gv = _cols(do, g, 0, r), _cols(do, g, r, c)
        left = _qr_tall(do, q, u, do.matmul(y, _swap(do, gv)), gu)
        return [do.concat([left, do.matmul(q, gv)], len(x.shape) - 1)]

    return vjp


def _qr_tall(do: Any, q: Any, r: Any, gq: Any, gr: Any) -> Any:
    m: Any = None
    if gr is not None:
        m = do.matmul(r, _swap(do, gr))
    if gq is not None:
        other = do.matmul(_swap(do, gq), q)
        m = do.neg(other) if m is None else do.sub(m, other)
    copied = do.add(_keep(do, m, True, True), _swap(do, _keep(do, m, True, False)))
    total = do.matmul(q, copied)
    if gq is not None:
        total = do.add(gq, total)
    return _swap(do, do.solve(r, _swap(do, total)))


_QR_CASES = tuple(
    Case((Arg(s, 0.5, 3.0, None, True),), (True,)) for s in ((3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1))
) + (Case((Arg((3, 3), 0.5, 3.0, None, True),), (False,)),)

op(
    "qr_q",
    fuses="opaque",
    fails=True,
    doc="The orthonormal factor of A = Q R; reduced to min(r, c) columns or complete.",
    params=("reduced",),
    infer=_qr_infer("q"),
    reference=lambda x, reduced: _qr(x, reduced)[0],
    vjp=_qr_vjp("q"),
    samples=Samples(_FLOATS, _QR_CASES),
)
op(
    "qr_r",
    fuses="opaque",
    fails=True,
    doc="The upper triangular factor of A = Q R.",
    params=("reduced",),
    infer=_qr_infer("r"),
    reference=lambda x, reduced: _qr(x, reduced)[1],
    vjp=_qr_vjp("r"),
    samples=Samples(_FLOATS, _QR_CASES),
)


# ---------------------------------------------------------------- Cholesky, singular and eigenvalues


def _hermitian(x: Array) -> Array:
    """The whole matrix of a lower triangle."""
    return np.asarray(np.tril(x) + np.swapaxes(np.tril(x, -1), -1, -2).conj())


def _cholesky_reference(x: Array) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(_hermitian(x)))
    except np.linalg.LinAlgError:
        raise ArgumentError(f"a matrix of shape {x.shape[-2:]} is not positive definite") from None


def _cholesky_vjp(do: Any, g: Any, out: Any, _x: Any) -> list[Any]:
    """gA = ½ L⁻ᵀ Φ(Lᵀ gL) L⁻¹ made symmetric and folded onto the triangle that is read (Murray 2016)."""
    _need_real(_x)
    phi = _keep(do, do.matmul(_swap(do, out), g), True, True)
    diag = do.eq(_numbers(do, phi.shape[-2], 0), _numbers(do, phi.shape[-1], 1))
    phi = do.where(diag, do.mul(phi, 0.5), phi)
    left = do.solve(_swap(do, out), phi)  # L⁻ᵀ Φ
    s = _swap(do, do.solve(_swap(do, out), _swap(do, left)))  # … L⁻¹
    both = do.add(s, _swap(do, s))
    return [do.where(diag, do.mul(both, 0.5), _keep(do, both, True, False))]


op(
    "cholesky",
    fuses="opaque",
    fails=True,
    doc="L with A = L Lᴴ for Hermitian positive definite matrices; only the lower triangle of A is read.",
    infer=lambda x: (_matrix(x, square=True), x.dtype),
    reference=_cholesky_reference,
    vjp=_cholesky_vjp,
    samples=Samples(_FLOATS, (Case((Arg((1, 1), 1.0, 3.0),)), Case((Arg((0, 0)),)))),
)


def _svd_infer(part: str) -> Callable[[Aval, bool], tuple[Shape, DType]]:
    def infer(x: Aval, full: bool) -> tuple[Shape, DType]:
        *batch, r, c = _matrix(x)
        k = min(r, c)
        shapes = {"u": (r, r if full else k), "s": (k,), "v": (c if full else k, c)}
        return (*batch, *shapes[part]), _part(x.dtype) if part == "s" else x.dtype

    return infer


def _svd_part(x: Array, full: bool, part: int) -> Array:
    return np.asarray(np.linalg.svd(x, full_matrices=full)[part])


def _svd_values_vjp(do: Any, g: Any, _out: Any, x: Any, full: bool) -> list[Any]:
    """gA = U diag(gS) Vᵀ."""
    _need_real(x)
    u, vt = do.svd_u(x, False), do.svd_v(x, False)
    return [do.matmul(do.mul(u, do.reshape(g, (*g.shape[:-1], 1, g.shape[-1]))), vt)]


_SVD = tuple(Case((Arg(s, 0.5, 3.0, None, True),), (False,)) for s in ((3, 3), (4, 2), (2, 3)))

op(
    "svd_s",
    fuses="opaque",
    fails=True,
    doc="The singular values, descending.",
    params=("full",),
    infer=_svd_infer("s"),
    reference=lambda x, full: np.linalg.svd(x, compute_uv=False),
    vjp=_svd_values_vjp,
    samples=Samples(_FLOATS, _SVD),
)


def _svd_vectors_vjp(left: bool) -> Callable[..., list[Any]]:
    """The gradient through U or Vᵀ alone, for distinct singular values (Townsend 2016).

    With F[i, j] = 1/(sj² - si²) off the diagonal, gA = U (F ∘ (UᵀgU - gUᵀU)) S Vᵀ plus the part of
    gU outside the span of U, over S; V likewise for the transposed matrix.
    """

    def vjp(do: Any, g: Any, out: Any, x: Any, full: bool) -> list[Any]:
        _need_real(x)
        r, c = x.shape[-2:]
        if full and r != c:
            raise ArgumentError("the full singular vectors have no gradient: the extra ones are arbitrary")
        # for V, work on Aᵀ = V S Uᵀ
        u = out if left else _swap(do, out)
        gu = g if left else _swap(do, g)
        other = do.svd_v(x, False) if left else _swap(do, do.svd_u(x, False))
        s = do.svd_s(x, False)
        k = s.shape[-1]
        row = do.reshape(s, (*s.shape[:-1], 1, k))
        square = do.square(row)
        gaps = do.sub(square, do.reshape(square, (*s.shape[:-1], k, 1)))
        same = do.eq(_numbers(do, k, 0), _numbers(do, k, 1))
        f = do.where(same, 0, do.recip(do.where(same, 1, gaps)))
        inner = do.matmul(_swap(do, u), gu)
        turn = do.mul(do.mul(f, do.sub(inner, _swap(do, inner))), row)
        outside = do.div(do.sub(gu, do.matmul(u, inner)), row)
        result = do.matmul(do.add(do.matmul(u, turn), outside), other)
        return [result if left else _swap(do, result)]

    return vjp


for _svd_name, _svd_letter, _svd_place in (("svd_u", "u", 0), ("svd_v", "v", 2)):
    op(
        _svd_name,
        fuses="opaque",
        fails=True,
        doc="A factor of A = U diag(S) Vᴴ: the left vectors in columns, or Vᴴ. Signs are LAPACK's.",
        params=("full",),
        infer=_svd_infer(_svd_letter),
        reference=lambda x, full, place=_svd_place: _svd_part(x, full, place),
        vjp=_svd_vectors_vjp(_svd_letter == "u"),
        samples=Samples(_FLOATS, _SVD),
    )


def _eigh_values_vjp(do: Any, g: Any, _out: Any, x: Any) -> list[Any]:
    """gA = V diag(g) Vᵀ, folded onto the triangle that is read."""
    _need_real(x)
    v = do.eigh_vectors(x)
    s = do.matmul(do.mul(v, do.reshape(g, (*g.shape[:-1], 1, g.shape[-1]))), _swap(do, v))
    return [do.add(_keep(do, s, True, True), _keep(do, s, True, False))]


op(
    "eigh_values",
    fuses="opaque",
    fails=True,
    doc="The eigenvalues of Hermitian matrices, ascending; only the lower triangle is read.",
    infer=lambda x: (_matrix(x, square=True)[:-1], _part(x.dtype)),
    reference=lambda x: np.linalg.eigvalsh(_hermitian(x)) if x.size else np.empty(x.shape[:-1], x.real.dtype),
    vjp=_eigh_values_vjp,
    samples=Samples(_FLOATS, (Case((_WELL,)), Case((Arg((2, 2, 2), 0.5, 3.0, None, True),)))),
)


def _eigh_vectors_vjp(do: Any, g: Any, out: Any, x: Any) -> list[Any]:
    """gA = V (F ∘ (Vᵀ gV)) Vᵀ with F[i, j] = 1/(λj - λi) off the diagonal; needs distinct eigenvalues."""
    _need_real(x)
    w = do.eigh_values(x)
    n = x.shape[-1]
    gaps = do.sub(do.reshape(w, (*w.shape[:-1], 1, n)), do.reshape(w, (*w.shape[:-1], n, 1)))
    same = do.eq(_numbers(do, n, 0), _numbers(do, n, 1))
    f = do.where(same, 0, do.recip(do.where(same, 1, gaps)))
    s = do.matmul(do.matmul(out, do.mul(f, do.matmul(_swap(do, out), g))), _swap(do, out))
    both = do.add(s, _swap(do, s))
    half = do.where(same, do.mul(both, 0.5), both)
    return [_keep(do, half, True, True)]


op(
    "eigh_vectors",
    fuses="opaque",
    fails=True,
    doc="The eigenvectors of Hermitian matrices in columns, in the order of the eigenvalues. Signs are LAPACK's.",
    infer=lambda x: (_matrix(x, square=True), x.dtype),
    reference=lambda x: np.linalg.eigh(_hermitian(x))[1] if x.size else np.empty(x.shape, x.dtype),
    vjp=_eigh_vectors_vjp,
    samples=Samples(_FLOATS, (Case((_WELL,)), Case((Arg((2, 2, 2), 0.5, 3.0, None, True),)))),
)


def _eig_reference(x: Array, vectors: bool) -> Array:
    wide = np.result_type(x, np.complex64)
    if x.size == 0:
        return np.empty(x.shape if vectors else x.shape[:-1], wide)
    found = np.linalg.eig(x)[1] if vectors else np.linalg.eigvals(x)
    return np.asarray(found, wide)


for _eig_name, _eig_vectors in (("eig_values", False), ("eig_vectors", True)):
    op(
        _eig_name,
        fuses="opaque",
        fails=True,
        doc="The complex eigenvalues of square matrices, in LAPACK's order; or the eigenvectors in columns.",
        infer=lambda x, vectors=_eig_vectors: (
            _matrix(x, square=True)[: None if vectors else -1],
            complex128 if x.dtype in (float64, complex128) else complex64,
        ),
        reference=lambda x, vectors=_eig_vectors: _eig_reference(x, vectors),
        samples=Samples(_FLOATS, (Case((Arg((1, 1)),)), Case((Arg((0, 0)),)))),
    )
