#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times messages between two ranks with bench_pingpong of every MPI, and writes bench/results/<machine>/pingpong.json.

With two GPUs it runs them with a GPU a rank, then with both ranks on one: once where their processes take turns, and once more
under the Multi-Process Service where that is installed. Without a GPU it measures host memory. A row that kills
the program, or that does not end, is recorded as failed, and the program started again behind it.
"""
import argparse
import contextlib
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from mps import CONTROL, Service, mps_is_here  # noqa: E402  (it stands one folder above)
from parts import AS_ROOT, Part, choose, gpus, left_out, write_result  # noqa: E402
from reporting import summary  # noqa: E402
from running import gpu_machine, regular_expression  # noqa: E402
from report import show  # noqa: E402
from targets import TARGETS, Join  # noqa: E402

UCX_LIBRARIES = ("libucm.so.0", "libucs.so.0", "libuct.so.0", "libucp.so.0")
# Of the time, with so many GPUs: (GPUs used, whether under the Multi-Process Service, share).
SHARES = {2: [(2, False, 0.7), (1, False, 0.1), (1, True, 0.2)], 1: [(1, False, 0.4), (1, True, 0.6)], 0: [(0, False, 1.0)]}


def default_machine():
    return gpu_machine(min(gpus(), 2)) or "host"


def launches(arguments):
    """(MPI, GPUs, whether under MPS, launcher options, options of the program, environment, share of the time)."""
    for count, mps, share in SHARES[min(gpus(), 2) if not arguments.no_gpu else 0]:
        if mps and not mps_is_here():
            continue
        for mpi in arguments.mpis:
            options = []
            if count == 0:
                options = ["--no-gpu"]
            elif count == 1:
                options = ["--one-gpu"]
            environment = dict(AS_ROOT)
            if arguments.ucx:
                # An MPI may bring one that knows nothing of GPUs, and would have it loaded first.
                environment["LD_LIBRARY_PATH"] = str(arguments.ucx)
                environment["TYPEWARP_UCX_LIBRARY"] = str(arguments.ucx / "libucp.so.0")
            yield mpi, count, mps, [], options, environment, share / len(arguments.mpis)
            if arguments.ucx and mpi == "openmpi" and count == 2:
                preload = ":".join(str(arguments.ucx / name) for name in UCX_LIBRARIES)
                environment = {**environment, "LD_PRELOAD": preload, "UCX_MODULE_DIR": str(arguments.ucx / "ucx")}
                yield mpi, count, mps, ["--mca", "pml", "ucx"], ["--gpu-mpi"], environment, share / 4


def run_all(arguments):
    parts, planned = [], list(launches(arguments))
    end = time.monotonic() + arguments.seconds
    for i, (mpi, count, mps, launcher_options, options, environment, share) in enumerate(planned):
        # What those before have left over is for all that follow.
        seconds = (end - time.monotonic()) * share / sum(later for *_, later in planned[i:])
        launcher = [str(arguments.bin / f"mpiexec_{mpi}"), *launcher_options, "-n", "2"]
        pattern = arguments.filter
        if count == 1 and gpus() > 1:
            pattern = pattern or "device-device"
        if "--gpu-mpi" in options:
            pattern = pattern or "device-device/(mpi_device|automatic|gpu_aware|ucx)|contiguous/.*memcpy"
        program = [str(arguments.bin / f"bench_pingpong_{mpi}"), *options, "--filter", pattern, "--least", str(arguments.least),
                   "--most", str(arguments.most), "--row-seconds", str(arguments.row_seconds)]
        name = mpi + (" over UCX" if "--gpu-mpi" in options else " under MPS" if mps else "")
        print(f"{name}, {count} GPUs", file=sys.stderr)
        parts.append(part := Part(name, [*launcher, *program], dict(environment), seconds))
        part.run_within(Service() if mps else contextlib.nullcontext({}))
    if gpus() and not arguments.no_gpu and not mps_is_here():
        parts.append(left_out("any MPI under MPS", f"no {CONTROL} here"))
    return parts


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs bench_pingpong_<mpi>")
    parser.add_argument("--machine", default=default_machine(), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/pingpong.json")
    parser.add_argument("--seconds", type=float, default=600, help="for all of it (default: %(default)s)")
    parser.add_argument("--row-seconds", type=float, default=0.3, help="what a row is measured for at most (default: %(default)s)")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--filter", type=regular_expression, default="", help="only rows whose case/memory/method/bytes matches")
    parser.add_argument("--least", type=int, default=0, help="bytes of data")
    parser.add_argument("--most", type=int, default=256 << 20, help="bytes of data")
    parser.add_argument("--no-gpu", action="store_true", help="host memory only")
    module_folder = os.environ.get("UCX_MODULE_DIR")
    parser.add_argument("--ucx", type=pathlib.Path, default=module_folder and pathlib.Path(module_folder).parent,
                        help="folder of libucp.so.0 and ucx/: the protocol ucx by this UCX, and Open MPI over it besides (default: above UCX_MODULE_DIR)")
    arguments = parser.parse_args()
    for name in UCX_LIBRARIES if arguments.ucx else []:
        if not (arguments.ucx / name).exists():
            parser.error(f"--ucx {arguments.ucx}: holds no {name}")
    choose(parser, arguments, "pingpong", ["filter", "least", "most", "mpis", *(["no_gpu"] if gpus() else [])])
    return arguments


def main():
    arguments = parse_arguments()
    parts = run_all(arguments)
    rates = next((part.rates for part in parts if part.rates), {})
    rows = [row for part in parts for row in part.rows]
    join = Join(rows, rates)
    for row in rows:
        join.complete(row)
    result = write_result(arguments.output, parts, "bench/pingpong/run.py", summary(rows, TARGETS))
    show(result)
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"bench_pingpong: {len(result['failed'])} rows failed, see above")


if __name__ == "__main__":
    main()
