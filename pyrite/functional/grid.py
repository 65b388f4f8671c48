"""`pr.grid`: grids of coordinates under Burn's names, and the options of `Tensor.grid_sample_2d`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..apply import Handle, cast_to, do_of, wrap
from ..dtypes import Float, promote
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..layout import as_shape
from ..methods.basic import need_tensor
from ..methods.grid import GridSampleOptions, GridSamplePaddingMode, InterpolateMode
from ..ops import composite
from ..ops import grid as grids
from ..ops.elementwise import check_kind
from ..tensor import Tensor

__all__ = [
    "GridIndexing", "GridOptions", "GridSampleOptions", "GridSamplePaddingMode", "GridSparsity", "IndexPos",
    "InterpolateMode", "affine_grid_2d", "meshgrid", "meshgrid_stack",
]  # fmt: skip


class GridIndexing(Enum):
    """Along which axis an input varies: input i along axis i, or (`Cartesian`) with the first two swapped."""

    Matrix = "ij"
    Cartesian = "xy"

    @staticmethod
    def default() -> GridIndexing:
        """`Matrix`."""
        return GridIndexing.Matrix


class GridSparsity(Enum):
    """Whether a grid has its full shape, or (`Sparse`) size 1 along the axes where it does not vary."""

    Dense = "dense"
    Sparse = "sparse"

    @staticmethod
    def default() -> GridSparsity:
        """`Dense`."""
        return GridSparsity.Dense


class IndexPos(Enum):
    """Where the axis of the inputs stands in `meshgrid_stack`."""

    First = 0
    Last = -1

    @staticmethod
    def default() -> IndexPos:
        """`First`."""
        return IndexPos.First


@dataclass(frozen=True)
class GridOptions:
    """How `meshgrid` lays out its results."""

    indexing: GridIndexing = GridIndexing.Matrix
    sparsity: GridSparsity = GridSparsity.Dense

    @staticmethod
    def default() -> GridOptions:
        """Matrix indexing, dense."""
        return GridOptions()

    @staticmethod
    def new(indexing: GridIndexing, sparsity: GridSparsity) -> GridOptions:
        """The two options together."""
        return GridOptions(indexing, sparsity)

    def with_indexing(self, indexing: GridIndexing) -> GridOptions:
        """The same with another indexing."""
        return GridOptions(indexing, self.sparsity)

    def with_sparsity(self, sparsity: GridSparsity) -> GridOptions:
        """The same with another sparsity."""
        return GridOptions(self.indexing, sparsity)


def _options(given: Any) -> GridOptions:
    if isinstance(given, GridIndexing):
        return GridOptions(given)
    if isinstance(given, GridSparsity):
        return GridOptions(sparsity=given)
    if not isinstance(given, GridOptions):
        raise ArgumentError(f"expected GridOptions, GridIndexing or GridSparsity, got {type(given).__name__} {given!r}")
    return given


def _lines(tensors: Any) -> list[Tensor]:
    """Tensors of rank 1 and one dtype; raises for none, for another rank and for mixed kinds."""
    if isinstance(tensors, Handle):
        raise DTypeError("expected a sequence of tensors, got a tensor", "put the tensors into a list")
    found = [need_tensor(t) for t in tensors]
    if not found:
        raise ArgumentError("expected at least one tensor, got none")
    dtype = found[0].dtype
    for t in found:
        if t.rank != 1:
            raise ShapeError(f"a grid is made of tensors of rank 1, one has shape {t.shape}")
        dtype = promote(dtype, t.dtype)
    return [cast_to(t, dtype) for t in found]


@public("pr.grid.meshgrid")
def meshgrid(
    tensors: Sequence[Tensor],
    options: GridOptions | GridIndexing | GridSparsity = GridOptions(),  # noqa: B008
) -> list[Tensor]:
    """N tensors of rank 1 as N grids of rank N, each of which varies along its own axis. Views, of any kind.

    Input i varies along axis i; with `GridIndexing.Cartesian` the first two axes are swapped. With
    `GridSparsity.Sparse` the other axes keep size 1. Widths promote inside a kind.

    Raises `ArgumentError` for no tensors or other options, `ShapeError` for another rank, `DTypeError`
    for different kinds.

    Example:
        >>> rows, cols = pr.grid.meshgrid([pr.asarray([1, 2]), pr.asarray([3, 4, 5])])
        >>> rows.to_list(), cols.to_list()
        ([[1, 1, 1], [2, 2, 2]], [[3, 4, 5], [3, 4, 5]])

    Source: Burn, `grid::meshgrid`.
    """
    o = _options(options)
    given = _lines(tensors)
    cartesian, sparse = o.indexing is GridIndexing.Cartesian, o.sparsity is GridSparsity.Sparse
    return [wrap(v) for v in composite.meshgrid(do_of(*given), [t._v for t in given], cartesian, sparse)]


@public("pr.grid.meshgrid_stack")
def meshgrid_stack(tensors: Sequence[Tensor], index_pos: IndexPos = IndexPos.First) -> Tensor:
    """The coordinates of a grid in one tensor: `(N, n1, …)`, or `(n1, …, N)` with `IndexPos.Last`.

    Raises as `meshgrid` does.

    Example:
        >>> pr.grid.meshgrid_stack([pr.asarray([1, 2]), pr.asarray([3, 4])], pr.grid.IndexPos.Last).to_list()
        [[[1, 3], [1, 4]], [[2, 3], [2, 4]]]

    Source: Burn, `grid::meshgrid_stack`.
    """
    if not isinstance(index_pos, IndexPos):
        raise ArgumentError(f"expected IndexPos.First or IndexPos.Last, got {index_pos!r}")
    given = _lines(tensors)
    do = do_of(*given)
    return wrap(composite.stack(do, composite.meshgrid(do, [t._v for t in given]), index_pos.value))


@public("pr.grid.affine_grid_2d")
def affine_grid_2d(transform: Tensor, dims: Sequence[int]) -> Tensor:
    """A · (x, y, 1) at the pixels of images of shape `dims` = (B, C, H, W): `(B, H, W, 2)`, for `grid_sample_2d`.

    `transform` is `(B, 2, 3)`; a batch of 1 broadcasts. The corner pixels lie at ±1; along a side of
    1 the only pixel lies at the centre, 0. Differentiable.

    Raises `ShapeError` for another shape of `transform`, another batch and other than four sizes.

    Example:
        >>> unit = pr.asarray([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> pr.grid.affine_grid_2d(unit, (1, 1, 1, 3)).to_list()
        [[[[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]]]

    Source: Burn, `grid::affine_grid_2d` (which divides by zero along a side of 1).
    """
    t = need_tensor(transform)
    check_kind(t._v.dtype, (Float,))
    sizes = as_shape(dims)
    if len(sizes) != 4:
        raise ShapeError(f"the dims must be (batch, channels, height, width), got {sizes}")
    batch, _, height, width = sizes
    return wrap(grids.affine_grid_2d(do_of(t), t._v, batch, height, width))
