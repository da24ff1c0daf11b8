#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bench/results/<machine>/contention.json: for each case how many times as long the application and the move take at once as alone, by
method, as a PNG and an SVG beside it (needs matplotlib)."""
import pathlib
import sys

from matplotlib import ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plotting import legend, main, pyplot, save  # noqa: E402  (it stands one folder above)
from targets import application_over_alone, move_over_alone  # noqa: E402

# (name, value, colour, marker); a filled marker where the application is enqueued first, else a hollow one.
SERIES = (("application", application_over_alone, "#30638e", "o"), ("move", move_over_alone, "#d1495b", "s"))
LEAST = 0.9


def panel(axis, rows, methods):
    for name, value, colour, marker in SERIES:
        for order in dict.fromkeys(row["order"] for row in rows):
            first = order.startswith("application")
            points = [(max(value(row), LEAST), methods.index(row["method"])) for row in rows if row["order"] == order]
            axis.plot(*zip(*points), linestyle="", marker=marker, color=colour, fillstyle="full" if first else "none", markersize=6 if first else 8,
                      label=f"{name}, {order}")
    axis.axvline(1, color="black", linewidth=0.6)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.xaxis.set_minor_formatter(lambda number, _: "")
    axis.set_xlim(LEAST, max(2.2, axis.get_xlim()[1]))
    axis.grid(linewidth=0.3)


def figure_of(case, rows, machine, output):
    """A line of panels for each memory, a column for each kind of work."""
    works = list(dict.fromkeys(row["application"] for row in rows))
    memories = list(dict.fromkeys(row["memory"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))[::-1]
    figure, axes = pyplot.subplots(len(memories), len(works), squeeze=False, sharey=True, sharex="col",
                                   figsize=(2.5 + 1.9 * len(works), 1.3 + (0.5 + 0.22 * len(methods)) * len(memories)))
    for line, memory in zip(axes, memories):
        for axis, work in zip(line, works):
            panel(axis, [row for row in rows if (row["memory"], row["application"]) == (memory, work)], methods)
            axis.set_title(f"beside {work}", fontsize=9)
        line[0].set_yticks(range(len(methods)), methods, fontsize=8)
        line[0].set_ylim(-0.5, len(methods) - 0.5)
        line[0].set_ylabel(f"pack, {memory}")
    for axis in axes[-1]:
        axis.set_xlabel("times as long as alone", fontsize=8)
    legend(figure, f"contention: {case}, one process, {machine['gpu']}", [], 2.6)
    save(figure, output, dpi=80)


def draw(result, output):
    cases = {}
    for row in result["rows"]:
        if row["processes"] == "one process" and row["direction"] == "pack":
            cases.setdefault(row["case"], []).append(row)
    for case, rows in cases.items():
        figure_of(case, rows, result["machine"], output.with_name(f"{output.name}-{case.replace(' ', '-')}"))


if __name__ == "__main__":
    main(__doc__, "contention.json", draw)
