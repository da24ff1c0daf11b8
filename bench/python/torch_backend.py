#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls of torch.distributed through the back end "typewarp": with noncontiguous tensors, against contiguous(), the same call by NCCL and
copy_(); with contiguous ones, against NCCL alone; steps of training by FSDP and tensor parallelism, and the all-to-alls of attention, against
the same by NCCL; and DTensors that are sharded along another dimension, against PyTorch's own way by NCCL. Bytes are those of the larger
tensor of a rank, of DTensors those of the whole one:

    torchrun --standalone --nproc-per-node 2 bench/python/torch_backend.py
"""
import functools
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh

import typewarp.torch
from typewarp._torch_collectives import EVERY
from measuring import medians, rows_asked_for, tell

SIZES = [64 << 10, 1 << 20, 16 << 20, 256 << 20]
CALLS = ["all_gather", "reduce_scatter", "all_to_all", "all_reduce"]
# How a tensor of rows of 256 floats lies in memory.
LAYOUTS = {
    "contiguous": lambda rows: torch.empty(rows, 256, device="cuda"),
    "columns of twice as many": lambda rows: torch.empty(rows, 512, device="cuda")[:, 128:384],
    "transposed": lambda rows: torch.empty(256, rows, device="cuda").t(),
}


def by_exchanges(call):
    """Makes the call until all ranks know that its tensors are noncontiguous. What a row's name says if it does not go by exchanges then."""
    for _ in range(2 * EVERY + 4):
        call()
    last = typewarp.torch.kept()[-1:]
    return "" if any(entry.call is not None and entry.fallback_reason is None for entry in last) else ", without an exchange"


class Call:
    """One row."""

    def __init__(self, call, layout, nbytes, nccl):
        self.call, self.nccl, self.size = call, nccl, dist.get_world_size()
        rows = max(self.size, nbytes // 1024 // self.size * self.size)
        few = rows // self.size
        self.given = LAYOUTS[layout](few if call == "all_gather" else rows)
        self.given.copy_(torch.randint(-99, 99, self.given.shape, device="cuda"))
        self.out = LAYOUTS[layout](few if call == "reduce_scatter" else rows)
        self.row = {"case": f"{call} by torch.distributed, {layout}", "bytes": rows * 1024}

    def issue(self, given, out, group):
        if self.call == "all_gather":
            dist.all_gather_into_tensor(out, given, group=group)
        elif self.call == "reduce_scatter":
            dist.reduce_scatter_tensor(out, given, group=group)
        elif self.call == "all_to_all":
            dist.all_to_all_single(out, given, group=group)
        else:
            dist.all_reduce(given, group=group)

    def ours(self):
        self.issue(self.given, self.out, None)
        return self.given if self.call == "all_reduce" else self.out

    def theirs(self):
        if self.given.is_contiguous():
            self.issue(self.given, self.out, self.nccl)
        else:
            given, out = self.given.contiguous(), torch.empty(self.out.shape, device="cuda")
            self.issue(given, out, self.nccl)
            if self.call == "all_reduce":
                self.given.copy_(given)
            else:
                self.out.copy_(out)
        return self.given if self.call == "all_reduce" else self.out

    def measured(self, timed):
        before = self.given.clone()
        wanted = self.theirs().clone()
        self.out.fill_(-1)
        self.given.copy_(before)
        if not self.given.is_contiguous() and self.call != "all_reduce":
            self.row["case"] += by_exchanges(self.ours)
        well = torch.equal(self.ours(), wanted)
        if self.call == "all_reduce":
            self.given.fill_(0)  # sums of sums would overflow
        return well, timed({"typewarp": self.ours, "NCCL": self.theirs})


def meshes(nccl):
    """Of our group and NCCL's. Without names they are equal, and DTensors of one would come back with the other."""
    return [DeviceMesh.from_group(group, "cuda", mesh_dim_names=(name,)) for group, name in ((dist.group.WORLD, "typewarp"), (nccl, "nccl"))]


class Redistribution:
    """Of a DTensor of rows of 8,192 floats."""

    def __init__(self, before, after, nbytes, nccl):
        from torch.distributed.tensor import Shard, distribute_tensor
        whole = torch.randint(-99, 99, (nbytes // 32768, 8192), device="cuda").float()
        self.after = [Shard(after)]
        self.given = [distribute_tensor(whole, mesh, [Shard(before)]) for mesh in meshes(nccl)]
        self.row = {"case": f"DTensor, Shard({before}) to Shard({after})", "bytes": whole.nbytes}

    def redistributed(self, x):
        return x.redistribute(placements=self.after).to_local()

    def measured(self, timed):
        ours, theirs = [functools.partial(self.redistributed, x) for x in self.given]
        ours()  # the second time it is an exchange
        well = torch.equal(ours(), theirs())
        last = typewarp.torch.kept()[-1:]
        if not any(entry.shape == self.given[0].shape and entry.fallback_reason is None for entry in last):
            self.row["case"] += ", without an exchange"
        return well, timed({"typewarp": ours, "NCCL": theirs})


def sharded(layers, width, mesh):
    """A model of linear layers, with the parameters of each gathered and its gradients scattered."""
    from torch.distributed.fsdp import fully_shard
    model = torch.nn.Sequential(*[torch.nn.Linear(width, width, bias=False) for _ in range(layers)]).cuda()
    for layer in model:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def parallel(layers, width, mesh):
    """Pairs of linear layers, each divided, between activations that are divided by rows."""
    from torch.distributed.tensor import Shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    model = torch.nn.Sequential(*[torch.nn.Linear(width, width, bias=False) for _ in range(layers)]).cuda()
    return parallelize_module(model, mesh, {str(i): RowwiseParallel(output_layouts=Shard(0)) if i % 2 else ColwiseParallel(input_layouts=Shard(0))
                                            for i in range(layers)})


class Step:
    """Of training."""

    def __init__(self, name, make, layers, width, nccl):
        self.row = {"case": f"{name}, {layers} layers of {width}", "bytes": 4 * layers * width * width}
        self.models = []
        for mesh in meshes(nccl):
            torch.manual_seed(1)
            self.models.append(make(layers, width, mesh))
        self.x = torch.randn(64, width, device="cuda")

    def step(self, model):
        loss = model(self.x).square().mean()
        loss.backward()
        return loss

    def measured(self, timed):
        ours, theirs = [functools.partial(self.step, model) for model in self.models]
        well = torch.allclose(ours(), theirs())
        return well, timed({"typewarp": ours, "NCCL": theirs})


class Attention:
    """The all-to-all before and behind attention whose sequence is divided, in the manner of DeepSpeed's Ulysses: parts of the sequence with
    all heads become heads with the whole sequence."""

    def __init__(self, nbytes, nccl):
        self.nccl, self.size = nccl, dist.get_world_size()
        self.x = torch.randn(1, nbytes // 4096, 16 * self.size, 128 // self.size, device="cuda").bfloat16()
        self.row = {"case": "heads for parts of a sequence, and back", "bytes": self.x.nbytes}

    def there_and_back(self, group, as_given):
        given = as_given(self.x.unflatten(2, (self.size, -1)).permute(2, 1, 0, 3, 4))
        heads = torch.empty(given.shape, dtype=given.dtype, device="cuda")
        dist.all_to_all_single(heads, given, group=group)
        back = torch.empty_like(heads)
        dist.all_to_all_single(back, heads, group=group)
        return back.permute(2, 1, 0, 3, 4).flatten(2, 3)

    def measured(self, timed):
        ours, theirs = (lambda: self.there_and_back(None, lambda x: x)), (lambda: self.there_and_back(self.nccl, torch.Tensor.contiguous))
        self.row["case"] += by_exchanges(ours)
        return torch.equal(ours(), theirs()), timed({"typewarp": ours, "NCCL": theirs})


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("typewarp")
    rank, size = dist.get_rank(), dist.get_world_size()
    nccl = dist.new_group(backend="nccl")

    def largest(value):
        told = torch.tensor([value], device="cuda")
        dist.all_reduce(told, dist.ReduceOp.MAX, group=nccl)
        return told.item()

    timed = functools.partial(medians, synchronize=torch.cuda.synchronize, before=lambda: largest(0), agreed=largest)
    if rank == 0:
        tell(mpi=f"torch {torch.__version__}", gpus=torch.cuda.device_count())
    subjects = [functools.partial(Call, call, layout, nbytes, nccl) for nbytes in SIZES for call in CALLS for layout in LAYOUTS]
    subjects += [functools.partial(Redistribution, before, 1 - before, nbytes, nccl) for nbytes in (1 << 20, 16 << 20, 256 << 20, 1 << 30)
                 for before in (0, 1)]
    subjects += [functools.partial(Attention, nbytes, nccl) for nbytes in SIZES]
    subjects += [functools.partial(Step, name, make, 8, width, nccl) for name, make in (("FSDP", sharded), ("tensor parallel", parallel))
                 for width in (256, 1024, 4096)]
    for index, make, late in rows_asked_for(__doc__.split(":")[0], subjects):
        subject = make()
        row = {"index": index, "ranks": size, **subject.row}
        if largest(int(late)):
            if rank == 0:
                tell(stopped=True, memory="device", method="all", size=row["bytes"], case=row["case"])
            break
        if rank == 0:
            tell(begin=row)
        well, us = subject.measured(timed)
        if largest(int(not well)):
            raise SystemExit(f"{row}: other numbers than by NCCL")
        row.update(subject.row)
        if rank == 0:
            tell(**row, median_us=us.pop("typewarp"), peers_us=us)
        del subject
    if rank == 0:
        tell(finished=True)
    typewarp.torch.clear()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
