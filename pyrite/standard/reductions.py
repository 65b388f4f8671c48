"""Reductions over axes, and running sums. Without `axis` all elements are reduced, to rank 0."""

from __future__ import annotations

from typing import Any

from ..apply import apply, cast_to, do_of, need_kind, operand, wrap
from ..dtypes import Bool, Complex, DType, Float, Int, int64, promote, uint64
from ..errors import ArgumentError, ShapeError, public
from ..layout import normalize_axes, normalize_axis
from ..ops import composite, reduce
from ..tensor import Tensor
from .arguments import Axes, copied, floats, maybe_dtype, tensor

__all__ = [
    "all", "any", "argmax", "argmin", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "max", "mean",
    "min", "prod", "std", "sum", "var",
]  # fmt: skip


def _widened(t: Tensor, dtype: Any) -> Tensor:
    """The operand of a sum: integers widen to 64 bits, as they fit there; `dtype` decides otherwise."""
    kept = maybe_dtype(dtype)
    if kept is None:
        kept = t.dtype
        if kept.kind is Int:
            kept = int64 if kept.signed else uint64
    elif not t.dtype.is_bool():
        _check_target(t.dtype, kept)
    return cast_to(t, kept)


def _check_target(given: DType, wanted: DType) -> None:
    if wanted.is_bool():
        promote(given, wanted)


def _reduce(name: str, t: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    return apply(name, (t,), normalize_axes(axis, t.rank), bool(keepdims))


@public("pr.sum")
def sum(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum over the axes; 0 when there is nothing to add.

    Integers widen to int64 or uint64 unless `dtype` says otherwise, then wrap. Floats keep their dtype and
    accumulate in float64. `Tensor.sum` keeps integer dtypes and the shape (1,).

    Raises `AxisError` for an axis out of range or repeated, `DTypeError` for Bool tensors without a dtype.

    Example:
        >>> pr.sum(pr.asarray([[1, 2], [3, 4]]), axis=0).to_list()
        [4, 6]

    Source: array API, `sum`.
    """
    return _reduce("sum", _widened(tensor(x), dtype), axis, keepdims)


@public("pr.prod")
def prod(x: Tensor, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product over the axes; 1 when there is nothing to multiply. Dtypes as in `pr.sum`.

    The gradient is exact where elements are 0.

    Example:
        >>> pr.prod(pr.asarray([2, 3, 4])).item()
        24

    Source: array API, `prod`.
    """
    return _reduce("prod", _widened(tensor(x), dtype), axis, keepdims)


@public("pr.mean")
def mean(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The mean over the axes, divided before it is rounded to the dtype; NaN of nothing.

    Raises `DTypeError` for tensors that are neither Float nor Complex. `Tensor.mean` takes Int ones.

    Example:
        >>> pr.mean(pr.asarray([1.0, 2.0, 6.0])).item()
        3.0

    Source: array API, `mean`.
    """
    return _reduce("mean", tensor(x), axis, keepdims)


@public("pr.var")
def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Σ (x - mean)² / (n - correction) over the axes. Float tensors only.

    Example:
        >>> pr.var(pr.asarray([1.0, 2.0, 3.0, 6.0])).item()
        3.5

    Source: array API, `var`.
    """
    t = floats(x)
    return wrap(composite.var(do_of(t), t._v, normalize_axes(axis, t.rank), keepdims, correction))


@public("pr.std")
def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The square root of `pr.var`; its gradient is 0 where the variance is.

    Example:
        >>> pr.std(pr.asarray([1.0, 3.0])).item()
        1.0

    Source: array API, `std`.
    """
    t = floats(x)
    return wrap(composite.std(do_of(t), t._v, normalize_axes(axis, t.rank), keepdims, correction))


@public("pr.max")
def max(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The largest element over the axes; NaN if there is one. The gradient goes to the first of equals.

    Raises `ShapeError` where a reduced axis has size 0, `DTypeError` for Bool and Complex tensors.

    Example:
        >>> pr.max(pr.asarray([[1, 5], [3, 4]]), axis=1).to_list()
        [5, 4]

    Source: array API, `max`.
    """
    return _reduce("max", tensor(x), axis, keepdims)


@public("pr.min")
def min(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The smallest element over the axes; NaN if there is one. The gradient goes to the first of equals.

    Raises `ShapeError` where a reduced axis has size 0, `DTypeError` for Bool and Complex tensors.

    Example:
        >>> pr.min(pr.asarray([[1, 5], [3, 4]]), axis=1).to_list()
        [1, 3]

    Source: array API, `min`.
    """
    return _reduce("min", tensor(x), axis, keepdims)


@public("pr.any")
def any(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Is an element over the axes non-zero? NaN is; False when there is none.

    Example:
        >>> pr.any(pr.asarray([[True, False], [False, False]]), axis=1).to_list()
        [True, False]

    Source: array API, `any`.
    """
    return _reduce("any", tensor(x), axis, keepdims)


@public("pr.all")
def all(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """Are all elements over the axes non-zero? NaN is; True when there is none.

    Example:
        >>> pr.all(pr.asarray([[True, False], [True, True]]), axis=1).to_list()
        [False, True]

    Source: array API, `all`.
    """
    return _reduce("all", tensor(x), axis, keepdims)


@public("pr.count_nonzero")
def count_nonzero(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """How many elements over the axes are not 0, as int64.

    Example:
        >>> pr.count_nonzero(pr.asarray([0, 2, 0, 3])).item()
        2

    Source: array API, `count_nonzero`.
    """
    t = tensor(x)
    return wrap(reduce.count_nonzero(do_of(t), t._v, normalize_axes(axis, t.rank), keepdims))


def _place(name: str, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    t = tensor(x)
    return apply(name, (t,), None if axis is None else normalize_axis(axis, t.rank), bool(keepdims))


@public("pr.argmax")
def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the first largest element, as int64; the first NaN if there is one.

    Without `axis` it counts in the flattened tensor. Raises `ShapeError` where an axis has size 0.

    Example:
        >>> pr.argmax(pr.asarray([[1, 5], [3, 2]]), axis=1).to_list()
        [1, 0]

    Source: array API, `argmax`.
    """
    return _place("argmax", x, axis, keepdims)


@public("pr.argmin")
def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the first smallest element, as int64; the first NaN if there is one.

    Without `axis` it counts in the flattened tensor. Raises `ShapeError` where an axis has size 0.

    Example:
        >>> pr.argmin(pr.asarray([[1, 5], [3, 2]])).item()
        0

    Source: array API, `argmin`.
    """
    return _place("argmin", x, axis, keepdims)


def _running(name: str, x: Tensor, axis: int | None, dtype: Any, include_initial: bool, first: int) -> Tensor:
    t = tensor(x)
    if axis is None:
        if t.rank != 1:
            raise ArgumentError(f"the axis is missing: it may be left out for rank 1, the tensor has shape {t.shape}")
        axis = 0
    at = normalize_axis(axis, t.rank)
    t = _widened(t, dtype)
    run = apply(name, (t,), at, False)
    if not include_initial:
        return run
    edge = do_of(t).full(first, tuple(1 if i == at else n for i, n in enumerate(t.shape)), t.dtype)
    return apply("concat", (wrap(edge), run), at)


@public("pr.cumulative_sum")
def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The running sum along the axis, which may be left out for rank 1. Dtypes as in `pr.sum`.

    With `include_initial` a 0 stands first, so the axis grows by one.

    Example:
        >>> pr.cumulative_sum(pr.asarray([1, 2, 3])).to_list()
        [1, 3, 6]

    Source: array API, `cumulative_sum`.
    """
    return _running("cumsum", x, axis, dtype, include_initial, 0)


@public("pr.cumulative_prod")
def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Tensor:
    """The running product along the axis, which may be left out for rank 1. Dtypes as in `pr.sum`.

    With `include_initial` a 1 stands first, so the axis grows by one. The gradient is exact at zeros.

    Example:
        >>> pr.cumulative_prod(pr.asarray([1, 2, 3])).to_list()
        [1, 2, 6]

    Source: array API, `cumulative_prod`.
    """
    return _running("cumprod", x, axis, dtype, include_initial, 1)


@public("pr.diff")
def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """x[k+1] - x[k] along the axis, `n` times over; tensors before and after may lengthen the axis first.

    Raises `ArgumentError` for a negative `n`, `ShapeError` for rank 0.

    Example:
        >>> pr.diff(pr.asarray([1, 4, 9])).to_list()
        [3, 5]

    Source: array API, `diff`.
    """
    t = tensor(x)
    need_kind(t, Float, Int, Complex, Bool)
    if t.rank == 0:
        raise ShapeError("differences need an axis, the tensor has rank 0")
    if n < 0:
        raise ArgumentError(f"differences are taken {n} times")
    at = normalize_axis(axis, t.rank)
    parts = [operand(p, t) for p in (prepend, t, append) if p is not None]
    if n == 0:
        return copied(t)
    if len(parts) > 1:
        t = apply("concat", [cast_to(p, t.dtype) for p in parts], at)
    return wrap(composite.diff(do_of(t), t._v, at, n))
