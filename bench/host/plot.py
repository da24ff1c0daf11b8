#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Draws bench/results/<machine>/host.json: how many times faster than each MPI, case by case (needs matplotlib)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plotting import main, pyplot, save  # noqa: E402  (it stands one folder above)

COLORS = {"openmpi": "#d1495b", "mpich": "#00798c"}


def groups(rows):
    """{(direction, mpi): {case: speed-up}} on one thread."""
    found = {}
    for row in rows:
        if row["method"] == "typewarp-1t":
            (baseline, time), = row["baselines_us"].items()
            found.setdefault((row["direction"], baseline.split()[0]), {})[row["case"]] = time / row["median_us"]
    return found


def draw(result, output):
    found = groups(result["rows"])
    directions = sorted({direction for direction, _ in found})
    names = list(dict.fromkeys(row["case"] for row in result["rows"]))
    figure, axes = pyplot.subplots(len(directions), 1, figsize=(16, 4.5 * len(directions)), sharex=True, squeeze=False)
    for axis, direction in zip(axes[:, 0], directions):
        for (where, mpi), speedups in sorted(found.items()):
            if where == direction:
                axis.plot([names.index(name) for name in speedups], list(speedups.values()), "o", markersize=4,
                          color=COLORS.get(mpi.split("-")[0]), label=mpi)
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_yscale("log")
        axis.set_ylabel(f"{direction}: times faster than the MPI")
        axis.grid(axis="y", which="both", linewidth=0.3)
        axis.legend(loc="upper left")
    axes[-1, 0].set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes[-1, 0].set_xlim(-1, len(names))
    axes[0, 0].set_title(f"Host engine, one thread, {result['machine']['cpu']}")
    figure.tight_layout()
    save(figure, output, dpi=120)


if __name__ == "__main__":
    main(__doc__, "host.json", draw)
