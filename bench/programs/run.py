#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs hacc, hydro, lammps and openacc with each MPI, and writes what they print of their ways as a result.

All validate what they move. On memory of GPUs, where there is one for each rank; else on that of the host. openacc,
of the examples, calls the MPI alone, under the preload library, and so does hydro in a run of its own. openacc is
built where the compiler has OpenACC, and finds GPUs where that compiles for them.
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
from parts import AS_ROOT, Part, choose, gpus, not_taken, preloaded, write_result  # noqa: E402  (it stands one folder above)
from reporting import UNITS, table  # noqa: E402
from running import gpu_machine  # noqa: E402

BYTES = re.compile(r"([\d.]+) ([KMG]?i?B)")
DIRECTIONS = {"Packing": "pack", "Unpacking": "unpack"}


def numbers(line):
    return [float(word) for word in line.split()]


def rows_of_hacc(lines, _ranks):
    """Of its tables "Pack..., us" and "Unpack..., us", a line a rank."""
    direction, ways = None, []
    for line in lines:
        if ", one rank after the other" in line:
            direction = DIRECTIONS[line.split()[0]]
        elif line.startswith("  rank  particles"):
            ways = re.split(r"packed", line)[1].split("floor")[0].split()
        elif direction and re.match(r"  +\d+ +\d+ +[\d.]+ [KMG]?i?B", line):
            size = BYTES.search(line)
            times = dict(zip([*ways, "floor"], numbers(line[size.end() :])))
            yield {
                "case": f"block of rank {line.split()[0]}",
                "packed_bytes": round(float(size[1]) * UNITS[size[2]]),
                "direction": direction,
                "method": "typewarp",
                "median_us": times.pop("typewarp"),
                "floor_us": times.pop("floor"),
                "baselines_us": times,
            }
        elif not line.strip():
            direction = None


def rows_of_ways(lines, ranks):
    """Of the table "ms, slowest rank"."""
    ways = []
    for line in lines:
        if line.startswith("  ms, slowest rank"):
            ways = line.split("slowest rank")[1].split()
        elif line.startswith("  communication ") and ways:
            for way, ms in zip(ways, numbers(line.split("communication")[1])):
                yield {"case": f"{ranks} ranks", "direction": "communication", "method": way, "median_us": 1e3 * ms}


def rows_of_mpi(lines, ranks):
    """The same, of a run under the preload library."""
    for row in rows_of_ways(lines, ranks):
        yield {**row, "method": f"{row['method']} under preload"}


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
class Program:
    rows: Callable  # of the lines that it prints, and the number of ranks
    options: Callable = lambda memory: ["--memory", memory]
    before: Callable = lambda folder, on_host: []  # words that start it
    most_ranks: int = 4
    proves: tuple = ()  # calls that the preload library must have taken


def hydro(memory):
    return ["--memory", memory, "--size", "512" if memory == "device" else "96"]


PROGRAMS = {  # the runs of each
    "hacc": [Program(rows_of_hacc)],
    "hydro": [
        Program(rows_of_ways, hydro),
        Program(rows_of_mpi, lambda memory: [*hydro(memory), "--by", "mpi"], preloaded, proves=("MPI_Isend", "MPI_Irecv")),
    ],
    "lammps": [Program(rows_of_ways, lambda memory: ["--memory", memory, "--cells", "16"])],
    "openacc": [Program(rows_of_openacc, lambda _: [], preloaded, 2, ("MPI_Send", "MPI_Recv"))],
}


def run(part, arguments, program, memory):
    """One run of the program, of as many ranks as there are GPUs, two at least."""
    ranks = max(2, min(gpus(), program.most_ranks))
    command = [
        str(arguments.bin / f"mpiexec_{part.name}"),
        "-n",
        str(ranks),
        *program.before(arguments.bin, memory == "host"),
        str(arguments.bin / f"{arguments.program}_{part.name}"),
        *program.options(memory),
    ]
    left = part.end - time.monotonic()
    environment = {**os.environ, **AS_ROOT, **({"TYPEWARP_STATS": "merged"} if program.proves else {})}
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
    if left_to_mpi := program.proves and not_taken(program.proves, ran.stdout + ran.stderr, also):
        part.fail({"case": arguments.program}, f"the preload library has not taken {left_to_mpi}")
        return
    rows = list(program.rows(lines, ranks))
    for row in rows:
        part.rows.append({"mpi": part.name, "gpus": min(gpus(), ranks), "memory": memory, **row})
    if not rows:
        part.fail({"case": arguments.program}, f"prints no times: {ran.stdout[-500:]}")


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
    for part in parts:
        for program in PROGRAMS[arguments.program]:
            run(part, arguments, program, memory)
    result = write_result(arguments.output, parts, "bench/programs/run.py", [])
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
