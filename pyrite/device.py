"""Devices: settings, lock, seed, default order and the backend that runs their tensors."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from . import dtypes
from .backends.autodiff import GradientCheckpointingStrategy
from .backends.base import Backend
from .backends.compiled import CompiledBackend
from .backends.reference import ReferenceBackend
from .dtypes import DType, as_dtype
from .errors import ArgumentError, DeviceError, DTypeError
from .ops.random import fold_key, key_of


@dataclass(frozen=True)
class DeviceSettings:
    """The default dtypes of a device."""

    float_dtype: DType = dtypes.float32
    int_dtype: DType = dtypes.int64
    bool_dtype: DType = dtypes.bool_


class _Hardware:
    """What all handles of one device share."""

    def __init__(self, name: str, shown: str, backend: Backend) -> None:
        self.name = name
        self.shown = shown
        self.backend = backend
        self.settings = DeviceSettings()
        self.locked = False
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
            raise DeviceError(f"there is no device {name!r}; there are {', '.join(_HARDWARE)}")
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
        """The default dtypes."""
        return self._hardware.settings

    def configure(self, defaults: Any) -> None:
        """Sets the default float and int dtypes, before the first tensor of the device is made.

        `defaults` is a float or int dtype or a pair of both. Raises `DeviceError` when the
        defaults are locked, `DTypeError` for other dtypes.
        """
        hardware = self._hardware
        given = defaults if isinstance(defaults, (tuple, list)) else (defaults,)
        settings = hardware.settings
        chosen = {"float_dtype": settings.float_dtype, "int_dtype": settings.int_dtype}
        for d in map(as_dtype, given):
            if d.is_float():
                chosen["float_dtype"] = d
            elif d.kind is dtypes.Int:
                chosen["int_dtype"] = d
            else:
                raise DTypeError(f"{d.name} cannot be a default dtype: expected a float or an int dtype")
        if hardware.locked:
            raise DeviceError(
                f"the defaults of device {self.name} are locked: a tensor was already created on it",
                "configure the device first, or pass dtype= at creation",
            )
        hardware.settings = DeviceSettings(**chosen)

    def seed(self, seed: int) -> None:
        """Restarts the device's stream of random numbers: what follows depends on `seed` alone."""
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
        self._hardware.locked = True
        return self._hardware.settings

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


_CPU = Device("cpu")
_FLEX = Device("flex")


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
