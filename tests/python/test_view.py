# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import array
import gc
import json
import weakref

import numpy as np
import pytest
from arrays import parts
from hypothesis import given

import typewarp as tw


@given(parts())
def test_tells_what_numpy_tells(case):
    _, part = case
    view = tw.view(part)
    assert view.shape == part.shape
    assert view.ndim == part.ndim
    assert view.size == part.size
    assert view.itemsize == part.dtype.itemsize
    assert view.nbytes == part.nbytes
    assert view.readonly == (not part.flags.writeable)
    assert view.device == "cpu"
    assert view.array is part
    if part.size:
        # Where there is one index, NumPy's exports tell another distance than its arrays.
        assert all(n == 1 or own == theirs for n, own, theirs in zip(part.shape, view.strides, part.strides))
        assert view.address == part.ctypes.data
        assert view._range == (low := np.lib.array_utils.byte_bounds(part)[0], np.lib.array_utils.byte_bounds(part)[1] - low)
        assert view.contiguous == part.flags.c_contiguous


@pytest.mark.parametrize("name", ["int8", "int64", "uint16", "float16", "float32", "float64", "complex64", "complex128", "bool"])
def test_types_have_numpys_names(name):
    assert tw.view(np.zeros(2, name)).dtype == name


@pytest.mark.parametrize("dtype, name", [(">f8", ">float64"), (">i1", "int8"), ("S5", "V5"), ("M8[s]", "V8"), ("i4,f8", "V12"), ("U3", "V12")])
def test_types_of_numpy_alone_are_bytes(dtype, name):
    assert tw.view(np.zeros(2, dtype)).dtype == name


def test_bfloat16_and_float8_of_numpy_are_bytes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="no ml_dtypes")
    assert tw.view(np.zeros(2, ml_dtypes.bfloat16)).dtype == "V2"
    assert tw.view(np.zeros(2, ml_dtypes.float8_e4m3fn)).dtype == "V1"


@pytest.mark.parametrize("x, text", [
    (np.zeros((4, 6))[:, ::-2], "<typewarp.View (4, 3) of float64, strides (48, -16), 96 bytes on cpu>"),
    (b"abc", "<typewarp.View (3,) of uint8, strides (1,), 3 bytes on cpu, read-only>"),
    (np.array(1, np.float32), "<typewarp.View () of float32, strides (), 4 bytes on cpu>")])
def test_repr(x, text):
    assert repr(tw.view(x)) == text


def test_layout_is_the_canonical_form():
    x = np.zeros((8, 8))
    assert tw.view(x[:, 3]).layout == "repeat 8 x stride 64 of run 8"
    assert tw.view(x[2:4]).layout == "run 128"


@pytest.mark.parametrize("x", [bytearray(12), memoryview(bytearray(12))[::-3], array.array("d", [1, 2, 3])], ids=["bytearray", "memoryview", "array"])
def test_buffers_of_the_standard_library(x):
    assert tw.pack(x, np.empty(tw.view(x).nbytes, "u1")).tobytes() == bytes(memoryview(x))


def test_a_view_of_a_view_is_that_view():
    view = tw.view(np.zeros(3))
    assert tw.view(view) is view


def test_a_view_keeps_its_memory():
    x = np.arange(1000.0)
    alive = weakref.ref(x)
    view = tw.view(x[::2])
    del x
    gc.collect()
    assert alive() is not None
    assert (tw.pack(view) == np.arange(0, 1000.0, 2)).all()
    del view
    gc.collect()
    assert alive() is None


def test_memory_that_is_viewed_does_not_move():
    x = bytearray(8)
    view = tw.view(x)
    with pytest.raises(BufferError):
        x.extend(b"more")
    del view
    x.extend(b"more")


def test_a_cycle_through_a_view_is_collected():
    class Array(np.ndarray):
        pass

    x = np.zeros(3).view(Array)
    x.own = tw.view(x)
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None


def test_views_have_no_dictionary():
    with pytest.raises(AttributeError):
        tw.view(np.zeros(2)).shape = (1, 2)


def test_hints_go_with_a_view_of_the_same_memory():
    x = np.arange(24.0).reshape(4, 6)
    view = tw.view(x[:, ::2])
    hinted = view.with_hints(avoid="multiprocessors,copy_engines", max_blocks=8)
    assert (view.hints, hinted.hints) == ("none", "avoid=multiprocessors,copy_engines, max_blocks=8")
    assert hinted.with_hints(method="deep_words", max_blocks=0).hints == "avoid=multiprocessors,copy_engines, method=deep words"
    assert hinted.array is view.array and hinted.strides == view.strides and hinted.layout == view.layout
    assert (tw.pack(hinted) == x[:, ::2]).all()
    rows = tw.layout(x, [3, 1]).with_hints(priority="high")
    assert (tw.pack(rows) == x[[3, 1]]).all()
    assert rows.array is x
    assert (tw.pack(tw.layout([hinted, rows])) == np.concatenate([x[:, ::2].ravel(), x[[3, 1]].ravel()])).all()


@pytest.mark.parametrize("value, error, text", [(2**70, ValueError, "max_blocks: 1180591620717411303424: must be"),
                                                ("3", TypeError, "max_blocks: str is not a number"), (1.5, TypeError, "max_blocks: float")])
def test_wrong_numbers_of_blocks_are_named(value, error, text):
    with pytest.raises(error) as caught:
        tw.view(np.zeros(2)).with_hints(max_blocks=value)
    assert str(caught.value).startswith(text)
    assert tw.view(np.zeros(2)).with_hints(max_blocks=np.int64(3)).hints == "max_blocks=3"


@pytest.mark.parametrize("hint", [{"avoid": "disks"}, {"priority": "highest"}, {"max_blocks": -1}, {"method": "fast"}])
def test_hints_that_no_key_takes(hint):
    with pytest.raises(ValueError, match=next(iter(hint))):
        tw.view(np.zeros(2)).with_hints(**hint)


def test_a_view_explains_itself():
    view = tw.view(np.zeros((64, 64))[:, ::8])
    text = view.explain(machine="h100")
    assert "floor" in text and "stride" in text and "NVIDIA H100" in text
    told = json.loads(view.with_hints(max_blocks=4).explain(json=True))
    assert told["size"] * told["count"] == view.nbytes
    packing = [move for move in told["moves"] if move["engine"] == "gpu"]
    assert {move["chosen"] for move in packing} == {"bounded"}
    measured = json.loads(view.explain(json=True, measure=True))
    assert all(move["measured_us"] > 0 for move in measured["moves"] if move["engine"] == "host")
    with pytest.raises(ValueError, match="^machine: abacus: must be h200 or h100"):
        view.explain(machine="abacus")


def test_a_cycle_through_a_hinted_view_is_collected():
    class Array(np.ndarray):
        pass

    x = np.zeros(3).view(Array)
    x.own = tw.view(x).with_hints(max_blocks=1)
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None
