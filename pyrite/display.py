"""The text of a tensor, in the form of Burn's book ("Displaying Tensor Details").

Takes a function that reads blocks of elements, so that printing a large tensor reads only the
corners it shows. Floats print the shortest digits that give the same number back in their dtype.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .dtypes import Complex, DType, Float, Kind, bfloat16
from .errors import ArgumentError, DTypeError

Block = tuple[slice, ...]
Getter = Callable[[Block], "np.ndarray[Any, Any]"]


@dataclass(frozen=True)
class PrintOptions:
    """How tensors print.

    `precision`: decimal places of floating-point numbers; None for as many as are needed.
    `threshold`: the largest number of elements printed in full.
    `edge_items`: how many are shown at each end of an axis beyond that.
    """

    precision: int | None = None
    threshold: int = 1000
    edge_items: int = 3

    def __post_init__(self) -> None:
        for name in ("precision", "threshold", "edge_items"):
            value = getattr(self, name)
            if value is None and name == "precision":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ArgumentError(f"{name} must be a non-negative int, not {value!r}")


_options = PrintOptions()


def set_print_options(options: PrintOptions) -> None:
    """Sets how every tensor prints from now on.

    Example:
        >>> pr.set_print_options(pr.PrintOptions(precision=2))
        >>> pr.get_print_options().precision
        2
        >>> pr.set_print_options(pr.PrintOptions())
    """
    global _options
    if not isinstance(options, PrintOptions):
        raise DTypeError(f"expected a PrintOptions, got {type(options).__name__}")
    _options = options


def get_print_options() -> PrintOptions:
    """The options that tensors print with.

    Example:
        >>> pr.get_print_options().threshold
        1000
    """
    return _options


def format_tensor(
    values: Getter,
    shape: Sequence[int],
    dtype: DType,
    kind_name: str,
    device_name: str,
    backend_name: str,
    options: PrintOptions | None = None,
    spec: str | None = None,
) -> str:
    """The text of a tensor; `values` reads a block of its elements, given one slice for each axis.

    `spec` is a format specification such as ".2" or ".2f"; its precision goes before the options'.
    """
    options = _with_spec(_options if options is None else options, spec)
    data = format_data(values, tuple(shape), dtype, options)
    sizes = ", ".join(map(str, shape))
    return (
        "Tensor {\n"
        f"  data:\n{data},\n"
        f"  shape:  [{sizes}],\n"
        f"  device:  {device_name},\n"
        f'  backend:  "{backend_name}",\n'
        f'  kind:  "{kind_name}",\n'
        f'  dtype:  "{dtype.short}",\n'
        "}"
    )


def _with_spec(options: PrintOptions, spec: str | None) -> PrintOptions:
    if not spec:
        return options
    match = re.fullmatch(r"\.(\d+)f?", spec)
    if match is None:
        raise ArgumentError(f"the format {spec!r} is not known to tensors", 'use a precision such as ".2f"')
    return replace(options, precision=int(match[1]))


def format_data(values: Getter, shape: tuple[int, ...], dtype: DType, options: PrintOptions) -> str:
    """The elements as nested rows, the middle of long axes left out beyond the threshold."""
    edge = options.edge_items
    # an axis of size 0 counts as 1, for its brackets are printed too
    summarise = math.prod(max(n, 1) for n in shape) > options.threshold
    cut = [summarise and n > 2 * edge for n in shape]
    shown = _read_corners(values, shape, cut, edge)
    text = np.empty(shown.shape, dtype=object)
    one = element_formatter(dtype, options.precision)
    for i, x in enumerate(shown.flat):
        text.flat[i] = one(x)
    return _rows(text, cut, edge, 0) if shape else str(text[()])


def _read_corners(values: Getter, shape: tuple[int, ...], cut: list[bool], edge: int) -> np.ndarray[Any, Any]:
    """The elements that will be printed, as one small array."""
    ends = [[slice(0, edge), slice(n - edge, n)] if c else [slice(0, n)] for n, c in zip(shape, cut)]
    kept = [2 * edge if c else n for n, c in zip(shape, cut)]
    if 0 in kept:
        return np.empty(kept)  # nothing to read
    blocks = list(itertools.product(*ends))
    if len(blocks) == 1:
        return np.asarray(values(blocks[0])).reshape(kept)
    shown: np.ndarray[Any, Any] | None = None
    for block in blocks:
        part = np.asarray(values(block))
        if shown is None:
            shown = np.empty(kept, part.dtype)
        place = tuple(slice(edge, None) if c and s.start else slice(0, s.stop) for s, c in zip(block, cut))
        shown[place] = part
    assert shown is not None
    return shown


def _rows(text: np.ndarray[Any, Any], cut: list[bool], edge: int, depth: int) -> str:
    """Nested brackets: one row a line, indented by its depth."""
    inner = depth == len(cut) - 1
    items = list(text) if inner else [_rows(x, cut, edge, depth + 1) for x in text]
    gap = ", " if inner else ",\n" + " " * (depth + 1)
    if not cut[depth]:
        return f"[{gap.join(items)}]"
    head, tail = items[:edge], items[edge:]
    if inner:
        return f"[{gap.join([*head, '...', *tail])}]"
    # as in Burn, no comma follows the dots that stand on a line of their own
    start = gap.join([*head, "..."])
    return f"[{start}{gap[1:]}{gap.join(tail)}]" if tail else f"[{start}]"


def element_formatter(dtype: DType, precision: int | None) -> Callable[[Any], str]:
    """The function that prints one element of `dtype`."""
    kind: type[Kind] = dtype.kind
    if dtype.is_bool():
        return lambda x: "true" if x else "false"
    if kind is Float:
        return lambda x: _float(x, dtype is bfloat16, precision)
    if kind is Complex:
        return lambda x: _complex(x, precision)
    return lambda x: str(int(x))


def _complex(x: Any, precision: int | None) -> str:
    imag = _float(x.imag, False, precision)
    sign = "" if imag.startswith("-") else "+"
    return f"{_float(x.real, False, precision)}{sign}{imag}i"


def _float(x: Any, brain: bool, precision: int | None) -> str:
    """A float as Rust prints it: `1.0`, `1e-7`, `inf`, `NaN`."""
    value = float(x)
    if value != value:
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if precision is not None:
        return f"{value:.{precision}f}"
    scientific = _shortest_bfloat16(x) if brain else np.format_float_scientific(x, unique=True, trim="-", exp_digits=1)
    digits, exponent = scientific.split("e")
    if value == 0 or 1e-4 <= abs(value) < 1e16:
        return _positional(digits, int(exponent))
    return f"{digits}e{int(exponent)}"


def _shortest_bfloat16(x: Any) -> str:
    """The shortest decimal that rounds to the same bfloat16; NumPy's routine does not know the dtype."""
    value = float(x)
    for places in range(8):
        text = f"{value:.{places}e}"
        if type(x)(float(text)) == x:
            break
    digits, exponent = text.split("e")
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}e{exponent}"


def _positional(digits: str, exponent: int) -> str:
    """`1.25` and an exponent without the exponent, always with a decimal point."""
    sign = "-" if digits.startswith("-") else ""
    whole, _, fraction = digits.lstrip("-").partition(".")
    plain = whole + fraction
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{plain}"
    plain = plain.ljust(exponent + 1, "0")
    return f"{sign}{plain[: exponent + 1]}.{plain[exponent + 1 :] or '0'}"
