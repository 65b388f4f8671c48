"""Settings of all tests: their own kernel cache, stage checkers on, the devices, the names that doctests use."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("PYRITE_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"pyrite-tests-{os.getuid()}"))
os.environ.setdefault("PYRITE_CHECK", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

import pyrite as pr  # noqa: E402


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, Any], tmp_path: Path) -> None:
    doctest_namespace.update(pr=pr, np=np, tmp=tmp_path)


@pytest.fixture(autouse=True)
def _same_threads() -> Iterator[None]:
    """A test may change the number of threads."""
    before = pr.get_num_threads()
    yield
    pr.set_num_threads(before)


@pytest.fixture(params=["cpu", "flex"])
def device(request: pytest.FixtureRequest) -> pr.Device:
    """Every device in turn: the compiled one and the oracle."""
    return pr.Device(request.param)
