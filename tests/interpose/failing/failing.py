#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a job of two ranks again and again, in each of which another call that Typewarp makes of the system fails in one rank.

usage: failing.py [options] <libtypewarp_mpi.so> <libinterpose_failing.so> -- <launcher>... -- <program>...
The job must end with status 0 and right data, or with an error that it tells (status 3, "error: ..."): neither with wrong
data nor by a signal, without a wait for the time limit where nobody may wait (status 5), and within the limit. Each failure
that is met otherwise is told with the calls that led there. A sample is drawn by TYPEWARP_TEST_SEED, or anew each time.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from launching import split, with_settings

KINDS = ("memory", "mapping", "file", "thread")
AFTER = ("none", "all", "short")
ERROR_STATUS, WRONG_STATUS, WAITED_STATUS = 3, 4, 5
GOOD = ("right", "error")
# Where all is lacking from one call on, a rank may wait for it in vain.
GOOD_WITHOUT_ALL = (*GOOD, "waited")
# The glibc opens the first file of that name, and fails where it is empty.
CUDA_DRIVER = "libcuda.so.1"
CRASHED = "crashed at first, as the MPI does alone"
# Of a job that ends badly before anything has failed, or with --mpi-crashes by a crash: then it is run again.
ATTEMPTS = 3


def options():
    (*own, ), launcher, program = split(sys.argv[1:])
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("library")
    parser.add_argument("injector")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first call that fails; below 0: of so many at the end")
    parser.add_argument("--to", dest="last", type=int, default=2000, help="the last one, if the job has so many")
    parser.add_argument("--distinct", action="store_true", help="of calls that are reached in the same way only the first")
    parser.add_argument("--sample", type=int, help="so many of each kind, drawn by the seed")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TYPEWARP_TEST_SEED", random.SystemRandom().randrange(10**6))))
    parser.add_argument("--after", nargs="+", choices=AFTER, default=["none"],
                        help="what fails after that call: nothing; all; or what asks for more memory than was freed since")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--without-gpu", action="store_true", help="hides CUDA, which takes seconds to start in each job")
    parser.add_argument("--behind", action="store_true", help="preloads the injector behind the library, not in front of it")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a job, more than ranks wait for each other in MPI_Init")
    parser.add_argument("--jobs", type=int, default=1, help="so many at a time")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after so many no other job begins")
    parser.add_argument("--mpi-crashes", action="store_true", help="the MPI alone does, as Open MPI 5.0.11 in one of 40 runs of the job, "
                        "where a window or a file is opened: a crash counts if the same call that fails leads to three")
    parser.add_argument("--setting", action="append", default=[], help="NAME=VALUE for the ranks")
    return parser.parse_args(own), launcher, program


class Job:
    def __init__(self, asked, launcher, program):
        self.asked, self.launcher, self.program = asked, launcher, program
        order = [asked.library, asked.injector] if asked.behind else [asked.injector, asked.library]
        self.settings = {"LD_PRELOAD": ":".join(order), "TYPEWARP_TRANSPORT": "1", "TYPEWARP_TAKE": "all",
                         **dict(setting.split("=", 1) for setting in asked.setting), "FAILING_RANK": asked.rank}

    def run(self, kind, number, stack="0", after="none"):
        """(what became of the job, what the injector told, what the job told). `stack`: counts only calls that are reached so."""
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            settings = {**self.settings, "FAILING_KIND": kind, "FAILING_NUMBER": number, "FAILING_STACK": stack,
                        "FAILING_AFTER": after, "FAILING_LOG": log}
            if self.asked.without_gpu:
                settings["LD_LIBRARY_PATH"] = self.without_driver(folder)
            command = [*self.launcher, "-n", "2", *with_settings(self.program, settings)]
            environment = {name: value for name, value in os.environ.items() if not name.startswith("TYPEWARP_")}
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                       env=environment, start_new_session=True)
            try:
                told, _ = process.communicate(timeout=self.asked.limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM)  # the launcher ends its ranks
                try:
                    told, _ = process.communicate(timeout=10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    told, _ = process.communicate()
                return "hang", self.trace(log), told
            return self.outcome(process.returncode, told), self.trace(log), told

    @staticmethod
    def without_driver(folder):
        """Where libraries are looked for, so that there is no driver."""
        (pathlib.Path(folder) / CUDA_DRIVER).touch()
        return os.pathsep.join(filter(None, (folder, os.environ.get("LD_LIBRARY_PATH"))))

    @staticmethod
    def outcome(status, told):
        if "wrong: " in told or status == WRONG_STATUS:
            return "wrong"
        if "waited: " in told or status == WAITED_STATUS:
            return "waited"
        if "terminate called" in told or re.search(r"signal:? \(?\d+|Segmentation fault|Aborted|double free|corrupted", told, re.IGNORECASE):
            return "crash"
        if status == 0 and "all is right" in told:
            return "right"
        return "error" if status == ERROR_STATUS else "unexplained end"  # the launcher may lose what it told

    @staticmethod
    def trace(log):
        return log.read_text(errors="replace") if log.exists() else ""


def places(asked, kind, listed):
    """Which calls of a kind are to fail: (number, stack, what fails after it); it counts among those of that stack; "0" is any."""
    calls = [(int(number), stack) for _, number, stack in (line.split() for line in listed.splitlines())]
    within = range(asked.first, asked.last + 1) if asked.first >= 0 else range(len(calls) + 1 + asked.first, len(calls) + 1)
    chosen = [(number, "0") for number, _ in calls if number in within]
    if asked.distinct:
        # Calls of loops that wait differ in number from run to run.
        chosen = [(1, stack) for stack in dict.fromkeys(stack for number, stack in calls if number in within)]
    chosen = [(*place, after) for after in asked.after if after != "short" or kind == "memory" for place in chosen]
    if not chosen:
        sys.exit(f"{kind}: nothing is to fail")
    if asked.sample is not None and asked.sample < len(chosen):
        chosen = random.Random(asked.seed).sample(chosen, asked.sample)
    return chosen


def symbols(trace):
    """The trace without the injector's own calls, by names where there are some."""
    lines = []
    for line in trace.splitlines():
        found = re.match(r"(\S+)\(\+(0x[0-9a-f]+)\)", line)
        if "libinterpose_failing" in line:
            continue
        if found and "libtypewarp" in found[1]:
            call = subprocess.run(["addr2line", "-Cfipe", found[1], hex(int(found[2], 16) - 1)], capture_output=True, text=True, check=False)
            line = call.stdout.strip() or line
        lines.append(line)
    return lines


def end_of(job, kind, place, after, deadline):
    """(whether it ended well, what became of the job, the trace, what it told)."""
    end, crashes = ("not run", "", ""), 0
    for _ in range(ATTEMPTS):
        if time.monotonic() > deadline:
            break
        end = job.run(kind, *place, after)
        is_good = end[0] in (GOOD if after == "none" else GOOD_WITHOUT_ALL)
        is_the_mpis = not end[1] or (job.asked.mpi_crashes and end[0] == "crash" and crashes < 2)
        if is_good:
            return (True, CRASHED if crashes else end[0], *end[1:])
        if not is_the_mpis:
            break
        crashes += 1
    return (end[0] == "not run", *end)


def main():
    asked, launcher, program = options()
    job = Job(asked, launcher, program)
    deadline = time.monotonic() + asked.seconds
    ends, bad = {}, 0
    if asked.sample is not None:
        print(f"seed {asked.seed}", flush=True)
    for kind in asked.kinds:
        for _ in range(ATTEMPTS):
            end, listed, told = job.run(kind, 0)
            if end == "right":
                break
        else:
            sys.exit(f"the job ends by itself as \"{end}\":\n{told}")
        chosen = places(asked, kind, listed)
        print(f"{kind}: {len(listed.splitlines())} calls, {len(chosen)} of which fail in turn", flush=True)
        with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
            of_each = pool.map(lambda one: end_of(job, kind, one[:2], one[2], deadline), chosen)
            for (number, stack, after), (is_good, end, trace, told) in zip(chosen, of_each):
                ends[end] = ends.get(end, 0) + 1
                if is_good:
                    continue
                bad += 1
                print(f"--- {kind} {number} {stack}, after it {after}: {end}", *symbols(trace)[:24], told[-3000:].strip(), sep="\n", flush=True)
    print("ends:", ", ".join(f"{end} {count}" for end, count in sorted(ends.items())))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
