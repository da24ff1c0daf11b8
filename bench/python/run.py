#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs of this folder on a machine with GPUs, and writes bench/results/<machine>/python_<program>.json for each.

Python must have CuPy, JAX, PyTorch with NCCL, and mpi4py, whose MPI the build must know.
"""
import argparse
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from parts import AS_ROOT, Part, gpus, write_result  # noqa: E402  (it stands one folder above)
import reporting  # noqa: E402
from running import ROOT, first_line, gpu_machine, python_path  # noqa: E402
from targets import TARGETS  # noqa: E402


LONG = 8 << 20


def summary(rows):
    """How many times faster than the best of the others, by case; what one GPU packs by whether it is long."""
    groups = {}
    for row in rows:
        if row["peers_us"]:
            size = f"{row['bytes']} B" if "ranks" in row else "long" if row["bytes"] >= LONG else "short"
            groups.setdefault((row["case"], size), []).append(min(row["peers_us"].values()) / row["median_us"])
    return [[case, size, str(len(values)), f"{min(values):.2f}", f"{reporting.geometric_mean(values):.2f}"]
            for (case, size), values in groups.items()]


def mpi():
    """Of mpi4py."""
    vendor = first_line([sys.executable, "-c", "from mpi4py import MPI; print(MPI.get_vendor()[0])"])
    return {"Open MPI": "openmpi", "MPICH": "mpich"}.get(vendor, vendor or "MPI")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--package", type=pathlib.Path, default=ROOT / "build/release/python", help="where typewarp is (default: %(default)s)")
    parser.add_argument("--mpiexec", default="mpiexec", help="of mpi4py's MPI (default: %(default)s)")
    parser.add_argument("--ranks", type=int, default=2, help="of programs between GPUs (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=120, help="for each program (default: %(default)s)")
    parser.add_argument("--only", choices=["arrays", "calls", "pages", "shared_pages", "nixl_pages", "round_trip", "messages", "heads", "halo", "torch_all_to_all", "torch_backend", "jax_exchange"])
    parser.add_argument("--folder", type=pathlib.Path, help="for the result files (default: bench/results/<machine>)")
    arguments = parser.parse_args()
    environment = {"PYTHONPATH": python_path(arguments.package), **AS_ROOT}
    ranks = [arguments.mpiexec, "-n", str(arguments.ranks), sys.executable]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(arguments.ranks)]
    alone, one_rank = [sys.executable], [arguments.mpiexec, "-n", "1", sys.executable]
    commands = {"arrays": alone, "calls": one_rank, "pages": alone, "shared_pages": alone, "nixl_pages": alone, "round_trip": ranks, "messages": ranks, "heads": ranks, "halo": ranks, "torch_all_to_all": torchrun, "torch_backend": torchrun, "jax_exchange": ranks}
    folder = arguments.folder or ROOT / "bench/results" / gpu_machine(gpus())
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    if not importlib.util.find_spec("nixl"):  # which nothing else needs
        if arguments.only == "nixl_pages":
            parser.error("--only nixl_pages: no NIXL (pip install nixl)")
        commands.pop("nixl_pages")
    for name in [arguments.only] if arguments.only else commands:
        part = Part("Python" if name in ("arrays", "pages", "shared_pages", "nixl_pages", "torch_all_to_all", "torch_backend") else mpi(), [*commands[name], str(HERE / f"{name}.py")], dict(environment), arguments.seconds)
        part.run()
        targets = reporting.summary(part.rows, TARGETS.get(name, []))
        results.append(write_result(folder / f"python_{name}.json", [part], "bench/python/run.py", targets))
    rows = [row for result in results for row in result["rows"]]
    reporting.table(["times faster than the best of the others", "bytes", "rows", "least", "geometric mean"], summary(rows))
    for row in rows:
        if not row["peers_us"]:
            print(f"{row['case']}: {row['median_us']:.2f} us")
    unfinished = [result["failed"] or result["stopped"] for result in results if not result["complete"]]
    if unfinished:
        sys.exit(f"bench/python: {unfinished}")


if __name__ == "__main__":
    main()
