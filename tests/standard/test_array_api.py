"""What the array API asks for beyond single functions: inspection, `pr.fft`, Complex matrices, special values."""

from typing import Any

import numpy as np
import pytest

import pyrite as pr

RNG = np.random.default_rng(0)


def numbers(shape: Any, dtype: Any = np.complex128) -> Any:
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def near(got: pr.Tensor, wanted: Any) -> None:
    """Equal shape and dtype, values to some last digits."""
    assert got.shape == wanted.shape
    assert got.dtype.np == wanted.dtype
    bound = 200 * np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(got.numpy(), wanted, rtol=bound, atol=bound)


# ---------------------------------------------------------------- inspection


def test_inspection() -> None:
    info = pr.__array_namespace_info__()
    assert info.capabilities() == {
        "boolean indexing": True, "data-dependent shapes": True, "max dimensions": None,
    }  # fmt: skip
    assert info.devices() == (pr.Device.cpu(), pr.Device.flex())
    assert info.default_device() in info.devices()
    assert info.default_dtypes(device=pr.Device.flex()) == {
        "real floating": pr.float32, "complex floating": pr.complex64, "integral": pr.int64, "indexing": pr.int64,
    }  # fmt: skip
    assert len(info.dtypes()) == 13
    assert info.dtypes(kind="bool") == {"bool": pr.bool}
    assert set(info.dtypes(kind=("real floating", "complex floating"))) == {
        "float32", "float64", "complex64", "complex128",
    }  # fmt: skip
    with pytest.raises(pr.ArgumentError, match=r"Info.dtypes: 'floats' is not a kind of dtype"):
        info.dtypes(kind="floats")


def test_namespace() -> None:
    t = pr.ones(2)
    assert t.__array_namespace__() is pr
    assert t.__array_namespace__(api_version="2024.12") is pr
    with pytest.raises(pr.ArgumentError, match=r"Tensor.__array_namespace__: version '1999' of the array API"):
        t.__array_namespace__(api_version="1999")


def test_devices_have_no_streams() -> None:
    assert pr.ones(2).to_device(pr.Device.flex(), stream=None).device == pr.Device.flex()
    with pytest.raises(pr.ArgumentError, match=r"Tensor.to_device: devices have no streams, got stream 1"):
        pr.ones(2).to_device(pr.Device.flex(), stream=1)  # type: ignore[arg-type]


# ---------------------------------------------------------------- fft

NORMS: tuple[Any, ...] = ("backward", "ortho", "forward")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("device", ["cpu", "flex"])
def test_fft(norm: Any, dtype: Any, device: str) -> None:
    z = numbers((3, 5, 4), dtype)
    t = pr.asarray(z, device=device)
    for n in (None, 1, 3, 4, 7):
        for axis in (0, -1):
            for name in ("fft", "ifft", "irfft", "hfft"):
                found = getattr(pr.fft, name)(t, n=n, axis=axis, norm=norm)
                near(found, getattr(np.fft, name)(z, n=n, axis=axis, norm=norm))
            for name in ("rfft", "ihfft"):
                found = getattr(pr.fft, name)(pr.real(t), n=n, axis=axis, norm=norm)
                near(found, getattr(np.fft, name)(z.real, n=n, axis=axis, norm=norm))
    sizes: Any
    for sizes, axes in ((None, None), (None, (2, 0)), ((4, 2), (1, 0)), ((5, -1), (0, 1))):
        for name in ("fftn", "ifftn", "irfftn"):
            found = getattr(pr.fft, name)(t, s=sizes, axes=axes, norm=norm)
            near(found, getattr(np.fft, name)(z, s=whole(sizes, axes, z, name), axes=axes, norm=norm))
        found = pr.fft.rfftn(pr.real(t), s=sizes, axes=axes, norm=norm)
        near(found, np.fft.rfftn(z.real, s=whole(sizes, axes, z, "rfftn"), axes=axes, norm=norm))


def whole(sizes: Any, axes: Any, z: Any, name: str) -> Any:
    """The sizes of NumPy, where -1 says something else for the last axis of `irfftn`."""
    if sizes is None:
        return None
    found = [z.shape[a] if n == -1 else n for n, a in zip(sizes, axes)]
    return [*found[:-1], 2 * (found[-1] - 1)] if name == "irfftn" and sizes[-1] == -1 else found


def test_fft_of_real_tensors() -> None:
    near(pr.fft.fft(pr.arange(4.0)), np.fft.fft(np.arange(4.0)).astype(np.complex64))
    near(pr.fft.fft(pr.ones(3, dtype=pr.float64)), np.fft.fft(np.ones(3)))
    assert pr.fft.rfft(pr.ones(4, dtype=pr.bfloat16)).dtype is pr.complex64


def test_gradients_of_fft() -> None:
    x = numbers((2, 5), np.float64)
    weight = pr.asarray(numbers((2, 4), np.float64))

    def loss(t: pr.Tensor) -> pr.Tensor:
        z = pr.fft.rfftn(t, s=(2, 6), axes=(0, 1), norm="ortho")
        back = pr.fft.irfft(z * z, n=4)
        return pr.sum(back * weight) + pr.sum(pr.abs(pr.fft.fft(z)))

    found = pr.grad(loss)(pr.asarray(x)).numpy()
    step = 1e-6
    for i in np.ndindex(x.shape):
        high, low = x.copy(), x.copy()
        high[i] += step
        low[i] -= step
        slope = (loss(pr.asarray(high)).item() - loss(pr.asarray(low)).item()) / (2 * step)
        assert found[i] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_frequencies() -> None:
    for n in (1, 2, 5, 8):
        near(pr.fft.fftfreq(n, d=0.5, dtype=pr.float64), np.fft.fftfreq(n, 0.5))
        near(pr.fft.rfftfreq(n), np.fft.rfftfreq(n).astype(np.float32))
    assert pr.fft.fftfreq(3, device="flex").device == pr.Device.flex()
    x = np.arange(15).reshape(3, 5)
    axes: Any
    for axes in (None, 0, -1, (0, 1)):
        assert (pr.fft.fftshift(pr.asarray(x), axes=axes).numpy() == np.fft.fftshift(x, axes)).all()
        assert (pr.fft.ifftshift(pr.asarray(x), axes=axes).numpy() == np.fft.ifftshift(x, axes)).all()


WRONG = pr.ArgumentError


@pytest.mark.parametrize(
    ("name", "call", "kind", "text"),
    [
        ("fft", lambda f, z: f(z, n=0), WRONG, "the length of a transform must be at least 1, got 0"),
        ("fft", lambda f, z: f(z, n=1.5), WRONG, "the length of a transform must be an int, got 1.5"),
        ("fft", lambda f, z: f(z, axis=2), pr.AxisError, "axis 2 is out of range for rank 2 (valid: -2 to 1)"),
        ("fft", lambda f, z: f(z[:, :0]), pr.ShapeError, "axis 1 of (2, 0) is empty: there is nothing to transform"),
        ("ifft", lambda f, z: f(z, norm="x"), WRONG, 'norm \'x\' is not "backward", "ortho" or "forward"'),
        ("fftn", lambda f, z: f(z, s=(2,)), WRONG, "lengths were given without their axes"),
        ("fftn", lambda f, z: f(z, axes=()), WRONG, "there is no axis to transform"),
        ("fftn", lambda f, z: f(z, axes=(0, -2)), pr.AxisError, "axes (0, -2) repeat an axis"),
        ("ifftn", lambda f, z: f(z, s=(2,), axes=(0, 1)), WRONG, "1 lengths (2,) were given for 2 axes (0, 1)"),
        ("irfft", lambda f, z: f(z[:, :1]), WRONG, "one bin belongs to a signal of length 0 or 1"),
        ("rfft", lambda f, z: f(z), pr.DTypeError, "a tensor of kind Float is needed, got complex64"),
        ("rfftfreq", lambda f, z: f(4, d=0), WRONG, "the spacing of samples is 0"),
    ],
)
def test_mistakes_of_fft(name: str, call: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind) as error:
        call(getattr(pr.fft, name), pr.ones((2, 3), dtype=pr.complex64))
    assert str(error.value).split("\n")[0].rstrip(".") == f"pr.fft.{name}: {text}"


# ---------------------------------------------------------------- Complex matrices


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_matrices(dtype: Any) -> None:
    a = numbers((2, 3, 3), dtype)
    b = numbers((2, 3, 2), dtype)
    t = pr.asarray(a)
    near(pr.linalg.det(t), np.linalg.det(a))
    near(pr.linalg.inv(t), np.linalg.inv(a))
    near(pr.linalg.solve(t, pr.asarray(b)), np.linalg.solve(a, b))
    near(pr.linalg.pinv(pr.asarray(b)), np.linalg.pinv(b))
    near(pr.linalg.matrix_power(t, -2), np.linalg.matrix_power(a, -2))
    near(pr.linalg.svdvals(t), np.linalg.svd(a, compute_uv=False))
    sign, log = pr.linalg.slogdet(t)
    near(sign, np.linalg.slogdet(a)[0])
    near(log, np.linalg.slogdet(a)[1])
    order: Any
    for order in ("fro", "nuc", 1, -1, 2, np.inf):
        near(pr.linalg.matrix_norm(t, ord=order), np.linalg.norm(a, order, (-2, -1)))
    u, s, vh = pr.linalg.svd(pr.asarray(b), full_matrices=False)
    near(u * s[..., None, :] @ vh, b)
    q, r = pr.linalg.qr(t)
    near(q @ r, a)
    p, low, up = pr.linalg.lu(t)
    near(p @ low @ up, a)
    positive = a @ a.conj().swapaxes(-1, -2) + np.eye(3, dtype=dtype)
    for name, upper in (("tril", False), ("triu", True)):
        factor = pr.linalg.cholesky(pr.asarray(getattr(np, name)(positive)), upper=upper)
        near(factor, np.linalg.cholesky(positive, upper=upper))
    w, v = pr.linalg.eigh(pr.asarray(positive))
    near(w, np.linalg.eigvalsh(positive))
    near(v * w[..., None, :] @ pr.conj(v.mT), positive)
    w, v = pr.linalg.eig(t)
    near(v * w[..., None, :], a @ v.numpy())
    near(pr.linalg.eigvals(t), np.linalg.eigvals(a))
    assert pr.linalg.matrix_rank(t).to_list() == [3, 3]


def test_gradients_of_complex_matrices() -> None:
    a, c = numbers((3, 3)), numbers(3)

    def loss(t: pr.Tensor) -> pr.Tensor:
        z = pr.asarray(a) * t
        return pr.sum(pr.abs(pr.linalg.solve(z, pr.asarray(c)))) + pr.abs(pr.linalg.det(z))

    x = numbers((3, 3), np.float64) + 3
    found = pr.grad(loss)(pr.asarray(x)).numpy()
    step = 1e-6
    for i in np.ndindex(x.shape):
        high, low = x.copy(), x.copy()
        high[i] += step
        low[i] -= step
        slope = (loss(pr.asarray(high)).item() - loss(pr.asarray(low)).item()) / (2 * step)
        assert found[i] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    with pytest.raises(pr.GradientError, match="this decomposition of Complex matrices has no gradient"):
        pr.grad(lambda t: pr.sum(pr.linalg.svdvals(pr.asarray(a) * t)))(pr.asarray(x))


# ---------------------------------------------------------------- special values


def test_floor_division_of_infinities() -> None:
    inf = pr.inf
    x, y = [inf, inf, -inf, -inf, 1.0, -1.0, inf, 0.0], [2.0, -2.0, 2.0, -2.0, -inf, inf, inf, -inf]
    for dtype in (pr.float16, pr.float32, pr.float64):
        found = (pr.asarray(x, dtype=dtype) // pr.asarray(y, dtype=dtype)).numpy()
        wanted = np.array([inf, -inf, -inf, inf, -0.0, -0.0, np.nan, -0.0])
        np.testing.assert_array_equal(found, wanted)
        assert (np.signbit(found) == np.signbit(wanted))[:6].all()


def test_nextafter() -> None:
    x, y = np.array([1.0, 1.0, 0.0, -0.0, np.nan, 5.0, np.inf]), np.array([2.0, 0.0, -1.0, 0.0, 1.0, np.nan, 0.0])
    for dtype in (np.float32, np.float64, np.float16):
        found = pr.nextafter(pr.asarray(x.astype(dtype)), pr.asarray(y.astype(dtype))).numpy()
        wanted = np.nextafter(x.astype(dtype), y.astype(dtype))
        np.testing.assert_array_equal(found, wanted)
        assert (np.signbit(found) == np.signbit(wanted))[:4].all()
    assert pr.nextafter(pr.ones(1, dtype=pr.bfloat16), 2).to_list() == [1.0078125]


def test_complex_expm1() -> None:
    z = numbers(20) * np.logspace(-12, 1, 20)
    exact = [complex(np.clongdouble(np.exp(np.clongdouble(v))) - 1) if abs(v) > 1e-2 else series(v) for v in z]
    near(pr.expm1(pr.asarray(z)), np.array(exact))
    assert pr.expm1(pr.asarray([complex(-pr.inf, pr.inf)])).to_list() == [-1 + 0j]


def series(z: complex) -> complex:
    return z + z * z / 2 + z**3 / 6 + z**4 / 24 + z**5 / 120 + z**6 / 720


def test_rounding_of_complex_numbers() -> None:
    assert pr.round(pr.asarray([1.5 - 2.5j])).to_list() == [2 - 2j]


def test_complex_infinities() -> None:
    inf = pr.inf
    z = np.array([complex(inf, 2), complex(1, -inf), complex(3, -0.0)])
    for found in (+pr.asarray(z), pr.positive(pr.asarray(z))):
        assert (found.numpy().view(np.uint64) == z.view(np.uint64)).all()
    assert str(pr.tanh(pr.asarray([complex(inf, 2), complex(-inf, -2)])).to_list()) == "[(1+0j), (-1-0j)]"


def test_signs_of_complex_zeros() -> None:
    found = pr.sign(pr.asarray([complex(-0.0, -0.0)])).numpy()
    assert not np.signbit(found.real)
    assert not np.signbit(found.imag)


def test_empty_masks() -> None:
    t = pr.ones((3, 2))
    assert t[pr.zeros((0, 2), dtype=pr.bool)].shape == (0,)
    assert t[pr.zeros(0, dtype=pr.bool)].shape == (0, 2)
    with pytest.raises(IndexError):
        t[pr.zeros(2, dtype=pr.bool)]


def test_diagonals_beyond_the_matrix() -> None:
    far = 1 << 100
    x = np.arange(6).reshape(2, 3)
    t = pr.asarray(x)
    for k, wanted in ((far, x), (-far, 0 * x)):
        assert (pr.tril(t, k=k).numpy() == wanted).all()
        assert (pr.triu(t, k=-k).numpy() == wanted).all()
        assert (t.tril(k).numpy() == wanted).all()
        assert (pr.eye(2, 3, k=k).numpy() == 0).all()


def test_tuples() -> None:
    assert type(pr.broadcast_arrays(pr.ones(2))) is tuple
    assert type(pr.meshgrid(pr.ones(2))) is tuple
    assert pr.broadcast_arrays() == ()
    assert pr.meshgrid() == ()
    assert pr.expand_dims(pr.ones(2), 1).shape == (2, 1)
