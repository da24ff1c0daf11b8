# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""python -m typewarp: the program `typewarp`, which starts MPI programs with the preload library."""
import os
import sys

from ._installed import place


def main() -> None:
    try:
        program = place("bin", "typewarp")
    except FileNotFoundError as error:
        sys.exit(str(error))
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
