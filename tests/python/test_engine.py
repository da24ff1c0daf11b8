# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import array
import threading
import types

import numpy as np
import pytest
from arrays import parts, raw, untyped
from hypothesis import given

import typewarp as tw


@given(parts())
def test_pack_is_numpys_contiguous_copy(case):
    _, part = case
    packed = tw.pack(part)
    assert packed.shape == part.shape and packed.dtype == part.dtype and packed.flags.c_contiguous
    assert packed.tobytes() == raw(part)


@given(parts())
def test_pack_writes_out_alone(case):
    _, part = case
    guarded = np.full(part.nbytes + 128, 255, np.uint8)
    out = guarded[64:64 + part.nbytes]
    assert tw.pack(part, out) is out
    assert out.tobytes() == raw(part)
    assert (guarded[:64] == 255).all() and (guarded[64 + part.nbytes:] == 255).all()


@given(parts())
def test_unpack_writes_the_elements_alone(case):
    base, part = case
    packed = (255 - np.arange(part.nbytes) % 200).astype(np.uint8)
    before = untyped(base).copy()
    tw.unpack(packed, part)
    assert raw(part) == packed.tobytes()
    # With the elements as they were, all is as it was.
    same = np.ndarray(part.shape, part.dtype, before, part.ctypes.data - base.ctypes.data, part.strides) if part.size else part
    tw.unpack(tw.pack(same), part)
    assert raw(base) == raw(before)


@given(parts())
def test_copy_from_layout_to_layout(case):
    """Into every second element of a larger array, in the other direction."""
    _, source = case
    base = np.zeros([2 * n + 1 for n in source.shape], untyped(source).dtype)
    there = tuple(slice(2 * n - 1, None if n else 0, -2) for n in source.shape) + (...,)
    tw.copy(source, base[there])
    assert raw(base[there]) == raw(source)
    base[there] = np.zeros((), base.dtype)
    assert not any(raw(base))


def test_copy_takes_other_shapes_with_as_many_elements():
    x, y = np.arange(12).reshape(3, 4), np.zeros((2, 6), int)
    tw.copy(x.T, y)
    assert (y.ravel() == x.T.ravel()).all()


def test_more_dimensions_than_any_other_library_has():
    x = np.arange(2**20).reshape((2,) * 20).transpose(list(range(19, -1, -1)))
    assert (tw.pack(x) == x).all()


def test_large_data_by_threads_and_without_the_interpreter():
    """Two threads of Python that pack at the same time, each by threads of the engine."""
    x = np.random.default_rng(1).integers(0, 2**60, (2, 1500, 1501))
    outs = [None, None]

    def work(i):
        outs[i] = tw.pack(x[i].T)

    threads = [threading.Thread(target=work, args=[i]) for i in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all((outs[i] == x[i].T).all() for i in range(2))


ZEROS = np.zeros((4, 6))
READONLY = np.zeros(24)
READONLY.flags.writeable = False
BROADCAST = np.broadcast_to(np.zeros(6), (4, 6)).copy()
BROADCAST = np.lib.stride_tricks.as_strided(BROADCAST, (4, 6), (0, 8))


@pytest.mark.parametrize("call, error, text", [
    (lambda: tw.view(3), TypeError, "x: int is not an array"),
    (lambda: tw.view(None), TypeError, "x: NoneType is not an array"),
    (lambda: tw.view([1.0, 2.0]), TypeError, "x: list is not an array"),
    (lambda: tw.view(np.array([object()])), ValueError, "x: its elements are Python objects"),
    (lambda: tw.view(np.zeros(2, [("O", "i4"), ("b", "O")])), ValueError, "x: its elements are Python objects"),
    (lambda: tw.pack(np.zeros(2, [("t", "M8[ns]"), ("o", "O")])), ValueError, "x: its elements are Python objects"),
    (lambda: tw.pack(np.zeros(2, [("t", "M8[ns]"), ("o", "O")])[["o", "t"]]), ValueError, "x: its elements are Python objects"),
    (lambda: tw.pack(np.ma.masked_array([1.0, 2.0], [0, 1])), ValueError, "x: is a masked array"),
    (lambda: tw.copy(ZEROS, np.ma.masked_array(ZEROS)), ValueError, "destination: is a masked array"),
    (lambda: tw.copy(np.zeros(2, "M8[s]"), np.zeros(2, "M8[ns]")), ValueError, "destination: has elements of V8"),
    (lambda: tw.copy(np.zeros(2, "S4"), np.zeros(2, "U1")), ValueError, "destination: has elements of V4"),
    (lambda: tw.copy(np.zeros(2, "i2,f8"), np.zeros(2, "f8,i2")), ValueError, "destination: has elements of V10"),
    (lambda: tw.copy(np.zeros(2, "i8,M8[s]"), np.zeros(2, "i8,M8[ns]")), ValueError, "destination: has elements of V16"),
    (lambda: tw.copy(np.zeros(2, "S8"), np.zeros(2)), ValueError, "destination: has elements of float64, the other array of V8"),
    (lambda: tw.copy(np.zeros(2), np.zeros(2, "S8")), ValueError, "destination: has elements of V8, the other array of float64"),
    (lambda: tw.copy(np.zeros(2, "M8[s]"), np.zeros(2, "i8")), ValueError, "destination: has elements of int64"),
    (lambda: tw.copy(np.zeros(2), np.zeros(2, "M8[s]")), ValueError, "destination: has elements of V8"),
    (lambda: tw.copy(np.zeros(2, "U1"), np.zeros(2, "u4")), ValueError, "destination: has elements of uint32"),
    (lambda: tw.copy(np.zeros(2, "f4,f4"), np.zeros(2, "c8")), ValueError, "destination: has elements of complex64"),
    (lambda: tw.copy(np.zeros(2), np.zeros(2, "i4,i4")), ValueError, "destination: has elements of V8"),
    (lambda: tw.pack(np.zeros(3, [])), ValueError, "x: must have elements of at least one byte"),
    (lambda: tw.unpack(np.zeros(3), np.zeros(3, [])), ValueError, "x: must have elements of at least one byte"),
    (lambda: tw.copy(np.zeros(3, []), np.zeros(3)), ValueError, "source: must have elements of at least one byte"),
    (lambda: tw.pack(3), TypeError, "x: int"),
    (lambda: tw.pack(ZEROS, "text"), TypeError, "out: str"),
    (lambda: tw.pack(ZEROS, np.zeros(23)), ValueError, "out: has 184 bytes, must have 192"),
    (lambda: tw.pack(ZEROS, np.zeros((6, 4)).T), ValueError, "out: has gaps or another order"),
    (lambda: tw.pack(ZEROS, READONLY), ValueError, "out: is read-only"),
    (lambda: tw.pack(memoryview(b"abc")), ValueError, "out: must be given"),
    (lambda: tw.pack(array.array("d", [1])), ValueError, "out: must be given: array is of no library that makes arrays"),
    (lambda: tw.unpack(np.zeros(24), READONLY), ValueError, "x: is read-only"),
    (lambda: tw.unpack(np.zeros(24), BROADCAST), ValueError, "x: has a stride of 0"),
    (lambda: tw.unpack(np.zeros(48)[::2], ZEROS), ValueError, "packed: has gaps"),
    (lambda: tw.unpack(None, ZEROS), TypeError, "packed: NoneType"),
    (lambda: tw.copy(None, ZEROS), TypeError, "source: NoneType"),
    (lambda: tw.copy(ZEROS, None), TypeError, "destination: NoneType"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 5))), ValueError, "destination: has 20 elements, must have 24"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 6), "i8")), ValueError, "destination: has elements of int64, the other array of float64"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 6), ">f8")), ValueError, "destination: has elements of >float64"),
    (lambda: tw.copy(ZEROS, np.zeros((4, 6), "f4")), ValueError, "destination: has elements of float32"),
    (lambda: tw.copy(ZEROS, READONLY), ValueError, "destination: is read-only"),
    (lambda: tw.pack(ZEROS, stream="s"), TypeError, "stream: str is not a stream"),
    (lambda: tw.pack(ZEROS, stream=types.SimpleNamespace(__cuda_stream__=5)), TypeError, "stream: its __cuda_stream__ must"),
    (lambda: tw.pack(ZEROS, stream=-1), ValueError, "stream: -1 is not the handle"),
    (lambda: tw.pack(ZEROS, stream=2**70), ValueError, "stream: 1180591620717411303424 is not the handle"),
    (lambda: tw.pack(ZEROS, stream=1.5), TypeError, "stream: float"),
])
def test_wrong_input_is_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_a_packed_source_may_be_read_only_and_broadcast():
    out = tw.pack(np.broadcast_to(np.arange(6.0), (4, 6)))
    assert (out == np.arange(6.0)).all() and out.shape == (4, 6)
    assert (tw.pack(READONLY) == 0).all()


@pytest.mark.parametrize("dtype, other", [("M8[s]", "M8[s]"), ("M8[s]", "V8"), ("V8", "i8"), ("f8", "V8"), ("S4", "V4"), ("i2,f8", "V10"), ("i2,f8", "i2,f8"), ("i8,M8[s]", "V16")])
def test_copy_between_types_that_agree_or_are_bytes(dtype, other):
    x, y = np.frombuffer(bytes(range(1, 33))[:2 * np.dtype(dtype).itemsize], dtype), np.zeros(2, other)
    tw.copy(x, y)
    assert y.tobytes() == x.tobytes()
