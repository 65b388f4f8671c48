"""Copies, changes in place, who holds the memory, and the doors to the layers below."""

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite import PadMode


def leaf(data: Any, device: pr.Device) -> pr.Tensor:
    return pr.asarray(data, device=device).autodiff().require_grad()


def grad(x: pr.Tensor, loss: pr.Tensor) -> Any:
    g = x.grad(loss.backward())
    assert g is not None
    return g.to_list()


def test_clone(device: pr.Device) -> None:
    for t in (pr.asarray([1.0, 2.0], device=device), pr.asarray([1.0, 2.0], device=device) + 0,
              pr.asarray([3.0, 1.0, 2.0], device=device)[1:]):  # fmt: skip
        for make in (lambda t: t.clone(), copy.copy, copy.deepcopy):
            a, b = t.clone(), make(t)
            t[0] = 9.0
            assert b.to_list() == [1.0, 2.0]
            b[1] = 8.0
            assert (t.to_list(), a.to_list(), b.to_list()) == ([9.0, 2.0], [1.0, 2.0], [1.0, 8.0])
            t[0] = 1.0
    number = pr.asarray(2.0, device=device)
    assert number.clone().to_list() == 2.0
    x = leaf([2.0], device)
    y = x.clone()
    assert y.is_require_grad()
    assert grad(x, y * y) == [4.0]
    z = (x * 3).clone()
    assert z.is_tracked()
    assert grad(x, z) == [3.0]


@pytest.mark.parametrize("size", [8, 1 << 15])
def test_clones_of_clones(device: pr.Device, size: int) -> None:
    t = pr.asarray(np.arange(size, dtype=np.float64), device=device, copy=True)
    a = t.clone()
    b = a.clone()
    view = a[1:3]
    waiting = b * 2
    view[0] = -1.0
    assert (t[1].item(), a[1].item(), b[1].item()) == (1.0, -1.0, 1.0)
    t[2] = -2.0
    assert (t[2].item(), a[2].item(), b[2].item(), view[1].item()) == (-2.0, 2.0, 2.0, 2.0)
    b[3] = -3.0
    assert [x[3].item() for x in (t, a, b, waiting)] == [3.0, 3.0, -3.0, 6.0]
    c = t.clone()
    del t
    gc.collect()
    c[0] = 5.0
    assert (c[0].item(), c[2].item()) == (5.0, -2.0)
    assert c.can_mut()


def test_clones_of_foreign_memory(device: pr.Device) -> None:
    array = np.arange(3.0)
    t = pr.asarray(array, device=device)
    c = t.clone()
    array[0] = 9.0
    assert (t[0].item(), c[0].item()) == (9.0, 0.0)
    c[1] = 7.0
    assert array[1] == 1.0
    fixed = pr.asarray(bytes([1, 2]), device=device).clone()
    fixed[0] = 5
    assert fixed.to_list() == [5, 2]
    t = pr.asarray([1.0, 2.0], device=device)
    c = t.clone()
    shared = np.from_dlpack(c)
    t[0] = 8.0
    assert shared.tolist() == [1.0, 2.0]


def test_clone_from(device: pr.Device) -> None:
    t, source = pr.zeros(3, device=device), pr.asarray([1, 2], device=device)
    t.clone_from(source)
    source[0] = 5
    assert t.to_list() == [1, 2]
    with pytest.raises(TypeError, match="^Tensor.clone_from: expected a tensor, got int"):
        t.clone_from(3)  # type: ignore[arg-type]


def test_can_mut(device: pr.Device) -> None:
    t = pr.asarray([1.0, 2.0, 3.0], device=device)
    assert t.can_mut()
    t = pr.zeros((2, 3), device=device) + 1
    assert t.can_mut()
    assert t.can_mut()
    for share in (
        lambda: t.clone(),
        lambda: t[0],
        lambda: t.reshape([3, 2]),
        lambda: t.into_bridge(),
        lambda: np.asarray(t),
        lambda: t.to_device(device),
    ):
        held = share()
        assert not t.can_mut(), held
        del held
        gc.collect()
        assert t.can_mut()
    assert t.autodiff().can_mut() is False  # beside the plain handle
    u = (t * 2).autodiff()
    assert u.can_mut()
    again = u.inner()
    assert not u.can_mut()
    del again
    assert not pr.asarray(np.ones(3), device=device).can_mut()
    assert not (t + 0)[0].can_mut()


def test_a_tape_holds_its_values(device: pr.Device) -> None:
    x = leaf([1.0, 2.0], device)
    assert x.can_mut()
    y = x * x
    assert not x.can_mut()
    del y
    gc.collect()
    assert isinstance(x.can_mut(), bool)


def test_inplace(device: pr.Device) -> None:
    t = pr.asarray([1.0, 2.0], device=device)
    twin, view = t.clone(), t[:1]
    t.inplace(lambda x: x * 2)
    assert (t.to_list(), twin.to_list(), view.to_list()) == ([2.0, 4.0], [1.0, 2.0], [1.0])

    def bad(x: pr.Tensor) -> pr.Tensor:
        raise KeyError("no")

    with pytest.raises(KeyError):
        t.inplace(bad)
    assert t.to_list() == [2.0, 4.0]
    for wrong in (lambda x: 3, lambda x: x.int(), lambda x: x.reshape([1, 2])):
        with pytest.raises((TypeError, ValueError), match="^Tensor.inplace: the function gave"):
            t.inplace(wrong)
    x = leaf([3.0], device)
    y = x.clone()
    y.inplace(lambda v: v * v)
    assert grad(x, y) == [6.0]


def test_extract(device: pr.Device) -> None:
    t = pr.asarray([[1, 2]], device=device)
    twin = t.clone()
    assert t.extract().to_list() == [[1, 2]]
    assert (t.shape, t.dtype, t.device, twin.to_list()) == ((0, 0), pr.int64, device, [[1, 2]])
    assert pr.asarray(True, device=device).extract().to_list() is True
    x = leaf([1.0], device)
    assert x.extract().is_require_grad()
    assert x.is_autodiff()


def test_rows_in_place(device: pr.Device) -> None:
    t = pr.zeros((3, 2), device=device)
    twin = t.clone()
    t.slice_assign_inplace(-1, pr.ones((1, 2), device=device))
    assert t.to_list() == [[0, 0], [0, 0], [1, 1]]
    assert twin.to_list() == [[0, 0]] * 3
    for index, value in ((3, pr.ones((1, 2), device=device)), (0, pr.ones((1, 3), device=device))):
        with pytest.raises((IndexError, ValueError), match="^Tensor.slice_assign_inplace: "):
            t.slice_assign_inplace(index, value)
    sample = pr.ones((1, 4), device=device)
    buffer = pr.Tensor.zeros_like(sample, 5, device)
    assert (buffer.shape, buffer.device) == ((5, 4), device)


def test_constructor_and_kinds() -> None:
    assert pr.Tensor([[1, 2]]).dtype is pr.int64
    assert pr.Tensor([1, 2], dtype=pr.float64).dtype is pr.float64
    assert pr.Tensor(pr.TensorData([1.5])).to_list() == [1.5]
    assert pr.Tensor[pr.Int]([1.9]).to_list() == [1]
    assert isinstance(pr.Tensor[pr.Float]([1]), pr.Tensor)
    assert pr.Tensor[pr.Bool]([0, 2]).to_list() == [False, True]

    def annotated(x: "pr.Tensor[pr.Int]") -> "pr.Tensor[pr.Float]":  # type: ignore[type-arg]
        return x.float()

    assert annotated(pr.asarray([1])).to_list() == [1.0]
    with pytest.raises(TypeError, match="is not a kind: expected pr.Float, pr.Int or pr.Bool"):
        pr.Tensor[int]
    for data in ([1.5], [1], [True]):
        t = pr.asarray(data, device="cpu")
        again = pickle.loads(pickle.dumps(t.float().autodiff() if t.kind is pr.Float else t))
        assert (again.to_list(), again.dtype, again.is_autodiff()) == (t.to_list(), t.dtype, False)


def test_bridge(device: pr.Device) -> None:
    t = pr.asarray([1.5, 2.0], device=device)
    bridge = t.into_bridge()
    assert bridge.kind is pr.Float
    assert repr(bridge) == "BridgeTensor(Float, float32, (2,))"
    for again in (pr.Tensor.new(bridge), pr.Tensor.from_bridge(bridge), pr.Tensor[pr.Float].new(bridge)):
        assert again.to_list() == [1.5, 2.0]
    with pytest.raises(pr.PrimitiveConversionError.KindMismatch, match="a float32 value is of kind Float, not Int"):
        pr.Tensor[pr.Int].from_bridge(bridge)
    with pytest.raises(TypeError, match="^Tensor.new: expected what into_bridge gives, got Tensor"):
        pr.Tensor.new(t)  # type: ignore[arg-type]
    inside = t.into_dispatch()
    assert (inside.shape, inside.dtype, repr(inside)) == ((2,), pr.float32, "DispatchTensor(float32, (2,))")
    assert pr.Tensor.from_dispatch(inside).to_list() == [1.5, 2.0]
    with pytest.raises(TypeError):
        pr.Tensor[pr.Bool].from_dispatch(inside)
    x = leaf([2.0], device)
    assert grad(x, pr.Tensor.new((x * x).into_bridge())) == [4.0]


def test_primitives(device: pr.Device) -> None:
    t = pr.asarray([1, 2], device=device)
    for backend in (None, device, device.name, device.backend):
        p: Any = t.try_into_primitive(backend)
        assert p.backend.evaluate(p).tolist() == [1, 2]
        assert pr.Tensor.from_primitive(p).to_list() == [1, 2]
    assert t.into_primitive() is t.try_into_primitive()
    other = "flex" if device.name == "cpu" else "cpu"
    with pytest.raises(pr.PrimitiveConversionError.BackendMismatch, match=f"is on backend {device.name}, not {other}"):
        t.try_into_primitive(other)
    with pytest.raises(pr.PrimitiveConversionError.BackendMismatch, match="there is no device 'wgpu'"):
        t.try_into_primitive("wgpu")
    with pytest.raises(pr.PrimitiveConversionError.BackendMismatch, match="has autodiff on"):
        t.autodiff().try_into_primitive(device)
    assert pr.Tensor.from_primitive(t.autodiff().try_into_primitive("autodiff")).is_autodiff()
    with pytest.raises(pr.PrimitiveConversionError.BackendMismatch, match="has autodiff off"):
        t.try_into_primitive("autodiff")
    with pytest.raises(pr.PrimitiveConversionError.KindMismatch):
        pr.Tensor[pr.Float].from_primitive(t.into_primitive())
    with pytest.raises(pr.PrimitiveConversionError, match="int is not the value of a backend"):
        pr.Tensor.from_primitive(3)  # type: ignore[arg-type]


def test_distributed() -> None:
    t = pr.asarray([1.0])
    assert not t.set_distributed(7).is_distributed()
    assert t.set_distributed(7).to_list() == [1.0]


# -- padding


@pytest.mark.parametrize("dtype", [pr.float32, pr.bfloat16, pr.int64, pr.uint8])
@pytest.mark.parametrize(("mode", "name"), [(PadMode.Reflect, "reflect"), (PadMode.Edge, "edge"), (7, "constant")])
def test_padding(device: pr.Device, dtype: pr.DType, mode: Any, name: str) -> None:
    x = np.arange(24).reshape(2, 3, 4)
    t = pr.asarray(x, dtype=dtype, device=device)
    options = {"constant_values": 7} if name == "constant" else {}
    for widths in ([(1, 0), (2, 1), (3, 2)], [(0, 0), (0, 0), (0, 0)], [(2, 2), (1, 3)], []):
        full = [(0, 0)] * (3 - len(widths)) + widths
        got = t.pad(widths, mode)
        assert got.dtype is dtype
        np.testing.assert_array_equal(got.numpy().astype(int), np.pad(x, full, mode=name, **options))  # type: ignore[call-overload]
    np.testing.assert_array_equal(
        t.pad((1, 2, 0, 1), mode).numpy().astype(int),
        np.pad(x, [(0, 0), (0, 1), (1, 2)], mode=name, **options),  # type: ignore[call-overload]
    )


def test_gradients_of_padding(device: pr.Device) -> None:
    x = leaf([1.0, 2.0, 3.0], device)
    weights = pr.asarray([1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0], device=device)
    assert grad(x, (x.pad([(2, 1)], PadMode.Reflect) * weights).sum()) == [100.0, 101010.0, 10001.0]
    assert grad(x, (x.pad([(2, 1)], PadMode.Edge) * weights).sum()) == [111.0, 1000.0, 110000.0]
    assert grad(x, (x.pad([(2, 1)], 5.0) * weights).sum()) == [100.0, 1000.0, 10000.0]


@pytest.mark.parametrize(
    ("shape", "padding", "mode", "text"),
    [
        ((2, 3), [(0, 0), (0, 0), (1, 1)], 0, "padding for 3 dimensions, the tensor has 2"),
        ((3,), [(3, 0)], PadMode.Reflect, "reflecting dimension 0 of size 3 gives at most 2"),
        ((0,), [(1, 0)], PadMode.Edge, "dimension 0 has size 0 and so no edge"),
        ((3,), (1, 1, 1, 1), 0, "padding for 2 dimensions, the tensor has 1"),
        ((3,), (1, 1), 0, "padding by ints takes four"),
        ((3,), [(-1, 0)], 0, r"the padding \(-1, 0\) is negative"),
        ((3,), [(1, 2, 3)], 0, "is no padding"),
        ((3,), [(1, 1)], "reflect", "expected a PadMode or a number"),
    ],
)
def test_bad_padding(shape: Any, padding: Any, mode: Any, text: str) -> None:
    with pytest.raises((ValueError, TypeError), match="^Tensor.pad: .*" + text):
        pr.zeros(shape).pad(padding, mode)


def test_padding_of_other_things() -> None:
    with pytest.raises(TypeError, match="^Tensor.pad: expected a tensor of kind Int or Float, got bool"):
        pr.asarray([True]).pad([(1, 1)], 0)
    assert pr.zeros((0, 2)).pad([(0, 0), (1, 1)], PadMode.Reflect).shape == (0, 4)
    assert repr(PadMode.Constant(2.0)) == "PadMode.Constant(2.0)"
    assert repr(PadMode.Edge) == "PadMode.Edge"


# -- draws by weight


def test_categorical(device: pr.Device) -> None:
    device.seed(0)
    weights = pr.asarray([[[0.0, 1.0, 3.0, 0.0]], [[2.0, 0.0, 0.0, 2.0]]], device=device)
    drawn = weights.categorical(4000)
    assert (drawn.shape, drawn.kind) == ((2, 1, 4000), pr.Int)
    counts = [np.bincount(row, minlength=4) / 4000 for row in drawn.numpy().reshape(2, 4000)]
    np.testing.assert_allclose(counts, [[0, 0.25, 0.75, 0], [0.5, 0, 0, 0.5]], atol=0.03)
    assert all(c[i] == 0 for c, zero in zip(counts, ([0, 3], [1, 2])) for i in zero)
    device.seed(0)
    assert weights.categorical(4000).to_list() == drawn.to_list()
    assert pr.asarray([5.0], device=device).categorical(2).to_list() == [0, 0]
    assert pr.asarray([1.0, 0.0], dtype=pr.float16, device=device).categorical(3).to_list() == [0, 0, 0]
    for call in (lambda: weights.categorical(0), lambda: pr.zeros((2, 0), device=device).categorical(1),
                 lambda: pr.asarray(1.0, device=device).categorical(1)):  # fmt: skip
        with pytest.raises(ValueError, match="^Tensor.categorical: "):
            call()
    with pytest.raises(TypeError, match="^Tensor.categorical: "):
        weights.int().categorical(1)
