#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs an MPI program without and with the preloaded library, in all the ways in which it may be preloaded.

usage: run.py <libtypewarp_mpi.so> <core> <ranks> <expected count>... -- <launcher>... -- <program>...
Each run must print the same, in any order of lines, and nothing of ours unless it is asked for. An expected count reads
"MPI_Send 10", for each rank; "-MPI_Send" is one that must not be printed.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def split(words, separator="--"):
    first = words.index(separator)
    second = words.index(separator, first + 1)
    return words[:first], words[first + 1:second], words[second + 1:]


(library, core, ranks, *counts), launcher, program = split(sys.argv[1:])
ranks = int(ranks)


def run(**settings):
    """(sorted lines of stdout, stderr); the settings are for the ranks only, not for their launcher."""
    words = [f"{name}={value}" for name, value in settings.items()]
    command = [*launcher, "-n", str(ranks), "env", *words, *program]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TYPEWARP_")}
    for attempt in range(2):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240, check=False)
        # Open MPI's launcher gives up like this now and then, before it starts any program.
        if "PMIx server's listener thread failed to start" not in done.stderr:
            break
    expect(done.returncode == 0, f"exit status {done.returncode} with {settings}", done)
    return sorted(done.stdout.splitlines()), done.stderr


def expect(condition, what, seen):
    if not condition:
        sys.exit(f"{what}\n{seen}")


def expect_counts(err):
    for rank in range(ranks):
        for count in counts:
            if count.startswith("-"):
                expect(f"rank {rank}: {count[1:]} " not in err, f"unexpected: rank {rank}: {count[1:]}", err)
            else:
                expect(f"typewarp: rank {rank}: {count}\n" in err, f"missing: rank {rank}: {count}", err)


def main():
    # The oracle may lack what a program asks of the preloaded library: then only its own word counts.
    plain = run()[0] if program[-1] != "--no-oracle" else None
    if plain is None:
        program.pop()
    same = lambda out, how: expect(out and (plain is None or out == plain), f"{how}: prints something else", (plain, out))

    out, err = run(LD_PRELOAD=library)
    same(out, "preloaded")
    expect("typewarp" not in err, "prints though nobody asked", err)

    out, err = run(LD_PRELOAD=library, TYPEWARP_STATS=1, TYPEWARP_VERBOSE=1)
    same(out, "counted")
    expect(err.count(f"attached {core}\n") == ranks, "does not attach its core once a process", err)
    expect_counts(err)

    out, err = run(LD_PRELOAD=library, TYPEWARP_STATS=1, TYPEWARP_VERBOSE=1, TYPEWARP_DISABLE=1)
    same(out, "disabled")
    expect("TYPEWARP_DISABLE=1\n" in err and "rank 0:" not in err, "is not disabled", err)

    with tempfile.TemporaryDirectory() as folder:
        alone = shutil.copy(library, folder)
        out, err = run(LD_PRELOAD=alone, TYPEWARP_STATS=1, TYPEWARP_VERBOSE=1)
        same(out, "without core")
        beside = pathlib.Path(folder) / pathlib.Path(core).name
        expect(f"all calls go to the MPI: {beside}: " in err, "does not say why", err)

        shutil.copy(library, beside)
        out, err = run(LD_PRELOAD=alone, TYPEWARP_VERBOSE=1)
        same(out, "with a wrong core")
        expect(f"all calls go to the MPI: {beside} belongs to another version" in err, "does not say why", err)


if __name__ == "__main__":
    main()
