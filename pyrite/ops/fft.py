"""The discrete Fourier transform of any length, of real pairs along a last axis of size 2.

(re, im) pairs keep everything real, so that the gradient is the transform with the other sign.
SciPy computes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DType, Float, float32, float64
from ..errors import DTypeError, ShapeError
from .record import Arg, Aval, Case, Samples, Shape, op

Array = np.ndarray[Any, Any]


def _infer(x: Aval, axis: int, sign: int) -> tuple[Shape, DType]:
    if x.dtype.kind is not Float:
        raise DTypeError(f"a Float tensor is needed, got {x.dtype.name}", "cast it first")
    if len(x.shape) < 2 or x.shape[-1] != 2:
        raise ShapeError(f"pairs of real and imaginary parts need a last axis of size 2, the shape is {x.shape}")
    return x.shape, x.dtype


def _reference(x: Array, axis: int, sign: int) -> Array:
    from scipy import fft

    if x.size == 0:
        return x.copy()
    pairs = np.ascontiguousarray(x)
    z = pairs.view(np.complex64 if x.dtype == np.float32 else np.complex128)[..., 0]
    y = fft.fft(z, axis=axis) if sign < 0 else fft.ifft(z, axis=axis, norm="forward")
    return np.stack([y.real, y.imag], axis=-1)


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
