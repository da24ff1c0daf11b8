#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bench/results/<machine>/pingpong.json: for each MPI and number of GPUs the times and the rates over the size, as a PNG and an
SVG beside it (needs matplotlib)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from matplotlib import ticker  # noqa: E402  (what it draws on stands one folder above)
from plotting import legend, main, pyplot, save  # noqa: E402
from report import PAIRS, size_name  # noqa: E402
from targets import ours, rate  # noqa: E402

STYLES = {"automatic": ("#d1495b", "o", "-"), "eager": ("#edae49", "s", "-"), "pipelined": ("#30638e", "v", "-"),
          "direct": ("#2a9d8f", "^", "-"), "gpu_aware": ("#7a5195", "D", "-"), "ucx": ("#ff7c43", "P", "-"),
          "mpi": ("#444444", "x", "-"), "memcpy2d_send": ("#adb5bd", "<", ":"), "memcpy2d_pipelined": ("#6c757d", ">", ":"),
          "cudaMemcpyPeer": ("black", "", "--"), "cudaMemcpy": ("black", "", "--"), "floor": ("black", "", "-."),
          "contiguous, host, by the MPI": ("#8d6a3f", "", "--"), "contiguous, device, by the MPI": ("#5f0f40", "", "--")}
COLUMNS = 5


def references(rows, memory):
    """{name: rows} of contiguous messages and copies, drawn as lines into every panel."""
    found = {}
    for row in rows:
        if row["case"] != "contiguous":
            continue
        if row["method"] == "memcpy" and memory == "device-device":
            name = "cudaMemcpyPeer" if row["gpus"] == 2 else "cudaMemcpy"
        elif row["method"] == "mpi":
            name = "contiguous, host, by the MPI"
        elif row["method"] == "mpi_device" and memory == "device-device":
            name = "contiguous, device, by the MPI"
        else:
            continue
        found.setdefault(name, []).append(row)
    return found


def panel(axis, rows, lines, value):
    series = {}
    for row in rows:
        series.setdefault(row["method"], []).append((row["size"], value(row)))
    for row in rows:
        if row["method"] == "automatic" and "floor_us" in row and row["size"] >= 16 << 20:
            series.setdefault("floor", []).append((row["size"], value({**row, "median_us": row["floor_us"]})))
    for name, members in lines.items():
        series[name] = [(row["size"], value(row)) for row in members]
    for name, points in series.items():
        color, marker, line = STYLES.get(name, ("#444444", ".", "-"))
        axis.plot(*zip(*sorted(points)), color=color, marker=marker, linestyle=line, label=name, markersize=4, linewidth=1.2,
                  zorder=4 if name == "automatic" else 3)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.yaxis.set_minor_formatter(ticker.NullFormatter())
    axis.xaxis.set_major_locator(ticker.LogLocator(base=16, numticks=20))
    axis.xaxis.set_major_formatter(lambda size, _: size_name(int(size)) if size >= 1 else "")
    axis.tick_params(labelsize=7)
    axis.grid(which="major", linewidth=0.3)


def figure_of(rows, memory, title, output):
    """Times above rates for each case, all at one scale."""
    chosen = [row for row in rows if row["memory"] == memory and row["direction"] == "pingpong"
              and (ours(row) or row["method"] in ("mpi", "memcpy2d_send", "memcpy2d_pipelined"))]
    cases = list(dict.fromkeys(row["case"] for row in chosen))
    if not cases:
        return
    lines = references(rows, memory)
    across = min(len(cases), COLUMNS)
    bands = -(-len(cases) // across)
    figure, axes = pyplot.subplots(2 * bands, across, figsize=(0.6 + 2.9 * across, 0.6 + 4.4 * bands), squeeze=False, sharex=True)
    kinds = [("half round trip, microseconds", lambda row: row["median_us"]), ("GB/s", rate)]
    for place in range(bands * across):
        band, column = divmod(place, across)
        for kind, (label, value) in enumerate(kinds):
            axis = axes[2 * band + kind, column]
            if place >= len(cases):
                axis.set_axis_off()
                continue
            if place > 0:
                axis.sharey(axes[kind, 0])
            panel(axis, [row for row in chosen if row["case"] == cases[place]], lines, value)
            axis.tick_params(labelleft=column == 0, labelbottom=kind == 1)
            if column == 0:
                axis.set_ylabel(label)
            if kind == 0:
                axis.set_title(cases[place], fontsize=9)
    legend(figure, title, STYLES, 2.3)
    save(figure, output, dpi=80)


def draw(result, output):
    groups = {}
    for row in result["rows"]:
        groups.setdefault((row["mpi"], row["gpus"]), []).append(row)
    machine = result["machine"]
    for (mpi, gpus), rows in groups.items():
        for memory in PAIRS:
            where = f"{gpus} GPU{'s' if gpus > 1 else ''} ({machine['gpu']})" if "device" in memory else machine["cpu"]
            name = f"{output.name}-{mpi.replace(' ', '-')}-{gpus}gpu-{memory}"
            figure_of(rows, memory, f"{memory}: {mpi}, {where}", output.with_name(name))


if __name__ == "__main__":
    main(__doc__, "pingpong.json", draw)
