"""The doors between a tensor and the layers below it, for code that extends Pyrite from outside.

A bridge carries its kind, a dispatch tensor is any backend's value, a primitive is the handle of one
backend. All hold the value itself: nothing is copied, and the tape stays attached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..apply import Handle, wrap
from ..backends.autodiff import Traced, Value, array_of
from ..backends.base import Array, Backend
from ..device import Device, as_device
from ..dtypes import DType, Kind
from ..errors import DeviceError, PrimitiveConversionError, public
from ..layout import Shape

if TYPE_CHECKING:
    from ..tensor import Tensor


@dataclass(frozen=True, eq=False)
class BridgeTensor:
    """The value under a tensor, with its kind; opaque.

    Source: Burn, `BridgeTensor`.
    """

    kind: type[Kind]
    value: Value

    def __repr__(self) -> str:
        return f"BridgeTensor({self.kind.__name__}, {self.value.dtype.name}, {self.value.shape})"


@dataclass(frozen=True, eq=False)
class DispatchTensor:
    """The value of any backend, without a kind: its dtype decides.

    Source: Burn, `DispatchTensor`.
    """

    value: Value

    @property
    def shape(self) -> Shape:
        """The sizes of the axes.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.shape
            (2, 2)
        """
        return Shape(self.value.shape)

    @property
    def dtype(self) -> DType:
        """The element type.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.dtype
            pyrite.float32
        """
        return self.value.dtype

    def __repr__(self) -> str:
        return f"DispatchTensor({self.dtype.name}, {self.shape})"


def _backend(wanted: Any) -> Backend:
    if isinstance(wanted, Backend):
        return wanted
    try:
        return as_device(wanted).backend
    except DeviceError as error:
        raise PrimitiveConversionError.BackendMismatch(error.reason) from None


class Bridged(Handle):
    """From a tensor to the layers below it and back."""

    __slots__ = ()
    _kind: ClassVar[type[Kind] | None] = None

    @classmethod
    def _wrapped(cls, value: Any) -> Tensor:
        if not isinstance(value, (Array, Traced)):
            raise PrimitiveConversionError(f"{type(value).__name__} is not the value of a backend")
        if cls._kind is not None and value.dtype.kind is not cls._kind:
            raise PrimitiveConversionError.KindMismatch(
                f"a {value.dtype.name} value is of kind {value.dtype.kind.__name__}, not {cls._kind.__name__}"
            )
        return wrap(value)

    @classmethod
    @public("Tensor.new")
    def new(cls, primitive: BridgeTensor) -> Tensor:
        """The tensor over what `into_bridge` gave.

        Raises `PrimitiveConversionError.KindMismatch` (a `DTypeError`) when `Tensor[K].new` gets another kind.

        Example:
            >>> pr.Tensor.new(pr.asarray([1, 2]).into_bridge()).to_list()
            [1, 2]

        Source: Burn, `Tensor::new`.
        """
        return cls._from(primitive)

    @classmethod
    @public("Tensor.from_bridge")
    def from_bridge(cls, bridge: BridgeTensor) -> Tensor:
        """The same as `new`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> pr.Tensor.from_bridge(t.into_bridge()).to_list()
            [1, 2, 3]

        Source: Burn, `Tensor::from_bridge`.
        """
        return cls._from(bridge)

    @classmethod
    def _from(cls, bridge: BridgeTensor) -> Tensor:
        if not isinstance(bridge, BridgeTensor):
            raise PrimitiveConversionError(f"expected what into_bridge gives, got {type(bridge).__name__}")
        return cls._wrapped(bridge.value)

    def into_bridge(self) -> BridgeTensor:
        """The value under the tensor, with its kind.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> pr.Tensor.from_bridge(t.into_bridge()).to_list()
            [1, 2, 3]

        Source: Burn, `Tensor::into_bridge`.
        """
        return BridgeTensor(self._v.dtype.kind, self._v)

    @classmethod
    @public("Tensor.from_dispatch")
    def from_dispatch(cls, tensor: DispatchTensor) -> Tensor:
        """The tensor over a dispatch tensor; its dtype decides the kind.

        Raises `PrimitiveConversionError.KindMismatch` when that is not the K of `Tensor[K].from_dispatch`.

        Example:
            >>> pr.Tensor.from_dispatch(pr.asarray([1.5]).into_dispatch()).to_list()
            [1.5]

        Source: Burn, `Tensor::from_dispatch`.
        """
        if not isinstance(tensor, DispatchTensor):
            raise PrimitiveConversionError(f"expected what into_dispatch gives, got {type(tensor).__name__}")
        return cls._wrapped(tensor.value)

    def into_dispatch(self) -> DispatchTensor:
        """The value under the tensor, without its kind.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> type(t.into_dispatch()).__name__
            'DispatchTensor'

        Source: Burn, `Tensor::into_dispatch`.
        """
        return DispatchTensor(self._v)

    @public("Tensor.try_into_primitive")
    def try_into_primitive(self, backend: Device | Backend | str | None = None) -> Value:
        """The handle of the backend that the tensor is on: `primitive.backend.evaluate(primitive)` reads it.

        Autodiff is a backend of its own, `"autodiff"`: with any other one named, the tensor must have it off.

        Raises:
            PrimitiveConversionError.BackendMismatch: the tensor is on another backend, or autodiff is on.

        Example:
            >>> p = pr.asarray([1, 2]).try_into_primitive("cpu")
            >>> p.backend.evaluate(p).sum()
            np.int64(3)

        Source: Burn, `Tensor::try_into_primitive`.
        """
        return self._primitive(backend)

    @public("Tensor.into_primitive")
    def into_primitive(self, backend: Device | Backend | str | None = None) -> Value:
        """The same as `try_into_primitive`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> pr.Tensor.from_primitive(t.into_primitive()).to_list()
            [1, 2, 3]

        Source: Burn, `Tensor::into_primitive`.
        """
        return self._primitive(backend)

    def _primitive(self, backend: Any) -> Value:
        if backend is None:
            return self._v
        if isinstance(backend, str) and backend == "autodiff":
            if not isinstance(self._v, Traced):
                raise PrimitiveConversionError.BackendMismatch("the tensor has autodiff off", "call .autodiff() first")
            return self._v
        wanted = _backend(backend)
        if isinstance(self._v, Traced):
            raise PrimitiveConversionError.BackendMismatch(
                f"the tensor has autodiff on, {wanted.name} is the backend below it", "call .inner() first"
            )
        here = array_of(self._v).backend
        if here is not wanted:
            raise PrimitiveConversionError.BackendMismatch(f"the tensor is on backend {here.name}, not {wanted.name}")
        return self._v

    @classmethod
    @public("Tensor.from_primitive")
    def from_primitive(cls, primitive: Value) -> Tensor:
        """The tensor over a backend's handle.

        Raises `PrimitiveConversionError.KindMismatch` when it is not of the K of `Tensor[K].from_primitive`.

        Example:
            >>> t = pr.asarray([1, 2, 3])
            >>> pr.Tensor.from_primitive(t.into_primitive()).to_list()
            [1, 2, 3]

        Source: Burn, `Tensor::from_primitive`.
        """
        return cls._wrapped(primitive)
