#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/results/<machine>.json: which tests ran on which machine and source, and what came out."""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import test_report

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def mpi_versions():
    launchers = sorted(ROOT.glob(".tools/*/bin/mpiexec")) or ["mpiexec"]
    texts = [output_of(str(launcher), "--version") for launcher in launchers]
    # Open MPI: "mpiexec (Open MPI) 5.0.11"; MPICH's Hydra: "Version: 5.0.2" within several lines.
    found = [(re.search(r"Open MPI\)? ([\w.]+)", text), re.search(r"Version:\s+([\w.]+)", text)) for text in texts]
    return [f"Open MPI {ours[1]}" if ours else f"MPICH {hydra[1]}" for ours, hydra in found if ours or hydra]


def machine(name):
    gpus = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
    cpu = re.search(r"model name\s*: (.+)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    cuda = re.search(r"release ([\d.]+)", output_of("nvcc", "--version"))
    system = re.search(r'PRETTY_NAME="(.+)"', pathlib.Path("/etc/os-release").read_text(encoding="utf-8"))
    return {"name": name,
            "gpu": gpus[0].split(", ")[0] if gpus else None,
            "gpus": len(gpus),
            "driver": gpus[0].split(", ")[1] if gpus else None,
            "cuda": cuda[1] if cuda else None,
            "cpu": cpu[1] if cpu else None,
            "cores": int(output_of("nproc") or 0),
            "compiler": output_of("g++", "--version").split("\n")[0],
            "mpi": mpi_versions(),
            "system": system[1] if system else None}


def not_run(listing, junit):
    """The tests of `ctest --show-only=json-v1` of which ctest's results say nothing: it leaves out what it did not come to."""
    came = {case.get("name") for case in ElementTree.parse(junit).getroot().iter("testcase")} if junit.exists() else set()
    return [test["name"] for test in json.loads(listing.read_text())["tests"] if test["name"] not in came]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--command", required=True)
    parser.add_argument("--sanitizers", type=pathlib.Path, required=True)
    parser.add_argument("--expected", type=pathlib.Path, required=True, help="what ctest --show-only=json-v1 says of the tests")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("junit", type=pathlib.Path)
    arguments = parser.parse_args()

    suites = test_report.read_suites(arguments.junit) if arguments.junit.exists() else []
    sanitizers = json.loads(arguments.sanitizers.read_text()) if arguments.sanitizers.exists() else None
    clean = sanitizers is not None and all(
        tool in sanitizers and not sanitizers[tool]["errors"] and not sanitizers[tool]["failed_runs"]
        for tool in ("memcheck", "racecheck"))
    totals = test_report.totals(suites)
    missing = not_run(arguments.expected, arguments.junit)
    result = {
        "machine": machine(arguments.machine),
        "source": output_of("tools/source_hash.sh"),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": arguments.command.strip(),
        "totals": totals,
        "not_run": missing,
        "sanitizers": sanitizers,
        "suites": [{"name": suite.name, "passed": suite.passed, "failed": suite.failed, "skipped": suite.skipped,
                    "seconds": round(suite.seconds, 1), "skips": suite.skips} for suite in suites],
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"Written: {arguments.output}")
    for suite in suites:
        for test, output in suite.failures:
            print(f"\n==== FAILED: {test}\n{output.rstrip()}\n====")
    print(f"sanitizers: {json.dumps(sanitizers)}")
    if missing:
        print(f"{len(missing)} tests did not run: {', '.join(missing)}")
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    sys.exit(not (clean and totals["passed"] and not totals["failed"] and not missing))


if __name__ == "__main__":
    main()
