# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints a result: the table of paper 004, times by size, then failures and targets, those that are missed first."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from reporting import size_name, table, verdict  # noqa: E402  (it stands one folder above)

PAIRS = ("host-host", "host-device", "device-host", "device-device")


def contiguous_pairs(rows):
    """Latency and bandwidth of contiguous messages between kinds of memory."""
    found = {(row["size"], row["memory"]): row for row in rows if row["case"] == "contiguous" and row["method"] == "automatic"}
    lines = []
    for size, what in ((8, "us"), (512, "us"), (2 << 10, "MB/s"), (1 << 20, "MB/s")):
        cells = [found.get((size, pair)) for pair in PAIRS]
        lines.append([f"{size_name(size)} ({what})",
                      *("" if row is None else f"{row['median_us']:.2f}" if what == "us" else f"{1e3 * row['gbps']:.0f}" for row in cells)])
    if any(cell for line in lines for cell in line[1:]):
        table(["contiguous, automatic", *PAIRS], lines)


def times(rows, memory):
    """Microseconds, a line a case and method."""
    chosen = [row for row in rows if row["memory"] == memory and row["direction"] != "exchange"]
    sizes = sorted({row["size"] for row in chosen})
    lines = {}
    for row in chosen:
        fraction = f" {row['fraction']:.2f}" if "fraction" in row else ""
        lines.setdefault(f"{row['case']} {row['method']}", {})[row["size"]] = f"{row['median_us']:.4g}{fraction}"
    if lines:
        print(f"\n{memory}: microseconds, and the fraction of the reference")
        table(["", *map(size_name, sizes)], [[name, *(found.get(size, "") for size in sizes)] for name, found in sorted(lines.items())])


def exchanges(rows):
    for row in rows:
        if row["direction"] == "exchange":
            print(f"{row['case']} of {row['size']}^3, {row['memory']}, {row['method']}: {row['median_us']:.1f} us")


def show(result):
    groups = {}
    for row in result["rows"]:
        groups.setdefault((row["mpi"], row["gpus"]), []).append(row)
    for (mpi, gpus), rows in groups.items():
        print(f"\n== {mpi}, {gpus} GPUs")
        contiguous_pairs(rows)
        for memory in PAIRS:
            times(rows, memory)
        exchanges(rows)
    verdict(result, size_name)
