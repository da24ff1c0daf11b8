#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Nothing that is preloaded leaves work for the end of the process: no object of static lifetime has a destructor.

Such a destructor runs in exit(), in some order among those of the program, whose own may still call the MPI. Compilers register it by
__cxa_atexit, so no object file may ask for that one.

usage: tests/repository/exit_destructors.py <nm> <build folder>
"""
import json
import pathlib
import subprocess
import sys

# Programs, and what is linked into programs alone.
NOT_PRELOADED = {"cli", "capi"}


def preloaded(build):
    """Object files of the folders of src that the preload library holds."""
    for command in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        made = build / command["output"]
        parts = made.relative_to(build).parts
        if parts[0] == "src" and parts[1] not in NOT_PRELOADED and made.exists():
            yield made


def main():
    nm, build = sys.argv[1], pathlib.Path(sys.argv[2])
    objects = sorted(preloaded(build))
    if not objects:
        sys.exit(f"{build}: has no object file of src")
    found = []
    for start in range(0, len(objects), 100):
        listed = subprocess.run([nm, "-A", "--undefined-only", *objects[start:start + 100]], capture_output=True, text=True, check=True)
        found += [line for line in listed.stdout.splitlines() if line.endswith("__cxa_atexit")]
    print(f"{len(objects)} object files")
    sys.exit("\n".join(f"{line.split(':')[0]}: has an object of static lifetime with a destructor" for line in found) or None)


if __name__ == "__main__":
    main()
