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
import report  # noqa: E402
from figures import FIGURES  # noqa: E402
from recording import RECORD, Record, machine_name  # noqa: E402  (it stands one folder above)
from running import ROOT  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--bin",
        type=pathlib.Path,
        default=ROOT / "build/release/bin",
        help="folder of the programs (default: %(default)s)",
    )
    parser.add_argument("--machine", default=machine_name(), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--folder", type=pathlib.Path, help="default: bench/results/<machine>/papers")
    parser.add_argument(
        "--seconds", type=float, default=560, help="for all figures that are measured now (default: %(default)s)"
    )
    parser.add_argument("--only", default="", help="figures, with commas between")
    parser.add_argument("--again", action="store_true", help="measure also what is finished")
    parser.add_argument("--list", action="store_true", help="say which figures there are")
    parser.add_argument("--report", action="store_true", help="only make the report of what is there")
    arguments = parser.parse_args()
    arguments.bin = arguments.bin.resolve()
    arguments.folder = (arguments.folder or ROOT / "bench/results" / arguments.machine / "papers").resolve()
    arguments.only = list(filter(None, arguments.only.split(",")))
    built = [figure.name for figure in FIGURES if not figure.missing]
    for name in arguments.only:
        if name not in built:
            parser.error(f"--only {name}: no such figure, or not built yet (--list)")
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.list:
        for figure in FIGURES:
            print(f"{figure.name:<20} {figure.title}{f' (not built yet: {figure.missing})' if figure.missing else ''}")
        return
    record = Record(
        arguments.folder,
        [figure.piece(arguments.bin) for figure in FIGURES if not figure.missing],
        "bench/papers/run.py",
    )
    wanted = arguments.only or [piece.name for piece in record.pieces]
    if not arguments.report:
        record.remove(lambda file, stranger: stranger or (arguments.again and file.removesuffix(".json") in wanted))
        record.run(arguments.seconds, True, wanted)
    paths = report.write(FIGURES, record)
    result = record.write()
    for text in (*result["stopped"], *result["failed"], *result["skipped"]):
        print(text)
    print(f"wrote {arguments.folder / RECORD}, {paths[0]} and {paths[1]}")
    if result["failed"]:
        sys.exit(f"{len(result['failed'])} figures failed, see above")


if __name__ == "__main__":
    main()
