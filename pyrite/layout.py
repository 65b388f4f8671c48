"""Shapes, strides, broadcasting and slices: pure functions of integers.

Owns `Layout`, where the elements of a tensor sit in a flat buffer, counted in elements.
Imports nothing of ours but the errors.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from .errors import ArgumentError, AxisError, BoundsError, ShapeError, public

Ints = tuple[int, ...]


def size_of(shape: Sequence[int]) -> int:
    """The number of elements of a shape."""
    n = 1
    for s in shape:
        n *= s
    return n


def contiguous_strides(shape: Sequence[int]) -> Ints:
    """Row-major strides, in elements."""
    strides = []
    n = 1
    for s in reversed(shape):
        strides.append(n)
        n *= s if s > 0 else 1
    return tuple(reversed(strides))


def as_shape(value: Any) -> Ints:
    """A shape from an int or a sequence of ints; raises `ShapeError` for a negative size."""
    try:
        sizes = value if hasattr(value, "__len__") and not hasattr(value, "item") else (operator.index(value),)
    except TypeError:
        sizes = value
    try:
        shape = tuple(operator.index(s) for s in sizes)
    except TypeError:
        raise ShapeError(f"{value!r} is not a shape: expected an int or a sequence of ints") from None
    for s in shape:
        if s < 0:
            raise ShapeError(f"shape {shape} has a negative size")
    if size_of([s or 1 for s in shape]) >= 1 << 62:
        raise ShapeError(f"shape {shape} has more elements than can be addressed")
    return shape


def broadcast_shapes(*shapes: Ints) -> Ints:
    """The common shape, aligned at the right; raises `ShapeError` naming the axis that differs."""
    first = shapes[0]
    for other in shapes[1:]:
        if first != other:
            first = _broadcast_two(first, other, shapes)
    return first


def _broadcast_two(a: Ints, b: Ints, shapes: Sequence[Ints]) -> Ints:
    rank = max(len(a), len(b))
    pa, pb = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    out = []
    for i, (x, y) in enumerate(zip(pa, pb)):
        if x != y and x != 1 and y != 1:
            text = " and ".join(str(s) for s in shapes)
            hint = None
            if len(a) != len(b):
                short, long = (a, b) if len(a) < len(b) else (b, a)
                at = _place(short, long)
                if at is not None:
                    hint = f"reshape {short} to {at} to line it up"
            raise ShapeError(f"{text} do not broadcast: axis {i - rank} has sizes {x} and {y}", hint)
        out.append(y if x == 1 else x)
    return tuple(out)


def _place(short: Ints, long: Ints) -> Ints | None:
    """Trailing 1s that make `short` broadcast against `long`, if some number of them does."""
    for extra in range(1, len(long) - len(short) + 1):
        padded = short + (1,) * extra
        tail = long[len(long) - len(padded) :]
        if all(p in (1, t) for p, t in zip(padded, tail)):
            return padded
    return None


def normalize_axis(axis: Any, rank: int) -> int:
    """The axis counted from the front; raises `AxisError` outside -rank … rank-1."""
    try:
        a = operator.index(axis)
    except TypeError:
        raise AxisError(f"axis {axis!r} is not an int") from None
    if not -rank <= a < rank:
        if rank == 0:
            raise AxisError(f"axis {a} is out of range: the tensor has rank 0")
        raise AxisError(f"axis {a} is out of range for rank {rank} (valid: {-rank} to {rank - 1})")
    return a + rank if a < 0 else a


def normalize_axes(axes: Any, rank: int) -> Ints:
    """Sorted axes counted from the front; None is all, an int is one. Raises `AxisError` on a repeat."""
    if axes is None:
        return tuple(range(rank))
    try:
        given: tuple[Any, ...] = (operator.index(axes),)
    except TypeError:
        try:
            given = tuple(axes)
        except TypeError:
            raise AxisError(f"axes {axes!r} are not an int or a sequence of ints") from None
    out = tuple(normalize_axis(a, rank) for a in given)
    if len(set(out)) != len(out):
        raise AxisError(f"axes {given} repeat an axis")
    return tuple(sorted(out))


def normalize_order(axes: Sequence[Any], rank: int) -> Ints:
    """A permutation of all axes; raises `ShapeError` for a wrong length and `AxisError` for a repeat."""
    given = tuple(axes)
    if len(given) != rank:
        raise ShapeError(f"a permutation of rank {rank} needs {rank} axes, {given} has {len(given)}")
    out = tuple(normalize_axis(a, rank) for a in given)
    if len(set(out)) != rank:
        raise AxisError(f"axes {given} repeat an axis")
    return out


def reduced_shape(shape: Ints, axes: Ints, keepdims: bool) -> Ints:
    """The shape after reducing `axes` (sorted, counted from the front)."""
    if keepdims:
        return tuple(1 if i in axes else s for i, s in enumerate(shape))
    return tuple(s for i, s in enumerate(shape) if i not in axes)


def infer_reshape(shape: Ints, new: Sequence[Any], *, zero_keeps: bool = False) -> Ints:
    """The target of a reshape: one -1 is inferred; with `zero_keeps`, 0 copies the size at its place.

    Raises `ShapeError` when the element counts differ.
    """
    count = 1
    for s in new:
        if type(s) is not int or s <= 0:
            break
        count *= s
    else:
        if count == size_of(shape):
            return tuple(new)  # the plain case
    try:
        wanted = [operator.index(s) for s in new]
    except TypeError:
        raise ShapeError(f"{new!r} is not a shape: expected ints") from None
    if zero_keeps:
        for i, s in enumerate(wanted):
            if s == 0:
                if i >= len(shape):
                    raise ShapeError(f"a size of 0 at position {i} keeps that size, but {shape} has no axis {i}")
                wanted[i] = shape[i]
    text = "(" + ", ".join(str(s) for s in wanted) + ("," if len(wanted) == 1 else "") + ")"
    if any(s < -1 for s in wanted):
        raise ShapeError(f"{text} has a size below -1")
    total = size_of(shape)
    if wanted.count(-1) > 1:
        raise ShapeError(f"{text} has more than one -1")
    if -1 in wanted:
        rest = size_of([s for s in wanted if s != -1])
        if rest == 0 or total % rest:
            raise ShapeError(f"{shape} has {total} elements, which {text} cannot divide evenly")
        wanted[wanted.index(-1)] = total // rest
    elif size_of(wanted) != total:
        hint = None
        if wanted and wanted[0] and total % wanted[0] == 0 and len(wanted) > 1:
            hint = f"({wanted[0]}, -1) gives ({wanted[0]}, {total // wanted[0]})"
        raise ShapeError(f"{shape} has {total} elements, {text} holds {size_of(wanted)}.", hint)
    return tuple(wanted)


class Layout:
    """Where the elements of a tensor sit: index i is at `offset + Σ iₖ·strides[k]`.

    Counted in elements. Immutable. Raises when shape and strides differ in length, when an
    index would fall below 0, or when two indices share an element through non-zero strides.
    """

    __slots__ = ("offset", "shape", "strides")

    shape: Ints
    strides: Ints
    offset: int

    @public("pr.Layout")
    def __init__(self, shape: Any, strides: Any, offset: int = 0) -> None:
        sh = as_shape(shape)
        try:
            st = tuple(operator.index(s) for s in strides)
            off = operator.index(offset)
        except TypeError:
            raise ArgumentError(f"strides {strides!r} and offset {offset!r} must be ints") from None
        if len(sh) != len(st):
            raise ShapeError(f"shape {sh} has {len(sh)} axes, strides {st} have {len(st)}")
        if off < 0:
            raise ArgumentError(f"offset {off} is negative")
        low, _ = span(sh, st, off)
        if low < 0:
            raise BoundsLayoutError(f"strides {st} with offset {off} reach element {low}, below the buffer")
        if overlaps(sh, st, ignore_zero=True):
            raise ShapeError(f"shape {sh} with strides {st} reaches one element through two indices")
        object.__setattr__(self, "shape", sh)
        object.__setattr__(self, "strides", st)
        object.__setattr__(self, "offset", off)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Layout is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Layout, (self.shape, self.strides, self.offset))

    @staticmethod
    def raw(shape: Ints, strides: Ints, offset: int = 0) -> Layout:
        """A layout that is known to be valid; skips the checks."""
        self = object.__new__(Layout)
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "strides", strides)
        object.__setattr__(self, "offset", offset)
        return self

    @staticmethod
    @public("pr.Layout.c")
    def c(shape: Any) -> Layout:
        """Row-major: the last stride is 1."""
        sh = as_shape(shape)
        return Layout.raw(sh, contiguous_strides(sh), 0)

    @staticmethod
    @public("pr.Layout.f")
    def f(shape: Any) -> Layout:
        """Column-major: the first stride is 1."""
        sh = as_shape(shape)
        return Layout.raw(sh, contiguous_strides(sh[::-1])[::-1], 0)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return size_of(self.shape)

    @property
    def c_contig(self) -> bool:
        """True when elements follow each other in row-major order without gaps."""
        return is_contiguous(self.shape, self.strides)

    @property
    def f_contig(self) -> bool:
        """True when elements follow each other in column-major order without gaps."""
        return is_contiguous(self.shape[::-1], self.strides[::-1])

    @property
    def c_prefer(self) -> bool:
        """Row-major with gaps allowed: the innermost stride is 1 and strides do not grow inwards."""
        return _prefers(self.shape, self.strides)

    @property
    def f_prefer(self) -> bool:
        """Column-major with gaps allowed."""
        return _prefers(self.shape[::-1], self.strides[::-1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return (
            self.shape == other.shape
            and self.offset == other.offset
            and all(a == b for s, a, b in zip(self.shape, self.strides, other.strides) if s > 1)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.offset, tuple(a for s, a in zip(self.shape, self.strides) if s > 1)))

    def __repr__(self) -> str:
        if self.size == 0:
            flags = "Empty"
        elif self.ndim == 1 and self.c_contig:
            flags = "Cc"
        else:
            tests = (("C", self.c_contig), ("c", self.c_prefer), ("F", self.f_contig), ("f", self.f_prefer))
            flags = "".join(f for f, on in tests if on) or "Custom"
        return (
            f"{self.ndim}-Dim, contiguous: {flags}, shape: {list(self.shape)}, "
            f"stride: {list(self.strides)}, offset: {self.offset}"
        )


class BoundsLayoutError(BoundsError, ValueError):
    """A layout that leaves its buffer."""


def _prefers(shape: Ints, strides: Ints) -> bool:
    kept = [t for s, t in zip(shape, strides) if s > 1]
    if not kept:
        return True
    return kept[-1] == 1 and all(a >= b for a, b in zip(kept, kept[1:]))


def is_contiguous(shape: Ints, strides: Ints) -> bool:
    """Row-major without gaps; sizes of 1 do not matter, size 0 always is."""
    n = 1
    for s, t in zip(reversed(shape), reversed(strides)):
        if s == 0:
            return True
        if s != 1 and t != n:
            return False
        n *= s
    return True


def span(shape: Ints, strides: Ints, offset: int) -> tuple[int, int]:
    """The lowest and highest element a layout touches; (0, -1) when it touches none."""
    low = high = offset
    for s, t in zip(shape, strides):
        if s == 0:
            return 0, -1
        if t < 0:
            low += (s - 1) * t
        else:
            high += (s - 1) * t
    return low, high


def overlaps(shape: Ints, strides: Ints, *, ignore_zero: bool) -> bool:
    """Could two indices reach one element? Conservative: crossing strides count as overlapping."""
    pairs = sorted((abs(t), s) for s, t in zip(shape, strides) if s > 1)
    if any(s == 0 for s in shape):
        return False
    reach = 0
    for t, s in pairs:
        if t == 0:
            if ignore_zero:
                continue
            return True
        if t <= reach:
            return True
        reach += (s - 1) * t
    return False


def reshape_strides(shape: Ints, strides: Ints, new: Ints) -> Ints | None:
    """Strides of `new` over the same memory, or None when a copy is needed."""
    if size_of(shape) == 0:
        return contiguous_strides(new)
    old = [(s, t) for s, t in zip(shape, strides) if s != 1]
    out: list[int] = []
    i = 0
    j = 0
    while j < len(new):
        if new[j] == 1:
            out.append(1)
            j += 1
            continue
        if i >= len(old):
            return None
        # grow both sides until their products match
        have, want = old[i][0], new[j]
        oi, nj = i + 1, j + 1
        while have != want:
            if have < want:
                if oi >= len(old):
                    return None
                have *= old[oi][0]
                oi += 1
            else:
                if nj >= len(new):
                    return None
                want *= new[nj]
                nj += 1
        for k in range(i, oi - 1):
            if old[k][1] != old[k + 1][0] * old[k + 1][1]:
                return None
        step = old[oi - 1][1]
        block = []
        for s in reversed(new[j:nj]):
            block.append(step)
            step *= s
        out.extend(reversed(block))
        i, j = oi, nj
    return tuple(out)


class DimSlice(NamedTuple):
    """A strided range of one axis: `size` elements from `start` every `step` (never 0)."""

    start: int
    step: int
    size: int


def python_slice(s: slice, size: int) -> DimSlice:
    """A Python slice with Python's meaning on an axis of `size`."""
    try:
        start, stop, step = s.indices(size)
    except ValueError:
        raise ArgumentError("a slice step cannot be 0") from None
    except TypeError:
        raise ArgumentError(f"{s!r} must hold ints or None") from None
    count = len(range(start, stop, step))
    return DimSlice(start, step if count > 1 else 1, count)  # a step that is never taken may be of any size


def check_index(index: int, size: int, axis: int) -> int:
    """A literal index counted from the front; raises `BoundsError` outside -size … size-1."""
    if not -size <= index < size:
        raise BoundsError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index + size if index < 0 else index


class Shape(tuple[int, ...]):
    """The sizes of a tensor's axes: a tuple of ints."""

    __slots__ = ()

    def num_elements(self) -> int:
        """The product of the sizes."""
        return size_of(self)

    def num_dims(self) -> int:
        """The number of axes."""
        return len(self)

    def rank(self) -> int:
        """The number of axes."""
        return len(self)

    def __repr__(self) -> str:
        return tuple.__repr__(self)
