# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that compute the same by groups of the back end "typewarp" and by those of another one."""
import torch
import torch.distributed as dist
from torch_backend_cases import expect
from torch_cases import content


def _mesh(device, backend):
    """With a name: DTensors of equal meshes may come back with the group of the other one."""
    return torch.distributed.device_mesh.DeviceMesh.from_group(dist.new_group(backend=backend), device, mesh_dim_names=(backend,))


def _losses(model, inputs):
    """Of each step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    losses = []
    for x in inputs:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def trains(device, backend):
    """The losses of a model that FSDP shards, in a group of a back end."""
    from torch.distributed.fsdp import fully_shard
    torch.manual_seed(1)
    mesh = _mesh(device, backend)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)).to(device)
    fully_shard(model, mesh=mesh)
    return _losses(model, [content(10 * step + dist.get_rank(), [3, 8], device=device) for step in range(4)])


def trains_in_parallel(device, backend):
    """The losses of layers whose weights tensor parallelism divides, between activations that it divides by their sequence."""
    from torch.distributed.tensor import Shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module
    torch.manual_seed(1)
    size, rank = dist.get_world_size(), dist.get_rank()
    mesh = _mesh(device, backend)
    model = torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.Linear(8, 12 * size), torch.nn.ReLU(), torch.nn.Linear(12 * size, 8)).to(device)
    parallelize_module(model, mesh, {"0": SequenceParallel(), "1": ColwiseParallel(input_layouts=Shard(1)),
                                     "3": RowwiseParallel(output_layouts=Shard(1))})
    return _losses(model, [content(step, [3, 4 * size, 8], device=device).chunk(size, 1)[rank] for step in range(4)])


def attends(device, backend):
    """Attention whose sequence is divided, in the manner of DeepSpeed's Ulysses: all heads of a part become a part of the heads of all."""
    group, size, rank = dist.new_group(backend=backend), dist.get_world_size(), dist.get_rank()
    wide = [content(seed, [2, 5 * size, 3 * size, 4], device=device) for seed in (1, 2, 3)]

    def heads_of_all(x):
        given = x.unflatten(2, (size, -1)).permute(2, 1, 0, 3, 4)
        given = given if backend == "typewarp" else given.contiguous()
        made = given.new_empty(given.shape)
        dist.all_to_all_single(made, given, group=group)
        return made.flatten(0, 1).permute(1, 2, 0, 3)

    def all_heads(x):
        given = x.permute(2, 0, 1, 3)
        made = given.new_empty(size, given.shape[0] // size, *given.shape[1:])
        dist.all_to_all_single(made, (given if backend == "typewarp" else given.contiguous()).view(made.shape), group=group)
        return made.permute(2, 1, 0, 3, 4).flatten(2, 3)
    got = all_heads(torch.nn.functional.scaled_dot_product_attention(*(heads_of_all(x.chunk(size, 1)[rank]) for x in wide)))
    wanted = torch.nn.functional.scaled_dot_product_attention(*(x.transpose(1, 2) for x in wide)).transpose(1, 2)
    expect(got, wanted.chunk(size, 1)[rank], "attention", False)
    return got.tolist()


ALL = [trains, trains_in_parallel, attends]
