"""`pr.signal`: against numpy.fft and loops over frames; gradients, round trips, windows, errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expect import fails

import pyrite as pr

S = pr.signal
Options = S.StftOptions
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 12, 13, 30, 64, 97, 100, 251, 1000]


def noise(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=shape)


def both(pair: tuple[pr.Tensor, pr.Tensor]) -> np.ndarray[Any, Any]:
    """A pair as complex numbers."""
    re, im = pair
    assert (re.shape, re.dtype) == (im.shape, im.dtype)
    return re.numpy() + 1j * im.numpy()


# --- one transform -----------------------------------------------------------------------


@pytest.mark.parametrize("n", LENGTHS)
def test_rfft_of_any_length(n: int, device: pr.Device) -> None:
    x = noise(3, n)
    got = both(S.rfft(pr.asarray(x, device=device), 1))
    np.testing.assert_allclose(got, np.fft.rfft(x), rtol=1e-12, atol=1e-12)
    single = S.rfft(pr.asarray(x, dtype=pr.float32, device=device), -1)
    assert single[0].dtype == pr.float32
    np.testing.assert_allclose(both(single), np.fft.rfft(x), rtol=0, atol=3e-6 * math.sqrt(n) * 3)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("n", [None, 1, 3, 4, 6, 9])
def test_axes_and_lengths(axis: int, n: int | None, device: pr.Device) -> None:
    x, y = noise(4, 5, 6), noise(4, 5, 6, seed=1)
    a, b = pr.asarray(x, device=device), pr.asarray(y, device=device)
    np.testing.assert_allclose(both(S.rfft(a, axis, n)), np.fft.rfft(x, n, axis), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(both(S.cfft(a, b, axis, n)), np.fft.fft(x + 1j * y, n, axis), rtol=1e-12, atol=1e-12)
    got = S.irfft(a, b, axis, n)
    np.testing.assert_allclose(got.numpy(), np.fft.irfft(x + 1j * y, n, axis), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", LENGTHS)
def test_round_trip(n: int, device: pr.Device) -> None:
    x = pr.asarray(noise(2, n), device=device)
    re, im = S.rfft(x, 1)
    np.testing.assert_allclose(S.irfft(re, im, 1, n).numpy(), x.numpy(), rtol=1e-12, atol=1e-12)
    if n % 2 == 0:
        np.testing.assert_allclose(S.irfft(re, im, 1).numpy(), x.numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [5, 6])
def test_imaginary_parts_that_do_not_count(n: int) -> None:
    re, im = pr.asarray(noise(4)[: n // 2 + 1]), noise(4, seed=1)[: n // 2 + 1]
    plain = S.irfft(re, pr.asarray(im), 0, n).numpy()
    im[0] = 7.0
    if n % 2 == 0:
        im[-1] = -9.0
    np.testing.assert_allclose(S.irfft(re, pr.asarray(im), 0, n).numpy(), plain, atol=1e-14)


@pytest.mark.parametrize("dtype", [pr.float16, pr.bfloat16], ids=str)
def test_halves(dtype: Any, device: pr.Device) -> None:
    x = pr.asarray(noise(20), dtype=dtype, device=device)
    wide = pr.astype(x, pr.float32)
    for got, want in zip(S.rfft(x, 0), S.rfft(wide, 0)):
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.numpy(), pr.astype(want, dtype).numpy())
    back = S.irfft(*S.rfft(x, 0), 0)
    assert back.dtype == dtype
    o = Options(8)
    got = S.stft(pr.reshape(x, (1, 20)), None, o)
    want = pr.astype(S.stft(pr.reshape(wide, (1, 20)), None, o), dtype)
    np.testing.assert_array_equal(got.numpy(), want.numpy())


def test_layouts_and_batches_of_nothing(device: pr.Device) -> None:
    x = noise(6, 9)
    t = pr.asarray(x, device=device)
    np.testing.assert_allclose(both(S.rfft(t.T[::-1], 0)), np.fft.rfft(x.T[::-1], axis=0), rtol=1e-12, atol=1e-12)
    re, im = S.rfft(pr.zeros((0, 8), device=device), 1)
    assert (re.shape, im.shape) == ((0, 5), (0, 5))
    assert S.irfft(re, im, 1).shape == (0, 8)
    assert re.numpy().size == 0


def test_parts_promote() -> None:
    re, im = S.cfft(pr.zeros(3), pr.zeros(3, dtype=pr.float64), 0)
    assert (re.dtype, im.dtype) == (pr.float64, pr.float64)
    assert S.irfft(pr.zeros(3), pr.zeros(3, dtype=pr.float64), 0).dtype == pr.float64


# --- gradients ---------------------------------------------------------------------------


def check_gradient(f: Callable[..., pr.Tensor], arrays: list[np.ndarray[Any, Any]], device: pr.Device) -> None:
    """Σ w · f against central differences, first order in every entry."""
    given = lambda: [pr.asarray(a, device=device, copy=True) for a in arrays]  # noqa: E731
    w = noise(*f(*given()).shape, seed=9)
    value = lambda *ts: pr.sum(f(*ts) * pr.asarray(w, device=device))  # noqa: E731
    slopes = pr.grad(value, argnums=tuple(range(len(arrays))))(*given())
    for a, g in zip(arrays, slopes):
        assert g.shape == a.shape
        got = g.numpy()
        for at in np.ndindex(a.shape):
            kept = a[at]
            a[at] = kept + 1e-5
            high = value(*given()).item()
            a[at] = kept - 1e-5
            low = value(*given()).item()
            a[at] = kept
            assert abs(got[at] - (high - low) / 2e-5) < 1e-7, at


@pytest.mark.parametrize("n", [None, 3, 5, 8])
def test_gradients_of_transforms(n: int | None, device: pr.Device) -> None:
    stacked = lambda pair: pr.stack(list(pair))  # noqa: E731
    check_gradient(lambda x: stacked(S.rfft(x, 1, n)), [noise(2, 5)], device)
    check_gradient(lambda a, b: stacked(S.cfft(a, b, 0, n)), [noise(4, 2), noise(4, 2, seed=1)], device)
    check_gradient(lambda a, b: S.irfft(a, b, 1, n), [noise(2, 4), noise(2, 4, seed=1)], device)


def test_second_order() -> None:
    """Half the energy of the spectrum is n/2 times that of the signal."""
    x = pr.asarray(noise(6))
    energy = lambda t: pr.sum(pr.stack(list(S.cfft(t, t * 0.0, 0))) ** 2) / 2  # noqa: E731
    slope = pr.grad(energy)
    np.testing.assert_allclose(slope(x).numpy(), 6 * x.numpy(), rtol=1e-12)
    np.testing.assert_allclose(pr.grad(lambda t: pr.sum(slope(t)))(x).numpy(), np.full(6, 6.0), rtol=1e-12)


OPTIONS = [
    Options(4, 2),
    Options(5, 2, 3),
    Options(6, 3, 5, center=False),
    Options(4, 1, onesided=False),
    Options(5, 2, 4, center=False, onesided=False),
]


@pytest.mark.parametrize("o", OPTIONS)
def test_gradients_in_frames(o: Any, device: pr.Device) -> None:
    size = o.win_length or o.n_fft
    window = np.random.default_rng(2).uniform(0.5, 1, size)
    check_gradient(lambda x, w: S.stft(x, w, o), [noise(2, 9), window], device)
    count, bins = 4, o.n_fft // 2 + 1 if o.onesided else o.n_fft
    check_gradient(lambda m, w: S.istft(m, w, 11, o), [noise(2, count, bins, 2), window], device)


# --- transforms in frames ----------------------------------------------------------------


def framed(x: np.ndarray[Any, Any], window: Any, o: Any) -> np.ndarray[Any, Any]:
    """The short-time transform, one frame and one frequency at a time."""
    n, size = o.n_fft, o.win_length or o.n_fft
    whole = np.zeros(n)
    whole[(n - size) // 2 : (n - size) // 2 + size] = 1 if window is None else window
    if o.center:
        x = np.pad(x, ((0, 0), (n // 2, n // 2)), mode="reflect")
    count = 1 + (x.shape[1] - n) // o.hop_length
    bins = n // 2 + 1 if o.onesided else n
    out = np.zeros((len(x), count, bins, 2))
    for b, f, k in itertools.product(range(len(x)), range(count), range(bins)):
        total = 0j
        for j in range(n):
            total += x[b, f * o.hop_length + j] * whole[j] * np.exp(-2j * np.pi * j * k / n)
        out[b, f, k] = total.real, total.imag
    return out


def added(spectra: np.ndarray[Any, Any], window: Any, length: int | None, o: Any) -> np.ndarray[Any, Any]:
    """The inverse, one frame at a time."""
    n, size = o.n_fft, o.win_length or o.n_fft
    whole = np.zeros(n)
    whole[(n - size) // 2 : (n - size) // 2 + size] = 1 if window is None else window
    z = spectra[..., 0] + 1j * spectra[..., 1]
    total = n + o.hop_length * (z.shape[1] - 1)
    out, weight = np.zeros((len(z), total)), np.zeros(total)
    for f in range(z.shape[1]):
        piece = np.fft.irfft(z[:, f], n) if o.onesided else np.fft.ifft(z[:, f], n).real
        out[:, f * o.hop_length :][:, :n] += piece * whole
        weight[f * o.hop_length :][:n] += whole**2
    out /= np.maximum(weight, 1e-10)
    if o.center:
        out = out[:, n // 2 : total - n // 2]
    if length is None:
        return out
    return np.pad(out, ((0, 0), (0, max(length - out.shape[1], 0))))[:, :length]


CASES = [
    (n, hop, win, center, onesided)
    for n, hop, win in [(8, 2, None), (8, 3, 6), (7, 2, None), (7, 3, 4), (12, 12, None), (1, 1, None), (2, 1, 1)]
    for center in (False, True)
    for onesided in (False, True)
]


@pytest.mark.parametrize("windowed", [False, True])
@pytest.mark.parametrize(("n", "hop", "win", "center", "onesided"), CASES)
def test_frames(n: int, hop: int, win: Any, center: bool, onesided: bool, windowed: bool, device: pr.Device) -> None:
    o = Options(n, hop, win, center, onesided)
    x = noise(2, 33)
    window = np.random.default_rng(3).uniform(0.2, 1, win or n) if windowed else None
    given = None if window is None else pr.asarray(window, device=device)
    got = S.stft(pr.asarray(x, device=device), given, o)
    want = framed(x, window, o)
    assert got.shape == want.shape
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-11, atol=1e-11)
    spectra = noise(*want.shape, seed=4)
    for length in (None, 0, 5, 33, 60):
        back = S.istft(pr.asarray(spectra, device=device), given, length, o)
        expected = added(spectra, window, length, o)
        assert back.shape == expected.shape
        if windowed and not center:
            # far from the window's middle the weight may be the smallest allowed: errors are divided by it
            np.testing.assert_allclose(back.numpy(), expected, rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_allclose(back.numpy(), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("n", "hop"), [(40, 1), (70, 2), (32, 1), (33, 1)])
def test_many_frames_over_one_sample(n: int, hop: int, device: pr.Device) -> None:
    o = Options(n, hop, n - 3, center=False)
    x = noise(2, n + 7)
    window = np.random.default_rng(3).uniform(0.2, 1, n - 3)
    t, w = pr.asarray(x, device=device), pr.asarray(window, device=device)
    want = framed(x, window, o)
    np.testing.assert_allclose(S.stft(t, w, o).numpy(), want, rtol=1e-11, atol=1e-11)
    back = S.istft(pr.asarray(want, device=device), w, None, o)
    np.testing.assert_allclose(back.numpy(), added(want, window, None, o), rtol=1e-9, atol=1e-9)
    probe = pr.asarray(noise(*want.shape, seed=5), device=device)
    got = pr.grad(lambda t: pr.sum(S.stft(t, w, o) * probe))(t).numpy()
    for at in ((0, 0), (1, 3), (0, n), (1, n + 6)):
        unit = np.zeros_like(x)
        unit[at] = 1
        assert abs(got[at] - (framed(unit, window, o) * probe.numpy()).sum()) < 1e-9


@pytest.mark.parametrize("onesided", [False, True])
@pytest.mark.parametrize(("n", "hop"), [(16, 4), (400, 100), (30, 10), (9, 3), (256, 128)])
def test_round_trip_in_frames(n: int, hop: int, onesided: bool, device: pr.Device) -> None:
    x = pr.asarray(noise(2, hop * 12 + n), device=device)
    window = S.hann_window(n, True, dtype=pr.float64, device=device)
    o = Options(n, hop, onesided=onesided)
    natural = S.istft(S.stft(x, window, o), window, None, o)
    covered = natural.shape[1]
    assert x.shape[1] - hop < covered <= x.shape[1]
    np.testing.assert_allclose(natural.numpy(), x.numpy()[:, :covered], rtol=1e-9, atol=1e-9)
    back = S.istft(S.stft(x, window, o), window, x.shape[1], o)
    np.testing.assert_array_equal(back.numpy()[:, :covered], natural.numpy())
    assert (back.numpy()[:, covered:] == 0).all()
    single = pr.astype(x, pr.float32)
    small = pr.astype(window, pr.float32)
    back = S.istft(S.stft(single, small, o), small, x.shape[1], o)
    np.testing.assert_allclose(back.numpy()[:, :covered], single.numpy()[:, :covered], rtol=0, atol=1e-5)


def test_a_tone_lands_in_its_bin(device: pr.Device) -> None:
    t = np.arange(400)
    x = pr.asarray(np.cos(2 * np.pi * 10 * t / 100)[None], device=device)
    found = S.stft(x, S.hann_window(100, dtype=pr.float64, device=device), Options(100)).numpy()
    power = (found**2).sum(-1)
    assert (power[0].argmax(-1) == 10).all()
    assert found.shape == (1, 17, 51, 2)


def test_options() -> None:
    o = Options()
    assert (o.n_fft, o.hop_length, o.win_length, o.center, o.onesided) == (400, 100, None, True, True)
    assert Options.default() == o
    assert Options.new(400) == o
    assert Options.new(3).hop_length == 1
    assert Options(512, hop_length=None).hop_length == 128
    assert Options(-5).n_fft == -5  # checked where they are used
    with pytest.raises(AttributeError):
        o.n_fft = 3  # type: ignore[misc]


def test_empty_batches(device: pr.Device) -> None:
    found = S.stft(pr.zeros((0, 20), device=device), None, Options(8))
    assert (found.shape, found.numpy().size) == ((0, 11, 5, 2), 0)
    assert S.istft(found, None, None, Options(8)).numpy().shape == (0, 20)


# --- windows -----------------------------------------------------------------------------

WINDOWS = {
    "hann": (S.hann_window, (0.5, 0.5, 0.0)),
    "hamming": (S.hamming_window, (25 / 46, 21 / 46, 0.0)),
    "blackman": (S.blackman_window, (0.42, 0.5, 0.08)),
}


@pytest.mark.parametrize("dtype", [pr.float64, pr.float32, pr.float16, pr.bfloat16], ids=str)
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str, periodic: bool, dtype: Any, device: pr.Device) -> None:
    make, (a, b, c) = WINDOWS[name]
    for size in (0, 1, 2, 3, 4, 7, 8, 65, 400):
        got = make(size, periodic, dtype=dtype, device=device)
        assert (got.shape, got.dtype, got.device) == ((size,), dtype, device)
        n = np.arange(size)
        period = size if periodic else size - 1
        want = (
            np.ones(size) if size < 2 else a - b * np.cos(2 * np.pi * n / period) + c * np.cos(4 * np.pi * n / period)
        )
        info = dtype.finfo()
        smallest = max(info.epsilon * info.min_positive, 1e-15)
        np.testing.assert_allclose(got.numpy().astype(np.float64), want, rtol=info.epsilon, atol=smallest)
        if not periodic:
            np.testing.assert_array_equal(got.numpy(), got.numpy()[::-1])


def test_windows_of_numpy() -> None:
    np.testing.assert_allclose(S.hann_window(50, False, dtype=pr.float64).numpy(), np.hanning(50), atol=1e-15)
    np.testing.assert_allclose(S.blackman_window(50, False, dtype=pr.float64).numpy(), np.blackman(50), atol=1e-15)
    usual = S.hamming_window(50, False, alpha=0.54, beta=0.46, dtype=pr.float64)
    np.testing.assert_allclose(usual.numpy(), np.hamming(50), atol=1e-15)


def test_options_of_windows(device: pr.Device) -> None:
    assert S.hann_window(4).dtype == pr.float32
    assert S.hann_window(4).to_list() == S.hann_window(4, True).to_list() == [0.0, 0.5, 1.0, 0.5]
    assert S.hann_window(4, True, device).device == device
    assert S.hann_window(4, True, pr.float64).dtype == pr.float64
    made = S.hann_window(4, True, (device, pr.float16))
    assert (made.device, made.dtype) == (device, pr.float16)


def test_windows_fuse() -> None:
    before = pr.stats()["fallbacks"]
    for make, _ in WINDOWS.values():
        make(100).numpy()
    assert pr.stats()["fallbacks"] == before


# --- errors ------------------------------------------------------------------------------

V, M = pr.zeros(4), pr.zeros((2, 4))
X, Z = pr.zeros((1, 8)), pr.zeros((1, 3, 3, 2))
CAST = "\nHint: cast it first, for example to float32"
FLOAT = "a tensor of kind Float is needed, got int64" + CAST

MISTAKES: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("rfft", lambda: S.rfft(M, 2), pr.AxisError, "axis 2 is out of range for rank 2 (valid: -2 to 1)"),
    ("irfft", lambda: S.irfft(M, M, -3), pr.AxisError, "axis -3 is out of range for rank 2 (valid: -2 to 1)"),
    ("cfft", lambda: S.cfft(M, M, 9), pr.AxisError, "axis 9 is out of range for rank 2 (valid: -2 to 1)"),
    (
        "rfft",
        lambda: S.rfft(pr.asarray(1.0), 0),
        pr.AxisError,
        "axis 0 is out of range: the tensor has rank 0",
    ),
    ("rfft", lambda: S.rfft(V, 0, 0), pr.ArgumentError, "the length of a transform must be at least 1, got 0"),
    ("irfft", lambda: S.irfft(V, V, 0, -2), pr.ArgumentError, "the length of a transform must be at least 1, got -2"),
    ("cfft", lambda: S.cfft(V, V, 0, 0), pr.ArgumentError, "the length of a transform must be at least 1, got 0"),
    ("rfft", lambda: S.rfft(V, 0, 2.5), pr.ArgumentError, "n must be an int, got 2.5"),
    (
        "rfft",
        lambda: S.rfft(pr.zeros((2, 0)), 1),
        pr.ShapeError,
        "axis 1 of (2, 0) is empty: there is nothing to transform",
    ),
    (
        "cfft",
        lambda: S.cfft(pr.zeros(0), pr.zeros(0), 0, 4),
        pr.ShapeError,
        "axis 0 of (0,) is empty: there is nothing to transform",
    ),
    (
        "irfft",
        lambda: S.irfft(pr.zeros(0), pr.zeros(0), 0),
        pr.ShapeError,
        "axis 0 of (0,) is empty: there is nothing to transform",
    ),
    (
        "irfft",
        lambda: S.irfft(pr.zeros(1), pr.zeros(1), 0),
        pr.ArgumentError,
        "one bin belongs to a signal of length 0 or 1\nHint: pass n=1",
    ),
    (
        "irfft",
        lambda: S.irfft(V, pr.zeros(5), 0),
        pr.ShapeError,
        "the real part has shape (4,) and the imaginary part (5,)",
    ),
    (
        "cfft",
        lambda: S.cfft(M, V, 0),
        pr.ShapeError,
        "the real part has shape (2, 4) and the imaginary part (4,)",
    ),
    ("rfft", lambda: S.rfft(pr.asarray([1, 2]), 0), pr.DTypeError, FLOAT),
    ("cfft", lambda: S.cfft(V, pr.asarray([1]), 0), pr.DTypeError, FLOAT),
    ("rfft", lambda: S.rfft([1.0], 0), pr.DTypeError, "expected a tensor, got list [1.0]"),
    ("stft", lambda: S.stft(V, None, Options(4)), pr.ShapeError,
     "signals of shape (batch, length) are needed, the tensor has shape (4,)"),
    ("stft", lambda: S.stft(X, None, Options(0)), pr.ArgumentError, "n_fft must be at least 1, got 0"),
    ("istft", lambda: S.istft(Z, None, None, Options(-4)), pr.ArgumentError, "n_fft must be at least 1, got -4"),
    ("stft", lambda: S.stft(X, None, Options(4, win_length=5)), pr.ArgumentError,
     "win_length must lie between 1 and n_fft = 4, got 5"),
    ("stft", lambda: S.stft(X, None, Options(4, win_length=0)), pr.ArgumentError,
     "win_length must lie between 1 and n_fft = 4, got 0"),
    ("stft", lambda: S.stft(X, None, Options(4, 0)), pr.ArgumentError,
     "hop_length must lie between 1 and the window's length 4, got 0"),
    ("istft", lambda: S.istft(Z, None, None, Options(4, 3, 2)), pr.ArgumentError,
     "hop_length must lie between 1 and the window's length 2, got 3"),
    ("stft", lambda: S.stft(X, pr.zeros(3), Options(4)), pr.ShapeError,
     "the window must have shape (4,), the win_length; it has (3,)"),
    ("istft", lambda: S.istft(Z, pr.zeros((1, 4)), None, Options(4)), pr.ShapeError,
     "the window must have shape (4,), the win_length; it has (1, 4)"),
    ("stft", lambda: S.stft(X, None, Options(16)), pr.ShapeError,
     "signals of length 8 are too short to be reflected by n_fft // 2 = 8 at both ends\n"
     "Hint: use center=False or a smaller n_fft"),
    ("stft", lambda: S.stft(X, None, Options(9, center=False)), pr.ShapeError,
     "signals of length 8 are shorter than a frame of n_fft = 9"),
    ("stft", lambda: S.stft(X, None, 4), pr.ArgumentError, "expected StftOptions, got int 4"),
    ("stft", lambda: S.stft(X, None, Options(4.5)), pr.ArgumentError, "n_fft must be an int, got 4.5"),
    ("istft", lambda: S.istft(X, None, None, Options(4)), pr.ShapeError,
     "spectra of shape (batch, frames, bins, 2) are needed, the tensor has shape (1, 8)"),
    ("istft", lambda: S.istft(pr.zeros((1, 3, 3, 1)), None, None, Options(4)), pr.ShapeError,
     "spectra of shape (batch, frames, bins, 2) are needed, the tensor has shape (1, 3, 3, 1)"),
    ("istft", lambda: S.istft(Z, None, None, Options(8)), pr.ShapeError,
     "a one-sided spectrum of n_fft = 8 has 5 bins, this one has 3"),
    ("istft", lambda: S.istft(Z, None, None, Options(4, onesided=False)), pr.ShapeError,
     "a two-sided spectrum of n_fft = 4 has 4 bins, this one has 3"),
    ("istft", lambda: S.istft(pr.zeros((1, 0, 3, 2)), None, None, Options(4)), pr.ShapeError,
     "spectra of shape (1, 0, 3, 2) have no frames"),
    ("istft", lambda: S.istft(Z, None, -1, Options(4)), pr.ArgumentError, "the length is -1"),
    ("stft", lambda: S.stft(pr.zeros((1, 8), dtype=pr.int64), None, Options(4)), pr.DTypeError,
     FLOAT),
    ("hann_window", lambda: S.hann_window(-1), pr.ArgumentError, "the size is -1"),
    ("hamming_window", lambda: S.hamming_window(-1), pr.ArgumentError, "the size is -1"),
    ("blackman_window", lambda: S.blackman_window(1.5), pr.ArgumentError, "the size must be an int, got 1.5"),
    ("hann_window", lambda: S.hann_window(3, dtype=pr.int64), pr.DTypeError,
     FLOAT),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "kind", "text"), MISTAKES)
def test_errors(name: str, call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    fails(kind, f"pr.signal.{name}: {text}", call)


def test_every_name_is_documented() -> None:
    for name in S.__all__:
        if name != "StftOptions":
            assert "Source: Burn" in (getattr(S, name).__doc__ or ""), name
