# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is sent: kinds, their names, and sizes. Kinds that bench/pingpong has too are the same there."""

KIB, MIB = 1 << 10, 1 << 20
SIZES = [KIB, 16 * KIB, 256 * KIB, MIB, 16 * MIB, 64 * MIB]

# Messages from one rank to another and back: the name of each kind, and the bytes of its data.
MESSAGES = {"contiguous": ("contiguous", [*SIZES, 256 * MIB]),
            "vector-8": ("doubles every 64 B", SIZES),
            "vector-128": ("rows of 128 B every 1 KiB", SIZES),
            "face-x": ("x face of a 3-D array, doubles every 256 B", [KIB, 64 * KIB, MIB, 16 * MIB]),
            "face-y": ("y face of a 3-D array, rows", [64 * KIB, MIB, 16 * MIB, 64 * MIB]),
            "indexed": ("1 to 7 doubles, then a gap of 1 to 4", [64 * KIB, MIB, 16 * MIB]),
            "struct": ("structs, 17 of 24 B", [64 * KIB, MIB, 16 * MIB]),
            "pages-2k": ("pages of 2 KiB, random order to random order", [MIB, 16 * MIB, 224 * MIB]),
            "pages-64k": ("pages of 64 KiB, random order to random order", [MIB, 16 * MIB, 256 * MIB])}
# Calls of all ranks; the size is of all that a rank gives or gets.
TOGETHER = {"alltoallw": ("all-to-all, rows of 128 B every 1 KiB", [64 * KIB, MIB, 16 * MIB, 64 * MIB]),
            "allgather": ("all-gather", [KIB, 64 * KIB, MIB, 16 * MIB, 256 * MIB]),
            "bcast": ("broadcast", [KIB, 64 * KIB, MIB, 16 * MIB, 256 * MIB]),
            "allreduce": ("all-reduce of floats", [KIB, 64 * KIB, MIB, 16 * MIB, 256 * MIB])}
# How calls are made: each is waited for, in a row that a stream orders, or in a graph.
CALLINGS = ("blocking", "burst", "graph")
NAMES = {kind: name for kind, (name, _) in {**MESSAGES, **TOGETHER}.items()}


def cases(ranks):
    """(kind, bytes) of all cases. Those of messages are for two ranks."""
    return [(kind, size) for kind, (_, sizes) in {**(MESSAGES if ranks == 2 else {}), **TOGETHER}.items() for size in sizes]
