"""`pr.linalg`: norms, diagonals and products, over the last axes of stacks of vectors and matrices."""

from __future__ import annotations

from typing import Any

from ..apply import apply, cast_to, do_of, wrap
from ..dtypes import Int, int64, uint64
from ..errors import ShapeError, public
from ..ops import composite
from ..tensor import Tensor
from .arguments import maybe_dtype, tensor
from .decompositions import (
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lu,
    matrix_norm,
    matrix_power,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)  # fmt: skip
from .linear_algebra import matmul, matrix_transpose, tensordot, two, vecdot
from .norms import (
    Norm,
    cosine_similarity,
    diag,
    l0_norm,
    l1_norm,
    l2_norm,
    lp_norm,
    matvec,
    max_abs_norm,
    min_abs_norm,
    outer,
    outer_dim,
    vector_norm,
    vector_normalize,
)  # fmt: skip

__all__ = [
    "Norm", "cholesky", "cosine_similarity", "cross", "det", "diag", "diagonal", "eig", "eigh", "eigvals",
    "eigvalsh", "inv", "l0_norm", "l1_norm", "l2_norm", "lp_norm", "lu", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "matvec", "max_abs_norm", "min_abs_norm", "outer", "outer_dim", "pinv", "qr",
    "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm", "vector_normalize",
]  # fmt: skip


@public("pr.linalg.trace")
def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sum of the diagonal of the last two axes; integers widen as in `pr.sum`.

    Raises `ShapeError` below rank 2.

    Example:
        >>> pr.linalg.trace(pr.asarray([[1, 2], [3, 4]])).item()
        5

    Source: array API, `linalg.trace`.
    """
    t = tensor(x)
    kept = maybe_dtype(dtype)
    if kept is None:
        kept = (int64 if t.dtype.signed else uint64) if t.dtype.kind is Int else t.dtype
    t = cast_to(t, kept)
    return wrap(composite.trace(do_of(t), t._v, offset))


@public("pr.linalg.diagonal")
def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of the matrices of the last two axes, along a new last axis. A view.

    Raises `ShapeError` below rank 2.

    Example:
        >>> pr.linalg.diagonal(pr.asarray([[1, 2], [3, 4]])).to_list()
        [1, 4]

    Source: array API, `linalg.diagonal`.
    """
    t = tensor(x)
    if t.rank < 2:
        raise ShapeError(f"a diagonal needs rank 2 or more, the tensor has shape {t.shape}")
    return apply("diagonal", (t,), t.rank - 2, t.rank - 1, offset)


@public("pr.linalg.cross")
def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The vector product along an axis of size 3; the other axes broadcast.

    Raises `ShapeError` for another size.

    Example:
        >>> pr.linalg.cross(pr.asarray([1, 0, 0]), pr.asarray([0, 1, 0])).to_list()
        [0, 0, 1]

    Source: array API, `linalg.cross`.
    """
    a, b = two(x1, x2)
    return wrap(composite.cross(do_of(a, b), a._v, b._v, axis))
