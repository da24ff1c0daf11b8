#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs an MPI program without and with the preloaded library, in all the ways in which it may be preloaded.

usage: run.py <libtypewarp_mpi.so> <core> <ranks> <expected count>... -- <launcher>... -- <program>...
Each run must print the same, in any order of lines, and nothing of ours unless it is asked for. An expected count reads
"MPI_Send: calls 10", for each rank; "-MPI_Send:" is one that must not be printed.
"""
import pathlib
import re
import shutil
import sys
import tempfile

from launching import launch, split, with_settings

(library, core, ranks, *counts), launcher, program = split(sys.argv[1:])
ranks = int(ranks)


def run(**settings):
    """(sorted lines of stdout, stderr); the settings are for the ranks only, not for their launcher."""
    with tempfile.TemporaryDirectory() as folder:
        # Of each rank in a file: launchers forward it in pieces, between which others break lines.
        apart = ["sh", "-c", f'exec "$0" "$@" 2>"{folder}/$$"']
        done = launch([*launcher, "-n", str(ranks), *apart, *with_settings(program, settings)], timeout=240)
        told = done.stderr + "".join(file.read_text(errors="replace") for file in sorted(pathlib.Path(folder).iterdir()))
    if done.returncode == 77:
        print("skipped: this MPI lacks what the program calls")
        sys.exit(77)
    expect(done.returncode == 0, f"exit status {done.returncode} with {settings}", (done, told))
    return sorted(done.stdout.splitlines()), told


def expect(condition, what, seen):
    if not condition:
        sys.exit(f"{what}\n{seen}")


def expect_counts(err):
    for rank in range(ranks):
        for count in counts:
            if count.startswith("-"):
                expect(not re.search(rf"rank {rank}: (.*, )?{re.escape(count[1:])} ", err), f"unexpected: rank {rank}: {count[1:]}", err)
                continue
            heading, number = count.split(": ")
            line = rf"^typewarp: rank {rank}: {re.escape(heading)}: (.*, )?{re.escape(number)}(,|$)"
            expect(re.search(line, err, re.MULTILINE), f"missing: rank {rank}: {count}", err)


def expect_merged(err):
    """One account of all ranks, each of which has the same counts."""
    expect("typewarp: rank" not in err, "ranks tell what is to be merged", err)
    for count in counts:
        if count.startswith("-"):
            continue
        heading, number = count.split(": ")
        label, _, each = number.rpartition(" ")
        line = rf"^typewarp: {ranks} ranks: {re.escape(heading)}: (.*, )?{label} {int(each) * ranks}"
        line += rf" \({each} to {each}\)(,|$)" if ranks > 1 else "(,|$)"
        expect(len(re.findall(line, err, re.MULTILINE)) == 1, f"missing: {count}, merged", err)


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

    out, err = run(LD_PRELOAD=library, TYPEWARP_STATS="merged")
    same(out, "counted together")
    expect_merged(err)

    out, err = run(LD_PRELOAD=library, TYPEWARP_STATS=1, TYPEWARP_VERBOSE=1, TYPEWARP_DISABLE=1)
    same(out, "disabled")
    expect("TYPEWARP_DISABLE=1\n" in err and "rank 0:" not in err, "is not disabled", err)

    with tempfile.TemporaryDirectory() as folder:
        alone = shutil.copy(library, folder)
        out, err = run(LD_PRELOAD=alone, TYPEWARP_STATS=1)
        same(out, "without core")
        beside = pathlib.Path(folder) / pathlib.Path(core).name
        expect(f"all calls go to the MPI: {beside}: " in err, "does not say why", err)

        shutil.copy(library, beside)
        out, err = run(LD_PRELOAD=alone)
        same(out, "with a wrong core")
        expect(f"all calls go to the MPI: {beside} belongs to another version" in err, "does not say why", err)


if __name__ == "__main__":
    main()
