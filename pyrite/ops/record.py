"""The one home of an op: its record, and the registry of all records.

Every consumer (backends, autodiff, the code generator, the tests, the documentation) takes
records and names no op. A record holds the mathematics (`doc`), the checks (`infer`), a NumPy
reference, the rule for one element (`scalar`), the gradient rule (`vjp`) and test samples.

Calling conventions. An op has `arity` tensor inputs (or any number: `variadic`) followed by
hashable parameters, named in `params`:

    infer(x, y, *params) -> (shape, dtype)      x, y have .shape and .dtype; raises every user error
    reference(x, y, *params) -> ndarray         x, y are NumPy arrays
    scalar(b, x, y, *params) -> element         b builds the value of one element
    vjp(do, g, out, x, y, *params) -> [gx, gy]  do runs ops one level below; None means no gradient
    composed(do, x, y, *params) -> result       do makes values by op name, in a kernel

For a variadic op the tensors come as one list: infer(xs, *params), and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from ..dtypes import DType
from ..errors import GradientError

Shape = tuple[int, ...]
Fuses = Literal["elementwise", "movement", "reduce", "scan", "composed", "opaque"]


class Aval(Protocol):
    """What `infer` sees of an input."""

    @property
    def shape(self) -> Shape: ...

    @property
    def dtype(self) -> DType: ...


class Rule:
    """A gradient rule that is not a function: `ZERO` or `NO_RULE`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


ZERO = Rule("ZERO")  # piecewise constant: the gradient is zero wherever it exists
NO_RULE = Rule("NO_RULE")  # differentiating through it raises, naming `detach`


@dataclass(frozen=True)
class Monoid:
    """How a reduction or a scan combines elements.

    `combine` must be associative up to rounding, `identity` its exact neutral element.
    `accumulate` is the dtype of the running value: elements are cast to it, or `encode`d in it, and
    the result is cast, or `decode`d, once at the end.
    """

    identity: Callable[[DType], Any]  # of the accumulator's dtype
    combine: Callable[[Any, Any, Any], Any]  # (b, running, x), both of the accumulator's dtype
    accumulate: Callable[[DType], DType]  # from the input's dtype
    finish: Callable[[Any, Any, Any], Any] | None = None  # (b, total, count), both of the accumulator's dtype
    encode: Callable[[Any, Any], Any] | None = None  # (b, x), x of the input's dtype
    decode: Callable[[Any, Any, DType], Any] | None = None  # (b, total, the result's dtype)


@dataclass(frozen=True)
class Updates:
    """Writes at indices, looping over l, j in order, and r: at = (l, index, r), out[at] = mode(out[at], new[l, j, r]).

    `out` begins as the op's first input, `new` is its last. `rows` takes the inputs as arrays and gives the
    indices, an entry for each j, or with `each` for each l, j and r; negative ones count from the end.
    """

    lead: int
    size: int  # of the axis that is written to
    count: int  # of indices for one l, and with `each` for one l and r
    columns: int
    mode: str  # assign, add, mul, min or max
    rows: Callable[[Sequence[Any]], Any]
    each: bool = False


@dataclass(frozen=True)
class Arg:
    """One input of a test case: numbers between `lo` and `hi` in the dtype under test."""

    shape: Shape
    lo: float = -3.0
    hi: float = 3.0
    dtype: DType | None = None  # a fixed dtype; indices are int64 in [lo, hi)
    distinct: bool = False  # no two equal values, so that there are no ties


@dataclass(frozen=True)
class Case:
    """Inputs and parameters of one test call."""

    args: tuple[Arg, ...]
    params: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Samples:
    """Where the tests draw their calls of an op from."""

    dtypes: tuple[DType, ...]
    cases: tuple[Case, ...]
    exact: bool = False  # the result must equal NumPy's bit for bit
    specials: bool = False  # an elementwise op: also run on NaN, infinities, zeros, subnormals, extremes


@dataclass(frozen=True, eq=False, slots=True)
class Op:
    """One operation. See the module's docstring for the calling conventions."""

    name: str
    fuses: Fuses
    doc: str
    infer: Callable[..., tuple[Shape, DType]]
    reference: Callable[..., Any]
    samples: Samples
    params: tuple[str, ...] = ()
    arity: int = 1
    variadic: bool = False
    into: Callable[..., None] | None = None  # the reference, written into memory that is there: (out, x, y, *params)
    product: bool = False  # the matrix product of the last two axes of its two inputs, which BLAS computes
    scalar: Callable[..., Any] | None = None
    pull: Callable[..., Any] | None = None  # movement: output indices to input indices
    regions: Callable[..., Any] | None = None  # boxes of the output that inputs fill: (shapes, *params)
    fetch: Callable[..., Any] | None = None  # indirect reads: (shapes, *params) -> per axis of input 0 its index
    updates: Callable[..., Updates | None] | None = None  # writes at indices: (shapes, *params)
    monoid: Monoid | None = None  # of reductions, whose params begin (axes, keepdims), and scans: (axis, reverse)
    composed: Callable[..., Any] | None = None  # the same result by other ops, for kernels: (do, x, y, *params)
    vjp: Callable[..., Sequence[Any]] | Rule = NO_RULE
    cost: int = 1  # rough cycles for one element; at 8 and more it is not computed twice
    half: Literal["widen", "native"] = "widen"  # reference of f16/bf16: in float32, or as it is
    bounds: Callable[..., None] | None = None  # checks of values (indices) before the reference runs
    fails: bool = False  # its reference may raise for some values (a singular matrix)
    masks: bool = False  # its derivative can be infinite: autodiff applies it only where the gradient is not 0
    indices: Callable[[int], Sequence[int]] | None = None  # which inputs `bounds` reads, from their number
    needs: tuple[bool, ...] = field(default=())  # filled in by `op`: which of out, inputs the vjp reads


REGISTRY: dict[str, Op] = {}


def op(name: str, *, fuses: Fuses, doc: str, **fields: Any) -> Op:
    """Makes a record and registers it. In `vjp`, parameters that start with `_` are not saved."""
    if name in REGISTRY:
        raise ValueError(f"op {name} is registered twice")
    fields.setdefault("masks", fuses == "elementwise" and fields.get("cost", 1) >= 4)
    record = Op(name, fuses, doc, needs=_needs(fields), **fields)
    REGISTRY[name] = record
    return record


def _needs(fields: dict[str, Any]) -> tuple[bool, ...]:
    rule = fields.get("vjp", NO_RULE)
    if isinstance(rule, Rule):
        return ()
    code = rule.__code__
    names = code.co_varnames[: code.co_argcount]
    count = 1 if fields.get("variadic") else fields.get("arity", 1)
    # names are do, g, out, inputs…, params…
    return tuple(not n.startswith("_") for n in names[2 : 3 + count])


def no_rule(record: Op) -> GradientError:
    """The error of differentiating through an op that has no rule."""
    return GradientError(
        f"{record.name} has no gradient",
        "use .detach() on its input (.inner() on a leaf) if the gradient should stop there",
    )


def reference_array(value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """A reference result as an array of exactly `dtype`."""
    array = np.asarray(value)
    return array if array.dtype == dtype.np else array.astype(dtype.np)


def all_ops() -> Iterable[Op]:
    """Every record, in the order of definition."""
    return REGISTRY.values()
