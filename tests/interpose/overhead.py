#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what the preloaded library adds to a call that it does not improve, and fails beyond LIMITS.

usage: overhead.py <libtypewarp_mpi.so> <launcher>... -- <program>   the program is that of overhead.c
"""
import re
import subprocess
import sys

# Nanoseconds a call. To count takes two looks at the clock, and is asked for.
LIMITS = {"preloaded": 100.0, "counted": 300.0}
ROUNDS = 3     # with and without in turn, the least of each: others use the machine as well


def measure(launcher, program, *settings):
    """Nanoseconds a call, by the call's name."""
    out = subprocess.run([*launcher, "-n", "1", "env", *settings, *program], capture_output=True, text=True, timeout=240,
                         check=True).stdout
    return {name: float(time) for name, time in re.findall(r"(MPI_\w+) ([0-9.]+) ns", out)}


def least(times):
    return {name: min(each[name] for each in times) for name in times[0]}


def main():
    library, *rest = sys.argv[1:]
    dashes = rest.index("--")
    launcher, program = rest[:dashes], rest[dashes + 1:]
    ways = {"alone": [], "preloaded": [f"LD_PRELOAD={library}"], "counted": [f"LD_PRELOAD={library}", "TYPEWARP_STATS=1"]}
    times = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, settings in ways.items():
            times[way].append(measure(launcher, program, *settings))
    alone = least(times["alone"])
    for way in LIMITS:
        for name, time in least(times[way]).items():
            print(f"{name}, {way}: {time:.1f} ns, {time - alone[name]:+.1f} ns")
            if time - alone[name] > LIMITS[way]:
                sys.exit(f"more than {LIMITS[way]} ns")


if __name__ == "__main__":
    main()
