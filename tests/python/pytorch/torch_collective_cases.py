# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls of the back end "typewarp" that exchanges make, against copies of all ranks' tensors."""
import contextlib
import datetime
import itertools
import warnings
import weakref
from unittest import mock

from processes import of_several, raises
import torch
import torch.distributed as dist
import torch_backend_cases as cases
import torch_simulated
from torch_cases import content

import typewarp as tw
import typewarp.torch
from typewarp import _torch_backend, _torch_calls, _torch_collectives, _torch_direct, _torch_ways
from typewarp._torch_collectives import EVERY, FIRST
from typewarp._torch_meeting import Meeting

NAMES = ["all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single"]


_numbers = itertools.count()


@contextlib.contextmanager
def fresh(device):
    """Fresh, with a list of the exchanges that are made."""
    group, rank, size = dist.group.WORLD, dist.get_rank(), dist.get_world_size()
    store = dist.PrefixStore(f"case {next(_numbers)}", dist.distributed_c10d._get_default_store())
    meeting = Meeting(store, rank, size, datetime.timedelta(seconds=120))
    with contextlib.ExitStack() as stack:
        if device == "cpu":
            stack.enter_context(torch_simulated.gpus())
            stack.enter_context(mock.patch.object(_torch_backend, "on_gpu", lambda x: True))
        typewarp.torch.clear()
        stack.enter_context(mock.patch.object(group, "collectives", _torch_collectives.Collectives(meeting, rank, size)))
        stack.enter_context(mock.patch.object(group, "ranks_apart", tw.Ranks(rank, size, meeting.all_gather)))
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


def until_known(run):
    """Calls until all ranks know of them and have exchanges."""
    for _ in range(2 * EVERY + 2):
        run()


@of_several
def all_layouts(device):
    """Ranks have other ones than their neighbours, and other ones than when the exchange was prepared."""
    rank, kinds = dist.get_rank(), len(cases.LAYOUTS)
    for m, n in ((6, 4), (1, 5)):
        with fresh(device) as made:
            for name, call in _named(device, m=m, n=n):
                until_known(lambda name=name, call=call: cases.check(name, call, (1 + rank) % kinds, (2 + rank) % kinds, device, "float32", False))
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
        with fresh(device) as made:
            for name, call in _named(device, dtype):
                if dtype == "bool" and "reduce" in name:
                    continue
                until_known(lambda name=name, call=call: cases.check(name, call, 1, 2, device, dtype, False))
                assert made, (dtype, name)
                made.clear()


@of_several
def contiguous_ones_are_left(device):
    """To PyTorch's group, whatever ranks tell each other meanwhile."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [4, 3], device=device) for r in range(size)]
    out = torch.empty(4 * size, 3, device=device)

    def run():
        dist.all_gather_into_tensor(out, every[rank])
        cases.expect(out, torch.cat(every), "contiguous")
    with fresh(device) as made:
        until_known(run)
        assert not made and not typewarp.torch.kept()
        # But those that are as long as noncontiguous ones: ranks cannot tell them apart.
        given = every[rank].t().contiguous().t()
        until_known(lambda: dist.all_gather_into_tensor(out, given))
        made.clear()
        run()
        assert len(made) == 1


@of_several
def one_rank_is_enough(device):
    """Where only one has noncontiguous tensors."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with fresh(device) as made:
        every = [content(r, [4, 3], device=device) for r in range(size)]
        given = every[rank] if rank > 0 else every[rank].t().contiguous().t()
        out = torch.empty(4 * size, 3, device=device)
        for step in range(2 * EVERY):
            dist.all_gather_into_tensor(out, given)
            cases.expect(out, torch.cat(every), step)
            assert bool(made) == (step > EVERY + FIRST), (step, len(made))


@of_several
def other_calls_are_left(device):
    """As long as calls that go by exchanges: of unequal parts, of other operations, and wrong arguments. Empty ones."""
    size, rank = dist.get_world_size(), dist.get_rank()
    with fresh(device) as made:
        xs = [content(r, [size, 6], device=device).t().contiguous().t() for r in range(size)]
        out = torch.empty(1, 6, device=device)
        until_known(lambda: dist.reduce_scatter_tensor(out, xs[rank]))
        unequal = next(call for name, call in cases.calls(device, n=6) if "unequal" in name)
        rows = unequal.given[0].shape[0]
        if 6 * rows % size == 0:
            equal = torch.ones(size, 6 * rows // size, device=device).t().contiguous().t()
            until_known(lambda: dist.all_to_all_single(torch.empty_like(equal), equal))
        assert made
        made.clear()
        dist.reduce_scatter_tensor(out, xs[rank], op=dist.ReduceOp.MAX)
        cases.expect(out, torch.stack(xs).amax(0)[rank:rank + 1], "the largest")
        with raises((RuntimeError, ValueError, TypeError), ""):  # of another type, in the same layout
            dist.reduce_scatter_tensor(out.double(), xs[rank])
        cases.check("unequal parts", unequal, 1, 1, device, "float32", False)
        dist.all_to_all_single(torch.empty(0, 4, device=device), torch.empty(0, 4, device=device))
        with raises((RuntimeError, ValueError), ""):
            dist.reduce_scatter_tensor(torch.empty(2, 6, device=device), xs[rank])
        if device == "cpu":  # NCCL does not look at the lengths
            with raises((RuntimeError, ValueError), ""):
                dist.all_to_all_single(torch.empty(5, 2), torch.ones(3 * rows, 2).t())
        assert not made


@of_several
def ranks_that_differ(device):
    """Where the ranks have not made the same calls, nothing goes by exchanges. Calls that PyTorch refuses, and sizes of parts, do not count."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [4, 3], device=device) for r in range(size)]
    out, given = torch.empty(4 * size, 3, device=device), every[rank].t().contiguous().t()

    def run():
        dist.all_gather_into_tensor(out, given)
        cases.expect(out, torch.cat(every), "gathered")

    def refused():
        with raises((RuntimeError, ValueError), ""):
            dist.all_gather_into_tensor(torch.empty(7, 2, device=device), torch.empty(5, 2, device=device))
        with raises((RuntimeError, ValueError), "single memory location"):
            dist.all_gather_into_tensor(torch.empty(1, 3, device=device).expand(4 * size, 3), given)

    def unequal():
        splits = [2] * size
        splits[rank] = rank
        mine = torch.empty(sum(splits), 3, device=device)
        dist.all_to_all_single(torch.empty_like(mine), mine, splits, splits)
    for known_before in (False, True):
        with fresh(device) as made, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            if known_before:
                until_known(run)
            if rank == 1:
                refused()
            for _ in range(2 * EVERY):
                unequal()
            until_known(run)
            made.clear()
            run()
            assert made and not dist.group.WORLD.collectives._off and not any("different collective calls" in str(one.message) for one in told)
    with fresh(device) as made, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        dist.group.WORLD.collectives._note(_torch_calls.GATHER, rank)
        until_known(run)
        assert not made and sum("different collective calls" in str(one.message) for one in told) == 1


@of_several
def layouts_that_cannot_be_added(device):
    """Of one rank, and more layouts than an exchange takes: they are copied. Memory goes with clear()."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [4, 3], device=device) for r in range(size)]

    def run(step):
        wide = torch.zeros(4, 3 + step, device=device)
        given = wide[:, step:].copy_(every[rank])
        out = torch.zeros(4 * size, 3 + (step + rank) % 5, device=device)[:, :3]
        dist.all_gather_into_tensor(out, given)
        cases.expect(out, torch.cat(every), step)
    with fresh(device) as made:
        until_known(lambda: run(1))
        for step in range(2, 20):
            run(step)
        assert len(made[-1]._layouts) == made[-1].LAYOUTS
        typewarp.torch.clear()
        made.clear()
        with mock.patch.object(_torch_direct.DirectExchange, "add_layout", side_effect=MemoryError) if rank == 1 else contextlib.nullcontext():
            for step in range(1, 9):
                run(step)
        assert len(made) == 7 and (None in made[-1]._layouts.values()) == (rank == 1)
        slot = weakref.ref(made[-1].slot)
        made.clear()
        typewarp.torch.clear()
        assert slot() is None


@of_several
def whatever_is_watched(device):
    """Modes and default devices, in one rank."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils.flop_counter import FlopCounterMode
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [4, 3], device=device) for r in range(size)]
    out, given = torch.empty(4 * size, 3, device=device), every[rank].t().contiguous().t()
    with fresh(device) as made:
        def run():
            with FlopCounterMode(display=False) if rank == 0 else torch.device("meta"):
                dist.all_gather_into_tensor(out, given)
            cases.expect(out, torch.cat(every), "watched")
        until_known(run)
        assert made
        if rank == 0:
            with FakeTensorMode():
                before = dist.group.WORLD.collectives._count
                arguments = (torch.empty(4 * size, 3, device=device), torch.empty(3, 4, device=device).t(), None)
                assert dist.group.WORLD.collectives.made(dist.group.WORLD, _torch_backend.KINDS["_allgather_base"], False, arguments) is NotImplemented
                assert dist.group.WORLD.collectives._count == before


@of_several
def odd_ones_first(device):
    """An exchange is prepared for an expanded, an overlapping, a sparse and a negated input, and for outputs of whose elements few are near
    each other. Other layouts follow."""
    size, rank, rows = dist.get_world_size(), dist.get_rank(), 4 * dist.get_world_size()
    inputs = [lambda x: x[:1].expand(rows, 6), lambda x: x.flatten().as_strided((rows, 6), (2, 1)), lambda x: torch.zeros(rows, 600, device=device)[:, ::100].copy_(x),
              lambda x: x.to(torch.complex64).mul(-1j).conj().imag, lambda x: x.t().contiguous().t()]
    for first in range(len(inputs)):
        with fresh(device) as made:
            def run(change):
                every = [change(content(r, [rows, 6], device=device)) for r in range(size)]
                out = torch.zeros(6, 64 * rows, device=device)[:, ::64].t()
                dist.all_to_all_single(out, every[rank])
                cases.expect(out, torch.cat([x.chunk(size)[rank] for x in every]), (first, "exchanged"))
                part = torch.zeros(24, 2, device=device)
                dist.reduce_scatter_tensor(part[:, 0], torch.stack([every[rank].flatten()] * 2, 1)[:, 0])
                cases.expect(part[:, 0], sum(every[1:], every[0]).reshape(size, 24)[rank], (first, "added"), False)
                assert (part[:, 1] == 0).all()
            until_known(lambda: run(inputs[first]))
            made.clear()
            for change in inputs:
                run(change)
            assert len(made) == 2 * len(inputs)


@of_several
def in_place(device):
    """Inputs that are the rank's own part of the output, or the reverse."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [3, 5 * size], device=device) for r in range(size)]
    wide = torch.empty(5, 3 * size, device=device).t()  # by columns
    tall = torch.empty(5 * size, 3 * size, device=device).t()
    with fresh(device) as made:
        def gathers():
            part = wide[3 * rank:3 * rank + 3].copy_(every[rank][:, :5])
            dist.all_gather_into_tensor(wide, part)
            cases.expect(wide, torch.cat([x[:, :5] for x in every]), "gathered")

        def adds():
            for r in range(size):
                tall[3 * r:3 * r + 3].copy_(every[(r + rank) % size])
            wanted = sum(every[(rank + r) % size] for r in range(size))
            mine = tall[3 * rank:3 * rank + 3]
            dist.reduce_scatter_tensor(mine, tall)
            cases.expect(mine, wanted, "summed", False)
        for run in (gathers, adds):
            until_known(run)
            assert made
            made.clear()


@of_several
def stacked(device):
    """With a dimension of ranks in front of the output, and shapes that no part follows from, which Gloo refuses."""
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [4, 6], device=device) for r in range(size)]
    given = every[rank].t().contiguous().t()
    with fresh(device) as made:
        def gathers(shape):
            out = torch.zeros(*shape[:-1], 2 * shape[-1], device=device)[..., ::2]
            dist.all_gather_into_tensor(out, given)
            cases.expect(out.reshape(size, 4, 6), torch.stack(every), out.shape)
        wide = torch.zeros(24, 2, device=device)

        def adds(given):
            dist.reduce_scatter_tensor(wide[:, 0], given)
            cases.expect(wide[:, 0], sum(rows[rank] for rows in all_rows), given.shape, False)
            assert wide.shape == (24, 2) and (wide[:, 1] == 0).all()
        all_rows = [content(r, [size, 24], device=device) for r in range(size)]
        mine = all_rows[rank].t().contiguous().t()
        flat = torch.stack([mine.flatten()] * 2, 1)[:, 0]
        until_known(lambda: (gathers([4 * size, 6]), adds(flat)))
        shapes = [[4 * size, 6], [size, 4, 6], [24 * size], [3, 8 * size]]
        made.clear()
        for first in (None, *shapes):
            if first is not None:  # the exchange is prepared for that one
                typewarp.torch.clear()
                with mock.patch.object(_torch_ways.GroupWays, "is_worth", lambda *_: True):
                    gathers(first), adds(mine if first is shapes[1] else flat)
            for shape in shapes:
                gathers(shape)
            adds(mine), adds(flat)
        assert len(made) == 5 * 6 + 4 * 2 and not any(entry.fallback_reason for entry in typewarp.torch.kept())


ALL = [all_layouts, all_dtypes, contiguous_ones_are_left, one_rank_is_enough, other_calls_are_left, ranks_that_differ,
       layouts_that_cannot_be_added, whatever_is_watched, odd_ones_first, in_place, stacked]
