#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that uses a package of others, as it is and under `typewarp run`, and prints the times of all runs side by side.

usage: package.py <typewarp> <kind> <ranks> <call>... [--rounds N] [--within F] -- <launcher>... -- <program>...
The word {kind} in the program's command stands for the kind of memory. With kind "host" there are two runs under Typewarp: one in
which it takes nothing, as for a user without a GPU, and one in which it takes everything. With other kinds it takes what is on GPUs;
without Typewarp the package copies that to the host. All runs must print the same, but for lines "<what>: <number> ms". Where it takes
something, Typewarp must have made each of the calls and, between ranks, sent messages. With --rounds all is run that many times, in
turn, and the least times count. With --within, the run in which Typewarp takes nothing may take that many times as long as the one
without it. Exits with 77 where there is no such memory.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from launching import has_gpu, launch, split

TIME = re.compile(r"(.*): ([0-9.]+) ms")
ours, launcher, program = split(sys.argv[1:])
parser = argparse.ArgumentParser()
for name in ("typewarp", "kind", "ranks"):
    parser.add_argument(name)
parser.add_argument("calls", nargs="*")
parser.add_argument("--rounds", type=int, default=1)
parser.add_argument("--within", type=float)
parser.add_argument("--timeout", type=float, default=600, help="seconds of each run")
options = parser.parse_args(ours)
ranks, on_host = options.ranks, options.kind == "host"
UNDER = ["env", options.typewarp, "run", "--"]
TAKEN = ["env", "TYPEWARP_STATS=merged", *(["TYPEWARP_TAKE=all", "TYPEWARP_TRANSPORT=1"] if on_host else []), *UNDER[1:]]
WAYS = {"as it is": [], **({"under Typewarp": UNDER} if on_host else {}), "all taken" if on_host else "under Typewarp": TAKEN}


def run(before):
    """(lines without times, milliseconds by what took them, stderr)"""
    command = [*before, *launcher, "-n", ranks, *(word.replace("{kind}", options.kind) for word in program)]
    done = launch(command, timeout=options.timeout)
    if done.returncode == 77 or "skipped: " in done.stderr:
        print(done.stderr)
        sys.exit(77)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"exit status {done.returncode} of {' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-6000:]}")
    lines = done.stdout.splitlines()
    times = {match[1]: float(match[2]) for match in map(TIME.fullmatch, lines) if match}
    return [line for line in lines if not TIME.fullmatch(line)], times, done.stderr


def expect_taken(told):
    account = rf"^typewarp: {ranks} ranks: "
    for call in options.calls:
        if not re.search(rf"{account}{call}(_c)?: .*\bours [1-9]", told, re.MULTILINE):  # _c: for long counts, where the MPI has it
            sys.exit(f"Typewarp made no {call}\n{told[-6000:]}")
    if int(ranks) > 1 and not re.search(rf"{account}sent by \w+: messages [1-9]", told, re.MULTILINE):
        sys.exit(f"Typewarp sent no message\n{told[-6000:]}")


def main():
    if not on_host and not has_gpu():
        print("skipped: needs a GPU")
        sys.exit(77)
    plain, least = None, {}
    for how, before in [*WAYS.items()] * options.rounds:
        lines, times, told = run(before)
        plain = plain or lines
        if lines != plain:
            sys.exit("\n".join([f"prints something else {how}", "", *plain, "", *lines, told[-6000:]]))
        if before is TAKEN:
            expect_taken(told)
        least[how] = {what: min(ms, least.get(how, times)[what]) for what, ms in times.items()}
    print("\n".join(plain))
    if not least["as it is"]:
        sys.exit("no times were printed")
    for what, ms in least["as it is"].items():
        print(f"{what}: " + ", ".join(f"{times[what]:.3f} ms ({times[what] / ms:.2f}) {how}" for how, times in least.items()))
        if options.within and least["under Typewarp"][what] > options.within * ms:
            sys.exit(f"{what}: takes more than {options.within} times as long under Typewarp")


if __name__ == "__main__":
    main()
