#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times halo exchanges between two ranks with bench_halo of every MPI, and writes bench/results/<machine>/halo.json.

With two GPUs each rank has one. Else both share what there is: once where their processes take turns, and once more under the
Multi-Process Service where that is installed. Host memory is measured besides, and alone without a GPU. A row that kills the
program, or that does not end, is recorded as failed, and the program started again behind it.
"""
import argparse
import contextlib
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from mps import CONTROL, Service, mps_is_here  # noqa: E402  (it stands one folder above)
from parts import AS_ROOT, Part, choose, gpus, left_out, write_result  # noqa: E402
from reporting import summary  # noqa: E402
from running import gpu_machine, regular_expression  # noqa: E402
from report import show  # noqa: E402
from targets import TARGETS, complete  # noqa: E402


def run_all(arguments):
    one_gpu = gpus() == 1 and not arguments.no_gpu
    planned = [(mpi, mps) for mps in (False, True) if not mps or (one_gpu and mps_is_here()) for mpi in arguments.mpis]
    parts = []
    end = time.monotonic() + arguments.seconds
    for i, (mpi, mps) in enumerate(planned):
        # What those before have left over is for all that follow.
        seconds = (end - time.monotonic()) / (len(planned) - i)
        # Host memory does not know of it.
        pattern = f"^(?=.*/device/).*(?:{arguments.filter})" if mps else arguments.filter
        command = [str(arguments.bin / f"mpiexec_{mpi}"), "-n", "2", str(arguments.bin / f"bench_halo_{mpi}"), "--filter", pattern,
                   "--most", str(arguments.most), "--row-seconds", str(arguments.row_seconds), *(["--no-gpu"] if arguments.no_gpu else [])]
        name = f"{mpi} under MPS" if mps else mpi
        print(name, file=sys.stderr)
        parts.append(part := Part(name, command, dict(AS_ROOT), seconds))
        part.run_within(Service() if mps else contextlib.nullcontext({}))
    if one_gpu and not mps_is_here():
        parts.append(left_out("any MPI under MPS", f"no {CONTROL} here"))
    return parts


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs bench_halo_<mpi>")
    parser.add_argument("--machine", default=gpu_machine(min(gpus(), 2)) or "host", help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/halo.json")
    parser.add_argument("--seconds", type=float, default=180, help="for all of it (default: %(default)s)")
    parser.add_argument("--row-seconds", type=float, default=0.3, help="what a row is measured for at most (default: %(default)s)")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--filter", type=regular_expression, default="", help="only rows whose case/memory/method/edge matches")
    parser.add_argument("--most", type=int, default=1024, help="owned cells along an edge")
    parser.add_argument("--no-gpu", action="store_true", help="host memory only")
    arguments = parser.parse_args()
    choose(parser, arguments, "halo", ["filter", "most", "mpis", *(["no_gpu"] if gpus() else [])])
    return arguments


def main():
    arguments = parse_arguments()
    parts = run_all(arguments)
    rows = [row for part in parts for row in part.rows]
    complete(rows)
    result = write_result(arguments.output, parts, "bench/halo/run.py", summary(rows, TARGETS))
    show(result)
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"bench_halo: {len(result['failed'])} rows failed, see above")


if __name__ == "__main__":
    main()
