"""Running sums, products and extremes along one axis, and the linear recurrence behind their gradients.

Every op here takes the params (axis, reverse): with `reverse`, it runs from the last element to
the first. Floats below float64 accumulate in float64 and round once for each element; integers wrap
in their own dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dtypes import COMPLEX, FLOATS, INTS, Bool, Complex, DType, Float, Int, int32, int64
from ..errors import DTypeError, ShapeError
from ..layout import normalize_axis
from .record import ZERO, Arg, Aval, Case, Monoid, Samples, Shape, op
from .reduce import MAXIMUM, MINIMUM, wide

Array = NDArray[Any]


def _wide(x: Array) -> np.dtype[Any]:
    """The dtype that a running value of `x` is held in."""
    if x.dtype.kind == "f":
        return np.dtype(np.float64)
    return np.dtype(np.complex128) if x.dtype.kind == "c" else x.dtype


def _flipped(x: Array, axis: int, reverse: bool) -> Array:
    return np.flip(x, axis) if reverse else x


def _numbers_infer(x: Aval, axis: int, reverse: bool) -> tuple[Shape, DType]:
    normalize_axis(axis, len(x.shape))
    if x.dtype.kind is Bool:
        raise DTypeError("a running sum or product needs numbers, the tensor is bool")
    return x.shape, x.dtype


def _ordered_infer(x: Aval, axis: int, reverse: bool) -> tuple[Shape, DType]:
    normalize_axis(axis, len(x.shape))
    if x.dtype.kind not in (Float, Int):
        raise DTypeError(f"a running extreme needs a Float or Int tensor, this one is {x.dtype.name}")
    return x.shape, x.dtype


def _cases(lo: float, hi: float, distinct: bool = False) -> tuple[Case, ...]:
    shapes: tuple[tuple[Shape, int], ...] = (
        ((1,), 0), ((5,), 0), ((0,), 0), ((67,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 0, 3), 2), ((2, 3, 2, 2), 1),
    )  # fmt: skip
    return tuple(Case((Arg(s, lo, hi, distinct=distinct),), (a, r)) for s, a in shapes for r in (False, True))


# --- sum and product ---------------------------------------------------------------------


def _accumulate(ufunc: np.ufunc) -> Callable[[Array, int, bool], Array]:
    def reference(x: Array, axis: int, reverse: bool) -> Array:
        run: Array = ufunc.accumulate(_flipped(x, axis, reverse), axis=axis, dtype=_wide(x))
        return _flipped(run, axis, reverse)

    return reference


cumsum = op(
    "cumsum",
    fuses="scan",
    doc="Running sum: y[k] = x[0] + … + x[k].",
    params=("axis", "reverse"),
    infer=_numbers_infer,
    reference=_accumulate(np.add),
    # -0 + x = x for every x: a running sum that begins with -0 is -0
    monoid=Monoid(lambda d: -0.0 if d.kind is Float else 0, lambda b, total, x: b.add(total, x), wide),
    vjp=lambda do, g, _out, _x, axis, reverse: [do.cumsum(g, axis, not reverse)],
    samples=Samples(FLOATS + INTS + COMPLEX, _cases(-3, 3)),
)


def _shifted(do: Any, x: Any, axis: int, forward: bool, value: int) -> Any:
    """`x` moved one place along `axis` (to higher indices with `forward`); `value` enters at the end left free."""
    shape = x.shape
    axis %= len(shape)
    if shape[axis] == 0:
        return x
    starts = tuple(int(i == axis and not forward) for i in range(len(shape)))
    sizes = tuple(n - (i == axis) for i, n in enumerate(shape))
    kept = do.slice(x, starts, (1,) * len(shape), sizes)
    edge = do.full(value, tuple(1 if i == axis else n for i, n in enumerate(shape)), x.dtype)
    return do.concat([edge, kept] if forward else [kept, edge], axis)


def _cumprod_vjp(do: Any, g: Any, out: Any, x: Any, axis: int, reverse: bool) -> list[Any]:
    """The gradient of y[j] = x[0]·…·x[j], without a division, hence right at zeros and to every order.

    gx[k] = Σ_{j≥k} g[j] · Π_{i≤j, i≠k} x[i] = (Π_{i<k} x[i]) · s[k], where s[k] = g[k] + x[k+1]·s[k+1].
    """
    before = _shifted(do, out, axis, not reverse, 1)
    factor = _shifted(do, x, axis, reverse, 0)
    after = do.recurrence(factor, g, axis, not reverse)
    return [do.mul(before, after)]


cumprod = op(
    "cumprod",
    fuses="scan",
    doc="Running product: y[k] = x[0] · … · x[k].",
    params=("axis", "reverse"),
    infer=_numbers_infer,
    reference=_accumulate(np.multiply),
    monoid=Monoid(lambda d: 1, lambda b, total, x: b.mul(total, x), wide),
    vjp=_cumprod_vjp,
    samples=Samples(FLOATS + INTS + COMPLEX, _cases(-1.4, 1.4)),
)


# --- linear recurrence -------------------------------------------------------------------


def _recurrence_infer(a: Aval, b: Aval, axis: int, reverse: bool) -> tuple[Shape, DType]:
    if a.shape != b.shape:
        raise ShapeError(f"factors of shape {a.shape} and terms of shape {b.shape} must have equal shapes")
    if a.dtype is not b.dtype:
        raise DTypeError(f"factors are {a.dtype.name} and terms are {b.dtype.name}: the dtypes must be equal")
    if a.dtype.kind not in (Float, Complex):
        raise DTypeError(f"a recurrence needs Float or Complex tensors, these are {a.dtype.name}")
    normalize_axis(axis, len(a.shape))
    return a.shape, a.dtype


def _recurrence_reference(a: Array, b: Array, axis: int, reverse: bool) -> Array:
    wide = _wide(a)
    factors = np.moveaxis(_flipped(a, axis, reverse), axis, 0).astype(wide)
    terms = np.moveaxis(_flipped(b, axis, reverse), axis, 0).astype(wide)
    out = np.empty_like(terms)
    n = len(out)
    if n * 8 > out.size:
        # few rows: Python numbers are faster than short arrays, and give the same bits
        lanes = zip(factors.reshape(n, -1).T.tolist(), terms.reshape(n, -1).T.tolist())
        rows = []
        for row_a, row_b in lanes:
            y: Any = 0.0
            row = []
            for f, t in zip(row_a, row_b):
                y = f * y + t
                row.append(y)
            rows.append(row)
        out = np.array(rows, wide).reshape(-1, n).T.reshape(out.shape)
    else:
        last: Any = np.zeros_like(out[0]) if n else None
        for k in range(n):
            last = factors[k] * last + terms[k]
            out[k] = last
    return _flipped(np.moveaxis(out, 0, axis), axis, reverse)


def _recurrence_vjp(do: Any, g: Any, out: Any, a: Any, _b: Any, axis: int, reverse: bool) -> list[Any]:
    """gb[k] = g[k] + a[k+1]·gb[k+1]: the same recurrence backwards; ga[k] = gb[k]·y[k-1]."""
    gb = do.recurrence(_shifted(do, a, axis, reverse, 0), g, axis, not reverse)
    return [do.mul(gb, _shifted(do, out, axis, not reverse, 0)), gb]


recurrence = op(
    "recurrence",
    fuses="opaque",
    doc="Linear recurrence: y[k] = a[k] · y[k-1] + b[k], with 0 before the first element.",
    params=("axis", "reverse"),
    arity=2,
    infer=_recurrence_infer,
    reference=_recurrence_reference,
    vjp=_recurrence_vjp,
    samples=Samples(
        FLOATS + COMPLEX,
        tuple(Case((c.args[0], c.args[0]), c.params) for c in (*_cases(-1.4, 1.4), Case((Arg((3, 70)),), (0, True)))),
    ),
)


# --- extremes ----------------------------------------------------------------------------


def _extreme_vjp(arg: str) -> Callable[..., list[Any]]:
    def rule(do: Any, g: Any, _out: Any, x: Any, axis: int, reverse: bool) -> list[Any]:
        where = getattr(do, arg)(x, axis, reverse)
        return [do.scatter(do.full(0, x.shape, g.dtype), where, g, axis, "add")]

    return rule


def _arg_extreme(ufunc: np.ufunc, beats: np.ufunc) -> Callable[[Array, int, bool], Array]:
    """The index where the running extreme was set: of equal elements the first one met."""

    def reference(x: Array, axis: int, reverse: bool) -> Array:
        lanes = np.moveaxis(_flipped(x, axis, reverse), axis, 0)
        n = len(lanes)
        run = ufunc.accumulate(lanes, axis=0)
        new = beats(lanes[1:], run[:-1]) | (np.isnan(lanes[1:]) & ~np.isnan(run[:-1]))
        steps = np.arange(1, n, dtype=np.int64).reshape(-1, *(1,) * (lanes.ndim - 1))
        index = np.zeros(lanes.shape, np.int64)
        index[1:] = np.maximum.accumulate(np.where(new, steps, 0), axis=0)
        if reverse:
            index = n - 1 - index
        return _flipped(np.moveaxis(index, 0, axis), axis, reverse)

    return reference


def _places(best: str) -> Callable[..., Any]:
    """The running extreme is new where it differs from the one before; the last such place is carried along."""

    def rule(do: Any, x: Any, axis: int, reverse: bool) -> Any:
        shape = x.shape
        axis %= len(shape)
        n = shape[axis]
        if n < 2:
            return do.iota(shape, axis, int64)
        run = getattr(do, best)(x, axis, reverse)
        less = tuple(n - 1 if k == axis else s for k, s in enumerate(shape))
        low = do.slice(run, (0,) * len(shape), (1,) * len(shape), less)
        high = do.slice(run, tuple(int(k == axis) for k in range(len(shape))), (1,) * len(shape), less)
        before, here = (high, low) if reverse else (low, high)
        new = do.ne(here, before)
        if x.dtype.is_float():
            new = do.logical_and(new, do.eq(before, before))  # NaN stays as it is
        place = do.iota(less, axis, int32 if n < 1 << 31 else int64)
        first = n - 1 if reverse else 0
        steps = do.where(new, place if reverse else do.add(place, 1), first)
        edge = (0, 1) if reverse else (1, 0)
        whole = do.pad(steps, tuple(edge if k == axis else (0, 0) for k in range(len(shape))), first)
        return do.cast((do.cummin if reverse else do.cummax)(whole, axis, reverse), int64)

    return rule


def _index_infer(x: Aval, axis: int, reverse: bool) -> tuple[Shape, DType]:
    return _ordered_infer(x, axis, reverse)[0], int64


def _extreme(ufunc: np.ufunc, winner: float) -> Callable[[Array, int, bool], Array]:
    """The running extreme with -0 below +0, which NumPy leaves open; `winner` is the zero that beats the other."""

    def reference(x: Array, axis: int, reverse: bool) -> Array:
        lanes = _flipped(x, axis, reverse)
        run: Array = ufunc.accumulate(lanes, axis=axis)
        if x.dtype.kind == "f" and np.any(run == 0):
            wins = (lanes == 0) & (np.signbit(lanes) == np.signbit(winner))
            zero = np.where(np.logical_or.accumulate(wins, axis=axis), winner, -winner)
            run = np.where(run == 0, zero, run).astype(x.dtype)
        return _flipped(run, axis, reverse)

    return reference


cummax = op(
    "cummax",
    fuses="scan",
    doc="Running maximum; from the first NaN on it is NaN. The gradient goes to the first element that set it.",
    params=("axis", "reverse"),
    infer=_ordered_infer,
    reference=_extreme(np.maximum, 0.0),
    monoid=MAXIMUM,
    vjp=_extreme_vjp("cumargmax"),
    samples=Samples(FLOATS + INTS, _cases(-3, 3, True), exact=True),
)

cummin = op(
    "cummin",
    fuses="scan",
    doc="Running minimum; from the first NaN on it is NaN. The gradient goes to the first element that set it.",
    params=("axis", "reverse"),
    infer=_ordered_infer,
    reference=_extreme(np.minimum, -0.0),
    monoid=MINIMUM,
    vjp=_extreme_vjp("cumargmin"),
    samples=Samples(FLOATS + INTS, _cases(-3, 3, True), exact=True),
)

cumargmax = op(
    "cumargmax",
    fuses="composed",
    doc="The index along the axis of the running maximum: of the first NaN, else of the first element that set it.",
    params=("axis", "reverse"),
    infer=_index_infer,
    reference=_arg_extreme(np.maximum, np.greater),
    composed=_places("cummax"),
    vjp=ZERO,
    samples=Samples(FLOATS + INTS, _cases(-3, 3), exact=True),
)

cumargmin = op(
    "cumargmin",
    fuses="composed",
    doc="The index along the axis of the running minimum: of the first NaN, else of the first element that set it.",
    params=("axis", "reverse"),
    infer=_index_infer,
    reference=_arg_extreme(np.minimum, np.less),
    composed=_places("cummin"),
    vjp=ZERO,
    samples=Samples(FLOATS + INTS, _cases(-3, 3), exact=True),
)
