# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the benchmarks that have a program for each MPI, and writes what they have found."""
import contextlib
import datetime
import functools
import itertools
import json
import os
import pathlib
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

from running import ROOT, cpu, everything, first_line

STALLED_S = 90  # without a line: the largest row with all that it sets up takes some seconds
MOST_STARTS = 12
MOST_FUTILE_STARTS = 3
# Open MPI's launcher refuses to run as root unless it is told twice.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def visible_gpus():
    """Those that programs started here find, as CUDA_VISIBLE_DEVICES names them."""
    there = [str(i) for i in range(everything(["nvidia-smi", "-L"]).count("GPU "))]
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(there)).split(",")
    return list(itertools.takewhile(lambda name: name not in ("", "-1"), chosen)) if there else []


def gpus():
    return len(visible_gpus())


def preloaded(folder, on_host):
    """The words before a program of this folder that start it under the preload library of the same build. By itself
    that leaves memory of the host to the MPI."""
    library = folder.resolve().parent / "lib/libtypewarp_mpi.so"
    if not library.exists():
        sys.exit(f"{library} is not there: build typewarp_interpose")
    taken = ["TYPEWARP_TAKE=all", "TYPEWARP_TRANSPORT=1"] if on_host else []
    return ["env", f"LD_PRELOAD={library}", *taken]


def not_taken(calls, statistics, also=()):
    """Of these calls, what the preload library has left to the MPI, as its merged statistics say; where it has counted
    none of them, all. No data, and no rank at the other end, need no library, nor does what is left for `also` reasons."""
    reasons = "|".join(("no data", "no rank", *also))
    counted = re.findall(rf"ranks: ((?:{'|'.join(calls)}): calls .*)", statistics)
    left = [line for line in counted if " ours " not in line or re.search(rf"left to the MPI \((?!{reasons})", line)]
    return left if counted else list(calls)


class Program:
    """One start of a benchmark, which prints a JSON object a line."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment},
                                        start_new_session=True)
        self.lines, self.patience_s = queue.Queue(), STALLED_S
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def objects(self):
        """What it prints. UCX, below both MPIs, prints its warnings to standard output too."""
        while True:
            line = self.lines.get(timeout=self.patience_s)
            if line is None:
                return
            if line.startswith("{"):
                yield json.loads(line)
            else:
                print(line, end="", file=sys.stderr)

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()


class Part:
    """All starts of the program of one MPI with so many GPUs. A row that kills it, or that does not end in `row_seconds`, is recorded as
    failed, and the program started again behind it: if the row is said to have a `next_case`, with that one after two rows in turn, or
    after one that did not end."""

    def __init__(self, name, command, environment, seconds, row_seconds=STALLED_S, starts=MOST_STARTS):
        self.name, self.command, self.environment = name, command, environment
        self.row_seconds, self.starts = row_seconds, starts
        self.end = time.monotonic() + seconds
        self.rows, self.failed, self.skipped, self.stopped, self.rates, self.version = [], [], [], None, {}, name
        self.gpus = 0

    def heard(self, entry):
        """Of each row, also one that failed."""

    def fail(self, begun, error):
        self.failed.append({"mpi": self.version, "gpus": self.gpus, **begun, "error": error})
        self.heard(self.failed[-1])

    def take(self, found, begun):
        """Whether the row `begun` is over."""
        if "rates" in found:
            self.rates = found["rates"]
        elif "mpi" in found:
            number = re.search(r"\d+(\.\d+)+", found["mpi"])
            self.version, self.gpus = f"{self.name}-{number[0]}" if number else self.name, found["gpus"]
        elif "stopped" in found:
            row = "/".join(str(found[name]) for name in ("case", "memory", "method", "size") if name in found)
            self.stopped = f"{self.version}, {self.gpus} GPUs: before {row}"
        elif "failed" in found:
            self.fail(begun, found["failed"])
        elif "skipped" in found:
            self.skipped.append({"mpi": self.version, "gpus": self.gpus, **found})
            self.heard(self.skipped[-1])
        elif "median_us" in found:
            self.rows.append({"mpi": self.version, "gpus": self.gpus, **found})
            self.heard(self.rows[-1])

    def run_within(self, service):
        """In the scope of `service`, which gives an environment: where it does not start, that is told."""
        with contextlib.ExitStack() as scope:
            try:
                self.environment.update(scope.enter_context(service))
            except (OSError, subprocess.SubprocessError) as error:
                self.fail({"case": "none"}, f"the service does not start: {error}")
                return
            self.run()

    def first_behind(self, begun, stalled):
        alike = [failure for failure in self.failed if failure.get("next_case") == begun.get("next_case")]
        return begun["next_case"] if "next_case" in begun and (stalled or len(alike) > 1) else begun["index"] + 1

    def run(self):
        first = futile = 0
        for _ in range(self.starts):
            left = self.end - time.monotonic()
            if left <= 0:
                self.stopped = self.stopped or f"{self.name}: before row {first}"
                return
            program = Program([*self.command, "--seconds", f"{left:.1f}", "--from", str(first)], self.environment)
            program.patience_s = min(STALLED_S, max(left, self.row_seconds))
            begun, error, finished = None, "", False
            try:
                for found in program.objects():
                    if "begin" in found:
                        begun, program.patience_s = found["begin"], self.row_seconds
                    elif "aborted" in found:
                        error = found["aborted"]
                    elif "finished" in found:
                        finished = True
                    else:
                        self.take(found, begun)
            except queue.Empty:
                error = f"nothing was heard for {program.patience_s:g} s"
            status = program.end()
            if finished:
                return
            error = error or f"exit status {status}"
            if begun is None:
                # Open MPI's launcher gives up now and then, before it starts any program.
                print(f"{self.name}: {error} before any row", file=sys.stderr)
                futile += 1
                if futile == MOST_FUTILE_STARTS:
                    self.fail({"case": "none"}, error)
                    return
                continue
            self.fail(begun, error)
            first = self.first_behind(begun, "heard" in error)
        self.stopped = f"{self.name}: started {self.starts} times"


def left_out(name, why):
    """A part that cannot be run, of what two ranks do on one GPU."""
    part = Part(name, [], {}, 0)
    part.skipped.append({"mpi": name, "gpus": 1, "memory": "device", "method": "all", "skipped": why})
    return part


def built_mpis(folder, program):
    """The MPIs that the folder has the program for."""
    built = [file.name.removeprefix(program + "_") for file in folder.glob(program + "_*")]
    return sorted(built, key=lambda name: (name != "openmpi", name))


def choose(parser, arguments, benchmark, leaving_out, file=None, program=None):
    """Completes the arguments --mpis and --output. The default file holds all rows: those options that leave some out need another."""
    program = program or f"bench_{benchmark}"
    given = [option for option in leaving_out if getattr(arguments, option) != parser.get_default(option)]
    built = built_mpis(arguments.bin, program)
    arguments.mpis = arguments.mpis.split(",") if arguments.mpis else built
    for mpi in arguments.mpis or ["<mpi>"]:
        if mpi not in built:
            parser.error(f"--bin {arguments.bin}: holds no {program}_{mpi}")
    if given and not arguments.output:
        options = ", ".join("--" + option.replace("_", "-") for option in given)
        parser.error(f"{options}: give --output too, since the default one holds all rows")
    arguments.output = arguments.output or ROOT / "bench/results" / arguments.machine / f"{file or benchmark}.json"
    arguments.output.parent.mkdir(parents=True, exist_ok=True)


@functools.cache
def machine():
    gpu, _, driver = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).partition(", ")
    return {"gpu": gpu, "gpus": gpus(), "driver": driver, "cpu": cpu(), "cores": os.cpu_count()}


@functools.cache
def source():
    return first_line([str(ROOT / "tools/source_hash.sh")])


def write_result(output, parts, script, targets, rows=None, more=None):
    """Writes what all parts have found, or the `rows` that were made of it, with what is said of them besides, and returns it."""
    rows = rows if rows is not None else [row for part in parts for row in part.rows]
    failed = [failure for part in parts for failure in part.failed]
    stops = [part.stopped for part in parts if part.stopped]
    result = {
        "machine": {**machine(), "mpis": list(dict.fromkeys(row["mpi"] for row in rows if "mpi" in row)),
                    "rates": next((part.rates for part in parts if part.rates), {})},
        "source": source(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join([script, *sys.argv[1:]]),
        "complete": not failed and not stops,
        "stopped": stops,
        "failed": failed,
        "skipped": [skip for part in parts for skip in part.skipped],
        "targets": targets,
        **(more or {}),
        "rows": rows,
    }
    text = json.dumps({**result, "rows": []}, indent=1)
    listed = ",\n  ".join(json.dumps(row) for row in rows)
    pathlib.Path(output).write_text(text.removesuffix("[]\n}") + f"[\n  {listed}\n ]\n}}\n", encoding="utf-8")
    return result
