"""Every op on both devices, over dtypes and layouts, against its NumPy reference.

A new op needs no edit here: it is found in the registry, its samples say how to call it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contract import LAYOUTS, OF_OP, ULP, place, same_bits, seed_of, specials, ulps, values

from pyrite.backends.base import apply_reference
from pyrite.device import Device
from pyrite.dtypes import DType, float32, int32
from pyrite.graph import leaf
from pyrite.ops import REGISTRY
from pyrite.ops.record import Arg, Op
from pyrite.storage import Storage

CPU = Device.cpu().backend
FULL = (float32, int32)  # these run in all layouts, the other dtypes in two


def expected(op: Op, inputs: list[np.ndarray[Any, Any]], dtypes: list[DType], params: Any) -> Any:
    nodes = [leaf(Storage.adopt(np.array(x)), d, x.shape) for x, d in zip(inputs, dtypes)]
    shape, dtype = op.infer(nodes, *params) if op.variadic else op.infer(*nodes, *params)
    got = apply_reference(op, [n.array() for n in nodes], params, dtype)
    assert got.shape == shape, f"the reference gives {got.shape}, infer says {shape}"
    return got, dtype


def compare(op: Op, got: Any, want: Any, dtype: DType, what: str, scale: Any = None) -> None:
    assert got.shape == want.shape, what
    assert got.dtype == want.dtype, what
    if op.samples.exact or not (dtype.is_float() or dtype.is_complex()):
        assert same_bits(got, want), f"{what}:\n{got}\n{want}"
        return
    limit = OF_OP.get(op.name, ULP[op.fuses])
    distance = ulps(got, want, dtype)
    if scale is not None and distance > limit:
        # a sum that cancels: its error is bounded by the sum of magnitudes
        wide, unit = np.abs(got.astype(np.float64) - want), np.finfo(np.float64).eps
        info = dtype.finfo()
        assert not np.isnan(got).any(), f"{what}\n{got}\n{want}"
        assert np.all(wide <= 4 * (info.epsilon if info else unit) * scale), f"{what}\n{got}\n{want}"
        return
    assert distance <= limit, f"{what}: {distance} ulp, {limit} allowed\n{got}\n{want}"


def magnitude(op: Op, inputs: list[np.ndarray[Any, Any]], params: Any) -> Any:
    """The reduction or scan of the magnitudes: what rounding errors of a sum are measured against."""
    if op.fuses not in ("reduce", "scan") or inputs[0].dtype == np.bool_:
        return None
    with np.errstate(all="ignore"):
        return op.reference(np.abs(inputs[0].astype(np.complex128)).astype(np.float64), *params)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_samples(name: str) -> None:
    op = REGISTRY[name]
    for dtype in op.samples.dtypes:
        for layout in LAYOUTS if dtype in FULL else ("plain", "pending"):
            for k, case in enumerate(op.samples.cases):
                rng = np.random.default_rng(seed_of(name, dtype.name, k))
                inputs = [values(a, dtype, rng) for a in case.args]
                dtypes = [a.dtype or dtype for a in case.args]
                try:
                    want, out = expected(op, inputs, dtypes, case.params)
                except (TypeError, ValueError) as error:
                    pytest.fail(f"{name} {dtype.name} {case}: {error!r}")
                arrays = [place(CPU, x, d, layout) for x, d in zip(inputs, dtypes)]
                got = CPU.evaluate(CPU.run(op, arrays, case.params))
                compare(op, got, want, out, f"{name} {dtype.name} {layout} {case}", magnitude(op, inputs, case.params))


@pytest.mark.parametrize("name", sorted(n for n, o in REGISTRY.items() if o.samples.specials))
def test_special_values(name: str) -> None:
    """NaN, infinities, signed zeros, subnormals and extremes, in every pair."""
    op = REGISTRY[name]
    params = op.samples.cases[0].params
    for dtype in op.samples.dtypes:
        if dtype.is_complex():
            continue
        picks = specials(dtype)
        grids = np.meshgrid(*[picks] * op.arity, indexing="ij")
        dtypes = [a.dtype or dtype for a in op.samples.cases[0].args]
        inputs = [g.reshape(-1).astype(d.np) for g, d in zip(grids, dtypes)]
        want, out = expected(op, inputs, dtypes, params)
        got = CPU.evaluate(CPU.run(op, [CPU.upload(x, d) for x, d in zip(inputs, dtypes)], params))
        exact = op.samples.exact or not out.is_float()
        for i in range(want.size):
            g, w = got[i : i + 1], want[i : i + 1]
            close = np.isfinite(w[0]) and w[0] != 0 and not exact
            fine = ulps(g, w, out) <= OF_OP.get(name, 4) if close else same_bits(g, w)
            assert fine, f"{name} {dtype.name}{tuple(x[i] for x in inputs)}: {g[0]}, NumPy {w[0]}"


def _by_length(op: Op) -> bool:
    """Does an op take its length from its inputs? The others have it in their parameters and samples."""
    if op.fuses in ("reduce", "scan", "composed"):
        return True
    return op.fuses == "elementwise" and op.arity > 0 and op.regions is None and "shape" not in op.params


@pytest.mark.parametrize("name", sorted(n for n, o in REGISTRY.items() if _by_length(o)))
def test_every_length(name: str) -> None:
    """Lengths 1 to 65: the element in the last lane has the bits it has in the first."""
    op = REGISTRY[name]
    for dtype in [d for d in op.samples.dtypes if not d.is_complex()]:
        case = op.samples.cases[0]
        args = [Arg((65,), a.lo, a.hi, a.dtype, a.distinct) for a in case.args]
        rng = np.random.default_rng(seed_of(name, dtype.name))
        inputs = [values(a, dtype, rng) for a in args]
        dtypes = [a.dtype or dtype for a in args]
        params: Any = {"reduce": ((0,), False), "scan": (0, False), "composed": (0, False)}.get(op.fuses, case.params)
        whole = CPU.evaluate(CPU.run(op, [CPU.upload(x, d) for x, d in zip(inputs, dtypes)], params))
        for n in range(1, 66):
            arrays = [CPU.upload(x[:n], d) for x, d in zip(inputs, dtypes)]
            got = CPU.evaluate(CPU.run(op, arrays, params))
            if op.fuses == "elementwise":
                assert same_bits(got, np.array(whole[:n])), f"{name} {dtype.name} length {n}"
            else:
                want, out = expected(op, [x[:n] for x in inputs], dtypes, params)
                scale = magnitude(op, [x[:n] for x in inputs], params)
                compare(op, got, want, out, f"{name} {dtype.name} length {n}", scale)
