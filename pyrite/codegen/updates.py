"""Kernels that write at indices: a loop over updates in order, so that repeated indices have one meaning.

A kernel is called as those of `llvm.py` are: `void kernel(ptr job)`, where r0 … r1 are leading indices and
c0 … c1 the columns to do. Pieces of columns never meet in an element, so threads share the columns and every
element takes its updates in the order of the indices. Its argument words: out, indices, values, then the sizes
of the updated axis, of the updates and of the columns.
"""

from __future__ import annotations

from ..dtypes import DType
from ..ops.record import Updates
from .loops import LANES

_TYPES = {
    "f64": "double", "f32": "float", "i64": "i64", "u64": "i64", "i32": "i32", "u32": "i32", "i16": "i16",
    "u16": "i16", "i8": "i8", "u8": "i8",
}  # fmt: skip
_WORDS = ("ptr out", "ptr indices", "ptr values", "i64 size", "i64 count", "i64 columns")


def can_update(dtype: DType) -> bool:
    """Do elements of this dtype have a kernel? The others round once, over wider copies."""
    return dtype.short in _TYPES


def render_update(update: Updates, dtype: DType, index: DType) -> str:
    """The LLVM IR of the kernel: it depends on dtypes, mode and on `each`, not on sizes."""
    lines = ["define void @kernel(ptr %job) {", "entry:"]
    job = ("ptr args", "i64 r0", "i64 r1", "i64 c0", "i64 c1")
    for source, words in (("job", job), ("args", _WORDS)):
        for at, word in enumerate(words):
            type, name = word.split()
            lines.append(f"  %{name}.at = getelementptr i64, ptr %{source}, i64 {at}")
            lines.append(f"  %{name} = load {type}, ptr %{name}.at, align 8")
    t = _TYPES[dtype.short]
    lines += _loop("lead", "entry", "%r0", "%r1", "done", [
        "  %from = mul i64 %lead, %size",
        "  %first = mul i64 %lead, %count",
        *_loop("update", "lead.body", "0", "%count", "lead.next", [
            "  %number = add i64 %first, %update",
            "  %row.of = mul i64 %number, %columns",
            f"  %row = getelementptr {t}, ptr %values, i64 %row.of",
            *(_cells(update, dtype, index) if update.each else _row(update, dtype, index)),
        ], "rest.end"),
    ], "lead.next")  # fmt: skip
    lines += ["done:", "  ret void", "}", ""]
    text = "\n".join(lines)
    return text + "\n".join(sorted(_declarations(update, dtype)))


def _loop(name: str, before: str, start: str, stop: str, after: str, body: list[str], last: str) -> list[str]:
    """for (name = start; name < stop; name++) body; the body ends in block `last`, which goes on here."""
    return [
        f"  br label %{name}.head",
        f"{name}.head:",
        f"  %{name} = phi i64 [ {start}, %{before} ], [ %{name}.following, %{name}.again ]",
        f"  %{name}.more = icmp slt i64 %{name}, {stop}",
        f"  br i1 %{name}.more, label %{name}.body, label %{after}",
        f"{name}.body:",
        *body,
        f"{last}:",
        f"  br label %{name}.again",
        f"{name}.again:",
        f"  %{name}.following = add i64 %{name}, 1",
        f"  br label %{name}.head",
    ]


def _place(index: DType, at: str, columns: str) -> list[str]:
    """%target: where row number indices[at] of the tensor begins; a negative index counts from the end."""
    extend = "sext" if index.signed else "zext"
    width = index.bits
    lines = [
        f"  %index.at = getelementptr i{width}, ptr %indices, i64 {at}",
        f"  %index.raw = load i{width}, ptr %index.at, align {index.itemsize}",
    ]
    lines.append(
        "  %index = add i64 %index.raw, 0" if width == 64 else f"  %index = {extend} i{width} %index.raw to i64"
    )
    return [
        *lines,
        "  %negative = icmp slt i64 %index, 0",
        "  %wrapped = add i64 %index, %size",
        "  %chosen = select i1 %negative, i64 %wrapped, i64 %index",
        "  %place = add i64 %from, %chosen",
        f"  %target.of = mul i64 %place, {columns}",
    ]


def _row(update: Updates, dtype: DType, index: DType) -> list[str]:
    """One index for all columns: whole vectors, then single elements."""
    t = _TYPES[dtype.short]
    vector = f"<{LANES} x {t}>"
    size = dtype.itemsize
    lines = [*_place(index, "%update", "%columns"), f"  %target = getelementptr {t}, ptr %out, i64 %target.of"]
    lines += [
        "  br label %many.head",
        "many.head:",
        "  %many = phi i64 [ %c0, %update.body ], [ %many.end, %many.body ]",
        f"  %many.end = add i64 %many, {LANES}",
        "  %many.more = icmp sle i64 %many.end, %c1",
        "  br i1 %many.more, label %many.body, label %rest.head",
        "many.body:",
        f"  %many.to = getelementptr {t}, ptr %target, i64 %many",
        f"  %many.by = getelementptr {t}, ptr %row, i64 %many",
        f"  %many.new = load {vector}, ptr %many.by, align {size}",
    ]
    if update.mode != "assign":
        lines.append(f"  %many.old = load {vector}, ptr %many.to, align {size}")
    value, combined = _combined(update, dtype, vector, f"v{LANES}", "many")
    lines += [
        *combined,
        f"  store {vector} {value}, ptr %many.to, align {size}",
        "  br label %many.head",
        "rest.head:",
        "  %rest = phi i64 [ %many, %many.head ], [ %rest.following, %rest.body ]",
        "  %rest.more = icmp slt i64 %rest, %c1",
        "  br i1 %rest.more, label %rest.body, label %rest.end",
        "rest.body:",
        f"  %rest.to = getelementptr {t}, ptr %target, i64 %rest",
        *_element(update, dtype),
    ]
    return lines


def _cells(update: Updates, dtype: DType, index: DType) -> list[str]:
    """An index of its own for every element."""
    t = _TYPES[dtype.short]
    return [
        "  br label %rest.head",
        "rest.head:",
        "  %rest = phi i64 [ %c0, %update.body ], [ %rest.following, %rest.body ]",
        "  %rest.more = icmp slt i64 %rest, %c1",
        "  br i1 %rest.more, label %rest.body, label %rest.end",
        "rest.body:",
        "  %cell = add i64 %row.of, %rest",
        *_place(index, "%cell", "%columns"),
        "  %target = add i64 %target.of, %rest",
        f"  %rest.to = getelementptr {t}, ptr %out, i64 %target",
        *_element(update, dtype),
    ]


def _element(update: Updates, dtype: DType) -> list[str]:
    """One element at %rest.to takes the update in column %rest."""
    t, size = _TYPES[dtype.short], dtype.itemsize
    lines = [
        f"  %rest.by = getelementptr {t}, ptr %row, i64 %rest",
        f"  %rest.new = load {t}, ptr %rest.by, align {size}",
    ]
    if update.mode != "assign":
        lines.append(f"  %rest.old = load {t}, ptr %rest.to, align {size}")
    value, combined = _combined(update, dtype, t, "", "rest")
    return [
        *lines,
        *combined,
        f"  store {t} {value}, ptr %rest.to, align {size}",
        "  %rest.following = add i64 %rest, 1",
        "  br label %rest.head",
    ]


def _function(update: Updates, dtype: DType) -> str:
    """The intrinsic of a running extreme: NaN wins, and the zeros are ordered."""
    if dtype.is_float():
        return {"min": "minimum", "max": "maximum"}[update.mode]
    return ("s" if dtype.signed else "u") + update.mode


def _combined(update: Updates, dtype: DType, type: str, lanes: str, name: str) -> tuple[str, list[str]]:
    """Old and new value in one, and the instructions for it."""
    old, new, out = f"%{name}.old", f"%{name}.new", f"%{name}.out"
    if update.mode == "assign":
        return new, []
    if update.mode in ("add", "mul"):
        prefix = "f" if dtype.is_float() else ""
        return out, [f"  {out} = {prefix}{update.mode} {type} {old}, {new}"]
    return out, [f"  {out} = call {type} {_symbol(update, dtype, lanes)}({type} {old}, {type} {new})"]


def _symbol(update: Updates, dtype: DType, lanes: str) -> str:
    element = ("f" if dtype.is_float() else "i") + str(dtype.bits)
    return f"@llvm.{_function(update, dtype)}.{lanes}{element}"


def _declarations(update: Updates, dtype: DType) -> list[str]:
    if update.mode not in ("min", "max"):
        return []
    t = _TYPES[dtype.short]
    return [
        f"declare {type} {_symbol(update, dtype, lanes)}({type}, {type})"
        for lanes, type in (("", t), (f"v{LANES}", f"<{LANES} x {t}>"))
    ]
