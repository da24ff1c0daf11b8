# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of one kind of memory, by the libraries that Python programs have them from.

Kinds: host (NumPy), device (the CUDA runtime alone), cupy, torch.
"""
import ctypes
import os
import sys

import numpy


class Numpy:
    """What the programs need of an array library, for memory of the host."""

    def __init__(self, rank):
        pass

    def of(self, array):
        return array.copy()

    def write(self, made, array):
        made[...] = array

    def back(self, array):
        """As an array of the host, once all is done that was asked of it."""
        return array


class DeviceArray:
    """Memory of a GPU that says what it is as CuPy's and PyTorch's arrays do."""

    def __init__(self, runtime, array):
        address = ctypes.c_void_p()
        self.runtime = runtime
        self.shape, self.dtype = array.shape, array.dtype
        runtime("cudaMalloc", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
        self.address = address.value
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (self.address, False),
                                         "version": 3}

    def __del__(self):
        self.runtime("cudaFree", ctypes.c_void_p(self.address))


class Cuda(Numpy):
    DEFAULT_KIND = 4  # cudaMemcpyDefault: told by the addresses

    def __init__(self, rank):
        self.runtime_library = ctypes.CDLL(os.environ.get("CUDART_LIBRARY", "libcudart.so"))
        devices = ctypes.c_int()
        self.call("cudaGetDeviceCount", ctypes.byref(devices))
        self.call("cudaSetDevice", ctypes.c_int(rank % devices.value))

    def call(self, name, *arguments):
        code = getattr(self.runtime_library, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name}: error {code}")

    def copy(self, to, source, size):
        self.call("cudaMemcpy", ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(size), self.DEFAULT_KIND)
        self.call("cudaDeviceSynchronize")

    def of(self, array):
        made = DeviceArray(self.call, array)
        self.write(made, array)
        return made

    def write(self, made, array):
        array = numpy.ascontiguousarray(array)
        self.copy(made.address, array.ctypes.data, array.nbytes)

    def back(self, array):
        host = numpy.empty(array.shape, array.dtype)
        self.copy(host.ctypes.data, array.address, host.nbytes)
        return host


class Cupy(Numpy):
    def __init__(self, rank):
        import cupy
        cupy.cuda.Device(rank % cupy.cuda.runtime.getDeviceCount()).use()
        self.cupy = cupy

    def of(self, array):
        made = self.cupy.asarray(array)
        self.cupy.cuda.get_current_stream().synchronize()
        return made

    def write(self, made, array):
        made.set(numpy.ascontiguousarray(array))
        self.cupy.cuda.get_current_stream().synchronize()

    def back(self, array):
        return self.cupy.asnumpy(array)


class Torch(Numpy):
    def __init__(self, rank):
        import torch
        torch.cuda.set_device(rank % torch.cuda.device_count())
        self.torch = torch

    def of(self, array):
        made = self.torch.from_numpy(numpy.ascontiguousarray(array)).to("cuda")
        self.torch.cuda.synchronize()
        return made

    def write(self, made, array):
        made.copy_(self.torch.from_numpy(numpy.ascontiguousarray(array)))
        self.torch.cuda.synchronize()

    def back(self, array):
        return array.cpu().numpy()


def arrays(kind, rank):
    """Ends the program where there is no such kind, as a test that is skipped does."""
    try:
        return {"host": Numpy, "device": Cuda, "cupy": Cupy, "torch": Torch}[kind](rank)
    except Exception as error:  # no module, no GPU, no driver: each library has its own words for it
        needed = {"device": "a GPU", "cupy": "CuPy and a GPU", "torch": "PyTorch and a GPU"}[kind]
        print(f"{error}\nskipped: needs {needed}", file=sys.stderr, flush=True)
        sys.exit(77)


def report(comm, line):
    """Rank 0 prints the lines of all ranks."""
    for line in comm.gather(f"rank {comm.rank}: {line}") or ():
        print(line)
    sys.stdout.flush()
