"""What several test files say: that a call fails with a text, what a gradient is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pyrite as pr


def fails(kind: type[Exception], text: str, call: Callable[[], Any]) -> None:
    """The call raises `kind` itself, or a class of ours that is also this built-in, with exactly this text."""
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind or not issubclass(kind, pr.PyriteError)
    assert str(caught.value) == text
    assert isinstance(caught.value, pr.PyriteError)


def leaf(values: Any, device: pr.Device | None = None, dtype: Any = pr.float64) -> pr.Tensor:
    """A tensor that requires its gradient."""
    return pr.asarray(values, dtype=dtype, device=device, copy=True).autodiff().require_grad()


def slope(x: pr.Tensor, y: pr.Tensor) -> np.ndarray[Any, Any]:
    """The gradient of Σ y at x."""
    found = x.grad(y.sum().backward())
    assert found is not None
    return found.numpy()


def numeric(f: Callable[..., float], arrays: list[np.ndarray[Any, Any]], step: float = 1e-6) -> list[Any]:
    """Central differences of a scalar function of float64 arrays."""
    out = []
    for a in arrays:
        g = np.zeros_like(a)
        for at in np.ndindex(a.shape):
            kept = a[at]
            a[at] = kept + step
            high = f(*arrays)
            a[at] = kept - step
            low = f(*arrays)
            a[at] = kept
            g[at] = (high - low) / (2 * step)
        out.append(g)
    return out
