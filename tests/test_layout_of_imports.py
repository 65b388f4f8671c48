"""Keeps the picture of the layers honest: a module imports only what stands above it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pyrite

ROOT = Path(pyrite.__file__).parent

# each line may import itself and the lines above it
LAYERS = """
    errors
    dtypes
    layout
    ops display
    storage
    graph
    codegen
    backends
    device
    methods
    tensor
    nx standard interop
    grad
    __init__
"""
RANK = {name: rank for rank, line in enumerate(LAYERS.split("\n")) for name in line.split()}
# what may import a package: everybody, but these packages only the modules named
ALONE = {"llvmlite.binding": {"codegen/jit.py"}, "llvmlite.ir": set(), "rich": {"interop.py"}}


def imports(path: Path) -> Iterator[str]:
    """Absolute names of the modules that a file imports when it runs, inside functions too."""
    package = ["pyrite", *path.relative_to(ROOT).parts[:-1]]
    typing_only: set[ast.AST] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            typing_only |= {x for statement in node.body for x in ast.walk(statement)}
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module or "").split(".") if node.module else base
            yield from (".".join([*base, a.name]) for a in node.names)


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_layers() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        mine = layer(path)
        assert mine in RANK, f"{path.name}: say in LAYERS where {mine} stands"
        for name in imports(path):
            if name == "pyrite" or name.startswith("pyrite."):
                theirs = (name.split(".") + ["__init__"])[1]
                theirs = theirs if theirs in RANK else "__init__"
                if theirs != mine and RANK[theirs] >= RANK[mine]:
                    wrong.append(f"{path.relative_to(ROOT)} imports {name}")
            for package, allowed in ALONE.items():
                if f"{name}.".startswith(f"{package}.") and path.relative_to(ROOT).as_posix() not in allowed:
                    wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong, "\n".join(wrong)
