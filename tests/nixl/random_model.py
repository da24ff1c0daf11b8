#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What nixl_random.py expects: the memory of agents, and random transfers between them."""

import collections

from agent_process import random_bytes

try:
    import numpy
except ImportError:  # then there is no NIXL either
    numpy = None

BIGGEST = 3 << 20  # bytes of a piece of memory
UNITS = (8, 64, 100, 384, 4096, 10000, 65536, 1 << 20)  # bytes of a page


class Memory:
    """Of an agent; a part of an allocation is registered. Offsets are those in the allocation."""

    def __init__(self, number, owner, order, devices):
        self.number, self.owner, self.seed = number, owner, order.getrandbits(32)
        self.size = int(2 ** order.uniform(10, BIGGEST.bit_length()))
        self.begin = order.choice((0, 0, 16, 100))
        self.bytes = self.size - self.begin - order.choice((0, 0, 24))
        self.device = order.randrange(devices)
        self.content = random_bytes(self.seed, self.size)
        self.readers = numpy.zeros(self.size, numpy.int16)  # transfers under way
        self.writers = numpy.zeros(self.size, bool)
        self.address = None  # until it is registered
        self.is_leaving = False


Run = collections.namedtuple("Run", "source read target written bytes")


def places_without_overlap(order, memory):
    """Parts of memory, as a transfer may write them: all of one length, or of many."""
    kind = order.choice(("run", "pages", "pages", "pages", "many", "lengths"))
    if kind == "run":
        size = order.randint(1, memory.bytes)
        return [(memory.begin + order.randint(0, memory.bytes - size), size)]
    if kind == "lengths":
        cuts = sorted({order.randint(0, memory.bytes) for _ in range(order.randint(2, 60))})
        return [(memory.begin + low, high - low) for low, high in zip(cuts, cuts[1:]) if order.random() < 0.7]
    unit = order.choice([x for x in UNITS if x <= (memory.bytes if kind == "pages" else 384)])
    places = memory.bytes // unit
    count = min(places, order.randint(1, 60) if kind == "pages" else order.randint(1000, 4000))
    shift = memory.begin + order.randint(0, memory.bytes - places * unit)
    first = order.randint(0, places - count)
    chosen = range(first, first + count) if order.random() < 0.3 else order.sample(range(places), count)
    return [(shift + place * unit, unit) for place in chosen]


def random_runs(order, sources, targets):
    """What a transfer copies: from places that may overlap to places that do not."""
    runs = []
    for target in order.sample(targets, order.randint(1, min(3, len(targets)))):
        in_order = order.random() < 0.3
        source, place = order.choice(sources), 0
        for written, size in places_without_overlap(order, target):
            if not in_order or place + size > source.bytes:
                source = order.choice(sources)
                if source.bytes < size:
                    continue
                place = order.randint(0, (source.bytes - size) // size) * size if size > 1 else 0
            runs.append(Run(source, source.begin + place, target, written, size))
            place += size
    order.random() < 0.5 and order.shuffle(runs)
    return runs


def all_offsets(rows):
    """Of runs: where each byte is read, and where it is written."""
    read, written, sizes = numpy.array(rows, numpy.int32).T
    within = numpy.arange(sizes.sum(), dtype=numpy.int32) - numpy.repeat(sizes.cumsum(dtype=numpy.int32) - sizes, sizes)
    return numpy.repeat(read, sizes) + within, numpy.repeat(written, sizes) + within


class Transfer:
    """Whose owner is `by`."""

    def __init__(self, number, by, peer, operation, runs, message):
        self.number, self.by, self.peer, self.operation = number, by, peer, operation
        self.runs, self.message = runs, message
        self.is_under_way = self.is_stale = False

        by_pair = collections.defaultdict(list)
        for run in runs:
            by_pair[run.source, run.target].append((run.read, run.written, run.bytes))
        self.offsets = {pair: all_offsets(rows) for pair, rows in by_pair.items()}  # of each byte

    def rows(self, is_local):
        """Descriptors of one side."""
        is_source = is_local == (self.operation == "WRITE")
        ends = ((x.source, x.read, x.bytes) if is_source else (x.target, x.written, x.bytes) for x in self.runs)
        rows = [(memory.address + place, size, memory.device) for memory, place, size in ends]
        return numpy.array(rows, numpy.uint64)

    def memory(self):
        return {memory for pair in self.offsets for memory in pair}

    def claim(self):
        """False if others that are under way have some of the bytes."""
        for (source, target), (read, written) in self.offsets.items():
            if source.writers[read].any() or target.writers[written].any() or target.readers[written].any():
                return False
        for (source, target), (read, written) in self.offsets.items():
            source.readers[read] += 1
            target.writers[written] = True
        return True

    def give_back(self):
        for (source, target), (read, written) in self.offsets.items():
            source.readers[read] -= 1
            target.writers[written] = False

    def apply(self):
        for (source, target), (read, written) in self.offsets.items():
            target.content[written] = source.content[read]
