"""What the namespace can do, asked through `pr.__array_namespace_info__()`."""

from __future__ import annotations

from ..device import Device, DeviceType, as_device
from ..dtypes import ALL, Complex, DType, Float, Int, bfloat16, float16, int64
from ..errors import public
from .data_types import isdtype

__all__ = ["Info", "__array_namespace_info__"]

_BEYOND = (float16, bfloat16)  # the standard does not have them


class Info:
    """The answers: capabilities, devices and dtypes. Source: array API, `__array_namespace_info__`."""

    @staticmethod
    @public("Info.capabilities")
    def capabilities() -> dict[str, bool | int | None]:
        """Boolean indexing, shapes that depend on data, and the greatest rank (None: there is no limit here).

        Example:
            >>> pr.__array_namespace_info__().capabilities()["boolean indexing"]
            True
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    @staticmethod
    @public("Info.default_device")
    def default_device() -> Device:
        """The device of tensors that are created without one."""
        return Device.default()

    @staticmethod
    @public("Info.devices")
    def devices() -> tuple[Device, ...]:
        """The devices that are there.

        Example:
            >>> pr.__array_namespace_info__().devices()
            (Device('cpu'), Device('flex'))
        """
        return tuple(Device.enumerate(DeviceType.Cpu | DeviceType.Flex))

    @staticmethod
    @public("Info.default_dtypes")
    def default_dtypes(*, device: Device | str | None = None) -> dict[str, DType]:
        """The dtypes that a device (the default one) gives to Python numbers, and that of indices.

        Example:
            >>> pr.__array_namespace_info__().default_dtypes()["integral"]
            pyrite.int64
        """
        where = as_device(device)
        return {
            "real floating": where.default_dtype(Float),
            "complex floating": where.default_dtype(Complex),
            "integral": where.default_dtype(Int),
            "indexing": int64,
        }

    @staticmethod
    @public("Info.dtypes")
    def dtypes(*, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The standard's dtypes by name, all or those of a kind; every device has them all.

        `kind` is a name that `pr.isdtype` knows or a tuple of these. float16 and bfloat16 are beyond the standard.
        Raises `ArgumentError` for an unknown name.

        Example:
            >>> list(pr.__array_namespace_info__().dtypes(kind="real floating"))
            ['float64', 'float32']
        """
        as_device(device)
        return {str(d.name): d for d in ALL if d not in _BEYOND and (kind is None or isdtype(d, kind))}


def __array_namespace_info__() -> type[Info]:
    """What the namespace can do: `capabilities`, `devices`, `default_device`, `dtypes`, `default_dtypes`.

    Example:
        >>> pr.__array_namespace_info__().default_device()
        Device('cpu')

    Source: array API, `__array_namespace_info__`.
    """
    return Info
