# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares both ways to exchange halos: their code, counted, and what they take, as tables."""
import collections
import re
import sys

from running import ROOT

sys.path.insert(0, str(ROOT / "apps"))
from lines import code_lines  # noqa: E402  (it stands among the programs)

FILES = {"hand": "halo_by_hand", "typewarp": "halo_by_typewarp"}
CALLS = re.compile(r"\b(MPI_[A-Z][a-z]+|copy_rows)\(")


def lines_of_code(exchange):
    """Lines of its header and source that are neither empty nor comment, and the calls in them that move data."""
    code = [line for suffix in ("hpp", "cpp")
            for line in code_lines((ROOT / f"apps/stencil2d/halo/{FILES[exchange]}.{suffix}").read_text(encoding="utf-8"))]
    return {"files": FILES[exchange], "lines": len(code), "calls": dict(collections.Counter(CALLS.findall("\n".join(code))))}


def pairs(rows):
    """The rows of a case together: its times, and by how much Typewarp's is shorter."""
    found = {}
    for row in rows:
        found.setdefault((row["mpi"], row["gpus"], row.get("mps", False), row["paper"], row["case"]), {})[row["method"]] = row
    return [{"mpi": mpi, "gpus": gpus, "mps": mps, "paper": paper, "case": case, "hand_us": both["hand"]["median_us"],
             "typewarp_us": both["typewarp"]["median_us"],
             "improvement": round(1 - both["typewarp"]["median_us"] / both["hand"]["median_us"], 3)}
            for (mpi, gpus, mps, paper, case), both in found.items()]


def table(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))))


def show_times(rows):
    """As tables II and III of 001: an iteration, and the part of it that exchanges."""
    for element in ("float", "double"):
        chosen = [row for row in rows if row["paper"] == "001" and row["type"] == element]
        by_case = {}
        for row in chosen:
            by_case.setdefault(f"{row['grid']} ({row['size'][0]} x {row['size'][1]})", {})[row["method"]] = row
        lines = []
        for case, both in by_case.items():
            hand, ours = both["hand"], both["typewarp"]
            exchanges = [f"{row['median_us'] - row['phases_us']['compute']:.1f}" for row in (hand, ours)]
            lines.append([case, f"{hand['median_us']:.1f}", f"{ours['median_us']:.1f}",
                          f"{100 * (1 - ours['median_us'] / hand['median_us']):.0f}%", *exchanges])
        if lines:
            print(f"\nan iteration in {element}, us")
            table(["grid (points of a rank)", "by hand", "Typewarp", "improvement", "not computing, by hand", "Typewarp"], lines)


def show_rates(rows):
    """As table 3 of 003."""
    rates = {(row["size"][0], row["type"], row["method"]): f"{row['gflops_per_rank']:.2f}" for row in rows if row["paper"] == "003"}
    columns = [(element, method) for element in ("double", "float") for method in FILES]
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
        show_times(rows)
        show_rates(rows)
    for failure in result["failed"]:
        print(f"FAILED {failure['mpi']}, {failure['gpus']} GPUs, {failure['case']}: {failure['error']}")
    if result["stopped"]:
        print(f"stopped {result['stopped']}")
