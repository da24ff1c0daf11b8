#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""All-to-all of attention heads between the GPUs of one host: each rank has all heads of its part of the sequence, and gets its part
of the heads of the whole sequence. Slices on both sides through typewarp, against permute, NCCL's all_to_all_single and permute:

    mpiexec -n 2 python bench/python/heads.py
"""
import os
import socket

import torch
import torch.distributed as dist
from mpi4py import MPI

import typewarp as tw
from measuring import medians, rows_asked_for, tell

BATCH, DEPTH = 2, 128
# Tokens of a rank, and heads: half precision, from 1 MB to 336 MB a rank.
SIZES = [(64, 32), (2048, 32), (8192, 32), (16384, 40)]


def start_nccl(rank, size):
    address = None
    if rank == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = free.getsockname()[1]
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(MPI.COMM_WORLD.bcast(address)))
    dist.init_process_group("nccl", rank=rank, world_size=size, device_id=torch.device("cuda", torch.cuda.current_device()))


class Heads:
    """One row: the arrays of this rank and the ways to exchange them."""

    def __init__(self, tokens, heads, size):
        self.shape = BATCH, tokens, size, heads // size, DEPTH
        self.x = torch.randn(BATCH, tokens, heads, DEPTH, device="cuda").half()
        self.ours = torch.empty(BATCH, size * tokens, heads // size, DEPTH, device="cuda", dtype=torch.half)
        self.exchange = tw.alltoall(self.x.chunk(size, dim=2), self.ours.chunk(size, dim=1))
        self.received = torch.empty(size, BATCH, tokens, heads // size, DEPTH, device="cuda", dtype=torch.half)

    def by_typewarp(self):
        self.exchange.start()

    def by_nccl(self):
        packed = self.x.view(self.shape).permute(2, 0, 1, 3, 4).contiguous()
        dist.all_to_all_single(self.received, packed)
        return self.received.permute(1, 0, 2, 3, 4).reshape(self.ours.shape)


def main():
    rank, size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
    torch.cuda.set_device(rank % torch.cuda.device_count())
    start_nccl(rank, size)
    if rank == 0:
        tell(mpi=MPI.Get_library_version().split("\n")[0], gpus=torch.cuda.device_count())
    for index, (tokens, heads), late in rows_asked_for(__doc__.split(":")[0], SIZES):
        if MPI.COMM_WORLD.bcast(late):
            break
        row = {"index": index, "case": "heads", "ranks": size, "bytes": BATCH * tokens * heads * DEPTH * 2}
        if rank == 0:
            tell(begin=row)
        subject = Heads(tokens, heads, size)
        subject.by_typewarp()
        subject.exchange.wait()
        if not torch.equal(subject.ours, subject.by_nccl()):
            raise SystemExit(f"{row}: other bytes than by NCCL")
        us = medians({"typewarp": subject.by_typewarp, "nccl": subject.by_nccl}, torch.cuda.synchronize, MPI.COMM_WORLD.Barrier,
                     lambda times: MPI.COMM_WORLD.allreduce(times, MPI.MAX))
        subject.exchange.close()
        if rank == 0:
            tell(**row, median_us=us["typewarp"], peers_us={"permute, NCCL, permute": us["nccl"]})
    if rank == 0:
        tell(finished=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
