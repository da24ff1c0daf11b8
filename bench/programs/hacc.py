# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the program hacc prints of its ways, as rows, and what is expected of them."""

import re

from reporting import UNITS

# Of a block on average: those of two ranks then have 13 KiB to 17 MiB, and 2 KiB to 7 MiB.
PARTICLES = "100,256,1024,3072,8192,32768"
LONG, SHORT = 1 << 20, 64 << 10
LEAST_OF_FLOOR, MOST_US, LEAST_OF_CONTIGUOUS, LEAST_TIMES_FASTER = 0.85, 12, 0.9, 10
ALONE = {"Packing": "pack", "Unpacking": "unpack"}
TOGETHER = {"write to one file": "write", "read from it": "read"}
SIZE = re.compile(r"([\d.]+) ([KMG]?i?B)\b")


def size_in(text):
    found = SIZE.search(text)
    return round(float(found[1]) * UNITS[found[2]]), text[found.end() :]


def row_of(case, direction, size, ways, numbers):
    """The library's, or that of the MPI where it is the only way: it then runs under the preload library."""
    times = dict(zip(ways, map(float, numbers.split())))
    method = "typewarp" if "typewarp" in times else "mpi"
    us, floor = times.pop(method), times.pop("floor")
    return {
        "case": case,
        "packed_bytes": size,
        "direction": direction,
        "method": method,
        "median_us": us,
        "floor_us": floor,
        "baselines_us": times,
    }


def rows(lines, ranks):
    """Of the tables of what each rank does alone, a line a rank, and of that of all together."""
    direction, size, ways = None, None, []
    for line in lines:
        words = line.split()
        if ", one rank after the other" in line:
            direction = ALONE[words[0]]
        elif line.startswith("All ranks together"):
            direction, (size, _) = None, size_in(line)
        elif words and words[-1] == "floor":
            ways = words[words.index("packed") + 1 if "packed" in words else 0 : words.index("floor") + 1]
        elif direction and words and words[0].isdigit():
            bytes_of_rank, numbers = size_in(line)
            yield row_of(f"block of rank {words[0]}", direction, bytes_of_rank, ways, numbers)
        else:
            for label, together in TOGETHER.items():
                if line.strip().startswith(label):
                    yield row_of(f"blocks of {ranks} ranks", together, size, ways, line.strip()[len(label) :])


def without_preload(found):
    """Rows of the preload library have had it under their floor too: they get the floor of the start without it, or none
    if that has no such row."""

    def same(row):
        return tuple(row[name] for name in ("mpi", "case", "direction", "packed_bytes"))

    floors = {same(row): row["floor_us"] for row in found if row["method"] == "typewarp"}
    for row in found:
        without = {name: value for name, value in row.items() if name != "floor_us"}
        yield {**without, "floor_us": floors[same(row)]} if same(row) in floors else without


def fraction_of_floor(row):
    return row["floor_us"] / row["median_us"]


def packing(least_bytes, most_bytes, value_of, limit, is_met):
    """Of what packs a block of such a length by the library."""

    def values(found):
        for row in found:
            if row["direction"] == "pack" and row["method"] == "typewarp" and least_bytes <= row["packed_bytes"] < most_bytes:
                value = value_of(row)
                yield row, value, limit, is_met(value)

    return values


def writing(found):
    for row in found:
        if row["direction"] == "write" and "floor_us" in row:
            value = fraction_of_floor(row)
            yield row, value, LEAST_OF_CONTIGUOUS, value >= LEAST_OF_CONTIGUOUS


TARGETS = [
    (
        "packing a block of 1 MiB or more, of the speed of one contiguous copy",
        packing(
            LONG,
            float("inf"),
            fraction_of_floor,
            LEAST_OF_FLOOR,
            lambda value: value >= LEAST_OF_FLOOR,
        ),
    ),
    (
        "packing a block of less than 64 KiB, microseconds",
        packing(0, SHORT, lambda row: row["median_us"], MOST_US, lambda value: value <= MOST_US),
    ),
    ("writing blocks to a file, of the speed of contiguous writes from pinned memory", writing),
    (
        "packing a block, times faster than member by member",
        packing(
            0,
            float("inf"),
            lambda row: row["baselines_us"]["members"] / row["median_us"],
            LEAST_TIMES_FASTER,
            lambda value: value >= LEAST_TIMES_FASTER,
        ),
    ),
]
