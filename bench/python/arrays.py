#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices of arrays of one GPU, packed through typewarp, PyTorch, CuPy and JAX, and what calls cost from Python."""
import os
import statistics
import subprocess
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # PyTorch and CuPy want memory, too
import cupy  # noqa: E402
import jax  # noqa: E402
import torch  # noqa: E402

import typewarp as tw  # noqa: E402
from measuring import medians, rows_asked_for, tell

SIZES = [4 << 10, 16 << 20, 256 << 20]
jax.config.update("jax_enable_x64", True)
TYPES = [torch.uint8, torch.half, torch.float, torch.double, torch.complex128]


def square(packed, item, over):
    """A side of a matrix that has `over` times as many bytes as are packed."""
    return max(16, round((packed * over / item) ** 0.5) // 16 * 16)


def slices():
    """Names, functions that make an array of a type, and those that take the slice of it, in any library, of which so many bytes, more
    or less, are packed. `permute` is the library's."""
    def matrix(packed, dtype, over):
        n = square(packed, dtype.itemsize, over)
        return torch.empty(n, n, device="cuda", dtype=dtype)

    def box(packed, dtype, over, dimensions):
        n = max(4, round((packed * over / dtype.itemsize) ** (1 / dimensions)) // 4 * 4)
        return torch.empty([n] * dimensions, device="cuda", dtype=dtype)

    def twice(packed, dtype):
        return matrix(packed, dtype, 2)

    def cube(packed, dtype):
        return box(packed, dtype, 1, 3)

    yield "left half of rows", twice, lambda x, permute: x[:, :x.shape[1] // 2]
    yield "every second column", twice, lambda x, permute: x[:, ::2]
    yield "every second row", twice, lambda x, permute: x[::2]
    yield "transpose", lambda packed, dtype: matrix(packed, dtype, 1), lambda x, permute: permute(x, (1, 0))
    yield "inner cube", cube, lambda x, permute: x[1:-1, 1:-1, 1:-1]
    yield "axes 0 and 1 of 3 swapped", cube, lambda x, permute: permute(x, (1, 0, 2))
    yield "axes of 3 reversed", cube, lambda x, permute: permute(x, (2, 1, 0))
    yield ("5-D, axes 1 and 3 swapped, one step of 2", lambda packed, dtype: box(packed, dtype, 2, 5),
           lambda x, permute: permute(x, (0, 3, 2, 1, 4))[:, :, ::2])


class Pack:
    def __init__(self, name, make, take, dtype, packed):
        self.whole = make(packed, dtype)
        bits = torch.view_as_real(self.whole) if dtype.is_complex else self.whole
        if dtype == torch.uint8:
            bits.random_(0, 256)
        else:
            bits.normal_()
        self.take, self.x = take, take(self.whole, torch.permute)
        self.out = torch.empty(self.x.shape, device="cuda", dtype=dtype)
        self.row = {"case": name, "type": str(dtype).removeprefix("torch."), "bytes": self.x.numel() * dtype.itemsize}

    def by_jax(self):
        """A compiled function of the whole array, whose result is the slice, and what waits for it."""
        whole, compiled, last = jax.dlpack.from_dlpack(self.whole), jax.jit(lambda x: self.take(x, jax.numpy.permute_dims)), []

        def call():
            last[:] = [compiled(whole)]

        def synchronize():
            torch.cuda.synchronize()
            if last:
                last[0].block_until_ready()

        call()
        if not torch.equal(torch.from_dlpack(last[0]), self.x):
            raise SystemExit(f"{self.row}: other bytes by JAX than by PyTorch")
        return call, synchronize

    def measured(self):
        view, seen, packed = tw.view(self.x), cupy.asarray(self.x), cupy.asarray(self.out)
        tw.pack(view, self.out)
        if not torch.equal(self.out, self.x):
            raise SystemExit(f"{self.row}: other bytes than by PyTorch")
        by_jax, synchronize = self.by_jax()
        calls = {"typewarp": lambda: tw.pack(view, self.out),
                 "torch contiguous": self.x.contiguous,
                 "torch copy_": lambda: self.out.copy_(self.x),
                 "cupy copyto": lambda: cupy.copyto(packed, seen),
                 "jax": by_jax}
        us = medians(calls, synchronize)
        return us.pop("typewarp"), us


class Call:
    """What making a view costs."""

    def __init__(self, library):
        x = {"torch": lambda: torch.ones(64, 64, device="cuda"), "cupy": lambda: cupy.ones((64, 64))}[library]()
        self.x = x[:, ::2]
        self.row = {"case": f"view of {library}", "bytes": 64 * 32 * x.itemsize}

    def measured(self):
        return medians({"view": lambda: tw.view(self.x)}, lambda: None)["view"], {}


class Import:
    """The import of the package, in new processes that have NumPy, as most programs do."""
    row = {"case": "import typewarp", "bytes": 0}

    def measured(self):
        code = "import time, numpy; begin = time.perf_counter(); import typewarp; print(time.perf_counter() - begin)"
        seconds = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout) for _ in range(7)]
        return statistics.median(seconds) * 1e6, {}


def main():
    makers = [lambda library=library: Call(library) for library in ("torch", "cupy")] + [Import]
    makers += [lambda name=name, make=make, take=take, dtype=dtype, size=size: Pack(name, make, take, dtype, size)
               for size in SIZES for name, make, take in slices() for dtype in TYPES]
    tell(mpi="python " + sys.version.split()[0], gpus=1)
    for index, make, late in rows_asked_for(__doc__, makers):
        if late:
            tell(stopped=True, case="arrays", memory="device", method="all", size=index)
            break
        subject = make()
        row = {"index": index, **subject.row}
        tell(begin=row)
        us, peers = subject.measured()
        tell(**row, median_us=us, peers_us=peers)
        torch.cuda.empty_cache()
    tell(finished=True)


if __name__ == "__main__":
    main()
