"""Shapes, views and the order of elements, of any kind: Burn's methods, name for name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, do_of, ints, wrap
from ..errors import ArgumentError, AxisError, ShapeError, public
from ..layout import (
    Ints,
    as_shape,
    infer_reshape,
    normalize_axes,
    normalize_axis,
    normalize_order,
    size_of,
)
from ..ops import composite
from .basic import moved_axes

if TYPE_CHECKING:
    from ..tensor import Tensor


class DimIter:
    """The slices along a dimension, each with that dimension at size 1."""

    def __init__(self, t: Handle, axis: int) -> None:
        self._tensor = t
        self._axis = axis
        self._low, self._high = 0, t._v.shape[axis]

    def _at(self, index: int) -> Tensor:
        return wrap(composite.narrow(do_of(self._tensor), self._tensor._v, self._axis, index, 1))

    def __iter__(self) -> DimIter:
        return self

    def __next__(self) -> Tensor:
        if self._low >= self._high:
            raise StopIteration
        self._low += 1
        return self._at(self._low - 1)

    def __len__(self) -> int:
        return self._high - self._low

    def __reversed__(self) -> Iterator[Tensor]:
        while self._low < self._high:
            self._high -= 1
            yield self._at(self._high)


def _turned(t: Handle) -> Tensor:
    rank = len(t._v.shape)
    if rank < 2:
        raise ShapeError(f"a transpose needs rank 2 or more, the tensor has shape {t._v.shape}")
    return apply("permute", (t,), (*range(rank - 2), rank - 1, rank - 2))


def _new_places(axes: Sequence[int], rank: int) -> set[int]:
    """Where new axes stand among `rank` ones; repeats take the places that follow."""
    wanted = []
    behind = 0
    for a in axes:
        if not -rank <= a < rank:
            raise AxisError(f"axis {a} is out of range for rank {rank} (valid: {-rank} to {rank - 1})")
        if a < 0:
            wanted.append(a + rank - behind)
            behind += 1
        else:
            wanted.append(a)
    places: list[int] = []
    for w in sorted(wanted):
        places.append(max(w, places[-1] + 1) if places else w)
    if places and (places[-1] >= rank or places[0] < 0):
        raise AxisError(f"axes {tuple(axes)} do not fit into rank {rank}")
    return set(places)


def _tiled(t: Handle, counts: Ints) -> Tensor:
    if any(c < 0 for c in counts):
        raise ArgumentError(f"numbers of copies {counts} hold a negative one")
    return wrap(composite.tile(do_of(t), t._v, counts))


class Shapes(Handle):
    """Shapes, views and the order of elements; any kind."""

    __slots__ = ()

    @public("Tensor.reshape")
    def reshape(self, shape: Any) -> Tensor:
        """The same elements in row-major order under another shape: one -1 is inferred, 0 keeps the size at its place.

        A view where the memory allows it. Raises `ShapeError` when the element counts differ.

        Example:
            >>> pr.arange(6).reshape([2, -1]).shape
            (2, 3)

        Source: Burn, `Tensor::reshape`.
        """
        sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
        return apply("reshape", (self,), infer_reshape(self._v.shape, sizes, zero_keeps=True))

    @public("Tensor.transpose")
    def transpose(self) -> Tensor:
        """The last two dimensions swapped, a view. Raises `ShapeError` below rank 2.

        Example:
            >>> pr.arange(6).reshape([2, 3]).transpose().shape
            (3, 2)

        Source: Burn, `Tensor::transpose`.
        """
        return _turned(self)

    @public("Tensor.t")
    def t(self) -> Tensor:
        """The same as `transpose`.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.t().to_list()
            [[1.0, 3.0], [2.0, 4.0]]

        Source: Burn, `Tensor::t`.
        """
        return _turned(self)

    @public("Tensor.swap_dims")
    def swap_dims(self, dim1: int, dim2: int) -> Tensor:
        """Two dimensions swapped, a view.

        Example:
            >>> pr.arange(6).reshape([2, 3]).swap_dims(0, 1).shape
            (3, 2)

        Source: Burn, `Tensor::swap_dims`.
        """
        order = list(range(len(self._v.shape)))
        a, b = normalize_axis(dim1, len(order)), normalize_axis(dim2, len(order))
        order[a], order[b] = b, a
        return apply("permute", (self,), tuple(order))

    @public("Tensor.permute")
    def permute(self, axes: Sequence[int]) -> Tensor:
        """The dimensions in another order: dimension i of the result is axes[i]. A view.

        Raises `ShapeError` unless every dimension is named, `AxisError` for a repeat.

        Example:
            >>> pr.arange(6).reshape([2, 3]).permute([1, 0]).shape
            (3, 2)

        Source: Burn, `Tensor::permute`.
        """
        return apply("permute", (self,), normalize_order(axes, len(self._v.shape)))

    @public("Tensor.movedim")
    def movedim(self, src: int | Sequence[int], dst: int | Sequence[int]) -> Tensor:
        """The dimensions `src` at the places `dst`; the others keep their order. A view.

        Example:
            >>> pr.zeros((2, 3, 4)).movedim(0, 2).shape
            (3, 4, 2)

        Source: Burn, `Tensor::movedim`.
        """
        return apply("permute", (self,), moved_axes(ints(src, "src"), ints(dst, "dst"), len(self._v.shape)))

    @public("Tensor.flip")
    def flip(self, axes: Sequence[int]) -> Tensor:
        """The order along the dimensions reversed, a view. Raises `AxisError` for a repeat.

        Example:
            >>> pr.arange(3).flip([0]).to_list()
            [2, 1, 0]

        Source: Burn, `Tensor::flip`.
        """
        return wrap(composite.flip(do_of(self), self._v, normalize_axes(axes, len(self._v.shape))))

    @public("Tensor.flatten")
    def flatten(self, start_dim: int, end_dim: int) -> Tensor:
        """The dimensions from `start_dim` to `end_dim`, both included, as one.

        Example:
            >>> pr.zeros((2, 3, 4)).flatten(1, 2).shape
            (2, 12)

        Source: Burn, `Tensor::flatten`.
        """
        shape = self._v.shape
        first, last = normalize_axis(start_dim, len(shape)), normalize_axis(end_dim, len(shape))
        if first > last:
            raise ArgumentError(f"dimension {start_dim} comes after dimension {end_dim} in shape {shape}")
        return apply("reshape", (self,), (*shape[:first], size_of(shape[first : last + 1]), *shape[last + 1 :]))

    @public("Tensor.squeeze")
    def squeeze(self) -> Tensor:
        """Without the dimensions of size 1, a view.

        Example:
            >>> pr.zeros((1, 3, 1)).squeeze().shape
            (3,)

        Source: Burn, `Tensor::squeeze`.
        """
        return apply("reshape", (self,), tuple(n for n in self._v.shape if n != 1))

    @public("Tensor.squeeze_dim")
    def squeeze_dim(self, dim: int) -> Tensor:
        """Without one dimension, which must have size 1. A view.

        Example:
            >>> pr.zeros((1, 3)).squeeze_dim(0).shape
            (3,)

        Source: Burn, `Tensor::squeeze_dim`.
        """
        shape = self._v.shape
        axis = normalize_axis(dim, len(shape))
        if shape[axis] != 1:
            raise ShapeError(f"dimension {axis} of {shape} has size {shape[axis]}, only size 1 can be dropped")
        return apply("reshape", (self,), shape[:axis] + shape[axis + 1 :])

    @public("Tensor.squeeze_dims")
    def squeeze_dims(self, dims: Sequence[int]) -> Tensor:
        """Without those of the listed dimensions that have size 1; an empty list means all. A view.

        Burn refuses a listed dimension of another size; here it stays.

        Example:
            >>> pr.zeros((1, 3, 1)).squeeze_dims([-1]).shape
            (1, 3)

        Source: Burn, `Tensor::squeeze_dims`.
        """
        shape = self._v.shape
        chosen = set(range(len(shape))) if not len(dims) else {normalize_axis(d, len(shape)) for d in dims}
        return apply("reshape", (self,), tuple(n for i, n in enumerate(shape) if i not in chosen or n != 1))

    @public("Tensor.unsqueeze")
    def unsqueeze(self, rank: int) -> Tensor:
        """With leading dimensions of size 1 up to `rank`, a view. Raises `ShapeError` for a smaller rank.

        Example:
            >>> pr.zeros((3,)).unsqueeze(2).shape
            (1, 3)

        Source: Burn, `Tensor::unsqueeze`.
        """
        shape = self._v.shape
        if rank < len(shape):
            raise ShapeError(f"a tensor of shape {shape} cannot be brought to the smaller rank {rank}")
        return apply("reshape", (self,), (1,) * (rank - len(shape)) + shape)

    @public("Tensor.unsqueeze_dim")
    def unsqueeze_dim(self, dim: int) -> Tensor:
        """With a dimension of size 1 at `dim`; -1 appends. A view.

        Example:
            >>> pr.zeros((3, 2)).unsqueeze_dim(1).shape
            (3, 1, 2)

        Source: Burn, `Tensor::unsqueeze_dim`.
        """
        shape = self._v.shape
        axis = normalize_axis(dim, len(shape) + 1)
        return apply("reshape", (self,), (*shape[:axis], 1, *shape[axis:]))

    @public("Tensor.unsqueeze_dims")
    def unsqueeze_dims(self, axes: Sequence[int]) -> Tensor:
        """With dimensions of size 1 at places of the result; a repeated place takes that many.

        Of several negative places each further one counts one place further left.

        Example:
            >>> pr.zeros((3, 4, 5)).unsqueeze_dims([0, -1, -1]).shape
            (1, 3, 4, 5, 1, 1)

        Source: Burn, `Tensor::unsqueeze_dims`.
        """
        shape = self._v.shape
        places = _new_places(axes, len(shape) + len(axes))
        rest = iter(shape)
        return apply("reshape", (self,), tuple(1 if i in places else next(rest) for i in range(len(shape) + len(axes))))

    @public("Tensor.roll_dim")
    def roll_dim(self, shift: int, dim: int) -> Tensor:
        """Turned along one dimension by `shift` places toward higher indices.

        Example:
            >>> pr.arange(4).roll_dim(1, 0).to_list()
            [3, 0, 1, 2]

        Source: Burn, `Tensor::roll_dim`.
        """
        return wrap(composite.roll(do_of(self), self._v, int(shift), dim))

    @public("Tensor.roll")
    def roll(self, shifts: Sequence[int], dims: Sequence[int]) -> Tensor:
        """One `roll_dim` for each pair of shift and dimension.

        Example:
            >>> pr.arange(4).roll([1, 1], [0, 0]).to_list()
            [2, 3, 0, 1]

        Source: Burn, `Tensor::roll`.
        """
        by, over = ints(shifts, "shifts"), ints(dims, "dims")
        if len(by) != len(over):
            raise ArgumentError(f"{len(by)} shifts {by} do not go with {len(over)} dimensions {over}")
        do = do_of(self)
        v: Any = self._v
        for shift, dim in zip(by, over):
            v = composite.roll(do, v, shift, dim)
        return wrap(v)

    @public("Tensor.repeat_dim")
    def repeat_dim(self, dim: int, times: int) -> Tensor:
        """`times` copies one after the other along a dimension.

        Raises `ArgumentError` for a negative number.

        Example:
            >>> pr.asarray([1, 2]).repeat_dim(0, 2).to_list()
            [1, 2, 1, 2]

        Source: Burn, `Tensor::repeat_dim`.
        """
        axis = normalize_axis(dim, len(self._v.shape))
        return _tiled(self, tuple(times if i == axis else 1 for i in range(len(self._v.shape))))

    @public("Tensor.repeat")
    def repeat(self, sizes: Sequence[int]) -> Tensor:
        """sizes[i] copies along dimension i; missing numbers are 1.

        Raises `ArgumentError` for more numbers than dimensions, or a negative one.

        Example:
            >>> pr.asarray([1, 2]).repeat([2]).to_list()
            [1, 2, 1, 2]

        Source: Burn, `Tensor::repeat`.
        """
        counts = ints(sizes, "sizes")
        rank = len(self._v.shape)
        if len(counts) > rank:
            raise ArgumentError(f"{len(counts)} numbers of copies {counts} for a tensor of rank {rank}")
        return _tiled(self, counts + (1,) * (rank - len(counts)))

    @public("Tensor.expand")
    def expand(self, shape: Sequence[int]) -> Tensor:
        """Grown along dimensions of size 1 and new leading ones; -1 keeps a size. A view that is not writable.

        Example:
            >>> pr.asarray([1, 2]).expand([2, -1]).to_list()
            [[1, 2], [1, 2]]

        Source: Burn, `Tensor::expand`.
        """
        old, sizes = self._v.shape, ints(shape, "shape")
        extra = len(sizes) - len(old)
        if any(s == -1 for s in sizes[: max(extra, 0)]):
            raise ShapeError(f"-1 in {sizes} keeps the size of a dimension that {old} does not have")
        kept = tuple(old[i - extra] if s == -1 and i >= extra else s for i, s in enumerate(sizes))
        return apply("expand", (self,), as_shape(kept))

    @public("Tensor.unfold")
    def unfold(self, dim: int, size: int, step: int) -> Tensor:
        """All complete windows of `size` every `step` along a dimension; the window becomes the last one. A view.

        Example:
            >>> pr.arange(4).unfold(0, 2, 1).to_list()
            [[0, 1], [1, 2], [2, 3]]

        Source: Burn, `Tensor::unfold`.
        """
        return apply("unfold", (self,), normalize_axis(dim, len(self._v.shape)), int(size), int(step))

    @public("Tensor.narrow")
    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        """`length` elements of a dimension from `start` on, a view. Raises `ShapeError` beyond its size.

        Example:
            >>> pr.arange(5).narrow(0, 1, 2).to_list()
            [1, 2]

        Source: Burn, `Tensor::narrow`.
        """
        shape = self._v.shape
        axis = normalize_axis(dim, len(shape))
        if start < 0 or length < 0 or start + length > shape[axis]:
            raise ShapeError(f"{length} elements from {start} on leave dimension {axis} of {shape}")
        return wrap(composite.narrow(do_of(self), self._v, axis, start, length))

    @public("Tensor.chunk")
    def chunk(self, chunks: int, dim: int) -> list[Tensor]:
        """At most `chunks` pieces, all but the last of size ⌈n / chunks⌉. Views.

        Example:
            >>> [p.to_list() for p in pr.arange(5).chunk(2, 0)]
            [[0, 1, 2], [3, 4]]

        Source: Burn, `Tensor::chunk`.
        """
        return [wrap(p) for p in composite.chunk(do_of(self), self._v, chunks, dim)]

    @public("Tensor.split")
    def split(self, split_size: int, dim: int) -> list[Tensor]:
        """Pieces of `split_size` along a dimension, the last one smaller if need be. Views.

        Example:
            >>> [p.to_list() for p in pr.arange(5).split(2, 0)]
            [[0, 1], [2, 3], [4]]

        Source: Burn, `Tensor::split`.
        """
        axis = normalize_axis(dim, len(self._v.shape))
        n = self._v.shape[axis]
        if split_size < 0 or (split_size == 0 and n):
            raise ArgumentError(f"pieces of size {split_size} do not make up dimension {axis} of {self._v.shape}")
        sizes = [min(split_size, n - at) for at in range(0, n, split_size)] if n else [0]
        return [wrap(p) for p in composite.split(do_of(self), self._v, sizes, axis)]

    @public("Tensor.split_with_sizes")
    def split_with_sizes(self, split_sizes: Sequence[int], dim: int) -> list[Tensor]:
        """Consecutive pieces of the listed sizes, which must add up. Views.

        Example:
            >>> [p.to_list() for p in pr.arange(5).split_with_sizes([1, 4], 0)]
            [[0], [1, 2, 3, 4]]

        Source: Burn, `Tensor::split_with_sizes`.
        """
        return [wrap(p) for p in composite.split(do_of(self), self._v, ints(split_sizes, "split_sizes"), dim)]

    @public("Tensor.iter_dim")
    def iter_dim(self, dim: int) -> DimIter:
        """The slices along a dimension, each with that dimension at size 1: sized and reversible.

        Example:
            >>> [t.to_list() for t in pr.arange(2).iter_dim(0)]
            [[0], [1]]

        Source: Burn, `Tensor::iter_dim`.
        """
        return DimIter(self, normalize_axis(dim, len(self._v.shape)))
