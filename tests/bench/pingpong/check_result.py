# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Says what is missing from the result of a run over host memory: every case, protocol and baseline, with plausible times."""
import json
import pathlib
import sys

CASES = {"contiguous", "vector-8", "vector-32", "struct", "vector-128", "face-y", "vector-4", "face-x", "indexed", "transpose", "halo-26x8"}
METHODS = {"automatic", "eager", "pipelined", "mpi"}


def problems(result):
    if not result["complete"]:
        yield f"not complete: {result['failed']} {result['stopped']}"
    rows = result["rows"]
    found = {(row["case"], row["method"]) for row in rows}
    for case in CASES:
        for method in METHODS:
            if (case, method) not in found:
                yield f"no row of {case} by {method}"
    for row in rows:
        name = f"{row['case']}/{row['method']}/{row['size']}"
        if row["verified"] != "yes" or not 0 < row["low_us"] <= row["median_us"] <= row["high_us"] or row["samples"] < 3:
            yield f"{name}: {row}"
        if not row["size"] * 0.7 <= row["packed_bytes"] <= row["size"] and row["case"] != "halo-26x8":
            yield f"{name}: {row['packed_bytes']} bytes"
        if row["method"] == "automatic" and "mpi" not in row["baselines_us"]:
            yield f"{name}: is compared with nothing"
    for row in rows:
        if row["case"] == "struct" and row["size"] == 64 and row["packed_bytes"] != 51:
            yield "struct: not three of 17 bytes"


found = list(problems(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))))
print("\n".join(found) or "all rows are there")
sys.exit(bool(found))
