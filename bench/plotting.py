# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the plots of all benchmarks share: the backend, the command line, and the files of a figure (needs matplotlib)."""
import argparse
import json
import pathlib
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend must be chosen first)
from reporting import size_name  # noqa: E402

LETTERS_AN_INCH = 10  # of a title


def save(figure, path, dpi):
    """Writes the figure as a PNG and an SVG, `path` being their name without suffix, and closes it."""
    for suffix in ("png", "svg"):
        file = path.with_name(f"{path.name}.{suffix}")
        figure.savefig(file, dpi=dpi)
        print(f"wrote {file}")
    pyplot.close(figure)


def over_size(axis, title):
    """Makes it a panel of times over bytes, both by powers."""
    axis.set_title(title, fontsize="small")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.xaxis.set_major_formatter(lambda value, _: size_name(int(value)))
    axis.tick_params(axis="x", labelrotation=30, labelsize="small")
    axis.grid(alpha=0.3)


def legend(figure, title, order, column_inches):
    """Puts the title, and one legend for all panels, above them: first the names in `order`, then all others. A column of
    it takes about `column_inches`. A long title takes several lines."""
    entries = {}
    for axis in figure.axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    names = [name for name in order if name in entries] + [name for name in entries if name not in order]
    width, height = figure.get_size_inches()
    columns = max(2, min(len(names), int(width / column_inches)))
    lines = -(-len(names) // columns)
    titles = textwrap.wrap(title, int(LETTERS_AN_INCH * width))
    top = 0.25 + 0.2 * (len(titles) - 1)
    figure.text(0.5, 1 - 0.05 / height, "\n".join(titles), ha="center", va="top", size="large", in_layout=False)
    figure.legend([entries[name] for name in names], names, loc="upper center", bbox_to_anchor=(0.5, 1 - top / height),
                  ncols=columns, frameon=False).set_in_layout(False)
    figure.tight_layout(rect=(0, 0, 1, 1 - (top + 0.15 + 0.25 * lines) / height))


def main(description, result, draw):
    """The program: calls draw(what stands in the `result` named on the command line, output name without suffix)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("result", type=pathlib.Path, help=f"a {result}")
    parser.add_argument("--output", type=pathlib.Path, help="name without suffix (default: beside the result)")
    arguments = parser.parse_args()
    draw(json.loads(arguments.result.read_text(encoding="utf-8")), arguments.output or arguments.result.with_suffix(""))
