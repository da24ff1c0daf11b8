#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what the preloaded library adds to a call that it does not improve, and fails beyond LIMITS. "asleep" is a rank that shares a
transport with others, as on hosts with a GPU, and uses no GPU: it runs at MPI_THREAD_MULTIPLE, which has a price of its own ("multiple").

usage: overhead.py <libtypewarp_mpi.so> <launcher>... -- <program>   the program is that of overhead.c
"""
import re
import subprocess
import sys
import tempfile

# Nanoseconds a call more than where the library is not. To count, and to watch for `typewarp doctor`, takes two looks at the clock, and is
# asked for. Twice what current processors need (docs/internals/preload.md), since others are slower in all that they do.
LIMITS = {"preloaded": ("alone", 200.0), "asleep": ("multiple", 200.0), "counted": ("alone", 500.0), "watched": ("alone", 700.0)}
# Whose counts are scanned, which takes longer the longer the MPI's own scan does: so much of its time more.
OF_EXCHANGES = 0.2
# With and without in turn, the least of each: others use the machine as well. What they add goes with more rounds; what we add stays.
ROUNDS = 3
MOST_ROUNDS = 12


def measure(launcher, program, settings, arguments):
    """Nanoseconds a call, by the call's name."""
    out = subprocess.run([*launcher, "-n", "1", "env", *settings, *program, *arguments], capture_output=True, text=True, timeout=240,
                         check=True).stdout
    return {name: float(time) for name, time in re.findall(r"(MPI_\w+) ([0-9.]+) ns", out)}


def least(times):
    return {name: min(each[name] for each in times) for name in times[0]}


def limit_of(name, limit, time):
    return limit + (OF_EXCHANGES * time if name.startswith("MPI_Alltoall") else 0)


def beyond_limits(found):
    """What takes too long, a line each."""
    return [f"{name}, {way}: more than {limit} ns more than {without}" for way, (without, least_limit) in LIMITS.items()
            for name, time in found[way].items() if time - found[without][name] > (limit := limit_of(name, least_limit, found[without][name]))]


def main(folder):
    library, *rest = sys.argv[1:]
    dashes = rest.index("--")
    launcher, program = rest[:dashes], rest[dashes + 1:]
    preloaded = f"LD_PRELOAD={library}"
    ways = {"alone": ([], []), "multiple": ([], ["multiple"]), "preloaded": ([preloaded], []),
            "asleep": ([preloaded, "TYPEWARP_TRANSPORT=1"], []), "counted": ([preloaded, "TYPEWARP_STATS=1"], []), "watched": ([preloaded, f"TYPEWARP_DOCTOR={folder}"], [])}
    times = {way: [] for way in ways}
    for rounds in range(1, MOST_ROUNDS + 1):
        for way, (settings, arguments) in ways.items():
            times[way].append(measure(launcher, program, settings, arguments))
        found = {way: least(times[way]) for way in ways}
        if rounds >= ROUNDS and not beyond_limits(found):
            break
    for way in ways:
        for name, time in found[way].items():
            print(f"{name}, {way}: {time:.1f} ns, {time - found['alone'][name]:+.1f} ns")
    if beyond := beyond_limits(found):
        sys.exit("\n".join(beyond))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(name)
