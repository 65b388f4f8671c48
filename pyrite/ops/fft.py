"""Discrete Fourier transforms of any length; complex numbers are pairs along a last axis of size 2.

(re, im) pairs keep everything real, so that each gradient is another of the transforms: `dft` with the
other sign, and `dft_real` and `dft_half` of each other. SciPy computes them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, Complex, DType, Float, float32, float64, int64
from ..errors import DTypeError, ShapeError
from .composite import narrow
from .elementwise import part_dtype
from .record import Arg, Aval, Case, Samples, Shape, op

Array = np.ndarray[Any, Any]


def _infer(x: Aval, axis: int, sign: int) -> tuple[Shape, DType]:
    if x.dtype.kind is not Float:
        raise DTypeError(f"a Float tensor is needed, got {x.dtype.name}", "cast it first")
    if len(x.shape) < 2 or x.shape[-1] != 2:
        raise ShapeError(f"pairs of real and imaginary parts need a last axis of size 2, the shape is {x.shape}")
    return x.shape, x.dtype


def _complex(pairs: Array) -> Array:
    """Pairs as complex numbers, in the same memory if they are contiguous."""
    z = np.ascontiguousarray(pairs).view(np.complex64 if pairs.dtype == np.float32 else np.complex128)
    return np.asarray(z[..., 0])


def _pairs(z: Array) -> Array:
    """The inverse of `_complex`."""
    z = np.ascontiguousarray(z)
    return z.view(z.real.dtype).reshape(*z.shape, 2)


def _reference(x: Array, axis: int, sign: int) -> Array:
    from scipy import fft

    if x.size == 0:
        return x.copy()
    z = _complex(x)
    return _pairs(fft.fft(z, axis=axis) if sign < 0 else fft.ifft(z, axis=axis, norm="forward"))


op(
    "dft",
    fuses="opaque",
    doc="Y[k] = Σ X[j] exp(sign · 2πi jk/n) along `axis`, of complex numbers as pairs in the last axis; no factor.",
    params=("axis", "sign"),
    infer=_infer,
    reference=_reference,
    # the matrix is symmetric, so its adjoint has the other sign
    vjp=lambda do, g, _out, _x, axis, sign: [do.dft(g, axis, -sign)],
    samples=Samples(
        (float64, float32),
        (
            Case((Arg((5, 2)),), (0, -1)),
            Case((Arg((3, 4, 2)),), (1, 1)),
            Case((Arg((3, 4, 2)),), (0, -1)),
            Case((Arg((1, 2)),), (0, 1)),
            Case((Arg((2, 7, 3, 2)),), (1, -1)),
        ),
    ),
)


# ---------------------------------------------------------------- real signals


def _real_infer(x: Aval, axis: int) -> tuple[Shape, DType]:
    if x.dtype.kind is not Float:
        raise DTypeError(f"a Float tensor is needed, got {x.dtype.name}", "cast it first")
    shape = list(x.shape)
    shape[axis] = x.shape[axis] // 2 + 1
    return (*shape, 2), x.dtype


def _real_reference(x: Array, axis: int) -> Array:
    from scipy import fft

    if x.size == 0:
        shape = list(x.shape)
        shape[axis] = x.shape[axis] // 2 + 1
        return np.zeros((*shape, 2), x.dtype)
    return _pairs(fft.rfft(x, axis=axis))


def _half_infer(y: Aval, axis: int, n: int) -> tuple[Shape, DType]:
    shape, dtype = _infer(y, axis, 1)
    if shape[axis] != n // 2 + 1:
        raise ShapeError(f"a signal of length {n} has {n // 2 + 1} bins, the shape is {shape}")
    return tuple(n if i == axis else s for i, s in enumerate(shape[:-1])), dtype


def _half_reference(y: Array, axis: int, n: int) -> Array:
    from scipy import fft

    shape = tuple(n if i == axis else s for i, s in enumerate(y.shape[:-1]))
    if 0 in shape:
        return np.zeros(shape, y.dtype)
    # SciPy counts a bin and its mirror image, so those that have one are halved, which is exact
    k = np.arange(n // 2 + 1)
    share = np.where((k == 0) | (2 * k == n), 1, 0.5).astype(y.dtype)
    z = _complex(y) * share.reshape((-1,) + (1,) * (y.ndim - 2 - axis))
    return np.asarray(fft.irfft(z, n, axis=axis, norm="forward"))


_REAL_SHAPES = (((6,), 0), ((7,), 0), ((1,), 0), ((2, 5), 1), ((4, 3), 0), ((2, 6, 3), 1))

op(
    "dft_real",
    fuses="opaque",
    doc="Y[k] = Σ x[j] exp(-2πi jk/n) along `axis` of a real signal, for k = 0 … n//2, as pairs in a new last axis.",
    params=("axis",),
    infer=_real_infer,
    reference=_real_reference,
    vjp=lambda do, g, _out, _x, axis: [do.dft_half(g, axis, _x.shape[axis])],
    samples=Samples((float64, float32), tuple(Case((Arg(s),), (a,)) for s, a in _REAL_SHAPES)),
)

op(
    "dft_half",
    fuses="opaque",
    doc="The real part of Σ Y[k] exp(2πi jk/n) over k = 0 … n//2, for j = 0 … n-1 along `axis`; no factor.",
    params=("axis", "n"),
    infer=_half_infer,
    reference=_half_reference,
    vjp=lambda do, g, _out, _y, axis, n: [do.dft_real(g, axis)],
    samples=Samples(
        (float64, float32),
        tuple(
            Case((Arg((*(n // 2 + 1 if i == a else n for i, n in enumerate(s)), 2)),), (a, s[a]))
            for s, a in _REAL_SHAPES
        ),
    ),
)


# ---------------------------------------------------------------- complex tensors


def _complex_infer(x: Aval, axes: Shape, sign: int, scale: float) -> tuple[Shape, DType]:
    if x.dtype.kind is not Complex:
        raise DTypeError(f"a Complex tensor is needed, got {x.dtype.name}")
    for axis in axes:
        if x.shape[axis] == 0:
            raise ShapeError(f"axis {axis} of {x.shape} is empty: there is nothing to transform")
    return x.shape, x.dtype


def _complex_reference(x: Array, axes: Shape, sign: int, scale: float) -> Array:
    from scipy import fft

    if x.size == 0:
        return x.copy()
    y = fft.fftn(x, axes=axes) if sign < 0 else fft.ifftn(x, axes=axes, norm="forward")
    return np.asarray(y if scale == 1 else y * scale)


op(
    "fft",
    fuses="opaque",
    doc="scale · Σ X[j] exp(sign · 2πi Σ jk/n) over the axes, of complex numbers.",
    params=("axes", "sign", "scale"),
    infer=_complex_infer,
    reference=_complex_reference,
    # holomorphic, and the matrix is symmetric
    vjp=lambda do, g, _out, _x, axes, sign, scale: [do.fft(g, axes, sign, scale)],
    samples=Samples(
        COMPLEX,
        (
            Case((Arg((5,)),), ((0,), -1, 1.0)),
            Case((Arg((3, 4)),), ((0, 1), 1, 1 / 12)),
            Case((Arg((2, 7, 3)),), ((1,), -1, 0.5)),
            Case((Arg((0, 4)),), ((1,), 1, 1.0)),
        ),
    ),
)


def scale_of(norm: str, count: int, sign: int) -> float:
    """The factor before the sum: 1/count on the side that `norm` names, or its root on both."""
    if norm == "ortho":
        return 1 / math.sqrt(count)
    return 1 / count if (norm == "forward") == (sign < 0) else 1.0


def resized(do: Any, x: Any, sizes: Sequence[int], axes: Sequence[int]) -> Any:
    """The axes cut or padded with zeros at their ends."""
    for size, axis in zip(sizes, axes):
        have = x.shape[axis]
        if size < have:
            x = narrow(do, x, axis, 0, size)
        elif size > have:
            x = do.pad(x, tuple((0, size - have) if i == axis else (0, 0) for i in range(len(x.shape))), 0)
    return x


def fftn(do: Any, x: Any, sizes: Sequence[int], axes: Sequence[int], sign: int, norm: str) -> Any:
    """The transform of a Complex tensor over `axes`, with these sizes."""
    return do.fft(resized(do, x, sizes, axes), tuple(axes), sign, scale_of(norm, math.prod(sizes), sign))


def rfftn(do: Any, x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str) -> Any:
    """The transform of a real signal, which is Complex already: of the last axis the first n//2 + 1 bins."""
    return narrow(do, fftn(do, x, sizes, axes, -1, norm), axes[-1], 0, sizes[-1] // 2 + 1)


def irfftn(do: Any, x: Any, sizes: Sequence[int], axes: Sequence[int], norm: str) -> Any:
    """The real signal whose `rfftn` is x.

    Bins that have a mirror image along the last axis count twice and the real part is taken, which leaves
    out the imaginary parts of bin 0 and, for an even size, of the last.
    """
    n, last = sizes[-1], axes[-1]
    bins = n // 2 + 1
    x = resized(do, x, (*sizes[:-1], bins), axes)
    k = do.iota(tuple(bins if i == last else 1 for i in range(len(x.shape))), last, int64)
    single = do.logical_or(do.eq(k, 0), do.eq(do.mul(k, 2), n))
    weight = do.cast(do.where(single, do.scalar(1.0, part_dtype(x.dtype)), 2.0), x.dtype)
    return do.real(fftn(do, do.mul(x, weight), sizes, axes, 1, norm))
