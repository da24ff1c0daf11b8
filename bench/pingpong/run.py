#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times messages between two ranks with bench_pingpong of every MPI, and writes bench/results/<machine>/pingpong.json.

With two GPUs it runs them with a GPU a rank, then with both ranks on one: once where their processes take turns, and once more
under the Multi-Process Service where that is installed. Without a GPU it measures host memory. A row that kills
the program, or that does not end, is recorded as failed, and the program started again behind it.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import ranks  # noqa: E402  (it stands one folder above)
from parts import gpus  # noqa: E402
from report import show  # noqa: E402
from targets import TARGETS, Join  # noqa: E402

UCX_LIBRARIES = ("libucm.so.0", "libucs.so.0", "libuct.so.0", "libucp.so.0")
# Of the time, with so many GPUs: (GPUs used, whether under the Multi-Process Service, share).
SHARES = {2: [(2, False, 0.7), (1, False, 0.1), (1, True, 0.2)], 1: [(1, False, 0.4), (1, True, 0.6)], 0: [(0, False, 1.0)]}
# What an MPI over UCX is measured for.
OVER_UCX = "device-device/(mpi_device|automatic|gpu_aware|ucx)|contiguous/.*memcpy"


def launches(arguments):
    there = 0 if arguments.no_gpu else min(gpus(), 2)
    environment = {}
    if arguments.ucx:
        # An MPI may bring one that knows nothing of GPUs, and would have it loaded first.
        environment = {"LD_LIBRARY_PATH": str(arguments.ucx), "TYPEWARP_UCX_LIBRARY": str(arguments.ucx / "libucp.so.0")}
    for count, mps, share in [(2, False, 1.0)] if arguments.gpu_a_rank else SHARES[there]:
        which = {0: ["--no-gpu"], 1: ["--one-gpu"], 2: []}[count]
        pattern = arguments.filter or ("device-device" if count == 1 < there else "")

        def launch(mpi, name, share, options, environment, launcher=(), pattern=pattern, count=count, mps=mps, which=which):
            return ranks.Launch(mpi, name, share=share, mps=mps, launcher=launcher, environment=environment,
                                options=[*which, *options, "--filter", pattern, "--least", str(arguments.least)])

        for mpi in arguments.mpis:
            yield launch(mpi, f"{mpi} under MPS" if mps else mpi, share / len(arguments.mpis), [], environment)
            if arguments.ucx and mpi == "openmpi" and count == 2:
                preload = ":".join(str(arguments.ucx / library) for library in UCX_LIBRARIES)
                yield launch(mpi, f"{mpi} over UCX", share / 4, ["--gpu-mpi"],
                             {**environment, "LD_PRELOAD": preload, "UCX_MODULE_DIR": str(arguments.ucx / "ucx")},
                             ["--mca", "pml", "ucx"], arguments.filter or OVER_UCX)


def parse_arguments():
    parser = ranks.parser(__doc__, "pingpong", "case/memory/method/bytes", 256 << 20, "bytes of data", 600)
    parser.add_argument("--least", type=int, default=0, help="bytes of data")
    parser.add_argument("--gpu-a-rank", action="store_true", help="not both ranks on one GPU")
    module_folder = os.environ.get("UCX_MODULE_DIR")
    parser.add_argument("--ucx", type=pathlib.Path, default=module_folder and pathlib.Path(module_folder).parent,
                        help="folder of libucp.so.0 and ucx/: the protocol ucx by this UCX, and Open MPI over it besides (default: above UCX_MODULE_DIR)")
    arguments = parser.parse_args()
    for name in UCX_LIBRARIES if arguments.ucx else []:
        if not (arguments.ucx / name).exists():
            parser.error(f"--ucx {arguments.ucx}: holds no {name}")
    ranks.complete(parser, arguments, "pingpong", ["least", "gpu_a_rank"])
    if arguments.gpu_a_rank and gpus() < 2:
        parser.error(f"--gpu-a-rank: needs 2 GPUs, and there are {gpus()}")
    return arguments


def main():
    arguments = parse_arguments()
    parts = ranks.run_all(arguments, "pingpong", launches(arguments), gpus() and not arguments.no_gpu)
    rates = next((part.rates for part in parts if part.rates), {})
    rows = [row for part in parts for row in part.rows]
    join = Join(rows, rates)
    for row in rows:
        join.complete(row)
    ranks.finish(arguments, "pingpong", parts, rows, TARGETS, show)


if __name__ == "__main__":
    main()
