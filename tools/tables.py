# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the tables of measured numbers share: result files, whose sources they are of, links to them, and cells."""
import functools
import json
import math
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def results(pattern):
    """(file, content) of the result files of that name, one machine after the other."""
    return [(file, json.loads(file.read_text(encoding="utf-8"))) for file in sorted(ROOT.glob(f"bench/results/*/{pattern}"))]


@functools.cache
def source():
    """Names what src/ and include/ hold now, whether or not it is committed."""
    return subprocess.run([ROOT / "tools/source_hash.sh"], check=True, capture_output=True, text=True).stdout.strip().partition("-")[0]


def is_older(result):
    """Whether it is of other sources than those here. Documentation and tests are no part of these."""
    return result["source"].partition("-")[0] != source()


def link(file, text, base):
    """`base` is the folder of the document."""
    return f"[{text}]({os.path.relpath(file, base)})"


def machine(result):
    return result["machine"].get("gpu") or result["machine"]["cpu"]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024 or unit == "MiB":
            return f"{count} {unit}"
        count //= 1024


def mpi(entry):
    """'Open MPI 5.0.11' of 'openmpi-5.0.11'; where no MPI has a part, the processes."""
    if "mpi" not in entry:
        return entry["processes"]
    name, _, version = entry["mpi"].rpartition("-")
    return f"{name.replace('openmpi', 'Open MPI').replace('mpich', 'MPICH')} {version}" if name else entry["mpi"]


def times(value):
    """A ratio with as many digits as it deserves."""
    return f"{value:.2f}" if value < 1.2 else f"{value:.1f}" if value < 10 else f"{value:.0f}"
