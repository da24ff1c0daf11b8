#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""All-to-all of attention heads by typewarp.torch, against permute, NCCL's all_to_all_single and permute: one exchange forward, and forward
with backward; and the four of an attention layer (queries, keys, values, and back), forward with backward. All go into tensors that are new
in each step. One exchange forward also within a CUDA graph:

    torchrun --standalone --nproc-per-node 2 bench/python/torch_all_to_all.py
"""
import functools
import os

import torch
import torch.distributed as dist

import typewarp.torch
from measuring import medians, rows_asked_for, tell

BATCH, DEPTH = 2, 128
# Tokens of a rank, and heads: half precision, from 1 MB to 336 MB a rank.
SIZES = [(64, 32), (2048, 32), (8192, 32), (16384, 40)]
SCATTER, GATHER = 2, 1


def by_nccl(x, scatter_dim, gather_dim):
    size = dist.get_world_size()
    packed = x.unflatten(scatter_dim, (size, -1)).movedim(scatter_dim, 0).contiguous()
    received = torch.empty_like(packed)
    dist.all_to_all_single(received, packed)
    return received.movedim(0, gather_dim).flatten(gather_dim, gather_dim + 1).contiguous()


class ByNccl(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scatter_dim, gather_dim):
        ctx.reverse = gather_dim, scatter_dim
        return by_nccl(x, scatter_dim, gather_dim)

    @staticmethod
    def backward(ctx, gradient):
        return ByNccl.apply(gradient, *ctx.reverse), None, None


def turn_in_graph(step):
    """A function that replays `step`, captured."""
    step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


FORWARD, BOTH, LAYER = "forward", "forward and backward", "a layer's four, forward and backward"


class Heads:
    """One row."""

    def __init__(self, passes, tokens, heads):
        self.passes = passes
        self.xs = [torch.randn(BATCH, tokens, heads, DEPTH, device="cuda").half().requires_grad_(passes != FORWARD)
                   for _ in range(3 if passes == LAYER else 1)]
        self.gradients = None
        self.row = {"case": f"heads by torch, {passes}", "bytes": self.xs[0].nbytes}

    def step(self, exchange):
        ys = [exchange(x, SCATTER, GATHER) for x in self.xs]
        if self.passes == FORWARD:
            return ys
        if self.passes == LAYER:
            ys[0] = exchange(ys[0], GATHER, SCATTER)
        if self.gradients is None:
            self.gradients = [torch.randn_like(y) for y in ys]
        return [*ys, *torch.autograd.grad(ys, self.xs, self.gradients)]

    def measured(self, timed):
        ours, theirs = (functools.partial(self.step, exchange) for exchange in (typewarp.torch.all_to_all, ByNccl.apply))
        well = torch.tensor([all(torch.equal(a, b) for a, b in zip(ours(), theirs()))], dtype=torch.int32, device="cuda")
        dist.all_reduce(well, dist.ReduceOp.MIN)
        if not well:
            raise SystemExit(f"{self.row}: other numbers than by NCCL")
        calls = {"typewarp": ours, "permute, NCCL, permute": theirs}
        if self.passes == FORWARD:
            calls["typewarp in a graph"] = turn_in_graph(ours)
        return timed(calls)


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    rank, size = dist.get_rank(), dist.get_world_size()

    def largest(value):
        told = torch.tensor([value], device="cuda")
        dist.all_reduce(told, dist.ReduceOp.MAX)
        return told.item()

    timed = functools.partial(medians, synchronize=torch.cuda.synchronize, before=lambda: largest(0), agreed=largest)
    if rank == 0:
        tell(mpi=f"torch {torch.__version__}", gpus=torch.cuda.device_count())
    if reason := typewarp.torch.fallback_reason("cuda"):
        raise SystemExit(f"typewarp.torch falls back: {reason}")
    subjects = [(passes, *sizes) for sizes in SIZES for passes in (FORWARD, BOTH, LAYER)]
    for index, subject, late in rows_asked_for(__doc__.split(":")[0], subjects):
        subject = Heads(*subject)
        row = {"index": index, "ranks": size, **subject.row}
        if largest(int(late)):
            if rank == 0:
                tell(stopped=True, memory="device", method="all", size=row["bytes"], case=row["case"])
            break
        if rank == 0:
            tell(begin=row)
        us = subject.measured(timed)
        graph = us.pop("typewarp in a graph", None)
        if rank == 0:
            tell(**row, median_us=us.pop("typewarp"), peers_us=us, **({} if graph is None else {"graph_us": graph}),
                 slot_bytes=max(entry.slot_bytes for entry in typewarp.torch.kept()))
        del subject
        typewarp.torch.clear()
    if rank == 0:
        tell(finished=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
