"""Are results right? A report of how close two tensors are, and assertions about shapes."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .apply import Handle, evaluate, need_kind
from .dtypes import Float
from .errors import ArgumentError, ContractError, DTypeError, ShapeError, public

DEFAULT_RTOL = 1e-5
DEFAULT_ATOL = 1e-8
_DIGITS = range(1, 9)  # the report tries 1e-1 to 1e-8


@public("pr.check_closeness")
def check_closeness(output: Handle, expected: Handle) -> None:
    """Prints how many elements of two Float tensors are close, for tolerances from 1e-1 to 1e-8.

    An element is close when |output - expected| ≤ eps + eps·|expected|. The verdicts are PASS for all elements
    (green), WARN for nine in ten (yellow) and FAIL (red); colours only where the output is a terminal.

    Raises `ShapeError` for different shapes, `DTypeError` for other kinds.

    Example:
        >>> pr.check_closeness(pr.ones(2), pr.ones(2))  # doctest: +ELLIPSIS
        Tensor Closeness Check Results:
        ===============================
        Epsilon: 1e-1
          Close elements: 2/2 (100.00%)
          [PASS] All elements are within tolerance
        ...
        Closeness check complete.

    Source: Burn, `check_closeness`.
    """
    from rich.console import Console
    from rich.text import Text

    for t in (output, expected):
        if not isinstance(t, Handle):
            raise DTypeError(f"expected a tensor, got {type(t).__name__}")
        need_kind(t, Float)
    if output._v.shape != expected._v.shape:
        raise ShapeError(f"shapes {output._v.shape} and {expected._v.shape} differ")
    x, y = (evaluate(t).astype(np.float64) for t in (output, expected))
    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)

    def say(text: str, style: str = "") -> None:
        console.print(Text(text, style=style))

    say("Tensor Closeness Check Results:", "bold")
    say("=" * 31)
    for digits in _DIGITS:
        eps = float(f"1e-{digits}")
        with np.errstate(all="ignore"):
            near = (np.abs(x - y) <= eps + eps * np.abs(y)) & np.isfinite(y)
        close = int(np.count_nonzero(near | (x == y)))
        share = close / x.size if x.size else 1.0
        say(f"Epsilon: 1e-{digits}", "bold")
        say(f"  Close elements: {close}/{x.size} ({share:.2%})")
        if close == x.size:
            say("  [PASS] All elements are within tolerance", "green")
        elif share >= 0.9:
            say("  [WARN] Most elements are within tolerance", "yellow")
        else:
            say("  [FAIL] Significant differences detected", "red")
        say("")
    say("Closeness check complete.", "bold")


@public("assert_shape")
def assert_shape(tensor: Handle, slots: Sequence[Any]) -> None:
    """Checks the sizes of a tensor's axes: one slot for each, None for any size, `...` for any number of axes.

    The tensor is not read. `debug_assert_shape` is the same check that `python -O` leaves out.

    Raises:
        ContractError: a `ShapeError` and an `AssertionError`, for the first axis that differs, or the rank.
        ArgumentError: more than one `...`.
        DTypeError: not a tensor, or a slot that is no int.

    Example:
        >>> x = pr.zeros((4, 10, 80))
        >>> batch, length, _ = x.dims
        >>> pr.assert_shape(x, [batch, None, 80])
        >>> pr.assert_shape(x, [..., 80])

    Source: Burn, `assert_shape!`.
    """
    _check(tensor, slots)


@public("debug_assert_shape")
def debug_assert_shape(tensor: Handle, slots: Sequence[Any]) -> None:
    """`assert_shape` while assertions are on; nothing under `python -O`, for hot loops.

    Example:
        >>> pr.debug_assert_shape(pr.ones((2, 3)), [None, 3])

    Source: Burn, `debug_assert_shape!`.
    """
    if __debug__:
        _check(tensor, slots)


def _check(tensor: Handle, slots: Sequence[Any]) -> None:
    if not isinstance(tensor, Handle):
        raise DTypeError(f"expected a tensor, got {type(tensor).__name__}")
    if not isinstance(slots, (tuple, list)):
        raise DTypeError(f"expected a list of slots, got {type(slots).__name__}")
    shape = tensor._v.shape
    wanted = [_slot(s) for s in slots]
    gaps = [i for i, s in enumerate(wanted) if s is Ellipsis]
    if len(gaps) > 1:
        raise ArgumentError(f"... stands {len(gaps)} times in the slots, once is the most")
    count = len(wanted) - len(gaps)
    if count > len(shape) or (count < len(shape) and not gaps):
        least = "at least " if gaps else ""
        raise ContractError(f"expected rank {least}{count}, got {len(shape)} (dims {list(shape)})")
    if gaps:
        wanted[gaps[0] : gaps[0] + 1] = [None] * (len(shape) - count)
    for axis, (size, slot) in enumerate(zip(shape, wanted)):
        if slot is not None and size != slot:
            raise ContractError(f"axis {axis} expected {slot}, got {size} (dims {list(shape)})")


def _slot(slot: Any) -> Any:
    if slot is None or slot is Ellipsis:
        return slot
    if isinstance(slot, bool):
        raise DTypeError(f"the slot {slot!r} is not an int, None or ...")
    try:
        return operator.index(slot)
    except TypeError:
        raise DTypeError(f"the slot {slot!r} is not an int, None or ...") from None
