"""coverage.csv: every name of Burn's documents, what became of it, and the test that shows it.

`done`: the name is there and the test file uses it. `open`: still to come. `later`: of a part that is not
begun (modules, vision, quantization, layers). `left out`: on purpose; docs/differences.md says why.
"""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

import pyrite as pr

HERE = Path(__file__).parent
with open(HERE / "coverage.csv", newline="") as file:
    ROWS = list(csv.DictReader(file))


def found(name: str) -> bool:
    thing: Any = pr
    for part in name.split("."):
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True


def test_rows() -> None:
    keys = [(r["name"], r["document"]) for r in ROWS]
    assert len(set(keys)) == len(keys)
    assert {r["status"] for r in ROWS} <= {"done", "open", "later", "left out"}


@pytest.mark.parametrize("status", ["done", "open", "later", "left out"])
def test_status(status: str) -> None:
    wrong = [r["name"] for r in ROWS if r["status"] == status and found(r["name"]) != (status == "done")]
    assert not wrong, f"these are marked {status}: {', '.join(wrong)}"


def test_tests() -> None:
    texts: dict[str, str] = {}
    wrong = []
    for r in ROWS:
        if r["status"] != "done":
            continue
        name = r["test"]
        if name not in texts:
            path = HERE.parent / name
            texts[name] = path.read_text() if path.is_file() else ""
        last = r["name"].rsplit(".", 1)[-1]
        # examples of docstrings and operators are used without their names
        if name != "tests/test_docs.py" and not last.startswith("__") and not re.search(rf"\b{last}\b", texts[name]):
            wrong.append(f"{r['name']} in {name}")
    assert not wrong, ", ".join(wrong)
