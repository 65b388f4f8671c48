"""Matrix products and what is made of them: tensordot, einsum.

`matmul` is the one record here. The rest are composites: functions of `do`, made of ops, so that
they differentiate and fuse as their parts do.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dtypes import COMPLEX, FLOATS, INTS, Bool, Complex, DType, float32
from ..errors import ArgumentError, DTypeError, ShapeError
from ..layout import broadcast_shapes, normalize_axis, size_of
from .record import Arg, Aval, Case, Samples, Shape, op

Array = NDArray[Any]
Label = int  # a letter's code point, or -1, -2, … for the axes of an ellipsis, counted from the right


# --- matmul ------------------------------------------------------------------------------


def _matmul_infer(x: Aval, y: Aval) -> tuple[Shape, DType]:
    if x.dtype is not y.dtype:
        raise DTypeError(f"{x.dtype.name} and {y.dtype.name}: the dtypes must be equal")
    if x.dtype.kind is Bool:
        raise DTypeError("a matrix product needs numbers, these tensors are bool")
    if len(x.shape) < 2 or len(y.shape) < 2:
        raise ShapeError(f"{x.shape} and {y.shape} must both have rank 2 or more")
    if x.shape[-1] != y.shape[-2]:
        raise ShapeError(
            f"{x.shape} and {y.shape} do not multiply: axis -1 of the first has size {x.shape[-1]}, "
            f"axis -2 of the second {y.shape[-2]}"
        )
    try:
        lead = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ShapeError as error:
        raise ShapeError(f"{x.shape} and {y.shape} do not multiply: the leading sizes {error.reason}") from None
    return (*lead, x.shape[-2], y.shape[-1]), x.dtype


def _matmul_reference(x: Array, y: Array) -> Array:
    if x.ndim > 2 and y.ndim == 2:
        # one large product instead of many small ones
        rows, inner = size_of(x.shape[:-1]), x.shape[-1]
        return np.asarray(np.matmul(x.reshape(rows, inner), y)).reshape(*x.shape[:-1], y.shape[-1])
    return np.asarray(np.matmul(x, y))


def _matmul_into(out: Array, x: Array, y: Array) -> None:
    if x.ndim > 2 and y.ndim == 2:
        x = x.reshape(size_of(x.shape[:-1]), x.shape[-1])
        out = out.reshape(len(x), y.shape[-1])
    np.matmul(x, y, out=out)


def _turned(do: Any, x: Any) -> Any:
    """With the last two axes swapped."""
    rank = len(x.shape)
    return do.permute(x, (*range(rank - 2), rank - 1, rank - 2))


def _matmul_vjp(do: Any, g: Any, _out: Any, x: Any, y: Any) -> list[Any]:
    """gx = g yᵀ, gy = xᵀ g; a y shared by all rows gets one product over all rows at once."""
    gx = do.matmul(g, _turned(do, y))
    if size_of(y.shape[:-2]) == 1 and len(x.shape) > 2:
        rows = size_of(g.shape[:-1])
        if size_of(x.shape[:-1]) == rows:
            flat_x, flat_g = do.reshape(x, (rows, x.shape[-1])), do.reshape(g, (rows, g.shape[-1]))
            return [gx, do.reshape(do.matmul(_turned(do, flat_x), flat_g), y.shape)]
    return [gx, do.matmul(_turned(do, x), g)]


matmul = op(
    "matmul",
    fuses="opaque",
    doc="The matrix product of the last two axes; the leading axes broadcast.",
    arity=2,
    infer=_matmul_infer,
    reference=_matmul_reference,
    into=_matmul_into,
    product=True,
    vjp=_matmul_vjp,
    samples=Samples(
        FLOATS + INTS + COMPLEX,
        tuple(
            Case((Arg(a), Arg(b)))
            for a, b in (
                ((2, 3), (3, 4)),
                ((1, 1), (1, 1)),
                ((70, 3), (3, 5)),
                ((0, 3), (3, 2)),
                ((2, 0), (0, 3)),
                ((4, 2, 3), (3, 2)),
                ((4, 2, 3), (1, 3, 2)),
                ((2, 3), (4, 3, 2)),
                ((2, 1, 2, 3), (3, 3, 4)),
            )
        ),
    ),
)


# --- products of any rank ----------------------------------------------------------------


def matmul_any(do: Any, x: Any, y: Any) -> Any:
    """The matrix product with NumPy's rule for rank 1: a row on the left, a column on the right."""
    left, right = len(x.shape) == 1, len(y.shape) == 1
    if not x.shape or not y.shape:
        raise ShapeError(f"{x.shape} and {y.shape} must both have rank 1 or more")
    inner = y.shape[-1 if right else -2]
    if (left or right) and x.shape[-1] != inner:
        raise ShapeError(
            f"{x.shape} and {y.shape} do not multiply: axis -1 of the first has size {x.shape[-1]}, "
            f"axis {-1 if right else -2} of the second {inner}"
        )
    a = do.reshape(x, (1, *x.shape)) if left else x
    b = do.reshape(y, (*y.shape, 1)) if right else y
    out = do.matmul(a, b)
    shape = out.shape
    if right:
        shape = shape[:-1]
    if left:
        shape = shape[:-1] if right else (*shape[:-2], shape[-1])
    return do.reshape(out, shape) if left or right else out


def vecdot(do: Any, x: Any, y: Any, axis: int = -1) -> Any:
    """Σ conj(x)·y along `axis`; the other axes broadcast."""
    shape = broadcast_shapes(x.shape, y.shape)
    axis = normalize_axis(axis, len(shape))
    for t in (x, y):
        at = axis - len(shape) + len(t.shape)
        size = t.shape[at] if at >= 0 else 1
        if size != shape[axis]:
            raise ShapeError(f"{x.shape} and {y.shape} must have equal sizes along axis {axis - len(shape)}")
    first = do.conj(x) if x.dtype.kind is Complex else x
    return do.sum(do.mul(first, y), (axis,), False)


def outer(do: Any, x: Any, y: Any) -> Any:
    """x[i]·y[j] of two vectors."""
    if len(x.shape) != 1 or len(y.shape) != 1:
        raise ShapeError(f"an outer product needs two tensors of rank 1, these have shapes {x.shape} and {y.shape}")
    return do.mul(do.reshape(x, (*x.shape, 1)), y)


def kron(do: Any, x: Any, y: Any) -> Any:
    """The Kronecker product; the lower rank gets leading axes of size 1."""
    rank = max(len(x.shape), len(y.shape))
    a = (1,) * (rank - len(x.shape)) + x.shape
    b = (1,) * (rank - len(y.shape)) + y.shape
    wide_a = tuple(s for n in a for s in (n, 1))
    wide_b = tuple(s for n in b for s in (1, n))
    product = do.mul(do.reshape(x, wide_a), do.reshape(y, wide_b))
    return do.reshape(product, tuple(n * m for n, m in zip(a, b)))


def tensordot(do: Any, x: Any, y: Any, axes_x: Sequence[int], axes_y: Sequence[int]) -> Any:
    """Sums x·y over pairs of axes; the axes left are those of x, then those of y."""
    if len(axes_x) != len(axes_y):
        raise ShapeError(f"{len(axes_x)} axes of the first tensor are paired with {len(axes_y)} of the second")
    over_x = [normalize_axis(a, len(x.shape)) for a in axes_x]
    over_y = [normalize_axis(a, len(y.shape)) for a in axes_y]
    for over, axes in ((over_x, axes_x), (over_y, axes_y)):
        if len(set(over)) != len(over):
            raise ShapeError(f"axes {tuple(axes)} repeat an axis")
    for a, b in zip(over_x, over_y):
        if x.shape[a] != y.shape[b]:
            raise ShapeError(
                f"{x.shape} and {y.shape} do not contract: axis {a} of the first has size {x.shape[a]}, "
                f"axis {b} of the second {y.shape[b]}"
            )
    labels_x = list(range(len(x.shape)))
    labels_y = [len(x.shape) + i for i in range(len(y.shape))]
    for a, b in zip(over_x, over_y):
        labels_y[b] = labels_x[a]
    out = [n for i, n in enumerate(labels_x) if i not in over_x]
    out += [n for i, n in enumerate(labels_y) if i not in over_y]
    product, labels = _pair(do, (x, tuple(labels_x)), (y, tuple(labels_y)), set(out))
    return _permuted(do, product, labels, out)


# --- einsum ------------------------------------------------------------------------------

Operand = tuple[Any, tuple[Label, ...]]  # a tensor and the label of each of its axes


def einsum(do: Any, equation: str, operands: Sequence[Any]) -> Any:
    """The sum of products that `equation` describes, contracted in the cheapest pairwise order.

    Labels are letters; `...` stands for axes that broadcast from the right. Sizes of 1 broadcast
    between operands. A label repeated in one operand takes the diagonal. A half-precision result
    is rounded once. The result has rank 0 when no axis is left.
    """
    inputs, output = _parse(equation)
    if len(inputs) != len(operands):
        raise ArgumentError(f"the equation {equation!r} has {len(inputs)} operands, {len(operands)} tensors were given")
    dtype = operands[0].dtype
    for i, x in enumerate(operands):
        if x.dtype is not dtype:
            raise DTypeError(f"operand 0 is {dtype.name} and operand {i} is {x.dtype.name}: the dtypes must be equal")
    if dtype.kind is Bool:
        raise DTypeError("an einsum needs numbers, the operands are bool")

    given: list[Operand] = []
    for i, (x, terms) in enumerate(zip(operands, inputs)):
        if not terms and x.shape == (1,):
            x = do.reshape(x, ())
        given.append((x, _labels(terms, len(x.shape), i)))
    widest = min((n for _, labels in given for n in labels if n < 0), default=0)
    out = _output(output, given, tuple(range(widest, 0)))

    if dtype.is_half():
        given = [(do.cast(x, float32), labels) for x, labels in given]
    given = [_diagonals(do, x, labels, i) for i, (x, labels) in enumerate(given)]
    sizes = _sizes(given)
    # an axis of size 1 against a longer one adds nothing to the product
    given = [_squeezed(do, x, labels, sizes) for x, labels in given]

    for i, j in _path([labels for _, labels in given], out, sizes):
        second, first = given.pop(j), given.pop(i)
        keep = set(out).union(*(labels for _, labels in given))
        given.append(_pair(do, first, second, keep))
    x, labels = _summed(do, *given[0], set(out))
    result = _permuted(do, x, labels, out)
    return do.cast(result, dtype) if dtype.is_half() else result


def _parse(equation: str) -> tuple[list[list[str]], list[str] | None]:
    """The terms of every operand and of the output; None when there is no arrow."""
    sides: list[list[list[str]]] = [[[]]]
    i = 0
    while i < len(equation):
        c = equation[i]
        if c in string.ascii_letters:
            sides[-1][-1].append(c)
        elif c == ",":
            if len(sides) == 2:
                raise ArgumentError(f"the equation {equation!r} has a comma in its output")
            sides[-1].append([])
        elif equation.startswith("->", i):
            if len(sides) == 2:
                raise ArgumentError(f"the equation {equation!r} has more than one '->'")
            sides.append([[]])
            i += 1
        elif equation.startswith("...", i):
            if "..." in sides[-1][-1]:
                raise ArgumentError(f"the equation {equation!r} has two ellipses in one term")
            sides[-1][-1].append("...")
            i += 2
        elif c == ".":
            raise ArgumentError(f"the equation {equation!r} has a dot that is not part of '...'")
        elif c != " ":
            raise ArgumentError(f"the equation {equation!r} has the character {c!r}", "labels are letters, a-z and A-Z")
        i += 1
    return sides[0], sides[1][0] if len(sides) == 2 else None


def _labels(terms: Sequence[str], rank: int, operand: int) -> tuple[Label, ...]:
    """One label for each axis of an operand; those of the ellipsis are negative."""
    named = len(terms) - ("..." in terms)
    text = "".join(terms)
    if rank < named or (rank > named and "..." not in terms):
        least = "at least " if "..." in terms else ""
        raise ShapeError(f"the labels {text!r} of operand {operand} need rank {least}{named}, it has rank {rank}")
    result: list[Label] = []
    for t in terms:
        if t == "...":
            result.extend(range(named - rank, 0))
        else:
            result.append(ord(t))
    return tuple(result)


def _output(terms: Sequence[str] | None, given: Sequence[Operand], ellipsis: tuple[Label, ...]) -> list[Label]:
    """The labels of the result. Without an arrow: the ellipsis, then what occurs once, A-Z before a-z."""
    seen = [n for _, labels in given for n in labels if n > 0]
    if terms is None:
        return [*ellipsis, *sorted(n for n in set(seen) if seen.count(n) == 1)]
    out: list[Label] = []
    for t in terms:
        if t == "...":
            out.extend(ellipsis)
            continue
        if ord(t) not in seen:
            raise ArgumentError(f"the output label {t!r} is in no operand")
        if ord(t) in out:
            raise ArgumentError(f"the output label {t!r} is repeated")
        out.append(ord(t))
    return out


def _name(label: Label) -> str:
    return repr(chr(label)) if label > 0 else f"axis {label} of '...'"


def _diagonals(do: Any, x: Any, labels: tuple[Label, ...], operand: int) -> Operand:
    """Takes the diagonal of every label that one operand repeats."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            a = labels.index(label)
            b = labels.index(label, a + 1)
            if x.shape[a] != x.shape[b]:
                raise ShapeError(
                    f"the repeated label {_name(label)} of operand {operand} has sizes {x.shape[a]} and {x.shape[b]}"
                )
            x = do.diagonal(x, a, b, 0)
            labels = (*(n for i, n in enumerate(labels) if i not in (a, b)), label)
    return x, labels


def _sizes(given: Sequence[Operand]) -> dict[Label, int]:
    """The size of every label; 1 gives way to any other."""
    sizes: dict[Label, int] = {}
    origin: dict[Label, int] = {}
    for i, (x, labels) in enumerate(given):
        for label, size in zip(labels, x.shape):
            known = sizes.get(label, 1)
            if known != 1 and size not in (1, known):
                raise ShapeError(
                    f"{_name(label)} has size {known} in operand {origin[label]} and size {size} in operand {i}"
                )
            if known == 1:
                sizes[label], origin[label] = size, i
    return sizes


def _squeezed(do: Any, x: Any, labels: tuple[Label, ...], sizes: dict[Label, int]) -> Operand:
    kept = [i for i, label in enumerate(labels) if x.shape[i] == sizes[label]]
    if len(kept) == len(labels):
        return x, labels
    return do.reshape(x, tuple(x.shape[i] for i in kept)), tuple(labels[i] for i in kept)


def _path(labels: Sequence[tuple[Label, ...]], out: Sequence[Label], sizes: dict[Label, int]) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, to contract one after the other; each result goes to the end of the list."""
    count = len(labels)
    if count <= 2:
        return [(0, 1)] * (count - 1)
    import opt_einsum

    symbol = {label: opt_einsum.get_symbol(k) for k, label in enumerate(sizes)}
    terms = ["".join(symbol[n] for n in term) for term in (*labels, out)]
    shapes = [tuple(max(1, sizes[n]) for n in term) for term in labels]  # a size of 0 has no cost to compare
    steps, _ = opt_einsum.contract_path(",".join(terms[:-1]) + "->" + terms[-1], *shapes, shapes=True)
    path = []
    for step in steps:
        # a step of several operands is a chain of pairs: the newest result is always the last one
        todo = sorted(step)
        while len(todo) > 1:
            i, j = todo[0], todo[1]
            path.append((i, j))
            count -= 1
            todo = [n - 2 for n in todo[2:]] + [count - 1]
    return path


def _summed(do: Any, x: Any, labels: tuple[Label, ...], keep: set[Label]) -> Operand:
    """Sums over the labels that nothing needs any more."""
    over = tuple(i for i, n in enumerate(labels) if n not in keep)
    if not over:
        return x, labels
    return do.sum(x, over, False), tuple(n for n in labels if n in keep)


def _permuted(do: Any, x: Any, labels: Sequence[Label], order: Sequence[Label]) -> Any:
    axes = tuple(labels.index(n) for n in order)
    return x if axes == tuple(range(len(axes))) else do.permute(x, axes)


def _pair(do: Any, first: Operand, second: Operand, keep: set[Label]) -> Operand:
    """Contracts two operands with unique labels: what is in `keep` stays, the rest is summed over."""
    x, labels_x = _summed(do, *first, keep.union(second[1]))
    y, labels_y = _summed(do, *second, keep.union(first[1]))
    size = dict(zip(labels_x, x.shape)) | dict(zip(labels_y, y.shape))
    both = [n for n in labels_x if n in labels_y]
    batch = [n for n in both if n in keep]
    over = [n for n in both if n not in keep]
    left = [n for n in labels_x if n not in both]
    right = [n for n in labels_y if n not in both]
    if not over or not (left or right):
        # no matrix product: aligned factors, and a sum when something is contracted
        x, y = _permuted(do, x, labels_x, batch + over + left), _permuted(do, y, labels_y, batch + over + right)
        if left and right:
            x = do.reshape(x, (*x.shape, *(1,) * len(right)))
        if right:
            y = do.reshape(y, (*y.shape[: len(both)], *(1,) * len(left), *y.shape[len(both) :]))
        elif left:
            y = do.reshape(y, (*y.shape, *(1,) * len(left)))
        return _summed(do, do.mul(x, y), (*batch, *over, *left, *right), keep)
    lead = tuple(size[n] for n in batch)
    rows, inner, columns = (size_of([size[n] for n in part]) for part in (left, over, right))
    x = do.reshape(_permuted(do, x, labels_x, batch + left + over), (*lead, rows, inner))
    y = do.reshape(_permuted(do, y, labels_y, batch + over + right), (*lead, inner, columns))
    labels = (*batch, *left, *right)
    return do.reshape(do.matmul(x, y), tuple(size[n] for n in labels)), labels
