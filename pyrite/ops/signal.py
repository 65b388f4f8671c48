"""Fourier transforms of signals and spectra, whole and in frames, made of ops alone.

A spectrum is a pair of real tensors, or one with a last axis of (re, im). The transforms of any length
are ops on such pairs, so everything differentiates to every order. Half-precision inputs are widened
at the start and rounded once at the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dtypes import DType, Float, float32, float64, int64
from ..errors import ArgumentError, DTypeError, ShapeError
from ..layout import normalize_axis
from .composite import flip, narrow
from .elementwise import check_kind

# --- one transform -----------------------------------------------------------------------


def _widened(do: Any, *xs: Any) -> tuple[list[Any], DType]:
    """Float tensors of one dtype, no longer in half precision, and the dtype of the result."""
    for x in xs:
        check_kind(x.dtype, (Float,))
    dtype: DType = xs[0].dtype
    return [do.cast(x, float32) if dtype.is_half() else x for x in xs], dtype


def _as(do: Any, x: Any, dtype: DType) -> Any:
    return x if x.dtype is dtype else do.cast(x, dtype)


def _length(n: int | None, shape: Sequence[int], axis: int) -> int:
    """How long a transform along an axis is."""
    if n is not None and n < 1:
        raise ArgumentError(f"the length of a transform must be at least 1, got {n}")
    if shape[axis] == 0:
        raise ShapeError(f"axis {axis} of {tuple(shape)} is empty: there is nothing to transform")
    return shape[axis] if n is None else n


def _resized(do: Any, x: Any, size: int, axis: int) -> Any:
    """The axis cut or padded with zeros at its end."""
    have = x.shape[axis]
    if size < have:
        return narrow(do, x, axis, 0, size)
    if size == have:
        return x
    return do.pad(x, tuple((0, size - have) if i == axis else (0, 0) for i in range(len(x.shape))), 0.0)


def _pairs(do: Any, re: Any, im: Any) -> Any:
    """(re, im) along a new last axis."""
    return do.concat([do.reshape(re, (*re.shape, 1)), do.reshape(im, (*im.shape, 1))], len(re.shape))


def _part(do: Any, pairs: Any, k: int) -> Any:
    return do.reshape(narrow(do, pairs, -1, k, 1), pairs.shape[:-1])


def _need_equal(re: Any, im: Any) -> None:
    if re.shape != im.shape:
        raise ShapeError(f"the real part has shape {re.shape} and the imaginary part {im.shape}")
    if re.dtype is not im.dtype:
        raise DTypeError(f"the real part is {re.dtype.name} and the imaginary part {im.dtype.name}")


def rfft(do: Any, x: Any, axis: int, n: int | None = None) -> tuple[Any, Any]:
    """Σ x[j] exp(-2πi jk/n) for k = 0 … n//2, as (re, im)."""
    (wide,), dtype = _widened(do, x)
    axis = normalize_axis(axis, len(x.shape))
    n = _length(n, x.shape, axis)
    found = do.dft_real(_resized(do, wide, n, axis), axis)
    return _as(do, _part(do, found, 0), dtype), _as(do, _part(do, found, 1), dtype)


def cfft(do: Any, re: Any, im: Any, axis: int, n: int | None = None) -> tuple[Any, Any]:
    """Σ (re + i·im)[j] exp(-2πi jk/n) for k = 0 … n-1, as (re, im)."""
    _need_equal(re, im)
    (a, b), dtype = _widened(do, re, im)
    axis = normalize_axis(axis, len(re.shape))
    n = _length(n, re.shape, axis)
    found = do.dft(_resized(do, _pairs(do, a, b), n, axis), axis, -1)
    return _as(do, _part(do, found, 0), dtype), _as(do, _part(do, found, 1), dtype)


def _from_half(do: Any, pairs: Any, axis: int, n: int) -> Any:
    """The real signal of length n whose spectrum begins with the n//2 + 1 bins of `pairs`.

    Bins that have a mirror image count twice and the real part is taken, which leaves out the
    imaginary parts of bin 0 and, for even n, of the last.
    """
    bins = n // 2 + 1
    k = do.iota(tuple(bins if i == axis else 1 for i in range(len(pairs.shape))), axis, int64)
    single = do.logical_or(do.eq(k, 0), do.eq(do.mul(k, 2), n))
    weighted = do.mul(pairs, do.div(do.where(single, do.scalar(1.0, pairs.dtype), 2.0), float(n)))
    return do.dft_half(weighted, axis, n)


def irfft(do: Any, re: Any, im: Any, axis: int, n: int | None = None) -> Any:
    """The real signal of length n, 2·(bins - 1) by default, whose `rfft` is (re, im)."""
    _need_equal(re, im)
    (a, b), dtype = _widened(do, re, im)
    axis = normalize_axis(axis, len(re.shape))
    bins = _length(None, re.shape, axis)
    if n is None and bins == 1:
        raise ArgumentError("one bin belongs to a signal of length 0 or 1", "pass n=1")
    n = _length(2 * (bins - 1) if n is None else n, re.shape, axis)
    pairs = _resized(do, _pairs(do, a, b), n // 2 + 1, axis)
    return _as(do, _from_half(do, pairs, axis, n), dtype)


# --- transforms in frames ----------------------------------------------------------------


@dataclass(frozen=True)
class Frames:
    """Frames of `size` samples every `hop`, with a window of `window` samples in the middle of each."""

    size: int
    hop: int
    window: int
    center: bool
    onesided: bool

    @property
    def bins(self) -> int:
        """Frequencies of a spectrum."""
        return self.size // 2 + 1 if self.onesided else self.size

    @property
    def margin(self) -> int:
        """Samples that reflection adds at each end."""
        return self.size // 2 if self.center else 0


def check_frames(frames: Frames) -> None:
    """Raises `ArgumentError` for sizes that do not fit each other."""
    if frames.size < 1:
        raise ArgumentError(f"n_fft must be at least 1, got {frames.size}")
    if not 1 <= frames.window <= frames.size:
        raise ArgumentError(f"win_length must lie between 1 and n_fft = {frames.size}, got {frames.window}")
    if not 1 <= frames.hop <= frames.window:
        raise ArgumentError(f"hop_length must lie between 1 and the window's length {frames.window}, got {frames.hop}")


def _window(do: Any, window: Any, frames: Frames, dtype: DType) -> Any:
    """The window in the middle of a frame, zero outside; ones without one."""
    if window is None:
        window = do.full(1.0, (frames.window,), dtype)
    elif len(window.shape) != 1 or window.shape[0] != frames.window:
        raise ShapeError(f"the window must have shape ({frames.window},), the win_length; it has {window.shape}")
    before = (frames.size - frames.window) // 2
    after = frames.size - frames.window - before
    return do.pad(window, ((before, after),), 0.0) if before or after else window


def _framed(do: Any, x: Any, frames: Frames, count: int) -> Any:
    """(batch, count, size): the frames of signals (batch, length).

    Blocks of one hop are put side by side, rather than every sample by itself, which keeps the gradient,
    an overlap-add, short.
    """
    size, hop = frames.size, frames.hop
    blocks = -(-size // hop)
    if blocks > _MANY:
        return do.unfold(x, 1, size, hop)
    batch = x.shape[0]
    whole = do.reshape(_resized(do, x, (count + blocks - 1) * hop, 1), (batch, count + blocks - 1, hop))
    parts = [narrow(do, whole, 1, k, count) for k in range(blocks)]
    parts[-1] = narrow(do, parts[-1], 2, 0, size - (blocks - 1) * hop)
    return do.concat(parts, 2)


def _overlapped(do: Any, pieces: Any, frames: Frames) -> Any:
    """The sum of frames (batch, count, size), each at its place: (batch, size + hop·(count - 1))."""
    batch, count, size = pieces.shape
    hop, total = frames.hop, size + frames.hop * (count - 1)
    blocks = -(-size // hop)
    if blocks > _MANY:
        start = do.mul(do.iota((count, 1), 0, int64), hop)
        places = do.reshape(do.add(start, do.iota((1, size), 1, int64)), (count * size,))
        flat = do.reshape(pieces, (batch, count * size))
        return do.put(do.full(0.0, (batch, total), pieces.dtype), places, flat, 1, "add")
    found: Any = None
    for k in range(blocks):
        part = narrow(do, pieces, 2, k * hop, min(hop, size - k * hop))
        part = do.pad(part, ((0, 0), (k, blocks - 1 - k), (0, hop - part.shape[2])), 0.0)
        found = part if found is None else do.add(found, part)
    return _resized(do, do.reshape(found, (batch, (count + blocks - 1) * hop)), total, 1)


_MANY = 32  # more blocks than this in a frame are handled one sample at a time


def stft(do: Any, x: Any, window: Any, frames: Frames) -> Any:
    """The spectra of the frames of signals (batch, length): (batch, frames, bins, 2)."""
    check_frames(frames)
    if len(x.shape) != 2:
        raise ShapeError(f"signals of shape (batch, length) are needed, the tensor has shape {x.shape}")
    (wide, *given), dtype = _widened(do, x, *([] if window is None else [window]))
    shape = _window(do, given[0] if given else None, frames, wide.dtype)
    length, margin = x.shape[1], frames.margin
    if margin >= length and frames.center:
        raise ShapeError(
            f"signals of length {length} are too short to be reflected by n_fft // 2 = {margin} at both ends",
            "use center=False or a smaller n_fft",
        )
    padded = length + 2 * margin
    if padded < frames.size:
        raise ShapeError(f"signals of length {padded} are shorter than a frame of n_fft = {frames.size}")
    if margin:
        front, back = narrow(do, wide, 1, 1, margin), narrow(do, wide, 1, length - 1 - margin, margin)
        wide = do.concat([flip(do, front, (1,)), wide, flip(do, back, (1,))], 1)
    pieces = do.mul(_framed(do, wide, frames, 1 + (padded - frames.size) // frames.hop), shape)
    if frames.onesided:
        return _as(do, do.dft_real(pieces, 2), dtype)
    zeros = do.full(0.0, pieces.shape, pieces.dtype)
    return _as(do, do.dft(_pairs(do, pieces, zeros), 2, -1), dtype)


def istft(do: Any, spectra: Any, window: Any, length: int | None, frames: Frames) -> Any:
    """The signals (batch, length) whose `stft` is (batch, frames, bins, 2): windowed frames, added and weighed."""
    check_frames(frames)
    if len(spectra.shape) != 4 or spectra.shape[3] != 2:
        raise ShapeError(f"spectra of shape (batch, frames, bins, 2) are needed, the tensor has shape {spectra.shape}")
    batch, count, bins, _ = spectra.shape
    if bins != frames.bins:
        kind = "one-sided" if frames.onesided else "two-sided"
        raise ShapeError(f"a {kind} spectrum of n_fft = {frames.size} has {frames.bins} bins, this one has {bins}")
    if count == 0:
        raise ShapeError(f"spectra of shape {spectra.shape} have no frames")
    if length is not None and length < 0:
        raise ArgumentError(f"the length is {length}")
    (wide, *given), dtype = _widened(do, spectra, *([] if window is None else [window]))
    shape = _window(do, given[0] if given else None, frames, wide.dtype)
    if frames.onesided:
        pieces = _from_half(do, wide, 2, frames.size)
    else:
        pieces = do.div(_part(do, do.dft(wide, 2, 1), 0), float(frames.size))
    total = frames.size + frames.hop * (count - 1)
    weight = do.expand(do.reshape(do.square(shape), (1, 1, frames.size)), (1, count, frames.size))
    signal = do.div(_overlapped(do, do.mul(pieces, shape), frames), do.maximum(_overlapped(do, weight, frames), 1e-10))
    if frames.margin:
        signal = narrow(do, signal, 1, frames.margin, total - 2 * frames.margin)
    return _as(do, signal if length is None else _resized(do, signal, length, 1), dtype)


# --- windows -----------------------------------------------------------------------------


def cosine_window(do: Any, size: int, periodic: bool, terms: Sequence[float], dtype: DType) -> Any:
    """Σ terms[m]·cos(2πmn/N), where N is the size or, of a window that is not periodic, one less."""
    check_kind(dtype, (Float,))
    if size < 2:
        return do.full(1.0, (size,), dtype)
    period = size if periodic else size - 1
    n = do.iota((size,), 0, int64)
    # the mirrored half is computed from the same angles, so that the window is symmetric to the bit
    n = do.cast(do.minimum(n, do.sub(period, n)), float64)
    total = do.full(terms[0], (size,), float64)
    for m, factor in enumerate(terms[1:], 1):
        total = do.add(total, do.mul(do.cos(do.mul(n, 2 * math.pi * m / period)), factor))
    return do.cast(total, dtype)
