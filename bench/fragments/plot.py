#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bench/results/<machine>/fragments.json: for each MPI the time of messages over the length of their fragments, measured and predicted, as
a PNG and an SVG beside it (needs matplotlib)."""
import pathlib
import sys

from matplotlib import ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plotting import legend, main, pyplot, save  # noqa: E402  (it stands one folder above)
from run import size_name  # noqa: E402

# (name, value, colour, marker, line)
SERIES = (("measured", "median_us", "#d1495b", "o", "-"), ("predicted: the pace of the slowest stage", "predicted_us", "#30638e", "", "--"),
          ("predicted: all stages as slow, (n+2) T(N/n)", "paper_us", "#30638e", "", ":"))


def panel(axis, rows):
    swept = sorted((row for row in rows if row["built_in"] == "no"), key=lambda row: row["fragment"])
    for name, value, colour, marker, line in SERIES:
        points = [(row["fragment"], row[value] / 1e3) for row in swept if value in row]
        if points:
            axis.plot(*zip(*points), color=colour, marker=marker, linestyle=line, markersize=4, label=name)
    for row in rows:
        if row["built_in"] == "yes":
            axis.plot(row["fragment"], row["median_us"] / 1e3, color="black", marker="*", linestyle="", markersize=10, label="as built in", zorder=4)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.xaxis.set_major_locator(ticker.LogLocator(base=4, numticks=20))
    axis.xaxis.set_major_formatter(lambda size, _: size_name(int(size)) if size >= 1024 else "")
    axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.yaxis.set_minor_formatter(ticker.NullFormatter())
    axis.tick_params(labelsize=7)
    axis.tick_params(axis="x", rotation=45)
    axis.grid(which="major", linewidth=0.3)


def figure_of(rows, title, output):
    """A line of panels for each method, a column for each length of message."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    sizes = sorted({row["size"] for row in rows})
    figure, axes = pyplot.subplots(len(methods), len(sizes), squeeze=False, figsize=(0.8 + 3.2 * len(sizes), 0.9 + 2.6 * len(methods)))
    for line, method in zip(axes, methods):
        for axis, size in zip(line, sizes):
            panel(axis, [row for row in rows if (row["method"], row["size"]) == (method, size)])
            axis.set_title(f"{method}, {size_name(size)}", fontsize=9)
        line[0].set_ylabel("half round trip, ms")
    for axis in axes[-1]:
        axis.set_xlabel("length of fragments", fontsize=8)
    legend(figure, title, [name for name, *_ in SERIES], 3.5)
    save(figure, output, dpi=80)


def draw(result, output):
    machine = result["machine"]
    for mpi in machine["mpis"]:
        rows = [row for row in result["rows"] if row["mpi"] == mpi and row["method"] in ("pipelined", "direct")]
        if rows:
            where = f"{rows[0]['gpus']} GPUs ({machine['gpu']})" if rows[0]["memory"] == "device" else machine["cpu"]
            figure_of(rows, f"8 B blocks: {mpi}, {where}", output.with_name(f"{output.name}-{mpi}"))


if __name__ == "__main__":
    main(__doc__, "fragments.json", draw)
