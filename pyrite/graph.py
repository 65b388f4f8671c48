"""Nodes: the immutable values of the graph, pending or with a storage.

A node knows how it is computed (op, inputs, params) until it has a storage; then it forgets
its inputs, so that a result holds no graph.
"""

from __future__ import annotations

import itertools
import operator
import os
import sys
from collections.abc import Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from .dtypes import DType
from .layout import Ints, contiguous_strides, size_of

if TYPE_CHECKING:
    from .errors import PyriteError
    from .ops.record import Op
    from .storage import Storage

next_number = itertools.count(1).__next__  # of a node
_age = operator.attrgetter("seq")

Site = tuple[CodeType, int]


class _Rare:
    """Fields that few nodes set; the others read these defaults, so that making a node costs less."""

    site: Site | None = None
    strides: Ints | None = None
    offset: int = 0
    value: Any = None
    error: PyriteError | None = None
    checked: bool = False  # its indices were known, and in bounds, at the call


class Form:
    """A shape and a dtype. Values of one shape and dtype have one form, so that comparing them takes no time."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape: Ints, dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype


_forms: dict[tuple[Ints, DType], Form] = {}


def form_of(shape: Ints, dtype: DType) -> Form:
    """The form of this shape and dtype."""
    found = _forms.get((shape, dtype))
    if found is None:
        if len(_forms) >= _CALLS_KEPT:
            _forms.clear()  # a form that is made again is another one: its calls are looked up anew
        found = _forms[shape, dtype] = Form(shape, dtype)
    return found


class Call:
    """An op with parameters on inputs of certain shapes and dtypes: what all such nodes have in common.

    Made by `call_of`, once: two nodes with one call differ only in their inputs and layouts.
    """

    __slots__ = ("op", "shape", "dtype", "form", "placed", "named", "layout")

    def __init__(self, op: Op, shape: Ints, dtype: DType) -> None:
        self.op = op
        self.shape = shape
        self.dtype = dtype
        self.form = form_of(shape, dtype)
        self.layout: Any = None  # of a movement: strides and offset over a row-major input, False if it takes a copy
        self.placed = op.fuses == "movement" or op.bounds is not None  # may have a layout, or checked indices
        # only these can fail later: on their values, or for want of memory
        self.named = op.fuses == "opaque" or op.bounds is not None or size_of(shape) >= NAMED


NAMED = 1 << 14  # elements; smaller results of fused ops do not remember their line
known_calls: dict[Any, Call] = {}
_CALLS_KEPT = 1 << 14


def call_of(op: Op, nodes: Sequence[Node], params: tuple[Any, ...]) -> Call:
    """The call of an op on these inputs; every user error in shapes, dtypes and parameters is raised here."""
    if params:
        key: Any = (op, exact(params), *[n.form for n in nodes])
    else:
        key = (op, *[n.form for n in nodes])  # as `Backend.run` has it
    found = known_calls.get(key)
    if found is None:
        shape, dtype = op.infer(nodes, *params) if op.variadic else op.infer(*nodes, *params)
        if len(known_calls) >= _CALLS_KEPT:
            known_calls.clear()
        found = known_calls[key] = Call(op, shape, dtype)
    return found


def exact(params: tuple[Any, ...]) -> Any:
    """Parameters as a key: 0.0 equals -0.0 and True equals 1, but they are different parameters."""
    key: Any = params
    for p in params:
        kind = type(p)
        if kind is tuple:
            for q in p:
                if type(q) is not int:
                    return (params, repr(params))
        elif kind is bool:
            key = (params, tuple([type(q) for q in params]))
        elif kind is not int and kind is not DType and kind is not str and p is not None:
            return (params, repr(params))
    return key


class Node(_Rare):
    """One value: `op` over `inputs`, or a leaf (no op) with a storage, or a constant scalar (`value`).

    `strides` and `offset` place the elements in the storage, or in the storage that the root
    of a pending view will get. `strides` is None for row-major.
    """

    __slots__ = ("op", "inputs", "params", "shape", "dtype", "form", "seq", "storage", "call")

    op: Op | None
    inputs: tuple[Node, ...]
    params: tuple[Any, ...]
    shape: Ints
    dtype: DType
    form: Form
    seq: int
    storage: Storage | None
    call: Call | None

    def __init__(self, op: Op | None, inputs: tuple[Node, ...], params: tuple[Any, ...], shape: Ints, dtype: DType):
        self.op = op
        self.inputs = inputs
        self.params = params
        self.shape = shape
        self.dtype = dtype
        self.form = form_of(shape, dtype)
        self.seq = next_number()
        self.storage = None
        self.call = None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return size_of(self.shape)

    @property
    def known(self) -> bool:
        """Are the values there already?"""
        return self.storage is not None or self.value is not None

    def element_strides(self) -> Ints:
        """Strides in elements, row-major ones filled in."""
        return contiguous_strides(self.shape) if self.strides is None else self.strides

    def array(self) -> np.ndarray[Any, Any]:
        """The values as a NumPy view of the storage; only where they are known."""
        if self.value is not None:
            return np.asarray(self.value, dtype=self.dtype.np)
        assert self.storage is not None, "the node is still pending"
        if self.strides is None and not self.offset:
            flat = self.storage.flat
            if flat.size == size_of(self.shape):
                return flat.reshape(self.shape)  # three times as fast
        return self.storage.view(self.shape, self.element_strides(), self.offset)

    def settle(self, storage: Storage) -> None:
        """Gives the node its storage and lets the graph behind it go."""
        self.storage = storage
        self.inputs = ()

    def __repr__(self) -> str:
        what = self.op.name if self.op is not None else "const" if self.value is not None else "leaf"
        return f"<{what} {self.dtype.short}{list(self.shape)} #{self.seq}>"


def leaf(storage: Storage, dtype: DType, shape: Ints, strides: Ints | None = None, offset: int = 0) -> Node:
    """A node over existing memory."""
    node = Node(None, (), (), shape, dtype)
    node.storage = storage
    node.strides = strides
    node.offset = offset
    return node


def constant(value: Any, dtype: DType) -> Node:
    """A rank-0 node with a Python value; kernels take it as an argument, so its value compiles nothing."""
    node = Node(None, (), (), (), dtype)
    node.value = value
    return node


_literals: dict[tuple[Any, DType], Node] = {}


def literal(value: Any, dtype: DType) -> Node:
    """A constant that is met again and again: one node for all its uses."""
    key = (value if value and type(value) is not complex else str(value), dtype)  # -0.0 equals 0.0
    node = _literals.get(key)
    if node is None:
        node = constant(value, dtype)
        if value == value:  # nan would never be found again
            if len(_literals) >= _CALLS_KEPT:
                _literals.clear()
            _literals[key] = node
    return node


class Failures:
    """Has any node of this process failed? As long as none has, drains need not look for errors."""

    seen = False


def fail(node: Node, error: PyriteError) -> None:
    """Gives a node an error in place of a value."""
    Failures.seen = True
    node.error = error


def pending_below(outputs: Sequence[Node]) -> list[Node]:
    """Every pending node that `outputs` need, inputs before users, in program order."""
    stack = [n for n in outputs if n.storage is None and n.op is not None]
    seen = set(stack)
    while stack:
        for i in stack.pop().inputs:
            if i.storage is None and i.op is not None and i not in seen:
                seen.add(i)
                stack.append(i)
    return sorted(seen, key=_age)


_inside: dict[str, bool] = {}  # by file: the hash of a code object is computed anew, and slowly, each time
_HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def call_site() -> Site | None:
    """Code and instruction of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        inside = _inside.get(file)
        if inside is None:
            inside = _inside[file] = os.path.abspath(file).startswith(_HERE)
        if not inside:
            return frame.f_code, frame.f_lasti
        frame = frame.f_back  # type: ignore[assignment]
    return None


def describe_site(site: Site | None) -> str:
    """`file:line` of a call, with the source line where it can be read."""
    if site is None:
        return "an unknown line"
    import linecache

    code, lasti = site
    line = None
    for start, end, number in code.co_lines():
        if start <= lasti < end:
            line = number
            break
    if line is None:
        line = code.co_firstlineno
    source = linecache.getline(code.co_filename, line).strip()
    where = f"{code.co_filename}:{line}"
    return f"{where} ({source})" if source else where


def check(nodes: Sequence[Node]) -> None:
    """Graph invariants: inputs come first, arities fit, layouts stay inside their storage."""
    place = {n: i for i, n in enumerate(nodes)}
    for i, node in enumerate(nodes):
        assert node.op is not None, f"{node} is a leaf"
        assert not node.known, f"{node} is not pending"
        assert node.op.variadic or len(node.inputs) == node.op.arity, f"{node} has {len(node.inputs)} inputs"
        for x in node.inputs:
            assert x.known or place[x] < i, f"{node} comes before its input {x}"
