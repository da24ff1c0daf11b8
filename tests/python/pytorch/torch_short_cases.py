# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Short collective calls of the back end "typewarp", against copies of all ranks' tensors."""
import contextlib
from unittest import mock

from processes import of_several, raises
import torch
import torch.distributed as dist
import torch_backend_cases as cases
from torch_cases import content
from torch_collective_cases import fresh
import torch_simulated

import typewarp.torch
from typewarp import _torch_short
from typewarp._torch_short import FIRST, ShortCalls

NAMES = ["broadcast", "all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single"]


@contextlib.contextmanager
def short(device):
    """A fresh group, with a list of the calls that are made so."""
    made, original = [], ShortCalls._run

    def counted(self, gpus, call):
        made.append(call)
        return original(self, gpus, call)
    with fresh(device, ShortCalls()), mock.patch.object(ShortCalls, "_run", counted):
        yield made


def _begun(device):
    """After the calls that PyTorch makes."""
    for _ in range(FIRST):
        dist.broadcast(torch.zeros(1, device=device), 0)


@of_several
def short_layouts(device):
    """Ranks have other ones than their neighbours, and the way of a call does not depend on them. Those that are waited for are NCCL's."""
    rank, kinds = dist.get_rank(), len(cases.LAYOUTS)
    with short(device) as made:
        expected = -FIRST
        for m, n in ((6, 4), (1, 5)):
            for name, call in cases.calls(device, m=m, n=n):
                if name not in NAMES:
                    continue
                for i in range(kinds):
                    for j in range(1 if call.both else kinds):
                        for later in (False,) if device == "cpu" else (False, True):
                            cases.check(name, call, (i + rank) % kinds, (j + rank) % kinds, device, "float32", later)
                            expected += not later
                            assert len(made) == max(0, expected), (name, i, j, later)


@of_several
def short_dtypes(device):
    """Bytes of any, and numbers that are combined; what only PyTorch combines is left to it."""
    every = ["float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "complex64", "bool"]
    if device == "cpu":  # Gloo's
        every = [dtype for dtype in every if dtype not in ("bfloat16", "int16", "complex64", "bool")]
    with short(device) as made:
        _begun(device)
        for dtype in every:
            for name, call in cases.calls(device, dtype):
                if name not in NAMES or (dtype in ("complex64", "bool") and "reduce" in name):
                    continue
                made.clear()
                cases.check(name, call, 1, 2, device, dtype, False)
                assert len(made) == ("reduce" not in name or dtype not in ("float16", "bfloat16")), (name, dtype)


@of_several
def short_operations(device):
    size, rank = dist.get_world_size(), dist.get_rank()
    with short(device) as made:
        _begun(device)
        for dtype in ("float32", "int64", "uint8"):
            xs = [content(r, [size, 3], dtype, device=device) for r in range(size)]
            combined = {dist.ReduceOp.MAX: torch.stack(xs).amax(0), dist.ReduceOp.MIN: torch.stack(xs).amin(0),
                        dist.ReduceOp.PRODUCT: torch.stack(xs).prod(0, dtype=xs[0].dtype)}
            for op, wanted in combined.items():
                x, out = xs[rank].clone(), torch.empty(3, dtype=xs[0].dtype, device=device)
                dist.all_reduce(x, op)
                cases.expect(x, wanted, (dtype, op), exact=dtype != "float32")
                dist.reduce_scatter_tensor(out, xs[rank].view(-1), op)
                cases.expect(out, wanted[rank], (dtype, op), exact=dtype != "float32")
        assert len(made) == 18
        x = torch.ones(3, dtype=torch.int32, device=device)
        if device == "cpu":  # NCCL has none of bits
            dist.all_reduce(x, dist.ReduceOp.BAND)
            assert len(made) == 18


@of_several
def by_length(device):
    """The longer tensor counts, which is as long in all ranks."""
    size = dist.get_world_size()
    with short(device) as made, mock.patch.object(_torch_short, "LONGEST", 64 * size):
        _begun(device)
        for elements, is_short in ((16, True), (17, False), (0, False)):
            for name, call in cases.calls(device, m=1, n=elements):
                if name in NAMES and (elements > 0 or name == "all_reduce"):
                    made.clear()
                    cases.check(name, call, 0, 0, device, "float32", False)
                    assert len(made) == is_short, (name, elements)


@of_several
def short_in_place(device):
    """Where the shorter tensor is this rank's part of the longer one."""
    size, rank = dist.get_world_size(), dist.get_rank()
    xs = [content(r, [size, 5], device=device) for r in range(size)]
    with short(device) as made:
        _begun(device)
        whole = torch.zeros(size, 5, device=device)
        whole[rank] = xs[rank][0]
        dist.all_gather_into_tensor(whole, whole[rank])
        cases.expect(whole, torch.stack([x[0] for x in xs]), "gathered")
        x = xs[rank].clone()
        dist.reduce_scatter_tensor(x[rank], x.view(-1))
        cases.expect(x[rank], sum(xs[1:], xs[0])[rank], "summed", False)
        assert len(made) == 2


@of_several
def short_odd_tensors(device):
    """Expanded, negated when read, of no dimension, a leaf of gradients; versions count, and outputs whose elements are one are refused."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [1, 5], device=device) for r in range(size)]
    with short(device) as made:
        _begun(device)
        out = torch.empty(3 * size, 5, device=device)
        dist.all_gather_into_tensor(out, every[rank].expand(3, 5))
        cases.expect(out, torch.cat([x.expand(3, 5) for x in every]), "expanded")
        given = torch.view_as_complex(torch.stack([every[rank], every[rank]], -1)).conj().imag
        assert given.is_neg()
        out = torch.empty(size, 5, device=device)
        version = out._version
        dist.all_gather_into_tensor(out, given)
        assert out._version > version
        cases.expect(out, torch.cat([-x for x in every]), "negated")
        x = every[rank].sum()
        dist.all_reduce(x)
        cases.expect(x, sum(each.sum() for each in every), "a number", False)
        leaf = torch.nn.Parameter(every[rank].clone())
        dist.broadcast(leaf.detach() if rank == 1 else leaf, 0)
        cases.expect(leaf.detach(), every[0], "a leaf")
        assert len(made) == 4
        with raises(RuntimeError, "single memory location"):
            dist.all_gather_into_tensor(torch.empty(1, 5, device=device).expand(size, 5), every[rank])


@of_several
def where_there_is_no_way(device):
    """All calls are PyTorch's from then on."""
    failing = mock.patch.object(_torch_short, "GroupOfDevices", side_effect=RuntimeError("no way"))
    with short(device) as made, failing as tried:
        for _ in range(FIRST + 3):
            x = torch.ones(3, device=device)
            dist.all_reduce(x)
            cases.expect(x, torch.full_like(x, dist.get_world_size()), "summed")
        assert not made and tried.call_count == 1


@of_several
def is_made_again(device):
    """After clear(), by the first call."""
    with short(device) as made:
        _begun(device)
        for _ in range(2):
            x = torch.ones(3, device=device)
            dist.all_reduce(x)
            cases.expect(x, torch.full_like(x, dist.get_world_size()), "summed")
            group, = dist.group.WORLD.ways().device_groups.values()
            typewarp.torch.clear()
            assert not dist.group.WORLD.ways().device_groups
        assert len(made) == 2
        if device == "cpu":
            assert torch_simulated.DeviceGroup.made == torch_simulated.DeviceGroup.closed == 2


ALL = [short_layouts, short_dtypes, short_operations, by_length, short_in_place, short_odd_tensors, where_there_is_no_way, is_made_again]
