"""Reductions over a set of axes, and the places of extremes.

Parameters begin (axes, keepdims), axes sorted and counted from the front. Floats of 32 bits and
less accumulate in float64; integers in their own dtype, where they wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import ALL, COMPLEX, FLOATS, INTS, Complex, DType, Float, Kind, bool_, complex128, float64, int32, int64
from ..errors import ShapeError
from ..layout import contiguous_strides, reduced_shape
from .elementwise import FIELDS, NUMBERS, REALS, Array, check_kind, computed
from .record import ZERO, Arg, Aval, Case, Monoid, Samples, Shape, op
from .samples import reductions

Axes = tuple[int, ...]


def _infer(*kinds: type[Kind], result: DType | None = None) -> Callable[..., tuple[Shape, DType]]:
    def infer(x: Aval, axes: Axes, keepdims: bool) -> tuple[Shape, DType]:
        if kinds:
            check_kind(x.dtype, kinds)
        return reduced_shape(x.shape, axes, keepdims), result or x.dtype

    return infer


def _cases(lo: float = -3.0, hi: float = 3.0, distinct: bool = False, empty: bool = True) -> tuple[Case, ...]:
    more: tuple[tuple[Shape, Axes], ...] = (((0,), (0,)), ((2, 0, 3), (1,)), ((2, 0, 3), (0, 1, 2))) if empty else ()
    return tuple(
        Case((Arg(shape, lo, hi, distinct=distinct),), (axes, keepdims))
        for shape, axes in reductions(more)
        for keepdims in (False, True)
    )


def keep_axes(do: Any, x: Any, shape: Shape, axes: Axes) -> Any:
    """The reduced `x` with the reduced axes of `shape` back at size 1."""
    kept = reduced_shape(shape, axes, True)
    return x if x.shape == kept else do.reshape(x, kept)


def spread(do: Any, g: Any, shape: Shape, axes: Axes) -> Any:
    """The gradient of a reduced tensor at every element of `shape`."""
    g = keep_axes(do, g, shape, axes)
    return g if g.shape == shape else do.expand(g, shape)


def wide(dtype: DType) -> DType:
    """The accumulator of sums and products: float64 for floats, else the dtype itself."""
    if dtype.kind is Complex:
        return complex128
    return float64 if dtype.kind is Float else dtype


def _total(function: Any) -> Callable[..., Any]:
    def reference(x: Array, axes: Axes, keepdims: bool) -> Any:
        dtype = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}.get(x.dtype.kind, x.dtype)
        return function(x, axis=axes, keepdims=keepdims, dtype=dtype)

    return reference


# ---------------------------------------------------------------- sums and products

op(
    "sum",
    fuses="reduce",
    params=("axes", "keepdims"),
    doc="Σ x over the axes; 0 when there is nothing to add. Integers wrap.",
    infer=_infer(*NUMBERS),
    # a total starts at +0, so that a sum of -0 is +0 for every length
    reference=lambda x, axes, keepdims: _total(np.sum)(x, axes, keepdims) + 0,
    monoid=Monoid(identity=lambda d: 0, combine=lambda b, total, x: b.add(total, x), accumulate=wide),
    vjp=lambda do, g, _out, _x, axes, keepdims: [spread(do, g, _x.shape, axes)],
    samples=Samples(FLOATS + INTS + COMPLEX, _cases()),
)


def _count(shape: Shape, axes: Sequence[int]) -> int:
    n = 1
    for a in axes:
        n *= shape[a]
    return n


def _mean_reference(x: Array, axes: Axes, keepdims: bool) -> Any:
    return np.divide(_total(np.sum)(x, axes, keepdims), np.float64(_count(x.shape, axes)))


op(
    "mean",
    fuses="reduce",
    params=("axes", "keepdims"),
    doc="Σ x / n over the axes, divided before the sum is rounded to the dtype; NaN when n = 0.",
    infer=_infer(*FIELDS),
    reference=_mean_reference,
    monoid=Monoid(
        identity=lambda d: 0,
        combine=lambda b, total, x: b.add(total, x),
        accumulate=wide,
        finish=lambda b, total, count: b.div(total, count),
    ),
    vjp=lambda do, g, _out, _x, axes, keepdims: [spread(do, do.div(g, float(_count(_x.shape, axes))), _x.shape, axes)],
    samples=Samples(FLOATS + COMPLEX, _cases()),
)


def _prod_vjp(do: Any, g: Any, _out: Any, x: Any, axes: Axes, keepdims: bool) -> list[Any]:
    """The product of the other elements, without dividing by zero.

    With p the product of the elements that are not 0, the others of an element e multiply to
    (p/e, or p where e = 0) times the product of the other zeros. That product is empty, or one
    zero, or more; it is written with the zeros themselves, so that the rule differentiates again.
    """
    shape = x.shape
    is_zero = do.eq(x, 0)
    zeros = do.sum(do.cast(is_zero, int64), axes, True)
    safe = do.where(is_zero, 1, x)
    rest = do.div(do.prod(safe, axes, True), safe)
    own = do.where(is_zero, x, 0)
    all_zeros = do.sum(own, axes, True)
    if_one = do.where(is_zero, 1, all_zeros)
    if_two = do.where(is_zero, do.sub(all_zeros, own), 0)
    others = do.where(do.eq(zeros, 0), 1, do.where(do.eq(zeros, 1), if_one, do.where(do.eq(zeros, 2), if_two, 0)))
    return [do.mul(spread(do, g, shape, axes), do.mul(rest, others))]


op(
    "prod",
    fuses="reduce",
    params=("axes", "keepdims"),
    doc="Π x over the axes; 1 when there is nothing to multiply. Integers wrap. The gradient is exact at zeros.",
    infer=_infer(*NUMBERS),
    reference=_total(np.prod),
    monoid=Monoid(identity=lambda d: 1, combine=lambda b, total, x: b.mul(total, x), accumulate=wide),
    vjp=_prod_vjp,
    samples=Samples(FLOATS + INTS + COMPLEX, _cases(0.7, 1.4)),
)

# ---------------------------------------------------------------- extremes


def _extreme(function: Any, winner: float, x: Array, axes: Axes, keepdims: bool) -> Any:
    """The extreme with -0 below +0, which NumPy leaves open; `winner` is the zero that beats the other."""
    result = function(x, axis=axes, keepdims=keepdims)
    if x.dtype.kind != "f" or not np.any(result == 0):
        return result
    wins = (x == 0) & (np.signbit(x) == np.signbit(winner))
    zero = np.where(np.any(wins, axis=axes, keepdims=keepdims), winner, -winner)
    return np.where(result == 0, zero, result).astype(x.dtype)


def _check_not_empty(shape: Shape, axes: Sequence[int], what: str) -> None:
    for a in axes:
        if shape[a] == 0:
            raise ShapeError(f"axis {a} of {shape} has size 0, so there is no {what} element")


def _extreme_infer(what: str) -> Callable[..., tuple[Shape, DType]]:
    def infer(x: Aval, axes: Axes, keepdims: bool) -> tuple[Shape, DType]:
        check_kind(x.dtype, REALS)
        _check_not_empty(x.shape, axes, what)
        return reduced_shape(x.shape, axes, keepdims), x.dtype

    return infer


def _extreme_vjp(do: Any, g: Any, out: Any, x: Any, axes: Axes, keepdims: bool) -> list[Any]:
    """g at the first extreme (or NaN) in row-major order of the reduced axes, 0 elsewhere."""
    shape = x.shape
    best = keep_axes(do, out, shape, axes)
    hit = do.logical_or(do.eq(x, best), do.ne(x, x))
    sizes = tuple(shape[a] for a in axes)
    place: Any = None
    for axis, stride in zip(axes, contiguous_strides(sizes)):
        line = tuple(n if i == axis else 1 for i, n in enumerate(shape))
        index = do.mul(do.iota(line, axis, int64), stride)
        place = index if place is None else do.add(place, index)
    if place is None:
        return [keep_axes(do, g, shape, axes)]
    first = do.min(do.where(hit, place, _count(shape, axes)), axes, True)
    return [do.where(do.eq(place, first), keep_axes(do, g, shape, axes), 0)]


def _rank_dtype(dtype: DType) -> DType:
    """Integers that rank the elements of a dtype."""
    return dtype if dtype.kind is not Float else int64 if dtype is float64 else int32


def _sign_bits(b: Any, rank: Any) -> Any:
    """All bits but the first where that one is set, else none: what turns floats into ranks, and back."""
    width, info = rank.dtype.bits, rank.dtype.iinfo()
    return b.and_(b.shr(rank, b.const(width - 1, rank.dtype)), b.const(info.max, rank.dtype))


def _rank(nan_first: bool) -> Callable[[Any, Any], Any]:
    """Floats as integers in the order of their values, -0 below +0, NaN below or above all: quicker to compare."""

    def encode(b: Any, x: Any) -> Any:
        if x.dtype.kind is not Float:
            return x
        x = b.cast(x, computed(x.dtype))
        bits = b.bitcast(x, _rank_dtype(x.dtype))
        info = bits.dtype.iinfo()
        nan = b.const(info.min if nan_first else info.max, bits.dtype)
        return b.select(b.ne(x, x), nan, b.xor(bits, _sign_bits(b, bits)))

    return encode


def _unrank(b: Any, rank: Any, dtype: DType) -> Any:
    if dtype.kind is not Float:
        return rank
    return b.bitcast(b.xor(rank, _sign_bits(b, rank)), computed(dtype))


MAXIMUM = Monoid(
    identity=lambda d: d.iinfo().min,  # type: ignore[union-attr]
    combine=lambda b, best, x: b.max(best, x),
    accumulate=_rank_dtype,
    encode=_rank(nan_first=False),
    decode=_unrank,
)
MINIMUM = Monoid(
    identity=lambda d: d.iinfo().max,  # type: ignore[union-attr]
    combine=lambda b, best, x: b.min(best, x),
    accumulate=_rank_dtype,
    encode=_rank(nan_first=True),
    decode=_unrank,
)


op(
    "max",
    fuses="reduce",
    params=("axes", "keepdims"),
    doc="The largest element over the axes; NaN if there is one. The gradient goes to the first of equals.",
    infer=_extreme_infer("largest"),
    reference=lambda x, axes, keepdims: _extreme(np.max, 0.0, x, axes, keepdims),
    monoid=MAXIMUM,
    vjp=_extreme_vjp,
    samples=Samples(FLOATS + INTS, _cases(-120, 120, distinct=True, empty=False), True),
)

op(
    "min",
    fuses="reduce",
    params=("axes", "keepdims"),
    doc="The smallest element over the axes; NaN if there is one. The gradient goes to the first of equals.",
    infer=_extreme_infer("smallest"),
    reference=lambda x, axes, keepdims: _extreme(np.min, -0.0, x, axes, keepdims),
    monoid=MINIMUM,
    vjp=_extreme_vjp,
    samples=Samples(FLOATS + INTS, _cases(-120, 120, distinct=True, empty=False), True),
)


def _place_infer(what: str) -> Callable[..., tuple[Shape, DType]]:
    def infer(x: Aval, axis: int | None, keepdims: bool) -> tuple[Shape, DType]:
        check_kind(x.dtype, REALS)
        axes = tuple(range(len(x.shape))) if axis is None else (axis,)
        _check_not_empty(x.shape, axes, what)
        return reduced_shape(x.shape, axes, keepdims), int64

    return infer


_NEAR = 4096  # elements that stay in the cache between the pass for the extreme and the pass for its place


def _place(best: str) -> Callable[..., Any]:
    def rule(do: Any, x: Any, axis: int | None, keepdims: bool) -> Any:
        shape = x.shape
        if axis is None:
            x, axis = do.reshape(x, (_count(shape, range(len(shape))),)), 0
            kept: Shape = (1,) * len(shape) if keepdims else ()
        else:
            kept = reduced_shape(shape, (axis,), keepdims)
        _, place = _search(do, x, axis, best, int32 if x.shape[axis] < 1 << 31 else int64)
        return do.cast(place if place.shape == kept else do.reshape(place, kept), int64)

    return rule


def _search(do: Any, x: Any, axis: int, best: str, index: DType) -> tuple[Any, Any]:
    """The extreme along an axis and the first place of it, or of a NaN. Both keep the axis, with size 1."""
    shape, n = x.shape, x.shape[axis]
    before, after = shape[:axis], shape[axis + 1 :]
    extreme = getattr(do, best)

    def first(x: Any, top: Any, places: Any) -> Any:
        return do.min(do.where(_holds(do, x, top), places, n), (axis,), True)

    def count(size: int, axes: int) -> Any:
        return do.iota(tuple(size if k == axis else 1 for k in range(axes)), axis, index)

    if n <= _NEAR:
        top = extreme(x, (axis,), True)
        return top, first(x, top, count(n, len(shape)))
    size = next((s for s in range(_NEAR, _NEAR // 4, -1) if n % s == 0), 0)
    if size:
        # block by block, then among the blocks
        blocks = do.reshape(x, (*before, n // size, size, *after))
        tops, places = _search(do, blocks, axis + 1, best, index)
        top = extreme(tops, (axis,), True)
        place = first(tops, top, do.add(places, do.mul(count(n // size, len(shape) + 1), size)))
        return do.reshape(top, (*before, 1, *after)), do.reshape(place, (*before, 1, *after))
    whole = n - n % _NEAR
    rank = len(shape)
    start = tuple(whole if k == axis else 0 for k in range(rank))
    head = do.slice(x, (0,) * rank, (1,) * rank, (*before, whole, *after))
    tail = do.slice(x, start, (1,) * rank, (*before, n - whole, *after))
    (a, place_a), (b, place_b) = [_search(do, part, axis, best, index) for part in (head, tail)]
    top = (do.maximum if best == "max" else do.minimum)(a, b)
    return top, do.where(_holds(do, a, top), place_a, do.add(place_b, whole))


def _holds(do: Any, x: Any, top: Any) -> Any:
    """Is an element the extreme of all, or a NaN?"""
    same = do.eq(x, top)
    return do.logical_or(same, do.ne(x, x)) if x.dtype.is_float() else same


def _place_cases() -> tuple[Case, ...]:
    shapes: tuple[tuple[Shape, int | None], ...] = (
        ((), None),
        ((5,), 0),
        ((67,), None),
        ((2, 3), None),
        ((2, 3), 1),
        ((2, 3, 4), 0),
        ((2, 3, 4), 1),
        ((0, 3), 1),
        ((2, 3, 2, 2), 3),
    )
    # a narrow range, so that there are ties
    return tuple(Case((Arg(s, -3, 3),), (axis, keepdims)) for s, axis in shapes for keepdims in (False, True))


op(
    "argmax",
    fuses="composed",
    params=("axis", "keepdims"),
    doc="The index of the first largest element along the axis, or of the flattened tensor; NaN counts as largest.",
    infer=_place_infer("largest"),
    reference=lambda x, axis, keepdims: np.argmax(x, axis=axis, keepdims=keepdims),
    composed=_place("max"),
    vjp=ZERO,
    samples=Samples(FLOATS + INTS, _place_cases(), True),
)

op(
    "argmin",
    fuses="composed",
    params=("axis", "keepdims"),
    doc="The index of the first smallest element along the axis, or of the flattened tensor; NaN counts as smallest.",
    infer=_place_infer("smallest"),
    reference=lambda x, axis, keepdims: np.argmin(x, axis=axis, keepdims=keepdims),
    composed=_place("min"),
    vjp=ZERO,
    samples=Samples(FLOATS + INTS, _place_cases(), True),
)

# ---------------------------------------------------------------- truth

op(
    "any",
    fuses="reduce",
    params=("axes", "keepdims"),
    doc="Is an element over the axes non-zero? NaN is non-zero; false when there is none.",
    infer=_infer(result=bool_),
    reference=lambda x, axes, keepdims: np.any(x != 0, axis=axes, keepdims=keepdims),
    monoid=Monoid(identity=lambda d: False, combine=lambda b, found, x: b.or_(found, x), accumulate=lambda d: bool_),
    vjp=ZERO,
    samples=Samples(ALL, _cases(0, 2), True),
)

op(
    "all",
    fuses="reduce",
    params=("axes", "keepdims"),
    doc="Are all elements over the axes non-zero? NaN is non-zero; true when there is none.",
    infer=_infer(result=bool_),
    reference=lambda x, axes, keepdims: np.all(x != 0, axis=axes, keepdims=keepdims),
    monoid=Monoid(identity=lambda d: True, combine=lambda b, so_far, x: b.and_(so_far, x), accumulate=lambda d: bool_),
    vjp=ZERO,
    samples=Samples(ALL, _cases(0, 2), True),
)


def count_nonzero(do: Any, x: Any, axes: Axes, keepdims: bool) -> Any:
    """How many elements over the axes are not 0, as int64."""
    truth = x if x.dtype is bool_ else do.ne(x, 0)
    return do.sum(do.cast(truth, int64), axes, keepdims)
