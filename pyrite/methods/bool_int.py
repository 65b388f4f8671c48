"""Logic, bits and conversions: Burn's methods, name for name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..apply import Handle, apply, array_in, cast_to, evaluate, need_kind, wrap
from ..dtypes import Bool, DType, Float, Int, Kind, as_dtype, bool_
from ..errors import public
from ..storage import Storage
from .basic import beside, scalar

if TYPE_CHECKING:
    from ..tensor import Tensor


def _default(t: Handle, kind: type[Kind]) -> DType:
    return t.device.default_dtype(kind)  # type: ignore[attr-defined, no-any-return]


def _found(t: Handle) -> tuple[np.ndarray[Any, Any], ...]:
    need_kind(t, Bool)
    return np.nonzero(evaluate(t)) if t._v.shape else ()


def _coordinates(t: Handle, values: np.ndarray[Any, Any]) -> Tensor:
    dtype = _default(t, Int)
    owned = np.array(values, dtype.np, order="C")
    return wrap(array_in(t).backend.from_storage(Storage.adopt(owned), dtype, owned.shape))


def _places(t: Handle) -> list[Tensor]:
    return [_coordinates(t, c) for c in _found(t)]


def _rows(t: Handle) -> Tensor:
    found = _found(t)
    rows = np.stack(found, axis=1) if found else np.empty((int(evaluate(t)), 0), np.int64)
    return _coordinates(t, rows)


class Bits(Handle):
    """Logic of Bool tensors and bits of Int ones; other kinds raise `DTypeError`."""

    __slots__ = ()

    @public("Tensor.bool_not")
    def bool_not(self) -> Tensor:
        """True where an element is false.

        Example:
            >>> pr.asarray([True, False]).bool_not().to_list()
            [False, True]

        Source: Burn, `Tensor::bool_not`.
        """
        return apply("logical_not", (self,))

    @public("Tensor.bool_and")
    def bool_and(self, rhs: Tensor) -> Tensor:
        """True where both are.

        Example:
            >>> pr.asarray([True, False]).bool_and(pr.asarray([True, True])).to_list()
            [True, False]

        Source: Burn, `Tensor::bool_and`.
        """
        return apply("logical_and", beside(self, rhs))

    @public("Tensor.bool_or")
    def bool_or(self, rhs: Tensor) -> Tensor:
        """True where at least one is.

        Example:
            >>> pr.asarray([True, False]).bool_or(pr.asarray([True, True])).to_list()
            [True, True]

        Source: Burn, `Tensor::bool_or`.
        """
        return apply("logical_or", beside(self, rhs))

    @public("Tensor.bool_xor")
    def bool_xor(self, rhs: Tensor) -> Tensor:
        """True where exactly one is.

        Example:
            >>> pr.asarray([True, False]).bool_xor(pr.asarray([True, True])).to_list()
            [False, True]

        Source: Burn, `Tensor::bool_xor`.
        """
        return apply("logical_xor", beside(self, rhs))

    @public("Tensor.bitwise_and")
    def bitwise_and(self, other: Tensor) -> Tensor:
        """The bits set in both.

        Example:
            >>> pr.asarray([12]).bitwise_and(pr.asarray([10])).to_list()
            [8]

        Source: Burn, `Tensor::bitwise_and`.
        """
        return apply("bit_and", beside(self, other))

    @public("Tensor.bitwise_and_scalar")
    def bitwise_and_scalar(self, other: int) -> Tensor:
        """The bits set in both, with one number.

        Example:
            >>> pr.asarray([12]).bitwise_and_scalar(10).to_list()
            [8]

        Source: Burn, `Tensor::bitwise_and_scalar`.
        """
        return apply("bit_and", (self, scalar(self, other)))

    @public("Tensor.bitwise_or")
    def bitwise_or(self, other: Tensor) -> Tensor:
        """The bits set in at least one.

        Example:
            >>> pr.asarray([12]).bitwise_or(pr.asarray([10])).to_list()
            [14]

        Source: Burn, `Tensor::bitwise_or`.
        """
        return apply("bit_or", beside(self, other))

    @public("Tensor.bitwise_or_scalar")
    def bitwise_or_scalar(self, other: int) -> Tensor:
        """The bits set in this or a number.

        Example:
            >>> pr.asarray([12]).bitwise_or_scalar(10).to_list()
            [14]

        Source: Burn, `Tensor::bitwise_or_scalar`.
        """
        return apply("bit_or", (self, scalar(self, other)))

    @public("Tensor.bitwise_xor")
    def bitwise_xor(self, other: Tensor) -> Tensor:
        """The bits set in exactly one.

        Example:
            >>> pr.asarray([12]).bitwise_xor(pr.asarray([10])).to_list()
            [6]

        Source: Burn, `Tensor::bitwise_xor`.
        """
        return apply("bit_xor", beside(self, other))

    @public("Tensor.bitwise_xor_scalar")
    def bitwise_xor_scalar(self, other: int) -> Tensor:
        """The bits set in either this or a number, not both.

        Example:
            >>> pr.asarray([12]).bitwise_xor_scalar(10).to_list()
            [6]

        Source: Burn, `Tensor::bitwise_xor_scalar`.
        """
        return apply("bit_xor", (self, scalar(self, other)))

    @public("Tensor.bitwise_not")
    def bitwise_not(self) -> Tensor:
        """All bits flipped.

        Example:
            >>> pr.asarray([5]).bitwise_not().to_list()
            [-6]

        Source: Burn, `Tensor::bitwise_not`.
        """
        return apply("bit_not", (self,))

    @public("Tensor.bitwise_left_shift")
    def bitwise_left_shift(self, other: Tensor) -> Tensor:
        """Shifted left; 0 for a negative count or one of the width and more.

        Example:
            >>> pr.asarray([8]).bitwise_left_shift(pr.asarray([2])).to_list()
            [32]

        Source: Burn, `Tensor::bitwise_left_shift`.
        """
        return apply("shl", beside(self, other))

    @public("Tensor.bitwise_left_shift_scalar")
    def bitwise_left_shift_scalar(self, other: int) -> Tensor:
        """Shifted left; 0 for a negative count or one of the width and more.

        Example:
            >>> pr.asarray([8]).bitwise_left_shift_scalar(2).to_list()
            [32]

        Source: Burn, `Tensor::bitwise_left_shift_scalar`.
        """
        return apply("shl", (self, scalar(self, other)))

    @public("Tensor.bitwise_right_shift")
    def bitwise_right_shift(self, other: Tensor) -> Tensor:
        """Shifted right, with the sign of signed integers; a negative or too wide count leaves only the sign.

        Example:
            >>> pr.asarray([8]).bitwise_right_shift(pr.asarray([2])).to_list()
            [2]

        Source: Burn, `Tensor::bitwise_right_shift`.
        """
        return apply("shr", beside(self, other))

    @public("Tensor.bitwise_right_shift_scalar")
    def bitwise_right_shift_scalar(self, other: int) -> Tensor:
        """Shifted right, with the sign of signed integers; a negative or too wide count leaves only the sign.

        Example:
            >>> pr.asarray([8]).bitwise_right_shift_scalar(2).to_list()
            [2]

        Source: Burn, `Tensor::bitwise_right_shift_scalar`.
        """
        return apply("shr", (self, scalar(self, other)))

    @public("Tensor.nonzero")
    def nonzero(self) -> list[Tensor]:
        """The coordinates of the true elements, one Int vector for each dimension, in row-major order.

        Reads the values at the call, since the shape depends on them. `pr.nonzero` takes numbers too.

        Example:
            >>> [i.to_list() for i in pr.asarray([[True, False], [True, True]]).nonzero()]
            [[0, 1, 1], [0, 0, 1]]

        Source: Burn, `Tensor::nonzero`.
        """
        return _places(self)

    @public("Tensor.nonzero_async")
    async def nonzero_async(self) -> list[Tensor]:
        """The coroutine form of `nonzero`.

        Example:
            >>> import asyncio
            >>> asyncio.run(pr.asarray([True, False, True]).nonzero_async())[0].to_list()
            [0, 2]

        Source: Burn, `Tensor::nonzero_async`.
        """
        return _places(self)

    @public("Tensor.argwhere")
    def argwhere(self) -> Tensor:
        """The coordinates of the true elements, one row each, in row-major order.

        Example:
            >>> pr.asarray([[True, False], [True, True]]).argwhere().to_list()
            [[0, 0], [1, 0], [1, 1]]

        Source: Burn, `Tensor::argwhere`.
        """
        return _rows(self)

    @public("Tensor.argwhere_async")
    async def argwhere_async(self) -> Tensor:
        """The coroutine form of `argwhere`.

        Example:
            >>> import asyncio
            >>> asyncio.run(pr.asarray([True, False, True]).argwhere_async()).to_list()
            [[0], [2]]

        Source: Burn, `Tensor::argwhere_async`.
        """
        return _rows(self)


class Casts(Handle):
    """From one kind or dtype to another."""

    __slots__ = ()

    @public("Tensor.cast")
    def cast(self, dtype: Any) -> Tensor:
        """In another dtype of any kind; itself if it has it. The gradient passes between Float dtypes.

        Floats go to integers toward zero and saturate, NaN becomes 0; integers wrap; to Bool is x ≠ 0.

        Example:
            >>> pr.asarray([1.9, -300.0]).cast(pr.int8).to_list()
            [1, -128]

        Source: Burn, `Tensor::cast`.
        """
        return cast_to(self, as_dtype(dtype))

    @public("Tensor.int")
    def int(self) -> Tensor:
        """In the device's default Int dtype, floats toward zero.

        Example:
            >>> pr.asarray([1.9, -1.9]).int().to_list()
            [1, -1]

        Source: Burn, `Tensor::int`.
        """
        return cast_to(self, _default(self, Int))

    @public("Tensor.float")
    def float(self) -> Tensor:
        """In the device's default Float dtype.

        Example:
            >>> pr.asarray([True, False]).float().to_list()
            [1.0, 0.0]

        Source: Burn, `Tensor::float`.
        """
        return cast_to(self, _default(self, Float))

    @public("Tensor.bool")
    def bool(self) -> Tensor:
        """True where an element is not 0; NaN is true.

        Example:
            >>> pr.asarray([0, 2]).bool().to_list()
            [False, True]

        Source: Burn, `Tensor::bool`.
        """
        return cast_to(self, bool_)
