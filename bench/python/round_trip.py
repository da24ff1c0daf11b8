#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Half a round trip between two GPUs of one host, in a graph of many: every eighth double of an array, to the same places of
another, against as many packed bytes through NCCL, which neither packs nor unpacks them:

    mpiexec -n 2 python bench/python/round_trip.py
"""
import torch
import torch.distributed as dist
from mpi4py import MPI

import typewarp as tw
from nccl import measure_rows

ROUNDS = 50
SIZES = [8, 1 << 10, 16 << 10, 1 << 20]


def graph_of(turn):
    """A graph of ROUNDS calls. One more is made before, to warm up."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        turn()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        for _ in range(ROUNDS):
            turn()
    return graph


def measured(size, nbytes, medians):
    if size != 2:
        raise SystemExit("needs two ranks")
    first = MPI.COMM_WORLD.Get_rank() == 0
    x, y = (torch.full((nbytes // 8, 8), float(n), device="cuda", dtype=torch.double)[:, 0] for n in (1, 0))
    packed, received = torch.ones(nbytes // 8, device="cuda", dtype=torch.double), torch.zeros(nbytes // 8, device="cuda", dtype=torch.double)
    ways = [tw.exchange([(x, 1)] if first else [], [] if first else [(y, 0)]), tw.exchange([] if first else [(x, 0)], [(y, 1)] if first else [])]

    def by_typewarp():
        for way in ways:
            way.start()

    def by_nccl():
        if first:
            dist.send(packed, 1)
            dist.recv(received, 1)
        else:
            dist.recv(received, 0)
            dist.send(packed, 0)

    graphs = {"typewarp": graph_of(by_typewarp), "NCCL, packed bytes": graph_of(by_nccl)}
    us = medians({name: graph.replay for name, graph in graphs.items()})
    if not MPI.COMM_WORLD.allreduce(bool((y == 1).all() and (received == 1).all()), MPI.LAND):
        raise SystemExit("wrong bytes")
    for way in ways:
        way.close()
    return {name: time / (2 * ROUNDS) for name, time in us.items()}


if __name__ == "__main__":
    measure_rows(__doc__.split(",")[0], SIZES, lambda nbytes: {"case": "half a round trip", "bytes": nbytes}, measured)
