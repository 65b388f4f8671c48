"""Keeps the picture of the layers honest: a module imports only what stands above it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pyrite

ROOT = Path(pyrite.__file__).parent

# A module may import its own package and what stands on the lines above.
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
    apply
    interop differentiate explain
    data closeness
    methods
    tensor
    nx standard functional
    __init__
"""
RANK = {name: rank for rank, line in enumerate(LAYERS.split("\n")) for name in line.split()}
# These make up one object, the tensor: imports inside functions may go in circles among them.
TENSOR = {"apply", "interop", "differentiate", "methods", "tensor"}
# Only the modules named may import these.
ALONE = {"llvmlite.binding": {"codegen/jit.py"}, "llvmlite.ir": set(), "safetensors": {"interop.py"}}


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Absolute names of what a file imports when it runs, and whether it does so inside a function."""
    package = ["pyrite", *path.relative_to(ROOT).parts[:-1]]
    tree = ast.parse(path.read_text())
    typing_only: set[ast.AST] = set()
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            typing_only |= {x for statement in node.body for x in ast.walk(statement)}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inside |= set(ast.walk(node))
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((a.name, node in inside) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            yield from ((".".join([*base, a.name]), node in inside) for a in node.names)


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_layers() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        mine = layer(path)
        assert mine in RANK, f"{path.name}: say in LAYERS where {mine} stands"
        for name, deferred in imports(path):
            if name == "pyrite" or name.startswith("pyrite."):
                theirs = name.split(".")[1] if "." in name else ""
                theirs = theirs if theirs in RANK else "__init__"
                circle = deferred and {mine, theirs} <= TENSOR
                if theirs != mine and RANK[theirs] >= RANK[mine] and not circle:
                    wrong.append(f"{path.relative_to(ROOT)} imports {name}")
            for package, allowed in ALONE.items():
                if f"{name}.".startswith(f"{package}.") and path.relative_to(ROOT).as_posix() not in allowed:
                    wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong, "\n".join(wrong)
