#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""One long message of short rows between the host buffers of two ranks: by the MPI alone, and by the preloaded library without and
with protocols. Needs mpi4py (tools/setup.sh) and memory for four times the message.

usage: bench/short_rows.py [--gib N] [--row BYTES] [--ways WAY,...] LIBRARY LAUNCHER...
       MPI4PY_LIBMPI=.tools/mpich/lib/libmpi.so.12 bench/short_rows.py build/release/lib/libtypewarp_mpi.so build/release/bin/mpiexec_mpich
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import time

PYTHON = pathlib.Path(__file__).resolve().parents[1] / ".tools/mpi4py/bin/python"
WAYS = {"alone": {}, "without": {"TYPEWARP_TAKE": "all", "TYPEWARP_TRANSPORT": "0"}, "protocols": {"TYPEWARP_TAKE": "all"}}


def rank(rows, row):
    import numpy
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    # Rows of the sender lie upon each other, which saves memory and is fine for a sender; the receiver's have gaps of their length.
    stride = 2 * row if comm.rank == 1 else 8
    numbers = numpy.zeros(((rows - 1) * stride + row) // 8)
    if comm.rank == 0:
        numbers[:] = numpy.arange(numbers.size)
    datatype = MPI.DOUBLE.Create_hvector(rows, row // 8, stride).Commit()
    comm.Barrier()
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
    if comm.rank == 0:
        comm.Send([numbers, 1, datatype], dest=1)
    elif comm.rank == 1:
        comm.Recv([numbers, 1, datatype], source=0)
    after = resource.getrusage(resource.RUSAGE_SELF)
    wall = time.monotonic() - start
    if comm.rank == 1:
        for first in range(0, rows, 1 << 20):  # row by row would take longer than the message
            some = numpy.arange(first, min(rows, first + (1 << 20)))
            for column in range(row // 8):
                if not (numbers[some * (stride // 8) + column] == some + column).all():
                    sys.exit(f"wrong bytes in rows from {first} on")
    print(f"rank {comm.rank}: {wall:.2f} s, of a processor {after.ru_utime - before.ru_utime:.2f} + {after.ru_stime - before.ru_stime:.2f} s, "
          f"at most {after.ru_maxrss / 2**20:.2f} GiB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=1, help="packed length of the message")
    parser.add_argument("--row", type=int, default=16, help="bytes of a row, in eights")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--as-rank", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("preloaded", metavar="library")
    parser.add_argument("launcher", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    rows = int(arguments.gib * 2**30) // arguments.row
    if arguments.as_rank:
        return rank(rows, arguments.row)
    for way in arguments.ways.split(","):
        print(f"{way}: {rows} rows of {arguments.row} B", flush=True)
        preload = [] if way == "alone" else ["env", f"LD_PRELOAD={os.path.abspath(arguments.preloaded)}"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TYPEWARP_")}
        subprocess.run([*arguments.launcher, "-n", "2", *preload, PYTHON, __file__, "--as-rank", "--gib", str(arguments.gib), "--row",
                        str(arguments.row), arguments.preloaded], env=environment | WAYS[way], check=True)


if __name__ == "__main__":
    main()
