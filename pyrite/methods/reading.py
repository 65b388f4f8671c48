"""Reading values, and moving between devices: Burn's methods, name for name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..apply import Handle, apply, evaluate, wrap
from ..backends.autodiff import Traced
from ..backends.transfer import transfer
from ..data import TensorData, read
from ..device import Device, as_device
from ..dtypes import Float
from ..errors import ArgumentError, TensorReadError, public
from ..layout import size_of

if TYPE_CHECKING:
    from ..tensor import Tensor


def _number(t: Handle, dtype: Any) -> Any:
    count = size_of(t._v.shape)
    if count != 1:
        reason = f"a tensor of shape {t._v.shape} has {count} elements, not one"
        raise TensorReadError.InvalidShape(reason).given(expected=1, actual=count)
    data = TensorData.adopt(evaluate(t), t._v.dtype)
    return (data.try_to_vec() if dtype is None else data.try_to_vec_as(dtype))[0]


class Reading(Handle):
    """Values on the host, and tensors on other devices."""

    __slots__ = ()

    @public("Tensor.into_scalar")
    def into_scalar(self, dtype: Any = None) -> Any:
        """The single element as a Python number, converted to `dtype` first if one is given.

        Raises `TensorReadError.InvalidShape` (a `ShapeError`) unless there is exactly one element.

        Example:
            >>> pr.asarray([[2.5]]).into_scalar()
            2.5

        Source: Burn, `Tensor::into_scalar`.
        """
        return _number(self, dtype)

    @public("Tensor.try_into_scalar")
    def try_into_scalar(self, dtype: Any = None) -> Any:
        """The same as `into_scalar`.

        Example:
            >>> pr.asarray([2.5]).try_into_scalar()
            2.5

        Source: Burn, `Tensor::try_into_scalar`.
        """
        return _number(self, dtype)

    @public("Tensor.into_scalar_async")
    async def into_scalar_async(self, dtype: Any = None) -> Any:
        """The coroutine form of `into_scalar`. All coroutines here compute before they return, without a pause.

        Example:
            >>> import asyncio
            >>> asyncio.run(pr.asarray([2.5]).into_scalar_async())
            2.5

        Source: Burn, `Tensor::into_scalar_async`.
        """
        return _number(self, dtype)

    @public("Tensor.try_into_scalar_async")
    async def try_into_scalar_async(self, dtype: Any = None) -> Any:
        """The same as `into_scalar_async`.

        Example:
            >>> import asyncio
            >>> asyncio.run(pr.asarray([2.5]).try_into_scalar_async())
            2.5

        Source: Burn, `Tensor::try_into_scalar_async`.
        """
        return _number(self, dtype)

    @public("Tensor.to_data")
    def to_data(self) -> TensorData:
        """The values with shape and dtype on the host, independent of the tensor.

        Runs what is queued; raises the `ExecutionError` of what failed, for this tensor.

        Example:
            >>> data = pr.asarray([[1, 2]]).to_data()
            >>> data.shape, data.dtype, data.try_to_vec()
            ((1, 2), pyrite.int64, [1, 2])

        Source: Burn, `Tensor::to_data`.
        """
        return read(self)

    @public("Tensor.try_to_data")
    def try_to_data(self) -> TensorData:
        """The same as `to_data`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.try_to_data().numpy().tolist()
            [1, 2, 3]

        Source: Burn, `Tensor::try_to_data`.
        """
        return read(self)

    @public("Tensor.into_data")
    def into_data(self) -> TensorData:
        """The same as `to_data`: the tensor stays usable.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.into_data().numpy().tolist()
            [1, 2, 3]

        Source: Burn, `Tensor::into_data`.
        """
        return read(self)

    @public("Tensor.try_into_data")
    def try_into_data(self) -> TensorData:
        """The same as `to_data`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.try_into_data().numpy().tolist()
            [1, 2, 3]

        Source: Burn, `Tensor::try_into_data`.
        """
        return read(self)

    @public("Tensor.to_data_async")
    async def to_data_async(self) -> TensorData:
        """The coroutine form of `to_data`.

        Example:
            >>> import asyncio
            >>> asyncio.run(pr.asarray([1, 2]).to_data_async()).numpy().tolist()
            [1, 2]

        Source: Burn, `Tensor::to_data_async`.
        """
        return read(self)

    @public("Tensor.into_data_async")
    async def into_data_async(self) -> TensorData:
        """The coroutine form of `to_data`.

        Example:
            >>> import asyncio
            >>> asyncio.run(pr.asarray([1, 2]).into_data_async()).numpy().tolist()
            [1, 2]

        Source: Burn, `Tensor::into_data_async`.
        """
        return read(self)

    @public("Tensor.to_data_as")
    def to_data_as(self, dtype: Any) -> TensorData:
        """The values converted to a dtype: floats truncate toward zero, bools are 0 and 1.

        Raises `TensorReadError`: `ExecutionError` when the read fails, `DataError` without a conversion.

        Example:
            >>> print(pr.asarray([1.9, -1.9]).to_data_as(pr.int32))
            [1, -1]

        Source: Burn, `Tensor::to_data_as`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.try_to_data_as")
    def try_to_data_as(self, dtype: Any) -> TensorData:
        """The same as `to_data_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.try_to_data_as(pr.float32).numpy().tolist()
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::try_to_data_as`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.to_data_dtype")
    def to_data_dtype(self, dtype: Any) -> TensorData:
        """The same as `to_data_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.to_data_dtype(pr.float32).numpy().tolist()
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::to_data_dtype`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.try_to_data_dtype")
    def try_to_data_dtype(self, dtype: Any) -> TensorData:
        """The same as `to_data_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.try_to_data_dtype(pr.float32).numpy().tolist()
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::try_to_data_dtype`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.into_data_as")
    def into_data_as(self, dtype: Any) -> TensorData:
        """The same as `to_data_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.into_data_as(pr.float32).numpy().tolist()
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::into_data_as`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.try_into_data_as")
    def try_into_data_as(self, dtype: Any) -> TensorData:
        """The same as `to_data_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.try_into_data_as(pr.float32).numpy().tolist()
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::try_into_data_as`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.into_data_dtype")
    def into_data_dtype(self, dtype: Any) -> TensorData:
        """The same as `to_data_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.into_data_dtype(pr.float32).numpy().tolist()
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::into_data_dtype`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.try_into_data_dtype")
    def try_into_data_dtype(self, dtype: Any) -> TensorData:
        """The same as `to_data_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.try_into_data_dtype(pr.float32).numpy().tolist()
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::try_into_data_dtype`.
        """
        return read(self).try_cast(dtype)

    @public("Tensor.try_to_vec_as")
    def try_to_vec_as(self, dtype: Any) -> list[Any]:
        """The values converted to a dtype, as a flat row-major list of Python numbers.

        Example:
            >>> pr.asarray([[1.9, -1.9]]).try_to_vec_as(pr.int32)
            [1, -1]

        Source: Burn, `Tensor::try_to_vec_as`.
        """
        return read(self).try_to_vec_as(dtype)

    @public("Tensor.try_into_vec_as")
    def try_into_vec_as(self, dtype: Any) -> list[Any]:
        """The same as `try_to_vec_as`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.try_into_vec_as(pr.float32)
            [1.0, 2.0, 3.0]

        Source: Burn, `Tensor::try_into_vec_as`.
        """
        return read(self).try_to_vec_as(dtype)

    @public("Tensor.to_device")
    def to_device(self, device: Device, *, stream: None = None) -> Tensor:
        """The same values on a device. The tensor keeps its autodiff association, whatever the device's is.

        Devices here have no streams: anything but None raises `ArgumentError`.

        For a tracked tensor this is a recorded operation, on its own device too: gradients flow back, and the result
        is no leaf; `.detach().require_grad()` starts a new one.

        Example:
            >>> pr.asarray([1.0]).to_device(pr.Device.flex()).device
            Device('flex')

        Source: Burn, `Tensor::to_device`.
        """
        if stream is not None:
            raise ArgumentError(f"devices have no streams, got stream {stream!r}")
        where = as_device(device)
        here: Device = self.device  # type: ignore[attr-defined]
        if where != here:
            where.lock()
            return wrap(transfer(self._v, where.backend))
        return apply("cast", (self,), self._v.dtype) if isinstance(self._v, Traced) else wrap(self._v)

    @public("Tensor.load_to_device")
    def load_to_device(self, device: Device) -> Tensor:
        """This tensor if it is on the device; else moved there, a Float one without its history.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> t.load_to_device(pr.Device.flex()).device
            Device('flex')

        Source: Burn, `Parameter::load_to_device`.
        """
        where = as_device(device)
        t: Tensor = self  # type: ignore[assignment]
        if where == t.device:
            return t
        moved = t.to_device(where)
        return moved.detach() if moved.kind is Float else moved
