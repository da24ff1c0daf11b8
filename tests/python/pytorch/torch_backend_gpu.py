# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is so on GPUs alone of the back end "typewarp". As a program, runs all cases between `--ranks` GPUs, and says PASS or FAIL for each."""
import argparse
import pathlib
import sys
import tempfile
import time
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))  # as pytest does

from processes import Processes, by_backend
import torch
import torch.distributed as dist
import torch_backend_cases as cases
import torch_collective_cases as collective_cases
import torch_program_cases as program_cases
import torch_redistribute_cases as redistribute_cases
from torch_cases import content

import typewarp.torch


def of_ranks(elements, dtype="float32"):
    return [content(rank, [elements], dtype, device="cuda") for rank in range(dist.get_world_size())]


def transposed(x, rows=64):
    """The same elements in the same order, in memory by columns."""
    return x.view(rows, -1).t().contiguous().t()


def on_several_streams():
    """Results are there for whichever stream waits, and for the device if nobody does."""
    rank = dist.get_rank()
    streams = [torch.cuda.Stream() for _ in range(3)]
    for elements in (1 << 12, 1 << 20):
        xs = of_ranks(elements)
        summed = sum(xs)
        torch.cuda.synchronize()
        got = []
        for step in range(12):
            with torch.cuda.stream(streams[step % 3]):
                if step % dist.get_world_size() == rank:
                    torch.cuda._sleep(3_000_000)
                x = transposed(xs[rank])
                work = dist.all_reduce(x, async_op=True)
            with torch.cuda.stream(streams[(step + 1) % 3]):
                work.wait()
                got.append((x, x * 2))
        left = transposed(xs[rank])
        work = dist.all_reduce(left, async_op=True)
        torch.cuda.synchronize()
        for _, x in got:
            cases.expect(x.reshape(-1), 2 * summed, elements, False)
        cases.expect(left.reshape(-1), summed, "nobody waited", False)
        del work


def memory_is_kept():
    """Inputs that the program drops at once are not overwritten by what is allocated next."""
    rank, size = dist.get_rank(), dist.get_world_size()
    for elements in (1 << 13, 1 << 21):
        xs = of_ranks(elements)
        for step in range(20):
            outs = [transposed(torch.zeros(elements, device="cuda")) for _ in range(size)]
            if step % size == rank:
                torch.cuda._sleep(2_000_000)
            work = dist.all_gather(outs, transposed(xs[rank]) + 0, async_op=True)
            for _ in range(4):
                torch.full([elements], -1.0, device="cuda")
            work.wait()
            for x, y in zip(outs, xs):
                cases.expect(x.reshape(-1), y, (elements, step))
            came = transposed(torch.zeros(elements, device="cuda"))
            works = dist.batch_isend_irecv([dist.P2POp(dist.isend, xs[rank] + 0, (rank + 1) % size),
                                            dist.P2POp(dist.irecv, came, (rank - 1) % size)])
            for _ in range(4):
                torch.full([elements], -1.0, device="cuda")
            for each in works:
                each.wait()
            cases.expect(came.reshape(-1), xs[(rank - 1) % size], (elements, step, "batch"))


def of_two_groups():
    """Short calls and long ones, in turns and at once."""
    rank, size = dist.get_rank(), dist.get_world_size()
    other = dist.new_group(list(range(size)))
    long, short = of_ranks(1 << 22), of_ranks(1 << 10)
    sums = sum(long), sum(short)
    for step in range(50):
        works = []
        for group in (None, other):
            for xs, wanted in zip((long, short), sums):
                x = transposed(xs[rank])
                works.append((dist.all_reduce(x, group=group, async_op=True), x, wanted))
        if step % 10 == 0:
            torch.cuda._sleep(1_000_000 * (rank + 1))
        for work, x, wanted in works:
            work.wait()
            cases.expect(x.reshape(-1), wanted, step, False)
    dist.destroy_process_group(other)


def is_captured():
    """Short and long calls in a graph."""
    rank, size = dist.get_rank(), dist.get_world_size()
    for elements in (1 << 12, 1 << 20):
        xs = of_ranks(elements)
        x = transposed(xs[rank])
        dist.all_reduce(x.clone())
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            y = x * 1
            dist.all_reduce(y)
        for step in range(1, 4):
            x.copy_((xs[rank] * step).view(x.shape))
            graph.replay()
            cases.expect(y.reshape(-1), sum(each * step for each in xs), elements, False)
    torch.cuda.synchronize()


def by_exchanges():
    """On several streams, beside calls of NCCL, with inputs that the program drops at once; in graphs, and beside their replays."""
    rank, size, elements = dist.get_rank(), dist.get_world_size(), 1 << 20
    xs = of_ranks(elements)
    whole, summed = torch.cat(xs), sum(xs)
    streams = [torch.cuda.Stream() for _ in range(3)]

    def gather(given):
        out = transposed(torch.zeros(size * elements, device="cuda"), 64 * size)
        return out, dist.all_gather_into_tensor(out, given, async_op=True)
    with collective_cases.fresh("cuda") as made:
        collective_cases.until_known(lambda: gather(transposed(xs[rank]))[1].wait())
        torch.cuda.synchronize()
        made.clear()
        got = []
        for step in range(24):
            with torch.cuda.stream(streams[step % 3]):
                if step % size == rank:
                    torch.cuda._sleep(3_000_000)
                out, work = gather(transposed(xs[rank]) + 0)
                x = xs[rank] + 0
                other = dist.all_reduce(x, async_op=True)
                for _ in range(4):
                    torch.full([elements], -1.0, device="cuda")
            with torch.cuda.stream(streams[(step + 1) % 3]):
                work.wait()
                other.wait()
                got.append((out * 1, x * 1))
        torch.cuda.synchronize()
        assert len(made) == 24
        for out, x in got:
            cases.expect(out.reshape(-1), whole, "gathered")
            cases.expect(x, summed, "summed", False)
        x, graph = transposed(xs[rank]), torch.cuda.CUDAGraph()
        y = transposed(torch.zeros(size * elements, device="cuda"), 64 * size)
        with torch.cuda.graph(graph):
            dist.all_gather_into_tensor(y, x)
        for step in range(1, 5):
            x.copy_((xs[rank] * step).view(x.shape))
            out, work = gather(transposed(xs[rank]))
            graph.replay()
            work.wait()
            cases.expect(y.reshape(-1), whole * step, "replayed")
            cases.expect(out.reshape(-1), whole, "beside a replay")
        assert len(made) == 29


def programs_compute_the_same_as_with_nccl():
    for case in program_cases.ALL:
        ours, theirs = (torch.tensor(case("cuda", backend)) for backend in ("typewarp", "nccl"))
        assert torch.allclose(ours, theirs, rtol=1e-5, atol=1e-6), (case.__name__, ours, theirs)


def not_of_the_current_device():
    """Which stays the same: ranks use each other's."""
    rank, size = dist.get_rank(), dist.get_world_size()
    if torch.cuda.device_count() < size:
        return
    before = torch.cuda.current_device()
    x = transposed(torch.ones(1 << 12, device=f"cuda:{(rank + 1) % size}"))
    dist.all_reduce(x, async_op=True).wait()
    assert torch.cuda.current_device() == before
    assert torch.equal(x, torch.full_like(x, size))


def by_plans(case):
    with mock.patch.object(cases.packed, "PLANNED", 0):
        case()


GPU = [on_several_streams, memory_is_kept, of_two_groups, is_captured, by_exchanges, not_of_the_current_device, programs_compute_the_same_as_with_nccl]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        made = None
        runs = [(case, ("cuda",)) for case in cases.ALL + redistribute_cases.ALL + collective_cases.ALL] + [(case, ()) for case in GPU] + [(by_plans, (case,)) for case in GPU]
        for number, (case, given) in enumerate(runs):
            if made is None:
                made = Processes(arguments.ranks, pathlib.Path(folder) / str(number), by_backend("typewarp"))
            start = time.perf_counter()
            try:
                made(typewarp.torch.clear)  # as if no case had been before
                made(case, *given)
                print(f"PASS {case.__name__} {given} ({time.perf_counter() - start:.1f} s)", flush=True)
            except AssertionError as error:
                failed = True
                print(f"FAIL {case.__name__}: {str(error)[-2000:]}", flush=True)
                made.close()  # the others may wait
                made = None
        if made is not None:
            made.close()
    sys.exit(failed)


if __name__ == "__main__":
    main()
