# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Moves noncontiguous data of GPUs and hosts: pack, unpack, copy, and messages of mpi4py.

An array is anything with the buffer protocol, DLPack or an array interface: of NumPy, CuPy, PyTorch, JAX or Numba, a
memoryview. All calls take arrays or views of them (view()). Nothing is copied but by the call that says so.

Streams: work that involves a GPU is enqueued on `stream`, and the call returns without waiting for it. If either side is
pageable host memory and the other a GPU's, the call returns when all bytes are in place, as it does where no GPU is involved;
`stream` is ignored there. A stream is an integer (a cudaStream_t; 0 is the legacy default stream), or an object of CuPy,
PyTorch or Numba, or one with __cuda_stream__. Without one, it is the current stream of the array's library. Arrays must live,
and stay as they are, until the stream has done the work.

Messages and halos (typewarp.halo) are between ranks of communicators of mpi4py, which is imported when the first of their names is
asked for: ImportError without it. Exchanges are, too, or between Ranks of a program without an MPI.

Errors: ValueError and TypeError name the argument. GpuError tells what the GPU's runtime refused, MpiError what the MPI did.
"""
from __future__ import annotations

from ._core import Disagreement, GpuError, MpiError, TimeLimitExceeded, View, __version__, built_with_gpu, gpu_present
from ._engine import copy, pack, unpack, view

TYPE_CHECKING = False  # as checkers take it; typing's takes longer to import than all of this package
if TYPE_CHECKING:
    from typing import Any

    from . import halo
    from ._batch import Batch
    from ._device_group import DeviceGroup
    from ._exchange import Exchange, alltoall, exchange
    from ._indexed_copy import IndexedCopy
    from ._installed import get_cmake_dir, get_include
    from ._layout import layout
    from ._messages import (Request, Status, iprobe, irecv, isend, issend, probe, progress, recv, send, sendrecv, ssend,
                            wait_all)
    from ._persistent import Persistent, copy_init, pack_init, unpack_init
    from ._ranks import Ranks
    from ._registered_memory import RegisteredMemory, RemoteArray, RemoteMemory
    from ._session import Session
    from ._waiting import completed

# Without what needs an MPI, so that `from typewarp import *` does not.
__all__ = ["Batch", "DeviceGroup", "Disagreement", "Exchange", "GpuError", "IndexedCopy", "MpiError", "Persistent", "Ranks", "RegisteredMemory", "RemoteArray", "RemoteMemory", "TimeLimitExceeded", "View", "__version__",
           "alltoall", "built_with_gpu", "completed", "copy", "copy_init", "exchange", "get_cmake_dir", "get_include", "gpu_present", "layout", "pack",
           "pack_init", "unpack", "unpack_init", "view"]

# The module of each name that is imported when it is asked for: those that need an MPI, and what not all programs use.
_LATER = {name: module for module, names in {
    "_batch": ("Batch",),
    "_device_group": ("DeviceGroup",),
    "_exchange": ("Exchange", "alltoall", "exchange"),
    "_indexed_copy": ("IndexedCopy",),
    "_installed": ("get_cmake_dir", "get_include"),
    "_layout": ("layout",),
    "_messages": ("Request", "Status", "iprobe", "irecv", "isend", "issend", "probe", "progress", "recv", "send", "sendrecv",
                  "ssend", "wait_all"),
    "_persistent": ("Persistent", "copy_init", "pack_init", "unpack_init"),
    "_ranks": ("Ranks",),
    "_registered_memory": ("RegisteredMemory", "RemoteArray", "RemoteMemory"),
    "_session": ("Session",),
    "_waiting": ("completed",),
}.items() for name in names}


def __getattr__(name: str) -> Any:
    import importlib

    if name == "halo":
        return importlib.import_module(".halo", __name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module("." + _LATER[name], __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, "halo"})
