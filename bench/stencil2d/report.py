# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the ways to exchange halos: their code, counted, and what they take, as tables."""
import collections
import re
import sys

from running import ROOT

sys.path.insert(0, str(ROOT / "apps"))
from lines import FILES, code_of  # noqa: E402  (it stands among the programs)

CALLS = re.compile(r"\b(MPI_(?!Datatype)[A-Z][a-z]+|copy_rows)\(")


def lines_of_code(exchange):
    """Lines of its files that are neither empty nor comment, and the calls in them that move data."""
    code = code_of("stencil2d", exchange)
    return {"files": FILES["stencil2d"][exchange], "lines": len(code),
            "calls": dict(collections.Counter(CALLS.findall("\n".join(code))))}


def pairs(rows):
    """The rows of a case together: its times, and by how much Typewarp's is shorter."""
    found = {}
    for row in rows:
        if row["direction"] == "iteration":
            key = (row["mpi"], row["gpus"], row.get("mps", False), row["paper"], row["case"])
            found.setdefault(key, {})[row["method"]] = row
    return [{"mpi": mpi, "gpus": gpus, "mps": mps, "paper": paper, "case": case,
             **{f"{method}_us": row["median_us"] for method, row in ways.items()},
             "improvement": round(1 - ways["typewarp"]["median_us"] / ways["hand"]["median_us"], 3)}
            for (mpi, gpus, mps, paper, case), ways in found.items()]


def table(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))))


def show_times(rows):
    """As tables II and III of 001: an iteration, how much less that is than by hand, and its part that exchanges."""
    for element in ("float", "double"):
        by_case = {}
        for row in rows:
            if row["paper"] == "001" and row["type"] == element:
                by_case.setdefault(f"{row['grid']} ({row['size'][0]} x {row['size'][1]})", {})[row["method"]] = row
        lines = []
        for case, ways in by_case.items():
            times = [way["median_us"] for way in ways.values()]
            less = [f"{100 * (1 - way['median_us'] / ways['hand']['median_us']):.0f}%"
                    for name, way in ways.items() if name != "hand"]
            exchanges = [f"{way['median_us'] - way['phases_us']['compute']:.1f}" for way in ways.values()]
            lines.append([case, *(f"{time:.1f}" for time in times), *less, *exchanges])
        if lines:
            names = list(next(iter(by_case.values())))
            print(f"\nan iteration in {element}, us")
            table(["grid (points of a rank)", *names, *(f"less by {name}" for name in names[1:]),
                   *(f"not computing, {name}" for name in names)], lines)


def show_sides(rows):
    """As figure 6 of 001."""
    cases = {}
    for row in rows:
        cases.setdefault((row["case"], row["method"]), {})[row["direction"]] = f"{row['median_us']:.1f}"
    sides = list(dict.fromkeys(row["direction"] for row in rows))
    print("\nof an iteration, us")
    table(["grid/points of a rank/type, way", *sides],
          [[f"{case}, {way}", *(found.get(side, "") for side in sides)] for (case, way), found in cases.items()])


def show_rates(rows):
    """As table 3 of 003."""
    chosen = [row for row in rows if row["paper"] == "003"]
    rates = {(row["size"][0], row["type"], row["method"]): f"{row['gflops_per_rank']:.2f}" for row in chosen}
    methods = list(dict.fromkeys(row["method"] for row in chosen))
    columns = [(element, method) for element in ("double", "float") for method in methods]
    lines = [[f"{side}x{side}", *(rates.get((side, *column), "") for column in columns)] for side in sorted({key[0] for key in rates})]
    if lines:
        print("\nGFLOP/s of a rank, grid 2x2")
        table(["points of a rank", *(" ".join(column) for column in columns)], lines)


def show(result):
    table(["communication code", "lines", "calls"],
          [[name, str(found["lines"]), ", ".join(f"{call} {times}" for call, times in found["calls"].items()) or "none"]
           for name, found in result["lines"].items()])
    groups = {}
    for row in result["rows"]:
        groups.setdefault((row["mpi"], row["gpus"], row.get("mps", False)), []).append(row)
    for (mpi, gpus, mps), rows in groups.items():
        print(f"\n== {mpi}, {gpus} GPUs{' under MPS' if mps else ''}" if gpus else f"\n== {mpi}, host memory")
        whole = [row for row in rows if row["direction"] == "iteration"]
        show_times(whole)
        show_rates(whole)
        if len(whole) < len(rows):
            show_sides(rows)
    for failure in result["failed"]:
        print(f"FAILED {failure['mpi']}, {failure['gpus']} GPUs, {failure['case']}: {failure['error']}")
    if result["stopped"]:
        print(f"stopped {result['stopped']}")
