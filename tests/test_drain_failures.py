"""What is left after a drain that failed or was interrupted, after a fork, and behind a clone."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pyrite as pr
from pyrite.apply import apply
from pyrite.errors import ExecutionError, OutOfMemoryError
from pyrite.ops.record import Op, Samples
from pyrite.storage import Storage

N = 100_000  # large enough for a result to be written over its input


def raising(error: type[BaseException]) -> Op:
    """An op, in no registry, whose reference raises."""

    def reference(x: Any) -> Any:
        raise error("boom")

    return Op("raising", "opaque", "", infer=lambda x: (x.shape, x.dtype), reference=reference, samples=Samples((), ()))


def ones() -> Any:
    return pr.asarray(np.ones(N, np.float32), copy=True)


@contextlib.contextmanager
def no_memory_at(monkeypatch: pytest.MonkeyPatch, call: int) -> Iterator[None]:
    """The storage number `call` cannot be had."""
    real, count = Storage.new, [0]

    def new(size: int, dtype: Any) -> Storage:
        count[0] += 1
        if count[0] == call:
            raise OutOfMemoryError("no memory")
        return real(size, dtype)

    with monkeypatch.context() as patch:
        patch.setattr(Storage, "new", staticmethod(new))
        yield


def test_any_error_of_a_reference_stays_with_its_result() -> None:
    x = ones()
    bad, good = apply(raising(ValueError), (x,)), x + 1
    assert good.numpy()[0] == 2
    with pytest.raises(ExecutionError, match="ValueError: boom, in raising queued at") as caught:
        bad.numpy()
    assert caught.value.__cause__ is not None
    assert (x + 2).numpy()[0] == 3


def test_an_interrupt_computes_nothing_from_memory_written_over() -> None:
    x = ones()
    y = ones() + 1
    z = y * 2
    stopped = apply(raising(KeyboardInterrupt), (x,))
    with pytest.raises(KeyboardInterrupt):
        stopped.numpy()
    del stopped
    for value, wanted in ((y, 2), (z, 4)):
        with contextlib.suppress(ExecutionError):  # lost, or right
            assert (value.numpy() == wanted).all()
    assert (x + 2).numpy()[0] == 3


def test_an_interrupt_leaves_the_rest_pending() -> None:
    x = ones()
    y = x + 1  # x stays, so nothing is written over
    stopped = apply(raising(KeyboardInterrupt), (x,))
    with pytest.raises(KeyboardInterrupt):
        stopped.numpy()
    del stopped
    assert (y.numpy() == 2).all()


def test_results_of_a_kernel_that_did_not_run_have_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones()
    a = x + 1
    b = a * 3
    with no_memory_at(monkeypatch, 2):
        for t in (a, b):
            with pytest.raises(OutOfMemoryError):
                t.numpy()


def test_a_failed_value_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones()
    a = x + 1
    with no_memory_at(monkeypatch, 1), pytest.raises(OutOfMemoryError):
        a.numpy()
    x[...] = 100.0
    b = a * 1
    with pytest.raises(OutOfMemoryError):
        b.numpy()


@pytest.mark.parametrize("n", [10, N])
def test_numpy_views_of_clones(n: int) -> None:
    x = pr.asarray(np.zeros(n, np.float32), copy=True)
    clone = x.clone()
    view = np.asarray(clone)
    x[...] = 5.0
    assert view[0] == 0
    assert clone.numpy()[0] == 0
    view = np.asarray(x)
    clone = x.clone()
    del x
    clone[...] = 7.0
    assert view[0] == 5


def in_child(test: Any) -> int:
    """Runs `test` in a forked child; its exit status, or -1 when it hangs."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if test() else 3)
        finally:
            os._exit(4)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return -1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_and_its_parent_share_no_memory() -> None:
    values = [pr.asarray(np.ones(N), copy=True) * k for k in range(4)]
    for v in values:
        v.numpy()
    free = values.pop().numpy()  # its buffer is in the pool when the child begins

    def change() -> bool:
        for v in values:
            v[...] = 77.0
        return bool(((values[0] * 2 + free * 0).numpy() == 154).all())

    assert in_child(change) == 0
    for k, v in enumerate(values):
        assert (v.numpy() == k).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_computes() -> None:
    stop = threading.Event()

    def busy() -> None:
        x = pr.asarray(np.ones(300_000, np.float32), copy=True)
        while not stop.is_set():
            pr.exp(x).numpy()

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(5):
            assert in_child(lambda: bool(((ones() * 2).numpy() == 2).all())) == 0
    finally:
        stop.set()
        thread.join()


def test_an_error_leaves_independent_values_alone() -> None:
    written_over = ones() * 3
    bad = apply(raising(ValueError), (ones(),))
    lost = bad + 1
    good = pr.sort(pr.asarray(np.arange(5.0), copy=True))
    assert good.to_list() == [0, 1, 2, 3, 4]
    assert written_over.numpy()[0] == 3
    for t in (bad, lost):
        with pytest.raises(ExecutionError, match="in raising queued at"):
            t.numpy()


def test_a_bad_matrix_poisons_only_what_depends_on_it() -> None:
    """Also where an input would have been written over in the same drain."""
    p = pr.asarray(np.ones(1 << 16, np.float32), copy=True)
    w = pr.asarray(np.arange(5.0)[::-1].copy(), copy=True)
    bad = pr.asarray(np.array([[1.0, 2.0], [2.0, 1.0]]), copy=True)
    q = p * 3.0
    del p
    c = pr.linalg.cholesky(bad)
    s = pr.sort(w)
    assert s.to_list() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert float(q[7]) == 3.0
    with pytest.raises(ValueError, match="not positive definite"):
        c.numpy()
