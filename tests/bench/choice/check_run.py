#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What bench/choice/run.py makes of moves that are known.

usage: check_run.py <run.py> <folder of the stand-in>
"""
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT, STAND_IN = sys.argv[1:]


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


with tempfile.TemporaryDirectory() as folder:
    output = pathlib.Path(folder) / "choice.json"
    command = [sys.executable, SCRIPT, "--bin", STAND_IN, "--machine", "none", "--output", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(output.read_text(encoding="utf-8"))
    expect(list(result["summary"]) == ["all", "words", "staged"], result["summary"])
    expect(abs(result["summary"]["all"]["geometric_mean"] - 2 ** (1 / 3)) < 1e-3, result["summary"])
    expect(abs(result["summary"]["words"]["geometric_mean"] - 2 ** 0.5) < 1e-3, result["summary"])
    expect(result["summary"]["words"]["worst_case"] == "a/2, unpack, pinned: DMA instead", result["summary"])
    expect(result["summary"]["all"]["above_wanted"] == 1 and result["summary"]["staged"]["worst"] == 1, result["summary"])
    expect([row["case"] for row in result["rows"]] == ["a/2", "a/1", "a/3"], "the worst does not come first")
    expect(result["complete"] and "2.00 a/2 unpack pinned 8 B: words 20.0 us, DMA 10.0 us" in done.stdout, done.stdout)
    done = subprocess.run([*command, "--filter", "broken"], capture_output=True, text=True, check=False)
    expect(done.returncode == 1 and "3 bytes are wrong" in done.stderr and "exit status 7" in done.stderr, done)
    broken = json.loads(output.read_text(encoding="utf-8"))
    expect(not broken["complete"] and len(broken["failed"]) == 2 and len(broken["rows"]) == 3, broken["failed"])
    refused = subprocess.run(command[:-2] + ["--filter", "a"], capture_output=True, text=True, check=False)
    expect(refused.returncode == 2 and "--filter: give --output too" in refused.stderr, refused)
