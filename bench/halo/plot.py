#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bench/results/<machine>/halo.json: for each MPI the times of the cases, and of the one that grows over its size, as a PNG and an
SVG beside it (needs matplotlib)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plotting import legend, main, pyplot, save  # noqa: E402  (it stands one folder above)
from report import PHASES, size_name  # noqa: E402

STYLES = {"automatic": ("#d1495b", "o", "-"), "tuned": ("#7b2d8b", "s", "-"), "manual": ("#30638e", "v", "-"),
          "manual_pinned": ("#00798c", "P", "-"), "datatype": ("#2a9d8f", "^", "-"),
          "hand_kernels_staged": ("#6c757d", ">", ":"), "hand_kernels_peer": ("#495057", "<", ":"),
          "hand_memcpy3d_staged": ("#adb5bd", "x", ":"), "plain_datatype_on_copies": ("#8d6a3f", "D", ":"), "hand_loops": ("#6c757d", ">", ":"),
          "plain_mpi_pack": ("#adb5bd", "x", ":"), "plain_datatype": ("#8d6a3f", "D", ":"),
          "preloaded_mpi_pack": ("#adb5bd", "x", "-"), "preloaded_datatype": ("#8d6a3f", "D", "-"),
          "floor": ("black", "", "-.")}
SHADES = (1.0, 0.6, 0.35)
GROWING = "gcl"


def over_size(axis, rows):
    series = {}
    for row in rows:
        series.setdefault(row["method"], []).append((row["size"], row["median_us"]))
        if row["method"] == "automatic" and "floor_us" in row:
            series.setdefault("floor", []).append((row["size"], row["floor_us"]))
    for method, points in series.items():
        color, marker, line = STYLES[method]
        axis.plot(*zip(*sorted(points)), color=color, marker=marker, linestyle=line, label=method, markersize=4, linewidth=1.2)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.xaxis.set_major_formatter(lambda size, _: size_name(int(size)))
    axis.yaxis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.set_ylabel("exchange, microseconds")


def phases(axis, rows):
    """A bar a method, as long as the exchange, in the proportions of its phases; on a scale that shows the fastest."""
    best = min(row["median_us"] for row in rows)
    for place, row in enumerate(reversed(rows)):
        total = sum(row["phases_us"].values())
        begin = 0
        for phase, shade in zip(PHASES, SHADES):
            width = row["median_us"] * row["phases_us"][phase] / total
            axis.barh(place, width, left=begin, color=STYLES[row["method"]][0], alpha=shade)
            begin += width
        axis.annotate(f" {row['median_us']:.4g}", (min(begin, 10 * best), place), fontsize=7, va="center")
    axis.set_yticks(range(len(rows)), [row["method"] for row in reversed(rows)], fontsize=7)
    if "floor_us" in rows[0]:
        axis.axvline(rows[0]["floor_us"], color="black", linestyle="-.", linewidth=1)
    axis.set_xlim(0, 12 * best)
    axis.set_xlabel("microseconds, in proportion: packing, wire, unpacking", fontsize=7)


def cases_of(rows):
    """All in which methods are compared, but the growing one, with their sizes."""
    methods = {}
    for row in rows:
        if row["case"] != GROWING:
            methods.setdefault((row["case"], row["size"]), set()).add(row["method"])
    return [case for case, found in methods.items() if len(found) > 1]


def figure_of(rows, title, output):
    """A row of panels for each kind of memory."""
    memories = {memory: [row for row in rows if row["memory"] == memory] for memory in ("device", "host")}
    memories = {memory: found for memory, found in memories.items() if found}
    grows = any(row["case"] == GROWING for row in rows)
    across = grows + max(len(cases_of(found)) for found in memories.values())
    figure, axes = pyplot.subplots(len(memories), across, figsize=(4.2 * across, 0.8 + 3.4 * len(memories)), squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for line, (memory, found) in zip(axes, memories.items()):
        if grows:
            over_size(line[0], [row for row in found if row["case"] == GROWING])
            line[0].set_title(f"{GROWING}, {memory} memory", fontsize=9)
        for axis, case in zip(line[grows:], cases_of(found)):
            phases(axis, [row for row in found if (row["case"], row["size"]) == case])
            axis.set_title(f"{case[0]} {size_name(case[1])}, {memory} memory", fontsize=9)
        for axis in line[:grows + len(cases_of(found))]:
            axis.set_axis_on()
    legend(figure, title, STYLES, 2.3)
    save(figure, output, dpi=80)


def draw(result, output):
    groups = {}
    for row in result["rows"]:
        if row["direction"] == "exchange":
            groups.setdefault((row["mpi"], row["gpus"]), []).append(row)
    machine = result["machine"]
    for (mpi, gpus), rows in groups.items():
        where = f"{gpus} GPU{'s' if gpus > 1 else ''} ({machine['gpu']})" if gpus else machine["cpu"]
        figure_of(rows, f"halo exchanges: {mpi}, {where}", output.with_name(f"{output.name}-{mpi.replace(' ', '-')}-{gpus}gpu"))


if __name__ == "__main__":
    main(__doc__, "halo.json", draw)
