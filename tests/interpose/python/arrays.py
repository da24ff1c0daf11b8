# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of one kind of memory, by the libraries that Python programs have them from.

Kinds: host (NumPy); device (CuPy); tensor (PyTorch, on a GPU).
"""
import sys

import numpy


class Numpy:
    """What the programs need of an array library, for memory of the host."""

    def __init__(self, rank):
        pass

    def of(self, array):
        return array.copy()

    def back(self, array):
        """As an array of the host, once all is done that was asked of it."""
        return array

    def buffer(self, array):
        """What mpi4py takes."""
        return array


class Cupy(Numpy):
    def __init__(self, rank):
        import cupy
        cupy.cuda.Device(rank % cupy.cuda.runtime.getDeviceCount()).use()
        self.cupy = cupy

    def of(self, array):
        made = self.cupy.asarray(array)
        self.cupy.cuda.get_current_stream().synchronize()
        return made

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

    def back(self, array):
        return array.cpu().numpy()


def arrays(kind, rank):
    """Ends the program where there is no such kind, as a test that is skipped does."""
    try:
        return {"host": Numpy, "device": Cupy, "tensor": Torch}[kind](rank)
    except Exception as error:  # no module, no GPU, no driver: each library has its own words for it
        print(f"skipped: no arrays of kind {kind}: {error}", file=sys.stderr, flush=True)
        sys.exit(77)


def report(comm, line):
    """Rank 0 prints the lines of all ranks."""
    for line in comm.gather(f"rank {comm.rank}: {line}") or ():
        print(line)
    sys.stdout.flush()
