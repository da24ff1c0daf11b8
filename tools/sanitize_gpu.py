#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the test programs (test_*) that ctest labels gpu under compute-sanitizer and writes what it found as JSON."""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from gpu_tests import output_of, written

TOOLS = ("memcheck", "racecheck")
SUMMARY = {"memcheck": re.compile(r"ERROR SUMMARY: (\d+) error"),
           "racecheck": re.compile(r"RACECHECK SUMMARY: (\d+) hazard")}
PASSED = re.compile(r"^\[       OK \] .*\(\d+ ms\)$", re.MULTILINE)
FOUND = 99  # exit status for what the sanitizer found, as against a failing test
# Processes that share a GPU take turns, and each has all kernels instrumented first: few of them, and few at a time.
SHARDS = 4  # processes that share the tests of one program
TYPES = 8  # random types and edge cases a suite: the sanitizers slow kernels down 10 to 100 times
# Racecheck watches shared memory, which ranges beyond 2^31 bytes use as others do, for minutes.
ONLY_MEMCHECK = {"test_engine_gpu_large"}
TIMEOUT = 400  # seconds, for one process
# Under a tool a process grows, kernels take so long that other copies gather, and a launch may wait for other streams: how much memory,
# how many launches and what time something takes says nothing there. A larger field has no other kernels, but takes minutes.
MEASURING = ("GpuDirect.LeavesNothingMapped:GpuLeaks.*:*/GpuLaunches.Messages*:HaloTuning.*:LargeFields/*:"
             "CudaStreams.OfHighPriorityOvertakeOthers:HintsOnGpu.HighPriority*:GpuTransport.LaterWorkOfTheStreamHoldsNothingUp:*Gcl.*/123x56x76")
# Racecheck loses track of launches from several threads at once, and of one on another device than the current, counts that as
# a hazard, and says so. Its look is at one thread block's threads: such tests of the host's side add nothing to it.
LEFT_OUT = {"memcheck": f"-{MEASURING}",
            "racecheck": f"-{MEASURING}:CudaStreams.SharesAPlanAmongThreads:CudaPersistent.ServesThreadsThatHaveOneEach:"
                         "CudaPersistent.TakesStreamsOfAnotherDevice"}
# By a variable of a test's own. Long fields in small chunks are thousands of launches, which take milliseconds each under a tool.
LEFT_OUT_WITH = {"TYPEWARP_TEST_OVER=pipelined": ":*Gcl.*/generic_98x54x87:*Gcl.*/generic_89x45x104"}
# What it prints then. That says nothing of the program, so the run is repeated.
TOOL_FAILED = "Internal Sanitizer Error"
TRIES = 3
FILTER = "--gtest_filter="
# Variables of a test's own environment that say what it is.
TELLING = ("TYPEWARP_TEST_", "TYPEWARP_CUDA_", "OMPI_MCA_pml")


def sanitizer():
    """On the PATH, or beside nvcc."""
    folder = pathlib.Path(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc").resolve().parent
    folders = [os.environ.get("PATH", ""), str(folder), str(folder.parent / "compute-sanitizer")]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(folders)) or "compute-sanitizer"


def program_index(command):
    """Where the test program stands: first in a command of its own, later behind mpiexec and its options."""
    return next((i for i, word in enumerate(command) if pathlib.Path(word).name.startswith("test_")), None)


def gpu_commands(preset):
    """The filters of ctest's tests by (command, its own environment): one for each program and each way to run an MPI program."""
    listing = subprocess.run(["ctest", "--preset", preset, "-L", "^gpu$", "--show-only=json-v1"],
                             check=True, capture_output=True, text=True).stdout
    commands = {}
    for test in json.loads(listing)["tests"]:
        command = tuple(word for word in test["command"] if not word.startswith("--gtest_"))
        if program_index(command) is not None:
            properties = {one["name"]: one["value"] for one in test["properties"]}
            chosen = [word.removeprefix(FILTER) for word in test["command"] if word.startswith(FILTER)] or ["*"]
            commands.setdefault((command, tuple(properties.get("ENVIRONMENT", ()))), []).extend(chosen)
    return commands


class Processes:
    """Lets so many processes run at a time."""

    def __init__(self, most):
        self.most, self.free, self.changed = most, most, threading.Condition()

    @contextlib.contextmanager
    def taking(self, number):
        number = min(number, self.most)
        with self.changed:
            self.changed.wait_for(lambda: self.free >= number)
            self.free -= number
        try:
            yield
        finally:
            with self.changed:
                self.free += number
                self.changed.notify_all()


def ranks_of(command):
    """0 for a command without mpiexec."""
    index = program_index(command)
    return int(command[index - 1]) if index else 0


def finished(command, environment, seconds):
    """(output, exit status) of a command; -1 if it took too long. No rank of it stays on a GPU."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return process.communicate(timeout=seconds)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0] + "\ntimed out", -1


def program_name(command, own):
    index = program_index(command)
    name = pathlib.Path(command[index]).name + (f" on {command[index - 1]} ranks" if index else "")
    return name + "".join(f", {one}" for one in own if one.startswith(TELLING))


def run(job, processes, deadline):
    tool, (command, own), filters, shard, shards, arguments = job
    name, index = program_name(command, own), program_index(command)
    # API errors are the library's to report, and some tests provoke them.
    wrapped = [*command[:index], arguments.sanitizer, "--tool", tool, "--error-exitcode", str(FOUND),
               "--report-api-errors", "no", *command[index:]]
    left_out = LEFT_OUT[tool] + "".join(LEFT_OUT_WITH.get(one, "") for one in own)
    environment = {**os.environ, **dict(one.split("=", 1) for one in own), "TYPEWARP_TEST_TYPES": str(arguments.types),
                   "GTEST_FILTER": ":".join(filters) + left_out, "GTEST_COLOR": "no",
                   "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
    if not index:  # ranks spread over the devices by themselves
        order = [(shard + i) % arguments.gpus for i in range(arguments.gpus)]
        environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, order))
    with processes.taking(max(1, ranks_of(command))):
        start = time.monotonic()
        for _ in range(TRIES):
            output, status = finished(wrapped, environment, max(1, min(TIMEOUT, deadline - time.monotonic())))
            if TOOL_FAILED not in output:
                break
        seconds = time.monotonic() - start
    counts = [int(count) for count in SUMMARY[tool].findall(output)]
    ok = status == 0 and bool(counts)
    line = f"{'ok' if ok else 'FAILED'}: {tool} {name}, shard {shard + 1} of {shards}, {seconds:.0f} s\n"
    sys.stdout.write(line if ok else line + output[-20000:] + "\n")
    return {"tool": tool, "program": name, "errors": sum(counts), "ok": ok, "ended": status != -1, "tests": len(PASSED.findall(output))}


def jobs_of(commands, arguments):
    """Programs of one process first, of which some tests take minutes, then those of the most ranks."""
    jobs, mpi_of = [], {}
    for (command, own), filters in sorted(commands.items(), key=lambda one: -(ranks_of(one[0][0]) or sys.maxsize)):
        index = program_index(command)
        name = pathlib.Path(command[index]).name
        shards = 1 if index else arguments.shards if any("*" in one for one in filters) else min(arguments.shards, len(filters))
        for tool in arguments.tools:
            if tool == "racecheck":
                stem, _, mpi = name.rpartition("_")
                # Nor does it matter to a thread block which MPI brought the bytes.
                if name in ONLY_MEMCHECK or (index and mpi_of.setdefault((stem, command[index - 1:index], own), mpi) != mpi):
                    continue
            jobs += [(tool, (command, own), filters, shard, shards, arguments) for shard in range(shards)]
    return jobs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    count = max(1, output_of("nvidia-smi", "-L").count("GPU "))
    parser.add_argument("--sanitizer", default=sanitizer(), help="default: %(default)s")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=TOOLS, help="default: both")
    # Processes that share a GPU take turns, and ranks that wait for each other spin: 40 on two H100 and 32 cores went well.
    parser.add_argument("--jobs", type=int, default=max(4, min(os.cpu_count() * 5 // 4, 20 * count)),
                        help="processes at a time, each rank of an MPI program one (default: %(default)s)")
    parser.add_argument("--gpus", type=int, default=count, help="that programs of one process take in turn (default: %(default)s)")
    parser.add_argument("--shards", type=int, default=SHARDS, help="processes of a program (default: %(default)s)")
    parser.add_argument("--types", type=int, default=TYPES, help="random types of a suite (default: %(default)s)")
    parser.add_argument("--programs", type=re.compile, default=re.compile(""), help="only those whose name matches")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for all; what is not done then has failed")
    parser.add_argument("--resume", action="store_true", help="run what the result that is there did not come to the end of, and add it")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="tests/results/<machine>.sanitizers.json")
    arguments = parser.parse_args()
    commands = {key: filters for key, filters in gpu_commands(arguments.preset).items()
                if arguments.programs.search(pathlib.Path(key[0][program_index(key[0])]).name)}
    deadline = time.monotonic() + arguments.seconds
    if not commands:
        sys.exit("no test has the label gpu: was this built with CUDA?")
    earlier = json.loads(arguments.output.read_text(encoding="utf-8")) if arguments.resume and arguments.output.exists() else {}
    jobs = [job for job in jobs_of(commands, arguments)
            if job[0] not in earlier or program_name(*job[1]) in earlier[job[0]]["not_ended"]]
    processes = Processes(arguments.jobs)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = list(pool.map(lambda job: run(job, processes, deadline), jobs))
    found = {tool: merged(earlier.get(tool), [one for one in runs if one["tool"] == tool]) for tool in arguments.tools}
    waiting = [f"{tool} {program}" for tool in found for program in found[tool]["not_ended"]]
    written(arguments.output, arguments.output.name.split(".")[0], {
        "complete": not waiting, "stopped": waiting, "failed": [f"{tool} {program}" for tool in found for program in found[tool]["failed_runs"]],
        **found, "random_types": arguments.types})
    sys.exit(any(not one["ok"] for one in runs))


def merged(earlier, runs):
    """What a tool found in these runs, and before in programs that are not among them. A program ended if all of its processes did."""
    again = {one["program"] for one in runs}
    kept = earlier or {"programs": [], "tests": 0, "errors": 0, "failed_runs": [], "not_ended": []}
    not_ended = {one["program"] for one in runs if not one["ended"]}
    return {"programs": sorted(again.union(kept["programs"])), "tests": kept["tests"] + sum(one["tests"] for one in runs if one["program"] not in not_ended),
            "errors": kept["errors"] + sum(one["errors"] for one in runs),
            "failed_runs": sorted({one["program"] for one in runs if one["ended"] and not one["ok"]}.union(set(kept["failed_runs"]) - again)),
            "not_ended": sorted(not_ended)}


if __name__ == "__main__":
    main()
