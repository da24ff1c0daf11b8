#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the figures and tables of the papers, as far as this machine can, and reports whether what the papers say
of them holds here.

Writes <folder>/<figure>.json for each, record.json, and the report: report.md with its pictures, and report.html,
which is one file. What is finished stays, if it is of the same sources and the same kind of machine; what was cut
goes on. So call it again until nothing is left.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import recording  # noqa: E402  (it stands one folder above)
import report  # noqa: E402
from figures import FIGURES  # noqa: E402

FOLDER = "{}/papers"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    recording.add_options(parser, FOLDER, "figures")
    parser.add_argument("--again", action="store_true", help="measure also what is finished")
    parser.add_argument("--list", action="store_true", help="say which figures there are")
    parser.add_argument(
        "--report", action="store_true", help="only make the report of what is there, wherever it was measured"
    )
    parser.add_argument(
        "--also",
        type=pathlib.Path,
        action="append",
        default=[],
        help="a folder of other machines: the report takes from it what was not measured on this one",
    )
    arguments = parser.parse_args()
    recording.fill_in(arguments, FOLDER)
    for name in arguments.only:
        if name not in [figure.name for figure in FIGURES]:
            parser.error(f"--only {name}: no such figure (--list)")
    for folder in arguments.also:
        if recording.read(folder / recording.RECORD) is None:
            parser.error(f"--also {folder}: has no {recording.RECORD}")
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.list:
        for figure in FIGURES:
            print(f"{figure.name:<20} {figure.title}")
        return
    pieces = [figure.piece(arguments.bin) for figure in FIGURES]
    record = recording.Record(arguments.folder, pieces, "bench/papers/run.py", as_kept=arguments.report)
    wanted = arguments.only or [piece.name for piece in record.pieces]
    if not arguments.report:
        record.remove(lambda file, stranger: stranger or (arguments.again and file.removesuffix(".json") in wanted))
        record.run(arguments.seconds, True, wanted)
    others = [recording.Record(folder.resolve(), pieces, "", as_kept=True) for folder in arguments.also]
    paths = report.write(FIGURES, [record, *others])
    result = record.write()
    recording.end(result, f"{arguments.folder / recording.RECORD}, {paths[0]} and {paths[1]}", "figures")


if __name__ == "__main__":
    main()
