#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs bench_exchange with each MPI between two GPUs, and writes bench/results/<machine>/exchange.json."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from parts import AS_ROOT, Part, choose, gpus, write_result  # noqa: E402  (it stands one folder above)
from reporting import table  # noqa: E402
from running import gpu_machine  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the programs bench_exchange_<mpi>")
    parser.add_argument("--machine", default=gpu_machine(gpus()), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/exchange.json")
    parser.add_argument("--mpis", help="for instance openmpi,mpich (default: those of the build)")
    parser.add_argument("--seconds", type=float, default=30, help="for each MPI (default: %(default)s)")
    arguments = parser.parse_args()
    if gpus() < 2:
        parser.error("needs two GPUs")
    choose(parser, arguments, "exchange", ["mpis"])
    parts = [Part(mpi, [str(arguments.bin / f"mpiexec_{mpi}"), "-n", "2", str(arguments.bin / f"bench_exchange_{mpi}")], dict(AS_ROOT),
                  arguments.seconds) for mpi in arguments.mpis]
    for part in parts:
        part.run()
    result = write_result(arguments.output, parts, "bench/exchange/run.py", [])
    table(["microseconds", "median"], [[f"{row['mpi']} {row['case']} {row['packed_bytes']} B {row['method']} {row['starts']}", f"{row['median_us']:.2f}"]
                                       for row in result["rows"]])
    print(f"wrote {arguments.output}")
    if result["failed"] or result["stopped"]:
        sys.exit(f"bench_exchange: {result['failed']} {result['stopped']}")


if __name__ == "__main__":
    main()
