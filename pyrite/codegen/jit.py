"""IR text to callable kernels: compiles with LLVM, keeps objects in memory and on disk.

The cache folder is `PYRITE_CACHE_DIR`, else `pyrite` in the user's cache folder; an empty
`PYRITE_CACHE_DIR` turns it off. A file holds a checksum and the object code; a corrupt or
unwritable folder costs only time.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import tempfile
import threading
from pathlib import Path
from typing import Any

_MAGIC = b"pyrite1\n"


class Statistics:
    """What the engine did so far; exact counts that tests read."""

    def __init__(self) -> None:
        self.compiled = 0  # kernels that LLVM compiled
        self.loaded = 0  # kernels taken from the disk cache
        self.kernels = 0  # kernels run
        self.fallbacks = 0  # ops run on their NumPy reference by the compiled backend
        self.queued = 0  # ops queued
        self.drains = 0
        self.plans = 0  # plans made
        self.plan_hits = 0  # drains served by a plan made before
        self.reused = 0  # results written over an input that nobody needed any more

    def snapshot(self) -> dict[str, int]:
        """The counts as a dict."""
        return dict(vars(self))


STATISTICS = Statistics()


class Compiler:
    """LLVM's state; made at the first compilation, so that importing stays quick."""

    def __init__(self) -> None:
        import llvmlite
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.llvm = llvm
        self.target = llvm.Target.from_default_triple()
        cpu = llvm.get_host_cpu_name()
        features = llvm.get_host_cpu_features()
        # full-width vectors where the machine has them, and no conversions that flush subnormals
        features["prefer-256-bit"] = False
        flat = features.flatten()
        self.machine = self.target.create_target_machine(cpu=cpu, features=flat, opt=2, jit=True)
        self.keep: list[Any] = []  # engines own the code that function pointers lead to
        versions = f"{llvmlite.__version__}|{llvm.llvm_version_info}|{cpu}|{flat}|{platform.machine()}"
        self.salt = versions.encode()
        self.engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(""), self.target.create_target_machine(cpu=cpu, features=flat, opt=2, jit=True)
        )

    def object_code(self, text: str) -> bytes:
        """Compiles IR."""
        module = self.llvm.parse_assembly(text)
        code: bytes = self.machine.emit_object(module)
        return code

    def function(self, code: bytes, name: str) -> Any:
        """Loads object code and returns the kernel as a ctypes function that releases the GIL."""
        self.engine.add_object_file(self.llvm.ObjectFileRef.from_data(code))
        self.engine.finalize_object()
        address = self.engine.get_function_address(name)
        return _PROTOTYPE(address)


@functools.cache
def host_has(feature: str) -> bool:
    """Does the processor have a feature, by LLVM's name for it?"""
    import llvmlite.binding as llvm

    return bool(llvm.get_host_cpu_features().get(feature, False))


_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # one argument: every further one costs 0.1 µs a call
_compiler: Compiler | None = None
COMPILING = threading.Lock()


def compile_kernel(text: str) -> Any:
    """The kernel of a module of IR, from the disk cache if it is there."""
    global _compiler
    with COMPILING:
        if _compiler is None:
            _compiler = Compiler()
        compiler = _compiler
        digest = hashlib.sha256(compiler.salt + text.encode()).hexdigest()
        name = f"k{digest[:32]}"
        code = _read(digest)
        if code is not None:
            STATISTICS.loaded += 1
        else:
            code = compiler.object_code(text.replace("@kernel(", f"@{name}("))
            STATISTICS.compiled += 1
            _write(digest, code)
        return compiler.function(code, name)


def cache_folder() -> Path | None:
    """Where objects are kept; None when the cache is off."""
    given = os.environ.get("PYRITE_CACHE_DIR")
    if given is not None:
        return Path(given) if given else None
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        home = Path(base) if base else Path.home() / ".cache"
    except RuntimeError:
        return None
    return home / "pyrite"


def _read(digest: str) -> bytes | None:
    folder = cache_folder()
    if folder is None:
        return None
    try:
        data = (folder / digest[:2] / f"{digest}.o").read_bytes()
    except OSError:
        return None
    head = len(_MAGIC) + 32
    code = data[head:]
    if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(code).digest() != data[len(_MAGIC) : head]:
        return None  # truncated or damaged: compile again and replace it
    return code


def _write(digest: str, code: bytes) -> None:
    folder = cache_folder()
    if folder is None:
        return
    target = folder / digest[:2] / f"{digest}.o"
    temporary = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(code).digest() + code)
        os.replace(temporary, target)  # whole or not at all, for other processes too
    except OSError:
        # no room or no permission: the kernel is compiled again next time
        if temporary is not None:
            try:
                os.unlink(temporary)
            except OSError:
                pass
