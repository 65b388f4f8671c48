"""Devices: defaults and their lock, creation options, devices that are not there, moving, dtypes by Burn's names."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pyrite as pr
from pyrite import Device, DeviceConfig, DeviceIndex, DeviceKind, DeviceSettings, DeviceType, TensorCreationOptions


def fresh(code: str) -> str:
    """Runs code in a new process, for what holds a process long."""
    text = "import pyrite as pr\nfrom pyrite import *\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page() -> None:
    out = fresh(
        """
        device = Device()
        before = device.settings()
        device.configure((FloatDType.F16, IntDType.I32))
        assert device.settings() != before
        floats = Tensor.zeros([2, 3], device)
        print(floats.dtype, Tensor[pr.Int].zeros([1], device).dtype, Tensor.from_data([True]).dtype)
        print(Tensor.zeros([2, 3], (device, DType.F64)).dtype, floats.cast(FloatDType.F64).dtype)
        try:
            Device.cpu().configure(FloatDType.F32)
        except DeviceError.AlreadyInitialized as error:
            print(error)
        print(Device.flex().settings() == before)
        """
    )
    lines = out.splitlines()
    assert lines[0] == "pyrite.float16 pyrite.int32 pyrite.bool"
    assert lines[1] == "pyrite.float64 pyrite.float64"
    assert lines[2] == "Device.configure: the default dtypes of device cpu are locked: it was configured before"
    assert lines[3] == "Hint: configure the device before anything else, or pass dtype= at creation"
    assert lines[4] == "True"


@pytest.mark.parametrize(
    "create",
    [
        "Tensor.zeros([1])",
        "Tensor.zeros([1], dtype=pr.float64)",
        "pr.asarray([1])",
        "pr.arange(3)",
        "pr.asarray([1], device='flex').to_device(Device())",
        "Device().autodiff() and Tensor.ones([1], Device().autodiff())",
        "Tensor.random([1], Distribution.Default)",
        "Tensor([1])",
    ],
)
def test_the_first_tensor_locks(create: str) -> None:
    out = fresh(
        f"""
        Device().settings()
        {create}
        try:
            set_default_dtypes(Device(), FloatDType.F16, IntDType.I32)
        except DeviceError.AlreadyInitialized as error:
            print(error.reason)
        """
    )
    assert out == "the default dtypes of device cpu are locked: a tensor was already created on it\n"


def test_what_configure_takes() -> None:
    fresh(
        """
        d = Device.flex()
        for bad in (BoolStore.U8, (FloatDType.F16, BoolStore.U32), DeviceConfig(bool_dtype=BoolStore.U8)):
            try:
                d.configure(bad)
                raise SystemExit("configured")
            except DeviceError.UnsupportedDType:
                pass
        for bad in ("no", pr.complex64, 3, None, DeviceConfig(float_dtype=pr.int32)):
            try:
                d.configure(bad)
                raise SystemExit("configured")
            except TypeError:
                pass
        d.configure(DeviceConfig(int_dtype=IntDType.U8))
        assert d.settings() == DeviceSettings.with_dtypes(pr.float32, pr.uint8, BoolStore.Native)
        assert Tensor.from_ints([1], d).dtype is pr.uint8
        Device.cpu().configure(BoolStore.Native)
        assert Device.cpu().settings() == DeviceSettings()
        """
    )
    fresh(
        """
        set_default_dtypes(Device.flex(), FloatDType.F64, IntDType.I16)
        assert Tensor.ones([1], Device.flex()).dtype is pr.float64
        assert Device.enumerate(DeviceType.Cpu).configure(FloatDType.F64) is None
        assert Tensor.ones([1]).dtype is pr.float64
        """
    )


def test_handles() -> None:
    assert Device() == Device.default() == Device.cpu()
    assert Device.flex() != Device.cpu()
    assert Device().autodiff() == Device()
    assert hash(Device().autodiff()) == hash(Device())
    assert Device().autodiff().inner().is_autodiff() is False
    d = Device().autodiff().gradient_checkpointing()
    assert d.gradient_checkpointing_strategy() is pr.GradientCheckpointingStrategy.Balanced
    with pytest.raises(pr.DeviceError, match="autodiff is already on"):
        d.autodiff()


@pytest.mark.parametrize(
    "name",
    [
        "wgpu", "vulkan", "metal", "webgpu", "cuda", "rocm", "libtorch_cuda",
        "libtorch", "libtorch_mps", "libtorch_vulkan", "ndarray",
    ],
)  # fmt: skip
def test_devices_that_are_not_there(name: str) -> None:
    with pytest.raises(pr.DeviceError) as caught:
        getattr(Device, name)()
    assert str(caught.value) == f"Device.{name}: there is no device {name}; there are cpu, flex"


def test_device_selectors() -> None:
    with pytest.raises(ValueError, match="-1 is not the number of a device"):
        Device.cuda(-1)
    with pytest.raises(ValueError, match="-2"):
        DeviceIndex(-2)
    with pytest.raises(pr.DeviceError):
        Device.cuda(DeviceIndex(0))
    for kind in (DeviceKind.Cpu, DeviceKind.DiscreteGpu(0), DeviceKind.IntegratedGpu(1), DeviceKind.VirtualGpu(0),
                 DeviceKind.Existing(3), DeviceKind.DefaultDevice):  # fmt: skip
        with pytest.raises(pr.DeviceError):
            Device.wgpu(kind)
    with pytest.raises(pr.DeviceError, match="there is no device 'tpu'; there are cpu, flex"):
        Device("tpu")


def test_enumerate() -> None:
    assert pr.DeviceFilter is DeviceType
    both = Device.enumerate(DeviceType.Cpu | DeviceType.Flex)
    assert list(both) == both.into_vec() == [Device.cpu(), Device.flex()]
    assert (len(both), both[1], list(both[1:])) == (2, Device.flex(), [Device.flex()])
    assert list(Device.enumerate([DeviceType.Flex])) == [Device.flex()]
    assert all(d.is_autodiff() for d in both.autodiff())
    with pytest.raises(TypeError, match="'cpu' is not a DeviceType"):
        Device.enumerate(["cpu"])  # type: ignore[list-item]


@pytest.mark.parametrize("name", ["cpu", "flex"])
def test_services(name: str) -> None:
    d = Device(name)
    x = pr.asarray(np.ones(1 << 16), device=d) + 1
    d.flush()
    d.sync()
    d.memory_cleanup()
    assert x.sum().into_scalar() == 2 << 16
    assert d.memory_persistent_allocations(3, lambda n: n + 1) == 4
    d.staging([x.to_data()])
    assert all(d.supports_dtype(t) for t in (pr.float16, pr.bfloat16, pr.uint8, pr.bool, "f32"))
    assert not d.supports_dtype("nothing")
    d.seed(5)
    first = pr.Tensor.random([4], pr.Distribution.Default, d).to_list()
    d.seed(5)
    assert pr.Tensor.random([4], pr.Distribution.Default, d).to_list() == first
    with pytest.raises(TypeError, match="^Device.seed: a seed is an int"):
        d.seed(1.5)  # type: ignore[arg-type]


def test_creation_options() -> None:
    flex = Device.flex()
    o = TensorCreationOptions.new(flex).with_dtype(pr.int8)
    t = pr.Tensor.zeros([2], o)
    assert (t.device, t.dtype) == (flex, pr.int8)
    assert o.with_device(Device()).device == Device()
    assert TensorCreationOptions.default() == TensorCreationOptions()
    assert TensorCreationOptions().dtype_or(pr.float64) is pr.float64
    assert o.dtype_or(pr.float64) is pr.int8
    assert pr.Tensor.zeros([1], TensorCreationOptions()).dtype is pr.float32
    assert pr.Tensor.zeros([1], (flex, pr.DType.F64)).dtype is pr.float64
    assert pr.Tensor.zeros([1], pr.float16, device=flex).device == flex
    with pytest.raises(ValueError, match="^Tensor.zeros: the dtype was given twice"):
        pr.Tensor.zeros([1], pr.float32, dtype=pr.float64)
    with pytest.raises(ValueError, match="the device was given twice"):
        pr.Tensor.zeros([1], flex, device=flex)
    with pytest.raises(TypeError, match="'cpu' is not a creation option"):
        pr.Tensor.zeros([1], "cpu")


def test_dtypes_by_name() -> None:
    assert pr.FloatDType.F32 is pr.DType.F32 is pr.float32
    assert pr.IntDType.U8 is pr.DType.U8 is pr.uint8
    for name in ["F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "Bool"]:
        assert getattr(pr.DType, name).name() == name.lower()
    assert pr.float32.name == "float32"
    sizes = {pr.float64: 8, pr.float16: 2, pr.bfloat16: 2, pr.int32: 4, pr.int8: 1, pr.bool: 1}
    assert all(d.size() == n for d, n in sizes.items())
    assert (pr.float16.is_float(), pr.int8.is_int(), pr.uint8.is_int(), pr.uint8.is_uint(), pr.bool.is_bool()) == (
        True, True, False, True, True,
    )  # fmt: skip
    assert pr.DType.Bool(pr.BoolStore.Native) is pr.bool
    assert pr.BoolDType is pr.BoolStore
    with pytest.raises(TypeError, match="bools are stored as"):
        pr.DType.Bool(pr.BoolStore.U8)
    with pytest.raises(TypeError, match="float32 is a dtype"):
        pr.float32(pr.BoolStore.Native)
    assert pr.FloatDType("f32") is pr.float32
    assert pr.IntDType(np.int8) is pr.int8
    with pytest.raises(TypeError, match="int8 is not a dtype of kind Float"):
        pr.FloatDType(pr.int8)
    info = pr.float16.finfo()
    assert isinstance(info, pr.FloatInfo)
    assert (info.epsilon, info.max, info.min, info.min_positive) == (2**-10, 65504.0, -65504.0, 2**-14)
    assert pr.int8.finfo() is None


def test_settings_are_values() -> None:
    assert DeviceSettings() == DeviceSettings.with_dtypes(pr.float32, pr.int64, pr.bool)
    with pytest.raises(AttributeError):
        DeviceSettings().float_dtype = pr.float64  # type: ignore[misc]
    assert DeviceConfig(float_dtype=pr.float16).int_dtype is None


# -- moving


def grad(leaf: pr.Tensor, loss: pr.Tensor) -> pr.Tensor:
    g = leaf.grad(loss.backward())
    assert g is not None
    return g


@pytest.mark.parametrize(("here", "there"), [("cpu", "flex"), ("flex", "cpu"), ("cpu", "cpu")])
@pytest.mark.parametrize("strategy", list(pr.GradientCheckpointingStrategy))
def test_gradients_cross_devices(here: str, there: str, strategy: pr.GradientCheckpointingStrategy) -> None:
    a, b = Device(here), Device(there)
    x = pr.asarray([1.0, 2.0, 3.0], device=a).autodiff().with_gradient_checkpointing_strategy(strategy).require_grad()
    moved = (x * x).to_device(b)
    assert moved.device == b
    assert moved.is_tracked()
    back = (moved.exp() * moved).to_device(a)
    loss = (back + x).sum()
    s = np.array([1.0, 4.0, 9.0])
    wanted = (np.exp(s) * s + np.exp(s)) * 2 * np.array([1.0, 2.0, 3.0]) + 1
    g = grad(x, loss)
    assert g.device == a
    np.testing.assert_allclose(g.numpy(), wanted, rtol=1e-6)


def test_a_moved_leaf_is_none() -> None:
    x = pr.asarray([1.0]).autodiff().require_grad()
    y = x.to_device(Device.flex())
    assert not y.is_require_grad()
    with pytest.raises(pr.GradientError, match="only a leaf"):
        y.require_grad()
    z = y.detach().require_grad()
    assert grad(z, z * 3).to_list() == [3.0]
    assert grad(x, y * 2).to_list() == [2.0]


def test_moving_keeps_the_association() -> None:
    plain = pr.asarray([1.0])
    assert not plain.to_device(Device.flex().autodiff()).is_autodiff()
    assert plain.autodiff().to_device(Device.flex()).is_autodiff()
    count = pr.asarray([1, 2]).autodiff().to_device(Device.flex())
    assert (count.to_list(), count.is_autodiff(), count.device) == ([1, 2], True, Device.flex())
    strategy = pr.GradientCheckpointingStrategy.Balanced
    x = plain.autodiff().with_gradient_checkpointing_strategy(strategy)
    assert x.to_device(Device.flex()).gradient_checkpointing_strategy() is strategy


def test_loading_to_a_device() -> None:
    x = pr.asarray([1.0]).autodiff().require_grad()
    assert x.load_to_device(Device()) is x
    y = (x * 2).load_to_device(Device.flex())
    assert (y.device, y.is_tracked(), y.is_autodiff()) == (Device.flex(), False, True)
    assert pr.asarray([1]).load_to_device(Device.flex()).to_list() == [1]


def test_second_derivatives_cross_devices() -> None:
    f = pr.grad(lambda x: (x * x * x).to_device(Device.flex()).sum())
    g = pr.grad(lambda x: f(x).sum())(pr.asarray([2.0]))
    assert g.to_list() == [12.0]


def test_mixed_devices() -> None:
    with pytest.raises(pr.DeviceError, match="tensors are on different devices"):
        pr.asarray([1.0]).add(pr.asarray([1.0], device="flex"))
