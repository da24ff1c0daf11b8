# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a figure shows: its panels, their lines, and the points of these; and how it is drawn (needs matplotlib)."""

from reporting import size_name

LIBRARY = "this library"
OURS = ("automatic", "typewarp")  # methods; rows of others stand among the baselines of these
PANELS_OF_A_ROW = 4


def times(figure, row):
    """{line: its value}"""
    if figure.lines:
        return figure.lines(row)
    if figure.line:
        return {figure.line(row): row[figure.value]}
    if row["direction"] == "traverse":
        return {"addresses alone": row["median_us"]}
    if row["method"] not in OURS:
        return {}
    floor = {"floor": row["floor_us"]} if "floor_us" in row else {}
    return {LIBRARY: row["median_us"], **row.get("baselines_us", {}), **floor}


def panels(figure, result):
    """{panel: {line: {x: value}}}"""
    found = {}
    for row in filter(figure.is_shown, result["rows"]):
        for line, value in times(figure, row).items():
            found.setdefault(figure.panel(row), {}).setdefault(line, {})[figure.x(row)] = value
    return found


def x_name(figure, x):
    return size_name(x) if isinstance(x, int) and "bytes" in figure.x_label and x >= 1024 else str(x)


def draw(figure, result, path):
    """Writes path.png; false where there is no matplotlib or nothing to draw."""
    found = panels(figure, result)
    try:
        import plotting
    except ImportError:
        return False
    if not found:
        return False
    columns = min(PANELS_OF_A_ROW, len(found))
    rows = -(-len(found) // columns)
    picture, axes = plotting.pyplot.subplots(rows, columns, figsize=(4.2 * columns, 3.2 * rows + 0.8), squeeze=False)
    colours = {}
    for axis, (panel, lines) in zip(axes.flat, found.items()):
        places = (
            sorted({x for points in lines.values() for x in points})
            if not is_text(lines)
            else list(dict.fromkeys(x for points in lines.values() for x in points))
        )
        for line, points in sorted(lines.items(), key=lambda item: item[0] != LIBRARY):
            colour = colours.setdefault(line, f"C{len(colours) % 10}")
            known = [x for x in places if x in points]
            axis.plot(
                [places.index(x) if is_text(lines) else x for x in known],
                [points[x] for x in known],
                marker="o",
                markersize=3,
                linestyle="none" if is_text(lines) else "-",
                linewidth=2 if line == LIBRARY else 1,
                color=colour,
                label=line,
            )
        axis.set_title(panel, fontsize="small")
        axis.set_yscale("log")
        axis.grid(alpha=0.3)
        axis.set_ylabel(figure.unit)
        if is_text(lines):
            axis.set_xticks(range(len(places)), places, rotation=30, ha="right", fontsize="x-small")
        else:
            axis.set_xscale("log", base=2)
            axis.xaxis.set_major_formatter(lambda x, _: x_name(figure, int(x)))
            axis.tick_params(axis="x", labelrotation=30, labelsize="small")
            axis.set_xlabel(figure.x_label, fontsize="small")
    for axis in axes.flat[len(found) :]:
        axis.remove()
    plotting.legend(picture, figure.title, [LIBRARY], 2.2)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(path.with_suffix(".png"), dpi=80)
    plotting.pyplot.close(picture)
    return True


def is_text(lines):
    return any(isinstance(x, str) for points in lines.values() for x in points)
