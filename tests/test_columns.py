"""Reductions down columns: the bits of the same reduction along rows, whatever the widths of strips and threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_wrapped import each_way, numbers, tensor

import pyrite as pr
from pyrite.backends import plans

WORKS: dict[str, Callable[[Any, int], Any]] = {
    "sum": lambda x, axis: pr.sum(x, axis=axis),  # little code: eight rows at a time
    "max": lambda x, axis: pr.max(x, axis=axis),
    "sum of a product": lambda x, axis: pr.sum(x * x - 1.0, axis=axis),
    "sum of a function": lambda x, axis: pr.sum(pr.exp(x), axis=axis),  # one row at a time
    "any": lambda x, axis: pr.any(x > 2, axis=axis),
    "two sums": lambda x, axis: pr.sum(x, axis=axis) / (1.0 + pr.sum(pr.abs(x), axis=axis)),
    "argmax": lambda x, axis: pr.argmax(x, axis=axis),
}


@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("rows", [1, 7, 16, 17, 127, 128, 129, 143])
def test_columns_have_the_bits_of_rows(name: str, rows: int) -> None:
    work = WORKS[name]
    for width in (1, 15, 16, 17, 129, 1023, 1025, 4100):
        x = numbers(rows, width, seed=rows + width)
        want = work(tensor(np.ascontiguousarray(x.T)), 1).numpy()
        for got in each_way(lambda x=x: work(tensor(x), 0)):
            assert got.tobytes() == want.tobytes(), (rows, width)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "uint8", "int64"])
def test_dtypes_and_rows_of_several_blocks(dtype: str) -> None:
    for rows, width in ((4097, 33), (9000, 17), (130, 1500)):
        x = numbers(rows, width, dtype=dtype) if dtype[0] != "u" else numbers(rows, width, dtype="int64").astype(dtype)
        for work in (WORKS["sum"], WORKS["max"]):
            want = work(tensor(np.ascontiguousarray(x.T)), 1).numpy()
            for got in each_way(lambda x=x, work=work: work(tensor(x), 0)):
                assert got.tobytes() == want.tobytes(), (dtype, rows, width)


def test_strips_are_wide_but_leave_work_for_threads() -> None:
    assert plans._strip(1, 4096, 1) == 1024
    assert plans._strip(1, 1024, 1) == 256
    assert plans._strip(1, 100, 1) == 128
    assert plans._strip(8, 100, 1) == 1024
    assert plans._strip(1, 4096, 4) == 256
