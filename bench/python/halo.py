#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Halo exchange between the GPUs of one host, of fields that are divided along their last dimension: typewarp.halo against slices that
are stacked, sent by NCCL and copied into the halos:

    mpiexec -n 2 python bench/python/halo.py
"""
import torch
import torch.distributed as dist
from mpi4py import MPI

import typewarp as tw
from nccl import measure_rows

WIDTH = 2
# Cells along each side of what a rank owns, and fields.
CASES = [(32, 1), (64, 1), (128, 1), (128, 8), (256, 1), (256, 8)]


class Fields:
    """One row: the same fields twice, one set for each way."""

    def __init__(self, cells, fields, grid):
        self.cells, self.fields, self.grid = cells, fields, grid
        self.ours = [torch.randn(cells, cells, cells + 2 * WIDTH, device="cuda", dtype=torch.double) for _ in range(fields)]
        self.theirs = [field.clone() for field in self.ours]
        self.below, self.above = grid.neighbour((0, 0, -1)), grid.neighbour((0, 0, 1))
        self.from_above, self.from_below = (torch.empty(fields, cells, cells, WIDTH, device="cuda", dtype=torch.double) for _ in range(2))

    def by_nccl(self):
        down = torch.stack([field[..., WIDTH:2 * WIDTH] for field in self.theirs])
        up = torch.stack([field[..., self.cells:self.cells + WIDTH] for field in self.theirs])
        # Where both neighbours are one rank, messages match by their order.
        for request in dist.batch_isend_irecv([
                dist.P2POp(dist.isend, down, self.below), dist.P2POp(dist.isend, up, self.above),
                dist.P2POp(dist.irecv, self.from_above, self.above), dist.P2POp(dist.irecv, self.from_below, self.below)]):
            request.wait()
        for i, field in enumerate(self.theirs):
            field[..., self.cells + WIDTH:] = self.from_above[i]
            field[..., :WIDTH] = self.from_below[i]


def measured(size, case, medians):
    if size < 2:
        raise SystemExit("needs two ranks or more")
    with tw.Session(), tw.halo.Grid(MPI.COMM_WORLD, (1, 1, size), periodic=True) as grid:
        subject = Fields(*case, grid)
        with grid.exchange(subject.ours, width=(0, 0, WIDTH)) as halos:
            halos()
            subject.by_nccl()
            same = all(torch.equal(ours, theirs) for ours, theirs in zip(subject.ours, subject.theirs))
            if not MPI.COMM_WORLD.allreduce(same, MPI.LAND):
                raise SystemExit("other halos than by NCCL")
            return medians({"typewarp": halos, "stack, NCCL, copy": subject.by_nccl})


def row(case):
    cells, fields = case
    return {"case": f"halo, {fields} field{'s' if fields > 1 else ''}", "bytes": 2 * fields * cells * cells * WIDTH * 8}


if __name__ == "__main__":
    measure_rows(__doc__.split(",")[0], CASES, row, measured)
