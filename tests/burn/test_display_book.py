"""How tensors print, as in the book, for every rank and kind; the closeness report; assertions of shapes."""

import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite import PrintOptions


@pytest.fixture(autouse=True)
def _options() -> Iterator[None]:
    before = pr.get_print_options()
    yield
    pr.set_print_options(before)


def text(rows: str, shape: str, device: pr.Device, kind: str, dtype: str) -> str:
    return (
        f"Tensor {{\n  data:\n{rows},\n  shape:  {shape},\n  device:  Cpu,\n"
        f'  backend:  "{device.name}",\n  kind:  "{kind}",\n  dtype:  "{dtype}",\n}}'
    )


def test_the_page(device: pr.Device) -> None:
    t = pr.Tensor.full([2, 3], 0.123456789, device)
    whole = text("[[0.12345679, 0.12345679, 0.12345679],\n [0.12345679, 0.12345679, 0.12345679]]", "[2, 3]",
                 device, "Float", "f32")  # fmt: skip
    assert str(t) == f"{t}" == repr(t) == whole
    short = whole.replace("0.12345679", "0.12")
    assert f"{t:.2}" == f"{t:.2f}" == format(t, ".2f") == short
    pr.set_print_options(PrintOptions(precision=2))
    assert str(t) == short
    assert f"{t:.3}" == whole.replace("0.12345679", "0.123")
    assert str(t.autodiff()) == short
    assert str(t.autodiff().require_grad() * 1) == short


@pytest.mark.parametrize(
    ("data", "dtype", "rows", "shape", "kind", "name"),
    [
        (1.5, None, "1.5", "[]", "Float", "f32"),
        ([1, 2, 3], None, "[1, 2, 3]", "[3]", "Int", "i64"),
        ([True, False], None, "[true, false]", "[2]", "Bool", "bool"),
        ([[1, 2], [3, 4]], pr.uint8, "[[1, 2],\n [3, 4]]", "[2, 2]", "Int", "u8"),
        ([[[1.0], [2.0]], [[3.0], [4.0]]], pr.float64, "[[[1.0],\n  [2.0]],\n [[3.0],\n  [4.0]]]", "[2, 2, 1]", "Float",
         "f64"),
        ([0.5, -0.0, math.nan, math.inf, -math.inf], pr.bfloat16, "[0.5, -0.0, NaN, inf, -inf]", "[5]", "Float",
         "bf16"),
        ([0.1, 1e-5, 1.5e16, 1e15], pr.float64, "[0.1, 1e-5, 1.5e16, 1000000000000000.0]", "[4]", "Float", "f64"),
        ([], None, "[]", "[0]", "Float", "f32"),
    ],
)  # fmt: skip
def test_ranks_and_kinds(
    device: pr.Device, data: Any, dtype: Any, rows: str, shape: str, kind: str, name: str
) -> None:
    t = pr.asarray(data, dtype=dtype, device=device)
    assert str(t) == text(rows, shape, device, kind, name)


def test_any_layout(device: pr.Device) -> None:
    t = pr.asarray(np.arange(6.0).reshape(2, 3), device=device)
    assert str(t.T) == str(pr.asarray(np.arange(6.0).reshape(2, 3).T.copy(), device=device))
    assert "[5.0, 4.0, 3.0]" in str(t.flip([0, 1]))
    assert "[1, 2]" in f"{pr.asarray([1, 2], device=device):.3}"


def test_summary(device: pr.Device) -> None:
    t = pr.asarray(np.arange(10000).reshape(100, 100), device=device)
    lines = str(t).split("\n")[2:9]
    assert lines == [
        "[[0, 1, 2, ..., 97, 98, 99],",
        " [100, 101, 102, ..., 197, 198, 199],",
        " [200, 201, 202, ..., 297, 298, 299],",
        " ...",
        " [9700, 9701, 9702, ..., 9797, 9798, 9799],",
        " [9800, 9801, 9802, ..., 9897, 9898, 9899],",
        " [9900, 9901, 9902, ..., 9997, 9998, 9999]],",
    ]
    pr.set_print_options(PrintOptions(threshold=5, edge_items=1))
    assert "\n[0, ..., 9],\n" in str(pr.asarray(list(range(10)), device=device))


def test_a_large_tensor_is_not_read() -> None:
    huge = pr.asarray(np.zeros(1, np.int8)).expand([1 << 20, 1 << 20])
    assert "[0, 0, 0, ..., 0, 0, 0]" in str(huge)


def test_bad_formats() -> None:
    with pytest.raises(ValueError, match="the format 'd' is not known to tensors"):
        f"{pr.zeros(1):d}"
    with pytest.raises(TypeError, match="expected a PrintOptions, got int"):
        pr.set_print_options(2)  # type: ignore[arg-type]
    assert PrintOptions() == PrintOptions(None, 1000, 3)


# -- the closeness report

OUTPUT = [1.0, 2.0, 3.0, 4.0, 5.0, 6.001, 7.002, 8.003, 9.004, 10.1]
EXPECTED = [1.0, 2.0, 3.0, 4.000, 5.0, 6.0, 7.001, 8.002, 9.003, 10.004]
PASS, WARN, FAIL = (
    "  [PASS] All elements are within tolerance",
    "  [WARN] Most elements are within tolerance",
    "  [FAIL] Significant differences detected",
)


def test_closeness(device: pr.Device, capsys: pytest.CaptureFixture[str]) -> None:
    assert pr.check_closeness(pr.asarray(OUTPUT, device=device), pr.asarray(EXPECTED, device=device)) is None
    got = capsys.readouterr().out.split("\n")
    assert got[:2] == ["Tensor Closeness Check Results:", "=" * 31]
    assert got[-2:] == ["Closeness check complete.", ""]
    counts = [10, 10, 9] + [5] * 5
    counts[3] = sum(abs(a - b) <= 1e-4 + 1e-4 * abs(b) for a, b in zip(OUTPUT, EXPECTED))
    for k, close in enumerate(counts):
        verdict = PASS if close == 10 else WARN if close == 9 else FAIL
        wanted = [f"Epsilon: 1e-{k + 1}", f"  Close elements: {close}/10 ({close * 10}.00%)", verdict, ""]
        assert got[2 + 4 * k : 6 + 4 * k] == wanted


def test_closeness_of_odd_values(capsys: pytest.CaptureFixture[str]) -> None:
    pr.check_closeness(pr.asarray([math.inf, math.nan, 1.0]), pr.asarray([math.inf, math.nan, math.inf]))
    assert "1/3 (33.33%)" in capsys.readouterr().out
    pr.check_closeness(pr.zeros(0), pr.zeros(0))
    assert "0/0 (100.00%)" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"^pr.check_closeness: shapes \(1,\) and \(2,\) differ"):
        pr.check_closeness(pr.zeros(1), pr.zeros(2))
    with pytest.raises(TypeError, match="expected a tensor of kind Float, got int64"):
        pr.check_closeness(pr.asarray([1]), pr.asarray([1]))


def test_closeness_in_colour() -> None:
    code = "import pyrite as pr; pr.check_closeness(pr.ones(1), pr.ones(1))"
    environment = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert "\x1b[32m  [PASS]" in done.stdout
    assert "\x1b[1mTensor Closeness Check Results:" in done.stdout


# -- assertions of shapes


@pytest.mark.parametrize("check", [pr.assert_shape, pr.debug_assert_shape])
def test_assert_shape(check: Any) -> None:
    x = pr.zeros((4, 10, 80))
    batch, length, _ = x.dims
    for slots in ([None, None, 80], [batch, length, 80], [..., 80], [4, ...], [4, ..., 80], [...], [4, 10, ..., 80],
                  (np.int64(4), 2 * 5, 80), [..., 4, 10, 80]):  # fmt: skip
        check(x, slots)
    check(pr.asarray([True]), [1])
    check(pr.asarray(1), [])
    cases = [
        ([4, 99, 80], "axis 1 expected 99, got 10 (dims [4, 10, 80])"),
        ([..., 81], "axis 2 expected 81, got 80 (dims [4, 10, 80])"),
        ([4, 10], "expected rank 2, got 3 (dims [4, 10, 80])"),
        ([4, 10, None, ..., 80], "expected rank at least 4, got 3 (dims [4, 10, 80])"),
    ]
    for slots, reason in cases:
        for kind in (ValueError, AssertionError, pr.ShapeError, pr.ContractError):
            with pytest.raises(kind) as caught:
                check(x, slots)
            assert str(caught.value) == f"{check.__name__}: {reason}"
    with pytest.raises(ValueError, match=r"\.\.\. stands 2 times"):
        check(x, [..., 4, ...])
    for bad, slots in ((x.shape, [4]), (x, [4, "n", 80]), (x, [4.0, 10, 80]), (x, [True, 10, 80]), (x, 4)):
        with pytest.raises(TypeError):
            check(bad, slots)


def test_debug_assert_shape_can_be_left_out() -> None:
    code = "import pyrite as pr; pr.debug_assert_shape(3, 'x'); pr.debug_assert_shape(pr.zeros(2), [3])"
    subprocess.run([sys.executable, "-O", "-c", code], check=True)
