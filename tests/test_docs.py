"""Every example in a docstring runs."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyrite as pr


class Finder(doctest.DocTestFinder):
    """Finds the examples of wrapped functions too: they belong to the module that wrote them."""

    def _from_module(self, module: Any, object: Any) -> bool:
        if isinstance(object, property):
            return True
        return getattr(inspect.unwrap(object), "__module__", None) == module.__name__


def examples() -> list[doctest.DocTest]:
    found = []
    for info in pkgutil.walk_packages(pr.__path__, "pyrite."):
        module = importlib.import_module(info.name)
        found += [t for t in Finder().find(module, info.name) if t.examples]
    return found


@pytest.mark.parametrize("test", examples(), ids=lambda t: t.name)
def test_example(test: doctest.DocTest, tmp_path: Path) -> None:
    test.globs = {"pr": pr, "np": np, "tmp": tmp_path}
    said: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=said.append, clear_globs=False)
    assert runner.failures == 0, "".join(said)


# it fixes the defaults of the whole process, so its example would change the others
NO_EXAMPLE = {"pr.set_default_dtypes"}


def public_functions() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in pr.__all__:
        if inspect.isfunction(getattr(pr, name)):
            found[f"pr.{name}"] = getattr(pr, name)
    for part in ("linalg", "activation", "grid", "signal", "fft", "random"):
        for name, thing in vars(getattr(pr, part)).items():
            if inspect.isfunction(thing) and not name.startswith("_") and hasattr(thing, "__wrapped__"):
                found[f"pr.{part}.{name}"] = thing
    for name in dir(pr.Tensor):
        thing = inspect.getattr_static(pr.Tensor, name)
        thing = getattr(thing, "__func__", getattr(thing, "fget", thing))
        if not name.startswith("_") and callable(thing):
            found[f"Tensor.{name}"] = thing
    return found


def test_every_public_function_has_an_example() -> None:
    missing = {n for n, f in public_functions().items() if ">>>" not in (inspect.getdoc(f) or "")}
    assert missing == NO_EXAMPLE
