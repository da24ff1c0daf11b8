# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Views as messages of mpi4py, within one process."""
import gc
import os
import weakref

import numpy as np
import pytest
from arrays import library, parts, raw, untyped
from hypothesis import given

import typewarp as tw

if "MPI4PY_LIBMPI" not in os.environ:
    pytest.skip("no MPI4PY_LIBMPI, which tells mpi4py its MPI", allow_module_level=True)
MPI = pytest.importorskip("mpi4py.MPI", reason="no mpi4py")


def exchange(source, destination):
    """A message to this process itself."""
    request = MPI.COMM_SELF.Isend(source, 0, 1)
    MPI.COMM_SELF.Recv(destination, 0, 1)
    request.wait()


@given(parts())
def test_a_message_of_any_part(case):
    _, part = case
    received = np.zeros(part.shape, untyped(part).dtype)
    exchange(tw.view(part).spec, tw.view(received).spec)
    assert raw(received) == raw(part)


@given(parts())
def test_a_message_into_any_part(case):
    base, part = case
    sent, before = untyped(part).copy(order="C"), untyped(base).copy()
    part[...] = np.zeros((), part.dtype)
    exchange(tw.view(sent).spec, tw.view(part).spec)
    assert raw(part) == raw(sent)
    assert raw(base) == raw(before)


BYTES = np.arange(60, dtype="i1")


@pytest.mark.parametrize("part", [BYTES[::-1], BYTES.view("u1")[40:20:-1], BYTES.view("S1")[::-1], (BYTES % 3 == 0)[::-1],
                                  BYTES.reshape(6, 10)[:, ::-1], BYTES.reshape(6, 10)[::2, 8:2:-1], BYTES.reshape(4, 5, 3)[..., ::-1],
                                  BYTES.reshape(3, 5, 4)[:, :, ::-1].transpose(0, 2, 1), BYTES.reshape(6, 10).T[::-1],
                                  np.lib.stride_tricks.as_strided(BYTES[40:].view("i2"), (5, 2), (-1, 4))])
def test_bytes_backwards(part):
    """A stride of -1, which Open MPI 5.0.11 takes in a hvector for one of the elements' size: also into such, with bytes around it."""
    received = np.zeros(part.shape, part.dtype)
    exchange(tw.view(part).spec, tw.view(received).spec)
    assert raw(received) == raw(part)
    if part.dtype.itemsize == 1:
        around = np.full((*part.shape[:-1], part.shape[-1] + 8), 99, "u1").view(part.dtype)
        exchange(tw.view(received).spec, tw.view(around[..., -5:3:-1]).spec)
        assert raw(around[..., -5:3:-1]) == raw(part)
        assert set(raw(around[..., :4])) == set(raw(around[..., -4:])) == {99}


@given(parts(["i1", "?", "S1"]))
def test_a_message_of_any_part_of_bytes(case):
    base, part = case
    received, before = np.zeros(part.shape, part.dtype), base.copy()
    exchange(tw.view(part).spec, tw.view(received).spec)
    assert raw(received) == raw(part)
    part[...] = np.zeros((), part.dtype)
    exchange(tw.view(received).spec, tw.view(part).spec)
    assert raw(base) == raw(before)


def test_rows_of_bytes_backwards():
    part, received = BYTES.reshape(6, 10)[:, ::-1], np.zeros((3, 10), "i1")
    exchange(tw.layout(part, [4, 0, 1]).spec, tw.view(received).spec)
    assert (received == part[[4, 0, 1]]).all()
    exchange(tw.layout(BYTES[::-1], [2, 3, 4, 9]).spec, tw.view(received[0, :4]).spec)
    assert received[0, :4].tolist() == [57, 56, 55, 50]


CUBE = np.arange(180.0).reshape(9, 5, 4)


@pytest.mark.parametrize("part", [CUBE, CUBE[::-1], CUBE[::2, 1], CUBE.transpose(1, 0, 2)[:, ::3], CUBE[:, 2, 3], CUBE.view("V16,V16")[:, 1:],
                                  CUBE.view("f4")[:, :3, ::-1]])
def test_a_message_of_a_layout(part):
    """Rows with some that follow each other, and the first row once more, into other rows."""
    received = np.zeros((2 * len(part), *part.shape[1:]), untyped(part).dtype)
    taken, places = [2, 3, 1], [5, 0, 1]
    sent, into = tw.layout([tw.layout(part, taken), part[:1]]), tw.layout([tw.layout(received, places), received[7:8]])
    exchange(sent.spec, into.spec)
    assert raw(received[[*places, 7]]) == raw(part[[*taken, 0]])
    assert not any(raw(received[[2, 3, 4, 6]]))


def test_a_layout_keeps_its_datatype():
    view = tw.layout(np.arange(10.0), [1, 2, 5])
    assert view.spec[2] is view.spec[2] and view.spec[2].Get_size() == 24


def test_elements_have_mpis_types():
    x = np.zeros((4, 6))
    assert tw.view(x).spec[1:] == [24, MPI.DOUBLE]
    assert tw.view(x[:, 0]).spec[1] == 1
    vector = MPI.DOUBLE.Create_vector(4, 1, 6).Commit()
    assert tw.view(x[:, 0]).spec[2].Get_size() == vector.Get_size()
    # A plain receive of a matching datatype takes the message.
    x[:, 0] = 1, 2, 3, 4
    received = np.zeros((4, 6))
    exchange(tw.view(x[:, 0]).spec, [received, 1, vector])
    assert (received[:, 0] == x[:, 0]).all()
    vector.Free()


def test_datatypes_are_kept_and_freed_by_nobody():
    x = np.zeros((600, 6))
    first = tw.view(x[:, 0]).spec
    assert tw.view(x[:, 1]).spec[2] is first[2]
    for n in range(2, 600):  # more shapes than are kept
        tw.view(x[:n, 0]).spec
    gc.collect()
    received = np.zeros((600, 2))
    x[:, 0] = range(600)
    exchange(first, tw.view(received[:, 0]).spec)
    assert (received == x[:, :2] * [1, 0]).all()


@pytest.mark.parametrize("part", [np.s_[:], np.s_[::2]], ids=["whole", "steps"])
def test_a_spec_keeps_the_array(part):
    x = np.full(2**16, 7.0)
    alive = weakref.ref(x)
    spec = tw.view(x[part]).spec
    del x
    gc.collect()
    assert alive() is not None
    out = np.zeros(2**16)[part].copy()
    MPI.COMM_SELF.Sendrecv(spec, 0, recvbuf=out)
    assert (out == 7).all()
    request = MPI.COMM_SELF.Isend(spec, 0)  # keeps the array, too
    del spec
    gc.collect()
    assert alive() is not None
    MPI.COMM_SELF.Recv(out, 0)
    request.wait()
    del request
    gc.collect()
    assert alive() is None


def test_a_temporary_is_sent():
    out = np.zeros(2**22)
    MPI.COMM_SELF.Sendrecv(tw.view(np.full(2**22, 7.0)).spec, 0, recvbuf=out)
    assert (out == 7).all()


def test_a_read_only_array_receives_nothing():
    with pytest.raises(BufferError):
        MPI.COMM_SELF.Recv(tw.view(bytes(8)).spec, 0)


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_messages_of_gpus_under_the_preload_library(name):
    if "libtypewarp_mpi" not in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the preload library is not there")
    module = library(name)
    x = module.arange(24.0, device="cuda").reshape(4, 6) if name == "torch" else module.arange(24.0).reshape(4, 6)
    y = module.zeros_like(x)
    exchange(tw.view(x[1:, ::2]).spec, tw.view(y[1:, ::2]).spec)
    assert bool((y[1:, ::2] == x[1:, ::2]).all()) and float(y.sum()) == float(x[1:, ::2].sum())
