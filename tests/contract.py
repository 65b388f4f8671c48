"""Inputs for the tests over all ops: values, special values, and the layouts that hold them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from pyrite.backends.base import Array, Backend
from pyrite.dtypes import DType, bool_
from pyrite.ops.record import Arg, Op
from pyrite.storage import Storage

LAYOUTS = ("plain", "transposed", "reversed", "stepped", "offset", "pending")

# relative tolerance in units of the last place, by what an op does; exact ops allow none
# SciPy's float64 erfc is off by up to 8 units between -3 and 4
OF_OP = {"erfc": 9}
ULP = {"elementwise": 4, "reduce": 16, "scan": 16, "composed": 0, "opaque": 64, "movement": 0}


def seed_of(*parts: Any) -> int:
    """A seed that depends on the names alone, so that a failing case comes back."""
    return zlib.crc32(repr(parts).encode())


def values(arg: Arg, dtype: DType, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Random values of an argument."""
    d = arg.dtype or dtype
    count = int(np.prod(arg.shape))
    if d is bool_:
        return rng.integers(0, 2, arg.shape).astype(bool)
    if d.kind.__name__ == "Int":
        info = np.iinfo(d.np)
        lo, hi = max(int(np.ceil(arg.lo)), int(info.min)), min(int(np.ceil(arg.hi)), int(info.max))
        hi = max(hi, lo + 1)
        if arg.distinct:
            return rng.permutation(np.arange(count) - count // 2 * d.signed).astype(d.np).reshape(arg.shape)
        return rng.integers(lo, hi, arg.shape).astype(d.np)
    if arg.distinct:
        x = (rng.permutation(count) + 0.5) / max(count, 1) * (arg.hi - arg.lo) + arg.lo
        return x.reshape(arg.shape).astype(d.np)
    x = rng.uniform(arg.lo, arg.hi, arg.shape)
    if d.is_complex():
        x = x + 1j * rng.uniform(arg.lo, arg.hi, arg.shape)
    return x.astype(d.np)


def specials(dtype: DType) -> np.ndarray[Any, Any]:
    """NaN, infinities, zeros of both signs, subnormals and extremes of a dtype."""
    if dtype is bool_:
        return np.array([False, True])
    if dtype.kind.__name__ == "Int":
        info = np.iinfo(dtype.np)
        picks = [0, 1, 2, 3, 5, 7, info.max, info.max - 1, info.min, info.min + 1]
        if dtype.signed:
            picks += [-1, -2, -7]
        return np.array(picks, dtype.np)
    info = dtype.finfo()
    assert info is not None
    tiny = info.min_positive
    picks = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, tiny, -tiny, tiny / 4, -tiny / 4]
    picks += [info.max, info.min, 1 + info.epsilon, 1 - info.epsilon, 3.7, -3.7, 1e4, -1e4]
    with np.errstate(all="ignore"):
        return np.array(picks).astype(dtype.np)


def place(backend: Backend, x: np.ndarray[Any, Any], dtype: DType, layout: str) -> Array:
    """An array handle with the values of `x` in a certain layout."""
    if layout == "plain" or x.size == 0:
        return backend.upload(x, dtype)
    if layout == "pending":
        whole = backend.upload(np.stack([x, x]), dtype)
        from pyrite.ops.record import REGISTRY

        starts = (1,) + (0,) * x.ndim
        part = backend.run(REGISTRY["slice"], [whole], (starts, (1,) * (x.ndim + 1), (1, *x.shape)))
        shaped = backend.run(REGISTRY["reshape"], [part], (x.shape,))
        if dtype.is_complex():
            return shaped
        on = backend.upload(np.ones(x.shape, bool), bool_)
        other = backend.upload(np.zeros(x.shape, dtype.np), dtype)
        return backend.run(REGISTRY["where"], [on, shaped, other])
    if layout == "transposed":
        base = np.array(x.T, order="C").T
    elif layout == "reversed":
        base = np.array(x[tuple(slice(None, None, -1) for _ in x.shape)])[tuple(slice(None, None, -1) for _ in x.shape)]
    elif layout == "stepped":
        big = np.zeros(tuple(2 * s for s in x.shape), x.dtype)
        big[tuple(slice(None, None, 2) for _ in x.shape)] = x
        base = big[tuple(slice(None, None, 2) for _ in x.shape)]
    else:
        big = np.zeros(tuple(s + 3 for s in x.shape), x.dtype)
        big[tuple(slice(2, 2 + s) for s in x.shape)] = x
        base = big[tuple(slice(2, 2 + s) for s in x.shape)]
    from pyrite.interop import borrow

    found = borrow(base)
    assert found is not None
    storage, strides, offset = found
    storage.share(False)
    return backend.from_storage(storage, dtype, x.shape, strides, offset)


def calls(op: Op) -> Iterator[tuple[Any, int, Any]]:
    """(dtype, case number, case) of an op."""
    for dtype in op.samples.dtypes:
        for k, case in enumerate(op.samples.cases):
            yield dtype, k, case


def ulps(got: np.ndarray[Any, Any], want: np.ndarray[Any, Any], dtype: DType) -> float:
    """The largest distance in units of the last place of `want`; NaNs and infinities must agree."""
    if dtype.is_complex():
        half = dtype.np.type(0).real.dtype
        from pyrite.dtypes import from_numpy

        part = from_numpy(half)
        return max(ulps(got.real, want.real, part), ulps(got.imag, want.imag, part))
    g, w = got.astype(np.float64), want.astype(np.float64)
    same = (g == w) | (np.isnan(g) & np.isnan(w))
    if same.all():
        return 0.0
    if not np.isfinite(w[~same]).all() or not np.isfinite(g[~same]).all():
        return float("inf")
    info = dtype.finfo()
    assert info is not None
    unit = np.maximum(np.abs(w), info.min_positive) * info.epsilon
    with np.errstate(all="ignore"):
        return float(np.max(np.where(same, 0, np.abs(g - w) / unit)))


def same_bits(got: np.ndarray[Any, Any], want: np.ndarray[Any, Any]) -> bool:
    """Equal bit for bit, signs of zero included; any NaN equals any NaN."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if got.dtype.kind in "biu" or got.dtype.itemsize == 1:
        return bool(np.array_equal(got, want))
    nan = np.isnan(got) & np.isnan(want)
    equal = (got == want) & (np.signbit(got.real) == np.signbit(want.real))
    return bool(np.all(nan | equal))


def owned(x: np.ndarray[Any, Any], dtype: DType) -> Storage:
    """A storage of its own with the values of `x`."""
    storage = Storage.new(x.size, dtype)
    storage.flat[...] = x.reshape(-1)
    return storage
