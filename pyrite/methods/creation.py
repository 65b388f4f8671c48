"""Creation of tensors: Burn's static functions, name for name, and the distributions they draw from.

`Tensor[pr.Int].zeros([3])` creates in a kind; without it the kind is Float, or that of the data.
`options` is a Device, a DType or a pair of both; the keywords say the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..apply import Handle, apply, cast_to, created, do_of, do_on, options, wrap
from ..device import Device, as_device
from ..dtypes import Bool, Complex, DType, Float, Int, Kind, check_scalar, float32, promote, uint64
from ..errors import ArgumentError, DTypeError, ShapeError, public
from ..layout import as_shape, normalize_axis
from ..ops import composite, contract, creation, random
from .bridge import Bridged

if TYPE_CHECKING:
    from ..tensor import Tensor


@dataclass(frozen=True)
class Distribution:
    """What `Tensor.random` draws from: `Default`, `Bernoulli(p)`, `Uniform(low, high)` or `Normal(mean, std)`.

    `Default` is uniform in [0, 1), for Int tensors in [0, 255). `Uniform` never gives `high`.
    """

    name: str
    first: float = 0.0
    second: float = 1.0
    Default: ClassVar[Distribution]

    @staticmethod
    def Bernoulli(prob: float) -> Distribution:
        """1 with probability `prob`, else 0."""
        return Distribution("Bernoulli", prob, 0.0)

    @staticmethod
    def Uniform(low: float, high: float) -> Distribution:
        """Uniform in [low, high)."""
        return Distribution("Uniform", low, high)

    @staticmethod
    def Normal(mean: float, std: float) -> Distribution:
        """Normal with a mean and a standard deviation."""
        return Distribution("Normal", mean, std)

    def __repr__(self) -> str:
        if self.name == "Default":
            return "Distribution.Default"
        rest = "" if self.name == "Bernoulli" else f", {self.second}"
        return f"Distribution.{self.name}({self.first}{rest})"


Distribution.Default = Distribution("Default")


@dataclass(frozen=True, eq=False)
class EinsumOperand:
    """A tensor among the operands of `Tensor.einsum`, which takes tensors as they are too."""

    tensor: Tensor


def draw_normal(do: Any, key: Any, shape: tuple[int, ...], mean: float, std: float, dtype: DType) -> Any:
    """Normal numbers, rounded once to a half dtype."""
    if not (math.isfinite(mean) and math.isfinite(std) and std >= 0):
        raise ArgumentError(f"a finite mean and a standard deviation from 0 on are needed, got {mean} and {std}")
    z = random.normal(do, key, shape, float32 if dtype.is_half() else dtype)
    if mean != 0 or std != 1:
        z = do.add(do.mul(z, float(std)), float(mean))
    return do.cast(z, dtype) if dtype.is_half() else z


def draw(do: Any, key: int, shape: tuple[int, ...], distribution: Distribution, dtype: DType) -> Any:
    """Numbers of a distribution in any dtype but Complex."""
    k = do.scalar(key, uint64)
    name, a, b = distribution.name, distribution.first, distribution.second
    if dtype.is_complex():
        raise DTypeError(f"random numbers are Float, Int or Bool, not {dtype.name}")
    if name == "Bernoulli":
        drawn = random.bernoulli(do, k, shape, float(a))
        return drawn if dtype.is_bool() else do.cast(drawn, dtype)
    if dtype.is_bool():
        return random.bernoulli(do, k, shape, 0.5)
    real = dtype if dtype.is_float() else float32
    if name == "Normal":
        drawn = draw_normal(do, k, shape, a, b, real)
    elif dtype.kind is Int:
        low, high = (0, 255) if name == "Default" else (math.ceil(a), math.ceil(b))
        info = dtype.iinfo()
        assert info is not None
        return random.randint(do, k, shape, low, min(high, info.max + 1) if name == "Default" else high, dtype)
    elif name == "Default":
        return random.uniform(do, k, shape, real)
    else:
        drawn = random.uniform_range(do, k, shape, a, b, real)
    return drawn if drawn.dtype is dtype else do.cast(drawn, dtype)


def constant_filled(value: Any, shape: Any, dtype: DType, device: Device) -> Tensor:
    """A new tensor with one value everywhere."""
    sizes = as_shape(shape)
    return created(do_on(device).full(value, sizes, dtype), device)


def converted(value: Any, dtype: DType) -> Any:
    """A Python number as one of the dtype's kind: Burn converts fill values."""
    if dtype.is_bool():
        return bool(value)
    if dtype.kind is Int and isinstance(value, float):
        if not math.isfinite(value):
            raise ArgumentError(f"{value} has no integer value")
        value = int(value)
    elif dtype.kind is not Bool and isinstance(value, bool):
        value = int(value)
    return check_scalar(value, dtype)


class Creation(Bridged):
    """Tensors from shapes, data, ranges and distributions, and from other tensors."""

    __slots__ = ()

    def __class_getitem__(cls, kind: Any) -> type[Creation]:
        made = _OF_KIND.get(kind)
        if made is None:
            raise DTypeError(f"{kind!r} is not a kind: expected pr.Float, pr.Int or pr.Bool")
        return made

    @classmethod
    def _where(cls, given: Any, dtype: Any, device: Any, usual: type[Kind] = Float) -> tuple[Device, DType]:
        where, kept = options(given, dtype, device)
        kind = cls._kind
        if kept is None:
            kept = where.default_dtype(kind or usual)
        elif kind is not None and kept.kind is not kind:
            raise DTypeError(f"{kept.name} is not a dtype of kind {kind.__name__}")
        return where, kept

    @classmethod
    @public("Tensor.empty")
    def empty(cls, shape: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """A tensor whose elements nobody should rely on; here they are zeros.

        Example:
            >>> pr.Tensor.empty([2, 3]).shape
            (2, 3)

        Source: Burn, `Tensor::empty`.
        """
        where, kept = cls._where(options, dtype, device)
        return constant_filled(converted(0, kept), shape, kept, where)

    @classmethod
    @public("Tensor.zeros")
    def zeros(cls, shape: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """Zeros, `False` for Bool. Raises `ShapeError` for a negative size.

        Example:
            >>> pr.Tensor.zeros([2, 2]).to_list()
            [[0.0, 0.0], [0.0, 0.0]]
            >>> pr.Tensor[pr.Int].zeros([2]).to_list()
            [0, 0]

        Source: Burn, `Tensor::zeros`.
        """
        where, kept = cls._where(options, dtype, device)
        return constant_filled(converted(0, kept), shape, kept, where)

    @classmethod
    @public("Tensor.ones")
    def ones(cls, shape: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """Ones, `True` for Bool. Raises `ShapeError` for a negative size.

        Example:
            >>> pr.Tensor.ones([2], pr.float64).to_list()
            [1.0, 1.0]

        Source: Burn, `Tensor::ones`.
        """
        where, kept = cls._where(options, dtype, device)
        return constant_filled(converted(1, kept), shape, kept, where)

    @classmethod
    @public("Tensor.full")
    def full(cls, shape: Any, fill_value: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """`fill_value` everywhere, converted to the dtype. Float even for an int, unless a kind or dtype says else.

        Example:
            >>> pr.Tensor.full([2], 3).to_list()
            [3.0, 3.0]

        Source: Burn, `Tensor::full`.
        """
        where, kept = cls._where(options, dtype, device)
        return constant_filled(converted(fill_value, kept), shape, kept, where)

    @public("Tensor.empty_like")
    def empty_like(self) -> Tensor:
        """As `empty`, with the shape, dtype and device of this tensor.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.empty_like().shape
            (2, 2)

        Source: Burn, `Tensor::empty_like`.
        """
        return _like(self, 0)

    @public("Tensor.zeros_like")
    def zeros_like(self, capacity: int | None = None, device: Any = None) -> Tensor:
        """Zeros with the shape, dtype and device of this tensor.

        With a `capacity`, of a matrix: that many rows, on `device` if one is given.

        Example:
            >>> pr.ones((1, 3)).zeros_like(2, pr.Device()).shape
            (2, 3)

        Source: Burn, `Tensor::zeros_like`, `SliceAccess::zeros_like`.
        """
        if capacity is None:
            return _like(self, 0)
        if len(self._v.shape) != 2:
            raise ShapeError(f"a sample of rank 2 is needed, this one has shape {self._v.shape}")
        where = _device(self) if device is None else as_device(device)
        dtype = self._v.dtype
        return constant_filled(converted(0, dtype), (capacity, self._v.shape[1]), dtype, where)

    @public("Tensor.ones_like")
    def ones_like(self) -> Tensor:
        """Ones with the shape, dtype and device of this tensor.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.ones_like().to_list()
            [[1.0, 1.0], [1.0, 1.0]]

        Source: Burn, `Tensor::ones_like`.
        """
        return _like(self, 1)

    @public("Tensor.full_like")
    def full_like(self, fill_value: Any) -> Tensor:
        """`fill_value` everywhere, with the shape, dtype and device of this tensor.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.full_like(7.0).to_list()
            [[7.0, 7.0], [7.0, 7.0]]

        Source: Burn, `Tensor::full_like`.
        """
        return _like(self, fill_value)

    @public("Tensor.random_like")
    def random_like(self, distribution: Distribution) -> Tensor:
        """Fresh numbers with the shape, dtype and device of this tensor.

        Example:
            >>> t = pr.asarray([[1.0, 2.0], [3.0, 4.0]])
            >>> t.random_like(pr.Distribution.Uniform(0.0, 1.0)).shape
            (2, 2)

        Source: Burn, `Tensor::random_like`.
        """
        device = _device(self)
        drawn = draw(do_on(device), device.next_key(), self._v.shape, distribution, self._v.dtype)
        return created(drawn, device)

    @classmethod
    @public("Tensor.random")
    def random(
        cls, shape: Any, distribution: Distribution, options: Any = None, *, dtype: Any = None, device: Any = None
    ) -> Tensor:
        """Numbers from a distribution, drawn from the device's stream (`Device.seed` restarts it).

        Element i depends on the seed, the number of draws before and i alone, not on the shape or the threads.
        Raises `ArgumentError` for parameters out of range.

        Example:
            >>> pr.Device().seed(3)
            >>> t = pr.Tensor.random([2, 3], pr.Distribution.Uniform(0.0, 1.0))
            >>> t.shape
            (2, 3)

        Source: Burn, `Tensor::random`.
        """
        where, kept = cls._where(options, dtype, device)
        return created(draw(do_on(where), where.next_key(), as_shape(shape), distribution, kept), where)

    @classmethod
    @public("Tensor.from_data")
    def from_data(cls, data: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """A tensor with the values of nested lists, an array or a buffer: always a copy.

        Lists take the device's default dtypes, arrays keep theirs. `Tensor[K].from_data` converts to the kind.
        Raises `ShapeError` for ragged lists, `DTypeError` for what is not numbers.

        Example:
            >>> pr.Tensor.from_data([[1, 2], [3, 4]]).to_list()
            [[1, 2], [3, 4]]

        Source: Burn, `Tensor::from_data`.
        """
        return cls._data(data, options, dtype, device, cls._kind)

    @classmethod
    def _data(cls, data: Any, given: Any, dtype: Any, device: Any, kind: type[Kind] | None) -> Tensor:
        from ..interop import asarray

        where, kept = options(given, dtype, device)
        if kept is None:
            t = asarray(data, device=where, copy=True)
            return t if kind is None or t.dtype.kind is kind else cast_to(t, where.default_dtype(kind))
        if kind is not None and kept.kind is not kind:
            raise DTypeError(f"{kept.name} is not a dtype of kind {kind.__name__}")
        return asarray(data, dtype=kept, device=where, copy=True)

    @classmethod
    @public("Tensor.from_floats")
    def from_floats(cls, floats: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """A Float tensor from nested numbers, ints included.

        Example:
            >>> pr.Tensor.from_floats([1, 2.5]).to_list()
            [1.0, 2.5]

        Source: Burn, `Tensor::from_floats`.
        """
        return cls._data(floats, options, dtype, device, Float)

    @classmethod
    @public("Tensor.from_ints")
    def from_ints(cls, ints: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """An Int tensor from nested ints.

        Example:
            >>> pr.Tensor.from_ints([1, 2]).dtype
            pyrite.int64

        Source: Burn, `Tensor::from_ints`.
        """
        return cls._data(ints, options, dtype, device, Int)

    @classmethod
    @public("Tensor.from_bool")
    def from_bool(cls, data: Any, options: Any = None, *, device: Any = None) -> Tensor:
        """A Bool tensor from nested bools.

        Example:
            >>> pr.Tensor.from_bool([True, False]).to_list()
            [True, False]

        Source: Burn, `Tensor::from_bool`.
        """
        return cls._data(data, options, None, device, Bool)

    @classmethod
    @public("Tensor.arange")
    def arange(
        cls, range: Any, end: int | None = None, options: Any = None, *, dtype: Any = None, device: Any = None
    ) -> Tensor:
        """The ints of a range: `range(a, b)`, `pr.s[a:b]` or two ints. Empty where it descends.

        Example:
            >>> pr.Tensor.arange(range(2, 5)).to_list()
            [2, 3, 4]

        Source: Burn, `Tensor::arange`.
        """
        if not isinstance(end, int):
            options, end = (end if end is not None else options), None
        return cls._ramp(range, end, None, options, dtype, device)

    @classmethod
    @public("Tensor.arange_step")
    def arange_step(
        cls, range: Any, step: int, options: Any = None, *, dtype: Any = None, device: Any = None
    ) -> Tensor:
        """Every `step`-th int of a range. Raises `ArgumentError` for a step below 1.

        Example:
            >>> pr.Tensor.arange_step(range(0, 10), 4).to_list()
            [0, 4, 8]

        Source: Burn, `Tensor::arange_step`.
        """
        if step < 1:
            raise ArgumentError(f"the step is {step}, it must be 1 or more")
        return cls._ramp(range, None, step, options, dtype, device)

    @classmethod
    def _ramp(cls, given: Any, end: int | None, step: int | None, opts: Any, dtype: Any, device: Any) -> Tensor:
        where, kept = cls._where(opts, dtype, device, Int)
        start, stop, gap = _bounds(given, end)
        values = creation.arange(do_on(where), start, stop, gap * (step or 1), kept)
        return created(values, where)

    @classmethod
    @public("Tensor.eye")
    def eye(cls, size: int, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """The identity matrix. Raises `ShapeError` for a negative size.

        Example:
            >>> pr.Tensor.eye(2).to_list()
            [[1.0, 0.0], [0.0, 1.0]]

        Source: Burn, `Tensor::eye`.
        """
        where, kept = cls._where(options, dtype, device)
        n = as_shape(size)[0]
        return created(creation.eye(do_on(where), n, n, 0, kept), where)

    @classmethod
    @public("Tensor.cartesian_grid")
    def cartesian_grid(cls, shape: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:
        """An Int tensor of shape (*shape, len(shape)) whose entry at an index is that index.

        Example:
            >>> pr.Tensor.cartesian_grid([2, 2]).to_list()
            [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]

        Source: Burn, `Tensor::cartesian_grid`.
        """
        where, kept = cls._where(options, dtype, device, Int)
        sizes = as_shape(shape)
        do = do_on(where)
        parts = [do.iota((*sizes, 1), axis, kept) for axis in range(len(sizes))]
        grid = do.concat(parts, len(sizes)) if parts else do.full(0, (0,), kept)
        return created(grid, where)

    @staticmethod
    @public("Tensor.cat")
    def cat(tensors: Sequence[Tensor], dim: int) -> Tensor:
        """The tensors one after the other along an existing dimension; sizes of 0 add nothing.

        Raises `ArgumentError` for an empty list, `ShapeError` where other sizes differ.

        Example:
            >>> pr.Tensor.cat([pr.asarray([1, 2]), pr.asarray([3])], 0).to_list()
            [1, 2, 3]

        Source: Burn, `Tensor::cat`.
        """
        given = _alike(tensors)
        return apply("concat", given, normalize_axis(dim, len(given[0]._v.shape)))

    @staticmethod
    @public("Tensor.stack")
    def stack(tensors: Sequence[Tensor], dim: int) -> Tensor:
        """Tensors of one shape side by side along a new dimension.

        Raises `ArgumentError` for an empty list, `ShapeError` for different shapes.

        Example:
            >>> pr.Tensor.stack([pr.asarray([1, 2]), pr.asarray([3, 4])], 0).to_list()
            [[1, 2], [3, 4]]

        Source: Burn, `Tensor::stack`.
        """
        given = _alike(tensors)
        return wrap(composite.stack(do_of(*given), [t._v for t in given], dim))

    @staticmethod
    @public("Tensor.einsum")
    def einsum(equation: str, operands: Sequence[Tensor | EinsumOperand]) -> Tensor:
        """The sum of products that `equation` describes. A result without axes has shape (1,), unlike `pr.einsum`.

        Example:
            >>> pr.Tensor.einsum("i,i->", [pr.asarray([1, 2]), pr.asarray([3, 4])]).to_list()
            [11]

        Source: Burn, `Tensor::einsum`.
        """
        given = [o.tensor if isinstance(o, EinsumOperand) else o for o in operands]
        if not given:
            raise ArgumentError(f"the equation {equation!r} needs at least one tensor")
        for t in given:
            if not isinstance(t, Handle):
                raise DTypeError(f"expected tensors, got {type(t).__name__}")
        do = do_of(*given)
        out = contract.einsum(do, equation, [t._v for t in given])
        return wrap(out if out.shape else do.reshape(out, (1,)))

    @classmethod
    @public("Tensor.triu_mask")
    def triu_mask(cls, shape: Any, offset: int, options: Any = None, *, device: Any = None) -> Tensor:
        """False where column - row ≥ `offset` in the last two dimensions, true elsewhere.

        Example:
            >>> pr.Tensor.triu_mask([2, 2], 0).to_list()
            [[False, False], [True, False]]

        Source: Burn, `Tensor::triu_mask`.
        """
        return _mask("lt", shape, offset, options, device)

    @classmethod
    @public("Tensor.tril_mask")
    def tril_mask(cls, shape: Any, offset: int, options: Any = None, *, device: Any = None) -> Tensor:
        """False where column - row ≤ `offset` in the last two dimensions, true elsewhere.

        Example:
            >>> pr.Tensor.tril_mask([2, 2], 0).to_list()
            [[False, True], [False, False]]

        Source: Burn, `Tensor::tril_mask`.
        """
        return _mask("gt", shape, offset, options, device)

    @classmethod
    @public("Tensor.diag_mask")
    def diag_mask(cls, shape: Any, offset: int, options: Any = None, *, device: Any = None) -> Tensor:
        """False where column - row = `offset` in the last two dimensions, true elsewhere.

        Example:
            >>> pr.Tensor.diag_mask([2, 2], 0).to_list()
            [[False, True], [True, False]]

        Source: Burn, `Tensor::diag_mask`.
        """
        return _mask("ne", shape, offset, options, device)


class _OfKind(Creation):
    """What `Tensor[K]` stands for: it creates tensors of kind K, and has no instances."""

    __slots__ = ()

    def __new__(cls, data: Any, options: Any = None, *, dtype: Any = None, device: Any = None) -> Tensor:  # type: ignore[misc]
        """The same as `Tensor[K].from_data`."""
        return cls.from_data(data, options, dtype=dtype, device=device)


class _FloatTensors(_OfKind):
    """`Tensor[pr.Float]`."""

    __slots__ = ()
    _kind = Float


class _IntTensors(_OfKind):
    """`Tensor[pr.Int]`."""

    __slots__ = ()
    _kind = Int


class _BoolTensors(_OfKind):
    """`Tensor[pr.Bool]`."""

    __slots__ = ()
    _kind = Bool


class _ComplexTensors(_OfKind):
    """`Tensor[pr.Complex]`."""

    __slots__ = ()
    _kind = Complex


_OF_KIND: dict[Any, type[Creation]] = {
    Float: _FloatTensors, Int: _IntTensors, Bool: _BoolTensors, Complex: _ComplexTensors,
}  # fmt: skip


def _device(t: Handle) -> Device:
    return t.device  # type: ignore[attr-defined, no-any-return]


def _like(t: Handle, value: Any) -> Tensor:
    return constant_filled(converted(value, t._v.dtype), t._v.shape, t._v.dtype, _device(t))


def _bounds(given: Any, end: int | None) -> tuple[int, int, int]:
    """Start, stop and step of what describes a range."""
    if end is not None:
        return int(given), end, 1
    if isinstance(given, range):
        return given.start, given.stop, given.step
    if isinstance(given, tuple) and len(given) == 1:
        given = given[0]
    if isinstance(given, slice):
        if given.stop is None:
            raise ArgumentError("the range has no end")
        return int(given.start or 0), int(given.stop), int(given.step or 1)
    raise ArgumentError(f"{given!r} is not a range: expected range(a, b), pr.s[a:b] or two ints")


def _alike(tensors: Any) -> list[Tensor]:
    given = list(tensors)
    if not given:
        raise ArgumentError("expected at least one tensor, got an empty list")
    for t in given:
        if not isinstance(t, Handle):
            raise DTypeError(f"expected tensors, got {type(t).__name__}")
    dtype = given[0]._v.dtype
    for t in given[1:]:
        dtype = promote(dtype, t._v.dtype)
    return [cast_to(t, dtype) for t in given]


def _mask(test: str, shape: Any, offset: int, given: Any, device: Any) -> Tensor:
    where, _ = options(given, None, device)
    sizes = as_shape(shape)
    if len(sizes) < 2:
        raise ShapeError(f"a mask of a matrix needs rank 2 or more, got shape {sizes}")
    do = do_on(where)
    number = creation.diagonal_number(do, sizes[-2], sizes[-1])
    return created(do.expand(getattr(do, test)(number, offset), sizes), where)
