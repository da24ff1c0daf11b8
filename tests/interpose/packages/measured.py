# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the programs here check and measure. A wrong number ends the job (python -m mpi4py)."""
import os
import time

from mpi4py import MPI
import numpy

comm = MPI.COMM_WORLD
PRELOADED = "libtypewarp_mpi" in os.environ.get("LD_PRELOAD", "")
REPETITIONS = 3


def say(line):
    if comm.rank == 0:
        print(line, flush=True)


def expect_close(what, mine, right):
    """Arrays of NumPy, each rank's own."""
    mine, right = numpy.asarray(mine), numpy.asarray(right)
    assert mine.shape == right.shape, f"rank {comm.rank}: {what}: shape {mine.shape}, wanted {right.shape}"
    numpy.testing.assert_allclose(mine, right, rtol=1e-9, atol=1e-9, err_msg=f"rank {comm.rank}: {what}")
    numbers = comm.allreduce(right.size)
    assert numbers > 0, f"{what}: no rank has numbers"
    say(f"{what}: right in {comm.allreduce(1)} ranks, {numbers} numbers")
    return numbers


def measure(what, action):
    """The least of several times, each that of the slowest rank. The action must leave no work under way."""
    times = []
    for _ in range(REPETITIONS):
        comm.Barrier()
        start = time.perf_counter()
        action()
        times.append(comm.allreduce(time.perf_counter() - start, MPI.MAX))
    say(f"{what}: {1e3 * min(times):.3f} ms")
