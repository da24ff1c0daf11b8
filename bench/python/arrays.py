#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Slices of arrays of one GPU, packed through typewarp, PyTorch and CuPy, and what calls cost from Python."""
import subprocess
import sys

import cupy
import torch

import typewarp as tw
from measuring import medians, rows_asked_for, tell

SIZES = [4 << 10, 16 << 20, 256 << 20]
TYPES = [torch.uint8, torch.half, torch.float, torch.double, torch.complex128]


def square(packed, item, over):
    """A side of a matrix that has `over` times as many bytes as are packed."""
    return max(16, round((packed * over / item) ** 0.5) // 16 * 16)


def slices():
    """Names, and functions that make an array of a type of which so many bytes, more or less, are packed."""
    def matrix(packed, dtype, over):
        n = square(packed, dtype.itemsize, over)
        return torch.empty(n, n, device="cuda", dtype=dtype)

    def box(packed, dtype, over, dimensions):
        n = max(4, round((packed * over / dtype.itemsize) ** (1 / dimensions)) // 4 * 4)
        return torch.empty([n] * dimensions, device="cuda", dtype=dtype)

    yield "left half of rows", lambda packed, dtype: (x := matrix(packed, dtype, 2))[:, :x.shape[1] // 2]
    yield "every second column", lambda packed, dtype: matrix(packed, dtype, 2)[:, ::2]
    yield "every second row", lambda packed, dtype: matrix(packed, dtype, 2)[::2]
    yield "transpose", lambda packed, dtype: matrix(packed, dtype, 1).T
    yield "inner cube", lambda packed, dtype: (x := box(packed, dtype, 1, 3))[1:-1, 1:-1, 1:-1]
    yield "axes 0 and 1 of 3 swapped", lambda packed, dtype: box(packed, dtype, 1, 3).transpose(0, 1)
    yield "axes of 3 reversed", lambda packed, dtype: box(packed, dtype, 1, 3).permute(2, 1, 0)
    yield "5-D, axes 1 and 3 swapped, one step of 2", lambda packed, dtype: box(packed, dtype, 2, 5).transpose(1, 3)[:, :, ::2]


class Pack:
    def __init__(self, name, make, dtype, packed):
        self.x = make(packed, dtype)
        bits = torch.view_as_real(self.x) if dtype.is_complex else self.x
        if dtype == torch.uint8:
            bits.random_(0, 256)
        else:
            bits.normal_()
        self.out = torch.empty(self.x.shape, device="cuda", dtype=dtype)
        self.row = {"case": name, "type": str(dtype).removeprefix("torch."), "bytes": self.x.numel() * dtype.itemsize}

    def measured(self):
        view, seen, packed = tw.view(self.x), cupy.asarray(self.x), cupy.asarray(self.out)
        tw.pack(view, self.out)
        if not torch.equal(self.out, self.x):
            raise SystemExit(f"{self.row}: other bytes than by PyTorch")
        calls = {"typewarp": lambda: tw.pack(view, self.out),
                 "torch contiguous": self.x.contiguous,
                 "torch copy_": lambda: self.out.copy_(self.x),
                 "cupy copyto": lambda: cupy.copyto(packed, seen)}
        us = medians(calls, torch.cuda.synchronize)
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
    """A process that imports the package, beyond one that does not; NumPy, which most programs have, is imported by both."""
    row = {"case": "import typewarp", "bytes": 0}

    def measured(self):
        def run(code):
            subprocess.run([sys.executable, "-c", code], check=True)

        us = medians({"with": lambda: run("import numpy, typewarp"), "without": lambda: run("import numpy")}, lambda: None)
        return us["with"] - us["without"], {}


def main():
    makers = [lambda library=library: Call(library) for library in ("torch", "cupy")] + [Import]
    makers += [lambda name=name, make=make, dtype=dtype, size=size: Pack(name, make, dtype, size)
               for size in SIZES for name, make in slices() for dtype in TYPES]
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
