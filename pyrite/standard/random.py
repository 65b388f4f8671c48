"""`pr.random`: numbers that depend on an explicit key and on nothing else.

A key is a uint64 tensor of shape (). The same key gives the same numbers on every device, for every number
of threads; use a key once, and make new ones with `split` and `fold_in`.
"""

from __future__ import annotations

import operator
from typing import Any

from ..apply import do_of, do_on, need_kind, wrap
from ..device import Device, as_device
from ..dtypes import Float, as_dtype, uint64
from ..errors import DTypeError, public
from ..layout import as_shape
from ..methods.creation import draw_normal
from ..ops import random
from ..tensor import Tensor
from .arguments import tensor

__all__ = ["bernoulli", "fold_in", "key", "normal", "permutation", "randint", "split", "uniform"]


@public("pr.random.key")
def key(seed: int, /, *, device: Device | str | None = None) -> Tensor:
    """The key of a seed, any int.

    Example:
        >>> pr.random.key(42).shape
        ()
    """
    where = as_device(device)
    return wrap(do_on(where).scalar(random.key_of(_int(seed, "seed")), uint64))


@public("pr.random.split")
def split(key: Tensor, /, num: int = 2) -> Tensor:
    """`num` new keys, independent of each other and of the old one, along one axis.

    Example:
        >>> first, second = pr.random.split(pr.random.key(0))
        >>> first.shape
        ()
    """
    k = tensor(key)
    return wrap(random.split_key(do_of(k), k._v, _int(num, "num")))


@public("pr.random.fold_in")
def fold_in(key: Tensor, data: int, /) -> Tensor:
    """A new key from a key and an int, such as the number of a step.

    Example:
        >>> pr.random.fold_in(pr.random.key(0), 7).dtype
        pyrite.uint64
    """
    k = tensor(key)
    return wrap(random.fold_in(do_of(k), k._v, _int(data, "data")))


def _int(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise DTypeError(f"{what} must be an int, got {type(value).__name__} {value!r}") from None


def _float(key: Tensor, dtype: Any) -> Any:
    return key.device.settings().float_dtype if dtype is None else as_dtype(dtype)


@public("pr.random.uniform")
def uniform(key: Tensor, shape: Any = (), low: float = 0.0, high: float = 1.0, *, dtype: Any = None) -> Tensor:
    """Uniform numbers in [low, high), never `high`. Element i depends on the key and on i alone.

    Raises `ArgumentError` unless low ≤ high are finite, `DTypeError` for a dtype that is not Float.

    Example:
        >>> pr.random.uniform(pr.random.key(0), (2, 3)).shape
        (2, 3)
    """
    k = tensor(key)
    return wrap(random.uniform_range(do_of(k), k._v, as_shape(shape), low, high, _float(k, dtype)))


@public("pr.random.normal")
def normal(key: Tensor, shape: Any = (), mean: float = 0.0, std: float = 1.0, *, dtype: Any = None) -> Tensor:
    """Normal numbers of a mean and a standard deviation.

    Raises `ArgumentError` for a negative or non-finite `std`, `DTypeError` for a dtype that is not Float.

    Example:
        >>> pr.random.normal(pr.random.key(0), 3).dtype
        pyrite.float32
    """
    k = tensor(key)
    return wrap(draw_normal(do_of(k), k._v, as_shape(shape), float(mean), float(std), _float(k, dtype)))


@public("pr.random.randint")
def randint(key: Tensor, shape: Any, low: int, high: int, *, dtype: Any = None) -> Tensor:
    """Uniform integers in [low, high).

    Raises `ArgumentError` for an empty range, `ScalarRangeError` for bounds that do not fit the dtype.

    Example:
        >>> bool(pr.all(pr.random.randint(pr.random.key(0), (5,), 3, 4) == 3))
        True
    """
    k = tensor(key)
    kept = k.device.settings().int_dtype if dtype is None else as_dtype(dtype)
    return wrap(random.randint(do_of(k), k._v, as_shape(shape), _int(low, "low"), _int(high, "high"), kept))


@public("pr.random.bernoulli")
def bernoulli(key: Tensor, shape: Any = (), p: float | Tensor = 0.5) -> Tensor:
    """True with probability p: a number, or a Float tensor that broadcasts to the shape.

    Raises `ArgumentError` for a probability outside [0, 1].

    Example:
        >>> bool(pr.all(pr.random.bernoulli(pr.random.key(0), (5,), 1.0)))
        True
    """
    k = tensor(key)
    if isinstance(p, Tensor):
        need_kind(p, Float)
        return wrap(random.bernoulli(do_of(k, p), k._v, as_shape(shape), p._v))
    return wrap(random.bernoulli(do_of(k), k._v, as_shape(shape), float(p)))


@public("pr.random.permutation")
def permutation(key: Tensor, n: int | Tensor) -> Tensor:
    """The integers below n in random order, or the slices along the first axis of a tensor in random order.

    Example:
        >>> pr.sort(pr.random.permutation(pr.random.key(0), 4)).to_list()
        [0, 1, 2, 3]
    """
    k = tensor(key)
    kept = k.device.settings().int_dtype
    if isinstance(n, Tensor):
        do = do_of(k, n)
        size = n.shape[0] if n.rank else 0
        return wrap(do.take(n._v, random.permutation(do, k._v, size, kept), 0))
    return wrap(random.permutation(do_of(k), k._v, int(n), kept))
