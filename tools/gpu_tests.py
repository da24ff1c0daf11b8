#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the GPU tests, as far as they end in a time, and writes tests/results/<machine>.json: which machine and
source, and what came out.

tools/record.py calls it, until all have run. tools/sanitize_gpu.py writes beside it what compute-sanitizer found.
"""
import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import test_report

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRESET = "release"
CTEST_TIMEOUT = 1500


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


def gpu_tests(every):
    """{name: (number, seconds that it may take)} of ctest's tests that are labelled gpu, or of every one."""
    listing = json.loads(output_of("ctest", "--preset", PRESET, "--show-only=json-v1") or '{"tests": []}')["tests"]
    found = {}
    for number, test in enumerate(listing, 1):
        properties = {one["name"]: one["value"] for one in test["properties"]}
        if every or "gpu" in properties.get("LABELS", []):
            found[test["name"]] = number, properties.get("TIMEOUT", CTEST_TIMEOUT)
    return found


def run(tests, seconds, junit):
    """What ctest comes to of them within the time."""
    junit.parent.mkdir(parents=True, exist_ok=True)
    junit.unlink(missing_ok=True)
    # A time of day, and ctest knows whole hours of time zones only.
    end = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds + 1)).strftime("%H:%M:%S")
    script = '. tools/common.sh; junit=$1; shift; run_ctest release "$junit" "$@"'
    numbers = ",".join(map(str, [0, 0, 0, *(number for number, _ in tests.values())]))
    subprocess.run(["bash", "-c", script, str(ROOT / "tools/gpu_tests.py"), str(junit), "-I", numbers, "--stop-time", end],
                   cwd=ROOT, env={**os.environ, "TZ": "UTC"}, check=False)
    if junit.exists():
        leave_out_cut(junit, tests)
    return test_report.read_suites(junit) if junit.exists() else []


def leave_out_cut(junit, tests):
    """Tests that ctest has ended since its time was over, before their own was, have not run."""
    tree = ElementTree.parse(junit)
    for case in list(tree.getroot()):
        if test_report.reason(case) == "Timeout" and float(case.get("time", 0)) < tests[case.get("name")][1] - 1:
            tree.getroot().remove(case)
    tree.write(junit)


def came(junit):
    return {case.get("name") for case in ElementTree.parse(junit).getroot().iter("testcase")} if junit.exists() else {}


def merged(suites, earlier):
    """One entry a suite, of what ran now and before."""
    found = {suite["name"]: suite for suite in earlier}
    for suite in suites:
        old = found.get(suite.name, {"passed": 0, "failed": 0, "skipped": 0, "seconds": 0, "skips": {}})
        found[suite.name] = {"name": suite.name, **{word: old[word] + getattr(suite, word) for word in ("passed",
            "failed", "skipped")},
                             "seconds": round(old["seconds"] + suite.seconds, 1),
                             "skips": dict(suite.skips + collections.Counter(old["skips"]))}
    return list(found.values())


def written(output, name, found):
    """Writes a record of tests in the format of all results, and returns it."""
    result = {"machine": machine(name), "source": output_of("tools/source_hash.sh"),
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "command": shlex.join(sys.argv), **found}
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {output}")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=pathlib.Path, required=True, help="tests/results/<machine>.json")
    parser.add_argument("--seconds", type=float, default=36000,
                        help="after which no test is begun, and those that run are cut (default: %(default)s)")
    parser.add_argument("--resume", action="store_true",
                        help="run what the result that is there did not come to, and add that")
    parser.add_argument("--every", action="store_true", help="also the tests that use no GPU")
    arguments = parser.parse_args()
    tests = gpu_tests(arguments.every)
    if not tests:
        sys.exit("no test has the label gpu: was this built, with CUDA?")
    resumed = arguments.resume and arguments.output.exists()
    earlier = json.loads(arguments.output.read_text(encoding="utf-8")) if resumed else {}
    wanted = [name for name in earlier.get("not_run", tests) if name in tests]
    junit = ROOT / "build/results/gpu-tests.xml"
    suites = run({name: tests[name] for name in wanted}, arguments.seconds, junit) if wanted else []
    missing = [name for name in wanted if name not in came(junit)]
    every = merged(suites, earlier.get("suites", []))
    totals = {word: sum(suite[word] for suite in every) for word in ("passed", "failed", "skipped")}
    failures = [(test, output) for suite in suites for test, output in suite.failures]
    written(arguments.output, arguments.output.stem, {
        "complete": not missing, "stopped": [f"{len(missing)} of {len(tests)} tests did not run"] if missing else [],
        "failed": [*earlier.get("failed", []), *(test for test, _ in failures)], "totals": totals, "not_run": missing,
        "suites": every})
    for test, output in failures:
        print(f"\n==== FAILED: {test}\n{output.rstrip()}\n====")
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped, {len(missing)} not run")
    sys.exit(bool(totals["failed"] or missing or not totals["passed"]))


if __name__ == "__main__":
    main()
