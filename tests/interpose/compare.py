#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs an MPI program on memory of the host without the preloaded library, and on memory of a kind with it.

usage: compare.py <libtypewarp_mpi.so> <kind> <ranks> all|taken|shared|once [first|others]... -- <launcher>... -- <program>...
The word {kind} in the program's command stands for the kind of memory: host, pinned, managed, device or another that it knows. All runs must
print the same lines. Kind host is run as it is, as on a host with a GPU that nobody uses, and with the calls of host memory taken as
well, by all ranks and by one of them, by all protocols and by none, the latter with each block at MPI_BOTTOM for itself; with "taken"
only in the runs in which calls are taken, with "shared" only where ranks know of each other, and with "once" only with all taken by all
ranks. With "first" only rank 0 has the library, with "others" all but that, with both words each in turn; who has it not has memory of the host,
and calls are taken.
Exits with 77 where there is no such memory.
"""
import itertools
import sys

from launching import has_gpu, launch, split, with_settings

(library, kind, ranks, how, *mixed), launcher, program = split(sys.argv[1:])
ranks = int(ranks)


def ranks_with(n, on, settings):
    """Words for a launcher; the settings are for the ranks only. With "first" in place of "all", rank 0 alone takes all."""
    if settings.get("TYPEWARP_TAKE") == "first":
        others = {**settings, "TYPEWARP_TAKE": "gpu"}
        return [*ranks_with(1, on, {**settings, "TYPEWARP_TAKE": "all"}), ":", *ranks_with(n - 1, on, others)]
    settings = {**settings, "TYPEWARP_VERBOSE": "1"} if settings else {}
    return ["-n", str(n), *with_settings([word.replace("{kind}", on) for word in program], settings)]


def run(on, who=None, **settings):
    """Lines of stdout. Without `who`, all ranks have the library."""
    if who is None:
        command = [*launcher, *ranks_with(ranks, on, settings)]
    elif who == "first":
        command = [*launcher, *ranks_with(1, on, settings), ":", *ranks_with(ranks - 1, "host", {})]
    else:
        command = [*launcher, *ranks_with(1, "host", {}), ":", *ranks_with(ranks - 1, on, settings)]
    done = launch(command, timeout=540)
    if "skipped: " in done.stderr:
        print(done.stderr)
        sys.exit(77)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"exit status {done.returncode} of {' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}")
    if settings and "attached " not in done.stderr:
        sys.exit(f"the library did not attach its core\n{done.stderr[-6000:]}")
    return done.stdout.splitlines()


def expect_same(plain, seen, how):
    different = [(a, b) for a, b in itertools.zip_longest(plain, seen) if a != b]
    for a, b in different[:20]:
        print(f"{how}, {kind}: of {len(different)} lines that differ\n  plain: {a}\n  here:  {b}")
    if different:
        sys.exit(1)


def main():
    if kind != "host" and not has_gpu():
        print("skipped: needs a GPU")
        sys.exit(77)
    if kind != "host":  # first, as it may not be there
        seen = [run(kind, who, LD_PRELOAD=library) for who in mixed or [None]]
        plain = run("host")
        for lines in seen:
            expect_same(plain, lines, "preloaded")
        return
    plain = run("host")
    if how == "all" and not mixed:
        expect_same(plain, run("host", LD_PRELOAD=library), "preloaded")
        # Ranks that could be told of messages, but use no GPU.
        expect_same(plain, run("host", LD_PRELOAD=library, TYPEWARP_TRANSPORT="1"), "asleep")
    for who in mixed or [None]:
        by = f" by {who}" if who else ""
        expect_same(plain, run("host", who, LD_PRELOAD=library, TYPEWARP_TAKE="all"), f"all taken{by}")
        if how == "once":
            continue
        if ranks > 1 and not who:  # as if one rank's memory were a device's
            expect_same(plain, run("host", LD_PRELOAD=library, TYPEWARP_TAKE="first"), "taken by one")
        if how == "shared":
            continue
        expect_same(plain, run("host", who, LD_PRELOAD=library, TYPEWARP_TAKE="stretches", TYPEWARP_TRANSPORT="0"), f"all staged{by}")


if __name__ == "__main__":
    main()
