# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of bench/results/*/peers.json: what users would pick instead."""
import re
import sys

from tables import ROOT, link, results, table, times

sys.path.insert(0, str(ROOT / "bench/peers"))
from report import by_case, case_name, is_ours, microseconds  # noqa: E402  (it stands there)


def peers(base):
    """How many times faster, the geometric mean and the worst."""
    rows = [[link(file, file.parent.name, base), entry["ours"], entry["peer"], entry["calling"], str(entry["rows"]), times(entry["geometric_mean"]),
             f"{times(entry['worst'])} ({entry['worst_case']})"] for file, result in results("peers.json") for entry in result["summary"]]
    return table(["machine", "this library", "instead of", "calls", "cases", "times faster", "worst"], rows) if rows else "Not measured yet."


# What README.md shows: this library, what it is used instead of, and how either is called.
FIRST = [("MPICH, preloaded", "MPICH 5.0.1 with CUDA (recorded)", "blocking"), ("MPICH, preloaded", "Intel MPI", "blocking"),
         ("MPICH, preloaded", "PyTorch + NCCL", "blocking"),
         ("send and recv of C++", "cudaMemcpy2D and MPI", "blocking"), ("send and recv of Python", "PyTorch + NCCL", "blocking"),
         ("Exchange", "PyTorch + NCCL", "burst"), ("Exchange", "symmetric memory", "burst"), ("NIXL with Typewarp", "NIXL", "blocking")]
USED = {"MPICH, preloaded": "unchanged MPI program", "Exchange": "exchange ordered by a stream", "NIXL with Typewarp": "NIXL with [Typewarp's back end](docs/guide/nixl.md)"}


def peers_first(_base):
    """The rows of FIRST on two H200, which README.md names in front of the table."""
    rows = []
    for _, result in ((file, result) for file, result in results("peers.json") if file.parent.name == "h200-2gpu"):
        for key in FIRST:
            for entry in result["summary"]:
                if (entry["ours"], entry["peer"], entry["calling"]) == key:
                    rows.append([entry["peer"], USED.get(entry["ours"], entry["ours"]), str(entry["rows"]), times(entry["geometric_mean"]),
                                 f"{times(entry['worst'])} ({entry['worst_case']})"])
    return table(["instead of", "use", "cases", "times faster", "worst"], rows) if rows else "Not measured yet."


# Which paragraph of docs/benchmarks-misses.md has the reason: machine, calls, peer and case begin with these. Others are not explained.
WHY = ((r"h200-2gpu blocking Intel MPI contiguous", "A"), (r"h200-2gpu \w+ symmetric memory (contiguous|broadcast), (64|256) MiB", "B"),
       (r"h200-2gpu burst symmetric memory (rows of|y face|x face).* (16|64) MiB", "C"), (r"h200-2gpu graph symmetric memory all-to-all", "D"),
       (r"h200-2gpu burst symmetric memory all-reduce of floats, (\d+ KiB|1 MiB|16 MiB)", "E"), (r"h200-2gpu burst symmetric memory structs.* 1 MiB", "G"), (r"h200-4gpu \w+ PyTorch \+ NCCL broadcast, 256 MiB", "F"),
       (r"h200-4gpu (graph symmetric memory all-reduce of floats, 1|(burst|graph) symmetric memory all-reduce of floats, 16) MiB", "H"))


def ranges_overlap(rows, entry):
    """Whether the ranges from the 10th to the 90th percentile have times in common."""
    ways = {row["way"]: row for row in rows if (row["calling"], case_name(row)) == (entry["calling"], entry["case"])}
    return ways[entry["ours"]]["low_us"] <= ways[entry["peer"]]["high_us"]


def reason(machine, entry, rows):
    row = f"{machine} {entry['calling']} {entry['peer']} {entry['case']}"
    return next((letter for begin, letter in WHY if re.match(begin, row)), "spread" if entry["ratio"] >= 0.97 and ranges_overlap(rows, entry) else "not explained")


def peers_behind(base):
    rows = [[link(file, file.parent.name, base), entry["case"], entry["calling"], f"{entry['ours']} {entry['us']:.1f}", f"{entry['peer']} {entry['peer_us']:.1f}",
             f"{entry['ratio']:.2f}", reason(file.parent.name, entry, result["rows"])] for file, result in results("peers.json") for entry in result["behind"]]
    return table(["machine", "case", "calls", "best of this library, us", "best of the others, us", "times faster", "reason"], rows) if rows else "None."


def peers_failed(base):
    """What died, hung or had wrong bytes: the cases of each way that ended alike."""
    cases = {}
    for file, result in results("peers.json"):
        for failure in result["failed"]:
            key = (link(file, file.parent.name, base), failure["way"], failure["error"])
            cases.setdefault(key, []).append(case_name(failure) if "size" in failure else failure["case"])
    rows = [[machine, way, str(len(names)), "; ".join(names), error] for (machine, way, error), names in cases.items()]
    return table(["machine", "by", "number", "cases", "what happened"], rows) if rows else "Nothing."


def of_calling(base, calling):
    parts = []
    for file, result in results("peers.json"):
        found = [ways for (called, *_), ways in by_case(result["rows"]).items() if called == calling]
        names = sorted(dict.fromkeys(way for ways in found for way in ways), key=lambda way: not is_ours(way))
        lines = [[case_name(next(iter(ways.values()))), *(microseconds(ways.get(name)) for name in names)] for ways in found]
        if lines:
            parts.append(f"{link(file, file.parent.name, base)}, us:\n\n{table(['case', *names], lines)}")
    return "\n\n".join(parts) or "Not measured yet."


def peers_blocking(base):
    return of_calling(base, "blocking")


def peers_burst(base):
    return of_calling(base, "burst")


def peers_graph(base):
    return of_calling(base, "graph")
