# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of the libraries themselves: JAX also on the host, CuPy, PyTorch and Numba where there is a GPU."""
import numpy as np
import pytest
from arrays import library

import typewarp as tw

PARTS = {"whole": np.s_[:], "column": np.s_[:, 1], "steps": np.s_[1::2, ::3], "box": np.s_[1:5, 2:7], "empty": np.s_[3:3]}


class Library:
    """Arrays of a library on its GPU, from and to NumPy."""

    def __init__(self, name):
        self.name, self.module = name, library(name)
        if name == "numba":
            from numba import cuda
            self.module = cuda

    def array(self, x):
        if self.name == "torch":
            return self.module.tensor(x, device="cuda")
        return self.module.to_device(x) if self.name == "numba" else self.module.asarray(x)

    def numpy(self, x):
        if self.name == "torch":
            return x.cpu().numpy()
        return x.copy_to_host() if self.name == "numba" else self.module.asnumpy(x)

    def synchronize(self):
        {"torch": lambda: self.module.cuda.synchronize(), "numba": lambda: self.module.synchronize(),
         "cupy": lambda: self.module.cuda.Device().synchronize()}[self.name]()


@pytest.fixture(params=["cupy", "torch", "numba"])
def lib(request):
    return Library(request.param)


def numbers():
    return np.arange(8 * 9, dtype=np.float32).reshape(8, 9)


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_pack_makes_an_array_of_the_library(lib, part):
    x = lib.array(numbers())
    packed = tw.pack(x[part])
    assert type(packed) is type(x)
    assert tw.view(packed).device.startswith("cuda") and tw.view(packed).dtype == "float32"
    assert (lib.numpy(packed) == numbers()[part]).all()


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_unpack_writes_the_part_alone(lib, part):
    x, expected = lib.array(numbers()), numbers()
    expected[part] += 100
    tw.unpack(lib.array(np.ascontiguousarray(expected[part])), x[part])
    lib.synchronize()
    assert (lib.numpy(x) == expected).all()


def test_copy_to_and_from_the_host(lib):
    x, y, back = numbers(), lib.array(np.zeros((9, 8), np.float32)), np.zeros((8, 9), np.float32)
    tw.copy(x.T, y)
    tw.copy(y, back.T)
    assert (back == x).all()


def test_items_by_lists_of_the_library_and_of_the_host(lib):
    x, y, expected = lib.array(numbers()), lib.array(np.zeros((5, 9), np.float32)), np.zeros((5, 9), np.float32)
    move = tw.IndexedCopy([x], [y])
    for read, written in ([7, 0, 3], [4, 0, 1]), ([1], [2]):
        expected[written] = numbers()[read]
        lists = [lib.array(np.array(i, np.int64)) for i in (read, written)]
        move.copy(*lists)
        lib.synchronize()
        move.check()
        assert (lib.numpy(y) == expected).all()
    move.copy([2], np.array([3], np.int32))
    expected[3] = numbers()[2]
    lib.synchronize()
    assert (lib.numpy(y) == expected).all()
    wrong = lib.array(np.array([0, 8], np.int64))
    move.copy(wrong)
    lib.synchronize()
    with pytest.raises(ValueError, match=r"from_\[1\]: 8: must be at least 0 and less than 8"):
        move.check()


def test_batch_and_prepared_operations(lib):
    x, out = lib.array(numbers()), lib.array(np.zeros((8, 3), np.float32))
    batch = tw.Batch([x[:, 0], x[1:3, 2:4]])
    batch.pack()
    lib.synchronize()
    assert lib.numpy(batch.packed).tobytes() == numbers()[:, 0].tobytes() + numbers()[1:3, 2:4].tobytes()
    operation = tw.pack_init(x[:, 2:5], out)
    operation.start()
    operation.wait()
    assert (lib.numpy(out) == numbers()[:, 2:5]).all()


def test_the_current_stream_is_used():
    """A long kernel stands before on the stream: another stream would pack what was there before."""
    lib = Library("torch")
    x = lib.module.zeros(4096, 4096, device="cuda")
    stream = lib.module.cuda.Stream()
    lib.synchronize()
    with lib.module.cuda.stream(stream):
        lib.module.cuda._sleep(100_000_000)
        x += 1
        packed = tw.pack(x[:, 1])
        assert tw.view(x)._stream == stream.cuda_stream
    lib.synchronize()
    assert bool((packed == 1).all())
    with lib.module.cuda.stream(stream):
        lib.module.cuda._sleep(100_000_000)
        x += 1
    tw.pack(x[:, 1], packed, stream=stream)
    lib.synchronize()
    assert bool((packed == 2).all())


def test_an_array_that_is_made_for_another_stream():
    """Memory that was freed on the current stream, which has still to write it, must not be packed into on another."""
    torch = Library("torch").module
    x, side = torch.ones(1 << 20, 2, device="cuda"), torch.cuda.Stream()
    loaded = tw.pack(x[:, 1])  # the kernels, which may wait
    torch.cuda.synchronize()
    freed = torch.empty(1 << 20, device="cuda")
    torch.cuda._sleep(100_000_000)
    freed.fill_(9)
    del freed
    packed = tw.pack(x[:, 1], stream=side)
    torch.cuda.synchronize()
    assert bool((packed == loaded).all())


def test_a_gradient_of_torch_is_not_lost_in_silence():
    torch = Library("torch").module
    x = torch.ones(3, device="cuda", requires_grad=True)
    with pytest.raises(ValueError, match="^x: requires a gradient"):
        tw.pack(x)
    assert bool((tw.pack(x.detach()) == 1).all())


def test_cupys_current_stream_is_used():
    lib = Library("cupy")
    stream = lib.module.cuda.Stream(non_blocking=True)
    x = lib.array(numbers())
    with stream:
        from typewarp._streams import handle_of
        assert handle_of(None, tw.view(x)) == stream.ptr


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float16", "complex64", "bool"])
def test_types_of_torch(name):
    torch = Library("torch").module
    x = torch.arange(72, device="cuda").reshape(8, 9).to(getattr(torch, name))
    assert tw.view(x).dtype == name
    packed = tw.pack(x[:, ::2])
    assert packed.dtype == x.dtype
    assert bool((packed.view(torch.uint8) == x[:, ::2].contiguous().view(torch.uint8)).all())


def test_what_torch_computes_only_when_it_reads():
    torch = Library("torch").module
    x = torch.arange(3, device="cuda").to(torch.complex64)
    for lazy in (x.conj(), x.conj().imag):
        with pytest.raises(ValueError, match="^x: is conjugated or negated only when"):
            tw.view(lazy)
    assert tw.view(x.conj().resolve_conj()).dtype == "complex64"


def test_a_graph_of_torch_captures_a_pack():
    torch = Library("torch").module
    x, out = torch.zeros(8, 9, device="cuda"), torch.empty(8, device="cuda")
    tw.pack(x[:, 1], out)  # loads kernels, which a capture must not
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        tw.pack(x[:, 1], out)
    x[:, 1] = 7
    graph.replay()
    torch.cuda.synchronize()
    assert bool((out == 7).all())


def test_between_libraries():
    cupy, torch = Library("cupy"), Library("torch")
    y = torch.array(np.zeros((9, 8), np.float32))
    tw.copy(cupy.array(numbers()).T, y, stream=0)
    torch.synchronize()
    assert (torch.numpy(y) == numbers().T).all()


def jax_numpy():
    return pytest.importorskip("jax.numpy", reason="no jax")


def test_jax():
    x = jax_numpy().arange(72.0).reshape(8, 9)
    view = tw.view(x)
    assert (view.shape, view.dtype, view.readonly) == ((8, 9), "float32", True)
    out = np.zeros((9, 8), np.float32)
    tw.copy(x, out)
    assert (out.ravel() == np.arange(72)).all()
    with pytest.raises(ValueError, match="^destination: is read-only"):
        tw.copy(out, x)
    with pytest.raises(ValueError, match="^out: must be given: arrays of JAX cannot be written"):
        tw.pack(x)


def test_bfloat16_of_jax():
    jnp = jax_numpy()
    x = jnp.arange(6, dtype=jnp.bfloat16)
    assert tw.view(x).dtype == "bfloat16"
    out = np.zeros(12, np.uint8)
    tw.pack(x, out)
    assert out.tobytes() == np.asarray(x).tobytes()
