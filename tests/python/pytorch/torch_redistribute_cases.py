# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""DTensor.redistribute by one exchange, against the parts of the whole tensor that each process should get."""
import contextlib
import itertools
from unittest import mock

from processes import of_several, raises
import torch
import torch.distributed as dist
import torch_simulated
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, _redistribute, distribute_tensor
from torch_cases import content

import typewarp as tw
import typewarp.torch
from typewarp import _torch_redistribute, _torch_ways

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


def _again(x, mesh, placements):
    """The second time, in which an exchange is prepared, and later ones."""
    x.redistribute(mesh, placements)
    return x.redistribute(mesh, placements)


def _expect(got, whole, mesh, placements):
    local, wanted = got.to_local(), _part(whole, mesh, placements)
    assert tuple(got.placements) == tuple(placements) and got.shape == whole.shape
    assert local.shape == wanted.shape and torch.equal(local, wanted), (placements, local.shape, wanted.shape)


def all_placements(device):
    """Sizes that the ranks divide, and that they do not; shards that are empty; every shard to every other one."""
    _installed()
    with _gpus(device):
        for mesh in _meshes(device):
            for shape in SHAPES if mesh.ndim == 1 else SHAPES[:2]:
                whole = content(0, shape, device=device)
                for current, target in itertools.product(_all_placements(len(shape), mesh.ndim), repeat=2):
                    _expect(_again(_given(whole, mesh, current), mesh, target), whole, mesh, target)


def all_dtypes(device):
    _installed()
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    with _gpus(device):
        for dtype in ("float64", "bfloat16", "uint8", "bool", "complex64"):
            whole = content(0, (6, 10), dtype, device=device)
            _expect(_again(_given(whole, mesh, [Shard(0)]), mesh, [Shard(1)]), whole, mesh, [Shard(1)])


def _by_one_exchange():
    return mock.patch.object(_redistribute, "_gen_transform_infos", side_effect=AssertionError("by PyTorch's own steps"))


@of_several
def by_exchanges(device):
    """From the second time on. Once made, PyTorch's own steps are not taken."""
    _installed()
    size = dist.get_world_size()
    meshes = [(init_device_mesh(device, (size,)), [Shard(1)], [Shard(0)])]
    if size == 4:  # along both dimensions: the group of the whole job
        meshes.append((init_device_mesh(device, (2, 2)), [Shard(0), Shard(1)], [Shard(1), Shard(0)]))
        meshes.append((DeviceMesh(device, [[3, 1], [0, 2]]), [Shard(0), Replicate()], [Shard(1), Shard(0)]))
        meshes.append((init_device_mesh(device, (2, 2), mesh_dim_names=("a", "b"))["b"], [Shard(0)], [Shard(2)]))
    with _gpus(device):
        for mesh, current, target in meshes:
            for seed in range(4):
                whole = content(0, (8, 12, 5), seed=seed, device=device)
                x = _given(whole, mesh, current)
                with _by_one_exchange() if seed > 0 else contextlib.nullcontext():
                    got = x.redistribute(mesh, target)
                assert any(entry.placements == (mesh, tuple(current), tuple(target)) for entry in typewarp.torch.kept()) == (seed > 0)
                if seed > 0 or mesh.ndim == 1:  # PyTorch's own way does not know the order of ranks
                    _expect(got, whole, mesh, target)
            kept = typewarp.torch.kept()[-1]
            assert kept.placements == (mesh, tuple(current), tuple(target)) and kept.fallback_reason is None and kept.shape == (8, 12, 5)
        mesh, current, target = meshes[0]
        whole = content(0, (8, 5, 12), device=device).transpose(1, 2)
        x = DTensor.from_local(_part(whole, mesh, current), mesh, current, run_check=False, shape=(8, 12, 5), stride=(60, 5, 1))
        with _by_one_exchange():
            _expect(x.redistribute(mesh, target), whole, mesh, target)


@of_several
def in_captures(device):
    """An exchange that was prepared is captured. To prepare one takes all ranks, so PyTorch's own way is captured instead."""
    _installed()
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    known, unknown = content(0, (8, 4), device=device), content(0, (8, 6), device=device)
    with _gpus(device):
        _expect(_again(_given(known, mesh, [Shard(0)]), mesh, [Shard(1)]), known, mesh, [Shard(1)])
        with mock.patch.object(_torch_ways, "capturing", lambda: True):
            _expect(_again(_given(unknown, mesh, [Shard(0)]), mesh, [Shard(1)]), unknown, mesh, [Shard(1)])
            with _by_one_exchange():
                _expect(_given(known, mesh, [Shard(0)]).redistribute(mesh, [Shard(1)]), known, mesh, [Shard(1)])
        assert len(typewarp.torch.kept()) == 1


@of_several
def keeps_what_is_used(device):
    """Shapes that come by turns, once or twice in a row, more than are kept: some always go by exchanges, and none is prepared in each turn."""
    _installed()
    mesh = init_device_mesh(device, (dist.get_world_size(),))
    for columns, in_a_row in ((11, 1), (12, 2)):
        typewarp.torch.clear()  # what other cases use
        # Collective calls would have exchanges, too.
        with _gpus(device), mock.patch.multiple(_torch_ways, CAPACITY=3, IN_USE=30), mock.patch.object(dist.group.WORLD, "collectives", None):
            def turn(rows):
                for number in rows:
                    whole = content(0, (number, columns), device=device)
                    for _ in range(in_a_row):
                        _expect(_given(whole, mesh, [Shard(0)]).redistribute(mesh, [Shard(1)]), whole, mesh, [Shard(1)])

            def kept():
                return [entry.shape[0] for entry in typewarp.torch.kept()]
            for _ in range(6):
                turn(range(4, 9))
                assert kept() in ([], [4, 5, 6]), kept()
            for _ in range(30):  # 6 is not used any more
                turn([4, 5, 7])
            assert kept() == [4, 5, 7], kept()
            for number in range(20, 30):  # each comes once
                turn([number])
            assert kept() == [4, 5, 7], kept()


@of_several
def of_other_strides(device):
    """Local tensors of one shape that lie in memory differently in each rank, so that PyTorch computes other strides of the whole."""
    _installed()
    size, rank = dist.get_world_size(), dist.get_rank()
    mesh = init_device_mesh(device, (size,))
    whole = content(0, (2 * size, 4 * size + 1), device=device)
    with _gpus(device):
        for turn in range(4):
            local = _part(whole, mesh, [Shard(0)]).contiguous()
            if (turn + rank) % 2 == 0:
                local = local.t().contiguous().t()
            x = DTensor.from_local(local, mesh, [Shard(0)], run_check=False)
            _expect(x.redistribute(mesh, [Shard(1)]), whole, mesh, [Shard(1)])
        assert len(typewarp.torch.kept()) == 1


@of_several
def when_computed_again(device):
    """Checkpoints that keep what collective calls return find the same calls the second time."""
    from torch.utils import checkpoint
    if not hasattr(checkpoint, "create_selective_checkpoint_contexts") or dist.get_world_size() != 4:
        return
    _installed()
    mesh = init_device_mesh(device, (2, 2))
    saved = torch.ops._c10d_functional.all_gather_into_tensor.default

    def policy(context, operator, *arguments, **keywords):
        return checkpoint.CheckpointPolicy.MUST_SAVE if operator is saved else checkpoint.CheckpointPolicy.PREFER_RECOMPUTE

    def block(x):
        return (x.redistribute(mesh, [Replicate(), Shard(0)]) * 3).redistribute(mesh, [Replicate(), Replicate()]).sin()
    with _gpus(device):
        whole = content(0, (8, 7), "float64", device=device)
        for _ in range(3):
            x = distribute_tensor(whole, mesh, [Shard(0), Replicate()]).requires_grad_()
            y = checkpoint.checkpoint(block, x, use_reentrant=False,
                                      context_fn=lambda: checkpoint.create_selective_checkpoint_contexts(policy))
            y.sum().backward()
            wanted = 3 * (3 * whole).cos()
            assert torch.allclose(x.grad.redistribute(mesh, [Replicate(), Replicate()]).to_local(), wanted)


@of_several
def whatever_is_watched(device):
    """A mode that only observes, in one rank. Tensors without bytes, also in one rank."""
    _installed()
    from torch.utils.flop_counter import FlopCounterMode
    mesh, whole = init_device_mesh(device, (dist.get_world_size(),)), content(0, (8, 6), device=device)
    with _gpus(device):
        for _ in range(3):
            x = _given(whole, mesh, [Shard(0)])
            with FlopCounterMode(display=False) if dist.get_rank() == 0 else contextlib.nullcontext():
                y = x.redistribute(mesh, [Shard(1)])
            _expect(y, whole, mesh, [Shard(1)])
        assert len(typewarp.torch.kept()) == 1
        if dist.get_rank() == 0:
            x = _given(whole.to("meta"), mesh, [Shard(0)])
            with mock.patch.object(_torch_ways.GroupWays, "exchanged", side_effect=AssertionError("by an exchange")), \
                    mock.patch.object(tw.Ranks, "gather", side_effect=AssertionError("asks others")):
                for _ in range(3):
                    _torch_redistribute.by_one_exchange(x._local_tensor, x._spec, y._spec)


@of_several
def leaves_to_pytorch(device):
    """What one collective call does as well, and what is no shard."""
    _installed()
    size = dist.get_world_size()
    mesh = init_device_mesh(device, (size,))
    with mock.patch.object(_torch_ways.GroupWays, "exchanged", side_effect=AssertionError("by an exchange")):
        whole = content(0, (8, 6), device=device)
        for current, target in (([Shard(0)], [Replicate()]), ([Shard(1)], [Replicate()]), ([Replicate()], [Shard(1)]), ([Shard(1)], [Shard(1)])):
            _expect(_again(_given(whole, mesh, current), mesh, target), whole, mesh, target)
        if size == 4:
            square = init_device_mesh(device, (2, 2))
            for current, target in (([Shard(0), Shard(0)], [Shard(0), Replicate()]), ([Shard(0), Shard(1)], [Replicate(), Replicate()])):
                _expect(_again(_given(whole, square, current), square, target), whole, square, target)
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
        for _ in range(3):
            x = distribute_tensor(whole, mesh, [Shard(0)]).requires_grad_()
            y = x.redistribute(mesh, [Shard(1)])
            (y ** 3 * distribute_tensor(weights, mesh, [Shard(1)])).sum().backward()
            got = x.grad.redistribute(mesh, [Shard(0)])
            assert torch.allclose(got.to_local(), _part(3 * whole ** 2 * weights, mesh, [Shard(0)]))
        assert len(typewarp.torch.kept()) == 2


@of_several
def sends_little(device):
    """No rank gets what it has, and of equal shards the near one sends."""
    every = [(i, j) for i in range(2) for j in range(2)]
    for at in every:
        found = _torch_redistribute.route((8, 8), (2, 2), (Shard(0), Replicate()), (Shard(1), Replicate()), at)
        assert found.crossed == (0,) and {sender[1] for sender, _ in found.receives} == {at[1]} == {to[1] for to, _ in found.sends}
        assert sum(piece.count for _, piece in found.receives) == 32
    plans = {at: _torch_redistribute.route((8,), (2, 2), (Shard(0), Replicate()), (Replicate(), Shard(0)), at) for at in every}
    sent = [sender for at in every for sender, _ in plans[at].receives if sender != at]
    assert len(sent) == 2 and len(set(sent)) == 2
    for at in every:  # what one gets is what another one sends
        for sender, piece in plans[at].receives:
            assert (at, piece) in plans[sender].sends


@of_several
def wrong_shards(device):
    """A tensor that is not the shard that its DTensor says: when an exchange is prepared, and later."""
    _installed()
    size, rank = dist.get_world_size(), dist.get_rank()
    mesh = init_device_mesh(device, (size,))

    def of(rows, columns):
        return DTensor.from_local(torch.ones(rows, columns, device=device), mesh, [Shard(0)], run_check=False, shape=(2 * size, columns),
                                  stride=(columns, 1))
    with _gpus(device):
        with mock.patch.object(_redistribute, "_gen_transform_infos", side_effect=RuntimeError("by PyTorch's own steps")):
            for _ in range(4):
                with raises(RuntimeError, "by PyTorch's own steps"):
                    of(3 if rank == 1 else 2, 4).redistribute(mesh, [Shard(1)])
        assert "a shard of [3, 4] in place of [2, 4]" in typewarp.torch.kept()[-1].fallback_reason
        _again(of(2, 6), mesh, [Shard(1)])
        with raises(ValueError, "a shard of [3, 6] in place of [2, 6]"):
            of(3, 6).redistribute(mesh, [Shard(1)])


@of_several
def without_groups(device):
    """A mesh that has none, for what sends nothing."""
    _installed()
    mesh = DeviceMesh(device, list(range(dist.get_world_size())), _init_backend=False)
    x = DTensor.from_local(torch.ones(4, 6, device=device), mesh, [Replicate()], run_check=False)
    for _ in range(3):
        x.redistribute(mesh, [Shard(0)])


ALL = [all_placements, all_dtypes, by_exchanges, in_captures, keeps_what_is_used, of_other_strides, when_computed_again, whatever_is_watched,
       leaves_to_pytorch, gradients, sends_little, wrong_shards, without_groups]
