"""Creation of tensors from shapes, numbers and ranges."""

from __future__ import annotations

import operator
from typing import Any

from ..apply import created, do_of, do_on, options, wrap
from ..device import Device
from ..dtypes import Complex, DType, Float, Int, Kind, kind_of_scalar
from ..errors import ArgumentError, DTypeError, public
from ..layout import as_shape
from ..ops import composite, creation
from ..ops.elementwise import part_dtype
from ..tensor import Tensor
from .arguments import Number, filled, maybe_dtype, tensor, tensors

__all__ = [
    "arange", "empty", "empty_like", "eye", "full", "full_like", "linspace", "meshgrid", "ones", "ones_like", "tril",
    "triu", "zeros", "zeros_like",
]  # fmt: skip

Where = Device | str | None


def _full(shape: Any, value: Any, dtype: Any, device: Where) -> Tensor:
    where, kept = options(None, dtype, device)
    return created(filled(value, shape, kept or where.default_dtype(Float), where), where)


def _one_of(dtype: DType, number: int) -> Any:
    """0 or 1 as a Python number of the dtype's kind."""
    return bool(number) if dtype.is_bool() else number


def _number(number: int, shape: Any, dtype: Any, device: Where) -> Tensor:
    kept = maybe_dtype(dtype)
    return _full(shape, number if kept is None else _one_of(kept, number), kept, device)


def _number_like(number: int, x: Tensor, dtype: Any, device: Where) -> Tensor:
    t = tensor(x)
    kept = maybe_dtype(dtype) or t.dtype
    return _full(t.shape, _one_of(kept, number), kept, t.device if device is None else device)


@public("pr.zeros")
def zeros(shape: Any, *, dtype: Any = None, device: Where = None) -> Tensor:
    """Zeros; `False` for `pr.bool`. The dtype is the device's default Float one unless given.

    Raises `ShapeError` for a negative size.

    Example:
        >>> pr.zeros((2, 2)).to_list()
        [[0.0, 0.0], [0.0, 0.0]]

    Source: array API, `zeros`.
    """
    return _number(0, shape, dtype, device)


@public("pr.ones")
def ones(shape: Any, *, dtype: Any = None, device: Where = None) -> Tensor:
    """Ones; `True` for `pr.bool`. The dtype is the device's default Float one unless given.

    Raises `ShapeError` for a negative size.

    Example:
        >>> pr.ones(3, dtype=pr.int64).to_list()
        [1, 1, 1]

    Source: array API, `ones`.
    """
    return _number(1, shape, dtype, device)


@public("pr.empty")
def empty(shape: Any, *, dtype: Any = None, device: Where = None) -> Tensor:
    """A tensor whose elements nobody should rely on; here they are zeros.

    Raises `ShapeError` for a negative size.

    Example:
        >>> pr.empty((2, 3)).shape
        (2, 3)

    Source: array API, `empty`.
    """
    return _number(0, shape, dtype, device)


@public("pr.full")
def full(shape: Any, fill_value: Number, *, dtype: Any = None, device: Where = None) -> Tensor:
    """`fill_value` everywhere. Without a dtype: the device's default one of the value's kind.

    Raises `ScalarRangeError` (an OverflowError) for an integer that does not fit, `DTypeError` for a value
    of another kind.

    Example:
        >>> pr.full((2, 2), 7).to_list()
        [[7, 7], [7, 7]]

    Source: array API, `full`.
    """
    if isinstance(fill_value, Tensor):
        fill_value, dtype = fill_value.item(), dtype or fill_value.dtype
    kind = kind_of_scalar(fill_value)
    if kind is None:
        raise DTypeError(f"a fill value is a number, got {type(fill_value).__name__}")
    where, kept = options(None, dtype, device)
    return _full(shape, fill_value, kept or where.default_dtype(kind), where)


@public("pr.zeros_like")
def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Where = None) -> Tensor:
    """Zeros with the shape, dtype and device of `x`.

    Example:
        >>> pr.zeros_like(pr.asarray([1, 2])).to_list()
        [0, 0]

    Source: array API, `zeros_like`.
    """
    return _number_like(0, x, dtype, device)


@public("pr.ones_like")
def ones_like(x: Tensor, /, *, dtype: Any = None, device: Where = None) -> Tensor:
    """Ones with the shape, dtype and device of `x`.

    Example:
        >>> pr.ones_like(pr.asarray([1.5, 2.5])).to_list()
        [1.0, 1.0]

    Source: array API, `ones_like`.
    """
    return _number_like(1, x, dtype, device)


@public("pr.empty_like")
def empty_like(x: Tensor, /, *, dtype: Any = None, device: Where = None) -> Tensor:
    """As `pr.empty`, with the shape, dtype and device of `x`.

    Example:
        >>> pr.empty_like(pr.asarray([1, 2])).dtype
        pyrite.int64

    Source: array API, `empty_like`.
    """
    return _number_like(0, x, dtype, device)


@public("pr.full_like")
def full_like(x: Tensor, /, fill_value: Number, *, dtype: Any = None, device: Where = None) -> Tensor:
    """`fill_value` everywhere, with the shape, dtype and device of `x`.

    Raises `ScalarRangeError` and `DTypeError` as `pr.full`.

    Example:
        >>> pr.full_like(pr.asarray([1.0, 2.0]), 3).to_list()
        [3.0, 3.0]

    Source: array API, `full_like`.
    """
    t = tensor(x)
    return _full(t.shape, fill_value, dtype or t.dtype, t.device if device is None else device)


@public("pr.arange")
def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Where = None
) -> Tensor:
    """start, start + step, … before stop; with one number, 0 to it. Empty where nothing lies between.

    Integers give the default Int dtype, floats the default Float one. Float ranges have
    ⌈(stop - start) / step⌉ elements, where a quotient within rounding of an integer counts as it.

    Raises `ArgumentError` for a step of 0, `DTypeError` for a float range in an Int dtype.

    Example:
        >>> pr.arange(0, 10, 3).to_list()
        [0, 3, 6, 9]
        >>> pr.arange(0.1, 0.5, 0.05).shape
        (8,)

    Source: array API, `arange`.
    """
    where, kept = options(None, dtype, device)
    if stop is None:
        start, stop = 0, start
    for value in (start, stop, step):
        if kind_of_scalar(value) not in (Int, Float):
            raise DTypeError(f"a range is made of ints and floats, got {value!r}")
    kind: type[Kind] = Int if all(kind_of_scalar(v) is Int for v in (start, stop, step)) else Float
    kept = kept or where.default_dtype(kind)
    first, last, gap = (int(v) if kind_of_scalar(v) is Int else float(v) for v in (start, stop, step))
    return created(creation.arange(do_on(where), first, last, gap, kept), where)


@public("pr.linspace")
def linspace(
    start: complex, stop: complex, /, num: int, *, dtype: Any = None, device: Where = None, endpoint: bool = True
) -> Tensor:
    """`num` evenly spaced values from start to stop; the last is exactly stop, left out without `endpoint`.

    Raises `ArgumentError` for a negative `num`.

    Example:
        >>> pr.linspace(0, 1, 5).to_list()
        [0.0, 0.25, 0.5, 0.75, 1.0]

    Source: array API, `linspace`.
    """
    where, kept = options(None, dtype, device)
    kind: type[Kind] = Complex if isinstance(start, complex) or isinstance(stop, complex) else Float
    kept = kept or where.default_dtype(kind)
    if kept.is_bool():
        raise DTypeError("evenly spaced values are numbers, not bool")
    return created(creation.linspace(do_on(where), start, stop, int(num), endpoint, kept), where)


@public("pr.eye")
def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Where = None) -> Tensor:
    """A matrix with ones on diagonal `k` (above the main one for k > 0) and zeros elsewhere.

    Raises `ShapeError` for a negative size.

    Example:
        >>> pr.eye(2, 3, k=1, dtype=pr.int64).to_list()
        [[0, 1, 0], [0, 0, 1]]

    Source: array API, `eye`.
    """
    where, kept = options(None, dtype, device)
    kept = kept or where.default_dtype(Float)
    rows, cols = as_shape((n_rows, n_rows if n_cols is None else n_cols))
    k = operator.index(k)
    do = do_on(where)
    if kept.is_complex():  # complex casts run on the reference
        part = creation.eye(do, rows, cols, k, part_dtype(kept))
        return created(do.complex_(part, do.full(0, part.shape, part.dtype)), where)

    if where.default_order == "F":
        return created(do.permute(creation.eye(do, cols, rows, -k, kept), (1, 0)), where)
    return created(creation.eye(do, rows, cols, k, kept), where)


@public("pr.tril")
def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrices of the last two axes with what lies above diagonal `k` set to 0.

    Raises `ShapeError` below rank 2.

    Example:
        >>> pr.tril(pr.asarray([[1, 2], [3, 4]])).to_list()
        [[1, 0], [3, 4]]

    Source: array API, `tril`.
    """
    t = tensor(x)
    return wrap(creation.tril(do_of(t), t._v, operator.index(k)))


@public("pr.triu")
def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrices of the last two axes with what lies below diagonal `k` set to 0.

    Raises `ShapeError` below rank 2.

    Example:
        >>> pr.triu(pr.asarray([[1, 2], [3, 4]])).to_list()
        [[1, 2], [0, 4]]

    Source: array API, `triu`.
    """
    t = tensor(x)
    return wrap(creation.triu(do_of(t), t._v, operator.index(k)))


@public("pr.meshgrid")
def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """For each vector a grid over all of them, which varies along its own axis; views.

    With "xy" the first two axes are (second vector, first vector), with "ij" the order of the arguments.
    Raises `ArgumentError` for another `indexing`, `ShapeError` for a tensor that is no vector.

    Example:
        >>> [g.to_list() for g in pr.meshgrid(pr.asarray([1, 2]), pr.asarray([3, 4]))]
        [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]

    Source: array API, `meshgrid`.
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f'indexing {indexing!r} is not "xy" or "ij"')
    if not arrays:
        return ()
    given = tensors(arrays)
    grids = composite.meshgrid(do_of(*given), [t._v for t in given], cartesian=indexing == "xy")
    return tuple([wrap(g) for g in grids])
