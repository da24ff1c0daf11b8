#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times the ways of ways.py, of processes that torchrun has started or, with --mpi, a launcher of mpi4py's MPI. It prints a JSON object
a line, as bench/parts.py reads them. Before a case is timed, every byte of it is compared, also those between and around its runs."""
import argparse
import faulthandler
import json
import os
import pathlib
import sys
import time

import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from measuring import tell  # noqa: E402  (it stands beside this folder)
from subjects import layout  # noqa: E402
from ways import WAYS, synchronize  # noqa: E402

SLOW_US = 5e5  # of what takes longer, longer ones are not tried
MOST_SAMPLES = 21
PARTED = ("alltoallw", "allgather")
CALLS_IN_GRAPH = 20


class World:
    def __init__(self, by_mpi):
        if by_mpi:
            from mpi4py import MPI
            from nccl import meet
            comm = MPI.COMM_WORLD
            meet(comm.Get_rank())
            os.environ.update(RANK=str(comm.Get_rank()), WORLD_SIZE=str(comm.Get_size()), LOCAL_RANK=str(comm.Get_rank()))
        self.gpus = torch.cuda.device_count()
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]) % self.gpus) if self.gpus else torch.device("cpu")
        if self.gpus:
            torch.cuda.set_device(self.device)
        dist.init_process_group("cpu:gloo,cuda:nccl" if self.gpus else "gloo")
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.comm = comm if by_mpi else dist.group.WORLD

    def most(self, values):
        """Of all ranks, by their hosts: no stream has a part in it."""
        told = torch.tensor(values, dtype=torch.double)
        dist.all_reduce(told, dist.ReduceOp.MAX)
        return told.tolist()


class Subject:
    """One case by one way: the arrays of this rank, and what is called."""

    def __init__(self, world, way, kind, size, seed):
        self.world, self.way, self.kind, self.size, self.seed = world, way, kind, size, seed
        self.layout = layout(kind, size, world.size)
        if hasattr(self.layout, "to"):
            self.layout.to(world.device)
        parts, shape = (world.size,), self.layout.shape
        self.x_shape, self.y_shape = (parts + shape if kind == "alltoallw" else shape), (parts + shape if kind in PARTED else shape)
        self.is_message = kind not in (*PARTED, "bcast", "allreduce")
        self.x, self.x_words = self.array(self.x_shape, lambda words: torch.empty(words, dtype=torch.int64, device=world.device))
        self.y, self.y_words = self.array(self.y_shape, way.allocate)
        self.graphs = {}
        self.packed_bytes = (self.layout.packed(self.x[0] if kind == "alltoallw" else self.x).nbytes) * (world.size if kind in PARTED else 1)
        self.noise(self.x_words, world.rank)
        if self.is_message:
            self.make_message()
        else:
            self.make_together(way.together(kind, self.layout, self.x, self.y))

    def array(self, shape, allocate):
        words = allocate(-(-torch.Size(shape).numel() * self.layout.dtype.itemsize // 8))
        return words.view(self.layout.dtype)[:torch.Size(shape).numel()].view(shape), words

    def noise(self, words, buffer):
        """Bytes that tell run and buffer. Of numbers that are added, whole ones of one byte."""
        random = torch.Generator(self.world.device).manual_seed(self.seed * 100 + buffer)
        if self.kind == "allreduce":
            numbers = words.view(torch.float)
            return numbers.copy_(torch.randint(0, 256, numbers.shape, generator=random, device=words.device))
        return words.random_(generator=random)

    def make_message(self):
        acts = self.way.message(self.layout, self.x, self.y, 1 - self.world.rank)
        self.calls = {}
        if acts is None:
            return
        send, receive, wait = acts

        def blocking():
            if self.world.rank == 0:
                send()
            receive()
            wait()
            if self.world.rank != 0:
                send()

        def ordered():
            for act in (send, receive) if self.world.rank == 0 else (receive, send):
                act()

        self.calls = {"blocking": blocking, "burst": ordered}

    def make_together(self, call):
        def blocking():
            result = call()
            self.way.wait()
            return result

        self.calls = {"blocking": blocking, "burst": call} if call else {}
        if call and self.world.gpus:
            self.calls["graph"] = call

    def close(self):
        """Before the way closes what the graphs call."""
        synchronize()
        self.graphs.clear()
        self.way.close()

    def prepare(self, calling, times):
        """What run() must not take the time of. It may make the call."""
        if calling == "graph" and times not in self.graphs:
            self.graphs[times] = self.captured(times)
            self.run(calling, times)
            self.wait(calling)

    def run(self, calling, times):
        """Makes the call so often. Returns the last result."""
        if calling == "graph":
            graph, result = self.graphs[times]
            graph.replay()
            return result
        call = self.calls[calling]
        for _ in range(times):
            result = call()
        return result

    def captured(self, times):
        self.calls["burst"]()  # what the first call makes cannot be captured
        synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            for _ in range(times):
                result = self.calls["graph"]()
        return graph, result

    def wait(self, calling):
        synchronize() if calling == "graph" else self.way.wait()

    def sent_by(self, rank):
        array, words = self.array(self.x_shape, lambda count: torch.empty(count, dtype=torch.int64, device=self.world.device))
        self.noise(words, rank)
        return array

    def expect(self, y):
        """Puts into it what this rank should receive."""
        ranks, me = range(self.world.size), self.world.rank
        if self.is_message:
            self.layout.unpack(y, self.layout.packed(self.sent_by(1 - me)))
        elif self.kind == "allreduce":
            y.copy_(sum(self.sent_by(rank) for rank in ranks))
        elif self.kind == "alltoallw":
            for rank in ranks:
                y[rank, :, :16] = self.sent_by(rank)[me, :, :16]
        elif self.kind == "allgather":
            for rank in ranks:
                y[rank] = self.sent_by(rank)
        elif me != 0:
            y.copy_(self.sent_by(0))

    def is_right(self, calling):
        self.prepare(calling, 1)
        expected, words = self.array(self.y_shape, lambda count: torch.empty(count, dtype=torch.int64, device=self.world.device))
        for array in (words, self.y_words):
            self.noise(array, self.world.size + self.world.rank)
        self.expect(expected)
        if self.kind == "allreduce":
            self.y.copy_(self.x)  # which is reduced in place
        synchronize()
        self.world.most([0])
        result = self.run(calling, 1)
        self.wait(calling)
        synchronize()
        found = result.view(torch.int64) if self.kind == "allreduce" and result is not None else self.y_words
        return self.world.most([float(not torch.equal(found, words))]) == [0.0]

    def timed(self, calling, times):
        self.prepare(calling, times)
        self.world.most([0])
        begin = time.perf_counter()
        self.run(calling, times)
        if calling != "blocking":
            self.wait(calling)
        return (time.perf_counter() - begin) / times * 1e6

    def samples(self, calling, row_us):
        """In increasing order, of the slowest rank."""
        us = self.world.most([self.timed(calling, 1)])[0]
        if us < row_us:
            us = self.world.most([self.timed(calling, 3)])[0]
        least = 20 if calling == "burst" and us < 5000 else 1
        times = CALLS_IN_GRAPH if calling == "graph" else int(max(least, min(1000, 1000 / us)))
        count = int(max(1, min(MOST_SAMPLES, row_us / (us * times))))
        found = sorted(self.world.most([self.timed(calling, times) for _ in range(count)])) if us < row_us else [us]
        return [each / (2 if self.is_message else 1) for each in found]


def measured(subject, row, arguments):
    """Tells the rows of a case; whether larger ones may be tried."""
    median = 0
    for calling in filter(subject.calls.__contains__, subject.way.callings):
        if not subject.is_right(calling):
            tell_first(subject.world, failed=f"wrong bytes, {calling}")
            continue
        found = subject.samples(calling, arguments.row_seconds * 1e6)
        median = found[len(found) // 2]
        tell_first(subject.world, **row, packed_bytes=subject.packed_bytes, calling=calling, median_us=round(median, 3),
                   low_us=round(found[len(found) // 10], 3), high_us=round(found[len(found) * 9 // 10], 3), samples=len(found))
    return median < SLOW_US


def tell_first(world, **values):
    if world.rank == 0:
        tell(**values)


def words_needed(world, cases):
    """Of the longest array that is received into."""
    return max(-(-found.shape.numel() * found.dtype.itemsize // 8) * (world.size if kind in PARTED else 1)
               for kind, size in cases for found in [layout(kind, size, world.size)])


def made_way(world, name, cases):
    """A way by its name, or why a rank has none."""
    why, made = "", {}
    try:
        made = {name: WAYS[name](world, words_needed(world, cases))}
    except (ImportError, AttributeError, RuntimeError) as error:
        why = f"{type(error).__name__}: {error}"
    lacks = world.most([float(bool(why))]) != [0.0]
    return made, why or ("not in another rank" if lacks else "")


def run(world, arguments):
    items = [(way, *case) for way in arguments.ways.split(",") for case in arguments.cases]
    end, made, index = time.monotonic() + arguments.seconds, {}, arguments.first
    while index < len(items):
        name, kind, size = items[index]
        row = {"index": index, "way": name, "case": kind, "size": size, "ranks": world.size}
        if world.most([float(time.monotonic() > end)]) != [0.0]:
            tell_first(world, **row, stopped=True)
            break
        following = next((i for i in range(index, len(items)) if items[i][:2] != (name, kind)), len(items))
        tell_first(world, begin={**row, "next_case": following})
        if arguments.trace_after > 0:  # of a row: where each thread of Python is then
            faulthandler.dump_traceback_later(arguments.trace_after)
        if name not in made:
            made, why = made_way(world, name, arguments.cases)
            if why:
                tell_first(world, **row, skipped=why)
                index = next((i for i in range(index, len(items)) if items[i][0] != name), len(items))
                continue
        subject = Subject(world, made[name], kind, size, arguments.seed)
        goes_on = measured(subject, row, arguments)
        subject.close()
        del subject
        index = index + 1 if goes_on else following
    faulthandler.cancel_dump_traceback_later()
    tell_first(world, finished=True)


def case(text):
    kind, size = text.split("/")
    return kind, int(size)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", action="store_true", help="ranks of mpi4py")
    parser.add_argument("--ways", required=True, help="of ways.py, with commas between")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--row-seconds", type=float, required=True)
    parser.add_argument("--seconds", type=float, default=1e9, help="no row begins later")
    parser.add_argument("--trace-after", type=float, default=0, help="seconds after which a row tells on stderr where it is")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first row")
    parser.add_argument("cases", nargs="+", type=case, help="kind/bytes")
    arguments = parser.parse_args()
    try:
        world = World(arguments.mpi)
        tell_first(world, mpi=f"torch {torch.__version__}", gpus=min(world.gpus, world.size))
        run(world, arguments)
    except Exception as error:
        print(json.dumps({"aborted": f"{type(error).__name__}: {error}"}), flush=True)
        os._exit(1)  # other ranks may never come to a regular end
    world.most([0])
    if not arguments.mpi:
        os._exit(0)  # what else ends may wait for other ranks


if __name__ == "__main__":
    main()
