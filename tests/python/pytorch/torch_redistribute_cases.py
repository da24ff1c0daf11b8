# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""DTensor.redistribute by one exchange, against the parts of the whole tensor that each process should get."""
import contextlib
from unittest import mock

from processes import of_several, raises
import torch
import torch.distributed as dist
import torch_simulated
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, _redistribute, distribute_tensor
from torch_cases import content

import typewarp.torch
from typewarp import _torch_redistribute

SHAPES = [(4, 6, 8), (5, 7, 3), (1, 9), (13, 2, 5), (6, 1, 1), (2, 3)]


def _installed():
    """The function that redistributes, by exchanges: on CPUs the back end leaves it as it is."""
    _torch_redistribute.install()


def _gpus(device):
    return torch_simulated.gpus() if device == "cpu" else contextlib.nullcontext()


def _meshes(device):
    size = dist.get_world_size()
    shapes = {(size,), *((size // rows, rows) for rows in range(1, size + 1) if size % rows == 0)}
    return [init_device_mesh(device, shape) for shape in sorted(shapes)]


def _all_placements(dimensions, of_mesh):
    each = [Replicate(), *(Shard(dim) for dim in range(dimensions))]
    return [[one] for one in each] if of_mesh == 1 else [[one, other] for one in each for other in each]


def _part(whole, mesh, placements):
    """As PyTorch divides it."""
    for dim, placement in enumerate(placements):
        if isinstance(placement, Shard):
            parts = list(whole.chunk(mesh.size(dim), placement.dim))
            parts += [parts[0].narrow(placement.dim, 0, 0)] * (mesh.size(dim) - len(parts))
            whole = parts[mesh.get_coordinate()[dim]]
    return whole


def _given(whole, mesh, placements):
    return DTensor.from_local(_part(whole, mesh, placements).contiguous(), mesh, placements, run_check=False, shape=whole.shape, stride=whole.stride())


def _expect(got, whole, mesh, placements):
    local, wanted = got.to_local(), _part(whole, mesh, placements)
    assert tuple(got.placements) == tuple(placements) and got.shape == whole.shape
    assert local.shape == wanted.shape and torch.equal(local, wanted), (placements, local.shape, wanted.shape)


def _redistributed(device):
    for mesh in _meshes(device):
        for shape in SHAPES if mesh.ndim == 1 else SHAPES[:2]:
            whole = content(0, shape, device=device)
            for current in _all_placements(len(shape), mesh.ndim):
                for target in _all_placements(len(shape), mesh.ndim):
                    _expect(_given(whole, mesh, current).redistribute(mesh, target), whole, mesh, target)


def all_placements(device):
    """Sizes that the ranks divide, and that they do not; shards that are empty; every shard to every other one."""
    _installed()
    with _gpus(device):
        _redistributed(device)


def all_dtypes(device):
    _installed()
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    with _gpus(device):
        for dtype in ("float64", "bfloat16", "uint8", "bool", "complex64"):
            whole = content(0, (6, 10), dtype, device=device)
            _expect(_given(whole, mesh, [Shard(0)]).redistribute(mesh, [Shard(1)]), whole, mesh, [Shard(1)])


@of_several
def by_exchanges(device):
    """Once made, an exchange asks nobody, and PyTorch's own steps are not taken."""
    _installed()
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    with _gpus(device):
        for seed in range(4):
            whole = content(0, (8, 12, 5), seed=seed, device=device)
            x = _given(whole, mesh, [Shard(1)])
            with mock.patch.object(_redistribute, "_gen_transform_infos", side_effect=AssertionError("by PyTorch's own steps")):
                _expect(x.redistribute(mesh, [Shard(0)]), whole, mesh, [Shard(0)])
        kept, = typewarp.torch.kept()
        assert kept.placements == (mesh, (Shard(1),), (Shard(0),)) and kept.fallback_reason is None and kept.shape == (8, 12, 5)
        noncontiguous = _part(content(0, (8, 5, 12), device=device).transpose(1, 2), mesh, [Shard(1)])
        x = DTensor.from_local(noncontiguous, mesh, [Shard(1)], run_check=False, shape=(8, 12, 5), stride=(60, 5, 1))
        _expect(x.redistribute(mesh, [Shard(0)]), content(0, (8, 5, 12), device=device).transpose(1, 2), mesh, [Shard(0)])


@of_several
def in_captures(device):
    """An exchange that was prepared is captured. To prepare one takes all ranks, so PyTorch's own way is captured instead."""
    _installed()
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    known, unknown = content(0, (8, 4), device=device), content(0, (8, 6), device=device)
    with _gpus(device):
        _expect(_given(known, mesh, [Shard(0)]).redistribute(mesh, [Shard(1)]), known, mesh, [Shard(1)])
        with mock.patch.object(_torch_redistribute._ways, "capturing", lambda: True):
            _expect(_given(unknown, mesh, [Shard(0)]).redistribute(mesh, [Shard(1)]), unknown, mesh, [Shard(1)])
            with mock.patch.object(_redistribute, "_gen_transform_infos", side_effect=AssertionError("by PyTorch's own steps")):
                _expect(_given(known, mesh, [Shard(0)]).redistribute(mesh, [Shard(1)]), known, mesh, [Shard(1)])
        assert len(typewarp.torch.kept()) == 1


@of_several
def leaves_to_pytorch(device):
    """What one collective call does as well, and what is no shard."""
    _installed()
    size = dist.get_world_size()
    mesh = init_device_mesh(device, (size,))
    with mock.patch.object(_torch_redistribute._ways.GroupWays, "exchanged", side_effect=AssertionError("by an exchange")):
        whole = content(0, (8, 6), device=device)
        for current, target in (([Shard(0)], [Replicate()]), ([Shard(1)], [Replicate()]), ([Replicate()], [Shard(1)]), ([Shard(1)], [Shard(1)])):
            _expect(_given(whole, mesh, current).redistribute(mesh, target), whole, mesh, target)
        part = DTensor.from_local(content(dist.get_rank(), (8, 6), device=device), mesh, [Partial()], run_check=False)
        summed = sum(content(rank, (8, 6), device=device) for rank in range(size))
        assert torch.allclose(part.redistribute(mesh, [Replicate()]).to_local(), summed, atol=1e-5)
        empty = torch.empty(0, 6, device=device)
        _expect(_given(empty, mesh, [Shard(0)]).redistribute(mesh, [Shard(1)]), empty, mesh, [Shard(1)])


@of_several
def gradients(device):
    """d/dx sum(w * y^3)."""
    _installed()
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    with _gpus(device):
        whole, weights = (content(0, (6, 10), "float64", seed, device) for seed in (1, 2))
        x = distribute_tensor(whole, mesh, [Shard(0)]).requires_grad_()
        y = x.redistribute(mesh, [Shard(1)])
        (y ** 3 * distribute_tensor(weights, mesh, [Shard(1)])).sum().backward()
        got = x.grad.redistribute(mesh, [Shard(0)])
        assert torch.allclose(got.to_local(), _part(3 * whole ** 2 * weights, mesh, [Shard(0)]))


@of_several
def sends_little(device):
    """No rank gets what it has, and of equal shards the near one sends."""
    route = _torch_redistribute.route((8, 8), (2, 2), (Shard(0), Replicate()), (Shard(1), Replicate()))
    assert route.crossed == (0,)
    for at, pieces in route.pieces.items():
        assert {sender[1] for sender, _ in pieces} == {at[1]} and sum(piece.count for _, piece in pieces) == 32
    route = _torch_redistribute.route((8,), (2, 2), (Shard(0), Replicate()), (Replicate(), Shard(0)))
    sent = [sender for at, pieces in route.pieces.items() for sender, _ in pieces if sender != at]
    assert len(sent) == 2 and len(set(sent)) == 2


@of_several
def wrong_shards(device):
    """A tensor that is not the shard that its DTensor says."""
    _installed()
    size, rank = dist.get_world_size(), dist.get_rank()
    mesh = init_device_mesh(device, (size,))
    with _gpus(device):
        local = torch.ones(3 if rank == 1 else 2, 4, device=device)
        x = DTensor.from_local(local, mesh, [Shard(0)], run_check=False, shape=(2 * size, 4), stride=(4, 1))
        with mock.patch.object(_redistribute, "_gen_transform_infos", side_effect=RuntimeError("by PyTorch's own steps")), \
                raises(RuntimeError, "by PyTorch's own steps"):
            x.redistribute(mesh, [Shard(1)])
        assert "a shard of [3, 4] in place of [2, 4]" in typewarp.torch.kept()[-1].fallback_reason


ALL = [all_placements, all_dtypes, by_exchanges, in_captures, leaves_to_pytorch, gradients, sends_little, wrong_shards]
