# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls of the back end "typewarp" that exchanges make, against copies of all ranks' tensors."""
import contextlib
from unittest import mock

from processes import of_several
import torch
import torch.distributed as dist
import torch_backend_cases as cases
import torch_simulated
from torch_cases import content

import typewarp.torch
from typewarp import _torch_backend, _torch_collectives, _torch_direct
from typewarp._torch_collectives import BEGIN, END, EVERY

NAMES = ["all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single"]


@contextlib.contextmanager
def _gpus(device):
    """Fresh, with a count of what exchanges make."""
    group, size = dist.group.WORLD, dist.get_world_size()
    with contextlib.ExitStack() as stack:
        if device == "cpu":
            stack.enter_context(torch_simulated.gpus())
            stack.enter_context(mock.patch.object(_torch_backend, "on_gpu", lambda x: True))
        typewarp.torch.clear()
        fresh = _torch_collectives.Collectives(group._inner, dist.get_rank(), size)
        stack.enter_context(mock.patch.object(group, "collectives", fresh))
        made = []
        original = _torch_direct.DirectExchange.__call__

        def counted(self, *given):
            made.append(self)
            return original(self, *given)
        stack.enter_context(mock.patch.object(_torch_direct.DirectExchange, "__call__", counted))
        yield made
        typewarp.torch.clear()


def _named(device, dtype="float32", **sizes):
    return [(name, call) for name, call in cases.calls(device, dtype, **sizes) if name in NAMES]


def _until_known(run):
    """Calls until all ranks know of them and have exchanges."""
    for _ in range(EVERY + END - BEGIN + 2):
        run()


@of_several
def all_layouts(device):
    """Ranks have other ones than their neighbours, and other ones than when the exchange was prepared."""
    rank, kinds = dist.get_rank(), len(cases.LAYOUTS)
    for m, n in ((6, 4), (1, 5)):
        with _gpus(device) as made:
            for name, call in _named(device, m=m, n=n):
                _until_known(lambda name=name, call=call: cases.check(name, call, (1 + rank) % kinds, (2 + rank) % kinds, device, "float32", False))
                before = len(made)
                for i in range(kinds):
                    for j in range(kinds):
                        for later in (False, True) if device != "cpu" else (False,):
                            cases.check(name, call, (i + rank) % kinds, (j + rank) % kinds, device, "float32", later)
                            cases.check(name, call, i if rank == 0 else 0, j if rank == 0 else 0, device, "float32", later)
                assert len(made) - before == 2 * kinds * kinds * (1 if device == "cpu" else 2), (name, len(made), before)
            assert [entry.call for entry in typewarp.torch.kept()] == ["all_gather", "reduce_scatter", "all_to_all"]
            assert not any(entry.fallback_reason for entry in typewarp.torch.kept())


@of_several
def all_dtypes(device):
    for dtype in ["float64", "float16", "int8", "uint8", "int32", "int64", *([] if device == "cpu" else ["bfloat16", "bool"])]:
        with _gpus(device) as made:
            for name, call in _named(device, dtype):
                if dtype == "bool" and "reduce" in name:
                    continue
                _until_known(lambda name=name, call=call: cases.check(name, call, 1, 2, device, dtype, False))
                assert made and made[-1].given.shape[-1] == 4, (dtype, name)
                made.clear()


@of_several
def contiguous_ones_are_left(device):
    """To PyTorch's group, whatever ranks ask each other meanwhile; also those that are as long in a program that has noncontiguous others."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with _gpus(device) as made:
        every = [content(r, [4, 3], device=device) for r in range(size)]
        out = torch.empty(4 * size, 3, device=device)
        for _ in range(2 * EVERY):
            dist.all_gather_into_tensor(out, every[rank])
            cases.expect(out, torch.cat(every), "contiguous")
        assert not made and not typewarp.torch.kept()


@of_several
def one_rank_is_enough(device):
    """Where only one has noncontiguous tensors."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with _gpus(device) as made:
        every = [content(r, [4, 3], device=device) for r in range(size)]
        given = every[rank] if rank > 0 else every[rank].t().contiguous().t()
        out = torch.empty(4 * size, 3, device=device)
        for step in range(EVERY):
            dist.all_gather_into_tensor(out, given)
            cases.expect(out, torch.cat(every), step)
            assert bool(made) == (step >= END), (step, len(made))


@of_several
def other_calls_are_left(device):
    """Of unequal parts, of other operations, empty ones, and wrong arguments, beside a group that has exchanges."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with _gpus(device) as made:
        xs = [content(r, [size, 6], device=device).t().contiguous().t() for r in range(size)]
        out = torch.empty(1, 6, device=device)
        _until_known(lambda: dist.reduce_scatter_tensor(out, xs[rank]))
        assert made
        made.clear()
        for _ in range(3):
            dist.reduce_scatter_tensor(out, xs[rank], op=dist.ReduceOp.MAX)
            cases.expect(out, torch.stack(xs).amax(0)[rank:rank + 1], "the largest")
        name, call = next(each for each in cases.calls(device) if "unequal" in each[0])
        for _ in range(3):
            cases.check(name, call, 1, 1, device, "float32", False)
        dist.all_to_all_single(torch.empty(0, 4, device=device), torch.empty(0, 4, device=device))
        cases.errors_are_those_of(device, "gloo" if device == "cpu" else "nccl")
        assert not made


@of_several
def in_place(device):
    """Inputs that are the rank's own part of the output, or the reverse."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [3, 5 * size], device=device) for r in range(size)]
    wide = torch.empty(5, 3 * size, device=device).t()  # by columns
    tall = torch.empty(5 * size, 3 * size, device=device).t()
    with _gpus(device) as made:
        def gathers():
            part = wide[3 * rank:3 * rank + 3].copy_(every[rank][:, :5])
            dist.all_gather_into_tensor(wide, part)
            cases.expect(wide, torch.cat([x[:, :5] for x in every]), "gathered")

        def adds():
            for r in range(size):
                tall[3 * r:3 * r + 3].copy_(every[(r + rank) % size])
            wanted = every[rank] if size == 1 else sum(every[(rank + r) % size] for r in range(size))
            mine = tall[3 * rank:3 * rank + 3]
            dist.reduce_scatter_tensor(mine, tall)
            cases.expect(mine, wanted, "summed", False)
        for run in (gathers, adds):
            _until_known(run)
            assert made
            made.clear()


@of_several
def stacked(device):
    """With a dimension of ranks in front of the output, and shapes that no part follows from, which Gloo refuses."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [4, 6], device=device) for r in range(size)]
    given = every[rank].t().contiguous().t()
    with _gpus(device) as made:
        for shape in ([4 * size, 6], [size, 4, 6], [24 * size], [3, 8 * size]):
            made.clear()
            if device != "cpu":
                typewarp.torch.clear()  # and is prepared for that shape
            out = torch.zeros(*shape[:-1], 2 * shape[-1], device=device)[..., ::2]

            def run(out=out):
                dist.all_gather_into_tensor(out, given)
                cases.expect(out.reshape(size, 4, 6), torch.stack(every), out.shape)
            _until_known(run)
            assert made


ALL = [all_layouts, all_dtypes, contiguous_ones_are_left, one_rank_is_enough, other_calls_are_left, in_place, stacked]
