#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times collective calls on memory of GPUs, one for each rank, in an unchanged program under the preload library with NCCL and without,
and by NCCL itself, in one run, and writes bench/results/<machine>/collectives.json.

The ways take turns; the median of the turns counts. "NCCL" has TYPEWARP_NCCL_BYTES=8, so that each size shows from where on it pays:
that is the number nccl_bytes of the machine's profile.
"""
import argparse
import contextlib
import itertools
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from mps import Service, mps_is_here  # noqa: E402  (it stands one folder above)
from parts import AS_ROOT, Part, choose, write_result  # noqa: E402  (it stands one folder above)
from reporting import table  # noqa: E402

# Whether it is preloaded, who is called, and settings.
WAYS = {"NCCL": (True, "mpi", {"TYPEWARP_NCCL_BYTES": "8"}), "without NCCL": (True, "mpi", {"TYPEWARP_NCCL": "0"}),
        "copies": (True, "mpi", {"TYPEWARP_NCCL": "0", "TYPEWARP_TRANSPORT": "0"}), "NCCL directly": (False, "nccl", {}),
        "one-sided": (True, "windows", {})}
# What goes through memory of the host. Hosts are forced by MPICH's own setting, by which each rank is alone on its host: it moves bytes
# as between hosts, and Typewarp finds several. "copies" are what a communicator has some of whose ranks have no Typewarp, or may not have it.
APART = {"MPIR_CVAR_NOLOCAL": "1"}
WAYS_THROUGH_HOST = {"files": (True, "files", {}), "files, MPI from pinned memory": (False, "files-pinned", {}),
                     "hosts, copies": (True, "hosts", {**APART, "TYPEWARP_NCCL": "0", "TYPEWARP_TRANSPORT": "0"}),
                     "hosts, messages": (True, "hosts", {**APART, "TYPEWARP_NCCL": "0", "TYPEWARP_EVERYWHERE": "1"}),
                     "hosts, MPI from pinned memory": (False, "hosts-pinned", APART)}
# Of ranks that share GPUs, of which NCCL takes none.
WAYS_SHARED = {"this library": WAYS["without NCCL"], "copies": WAYS["copies"]}
UNDER_MPS = " under MPS"
TURN_SECONDS = 500


def part_of(arguments, mpi, way, seconds, mps):
    preloaded, called, settings = arguments.ways[way.removesuffix(UNDER_MPS)]
    words = [f"LD_PRELOAD={arguments.preloaded.resolve()}"] if preloaded else []
    words += ["TYPEWARP_GPU_AWARE=0", *(f"{name}={value}" for name, value in settings.items())]
    if arguments.nccl and "TYPEWARP_NCCL" not in settings:
        words.append(f"TYPEWARP_NCCL={arguments.nccl.resolve()}")
    command = [str(arguments.bin / f"mpiexec_{mpi}"), "-n", str(arguments.number), "env", *words, str(arguments.bin / f"bench_collectives_{mpi}"),
               called, str(arguments.largest)]
    return Part(mpi, command, {**AS_ROOT, **(mps if way.endswith(UNDER_MPS) else {})}, min(seconds, TURN_SECONDS))


def medians(parts):
    rows = {}
    for way, part in parts:
        for row in part.rows:
            rows.setdefault((row["mpi"], row["gpus"], row["case"], row["ranks"], row["packed_bytes"]), {}).setdefault(way, []).append(row["median_us"])
    return [{"mpi": mpi, "gpus": gpus, "case": case, "ranks": ranks, "packed_bytes": size,
             "us": {way: statistics.median(found) for way, found in times.items()}}
            for (mpi, gpus, case, ranks, size), times in rows.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs bench_collectives_<mpi>")
    parser.add_argument("--library", dest="preloaded", type=pathlib.Path, help="libtypewarp_mpi.so (default: that of the same build)")
    parser.add_argument("--nccl", type=pathlib.Path, help="libnccl.so.2 (default: as the library finds it)")
    parser.add_argument("--machine", default="gpu", help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/collectives.json")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--number", type=int, default=2, help="of ranks, and of GPUs (default: %(default)s)")
    parser.add_argument("--largest", type=int, default=256 << 20, help="size in bytes (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=36000, help="for all of it (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=3, help="of each way (default: %(default)s)")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--through-host", action="store_true",
                         help="times what goes through memory of the host instead: calls of files, and between hosts, which MPICH alone can be made to see; "
                              "writes through_host.json")
    instead.add_argument("--shared", action="store_true",
                         help="times ranks that share GPUs instead, also under MPS where it can be started; writes collectives_shared.json")
    arguments = parser.parse_args()
    arguments.preloaded = arguments.preloaded or arguments.bin.parent / "lib/libtypewarp_mpi.so"
    file, arguments.ways = (("through_host", WAYS_THROUGH_HOST) if arguments.through_host else
                            ("collectives_shared", WAYS_SHARED) if arguments.shared else (None, WAYS))
    choose(parser, arguments, "collectives", ["mpis", "largest"], file)
    parts, end, ways = [], time.monotonic() + arguments.seconds, list(arguments.ways)
    with Service() if arguments.shared and mps_is_here() else contextlib.nullcontext({}) as mps:
        if mps:
            ways += [way + UNDER_MPS for way in arguments.ways]
        for _, mpi, way in itertools.product(range(arguments.turns), arguments.mpis, ways):
            print(mpi, way, file=sys.stderr)
            parts.append((way, part_of(arguments, mpi, way, end - time.monotonic(), mps)))
            parts[-1][1].run()
    result = write_result(arguments.output, [part for _, part in parts], "bench/collectives/run.py", [], medians(parts))
    lines = [[f"{row['mpi']} {row['case']} {row['packed_bytes']} B", *(f"{row['us'].get(way, 0):.4g}" for way in ways)] for row in result["rows"]]
    table(["microseconds", *ways], lines)
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"bench_collectives: {result['failed']}")


if __name__ == "__main__":
    main()
