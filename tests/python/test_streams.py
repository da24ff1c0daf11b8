# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import ctypes
import sys
import types

import numpy as np
import pytest
from protocols import Exchanged, OnDevice

import typewarp as tw
from typewarp._libraries import empty_like
from typewarp._streams import handle_of, handle_on


def on_device(**entries):
    return tw.view(OnDevice(np.zeros(3), **entries))


HOST = tw.view(np.zeros(3))


@pytest.mark.parametrize("stream, handle", [
    (7, 7), (0, 0), (np.int64(7), 7),
    (types.SimpleNamespace(ptr=7), 7), (types.SimpleNamespace(cuda_stream=7), 7),
    (types.SimpleNamespace(handle=ctypes.c_void_p(7)), 7), (types.SimpleNamespace(handle=ctypes.c_void_p(0)), 0),
    (types.SimpleNamespace(__cuda_stream__=lambda: (0, 7), ptr=8), 7), (types.SimpleNamespace(__cuda_stream__=(0, 7)), 7)])
def test_streams_that_are_given(stream, handle):
    assert handle_of(stream, HOST) == handle
    assert handle_of(stream, on_device(stream=9)) == handle


def test_without_a_gpu_there_is_no_stream():
    assert handle_of(None, HOST, HOST) == 0


def test_the_stream_of_the_library():
    assert handle_of(None, HOST, on_device(stream=9)) == 9
    assert handle_of(None, on_device(stream=9), on_device(stream=9), on_device()) == 9
    assert handle_of(None, tw.view(Exchanged(4096, (2, 0), (2, 32, 1), (2,)))) == 0x70
    assert handle_of(None, on_device()) == 0


def test_libraries_must_agree():
    with pytest.raises(ValueError, match="^stream: must be given.*0x9 and 0xa"):
        handle_of(None, on_device(stream=9), on_device(stream=10))
    assert handle_of(3, on_device(stream=9), on_device(stream=10)) == 3


@pytest.mark.parametrize("handle", [0, 1, 2])
def test_a_default_stream_is_another_on_each_device(handle, monkeypatch):
    monkeypatch.setattr(tw._streams, "current", lambda view: handle)
    first, second = (tw.view(Exchanged(4096, (2, device), (2, 32, 1), (2,))) for device in (0, 1))
    untold = on_device()
    with pytest.raises(ValueError, match="^stream: must be given.*devices 0 and 1"):
        handle_of(None, first, untold, second)
    assert handle_of(None, first, untold, first) == handle
    with pytest.raises(ValueError, match="^stream: must be given.*device 1, and the call on 0"):
        handle_on(0, None, untold, second)
    assert handle_on(1, None, untold, second) == handle_on(0, handle, second) == handle
    monkeypatch.setattr(tw._streams, "current", lambda view: 9)
    assert handle_of(None, first, second) == handle_on(0, None, second) == 9


def library(name, **attributes):
    """An array of a class of that library, over an interface that does not tell a stream, and what it has of the library."""
    class Array(OnDevice):
        __module__ = name + ".something"
    module = types.ModuleType(name)
    module.cuda = types.SimpleNamespace(**attributes)
    return tw.view(Array(np.zeros(3))), module


class Entered:
    """A device or a stream: which of them are entered now, outermost first."""

    now = []

    def __init__(self, *name):
        self.name = name

    def __enter__(self):
        Entered.now.append(self.name)

    def __exit__(self, *_):
        Entered.now.pop()


def made(shape, *_, **options):
    """An array that tells where it was made."""
    x = np.zeros(shape)
    return types.SimpleNamespace(array=x, where=list(Entered.now), options=options, __array_interface__=x.__array_interface__)


def test_cupy_is_asked_for_the_arrays_device(monkeypatch):
    stream = lambda: types.SimpleNamespace(ptr=12 if Entered.now == [("device", 1)] else 11)
    view, module = library("cupy", get_current_stream=stream)
    view.array.device = Entered("device", 1)
    monkeypatch.setitem(sys.modules, "cupy", module)
    assert handle_of(None, view) == 12


def test_cupy_makes_arrays_for_the_stream(monkeypatch):
    view, module = library("cupy", ExternalStream=lambda handle: Entered("stream", handle))
    module.empty, view.array.device, view.array.dtype = made, Entered("device", 1), "f8"
    monkeypatch.setitem(sys.modules, "cupy", module)
    assert empty_like(view, None).where == [("device", 1)]
    assert empty_like(view, 7).where == [("device", 1), ("stream", 7)]


@pytest.mark.parametrize("handle, external", [(7, 7), (0, 0), (1, 0)])
def test_torch_makes_arrays_for_the_stream(monkeypatch, handle, external):
    view, module = library("torch", ExternalStream=lambda handle, device: Entered(handle, device), stream=lambda stream: stream)
    module.empty, view.array.device, view.array.dtype = made, "cuda:1", "f8"
    monkeypatch.setitem(sys.modules, "torch", module)
    assert empty_like(view, None).where == []
    assert empty_like(view, handle).where == [(external, "cuda:1")]


def test_numba_makes_arrays_on_the_arrays_device(monkeypatch):
    view, module = library("numba")
    module.cuda.gpus, module.cuda.device_array = {1: Entered("device", 1)}, made
    context = types.SimpleNamespace(device=types.SimpleNamespace(id=1))
    view.array.gpu_data, view.array.dtype = types.SimpleNamespace(context=context), "f8"
    monkeypatch.setitem(sys.modules, "numba.cuda", module.cuda)
    assert empty_like(view, 7).where == [("device", 1)]


def test_torch_is_asked_for_the_arrays_device(monkeypatch):
    view, module = library("torch", current_stream=lambda device: types.SimpleNamespace(cuda_stream={"cuda:1": 12}[device]))
    view.array.device = "cuda:1"
    monkeypatch.setitem(sys.modules, "torch", module)
    assert handle_of(None, view) == 12
