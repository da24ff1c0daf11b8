#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times halo exchanges between two ranks with bench_halo of every MPI, and writes bench/results/<machine>/halo.json.

With two GPUs each rank has one. Else both share what there is: once where their processes take turns, and once more under the
Multi-Process Service where that is installed. Host memory is measured besides, and alone without a GPU. --preloaded
adds MPI_Pack and datatypes of the MPI under the preload library, in memory of GPUs if there are any. A row that kills
the program, or that does not end, is recorded as failed, and the program started again behind it.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import ranks  # noqa: E402  (it stands one folder above)
from parts import gpus, preloaded  # noqa: E402
from report import show  # noqa: E402
from running import available_mib  # noqa: E402
from targets import TARGETS, complete  # noqa: E402

MOVING = ("MPI_Isend", "MPI_Irecv", "MPI_Pack", "MPI_Unpack")


def launches(arguments, one_gpu):
    for mps in (False, True) if one_gpu else (False,):
        # Host memory does not know of the service.
        pattern = f"^(?=.*/device/).*(?:{arguments.filter})" if mps else arguments.filter
        options = ["--filter", pattern, "--host-mib", str(min(arguments.host_mib, available_mib() // 2)),
                   *(["--no-gpu"] if arguments.no_gpu else [])]
        for mpi in arguments.mpis:
            yield ranks.Launch(mpi, f"{mpi} under MPS" if mps else mpi, mps=mps, options=options)
            if arguments.preloaded and not mps:
                yield ranks.Launch(mpi, words=preloaded(arguments.bin, arguments.no_gpu or not gpus()),
                                   options=[*options, "--preloaded"], proves=MOVING)


def main():
    parser = ranks.parser(__doc__, "halo", "case/memory/method/edge", 1024, "owned cells along an edge", 180)
    parser.add_argument("--host-mib", type=int, default=512, help="for the arrays of both ranks in memory of the host, at most, and at "
                        "most half of what is free (default: %(default)s)")
    parser.add_argument("--preloaded", action="store_true", help="also calls of the MPI under the preload library")
    arguments = parser.parse_args()
    ranks.complete(parser, arguments, "halo", ["host_mib", "preloaded"])
    one_gpu = gpus() == 1 and not arguments.no_gpu
    parts = ranks.run_all(arguments, "halo", launches(arguments, one_gpu), one_gpu)
    rows = [row for part in parts for row in part.rows]
    complete(rows)
    ranks.finish(arguments, "halo", parts, rows, TARGETS, show)


if __name__ == "__main__":
    main()
