# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a row is compared with, and what is expected of it."""

PRELOADED = "preloaded_"  # begins the names of ways by MPI calls that the library carries
LIBRARY = ("automatic", "tuned", "manual", "manual_pinned", "datatype")
STAGED, PEER = "hand_kernels_staged", "hand_kernels_peer"
MOST_OF_FLOOR = 1.3
MOST_OF_MANUAL = 1.15
LEAST_HIDDEN = 0.9


def ours(row):
    return row["method"] in LIBRARY


def same(row):
    """What rows must share to be compared."""
    return tuple(row[key] for key in ("mpi", "gpus", "case", "memory", "size"))


def complete(rows):
    """Adds to rows of the library the microseconds of everybody else who exchanged the same."""
    others = {}
    for row in rows:
        if row["direction"] == "exchange" and not ours(row) and not row["method"].startswith(PRELOADED):
            others.setdefault(same(row), {})[row["method"]] = row["median_us"]
    for row in rows:
        if ours(row):
            row["baselines_us"] = others.get(same(row), {})


def eight_fields(row):
    return row["case"] == "eight-fields" and row["memory"] == "device"


def over_floor(phase):
    """Of packing, or unpacking, everything while the other rank has nothing to do: the time over the floor."""
    def values(rows):
        for row in rows:
            if eight_fields(row) and row["method"] == "manual":
                value = row["phases_alone_us"][phase] / row["phase_floors_alone_us"][phase]
                yield row, value, MOST_OF_FLOOR, value <= MOST_OF_FLOOR
    return values


def launches(phase):
    def values(rows):
        for row in rows:
            if eight_fields(row) and row["method"] == "manual":
                yield row, row["launches"][phase], 1, row["launches"][phase] == 1
    return values


def times_faster(baseline, limit):
    """Of whole exchanges between two GPUs."""
    def values(rows):
        for row in rows:
            if eight_fields(row) and row["gpus"] == 2 and row["method"] in ("automatic", "manual") and baseline in row["baselines_us"]:
                value = row["baselines_us"][baseline] / row["median_us"]
                yield row, value, limit, value >= limit
    return values


def datatype_against_manual(rows):
    manual = {same(row): row["median_us"] for row in rows if row["method"] == "manual"}
    for row in rows:
        if row["method"] == "datatype" and same(row) in manual:
            value = row["median_us"] / manual[same(row)]
            yield row, value, MOST_OF_MANUAL, value <= MOST_OF_MANUAL


def hidden(rows):
    for row in rows:
        if row["direction"] == "overlap" and row["memory"] == "device":
            yield row, row["hidden"], LEAST_HIDDEN, row["hidden"] >= LEAST_HIDDEN


TARGETS = [
    ("eight fields, packing by one launch, over the floor", over_floor("pack")),
    ("eight fields, unpacking by one launch, over the floor", over_floor("unpack")),
    ("eight fields, launches to pack", launches("pack")),
    ("eight fields, launches to unpack", launches("unpack")),
    ("eight fields, two GPUs, times faster than kernels staged through the host", times_faster(STAGED, 5)),
    ("eight fields, two GPUs, times faster than kernels and peer-to-peer copies", times_faster(PEER, 1.5)),
    ("packing datatype, time over that of manual", datatype_against_manual),
    ("overlap, part of the shorter that is hidden", hidden),
]
