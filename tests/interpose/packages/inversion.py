# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""pylops-mpi: arrays that are cut anew, a derivative across the cuts, and a least-squares solution, against NumPy.

usage: inversion.py host|cupy <edge>

On GPUs the package sends its arrays as objects, by way of the host, unless `typewarp run` sets its switch.
"""
import sys

import numpy
import pylops
import pylops_mpi

import arrays
from measured import comm, expect_close, measure

UNKNOWNS = 12

kind, edge = sys.argv[1], int(sys.argv[2])
memory = arrays.arrays(kind, comm.rank)
random = numpy.random.default_rng(3)


def finish():
    if kind != "host":
        import cupy
        cupy.cuda.get_current_stream().synchronize()


def measure_finished(what, action):
    def finished():
        action()
        finish()
    measure(what, finished)


def part(whole, distributed):
    """The part of a whole array that this rank has of it."""
    axis = distributed.axis
    start = sum(shape[axis] for shape in distributed.local_shapes[:comm.rank])
    cut = [slice(None)] * whole.ndim
    cut[axis] = slice(start, start + distributed.local_shape[axis])
    return whole[tuple(cut)]


def cut_anew():
    whole = random.standard_normal((edge + 1, edge, 3))
    rows = pylops_mpi.DistributedArray.to_dist(memory.of(whole))
    for axis in (1, 0):
        moved = rows.redistribute(axis)
        expect_close(f"cut along axis {axis}", memory.back(moved.local_array), part(whole, moved))
    expect_close("gathered", memory.back(rows.asarray()), whole)
    measure_finished("redistribute", lambda: rows.redistribute(1))
    measure_finished("gather", rows.asarray)


def derivative():
    shape = (edge + 1, edge)
    whole = random.standard_normal(shape)
    given = pylops_mpi.DistributedArray.to_dist(memory.of(whole)).ravel()
    for how in ("forward", "backward", "centered"):
        across = pylops_mpi.MPIFirstDerivative(shape, sampling=0.5, kind=how)
        alone = pylops.FirstDerivative(shape, axis=0, sampling=0.5, kind=how, edge=False)
        expect_close(f"derivative, {how}", memory.back((across @ given).asarray()), alone @ whole.ravel())
    measure_finished("derivative", lambda: across @ given)


def least_squares():
    """Each rank has some of the equations, and all have the unknowns."""
    equations = [random.standard_normal((UNKNOWNS + 2 * rank, UNKNOWNS)) for rank in range(comm.size)]
    every = numpy.concatenate(equations)
    right_sides = random.standard_normal(len(every))
    operator = pylops_mpi.MPIVStack([pylops.MatrixMult(memory.of(equations[comm.rank]))])
    sides = pylops_mpi.DistributedArray.to_dist(memory.of(right_sides), local_shapes=[(len(mine),) for mine in equations])
    start = pylops_mpi.DistributedArray.to_dist(memory.of(numpy.zeros(UNKNOWNS)), partition=pylops_mpi.Partition.BROADCAST)
    solve = lambda: pylops_mpi.cgls(operator, sides, start.copy(), niter=2 * UNKNOWNS, tol=1e-24)[0]
    expect_close("least squares", memory.back(solve().asarray()), numpy.linalg.lstsq(every, right_sides, rcond=None)[0])
    measure_finished("least squares", solve)


cut_anew()
derivative()
least_squares()
