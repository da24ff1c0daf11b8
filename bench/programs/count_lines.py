#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts, as a result, the lines of code that move the data of each program: with memory of GPUs staged by hand, and handed to
plain MPI calls."""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "apps")]
from lines import FILES, count  # noqa: E402  (it stands among the programs)
from parts import write_result  # noqa: E402
from reporting import table  # noqa: E402

WAYS = ("hand", "mpi")  # before and after


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    rows = [
        {"case": program, "direction": "lines", "method": way, "lines": count(program)[way]}
        for program in FILES
        for way in WAYS
    ]
    write_result(arguments.output, [], "bench/programs/count_lines.py", [], rows)
    table(["program, way", "lines"], [[f"{row['case']}, {row['method']}", str(row["lines"])] for row in rows])


if __name__ == "__main__":
    main()
