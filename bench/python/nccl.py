# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that have NCCL, through PyTorch, beside the MPI: what measures them against each other."""
import os

import torch
import torch.distributed as dist
from mpi4py import MPI

from ranks import free_port, tell_rows


def meet(rank):
    """Tells torch.distributed where the ranks of the MPI meet."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))


def start_nccl(rank, size):
    meet(rank)
    dist.init_process_group("nccl", rank=rank, world_size=size, device_id=torch.device("cuda", torch.cuda.current_device()))


def measure_rows(description, cases, row_of, measured):
    """As tell_rows()."""
    rank, size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
    torch.cuda.set_device(rank % torch.cuda.device_count())
    start_nccl(rank, size)
    tell_rows(description, cases, row_of, measured, torch.cuda.synchronize, torch.cuda.device_count())
    dist.destroy_process_group()
