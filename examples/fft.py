# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Poisson's equation in a periodic box, by Fourier transforms, on any number of processes, in NumPy or, with --gpu, in CuPy:

    mpirun -n 4 python examples/fft.py [--gpu] [--points 64] [--repeat 3]

Each process has a slab of the box, [x, y, z] with a part of x. The transform along x needs all of x. So slabs of x become slabs of y,
and later slabs of x again: each process gives each other one a block of its array, which goes where it belongs in the other's array.
The blocks are slices; nobody copies them into buffers. The solution is known, and is compared.
"""
import argparse

import numpy as np
from mpi4py import MPI

import typewarp as tw


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--points", type=int, default=64, help="along each side of the box")
    parser.add_argument("--repeat", type=int, default=3, help="how often it is solved")
    parser.add_argument("--gpu", action="store_true", help="compute with CuPy, each process on a GPU of its host, in turn")
    return parser.parse_args()


def library(gpu):
    if not gpu:
        return np
    import cupy
    local = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    cupy.cuda.Device(local.Get_rank() % cupy.cuda.runtime.getDeviceCount()).use()
    local.Free()
    return cupy


class Transform:
    """Of a box of `points` along each side: `space` has a part of x and all of y, `waves` all of x and a part of y."""

    def __init__(self, xp, points, comm):
        size = comm.Get_size()
        self.fft = xp.fft
        self.space = xp.zeros((points // size, points, points), complex)
        self.waves = xp.zeros((points, points // size, points), complex)
        # Views, one for each process.
        of_space, of_waves = xp.split(self.space, size, axis=1), xp.split(self.waves, size, axis=0)
        self.to_waves = tw.alltoall(of_space, of_waves, comm)
        self.to_space = tw.alltoall(of_waves, of_space, comm)

    def forward(self):
        self.space[...] = self.fft.fft2(self.space, axes=(1, 2))
        self.to_waves()
        self.waves[...] = self.fft.fft(self.waves, axis=0)

    def inverse(self):
        self.waves[...] = self.fft.ifft(self.waves, axis=0)
        self.to_space()
        self.space[...] = self.fft.ifft2(self.space, axes=(1, 2))

    def close(self):
        self.to_waves.close()
        self.to_space.close()


def own(part, comm):
    """This process's part of an axis."""
    each = len(part) // comm.Get_size()
    return part[comm.Get_rank() * each:][:each]


def main():
    given, comm = arguments(), MPI.COMM_WORLD
    xp, n = library(given.gpu), given.points
    if n < 8 or n % comm.Get_size():
        raise SystemExit(f"--points {n}: must be a multiple of {comm.Get_size()}, the processes, and at least 8")
    axis = 2 * np.pi / n * xp.arange(n)
    x, y, z = own(axis, comm)[:, None, None], axis[:, None], axis
    wanted = xp.sin(x) * xp.cos(2 * y) * xp.sin(3 * z)
    density = -(1 + 4 + 9) * wanted  # the sum of its second derivatives

    k = xp.fft.fftfreq(n, 1 / n)
    squares = k[:, None, None] ** 2 + own(k, comm)[:, None] ** 2 + k ** 2
    squares[squares == 0] = np.inf  # the mean, which the equation leaves open, is 0
    factors = -1 / squares  # of real numbers: CuPy finds no number for a complex one over infinity
    with tw.Session(comm):
        box = Transform(xp, n, comm)
        for _ in range(given.repeat):
            comm.Barrier()
            begin = MPI.Wtime()
            box.space[...] = density
            box.forward()
            box.waves *= factors
            box.inverse()
            error = float(abs(box.space - wanted).max())  # waits for a GPU
            seconds = MPI.Wtime() - begin
        reason = box.to_waves.fallback_reason
        box.close()
    error = comm.allreduce(error, MPI.MAX)
    if comm.Get_rank() == 0:
        print(f"{n} x {n} x {n} points, {comm.Get_size()} processes: error {error:.1e}, {1e3 * seconds:.1f} ms, blocks "
              + (f"carried by the MPI: {reason}" if reason else "stored by the GPUs"))
    raise SystemExit(0 if error < 1e-12 else 1)


if __name__ == "__main__":
    main()
