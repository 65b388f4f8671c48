"""The pages of the documentation: their programs run and print what they say, their names exist."""

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pyrite as pr

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/index.md", "docs/tutorial.md", "docs/tour.md"]

# Runs the blocks of one page in one namespace and says what each printed. A process of its own, because a device's
# defaults can be set only once.
RUNNER = """
import contextlib, io, json, sys
page, blocks = json.load(sys.stdin)
space, printed = {"__name__": "__main__"}, []
for line, code in blocks:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\\n" * line + code, page, "exec"), space)
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


def fences(page: str) -> list[tuple[str, int, str]]:
    """The fenced blocks of a page: language, line of the fence and text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(m[1], text[: m.start()].count("\n") + 1, m[2]) for m in found]


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str) -> None:
    blocks = fences(page)
    programs = [(line, text) for language, line, text in blocks if language == "python"]
    assert programs
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUNNER],
        input=json.dumps([page, programs]), capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    printed = dict(zip((line for line, _ in programs), json.loads(ran.stdout)))
    for (language, line, _), (next_language, _, expected) in zip(blocks, blocks[1:]):
        if (language, next_language) == ("python", "text"):
            assert printed[line] == expected, f"{page}:{line} prints something else"


OWNERS: dict[str, Any] = {"Tensor": pr.Tensor, "t": pr.Tensor}


def named_in_tables() -> list[tuple[str, str, list[str] | None]]:
    """Owner, name and arguments (None for a property) of what the first column of the tutorial's tables names."""
    text = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    found = []
    for row in re.finditer(r"^\| (`[^|]*) \|", text, re.MULTILINE):
        for call in re.findall(r"`([^`]+)`", row[1]):
            owner, name, arguments = re.fullmatch(r"(\w+)\.(\w+)(\(.*\))?", call).groups()  # type: ignore[union-attr]
            found.append((owner, name, None if arguments is None else re.findall(r"\w+", arguments)))
    return found


@pytest.mark.parametrize(("owner", "name", "arguments"), named_in_tables(), ids=lambda x: str(x))
def test_tables_of_the_tutorial_are_right(owner: str, name: str, arguments: list[str] | None) -> None:
    holder = OWNERS.get(owner) or getattr(pr, owner)
    if arguments is None:
        assert isinstance(inspect.getattr_static(holder, name), property)
    else:
        parameters = [p for p in inspect.signature(getattr(holder, name)).parameters if p != "self"]
        assert parameters[: len(arguments)] == arguments


def reference() -> set[str]:
    """What the pages of the reference show: objects by name, and the contents of modules and mixins."""
    pages = (ROOT / "docs/api").glob("*.md")
    return {m[1] for p in pages for m in re.finditer(r"^::: (\S+)$", p.read_text(encoding="utf-8"), re.MULTILINE)}


# Constants and dtypes, which a sentence of their page names.
IN_PROSE = {"DEFAULT_ATOL", "DEFAULT_RTOL", "e", "inf", "nan", "newaxis", "pi", "s"}
# Other names of what is shown.
ALIASES = {"DeviceFilter": "DeviceType"}


def test_reference_is_complete() -> None:
    shown = reference()
    missing = []
    for name in set(pr.__all__) - IN_PROSE:
        thing = getattr(pr, name)
        if isinstance(thing, pr.DType) or (inspect.isclass(thing) and issubclass(thing, pr.Kind)):
            continue
        module = thing.__name__ if inspect.ismodule(thing) else inspect.unwrap(thing).__module__
        if not {f"pyrite.{ALIASES.get(name, name)}", module} & shown:
            missing.append(name)
    for owner in pr.Tensor.__mro__:
        names = [n for n in vars(owner) if not n.startswith("_")]
        if names and owner is not pr.Tensor and f"{owner.__module__}.{owner.__qualname__}" not in shown:
            missing.append(owner.__qualname__)
    assert not missing


def test_programs_of_adding_an_op_are_python() -> None:
    for language, _, text in fences("docs/adding-an-op.md"):
        if language == "python":
            ast.parse(text)
