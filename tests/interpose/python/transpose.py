# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""A distributed FFT in three dimensions: slabs are transformed, cut anew by one Alltoallw of subarrays, and transformed in the
remaining dimension. Compared with the transform of the whole.

usage: transpose.py <kind of arrays>
"""
import sys

from mpi4py import MPI
import numpy

import arrays

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
memory = arrays.arrays(sys.argv[1], rank)
shape = (4 * size, 3 * size, 10)


def part(n, which):
    """Of a dimension that is cut evenly."""
    return slice(which * n // size, (which + 1) * n // size)


def subarrays(local, axis, n):
    """A type of each rank's part of a local array along an axis."""
    types = []
    for peer in range(size):
        piece, start = list(local), [0, 0, 0]
        cut = part(n, peer)
        piece[axis], start[axis] = cut.stop - cut.start, cut.start
        types.append(MPI.DOUBLE_COMPLEX.Create_subarray(local, piece, start).Commit())
    return types


whole = numpy.random.default_rng(1).standard_normal(shape) + 0j
mine = numpy.fft.fftn(whole[part(shape[0], rank)], axes=(1, 2))
rows, columns = (shape[0] // size, *shape[1:]), (shape[0], shape[1] // size, shape[2])
sent, received = memory.of(mine), memory.of(numpy.full(columns, numpy.nan, dtype=complex))
send_types, receive_types = subarrays(rows, 1, shape[1]), subarrays(columns, 0, shape[0])
ones, zeros = [1] * size, [0] * size
for attempt in range(2):
    comm.Alltoallw([sent, ones, zeros, send_types], [received, ones, zeros, receive_types])
request = comm.Ialltoallw([sent, ones, zeros, send_types], [received, ones, zeros, receive_types])
request.Wait()
transformed = numpy.fft.fft(memory.back(received), axis=0)
right = numpy.fft.fftn(whole)[:, part(shape[1], rank)]
assert numpy.allclose(transformed, right), numpy.abs(transformed - right).max()

# And back again, which must give every bit.
comm.Alltoallw([received, ones, zeros, receive_types], [sent, ones, zeros, send_types])
assert numpy.array_equal(memory.back(sent), mine)
arrays.report(comm, f"{transformed.shape} of {shape} are as those of the whole")
for datatype in send_types + receive_types:
    datatype.Free()
