# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is so on GPUs alone: processes that store into each other's memory, perhaps on one GPU."""
from unittest import mock

from processes import of_several
import torch
import torch.distributed as dist
import torch_cases as cases

import typewarp as tw
import typewarp.torch


def reset():
    typewarp.torch.clear()
    torch.cuda.synchronize()


def inputs(step, length=64, device="cuda"):
    return cases.of_all(cases.shape_of((2, length, 4, 32), 2), "bfloat16", step, device)


def call(xs):
    return typewarp.torch.all_to_all(xs[dist.get_rank()], 2, 1)


def expect(got, xs):
    cases.same(got, cases.exchanged(xs, 2, 1)[dist.get_rank()])


def goes_directly(device):
    cases.all_dimensions(device)
    if dist.get_world_size() > 1:
        assert typewarp.torch.fallback_reason(device) is None
        assert len(typewarp.torch.kept()) == len(cases.DIMENSIONS)
        assert not any(entry.fallback_reason for entry in typewarp.torch.kept())
    reset()
    assert typewarp.torch.kept() == []


def meets_nobody_after_the_first_time(device):
    expect(call(inputs(0)), inputs(0))
    with mock.patch.object(tw.Ranks, "gather", side_effect=AssertionError), mock.patch.object(dist, "all_to_all_single", side_effect=AssertionError):
        for step in range(20):
            xs = inputs(step)
            expect(call(xs), xs)


def nobody_is_overwritten(device):
    """Ranks are late by turns, and nobody waits for the host."""
    given = [inputs(step) for step in range(30)]
    torch.cuda.synchronize()
    got = []
    for step, xs in enumerate(given):
        if step % dist.get_world_size() == dist.get_rank():
            torch.cuda._sleep(3_000_000)
        got.append(call(xs))
        if step % 3 == 0:
            other = [x.transpose(1, 2).contiguous() for x in xs]
            expect(typewarp.torch.all_to_all(other[dist.get_rank()].transpose(1, 2), 2, 1), xs)
    for out, xs in zip(got, given):
        expect(out, xs)


def on_several_streams(device):
    streams = [torch.cuda.Stream() for _ in range(3)]
    given = [inputs(step, 128) for step in range(12)]
    got = []
    for step, xs in enumerate(given):
        stream = streams[step % 3]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            got.append(call(xs))
    torch.cuda.synchronize()
    for out, xs in zip(got, given):
        expect(out, xs)


def is_captured(device):
    """Two exchanges in a graph, which is replayed in turns with calls."""
    static = inputs(0)
    back = call(static)
    typewarp.torch.all_to_all(back, 1, 2)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = call(static)
        home = typewarp.torch.all_to_all(out * 2, 1, 2)
    for step in range(1, 6):
        xs = inputs(step)
        static[dist.get_rank()].copy_(xs[dist.get_rank()])
        graph.replay()
        expect(out, xs)
        cases.same(home, xs[dist.get_rank()] * 2)
        expect(call(xs), xs)
    if dist.get_world_size() > 1:
        assert all(entry.captured for entry in typewarp.torch.kept())
    torch.cuda.synchronize()


@of_several
def is_first_made_outside_of_graphs(device):
    expect(call(inputs(0)), inputs(0))
    xs = inputs(0, 32)
    with cases.raises(RuntimeError, "cannot be captured into a graph: call it once before"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            call(xs)
    expect(call(xs), xs)


def compiles_into_graphs(device):
    """As mode="reduce-overhead" does, where Inductor has a compiler."""
    step = torch.compile(lambda x: typewarp.torch.all_to_all(x + 1, 2, 1) * 2, fullgraph=True, mode="reduce-overhead")
    for i in range(6):
        xs = inputs(i)
        expect(step(xs[dist.get_rank()]).clone(), [(x + 1) * 2 for x in xs])
    torch._dynamo.reset()


def large_ones(device):
    xs = inputs(1, 16384)
    for _ in range(3):
        expect(call(xs), xs)


ALL = [goes_directly, meets_nobody_after_the_first_time, nobody_is_overwritten, on_several_streams, is_captured,
       is_first_made_outside_of_graphs, compiles_into_graphs, large_ones]
