"""Devices: settings, lock, seed, default order and the backend that runs their tensors."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Flag
from typing import Any, ClassVar, TypeVar, overload

from . import dtypes
from .backends.autodiff import GradientCheckpointingStrategy
from .backends.base import Backend
from .backends.compiled import CompiledBackend
from .backends.reference import ReferenceBackend
from .dtypes import BoolStore, DType, as_dtype
from .errors import ArgumentError, DeviceError, DTypeError, public
from .ops.random import fold_key, key_of
from .storage import POOL

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class DeviceSettings:
    """The default dtypes of a device."""

    float_dtype: DType = dtypes.float32
    int_dtype: DType = dtypes.int64
    bool_dtype: DType = dtypes.bool_

    @staticmethod
    def with_dtypes(float_dtype: DType, int_dtype: DType, bool_dtype: Any = dtypes.bool_) -> DeviceSettings:
        """Settings with these defaults."""
        return DeviceSettings(as_dtype(float_dtype), as_dtype(int_dtype), as_dtype(bool_dtype))


@dataclass(frozen=True)
class DeviceConfig:
    """Defaults for `Device.configure`; what is None keeps the backend's default."""

    float_dtype: Any = None
    int_dtype: Any = None
    bool_dtype: Any = None


class DeviceType(Flag):
    """The devices that are there; `|` joins them for `Device.enumerate`."""

    Cpu = 1
    Flex = 2


DeviceFilter = DeviceType


@dataclass(frozen=True)
class DeviceIndex:
    """The number of a device among those of its sort; `DeviceIndex.Default` leaves the choice to the backend."""

    index: int | None = None
    Default: ClassVar[DeviceIndex]

    def __post_init__(self) -> None:
        if self.index is not None and (isinstance(self.index, bool) or operator.index(self.index) < 0):
            raise ArgumentError(f"{self.index!r} is not the number of a device: expected an int from 0 on")


DeviceIndex.Default = DeviceIndex()


@dataclass(frozen=True)
class DeviceKind:
    """Which GPU `Device.wgpu` and its relatives should take."""

    name: str
    index: int | None = None
    Cpu: ClassVar[DeviceKind]
    DefaultDevice: ClassVar[DeviceKind]

    @staticmethod
    def DiscreteGpu(index: int) -> DeviceKind:
        """A GPU with memory of its own."""
        return DeviceKind("DiscreteGpu", DeviceIndex(index).index)

    @staticmethod
    def IntegratedGpu(index: int) -> DeviceKind:
        """A GPU that shares the processor's memory."""
        return DeviceKind("IntegratedGpu", DeviceIndex(index).index)

    @staticmethod
    def VirtualGpu(index: int) -> DeviceKind:
        """A virtual GPU."""
        return DeviceKind("VirtualGpu", DeviceIndex(index).index)

    @staticmethod
    def Existing(index: int) -> DeviceKind:
        """A device that another library has set up."""
        return DeviceKind("Existing", DeviceIndex(index).index)


DeviceKind.Cpu = DeviceKind("Cpu")
DeviceKind.DefaultDevice = DeviceKind("DefaultDevice")


class _Hardware:
    """What all handles of one device share."""

    def __init__(self, name: str, shown: str, backend: Backend) -> None:
        self.name = name
        self.shown = shown
        self.backend = backend
        self.settings = DeviceSettings()
        self.locked = ""  # why the defaults cannot be set any more
        self.key = key_of(0)
        self.draws = 0
        self.lock = threading.Lock()


_HARDWARE = {
    "cpu": _Hardware("cpu", "Cpu", CompiledBackend()),
    "flex": _Hardware("flex", "Cpu", ReferenceBackend()),
}
_BY_BACKEND = {h.backend: h for h in _HARDWARE.values()}


class Device:
    """Where tensors live: `Device.cpu()`, the default, compiles; `Device.flex()` runs NumPy, one op at a time.

    Two handles are equal when their hardware is; autodiff and default order belong to the handle.
    Raises `DeviceError` for an unknown name and `ArgumentError` for an unknown order.
    """

    __slots__ = ("_hardware", "_strategy", "_order")

    def __init__(self, name: str = "cpu", *, default_order: str = "C") -> None:
        hardware = _HARDWARE.get(name)
        if hardware is None:
            raise _missing(repr(name))
        self._hardware = hardware
        self._strategy: GradientCheckpointingStrategy | None = None
        self._order = "C"
        self.default_order = default_order

    @staticmethod
    def cpu() -> Device:
        """The compiled CPU device."""
        return _CPU

    @staticmethod
    def flex() -> Device:
        """The NumPy device: eager, the oracle of the tests."""
        return _FLEX

    @staticmethod
    def default() -> Device:
        """The default device, `Device.cpu()`."""
        return _CPU

    @staticmethod
    @public("Device.wgpu")
    def wgpu(kind: DeviceKind = DeviceKind.DefaultDevice) -> Device:
        """A GPU through WebGPU: not there, so it raises `DeviceError` naming the devices that are."""
        raise _missing("wgpu")

    @staticmethod
    @public("Device.vulkan")
    def vulkan(kind: DeviceKind = DeviceKind.DefaultDevice) -> Device:
        """A GPU through Vulkan: not there, raises `DeviceError`."""
        raise _missing("vulkan")

    @staticmethod
    @public("Device.metal")
    def metal(kind: DeviceKind = DeviceKind.DefaultDevice) -> Device:
        """A GPU through Metal: not there, raises `DeviceError`."""
        raise _missing("metal")

    @staticmethod
    @public("Device.webgpu")
    def webgpu(kind: DeviceKind = DeviceKind.DefaultDevice) -> Device:
        """A GPU of a browser: not there, raises `DeviceError`."""
        raise _missing("webgpu")

    @staticmethod
    @public("Device.cuda")
    def cuda(index: DeviceIndex | int = DeviceIndex.Default) -> Device:
        """An NVIDIA GPU: not there, raises `DeviceError`; `ArgumentError` for a negative number."""
        raise _missing("cuda", index)

    @staticmethod
    @public("Device.rocm")
    def rocm(index: DeviceIndex | int = DeviceIndex.Default) -> Device:
        """An AMD GPU: not there, raises `DeviceError`; `ArgumentError` for a negative number."""
        raise _missing("rocm", index)

    @staticmethod
    @public("Device.libtorch_cuda")
    def libtorch_cuda(index: DeviceIndex | int = DeviceIndex.Default) -> Device:
        """LibTorch on an NVIDIA GPU: not there, raises `DeviceError`; `ArgumentError` for a negative number."""
        raise _missing("libtorch_cuda", index)

    @staticmethod
    @public("Device.libtorch")
    def libtorch() -> Device:
        """LibTorch on the processor: not there, raises `DeviceError`."""
        raise _missing("libtorch")

    @staticmethod
    @public("Device.libtorch_mps")
    def libtorch_mps() -> Device:
        """LibTorch on Apple's GPU: not there, raises `DeviceError`."""
        raise _missing("libtorch_mps")

    @staticmethod
    @public("Device.libtorch_vulkan")
    def libtorch_vulkan() -> Device:
        """LibTorch through Vulkan: not there, raises `DeviceError`."""
        raise _missing("libtorch_vulkan")

    @staticmethod
    @public("Device.ndarray")
    def ndarray() -> Device:
        """Burn's backend over Rust's ndarray: not there, raises `DeviceError`; `Device.flex()` is NumPy's."""
        raise _missing("ndarray")

    @staticmethod
    @public("Device.enumerate")
    def enumerate(filter: DeviceType | Sequence[DeviceType]) -> Devices:
        """The devices of the given types.

        Example:
            >>> pr.Device.enumerate(pr.DeviceType.Cpu | pr.DeviceType.Flex)
            Devices([Device('cpu'), Device('flex')])

        Source: Burn, `Device::enumerate`.
        """
        wanted = DeviceType(0)
        for part in [filter] if isinstance(filter, DeviceType) else filter:
            if not isinstance(part, DeviceType):
                raise DTypeError(f"{part!r} is not a DeviceType")
            wanted |= part
        found = [d for flag, d in ((DeviceType.Cpu, _CPU), (DeviceType.Flex, _FLEX)) if flag in wanted]
        return Devices(found)

    @property
    def name(self) -> str:
        """`"cpu"` or `"flex"`."""
        return self._hardware.name

    @property
    def default_order(self) -> str:
        """How data fills a shape at creation: `"C"` (row-major) or `"F"` (column-major)."""
        return self._order

    @default_order.setter
    def default_order(self, order: str) -> None:
        if order not in ("C", "F"):
            raise ArgumentError(f'default_order {order!r} is not "C" or "F"')
        self._order = order

    def set_default_order(self, order: str) -> None:
        """Sets `default_order`."""
        self.default_order = order

    def settings(self) -> DeviceSettings:
        """The default dtypes. Reading them does not lock them."""
        return self._hardware.settings

    @public("Device.configure")
    def configure(self, config: Any) -> None:
        """Sets the device's default dtypes for the whole process: once, and before its first tensor is made.

        `config` is a Float dtype, an Int dtype, a `BoolStore`, a tuple of those or a `DeviceConfig`; what it
        leaves out keeps the backend's default.

        Raises:
            DeviceError.AlreadyInitialized: the device was configured before, or a tensor was created on it.
            DeviceError.UnsupportedDType: the device has no such dtype; nothing is locked then.
            DTypeError: `config` is something else.

        Source: Burn, `Device::configure`.
        """
        chosen = self._chosen(config)
        hardware = self._hardware
        with hardware.lock:
            if hardware.locked:
                raise DeviceError.AlreadyInitialized(
                    f"the default dtypes of device {self.name} are locked: {hardware.locked}",
                    "configure the device before anything else, or pass dtype= at creation",
                )
            hardware.settings = replace(DeviceSettings(), **chosen)
            hardware.locked = "it was configured before"

    def _chosen(self, config: Any) -> dict[str, DType]:
        """The fields of the settings that a configuration names."""
        parts: Any
        if isinstance(config, DeviceConfig):
            parts = [(name, getattr(config, name)) for name in ("float_dtype", "int_dtype", "bool_dtype")]
        else:
            parts = [(None, p) for p in (config if isinstance(config, (tuple, list)) else (config,))]
        chosen: dict[str, DType] = {}
        for name, value in parts:
            if value is None and name is not None:
                continue
            if isinstance(value, BoolStore) and value is not BoolStore.Native:
                raise DeviceError.UnsupportedDType(
                    f"device {self.name} does not store bools as {value}", "BoolStore.Native is the one store"
                )
            dtype = as_dtype(value)
            field = _FIELDS.get(dtype.kind)
            if field is None or name not in (None, field):
                raise DTypeError(f"{dtype.name} cannot be the {name or 'default dtype'} of a device")
            if field in chosen:
                raise ArgumentError(f"two dtypes were given for the {field}")
            chosen[field] = dtype
        return chosen

    def supports_dtype(self, dtype: Any) -> bool:
        """Can tensors of this dtype be stored, converted and computed with?

        Example:
            >>> pr.Device.cpu().supports_dtype(pr.bfloat16)
            True

        Source: Burn, `Device::supports_dtype`.
        """
        try:
            as_dtype(dtype)
        except DTypeError:
            return False
        return True

    @public("Device.seed")
    def seed(self, seed: int) -> None:
        """Restarts the device's stream of random numbers: what follows depends on `seed` alone."""
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise DTypeError(f"a seed is an int, not {type(seed).__name__} {seed!r}")
        with self._hardware.lock:
            self._hardware.key = key_of(seed)
            self._hardware.draws = 0

    def next_key(self) -> int:
        """A fresh key of the device's stream, as a Python int."""
        with self._hardware.lock:
            self._hardware.draws += 1
            return fold_key(self._hardware.key, self._hardware.draws)

    def sync(self) -> None:
        """Runs everything that is queued; raises what fails."""
        self._hardware.backend.settle()

    def flush(self) -> None:
        """The same as `sync`: a processor that computes has nothing to hand work over to."""
        self.sync()

    def memory_cleanup(self) -> None:
        """Gives unused buffers back to the system; values stay."""
        POOL.clear()

    def memory_persistent_allocations(self, input: A, func: Callable[[A], B]) -> B:
        """`func(input)`; memory needs no such hint here."""
        return func(input)

    def staging(self, datas: Any) -> None:
        """Nothing: data needs no preparation before it becomes a tensor here."""

    def autodiff(self) -> Device:
        """The device with autodiff on: tensors created on it can require gradients."""
        if self._strategy is not None:
            raise DeviceError(f"autodiff is already on for device {self.name}")
        return self._with(GradientCheckpointingStrategy.Disabled)

    def gradient_checkpointing(self) -> Device:
        """The autodiff device with the `Balanced` strategy."""
        if self._strategy is None:
            raise DeviceError(f"autodiff is off for device {self.name}", "call .autodiff() first")
        return self._with(GradientCheckpointingStrategy.Balanced)

    def gradient_checkpointing_strategy(self) -> GradientCheckpointingStrategy:
        """The strategy of an autodiff device."""
        if self._strategy is None:
            raise DeviceError(f"autodiff is off for device {self.name}", "call .autodiff() first")
        return self._strategy

    def inner(self) -> Device:
        """The device without autodiff."""
        return self._with(None)

    def is_autodiff(self) -> bool:
        """Is autodiff on?"""
        return self._strategy is not None

    def _with(self, strategy: GradientCheckpointingStrategy | None) -> Device:
        other = Device(self.name, default_order=self._order)
        other._strategy = strategy
        return other

    @property
    def backend(self) -> Backend:
        """What runs the ops."""
        return self._hardware.backend

    def lock(self) -> DeviceSettings:
        """The defaults, from now on fixed; every creation of a tensor calls it."""
        hardware = self._hardware
        if not hardware.locked:
            hardware.locked = "a tensor was already created on it"
        return hardware.settings

    def default_dtype(self, kind: type[dtypes.Kind]) -> DType:
        """The default dtype of a kind."""
        settings = self.settings()
        if kind is dtypes.Float:
            return settings.float_dtype
        if kind is dtypes.Int:
            return settings.int_dtype
        if kind is dtypes.Complex:
            return dtypes.complex128 if settings.float_dtype is dtypes.float64 else dtypes.complex64
        return settings.bool_dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other._hardware is self._hardware

    def __hash__(self) -> int:
        return hash(self._hardware.name)

    def __repr__(self) -> str:
        return f"Device({self.name!r})"

    def __str__(self) -> str:
        return self._hardware.shown

    def __reduce__(self) -> tuple[Any, ...]:
        return (Device, (self.name,))


_FIELDS: dict[type[dtypes.Kind], str] = {
    dtypes.Float: "float_dtype", dtypes.Int: "int_dtype", dtypes.Bool: "bool_dtype",
}  # fmt: skip
_CPU = Device("cpu")
_FLEX = Device("flex")


def _missing(what: str, index: Any = 0) -> DeviceError:
    if not isinstance(index, DeviceIndex):
        DeviceIndex(index)
    return DeviceError(f"there is no device {what}; there are {', '.join(_HARDWARE)}")


class Devices(Sequence[Device]):
    """Several devices, with the bulk forms of what one can do."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self._devices = list(devices)

    @overload
    def __getitem__(self, index: int) -> Device: ...
    @overload
    def __getitem__(self, index: slice) -> Devices: ...
    def __getitem__(self, index: int | slice) -> Device | Devices:
        return Devices(self._devices[index]) if isinstance(index, slice) else self._devices[index]

    def __len__(self) -> int:
        return len(self._devices)

    def __iter__(self) -> Iterator[Device]:
        return iter(self._devices)

    def __repr__(self) -> str:
        return f"Devices({self._devices!r})"

    def autodiff(self) -> Devices:
        """All with autodiff on."""
        return Devices([d.autodiff() for d in self._devices])

    def configure(self, config: Any) -> None:
        """Configures each; the first that cannot be raises."""
        for d in self._devices:
            d.configure(config)

    def into_vec(self) -> list[Device]:
        """The devices as a list."""
        return list(self._devices)


@public("pr.set_default_dtypes")
def set_default_dtypes(device: Device, float_dtype: Any, int_dtype: Any, bool_dtype: Any = BoolStore.Native) -> None:
    """Sets all default dtypes of a device; under the rules of `Device.configure`.

    Source: Burn, `set_default_dtypes`.
    """
    device.configure(DeviceConfig(float_dtype, int_dtype, bool_dtype))


@dataclass(frozen=True)
class TensorCreationOptions:
    """Where and as what to create a tensor; None means the default. Goes wherever `options` does.

    Example:
        >>> o = pr.TensorCreationOptions(pr.Device.flex()).with_dtype(pr.float64)
        >>> pr.Tensor.zeros([2], o).dtype
        pyrite.float64

    Source: Burn, `TensorCreationOptions`.
    """

    device: Device | None = None
    dtype: DType | None = None

    @staticmethod
    def new(device: Device) -> TensorCreationOptions:
        """Options with a device and its default dtype."""
        return TensorCreationOptions(device)

    @staticmethod
    def default() -> TensorCreationOptions:
        """The default device and its default dtype."""
        return TensorCreationOptions()

    def with_dtype(self, dtype: Any) -> TensorCreationOptions:
        """The options with another dtype."""
        return replace(self, dtype=as_dtype(dtype))

    def with_device(self, device: Device) -> TensorCreationOptions:
        """The options with another device."""
        return replace(self, device=device)

    def dtype_or(self, dtype: Any) -> DType:
        """The dtype of the options, else `dtype`."""
        return as_dtype(dtype) if self.dtype is None else self.dtype


def device_of(backend: Backend) -> Device:
    """The plain handle of a backend's device."""
    return _CPU if _BY_BACKEND[backend].name == "cpu" else _FLEX


def as_device(value: Any) -> Device:
    """A Device from a Device, a name, or None for the default."""
    if value is None:
        return _CPU
    if isinstance(value, Device):
        return value
    if isinstance(value, str):
        return Device(value)
    raise DeviceError(f"{value!r} is not a device")
