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
