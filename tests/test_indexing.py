"""`t[...]` and `t[...] = v` against NumPy: every form, writes seen by views and by nothing else, errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expect import fails

import pyrite as pr


def put(t: pr.Tensor, key: Any, value: Any) -> Callable[[], None]:
    return lambda: t.__setitem__(key, value)


X = np.arange(120).reshape(4, 5, 6)
MASK = X[:, :, 0] % 2 == 0

# every entry is valid on X
BASIC: list[Any] = [
    0, -1, 3, (1, 2), (1, -2, 3), ..., (..., 2), (0, ...), (1, ..., -1), (), slice(None), slice(1, 3),
    slice(None, None, -1), slice(-2, None), slice(3, 0, -2), slice(100), slice(2, 2), slice(3, 1), slice(-100, 100, 3),
    slice(-(10**20), 10**20, 10**19),
    (slice(None), 1), (slice(None, None, 2), slice(None, None, -2), slice(4, None, -1)), None, (None, 0), (0, None),
    (..., None), (None, ..., None), (0, None, slice(1, 2), None, 3), (slice(0, 0), 1), (1, 2, 3, None), (1, 2, 3, ...),
    np.int64(2), (np.uint8(1), np.int32(-1)),
]  # fmt: skip
ADVANCED: list[Any] = [
    [0, 2], [-1, -4], [], [[0, 1], [2, 3]], [2, 2, 2], np.array([3, 0]), np.array([1], np.uint8), np.array(2), range(2),
    (slice(None), [0, 2]), (..., [0, 2]), ([0, 1], [1, 2]), ([0, 1], slice(None), [1, 2]), ([[0], [1]], [1, 2, 3]),
    (0, [1, 2]), (0, slice(None), [1, 2]), ([1, 2], 0), (slice(None), 0, [1, 2]), ([0, 1], None, [1, 2]),
    (None, [0, 1]), ([0, 1], None), (slice(None), [0, 1], None, [1, 2]), ([0, 1], [1, 2], [3, 4]),
    ([0, 1], slice(3, 0, -1), slice(None, None, 2)), (slice(1, 3), [1, 1], slice(2)), ([], []), ([], slice(None), []),
    (..., [1, 2], slice(None)), (slice(None), [0, 1], ..., [1, 2]), ([0, 1], ..., [1, 2]),
    (slice(None), [[0, 1], [2, 3]]), (slice(None), 0, ..., [1, 2]), (slice(None), [0, 1], ..., 2),
    ([[True, False, True, True, False]] * 4,), MASK, (MASK, 0), (MASK, [0] * int(MASK.sum())),
    (MASK, slice(None, None, -2)),
    ~MASK, X > 50, X < 0, np.zeros((4,), bool), (slice(None), np.array([True, False, True, False, False])),
    (0, np.array([True, False, True, False, False])), ([1, 2], slice(None), np.array([1, 0, 0, 1, 0, 0], bool)),
    True, False,
    (True, 0), (0, True), (True, [0, 1]), (False, [0]), (None, True), np.array(True), (..., True), (slice(None), False),
    (True, True, slice(1, 2)),
]  # fmt: skip


def ours(key: Any, device: pr.Device) -> Any:
    """The key with arrays as tensors of the device."""
    if isinstance(key, tuple):
        return tuple(ours(k, device) for k in key)
    return pr.asarray(key, device=device) if isinstance(key, np.ndarray) else key


def numpys(key: Any) -> Any:
    """NumPy takes an empty list for floats, and no range."""
    if isinstance(key, tuple):
        return tuple(numpys(k) for k in key)
    if isinstance(key, range):
        return list(key)
    return np.array(key, int) if isinstance(key, list) and key == [] else key


def text(key: Any) -> str:
    return repr(key).replace("\n", "")[:40] if not isinstance(key, np.ndarray) else f"array{key.shape}"


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=text)
def test_reads(key: Any, device: pr.Device) -> None:
    t = pr.asarray(X, copy=True, device=device)
    expected = X[numpys(key)]
    for k in (key, ours(key, device)):
        got = t[k]
        assert got.shape == expected.shape
        assert got.dtype is pr.int64
        assert np.array_equal(got.numpy(), expected)
    pending = t + 0
    assert np.array_equal(pending[key].numpy(), expected)
    view = pr.asarray(X.transpose(2, 0, 1)[::-1], device=device)[::-1].permute([1, 2, 0])
    assert np.array_equal(view[key].numpy(), expected)


@pytest.mark.parametrize("key", BASIC, ids=text)
def test_basic_reads_are_views(key: Any, device: pr.Device) -> None:
    t = pr.asarray(X, copy=True, device=device)
    view, x = t[key], X.copy()
    view[...] = -1
    x[key] = -1
    assert np.array_equal(t.numpy(), x)


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=text)
def test_writes(key: Any, device: pr.Device) -> None:
    place = numpys(key)
    selected = X[place].shape
    values = np.arange(1000, 1000 + int(np.prod(selected, dtype=int))).reshape(selected)
    candidates: list[Any] = [-7, values]
    if selected and not (isinstance(key, np.ndarray) and key.ndim == 3):  # there NumPy takes vectors only
        candidates += [values[None], values[:1], values[..., :1]]
    for k in (key, ours(key, device)):
        for value in candidates:
            x, t = X.copy(), pr.asarray(X, copy=True, device=device)
            before, view, later = t * 1, t[::-1].permute([2, 1, 0]), t[1:] + 0
            x[place] = value
            t[k] = value
            assert np.array_equal(t.numpy(), x)
            assert np.array_equal(view.numpy(), x[::-1].transpose(2, 1, 0))
            assert np.array_equal(before.numpy(), X)
            assert np.array_equal(later.numpy(), X[1:])
            u = pr.asarray(X, copy=True, device=device) + 0
            u[k] = pr.asarray(np.asarray(value), device=device) * 1
            assert np.array_equal(u.numpy(), x)


def random_key(r: random.Random, shape: tuple[int, ...]) -> Any:
    """A key that fits `shape`: every form, mixed."""
    parts: list[Any] = []
    axis = 0
    common = tuple(r.choice([1, 2, 3]) for _ in range(r.choice([1, 1, 2])))
    while axis < len(shape):
        size = shape[axis]
        form = r.choice(["int", "slice", "slice", "all", "array", "mask", "none", "stop", "wide"])
        if form == "stop":
            break
        if form == "none":
            parts.append(None)
            continue
        if form == "int" and size:
            parts.append(r.randrange(-size, size))
        elif form == "array" and size:
            one = common if r.random() < 0.7 else (1,) * r.randint(0, 1) + common[-1:]
            places = [r.randrange(-size, size) for _ in range(int(np.prod(one)))]
            parts.append(np.array(places, int).reshape(one))
        elif form == "mask" and r.random() < 0.5:
            mask = np.array([r.random() < 0.5 for _ in range(size)], bool)
            if size and mask.sum() != 1 and not any(isinstance(p, np.ndarray) for p in parts):
                parts.append(mask)
                common = (int(mask.sum()),)
            else:
                parts.append(slice(None))
        elif form == "wide" and axis + 1 < len(shape) and not any(isinstance(p, np.ndarray) for p in parts):
            mask = np.array([r.random() < 0.4 for _ in range(size * shape[axis + 1])], bool)
            parts.append(mask.reshape(shape[axis : axis + 2]))
            common = (int(mask.sum()),)
            axis += 1
        else:
            ends = [None, *range(-size - 2, size + 3)]
            parts.append(slice(r.choice(ends), r.choice(ends), r.choice([None, 1, 2, 3, -1, -2])))
        axis += 1
    if r.random() < 0.3:
        # an ellipsis stands where the axes that are left out would come
        parts.append(...)
    return tuple(parts) if len(parts) != 1 or r.random() < 0.5 else parts[0]


@pytest.mark.parametrize("block", range(6))
def test_300_random_indices(block: int, device: pr.Device) -> None:
    tried = 0
    for seed in range(block * 50, block * 50 + 50):
        r = random.Random(seed)
        sizes = [1, 2, 3, 4, 5, 0] if r.random() < 0.4 else [2, 3, 4, 5]
        shape = tuple(r.choice(sizes) for _ in range(r.randint(0, 4)))
        x = np.arange(int(np.prod(shape, dtype=int))).reshape(shape).astype(r.choice(["int64", "float32", "int8"]))
        key = random_key(r, shape)
        try:
            expected = x[key]
        except IndexError:
            for t in (pr.asarray(x, device=device), pr.asarray(x, device=device) + 0):
                with pytest.raises((IndexError, pr.ShapeError)):
                    t[key].numpy()
            continue
        tried += 1
        t = pr.asarray(x, copy=True, device=device)
        got = t[ours(key, device) if r.random() < 0.5 else key]
        assert np.array_equal(got.numpy(), expected), (seed, key)
        assert got.shape == expected.shape, (seed, key)
        value: Any = r.choice([7, -expected, np.asarray(-expected)[..., :1] if np.ndim(expected) else -expected])
        x[key] = value
        t[key] = value
        assert np.array_equal(t.numpy(), x), (seed, key)
    assert tried > 35


def test_newaxis_and_ellipsis(device: pr.Device) -> None:
    t = pr.asarray(X, device=device)
    assert t[pr.newaxis, ..., pr.newaxis].shape == (1, 4, 5, 6, 1)
    assert t[pr.asarray(1, device=device)].shape == (5, 6)
    assert t[pr.asarray(1, device=device) : pr.asarray(3, device=device)].shape == (2, 5, 6)
    fails(ValueError, "Tensor[...]: an index can hold only one ellipsis", lambda: t[..., 0, ...])


def test_rank_0(device: pr.Device) -> None:
    for t in (pr.asarray(5, device=device), pr.full((), 5, dtype=pr.int64, device=device)):
        assert t[()].item() == t[...].item() == 5
        assert (t[None].shape, t[..., None, None].shape) == ((1,), (1, 1))
        assert t[True].to_list() == [5]
        assert t[False].to_list() == []
        t[...] = 6
        assert t.item() == 6
        t[()] = 7
        assert t.item() == 7
        t[True] = 8
        assert t.item() == 8
        t[False] = 9
        assert t.item() == 8
        fails(IndexError, "Tensor[...]: 1 index for shape () of rank 0", lambda t=t: t[0])  # type: ignore[misc]


def test_a_view_of_a_constant_sees_writes(device: pr.Device) -> None:
    t = pr.full((), 3.0, device=device)
    view = t[None]
    t[...] = 4.0
    assert view.to_list() == [4.0]


def test_empty_tensors(device: pr.Device) -> None:
    x = np.zeros((0, 3))
    t = pr.asarray(x, device=device)
    key: Any
    for key in (slice(None), [], (slice(None), 1), (slice(None), [0, 2]), x > 0, np.zeros(0, bool), (..., None)):
        place = numpys(key)
        assert t[key].shape == x[place].shape
        t[key] = 1.0
    fails(IndexError, "Tensor[...]: index 0 is out of bounds for axis 0 with size 0", lambda: t[0])
    fails(IndexError, "Tensor[...]: index 0 is out of bounds for axis 0 with size 0", lambda: t[[0]])


def test_writes_convert_inside_the_kind(device: pr.Device) -> None:
    wide = pr.zeros((4,), dtype=pr.float64, device=device)
    wide[:2] = [0.1, 3]
    wide[2] = 0.1
    wide[3:] = (2,)
    assert wide.to_list() == [0.1, 3.0, 0.1, 2.0]
    half = pr.zeros((2,), dtype=pr.bfloat16, device=device)
    half[...] = [1.0, 1e-3]
    assert half.to_list() == [1.0, 0.00099945068359375]
    small = pr.zeros((2,), dtype=pr.int8, device=device)
    small[...] = pr.asarray([1, 2], device=device)
    assert small.to_list() == [1, 2]
    number = pr.zeros((3,), dtype=pr.complex64, device=device)
    number[...] = [1, 2.5, 1j]
    number[0] = 2
    assert number.to_list() == [2, 2.5, 1j]
    flags = pr.asarray([True, False], device=device)
    flags[0] = False
    flags[[1]] = [True]
    assert flags.to_list() == [False, True]
    single = pr.zeros((2,), device=device)
    single[...] = np.array([1.5, 2.5])
    single[:1] = np.array([3])
    assert single.to_list() == [3.0, 2.5]


def test_refused_values(device: pr.Device) -> None:
    t = pr.asarray([1, 2, 3], device=device)
    name = "Tensor[...] =: "
    floats = "cannot write float32 values into a int64 tensor\nHint: convert them: .cast(pr.int64)"
    fails(TypeError, name + floats, put(t, 0, pr.asarray(1.5, device=device)))
    fails(TypeError, name + floats.replace("float32", "float64"), put(t, ..., [1.5, 1, 1]))
    fails(TypeError, name + floats.replace("float32", "bool"), put(t, ..., [True, True, True]))
    fails(
        TypeError,
        name + "the Python float 1.5 does not go with a int64 tensor\nHint: convert the tensor or the number first",
        put(t, 0, 1.5),
    )
    fails(TypeError, name + "a str is not numbers", put(t, 0, "a"))
    fails(TypeError, name + "NoneType is not data for a tensor: expected numbers, lists or a buffer", put(t, 0, None))
    fails(ValueError, name + "values of shape (2,) do not fill a selection of shape (3,)", put(t, ..., [1, 2]))
    fails(ValueError, name + "values of shape (2,) do not fill a selection of shape ()", put(t, 0, [1, 2]))
    fails(ValueError, name + "values of shape (2, 1) do not fill a selection of shape (3,)", put(t, ..., [[1], [2]]))
    fails(ValueError, name + "values of shape (3,) do not fill a selection of shape (2,)", put(t, t > 1, [1, 2, 3]))
    byte = pr.zeros((2,), dtype=pr.uint8, device=device)
    fails(OverflowError, name + "256 does not fit uint8 (0 to 255)", put(byte, 0, 256))
    fails(OverflowError, name + "-1 does not fit uint8 (0 to 255)", put(byte, ..., [-1, 0]))
    assert (t.to_list(), byte.to_list()) == ([1, 2, 3], [0, 0])


def test_the_last_of_duplicates_stays(device: pr.Device) -> None:
    t = pr.zeros((5,), dtype=pr.int64, device=device)
    t[[1, 1, 3, -2, 1]] = [10, 20, 30, 40, 50]
    assert t.to_list() == [0, 50, 0, 40, 0]
    r = np.random.default_rng(0)
    for shape in [(1000,), (40, 30), (3, 5, 80)]:
        for flip in (False, True):
            index = r.integers(-20, 20, shape)
            values = r.integers(0, 10**6, shape)
            place = np.asfortranarray(index)[::-1] if flip else index
            value = np.asfortranarray(values)[::-1] if flip else values
            expected = np.zeros(20, np.int64)
            for i, v in zip(place.ravel(), value.ravel()):
                expected[i] = v
            t = pr.zeros((20,), dtype=pr.int64, device=device)
            t[place] = value
            assert np.array_equal(t.numpy(), expected)
            u = pr.zeros((20, 2), dtype=pr.int64, device=device)
            u[pr.asarray(place, device=device)] = pr.asarray(value, device=device)[..., None]
            assert np.array_equal(u.numpy(), np.stack([expected, expected], -1))


def test_a_tensor_as_its_own_index(device: pr.Device) -> None:
    t = pr.asarray([3, 2, 1, 0], device=device)
    assert t[t].to_list() == [0, 1, 2, 3]
    t[t] = pr.asarray([10, 20, 30, 40], device=device) % 4
    assert t.to_list() == [0, 2, 0, 2]


OVERLAPS: list[tuple[Callable[[Any], None], str]] = [
    (lambda x: x.__setitem__((slice(None), slice(1, None)), x[:, :-1]), "columns right"),
    (lambda x: x.__setitem__((slice(None), slice(None, -1)), x[:, 1:]), "columns left"),
    (lambda x: x.__setitem__(slice(1, None), x[:-1]), "rows down"),
    (lambda x: x.__setitem__(slice(None), x[::-1]), "flip"),
    (lambda x: x.__setitem__(..., x[::-1, ::-1]), "turn"),
    (lambda x: x.__setitem__(..., x.T), "transpose"),
    (lambda x: x.__setitem__([1, 0], x[[0, 1]]), "swap"),
    (lambda x: x.__setitem__(slice(None, None, 2), x[1:] * 1), "computed"),
    (lambda x: x.__setitem__(0, x[:, 0]), "column to row"),
    (lambda x: x.__setitem__(x > 3, x[x > 3] * 2), "mask"),
]


@pytest.mark.parametrize("write", [w for w, _ in OVERLAPS], ids=[n for _, n in OVERLAPS])
def test_overlapping_writes(write: Callable[[Any], None], device: pr.Device) -> None:
    x = np.arange(9).reshape(3, 3)
    if write is OVERLAPS[7][0]:
        x = np.arange(12).reshape(4, 3)[:3].copy()
        write = lambda a: a.__setitem__(slice(None, None, 2), a[1:] * 1)
    t = pr.asarray(x, copy=True, device=device)
    shared = pr.asarray(y := x.copy(), device=device)
    write(x)
    write(t)
    write(shared)
    assert np.array_equal(t.numpy(), x)
    assert np.array_equal(y, x)


def test_overlap_cases(device: pr.Device) -> None:
    t = pr.arange(1, 11, device=device)
    t[1:] = t[:-1]
    assert t.to_list() == [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    a = pr.asarray([10.0, 11.0, 12.0], dtype=pr.float64, device=device)
    a[1:] /= a[:-1]
    assert a.to_list() == [10.0, 1.1, 12.0 / 11.0]
    halves = pr.arange(6, device=device)
    left, right = halves[:3], halves[3:]
    copy = left + 0
    left[...] = right
    right[...] = copy
    assert halves.to_list() == [3, 4, 5, 0, 1, 2]


def test_views_of_views_see_writes(device: pr.Device) -> None:
    x, t = X.copy(), pr.asarray(X, copy=True, device=device)
    a, b = t[1:, ::-1], t.permute([2, 0, 1])
    c, y = a[..., ::2].mT, x[1:, ::-1]
    z = y[..., ::2].swapaxes(1, 2)
    c[0, 1:3] = -1
    z[0, 1:3] = -1
    b[5] = -2
    x.transpose(2, 0, 1)[5] = -2
    for got, expected in [(t, x), (a, y), (b, x.transpose(2, 0, 1)), (c, z)]:
        assert np.array_equal(got.numpy(), expected)


def test_augmented_writes(device: pr.Device) -> None:
    x, t = X.copy(), pr.asarray(X, copy=True, device=device)
    for a in (x, t):
        a[::2] += 1
        a[0, [1, 2]] *= 2
        a[a % 7 == 0] -= 100
        a[..., -1] //= 2
    assert np.array_equal(t.numpy(), x)


def test_read_only_and_broadcast_targets(device: pr.Device) -> None:
    frozen = np.arange(3)
    frozen.flags.writeable = False
    key: Any
    text = "Tensor[...] =: the tensor views a read-only buffer\nHint: write to a copy: pr.asarray(t, copy=True)"
    for key in (0, slice(1), [0], ..., np.array([True, False, False])):
        fails(pr.ReadOnlyError, text, put(pr.asarray(frozen, device=device), key, 1))
    assert frozen.tolist() == [0, 1, 2]
    one = pr.ones((1, 1), device=device)
    wide = pr.broadcast_to(one, (2, 3))
    for key in (..., (0, 0), 1, (slice(None), [0, 2])):
        fails(
            pr.ReadOnlyError,
            "Tensor[...] =: elements of this view share memory (shape (2, 3), strides (0, 0))\n"
            "Hint: write to a copy: pr.asarray(t, copy=True)",
            put(wide, key, 5.0),
        )
    assert one.to_list() == [[1.0]]
    one[0] = 2.0
    assert wide.to_list() == [[2.0] * 3] * 2


def test_tracked_tensors_are_not_written_to(device: pr.Device) -> None:
    leaf = pr.asarray([1.0, 2.0], device=device).autodiff().require_grad()
    text = (
        "Tensor[...] =: a tensor that autodiff tracks cannot be written to\n"
        "Hint: use t.slice_assign(...), which gives a new tensor"
    )
    for t in (leaf, leaf * 2, leaf[:1], leaf.reshape([2, 1])):
        fails(pr.GradientError, text, put(t, 0, 5.0))
    assert leaf.to_list() == [1.0, 2.0]
    free = pr.asarray([1.0, 2.0], device=device).autodiff()
    free[0] = 5.0
    assert free.to_list() == [5.0, 2.0]


def test_gradients_use_the_values_of_their_line(device: pr.Device) -> None:
    x = pr.asarray([1.0, 2.0], device=device).autodiff().require_grad()
    w = pr.asarray([3.0, 4.0], device=device).autodiff()
    loss = (x * w).sum()
    w[...] = 100.0
    gradient = x.grad(loss.backward())
    assert gradient is not None
    assert gradient.to_list() == [3.0, 4.0]


def test_gradients_of_reads(device: pr.Device) -> None:
    key: Any
    for key in [0, slice(None, None, -2), (..., None), [0, 0, 2], np.array([True, False, True]), (None, [1]), True]:
        x = pr.asarray([1.0, 2.0, 3.0], device=device).autodiff().require_grad()
        gradient = x.grad((x[key] * 2).sum().backward())
        expected = np.zeros(3)
        np.add.at(expected, key, 2.0)
        assert gradient is not None
        assert gradient.to_list() == expected.tolist()


# -- errors


def test_out_of_bounds_texts(device: pr.Device) -> None:
    t = pr.zeros((3, 4), dtype=pr.int64, device=device)

    def bad(key: Any, reason: str, kind: type[Exception] = IndexError) -> None:
        fails(kind, f"Tensor[...]: {reason}", lambda: t[key])
        fails(kind, f"Tensor[...] =: {reason}", put(t, key, 1))

    bad(3, "index 3 is out of bounds for axis 0 with size 3")
    bad(-4, "index -4 is out of bounds for axis 0 with size 3")
    bad(10**30, f"index {10**30} is out of bounds for axis 0 with size 3")
    bad((0, 4), "index 4 is out of bounds for axis 1 with size 4")
    bad((..., -5), "index -5 is out of bounds for axis 1 with size 4")
    bad((None, slice(None), 7), "index 7 is out of bounds for axis 1 with size 4")
    bad((0, 0, 0), "3 indices for shape (3, 4) of rank 2")
    bad([0, 5], "index 5 is out of bounds for axis 0 with size 3")
    bad((slice(None), [-5]), "index -5 is out of bounds for axis 1 with size 4")
    bad((2, [0, 99]), "index 99 is out of bounds for axis 1 with size 4")
    bad(np.array([2**64 - 1], np.uint64), f"index {2**64 - 1} is out of bounds for axis 0 with size 3")
    bad(pr.asarray([3], device=device), "index 3 is out of bounds for axis 0 with size 3")
    bad(np.zeros(4, bool), "a mask of shape (4,) has size 4 where axis 0 has 3")
    bad((slice(None), np.zeros(3, bool)), "a mask of shape (3,) has size 3 where axis 1 has 4")
    bad(np.zeros((3, 5), bool), "a mask of shape (3, 5) has size 5 where axis 1 has 4")
    bad(np.zeros((3, 4, 1), bool), "3 indices for shape (3, 4) of rank 2")
    bad(([0, 1], [0, 1, 2]), "(2,) and (3,) do not broadcast: axis -1 has sizes 2 and 3", pr.ShapeError)
    bad(1.0, "float 1.0 is not an index: expected ints, slices, ..., None, int or bool tensors", TypeError)
    bad("a", "str 'a' is not an index: expected ints, slices, ..., None, int or bool tensors", TypeError)
    bad([1.5], "an index array must hold ints or bools, got float64", TypeError)
    bad([[0], [1, 2]], "the rows of an index list differ in length", ValueError)
    bad(pr.asarray([1.5], device=device), "an index tensor must be of kind Int or Bool, got float32", TypeError)
    bad(slice(None, None, 0), "a slice step cannot be 0", ValueError)
    bad(slice(1.5), "slice(None, 1.5, None) must hold ints or None", ValueError)
    assert t.sum().item() == 0


def test_a_failed_write_changes_nothing(device: pr.Device) -> None:
    t = pr.zeros((4,), dtype=pr.int64, device=device)
    with pytest.raises(IndexError):
        t[[0, 1, 9]] = 5
    with pytest.raises(ValueError):
        t[[0, 1]] = [1, 2, 3]
    assert t.to_list() == [0, 0, 0, 0]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_index_dtypes(dtype: str, device: pr.Device) -> None:
    x = np.arange(10.0)
    index = np.array([9, 0, 3], dtype)
    t = pr.asarray(x, device=device)
    assert np.array_equal(t[pr.asarray(index, device=device)].numpy(), x[index])
    assert np.array_equal(t[pr.asarray(index, device=device) + 0].numpy(), x[index])


def test_the_array_behind_an_index_may_change_later(device: pr.Device) -> None:
    index = np.array([0, 1])
    t = pr.asarray([10, 20, 30], device=device)
    got, mask = t[index], np.array([True, False, False])
    masked = t[mask]
    index[:] = 2
    mask[:] = True
    assert (got.to_list(), masked.to_list()) == ([10, 20], [10])
