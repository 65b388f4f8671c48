"""Element types: their kinds, sizes, NumPy counterparts and promotion.

Imports nothing of ours but the errors. A `DType` is one of a fixed set of objects, so dtypes
are compared with `is`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

from .errors import DTypeError, ScalarRangeError


class Kind:
    """What sort of number a tensor holds; the subclasses are used as they are, never instantiated."""


class Float(Kind):
    """Floating-point numbers."""


class Int(Kind):
    """Signed and unsigned integers."""


class Bool(Kind):
    """Truth values."""


class Complex(Kind):
    """Complex numbers; they run on the reference backend."""


@dataclass(frozen=True)
class FloatInfo:
    """The limits of a floating-point dtype."""

    bits: int
    epsilon: float
    max: float
    min: float
    min_positive: float


@dataclass(frozen=True)
class IntInfo:
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int


class BoolStore(Enum):
    """How a bool is stored; here always as one byte, `Native`."""

    Native = "native"
    U8 = "u8"
    U32 = "u32"


BoolDType = BoolStore


class Name(str):
    """A dtype's name, `"float32"`; called, its short form as in Burn, `"f32"`."""

    __slots__ = ("short",)
    short: str

    def __call__(self) -> str:
        return self.short


class DType:
    """An element type, such as `pr.float32` (also `DType.F32`).

    Example:
        >>> pr.float32.name, pr.float32.name(), pr.float32.size()
        ('float32', 'f32', 4)
        >>> pr.DType.Bool(pr.BoolStore.Native) is pr.bool
        True
    """

    __slots__ = ("bits", "itemsize", "kind", "name", "np", "rank", "short", "signed")

    F64: ClassVar[DType]
    F32: ClassVar[DType]
    F16: ClassVar[DType]
    BF16: ClassVar[DType]
    I64: ClassVar[DType]
    I32: ClassVar[DType]
    I16: ClassVar[DType]
    I8: ClassVar[DType]
    U64: ClassVar[DType]
    U32: ClassVar[DType]
    U16: ClassVar[DType]
    U8: ClassVar[DType]
    Bool: ClassVar[DType]
    C128: ClassVar[DType]
    C64: ClassVar[DType]

    def __init__(self, name: str, short: str, kind: type[Kind], np_dtype: Any, signed: bool, rank: int) -> None:
        self.name = Name(name)
        self.name.short = short
        self.short = short
        self.kind = kind
        self.np = np.dtype(np_dtype)
        self.itemsize: int = self.np.itemsize
        self.bits = self.itemsize * 8
        self.signed = signed
        self.rank = rank  # order of width inside a kind

    def __repr__(self) -> str:
        return f"pyrite.{self.name}"

    def __reduce__(self) -> str:
        return f"_{self.name}"  # pickles as the one object

    def __call__(self, store: BoolStore) -> DType:
        """`DType.Bool(BoolStore.Native)` is `DType.Bool`; raises `DTypeError` for another store or dtype."""
        if self.kind is not Bool:
            raise DTypeError(f"{self.name} is a dtype: it takes no arguments", "convert tensors with .cast(...)")
        if store is not BoolStore.Native:
            raise DTypeError(f"bools are stored as {BoolStore.Native} alone, not as {store}")
        return self

    def size(self) -> int:
        """Bytes of one element."""
        return self.itemsize

    def is_float(self) -> bool:
        """True for floating-point dtypes."""
        return self.kind is Float

    def is_int(self) -> bool:
        """True for signed integers."""
        return self.kind is Int and self.signed

    def is_uint(self) -> bool:
        """True for unsigned integers."""
        return self.kind is Int and not self.signed

    def is_bool(self) -> bool:
        """True for bool."""
        return self.kind is Bool

    def is_complex(self) -> bool:
        """True for complex dtypes."""
        return self.kind is Complex

    def is_half(self) -> bool:
        """True for float16 and bfloat16, which compute in float32 and round once."""
        return self.kind is Float and self.itemsize == 2

    def finfo(self) -> FloatInfo | None:
        """Limits of a float dtype, None for the others."""
        if self.kind is not Float:
            return None
        info: Any = ml_dtypes.finfo(self.np)  # type: ignore[no-untyped-call]
        return FloatInfo(self.bits, float(info.eps), float(info.max), float(info.min), float(info.tiny))

    def iinfo(self) -> IntInfo | None:
        """Limits of an integer dtype, None for the others."""
        if self.kind is not Int:
            return None
        info = np.iinfo(self.np)
        return IntInfo(self.bits, int(info.max), int(info.min))


_float64 = DType("float64", "f64", Float, np.float64, True, 3)
_float32 = DType("float32", "f32", Float, np.float32, True, 2)
_float16 = DType("float16", "f16", Float, np.float16, True, 1)
_bfloat16 = DType("bfloat16", "bf16", Float, ml_dtypes.bfloat16, True, 1)
_int64 = DType("int64", "i64", Int, np.int64, True, 4)
_int32 = DType("int32", "i32", Int, np.int32, True, 3)
_int16 = DType("int16", "i16", Int, np.int16, True, 2)
_int8 = DType("int8", "i8", Int, np.int8, True, 1)
_uint64 = DType("uint64", "u64", Int, np.uint64, False, 4)
_uint32 = DType("uint32", "u32", Int, np.uint32, False, 3)
_uint16 = DType("uint16", "u16", Int, np.uint16, False, 2)
_uint8 = DType("uint8", "u8", Int, np.uint8, False, 1)
_bool = DType("bool", "bool", Bool, np.bool_, False, 1)
_complex128 = DType("complex128", "c128", Complex, np.complex128, True, 2)
_complex64 = DType("complex64", "c64", Complex, np.complex64, True, 1)

float64, float32, float16, bfloat16 = _float64, _float32, _float16, _bfloat16
int64, int32, int16, int8 = _int64, _int32, _int16, _int8
uint64, uint32, uint16, uint8 = _uint64, _uint32, _uint16, _uint8
bool_ = _bool
complex128, complex64 = _complex128, _complex64

FLOATS = (float64, float32, float16, bfloat16)
SIGNED = (int64, int32, int16, int8)
UNSIGNED = (uint64, uint32, uint16, uint8)
INTS = SIGNED + UNSIGNED
COMPLEX = (complex128, complex64)
ALL = FLOATS + INTS + (bool_,) + COMPLEX

for _d in ALL:
    setattr(DType, "Bool" if _d is bool_ else _d.short.upper(), _d)

_by_name: dict[str, DType] = {d.name: d for d in ALL} | {d.short: d for d in ALL}
_by_numpy: dict[np.dtype[Any], DType] = {d.np: d for d in ALL}


def _of_kind(dtype: DType, kind: type[Kind]) -> DType:
    if dtype.kind is not kind:
        raise DTypeError(f"{dtype.name} is not a dtype of kind {kind.__name__}")
    return dtype


class FloatDType:
    """The floating-point dtypes under Burn's names; `FloatDType.F32 is pr.float32`.

    `FloatDType(dtype)` is the dtype itself; raises `DTypeError` when it is not Float.
    """

    def __new__(cls, dtype: Any) -> DType:  # type: ignore[misc]
        return _of_kind(as_dtype(dtype), Float)

    F64 = float64
    F32 = float32
    F16 = float16
    BF16 = bfloat16


class IntDType:
    """The integer dtypes under Burn's names; `IntDType.I64 is pr.int64`.

    `IntDType(dtype)` is the dtype itself; raises `DTypeError` when it is not Int.
    """

    def __new__(cls, dtype: Any) -> DType:  # type: ignore[misc]
        return _of_kind(as_dtype(dtype), Int)

    I64 = int64
    I32 = int32
    I16 = int16
    I8 = int8
    U64 = uint64
    U32 = uint32
    U16 = uint16
    U8 = uint8


def as_dtype(value: Any) -> DType:
    """The DType named by a DType, a name such as "float32" or "f32", a Python type or a NumPy dtype."""
    if isinstance(value, DType):
        return value
    if value is BoolStore.Native:
        return bool_
    if isinstance(value, str):
        found = _by_name.get(value)
        if found is not None:
            return found
    elif value is bool:
        return bool_
    elif value is int:
        return int64
    elif value is float:
        return float64
    elif value is complex:
        return complex128
    try:
        if value is None:
            raise TypeError  # NumPy would take it for float64
        return from_numpy(np.dtype(value))
    except TypeError:
        raise DTypeError(f"{value!r} is not a dtype", "use a dtype such as pr.float32") from None


def from_numpy(dtype: np.dtype[Any]) -> DType:
    """The DType of a NumPy dtype; byte order is ignored."""
    found = _by_numpy.get(dtype) or _by_numpy.get(dtype.newbyteorder("="))
    if found is None:
        raise DTypeError(f"NumPy dtype {dtype} has no counterpart here")
    return found


def promote(a: DType, b: DType) -> DType:
    """The common dtype of two tensors: the wider one inside a kind; kinds never mix.

    Raises `DTypeError` for two kinds, and for uint64 with a signed integer, naming the cast.
    """
    if a is b:
        return a
    if a.kind is not b.kind:
        if {a.kind, b.kind} == {Float, Complex}:
            c, f = (a, b) if a.kind is Complex else (b, a)
            return complex128 if f is float64 else c
        raise DTypeError(
            f"{a.name} and {b.name} are of different kinds ({a.kind.__name__} and {b.kind.__name__})",
            f"convert one of them first, for example with .cast(pr.{(a if a.kind is Float else b).name})",
        )
    if a.kind is Int and a.signed != b.signed:
        signed, unsigned = (a, b) if a.signed else (b, a)
        if unsigned is uint64:
            raise DTypeError(
                f"uint64 and {signed.name} have no common integer dtype",
                f"convert one of them first, for example with .cast(pr.{signed.name})",
            )
        wide = {1: int16, 2: int32, 3: int64}[unsigned.rank]
        return wide if wide.rank > signed.rank else signed
    if {a, b} == {float16, bfloat16}:
        return float32
    return a if a.rank > b.rank else b


def check_scalar(value: Any, dtype: DType) -> Any:
    """`value` as a Python number that fits `dtype`.

    Raises `DTypeError` where the kinds do not go together (a float with an Int tensor) and
    `ScalarRangeError` for an int out of range.
    """
    if isinstance(value, np.generic):
        value = value.item()
    kind = dtype.kind
    if kind is Bool:
        if isinstance(value, bool):
            return value
    elif isinstance(value, bool):
        pass
    elif kind is Int:
        if isinstance(value, int):
            info = np.iinfo(dtype.np)
            if not int(info.min) <= value <= int(info.max):
                raise ScalarRangeError(f"{value} does not fit {dtype.name} ({info.min} to {info.max})")
            return value
    elif kind is Float:
        if isinstance(value, (int, float)):
            try:
                return float(value)
            except OverflowError:
                raise ScalarRangeError(f"{value} does not fit {dtype.name}") from None
    elif isinstance(value, (int, float, complex)):
        return complex(value)
    raise DTypeError(
        f"the Python {type(value).__name__} {value!r} does not go with a {dtype.name} tensor",
        "convert the tensor or the number first",
    )


_SCALARS: dict[type, type[Kind]] = {bool: Bool, int: Int, float: Float, complex: Complex}


def kind_of_scalar(value: Any) -> type[Kind] | None:
    """The kind of a Python or NumPy scalar; None for anything else."""
    kind = _SCALARS.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, (bool, np.bool_)):
        return Bool
    if isinstance(value, (int, np.integer)):
        return Int
    if isinstance(value, (float, np.floating, ml_dtypes.bfloat16)):
        return Float
    if isinstance(value, (complex, np.complexfloating)):
        return Complex
    return None
