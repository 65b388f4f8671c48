"""The elementary functions of the code generator: at most 1 ulp off, special values exact, nothing foreign called.

f32 results are held against NumPy in float64, f64 results against mpmath.
"""

from __future__ import annotations

import ctypes
import functools
import math
import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import mpmath
import numpy as np
import pytest
import scipy.special

from pyrite.codegen.approx import FUNCTIONS
from pyrite.codegen.vector import WIDTH, V, Vector

Array = np.ndarray[Any, np.dtype[Any]]
BINARY = {"pow", "atan2", "hypot", "fmod"}
ALLOWED = {
    "x86.avx512.mask.scalef.ps.512", "x86.avx512.mask.scalef.pd.512",  # exact but for one rounding
    "fma", "sqrt", "floor", "ceil", "trunc", "roundeven", "copysign", "fabs", "maximum", "minimum",
    "vector.reduce.or", "masked.gather",
}  # fmt: skip
NUMPY = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power",
}  # fmt: skip
SCIPY = {"erf": "erf", "erfc": "erfc", "sigmoid": "expit"}
CASES = [pytest.param(name, type, id=f"{name}-{type}") for name in FUNCTIONS for type in ("f32", "f64")]

mp = mpmath.mp.clone()
mp.prec = 200


# Compiling one function


def emit(name: str, type: str) -> str:
    """A module with `void k(x, y, o, n)` that applies the function to n elements, n a multiple of 16."""
    b = Vector("body")
    scalar, vector = b.scalar_type(type), b.llvm_type(type)
    arguments = []
    for operand in ("x", "y") if name in BINARY else ("x",):
        address = b.emit(f"getelementptr {scalar}, ptr %{operand}, i64 %i")
        arguments.append(V(b.emit(f"load {vector}, ptr {address}, align 4"), type))
    result = FUNCTIONS[name](b, *arguments)
    assert result.type == type
    address = b.emit(f"getelementptr {scalar}, ptr %o, i64 %i")
    b.raw(f"store {vector} {result.ref}, ptr {address}, align 4")
    return "\n".join(
        [
            "define void @k(ptr %x, ptr %y, ptr %o, i64 %n) {",
            "entry:",
            "  br label %body",
            "body:",
            f"  %i = phi i64 [ 0, %entry ], [ %next, %{b.block} ]",
            *b.lines,
            f"  %next = add i64 %i, {WIDTH}",
            "  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %body, label %exit",
            "exit:",
            "  ret void",
            "}",
            *sorted(b.declarations),
        ]
    )


@functools.cache
def compiled(name: str, type: str) -> Callable[..., Array]:
    """The function on NumPy arrays of any length."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(emit(name, type)), machine)
    engine.finalize_object()
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
    kernel = signature(engine.get_function_address("k"))

    def call(x: Array, y: Array | None = None, engine: object = engine) -> Array:
        padded = np.ones((3, -(-len(x) // WIDTH) * WIDTH), x.dtype)
        padded[0, : len(x)] = x
        padded[1, : len(x)] = 1 if y is None else y
        kernel(*(row.ctypes.data for row in padded), padded.shape[1])
        return padded[2, : len(x)].copy()

    return call


# Arguments


def dtype_of(type: str) -> type[np.floating[Any]]:
    return np.float32 if type == "f32" else np.float64


def unary_samples(type: str, count: int) -> Array:
    """About 13 `count` values: all magnitudes, and dense where functions are delicate."""
    rng = np.random.default_rng(7)
    float32 = type == "f32"
    top = 88.0 if float32 else 709.0
    sign = rng.choice([-1.0, 1.0], count)
    one = 1 + rng.standard_normal(count) * 10.0 ** rng.uniform(-7 if float32 else -16, 0, count)
    groups = [
        sign * np.exp(rng.uniform(-top, top, count)),
        sign * np.exp(rng.uniform(-30, 5, count)),
        rng.uniform(-1, 1, count),
        rng.uniform(-2, 2, count),
        rng.uniform(-30, 30, count),
        rng.uniform(-1.05 * top, 1.02 * top, count),
        sign * rng.uniform(0.99 * top, 1.01 * top, count),
        rng.uniform(-1.6 * top, -1.1 * top, count),
        one,
        -one,
        sign * rng.integers(0, 1 << 22, count) * (np.pi / 2),
        rng.uniform(0, 1e-38 if float32 else 1e-307, count) * sign,
    ]
    words = rng.integers(0, 1 << (32 if float32 else 64), count, np.uint64)
    bits = words.astype(np.uint32).view(np.float32) if float32 else words.view(np.float64)
    x = np.concatenate([np.concatenate(groups).astype(dtype_of(type)), bits])
    return x[np.isfinite(x)]


def binary_samples(name: str, type: str, count: int) -> tuple[Array, Array]:
    """About 11 `count` pairs of finite values without zeros; for pow many with results in range."""
    dtype = dtype_of(type)
    rng = np.random.default_rng(8)
    x = unary_samples(type, count)
    x = x[x != 0]
    y = rng.permutation(x)
    with np.errstate(over="ignore"):
        nearby = x[: len(x) // 4] * rng.uniform(0.1, 10, len(x) // 4).astype(dtype)
    y[: len(nearby)] = np.where(np.isfinite(nearby) & (nearby != 0), nearby, 1)
    if name == "pow":
        positive = np.abs(x).astype(np.float64)
        limit = 104.0 if type == "f32" else 745.0
        reach = rng.uniform(-limit, limit, len(x)) / np.maximum(np.abs(np.log(positive)), 1e-30)
        reach = np.clip(reach, -1e30, 1e30).astype(dtype)
        y = np.where(np.arange(len(x)) % 4 == 0, y, reach)
        y = np.where(np.arange(len(x)) % 4 == 1, rng.integers(-9, 10, len(x)).astype(dtype), y)
        x = np.where(np.arange(len(x)) % 8 == 1, x, np.abs(x))
    keep = y != 0
    return x[keep], y[keep]


# References and errors


def numpy_function(name: str) -> Callable[..., Array]:
    """NumPy's function, or SciPy's."""
    return getattr(scipy.special, SCIPY[name]) if name in SCIPY else getattr(np, NUMPY.get(name, name))  # type: ignore[no-any-return]


def exact(name: str, x: float, y: float = 0.0) -> Any:
    """The value to 200 bits, or None where there is no real one."""
    a = mp.mpf(x)
    if name == "erfc":
        return mp.erfc(mp.mpf(min(max(x, -30), 30)))
    if name in {"exp", "exp2", "expm1", "sinh", "cosh", "tanh", "sigmoid", "erf"}:
        limit = 30 if name in {"tanh", "erf"} else 2000
        a = mp.mpf(min(max(x, -limit), limit))
    if name == "pow":
        if x < 0 and y != math.trunc(y):
            return None
        power = mp.exp(min(max(mp.mpf(y) * mp.log(abs(a)), -2000), 2000))
        return -power if x < 0 and math.fmod(y, 2) else power
    if name == "fmod":
        return mp.mpf(math.fmod(x, y))
    if (name, abs(x)) == ("atanh", 1) or (name, x) == ("log1p", -1):
        return a * mp.inf
    if name in {"log", "log2", "log10", "log1p"}:
        if x <= (-1 if name == "log1p" else 0):
            return None
        return mp.log(a, 2) if name == "log2" else getattr(mp, name)(a)
    if name == "exp2":
        return mp.mpf(2) ** a
    if name == "sigmoid":
        return 1 / (1 + mp.exp(-a))
    if (name in {"asin", "acos", "atanh"} and abs(x) > 1) or (name == "acosh" and x < 1) or (name == "sqrt" and x < 0):
        return None
    return getattr(mp, name)(a, mp.mpf(y)) if name in BINARY else getattr(mp, name)(a)


def ulps_f64(result: float, expected: Any) -> float:
    """The error in ulps of the exact value; overflow has the ulp of the largest finite value."""
    if expected is None or math.isnan(result):
        return 0.0 if expected is None and math.isnan(result) else math.inf
    if math.isinf(result):
        overflows = abs(expected) > mp.mpf(2) ** 1024 - mp.mpf(2) ** 971
        return 0.0 if overflows and (expected > 0) == (result > 0) else math.inf
    exponent = mp.frexp(expected)[1] if expected else -2000
    unit = mp.mpf(2) ** min(max(exponent - 53, -1074), 971)
    return float(abs(mp.mpf(result) - expected) / unit)


def ulps_f32(result: Array, expected: Array) -> Array:
    """The same for arrays of f32, from expected values in f64."""
    unit = np.ldexp(1.0, np.clip(np.frexp(expected)[1] - 24, -149, 104))
    largest = float(np.finfo(np.float32).max)
    error = np.abs(result.astype(np.float64) - expected) / unit
    same_side = np.signbit(result) == np.signbit(expected)
    overflow = np.isinf(result) & (np.abs(expected) > largest) & same_side
    both_nan = np.isnan(result) & np.isnan(expected)
    return np.where(overflow | both_nan, 0.0, np.where(np.isnan(error), np.inf, error))


# Tests


@pytest.mark.parametrize(("name", "type"), CASES)
def test_error_is_at_most_one_ulp(name: str, type: str) -> None:
    function = compiled(name, type)
    count = 17_000 if type == "f32" else 500
    arguments = binary_samples(name, type, count) if name in BINARY else (unary_samples(type, count),)
    result = function(*arguments)
    if type == "f32":
        with np.errstate(all="ignore"):
            errors = ulps_f32(result, numpy_function(name)(*(a.astype(np.float64) for a in arguments)))
    else:
        columns = [a.tolist() for a in arguments]
        errors = np.array([ulps_f64(r, exact(name, *point)) for r, *point in zip(result.tolist(), *columns)])
    worst = int(np.argmax(errors))
    shown = errors[worst], [float(a[worst]) for a in arguments], float(result[worst])
    assert errors[worst] <= 1, shown


@pytest.mark.parametrize(("name", "type"), CASES)
def test_special_values(name: str, type: str) -> None:
    dtype = dtype_of(type)
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    points = [0.0, 1.0, 2.0, 3.0, 0.5, 2.5, 2.0**52 + 1, 1e30, np.inf, np.nan, float(tiny), float(huge)]
    x = np.array([s * p for p in points for s in (1, -1)], dtype)
    y = None
    if name in BINARY:
        x, y = (grid.ravel() for grid in np.meshgrid(x, x))
    result = compiled(name, type)(x, y)
    with np.errstate(all="ignore"):
        wide = [a.astype(np.float64) for a in (x, y) if a is not None]
        expected = numpy_function(name)(*wide).astype(dtype)
        near = np.abs(result - expected) <= np.abs(np.spacing(expected))
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[number]), np.signbit(expected[number]))
    special = number & (~np.isfinite(expected) | (expected == 0) | (np.abs(expected) == 1))
    np.testing.assert_array_equal(result[special], expected[special])
    assert (near | special)[number].all()


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_exact_results(type: str) -> None:
    dtype = dtype_of(type)
    powers = np.arange(-149, 128) if type == "f32" else np.arange(-1074, 1024)
    values = np.ldexp(dtype(1), powers)
    np.testing.assert_array_equal(compiled("exp2", type)(powers.astype(dtype)), values)
    np.testing.assert_array_equal(compiled("log2", type)(values), powers.astype(dtype))
    tens = np.arange(11 if type == "f32" else 23)
    np.testing.assert_array_equal(compiled("log10", type)((10.0**tens).astype(dtype)), tens.astype(dtype))
    np.testing.assert_array_equal(compiled("hypot", type)(np.array([3], dtype), np.array([4], dtype)), [5])
    x, y = binary_samples("fmod", type, 2000)
    np.testing.assert_array_equal(compiled("fmod", type)(x, y), np.fmod(x, y))


@pytest.mark.parametrize("type", ["f32", "f64"])
@pytest.mark.parametrize("name", ["exp", "sigmoid", "erfc"])
def test_functions_are_monotone_where_their_pieces_meet(name: str, type: str) -> None:
    """erfc falls, the others rise; in a row of neighbouring arguments no result goes the other way."""
    dtype, integer = dtype_of(type), np.int32 if type == "f32" else np.int64
    seams = [*(k + 0.5 for k in range(-8, 8)), *(-k - 0.5 for k in (100, 126, 148, 1000, 1022, 1072)), 1e-30]
    points = np.array([k * math.log(2) for k in seams] + [0.25, 0.5625, 1, 5.95, 17.3, 26.6], dtype)
    points = np.concatenate([points, -points])
    steps = np.arange(-200, 201, dtype=integer)
    x = np.sort((points.view(integer)[:, None] + steps).view(dtype), axis=1)
    result = compiled(name, type)(x.ravel()).reshape(x.shape)
    before, after = result[:, :-1], result[:, 1:]
    fine = before >= after if name == "erfc" else before <= after
    assert fine.all(), x[:, 1:][~fine]


@pytest.mark.parametrize(("name", "type"), CASES)
def test_results_do_not_depend_on_the_lane(name: str, type: str) -> None:
    arguments = binary_samples(name, type, 50) if name in BINARY else (unary_samples(type, 50),)
    order = np.random.default_rng(9).permutation(len(arguments[0]))
    function, bits = compiled(name, type), np.uint32 if type == "f32" else np.uint64
    straight, shuffled = function(*arguments), function(*(a[order] for a in arguments))
    np.testing.assert_array_equal(straight[order].view(bits), shuffled.view(bits))


@pytest.mark.parametrize(("name", "type"), CASES)
def test_only_allowed_intrinsics_are_called(name: str, type: str) -> None:
    text = emit(name, type)
    calls = re.findall(r"call [^@]*@([\w.]+)\(", text)
    assert len(calls) == text.count("call ")
    assert {re.sub(r"^llvm\.|(\.v16\w+)+$", "", call) for call in calls} <= ALLOWED
    assert not re.search(r"\b(frem|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|fptosi|fptoui)\b", text)


@pytest.mark.parametrize(("name", "type"), CASES)
def test_the_instruction_for_powers_of_two_changes_no_bit(
    name: str, type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = binary_samples(name, type, 300) if name in BINARY else (unary_samples(type, 3000),)
    with_it = compiled(name, type)(*arguments)
    monkeypatch.setattr(Vector, "has_scale", False)
    assert with_it.tobytes() == compiled.__wrapped__(name, type)(*arguments).tobytes()
