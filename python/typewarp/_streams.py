# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The stream that a call works on, as an integer."""
from __future__ import annotations

import operator

from . import _libraries
from ._core import View

# Handles that mean another stream on each device: the legacy default stream (two names), and that of a thread.
_DEFAULT = (0, 1, 2)
_END = 1 << 64  # of pointers, which handles are

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Stream = Any
else:
    Stream = object  # an integer, or an object of any library that has one


def given(stream: Stream) -> int:
    """The handle of a stream object or integer."""
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        told = protocol() if callable(protocol) else protocol
        if not isinstance(told, (tuple, list)) or len(told) != 2:
            raise TypeError(f"stream: its __cuda_stream__ must tell a version and a handle, not {told!r}")
        stream = told[1]
    else:
        for name in ("cuda_stream", "ptr", "handle"):  # of PyTorch, CuPy, Numba
            inner = getattr(stream, name, None)
            if inner is not None:
                stream = getattr(inner, "value", inner) or 0  # ctypes gives None for a null pointer
                break
    try:
        handle = operator.index(stream)
    except TypeError:
        raise TypeError(f"stream: {type(stream).__name__} is not a stream: it must be an integer, or have __cuda_stream__, "
                        "cuda_stream or ptr") from None
    if not 0 <= handle < _END:
        raise ValueError(f"stream: {handle} is not the handle of a stream")
    return handle


def current(view: View) -> int | None:
    """The current stream of a GPU array's library; None for host memory, and for libraries that do not report it."""
    if not view._on_gpu:
        return None
    stream = view._stream
    return _libraries.current_stream(view) if stream is None else stream


def handle_of(stream: Stream, *views: View) -> int:
    """The handle of `stream`, or else of the current stream of the views' libraries, which must be the same."""
    if stream is not None:
        return stream if type(stream) is int and 0 <= stream < _END else given(stream)
    handle, device = None, -1
    for view in views:
        own = current(view)
        if own is None:
            continue
        if handle is not None and own != handle:
            raise ValueError("stream: must be given, since the current streams of the arrays' libraries differ "
                             f"({handle:#x} and {own:#x})")
        handle, number = own, view._device_number
        if handle in _DEFAULT and -1 not in (device, number) and device != number:
            raise ValueError(f"stream: must be given, since the arrays are of devices {device} and {number}")
        device = max(device, number)
    return handle or 0


def handle_on(device: int, stream: Stream, *views: View) -> int:
    """The same for a call on a device, whose default stream is not that of the views if they are of another one."""
    handle = handle_of(stream, *views)
    if stream is None and handle in _DEFAULT:
        for view in views:
            if view._on_gpu and view._device_number not in (-1, device):
                raise ValueError(f"stream: must be given, since an array is of device {view._device_number}, and the call on {device}")
    return handle
