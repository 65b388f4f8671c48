"""Gradients of functions: `grad` and `value_and_grad`, to any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from .apply import Handle, do_of, wrap
from .backends.autodiff import ACTIVE, GradientCheckpointingStrategy, Step, Traced, backward
from .dtypes import Float
from .errors import ArgumentError, DTypeError, PyriteError, ShapeError, named
from .layout import size_of

_levels = itertools.count(2).__next__  # an inner call gets a higher level than the ones around it


def value_and_grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the value of `function` and its gradient with respect to some arguments.

    `function` returns one Float element (of any rank), or with `has_aux` a pair of that and
    anything else. `argnums` names positional Float tensors: an int for one gradient, a sequence
    for a tuple of them. Nests to any order.

    Raises, when called: `ShapeError` for a result with more than one element, `DTypeError` for
    an argument or result that is not a Float tensor, `ArgumentError` for a missing argument.

    Example:
        >>> f = pr.value_and_grad(lambda x: (x * x).sum())
        >>> value, slope = f(pr.asarray([1.0, 3.0]))
        >>> float(value), slope.to_list()
        (10.0, [2.0, 6.0])
    """
    return _differentiator("pr.value_and_grad", function, argnums, has_aux)


def _differentiator(
    name: str, function: Callable[..., Any], argnums: int | Sequence[int], has_aux: bool
) -> Callable[..., Any]:
    if not callable(function):
        raise named(DTypeError(f"expected a function, got {type(function).__name__}"), name)
    many = not isinstance(argnums, int)
    places: tuple[int, ...] = tuple(argnums) if many else (argnums,)  # type: ignore[arg-type, assignment]

    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: RET503
        try:
            return _value_and_grad(function, places, many, has_aux, args, kwargs)
        except PyriteError as error:
            if error.function is not None:
                raise
            caught = error
        raise named(caught, name) from caught.__cause__

    return call


def _value_and_grad(
    function: Callable[..., Any], places: tuple[int, ...], many: bool, has_aux: bool, args: Any, kwargs: Any
) -> Any:
    given = list(args)
    level = _levels()
    ACTIVE.add(level)
    try:
        leaves: list[Traced] = []
        for i in places:
            if not -len(given) <= i < len(given):
                raise ArgumentError(f"argument {i} of {len(given)} is to be differentiated, but is not there")
            t = given[i]
            if not isinstance(t, Handle) or t._v.dtype.kind is not Float:
                what = t._v.dtype.name if isinstance(t, Handle) else type(t).__name__
                raise DTypeError(f"argument {i} must be a Float tensor to be differentiated, got {what}")
            step = Step(t._v.shape, t._v.dtype)
            step.requires = True
            leaf = Traced(t._v, level, step, GradientCheckpointingStrategy.Disabled)
            leaves.append(leaf)
            given[i] = wrap(leaf)
        if len({i % len(given) for i in places}) != len(places):
            raise ArgumentError(f"argnums {places} name an argument twice")
        result = function(*given, **kwargs)
        aux = None
        if has_aux:
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise ArgumentError(f"with has_aux the function returns a pair, got {type(result).__name__}")
            result, aux = result
        if not isinstance(result, Handle) or result._v.dtype.kind is not Float:
            what = result._v.dtype.name if isinstance(result, Handle) else type(result).__name__
            raise DTypeError(f"the function must return a Float tensor, got {what}")
        if size_of(result._v.shape) != 1:
            raise ShapeError(
                f"the function must return one element, got shape {result._v.shape}",
                "reduce it, for example with pr.sum",
            )
        root = result._v
        value: Any = root
        do = do_of(result)
        found: dict[Step, Any] = {}
        if type(root) is Traced and root.level == level:
            value = root.value
            if root.step.tracked:
                found = backward(root)._by_leaf
        slopes = []
        for leaf in leaves:
            g = found.get(leaf.step)
            slopes.append(wrap(do.full(0, leaf.shape, leaf.dtype) if g is None else g))
        first = (wrap(value), _strip(aux, level)) if has_aux else wrap(value)
        return first, tuple(slopes) if many else slopes[0]
    finally:
        ACTIVE.discard(level)


def _strip(x: Any, level: int) -> Any:
    """Takes the finished level off the tensors in a structure of lists, tuples and dicts."""
    if isinstance(x, Handle):
        v = x._v
        return wrap(v.value) if type(v) is Traced and v.level == level else x
    if isinstance(x, (list, tuple)):
        parts = [_strip(i, level) for i in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {k: _strip(i, level) for k, i in x.items()}
    return x


def grad(function: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of `function`; arguments as in `value_and_grad`.

    With `has_aux` it gives (gradient, aux). Nests: `pr.grad(lambda x: pr.grad(f)(x).sum())` is
    the second derivative.

    Example:
        >>> f = lambda x: (x ** 3).sum()
        >>> second = pr.grad(lambda x: pr.grad(f)(x).sum())
        >>> second(pr.asarray([3.0])).to_list()
        [18.0]
    """
    both = _differentiator("pr.grad", function, argnums, has_aux)

    def call(*args: Any, **kwargs: Any) -> Any:
        value, slope = both(*args, **kwargs)
        return (slope, value[1]) if has_aux else slope

    return call
