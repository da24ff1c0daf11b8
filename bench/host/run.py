#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the host engine with MPI_Pack and MPI_Unpack of every MPI that the build has.

The programs bench_host_<mpi> run at the same time on the same core, and take turns case by case, so that all of them see the
same machine. Each times its MPI and Typewarp in alternating batches; the median over the rounds is recorded. A speed-up
always compares two times measured in the same process.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from running import ROOT, cpu, regular_expression  # noqa: E402  (it stands one folder above)



class Player:
    """One bench_host_<mpi>, which answers one case at a time."""

    def __init__(self, program, options):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.program = program
        self.process = subprocess.Popen([str(program), "--serve", "--json", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1, env=environment)

    def play(self, case):
        rows = []
        try:
            print(case, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            sys.exit(f"{self.program.name} ended before {case}")
        for line in self.process.stdout:
            if not line.startswith("{"):
                # Not ours: UCX, below both MPIs, prints its warnings to standard output.
                print(line, end="", file=sys.stderr)
                continue
            row = json.loads(line)
            if not row:
                return rows
            rows.append(row)
        sys.exit(f"{self.program.name} ended during {case}")

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            sys.exit(f"{self.program.name} failed")


def cases(program, pattern):
    listed = subprocess.run([str(program), "--list"], check=False, stdout=subprocess.PIPE, text=True)
    if listed.returncode != 0:
        sys.exit(f"{program} --list failed")
    return [name for name in listed.stdout.split() if pattern is None or re.search(pattern, name)]


def measure(programs, names, arguments):
    """{(case, direction, mpi): [one row of the program a round]}, and before what the time was over, if it was."""
    options = ["--core", str(arguments.core), "--threads", str(arguments.threads), "--batches", str(arguments.batches),
               "--batch-us", str(arguments.batch_us)]
    players = [Player(program, options) for program in programs]
    found, stopped, end = {}, [], time.monotonic() + arguments.seconds
    for turn, i in ((turn, i) for turn in range(arguments.rounds) for i in range(len(names))):
        name = names[i]
        if time.monotonic() > end:
            stopped = [f"before {name} of round {turn + 1} of {arguments.rounds}"]
            break
        print(f"\rround {turn + 1}/{arguments.rounds}, case {i + 1}/{len(names)}: {name:<32}", end="", file=sys.stderr)
        for player in players:
            for row in player.play(name):
                found.setdefault((row["case"], row["direction"], row["mpi"]), []).append(row)
    print(file=sys.stderr)
    for player in players:
        player.close()
    return found, stopped


def merged(rounds):
    """One row a number of threads, of the medians over the rounds."""
    def median(pick):
        return statistics.median(pick(row) for row in rounds)

    first = rounds[0]
    function = {"pack": "MPI_Pack", "unpack": "MPI_Unpack"}[first["direction"]]
    floor = median(lambda row: row["floor_us"])
    for threads in first["typewarp_us"]:
        time = median(lambda row: row["typewarp_us"][threads])
        yield {"case": first["case"], "packed_bytes": first["packed_bytes"], "touched_bytes": first["touched_bytes"],
               "direction": first["direction"], "method": f"typewarp-{threads}t", "median_us": round(time, 4),
               "floor_us": round(floor, 4), "fraction_of_floor": round(floor / time, 3),
               "baselines_us": {f"{first['mpi']} {function}": round(median(lambda row: row["mpi_us"]), 4)},
               "spread": round(median(lambda row: max(row["spread"]["mpi"], row["spread"][threads])), 3)}


def speedup(row):
    return next(iter(row["baselines_us"].values())) / row["median_us"]


def summary(rows):
    """Of every group of rows with one method, direction and baseline: the geometric mean, and the worst case. Several threads
    count only from 4 MiB."""
    groups = {}
    for row in rows:
        if row["method"] != "typewarp-1t" and row["packed_bytes"] < 4194000:
            continue
        baseline = next(iter(row["baselines_us"]))
        groups.setdefault((row["method"], baseline.split()[0], "all"), []).append(row)
        groups.setdefault((row["method"], baseline.split()[0], row["direction"]), []).append(row)
    for (method, mpi, direction), members in sorted(groups.items()):
        worst = min(members, key=speedup)
        yield {"method": method, "mpi": mpi, "direction": direction, "cases": len(members),
               "geometric_mean": round(math.exp(statistics.mean(math.log(speedup(row)) for row in members)), 3),
               "worst": round(speedup(worst), 3), "worst_case": f"{worst['case']} {worst['direction']}",
               "below_0.9": sorted(f"{row['case']} {row['direction']}" for row in members if speedup(row) < 0.9)}


def machine_name():
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(r\)|\(tm\)|cpu|processor|@.*", "", cpu().lower())).strip("-")


def number(convert, least, most):
    """A type for argparse: a number from `least` to `most`."""
    def read(text):
        try:
            value = convert(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text}: must be {'a whole' if convert is int else 'a'} number "
                                             f"from {least} to {most}")
        return value
    return read


def usable_core(text):
    cores = sorted(os.sched_getaffinity(0))
    if text not in map(str, cores):
        raise argparse.ArgumentTypeError(f"{text}: must be one of the cores that this process may use: "
                                         + " ".join(map(str, cores)))
    return int(text)


def output_problem(path):
    """Why the result could not be written, before hours are spent on it; else None."""
    if path.is_dir():
        return "is a folder"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    return None if os.access(path if path.exists() else path.parent, os.W_OK) else "is not writable"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs bench_host_<mpi>")
    parser.add_argument("--machine", default=machine_name(), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/host.json")
    parser.add_argument("--filter", type=regular_expression,
                        help="only cases whose name matches; needs --output, since the default one holds all cases")
    parser.add_argument("--core", type=usable_core, default=max(os.sched_getaffinity(0)), help="core for calls of one thread")
    parser.add_argument("--threads", type=number(int, 1, 1024), default=2)
    parser.add_argument("--seconds", type=float, default=math.inf, help="after which no case is begun (default: none)")
    parser.add_argument("--rounds", type=number(int, 1, 1000), default=3)
    parser.add_argument("--batches", type=number(int, 1, 10000), default=11)
    parser.add_argument("--batch-us", type=number(float, 1, 1000000), default=200)
    arguments = parser.parse_args()
    if arguments.filter and not arguments.output:
        parser.error("--filter: give --output too, since the default one holds all cases")
    arguments.programs = sorted(arguments.bin.glob("bench_host_*"))
    if not arguments.programs:
        parser.error(f"--bin {arguments.bin}: holds no bench_host_<mpi>")
    arguments.names = cases(arguments.programs[0], arguments.filter)
    if not arguments.names:
        parser.error(f"--filter {arguments.filter}: matches no case")
    arguments.output = arguments.output or ROOT / "bench/results" / arguments.machine / "host.json"
    problem = output_problem(arguments.output)
    if problem:
        parser.error(f"--output {arguments.output}: cannot be written: {problem}")
    return arguments


def main():
    arguments = parse_arguments()

    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"warning: the load of this machine is {load:.1f}: other programs will disturb the times", file=sys.stderr)
    found, stopped = measure(arguments.programs, arguments.names, arguments)
    rows = [row for rounds in found.values() for row in merged(rounds)]
    ranked = [row for row in rows if not row["case"].startswith("overhead/")]
    result = {
        "machine": {"cpu": cpu(), "cores": len(os.sched_getaffinity(0)), "mpi": sorted({key[2] for key in found}),
                    "kernel": os.uname().release, "load_at_start": round(load, 2)},
        "source": subprocess.run([str(ROOT / "tools/source_hash.sh")], check=True, capture_output=True,
                                 text=True).stdout.strip(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(["bench/host/run.py", *sys.argv[1:]]),
        "complete": not stopped,
        "stopped": stopped,
        "failed": [],
        "floor": "time of a contiguous copy that touches as many bytes as the case's 64-byte segments and packed bytes",
        "summary": list(summary(ranked)),
        "overhead": [row for row in rows if row["case"].startswith("overhead/")],
        "rows": ranked,
    }
    arguments.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in result["summary"]:
        print(f"{row['method']:<12} {row['mpi']:<16} {row['direction']:<7} {row['cases']:4} cases: geometric mean "
              f"{row['geometric_mean']:6.2f}, worst {row['worst']:5.2f} ({row['worst_case']})")
    for row in result["overhead"]:
        print(f"{row['case']} {row['direction']}: {1000 * row['median_us']:.0f} ns, " +
              ", ".join(f"{name} {1000 * time:.0f} ns" for name, time in row["baselines_us"].items()))
    print(f"wrote {arguments.output}")


if __name__ == "__main__":
    main()
