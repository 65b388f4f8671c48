"""Roots, exponentials, logarithms and the trigonometric and hyperbolic functions, element by element.

They take Float and Complex tensors; an Int tensor raises `DTypeError`, naming the cast. How exact they are stands in
docs/accuracy.md.
"""

from __future__ import annotations

from ..errors import public
from ..tensor import Tensor
from .arguments import Operand, one, two

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "exp",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


@public("pr.sqrt")
def sqrt(x: Tensor, /) -> Tensor:
    """The square root; NaN below 0.

    Gradient at 0: taken as 0.

    Example:
        >>> pr.sqrt(pr.asarray([4.0, 9.0])).to_list()
        [2.0, 3.0]

    Source: array API, `sqrt`.
    """
    return one("sqrt", x)


@public("pr.exp")
def exp(x: Tensor, /) -> Tensor:
    """eˣ.

    Example:
        >>> pr.exp(pr.asarray([0.0])).to_list()
        [1.0]

    Source: array API, `exp`.
    """
    return one("exp", x)


@public("pr.expm1")
def expm1(x: Tensor, /) -> Tensor:
    """eˣ - 1, accurate near 0.

    Example:
        >>> pr.expm1(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `expm1`.
    """
    return one("expm1", x)


@public("pr.log")
def log(x: Tensor, /) -> Tensor:
    """ln x; -∞ at 0, NaN below.

    Example:
        >>> pr.log(pr.asarray([1.0, 0.0])).to_list()
        [0.0, -inf]

    Source: array API, `log`.
    """
    return one("log", x)


@public("pr.log1p")
def log1p(x: Tensor, /) -> Tensor:
    """ln(1 + x), accurate near 0.

    Example:
        >>> pr.log1p(pr.asarray([0.0, -1.0])).to_list()
        [0.0, -inf]

    Source: array API, `log1p`.
    """
    return one("log1p", x)


@public("pr.log2")
def log2(x: Tensor, /) -> Tensor:
    """log₂ x.

    Example:
        >>> pr.log2(pr.asarray([8.0])).to_list()
        [3.0]

    Source: array API, `log2`.
    """
    return one("log2", x)


@public("pr.log10")
def log10(x: Tensor, /) -> Tensor:
    """log₁₀ x.

    Example:
        >>> pr.log10(pr.asarray([1000.0])).to_list()
        [3.0]

    Source: array API, `log10`.
    """
    return one("log10", x)


@public("pr.sin")
def sin(x: Tensor, /) -> Tensor:
    """sin x.

    Example:
        >>> pr.sin(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `sin`.
    """
    return one("sin", x)


@public("pr.cos")
def cos(x: Tensor, /) -> Tensor:
    """cos x.

    Example:
        >>> pr.cos(pr.asarray([0.0])).to_list()
        [1.0]

    Source: array API, `cos`.
    """
    return one("cos", x)


@public("pr.tan")
def tan(x: Tensor, /) -> Tensor:
    """tan x.

    Example:
        >>> pr.tan(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `tan`.
    """
    return one("tan", x)


@public("pr.asin")
def asin(x: Tensor, /) -> Tensor:
    """The angle in [-π/2, π/2] whose sine is x; NaN outside [-1, 1].

    Example:
        >>> pr.asin(pr.asarray([0.0, 2.0])).to_list()
        [0.0, nan]

    Source: array API, `asin`.
    """
    return one("asin", x)


@public("pr.acos")
def acos(x: Tensor, /) -> Tensor:
    """The angle in [0, π] whose cosine is x; NaN outside [-1, 1].

    Example:
        >>> pr.acos(pr.asarray([1.0])).to_list()
        [0.0]

    Source: array API, `acos`.
    """
    return one("acos", x)


@public("pr.atan")
def atan(x: Tensor, /) -> Tensor:
    """The angle in (-π/2, π/2) whose tangent is x.

    Example:
        >>> pr.atan(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `atan`.
    """
    return one("atan", x)


@public("pr.atan2")
def atan2(x1: Operand, x2: Operand, /) -> Tensor:
    """The angle in [-π, π] of the point with abscissa x2 and ordinate x1.

    Gradient at the origin: 0.

    Example:
        >>> pr.atan2(pr.asarray([0.0, 1.0]), pr.asarray([1.0, 0.0])).to_list()
        [0.0, 1.5707963705062866]

    Source: array API, `atan2`.
    """
    return two("atan2", x1, x2)


@public("pr.sinh")
def sinh(x: Tensor, /) -> Tensor:
    """(eˣ - e⁻ˣ) / 2.

    Example:
        >>> pr.sinh(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `sinh`.
    """
    return one("sinh", x)


@public("pr.cosh")
def cosh(x: Tensor, /) -> Tensor:
    """(eˣ + e⁻ˣ) / 2.

    Example:
        >>> pr.cosh(pr.asarray([0.0])).to_list()
        [1.0]

    Source: array API, `cosh`.
    """
    return one("cosh", x)


@public("pr.tanh")
def tanh(x: Tensor, /) -> Tensor:
    """sinh x / cosh x.

    Example:
        >>> pr.tanh(pr.asarray([0.0, 100.0])).to_list()
        [0.0, 1.0]

    Source: array API, `tanh`.
    """
    return one("tanh", x)


@public("pr.asinh")
def asinh(x: Tensor, /) -> Tensor:
    """The inverse of sinh.

    Example:
        >>> pr.asinh(pr.asarray([0.0])).to_list()
        [0.0]

    Source: array API, `asinh`.
    """
    return one("asinh", x)


@public("pr.acosh")
def acosh(x: Tensor, /) -> Tensor:
    """The non-negative inverse of cosh; NaN below 1.

    Example:
        >>> pr.acosh(pr.asarray([1.0])).to_list()
        [0.0]

    Source: array API, `acosh`.
    """
    return one("acosh", x)


@public("pr.atanh")
def atanh(x: Tensor, /) -> Tensor:
    """The inverse of tanh; ±∞ at ±1, NaN beyond.

    Example:
        >>> pr.atanh(pr.asarray([0.0, 1.0])).to_list()
        [0.0, inf]

    Source: array API, `atanh`.
    """
    return one("atanh", x)


@public("pr.erf")
def erf(x: Tensor, /) -> Tensor:
    """The error function, 2/√π · ∫₀ˣ exp(-t²) dt.

    Example:
        >>> pr.erf(pr.asarray([0.0, 10.0])).to_list()
        [0.0, 1.0]

    Source: SciPy, `scipy.special.erf`.
    """
    return one("erf", x)
