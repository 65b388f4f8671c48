"""The workloads that run.py times: seeded inputs, and for each library the function in its own idiom.

A workload is one entry of `WORKS`. Its function takes (namespace, *inputs) and can run on NumPy, whose result in
float64 is what all others are compared with. Libraries are imported by run.py and come in as the namespace, so that
this module can be imported where only one of them is wanted.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.special

Array = np.ndarray[Any, np.dtype[Any]]
Function = Callable[..., Any]
Inputs = Callable[[np.random.Generator], dict[str, Array]]
M = 1 << 20
EPS = 1e-5
COMPILED = "PyTorch compiled"


@dataclass
class Work:
    """One workload: seeded inputs, one function of (namespace, *inputs), and other forms by library."""

    name: str
    what: str
    inputs: Inputs
    function: Function
    forms: dict[str, Function | None] = field(default_factory=dict)  # None: the library has none
    tolerance: float = 1e-5
    per: int = 1  # operations in one call; times are of one
    reference: Function | None = None  # of float64 inputs; else `function` of NumPy. ImportError: nothing to check with

    def form(self, library: str) -> Function | None:
        """What this library runs; the compiled PyTorch compiles what the eager one runs."""
        if library == COMPILED and library not in self.forms:
            return self.form("PyTorch")
        return self.forms.get(library, None if library == "numexpr" else self.function)


def normal(r: np.random.Generator, *shape: int) -> Array:
    return r.standard_normal(shape, dtype=np.float32)


def three(n: int) -> Inputs:
    return lambda r: {"x": normal(r, n), "y": normal(r, n), "z": normal(r, n)}


def one(*shape: int) -> Inputs:
    return lambda r: {"x": normal(r, *shape) + np.float32(0.5)}


def matrices(n: int) -> Inputs:
    return lambda r: {"a": normal(r, n, n), "b": normal(r, n, n)}


def jax_module() -> Any:
    return importlib.import_module("jax")


# --- elementwise -------------------------------------------------------------------------


def silu(xp: Any, x: Any, w: Any, b: Any) -> Any:
    t = x * w + b
    return t / (1 + xp.exp(-t))


def silu_numexpr(ne: Any, x: Any, w: Any, b: Any) -> Any:
    return ne.evaluate("(x*w+b) / (1 + exp(-(x*w+b)))", {"x": x, "w": w, "b": b})


SILU: dict[str, Function | None] = {
    "Pyrite": lambda pr, x, w, b: pr.silu(x * w + b),
    "PyTorch": lambda torch, x, w, b: torch.nn.functional.silu(x * w + b),
    "JAX": lambda xp, x, w, b: jax_module().nn.silu(x * w + b),
    "numexpr": silu_numexpr,
}


def chain(xp: Any, x: Any, y: Any, z: Any) -> Any:
    t = xp.tanh(x * y + z)
    e = xp.exp(t * -0.5)
    c = xp.clip(xp.where(y > 0.25, e, t), -0.9, 1.2)
    return xp.abs(c * x + t) * y


def chain_numexpr(ne: Any, x: Any, y: Any, z: Any) -> Any:
    t = ne.evaluate("tanh(x*y+z)", {"x": x, "y": y, "z": z})
    c = "where(y > k, exp(t*h), t)"
    c = f"where({c} < lo, lo, where({c} > hi, hi, {c}))"
    numbers = {"k": 0.25, "h": -0.5, "lo": -0.9, "hi": 1.2}
    values = {n: np.float32(v) for n, v in numbers.items()}
    return ne.evaluate(f"abs({c}*x+t)*y", {"x": x, "y": y, "t": t, **values})


def gelu_numpy(t: Any) -> Any:
    """t · Φ(t), not the approximation by tanh."""
    return t * 0.5 * (1 + scipy.special.erf(t * math.sqrt(0.5)))


LINEAR_GELU: dict[str, Function | None] = {
    "Pyrite": lambda pr, x, w, b: pr.gelu(x @ w + b),
    "PyTorch": lambda torch, x, w, b: torch.nn.functional.gelu(torch.addmm(b, x, w)),
    "JAX": lambda xp, x, w, b: jax_module().nn.gelu(x @ w + b, approximate=False),
}


# --- along an axis -----------------------------------------------------------------------


def norm(xp: Any, x: Any, g: Any, b: Any) -> Any:
    mean = xp.mean(x, axis=-1, keepdims=True)
    var = xp.var(x, axis=-1, keepdims=True)
    return (x - mean) / xp.sqrt(var + EPS) * g + b


def norm_torch(torch: Any, x: Any, g: Any, b: Any) -> Any:
    var, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return (x - mean) / torch.sqrt(var + EPS) * g + b


def norm_inputs(r: np.random.Generator) -> dict[str, Array]:
    return {"x": normal(r, 4096, 1024) * 2 + 1, "g": normal(r, 1024), "b": normal(r, 1024)}


def softmax(xp: Any, x: Any, axis: int) -> Any:
    e = xp.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax_forms(axis: int) -> dict[str, Function | None]:
    return {
        "Pyrite": lambda pr, x: pr.softmax(x, axis=axis),
        "PyTorch": lambda torch, x: torch.softmax(x, axis),
        "JAX": lambda xp, x: jax_module().nn.softmax(x, axis),
    }


def max_and_place(xp: Any, x: Any) -> Any:
    return [xp.max(x, axis=1, keepdims=True), xp.argmax(x, axis=1, keepdims=True)]


# --- scattered rows ----------------------------------------------------------------------

ROWS = (50000, 256)


def scatter_numpy(xp: Any, i: Any, rows: Any) -> Any:
    table = np.zeros(ROWS, rows.dtype)
    np.add.at(table, i, rows)
    return table


SCATTER: dict[str, Function | None] = {
    "Pyrite": lambda pr, i, rows: pr.zeros(ROWS).select_assign(0, i, rows, pr.IndexingUpdateOp.Add),
    "PyTorch": lambda torch, i, rows: torch.zeros(ROWS).index_add_(0, i, rows),
    "JAX": lambda xp, i, rows: xp.zeros(ROWS, xp.float32).at[i].add(rows),
}


# --- a training step ---------------------------------------------------------------------

RATE, BETA1, BETA2, TINY = 1e-3, 0.9, 0.999, 1e-8
FIRST1, FIRST2 = 1 - BETA1, 1 - BETA2  # the bias corrections of the first step


def layers(sizes: Sequence[int], batch: int) -> Inputs:
    """A batch, and weights and biases of an MLP, then their first and their second moments."""

    def make(r: np.random.Generator) -> dict[str, Array]:
        out: dict[str, Array] = {"x": r.random((batch, sizes[0]), dtype=np.float32)}
        out["y"] = r.integers(0, sizes[-1], batch)
        for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
            out[f"w{i}"] = normal(r, a, b) * np.float32(math.sqrt(2 / a))
            out[f"b{i}"] = normal(r, b) * np.float32(0.01)
        shapes = {name: a.shape for name, a in out.items() if name[0] in "wb"}
        # of the size that gradients have here, so that an error in either shows
        out |= {f"m of {name}": normal(r, *s) * np.float32(1e-3) for name, s in shapes.items()}
        out |= {f"v of {name}": (r.random(s, np.float32) + np.float32(0.5)) * 1e-8 for name, s in shapes.items()}
        return out

    return make


def thirds(state: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """Parameters, first moments, second moments."""
    n = len(state) // 3
    return state[:n], state[n : 2 * n], state[2 * n :]


def adam(xp: Any, p: Sequence[Any], slopes: Sequence[Any], m: Sequence[Any], v: Sequence[Any]) -> list[Any]:
    """The new parameters and moments."""
    m = [a * BETA1 + g * (1 - BETA1) for a, g in zip(m, slopes)]
    v = [a * BETA2 + g * g * (1 - BETA2) for a, g in zip(v, slopes)]
    p = [w - RATE * (a / FIRST1) / (xp.sqrt(b / FIRST2) + TINY) for w, a, b in zip(p, m, v)]
    return [*p, *m, *v]


def step_numpy(xp: Any, x: Any, y: Any, *state: Any) -> Any:
    """Loss of an MLP with relu and cross-entropy, then parameters and moments after a step of Adam."""
    p, m, v = thirds(state)
    rows, acts = np.arange(len(y)), [x]
    for i in range(0, len(p) - 2, 2):
        acts.append(np.maximum(acts[-1] @ p[i] + p[i + 1], 0))
    z = acts[-1] @ p[-2] + p[-1]
    z = z - z.max(1, keepdims=True)
    e = np.exp(z)
    total = e.sum(1, keepdims=True)
    loss = (np.log(total[:, 0]) - z[rows, y]).mean()
    d = e / total
    d[rows, y] -= 1
    d /= len(y)
    slopes: list[Any] = [None] * len(p)
    for i in range(len(p) - 2, -1, -2):
        slopes[i], slopes[i + 1] = acts[i // 2].T @ d, d.sum(0)
        if i:
            d = (d @ p[i].T) * (acts[i // 2] > 0)
    return [loss, *adam(np, p, slopes, m, v)]


def step_pyrite(pr: Any, x: Any, y: Any, *state: Any) -> Any:
    p, m, v = thirds(state)

    def loss(*p: Any) -> Any:
        h = x
        for i in range(0, len(p) - 2, 2):
            h = pr.relu(h @ p[i] + p[i + 1])
        return pr.mean(pr.cross_entropy(h @ p[-2] + p[-1], y))

    value, slopes = pr.value_and_grad(loss, argnums=tuple(range(len(p))))(*p)
    return [value, *adam(pr, p, slopes, m, v)]


def loss_torch(torch: Any, x: Any, y: Any, p: Sequence[Any]) -> Any:
    h = x
    for i in range(0, len(p) - 2, 2):
        h = torch.relu(torch.addmm(p[i + 1], h, p[i]))
    return torch.nn.functional.cross_entropy(torch.addmm(p[-1], h, p[-2]), y)


def step_torch(torch: Any, x: Any, y: Any, *state: Any) -> Any:
    p, m, v = thirds(state)
    for w in p:
        w.requires_grad_()
    loss = loss_torch(torch, x, y, p)
    slopes = torch.autograd.grad(loss, p)
    with torch.no_grad():
        m = torch._foreach_lerp(m, slopes, 1 - BETA1)
        v = torch._foreach_mul(v, BETA2)
        torch._foreach_addcmul_(v, slopes, slopes, 1 - BETA2)
        scale = torch._foreach_div(v, FIRST2)
        torch._foreach_sqrt_(scale)
        torch._foreach_add_(scale, TINY)
        return [loss, *torch._foreach_addcdiv(p, m, scale, -RATE / FIRST1), *m, *v]


def step_compiled(torch: Any, x: Any, y: Any, *state: Any) -> Any:
    p, m, v = thirds(state)
    slopes, loss = torch.func.grad_and_value(functools.partial(loss_torch, torch, x, y))(p)
    return [loss, *adam(torch, p, slopes, m, v)]


def step_jax(xp: Any, x: Any, y: Any, *state: Any) -> Any:
    jax = jax_module()
    p, m, v = thirds(state)

    def loss(p: Any) -> Any:
        h = x
        for i in range(0, len(p) - 2, 2):
            h = jax.nn.relu(h @ p[i] + p[i + 1])
        z = jax.nn.log_softmax(h @ p[-2] + p[-1])
        return -xp.take_along_axis(z, y[:, None], 1).mean()

    value, slopes = jax.value_and_grad(loss)(p)
    return [value, *adam(xp, p, slopes, m, v)]


STEPS: dict[str, Function | None] = {
    "Pyrite": step_pyrite,
    "PyTorch": step_torch,
    COMPILED: step_compiled,
    "JAX": step_jax,
}


# --- a transformer block -----------------------------------------------------------------

HEADS = 8


def block_inputs(r: np.random.Generator, batch: int = 8, length: int = 128, d: int = 256) -> dict[str, Array]:
    """x, then the parameters in the order in which they are used."""

    def weights(rows: int, columns: int) -> Array:
        return normal(r, rows, columns) * np.float32(rows**-0.5)

    def near(value: float, n: int) -> Array:
        return normal(r, n) * np.float32(0.1) + np.float32(value)

    return {
        "x": normal(r, batch, length, d),
        "gamma1": near(1, d), "beta1": near(0, d), "wqkv": weights(d, 3 * d), "bqkv": near(0, 3 * d),
        "wo": weights(d, d), "bo": near(0, d),
        "gamma2": near(1, d), "beta2": near(0, d), "w1": weights(d, 4 * d), "b1": near(0, 4 * d),
        "w2": weights(4 * d, d), "b2": near(0, d),
    }  # fmt: skip


def block_numpy(
    xp: Any, x: Any, gamma1: Any, beta1: Any, wqkv: Any, bqkv: Any, wo: Any, bo: Any,
    gamma2: Any, beta2: Any, w1: Any, b1: Any, w2: Any, b2: Any,
) -> Any:  # fmt: skip
    """x + attention(norm(x)), then that + mlp(norm(that))."""
    batch, length, d = x.shape
    qkv = norm(np, x, gamma1, beta1) @ wqkv + bqkv
    q, k, v = qkv.reshape(batch, length, 3, HEADS, d // HEADS).transpose(2, 0, 3, 1, 4)
    scores = softmax(np, q @ k.swapaxes(-1, -2) * (d // HEADS) ** -0.5, -1)
    x = x + (scores @ v).swapaxes(1, 2).reshape(x.shape) @ wo + bo
    return x + gelu_numpy(norm(np, x, gamma2, beta2) @ w1 + b1) @ w2 + b2


def block_pyrite(
    pr: Any, x: Any, gamma1: Any, beta1: Any, wqkv: Any, bqkv: Any, wo: Any, bo: Any,
    gamma2: Any, beta2: Any, w1: Any, b1: Any, w2: Any, b2: Any,
) -> Any:  # fmt: skip
    batch, length, d = x.shape
    qkv = pr.layer_norm(x, gamma1, beta1, eps=EPS) @ wqkv + bqkv
    heads = pr.permute_dims(pr.reshape(qkv, (batch, length, 3, HEADS, d // HEADS)), (2, 0, 3, 1, 4))
    q, k, v = pr.unstack(heads)
    scores = pr.softmax(q @ k.mT * (d // HEADS) ** -0.5)
    x = x + pr.reshape(pr.permute_dims(scores @ v, (0, 2, 1, 3)), x.shape) @ wo + bo
    return x + pr.gelu(pr.layer_norm(x, gamma2, beta2, eps=EPS) @ w1 + b1) @ w2 + b2


def block_torch(
    torch: Any, x: Any, gamma1: Any, beta1: Any, wqkv: Any, bqkv: Any, wo: Any, bo: Any,
    gamma2: Any, beta2: Any, w1: Any, b1: Any, w2: Any, b2: Any,
) -> Any:  # fmt: skip
    nn = torch.nn.functional
    batch, length, d = x.shape
    qkv = nn.layer_norm(x, (d,), gamma1, beta1, EPS) @ wqkv + bqkv
    q, k, v = qkv.view(batch, length, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
    x = x + (nn.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape) @ wo + bo)
    return x + (nn.gelu(nn.layer_norm(x, (d,), gamma2, beta2, EPS) @ w1 + b1) @ w2 + b2)


def block_jax(
    xp: Any, x: Any, gamma1: Any, beta1: Any, wqkv: Any, bqkv: Any, wo: Any, bo: Any,
    gamma2: Any, beta2: Any, w1: Any, b1: Any, w2: Any, b2: Any,
) -> Any:  # fmt: skip
    nn = jax_module().nn
    batch, length, d = x.shape
    qkv = norm(xp, x, gamma1, beta1) @ wqkv + bqkv
    q, k, v = xp.moveaxis(qkv.reshape(batch, length, 3, HEADS, d // HEADS), 2, 0)
    x = x + nn.dot_product_attention(q, k, v).reshape(x.shape) @ wo + bo
    return x + nn.gelu(norm(xp, x, gamma2, beta2) @ w1 + b1, approximate=False) @ w2 + b2


BLOCKS: dict[str, Function | None] = {"Pyrite": block_pyrite, "PyTorch": block_torch, "JAX": block_jax}


def slopes_pyrite(pr: Any, *inputs: Any) -> Any:
    """The mean of the squares of the block's output, and its gradients with respect to all inputs."""

    def loss(*inputs: Any) -> Any:
        return pr.mean(pr.square(block_pyrite(pr, *inputs)))

    value, slopes = pr.value_and_grad(loss, argnums=tuple(range(len(inputs))))(*inputs)
    return [value, *slopes]


def slopes_torch(torch: Any, *inputs: Any) -> Any:
    for a in inputs:
        a.requires_grad_()
    value = block_torch(torch, *inputs).square().mean()
    return [value, *torch.autograd.grad(value, inputs)]


def slopes_compiled(torch: Any, *inputs: Any) -> Any:
    def loss(*inputs: Any) -> Any:
        return block_torch(torch, *inputs).square().mean()

    slopes, value = torch.func.grad_and_value(loss, tuple(range(len(inputs))))(*inputs)
    return [value, *slopes]


def slopes_jax(xp: Any, *inputs: Any) -> Any:
    def loss(*inputs: Any) -> Any:
        return xp.mean(xp.square(block_jax(xp, *inputs)))

    value, slopes = jax_module().value_and_grad(loss, tuple(range(len(inputs))))(*inputs)
    return [value, *slopes]


def slopes_reference(xp: Any, *inputs: Array) -> Any:
    torch = importlib.import_module("torch")
    return [t.detach().numpy() for t in slopes_torch(torch, *[torch.from_numpy(a) for a in inputs])]


SLOPES: dict[str, Function | None] = {
    "Pyrite": slopes_pyrite,
    "NumPy": None,
    "PyTorch": slopes_torch,
    COMPILED: slopes_compiled,
    "JAX": slopes_jax,
}


# --- small operations --------------------------------------------------------------------


def adds(xp: Any, x: Any, b: Any) -> Any:
    for _ in range(1000):
        x = x + b
    return x


def adds_jax(jax: Any, x: Any, b: Any) -> Any:
    add = _jitted_add(jax)
    for _ in range(1000):
        x = add(x, b)
    return x


adds_jax.eager = True  # type: ignore[attr-defined]


@functools.cache
def _jitted_add(jax: Any) -> Any:
    return jax.jit(lambda x, y: x + y)


def add_and_read_jax(jax: Any, x: Any, y: Any) -> Any:
    return np.asarray(_jitted_add(jax)(x, y))


add_and_read_jax.eager = True  # type: ignore[attr-defined]


def small(n: int) -> Inputs:
    return lambda r: {"x": normal(r, n), "y": normal(r, n) * np.float32(0.01)}


# --- the table ---------------------------------------------------------------------------

SQUARE = one(4096, 4096)
BLOCK = "pre-norm, d 256, 8 heads, length 128, batch 8"

WORKS = [
    Work("silu 4M", "silu(x*w+b), 4M elements", three(4 * M), silu, SILU),
    Work("silu 64K", "the same, 64K elements", three(1 << 16), silu, SILU),
    Work("silu 1K", "the same, 1K elements", three(1 << 10), silu, SILU),
    Work("chain 4M", "12 operations: tanh, exp, where, clip, abs, …", three(4 * M), chain, {"numexpr": chain_numexpr}),
    Work(
        "norm", "(x-mean)/sqrt(var+eps)*g+b written out, 4096x1024", norm_inputs, norm, {"PyTorch": norm_torch}, 1e-4
    ),
    Work("softmax last axis", "4096x1024", one(4096, 1024), lambda xp, x: softmax(xp, x, -1), softmax_forms(-1)),
    Work("softmax axis 0", "4096x1024", one(4096, 1024), lambda xp, x: softmax(xp, x, 0), softmax_forms(0)),
    Work("sum all", "4096x4096", SQUARE, lambda xp, x: xp.sum(x), tolerance=1e-4),
    Work("sum axis 0", "4096x4096", SQUARE, lambda xp, x: xp.sum(x, axis=0), tolerance=1e-4),
    Work("sum axis 1", "4096x4096", SQUARE, lambda xp, x: xp.sum(x, axis=1), tolerance=1e-4),
    Work(
        "max axis 1", "4096x4096", SQUARE, lambda xp, x: xp.max(x, axis=1),
        {"PyTorch": lambda xp, x: xp.amax(x, 1)}, 0,
    ),
    Work("argmax axis 1", "4096x4096", SQUARE, lambda xp, x: xp.argmax(x, axis=1), tolerance=0),
    Work(
        "max with index axis 1", "4096x4096", SQUARE, max_and_place,
        {
            "Pyrite": lambda pr, x: x.max_dim_with_indices(1),
            "PyTorch": lambda torch, x: list(torch.max(x, 1, keepdim=True)),
        },
        0,
    ),
    Work(
        "var axis 1", "4096x4096", SQUARE, lambda xp, x: xp.var(x, axis=1),
        {"PyTorch": lambda xp, x: xp.var(x, 1, correction=0)}, 1e-4,
    ),
    Work(
        "var all", "4096x4096", SQUARE, lambda xp, x: xp.var(x),
        {"PyTorch": lambda xp, x: xp.var(x, correction=0)}, 1e-4,
    ),
    *[Work(f"matmul {n}", "float32", matrices(n), lambda xp, a, b: a @ b) for n in (64, 256, 1024, 2048)],
    Work(
        "matmul bias gelu", "gelu(x@w+b), 512x1024 by 1024x4096, gelu with erf",
        lambda r: {"x": normal(r, 512, 1024), "w": normal(r, 1024, 4096) / np.float32(32), "b": normal(r, 4096)},
        lambda xp, x, w, b: gelu_numpy(x @ w + b), LINEAR_GELU,
    ),
    Work(
        "gather rows", "8192 rows of 50000x256",
        lambda r: {"t": normal(r, *ROWS), "i": r.integers(0, ROWS[0], 8192)},
        lambda xp, t, i: t[i],
        {
            "Pyrite": lambda pr, t, i: pr.take(t, i, axis=0),
            "PyTorch": lambda torch, t, i: torch.index_select(t, 0, i),  # t[i] takes five times as long
        },
        0,
    ),
    Work(
        "scatter-add rows", "8192 rows into zeros of 50000x256, some places repeated",
        lambda r: {"i": r.integers(0, ROWS[0], 8192), "rows": normal(r, 8192, ROWS[1])}, scatter_numpy, SCATTER,
    ),
    Work(
        "cumsum last axis", "4096x1024", one(4096, 1024), lambda xp, x: xp.cumsum(x, axis=-1),
        {"Pyrite": lambda xp, x: xp.cumulative_sum(x, axis=-1)}, 1e-4,
    ),
    Work(
        "sort last axis", "1024x4096", one(1024, 4096), lambda xp, x: xp.sort(x, axis=-1),
        {"PyTorch": lambda xp, x: xp.sort(x, -1)[0]}, 0,
    ),
    Work(
        "MLP step", "784-512-512-10, batch 128: loss, gradients, Adam", layers((784, 512, 512, 10), 128),
        step_numpy, STEPS, 1e-4,
    ),
    Work("tiny MLP step", "16-32-32-2, batch 32", layers((16, 32, 32, 2), 32), step_numpy, STEPS, 1e-4),
    Work("transformer block", BLOCK, block_inputs, block_numpy, BLOCKS, 1e-4),
    Work(
        "transformer gradients", "the same and back: gradients of mean(y*y) by x and 12 parameters", block_inputs,
        block_numpy, SLOPES, 1e-4, reference=slopes_reference,
    ),
    Work(
        "1000 adds", "y = y + b, 100 elements, one by one; time of one", small(100), adds,
        {"JAX": adds_jax, COMPILED: None}, 1e-4, 1000,
    ),
    Work(
        "add and read", "10 elements, result as a NumPy array", small(10), lambda xp, x, y: x + y,
        {
            "Pyrite": lambda xp, x, y: (x + y).numpy(),
            "PyTorch": lambda xp, x, y: (x + y).numpy(),
            COMPILED: None,
            "JAX": add_and_read_jax,
        },
    ),
    Work(
        "transposed copy", "4096x4096", SQUARE, lambda xp, x: xp.ascontiguousarray(x.T),
        {
            "Pyrite": lambda xp, x: xp.asarray(x.T, copy=True, order="C"),
            "PyTorch": lambda xp, x: x.T.contiguous(),
            "JAX": lambda xp, x: x.T.copy(),
        },
        0,
    ),
    Work("strided sum", "x[::2, ::3] of 4096x4096", SQUARE, lambda xp, x: xp.sum(x[::2, ::3]), tolerance=1e-4),
]  # fmt: skip
