"""Products of vectors, matrices and tensors."""

from __future__ import annotations

from collections.abc import Sequence

from ..apply import apply, do_of, pair, wrap
from ..errors import ArgumentError, ShapeError, public
from ..methods import operators
from ..methods.creation import EinsumOperand
from ..ops import contract
from ..tensor import Tensor
from .arguments import tensor

__all__ = ["einsum", "matmul", "matrix_transpose", "tensordot", "vecdot"]


def two(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Two tensors of one dtype."""
    return pair(tensor(x1), tensor(x2))


@public("pr.matmul")
def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The matrix product of the last two axes; the leading axes broadcast. A vector is a row or a column.

    Raises `ShapeError` where the inner sizes differ, or for rank 0.

    Example:
        >>> pr.matmul(pr.asarray([[1, 2], [3, 4]]), pr.asarray([1, 1])).to_list()
        [3, 7]

    Source: array API, `matmul`.
    """
    return operators.matmul(tensor(x1), tensor(x2))


@public("pr.matrix_transpose")
def matrix_transpose(x: Tensor, /) -> Tensor:
    """x with its last two axes swapped. A view.

    Raises `ShapeError` below rank 2.

    Example:
        >>> pr.matrix_transpose(pr.asarray([[1, 2], [3, 4]])).to_list()
        [[1, 3], [2, 4]]

    Source: array API, `matrix_transpose`.
    """
    t = tensor(x)
    if t.rank < 2:
        raise ShapeError(f"a matrix transpose needs rank 2 or more, the tensor has shape {t.shape}")
    return apply("permute", (t,), (*range(t.rank - 2), t.rank - 1, t.rank - 2))


@public("pr.tensordot")
def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Sums x1 · x2 over pairs of axes: the last `axes` of x1 with the first of x2, or two lists of axes.

    Raises `ShapeError` where paired sizes differ, `ArgumentError` for more axes than there are.

    Example:
        >>> pr.tensordot(pr.asarray([[1, 2], [3, 4]]), pr.asarray([[1, 0], [0, 1]]), axes=2).item()
        5

    Source: array API, `tensordot`.
    """
    a, b = two(x1, x2)
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.rank, b.rank):
            raise ArgumentError(f"{axes} axes cannot be contracted of shapes {a.shape} and {b.shape}")
        first: Sequence[int] = range(a.rank - axes, a.rank)
        second: Sequence[int] = range(axes)
    else:
        first, second = axes
    return wrap(contract.tensordot(do_of(a, b), a._v, b._v, first, second))


@public("pr.vecdot")
def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Σ conj(x1) · x2 along an axis of the same size in both; the others broadcast.

    Raises `ShapeError` where the sizes differ.

    Example:
        >>> pr.vecdot(pr.asarray([1, 2, 3]), pr.asarray([1, 1, 1])).item()
        6

    Source: array API, `vecdot`.
    """
    a, b = two(x1, x2)
    return wrap(contract.vecdot(do_of(a, b), a._v, b._v, axis))


@public("pr.einsum")
def einsum(equation: str, *operands: Tensor | EinsumOperand) -> Tensor:
    """The sum of products that `equation` describes, such as "ij,jk->ik", in a cheap order of pairs.

    Labels are letters, `...` stands for axes that broadcast, a label repeated in one operand takes the
    diagonal. The dtypes must be equal. A result without axes has rank 0.

    Raises `ArgumentError` for a bad equation or another number of operands, `ShapeError` for sizes that
    differ, `DTypeError` for different dtypes.

    Example:
        >>> pr.einsum("ij,j->i", pr.asarray([[1, 2], [3, 4]]), pr.asarray([1, 1])).to_list()
        [3, 7]

    Source: Burn, `Tensor::einsum`.
    """
    if not operands:
        raise ArgumentError(f"the equation {equation!r} needs at least one tensor")
    given = [tensor(t.tensor if isinstance(t, EinsumOperand) else t) for t in operands]
    return wrap(contract.einsum(do_of(*given), equation, [t._v for t in given]))
