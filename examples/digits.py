"""Trains a small network on handwritten digits, written out in plain tensor code.

The data are the 1,797 scans of 8 × 8 pixels that scikit-learn brings along; a fixed fifth is held
out. There is no module or optimiser class here: the network is three lines, AdamW is five. Running
it twice prints the same losses to the last digit. Loss curve, predictions and weights go to
demo-output/.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from sklearn.datasets import load_digits

import pyrite as pr

SIZES = (64, 128, 64, 10)
BATCH = 64
NOISE = 0.25  # added to the pixels in training, against learning scans by heart
RATE, BETA1, BETA2, EPSILON, DECAY = 3e-3, 0.9, 0.99, 1e-8, 1e-2
SEED = 0

Weights = dict[str, pr.Tensor]


@dataclass
class Digits:
    """Pixels from -1 to 1 and labels, as tensors, and the held-out part as NumPy arrays too."""

    train_x: pr.Tensor
    train_y: pr.Tensor
    test_x: pr.Tensor
    test_images: np.ndarray
    test_labels: np.ndarray


@dataclass
class Run:
    """What a training run gave."""

    weights: Weights
    losses: list[float]
    seconds: float
    stats: dict[str, int]


def load() -> Digits:
    """The data, shuffled in one fixed order; the last fifth is held out."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(SEED).permutation(len(images))
    images, labels = images[order].astype(np.float32), labels[order].astype(np.int64)
    cut = len(images) - len(images) // 5
    x = pr.asarray(images / 8 - 1, copy=True)
    y = pr.asarray(labels, copy=True)
    return Digits(x[:cut], y[:cut], x[cut:], images[cut:].reshape(-1, 8, 8), labels[cut:])


def new_weights() -> Weights:
    """Normal weights scaled for relu, and zero biases."""
    device = pr.Device()
    device.seed(SEED)
    weights = {}
    for i, (rows, columns) in enumerate(zip(SIZES, SIZES[1:]), start=1):
        spread = math.sqrt(2 / rows)
        weights[f"w{i}"] = pr.Tensor.random((rows, columns), pr.Distribution.Normal(0.0, spread), device)
        weights[f"b{i}"] = pr.Tensor.zeros((columns,), device)
    return weights


def logits(w: Weights, x: pr.Tensor) -> pr.Tensor:
    """The network: one score for each class and row of `x`."""
    x = pr.relu(x @ w["w1"] + w["b1"])
    x = pr.relu(x @ w["w2"] + w["b2"])
    return x @ w["w3"] + w["b3"]


def loss_of(w: Weights, x: pr.Tensor, y: pr.Tensor) -> pr.Tensor:
    """The mean cross-entropy of a batch."""
    return pr.mean(pr.cross_entropy(logits(w, x), y))


def adamw(
    w: pr.Tensor, g: pr.Tensor, m: pr.Tensor, v: pr.Tensor, step: int, rate: float
) -> tuple[pr.Tensor, pr.Tensor, pr.Tensor]:
    """One step of AdamW (Loshchilov and Hutter 2019): new weight and moments."""
    m = BETA1 * m + (1 - BETA1) * g
    v = BETA2 * v + (1 - BETA2) * g * g
    mean, square = m / (1 - BETA1**step), v / (1 - BETA2**step)
    w = w - rate * (mean / (pr.sqrt(square) + EPSILON) + DECAY * w)
    return w, m, v


def train(data: Digits, epochs: int, console: Console, title: str) -> Run:
    """Mini-batches over `epochs` shuffles of the data. Each step is read once, at its loss."""
    shuffle = np.random.default_rng(SEED)
    count = data.train_x.shape[0]
    weights = new_weights()
    moments = {k: (w * 0.0, w * 0.0) for k, w in weights.items()}
    losses: list[float] = []
    steps = epochs * math.ceil(count / BATCH)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("loss {task.fields[loss]:.4f}"))
    pr.reset_stats()
    start = time.perf_counter()
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(title, total=steps, loss=math.nan)
        for _ in range(epochs):
            order = pr.asarray(shuffle.permutation(count), copy=True)
            for first in range(0, count, BATCH):
                # the last batch of an epoch is shorter: the same kernels serve it
                rows = order[first : first + BATCH]
                tracked = {k: w.autodiff().require_grad() for k, w in weights.items()}
                x = data.train_x[rows]
                x = x + NOISE * pr.Tensor.random(x.shape, pr.Distribution.Normal(0.0, 1.0), x.device)
                loss = loss_of(tracked, x, data.train_y[rows])
                gradients = loss.backward()
                step = len(losses) + 1
                rate = RATE * (1 + math.cos(math.pi * step / steps)) / 2
                for k, w in weights.items():
                    weights[k], *moments[k] = adamw(w, tracked[k].grad(gradients), *moments[k], step, rate)
                losses.append(float(loss))
                progress.update(task, advance=1, loss=losses[-1])
    seconds = time.perf_counter() - start
    return Run(weights, losses, seconds, pr.stats())


def predict(w: Weights, data: Digits) -> tuple[np.ndarray, np.ndarray]:
    """Scores and classes of the held-out digits."""
    scores = logits(w, data.test_x)
    return scores.numpy(), pr.argmax(scores, axis=1).numpy()


def draw(path: Path, losses: list[float], data: Digits, predicted: np.ndarray) -> None:
    """The loss curve over a grid of held-out digits, those that went wrong first and in red."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    wrong = predicted != data.test_labels
    shown = np.argsort(~wrong, kind="stable")[:60]
    figure = plt.figure(figsize=(10, 10))
    grid = figure.add_gridspec(7, 10, height_ratios=[3, 1, 1, 1, 1, 1, 1], hspace=0.6)
    curve = figure.add_subplot(grid[0, :])
    curve.plot(losses, linewidth=0.8)
    curve.set(yscale="log", title="Training loss, step by step")
    for place, i in enumerate(shown):
        axes = figure.add_subplot(grid[1 + place // 10, place % 10])
        axes.imshow(data.test_images[i], cmap="gray_r")
        axes.set(xticks=[], yticks=[])
        truth = f", is {data.test_labels[i]}" if wrong[i] else ""
        axes.set_title(f"{predicted[i]}{truth}", fontsize=9, color="red" if wrong[i] else "black")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def report(console: Console, fused: Run, single: Run) -> None:
    """The counts of both runs."""
    table = Table(title=f"{len(fused.losses)} training steps")
    for heading in ("", "fused", "fusion off"):
        table.add_column(heading, justify="left" if not heading else "right")
    rows = {
        "operations queued": "queued",
        "kernels run": "kernels",
        "operations on NumPy or BLAS": "fallbacks",
        "kernels compiled": "compiled",
        "kernels from the disk cache": "loaded",
        "plans made": "plans",
        "plan-cache hits": "plan_hits",
    }
    for label, key in rows.items():
        table.add_row(label, f"{fused.stats[key]:,}", f"{single.stats[key]:,}")
    table.add_row("seconds, compiling included", f"{fused.seconds:.2f}", f"{single.seconds:.2f}")
    console.print(table)


def main() -> None:
    """Trains, checks, draws and reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--output", type=Path, default=Path("demo-output"))
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False, soft_wrap=True)
    data = load()

    fused = train(data, options.epochs, console, "fused")
    scores, predicted = predict(fused.weights, data)
    right = int((predicted == data.test_labels).sum())
    accuracy = right / len(predicted)
    console.print(f"final loss {fused.losses[-1]!r}")
    console.print(f"held out: {right} of {len(predicted)} right, {accuracy:.2%}")

    path = options.output / "digits.safetensors"
    pr.save_safetensors(fused.weights, path)
    again, _ = predict(pr.load_safetensors(path), data)
    if again.tobytes() != scores.tobytes():
        raise SystemExit("the weights that were read back give other scores")
    console.print(f"weights written to {path}, read back: the same scores, bit for bit")
    picture = options.output / "digits.png"
    draw(picture, fused.losses, data, predicted)
    console.print(f"picture written to {picture}")

    with pr.fusion(False):
        single = train(data, options.epochs, console, "fusion off")
    if single.losses != fused.losses:
        raise SystemExit("fusion changed a loss")
    console.print("every loss is the same with fusion off, bit for bit")

    loss = loss_of(fused.weights, data.train_x[:BATCH], data.train_y[:BATCH])
    console.print(f"one forward pass: {str(pr.explain(loss)).splitlines()[0]}\n")
    report(console, fused, single)
    if accuracy < 0.97:
        raise SystemExit(f"{accuracy:.2%} is less than 97%")


if __name__ == "__main__":
    main()
