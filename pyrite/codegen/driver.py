"""Sharing a kernel among threads without Python: the functions that take its pieces, as LLVM IR.

The state of a pool is a block of 64-bit words. Word NEXT holds the number of the launch in its upper half and the
next piece in its lower: a thread takes a piece by counting it up, if nothing has changed since it read the word,
so that it never takes a piece of one launch with the kernel of another. Before the other words change, NEXT does:
between two launches it offers no piece, under a number of its own. A launch ends when DONE has reached COUNT; only
then may the next one begin. The leader writes COUNT, FUNCTION and JOBS, which mean something only under the number of
their launch; LIMIT, TURNS and the scratch addresses are set before it starts, when no thread works.

`lead` starts a launch, works on it, and waits for a while until it has ended; its argument is a record of words:
pool, function, jobs, count. `serve` is what other threads call: it waits for pieces, TURNS times, and works on
those it can get. Its record: pool; number of the thread; either 0, then it returns, or the address of `sem_wait` and
of a semaphore, then it sleeps until it is called and looks again; 0 or the address of `sched_getcpu`. Word READY +
its number says what it does: ASLEEP, AWAKE, or CALLED, which the leader's thread writes; word PLACES + its number on
which processor it went to sleep. `lead` posts the CALLS semaphores from word SLEEPERS on by the function POST, but
only once there are pieces: a thread that wakes too early takes the processor from the leader, and goes to sleep
again. Threads from number LIMIT on take nothing. Jobs are those of `llvm.py`, one behind the other; each thread puts
in its own scratch memory, from word SCRATCH + its number.
"""

from __future__ import annotations

import platform

# What is written often is on a cache line of its own.
NEXT, COUNT, FUNCTION, JOBS, DONE, LIMIT, TURNS, POST, CALLS = 0, 1, 2, 3, 8, 16, 17, 18, 19
ASLEEP, AWAKE, CALLED = 0, 1, 2
MOST = 256  # threads
SCRATCH = 24
READY = SCRATCH + MOST
SLEEPERS = READY + MOST
PLACES = SLEEPERS + MOST
WORDS = PLACES + MOST
JOB = 6  # words of a job; the last one is the scratch memory
_PATIENCE = 20_000  # turns that `lead` waits for the last pieces: about half a millisecond

# A hint that this thread waits, by processor: the declaration and the call.
_X86 = "declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"
_ARM = "declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"
_PAUSE = {"x86_64": _X86, "AMD64": _X86, "aarch64": _ARM, "arm64": _ARM}.get(platform.machine(), ("", "fence acquire"))

# Addresses of the words of a pool.
_POOL = "\n".join(
    f"  %{name} = getelementptr i64, ptr %pool, i64 {word}"
    for name, word in (
        ("next", NEXT), ("count.at", COUNT), ("function.at", FUNCTION), ("jobs.at", JOBS), ("done", DONE),
        ("limit.at", LIMIT), ("turns.at", TURNS),
    )
)  # fmt: skip

# Is there a piece for this thread? NEXT is read first: what it says is checked by the exchange that takes the piece.
_LOOK = """\
  %word = load atomic i64, ptr %next acquire, align 8
  %piece = and i64 %word, 4294967295
  %count = load atomic i64, ptr %count.at monotonic, align 8
  %some = icmp ult i64 %piece, %count
  %limit = load atomic i64, ptr %limit.at monotonic, align 8
  %wanted = icmp ult i64 %number, %limit
  %both = and i1 %some, %wanted"""

_DRIVE = f"""
define internal void @drive(ptr %pool, i64 %number) {{
entry:
  %job = alloca [{JOB} x i64], align 64
{_POOL}
  %mine = add i64 %number, {SCRATCH}
  %scratch.at = getelementptr i64, ptr %pool, i64 %mine
  %scratch.to = getelementptr i64, ptr %job, i64 {JOB - 1}
  br label %look
look:
{_LOOK}
  br i1 %both, label %try, label %none
try:
  %function = load atomic ptr, ptr %function.at monotonic, align 8
  %jobs = load atomic ptr, ptr %jobs.at monotonic, align 8
  %following = add i64 %word, 1
  %swap = cmpxchg ptr %next, i64 %word, i64 %following acq_rel acquire
  %taken = extractvalue {{ i64, i1 }} %swap, 1
  br i1 %taken, label %go, label %look
go:
  %at = mul i64 %piece, {JOB}
  %from = getelementptr i64, ptr %jobs, i64 %at
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %job, ptr align 8 %from, i64 {8 * JOB}, i1 false)
  %scratch = load i64, ptr %scratch.at, align 8
  store i64 %scratch, ptr %scratch.to, align 8
  call void %function(ptr %job)
  %before = atomicrmw add ptr %done, i64 1 acq_rel
  br label %look
none:
  ret void
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
{_PAUSE[0]}
"""


def _words(record: str, *names: str) -> str:
    lines = []
    for at, word in enumerate(names):
        type, name = word.split()
        lines.append(f"  %{name}.in = getelementptr i64, ptr %{record}, i64 {at}")
        lines.append(f"  %{name} = load {type}, ptr %{name}.in, align 8")
    return "\n".join(lines)


def lead_text() -> str:
    """The IR of `lead`."""
    return f"""{_DRIVE}
define void @kernel(ptr %record) {{
entry:
{_words("record", "ptr pool", "ptr function", "ptr jobs", "i64 count")}
{_POOL}
  %old = load atomic i64, ptr %next monotonic, align 8
  %launch = lshr i64 %old, 32
  %between = add i64 %launch, 1
  %closing = shl i64 %between, 32
  %closed = or i64 %closing, 4294967295
  store atomic i64 %closed, ptr %next seq_cst, align 8
  fence seq_cst
  store atomic ptr %function, ptr %function.at monotonic, align 8
  store atomic ptr %jobs, ptr %jobs.at monotonic, align 8
  store atomic i64 %count, ptr %count.at monotonic, align 8
  store atomic i64 0, ptr %done monotonic, align 8
  %number = add i64 %launch, 2
  %word = shl i64 %number, 32
  store atomic i64 %word, ptr %next release, align 8
  %post.at = getelementptr i64, ptr %pool, i64 {POST}
  %post = load ptr, ptr %post.at, align 8
  %calls.at = getelementptr i64, ptr %pool, i64 {CALLS}
  %calls = load i64, ptr %calls.at, align 8
  br label %wake
wake:
  %call = phi i64 [ 0, %entry ], [ %call.following, %post.one ]
  %some = icmp ult i64 %call, %calls
  br i1 %some, label %post.one, label %work
post.one:
  %place = add i64 %call, {SLEEPERS}
  %semaphore.at = getelementptr i64, ptr %pool, i64 %place
  %semaphore = load ptr, ptr %semaphore.at, align 8
  %posted = call i32 %post(ptr %semaphore)
  %call.following = add i64 %call, 1
  br label %wake
work:
  call void @drive(ptr %pool, i64 0)
  br label %wait
wait:
  %turn = phi i64 [ 0, %work ], [ %turn.following, %again ]
  %finished = load atomic i64, ptr %done acquire, align 8
  %all = icmp eq i64 %finished, %count
  br i1 %all, label %end, label %more
more:
  %patient = icmp ult i64 %turn, {_PATIENCE}
  br i1 %patient, label %again, label %end
again:
  {_PAUSE[1]}
  %turn.following = add i64 %turn, 1
  br label %wait
end:
  ret void
}}
"""


def serve_text() -> str:
    """The IR of `serve`."""
    return f"""{_DRIVE}
define void @kernel(ptr %record) {{
entry:
{_words("record", "ptr pool", "i64 number", "ptr wait", "ptr semaphore", "ptr place")}
{_POOL}
  %mine = add i64 %number, {READY}
  %ready = getelementptr i64, ptr %pool, i64 %mine
  %mine.place = add i64 %number, {PLACES}
  %place.at = getelementptr i64, ptr %pool, i64 %mine.place
  %unplaced = icmp eq ptr %place, null
  br label %awake
awake:
  store atomic i64 {AWAKE}, ptr %ready seq_cst, align 8
  br label %look
look:
  %turn = phi i64 [ 0, %awake ], [ %turn.following, %again ], [ 0, %worked ]
{_LOOK}
  br i1 %both, label %work, label %idle
work:
  call void @drive(ptr %pool, i64 %number)
  br label %worked
worked:
  br label %look
idle:
  %turns = load atomic i64, ptr %turns.at monotonic, align 8
  %patient = icmp ult i64 %turn, %turns
  br i1 %patient, label %again, label %end
again:
  {_PAUSE[1]}
  %turn.following = add i64 %turn, 1
  br label %look
end:
  br i1 %unplaced, label %rest, label %say
say:
  %processor = call i32 %place()
  %processor.word = sext i32 %processor to i64
  store atomic i64 %processor.word, ptr %place.at monotonic, align 8
  br label %rest
rest:
  store atomic i64 {ASLEEP}, ptr %ready seq_cst, align 8
  %none = icmp eq ptr %wait, null
  br i1 %none, label %leave, label %sleep
sleep:
  %result = call i32 %wait(ptr %semaphore)
  br label %awake
leave:
  ret void
}}
"""
