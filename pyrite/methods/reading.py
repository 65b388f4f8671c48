"""Reading values, and moving between devices: Burn's methods, name for name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, cast_to
from ..backends.autodiff import Traced
from ..device import Device, as_device
from ..dtypes import as_dtype
from ..errors import DeviceError, public

if TYPE_CHECKING:
    from ..tensor import Tensor


def _number(t: Handle, dtype: Any) -> Any:
    kept = t if dtype is None else cast_to(t, as_dtype(dtype))
    return kept._single()  # type: ignore[attr-defined]


class Reading(Handle):
    """Values as Python numbers, and tensors on other devices."""

    __slots__ = ()

    @public("Tensor.into_scalar")
    def into_scalar(self, dtype: Any = None) -> Any:
        """The single element as a Python number, converted to `dtype` first if one is given.

        Raises `ShapeError` unless there is exactly one element.

        Example:
            >>> pr.asarray([[2.5]]).into_scalar()
            2.5

        Source: Burn, `Tensor::into_scalar`.
        """
        return _number(self, dtype)

    @public("Tensor.try_into_scalar")
    def try_into_scalar(self, dtype: Any = None) -> Any:
        """The same as `into_scalar`.

        Source: Burn, `Tensor::try_into_scalar`.
        """
        return _number(self, dtype)

    @public("Tensor.to_device")
    def to_device(self, device: Device) -> Tensor:
        """The same values on a device; a tracked tensor stays in its graph.

        Example:
            >>> pr.asarray([1.0]).to_device(pr.Device.flex()).device
            Device('flex')

        Source: Burn, `Tensor::to_device`.
        """
        where = as_device(device)
        if isinstance(self._v, Traced):
            if where != self.device:  # type: ignore[attr-defined]
                raise DeviceError("a tensor with autodiff cannot go to another device", "call .inner() first")
            return apply("cast", (self,), self._v.dtype)
        from ..interop import move

        return self if where == self.device else move(self, where)  # type: ignore[attr-defined, return-value]
