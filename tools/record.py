#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Records everything that has results, on this machine: the pieces of tools/record.toml, one after the other.

A call begins only pieces that end in its time, so call it again, here or on another machine of the same kind, until
nothing is left: what is finished stays, what was cut goes on. It refuses to mix sources: with files of others there
it does nothing, and with --again it takes those away first. record.json in the folder says of each piece whether it
is finished, cut, failed, missing, or cannot be run here.
"""

import argparse
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import recording  # noqa: E402  (it stands there)

FOLDER = "{}"
BUILD = (
    ". tools/common.sh; tools/setup.sh; . tools/path.sh; cuda=$(command -v nvcc >/dev/null && echo ON || echo OFF); "
    "configure release -DTYPEWARP_CUDA=$cuda -DTYPEWARP_NIGHTLY=ON; "
    'cmake --build --preset release -j "$jobs" --target all bench/all'
)


def read_pieces(arguments):
    known = {
        "bin": arguments.bin,
        "root": ROOT,
        "python": sys.executable,
        "machine": arguments.machine,
        "seconds": "{seconds}",
        "output": "{output}",
        "folder": "{folder}",
    }

    def filled(words):
        return [word.format(**known) for word in words]

    for entry in tomllib.loads(arguments.pieces.read_text(encoding="utf-8"))["piece"]:
        yield recording.Piece(
            **{
                **entry,
                "command": filled(entry["command"].split()),
                "needs": filled(entry.get("needs", [])),
                "resume": filled(entry.get("resume", [])),
                "file": entry.get("file", "").format(**known),
            }
        )


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    recording.add_options(parser, FOLDER, "pieces")
    parser.add_argument("--build", action="store_true", help="set up and build first what is to be measured")
    parser.add_argument(
        "--again", action="store_true", help="take away what is of other sources or machines, and what --only names"
    )
    parser.add_argument("--list", action="store_true", help="only say what the state of each piece is")
    parser.add_argument("--pieces", type=pathlib.Path, default=ROOT / "tools/record.toml", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    recording.fill_in(arguments, FOLDER)
    arguments.all = list(read_pieces(arguments))
    names = [piece.name for piece in arguments.all]
    if len(names) != len(set(names)):
        parser.error(f"--pieces: two of them have one name: {', '.join(names)}")
    for name in arguments.only:
        if name not in names:
            parser.error(f"--only {name}: no such piece: {', '.join(names)}")
    return arguments


def main():
    arguments = parse_arguments()
    record = recording.Record(arguments.folder, arguments.all, "tools/record.py")
    if arguments.list:
        for piece in arguments.all:
            print(f"{piece.name:<20} {': '.join(filter(None, record.state(piece)))}")
        return
    chosen = {piece.file for piece in arguments.all if piece.name in arguments.only}
    if arguments.again:
        record.remove(lambda file, stranger: stranger or file in chosen)
    elif record.strangers():
        sys.exit(
            f"{arguments.folder}: of other sources or machines: {', '.join(record.strangers())}: "
            "--again takes them away, "
            "--folder or --machine names another folder"
        )
    if arguments.build:
        subprocess.run(["bash", "-c", BUILD, str(ROOT / "tools/record.py")], cwd=ROOT, check=True)
    result = record.run(arguments.seconds, False, arguments.only or [piece.name for piece in arguments.all])
    left = "complete" if result["complete"] else "call again for the rest"
    recording.end(result, f"{arguments.folder / recording.RECORD}: {left}", "pieces")


if __name__ == "__main__":
    main()
