# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import ctypes
import sys
import types

import numpy as np
import pytest
from protocols import Exchanged, OnDevice

import typewarp as tw
from typewarp._streams import handle_of


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


def library(name, **attributes):
    """An array of a class of that library, over an interface that does not tell a stream, and what it has of the library."""
    class Array(OnDevice):
        __module__ = name + ".something"
    module = types.ModuleType(name)
    module.cuda = types.SimpleNamespace(**attributes)
    return tw.view(Array(np.zeros(3))), module


def test_cupy_is_asked(monkeypatch):
    view, module = library("cupy", get_current_stream=lambda: types.SimpleNamespace(ptr=11))
    monkeypatch.setitem(sys.modules, "cupy", module)
    assert handle_of(None, view) == 11


def test_torch_is_asked_for_the_arrays_device(monkeypatch):
    view, module = library("torch", current_stream=lambda device: types.SimpleNamespace(cuda_stream={"cuda:1": 12}[device]))
    view.array.device = "cuda:1"
    monkeypatch.setitem(sys.modules, "torch", module)
    assert handle_of(None, view) == 12
