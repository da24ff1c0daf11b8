#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bench/results/<machine>/pack.json: a PNG and an SVG for each figure, beside it (needs matplotlib)."""
import math
import pathlib
import re
import sys

from matplotlib import ticker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plotting import legend, main, pyplot, save  # noqa: E402  (it stands one folder above)

STYLES = {"typewarp": ("#d1495b", "o", "-"), "typewarp generic": ("#e8a0a8", "o", "-"), "typewarp persistent": ("#8a1c2b", "s", "-"),
          "address finding alone": ("#7a5195", "^", "-"), "hand": ("#00798c", "x", "-"), "hand_naive": ("#66b2bd", "x", ":"),
          "torch": ("#edae49", "D", "-"), "memcpy2d": ("#30638e", "v", "-"), "memcpy3d": ("#00798c", "^", "-"),
          "memcpy_batch": ("#6c757d", "<", ":"), "memcpy_blocks": ("#adb5bd", ">", ":"), "yaksa": ("#5f0f40", "P", "-"),
          "pack_unpack": ("#2a9d8f", "x", "-"), "one_call_each": ("#00798c", "x", "-"), "struct_of_all": ("#2a9d8f", "v", "-"),
          "floor": ("black", "|", "--")}
WAYS = [("pack", "device"), ("unpack", "device"), ("pack", "pinned"), ("unpack", "pinned")]
SIZE_UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def size_name(size):
    unit = next(unit for unit in reversed(SIZE_UNITS) if size >= SIZE_UNITS[unit] or unit == "B")
    return f"{size / SIZE_UNITS[unit]:.3g} {unit}"


def times(row):
    """{series: microseconds} of a row."""
    name = "typewarp" if row["method"] == "automatic" else f"typewarp {row['method']}"
    if row["direction"] == "traverse":
        return {"address finding alone": row["median_us"]}
    found = {name: row["median_us"], **row["baselines_us"]}
    if "floor_us" in row:
        found["floor"] = row["floor_us"]
    return found


def style(name):
    color, marker, line = STYLES.get(name, ("#444444", ".", "-"))
    return {"color": color, "marker": marker, "linestyle": line, "label": name, "zorder": 4 if name == "typewarp" else 3}


def finish(figure, result, name, output):
    """Puts the title and one legend for all panels above them, and writes the files."""
    legend(figure, f"{name}, {result['machine']['gpu']}", STYLES, 1.7)
    save(figure, output.with_name(f"{output.name}-{name}"), dpi=90)


def decades(axis, largest):
    """A logarithmic axis of times that ends soon above `largest`, whatever slow series run out of it, with labels that fit."""
    low, high = axis.get_view_interval()
    high = min(high, 30 * largest)
    axis.set_view_interval(low, high, ignore=True)
    subs = (1, 2, 5) if high < 50 * low else (1,)
    axis.set_major_locator(ticker.LogLocator(subs=subs))
    axis.set_major_formatter(lambda time, _: f"{time:g}" if time < 1e5 else f"{time:.0e}")
    axis.set_minor_formatter(ticker.NullFormatter())


def ours(panel_times):
    return [time for series, found in panel_times.items() if series.startswith(("typewarp", "floor")) for time in found]


def curves(result, name, rows, place, x_label, output):
    """One line of panels a family of at least two points, one panel a direction and memory. `place` gives (family, x) of a row,
    or None."""
    panels = {}
    for row in rows:
        placed = place(row)
        if placed:
            direction = "pack" if row["direction"] == "traverse" else row["direction"]
            panel = panels.setdefault((placed[0], (direction, row["memory"])), {})
            for series, time in times(row).items():
                panel.setdefault(series, {})[placed[1]] = time
    points = {}
    for (family, _), panel in panels.items():
        points.setdefault(family, set()).update(x for series in panel.values() for x in series)
    families = [family for family, found in points.items() if len(found) > 1]
    ways = [way for way in WAYS if any(way == found for _, found in panels)]
    if not families:
        return
    figure, axes = pyplot.subplots(len(families), len(ways), figsize=(4.2 * len(ways), 2.7 * len(families)), squeeze=False)
    for line, family in zip(axes, families):
        for axis, way in zip(line, ways):
            for series, points in panels.get((family, way), {}).items():
                axis.plot(*zip(*sorted(points.items())), markersize=4, linewidth=1.2, **style(series))
            axis.set_xscale("log", base=2)
            axis.set_yscale("log")
            panel = {series: points.values() for series, points in panels.get((family, way), {}).items()}
            decades(axis.yaxis, max(ours(panel), default=1))
            axis.set_title(f"{family}: {way[0]}, {way[1]}", fontsize=9)
            axis.grid(which="major", linewidth=0.3)
            if x_label == "packed bytes":
                axis.xaxis.set_major_formatter(lambda x, _: size_name(x))
                axis.tick_params(axis="x", labelsize=7, rotation=30)
            else:
                axis.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        line[0].set_ylabel("microseconds")
    for axis in axes[-1]:
        axis.set_xlabel(x_label)
    finish(figure, result, name, output)


def dots(result, name, rows, output):
    """One panel a direction and memory, one line a case."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    ways = list(dict.fromkeys((row["direction"], row["memory"]) for row in rows))
    if not cases:
        return
    figure, axes = pyplot.subplots(1, len(ways), figsize=(3.5 + 4 * len(ways), 1.5 + 0.22 * len(cases)), squeeze=False,
                                   sharey=True)
    for axis, way in zip(axes[0], ways):
        points = {}
        for row in rows:
            if (row["direction"], row["memory"]) == way:
                for series, time in times(row).items():
                    points.setdefault(series, []).append((time, cases.index(row["case"])))
        for series, found in points.items():
            look = {**style(series), "linestyle": "", "markersize": 10 if series == "floor" else 6}
            axis.plot(*zip(*found), markeredgewidth=1.5, **look)
        axis.set_xscale("log")
        decades(axis.xaxis, math.inf)
        axis.set_xlabel("microseconds")
        axis.set_title(f"{way[0]}, {way[1]}", fontsize=9)
        axis.grid(linewidth=0.3)
    axes[0, 0].set_yticks(range(len(cases)), cases, fontsize=8)
    axes[0, 0].set_ylim(len(cases) - 0.5, -0.5)
    finish(figure, result, name, output)


def family_and_size(row):
    return row["case"].rsplit("/", 1)[0], row["packed_bytes"]


def family_and_edge(row):
    family, edge = row["case"].rsplit("/", 1)
    return family, int(edge)


def swept(row):
    """Block length or stride of fig6's "block/8-s512/1MiB"."""
    sweep, block, stride, size = re.fullmatch(r"(\w+)/(\d+)-s(\d+)/(\w+)", row["case"]).groups()
    if sweep == "count":
        return f"block length of 1,024 blocks at stride {stride} B", int(block)
    if sweep == "narrow":
        return f"block length at stride {stride} B, {size}", int(block)
    return (f"block length at stride 512 B, {size}", int(block)) if sweep in ("block", "fixed") else (f"stride of 8 B, {size}", int(stride))


def tempi_block(row):
    found = re.fullmatch(r"2d-(\d+)-s(\d+)(-twice)?/(\w+)", row["case"])
    return (f"stride {size_name(int(found[2]))}, {'2 items of ' if found[3] else ''}{found[4]}", int(found[1])) if found else None


CURVES = {"fig4": (family_and_size, "packed bytes"), "fig6": (swept, "bytes"), "table2": (family_and_edge, "edge"),
          "fig7": (family_and_size, "packed bytes"), "beyond": (family_and_size, "packed bytes"),
          "tempi": (tempi_block, "block length in bytes")}


def draw(result, output):
    figures = {}
    for row in result["rows"]:
        figures.setdefault(row["figure"], []).append(row)
    for name, rows in figures.items():
        if name in CURVES:
            curves(result, name, rows, *CURVES[name], output)
        elif name == "ddtbench":
            for copies in dict.fromkeys(row["case"].rsplit(" ", 1)[1] for row in rows):
                dots(result, f"{name}-{copies}", [row for row in rows if row["case"].endswith(" " + copies)], output)
        else:
            dots(result, name, rows, output)
        if name == "tempi":
            dots(result, "tempi-3d", [row for row in rows if tempi_block(row) is None], output)


if __name__ == "__main__":
    main(__doc__, "pack.json", draw)
