# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The halo of a field of several channels, by vector types: messages, persistent ones, and in place.

usage: halo.py <kind of arrays>
"""
import sys

from mpi4py import MPI
import numpy

import arrays

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
memory = arrays.arrays(sys.argv[1], rank)
channels, rows, columns = 3, 40, 24
right, left = (rank + 1) % size, (rank - 1) % size

# One column of all channels: rows of a matrix that has channels times as many.
column = MPI.FLOAT.Create_vector(channels * rows, 1, columns).Commit()
two_columns = MPI.FLOAT.Create_vector(channels * rows, 2, columns).Commit()
item = 4


def field_of(which, step=0):
    return (numpy.arange(channels * rows * columns, dtype=numpy.float32) + 10000 * which + step).reshape(channels, rows, columns)


def at(array, j, datatype):
    """The type from column j on: mpi4py takes an offset in bytes with the buffer's own memory."""
    moved = datatype.Create_struct([1], [item * j], [datatype]).Commit()
    made.append(moved)
    return [array, 1, moved]


def expect(array, step=0):
    """The columns beside the inner ones are the neighbours', and everything else is as it was."""
    right_one = field_of(rank, step)
    right_one[:, :, 0] = field_of(left, step)[:, :, columns - 2]
    right_one[:, :, columns - 1] = field_of(right, step)[:, :, 1]
    assert numpy.array_equal(memory.back(array), right_one)


made = []
field = memory.of(field_of(rank))
requests = [comm.Irecv(at(field, 0, column), left, 1), comm.Irecv(at(field, columns - 1, column), right, 2)]
requests += [comm.Isend(at(field, columns - 2, column), right, 1), comm.Isend(at(field, 1, column), left, 2)]
statuses = [MPI.Status() for _ in requests]
MPI.Request.Waitall(requests, statuses)
expect(field)
assert [status.Get_count(column) for status in statuses[:2]] == [1, 1]
assert [status.Get_elements(column) for status in statuses[:2]] == [channels * rows] * 2

field = memory.of(field_of(rank))
comm.Sendrecv(at(field, columns - 2, column), right, 3, at(field, 0, column), left, 3)
comm.Sendrecv(at(field, 1, column), left, 4, at(field, columns - 1, column), right, 4)
expect(field)

# Persistent: the same requests for fields that change between.
field = memory.of(field_of(rank))
requests = [comm.Recv_init(at(field, 0, column), left, 5), comm.Recv_init(at(field, columns - 1, column), right, 6),
            comm.Send_init(at(field, columns - 2, column), right, 5), comm.Ssend_init(at(field, 1, column), left, 6)]
for step in range(3):
    memory.write(field, field_of(rank, step))
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)
    expect(field, step)
for request in requests:
    request.Free()

# In place: two columns go around the ring, and are replaced by those of the neighbour.
field = memory.of(field_of(rank))
status = MPI.Status()
comm.Sendrecv_replace(at(field, 7, two_columns), right, 7, left, MPI.ANY_TAG, status)
replaced = field_of(rank)
replaced[:, :, 7:9] = field_of(left)[:, :, 7:9]
assert numpy.array_equal(memory.back(field), replaced)

arrays.report(comm, f"all halos are right; tag {status.tag}, {status.Get_elements(two_columns)} elements")
for datatype in [column, two_columns, *made]:
    datatype.Free()
