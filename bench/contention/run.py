#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times packing beside an application's work on one GPU with bench_contention, and writes bench/results/<machine>/contention.json.

Both are streams of one process; then processes that take turns on the GPU, and once more under the Multi-Process Service where that is
installed. A row that kills the program, or that does not end, is recorded as failed, and the program started again behind it.
"""
import argparse
import contextlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from mps import CONTROL, Service, mps_is_here  # noqa: E402  (it stands one folder above)
from parts import Part, gpus, left_out, write_result  # noqa: E402
from report import show  # noqa: E402
from reporting import summary  # noqa: E402
from running import ROOT, everything, gpu_machine, regular_expression  # noqa: E402
from targets import TARGETS, methods  # noqa: E402

# Of the time: what one process measures is more.
SHARES = {"one process": 0.6, "two processes by turns": 0.2, "two processes under MPS": 0.2}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of bench_contention")
    parser.add_argument("--machine", default=gpu_machine(1) or "unknown", help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/contention.json")
    parser.add_argument("--seconds", type=float, default=180, help="for all of it (default: %(default)s)")
    parser.add_argument("--filter", type=regular_expression, default="", help="only rows whose application/case/memory/direction/method matches")
    arguments = parser.parse_args()
    if not (arguments.bin / "bench_contention").exists():
        parser.error(f"--bin {arguments.bin}: holds no bench_contention")
    if arguments.filter and not arguments.output:
        parser.error("--filter: give --output too, since the default one holds all rows")
    arguments.output = arguments.output or ROOT / "bench/results" / arguments.machine / "contention.json"
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    return arguments


def run(name, arguments):
    if name.endswith("MPS") and not mps_is_here():
        return left_out(name, f"no {CONTROL} here")
    options = ["--two-processes"] if name.startswith("two") else []
    print(name, file=sys.stderr)
    command = [str(arguments.bin / "bench_contention"), "--filter", arguments.filter, *options]
    if not everything([*command, "--list"]):
        return left_out(name, f"no row matches {arguments.filter}")
    part = Part(name, command, {}, arguments.seconds * SHARES[name])
    part.run_within(Service() if name.endswith("MPS") else contextlib.nullcontext({}))
    return part


def main():
    arguments = parse_arguments()
    if not gpus():
        print("skipped: needs a GPU")
        sys.exit(77)
    parts = [run(name, arguments) for name in SHARES]
    rows = [{"processes": part.name, **{key: value for key, value in row.items() if key not in ("mpi", "gpus", "index")}}
            for part in parts for row in part.rows]
    result = write_result(arguments.output, parts, "bench/contention/run.py", summary(rows, TARGETS, "processes"), rows,
                          {"methods": list(methods(rows))})
    show(result)
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"bench_contention: {len(result['failed'])} rows failed, see above")


if __name__ == "__main__":
    main()
