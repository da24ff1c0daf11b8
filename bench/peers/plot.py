#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result of bench/peers: time over size, what blocks above what a stream orders (needs matplotlib)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import plotting  # noqa: E402  (it stands one folder above)
from cases import NAMES  # noqa: E402
from plotting import pyplot  # noqa: E402
from report import LINK, by_case, is_ours  # noqa: E402

KINDS = ("contiguous", "vector-8", "face-x")
CALLINGS = {"blocking": "calls that block", "burst": "ordered by a stream"}
OURS = ("tab:blue", "tab:cyan", "tab:purple", "navy", "teal", "slateblue", "deepskyblue")
THEIRS = ("tab:orange", "tab:red", "tab:green", "tab:brown", "tab:olive", "tab:pink", "black")


def colours(ways):
    """Of all panels: ours are blue."""
    ours = [way for way in ways if is_ours(way)]
    theirs = [way for way in ways if not is_ours(way)]
    return {way: palette[i % len(palette)] for names, palette in ((ours, OURS), (theirs, THEIRS)) for i, way in enumerate(names)}


def panel(axis, found, calling, kind, link, colour):
    lines = {}
    for (called, case, size, _), ways in found.items():
        if (called, case) == (calling, kind):
            for way, row in ways.items():
                lines.setdefault(way, []).append((size, row["median_us"]))
    for way, points in sorted(lines.items(), key=lambda line: not is_ours(line[0])):
        axis.plot(*zip(*sorted(points)), marker="o", markersize=3, color=colour[way], linewidth=2 if is_ours(way) else 1, label=way)
    sizes = [size for points in lines.values() for size, _ in points]
    limit = [point for point in link if sizes and min(sizes) <= point[0] <= max(sizes)]
    if limit:
        axis.plot(*zip(*limit), color="grey", linestyle="--", linewidth=1, label=f"the link: {LINK}, contiguous")
    plotting.over_size(axis, f"{NAMES[kind]}: {CALLINGS[calling]}")


def draw(result, path):
    rows = [row for row in result["rows"] if row["ranks"] == 2 and row["case"] in KINDS]
    found = by_case(rows)
    colour = colours(list(dict.fromkeys(way for ways in found.values() for way in ways)))
    link = sorted((row["size"], row["median_us"]) for row in rows if row["way"] == LINK and row["case"] == "contiguous")
    figure, axes = pyplot.subplots(len(CALLINGS), len(KINDS), figsize=(13, 7.5), squeeze=False)
    for line, calling in zip(axes, CALLINGS):
        for axis, kind in zip(line, KINDS):
            panel(axis, found, calling, kind, link, colour)
        line[0].set_ylabel("half a round trip, us")
    plotting.legend(figure, f"Messages between two GPUs, {result['machine'].get('gpu') or result['machine']['cpu']}", list(colour), 3.2)
    plotting.save(figure, path.with_name(f"{path.name}-messages"), 110)


if __name__ == "__main__":
    plotting.main(__doc__, "bench/results/<machine>/peers.json", draw)
