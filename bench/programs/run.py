#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs dycore, hacc, hydro, lammps and openacc with each MPI, and writes what they print of their ways as a result.

All validate what they move, dycore and hydro in short runs before those that are timed. On memory of GPUs, where there
is one for each rank; else on that of the host. dycore, hacc and hydro are started once more, to move blocks and ghost
cells by MPI calls alone under the preload library. The files of hacc are temporary ones. openacc, of the examples, calls the MPI alone too. It is built where the compiler has OpenACC,
and finds GPUs where that compiles for them.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import hacc  # noqa: E402  (it stands here)
from parts import AS_ROOT, Part, choose, gpus, not_taken, preloaded, write_result  # noqa: E402  (it stands one folder above)
from reporting import summary, table  # noqa: E402
from running import gpu_machine  # noqa: E402


def numbers(line):
    return [float(word) for word in line.split()]


def rows_of_ways(lines, ranks):
    """Of the table "ms, slowest rank"."""
    ways = []
    for line in lines:
        if line.startswith("  ms, slowest rank"):
            ways = line.split("slowest rank")[1].split()
        elif line.startswith("  communication ") and ways:
            for way, ms in zip(ways, numbers(line.split("communication")[1])):
                yield {"case": f"{ranks} ranks", "direction": "communication", "method": way, "median_us": 1e3 * ms}


def rows_of_exchanges(exchanges_a_step):
    """Of the same table, a row for one exchange. The headline says what is exchanged, and how many steps there are."""

    def rows(lines, ranks):
        headline = next(filter(None, (re.fullmatch(r"\w+: .*, (\d+) steps", line) for line in lines)), None)
        if not headline or headline[1] == "0":
            return
        for row in rows_of_ways(lines, ranks):
            us = row["median_us"] / (exchanges_a_step * int(headline[1]))
            yield {**row, "case": headline[0], "direction": "exchange", "median_us": us}

    return rows


def rows_of_openacc(lines, _ranks):
    for line in lines:
        if found := re.match(r"message of (\d+) bytes, us: (.*)", line):
            for method, us in re.findall(r"([a-z ]+) ([\d.]+)", found[2]):
                yield {
                    "case": "every fourth double",
                    "packed_bytes": int(found[1]),
                    "direction": "message",
                    "method": method.strip(),
                    "median_us": float(us),
                }


def openacc_on_gpus(lines):
    return any(re.fullmatch(r"accelerators: [1-9]\d*", line) for line in lines)


@dataclasses.dataclass
class Start:
    options: Callable = lambda memory: ["--memory", memory]
    before: Callable = lambda folder, on_host: []  # words that start it
    proves: tuple = ()  # calls that the preload library must have taken
    added: str = ""  # to the names of its methods, where other starts have the same ones
    timed: bool = True  # else it is there to validate


@dataclasses.dataclass
class Program:
    rows: Callable  # of the lines that it prints, and the number of ranks
    starts: tuple
    most_ranks: int = 4
    completed: Callable = lambda rows: rows  # of all starts
    targets: tuple = ()


def hacc_options(*more):
    return lambda memory: ["--memory", memory, "--particles", hacc.PARTICLES, "--repeats", "31", *more]


FEW_STEPS = "3"  # to validate


def with_ghosts(exchanges_a_step, on_gpus, on_host):
    """A program whose ranks exchange ghost cells, with its size and its steps. To validate, a core of the host repeats the run of all ranks. That is
    too slow for as many steps as a median needs, so another start takes the time, and does not validate."""

    def asked(by, validates):
        def options(memory):
            size, steps = on_gpus if memory == "device" else on_host
            run_of = ["--steps", FEW_STEPS] if validates else ["--steps", steps, "--no-validate"]
            return ["--memory", memory, *size, "--by", by, *run_of]

        return options

    under_preload = (preloaded, ("MPI_Isend", "MPI_Irecv"), " under preload")
    return Program(
        rows_of_exchanges(exchanges_a_step),
        (
            Start(asked("all", validates=True), timed=False),
            Start(asked("all", validates=False)),
            Start(asked("mpi", validates=True), *under_preload, timed=False),
            Start(asked("mpi", validates=False), *under_preload),
        ),
    )


PROGRAMS = {
    "dycore": with_ghosts(3, (["--size", "128", "--levels", "40"], "500"), (["--size", "24"], "100")),
    "hacc": Program(
        hacc.rows,
        (
            Start(hacc_options()),
            Start(hacc_options("--by", "mpi"), preloaded, ("MPI_Pack", "MPI_File_write_at_all", "MPI_File_read_at_all")),
        ),
        completed=hacc.without_preload,
        targets=hacc.TARGETS,
    ),
    "hydro": with_ghosts(1, (["--size", "512"], "500"), (["--size", "96"], "200")),
    "lammps": Program(rows_of_ways, (Start(lambda memory: ["--memory", memory, "--cells", "16"]),)),
    "openacc": Program(rows_of_openacc, (Start(lambda _: [], preloaded, ("MPI_Send", "MPI_Recv")),), 2),
}


def run(part, arguments, memory, start):
    """One start of the program, of as many ranks as there are GPUs, two at least."""
    program = PROGRAMS[arguments.program]
    ranks = max(2, min(gpus(), program.most_ranks))
    command = [
        str(arguments.bin / f"mpiexec_{part.name}"),
        "-n",
        str(ranks),
        *start.before(arguments.bin, memory == "host"),
        str(arguments.bin / f"{arguments.program}_{part.name}"),
        *start.options(memory),
    ]
    left = part.end - time.monotonic()
    environment = {**os.environ, **AS_ROOT, **({"TYPEWARP_STATS": "merged"} if start.proves else {})}
    try:
        ran = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=max(left, 1),
            check=True,
        )
    except subprocess.TimeoutExpired:
        part.stopped = f"{part.name}: not done in {left:.0f} s"
        return
    except (OSError, subprocess.CalledProcessError) as error:
        part.fail({"case": arguments.program}, f"{error}: {(getattr(error, 'stderr', '') or '')[-500:]}")
        return
    lines = ran.stdout.splitlines()
    if arguments.program == "openacc" and memory == "device" and not openacc_on_gpus(lines):
        part.fail({"case": arguments.program}, "its OpenACC finds no GPU")
        return
    # Beside memory of GPUs it sends what it has packed in that of the host.
    also = ["host memory"] if memory == "device" else []
    if left_to_mpi := start.proves and not_taken(start.proves, ran.stdout + ran.stderr, also):
        part.fail({"case": arguments.program}, f"the preload library has not taken {left_to_mpi}")
        return
    rows = [
        {"mpi": part.name, "gpus": min(gpus(), ranks), "memory": memory, **row, "method": row["method"] + start.added}
        for row in program.rows(lines, ranks)
    ]
    if start.timed:
        part.rows += rows
    if not rows:
        part.fail({"case": arguments.program}, f"prints no times: {ran.stdout[-500:]}")


def run_all(part, arguments, memory):
    """Behind a start that fails, or takes all of the time, no other is tried."""
    for start in PROGRAMS[arguments.program].starts:
        run(part, arguments, memory, start)
        if part.stopped or part.failed:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs <program>_<mpi>")
    parser.add_argument("--program", choices=sorted(PROGRAMS), required=True)
    parser.add_argument(
        "--machine", default=gpu_machine(gpus()) or "host", help="name of the result folder (default: %(default)s)"
    )
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/<program>.json")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--seconds", type=float, default=60, help="for all of it (default: %(default)s)")
    arguments = parser.parse_args()
    choose(parser, arguments, arguments.program, ["mpis"], program=arguments.program)
    memory = "device" if gpus() else "host"
    parts = [
        Part(mpi, [], {}, arguments.seconds / len(arguments.mpis) * (i + 1)) for i, mpi in enumerate(arguments.mpis)
    ]
    program = PROGRAMS[arguments.program]
    for part in parts:
        run_all(part, arguments, memory)
    rows = list(program.completed([row for part in parts for row in part.rows]))
    result = write_result(arguments.output, parts, "bench/programs/run.py", summary(rows, program.targets), rows)
    table(
        ["microseconds", "median", "others"],
        [
            [
                f"{row['mpi']} {row['case']} {row['direction']} {row['method']}",
                f"{row['median_us']:.2f}",
                str(row.get("baselines_us", "")),
            ]
            for row in result["rows"]
        ],
    )
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"{arguments.program}: {result['failed']}")


if __name__ == "__main__":
    main()
