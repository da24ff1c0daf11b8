#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times stencil2d with halos exchanged by the library, by hand, and by plain MPI calls with derived datatypes under the
preload library, and writes bench/results/<machine>/stencil2d.json.

In the manner of tables I to III of paper 001 and of table 3 of paper 003: lines of communication code, the time of an iteration on
process grids that have rows, columns or both to exchange, and GFLOP/s over the size of the field. On a GPU a rank, as far as there
are so many; more ranks share them, by turns and once more under the Multi-Process Service where that is installed. Without a
GPU it measures host memory, on smaller fields. All ways to exchange are run in turns, and validated before they are
timed: each against a serial run, to the last bit. With --resume, what a run had no time for is added to its result.
--by-side gives instead, as figure 6 of paper 001, the time of the copies and of the messages of each side.
"""
import argparse
import contextlib
import dataclasses
import datetime
import itertools
import json
import os
import pathlib
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from mps import Service, mps_is_here  # noqa: E402  (it stands one folder above)
from parts import AS_ROOT, gpus, not_taken, preloaded, visible_gpus  # noqa: E402
from running import ROOT, cpu, first_line, gpu_machine, regular_expression  # noqa: E402
from report import lines_of_code, pairs, show  # noqa: E402

EXCHANGES = ("hand", "mpi", "typewarp")
PRELOADED = "mpi"  # the way that runs under the preload library
BY_SIDE = ("hand", "mpi")  # the library packs all sides at once
TYPES = ("float", "double")
# Points of a rank: those of 001, which are as many on every grid; and one eighth each way for host memory.
OF_001 = {"1x2": (65536, 1024), "2x1": (1024, 65536), "2x2": (8192, 8192), "1x4": (65536, 1024), "4x1": (1024, 65536)}
SIDES_OF_001 = {"2x2": (8192, 8192), "2x4": (8192, 8192)}
OF_003 = tuple((side, side) for side in (128, 256, 512, 1024, 2048))
ON_HOST = 8
MOST_POINTS_ON_HOST = 512 * 512
LONG_RUN, SHORT_RUN = 1000, 200  # iterations, of fields of up to so many points and above
POINTS_OF_LONG_RUN = 2048 * 2048
VALIDATED = ["--size", "301,157", "--iterations", "51"]
TIME_LIMIT_S = 120  # of one start: the largest fields take some seconds to set up
PHASE = re.compile(r"^  (\w+(?: copies| messages)?), ms +(\S+) +(\S+) +(\S+)$", re.MULTILINE)
COLUMNS = re.compile(r"^  copies of columns, part +\S+ +(\S+)", re.MULTILINE)  # of what an exchange takes a rank, in the median
CALLS = ("MPI_Isend", "MPI_Irecv")  # that move halos under the preload library
MPI_NAME = re.compile(r"MPI: (.+)$", re.MULTILINE)
# Open MPI's launcher gives up like this now and then, before it starts any program.
LAUNCHER_GAVE_UP = "PMIx server's listener thread failed to start"


@dataclasses.dataclass(frozen=True)
class Problem:
    """What all ways are timed on. With no GPUs, in host memory; with mps, under the Multi-Process Service."""

    paper: str
    grid: str
    size: tuple
    type: str
    gpus: int = 0
    mps: bool = False

    @property
    def ranks(self):
        rows, columns = map(int, self.grid.split("x"))
        return rows * columns

    @property
    def shares(self):
        return 0 < self.gpus < self.ranks

    @property
    def points(self):
        return self.size[0] * self.size[1]

    @property
    def case(self):
        return f"{self.grid}/{self.size[0]}x{self.size[1]}/{self.type}"

    def options(self):
        return ["--grid", self.grid, "--type", self.type, "--memory", "device" if self.gpus else "host", "--no-table",
                "--progress", "none"]


def problems_on(count, by_side):
    """Those of both papers in turn; or those that are told by side."""
    shrink = 1 if count else ON_HOST
    for (grid, (rows, columns)), element in itertools.product((SIDES_OF_001 if by_side else OF_001).items(), TYPES):
        problem = Problem("001", grid, (rows // shrink, columns // shrink), element)
        yield dataclasses.replace(problem, gpus=min(count, problem.ranks))
    for size, element in itertools.product(() if by_side else OF_003, TYPES):
        if count or size[0] * size[1] <= MOST_POINTS_ON_HOST:
            problem = Problem("003", "2x2", size, element)
            yield dataclasses.replace(problem, gpus=min(count, problem.ranks))


def problems(count, by_side):
    """All of them on a machine with so many GPUs: first those with a GPU a rank, then the others by turns, and under the service."""
    found = sorted(problems_on(count, by_side), key=lambda problem: problem.shares)
    yield from found
    if mps_is_here():
        yield from (dataclasses.replace(problem, mps=True) for problem in found if problem.shares)


class Failure(RuntimeError):
    pass


def output_of(command, environment):
    """What a command prints. Its whole process group ends with it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                               env={**os.environ, **environment})
    try:
        output, _ = process.communicate(timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failure(f"not done after {TIME_LIMIT_S} s") from None
    if process.returncode:
        raise Failure(f"exit status {process.returncode}: {output.strip()[-1000:]}")
    return output


class Program:
    """stencil2d of one MPI."""

    def __init__(self, folder, mpi):
        self.name, self.version, self.validated, self.environment = mpi, mpi, {}, {}
        self.launcher, self.program = folder / f"mpiexec_{mpi}", folder / f"stencil2d_{mpi}"
        self.folder = folder

    def run(self, problem, exchange, options, more=None):
        words = preloaded(self.folder, on_host=not problem.gpus) if exchange == PRELOADED else []
        command = [str(self.launcher), "-n", str(problem.ranks), *words, str(self.program), "--exchange", exchange,
                   *problem.options(), *options]
        environment = {**self.environment, **AS_ROOT, **(more or {}),
                       "CUDA_VISIBLE_DEVICES": ",".join(visible_gpus()[:problem.gpus])}
        try:
            output = output_of(command, environment)
        except Failure as failure:
            if LAUNCHER_GAVE_UP not in str(failure):
                raise
            output = output_of(command, environment)
        self.version = MPI_NAME.search(output)[1]
        return output

    def validate(self, problem, exchange):
        """By a smaller field, once for each grid, type and number of GPUs, and under the service. Throws if that is
        wrong."""
        key = (problem.grid, problem.type, problem.gpus, problem.mps, exchange)
        if key not in self.validated:
            self.validated[key] = "equal to the last bit" in self.run(problem, exchange, VALIDATED)
        if not self.validated[key]:
            raise Failure("not validated")

    def prove(self, problem):
        """Throws unless the preload library takes every message of this case. Its statistics take time, so this is no
        run that is timed."""
        options = ["--size", f"{problem.size[0]},{problem.size[1]}", "--iterations", "2", "--no-validate"]
        left = not_taken(CALLS, self.run(problem, PRELOADED, options, {"TYPEWARP_STATS": "merged"}))
        if left:
            raise Failure(f"the preload library does not take all of it: {'; '.join(left)}")

    def time(self, problem, exchange, iterations, by_side):
        """Microseconds an iteration of each phase, and by side, on the rank that took the longest; and the part of the exchange
        that copies columns."""
        output = self.run(problem, exchange, ["--size", f"{problem.size[0]},{problem.size[1]}", "--iterations", str(iterations),
                                              "--no-validate", *(["--by-side"] if by_side else [])])
        return {phase: 1e3 * float(most) / iterations for phase, _, _, most in PHASE.findall(output)}, COLUMNS.findall(output)


def rows_of_iteration(times, row):
    found = [phases for phases, _ in times]
    totals = [phases["total"] for phases in found]
    median = statistics.median(totals)
    flops = 11 * row["size"][0] * row["size"][1]  # of an iteration, as SHOC counts them
    yield {**row, "direction": "iteration",
           "median_us": round(median, 3), "low_us": round(min(totals), 3), "high_us": round(max(totals), 3),
           "phases_us": {phase: round(statistics.median(one[phase] for one in found), 3) for phase in found[0]},
           "gflops_per_rank": round(flops / median / 1e3, 3), "validated": True}


def rows_of_sides(times, row):
    """A row for the copies of each side, and one for its messages."""
    columns = statistics.median(float(part) for _, parts in times for part in parts)
    for part in (part for part in times[0][0] if " " in part):
        found = [phases[part] for phases, _ in times]
        yield {**row, "direction": part, "median_us": round(statistics.median(found), 3), "low_us": min(found),
               "high_us": max(found), "copies_of_columns": columns, "validated": True}


def measure(program, problem, arguments):
    """Rows for each way to exchange. They are run in turns, so that all meet the same state of the machine."""
    iterations = arguments.iterations or (LONG_RUN if problem.points <= POINTS_OF_LONG_RUN else SHORT_RUN)
    times = {exchange: [] for exchange in arguments.exchanges}
    for exchange in times:
        program.validate(problem, exchange)
    program.prove(problem)
    for _ in range(arguments.passes):
        for exchange, found in times.items():
            found.append(program.time(problem, exchange, iterations, arguments.by_side))
    for exchange, found in times.items():
        yield from (rows_of_sides if arguments.by_side else rows_of_iteration)(found, {
            "case": problem.case, "paper": problem.paper, "grid": problem.grid, "size": problem.size,
            "type": problem.type, "ranks": problem.ranks, "gpus": problem.gpus, "shared": problem.shares, "mps": problem.mps,
            "mpi": program.version, "program": program.name, "method": exchange, "iterations": iterations})


def rows_so_far(arguments):
    """Those of the result that is resumed, which must be of the same source."""
    if not arguments.resume or not arguments.output.exists():
        return []
    result = json.loads(arguments.output.read_text(encoding="utf-8"))
    if result["source"] != first_line([str(ROOT / "tools/source_hash.sh")]):
        sys.exit(f"--resume: {arguments.output} is of another source: {result['source']}")
    return result["rows"]


class Rows:
    """What is measured, case by case, until the time is up."""

    def __init__(self, arguments):
        self.arguments, self.end = arguments, time.monotonic() + arguments.seconds
        self.rows, self.failed, self.stopped = rows_so_far(arguments), [], None
        self.done = {(row["program"], row["paper"], row["gpus"], row["mps"], row["case"], row["direction"] != "iteration")
                     for row in self.rows}

    def fail(self, mpi, problem, error):
        self.failed.append({"mpi": mpi, "gpus": problem.gpus, "mps": problem.mps, "case": problem.case, "error": str(error)})

    def is_wanted(self, program, problem):
        is_done = (program.name, problem.paper, problem.gpus, problem.mps, problem.case, self.arguments.by_side) in self.done
        is_named = re.search(self.arguments.filter, problem.case) and self.arguments.paper in (None, problem.paper)
        return not is_done and bool(is_named)

    def add(self, program, problem):
        where = f"{program.name}, {problem.gpus} GPUs{' under MPS' if problem.mps else ''}, {problem.case}"
        if self.stopped or time.monotonic() > self.end:
            self.stopped = self.stopped or f"before {where}"
            return
        print(where, file=sys.stderr)
        try:
            self.rows += measure(program, problem, self.arguments)
        except Failure as failure:
            self.fail(program.name, problem, failure)

    def add_under_service(self, wanted):
        with contextlib.ExitStack() as stack:
            try:
                environment = stack.enter_context(Service())
            except (OSError, subprocess.SubprocessError) as error:
                return self.fail("any", wanted[0][1], f"the Multi-Process Service does not start: {error}")
            for program, problem in wanted:
                program.environment = environment
                self.add(program, problem)
                program.environment = {}


def run_all(arguments):
    result = Rows(arguments)
    programs = [Program(arguments.bin, mpi) for mpi in arguments.mpis]
    all_problems = problems(0 if arguments.no_gpu else gpus(), arguments.by_side)
    for mps, group in itertools.groupby(all_problems, lambda problem: problem.mps):
        wanted = [(program, problem) for problem in group for program in programs if result.is_wanted(program, problem)]
        if mps and wanted and not result.stopped:
            result.add_under_service(wanted)
        else:
            for program, problem in wanted:
                result.add(program, problem)
    return result.rows, result.failed, result.stopped


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs stencil2d_<mpi>")
    parser.add_argument("--machine", default=gpu_machine(gpus()) or "host",
                        help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/stencil2d.json")
    parser.add_argument("--seconds", type=float, default=3600, help="after which nothing more is begun (default: %(default)s)")
    parser.add_argument("--passes", type=int, default=3, help="runs of each row (default: %(default)s)")
    parser.add_argument("--iterations", type=int, help=f"of a run (default: {LONG_RUN}, of large fields {SHORT_RUN})")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--filter", type=regular_expression, default="", help="only rows whose grid/size/type matches")
    parser.add_argument("--paper", choices=["001", "003"], help="only the rows of this paper")
    parser.add_argument("--by-side", action="store_true", help="only what each side takes")
    parser.add_argument("--resume", action="store_true", help="keep the rows of the result that is there, and add what is missing")
    parser.add_argument("--no-gpu", action="store_true", help="host memory only")
    arguments = parser.parse_args()
    built = sorted(file.name.removeprefix("stencil2d_") for file in arguments.bin.glob("stencil2d_*"))
    arguments.mpis = arguments.mpis.split(",") if arguments.mpis else built
    for mpi in arguments.mpis or ["<mpi>"]:
        if mpi not in built:
            parser.error(f"--bin {arguments.bin}: holds no stencil2d_{mpi}")
    arguments.exchanges = BY_SIDE if arguments.by_side else EXCHANGES
    if (arguments.filter or arguments.iterations or arguments.paper or arguments.by_side) and not arguments.output:
        parser.error("--filter, --iterations, --paper, --by-side: give --output too, since the default one holds all "
                     "rows")
    if arguments.passes < 1:
        parser.error(f"--passes {arguments.passes}: must be positive")
    arguments.output = arguments.output or ROOT / "bench/results" / arguments.machine / "stencil2d.json"
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    return arguments


def main():
    arguments = parse_arguments()
    rows, failed, stopped = run_all(arguments)
    gpu, _, driver = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).partition(", ")
    result = {
        "machine": {"gpu": gpu, "gpus": gpus(), "driver": driver, "cpu": cpu(), "cores": os.cpu_count(),
                    "mpis": list(dict.fromkeys(row["mpi"] for row in rows))},
        "source": first_line([str(ROOT / "tools/source_hash.sh")]),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(["bench/stencil2d/run.py", *sys.argv[1:]]),
        "complete": not failed and not stopped,
        "stopped": stopped,
        "failed": failed,
        "lines": {exchange: lines_of_code(exchange) for exchange in EXCHANGES},
        "pairs": pairs(rows),
        "rows": rows,
    }
    text = json.dumps({**result, "rows": []}, indent=1)
    listed = ",\n  ".join(json.dumps(row) for row in rows)
    arguments.output.write_text(text.removesuffix("[]\n}") + f"[\n  {listed}\n ]\n}}\n", encoding="utf-8")
    show(result)
    print(f"wrote {arguments.output}")
    if failed:
        sys.exit(f"stencil2d: {len(failed)} cases failed, see above")


if __name__ == "__main__":
    main()
