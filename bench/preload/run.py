#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times MPI calls on host memory without the preload library and with it, in the ways of WAYS, with every MPI, and writes
bench/results/<machine>/preload_costs.json.

The ways take turns, and the least of all turns counts: what else runs on the machine only adds.
"""
import argparse
import itertools
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from parts import AS_ROOT, Part, choose, write_result  # noqa: E402  (it stands one folder above)
from reporting import table  # noqa: E402

WAYS = {"alone": {}, "threads": {"BENCH_PRELOAD_THREADS": "1"}, "default": {"TYPEWARP_TRANSPORT": "0"}, "host with a GPU": {"TYPEWARP_TRANSPORT": "1"}, "derived": {"TYPEWARP_TAKE": "derived"},
        "all": {"TYPEWARP_TAKE": "all"}}
ALONE = ("alone", "threads")  # without the library; the second asks for MPI_THREAD_MULTIPLE, as the library does on a host with a GPU
TURN_SECONDS = 300


def part_of(arguments, mpi, ranks, way, seconds):
    preload = [] if way in ALONE else [f"LD_PRELOAD={arguments.preloaded.resolve()}"]
    words = [*preload, *(f"{name}={value}" for name, value in WAYS[way].items())]
    command = [str(arguments.bin / f"mpiexec_{mpi}"), "-n", str(ranks), "env", *words, str(arguments.bin / f"bench_preload_{mpi}")]
    return Part(mpi, command, dict(AS_ROOT), min(seconds, TURN_SECONDS))


def least(parts):
    """One row of what the parts measured alike."""
    rows = {}
    for way, part in parts:
        for row in part.rows:
            key = (row["mpi"], row["case"], row["ranks"], row["packed_bytes"])
            times = rows.setdefault(key, {})
            times[way] = min(times.get(way, row["median_us"]), row["median_us"])
    return [{"mpi": mpi, "case": case, "ranks": ranks, "packed_bytes": size, "us": times}
            for (mpi, case, ranks, size), times in rows.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs bench_preload_<mpi>")
    parser.add_argument("--library", dest="preloaded", type=pathlib.Path, help="libtypewarp_mpi.so (default: that of the same build)")
    parser.add_argument("--machine", default="host", help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/preload_costs.json")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4], help="numbers of ranks (default: 2 4)")
    parser.add_argument("--seconds", type=float, default=36000, help="for all of it (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=3, help="of each way (default: %(default)s)")
    arguments = parser.parse_args()
    arguments.preloaded = arguments.preloaded or arguments.bin.parent / "lib/libtypewarp_mpi.so"
    choose(parser, arguments, "preload", ["mpis", "ranks"], "preload_costs")
    parts, end = [], time.monotonic() + arguments.seconds
    for _, mpi, ranks, way in itertools.product(range(arguments.turns), arguments.mpis, arguments.ranks, WAYS):
        print(mpi, ranks, way, file=sys.stderr)
        parts.append((way, part_of(arguments, mpi, ranks, way, end - time.monotonic())))
        parts[-1][1].run()
    result = write_result(arguments.output, [part for _, part in parts], "bench/preload/run.py", [], least(parts))
    lines = [[f"{row['mpi']} {row['case']} {row['ranks']} ranks {row['packed_bytes']} B", *(f"{row['us'].get(way, 0):.4g}" for way in WAYS)]
             for row in result["rows"]]
    table(["microseconds", *WAYS], lines)
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"bench_preload: {result['failed']}")


if __name__ == "__main__":
    main()
