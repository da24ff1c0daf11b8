#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of a cache, from and to places that are lists in GPU memory: IndexedCopy, and what a user of PyTorch would write. Within a GPU, and
from one to another of the same process where there are two. As a method that is no peer: typewarp.torch.copy_items, the same as an operator
of PyTorch, and gather_items."""
import statistics
import sys
import time

import torch

import typewarp as tw
import typewarp.torch
from measuring import medians, rows_asked_for, tell

CACHE = 4 << 30  # bytes of all layers
LAYERS = 2
LISTS = 16  # that the calls take in turn, so that short ones are not always of the same pages


class Pages:
    """`count` pages of `page` bytes of each layer, from random to random places of another cache. Lists are of `index`, on the GPU or the
    host."""

    def __init__(self, count, page, to, index=torch.int64, lists="cuda"):
        where = "within a GPU" if to == 0 else "to another GPU"
        self.row = {"case": f"pages {where}, lists of {str(index).removeprefix('torch.')} on the {'host' if lists == 'cpu' else 'GPU'}",
                    "pages": count, "page": page, "bytes": LAYERS * count * page}
        self.count, self.page, self.to, self.index, self.lists, self.turn = count, page, torch.device("cuda", to), index, lists, 0

    def make(self):
        places, here = CACHE // LAYERS // self.page, torch.device("cuda", 0)
        self.stream = torch.cuda.current_stream(here)
        self.source = [torch.empty(places, self.page // 8, dtype=torch.int64, device=here).random_() for _ in range(LAYERS)]
        self.destination = [torch.zeros(places, self.page // 8, dtype=torch.int64, device=self.to) for _ in range(LAYERS)]
        self.read, self.written = ([torch.randperm(places, device=here)[: self.count].to(self.lists, self.index) for _ in range(LISTS)]
                                   for _ in range(2))
        self.compiled = torch.compile(lambda y, x, written, read: y.index_copy_(0, written.long(), x.index_select(0, read)), dynamic=False)

    def next(self):
        self.turn = (self.turn + 1) % LISTS
        return self.read[self.turn], self.written[self.turn]

    def there(self, read, written):
        return read.to("cuda:0", non_blocking=True), written.to(self.to, non_blocking=True)

    def by_torch(self):
        """Gathers the pages, and puts them to their places, whose list must be of int64."""
        read, written = self.there(*self.next())
        written = written.long()
        for x, y in zip(self.source, self.destination):
            y.index_copy_(0, written, x.index_select(0, read).to(self.to, non_blocking=True))

    def by_assignment(self):
        read, written = self.there(*self.next())
        for x, y in zip(self.source, self.destination):
            y[written] = x[read].to(self.to, non_blocking=True)

    def by_compiler(self):
        read, written = self.there(*self.next())
        for x, y in zip(self.source, self.destination):
            self.compiled(y, x, written, read)

    def by_typewarp(self):
        self.move.copy(*self.next(), self.stream)

    def by_operator(self):
        typewarp.torch.copy_items(self.source, self.destination, *self.next())

    def gathered(self):
        return typewarp.torch.gather_items(self.source, self.next()[0])

    def copied_whole(self):
        """As many bytes, that lie together: no peer, but what the memory or the link allows."""
        for x, y in zip(self.source, self.destination):
            y[: self.count].copy_(x[: self.count], non_blocking=True)

    def check(self, name):
        read, written = self.there(self.read[self.turn], self.written[self.turn])
        for x, y in zip(self.source, self.destination):
            if not torch.equal(y.index_select(0, written).to(x.device), x.index_select(0, read)):
                raise SystemExit(f"{self.row}: {name} moved wrong bytes")

    def check_alone(self, name):
        """That nothing else was written, and clears what was."""
        for y in self.destination:
            if int((y != 0).any(1).sum()) != self.count:
                raise SystemExit(f"{self.row}: {name} wrote elsewhere")
            y.zero_()

    def synchronize(self):
        for device in {0, self.to.index}:
            torch.cuda.synchronize(device)

    def measured(self):
        self.make()
        self.move = tw.IndexedCopy(self.source, self.destination)
        calls = {"typewarp": self.by_typewarp, "index_select and index_copy_": self.by_torch, "assignment": self.by_assignment}
        if self.to.index == 0:
            calls["torch.compile"] = self.by_compiler
        for name, call in calls.items():
            call()
            self.synchronize()
            self.check(name)
            self.check_alone(name)
        us = medians(calls, self.synchronize)
        for name, call in calls.items():
            call()
            self.synchronize()
            self.check(name)
        self.move.check()
        self.by_operator()
        self.synchronize()
        self.check("copy_items")
        own = medians({"whole": self.copied_whole, "operator": self.by_operator, "gather": self.gathered}, self.synchronize)
        self.row.update({f"{name}_us": own[name] for name in own})
        self.row.update(posting_us=self.posting(self.by_typewarp), operator_posting_us=self.posting(self.by_operator),
                        gather_posting_us=self.posting(self.gathered))
        return us.pop("typewarp"), us

    def posting(self, call):
        """Processor time of a call."""
        times = []
        for _ in range(30):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
            self.synchronize()
        return statistics.median(times) * 1e6


SIZES = [(16, 16 << 10), (256, 16 << 10), (4096, 16 << 10), (112_000, 8 << 10), (112_000, 2 << 10), (500_000, 256)]


def main():
    gpus = min(2, torch.cuda.device_count())
    tell(mpi="python " + sys.version.split()[0], gpus=gpus)
    pages = [Pages(count, page, to) for to in range(gpus) for count, page in SIZES]
    pages += [Pages(256, 16 << 10, 0, torch.int32), Pages(256, 16 << 10, 0, torch.int64, "cpu"), Pages(112_000, 8 << 10, 0, torch.int64, "cpu")]
    for index, subject, late in rows_asked_for(__doc__, pages):
        if late:
            tell(stopped=True, case="pages", memory="device", method="all", size=index)
            break
        tell(begin={"index": index, **subject.row})
        try:
            us, peers = subject.measured()
            tell(index=index, **subject.row, median_us=us, peers_us=peers)
        except Exception as error:  # noqa: BLE001: the rows behind it are as good, unless the GPU is lost
            subject.synchronize()
            tell(failed=f"{type(error).__name__}: {error}")
        vars(subject).clear()
        typewarp.torch.clear_items()
        torch.cuda.empty_cache()
    tell(finished=True)


if __name__ == "__main__":
    main()
