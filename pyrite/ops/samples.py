"""Builders of test samples, shared by the op files: shapes worth trying, and cases over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import FLOATS, INTS, DType
from .record import Arg, Case, Samples, Shape

# Ranks 0 to 4, sizes 0 and 1, and one length beyond 64 that no vector width divides.
SHAPES: tuple[Shape, ...] = ((), (1,), (5,), (0,), (67,), (2, 3), (4, 1, 3), (2, 0, 3), (2, 3, 2, 2))

# The same for two inputs, with every kind of broadcasting.
PAIRS: tuple[tuple[Shape, Shape], ...] = (
    ((), ()),
    ((5,), (5,)),
    ((67,), (67,)),
    ((3,), ()),
    ((2, 3), (3,)),
    ((1, 3), (2, 1)),
    ((3,), (2, 1, 1)),
    ((0, 3), (1, 3)),
    ((2, 3, 2, 2), (3, 1, 2)),
)


def unary(
    lo: float = -3.0,
    hi: float = 3.0,
    params: Sequence[tuple[Any, ...]] = ((),),
    shapes: Sequence[Shape] = SHAPES,
    dtype: DType | None = None,
    distinct: bool = False,
) -> tuple[Case, ...]:
    """One input between `lo` and `hi`: every shape with every tuple of parameters."""
    return tuple(Case((Arg(s, lo, hi, dtype, distinct),), p) for s in shapes for p in params)


def binary(
    lo: float = -3.0,
    hi: float = 3.0,
    lo2: float | None = None,
    hi2: float | None = None,
    params: Sequence[tuple[Any, ...]] = ((),),
    pairs: Sequence[tuple[Shape, Shape]] = PAIRS,
) -> tuple[Case, ...]:
    """Two inputs that broadcast; `lo2` and `hi2` bound the second one."""
    low, high = lo if lo2 is None else lo2, hi if hi2 is None else hi2
    return tuple(Case((Arg(a, lo, hi), Arg(b, low, high)), p) for a, b in pairs for p in params)


def reals(
    lo: float = -3.0, hi: float = 3.0, dtypes: tuple[DType, ...] = FLOATS, exact: bool = False, specials: bool = True
) -> Samples:
    """Samples of an elementwise op with one floating-point input."""
    return Samples(dtypes, unary(lo, hi), exact, specials)


def ints(lo: float = -3, hi: float = 4, dtypes: tuple[DType, ...] = INTS) -> Samples:
    """Samples of an elementwise op with one integer input; exact."""
    return Samples(dtypes, unary(lo, hi), True, True)


def reductions(shape_axes: Sequence[tuple[Shape, tuple[int, ...]]] = ()) -> tuple[tuple[Shape, tuple[int, ...]], ...]:
    """Shapes with the axes to reduce: inner, outer, middle, all, none, of size 0 and 1, and long ones."""
    usual: tuple[tuple[Shape, tuple[int, ...]], ...] = (
        ((), ()),
        ((5,), (0,)),
        ((67,), (0,)),
        ((3, 300), (1,)),
        ((300, 3), (0,)),
        ((2, 3), (0, 1)),
        ((2, 3), ()),
        ((2, 3, 4), (1,)),
        ((2, 3, 4), (0, 2)),
        ((1, 4, 1), (0, 2)),
        ((0, 3), (1,)),
        ((2, 3, 2, 2), (1, 3)),
    )
    return usual + tuple(shape_axes)
