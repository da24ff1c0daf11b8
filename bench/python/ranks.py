# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What programs of several ranks of an MPI share, whatever else these have."""
import functools
import socket

from mpi4py import MPI

from measuring import medians, rows_asked_for, tell


def free_port():
    """On the host of rank 0. The same in all ranks."""
    port = None
    if MPI.COMM_WORLD.Get_rank() == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    return MPI.COMM_WORLD.bcast(port)


def tell_rows(description, cases, row_of, measured, synchronize, gpus):
    """Tells a row for each case: row_of(case), and the microseconds that measured(size, case, medians) returns by name: `typewarp`
    and its peers."""
    comm = MPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    if rank == 0:
        tell(mpi=MPI.Get_library_version().split("\n")[0], gpus=gpus)
    timed = functools.partial(medians, synchronize=synchronize, before=comm.Barrier, agreed=lambda times: comm.allreduce(times, MPI.MAX))
    for index, case, late in rows_asked_for(description, cases):
        row = {"index": index, "ranks": size, **row_of(case)}
        if comm.bcast(late):
            if rank == 0:
                tell(stopped=True, memory="device", method="all", size=row["bytes"], case=row["case"])
            break
        if rank == 0:
            tell(begin=row)
        us = measured(size, case, timed)
        if rank == 0:
            tell(**row, median_us=us.pop("typewarp"), peers_us=us)
    if rank == 0:
        tell(finished=True)
