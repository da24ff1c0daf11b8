#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""`typewarp run` with an MPI's own launcher: the library is in all ranks of all programs, and nowhere else.

usage: real_launcher.py <typewarp> <libtypewarp_mpi.so> <program> -- <launcher>...
"""
import os
import subprocess
import sys

typewarp, library, program = sys.argv[1:4]
launcher = sys.argv[5:]


def run(*words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TYPEWARP_") and name != "LD_PRELOAD"}
    for attempt in range(2):
        done = subprocess.run([typewarp, "run", *words], capture_output=True, text=True, env=environment, timeout=120, check=False)
        # Open MPI's launcher gives up like this now and then, before it starts any program.
        if "PMIx server's listener thread failed to start" not in done.stderr:
            break
    return done


def expect(condition, what, done):
    if not condition:
        sys.exit(f"{what}: {done}")


def expect_counted(done, ranks):
    expect(done.returncode == 0, "fails", done)
    for rank in range(ranks):
        expect(done.stderr.count(f"typewarp: rank {rank}: MPI_Send: calls 10, ") == 1, f"rank {rank} has not the library", done)


def main():
    expect_counted(run("--stats", "--", *launcher, "-n", "3", program), 3)
    expect_counted(run("--stats", "--", *launcher, "-n", "1", program, ":", "-n", "2", program), 3)
    done = run("--stats", "--verbose", "--", *launcher, "-n", "2", "sh", "-c", 'test "$LD_PRELOAD" = "$0" && exit 5', library)
    expect(done.returncode == 5, "does not hand on the exit status, or not the library", done)
    done = run("--stats", "--", program)
    expect_counted(done, 1)


if __name__ == "__main__":
    main()
