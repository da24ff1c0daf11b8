# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What arrays.py sends, as users of PyTorch write it: what slices take of an array, and rows by their numbers."""
import numpy
import torch


class Slices:
    """What a slice takes, the same of the array that is sent and of the one that is received into."""

    def __init__(self, shape, take=lambda x: x, dtype=torch.double):
        self.shape, self.take, self.dtype = shape, take, dtype
        self.contiguous = take(torch.empty(shape, dtype=dtype, device="meta")).is_contiguous()

    def packed(self, x):
        return self.take(x).contiguous()

    def unpack(self, y, packed):
        self.take(y).copy_(packed)

    def store(self, there, x):
        """What a user writes into memory of a peer."""
        self.take(there).copy_(self.take(x))

    def view(self, tw, x, _receives):
        return tw.view(self.take(x))

    def elements(self, _receives):
        """The numbers of those in the array that are moved, in their order."""
        return self.take(torch.arange(self.shape.numel()).view(self.shape)).reshape(-1)


class Rows:
    """Rows by their numbers, others where they are received; `view` makes what this library takes."""
    dtype, contiguous = torch.double, False

    def __init__(self, shape, out, into, view):
        self.shape, self.out, self.into, self._view = shape, out, into, view

    def to(self, device):
        self.out, self.into = self.out.to(device), self.into.to(device)
        return self

    def packed(self, x):
        return x.index_select(0, self.out)

    def unpack(self, y, packed):
        y.index_copy_(0, self.into, packed)

    def store(self, there, x):
        there.index_copy_(0, self.into, x.index_select(0, self.out))

    def view(self, tw, x, receives):
        return self._view(tw, x, receives)

    def elements(self, receives):
        rows = torch.arange(self.shape.numel()).view(self.shape)
        return rows.index_select(0, (self.into if receives else self.out).cpu()).reshape(-1)


def runs(layout):
    """Where bytes that follow each other at both ends lie at either, and how many they are."""
    size = layout.dtype.itemsize
    ends = [layout.elements(receives).numpy() * size for receives in (False, True)]
    breaks = [numpy.diff(places, prepend=-2 * size) != size for places in ends]
    first = numpy.flatnonzero(breaks[0] | breaks[1])
    return ends[0][first], ends[1][first], numpy.diff(first, append=len(ends[0])) * size


def edges(numbers):
    """Of a rectangle that is as square as powers of two allow."""
    one = 1
    while one * one < numbers:
        one *= 2
    return one, numbers // one


def varying(size):
    """Blocks of 1 to 7 doubles with gaps of 1 to 4."""
    random = numpy.random.default_rng(2012)
    lengths = random.integers(1, 8, size // 8)
    lengths = lengths[:numpy.searchsorted(numpy.cumsum(lengths), size // 8) + 1]
    lengths[-1] -= lengths.sum() - size // 8
    spans = lengths + random.integers(1, 5, len(lengths))
    starts = numpy.cumsum(spans) - spans
    index = torch.from_numpy(numpy.repeat(starts - (numpy.cumsum(lengths) - lengths), lengths) + numpy.arange(size // 8))
    return Rows(torch.Size([int(spans.sum())]), index, index, lambda tw, x, _: tw.layout(x, starts, lengths))


def pages(size, page):
    """Of a pool of twice as many, in a random order."""
    out, into = (torch.from_numpy(numpy.random.default_rng(seed).permutation(2 * size // page)[:size // page]) for seed in (1, 2))
    return Rows(torch.Size([2 * size // page, page // 8]), out, into, lambda tw, x, receives: tw.layout(x, into if receives else out))


def layout(kind, size, ranks):
    """Of a kind of cases.py; of calls of all ranks, what one rank gives each."""
    one, other = edges(size // 8)
    make = {"vector-8": lambda: Slices((size // 8, 8), lambda x: x[:, 0]),
            "vector-128": lambda: Slices((size // 128, 128), lambda x: x[:, :16]),
            "face-x": lambda: Slices((one + 2, other + 2, 32), lambda x: x[1:-1, 1:-1, 1]),
            "face-y": lambda: Slices((other + 2, 4, one + 2), lambda x: x[1:-1, 1, 1:-1]),
            "struct": lambda: Slices((size // 17, 24), lambda x: x[:, :17], torch.uint8),
            "indexed": lambda: varying(size),
            "pages-2k": lambda: pages(size, 2 << 10),
            "pages-64k": lambda: pages(size, 64 << 10),
            "alltoallw": lambda: Slices((size // 128 // ranks, 128), lambda x: x[:, :16]),
            "allgather": lambda: Slices((size // 8 // ranks,)),
            "allreduce": lambda: Slices((size // 4,), dtype=torch.float)}
    made = make.get(kind, lambda: Slices((size // 8,)))()
    made.shape = torch.Size(made.shape)
    return made
