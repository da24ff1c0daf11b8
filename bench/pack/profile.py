#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Says why cases stay below the floor: runs them under Nsight Compute, and writes what the kernels asked of memory.

Of each case it takes the first kernel of each direction, with cold caches, and writes bench/results/<machine>/profile.json.
"""
import argparse
import csv
import datetime
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

from run import ROOT, default_machine, first_line

METRICS = {
    "time_us": ("gpu__time_duration.sum", 1e-3),
    "dram_read_mb": ("dram__bytes_read.sum", 1e-6),
    "dram_written_mb": ("dram__bytes_write.sum", 1e-6),
    "dram_percent_of_peak": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "l2_percent_of_peak": ("lts__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    "multiprocessors_percent_of_peak": ("sm__throughput.avg.pct_of_peak_sustained_elapsed", 1),
}
# Those that stay below their floor: where, and by what kernels each direction goes.
CASES = {
    "pack": ["vector-8-s256", "vector-8-s512", "cells-shuffled", "struct-dense"],
    "unpack": ["vector-8-s16", "vector-8-s256", "vector-2-s8", "nested", "varying-1-7", "struct-dense", "struct-holes"],
    "copy": ["vector-to-vector", "subarray-to-nested"],
}
# The library's, and none of the hand-coded ones.
KERNELS = {"pack": "^pack_(words|pieces|pattern)", "unpack": "^(unpack_(words|pieces)|scatter_pattern)", "copy": "^copy_words"}


def profile(arguments, case, direction):
    command = [arguments.ncu, "--csv", "--print-units", "base", "--clock-control", "none", "--launch-count", "1", "--kernel-name-base", "function",
               "--kernel-name", f"regex:{KERNELS[direction]}", "--metrics", ",".join(name for name, _ in METRICS.values()),
               str(arguments.bin / "bench_pack"), "--figures", "dev", "--filter", f"{case}/64MiB", "--no-baselines"]
    # A graph of one kernel is profiled as a graph, without most metrics.
    environment = {**os.environ, "TYPEWARP_NO_GRAPHS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if not lines:
        sys.exit(f"{shlex.join(command)}: told nothing (status {done.returncode})\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    found = {row["Metric Name"]: row for row in csv.DictReader(io.StringIO("\n".join(lines)))}
    row = {"case": f"{case}/64MiB", "direction": direction, "kernel": next(iter(found.values()))["Kernel Name"]}
    for key, (name, factor) in METRICS.items():
        row[key] = round(float(found[name]["Metric Value"].replace(",", "")) * factor, 2)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of bench_pack")
    parser.add_argument("--machine", default=default_machine(), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/profile.json")
    parser.add_argument("--ncu", default="ncu", help="Nsight Compute (default: %(default)s)")
    parser.add_argument("--filter", type=re.compile, default=re.compile(""), help="only cases that match")
    arguments = parser.parse_args()
    if not (arguments.bin / "bench_pack").exists():
        parser.error(f"--bin {arguments.bin}: holds no bench_pack")
    output = arguments.output or ROOT / "bench/results" / arguments.machine / "profile.json"
    rows = [profile(arguments, case, direction) for direction, cases in CASES.items() for case in cases
            if arguments.filter.search(case)]
    result = {
        "machine": {"gpu": first_line(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]),
                    "ncu": first_line([arguments.ncu, "--version"])},
        "source": first_line([str(ROOT / "tools/source_hash.sh")]),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(["bench/pack/profile.py", *sys.argv[1:]]),
        "rows": rows,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {output}")


if __name__ == "__main__":
    main()
