# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reduce-scatters of the back end "typewarp" that go by a group of GPUs once all ranks know of noncontiguous tensors, against copies of all
ranks' tensors."""
import contextlib
from unittest import mock

from processes import of_several
import torch
import torch.distributed as dist
import torch_backend_cases as cases
from torch_cases import content
from torch_collective_cases import fresh, until_known
import torch_simulated

import typewarp.torch
from typewarp import _torch_ways
from typewarp._torch_sums import SummingGroup

LONGEST = 1 << 10


@contextlib.contextmanager
def summing(device):
    """A fresh group, with a list of the sums that go so, and one of the exchanges."""
    made, original = [], SummingGroup.run

    def counted(self, x, out):
        made.append(x)
        return original(self, x, out)
    with fresh(device, LONGEST) as exchanged, mock.patch.object(SummingGroup, "run", counted):
        yield made, exchanged


def _call(device, dtype="float32", **sizes):
    return next(call for name, call in cases.calls(device, dtype, **sizes) if name == "reduce_scatter_tensor")


def _columns(x):
    return x.t().contiguous().t()


@of_several
def sums_of_all_layouts(device):
    """Ranks have other ones than their neighbours, and all kinds of numbers."""
    rank, kinds = dist.get_rank(), len(cases.LAYOUTS)
    for dtype in ("float32", "float64", "int8", "uint8", "int32", "int64"):
        with summing(device) as (made, exchanged):
            call = _call(device, dtype)
            until_known(lambda: cases.check("reduce_scatter_tensor", call, 1, 2, device, dtype, False))
            made.clear()
            for i in range(kinds):
                for j in range(kinds):
                    for later in (False,) if device == "cpu" else (False, True):
                        cases.check("reduce_scatter_tensor", call, (i + rank) % kinds, (j + rank) % kinds, device, dtype, later)
            assert len(made) == kinds * kinds * (1 if device == "cpu" else 2) and not exchanged


@of_several
def sums_by_length(device):
    """Longer ones go by exchanges, and so do numbers that are not summed so."""
    size = dist.get_world_size()
    longest = LONGEST // 4 // size * size
    for elements, dtype, is_short in ((longest, "float32", True), (longest + size, "float32", False), (longest, "float16", False)):
        with summing(device) as (made, exchanged):
            xs = [_columns(content(r, [size, elements // size], dtype, device=device)) for r in range(size)]
            out = torch.empty(1, elements // size, dtype=xs[0].dtype, device=device)
            until_known(lambda: dist.reduce_scatter_tensor(out, xs[dist.get_rank()]))
            cases.expect(out, sum(xs[1:], xs[0])[dist.get_rank():][:1], elements, exact=False)
            assert bool(made) == is_short and bool(exchanged) != is_short, (elements, dtype)


@of_several
def sums_in_place(device):
    """Where the result takes the place of this rank's part."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with summing(device) as (made, _):
        every = [content(r, [size, 3, 4], device=device) for r in range(size)]
        wanted = sum(every[1:], every[0])[rank]
        for _ in range(2):
            x = every[rank].clone()
            until_known(lambda: dist.reduce_scatter_tensor(torch.empty(3, 4, device=device), _columns(x.view(-1, 4))))
            made.clear()
            dist.reduce_scatter_tensor(x[rank], x.view(-1, 4))
            cases.expect(x[rank], wanted, "in place", exact=False)
            assert len(made) == 1


@of_several
def where_no_group_sums(device):
    """By exchanges, as without it."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with summing(device) as (made, exchanged), mock.patch.object(_torch_ways, "SummingGroup", side_effect=RuntimeError("no way")) as tried:
        xs = [_columns(content(r, [size, 6], device=device)) for r in range(size)]
        out = torch.empty(1, 6, device=device)
        until_known(lambda: dist.reduce_scatter_tensor(out, xs[rank]))
        cases.expect(out, sum(xs[1:], xs[0])[rank:rank + 1], "summed", exact=False)
        assert not made and exchanged and tried.call_count == 1


@of_several
def sums_after_clear(device):
    """A group is made again."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with summing(device) as (made, _):
        xs = [_columns(content(r, [size, 6], device=device)) for r in range(size)]
        out = torch.empty(1, 6, device=device)
        until_known(lambda: dist.reduce_scatter_tensor(out, xs[rank]))
        for _ in range(2):
            typewarp.torch.clear()
            made.clear()
            dist.reduce_scatter_tensor(out, xs[rank])
            cases.expect(out, sum(xs[1:], xs[0])[rank:rank + 1], "summed", exact=False)
            assert len(made) == 1
        if device == "cpu":
            assert torch_simulated.DeviceGroup.made == torch_simulated.DeviceGroup.closed + 1 == 3


ALL = [sums_of_all_layouts, sums_by_length, sums_in_place, where_no_group_sums, sums_after_clear]
