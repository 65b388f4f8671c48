"""The kernel of matrix products: it calls BLAS for a range of batches and a strip of rows or of columns.

It is called as those of `llvm.py` are, with r0 … r1 the batches and c0 … c1 the strip. Its argument words are
`WORDS`; the byte offsets of the matrices in each batch stand in a table, three for each.
"""

from __future__ import annotations

from ..dtypes import DType

ROW_MAJOR = 101  # of CBLAS, as the next two
PLAIN, TRANSPOSED = 111, 112
WORDS = (
    "ptr gemm", "ptr a", "ptr b", "ptr c", "ptr offsets", "i64 m", "i64 n", "i64 k", "i64 lda", "i64 ldb", "i64 ldc",
    "i64 turn.a", "i64 turn.b", "i64 columns", "i64 shift.a", "i64 shift.b", "i64 shift.c",
)  # fmt: skip


def can_multiply(dtype: DType) -> bool:
    """Does BLAS have a product of this dtype that takes its factors by value?"""
    return dtype.short in ("f32", "f64")


def render_product(dtype: DType, integers: int) -> str:
    """The LLVM IR for one dtype, and a BLAS whose integers have 32 or 64 bits."""
    t = "float" if dtype.short == "f32" else "double"
    i = f"i{integers}"
    lines = ["define void @kernel(ptr %job) {", "entry:"]
    for source, words in (("job", ("ptr args", "i64 r0", "i64 r1", "i64 c0", "i64 c1")), ("args", WORDS)):
        for at, word in enumerate(words):
            type, name = word.split()
            lines.append(f"  %{name}.in = getelementptr i64, ptr %{source}, i64 {at}")
            lines.append(f"  %{name} = load {type}, ptr %{name}.in, align 8")
    lines += [
        "  %strip = sub i64 %c1, %c0",
        "  %across = icmp ne i64 %columns, 0",
        "  %rows = select i1 %across, i64 %m, i64 %strip",
        "  %cols = select i1 %across, i64 %strip, i64 %n",
        "  %ta = trunc i64 %turn.a to i32",
        "  %tb = trunc i64 %turn.b to i32",
    ]
    for name in ("rows", "cols", "k", "lda", "ldb", "ldc"):
        same = integers == 64
        lines.append(f"  %{name}.i = " + (f"add i64 %{name}, 0" if same else f"trunc i64 %{name} to {i}"))
    for x in "abc":
        lines.append(f"  %skip.{x} = mul i64 %c0, %shift.{x}")
        lines.append(f"  %start.{x} = getelementptr i8, ptr %{x}, i64 %skip.{x}")
    lines += [
        "  br label %head",
        "head:",
        "  %batch = phi i64 [ %r0, %entry ], [ %following, %body ]",
        "  %more = icmp slt i64 %batch, %r1",
        "  br i1 %more, label %body, label %end",
        "body:",
        "  %first = mul i64 %batch, 3",
    ]
    for at, x in enumerate("abc"):
        lines += [
            f"  %place.{x} = add i64 %first, {at}",
            f"  %at.{x} = getelementptr i64, ptr %offsets, i64 %place.{x}",
            f"  %offset.{x} = load i64, ptr %at.{x}, align 8",
            f"  %matrix.{x} = getelementptr i8, ptr %start.{x}, i64 %offset.{x}",
        ]
    lines += [
        f"  call void %gemm(i32 {ROW_MAJOR}, i32 %ta, i32 %tb, {i} %rows.i, {i} %cols.i, {i} %k.i, {t} 1.0, "
        f"ptr %matrix.a, {i} %lda.i, ptr %matrix.b, {i} %ldb.i, {t} 0.0, ptr %matrix.c, {i} %ldc.i)",
        "  %following = add i64 %batch, 1",
        "  br label %head",
        "end:",
        "  ret void",
        "}",
        "",
    ]
    return "\n".join(lines)
