# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""A program of mpi4py, which calls the `_c` twins wherever it finds them. Prints what it received."""
import array
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size
column = MPI.INT.Create_vector(6, 1, 4).Commit()


lines = []


def print_later(line):
    """All at once at the end, so that lines of ranks do not mix."""
    lines.append(line)


def matrix(seed):
    return array.array("i", [100 * seed + i for i in range(24)])


def check_sum(values):
    return sum((i + 1) * value for i, value in enumerate(values))


received = matrix(0)
status = MPI.Status()
comm.Sendrecv([matrix(rank), 1, column], right, 3, [received, 1, column], left, 3, status)
print_later(f"rank {rank}: sendrecv {check_sum(received)}, {status.Get_count(column)} of the type, tag {status.tag}")

requests = [comm.Irecv([received, 1, column], left, 4), comm.Isend([matrix(rank + 1), 1, column], right, 4)]
MPI.Request.Waitall(requests)
print_later(f"rank {rank}: isend {check_sum(received)}")

requests = [comm.Recv_init([received, 1, column], left, 5), comm.Send_init([matrix(rank + 2), 1, column], right, 5)]
for _ in range(2):
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)
for request in requests:
    request.Free()
print_later(f"rank {rank}: persistent {check_sum(received)}")

counts, displacements = [1] * size, [4 * peer for peer in range(size)]
if size <= 4:
    comm.Alltoallw([matrix(rank), counts, displacements, [column] * size],
                   [received, counts, displacements, [column] * size])
    print_later(f"rank {rank}: alltoallw {check_sum(received)}")
    comm.Ialltoallw([matrix(rank + 3), counts, displacements, [column] * size],
                    [received, counts, displacements, [column] * size]).Wait()
    print_later(f"rank {rank}: ialltoallw {check_sum(received)}")

cart = comm.Create_cart([size], periods=[True])
comm.Alltoallv([matrix(rank), [2] * size, [3 * peer for peer in range(size)], MPI.INT],
               [received, [2] * size, [2 * peer for peer in range(size)], MPI.INT])
print_later(f"rank {rank}: alltoallv {check_sum(received)}")
cart.Ineighbor_alltoallw([matrix(rank), [1, 1], [0, 4], [column] * 2], [received, [1, 1], [8, 12], [column] * 2]).Wait()
print_later(f"rank {rank}: neighbors {check_sum(received)}")

values, total, all_values = array.array("i", [rank + 1, 3]), array.array("i", [0, 0]), array.array("i", [0, 0] * size)
comm.Allreduce(values, total)
comm.Iallgather(values, all_values).Wait()
comm.Bcast(values, root=size - 1)
print_later(f"rank {rank}: collectives {list(total)} {list(all_values)} {list(values)}")

packed = bytearray(column.Pack_size(2, comm))
position = column.Pack(matrix(rank), packed, 0, comm)
print_later(f"rank {rank}: packed {position} of {len(packed)}, {column.Unpack(packed, 0, received, comm)}, {check_sum(received)}")

message = None
if rank == 0:
    comm.send({"an": "object"}, dest=right)
if rank == 1 % size:
    message = comm.recv()
    print_later(f"rank {rank}: {message}")

try:
    done = MPI.Request.Get_status_all([MPI.REQUEST_NULL])
except NotImplementedError:
    done = "not in this MPI"
print_later(f"rank {rank}: {done}")
# What the MPI lacks mpi4py must not find in the library.
try:
    comm.Attach_buffer(bytearray(10000))
    comm.Detach_buffer()
    done = "attached"
except NotImplementedError:
    done = "not in this MPI"
print_later(f"rank {rank}: {done}")
column.Free()
sys.stdout.write("\n".join(lines) + "\n")
