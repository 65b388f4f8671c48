"""`Tensor`: a handle on a value of the engine, with the methods of all topics."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .apply import Handle, apply, array_in, evaluate, set_tensor_class, wrap
from .backends.autodiff import Traced
from .device import Device, device_of
from .display import format_tensor, get_print_options
from .dtypes import DType, Kind
from .errors import ArgumentError, DTypeError, ShapeError, public
from .interop import Exchange
from .layout import Ints, Layout, Shape, size_of
from .methods.basic import Selecting
from .methods.bool_int import Bits, Casts
from .methods.creation import Creation
from .methods.floating import Floating
from .methods.gradients import Autodiff
from .methods.grid import GridSampling
from .methods.handles import Handles
from .methods.indexing import Indexing
from .methods.numeric import Arithmetic
from .methods.operators import Operators
from .methods.ordering import Ordering
from .methods.padding import Padding
from .methods.reading import Reading
from .methods.reducing import Reductions
from .methods.shapes import Shapes

if TYPE_CHECKING:
    # for annotations: `pr.Tensor[pr.Int]`; `pr.Tensor` alone is of any kind
    from typing import Generic

    from typing_extensions import TypeVar

    K = TypeVar("K", bound=Kind, default=Any)

    class OfKind(Generic[K]):
        """The kind in an annotation."""

else:

    class OfKind:
        """The kind in an annotation; nothing at run time."""

        __slots__ = ()

        def __class_getitem__(cls, kind: object) -> type:
            return cls

    K = None

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")  # of the array API


class Tensor(
    Operators, Indexing, Autodiff, Creation, Shapes, Selecting, Padding, Arithmetic, Reductions, Ordering, Floating,
    GridSampling, Bits, Casts, Handles, Reading, Exchange, OfKind[K],
):  # fmt: skip
    """A tensor: numbers of one dtype in a shape, on a device.

    Made by `pr.asarray`, `pr.zeros` and the other creation functions; `pr.Tensor(data)` is `Tensor.from_data`.
    `pr.Tensor[pr.Int]` creates tensors of that kind. Operations are queued and run when a value is read;
    errors in shapes, dtypes and axes are raised at the call.

    Example:
        >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
        >>> (t * 2 + 1).to_list()
        [[3.0, 5.0], [7.0, 9.0]]
    """

    __slots__ = ()

    @public("pr.Tensor")
    def __init__(self, data: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> None:
        self._v = type(self)._data(data, options, dtype, device, None)._v

    @property
    def shape(self) -> Shape:
        """The sizes of the axes, a tuple.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.shape
            (2, 2)
        """
        return Shape(self._v.shape)

    @property
    def dims(self) -> Shape:
        """The same as `shape`.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.dims
            (2, 2)
        """
        return Shape(self._v.shape)

    @property
    def rank(self) -> int:
        """The number of axes.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.rank
            2
        """
        return len(self._v.shape)

    @property
    def ndim(self) -> int:
        """The number of axes.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.ndim
            2
        """
        return len(self._v.shape)

    @property
    def size(self) -> int:
        """The number of elements.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.size
            4
        """
        return size_of(self._v.shape)

    @property
    def dtype(self) -> DType:
        """The element type.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.dtype
            pyrite.float32
        """
        return self._v.dtype

    @property
    def kind(self) -> type[Kind]:
        """`pr.Float`, `pr.Int`, `pr.Bool` or `pr.Complex`.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.kind.__name__
            'Float'
        """
        return self._v.dtype.kind

    @property
    def device(self) -> Device:
        """The device that holds the tensor, with autodiff on if the tensor has it.

        Example:
            >>> pr.ones(3).device
            Device('cpu')
        """
        device = device_of(array_in(self).backend)
        v = self._v
        return device._with(v.strategy) if type(v) is Traced else device

    @property
    def layout(self) -> Layout:
        """Where the elements sit in the tensor's buffer, counted in elements.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> print(t.T.layout)
            2-Dim, contiguous: Ff, shape: [2, 2], stride: [1, 2], offset: 0
        """
        node = array_in(self).node
        return Layout.raw(node.shape, node.element_strides(), node.offset)

    @property
    def strides(self) -> Ints:
        """Strides in elements.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.T.strides
            (1, 2)
        """
        return array_in(self).node.element_strides()

    @property
    def offset(self) -> int:
        """The place of the first element in the buffer, in elements.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t[1].offset
            2
        """
        return array_in(self).node.offset

    @property
    @public("Tensor.T")
    def T(self) -> Tensor:
        """The transposed matrix, a view; only for rank 2.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.T.to_list()
            [[1.0, 3.0], [2.0, 4.0]]
        """
        if len(self._v.shape) != 2:
            raise ShapeError(
                f"a tensor of rank 2 is needed, this one has shape {self._v.shape}", "use .mT for stacks of matrices"
            )
        return apply("permute", (self,), (1, 0))

    @property
    @public("Tensor.mT")
    def mT(self) -> Tensor:
        """The tensor with its last two axes swapped, a view; rank 2 and more.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.mT.to_list()
            [[1.0, 3.0], [2.0, 4.0]]
        """
        rank = len(self._v.shape)
        if rank < 2:
            raise ShapeError(f"a tensor of rank 2 or more is needed, this one has shape {self._v.shape}")
        return apply("permute", (self,), (*range(rank - 2), rank - 1, rank - 2))

    # -- reading

    @public("Tensor.numpy")
    def numpy(self) -> np.ndarray[Any, Any]:
        """The values as a NumPy array of its own: independent of the tensor and writable.

        `np.asarray(t)` gives a read-only view without a copy. Runs what is queued and raises its
        errors. bfloat16 comes as the dtype of `ml_dtypes`.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.numpy().shape
            (2, 2)
        """
        return np.array(evaluate(self))

    @public("Tensor.to_list")
    def to_list(self) -> Any:
        """The values as nested lists of Python numbers; a number for rank 0.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.to_list()
            [[1.0, 2.0], [3.0, 4.0]]
        """
        array = evaluate(self)
        return array.astype(np.float64).tolist() if self.dtype.is_half() else array.tolist()

    @public("Tensor.item")
    def item(self) -> Any:
        """The single element as a Python number; raises `ShapeError` unless there is exactly one.

        Example:
            >>> pr.asarray([2.5]).item()
            2.5
        """
        return self._single()

    def _single(self) -> Any:
        if size_of(self._v.shape) != 1:
            raise ShapeError(f"a tensor of shape {self._v.shape} has {size_of(self._v.shape)} elements, not one")
        value = evaluate(self).reshape(-1)[0]
        return float(value) if self.dtype.is_half() else value.item()

    def _real(self) -> Any:
        value = self._single()
        if self.dtype.is_complex():
            raise DTypeError(f"a {self.dtype.name} number has an imaginary part", "take pr.real first")
        return value

    @public("bool(Tensor)")
    def __bool__(self) -> bool:
        return bool(self._single())

    @public("int(Tensor)")
    def __int__(self) -> int:
        value = self._real()
        if value != value or value in (float("inf"), float("-inf")):
            raise ArgumentError(f"{value} has no int")
        return int(value)

    @public("float(Tensor)")
    def __float__(self) -> float:
        return float(self._real())

    @public("complex(Tensor)")
    def __complex__(self) -> complex:
        return complex(self._single())

    @public("Tensor.__index__")
    def __index__(self) -> int:
        if self.dtype.kind.__name__ != "Int":
            raise DTypeError(f"only an Int tensor can be an index, this one is {self.dtype.name}")
        return int(self._single())

    @public("len(Tensor)")
    def __len__(self) -> int:
        if not self._v.shape:
            raise ShapeError("a tensor of rank 0 has no length")
        return self._v.shape[0]

    @public("iter(Tensor)")
    def __iter__(self) -> Iterator[Tensor]:
        if not self._v.shape:
            raise ShapeError("a tensor of rank 0 cannot be iterated over")
        return iter([self[i] for i in range(self._v.shape[0])])

    @public("operator in")
    def __contains__(self, value: Any) -> bool:
        same: Any = self == value
        return bool(np.any(evaluate(same))) if isinstance(same, Handle) else same

    @public("Tensor.__array_namespace__")
    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The module `pyrite`; raises `ArgumentError` for a version of the standard that it does not follow."""
        if api_version not in (None, *_VERSIONS):
            raise ArgumentError(f"version {api_version!r} of the array API is not there: {', '.join(_VERSIONS)} are")
        return sys.modules[__name__.partition(".")[0]]

    @public("Tensor.__array__")
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        inside = array_in(self)
        array = inside.backend.show(inside)
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ArgumentError(f"a {self.dtype.name} tensor becomes {dtype} only by a copy")
            return array.astype(dtype)
        if copy:
            return np.array(array)
        view = array.view()
        view.flags.writeable = False
        return view

    # -- text

    @public("str(Tensor)")
    def _text(self, spec: str | None) -> str:
        array = array_in(self)
        plain = wrap(array)

        def block(key: Any) -> np.ndarray[Any, Any]:
            return evaluate(plain[key]) if key else evaluate(plain)

        device = device_of(array.backend)
        return format_tensor(
            block, self._v.shape, self.dtype, self.kind.__name__, str(device), device.name, get_print_options(), spec
        )

    def __repr__(self) -> str:
        return self._text(None)

    def __str__(self) -> str:
        return self._text(None)

    def __format__(self, spec: str) -> str:
        return self._text(spec or None)

    # -- pickling

    @public("pickle.dumps(Tensor)")
    def __reduce__(self) -> tuple[Any, ...]:
        from .interop import restore

        array = np.ascontiguousarray(evaluate(self)).reshape(self._v.shape)
        return restore, (array.tobytes(), self.dtype, tuple(self._v.shape), device_of(array_in(self).backend).name)

    def __copy__(self) -> Tensor:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Tensor:
        from .interop import asarray

        return asarray(self, copy=True)


set_tensor_class(Tensor)
