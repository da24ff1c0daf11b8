# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that have NCCL, through PyTorch, beside the MPI: what measures them against each other."""
import functools
import os
import socket

import torch
import torch.distributed as dist
from mpi4py import MPI

from measuring import medians, rows_asked_for, tell


def meet(rank):
    """Tells torch.distributed where the ranks of the MPI meet."""
    address = None
    if rank == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = free.getsockname()[1]
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(MPI.COMM_WORLD.bcast(address)))


def start_nccl(rank, size):
    meet(rank)
    dist.init_process_group("nccl", rank=rank, world_size=size, device_id=torch.device("cuda", torch.cuda.current_device()))


def measure_rows(description, cases, row_of, measured):
    """Tells a row for each case: row_of(case), and the microseconds that measured(size, case, medians) returns by name: `typewarp`
    and its peers."""
    comm = MPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    torch.cuda.set_device(rank % torch.cuda.device_count())
    start_nccl(rank, size)
    if rank == 0:
        tell(mpi=MPI.Get_library_version().split("\n")[0], gpus=torch.cuda.device_count())
    timed = functools.partial(medians, synchronize=torch.cuda.synchronize, before=comm.Barrier,
                              agreed=lambda times: comm.allreduce(times, MPI.MAX))
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
    dist.destroy_process_group()
