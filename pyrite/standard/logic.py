"""Comparisons, logical functions and functions of bits. Tensors broadcast; a Python number may stand on one side."""

from __future__ import annotations

from typing import Any

from ..apply import apply, pair
from ..dtypes import Bool
from ..errors import public
from ..tensor import Tensor
from .arguments import Operand, one, side, tensor, two

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
]


def _logical(name: str, x1: Any, x2: Any) -> Tensor:
    a, b = pair(side(x1), side(x2))
    return apply(f"logical_{name}", (a, b))


def _bits(name: str, x1: Any, x2: Any) -> Tensor:
    a, b = pair(side(x1), side(x2))
    return apply(f"logical_{name}" if a.dtype.kind is Bool else f"bit_{name}", (a, b))


@public("pr.equal")
def equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 = x2, as Bool.

    Example:
        >>> pr.equal(pr.asarray([1, 2, 3]), 2).to_list()
        [False, True, False]

    Source: array API, `equal`.
    """
    return two("eq", x1, x2)


@public("pr.not_equal")
def not_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 ≠ x2, as Bool.

    Example:
        >>> pr.not_equal(pr.asarray([1, 2, 3]), 2).to_list()
        [True, False, True]

    Source: array API, `not_equal`.
    """
    return two("ne", x1, x2)


@public("pr.less")
def less(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 < x2, as Bool.

    Example:
        >>> pr.less(pr.asarray([1, 2, 3]), 2).to_list()
        [True, False, False]

    Source: array API, `less`.
    """
    return two("lt", x1, x2)


@public("pr.less_equal")
def less_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 ≤ x2, as Bool.

    Example:
        >>> pr.less_equal(pr.asarray([1, 2, 3]), 2).to_list()
        [True, True, False]

    Source: array API, `less_equal`.
    """
    return two("le", x1, x2)


@public("pr.greater")
def greater(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 > x2, as Bool.

    Example:
        >>> pr.greater(pr.asarray([1, 2, 3]), 2).to_list()
        [False, False, True]

    Source: array API, `greater`.
    """
    return two("gt", x1, x2)


@public("pr.greater_equal")
def greater_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 ≥ x2, as Bool.

    Example:
        >>> pr.greater_equal(pr.asarray([1, 2, 3]), 2).to_list()
        [False, True, True]

    Source: array API, `greater_equal`.
    """
    return two("ge", x1, x2)


@public("pr.logical_and")
def logical_and(x1: Operand, x2: Operand, /) -> Tensor:
    """True where both are true; Bool tensors only.

    Example:
        >>> pr.logical_and(pr.asarray([True, False]), True).to_list()
        [True, False]

    Source: array API, `logical_and`.
    """
    return _logical("and", x1, x2)


@public("pr.logical_or")
def logical_or(x1: Operand, x2: Operand, /) -> Tensor:
    """True where at least one is true; Bool tensors only.

    Example:
        >>> pr.logical_or(pr.asarray([True, False]), True).to_list()
        [True, True]

    Source: array API, `logical_or`.
    """
    return _logical("or", x1, x2)


@public("pr.logical_xor")
def logical_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """True where exactly one is true; Bool tensors only.

    Example:
        >>> pr.logical_xor(pr.asarray([True, False]), True).to_list()
        [False, True]

    Source: array API, `logical_xor`.
    """
    return _logical("xor", x1, x2)


@public("pr.logical_not")
def logical_not(x: Tensor, /) -> Tensor:
    """True where x is false; Bool tensors only.

    Example:
        >>> pr.logical_not(pr.asarray([True, False])).to_list()
        [False, True]

    Source: array API, `logical_not`.
    """
    return one("logical_not", x)


@public("pr.bitwise_and")
def bitwise_and(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits set in both; Int and Bool tensors.

    Example:
        >>> pr.bitwise_and(pr.asarray([12, 10]), 6).to_list()
        [4, 2]

    Source: array API, `bitwise_and`.
    """
    return _bits("and", x1, x2)


@public("pr.bitwise_or")
def bitwise_or(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits set in at least one; Int and Bool tensors.

    Example:
        >>> pr.bitwise_or(pr.asarray([12, 10]), 6).to_list()
        [14, 14]

    Source: array API, `bitwise_or`.
    """
    return _bits("or", x1, x2)


@public("pr.bitwise_xor")
def bitwise_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits set in exactly one; Int and Bool tensors.

    Example:
        >>> pr.bitwise_xor(pr.asarray([12, 10]), 6).to_list()
        [10, 12]

    Source: array API, `bitwise_xor`.
    """
    return _bits("xor", x1, x2)


@public("pr.bitwise_left_shift")
def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """x1 shifted left by x2 bits; 0 where x2 is negative or no less than the width.

    Example:
        >>> pr.bitwise_left_shift(pr.asarray([1, 3]), 2).to_list()
        [4, 12]

    Source: array API, `bitwise_left_shift`.
    """
    return two("shl", x1, x2)


@public("pr.bitwise_right_shift")
def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """⌊x1 / 2^x2⌋; where x2 is negative or no less than the width, 0, or -1 for x1 < 0.

    Example:
        >>> pr.bitwise_right_shift(pr.asarray([8, -8]), 2).to_list()
        [2, -2]

    Source: array API, `bitwise_right_shift`.
    """
    return two("shr", x1, x2)


@public("pr.bitwise_invert")
def bitwise_invert(x: Tensor, /) -> Tensor:
    """All bits flipped; Int and Bool tensors.

    Example:
        >>> pr.bitwise_invert(pr.asarray([0, 5])).to_list()
        [-1, -6]

    Source: array API, `bitwise_invert`.
    """
    t = tensor(x)
    return apply("logical_not" if t.dtype.kind is Bool else "bit_not", (t,))
