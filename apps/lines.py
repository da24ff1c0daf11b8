#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts, in the sources of the programs, the lines of code that each way to move their data takes.

usage: apps/lines.py [program...]
"""
import pathlib
import re
import sys

APPS = pathlib.Path(__file__).resolve().parent
BY_HAND = "hand"

# The files that a way needs, and that not all ways need. So the kernel of hacc counts, with which only the way by hand packs, and those
# of lammps do not, which all ways need to compute forces and to keep atoms in order. Two programs exchange ghost cells of planes by the
# same code.
HALO = {
    BY_HAND: ["../common/halo/by_hand.cpp", "../common/halo/pack.hpp", "../common/halo/sides.hpp"],
    "mpi": ["../common/halo/by_mpi.cpp", "../common/halo/datatype.hpp", "../common/datatype.hpp", "../common/halo/sides.hpp"],
    "typewarp": ["../common/halo/by_typewarp.cpp"],
}
FILES = {
    "stencil2d": {
        BY_HAND: ["halo/halo_by_hand.hpp", "halo/halo_by_hand.cpp"],
        "mpi": ["halo/halo_by_mpi.hpp", "halo/halo_by_mpi.cpp", "../common/datatype.hpp"],
        "typewarp": ["halo/halo_by_typewarp.hpp", "halo/halo_by_typewarp.cpp"],
    },
    "hacc": {
        BY_HAND: ["carrier/by_hand.hpp", "carrier/by_hand.cpp", "carrier/member_table.hpp", "gpu/gpu.hpp", "gpu/gpu.cu",
                  "carrier/staged.hpp", "carrier/staged.cpp"],
        "members": ["carrier/by_members.hpp", "carrier/by_members.cpp", "carrier/staged.hpp", "carrier/staged.cpp"],
        "mpi": ["carrier/by_mpi.hpp", "carrier/by_mpi.cpp", "carrier/datatype.hpp", "carrier/datatype.cpp"],
        "typewarp": ["carrier/by_typewarp.hpp", "carrier/by_typewarp.cpp", "carrier/datatype.hpp", "carrier/datatype.cpp",
                     "carrier/staged.hpp", "carrier/staged.cpp"],
    },
    "dycore": HALO,
    "hydro": HALO,
    "lammps": {
        BY_HAND: ["move/by_hand.hpp", "move/by_hand.cpp", "move/staging.hpp"],
        "mpi": ["move/by_mpi.hpp", "move/by_mpi.cpp", "move/datatype.hpp", "move/datatype.cpp"],
        "messages": ["move/by_messages.hpp", "move/by_messages.cpp", "move/datatype.hpp", "move/datatype.cpp"],
        "exchange": ["move/by_exchange.hpp", "move/by_exchange.cpp", "move/by_messages.hpp", "move/by_messages.cpp", "move/datatype.hpp",
                     "move/datatype.cpp"],
        "put": ["move/by_put.hpp", "move/by_put.cpp", "move/mapped_arrays.hpp", "move/mapped_arrays.cpp"],
    },
}


# Lines that only tell the time of what a way does.
TIMING = re.compile(r"watch\.|(apps::)?\w*[Ww]atch watch\b|times\[|#include \"[\w/]*watch\.hpp\"")


def code_lines(text):
    """Lines that are neither empty nor comment, nor there to measure."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("//") and not TIMING.match(line)]


def code_of(program, way):
    """The lines that a way of a program takes."""
    texts = ((APPS / program / file).read_text(encoding="utf-8") for file in FILES[program][way])
    return [line for text in texts for line in code_lines(text)]


def count(program):
    """The lines of each way of a program."""
    return {way: len(code_of(program, way)) for way in FILES[program]}


def main(programs):
    for program in programs or FILES:
        lines = count(program)
        print(program)
        for way, number in lines.items():
            print(f"  {way:10} {number:5} lines, {number / lines[BY_HAND]:4.0%} of those by hand")


if __name__ == "__main__":
    main(sys.argv[1:])
