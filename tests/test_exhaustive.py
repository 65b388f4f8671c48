"""Every float32 there is, through every elementary function of one argument.

The measure is the float64 form of the same function, which its own test holds to one unit in
the last place of float64 against many digits: against it, a float32 result may be off by one
unit in its last place. Generation, evaluation and comparison are one fused kernel.
"""

from __future__ import annotations

from typing import Any

import pytest

import pyrite as pr
from pyrite.apply import apply, do_on, wrap
from pyrite.device import Device
from pyrite.dtypes import float32, float64, uint32

FUNCTIONS = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "erf", "erfc",
]  # fmt: skip
CHUNK = 1 << 24


def constant(value: float, dtype: Any) -> Any:
    return wrap(do_on(Device.cpu()).scalar(value, dtype))


def worst(name: str, first: int, count: int) -> float:
    """The largest error over `count` bit patterns from `first` on, in units in the last place; inf for a wrong kind."""
    do = do_on(Device.cpu())
    bits = wrap(do.iota((count,), 0, uint32)) + constant(first, uint32)
    x = apply("bitcast", (bits,), float32)
    got = apply("cast", (apply(name, (x,)),), float64)
    want = apply(name, (apply("cast", (x,), float64),))
    near = apply("cast", (want,), float32)
    # the unit: 2 to the exponent of the result, at least that of the smallest normal, times 2^-23
    exponent = apply("bit_and", (apply("bitcast", (near,), uint32), constant(0x7F800000, uint32)))
    power = apply("bitcast", (exponent,), float32)
    unit = apply("cast", (pr.maximum(power, 2.0**-126) * 2.0**-23,), float64)
    error = pr.abs(got - want) / unit
    rounded = apply("cast", (near,), float64)
    same = (got == rounded) | (pr.isnan(got) & pr.isnan(want))
    odd = pr.isnan(got) ^ pr.isnan(want) | (pr.isinf(got) & (pr.abs(want) < 3.4e38))
    return float(pr.max(pr.where(same, 0.0, pr.where(odd, float("inf"), error))))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_sample(name: str) -> None:
    for first in range(0, 1 << 32, (1 << 32) // 64 + 12345):
        assert worst(name, first, 1 << 14) <= 1.0, f"{name} from {first:#x}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_float32(name: str) -> None:
    for first in range(0, 1 << 32, CHUNK):
        assert worst(name, first, CHUNK) <= 1.0, f"{name} from {first:#x}"
