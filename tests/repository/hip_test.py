#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The engine for AMD GPUs compiles, links, loads, and does without a device what one for CUDA does there.

usage: hip_test.py <cmake> <ninja> <build folder> <architectures>
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGETS = ["typewarp_program", "test_engine", "test_engine_gpu_shapes"]


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main(cmake, ninja, build, architectures):
    if shutil.which("hipcc") is None:
        print("skipped: needs hipcc")
        return 77
    run(cmake, "-S", str(ROOT), "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DTYPEWARP_HIP=ON", "-DTYPEWARP_CUDA=OFF",
        "-DTYPEWARP_MPI=OFF", "-DTYPEWARP_PYTHON=OFF", "-DTYPEWARP_APPS=OFF", "-DTYPEWARP_BENCH=OFF", f"-DCMAKE_HIP_ARCHITECTURES={architectures}")
    run(cmake, "--build", build, "-j", "2", "--target", *TARGETS)
    hidden = {"HIP_VISIBLE_DEVICES": "-1", "ROCR_VISIBLE_DEVICES": "-1"}
    gpu = json.loads(run(f"{build}/bin/typewarp", "info", "--json", **hidden))["gpu"]
    assert gpu["built_in"] and gpu["interface"] == "HIP" and gpu["runtime"], gpu
    assert not gpu["usable"] and gpu["problem"] and gpu["devices"] == [], gpu
    for suite in TARGETS[1:]:
        run(f"{build}/bin/{suite}", TYPEWARP_TEST_TYPES="5", **hidden)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
