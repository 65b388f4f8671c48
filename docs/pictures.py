"""Makes the pictures of these pages: `python docs/pictures.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import pyrite as pr


def explained() -> str:
    """The plan of one gradient of a small network: forward and backward pass together."""
    rng = np.random.default_rng(0)

    def weights(*shape: int) -> pr.Tensor:
        return pr.asarray((rng.normal(size=shape) * 0.05).astype(np.float32), copy=True)

    x, w1, b1, w2, b2 = weights(64, 256), weights(256, 512), weights(512), weights(512, 10), weights(10)
    targets = pr.asarray(rng.integers(0, 10, 64), copy=True)
    w = w1.autodiff().require_grad()
    hidden = pr.gelu(pr.layer_norm(x) @ w + b1)
    loss = pr.mean(pr.cross_entropy(hidden @ w2 + b2, targets))
    slope = w.grad(loss.backward())
    return pr.explain(slope).svg()


if __name__ == "__main__":
    (Path(__file__).parent / "explain.svg").write_text(explained())
