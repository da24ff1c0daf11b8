#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""All-to-all of attention heads between the GPUs of one host: each rank has all heads of its part of the sequence, and gets its part
of the heads of the whole sequence. Slices on both sides through typewarp, against permute, NCCL's all_to_all_single and permute:

    mpiexec -n 2 python bench/python/heads.py
"""
import torch
import torch.distributed as dist
from mpi4py import MPI

import typewarp as tw
from nccl import measure_rows

BATCH, DEPTH = 2, 128
# Tokens of a rank, and heads: half precision, from 1 MB to 336 MB a rank.
SIZES = [(64, 32), (2048, 32), (8192, 32), (16384, 40)]


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


def measured(size, sizes, medians):
    tokens, heads = sizes
    subject = Heads(tokens, heads, size)
    subject.by_typewarp()
    subject.exchange.wait()
    if not MPI.COMM_WORLD.allreduce(torch.equal(subject.ours, subject.by_nccl()), MPI.LAND):
        raise SystemExit("other bytes than by NCCL")
    us = medians({"typewarp": subject.by_typewarp, "permute, NCCL, permute": subject.by_nccl})
    subject.exchange.close()
    return us


def row(sizes):
    tokens, heads = sizes
    return {"case": "heads", "bytes": BATCH * tokens * heads * DEPTH * 2}


if __name__ == "__main__":
    measure_rows(__doc__.split(":")[0], SIZES, row, measured)
