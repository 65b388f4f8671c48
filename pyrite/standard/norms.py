"""Norms, similarities and products of `pr.linalg` under Burn's names; `dim` keeps the rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..apply import apply, cast_to, do_of, need_kind, pair, wrap
from ..dtypes import Complex, Float, Int, float32, kind_of_scalar, promote
from ..errors import ArgumentError, ShapeError, public
from ..layout import normalize_axes, normalize_axis
from ..ops import composite
from ..ops.elementwise import check_kind
from ..tensor import Tensor
from .arguments import Axes, floats, tensor


@dataclass(frozen=True)
class Norm:
    """Which vector norm: `Norm.L0`, `L1`, `L2`, `LInf`, `LNegInf` or `Norm.Lp(p)`; a number is one too."""

    exponent: float

    L0: ClassVar[Norm]
    L1: ClassVar[Norm]
    L2: ClassVar[Norm]
    LInf: ClassVar[Norm]
    LNegInf: ClassVar[Norm]

    @staticmethod
    def Lp(p: float) -> Norm:
        """The norm (Σ |x|ᵖ)^(1/p)."""
        return Norm(float(p))

    def to_exponent(self) -> float:
        """The p of the norm: 0, 1, 2, inf, -inf or p."""
        return self.exponent


Norm.L0, Norm.L1, Norm.L2 = Norm(0.0), Norm(1.0), Norm(2.0)
Norm.LInf, Norm.LNegInf = Norm(float("inf")), Norm(float("-inf"))


def _exponent(norm: Any) -> float:
    if isinstance(norm, Norm):
        return norm.exponent
    if kind_of_scalar(norm) in (Int, Float):
        return float(norm)
    raise ArgumentError(f"{norm!r} is not a norm: expected a pr.linalg.Norm or a number")


def _norm(x: Tensor, p: float, dim: int) -> Tensor:
    return wrap(composite.vector_norm(do_of(x), x._v, p, (normalize_axis(dim, x.rank),), True))


@public("pr.linalg.vector_norm")
def vector_norm(
    x: Tensor, /, norm: Any = None, dim: int | None = None, *, axis: Axes = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """(Σ |x|ᵖ)^(1/p); 0 counts what is not 0, ±∞ are the extremes. Nothing overflows inside.

    With `norm` and `dim` it is Burn's: along one dim, rank kept, of a Float tensor. With `axis`, `keepdims`
    and `ord` it is the standard's: over all axes by default, rank 0, of a Complex tensor too. Gradient at 0: 0.

    Example:
        >>> pr.linalg.vector_norm(pr.asarray([3.0, 4.0])).item()
        5.0
        >>> pr.linalg.vector_norm(pr.asarray([[3.0, 4.0]]), pr.linalg.Norm.L1, 1).to_list()
        [[7.0]]

    Source: Burn, `linalg::vector_norm`; array API, `linalg.vector_norm`.
    """
    if norm is not None or dim is not None:
        if norm is None or dim is None:
            given, missing = ("a dim", "norm") if norm is None else ("a norm", "dim")
            raise ArgumentError(f"{given} needs the {missing} too", "or use the keywords ord= and axis=")
        if axis is not None or keepdims:
            raise ArgumentError("a norm and its dim do not go with axis= and keepdims=")
        return _norm(floats(x), _exponent(norm), dim)
    t = tensor(x)
    check_kind(t.dtype, (Float, Complex))
    return wrap(composite.vector_norm(do_of(t), t._v, float(ord), normalize_axes(axis, t.rank), keepdims))


@public("pr.linalg.lp_norm")
def lp_norm(x: Tensor, p: float, dim: int) -> Tensor:
    """(Σ |x|ᵖ)^(1/p) along `dim`, rank kept, for any real p and ±∞.

    Example:
        >>> pr.linalg.lp_norm(pr.asarray([[3.0, 4.0]]), 2.0, 1).to_list()
        [[5.0]]

    Source: Burn, `linalg::lp_norm`.
    """
    return _norm(floats(x), _exponent(p), dim)


@public("pr.linalg.l0_norm")
def l0_norm(x: Tensor, dim: int) -> Tensor:
    """How many elements along `dim` are not 0, in the tensor's own dtype; rank kept. Gradient 0.

    Example:
        >>> pr.linalg.l0_norm(pr.asarray([[3, 0, 4]]), 1).to_list()
        [[2]]

    Source: Burn, `linalg::l0_norm`.
    """
    t = tensor(x)
    need_kind(t, Float, Int)
    on = cast_to(t != (0.0 if t.dtype.is_float() else 0), t.dtype)
    return apply("sum", (on,), (normalize_axis(dim, t.rank),), True)


@public("pr.linalg.l1_norm")
def l1_norm(x: Tensor, dim: int) -> Tensor:
    """Σ |x| along `dim`, rank kept; Float and Int.

    Example:
        >>> pr.linalg.l1_norm(pr.asarray([[3, -4]]), 1).to_list()
        [[7]]

    Source: Burn, `linalg::l1_norm`.
    """
    t = tensor(x)
    return apply("sum", (apply("abs", (t,)),), (normalize_axis(dim, t.rank),), True)


@public("pr.linalg.l2_norm")
def l2_norm(x: Tensor, dim: int) -> Tensor:
    """√Σ x² along `dim`, rank kept. Gradient 0 at 0.

    Example:
        >>> pr.linalg.l2_norm(pr.asarray([[3.0, 4.0]]), 1).to_list()
        [[5.0]]

    Source: Burn, `linalg::l2_norm`.
    """
    return _norm(floats(x), 2.0, dim)


@public("pr.linalg.max_abs_norm")
def max_abs_norm(x: Tensor, dim: int) -> Tensor:
    """The largest magnitude along `dim`, rank kept; Float and Int.

    Example:
        >>> pr.linalg.max_abs_norm(pr.asarray([[3, -4]]), 1).to_list()
        [[4]]

    Source: Burn, `linalg::max_abs_norm`.
    """
    t = tensor(x)
    return apply("max", (apply("abs", (t,)),), (normalize_axis(dim, t.rank),), True)


@public("pr.linalg.min_abs_norm")
def min_abs_norm(x: Tensor, dim: int) -> Tensor:
    """The smallest magnitude along `dim`, rank kept; Float and Int.

    Example:
        >>> pr.linalg.min_abs_norm(pr.asarray([[3, -4]]), 1).to_list()
        [[3]]

    Source: Burn, `linalg::min_abs_norm`.
    """
    t = tensor(x)
    return apply("min", (apply("abs", (t,)),), (normalize_axis(dim, t.rank),), True)


@public("pr.linalg.vector_normalize")
def vector_normalize(x: Tensor, norm: Any, dim: int, eps: float) -> Tensor:
    """x / max(norm of x along `dim`, eps).

    Example:
        >>> pr.linalg.vector_normalize(pr.asarray([[0.0, 4.0]]), 2, 1, 1e-8).to_list()
        [[0.0, 1.0]]

    Source: Burn, `linalg::vector_normalize`.
    """
    t = floats(x)
    wide = _widened(t)
    return cast_to(wide / apply("maximum", (_norm(wide, _exponent(norm), dim), _constant(eps, wide))), t.dtype)


def _widened(t: Tensor) -> Tensor:
    """A half-precision tensor in float32: what is made of it is rounded once."""
    return cast_to(t, float32) if t.dtype.is_half() else t


def _constant(value: float, like: Tensor) -> Tensor:
    return wrap(do_of(like).scalar(float(value), like.dtype))


@public("pr.linalg.cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int, eps: float | None = None) -> Tensor:
    """Σ x1·x2 / (max(‖x1‖, eps) · max(‖x2‖, eps)) along `dim`, rank kept; 0 for zero vectors.

    The other dims broadcast. `eps` is the dtype's smallest positive normal number by default.

    Raises `ShapeError` for different ranks and sizes along `dim`, and where the rest does not broadcast.

    Example:
        >>> a = pr.asarray([[1.0, 0.0]])
        >>> pr.linalg.cosine_similarity(a, a, 1).to_list()
        [[1.0]]

    Source: Burn, `linalg::cosine_similarity`.
    """
    a, b = floats(x1), floats(x2)
    dtype = promote(a.dtype, b.dtype)
    if a.rank != b.rank:
        raise ShapeError(f"the shapes {a.shape} and {b.shape} have different ranks")
    axis = normalize_axis(dim, a.rank)
    if a.shape[axis] != b.shape[axis]:
        raise ShapeError(f"the shapes {a.shape} and {b.shape} have different sizes along axis {axis}")
    a, b = _widened(cast_to(a, dtype)), _widened(cast_to(b, dtype))
    info = dtype.finfo()
    assert info is not None
    small = _constant(info.min_positive if eps is None else eps, a)
    unit = [t / apply("maximum", (_norm(t, 2.0, axis), small)) for t in (a, b)]
    return cast_to(apply("sum", (unit[0] * unit[1],), (axis,), True), dtype)


@public("pr.linalg.diag")
def diag(tensor_: Tensor, /) -> Tensor:
    """The diagonals of the last two axes: `(…, min(r, c))`. Any kind; a view.

    Raises `ShapeError` below rank 2: it never builds a matrix.

    Example:
        >>> pr.linalg.diag(pr.asarray([[1, 2], [3, 4]])).to_list()
        [1, 4]

    Source: Burn, `linalg::diag`.
    """
    t = tensor(tensor_)
    if t.rank < 2:
        raise ShapeError(f"a diagonal needs rank 2 or more, the tensor has shape {t.shape}")
    return apply("diagonal", (t,), t.rank - 2, t.rank - 1, 0)


@public("pr.linalg.matvec")
def matvec(matrix: Tensor, vector: Tensor) -> Tensor:
    """`(…, r, c)` by `(…, c)`: `(…, r)`; leading axes broadcast. Float and Int.

    Raises `ShapeError` when the vector's rank is not one less, or sizes do not fit.

    Example:
        >>> pr.linalg.matvec(pr.asarray([[1, 2], [3, 4]]), pr.asarray([1, 1])).to_list()
        [3, 7]

    Source: Burn, `linalg::matvec`.
    """
    m, v = pair(tensor(matrix), tensor(vector))
    if m.rank < 2 or v.rank != m.rank - 1:
        raise ShapeError(f"a matrix of shape {m.shape} needs a vector of rank {max(m.rank - 1, 1)}, got {v.shape}")
    if m.shape[-1] != v.shape[-1]:
        raise ShapeError(f"matrices of shape {m.shape} need vectors of size {m.shape[-1]}, got {v.shape}")
    found = apply("matmul", (m, apply("reshape", (v,), (*v.shape, 1))))
    return apply("reshape", (found,), tuple(found.shape[:-1]))


@public("pr.linalg.outer")
def outer(lhs: Tensor, rhs: Tensor, /) -> Tensor:
    """result[…, i, j] = lhs[…, i] · rhs[…, j]; equal ranks, leading axes broadcast. Float, Int, Complex.

    Raises `ShapeError` for rank 0 or different ranks.

    Example:
        >>> pr.linalg.outer(pr.asarray([1, 2]), pr.asarray([3, 4])).to_list()
        [[3, 4], [6, 8]]

    Source: Burn, `linalg::outer`; array API, `linalg.outer` (rank 1).
    """
    return _outer(lhs, rhs, -1)


@public("pr.linalg.outer_dim")
def outer_dim(lhs: Tensor, rhs: Tensor, dim: int) -> Tensor:
    """The outer product along `dim`, which becomes two axes at `dim` and `dim` + 1.

    Example:
        >>> pr.linalg.outer_dim(pr.asarray([[1], [2]]), pr.asarray([[3], [4]]), 0).shape
        (2, 2, 1)

    Source: Burn, `linalg::outer_dim`.
    """
    return _outer(lhs, rhs, dim)


def _outer(lhs: Any, rhs: Any, dim: int) -> Tensor:
    a, b = pair(tensor(lhs), tensor(rhs))
    if a.rank == 0 or a.rank != b.rank:
        raise ShapeError(f"an outer product needs two tensors of one rank from 1 on, got {a.shape} and {b.shape}")
    at = normalize_axis(dim, a.rank)
    for i, (m, n) in enumerate(zip(a.shape, b.shape)):
        if i != at and m != n and 1 not in (m, n):
            raise ShapeError(f"{a.shape} and {b.shape} do not broadcast along axis {i}, only axis {at} may differ")
    left = apply("reshape", (a,), (*a.shape[: at + 1], 1, *a.shape[at + 1 :]))
    right = apply("reshape", (b,), (*b.shape[:at], 1, *b.shape[at:]))
    return apply("mul", (left, right))
