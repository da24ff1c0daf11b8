# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""python -m typewarp: the program `typewarp`, which starts MPI programs with the preload library."""
import os
import sys

PACKAGE = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    program = os.path.join(PACKAGE, "bin", "typewarp")
    if not os.path.exists(program):
        sys.exit(f"typewarp: there is no {program}: the package was not installed as a wheel")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
