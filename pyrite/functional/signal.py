"""`pr.signal`: Fourier transforms and windows under Burn's names. Real Float tensors; any length works."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from ..apply import created, do_of, do_on, options, pair, wrap
from ..dtypes import DType, Float
from ..errors import ArgumentError, public
from ..methods.basic import need_tensor
from ..ops import signal as signals
from ..ops.elementwise import check_kind
from ..tensor import Tensor

__all__ = [
    "StftOptions", "blackman_window", "cfft", "hamming_window", "hann_window", "irfft", "istft", "rfft", "stft",
]  # fmt: skip


def _int(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{what} must be an int, got {value!r}") from None


def _maybe_int(value: Any, what: str) -> int | None:
    return None if value is None else _int(value, what)


def _floats(x: Any) -> Tensor:
    t = need_tensor(x)
    check_kind(t._v.dtype, (Float,))
    return t


# --- one transform -----------------------------------------------------------------------


@public("pr.signal.rfft")
def rfft(signal: Tensor, dim: int, n: int | None = None) -> tuple[Tensor, Tensor]:
    """(re, im) of X[k] = Σ x[j] · exp(-2πi jk/n) for k = 0 … n//2, along `dim`.

    `n` cuts the signal or pads it with zeros first; it is the size of `dim` by default. Both results
    have size n//2 + 1 along `dim` and the dtype of the signal. Differentiable.

    Raises `AxisError` for `dim`, `ArgumentError` for n < 1, `ShapeError` for an empty `dim`.

    Example:
        >>> re, im = pr.signal.rfft(pr.asarray([1.0, 0.0, -1.0, 0.0]), 0)
        >>> re.to_list(), im.to_list()
        ([0.0, 2.0, 0.0], [0.0, 0.0, 0.0])

    Source: Burn, `signal::rfft` (powers of two only).
    """
    t = _floats(signal)
    re, im = signals.rfft(do_of(t), t._v, dim, _maybe_int(n, "n"))
    return wrap(re), wrap(im)


@public("pr.signal.irfft")
def irfft(spectrum_re: Tensor, spectrum_im: Tensor, dim: int, n: int | None = None) -> Tensor:
    """The real signal of length `n` whose `rfft` along `dim` is (re, im): the inverse, with the factor 1/n.

    `n` is 2 · (bins - 1) by default; the spectrum is cut or padded with zeros to n//2 + 1 bins. The
    imaginary parts of bin 0 and, for an even n, of the last bin do not count. Differentiable.

    Raises `AxisError` for `dim`, `ArgumentError` for n < 1, `ShapeError` for parts of different shapes
    and an empty `dim`.

    Example:
        >>> pr.signal.irfft(pr.asarray([0.0, 2.0, 0.0]), pr.zeros(3), 0).to_list()
        [1.0, 0.0, -1.0, 0.0]

    Source: Burn, `signal::irfft` (powers of two only).
    """
    re, im = pair(_floats(spectrum_re), _floats(spectrum_im))
    return wrap(signals.irfft(do_of(re, im), re._v, im._v, dim, _maybe_int(n, "n")))


@public("pr.signal.cfft")
def cfft(re: Tensor, im: Tensor, dim: int, n: int | None = None) -> tuple[Tensor, Tensor]:
    """(re, im) of the full transform of length `n` of re + i · im along `dim`: Σ z[j] · exp(-2πi jk/n).

    `n` cuts both parts or pads them with zeros first. Differentiable.

    Raises `AxisError` for `dim`, `ArgumentError` for n < 1, `ShapeError` for parts of different shapes
    and an empty `dim`.

    Example:
        >>> re, im = pr.signal.cfft(pr.asarray([0.0, 1.0]), pr.asarray([1.0, 0.0]), 0)
        >>> re.to_list(), im.to_list()
        ([1.0, -1.0], [1.0, 1.0])

    Source: Burn, `signal::cfft`.
    """
    a, b = pair(_floats(re), _floats(im))
    found_re, found_im = signals.cfft(do_of(a, b), a._v, b._v, dim, _maybe_int(n, "n"))
    return wrap(found_re), wrap(found_im)


# --- transforms in frames ----------------------------------------------------------------


@dataclass(frozen=True)
class StftOptions:
    """The frames of `stft` and `istft`, which check them.

    Frames have `n_fft` samples and start every `hop_length`, by default a quarter of a frame. The window has
    `win_length` samples, by default `n_fft`. With `center`, signals are reflected at both ends, so that frame
    t is centred at sample t · hop_length. `onesided` spectra have n_fft//2 + 1 bins, others n_fft.
    """

    n_fft: int = 400
    hop_length: int | None = None
    win_length: int | None = None
    center: bool = True
    onesided: bool = True

    def __post_init__(self) -> None:
        if self.hop_length is None and isinstance(self.n_fft, int):
            object.__setattr__(self, "hop_length", max(self.n_fft // 4, 1))

    @staticmethod
    def new(n_fft: int) -> StftOptions:
        """The default options for frames of `n_fft` samples."""
        return StftOptions(n_fft)

    @staticmethod
    def default() -> StftOptions:
        """Frames of 400 samples every 100."""
        return StftOptions()


def _frames(given: Any) -> signals.Frames:
    if not isinstance(given, StftOptions):
        raise ArgumentError(f"expected StftOptions, got {type(given).__name__} {given!r}")
    size = _int(given.n_fft, "n_fft")
    window = size if given.win_length is None else _int(given.win_length, "win_length")
    hop = max(size // 4, 1) if given.hop_length is None else _int(given.hop_length, "hop_length")
    return signals.Frames(size, hop, window, bool(given.center), bool(given.onesided))


def _with_window(x: Tensor, window: Any) -> tuple[Tensor, Any]:
    """A tensor and, if there is one, its window in a common dtype."""
    if window is None:
        return x, None
    x, found = pair(x, _floats(window))
    do_of(x, found)
    return x, found._v


@public("pr.signal.stft")
def stft(signal: Tensor, window: Tensor | None, options: StftOptions) -> Tensor:
    """The spectra of the frames of signals `(batch, length)`: `(batch, frames, bins, 2)`, (re, im) last.

    Each frame is multiplied by the window, which stands in its middle; None is a window of ones. There
    are 1 + (padded length - n_fft) // hop_length frames. Gradients flow to the signal and the window.

    Raises:
        ArgumentError: sizes in the options that do not fit each other.
        ShapeError: a signal of another rank, shorter than a frame, or not longer than the n_fft // 2 samples to
            reflect; a window whose length is not the window's length of the options.

    Example:
        >>> o = pr.signal.StftOptions(n_fft=2, hop_length=2, center=False)
        >>> pr.signal.stft(pr.asarray([[1.0, 2.0, 3.0, 5.0]]), None, o).to_list()
        [[[[3.0, 0.0], [-1.0, 0.0]], [[8.0, 0.0], [-2.0, 0.0]]]]

    Source: Burn, `signal::stft`.
    """
    x, w = _with_window(_floats(signal), window)
    return wrap(signals.stft(do_of(x), x._v, w, _frames(options)))


@public("pr.signal.istft")
def istft(stft_matrix: Tensor, window: Tensor | None, length: int | None, options: StftOptions) -> Tensor:
    """The signals `(batch, length)` of spectra `(batch, frames, bins, 2)`: the inverse of `stft`.

    Adds the windowed inverse frames and divides by the summed squares of the window (at least 1e-10),
    which inverts wherever windows cover the signal. What centring added is cut off at both ends; then
    `length` cuts the end or pads it with zeros. Gradients flow to the spectra and the window.

    Raises:
        ArgumentError: sizes in the options that do not fit each other, a negative length.
        ShapeError: a last size other than 2, another number of bins, no frames, another length of the window.

    Example:
        >>> o = pr.signal.StftOptions(n_fft=4, hop_length=2)
        >>> x = pr.asarray([[1.0, 2.0, 3.0, 5.0]])
        >>> pr.signal.istft(pr.signal.stft(x, None, o), None, 4, o).to_list()
        [[1.0, 2.0, 3.0, 5.0]]

    Source: Burn, `signal::istft`.
    """
    x, w = _with_window(_floats(stft_matrix), window)
    return wrap(signals.istft(do_of(x), x._v, w, _maybe_int(length, "the length"), _frames(options)))


# --- windows -----------------------------------------------------------------------------


def _made(size: Any, periodic: bool, terms: tuple[float, ...], given: Any, dtype: Any, device: Any) -> Tensor:
    where, kind = options(given, dtype, device)
    count = _int(size, "the size")
    if count < 0:
        raise ArgumentError(f"the size is {count}")
    found: DType = where.settings().float_dtype if kind is None else kind
    return created(signals.cosine_window(do_on(where), count, bool(periodic), terms, found), where)


@public("pr.signal.hann_window")
def hann_window(
    size: int, periodic: bool = True, options: Any = None, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """0.5 - 0.5 · cos(2πn/N) for n = 0 … size-1, where N is the size, or size - 1 if not periodic.

    A size of 1 gives [1]. The dtype is the device's Float one by default.

    Raises `ArgumentError` for a negative size, `DTypeError` for a dtype that is not Float.

    Example:
        >>> pr.signal.hann_window(3, False).to_list()
        [0.0, 1.0, 0.0]

    Source: Burn, `signal::hann_window`.
    """
    return _made(size, periodic, (0.5, -0.5), options, dtype, device)


@public("pr.signal.hamming_window")
def hamming_window(
    size: int,
    periodic: bool = True,
    options: Any = None,
    *,
    alpha: float = 25 / 46,
    beta: float = 21 / 46,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """alpha - beta · cos(2πn/N), with the sizes, dtype and errors of `hann_window`.

    PyTorch's alpha and beta are 0.54 and 0.46.

    Example:
        >>> pr.signal.hamming_window(3, False, alpha=0.75, beta=0.25).to_list()
        [0.5, 1.0, 0.5]

    Source: Burn, `signal::hamming_window`.
    """
    return _made(size, periodic, (float(alpha), -float(beta)), options, dtype, device)


@public("pr.signal.blackman_window")
def blackman_window(
    size: int, periodic: bool = True, options: Any = None, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """0.42 - 0.5 · cos(2πn/N) + 0.08 · cos(4πn/N), with the sizes, dtype and errors of `hann_window`.

    Example:
        >>> pr.signal.blackman_window(5, False).numpy().round(4).tolist()
        [-0.0, 0.3400000035762787, 1.0, 0.3400000035762787, -0.0]

    Source: Burn, `signal::blackman_window`.
    """
    return _made(size, periodic, (0.42, -0.5, 0.08), options, dtype, device)
