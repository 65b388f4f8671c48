"""What a user sees of a mistake: the class, the whole text, and a traceback that ends at their line."""

from __future__ import annotations

import pickle
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite.errors import named

INSIDE = str(Path(pr.__file__).parent)


class Things:
    """Tensors that mistakes are made with; all pending, so that no error can come from values."""

    def __init__(self, device: pr.Device) -> None:
        self.t = pr.zeros((2, 3), device=device)
        self.v = pr.zeros((4,), device=device)
        self.wide = pr.zeros((2, 3), dtype=pr.float64, device=device)
        self.i = pr.zeros((2, 3), dtype=pr.int64, device=device)
        self.u8 = pr.zeros((2,), dtype=pr.uint8, device=device)
        self.u64 = pr.zeros((3,), dtype=pr.uint64, device=device)
        self.b = pr.zeros((2,), dtype=pr.bool_, device=device)
        self.c = pr.asarray([1j], device=device)
        self.empty = pr.zeros((0, 3), device=device)
        self.other = pr.zeros((2, 3), device="flex" if device.name == "cpu" else "cpu")
        self.leaf = pr.asarray([1.0, 2.0], device=device).autodiff().require_grad()
        self.index = pr.asarray([0, 7], device=device)


CONVERT = "Hint: convert one of them first, for example with .cast(pr.float32)"
NUMBER = "Hint: convert the tensor or the number first"
LOGICAL = "Hint: use the logical operations and, or, xor, not on bool, or cast it to a number first"

Mistake = tuple[Callable[[Things], Any], type[Exception], str]

OPERATORS: list[Mistake] = [
    (lambda x: x.t + x.v, pr.ShapeError, "operator +: (2, 3) and (4,) do not broadcast: axis -1 has sizes 3 and 4"),
    (
        lambda x: x.t - x.v[:2],
        pr.ShapeError,
        "operator -: (2, 3) and (2,) do not broadcast: axis -1 has sizes 3 and 2\n"
        "Hint: reshape (2,) to (2, 1) to line it up",
    ),
    (lambda x: x.t / x.v, pr.ShapeError, "operator /: (2, 3) and (4,) do not broadcast: axis -1 has sizes 3 and 4"),
    (
        lambda x: x.i + x.t,
        pr.DTypeError,
        f"operator +: int64 and float32 are of different kinds (Int and Float)\n{CONVERT}",
    ),
    (
        lambda x: x.t @ x.i,
        pr.DTypeError,
        f"operator @: float32 and int64 are of different kinds (Float and Int)\n{CONVERT}",
    ),
    (
        lambda x: x.t * True,
        pr.DTypeError,
        f"operator *: the Python bool True does not go with a float32 tensor\n{NUMBER}",
    ),
    (
        lambda x: 1.5 - x.i,
        pr.DTypeError,
        f"operator -: the Python float 1.5 does not go with a int64 tensor\n{NUMBER}",
    ),
    (lambda x: 2**x.b, pr.DTypeError, f"operator **: the Python int 2 does not go with a bool tensor\n{NUMBER}"),
    (lambda x: x.u8 + 300, pr.ScalarRangeError, "operator +: 300 does not fit uint8 (0 to 255)"),
    (lambda x: x.u8 > -1, pr.ScalarRangeError, "operator >: -1 does not fit uint8 (0 to 255)"),
    (
        lambda x: x.u64 + x.i,
        pr.DTypeError,
        "operator +: uint64 and int64 have no common integer dtype\n"
        "Hint: convert one of them first, for example with .cast(pr.int64)",
    ),
    (lambda x: x.t & x.t, pr.DTypeError, "operator &: a tensor of kind Int is needed, got float32"),
    (lambda x: ~x.t, pr.DTypeError, "operator ~: a tensor of kind Int is needed, got float32"),
    (lambda x: x.t << 1, pr.DTypeError, "operator <<: a tensor of kind Int is needed, got float32"),
    (
        lambda x: x.b + x.b,
        pr.DTypeError,
        f"operator +: a tensor of kind Float or Int or Complex is needed, got bool\n{LOGICAL}",
    ),
    (
        lambda x: -x.b,
        pr.DTypeError,
        f"operator -: a tensor of kind Float or Int or Complex is needed, got bool\n{LOGICAL}",
    ),
    (lambda x: +x.b, pr.DTypeError, "operator +: expected a tensor of kind Int or Float or Complex, got bool"),
    (
        lambda x: abs(x.b),
        pr.DTypeError,
        f"abs: a tensor of kind Float or Int or Complex is needed, got bool\n{LOGICAL}",
    ),
    (lambda x: x.c < x.c, pr.DTypeError, "operator <: a tensor of kind Float or Int is needed, got complex64"),
    (
        lambda x: x.i**-1,
        pr.ArgumentError,
        "operator **: an int tensor cannot be raised to the negative power -1\nHint: convert it to floats first",
    ),
    (
        lambda x: x.t @ x.t,
        pr.ShapeError,
        "operator @: (2, 3) and (2, 3) do not multiply: axis -1 of the first has size 3, axis -2 of the second 2",
    ),
    (
        lambda x: x.t @ x.v,
        pr.ShapeError,
        "operator @: (2, 3) and (4,) do not multiply: axis -1 of the first has size 3, axis -1 of the second 4",
    ),
    (
        lambda x: x.v @ x.t,
        pr.ShapeError,
        "operator @: (4,) and (2, 3) do not multiply: axis -1 of the first has size 4, axis -2 of the second 2",
    ),
    (
        lambda x: x.t @ 2,
        pr.ArgumentError,
        "operator @: a matrix product needs two tensors, got a number\nHint: use * for scaling",
    ),
]

FUNCTIONS: list[Mistake] = [
    (lambda x: pr.add(x.t, x.v), pr.ShapeError, "pr.add: (2, 3) and (4,) do not broadcast: axis -1 has sizes 3 and 4"),
    (lambda x: pr.add(1, 2), pr.DTypeError, "pr.add: expected at least one tensor, got int and int"),
    (
        lambda x: pr.sin(x.i),
        pr.DTypeError,
        "pr.sin: a tensor of kind Float or Complex is needed, got int64\nHint: cast it first, for example to float32",
    ),
    (
        lambda x: pr.exp([1.0]),  # type: ignore[arg-type]
        pr.DTypeError,
        "pr.exp: expected a tensor, got list [1.0]\nHint: make one of it with pr.asarray",
    ),
    (
        lambda x: pr.sum(x.t, axis=2),
        pr.AxisError,
        "pr.sum: axis 2 is out of range for rank 2 (valid: -2 to 1)",
    ),
    (lambda x: pr.mean(x.t, axis=(0, -2)), pr.AxisError, "pr.mean: axes (0, -2) repeat an axis"),
    (
        lambda x: pr.sum(x.t, axis=1.5),  # type: ignore[arg-type]
        pr.AxisError,
        "pr.sum: axes 1.5 are not an int or a sequence of ints",
    ),
    (
        lambda x: pr.max(x.empty, axis=0),
        pr.ShapeError,
        "pr.max: axis 0 of (0, 3) has size 0, so there is no largest element",
    ),
    (lambda x: pr.reshape(x.t, (4, 2)), pr.ShapeError, "pr.reshape: (2, 3) has 6 elements, (4, 2) holds 8."),
    (
        lambda x: pr.reshape(x.t, (3, 4)),
        pr.ShapeError,
        "pr.reshape: (2, 3) has 6 elements, (3, 4) holds 12.\nHint: (3, -1) gives (3, 2)",
    ),
    (
        lambda x: pr.reshape(x.t, (4, -1)),
        pr.ShapeError,
        "pr.reshape: (2, 3) has 6 elements, which (4, -1) cannot divide evenly",
    ),
    (lambda x: pr.reshape(x.t, (-1, -1)), pr.ShapeError, "pr.reshape: (-1, -1) has more than one -1"),
    (
        lambda x: pr.permute_dims(x.t, (0,)),
        pr.ShapeError,
        "pr.permute_dims: a permutation of rank 2 needs 2 axes, (0,) has 1",
    ),
    (lambda x: pr.permute_dims(x.t, (0, 0)), pr.AxisError, "pr.permute_dims: axes (0, 0) repeat an axis"),
    (
        lambda x: pr.concat([x.t, x.v]),
        pr.ShapeError,
        "pr.concat: cannot join (2, 3) with (4,): the ranks differ",
    ),
    (
        lambda x: pr.stack([x.t, x.t[:1]]),
        pr.ShapeError,
        "pr.stack: tensor 0 has shape (2, 3) and tensor 1 (1, 3): only equal shapes stack",
    ),
    (
        lambda x: pr.expand_dims(x.t, axis=5),
        pr.AxisError,
        "pr.expand_dims: axis 5 is out of range for rank 3 (valid: -3 to 2)",
    ),
    (
        lambda x: pr.squeeze(x.t, axis=0),
        pr.ShapeError,
        "pr.squeeze: axis 0 of (2, 3) has size 2, only size 1 can be dropped",
    ),
    (
        lambda x: pr.broadcast_to(x.t, (3, 3)),
        pr.ShapeError,
        "pr.broadcast_to: (2, 3) cannot be expanded to (3, 3): axis -2 has size 2, not 1",
    ),
    (
        lambda x: pr.einsum("ij,jk->ik", x.t, x.t),
        pr.ShapeError,
        "pr.einsum: 'j' has size 3 in operand 0 and size 2 in operand 1",
    ),
    (
        lambda x: pr.einsum("ij,jk->ik", x.t),
        pr.ArgumentError,
        "pr.einsum: the equation 'ij,jk->ik' has 2 operands, 1 tensors were given",
    ),
    (lambda x: pr.einsum("ij->ik", x.t), pr.ArgumentError, "pr.einsum: the output label 'k' is in no operand"),
    (
        lambda x: pr.matmul(x.t, x.v),
        pr.ShapeError,
        "pr.matmul: (2, 3) and (4,) do not multiply: axis -1 of the first has size 3, axis -1 of the second 4",
    ),
    (
        lambda x: pr.take(x.t, x.index, axis=0),
        pr.BoundsError,
        "pr.take: index 7 is out of bounds for axis 0 with size 2",
    ),
    (
        lambda x: pr.take(x.t, x.v, axis=0),
        pr.DTypeError,
        "pr.take: indices must be an Int tensor, these are float32",
    ),
    (
        lambda x: pr.where(x.t, x.t, x.t),
        pr.DTypeError,
        "pr.where: the condition must be bool, got float32\nHint: compare with 0, or cast it to bool first",
    ),
    (lambda x: pr.zeros((2, -1)), pr.ShapeError, "pr.zeros: shape (2, -1) has a negative size"),
    (
        lambda x: pr.zeros((2,), dtype="float3"),
        pr.DTypeError,
        "pr.zeros: 'float3' is not a dtype\nHint: use a dtype such as pr.float32",
    ),
    (lambda x: pr.ones(2, device="gpu"), pr.DeviceError, "pr.ones: there is no device 'gpu'; there are cpu, flex"),
    (
        lambda x: pr.full((2,), 300, dtype=pr.uint8),
        pr.ScalarRangeError,
        "pr.full: 300 does not fit uint8 (0 to 255)",
    ),
    (lambda x: pr.arange(0, 5, 0), pr.ArgumentError, "pr.arange: the step is 0"),
    (
        lambda x: pr.softmax(x.t, axis=4),
        pr.AxisError,
        "pr.softmax: axis 4 is out of range for rank 2 (valid: -2 to 1)",
    ),
    (
        lambda x: pr.topk(x.t, 9),
        pr.ShapeError,
        "pr.topk: k = 9 does not lie between 0 and 3, the size of axis 1 of (2, 3)",
    ),
    (lambda x: pr.clip(x.t, 2, 1), pr.ArgumentError, "pr.clip: the lower bound 2 is above the upper bound 1"),
    (lambda x: pr.sort(x.t, axis=-3), pr.AxisError, "pr.sort: axis -3 is out of range for rank 2 (valid: -2 to 1)"),
]

METHODS: list[Mistake] = [
    (
        lambda x: x.t.reshape([4, 26]),
        pr.ShapeError,
        "Tensor.reshape: (2, 3) has 6 elements, (4, 26) holds 104.",
    ),
    (
        lambda x: x.t.add(x.v),
        pr.ShapeError,
        "Tensor.add: (2, 3) and (4,) have ranks 2 and 1, methods want equal ones\n"
        "Hint: use .unsqueeze(2), or the operator, which broadcasts",
    ),
    (lambda x: x.t.sum_dim(7), pr.AxisError, "Tensor.sum_dim: axis 7 is out of range for rank 2 (valid: -2 to 1)"),
    (
        lambda x: x.t.select(0, x.index),
        pr.BoundsError,
        "Tensor.select: index 7 is out of bounds for axis 0 with size 2",
    ),
    (
        lambda x: x.t.matmul(x.t),
        pr.ShapeError,
        "Tensor.matmul: (2, 3) and (2, 3) do not multiply: axis -1 of the first has size 3, axis -2 of the second 2",
    ),
    (
        lambda x: x.t.swap_dims(0, 4),
        pr.AxisError,
        "Tensor.swap_dims: axis 4 is out of range for rank 2 (valid: -2 to 1)",
    ),
    (
        lambda x: x.t.equal(x.v),
        pr.ShapeError,
        "Tensor.equal: (2, 3) and (4,) differ, this method wants equal shapes",
    ),
    (
        lambda x: x.t.clamp(2.0, 1.0),
        pr.ArgumentError,
        "Tensor.clamp: the lower bound 2.0 is above the upper bound 1.0",
    ),
    (
        lambda x: x.t.cast("nope"),
        pr.DTypeError,
        "Tensor.cast: 'nope' is not a dtype\nHint: use a dtype such as pr.float32",
    ),
    (lambda x: x.t.item(), pr.ShapeError, "Tensor.item: a tensor of shape (2, 3) has 6 elements, not one"),
    (lambda x: bool(x.t), pr.ShapeError, "bool(Tensor): a tensor of shape (2, 3) has 6 elements, not one"),
    (
        lambda x: x.v.T,
        pr.ShapeError,
        "Tensor.T: a tensor of rank 2 is needed, this one has shape (4,)\nHint: use .mT for stacks of matrices",
    ),
    (
        lambda x: x.v.mT,
        pr.ShapeError,
        "Tensor.mT: a tensor of rank 2 or more is needed, this one has shape (4,)",
    ),
    (
        lambda x: format(x.t, "x"),
        pr.ArgumentError,
        "str(Tensor): the format 'x' is not known to tensors\nHint: use a precision such as \".2f\"",
    ),
    (lambda x: x.t[2], pr.BoundsError, "Tensor[...]: index 2 is out of bounds for axis 0 with size 2"),
    (lambda x: x.t[0, 0, 0], pr.BoundsError, "Tensor[...]: 3 indices for shape (2, 3) of rank 2"),
    (
        lambda x: x.t["a"],
        pr.DTypeError,
        "Tensor[...]: str 'a' is not an index: expected ints, slices, ..., None, int or bool tensors",
    ),
    (
        lambda x: x.t.__setitem__(0, [1, 2]),
        pr.ShapeError,
        "Tensor[...] =: values of shape (2,) do not fill a selection of shape (3,)",
    ),
    (
        lambda x: x.t.backward(),
        pr.GradientError,
        "Tensor.backward: autodiff is off for this tensor\nHint: call .autodiff().require_grad() on the leaves",
    ),
    (
        lambda x: x.t.require_grad(),
        pr.GradientError,
        "Tensor.require_grad: autodiff is off for this tensor\nHint: call .autodiff() first",
    ),
    (
        lambda x: (x.leaf * 2).require_grad(),
        pr.GradientError,
        "Tensor.require_grad: only a leaf can require a gradient; this tensor is the result of an operation\n"
        "Hint: call .detach() first to start a new lineage",
    ),
    (
        lambda x: x.i.require_grad(),
        pr.DTypeError,
        "Tensor.require_grad: expected a tensor of kind Float, got int64",
    ),
    (
        lambda x: x.leaf.__setitem__(0, 1.0),
        pr.GradientError,
        "Tensor[...] =: a tensor that autodiff tracks cannot be written to\n"
        "Hint: use t.slice_assign(...), which gives a new tensor",
    ),
]

MISTAKES = OPERATORS + FUNCTIONS + METHODS


def frames(error: BaseException) -> tuple[int, int]:
    """How many frames of a traceback are ours, and how many come before them."""
    files = [f.filename for f in traceback.extract_tb(error.__traceback__)]
    inner = [f for f in files if f.startswith(INSIDE)]
    assert files[len(files) - len(inner) :] == inner, "frames of ours only at the end"
    return len(inner), len(files) - len(inner)


@pytest.mark.parametrize(("call", "kind", "text"), MISTAKES, ids=[m[2].split(":")[0] for m in MISTAKES])
def test_class_text_and_traceback(
    call: Callable[[Things], Any], kind: type[Exception], text: str, device: pr.Device
) -> None:
    with pytest.raises(pr.PyriteError) as info:
        call(Things(device))
    error = info.value
    assert str(error) == text
    assert type(error) is kind
    inner, outer = frames(error)
    assert inner <= 2
    assert outer >= 1
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), text)


def test_mixed_devices(device: pr.Device) -> None:
    x = Things(device)
    here, there = device.name, x.other.device.name
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("operator +", lambda: x.t + x.other), ("pr.matmul", lambda: pr.matmul(x.t, x.other)),
        ("pr.concat", lambda: pr.concat([x.t, x.other])), ("Tensor.add", lambda: x.t.add(x.other)),
        ("Tensor.select", lambda: x.t.select(0, pr.asarray([0], device=x.other.device))),
        ("Tensor[...]", lambda: x.t[pr.asarray([0], device=x.other.device)]),
    ]  # fmt: skip
    for name, call in calls:
        with pytest.raises(pr.DeviceError) as info:
            call()
        assert str(info.value) == (
            f"{name}: tensors are on different devices (Device({here!r}) and Device({there!r}))\n"
            "Hint: move one of them with .to_device(...)"
        )
        assert frames(info.value)[0] <= 2


def test_classes_are_pythons_own_too() -> None:
    for kind, base in [
        (pr.ShapeError, ValueError), (pr.AxisError, ValueError), (pr.AxisError, IndexError),
        (pr.BoundsError, IndexError), (pr.DTypeError, TypeError), (pr.ArgumentError, ValueError),
        (pr.ScalarRangeError, OverflowError),
        (pr.GradientError, RuntimeError), (pr.DeviceError, RuntimeError), (pr.ReadOnlyError, ValueError),
        (pr.BufferProtocolError, BufferError), (pr.ExecutionError, RuntimeError), (pr.OutOfMemoryError, MemoryError),
        (pr.DeferredBoundsError, IndexError), (pr.DeferredBoundsError, pr.ExecutionError),
        (pr.TensorReadError, RuntimeError),
    ]:  # fmt: skip
        assert issubclass(kind, base)
        assert issubclass(kind, pr.PyriteError)


def test_an_error_raised_inside_a_users_handler_keeps_their_context() -> None:
    def fails() -> None:
        try:
            raise KeyError("mine")
        except KeyError:
            pr.zeros((2,)) + pr.zeros((3,))

    with pytest.raises(pr.ShapeError) as info:
        fails()
    assert isinstance(info.value.__context__, KeyError)
    assert str(named(pr.ShapeError("a", "b"), "f")) == "f: a\nHint: b"


def test_a_consumed_graph(device: pr.Device) -> None:
    x = Things(device)
    loss = (x.leaf * x.leaf).sum()
    loss.backward()
    with pytest.raises(pr.GradientError, match=r"^Tensor\.backward: ") as info:
        loss.backward()
    assert frames(info.value)[0] <= 2


def test_unknown_operands_are_left_to_python(device: pr.Device) -> None:
    t = Things(device).t
    other: Any
    calls: list[Callable[[], Any]] = [lambda: t + "a", lambda: t + [1, 2, 3], lambda: None * t, lambda: t < {}]
    for call in calls:
        with pytest.raises(TypeError, match="not supported between|unsupported operand"):
            call()
    other = t == "a"
    assert other is False
    other = t != None  # noqa: E711
    assert other is True

    class Other:
        def __radd__(self, other: Any) -> str:
            return "mine"

    assert t + Other() == "mine"


# -- errors that only values can show


def line_of(text: str) -> str:
    """`file:line (source)` of the caller's line that holds `text`, as errors name it."""
    code = sys._getframe(1).f_code
    lines = Path(__file__).read_text().splitlines()
    for number in range(code.co_firstlineno, len(lines) + 1):
        if text in lines[number - 1] and "line_of" not in lines[number - 1]:
            return f"{__file__}:{number} ({lines[number - 1].strip()})"
    raise AssertionError(text)


def test_a_pending_index_out_of_bounds_names_the_line_of_its_call() -> None:
    t = pr.reshape(pr.arange(12), (3, 4))
    index = pr.asarray([0, 1]) + 5
    bad = pr.take(t, index, axis=0)
    doubled = bad * 2
    fine = t + 1
    place = line_of("bad = pr.take")
    for read in (
        doubled.numpy, bad.to_list, lambda: np.asarray(doubled), lambda: str(bad), lambda: doubled[0, 0].item(),
        lambda: 3 in bad, lambda: doubled.sum().item(), lambda: np.from_dlpack(bad), lambda: t.__setitem__(0, bad[0]),
        lambda: pickle.dumps(bad), lambda: bool(pr.any(bad > 0)),
    ):  # fmt: skip
        with pytest.raises(pr.DeferredBoundsError) as info:
            read()
        assert str(info.value) == f"index 5 is out of bounds for axis 0 with size 3, in take queued at {place}"
        assert frames(info.value)[0] <= 2
    assert fine.numpy().sum() == 78
    assert t.numpy().sum() == 66


@pytest.mark.parametrize("fused", [True, False])
def test_every_form_of_a_pending_index(fused: bool) -> None:
    t = pr.reshape(pr.arange(12), (3, 4))
    calls: list[tuple[int, Callable[[pr.Tensor], pr.Tensor]]] = [
        (0, lambda far: t[far]),
        (1, lambda far: t[:, far]),
        (1, lambda far: t[0, far]),
        (1, lambda far: pr.take(t, far, axis=1)),
        (0, lambda far: pr.take_along_axis(t, pr.broadcast_to(far, (1, 4)), axis=0)),
        (0, lambda far: t.select(0, far)),
    ]
    with pr.fusion(fused):
        for axis, call in calls:
            result = call(pr.asarray([-9]) * 1) + 1
            after = pr.sum(t)
            with pytest.raises(pr.DeferredBoundsError) as info:
                result.numpy()
            reason = f"index -9 is out of bounds for axis {axis} with size {(3, 4)[axis]}, in "
            assert str(info.value).startswith(reason)
            assert f"queued at {__file__}:" in str(info.value)
            assert after.item() == 66


def test_only_dependents_are_poisoned() -> None:
    before = pr.arange(4) * 2
    index = pr.asarray([3, 4]) + 0
    bad = before[index]
    dependent, other = bad + 1, before + 1
    mixed = pr.concat([other, dependent])
    assert other.to_list() == [1, 3, 5, 7]
    for t in (bad, dependent, mixed):
        for _ in range(2):
            with pytest.raises(pr.DeferredBoundsError, match="index 4 is out of bounds for axis 0 with size 4"):
                t.numpy()
        with pytest.raises(pr.DeferredBoundsError):
            (t * 2).numpy()
    assert before[index - 1].to_list() == [4, 6]
    assert index.to_list() == [3, 4]
    pr.Device.cpu().sync()


def test_a_dropped_failure_is_silent() -> None:
    t = pr.arange(3)
    t[pr.asarray([9]) + 0] + 1
    assert (t + 1).to_list() == [1, 2, 3]


def test_sync_and_memory() -> None:
    huge = pr.zeros((1 << 45,), dtype=pr.float64)
    with pytest.raises(pr.OutOfMemoryError, match="^no memory for .* with a result of shape") as info:
        huge.numpy()
    assert f"queued at {__file__}:" in str(info.value)
    assert isinstance(info.value, MemoryError)
    assert pr.ones((2,)).to_list() == [1.0, 1.0]
