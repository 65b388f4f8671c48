"""`pr.fft`: Fourier transforms of the array API, over one axis or several; Complex tensors, any length.

SciPy computes them, in the precision of the input. `pr.signal` has Burn's transforms of real pairs.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..apply import cast_to, do_of, ints, options, wrap
from ..device import Device
from ..dtypes import Complex, Float, complex64, complex128, float64
from ..errors import ArgumentError, AxisError, public
from ..interop import asarray
from ..layout import Ints, normalize_axes, normalize_axis
from ..ops import composite
from ..ops import fft as transforms
from ..ops.elementwise import check_kind
from ..tensor import Tensor
from .arguments import Axes, floats, tensor

__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
    "rfftfreq", "rfftn",
]  # fmt: skip

Norm = Literal["backward", "ortho", "forward"]
_OPPOSITE: dict[str, Norm] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _complex(t: Tensor) -> Tensor:
    """A Float or Complex tensor as a Complex one of the same precision, at least complex64."""
    check_kind(t.dtype, (Float, Complex))
    if t.dtype.kind is Complex:
        return t
    return cast_to(t, complex128 if t.dtype is float64 else complex64)


def _norm(norm: str) -> str:
    if norm not in _OPPOSITE:
        raise ArgumentError(f'norm {norm!r} is not "backward", "ortho" or "forward"')
    return norm


def _one_axis(t: Tensor, n: int | None, axis: int) -> tuple[list[int | None], Ints]:
    at = normalize_axis(axis, t.rank)
    return [_size(n)], (at,)


def _size(n: Any) -> int | None:
    """The length of a transform; None is that of the axis."""
    if n is None:
        return None
    try:
        size = operator.index(n)
    except TypeError:
        raise ArgumentError(f"the length of a transform must be an int, got {n!r}") from None
    if size < 1:
        raise ArgumentError(f"the length of a transform must be at least 1, got {size}")
    return size


def _several(t: Tensor, s: Sequence[int] | None, axes: Sequence[int] | None) -> tuple[list[int | None], Ints]:
    """Lengths (None: that of the axis) and axes, in the order given."""
    if axes is None:
        if s is not None:
            raise ArgumentError("lengths were given without their axes")
        chosen = tuple(range(t.rank))
    else:
        chosen = tuple([normalize_axis(a, t.rank) for a in ints(axes, "axes")])
        if len(set(chosen)) != len(chosen):
            raise AxisError(f"axes {tuple(axes)} repeat an axis")
    if not chosen:
        raise ArgumentError("there is no axis to transform")
    if s is None:
        return [None] * len(chosen), chosen
    if len(s) != len(chosen):
        raise ArgumentError(f"{len(s)} lengths {tuple(s)} were given for {len(chosen)} axes {chosen}")
    return [None if n == -1 else _size(n) for n in s], chosen


def _full(t: Tensor, lengths: tuple[list[int | None], Ints], norm: str, sign: int) -> Tensor:
    """A transform of Complex values."""
    sizes, axes = lengths
    known = [t.shape[a] if n is None else n for n, a in zip(sizes, axes)]
    c = _complex(t)
    return wrap(transforms.fftn(do_of(c), c._v, known, axes, sign, _norm(norm)))


def _to_half(t: Tensor, lengths: tuple[list[int | None], Ints], norm: str) -> Tensor:
    """A transform of real values."""
    sizes, axes = lengths
    known = [t.shape[a] if n is None else n for n, a in zip(sizes, axes)]
    c = _complex(floats(t))
    return wrap(transforms.rfftn(do_of(c), c._v, known, axes, _norm(norm)))


def _from_half(t: Tensor, lengths: tuple[list[int | None], Ints], norm: str) -> Tensor:
    """A transform to real values."""
    sizes, axes = lengths
    known = [t.shape[a] if n is None else n for n, a in zip(sizes, axes)]
    if sizes[-1] is None:
        known[-1] = 2 * (t.shape[axes[-1]] - 1)
        if known[-1] == 0:
            raise ArgumentError("one bin belongs to a signal of length 0 or 1", "pass the length 1")
    c = _complex(t)
    return wrap(transforms.irfftn(do_of(c), c._v, known, axes, _norm(norm)))


@public("pr.fft.fft")
def fft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """Σ x[j] · exp(-2πi jk/n) for k = 0 … n-1, along an axis. Differentiable, as all transforms here.

    `n` cuts the axis or pads it with zeros first. `norm` says where the factor stands: "backward" 1/n at the
    inverse, "forward" 1/n here, "ortho" 1/√n at both. The dtype stays; a Float tensor counts as Complex.

    Raises:
        DTypeError: for Int and Bool tensors.
        ArgumentError: n < 1, another `norm`.
        ShapeError: the axis is empty.

    Example:
        >>> pr.fft.fft(pr.asarray([1, 0, 0, 0], dtype=pr.complex64)).to_list()
        [(1+0j), (1+0j), (1+0j), (1+0j)]

    Source: array API, `fft.fft`.
    """
    t = tensor(x)
    return _full(t, _one_axis(t, n, axis), norm, -1)


@public("pr.fft.ifft")
def ifft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The inverse of `fft`: 1/n · Σ x[k] · exp(2πi jk/n), with the arguments and errors of `fft`.

    Example:
        >>> pr.fft.ifft(pr.asarray([4, 0, 0, 0], dtype=pr.complex64)).to_list()
        [(1+0j), (1+0j), (1+0j), (1+0j)]

    Source: array API, `fft.ifft`.
    """
    t = tensor(x)
    return _full(t, _one_axis(t, n, axis), norm, 1)


@public("pr.fft.fftn")
def fftn(
    x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Tensor:
    """`fft` over several axes, by default all. `s` are their lengths, -1 for that of the axis.

    Raises `ArgumentError` for `s` without `axes` or of another number, `AxisError` for a repeated axis, and as `fft`.

    Example:
        >>> pr.fft.fftn(pr.ones((2, 2), dtype=pr.complex64)).to_list()
        [[(4+0j), 0j], [0j, 0j]]

    Source: array API, `fft.fftn`.
    """
    t = tensor(x)
    return _full(t, _several(t, s, axes), norm, -1)


@public("pr.fft.ifftn")
def ifftn(
    x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Tensor:
    """The inverse of `fftn`, with its arguments and errors.

    Example:
        >>> pr.fft.ifftn(pr.asarray([[4, 0], [0, 0]], dtype=pr.complex64)).to_list()
        [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]

    Source: array API, `fft.ifftn`.
    """
    t = tensor(x)
    return _full(t, _several(t, s, axes), norm, 1)


@public("pr.fft.rfft")
def rfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The first n//2 + 1 values of the `fft` of a Float tensor; the others are their conjugates.

    float64 gives complex128, narrower dtypes complex64. Raises as `fft`, and for Complex tensors.

    Example:
        >>> pr.fft.rfft(pr.asarray([1.0, 0.0, -1.0, 0.0])).to_list()
        [0j, (2+0j), 0j]

    Source: array API, `fft.rfft`.
    """
    t = tensor(x)
    return _to_half(t, _one_axis(t, n, axis), norm)


@public("pr.fft.irfft")
def irfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The inverse of `rfft`: a Float tensor of length `n`, by default 2 · (bins - 1), along the axis.

    The imaginary parts of bin 0 and, for an even n, of the last do not count. Raises as `fft`.

    Example:
        >>> pr.fft.irfft(pr.asarray([0, 2, 0], dtype=pr.complex64)).to_list()
        [1.0, 0.0, -1.0, 0.0]

    Source: array API, `fft.irfft`.
    """
    t = tensor(x)
    return _from_half(t, _one_axis(t, n, axis), norm)


@public("pr.fft.rfftn")
def rfftn(
    x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Tensor:
    """`rfft` over the last of the axes and `fft` over the others, with the arguments and errors of `fftn`.

    Example:
        >>> pr.fft.rfftn(pr.ones((2, 2))).to_list()
        [[(4+0j), 0j], [0j, 0j]]

    Source: array API, `fft.rfftn`.
    """
    t = tensor(x)
    return _to_half(t, _several(t, s, axes), norm)


@public("pr.fft.irfftn")
def irfftn(
    x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Tensor:
    """The inverse of `rfftn`. Without a length (or with -1) the last of the axes gets 2 · (bins - 1).

    Example:
        >>> pr.fft.irfftn(pr.asarray([[4, 0], [0, 0]], dtype=pr.complex64)).to_list()
        [[1.0, 1.0], [1.0, 1.0]]

    Source: array API, `fft.irfftn`.
    """
    t = tensor(x)
    return _from_half(t, _several(t, s, axes), norm)


@public("pr.fft.hfft")
def hfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The real spectrum of length `n`, by default 2 · (size - 1), of a signal whose other half is conjugate.

    Raises as `irfft`.

    Example:
        >>> pr.fft.hfft(pr.asarray([1, 0, 0], dtype=pr.complex64)).to_list()
        [1.0, 1.0, 1.0, 1.0]

    Source: array API, `fft.hfft`.
    """
    from .elementwise import conj

    t = tensor(x)
    return _from_half(conj(_complex(t)), _one_axis(t, n, axis), _OPPOSITE[_norm(norm)])


@public("pr.fft.ihfft")
def ihfft(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
    """The inverse of `hfft`: n//2 + 1 Complex values of a Float spectrum. Raises as `rfft`.

    Example:
        >>> pr.fft.ihfft(pr.ones(4)).to_list()
        [(1-0j), -0j, -0j]

    Source: array API, `fft.ihfft`.
    """
    from .elementwise import conj

    t = tensor(x)
    return conj(_to_half(t, _one_axis(t, n, axis), _OPPOSITE[_norm(norm)]))


def _frequencies(numbers: Any, n: int, d: float, dtype: Any, device: Device | str | None) -> Tensor:
    where, kept = options(None, dtype, device)
    kept = kept or where.default_dtype(Float)
    check_kind(kept, (Float,))
    if not d:
        raise ArgumentError("the spacing of samples is 0")
    return asarray(numbers / (n * float(d)), dtype=kept, device=where, copy=True)


@public("pr.fft.fftfreq")
def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Tensor:
    """The frequencies of the values of `fft`, for samples `d` apart: [0, 1, …, -2, -1] / (d·n).

    Raises `ArgumentError` for n < 1 and d = 0, `DTypeError` for a dtype that is not Float.

    Example:
        >>> pr.fft.fftfreq(4).to_list()
        [0.0, 0.25, -0.5, -0.25]

    Source: array API, `fft.fftfreq`.
    """
    count = _size(n)
    assert count is not None
    numbers = np.arange(count)
    return _frequencies(np.where(numbers < (count + 1) // 2, numbers, numbers - count), count, d, dtype, device)


@public("pr.fft.rfftfreq")
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Tensor:
    """The frequencies of the values of `rfft`, for samples `d` apart: [0, 1, …, n//2] / (d·n).

    Raises as `fftfreq`.

    Example:
        >>> pr.fft.rfftfreq(4).to_list()
        [0.0, 0.25, 0.5]

    Source: array API, `fft.rfftfreq`.
    """
    count = _size(n)
    assert count is not None
    return _frequencies(np.arange(count // 2 + 1), count, d, dtype, device)


def _turned(x: Tensor, axes: Axes, back: bool) -> Tensor:
    t = tensor(x)
    do, v = do_of(t), t._v
    for axis in normalize_axes(axes, t.rank):
        half = t.shape[axis] // 2
        v = composite.roll(do, v, -half if back else half, axis)
    return wrap(v)


@public("pr.fft.fftshift")
def fftshift(x: Tensor, /, *, axes: Axes = None) -> Tensor:
    """The halves of the axes, by default all, swapped: frequency 0 comes to the middle. Any dtype.

    Example:
        >>> pr.fft.fftshift(pr.fft.fftfreq(4)).to_list()
        [-0.5, -0.25, 0.0, 0.25]

    Source: array API, `fft.fftshift`.
    """
    return _turned(x, axes, False)


@public("pr.fft.ifftshift")
def ifftshift(x: Tensor, /, *, axes: Axes = None) -> Tensor:
    """The inverse of `fftshift`, which differs for odd sizes.

    Example:
        >>> pr.fft.ifftshift(pr.fft.fftshift(pr.asarray([1, 2, 3]))).to_list()
        [1, 2, 3]

    Source: array API, `fft.ifftshift`.
    """
    return _turned(x, axes, True)
