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

Errors: ValueError and TypeError name the argument. GpuError tells what the GPU's runtime refused.
"""
from ._batch import Batch
from ._core import GpuError, View, __version__, built_with_gpu, gpu_present
from ._engine import copy, pack, unpack, view
from ._persistent import Persistent, copy_init, pack_init, unpack_init

__all__ = ["Batch", "GpuError", "Persistent", "View", "__version__", "built_with_gpu", "copy", "copy_init", "gpu_present",
           "pack", "pack_init", "unpack", "unpack_init", "view"]
