"""Shapes and the order of elements. Results are views where strides can say them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..apply import apply, array_in, do_of, evaluate, ints, wrap
from ..dtypes import Int
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..layout import Shape, as_shape, infer_reshape, normalize_axes, normalize_axis, normalize_order
from ..layout import broadcast_shapes as common_shape
from ..methods.basic import moved_axes
from ..ops import composite
from ..tensor import Tensor
from .arguments import Axes, copied, fresh, tensor, tensors

__all__ = [
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis",
    "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack",
]  # fmt: skip


@public("pr.reshape")
def reshape(x: Tensor, /, shape: Any, *, copy: bool | None = None, order: str = "C") -> Tensor:
    """The same elements under another shape; one -1 is inferred, and 0 is a size.

    A view where the memory allows it, else a copy; copy=True always copies, copy=False raises
    `ArgumentError` where a copy is needed. `order` says how elements are counted: "C" by rows, "F" by columns.

    Raises `ShapeError` when the element counts differ.

    Example:
        >>> pr.reshape(pr.arange(6), (2, -1)).to_list()
        [[0, 1, 2], [3, 4, 5]]

    Source: array API, `reshape`; RSTSR, `reshape` for `order`.
    """
    t = tensor(x)
    sizes = infer_reshape(t.shape, (shape,) if isinstance(shape, int) else tuple(shape))
    if order not in ("C", "F"):
        raise ArgumentError(f'order {order!r} is not "C" or "F"')
    if order == "C":
        result = apply("reshape", (t,), sizes)
    else:
        turned = apply("permute", (t,), _backwards(t.rank))
        result = apply("permute", (apply("reshape", (turned,), sizes[::-1]),), _backwards(len(sizes)))
    is_view = array_in(result).root is array_in(t).root
    if copy is False and not is_view:
        raise ArgumentError(f"shape {t.shape} becomes {sizes} only by a copy here, but copy=False")
    return copied(result) if copy and is_view else result


def _backwards(rank: int) -> tuple[int, ...]:
    return tuple(range(rank))[::-1]


@public("pr.permute_dims")
def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """The axes in another order: axis i of the result is axis axes[i]. A view.

    Raises `ShapeError` unless every axis is named, `AxisError` for a repeat.

    Example:
        >>> pr.permute_dims(pr.asarray([[1, 2, 3], [4, 5, 6]]), (1, 0)).to_list()
        [[1, 4], [2, 5], [3, 6]]

    Source: array API, `permute_dims`.
    """
    t = tensor(x)
    return apply("permute", (t,), normalize_order(axes, t.rank))


@public("pr.moveaxis")
def moveaxis(x: Tensor, source: int | Sequence[int], destination: int | Sequence[int], /) -> Tensor:
    """The axes `source` at the places `destination`; the others keep their order. A view.

    Raises `ArgumentError` when the numbers of axes differ, `AxisError` for a repeat.

    Example:
        >>> pr.moveaxis(pr.zeros((2, 3, 4)), 0, -1).shape
        (3, 4, 2)

    Source: array API, `moveaxis`.
    """
    t = tensor(x)
    return apply("permute", (t,), moved_axes(ints(source, "source"), ints(destination, "destination"), t.rank))


@public("pr.expand_dims")
def expand_dims(x: Tensor, /, axis: int | Sequence[int] = 0) -> Tensor:
    """x with axes of size 1 at the places `axis` of the result. A view.

    Raises `AxisError` for a place out of range or repeated.

    Example:
        >>> pr.expand_dims(pr.zeros((2, 3)), axis=1).shape
        (2, 1, 3)

    Source: array API, `expand_dims`.
    """
    t = tensor(x)
    given = ints(axis, "axis")
    new = normalize_axes(given, t.rank + len(given))
    rest = iter(t.shape)
    return apply("reshape", (t,), tuple(1 if i in new else next(rest) for i in range(t.rank + len(given))))


@public("pr.squeeze")
def squeeze(x: Tensor, /, axis: int | Sequence[int]) -> Tensor:
    """x without the axes named, which must have size 1. A view.

    Raises `ShapeError` for an axis of another size.

    Example:
        >>> pr.squeeze(pr.zeros((2, 1, 3)), axis=1).shape
        (2, 3)

    Source: array API, `squeeze`.
    """
    t = tensor(x)
    axes = normalize_axes(axis, t.rank)
    for a in axes:
        if t.shape[a] != 1:
            raise ShapeError(f"axis {a} of {t.shape} has size {t.shape[a]}, only size 1 can be dropped")
    return apply("reshape", (t,), tuple(n for i, n in enumerate(t.shape) if i not in axes))


@public("pr.broadcast_to")
def broadcast_to(x: Tensor, /, shape: Any) -> Tensor:
    """x grown along axes of size 1 and new leading axes. A view that shares elements, so not writable.

    Raises `ShapeError` for a shape that x does not broadcast to.

    Example:
        >>> pr.broadcast_to(pr.asarray([1, 2]), (2, 2)).to_list()
        [[1, 2], [1, 2]]

    Source: array API, `broadcast_to`.
    """
    return apply("expand", (tensor(x),), as_shape(shape))


@public("pr.broadcast_arrays")
def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """The tensors, each broadcast to their common shape. Views.

    Example:
        >>> [t.shape for t in pr.broadcast_arrays(pr.zeros((3, 1)), pr.zeros(2))]
        [(3, 2), (3, 2)]

    Source: array API, `broadcast_arrays`.
    """
    given = [tensor(a) for a in arrays]
    if not given:
        return ()
    shape = common_shape(*[t._v.shape for t in given])
    return tuple([apply("expand", (t,), shape) for t in given])


@public("pr.broadcast_shapes")
def broadcast_shapes(*shapes: Sequence[int]) -> Shape:
    """The shape that all the shapes broadcast to. Raises `ShapeError` when there is none.

    Example:
        >>> pr.broadcast_shapes((3, 1), (2,))
        (3, 2)

    Source: array API, `broadcast_shapes`.
    """
    return Shape(common_shape(*[as_shape(s) for s in shapes])) if shapes else Shape(())


@public("pr.concat")
def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The tensors one after the other along an axis; with axis=None all of them flattened.

    Dtypes promote inside a kind. Raises `ShapeError` where other sizes differ, `ArgumentError` for no tensors.

    Example:
        >>> pr.concat([pr.asarray([1, 2]), pr.asarray([3])]).to_list()
        [1, 2, 3]

    Source: array API, `concat`.
    """
    given = tensors(arrays)
    if axis is None:
        return apply("concat", [apply("reshape", (t,), (t.size,)) for t in given], 0)
    return apply("concat", given, normalize_axis(axis, given[0].rank))


@public("pr.stack")
def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Tensors of one shape side by side along a new axis. Dtypes promote inside a kind.

    Raises `ShapeError` for different shapes, `ArgumentError` for no tensors.

    Example:
        >>> pr.stack([pr.asarray([1, 2]), pr.asarray([3, 4])], axis=1).to_list()
        [[1, 3], [2, 4]]

    Source: array API, `stack`.
    """
    given = tensors(arrays)
    return wrap(composite.stack(do_of(*given), [t._v for t in given], axis))


@public("pr.unstack")
def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, without that axis. Views.

    Raises `AxisError` for rank 0.

    Example:
        >>> [t.to_list() for t in pr.unstack(pr.asarray([[1, 2], [3, 4]]), axis=1)]
        [[1, 3], [2, 4]]

    Source: array API, `unstack`.
    """
    t = tensor(x)
    at = normalize_axis(axis, t.rank)
    return tuple(t[(slice(None),) * at + (i,)] for i in range(t.shape[at]))


@public("pr.flip")
def flip(x: Tensor, /, *, axis: Axes = None) -> Tensor:
    """x with the order along the axes reversed, along all without `axis`. A view.

    Example:
        >>> pr.flip(pr.asarray([[1, 2], [3, 4]]), axis=1).to_list()
        [[2, 1], [4, 3]]

    Source: array API, `flip`.
    """
    t = tensor(x)
    return wrap(composite.flip(do_of(t), t._v, normalize_axes(axis, t.rank)))


@public("pr.roll")
def roll(x: Tensor, /, shift: int | Sequence[int], *, axis: int | Sequence[int] | None = None) -> Tensor:
    """x turned along axes by `shift` places toward higher indices; without `axis` in its flattened form.

    Raises `ArgumentError` when the numbers of shifts and axes differ.

    Example:
        >>> pr.roll(pr.asarray([1, 2, 3, 4]), 1).to_list()
        [4, 1, 2, 3]

    Source: array API, `roll`.
    """
    t = tensor(x)
    do = do_of(t)
    by = ints(shift, "shift")
    if axis is None:
        if len(by) != 1:
            raise ArgumentError(f"{len(by)} shifts {by} need as many axes")
        return wrap(do.reshape(composite.roll(do, do.reshape(t._v, (t.size,)), by[0], 0), t._v.shape))
    axes = ints(axis, "axis")
    if len(by) == 1:
        by = by * len(axes)
    if len(by) != len(axes):
        raise ArgumentError(f"{len(by)} shifts {by} do not go with {len(axes)} axes {axes}")
    v: Any = do.reshape(t._v, t._v.shape)
    for s, a in zip(by, axes):
        v = composite.roll(do, v, s, a)
    return wrap(v)


@public("pr.tile")
def tile(x: Tensor, repetitions: Sequence[int], /) -> Tensor:
    """x repeated as a whole, repetitions[i] times along axis i, aligned at the right.

    Raises `ArgumentError` for a negative number.

    Example:
        >>> pr.tile(pr.asarray([1, 2]), (2, 2)).to_list()
        [[1, 2, 1, 2], [1, 2, 1, 2]]

    Source: array API, `tile`.
    """
    t = tensor(x)
    counts = ints(repetitions, "repetitions")
    if any(c < 0 for c in counts):
        raise ArgumentError(f"repetitions {counts} hold a negative number")
    return wrap(composite.tile(do_of(t), t._v, counts))


@public("pr.repeat")
def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element along the axis `repeats` times in a row; without `axis` those of the flattened tensor.

    An Int tensor gives each index its own number: it is read at the call, since the shape depends on it.
    Raises `ArgumentError` for a negative number, `ShapeError` for another length than the axis has.

    Example:
        >>> pr.repeat(pr.asarray([1, 2]), 2).to_list()
        [1, 1, 2, 2]
        >>> pr.repeat(pr.asarray([1, 2]), pr.asarray([3, 0])).to_list()
        [1, 1, 1]

    Source: array API, `repeat`.
    """
    t = tensor(x)
    if axis is None:
        t, axis = apply("reshape", (t,), (t.size,)), 0
    at = normalize_axis(axis, t.rank)
    if isinstance(repeats, Tensor) and repeats.size != 1:
        if repeats.dtype.kind is not Int:
            raise DTypeError(f"numbers of repeats must be an Int tensor, these are {repeats.dtype.name}")
        if repeats.shape != (t.shape[at],):
            raise ShapeError(f"numbers of shape {repeats.shape} do not go with axis {at} of {t.shape}")
        counts = evaluate(repeats).astype(np.int64)
        if (counts < 0).any():
            raise ArgumentError(f"an element cannot be repeated {int(counts.min())} times")
        return apply("take", (t, fresh(np.repeat(np.arange(len(counts)), counts), t)), at)
    times = operator.index(repeats)
    if times < 0:
        raise ArgumentError(f"an element cannot be repeated {times} times")
    return wrap(composite.repeat(do_of(t), t._v, times, at))
