#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of bench/collectives: time over size, an unchanged program beside NCCL (needs matplotlib)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import plotting  # noqa: E402  (it stands one folder above)
from plotting import pyplot  # noqa: E402

CALLS = ("alltoall", "allgather", "bcast", "allreduce")
WAYS = {"without NCCL": ("unchanged program, without NCCL", "tab:blue", 2), "NCCL": ("unchanged program, NCCL where it is chosen", "tab:cyan", 2),
        "NCCL directly": ("NCCL, called directly", "tab:orange", 1)}
# Bytes a second that a GPU of four H100 or H200 stores into the memory of the others at once (docs/internals/limits.md).
LINK = 346e9


def sent(call, ranks):
    """How often a GPU must send the bytes of a call, at the least."""
    share = (ranks - 1) / ranks
    return {"bcast": 1, "allreduce": 2 * share}.get(call, share)


def draw(result, path):
    figure, axes = pyplot.subplots(1, len(CALLS), figsize=(15, 4.2))
    for axis, call in zip(axes, CALLS):
        rows = [row for row in result["rows"] if row["case"] == call and row["packed_bytes"] >= 64]
        for way, (label, colour, width) in WAYS.items():
            points = sorted((row["packed_bytes"], row["us"][way]) for row in rows if way in row["us"])
            axis.plot(*zip(*points), marker="o", markersize=3, color=colour, linewidth=width, label=label)
        limit = [(row["packed_bytes"], row["packed_bytes"] * sent(call, row["ranks"]) / LINK * 1e6) for row in rows if row["packed_bytes"] >= 1 << 20]
        axis.plot(*zip(*sorted(limit)), color="grey", linestyle="--", linewidth=1, label=f"{LINK / 1e9:.0f} GB/s out of each GPU")
        plotting.over_size(axis, f"MPI_{call.capitalize()}")
    axes[0].set_ylabel("us")
    ranks = result["rows"][0]["ranks"]
    plotting.legend(figure, f"Collective calls of {ranks} ranks, a GPU each, {result['machine']['gpu']}", [label for label, *_ in WAYS.values()], 3.2)
    plotting.save(figure, path, 110)


if __name__ == "__main__":
    plotting.main(__doc__, "bench/results/<machine>/collectives.json", draw)
