"""Sampling of images at the places of a grid: Burn's method, name for name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..apply import Handle, do_of, need_kind, pair, wrap
from ..dtypes import Float
from ..errors import ArgumentError, public
from ..ops import grid as grids
from .basic import need_tensor

if TYPE_CHECKING:
    from ..tensor import Tensor


class InterpolateMode(Enum):
    """How values between pixels are made."""

    Nearest = "nearest"
    NearestExact = "nearest_exact"
    Bilinear = "bilinear"
    Bicubic = "bicubic"
    Lanczos3 = "lanczos3"


class GridSamplePaddingMode(Enum):
    """What lies outside an image: `Zeros`, the edge pixel (`Border`) or the image turned over (`Reflection`)."""

    Zeros = "zeros"
    Border = "border"
    Reflection = "reflection"


@dataclass(frozen=True)
class GridSampleOptions:
    """How `Tensor.grid_sample_2d` samples.

    With `align_corners`, -1 and 1 are the centres of the edge pixels, else their outer edges.
    """

    mode: InterpolateMode = InterpolateMode.Bilinear
    padding_mode: GridSamplePaddingMode = GridSamplePaddingMode.Zeros
    align_corners: bool = False

    @staticmethod
    def default() -> GridSampleOptions:
        """Bilinear, zeros outside, corners not aligned."""
        return GridSampleOptions()

    @staticmethod
    def new(mode: InterpolateMode) -> GridSampleOptions:
        """The default ones with another mode."""
        return GridSampleOptions(mode)

    def with_padding_mode(self, padding_mode: GridSamplePaddingMode) -> GridSampleOptions:
        """The same with another padding."""
        return replace(self, padding_mode=padding_mode)

    def with_align_corners(self, align_corners: bool) -> GridSampleOptions:
        """The same with the corners aligned or not."""
        return replace(self, align_corners=align_corners)


def _options(given: Any) -> GridSampleOptions:
    if given is None:
        return GridSampleOptions()
    found = GridSampleOptions(given) if isinstance(given, InterpolateMode) else given
    if not isinstance(found, GridSampleOptions):
        raise ArgumentError(f"expected GridSampleOptions or an InterpolateMode, got {type(given).__name__} {given!r}")
    if not isinstance(found.mode, InterpolateMode):
        raise ArgumentError(f"{found.mode!r} is not an InterpolateMode")
    if not isinstance(found.padding_mode, GridSamplePaddingMode):
        raise ArgumentError(f"{found.padding_mode!r} is not a GridSamplePaddingMode")
    if found.mode.value not in grids.MODES:
        raise ArgumentError(f"{found.mode} is not implemented here", "use Nearest, Bilinear or Bicubic")
    return found


class GridSampling(Handle):
    """Images at the places of a grid."""

    __slots__ = ()

    @public("Tensor.grid_sample_2d")
    def grid_sample_2d(self, grid: Tensor, options: GridSampleOptions | InterpolateMode | None = None) -> Tensor:
        """The images `(N, C, H, W)` at the places of `grid` `(N, Ho, Wo, 2)`: `(N, C, Ho, Wo)`.

        The last axis of `grid` is (x, y), from -1 to 1 across an image; NaN means -1. Bilinear, with zeros
        outside, by default. Nearest rounds half to even; Bicubic is the cubic convolution with -0.75.
        Gradients flow to both; that of Nearest to the grid is 0.

        Raises:
            ShapeError: other ranks, different N, a last size of the grid that is not 2, no pixels.
            ArgumentError: a mode other than Nearest, Bilinear and Bicubic.
            DTypeError: not Float.

        Example:
            >>> image = pr.asarray([[[[0.0, 1.0], [2.0, 3.0]]]])
            >>> image.grid_sample_2d(pr.asarray([[[[0.0, 0.0], [-0.5, -0.5]]]])).to_list()
            [[[[1.5, 0.0]]]]

        Source: Burn, `Tensor::grid_sample_2d`.
        """
        o = _options(options)
        need_kind(self, Float)
        need_kind(need_tensor(grid), Float)
        x, g = pair(self, grid)
        found = grids.grid_sample_2d(do_of(x, g), x._v, g._v, o.mode.value, o.padding_mode.value, bool(o.align_corners))
        return wrap(found)
