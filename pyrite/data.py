"""`TensorData`, values on the host with their shape and dtype; its tolerances; and reads of many tensors at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .apply import Handle, array_in, evaluate
from .device import Device
from .display import element_formatter
from .dtypes import DType, as_dtype, check_scalar, float32, float64, from_numpy, kind_of_scalar
from .errors import ArgumentError, DataError, DTypeError, public
from .interop import data_of, in_dtype
from .layout import Ints, Shape, as_shape, size_of

if TYPE_CHECKING:
    from .methods.creation import Distribution

Values = np.ndarray[Any, Any]
_SHOWN = 5  # differences that a failed assertion lists
_WIDTHS = {2: "half", 4: "single", 8: "double"}


@dataclass(frozen=True)
class Tolerance:
    """How far two numbers may be apart: |x - y| < max(absolute, relative · max(|x|, |y|)), or x = y.

    The methods return changed copies; those for a precision go before the others for data of that width.

    Source: Burn, `Tolerance`.
    """

    rel: float = 0.005
    abs: float = 1e-5
    normals: float = field(default=0.0, repr=False)  # in smallest normal numbers of the dtype, added to `abs`
    widths: tuple[tuple[str, float], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for name, value in (("relative", self.rel), ("absolute", self.abs), *self.widths):
            if not value >= 0 or (name.endswith("relative") and value > 1):
                limit = "between 0 and 1" if name.endswith("relative") else "0 or more"
                raise ArgumentError(f"the {name} tolerance {value} is not {limit}")

    @staticmethod
    def default() -> Tolerance:
        """The same as `balanced`."""
        return Tolerance()

    @staticmethod
    def balanced() -> Tolerance:
        """0.5 % or 1e-5."""
        return Tolerance()

    @staticmethod
    def strict() -> Tolerance:
        """Equal but for numbers near the smallest normal one."""
        return Tolerance(0.0, 0.0, 64.0)

    @staticmethod
    def permissive() -> Tolerance:
        """1 % or 0.01."""
        return Tolerance(0.01, 0.01)

    @staticmethod
    def rel_abs(relative: float, absolute: float) -> Tolerance:
        """Both given."""
        return Tolerance(relative, absolute)

    @staticmethod
    def relative(relative: float) -> Tolerance:
        """A relative tolerance alone."""
        return Tolerance(relative, 0.0)

    @staticmethod
    def absolute(absolute: float) -> Tolerance:
        """An absolute tolerance alone."""
        return Tolerance(0.0, absolute)

    def set_relative(self, relative: float) -> Tolerance:
        """Another relative tolerance."""
        return replace(self, rel=relative)

    def set_absolute(self, absolute: float) -> Tolerance:
        """Another absolute tolerance."""
        return replace(self, abs=absolute, normals=0.0)

    def set_half_precision_relative(self, relative: float) -> Tolerance:
        """Another relative tolerance for float16 and bfloat16."""
        return self._with("half relative", relative)

    def set_half_precision_absolute(self, absolute: float) -> Tolerance:
        """Another absolute tolerance for float16 and bfloat16."""
        return self._with("half absolute", absolute)

    def set_single_precision_relative(self, relative: float) -> Tolerance:
        """Another relative tolerance for float32."""
        return self._with("single relative", relative)

    def set_single_precision_absolute(self, absolute: float) -> Tolerance:
        """Another absolute tolerance for float32."""
        return self._with("single absolute", absolute)

    def set_double_precision_relative(self, relative: float) -> Tolerance:
        """Another relative tolerance for float64."""
        return self._with("double relative", relative)

    def set_double_precision_absolute(self, absolute: float) -> Tolerance:
        """Another absolute tolerance for float64."""
        return self._with("double absolute", absolute)

    def _with(self, name: str, value: float) -> Tolerance:
        return replace(self, widths=(*(w for w in self.widths if w[0] != name), (name, value)))

    def approx_eq(self, x: float, y: float, dtype: Any = float64) -> bool:
        """Are two numbers of a dtype close?

        Example:
            >>> pr.Tolerance.permissive().approx_eq(1.0, 1.005)
            True
        """
        return bool(self.close(np.asarray(float(x)), np.asarray(float(y)), as_dtype(dtype)))

    def close(self, x: Values, y: Values, dtype: DType) -> Values:
        """Where two arrays of float64 that hold numbers of `dtype` are close; a NaN is close to a NaN."""
        own = dict(self.widths)
        width = _WIDTHS.get(dtype.itemsize, "") if dtype.is_float() else ""
        info = dtype.finfo()
        tiny = 0.0 if info is None else info.min_positive
        relative = own.get(f"{width} relative", self.rel)
        absolute = own.get(f"{width} absolute", self.abs + self.normals * tiny)
        with np.errstate(all="ignore"):
            largest = np.maximum(np.abs(x), np.abs(y))
            near = np.abs(x - y) < np.maximum(absolute, relative * largest)
        return np.asarray((x == y) | (near & np.isfinite(largest)) | (np.isnan(x) & np.isnan(y)))


class TensorData:
    """Values, shape and dtype on the host, with no device.

    Made of nested lists, arrays or a tensor; Python numbers take the default dtypes. Two are equal when
    shape, dtype and bytes are.

    Raises `ShapeError` for ragged lists, `DTypeError` for what is not numbers.

    Example:
        >>> d = pr.TensorData([[1.0, 2.5], [3.0, 4.0]])
        >>> d.shape, d.dtype
        ((2, 2), pyrite.float32)
        >>> print(d)
        [1.0, 2.5, 3.0, 4.0]

    Source: Burn, `TensorData`.
    """

    _raw: bytes | None
    _array: Values | None

    @public("pr.TensorData")
    def __init__(self, values: Any, dtype: Any = None) -> None:
        kept = None if dtype is None else as_dtype(dtype)
        if isinstance(values, TensorData):
            array = values._values()
        elif isinstance(values, Handle):
            array = evaluate(values)
        else:
            array = data_of(values, kept, Device.cpu())
        kept = kept or from_numpy(array.dtype)
        self._set(np.array(in_dtype(array, kept), kept.np, order="C"), kept)

    def _set(self, array: Values, dtype: DType) -> None:
        self._shape: Ints = array.shape
        self._dtype = dtype
        self._raw = None
        self._array = array

    @classmethod
    def adopt(cls, array: Values, dtype: DType) -> TensorData:
        """Data over a row-major array that nobody else holds."""
        data = object.__new__(cls)
        data._set(array, dtype)
        return data

    @staticmethod
    @public("TensorData.new")
    def new(values: Any, shape: Any, dtype: Any = None) -> TensorData:
        """Flat values in a shape; raises `DataError.ElementCountMismatch` when the counts differ.

        Example:
            >>> pr.TensorData.new([1, 2, 3, 4], [2, 2]).numpy().tolist()
            [[1, 2], [3, 4]]
        """
        flat = TensorData(values, dtype)
        sizes = as_shape(shape)
        array = flat._values()
        if array.size != size_of(sizes):
            raise DataError.ElementCountMismatch(
                f"shape {sizes} holds {size_of(sizes)} elements, {array.size} were given"
            ).given(expected=size_of(sizes), actual=array.size)
        return TensorData.adopt(array.reshape(sizes), flat._dtype)

    @staticmethod
    @public("TensorData.from_bytes")
    def from_bytes(bytes: Any, shape: Any, dtype: Any) -> TensorData:
        """Raw row-major elements in the machine's byte order; checked when they are read.

        Example:
            >>> pr.TensorData.from_bytes(bytes([1, 0]), [2], pr.int8).try_to_vec()
            [1, 0]
        """
        data = object.__new__(TensorData)
        data._shape, data._dtype = as_shape(shape), as_dtype(dtype)
        data._raw, data._array = memoryview(bytes).tobytes(), None
        return data

    from_bytes_vec = from_bytes

    @staticmethod
    @public("TensorData.zeros")
    def zeros(shape: Any, dtype: Any = float32) -> TensorData:
        """Zeros."""
        kept = as_dtype(dtype)
        return TensorData.adopt(np.zeros(as_shape(shape), kept.np), kept)

    @staticmethod
    @public("TensorData.ones")
    def ones(shape: Any, dtype: Any = float32) -> TensorData:
        """Ones."""
        kept = as_dtype(dtype)
        return TensorData.adopt(np.ones(as_shape(shape), kept.np), kept)

    @staticmethod
    @public("TensorData.full")
    def full(shape: Any, value: Any, dtype: Any = None) -> TensorData:
        """One value everywhere, in the dtype given or the default one of the value's kind."""
        kind = kind_of_scalar(value)
        if kind is None:
            raise DTypeError(f"expected a number, got {type(value).__name__}")
        kept = Device.cpu().default_dtype(kind) if dtype is None else as_dtype(dtype)
        return TensorData.adopt(np.full(as_shape(shape), check_scalar(value, kept), kept.np), kept)

    full_dtype = full

    @staticmethod
    @public("TensorData.random")
    def random(
        shape: Any, distribution: Distribution, rng: np.random.Generator, dtype: Any = float32
    ) -> TensorData:
        """Numbers of a distribution, drawn from a generator of NumPy's.

        Example:
            >>> d = pr.TensorData.random([3], pr.Distribution.Uniform(2.0, 3.0), np.random.default_rng(0))
            >>> d.assert_within_range(2.0, 3.0)
        """
        sizes, kept = as_shape(shape), as_dtype(dtype)
        name, a, b = distribution.name, distribution.first, distribution.second
        if name == "Bernoulli":
            drawn: Any = rng.random(sizes) < a
        elif name == "Normal":
            drawn = rng.normal(a, b, sizes)
        elif kept.is_bool():
            drawn = rng.random(sizes) < 0.5
        elif name == "Default":
            drawn = rng.random(sizes) if kept.is_float() else rng.integers(0, min(255, 2 ** (kept.bits - 1)), sizes)
        else:
            drawn = rng.uniform(a, b, sizes)
        made = in_dtype(np.asarray(drawn), kept)
        if name in ("Default", "Uniform") and kept.is_float():
            # rounding to fewer digits must not reach the upper bound
            made = np.minimum(made, np.nextafter(kept.np.type(1.0 if name == "Default" else b), kept.np.type(-np.inf)))
        return TensorData.adopt(np.ascontiguousarray(made).reshape(sizes), kept)

    # -- what it is

    @property
    def shape(self) -> Shape:
        """The sizes of the axes."""
        return Shape(self._shape)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self._shape)

    def num_elements(self) -> int:
        """The product of the sizes."""
        return size_of(self._shape)

    # -- reading

    def _values(self, dtype: Any = None) -> Values:
        """The values in shape; raises where the bytes are no such values, or `dtype` is another one."""
        if dtype is not None and as_dtype(dtype) is not self._dtype:
            raise DataError.DTypeMismatch(
                f"the data is {self._dtype.name}, not {as_dtype(dtype).name}", "convert it with try_cast"
            ).given(expected=as_dtype(dtype), actual=self._dtype)
        if self._array is None:
            assert self._raw is not None
            wanted = self.num_elements() * self._dtype.itemsize
            if len(self._raw) != wanted:
                raise DataError.InvalidRepresentation(
                    f"{len(self._raw)} bytes are no {self._dtype.name} data of shape {self._shape}: it takes {wanted}"
                )
            if self._dtype.is_bool() and any(b > 1 for b in set(self._raw)):
                raise DataError.InvalidRepresentation("a byte of bool data is neither 0 nor 1")
            self._array = np.frombuffer(bytearray(self._raw), self._dtype.np).reshape(self._shape)
            self._raw = None
        return self._array

    @public("TensorData.as_slice")
    def as_slice(self, dtype: Any = None) -> Values:
        """The values in row-major order, a read-only vector over the data's memory; nothing is converted.

        Raises `DataError.DTypeMismatch` when `dtype` is given and is not the data's.

        Example:
            >>> pr.TensorData([[1, 2], [3, 4]]).as_slice().tolist()
            [1, 2, 3, 4]
        """
        view = self._values(dtype).reshape(-1)
        view.flags.writeable = False
        return view

    @public("TensorData.as_mut_slice")
    def as_mut_slice(self, dtype: Any = None) -> Values:
        """As `as_slice`, writable: what is written there changes this data and nothing else.

        Example:
            >>> d = pr.TensorData([1, 2])
            >>> d.as_mut_slice()[0] = 5
            >>> print(d)
            [5, 2]
        """
        return self._values(dtype).reshape(-1)

    @public("TensorData.view")
    def view(self, dtype: Any = None) -> Values:
        """The values in shape, read-only; nothing is converted. Raises `DataError.DTypeMismatch`."""
        view = self._values(dtype).view()
        view.flags.writeable = False
        return view

    @public("TensorData.mut_view")
    def mut_view(self, dtype: Any = None) -> Values:
        """As `view`, writable."""
        return self._values(dtype).view()

    try_view, try_mut_view = view, mut_view

    @public("TensorData.try_to_vec")
    def try_to_vec(self, dtype: Any = None) -> list[Any]:
        """The values as a flat list of Python numbers; raises `DataError.DTypeMismatch` as `as_slice` does."""
        return _numbers(self._values(dtype), self._dtype)

    @public("TensorData.try_to_vec_as")
    def try_to_vec_as(self, dtype: Any) -> list[Any]:
        """The values converted to a dtype, as a flat list: floats truncate toward zero, non-zero is true.

        Example:
            >>> pr.TensorData([1.9, -1.9]).try_to_vec_as(pr.int32)
            [1, -1]
        """
        kept = as_dtype(dtype)
        return _numbers(self._cast(kept)._values(), kept)

    try_into_vec, try_into_vec_as = try_to_vec, try_to_vec_as

    @public("TensorData.iter")
    def iter(self, dtype: Any = None) -> Iterator[Any]:
        """The values in row-major order, converted to `dtype` if one is given."""
        return iter(self.try_to_vec() if dtype is None else self.try_to_vec_as(dtype))

    def __iter__(self) -> Iterator[Any]:
        return self.iter()

    @public("TensorData.try_cast")
    def try_cast(self, dtype: Any) -> TensorData:
        """The data converted to a dtype; itself if it has it.

        Raises `DataError.UnsupportedConversion` from Complex to another kind.

        Example:
            >>> print(pr.TensorData([1.9, -1.9]).try_cast(pr.int8))
            [1, -1]
        """
        return self._cast(as_dtype(dtype))

    try_cast_as = convert = convert_dtype = try_cast

    def _cast(self, dtype: DType) -> TensorData:
        if dtype is self._dtype:
            return self
        if self._dtype.is_complex() and not dtype.is_complex():
            reason = f"{self._dtype.name} data cannot become {dtype.name}"
            raise DataError.UnsupportedConversion(reason).given(from_=self._dtype, to=dtype)
        return TensorData.adopt(np.ascontiguousarray(in_dtype(self._values(), dtype)).reshape(self._shape), dtype)

    def as_bytes(self) -> bytes:
        """The elements as bytes, row-major, in the machine's order."""
        return self._raw if self._raw is not None else self._values().tobytes()

    def into_bytes(self) -> bytes:
        """The same as `as_bytes`."""
        return self.as_bytes()

    @public("TensorData.numpy")
    def numpy(self) -> Values:
        """The values as a NumPy array of its own."""
        return np.array(self._values())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Values:
        array = self._values()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return np.array(array) if copy else array

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorData):
            return NotImplemented
        same = self._shape == other._shape and self._dtype is other._dtype
        return same and self.as_bytes() == other.as_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        show = element_formatter(self._dtype, None)
        return f"[{', '.join(show(x) for x in self._values().reshape(-1))}]"

    def __repr__(self) -> str:
        return f"TensorData({self}, shape={self._shape}, dtype={self._dtype!r})"

    # -- assertions

    def assert_eq(self, other: TensorData, strict: bool = False) -> None:
        """Raises `AssertionError` unless shapes and values are equal, compared in this data's dtype.

        `strict` wants the same dtype too. The text lists the first five differences.

        Example:
            >>> pr.TensorData([1.0, 2.0]).assert_eq(pr.TensorData([1, 2]), strict=False)

        Source: Burn, `TensorData::assert_eq`.
        """
        if strict and self._dtype is not other._dtype:
            raise AssertionError(f"the data is {self._dtype.name}, expected {other._dtype.name}")
        self._same_shape(other)
        x, y = self._values(), other._cast(self._dtype)._values()
        same = x == y
        if self._dtype.is_float() or self._dtype.is_complex():
            same |= np.isnan(x) & np.isnan(y)
        _report(same, x, y, self._dtype, "the data differs")

    def assert_approx_eq(self, other: TensorData, tolerance: Tolerance | None = None) -> None:
        """Raises `AssertionError` unless shapes are equal and values close, in this data's dtype.

        A NaN matches a NaN, an infinity its equal. The default is `Tolerance.balanced()`.

        Example:
            >>> pr.TensorData([1.0]).assert_approx_eq(pr.TensorData([1.000001]))

        Source: Burn, `TensorData::assert_approx_eq`.
        """
        self._same_shape(other)
        tolerance = Tolerance.default() if tolerance is None else tolerance
        x, y = self._values(), other._cast(self._dtype)._values()
        wide = np.complex128 if self._dtype.is_complex() else np.float64
        close = tolerance.close(x.astype(wide), y.astype(wide), self._dtype)
        _report(close, x, y, self._dtype, f"the data is not close by {tolerance}")

    def assert_within_range(self, low: float, high: float) -> None:
        """Raises `AssertionError` unless low ≤ v < high for every value.

        Source: Burn, `TensorData::assert_within_range`.
        """
        x = self._values()
        _inside(x, (x >= low) & (x < high), self._dtype, f"[{low}, {high})")

    def assert_within_range_inclusive(self, low: float, high: float) -> None:
        """Raises `AssertionError` unless low ≤ v ≤ high for every value.

        Source: Burn, `TensorData::assert_within_range_inclusive`.
        """
        x = self._values()
        _inside(x, (x >= low) & (x <= high), self._dtype, f"[{low}, {high}]")

    def _same_shape(self, other: TensorData) -> None:
        if self._shape != other._shape:
            raise AssertionError(f"the data has shape {self._shape}, expected {other._shape}")


def _numbers(array: Values, dtype: DType) -> list[Any]:
    return (array.astype(np.float64) if dtype.is_half() else array).reshape(-1).tolist()


def _report(same: Values, x: Values, y: Values, dtype: DType, what: str) -> None:
    wrong = np.argwhere(~same)
    if not len(wrong):
        return
    show = element_formatter(dtype, None)
    lines = [f"{what} in {len(wrong)} of {same.size} elements"]
    for place in map(tuple, wrong[:_SHOWN].tolist()):
        lines.append(f"  at {list(place)}: {show(x[place])}, expected {show(y[place])}")
    if len(wrong) > _SHOWN:
        lines.append(f"  and {len(wrong) - _SHOWN} more")
    raise AssertionError("\n".join(lines))


def _inside(x: Values, inside: Values, dtype: DType, interval: str) -> None:
    wrong = np.argwhere(~inside)
    if len(wrong):
        place = tuple(wrong[0].tolist())
        value = element_formatter(dtype, None)(x[place])
        raise AssertionError(f"{value} at {list(place)} is outside {interval}, as are {len(wrong) - 1} more")


def read(t: Handle) -> TensorData:
    """A tensor's values as data of its own."""
    return TensorData.adopt(np.array(evaluate(t), order="C"), t._v.dtype)


class Transaction:
    """Reads of several tensors with one run of what is queued.

    Example:
        >>> x = pr.asarray([1, 2])
        >>> for data in pr.Transaction().register(x * 2).register(x + 1).execute():
        ...     print(data)
        [2, 4]
        [2, 3]

    Source: Burn, `Transaction`.
    """

    def __init__(self) -> None:
        self._tensors: list[Handle] = []

    @staticmethod
    def default() -> Transaction:
        """An empty transaction."""
        return Transaction()

    @public("Transaction.register")
    def register(self, tensor: Handle) -> Transaction:
        """Adds a tensor, of any kind and device; gives the transaction back."""
        if not isinstance(tensor, Handle):
            raise DTypeError(f"expected a tensor, got {type(tensor).__name__}")
        self._tensors.append(tensor)
        return self

    @public("Transaction.execute")
    def execute(self) -> list[TensorData]:
        """The values in the order of registration; raises the `ExecutionError` of what failed."""
        return self._read()

    @public("Transaction.try_execute")
    def try_execute(self) -> list[TensorData]:
        """The same as `execute`."""
        return self._read()

    @public("Transaction.execute_async")
    async def execute_async(self) -> list[TensorData]:
        """The coroutine form of `execute`."""
        return self._read()

    def _read(self) -> list[TensorData]:
        for backend in {id(b): b for b in [array_in(t).backend for t in self._tensors]}.values():
            backend.settle()
        return [read(t) for t in self._tensors]
