#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs bench_choice on one GPU, and writes bench/results/<machine>/choice.json: the engine's choice over the best method."""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from reporting import geometric_mean, table  # noqa: E402  (it stands one folder above)
from running import ROOT, cpu, first_line, gpu_machine, regular_expression  # noqa: E402

# Layouts of every kind from 1 KiB to 64 MiB; larger ones take the time of many.
FILTER = (r"^(fig4/.*/(1KiB|64KiB|1MiB|4MiB|64MiB)|fig6/(narrow|stride)-.*|fig6/(narrow|stride|block)/.*|beyond/(?!.*(256MiB|16384|8192)).*"
          r"|ddtbench/.* x1|tempi/2d-(1|8|128|512)-s(512|1024)/.*|yaksa/.*|random/.*)$")
WANTED = {"geometric_mean": 1.05, "worst": 1.25}


def of_group(rows):
    worst = max(rows, key=lambda row: row["ratio"])
    return {"rows": len(rows), "geometric_mean": round(geometric_mean([row["ratio"] for row in rows]), 4), "worst": worst["ratio"],
            "worst_case": f"{worst['case']}, {worst['direction']}, {worst['memory']}: {worst['best']} instead",
            "above_wanted": sum(row["ratio"] > WANTED["worst"] for row in rows)}


def summary(rows):
    groups = {"all": of_group(rows)}
    for method in sorted({row["chosen"] for row in rows}, key=lambda name: -of_group([row for row in rows if row["chosen"] == name])["worst"]):
        groups[method] = of_group([row for row in rows if row["chosen"] == method])
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the program bench_choice")
    parser.add_argument("--machine", default=gpu_machine(1), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/choice.json")
    parser.add_argument("--seconds", type=float, default=110, help="default: %(default)s")
    parser.add_argument("--filter", type=regular_expression, default=FILTER, help="cases, by figure/name")
    arguments = parser.parse_args()
    if arguments.filter != FILTER and not arguments.output:
        parser.error("--filter: give --output too, since the default one holds all rows")
    arguments.output = arguments.output or ROOT / "bench/results" / arguments.machine / "choice.json"
    command = [str(arguments.bin / "bench_choice"), arguments.filter, str(arguments.seconds)]
    rows, failed, rates, left_out = [], [], {}, 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            found = json.loads(line)
            rates = found.get("rates", rates)
            left_out = found.get("left_out", left_out)
            if "failed" in found:
                failed.append(found["failed"])
            if "ratio" in found:
                rows.append(found)
        if program.wait() not in (0, 1):
            failed.append(f"exit status {program.returncode} behind {rows[-1]['case'] if rows else 'nothing'}")
    if not rows:
        sys.exit(f"bench_choice: no rows: {failed}")
    gpu, _, driver = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).partition(", ")
    rows.sort(key=lambda row: -row["ratio"])
    result = {"machine": {"gpu": gpu, "driver": driver, "cpu": cpu(), "cores": os.cpu_count(), "rates": rates},
              "source": first_line([str(ROOT / "tools/source_hash.sh")]),
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "command": shlex.join(["bench/choice/run.py", *sys.argv[1:]]),
              "complete": not failed and not left_out, "left_out": left_out, "failed": failed, "wanted": WANTED,
              "summary": summary(rows), "rows": rows}
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**result, "rows": []}, indent=1)
    listed = ",\n  ".join(json.dumps(row) for row in rows)
    arguments.output.write_text(text.removesuffix("[]\n}") + f"[\n  {listed}\n ]\n}}\n", encoding="utf-8")
    table(["chosen", "moves", "mean", "worst", "above", ""],
          [[name, str(group["rows"]), f"{group['geometric_mean']:.3f}", f"{group['worst']:.2f}", str(group["above_wanted"]), group["worst_case"]]
           for name, group in result["summary"].items()])
    for row in rows[:25]:
        print(f"{row['ratio']:.2f} {row['case']} {row['direction']} {row['memory']} {row['bytes']} B: {row['chosen']} "
              f"{row['us'][row['chosen']]:.1f} us, {row['best']} {row['us'][row['best']]:.1f} us")
    print(f"left out: {left_out}, failed: {failed}\nwrote {arguments.output}")
    if failed:
        sys.exit(f"bench_choice: {failed}")


if __name__ == "__main__":
    main()
