# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Particles that fly through a periodic box, on any number of processes, in NumPy or, with --gpu, in CuPy:

    mpirun -n 4 python examples/particles.py [--gpu] [--particles 100000] [--steps 50]

The box is cut into slabs along x, and each process has the particles of one. After each step, those that have left it are sent to the
next slab, below or above: a message takes the rows of four arrays where they lie, and puts them into free rows of the receiver's arrays.
Nobody copies them into buffers or moves what stays. At the end each particle is compared with where it must be.
"""
import argparse

import numpy as np
from mpi4py import MPI

import typewarp as tw


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--particles", type=int, default=100000, help="of all processes")
    parser.add_argument("--steps", type=int, default=50)
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


class Particles:
    """Those of this process are in some rows of `capacity`; the others are free."""

    def __init__(self, xp, number, position, velocity, capacity):
        self.xp = xp
        self.here = xp.arange(capacity) < len(number)
        self.number = self.with_room(number, capacity)
        self.mass = self.with_room((1 + number % 7).astype("f4"), capacity)
        self.position, self.velocity = self.with_room(position, capacity), self.with_room(velocity, capacity)
        self.nbytes = self.rows([0]).nbytes  # of one

    def with_room(self, values, capacity):
        array = self.xp.zeros((capacity, *values.shape[1:]), values.dtype)
        array[:len(values)] = self.xp.asarray(values)
        return array

    def rows(self, which):
        """Those rows of all arrays, as one thing to send or receive."""
        return tw.layout([tw.layout(array, which) for array in (self.number, self.mass, self.position, self.velocity)])

    def step(self, time):
        self.position += time * self.velocity
        self.position %= 1

    def migrate(self, comm):
        """Sends those that are in the slab below or above, and receives."""
        rank, size = comm.Get_rank(), comm.Get_size()
        slab = (self.position[:, 0] * size).astype(int) % size  # -1e-20 % 1 is 1.0
        below, above = (rank - 1) % size, (rank + 1) % size
        # With two processes, below is above: then all go one way.
        leaving = [self.here & (slab == below) & (below != rank), self.here & (slab == above) & (above not in (below, rank))]
        free = self.xp.flatnonzero(~self.here)
        sends = [tw.isend(self.rows(which), dest, tag, comm) for which, dest, tag in zip(leaving, (below, above), (1, 2))]
        for source, tag in ((above, 1), (below, 2)):
            came = tw.probe(source, tag, comm).nbytes // self.nbytes
            if came > len(free):
                raise RuntimeError(f"{came} particles came, {len(free)} rows are free")
            tw.recv(self.rows(free[:came]), source, tag, comm)
            self.here[free[:came]] = True
            free = free[came:]
        tw.wait_all(sends)
        self.here &= ~(leaving[0] | leaving[1])  # free from now on


def main():
    given, comm = arguments(), MPI.COMM_WORLD
    rank, size, xp = comm.Get_rank(), comm.Get_size(), library(given.gpu)
    random = np.random.default_rng(1)  # the same in all processes
    position = random.random((given.particles, 3))
    velocity = random.uniform(-1, 1, (given.particles, 3))
    own = np.flatnonzero((position[:, 0] * size).astype(int) == rank)
    time = 0.5 / size  # for which nobody flies further than the next slab
    particles = Particles(xp, own, position[own], velocity[own], capacity=2 * len(own) + 1000)
    with tw.Session(comm):
        comm.Barrier()
        begin = MPI.Wtime()
        for _ in range(given.steps):
            particles.step(time)
            particles.migrate(comm)
        seconds = MPI.Wtime() - begin

    number, mass, at = (tw.pack(tw.layout(x, particles.here)) for x in (particles.number, particles.mass, particles.position))
    if given.gpu:
        number, mass, at = number.get(), mass.get(), at.get()
    away = abs(at - (position + given.steps * time * velocity)[number] % 1)
    well = np.minimum(away, 1 - away).max(initial=0) < 1e-9 and (mass == 1 + number % 7).all()
    numbers = np.concatenate(comm.allgather(number))
    well = comm.allreduce(bool(well), MPI.LAND) and np.array_equal(np.sort(numbers), np.arange(given.particles))
    if rank == 0:
        print(f"{given.particles} particles, {given.steps} steps, {size} processes: {'all where they must be' if well else 'WRONG'}, "
              f"{seconds:.2f} s")
    raise SystemExit(0 if well else 1)


if __name__ == "__main__":
    main()
