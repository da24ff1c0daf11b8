# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The heat equation on a square plate, on any number of processes, in NumPy or, with --gpu, in CuPy:

    mpirun -n 4 python examples/heat.py [--gpu] [--cells 512] [--steps 200] [--width 4] [--picture heat.pgm]

The plate's edge is cold, and in its middle lies something hot. Each process owns as many rows and columns as the others. Its halo
has `width` cells, so that one exchange is enough for as many steps: each of them computes one cell less of the halo.
The result is the same, bit by bit, for any number of processes and any width.
"""
import argparse

import numpy as np
from mpi4py import MPI

import typewarp as tw


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--cells", type=int, default=512, help="along each side of the plate")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--width", type=int, default=4, help="of halos")
    parser.add_argument("--gpu", action="store_true", help="compute with CuPy, each process on a GPU of its host, in turn")
    parser.add_argument("--picture", help="a file to draw the plate into, as PGM")
    return parser.parse_args()


def library(gpu):
    if not gpu:
        return np
    import cupy
    local = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    cupy.cuda.Device(local.Get_rank() % cupy.cuda.runtime.getDeviceCount()).use()
    local.Free()
    return cupy


def start(xp, grid, shape, cells, width):
    """The part of this process, halos included, with everything outside the plate as cold as its edge."""
    rows, columns = (xp.arange(n) + n_owned * place - width for n, n_owned, place in
                     zip(shape, (shape[0] - 2 * width, shape[1] - 2 * width), grid.coordinates))
    distance = (rows[:, None] - cells / 2) ** 2 + (columns - cells / 2) ** 2
    return xp.where(distance < (cells / 8) ** 2, 100.0, 0.0), (rows >= 0) & (rows < cells), (columns >= 0) & (columns < cells)


def step(now, after, inside, reach):
    """One step of all cells that lie at least `reach` from the end of the array; those outside the plate stay cold."""
    part = slice(reach, -reach)
    middle = now[part, part]
    up, down = now[reach - 1:-reach - 1, part], now[reach + 1:now.shape[0] - reach + 1, part]
    left, right = now[part, reach - 1:-reach - 1], now[part, reach + 1:now.shape[1] - reach + 1]
    after[part, part] = (middle + 0.2 * (up + down + left + right - 4 * middle)) * inside[part, part]


def main():
    given = arguments()
    xp, comm = library(given.gpu), MPI.COMM_WORLD
    with tw.Session(comm), tw.halo.Grid(comm, 2) as grid:
        if any(given.cells % n for n in grid.dims) or min(given.cells // n for n in grid.dims) < given.width or given.width < 1:
            raise SystemExit(f"--cells {given.cells}: must be a multiple of {grid.dims}, and each process's part not less than --width")
        shape = [given.cells // n + 2 * given.width for n in grid.dims]
        now, rows, columns = start(xp, grid, shape, given.cells, given.width)
        inside, after = (rows[:, None] & columns).astype(float), xp.zeros_like(now)
        begin = MPI.Wtime()
        with grid.exchange([now], given.width) as halos:
            for number in range(given.steps):
                reach = number % given.width + 1
                if reach == 1:
                    halos()
                step(now, after, inside, reach)
                now, after = after, now
                halos.bind([now])
        owned = now[given.width:-given.width, given.width:-given.width]
        total = float(owned.sum())
        plate = gathered(comm, grid, xp, owned, given.cells)
        seconds = MPI.Wtime() - begin
    heat = comm.allreduce(total)
    if comm.Get_rank() == 0:
        print(f"{given.cells} x {given.cells} cells, {given.steps} steps, {comm.Get_size()} processes: "
              f"heat {heat:.6f}, hottest {plate.max():.6f}, {seconds:.2f} s")
        if given.picture:
            with open(given.picture, "wb") as file:
                file.write(b"P5 %d %d 255\n" % plate.shape[::-1] + np.clip(plate * 2.55, 0, 255).astype(np.uint8).tobytes())


def gathered(comm, grid, xp, owned, cells):
    """The whole plate in the memory of rank 0's host: every process sends its part into the place where it belongs."""
    plate = np.zeros((cells, cells)) if comm.Get_rank() == 0 else None
    n, m = owned.shape
    receives = []
    if plate is not None:
        places = np.ndindex(*grid.dims)  # ranks in order
        receives = [(plate[i * n:(i + 1) * n, j * m:(j + 1) * m], rank) for rank, (i, j) in enumerate(places)]
    with tw.exchange([(owned, 0)], receives, comm) as exchange:
        exchange()
    return plate


if __name__ == "__main__":
    main()
