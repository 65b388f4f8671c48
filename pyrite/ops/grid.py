"""Grids of coordinates and sampling of images at them, made of ops alone.

Images are (N, C, H, W), grids (N, H', W', 2) with (x, y) from -1 to 1 across the image. Half-precision
inputs are widened at the start and rounded once at the end.
"""

from __future__ import annotations

from typing import Any

from ..dtypes import Float, float32, int64
from ..errors import ArgumentError, DTypeError, ShapeError
from .record import Shape

MODES = ("nearest", "bilinear", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
_CUBIC = -0.75  # the free parameter of the cubic convolution kernel (Keys 1981), as image libraries choose it


def _widened(do: Any, x: Any) -> Any:
    if x.dtype.kind is not Float:
        raise DTypeError(f"a tensor of kind Float is needed, got {x.dtype.name}")
    return do.cast(x, float32) if x.dtype.is_half() else x


def _as(do: Any, x: Any, dtype: Any) -> Any:
    return x if x.dtype is dtype else do.cast(x, dtype)


# --- grids -------------------------------------------------------------------------------


def _centred(do: Any, size: int, shape: Shape, axis: int, dtype: Any) -> Any:
    """`size` numbers from -1 to 1 along an axis: 2i/(size-1) - 1, which for a single one is 0."""
    twice = do.sub(do.mul(do.iota(shape, axis, int64), 2), max(size - 1, 0))
    return do.div(do.cast(twice, dtype), float(max(size - 1, 1)))


def affine_grid_2d(do: Any, transform: Any, batch: int, height: int, width: int) -> Any:
    """A·(x, y, 1) at the pixels of a height × width image whose corner pixels lie at ±1: (batch, H, W, 2)."""
    if len(transform.shape) != 3 or tuple(transform.shape[1:]) != (2, 3):
        raise ShapeError(f"a batch of 2 × 3 matrices (B, 2, 3) is needed, the transform has shape {transform.shape}")
    if transform.shape[0] not in (1, batch):
        raise ShapeError(f"{transform.shape[0]} transforms do not go with a batch of {batch}")
    wide = _widened(do, transform)
    x = _centred(do, width, (1, 1, width, 1), 2, wide.dtype)
    y = _centred(do, height, (1, height, 1, 1), 1, wide.dtype)
    count = transform.shape[0]
    a, b, c = (do.reshape(do.slice(wide, (0, 0, k), (1, 1, 1), (count, 2, 1)), (count, 1, 1, 2)) for k in range(3))
    grid = do.add(do.add(do.mul(a, x), do.mul(b, y)), c)
    if grid.shape[0] != batch:
        grid = do.expand(grid, (batch, *grid.shape[1:]))
    return _as(do, grid, transform.dtype)


# --- sampling ----------------------------------------------------------------------------


def _check(x: Any, grid: Any, mode: str, padding: str) -> None:
    if mode not in MODES:
        raise ArgumentError(f"the mode {mode} is not implemented (nearest, bilinear and bicubic are)")
    if padding not in PADDINGS:
        raise ArgumentError(f"the padding {padding} is not one of zeros, border and reflection")
    if len(x.shape) != 4:
        raise ShapeError(f"images of shape (N, C, H, W) are needed, the tensor has shape {x.shape}")
    if len(grid.shape) != 4 or grid.shape[3] != 2:
        raise ShapeError(f"a grid of shape (N, H, W, 2) is needed, this one has shape {grid.shape}")
    if grid.shape[0] != x.shape[0]:
        raise ShapeError(f"the tensor of shape {x.shape} and the grid of shape {grid.shape} differ along axis 0")
    if 0 in x.shape[2:]:
        raise ShapeError(f"the images of a tensor of shape {x.shape} have no pixels to sample")


def _clamped(do: Any, at: Any, size: int) -> Any:
    return do.minimum(do.maximum(at, 0), float(size - 1))


def _reflected(do: Any, at: Any, size: int, align: bool) -> Any:
    """Positions folded back at the centres of the edge pixels if corners are aligned, else at their outer edges."""
    low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
    if span == 0:
        return do.mul(at, 0.0)
    turn = do.sub(at, low)
    turn = do.sub(turn, do.mul(do.floor(do.div(turn, 2 * span)), 2 * span))
    folded = do.add(do.sub(span, do.abs(do.sub(turn, span))), low)
    return _clamped(do, folded, size)


class _Side:
    """One of the two directions of an image: where the samples lie along it, in pixels."""

    def __init__(self, do: Any, at: Any, size: int, padding: str, align: bool) -> None:
        self.do, self.size, self.padding, self.align = do, size, padding, align
        # as in PyTorch, NaN means -1; a reflection of infinity has no place either
        lost = do.logical_not(do.isfinite(at)) if padding == "reflection" else do.isnan(at)
        at = do.where(lost, -1.0, at)
        if align:
            self.at = do.mul(do.add(at, 1.0), (size - 1) / 2)
        else:
            self.at = do.mul(do.sub(do.mul(do.add(at, 1.0), float(size)), 1.0), 0.5)

    def inside(self, at: Any) -> Any:
        """Positions brought into the image by the padding; zeros leaves them where they are."""
        if self.padding == "border":
            return _clamped(self.do, at, self.size)
        return _reflected(self.do, at, self.size, self.align) if self.padding == "reflection" else at

    def tap(self, at: Any) -> tuple[Any, Any]:
        """Whole positions as indices that are in bounds, and whether the positions were."""
        do = self.do
        is_in = do.logical_and(do.ge(at, 0), do.le(at, float(self.size - 1)))
        return do.cast(_clamped(do, at, self.size), int64), is_in

    def taps(self, mode: str) -> list[tuple[Any, Any, Any]]:
        """(index, is it in bounds, weight) of each pixel that contributes; the weight None is 1."""
        do = self.do
        if mode == "nearest":
            return [(*self.tap(do.rint(self.inside(self.at))), None)]
        if mode == "bilinear":
            at = self.inside(self.at)
            low = do.floor(at)
            part = do.sub(at, low)
            return [(*self.tap(low), do.sub(1.0, part)), (*self.tap(do.add(low, 1.0)), part)]
        low = do.floor(self.at)
        weights = _cubic(do, do.sub(self.at, low))
        places = [self.inside(low if k == 0 else do.add(low, float(k))) for k in (-1, 0, 1, 2)]
        return [(*self.tap(p), w) for p, w in zip(places, weights)]


def _cubic(do: Any, t: Any) -> list[Any]:
    """Weights of the pixels at -1, 0, 1 and 2 for a sample at t in [0, 1) (Keys 1981)."""

    def near(d: Any) -> Any:  # 0 ≤ d ≤ 1
        inner = do.sub(do.mul(d, _CUBIC + 2), _CUBIC + 3)
        return do.add(do.mul(do.mul(inner, d), d), 1.0)

    def far(d: Any) -> Any:  # 1 ≤ d ≤ 2
        inner = do.add(do.mul(do.sub(do.mul(d, _CUBIC), 5 * _CUBIC), d), 8 * _CUBIC)
        return do.sub(do.mul(inner, d), 4 * _CUBIC)

    rest = do.sub(1.0, t)
    return [far(do.add(t, 1.0)), near(t), near(rest), far(do.add(rest, 1.0))]


def grid_sample_2d(do: Any, x: Any, grid: Any, mode: str, padding: str, align: bool) -> Any:
    """The images x (N, C, H, W) at the places of a grid (N, H', W', 2): (N, C, H', W')."""
    _check(x, grid, mode, padding)
    dtype = x.dtype
    x, grid = _widened(do, x), _widened(do, grid)
    n, c, height, width = x.shape
    rows, cols = grid.shape[1:3]
    count = rows * cols
    # pixels as rows of channels, so that a sample reads contiguous memory
    pixels = do.reshape(do.permute(x, (0, 2, 3, 1)), (n * height * width, c))
    first = do.mul(do.iota((n, 1), 0, int64), height * width)

    def side(k: int, size: int) -> _Side:
        line = do.reshape(do.slice(grid, (0, 0, 0, k), (1, 1, 1, 1), (n, rows, cols, 1)), (n, count))
        return _Side(do, line, size, padding, align)

    across, down = side(0, width).taps(mode), side(1, height).taps(mode)
    total: Any = None
    for j, in_y, weight_y in down:
        for i, in_x, weight_x in across:
            value = do.take(pixels, do.add(do.add(do.mul(j, width), i), first), 0)
            if weight_x is not None:
                value = do.mul(value, do.reshape(do.mul(weight_x, weight_y), (n, count, 1)))
            if padding == "zeros" or mode == "bilinear":  # an upper neighbour may lie outside, with weight 0
                value = do.where(do.reshape(do.logical_and(in_x, in_y), (n, count, 1)), value, 0.0)
            total = value if total is None else do.add(total, value)
    return _as(do, do.permute(do.reshape(total, (n, rows, cols, c)), (0, 3, 1, 2)), dtype)
