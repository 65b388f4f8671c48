"""`pr.grid` and `Tensor.grid_sample_2d`: against loops over pixels, gradients, errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expect import fails

import pyrite as pr

G = pr.grid
Mode, Padding, Options = pr.InterpolateMode, pr.GridSamplePaddingMode, pr.GridSampleOptions
MODES = [Mode.Nearest, Mode.Bilinear, Mode.Bicubic]


# --- sampling, one pixel at a time -------------------------------------------------------


def reflect(at: float, low: float, high: float) -> float:
    """Walks back and forth between the two ends."""
    if low == high:
        return 0.0
    while not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
    return at


def placed(at: float, size: int, padding: Any, align: bool) -> float:
    """A position in pixels after padding."""
    if padding is Padding.Border:
        return min(max(at, 0.0), size - 1.0)
    if padding is Padding.Reflection:
        at = reflect(at, 0.0, size - 1.0) if align else reflect(at, -0.5, size - 0.5)
        return min(max(at, 0.0), size - 1.0)
    return at


def cubic(d: float) -> float:
    """The kernel of the cubic convolution with a = -0.75."""
    a, d = -0.75, abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def weights(at: float, size: int, mode: Any, padding: Any, align: bool) -> dict[int, float]:
    """The pixels along one side that a sample reads, and how much of each."""
    at = (at + 1) / 2 * (size - 1) if align else ((at + 1) * size - 1) / 2
    found: dict[int, float] = {}
    if mode is Mode.Nearest:
        found[round(placed(at, size, padding, align))] = 1.0
    elif mode is Mode.Bilinear:
        at = placed(at, size, padding, align)
        low = math.floor(at)
        found = {low: 1 - (at - low), low + 1: at - low}
    else:
        low = math.floor(at)
        for k in (-1, 0, 1, 2):
            i = int(placed(low + k, size, padding, align))
            found[i] = found.get(i, 0.0) + cubic(at - low - k)
    return {i: w for i, w in found.items() if 0 <= i < size}


def sampled(x: np.ndarray[Any, Any], grid: np.ndarray[Any, Any], mode: Any, padding: Any, align: bool) -> Any:
    n, c, h, w = x.shape
    out = np.zeros((n, c, *grid.shape[1:3]))
    for b, i, j in itertools.product(range(n), range(grid.shape[1]), range(grid.shape[2])):
        across = weights(grid[b, i, j, 0], w, mode, padding, align)
        down = weights(grid[b, i, j, 1], h, mode, padding, align)
        for (p, u), (q, v) in itertools.product(down.items(), across.items()):
            out[b, :, i, j] += u * v * x[b, :, p, q]
    return out


ALL = list(itertools.product(MODES, Padding, (False, True)))
NAMES = [f"{m.name}-{p.name}-{a}" for m, p, a in ALL]


@pytest.mark.parametrize(("mode", "padding", "align"), ALL, ids=NAMES)
@pytest.mark.parametrize("sides", [(5, 7), (4, 3), (1, 6), (1, 1), (2, 2)])
def test_sampling(sides: tuple[int, int], mode: Any, padding: Any, align: bool, device: pr.Device) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, *sides))
    grid = rng.uniform(-3, 3, (2, 6, 5, 2))
    grid[0, 0] = [[-1, -1], [1, 1], [0, 0], [-1.25, 1.0], [1.5, -1.5]]
    got = pr.asarray(x, device=device).grid_sample_2d(pr.asarray(grid, device=device), Options(mode, padding, align))
    assert got.shape == (2, 3, 6, 5)
    np.testing.assert_allclose(got.numpy(), sampled(x, grid, mode, padding, align), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("mode", "padding", "align"), ALL, ids=NAMES)
def test_gradients_of_sampling(mode: Any, padding: Any, align: bool, device: pr.Device) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 2, 4, 5))
    grid = rng.uniform(-1.9, 1.9, (2, 3, 4, 2))
    w = rng.normal(size=(2, 2, 3, 4))
    f = lambda t, g: pr.sum(t.grid_sample_2d(g, Options(mode, padding, align)) * pr.asarray(w, device=device))  # noqa: E731
    gx, gg = pr.grad(f, argnums=(0, 1))(pr.asarray(x, device=device), pr.asarray(grid, device=device))
    value = lambda: (sampled(x, grid, mode, padding, align) * w).sum()  # noqa: E731
    for array, got in ((x, gx.numpy()), (grid, gg.numpy())):
        assert got.shape == array.shape
        for at in np.ndindex(array.shape):
            kept = array[at]
            array[at] = kept + 1e-6
            high = value()
            array[at] = kept - 1e-6
            low = value()
            array[at] = kept
            assert abs(got[at] - (high - low) / 2e-6) < 1e-6


def test_second_order() -> None:
    """The bilinear form is linear in the pixels, so that its mixed derivative is the slope between them."""
    x = pr.asarray([[[[1.0, 4.0]]]], dtype=pr.float64)
    slope = pr.grad(lambda g, t: pr.sum(t.grid_sample_2d(g, Options(align_corners=True))))
    mixed = pr.grad(lambda t: pr.sum(slope(pr.asarray([[[[0.2, 0.0]]]], dtype=pr.float64), t)))(x)
    np.testing.assert_allclose(mixed.numpy(), [[[[-0.5, 0.5]]]])


def test_defaults_and_options(device: pr.Device) -> None:
    x = pr.asarray(np.arange(12.0).reshape(1, 1, 3, 4), device=device)
    grid = pr.asarray([[[[0.3, -0.9], [1.2, 0.4]]]], dtype=pr.float64, device=device)
    plain = x.grid_sample_2d(grid).to_list()
    assert Options() == Options.default() == Options(Mode.Bilinear, Padding.Zeros, False)
    assert x.grid_sample_2d(grid, Options.default()).to_list() == plain
    assert x.grid_sample_2d(grid, Mode.Bilinear).to_list() == plain
    built = Options.new(Mode.Bicubic).with_padding_mode(Padding.Border).with_align_corners(True)
    assert built == Options(Mode.Bicubic, Padding.Border, align_corners=True)
    assert x.grid_sample_2d(grid, Mode.Nearest).to_list() == [[[[2.0, 0.0]]]]
    assert [m.name for m in Mode] == ["Nearest", "NearestExact", "Bilinear", "Bicubic", "Lanczos3"]
    assert [m.name for m in Padding] == ["Zeros", "Border", "Reflection"]
    assert (G.GridSampleOptions, G.InterpolateMode, G.GridSamplePaddingMode) == (Options, Mode, Padding)


@pytest.mark.parametrize(("mode", "padding", "align"), ALL, ids=NAMES)
def test_identity(mode: Any, padding: Any, align: bool, device: pr.Device) -> None:
    """The grid of the pixels' own places gives the image back."""
    x = np.random.default_rng(2).normal(size=(1, 2, 5, 4)).astype(np.float32)
    ys, xs = (np.linspace(-1, 1, n) if align else (2 * np.arange(n) + 1) / n - 1 for n in (5, 4))
    grid = np.stack(np.meshgrid(xs, ys), -1)[None].astype(np.float32)
    got = pr.asarray(x, device=device).grid_sample_2d(pr.asarray(grid, device=device), Options(mode, padding, align))
    np.testing.assert_allclose(got.numpy(), x, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [pr.float16, pr.bfloat16], ids=str)
def test_halves_round_once(dtype: Any, device: pr.Device) -> None:
    rng = np.random.default_rng(3)
    x = pr.asarray(rng.normal(size=(1, 2, 5, 4)), dtype=dtype, device=device)
    grid = pr.asarray(rng.uniform(-1, 1, (1, 3, 3, 2)), dtype=dtype, device=device)
    for mode in MODES:
        got = x.grid_sample_2d(grid, mode)
        wide = pr.astype(x, pr.float32).grid_sample_2d(pr.astype(grid, pr.float32), mode)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.numpy(), pr.astype(wide, dtype).numpy())


def test_sampling_promotes() -> None:
    x = pr.asarray([[[[1.0, 2.0]]]])
    assert x.grid_sample_2d(pr.zeros((1, 1, 1, 2), dtype=pr.float64)).dtype == pr.float64


@pytest.mark.parametrize("mode", MODES)
def test_far_grids(mode: Any, device: pr.Device) -> None:
    """Places without end: zeros outside, the edge with a border, something finite when reflected; NaN is -1."""
    x = pr.asarray(np.arange(1.0, 10.0).reshape(1, 1, 3, 3), device=device)
    far = [[1e30, 0.0], [-1e30, 0.0], [np.inf, np.inf], [-np.inf, 0.0]]
    grid = pr.asarray([[far]], dtype=pr.float64, device=device)
    assert x.grid_sample_2d(grid, mode).to_list() == [[[[0.0] * 4]]]
    got = x.grid_sample_2d(grid, Options(mode, Padding.Reflection))
    assert np.isfinite(got.numpy()).all()
    if mode is not Mode.Bicubic:
        got = x.grid_sample_2d(grid, Options(mode, Padding.Border, True))
        assert got.to_list() == [[[[6.0, 4.0, 9.0, 4.0]]]]
    lost = pr.asarray([[[[np.nan, np.nan]]]], dtype=pr.float64, device=device)
    for padding in Padding:
        assert x.grid_sample_2d(lost, Options(mode, padding, True)).to_list() == [[[[1.0]]]]


def test_pixels_outside_do_not_leak() -> None:
    x = pr.asarray([[[[np.nan, 1.0]]]])
    assert x.grid_sample_2d(pr.asarray([[[[5.0, 5.0]]]])).to_list() == [[[[0.0]]]]


@pytest.mark.parametrize("mode", MODES)
def test_empty_results(mode: Any, device: pr.Device) -> None:
    sizes = [((0, 2, 3, 3), (0, 2, 2, 2)), ((1, 0, 3, 3), (1, 2, 2, 2)), ((1, 2, 3, 3), (1, 0, 2, 2))]
    for image, grid in sizes:
        got = pr.zeros(image, device=device).grid_sample_2d(pr.zeros(grid, device=device), mode)
        assert got.shape == (*image[:2], *grid[1:3])
        assert got.numpy().size == 0


def test_layouts(device: pr.Device) -> None:
    rng = np.random.default_rng(4)
    x, grid = rng.normal(size=(4, 5, 2, 3)), rng.uniform(-1, 1, (2, 4, 3, 2))
    turned = pr.permute_dims(pr.asarray(x, device=device), (2, 3, 0, 1))
    got = turned.grid_sample_2d(pr.asarray(grid, device=device)[:, ::-1])
    want = sampled(x.transpose(2, 3, 0, 1), grid[:, ::-1], Mode.Bilinear, Padding.Zeros, False)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)


IMAGE, GRID = pr.zeros((2, 3, 4, 5)), pr.zeros((2, 6, 7, 2))
SAMPLING: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: pr.zeros((3, 4, 5)).grid_sample_2d(GRID),
        pr.ShapeError,
        "images of shape (N, C, H, W) are needed, the tensor has shape (3, 4, 5)",
    ),
    (
        lambda: IMAGE.grid_sample_2d(pr.zeros((6, 7, 2))),
        pr.ShapeError,
        "a grid of shape (N, H, W, 2) is needed, this one has shape (6, 7, 2)",
    ),
    (
        lambda: IMAGE.grid_sample_2d(pr.zeros((2, 6, 7, 3))),
        pr.ShapeError,
        "a grid of shape (N, H, W, 2) is needed, this one has shape (2, 6, 7, 3)",
    ),
    (
        lambda: IMAGE.grid_sample_2d(pr.zeros((1, 6, 7, 2))),
        pr.ShapeError,
        "the tensor of shape (2, 3, 4, 5) and the grid of shape (1, 6, 7, 2) differ along axis 0",
    ),
    (
        lambda: pr.zeros((2, 3, 0, 5)).grid_sample_2d(GRID),
        pr.ShapeError,
        "the images of a tensor of shape (2, 3, 0, 5) have no pixels to sample",
    ),
    (
        lambda: IMAGE.grid_sample_2d(GRID, Mode.Lanczos3),
        pr.ArgumentError,
        "InterpolateMode.Lanczos3 is not implemented here\nHint: use Nearest, Bilinear or Bicubic",
    ),
    (
        lambda: IMAGE.grid_sample_2d(GRID, Options(Mode.NearestExact)),
        pr.ArgumentError,
        "InterpolateMode.NearestExact is not implemented here\nHint: use Nearest, Bilinear or Bicubic",
    ),
    (
        lambda: IMAGE.grid_sample_2d(GRID, "bilinear"),
        pr.ArgumentError,
        "expected GridSampleOptions or an InterpolateMode, got str 'bilinear'",
    ),
    (lambda: IMAGE.grid_sample_2d(GRID, Options("x")), pr.ArgumentError, "'x' is not an InterpolateMode"),  # type: ignore[arg-type]
    (
        lambda: IMAGE.grid_sample_2d(GRID, Options(padding_mode="x")),  # type: ignore[arg-type]
        pr.ArgumentError,
        "'x' is not a GridSamplePaddingMode",
    ),
    (
        lambda: pr.zeros((2, 3, 4, 5), dtype=pr.int64).grid_sample_2d(GRID),
        pr.DTypeError,
        "expected a tensor of kind Float, got int64",
    ),
    (
        lambda: IMAGE.grid_sample_2d(pr.zeros((2, 6, 7, 2), dtype=pr.bool_)),
        pr.DTypeError,
        "expected a tensor of kind Float, got bool",
    ),
    (lambda: IMAGE.grid_sample_2d(3), pr.DTypeError, "expected a tensor, got int 3"),
]


@pytest.mark.parametrize(("call", "kind", "text"), SAMPLING)
def test_errors_of_sampling(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    fails(kind, f"Tensor.grid_sample_2d: {text}", call)


# --- affine grids ------------------------------------------------------------------------


def affine(transform: np.ndarray[Any, Any], dims: tuple[int, ...]) -> np.ndarray[Any, Any]:
    b, _, h, w = dims
    out = np.zeros((b, h, w, 2))
    for k, i, j in np.ndindex(b, h, w):
        x = 2 * j / (w - 1) - 1 if w > 1 else 0.0
        y = 2 * i / (h - 1) - 1 if h > 1 else 0.0
        out[k, i, j] = transform[k if len(transform) > 1 else 0] @ [x, y, 1.0]
    return out


@pytest.mark.parametrize("dims", [(2, 3, 4, 5), (1, 1, 3, 3), (3, 1, 1, 4), (1, 2, 4, 1), (1, 1, 1, 1), (2, 1, 0, 3)])
@pytest.mark.parametrize("one", [False, True])
def test_affine_grid(dims: tuple[int, ...], one: bool, device: pr.Device) -> None:
    transform = np.random.default_rng(5).normal(size=(1 if one else dims[0], 2, 3))
    got = G.affine_grid_2d(pr.asarray(transform, device=device), dims)
    assert (got.shape, got.dtype) == ((dims[0], dims[2], dims[3], 2), pr.float64)
    np.testing.assert_allclose(got.numpy(), affine(transform, dims), rtol=1e-14, atol=1e-15)


def test_affine_grid_in_float32_and_halves(device: pr.Device) -> None:
    transform = pr.asarray([[[0.5, -0.25, 0.1], [0.3, 1.0, -0.7]]], device=device)
    got = G.affine_grid_2d(transform, [1, 1, 9, 7])
    assert got.dtype == pr.float32
    np.testing.assert_allclose(got.numpy(), affine(transform.numpy(), (1, 1, 9, 7)), rtol=1e-6, atol=1e-7)
    half = G.affine_grid_2d(pr.astype(transform, pr.float16), (1, 1, 9, 7))
    wide = G.affine_grid_2d(pr.astype(pr.astype(transform, pr.float16), pr.float32), (1, 1, 9, 7))
    np.testing.assert_array_equal(half.numpy(), wide.numpy().astype(np.float16))


def test_the_corners_lie_at_one(device: pr.Device) -> None:
    for n in range(2, 40):
        unit = pr.asarray([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], device=device)
        x = G.affine_grid_2d(unit, (1, 1, 2, n)).numpy()[0, 0, :, 0]
        assert (x[0], x[-1]) == (-1.0, 1.0)
        np.testing.assert_array_equal(x, -x[::-1])


def test_affine_grid_turns_an_image(device: pr.Device) -> None:
    x = np.arange(9.0).reshape(1, 1, 3, 3)
    quarter = pr.asarray([[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]], dtype=pr.float64, device=device)
    grid = G.affine_grid_2d(quarter, (1, 1, 3, 3))
    got = pr.asarray(x, device=device).grid_sample_2d(grid, Options(align_corners=True))
    np.testing.assert_allclose(got.numpy()[0, 0], np.rot90(x[0, 0], -1), atol=1e-12)


@pytest.mark.parametrize("count", [1, 2])
def test_gradient_of_an_affine_grid(count: int, device: pr.Device) -> None:
    rng = np.random.default_rng(6)
    transform, w = rng.normal(size=(count, 2, 3)), rng.normal(size=(2, 3, 4, 2))
    f = lambda t: pr.sum(G.affine_grid_2d(t, (2, 1, 3, 4)) * pr.asarray(w, device=device))  # noqa: E731
    got = pr.grad(f)(pr.asarray(transform, device=device)).numpy()
    for at in np.ndindex(transform.shape):
        unit = np.zeros_like(transform)
        unit[at] = 1
        np.testing.assert_allclose(got[at], (affine(unit, (2, 1, 3, 4)) * w).sum(), rtol=1e-12)


def test_affine_grid_fuses() -> None:
    transform = pr.asarray([[[0.5, 0.0, 0.1], [0.0, 0.5, 0.2]]], copy=True)
    before = pr.stats()["fallbacks"]
    G.affine_grid_2d(transform, (4, 1, 8, 8)).numpy()
    assert pr.stats()["fallbacks"] == before


AFFINE: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: G.affine_grid_2d(pr.zeros((2, 3)), (1, 1, 2, 2)),
        pr.ShapeError,
        "a batch of 2 × 3 matrices (B, 2, 3) is needed, the transform has shape (2, 3)",
    ),
    (
        lambda: G.affine_grid_2d(pr.zeros((1, 3, 3)), (1, 1, 2, 2)),
        pr.ShapeError,
        "a batch of 2 × 3 matrices (B, 2, 3) is needed, the transform has shape (1, 3, 3)",
    ),
    (
        lambda: G.affine_grid_2d(pr.zeros((2, 2, 3)), (3, 1, 2, 2)),
        pr.ShapeError,
        "2 transforms do not go with a batch of 3",
    ),
    (
        lambda: G.affine_grid_2d(pr.zeros((1, 2, 3)), (1, 2, 2)),
        pr.ShapeError,
        "the dims must be (batch, channels, height, width), got (1, 2, 2)",
    ),
    (
        lambda: G.affine_grid_2d(pr.zeros((1, 2, 3)), (1, 1, -1, 2)),
        pr.ShapeError,
        "shape (1, 1, -1, 2) has a negative size",
    ),
    (
        lambda: G.affine_grid_2d(pr.zeros((1, 2, 3), dtype=pr.int64), (1, 1, 2, 2)),
        pr.DTypeError,
        "a tensor of kind Float is needed, got int64\nHint: cast it first, for example to float32",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), AFFINE)
def test_errors_of_affine_grids(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    fails(kind, f"pr.grid.affine_grid_2d: {text}", call)


# --- meshgrid ----------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(3,), (2, 3), (2, 3, 4), (1, 3, 2, 2), (0, 3)])
@pytest.mark.parametrize("indexing", G.GridIndexing)
@pytest.mark.parametrize("sparsity", G.GridSparsity)
def test_meshgrid(sizes: tuple[int, ...], indexing: Any, sparsity: Any, device: pr.Device) -> None:
    lines = [np.arange(n) + 10 * k for k, n in enumerate(sizes)]
    given = [pr.asarray(x, device=device) for x in lines]
    got = G.meshgrid(given, G.GridOptions(indexing, sparsity))
    want = np.meshgrid(*lines, indexing=indexing.value, sparse=sparsity is G.GridSparsity.Sparse)
    assert len(got) == len(sizes)
    for g, w in zip(got, want):
        assert g.dtype == pr.int64
        np.testing.assert_array_equal(g.numpy(), w)


@pytest.mark.parametrize("dtype", [pr.float32, pr.bfloat16, pr.int8, pr.uint64, pr.bool_, pr.complex64], ids=str)
def test_meshgrid_of_any_kind(dtype: Any) -> None:
    a, b = pr.asarray([0, 1], dtype=pr.int64).cast(dtype), pr.zeros(3, dtype=dtype)
    for g in G.meshgrid([a, b]):
        assert (g.shape, g.dtype) == ((2, 3), dtype)
    assert G.meshgrid_stack((a, b)).dtype == dtype


def test_options_of_meshgrid() -> None:
    a, b = pr.asarray([1, 2]), pr.asarray([3, 4, 5])
    shapes = lambda o: [g.shape for g in G.meshgrid([a, b], o)]  # noqa: E731
    assert [g.shape for g in G.meshgrid((a, b))] == [(2, 3), (2, 3)]
    assert shapes(G.GridIndexing.Cartesian) == [(3, 2), (3, 2)]
    assert shapes(G.GridSparsity.Sparse) == [(2, 1), (1, 3)]
    assert shapes(G.GridOptions(G.GridIndexing.Cartesian, G.GridSparsity.Sparse)) == [(1, 2), (3, 1)]
    assert G.GridOptions() == G.GridOptions.default() == G.GridOptions(G.GridIndexing.Matrix, G.GridSparsity.Dense)
    built = G.GridOptions().with_indexing(G.GridIndexing.Cartesian).with_sparsity(G.GridSparsity.Sparse)
    assert built == G.GridOptions.new(G.GridIndexing.Cartesian, G.GridSparsity.Sparse)
    assert G.GridIndexing.default() is G.GridIndexing.Matrix
    assert G.GridSparsity.default() is G.GridSparsity.Dense
    assert G.IndexPos.default() is G.IndexPos.First


def test_meshgrid_stack(device: pr.Device) -> None:
    lines = [np.arange(n, dtype=np.float32) + 10 * k for k, n in enumerate((2, 3, 4))]
    given = [pr.asarray(x, device=device) for x in lines]
    want = np.meshgrid(*lines, indexing="ij")
    np.testing.assert_array_equal(G.meshgrid_stack(given, G.IndexPos.First).numpy(), np.stack(want))
    np.testing.assert_array_equal(G.meshgrid_stack(given).numpy(), np.stack(want))
    np.testing.assert_array_equal(G.meshgrid_stack(given, G.IndexPos.Last).numpy(), np.stack(want, -1))


def test_gradients_of_meshgrid() -> None:
    a, b = pr.asarray([1.0, 2.0]), pr.asarray([3.0, 4.0, 5.0])
    ga, gb = pr.grad(lambda a, b: pr.sum(G.meshgrid([a, b])[0] * G.meshgrid([a, b])[1]), argnums=(0, 1))(a, b)
    assert (ga.to_list(), gb.to_list()) == ([12.0, 12.0], [3.0, 3.0, 3.0])
    assert pr.grad(lambda a: pr.sum(G.meshgrid_stack([a, b])))(a).to_list() == [3.0, 3.0]


MESH: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("meshgrid", lambda: G.meshgrid([]), pr.ArgumentError, "expected at least one tensor, got none"),
    ("meshgrid_stack", lambda: G.meshgrid_stack([]), pr.ArgumentError, "expected at least one tensor, got none"),
    (
        "meshgrid",
        lambda: G.meshgrid([pr.zeros(2), pr.zeros((2, 1))]),
        pr.ShapeError,
        "a grid is made of tensors of rank 1, one has shape (2, 1)",
    ),
    (
        "meshgrid_stack",
        lambda: G.meshgrid_stack([pr.asarray(1.0)]),
        pr.ShapeError,
        "a grid is made of tensors of rank 1, one has shape ()",
    ),
    (
        "meshgrid",
        lambda: G.meshgrid(pr.zeros(2)),  # type: ignore[arg-type]
        pr.DTypeError,
        "expected a sequence of tensors, got a tensor\nHint: put the tensors into a list",
    ),
    ("meshgrid", lambda: G.meshgrid([[1, 2]]), pr.DTypeError, "expected a tensor, got list [1, 2]"),  # type: ignore[list-item]
    (
        "meshgrid",
        lambda: G.meshgrid([pr.zeros(2)], "ij"),  # type: ignore[arg-type]
        pr.ArgumentError,
        "expected GridOptions, GridIndexing or GridSparsity, got str 'ij'",
    ),
    (
        "meshgrid_stack",
        lambda: G.meshgrid_stack([pr.zeros(2)], 0),  # type: ignore[arg-type]
        pr.ArgumentError,
        "expected IndexPos.First or IndexPos.Last, got 0",
    ),
]


@pytest.mark.parametrize(("name", "call", "kind", "text"), MESH)
def test_errors_of_meshgrid(name: str, call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    fails(kind, f"pr.grid.{name}: {text}", call)


def test_meshgrid_of_mixed_kinds_and_devices() -> None:
    with pytest.raises(pr.DTypeError, match=r"^pr\.grid\.meshgrid: "):
        G.meshgrid([pr.zeros(2), pr.asarray([1])])
    with pytest.raises(pr.DeviceError, match=r"^pr\.grid\.meshgrid: tensors are on different devices"):
        G.meshgrid([pr.zeros(2), pr.zeros(2, device="flex")])
    assert [g.dtype for g in G.meshgrid([pr.zeros(2), pr.zeros(2, dtype=pr.float64)])] == [pr.float64] * 2
