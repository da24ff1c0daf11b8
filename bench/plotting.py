# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the plots of all benchmarks share: the backend, the command line, and the files of a figure (needs matplotlib)."""
import argparse
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend must be chosen first)


def save(figure, path, dpi):
    """Writes the figure as a PNG and an SVG, `path` being their name without suffix, and closes it."""
    for suffix in ("png", "svg"):
        file = path.with_name(f"{path.name}.{suffix}")
        figure.savefig(file, dpi=dpi)
        print(f"wrote {file}")
    pyplot.close(figure)


def main(description, result, draw):
    """The program: calls draw(what stands in the `result` named on the command line, output name without suffix)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("result", type=pathlib.Path, help=f"a {result}")
    parser.add_argument("--output", type=pathlib.Path, help="name without suffix (default: beside the result)")
    arguments = parser.parse_args()
    draw(json.loads(arguments.result.read_text(encoding="utf-8")), arguments.output or arguments.result.with_suffix(""))
