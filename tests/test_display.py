"""The text of tensors: Burn's form, shortest digits, and reading no more than is shown."""

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pyrite import dtypes
from pyrite.display import PrintOptions, element_formatter, format_data, format_tensor, get_print_options
from pyrite.display import set_print_options as set_options
from pyrite.dtypes import from_numpy
from pyrite.errors import ArgumentError, DTypeError


def data(array: Any, **options: Any) -> str:
    array = np.asarray(array)
    return format_data(lambda block: array[block], array.shape, from_numpy(array.dtype), PrintOptions(**options))


def whole(array: Any, spec: str = "", options: PrintOptions | None = None) -> str:
    array = np.asarray(array)
    dtype = from_numpy(array.dtype)
    return format_tensor(
        lambda block: array[block], array.shape, dtype, dtype.kind.__name__, "Cpu", "cpu", options, spec
    )


def test_the_page_of_the_book() -> None:
    expected = """Tensor {
  data:
[[0.12345679, 0.12345679, 0.12345679],
 [0.12345679, 0.12345679, 0.12345679]],
  shape:  [2, 3],
  device:  Cpu,
  backend:  "cpu",
  kind:  "Float",
  dtype:  "f32",
}"""
    tensor = np.full((2, 3), 0.123456789, np.float32)
    assert whole(tensor) == expected
    rounded = expected.replace("0.12345679", "0.12")
    assert whole(tensor, ".2") == whole(tensor, ".2f") == rounded
    assert whole(tensor, options=PrintOptions(precision=2)) == rounded
    assert whole(tensor, ".3f", PrintOptions(precision=2)) == expected.replace("0.12345679", "0.123")


def test_global_options() -> None:
    before = get_print_options()
    try:
        set_options(PrintOptions(precision=1))
        assert "[1.2, 3.5]," in whole(np.array([1.25, 3.5], np.float64))
    finally:
        set_options(before)
    assert "[1.25, 3.5]," in whole(np.array([1.25, 3.5], np.float64))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (1.0000001, "1.0000001"),
        (123456.0, "123456.0"),
        (100.0, "100.0"),
        (2e-5, "2e-5"),
        (1e-4, "0.0001"),
        (1.5e-7, "1.5e-7"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e16"),
        (-1.25e20, "-1.25e20"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "NaN"),
    ],
)
def test_floats_print_as_in_rust(value: float, text: str) -> None:
    assert element_formatter(dtypes.float64, None)(np.float64(value)) == text


def test_shortest_digits_belong_to_the_dtype() -> None:
    assert data(np.array([0.1], np.float16)) == "[0.1]"
    assert data(np.array([0.1], np.float32)) == "[0.1]"
    assert data(np.array([0.1], np.float32).astype(np.float64)) == "[0.10000000149011612]"
    assert data(np.array([0.1, 3.140625, 1.0, 256.0, 3e38], ml_dtypes.bfloat16)) == "[0.1, 3.14, 1.0, 256.0, 3e38]"


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_every_half_round_trips(dtype: Any) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    with np.errstate(all="ignore"):
        every = every[np.isfinite(every.astype(np.float32))]
    show = element_formatter(from_numpy(np.dtype(dtype)), None)
    again = np.array([float(show(x)) for x in every]).astype(dtype)
    assert (again.view(np.uint16) == every.view(np.uint16)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_random_floats_round_trip(dtype: Any) -> None:
    bits = np.random.default_rng(0).integers(0, 256, (2000, np.dtype(dtype).itemsize), dtype=np.uint8)
    values = bits.view(dtype).ravel()
    values = values[np.isfinite(values)]
    show = element_formatter(from_numpy(np.dtype(dtype)), None)
    assert all(dtype(show(x)) == x for x in values)


def test_other_kinds() -> None:
    assert data(np.array([2**63 - 1, -(2**63)])) == "[9223372036854775807, -9223372036854775808]"
    assert data(np.array([255], np.uint8)) == "[255]"
    assert data(np.array([[True], [False]])) == "[[true],\n [false]]"
    assert data(np.array([1 + 2j, complex(0.5, -0.0)])) == "[1.0+2.0i, 0.5-0.0i]"
    assert data(np.array([complex(math.nan, -math.inf)], np.complex64)) == "[NaN-infi]"
    # precision is for fractions alone
    assert data(np.array([7]), precision=2) == "[7]"
    assert data(np.array([1 + 2j]), precision=1) == "[1.0+2.0i]"
    assert data(np.array([math.nan]), precision=2) == "[NaN]"


def test_ranks() -> None:
    assert data(np.float32(3)) == "3.0"
    assert data(np.arange(3)) == "[0, 1, 2]"
    assert data(np.arange(8).reshape(2, 2, 2)) == "[[[0, 1],\n  [2, 3]],\n [[4, 5],\n  [6, 7]]]"
    assert whole(np.float32(3)).startswith("Tensor {\n  data:\n3.0,\n  shape:  [],\n")


def test_empty() -> None:
    assert data(np.zeros(0)) == "[]"
    assert data(np.zeros((2, 0))) == "[[],\n []]"
    assert data(np.zeros((0, 3))) == "[]"
    assert data(np.zeros((100_000, 0)), edge_items=1) == "[[],\n ...\n []]"


def test_summary() -> None:
    assert data(np.arange(1001)) == "[0, 1, 2, ..., 998, 999, 1000]"
    assert data(np.arange(1000)).count(",") == 999
    assert data(np.arange(10), threshold=5, edge_items=1) == "[0, ..., 9]"
    assert data(np.arange(10), threshold=5, edge_items=0) == "[...]"
    text = data(np.arange(1600).reshape(40, 40), edge_items=2)
    assert text == "[[0, 1, ..., 38, 39],\n [40, 41, ..., 78, 79],\n ...\n" + (
        " [1520, 1521, ..., 1558, 1559],\n [1560, 1561, ..., 1598, 1599]]"
    )
    # a short axis stays whole
    text = data(np.arange(2000).reshape(2, 1000), edge_items=1)
    assert text == "[[0, ..., 999],\n [1000, ..., 1999]]"
    text = data(np.arange(3000).reshape(3, 10, 100), edge_items=1)
    first, last = "[[0, ..., 99],\n  ...\n  [900, ..., 999]]", "[[2000, ..., 2099],\n  ...\n  [2900, ..., 2999]]"
    assert text == f"[{first},\n ...\n {last}]"


def test_reads_only_what_it_shows() -> None:
    read = 0

    def values(block: tuple[slice, ...]) -> Any:
        nonlocal read
        part = np.empty([s.stop - s.start for s in block])
        read += part.size
        return np.zeros_like(part)

    format_data(values, (10**6, 10**6), dtypes.float64, PrintOptions())
    assert read == 36


@pytest.mark.parametrize("spec", ["d", "10", ".2e", ".", "2f"])
def test_unknown_format(spec: str) -> None:
    with pytest.raises(ArgumentError, match=r"is not known to tensors\nHint: use a precision such as"):
        whole(np.zeros(1), spec)


def test_bad_options() -> None:
    with pytest.raises(ArgumentError, match="edge_items must be a non-negative int, not -1"):
        PrintOptions(edge_items=-1)
    with pytest.raises(ArgumentError, match="threshold must be a non-negative int, not None"):
        PrintOptions(threshold=None)  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="expected a PrintOptions, got int"):
        set_options(3)  # type: ignore[arg-type]
