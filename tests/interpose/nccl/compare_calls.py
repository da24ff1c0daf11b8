#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs groups of `calls` on host memory without the library, and on memory of the fake device with it: both must print the same. With the
fake NCCL, which must be used, or without any. Prints what statistics tell of messages.

usage: compare_calls.py <libtypewarp_mpi.so> <libnccl.so.2>|none <ranks> <group>... -- <launcher>... -- <program>
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from launching import launch, split, with_settings  # noqa: E402  (it stands one folder above)

(library, nccl, ranks, *groups), launcher, program = split(sys.argv[1:])
SETTINGS = {"LD_PRELOAD": library, "TYPEWARP_NCCL": "0" if nccl == "none" else nccl, "TYPEWARP_NCCL_BYTES": "1", "TYPEWARP_TRANSPORT": "1", "TYPEWARP_GPU_AWARE": "0",
            "TYPEWARP_DEVICE_POOL_BYTES": "100000", "TYPEWARP_VERBOSE": "1", "FAKE_GPU_MAPPED": "1"}


def run(kind, settings):
    done = launch([*launcher, "-n", ranks, *with_settings([*program, kind, *groups], settings)], timeout=240)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"exit status {done.returncode} on {kind} memory\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}")
    return done


plain, seen = run("host", {}), run("device", SETTINGS)
if "attached " not in seen.stderr:
    sys.exit(f"the library did not attach its core\n{seen.stderr[-6000:]}")
if nccl != "none" and "typewarp: NCCL " not in seen.stderr:
    sys.exit(f"NCCL did not start\n{seen.stderr[-6000:]}")
different = [(a, b) for a, b in zip(plain.stdout.splitlines(), seen.stdout.splitlines()) if a != b]
for a, b in different[:20]:
    print(f"  plain: {a}\n  here:  {b}")
if different or len(plain.stdout) != len(seen.stdout):
    sys.exit(f"{len(different)} lines differ")
print(*(line for line in seen.stderr.splitlines() if ": sent by " in line), sep="\n")
