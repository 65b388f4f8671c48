"""Random numbers: the same bits everywhere, the right distributions, bounds, streams and errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats

import pyrite as pr
from pyrite.apply import do_on, wrap
from pyrite.ops.random import _Ints, _threefry, fold_key, key_of, split_key_ints, word_of

D = pr.Distribution
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SHAPES = [(), (1,), (0,), (7,), (64,), (67,), (3, 5), (2, 1, 9), (2, 3, 2, 2)]
N = 200_000


def key(seed: int, device: Any = None) -> pr.Tensor:
    return pr.random.key(seed, device=device)


def bits(t: pr.Tensor) -> bytes:
    return t.numpy().tobytes()


Sampler = Callable[[pr.Tensor, Any], pr.Tensor]
SAMPLERS: dict[str, Sampler] = {
    **{f"uniform {d}": lambda k, s, d=d: pr.random.uniform(k, s, dtype=getattr(pr, d)) for d in FLOATS},
    **{f"range {d}": lambda k, s, d=d: pr.random.uniform(k, s, -3.3, 7.1, dtype=getattr(pr, d)) for d in FLOATS},
    **{f"normal {d}": lambda k, s, d=d: pr.random.normal(k, s, dtype=getattr(pr, d)) for d in FLOATS},
    **{f"moved {d}": lambda k, s, d=d: pr.random.normal(k, s, 1.5, 0.3, dtype=getattr(pr, d)) for d in FLOATS},
    **{f"randint {d}": lambda k, s, d=d: pr.random.randint(k, s, 3, 100, dtype=getattr(pr, d)) for d in INTS},
    "randint wide": lambda k, s: pr.random.randint(k, s, -(2**63), 2**63),
    "randint unsigned": lambda k, s: pr.random.randint(k, s, 0, 2**64, dtype=pr.uint64),
    "bernoulli": lambda k, s: pr.random.bernoulli(k, s, 0.3),
}


# --- the same bits everywhere ---------------------------------------------------------------


@pytest.mark.parametrize("name", list(SAMPLERS))
def test_the_same_bits_on_both_devices(name: str) -> None:
    draw = SAMPLERS[name]
    for seed, shape in enumerate(SHAPES):
        a, b = draw(key(seed, "cpu"), shape), draw(key(seed, "flex"), shape)
        assert a.shape == b.shape == shape
        assert a.dtype is b.dtype
        assert bits(a) == bits(b), (seed, shape)


@pytest.mark.parametrize("name", ["uniform float32", "normal float32", "normal float64", "range float64", "bernoulli"])
def test_the_same_bits_for_many_elements(name: str) -> None:
    draw = SAMPLERS[name]
    assert bits(draw(key(5, "cpu"), (N,))) == bits(draw(key(5, "flex"), (N,)))


@pytest.mark.parametrize("name", list(SAMPLERS))
@pytest.mark.parametrize("device", ["cpu", "flex"])
def test_an_element_does_not_depend_on_the_length(name: str, device: str) -> None:
    draw, k = SAMPLERS[name], key(11, device)
    long = draw(k, (1000,)).numpy()
    for n in (1, 2, 15, 16, 17, 63, 64, 65, 999):
        assert bits(draw(k, (n,))) == long[:n].tobytes(), n
    assert bits(draw(k, (10, 100))) == long.tobytes()
    assert bits(draw(k, (5, 10, 20))) == long.tobytes()
    assert bits(draw(k, ())) == long[:1].tobytes()


@pytest.mark.parametrize("name", ["uniform float32", "normal float64", "randint int32", "bernoulli"])
def test_no_result_depends_on_the_threads(name: str) -> None:
    found = set()
    for threads in (1, 2, 3, 7):
        pr.set_num_threads(threads)
        found.add(bits(SAMPLERS[name](key(3), (1_500_000,))))
    assert len(found) == 1


@pytest.mark.parametrize("name", ["uniform float32", "normal float64", "randint int64"])
def test_no_result_depends_on_fusion(name: str) -> None:
    draw = SAMPLERS[name]
    plain = draw(key(3), (1000,)).numpy()
    fused = (draw(key(3), (1000,)) * 2 + 1).numpy()
    np.testing.assert_array_equal(fused, plain * 2 + 1)
    with pr.fusion(False):
        assert bits(draw(key(3), (1000,))) == plain.tobytes()


@pytest.mark.parametrize("name", list(SAMPLERS))
def test_a_key_gives_the_same_numbers_every_time(name: str) -> None:
    k = key(9)
    assert bits(SAMPLERS[name](k, (50,))) == bits(SAMPLERS[name](k, (50,))) == bits(SAMPLERS[name](key(9), (50,)))


def test_threefry_known_answers() -> None:
    """Known answers of Threefry-2x32 with 20 rounds, published with the Random123 library."""
    known = [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((2**32 - 1, 2**32 - 1), (2**32 - 1, 2**32 - 1), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ]
    for (k0, k1), (x0, x1), want in known:
        assert _threefry(_Ints, k0, k1, x0, x1) == want
    # element 0 of a draw is the block of counter 0
    do = do_on(pr.Device.cpu())
    drawn = wrap(do.random_bits(do.scalar(0, pr.uint64), (2,), pr.uint64)).numpy()
    assert int(drawn[0]) == 0x6B200159 | 0x99BA4EFE << 32


def test_these_numbers_stay() -> None:
    """Saved programs rely on them: a change of any bit is a change of the format."""
    assert key_of(0) == 1770200407422804728
    assert key_of(-1) == 10648956236189942226
    assert key_of(2**64) == 11379356405733581804
    assert key(42).item() == key_of(42)


# --- seeds, keys and streams -----------------------------------------------------------------


def test_seeds_give_different_numbers() -> None:
    seeds = [0, 1, 2, -1, -2, 2**31, 2**32, 2**32 + 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, -(2**64), 2**200, -(2**200)]
    keys = [key_of(s) for s in seeds]
    assert len(set(keys)) == len(seeds)
    assert all(0 <= k < 2**64 for k in keys)
    draws = {bits(pr.random.uniform(key(s), (8,))) for s in seeds}
    assert len(draws) == len(seeds)


def test_neighbouring_seeds_are_not_correlated() -> None:
    rows = np.stack([pr.random.normal(key(s), (4000,), dtype=pr.float64).numpy() for s in range(20)])
    c = np.corrcoef(rows) - np.eye(20)
    assert np.abs(c).max() < 5 / math.sqrt(4000)


def test_split() -> None:
    k = key(1)
    keys = pr.random.split(k, 100)
    assert keys.shape == (100,)
    assert keys.dtype is pr.uint64
    assert len({*keys.to_list(), k.item()}) == 101
    assert pr.random.split(k).shape == (2,)
    assert pr.random.split(k, 0).shape == (0,)
    assert pr.random.split(k, 3).to_list() == keys.to_list()[:3]
    assert keys.to_list() == split_key_ints(key_of(1), 100)
    a, b = pr.random.split(k)
    assert bits(pr.random.uniform(a, (10,))) != bits(pr.random.uniform(b, (10,)))


def test_fold_in() -> None:
    k = key(1)
    folded = [pr.random.fold_in(k, d).item() for d in (0, 1, 2, -1, 2**32, 2**63)]
    assert len({*folded, k.item(), *pr.random.split(k, 10).to_list()}) == len(folded) + 11
    assert folded == [fold_key(key_of(1), d) for d in (0, 1, 2, -1, 2**32, 2**63)]
    assert pr.random.fold_in(k, 1).shape == ()
    one_two = pr.random.fold_in(pr.random.fold_in(k, 1), 2).item()
    assert one_two != pr.random.fold_in(pr.random.fold_in(k, 2), 1).item()


@pytest.mark.parametrize("device", ["cpu", "flex"])
def test_keys_are_the_same_on_both_devices(device: str) -> None:
    k = key(7, device)
    assert k.item() == key_of(7)
    assert pr.random.split(k, 5).to_list() == split_key_ints(key_of(7), 5)
    assert pr.random.fold_in(k, 9).item() == fold_key(key_of(7), 9)


def test_streams_of_split_keys_are_independent() -> None:
    keys = pr.random.split(key(0), 20)
    rows = np.stack([pr.random.uniform(keys[i], (4000,), dtype=pr.float64).numpy() for i in range(20)])
    assert np.abs(np.corrcoef(rows) - np.eye(20)).max() < 5 / math.sqrt(4000)
    assert scipy.stats.kstest(rows.ravel(), "uniform").pvalue > 1e-4


@pytest.mark.parametrize("name", ["cpu", "flex"])
def test_seed_restarts_the_stream_of_a_device(name: str) -> None:
    device = pr.Device(name)

    def draws() -> list[bytes]:
        return [bits(pr.Tensor.random([5], D.Default, device)) for _ in range(3)]

    device.seed(5)
    first = draws()
    more = draws()
    device.seed(5)
    assert draws() == first
    device.seed(6)
    assert draws() != first
    assert len({*first, *more}) == 6  # two draws differ


def test_both_devices_have_the_same_stream() -> None:
    found = []
    for name in ("cpu", "flex"):
        device = pr.Device(name)
        device.seed(8)
        found.append([bits(pr.Tensor.random([n], D.Normal(0.0, 2.0), device)) for n in (3, 70, 1)])
    assert found[0] == found[1]


def test_a_draw_does_not_depend_on_the_shapes_before() -> None:
    device = pr.Device()
    found = []
    for shape in ([1], [1000, 3]):
        device.seed(4)
        pr.Tensor.random(shape, D.Default)
        found.append(bits(pr.Tensor.random([20], D.Default)))
    assert found[0] == found[1]


def test_handles_of_a_device_share_its_stream() -> None:
    device = pr.Device()
    device.seed(4)
    a = pr.Tensor.random([4], D.Default, device)
    b = pr.Tensor.random([4], D.Default, device.autodiff())
    assert bits(a) != bits(b)
    device.autodiff().seed(4)
    assert bits(pr.Tensor.random([4], D.Default, device)) == bits(a)


# --- Distribution ----------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu", "flex"])
@pytest.mark.parametrize("shape", SHAPES)
def test_random_has_the_shape_and_dtype(device: str, shape: tuple[int, ...]) -> None:
    for d in (D.Default, D.Uniform(-1.0, 2.0), D.Normal(0.0, 1.0), D.Bernoulli(0.5)):
        t = pr.Tensor.random(shape, d, device=pr.Device(device))
        assert (t.shape, t.dtype, t.device) == (shape, pr.float32, pr.Device(device))
        for dtype in FLOATS:
            assert pr.Tensor.random(shape, d, getattr(pr, dtype), device=device).dtype is getattr(pr, dtype)


def test_default() -> None:
    pr.Device().seed(0)
    x = pr.Tensor.random([20_000], D.Default).numpy()
    assert x.min() >= 0
    assert x.max() < 1
    assert abs(x.mean() - 0.5) < 0.01
    i = pr.Tensor[pr.Int].random([20_000], D.Default).numpy()
    assert (i.dtype, i.min(), i.max()) == (np.int64, 0, 254)
    small = pr.Tensor[pr.Int].random([20_000], D.Default, pr.int8).numpy()
    assert (small.min(), small.max()) == (0, 127)
    b = pr.Tensor[pr.Bool].random([20_000], D.Default).numpy()
    assert b.dtype == bool
    assert abs(b.mean() - 0.5) < 0.02


def test_kinds_of_distributions() -> None:
    pr.Device().seed(1)
    i = pr.Tensor[pr.Int].random([5000], D.Uniform(-3.0, 4.0)).numpy()
    assert set(i.tolist()) == set(range(-3, 4))
    i = pr.Tensor[pr.Int].random([5000], D.Normal(100.0, 5.0)).numpy()
    assert abs(i.mean() - 99.5) < 1  # truncated
    i = pr.Tensor[pr.Int].random([5000], D.Bernoulli(0.25)).numpy()
    assert set(i.tolist()) == {0, 1}
    assert abs(i.mean() - 0.25) < 0.03
    f = pr.Tensor.random([5000], D.Bernoulli(0.25)).numpy()
    assert f.dtype == np.float32
    assert set(f.tolist()) == {0.0, 1.0}
    b = pr.Tensor[pr.Bool].random([5000], D.Bernoulli(0.9)).numpy()
    assert b.dtype == bool
    assert abs(b.mean() - 0.9) < 0.02


def test_random_like() -> None:
    for dtype in (pr.float64, pr.int16, pr.bool):
        t = pr.Tensor.zeros([3, 4], dtype=dtype) if dtype is pr.float64 else pr.zeros((3, 4), dtype=dtype)
        r = t.random_like(D.Bernoulli(0.5))
        assert (r.shape, r.dtype) == (t.shape, t.dtype)
        assert bits(t.random_like(D.Bernoulli(0.5))) != bits(r) or dtype is pr.bool
    r = pr.asarray([[1.0]], device="flex").random_like(D.Default)
    assert r.device == pr.Device.flex()


def test_distributions_are_values() -> None:
    assert D.Uniform(0.0, 1.0) == D.Uniform(0.0, 1.0)
    assert D.Uniform(0.0, 1.0) != D.Normal(0.0, 1.0)
    assert len({D.Default, D.Default, D.Bernoulli(0.5)}) == 2
    assert [repr(d) for d in (D.Default, D.Bernoulli(0.5), D.Uniform(0.0, 2.0), D.Normal(1.0, 2.0))] == [
        "Distribution.Default",
        "Distribution.Bernoulli(0.5)",
        "Distribution.Uniform(0.0, 2.0)",
        "Distribution.Normal(1.0, 2.0)",
    ]


# --- moments and shapes of the distributions --------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_is_uniform(dtype: str) -> None:
    x = pr.random.uniform(key(21), (N,), dtype=getattr(pr, dtype)).numpy().astype(np.float64)
    assert scipy.stats.kstest(x, "uniform").pvalue > 1e-3
    assert abs(x.mean() - 0.5) < 4 * math.sqrt(1 / 12 / N)
    assert abs(x.var() - 1 / 12) < 4 * math.sqrt(1 / 180 / N)
    # every leading bit is fair
    word = (x * 2**20).astype(np.int64)
    for b in range(20):
        assert abs(((word >> b) & 1).mean() - 0.5) < 5 * 0.5 / math.sqrt(N)


def test_uniform_range_is_uniform() -> None:
    x = pr.random.uniform(key(22), (N,), -3.0, 5.0, dtype=pr.float64).numpy()
    assert scipy.stats.kstest(x, "uniform", (-3, 8)).pvalue > 1e-3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal_is_normal(dtype: str) -> None:
    x = pr.random.normal(key(23), (N,), dtype=getattr(pr, dtype)).numpy().astype(np.float64)
    assert scipy.stats.kstest(x, "norm").pvalue > 1e-3
    assert abs(x.mean()) < 4 / math.sqrt(N)
    assert abs(x.var() - 1) < 4 * math.sqrt(2 / N)
    assert abs(scipy.stats.skew(x)) < 4 * math.sqrt(6 / N)
    assert abs(scipy.stats.kurtosis(x)) < 4 * math.sqrt(24 / N)
    assert np.isfinite(x).all()


def test_normal_with_mean_and_deviation() -> None:
    x = pr.random.normal(key(24), (N,), -2.0, 0.25, dtype=pr.float64).numpy()
    assert scipy.stats.kstest(x, "norm", (-2, 0.25)).pvalue > 1e-3
    plain = pr.random.normal(key(24), (N,), dtype=pr.float64).numpy()
    np.testing.assert_array_equal(x, plain * 0.25 - 2.0)
    assert pr.random.normal(key(0), (3,), 5.0, 0.0).to_list() == [5.0] * 3


@pytest.mark.parametrize("dtype", FLOATS)
def test_normal_extremes_are_finite_and_symmetric(dtype: str) -> None:
    """The outermost and innermost bits of the quantile function."""
    wide = dtype == "float64"
    word, n = (np.uint64, 64) if wide else (np.uint32, 32)
    half = 1 << (n - 1)
    picks = np.array([0, 1, half - 1, half, half + 1, 2 * half - 1], word)
    do = do_on(pr.Device.cpu())
    z = wrap(do.normal_of_bits(pr.asarray(picks)._v)).numpy()
    assert np.isfinite(z).all()
    np.testing.assert_array_equal(z[:3], -z[3:])
    tail = scipy.stats.norm.isf(2.0 ** -(n + 1))
    assert abs(z).max() == pytest.approx(tail, rel=1e-5)
    assert abs(z).min() < 1e-6


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 3e-6), ("float64", 1e-14)])
def test_normal_is_the_quantile_function(dtype: str, tolerance: float) -> None:
    wide = dtype == "float64"
    n = 64 if wide else 32
    rng = np.random.default_rng(0)
    exponents = rng.integers(0, n - 1, 4000)
    magnitude = (rng.integers(0, 2**63, 4000, np.uint64) >> np.uint64(1)) >> exponents.astype(np.uint64)
    if not wide:
        magnitude = magnitude & np.uint64(2**31 - 1)
    picks = magnitude.astype(np.uint64 if wide else np.uint32)
    do = do_on(pr.Device.cpu())
    z = wrap(do.normal_of_bits(pr.asarray(picks)._v)).numpy().astype(np.float64)
    t = (picks.astype(np.float64) + 0.5) * 2.0**-n
    np.testing.assert_allclose(z, scipy.stats.norm.isf(t), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 2), (-3, 4), (0, 10), (5, 105), (-128, 128)])
def test_randint_is_uniform(low: int, high: int) -> None:
    x = pr.random.randint(key(25), (N,), low, high).numpy()
    counts = np.bincount(x - low, minlength=high - low)
    assert len(counts) == high - low
    if high - low > 1:
        assert scipy.stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("p", [0.0, 1e-3, 0.25, 0.5, 0.9, 1.0])
def test_bernoulli_has_its_probability(p: float) -> None:
    for drawn in (pr.random.bernoulli(key(26), (N,), p), pr.random.bernoulli(key(27), (N,), pr.asarray(p))):
        mean = drawn.numpy().mean()
        assert abs(mean - p) <= 4.5 * math.sqrt(p * (1 - p) / N)


def test_bernoulli_of_a_tensor() -> None:
    p = pr.asarray([[0.0], [0.5], [1.0]])
    x = pr.random.bernoulli(key(28), (3, 10_000), p).numpy().mean(1)
    assert x[0] == 0
    assert x[2] == 1
    assert abs(x[1] - 0.5) < 0.02


def test_permutation_is_uniform() -> None:
    for device in ("cpu", "flex"):
        assert sorted(pr.random.permutation(key(0, device), 100).to_list()) == list(range(100))
    counts: dict[tuple[int, ...], int] = {}
    keys = pr.random.split(key(1), 1200)
    for i in range(1200):
        order = tuple(pr.random.permutation(keys[i], 3).to_list())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert scipy.stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_permutation_of_a_tensor() -> None:
    x = np.arange(12).reshape(6, 2)
    p = pr.random.permutation(key(3), pr.asarray(x)).numpy()
    order = pr.random.permutation(key(3), 6).numpy()
    np.testing.assert_array_equal(p, x[order])
    assert pr.random.permutation(key(3), 0).shape == (0,)
    assert pr.random.permutation(key(3), pr.asarray(x[:0])).shape == (0, 2)


# --- bounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("device", ["cpu", "flex"])
def test_uniform_excludes_one(dtype: str, device: str) -> None:
    """Also the largest bits stay below 1, and 0 is possible."""
    d = getattr(pr, dtype)
    word = word_of(d).np
    do = do_on(pr.Device(device))
    ends = pr.asarray(np.array([0, np.iinfo(word).max], word), device=device)
    low, high = wrap(do.unit_of_bits(ends._v, d)).cast(pr.float64).to_list()
    assert low == 0
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype]
    assert high == 1 - 2.0**-digits


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (1.0, 1.0625), (-1.0, -0.9375), (0.5, 2.5), (-3.0, 0.0)])
def test_uniform_range_excludes_its_end(dtype: str, low: float, high: float) -> None:
    x = pr.random.uniform(key(31), (N,), low, high, dtype=getattr(pr, dtype)).cast(pr.float64).numpy()
    assert x.min() >= low
    assert x.max() < high


def test_narrow_ranges() -> None:
    """One step of float32 wide: only the lower end is left."""
    high = float(np.nextafter(np.float32(1), np.float32(2)))
    assert set(pr.random.uniform(key(0), (1000,), 1.0, high).to_list()) == {1.0}
    assert pr.random.uniform(key(0), (3,), 2.0, 2.0).to_list() == [2.0] * 3


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_ranges_wider_than_the_largest_number() -> None:
    for dtype, top in ((pr.float32, 3e38), (pr.float64, 1.7e308)):
        x = pr.random.uniform(key(0), (10_000,), -top, top, dtype=dtype).numpy().astype(np.float64)
        assert np.isfinite(x).all()
        assert x.min() < -0.9 * top
        assert x.max() > 0.9 * top
        assert abs((x / top).mean()) < 0.05


@pytest.mark.parametrize("dtype", INTS)
def test_randint_covers_its_dtype(dtype: str) -> None:
    d = getattr(pr, dtype)
    info = np.iinfo(d.np)
    x = pr.random.randint(key(32), (50_000,), int(info.min), int(info.max) + 1, dtype=d).numpy()
    if info.bits == 8:
        assert (x.min(), x.max()) == (info.min, info.max)
        assert scipy.stats.chisquare(np.bincount(x.astype(np.int64) - int(info.min))).pvalue > 1e-3
    middle = (int(info.min) + int(info.max)) / 2
    assert abs((x.astype(np.float64) - middle).mean()) < 0.02 * 2.0**info.bits
    for low, high in ((0, 1), (int(info.max), int(info.max) + 1), (int(info.min), int(info.min) + 1)):
        assert set(pr.random.randint(key(0), (100,), low, high, dtype=d).to_list()) == {low}


# --- errors -----------------------------------------------------------------------------------

INT_HINT = "\nHint: cast it first, for example to float32"
RANGE = "a finite range with low ≤ high is needed, got"
STD = "a finite mean and a standard deviation from 0 on are needed, got"
ERRORS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (pr.ArgumentError, f"pr.random.uniform: {RANGE} 3.0 to 1.0", lambda: pr.random.uniform(key(0), (2,), 3, 1)),
    (pr.ArgumentError, f"pr.random.uniform: {RANGE} 0.0 to inf", lambda: pr.random.uniform(key(0), (2,), 0, math.inf)),
    (pr.ArgumentError, f"pr.random.uniform: {RANGE} nan to 1.0", lambda: pr.random.uniform(key(0), (2,), math.nan)),
    (
        pr.DTypeError,
        "pr.random.uniform: a tensor of kind Float is needed, got int32" + INT_HINT,
        lambda: pr.random.uniform(key(0), (2,), dtype=pr.int32),
    ),
    (pr.ShapeError, "pr.random.uniform: shape (-2,) has a negative size", lambda: pr.random.uniform(key(0), (-2,))),
    (pr.DTypeError, "pr.random.uniform: a key is a uint64, got float32", lambda: pr.random.uniform(pr.asarray(3.0))),
    (
        pr.DTypeError,
        "pr.random.uniform: expected a tensor, got int 3\nHint: make one of it with pr.asarray",
        lambda: pr.random.uniform(3, (2,)),  # type: ignore[arg-type]
    ),
    (
        pr.ShapeError,
        "pr.random.uniform: a key has shape (), got (2,)",
        lambda: pr.random.uniform(pr.random.split(key(0)), (2,)),
    ),
    (pr.ArgumentError, f"pr.random.normal: {STD} 0.0 and -1.0", lambda: pr.random.normal(key(0), (2,), 0, -1)),
    (pr.ArgumentError, f"pr.random.normal: {STD} nan and 1.0", lambda: pr.random.normal(key(0), (2,), math.nan)),
    (pr.ArgumentError, f"pr.random.normal: {STD} 0.0 and inf", lambda: pr.random.normal(key(0), (2,), 0, math.inf)),
    (
        pr.ArgumentError,
        "pr.random.randint: the range from 3 to 3 holds no integer",
        lambda: pr.random.randint(key(0), (2,), 3, 3),
    ),
    (
        pr.ScalarRangeError,
        "pr.random.randint: 299 does not fit int8 (-128 to 127)",
        lambda: pr.random.randint(key(0), (2,), 0, 300, dtype=pr.int8),
    ),
    (
        pr.ScalarRangeError,
        "pr.random.randint: -1 does not fit uint8 (0 to 255)",
        lambda: pr.random.randint(key(0), (2,), -1, 3, dtype=pr.uint8),
    ),
    (
        pr.DTypeError,
        "pr.random.randint: a tensor of kind Int is needed, got float32",
        lambda: pr.random.randint(key(0), (2,), 0, 3, dtype=pr.float32),
    ),
    (
        pr.ArgumentError,
        "pr.random.bernoulli: a probability lies between 0 and 1, got 1.5",
        lambda: pr.random.bernoulli(key(0), (2,), 1.5),
    ),
    (
        pr.ArgumentError,
        "pr.random.bernoulli: a probability lies between 0 and 1, got nan",
        lambda: pr.random.bernoulli(key(0), (2,), math.nan),
    ),
    (
        pr.ShapeError,
        "pr.random.bernoulli: (2,) and (3,) do not broadcast: axis -1 has sizes 2 and 3",
        lambda: pr.random.bernoulli(key(0), (2,), pr.asarray([0.5, 0.5, 0.5])),
    ),
    (
        pr.DTypeError,
        "pr.random.bernoulli: expected a tensor of kind Float, got int64",
        lambda: pr.random.bernoulli(key(0), (2,), pr.asarray([1])),
    ),
    (
        pr.ArgumentError,
        "pr.random.permutation: the number of elements is -1",
        lambda: pr.random.permutation(key(0), -1),
    ),
    (
        pr.AxisError,
        "pr.random.permutation: axis 0 is out of range: the tensor has rank 0",
        lambda: pr.random.permutation(key(0), pr.asarray(1.0)),
    ),
    (pr.ArgumentError, "pr.random.split: the number of keys is -1", lambda: pr.random.split(key(0), -1)),
    (pr.ArgumentError, f"Tensor.random: {RANGE} 2.0 to 1.0", lambda: pr.Tensor.random([2], D.Uniform(2, 1))),
    (pr.ArgumentError, f"Tensor.random: {STD} 0.0 and -1.0", lambda: pr.Tensor.random([2], D.Normal(0.0, -1.0))),
    (
        pr.ArgumentError,
        "Tensor.random: a probability lies between 0 and 1, got 2.0",
        lambda: pr.Tensor.random([2], D.Bernoulli(2)),
    ),
    (
        pr.DTypeError,
        "Tensor.random: random numbers are Float, Int or Bool, not complex64",
        lambda: pr.Tensor.random([2], D.Default, pr.complex64),
    ),
    (
        pr.ArgumentError,
        "Tensor.random: the range from 1 to 1 holds no integer",
        lambda: pr.Tensor[pr.Int].random([2], D.Uniform(0.2, 0.9)),
    ),
    (
        pr.ScalarRangeError,
        "Tensor.random_like: -3 does not fit uint8 (0 to 255)",
        lambda: pr.zeros(2, dtype=pr.uint8).random_like(D.Uniform(-3, 9)),
    ),
]


@pytest.mark.parametrize(("kind", "text", "call"), ERRORS, ids=[f"{i} {e[1][:40]}" for i, e in enumerate(ERRORS)])
def test_errors(kind: type[Exception], text: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert str(caught.value) == text


def test_a_failed_draw_does_not_move_results() -> None:
    device = pr.Device()
    device.seed(1)
    a = bits(pr.Tensor.random([4], D.Default))
    device.seed(1)
    with pytest.raises(pr.ArgumentError):
        pr.random.uniform(key(0), (2,), 3, 1)
    assert bits(pr.Tensor.random([4], D.Default)) == a


@pytest.mark.slow
def test_normal_tails() -> None:
    """Of 2^24 numbers as many lie beyond each limit as should."""
    x = np.abs(pr.random.normal(key(40), (1 << 24,)).numpy())
    for limit in (1.0, 2.0, 3.0, 4.0, 5.0):
        p = 2 * scipy.stats.norm.sf(limit)
        assert abs((x > limit).sum() - p * (1 << 24)) < 5 * math.sqrt(p * (1 << 24)) + 1
