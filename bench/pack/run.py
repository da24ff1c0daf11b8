#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures pack, unpack and copy on a GPU with bench_pack, and puts beside it what others need for the same.

Runs bench_pack once for each method of the library, times PyTorch's strided copies where a view can say the layout, looks up
yaksa's recorded times, and writes bench/results/<machine>/pack.json.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from running import ROOT, cpu, everything, first_line, gpu_machine, regular_expression  # noqa: E402  (it stands one folder above)

YAKSA = pathlib.Path(__file__).resolve().with_name("yaksa.json")
FLOOR = ("(64-byte segments of device memory read + written) * 64 / rate of cudaMemcpy in the device, or packed bytes / rate of the "
         "link, whichever is more, + an empty launch. The rates are of copies whose time is less by an empty launch. Data that stays "
         "in the L2 cache can beat the floor")


# Rows of the first measure launches more than moves; those above the second do not fit the L2 cache.
SIZES = {"up to 64 KiB": 64 << 10, "up to 16 MiB": 16 << 20, "above 16 MiB": math.inf}
SMALL = next(iter(SIZES))


def earlier(arguments):
    """Of the result that is resumed: its rows but those of the last case, what failed, and that case, at which it was stopped."""
    found = json.loads(arguments.output.read_text(encoding="utf-8")) if arguments.resume and arguments.output.exists() else {"rows": []}
    rows = found["rows"]
    if not rows:
        return [], [], None
    last = rows[-1]["figure"], rows[-1]["case"]
    return [row for row in rows if (row["figure"], row["case"]) != last], found["failed"], "/".join(last)


def run_program(arguments, method, first=None):
    """(rates, rows, failed cases, where it was stopped or None) of one run."""
    program = [str(arguments.bin / "bench_pack"), "--json", "--filter", arguments.filter]
    environment = {name: value for name, value in os.environ.items() if name != "TYPEWARP_METHOD"}
    if method == "automatic":
        command = [*program, "--figures", arguments.figures, *(["--from", first] if first else [])]
    else:
        command = [*program, "--figures", arguments.other_figures, "--no-baselines"]
        environment["TYPEWARP_METHOD"] = method
    rates, rows, failed, figure, stopped, last = None, [], [], None, None, "no case"
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout:
            parsed = json.loads(line)
            if "rates" in parsed:
                rates = parsed["rates"]
                continue
            if "failed" in parsed:
                failed.append({"method": method, "case": parsed["failed"], "error": parsed["error"]})
                last = parsed["failed"]
                continue
            rows.append(parsed)
            last = f"{parsed['figure']}/{parsed['case']}"
            if parsed["figure"] != figure:
                figure = parsed["figure"]
                print(f"{method}: {figure}, from {time.monotonic() - begin:.0f} s on", file=sys.stderr)
            if time.monotonic() - begin > arguments.seconds:
                stopped = f"{method}: after {last}, since {arguments.seconds:.0f} s were over"
                process.terminate()
                break
    if rates is None:
        sys.exit(f"{shlex.join(command)}: measured nothing (status {process.returncode})")
    if stopped is None and process.returncode != (1 if failed else 0):
        stopped = f"{method}: after {last}, with exit status {process.returncode}"
    return rates, rows, failed, stopped


def add_torch(rows):
    """Adds PyTorch's times, and returns its version."""
    try:
        import torch
        from torch_baseline import Torch
    except ImportError as error:
        print(f"warning: no baseline torch: {error}", file=sys.stderr)
        return None
    baseline = Torch()
    for row in rows:
        if "view" in row:
            time = baseline.measure(row)
            if time is not None:
                row["baselines_us"]["torch"] = round(time, 3)
    return torch.__version__


def add_yaksa(rows):
    known = {(entry["case"], entry["memory"], direction): entry[f"{direction}_us"]
             for entry in json.loads(YAKSA.read_text(encoding="utf-8"))["rows"] for direction in ("pack", "unpack")}
    for row in rows:
        time = known.get((row["case"], row["memory"], row["direction"])) if row["figure"] == "yaksa" else None
        if time is not None:
            row["baselines_us"]["yaksa"] = time


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(value) for value in values))


def summary(rows):
    """How many times faster than each baseline, over all its rows of a class of sizes and over those of one direction. Small
    rows of torch are left out: they take as long as Python does."""
    groups = {}
    for row in rows:
        if row["method"] != "automatic":
            continue
        size = next(name for name, most in SIZES.items() if row["packed_bytes"] <= most)
        for name, time in row["baselines_us"].items():
            if name == "torch" and size == SMALL:
                continue
            for direction in ("all", row["direction"]):
                groups.setdefault((name, direction, list(SIZES).index(size)), []).append((time / row["median_us"], row))
    for (name, direction, size), members in sorted(groups.items()):
        worst, row = min(members, key=lambda member: member[0])
        yield {"method": "automatic", "baseline": name, "direction": direction, "size": list(SIZES)[size], "cases": len(members),
               "geometric_mean": round(geometric_mean([ratio for ratio, _ in members]), 3), "worst": round(worst, 3),
               "worst_case": f"{row['figure']}/{row['case']} {row['direction']} {row['memory']}"}


def floors(rows):
    """Per figure: the geometric mean and the least of the fractions of the floor, on the device from 16 MiB on."""
    groups = {}
    for row in rows:
        large = row["packed_bytes"] >= 16 << 20 and row["memory"] == "device"
        if large and row["method"] == "automatic" and row["direction"] in ("pack", "unpack", "copy") and "floor_us" in row:
            groups.setdefault((row["figure"], row["direction"]), []).append(row)
    for (figure, direction), members in groups.items():
        worst = min(members, key=lambda row: row["fraction_of_floor"])
        yield {"figure": figure, "direction": direction, "cases": len(members),
               "geometric_mean": round(geometric_mean([row["fraction_of_floor"] for row in members]), 3),
               "worst": worst["fraction_of_floor"], "worst_case": worst["case"]}


def machine(rates, torch_version):
    gpu, _, driver = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).partition(", ")
    release = re.search(r"release ([\d.]+)", everything(["nvcc", "--version"]))
    return {"gpu": gpu, "driver": driver, "cuda": release[1] if release else "", "cpu": cpu(), "torch": torch_version,
            "rates": rates}


def default_machine():
    return gpu_machine(1) or "unknown"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of bench_pack")
    parser.add_argument("--machine", default=default_machine(), help="name of the result folder (default: %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, help="default: bench/results/<machine>/pack.json")
    parser.add_argument("--figures", default="all", help="as bench_pack's (default: %(default)s)")
    parser.add_argument("--filter", type=regular_expression, default="", help="only cases whose figure/name matches")
    parser.add_argument("--methods", default="automatic", help="for instance automatic,generic (default: %(default)s)")
    parser.add_argument("--other-figures", default="fig4,beyond", help="those of methods but automatic (default: %(default)s)")
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--resume", action="store_true", help="go on with the result that is there, behind the case at which it was stopped")
    parser.add_argument("--seconds", type=float, default=math.inf,
                        help="stop each method after so long; the result says where")
    arguments = parser.parse_args()
    if not (arguments.bin / "bench_pack").exists():
        parser.error(f"--bin {arguments.bin}: holds no bench_pack")
    partial = arguments.filter or arguments.figures != "all"
    if partial and not arguments.output:
        parser.error("--figures, --filter: give --output too, since the default one holds all cases")
    if arguments.methods.split(",")[0] != "automatic":
        parser.error(f"--methods {arguments.methods}: must begin with automatic")
    if arguments.resume and arguments.methods != "automatic":
        parser.error("--resume: of the method automatic alone")
    arguments.output = arguments.output or ROOT / "bench/results" / arguments.machine / "pack.json"
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    return arguments


def main():
    arguments = parse_arguments()
    (rows, failed, first), stops = earlier(arguments), []
    for method in arguments.methods.split(","):
        measured_rates, measured, errors, stopped = run_program(arguments, method, first)
        rates = measured_rates if method == "automatic" else rates
        rows += measured
        failed += errors
        stops += [stopped] if stopped else []
    torch_version = None if arguments.no_torch else add_torch(rows)
    add_yaksa(rows)
    for row in rows:
        row.pop("view", None)
    result = {
        "machine": machine(rates, torch_version),
        "source": first_line([str(ROOT / "tools/source_hash.sh")]),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": shlex.join(["bench/pack/run.py", *sys.argv[1:]]),
        "floor": FLOOR,
        "complete": not failed and not stops,
        "stopped": stops,
        "failed": failed,
        "sizes": list(SIZES),
        "summary": list(summary(rows)),
        "floors": list(floors(rows)),
        "rows": rows,
    }
    text = json.dumps({**result, "rows": []}, indent=1)
    listed = ",\n  ".join(json.dumps(row) for row in rows)
    arguments.output.write_text(text.removesuffix("[]\n}") + f"[\n  {listed}\n ]\n}}\n", encoding="utf-8")
    for entry in result["summary"]:
        print(f"{entry['baseline']:<14} {entry['direction']:<7} {entry['size']:<12} {entry['cases']:5} rows: "
              f"{entry['geometric_mean']:9.2f} times faster, worst {entry['worst']:6.2f} ({entry['worst_case']})")
    for entry in result["floors"]:
        print(f"{entry['figure']:<10} {entry['direction']:<7} {entry['cases']:5} rows: {entry['geometric_mean']:6.3f} of the floor, "
              f"worst {entry['worst']:6.3f} ({entry['worst_case']})")
    print(f"wrote {arguments.output}")
    for stop in stops:
        print(f"stopped: {stop}; the rest was not run", file=sys.stderr)
    if failed or any("exit status" in stop for stop in stops):
        sys.exit(f"bench_pack: {len(failed)} cases failed, see above")


if __name__ == "__main__":
    main()
