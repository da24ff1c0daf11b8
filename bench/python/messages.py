#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Half a round trip between two GPUs of one host, host-driven: every eighth double of an array, to the same places of another, against
contiguous() with NCCL, and with mpi4py on copies in page-locked memory:

    mpiexec -n 2 python bench/python/messages.py
"""
import torch
import torch.distributed as dist
from mpi4py import MPI

import typewarp as tw
from nccl import measure_rows

SIZES = [4 << 10, 64 << 10, 1 << 20, 16 << 20, 512 << 20]


class Column:
    """One row: what this rank sends and receives, and the ways to do it."""

    def __init__(self, nbytes, first):
        self.peer, self.first = int(first), first
        shape = nbytes // 8, 8
        self.x = torch.full(shape, 1.0 + first, device="cuda", dtype=torch.double)[:, 0]
        self.y = torch.zeros(shape, device="cuda", dtype=torch.double)[:, 0]
        self.sent, self.received = tw.view(self.x), tw.view(self.y)
        self.packed = torch.empty(shape[0], device="cuda", dtype=torch.double)
        self.host = torch.empty(shape[0], dtype=torch.double, pin_memory=True)

    def round_trip(self, send, receive):
        for act in (send, receive) if self.first else (receive, send):
            act()

    def by_typewarp(self):
        self.round_trip(lambda: tw.send(self.sent, self.peer), lambda: tw.recv(self.received, self.peer))

    def by_nccl(self):
        def receive():
            dist.recv(self.packed, self.peer)
            self.y.copy_(self.packed)

        self.round_trip(lambda: dist.send(self.x.contiguous(), self.peer), receive)

    def by_host(self):
        def send():
            self.host.copy_(self.x.contiguous())  # returns when it is there
            MPI.COMM_WORLD.Send(self.host.numpy(), self.peer)

        def receive():
            MPI.COMM_WORLD.Recv(self.host.numpy(), self.peer)
            self.y.copy_(self.host)

        self.round_trip(send, receive)

    def check(self, name, way):
        self.y.zero_()
        way()
        if not MPI.COMM_WORLD.allreduce(bool((self.y == 2.0 - self.first).all()), MPI.LAND):
            raise SystemExit(f"wrong bytes by {name}")


def measured(size, nbytes, medians):
    if size != 2:
        raise SystemExit("needs two ranks")
    subject = Column(nbytes, MPI.COMM_WORLD.Get_rank() == 0)
    ways = {"typewarp": subject.by_typewarp, "contiguous, NCCL, copy": subject.by_nccl, "contiguous, host, mpi4py": subject.by_host}
    with tw.Session():
        for name, way in ways.items():
            subject.check(name, way)
        return {name: time / 2 for name, time in medians(ways).items()}


if __name__ == "__main__":
    measure_rows(__doc__.split(",")[0], SIZES, lambda nbytes: {"case": "half a round trip by calls", "bytes": nbytes}, measured)
