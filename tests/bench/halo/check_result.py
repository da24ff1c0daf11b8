# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Says what is missing from the result of a run over host memory: every method, with plausible times."""
import json
import pathlib
import sys

LIBRARY = {"automatic", "tuned", "manual", "datatype"}
OTHERS = {"hand_loops", "plain_mpi_pack", "plain_datatype"}
# Cells that 16^3 cells with a halo of 2 send of 3 fields: two faces along the divided dimension, and what lies around them.
SENT_BYTES = 3 * 8 * 2 * 2 * (16 + 4) ** 2
PACKED_BYTES = 3 * 8 * ((16 + 4) ** 3 - 16 ** 3)


def problems(result):
    if not result["complete"]:
        yield f"not complete: {result['failed']} {result['stopped']}"
    if not any(skip["memory"] == "device" for skip in result["skipped"]):
        yield "it is not said that devices are left out"
    exchanges = [row for row in result["rows"] if row["direction"] == "exchange"]
    for method in (LIBRARY | OTHERS) - {row["method"] for row in exchanges}:
        yield f"no row of {method}"
    for row in exchanges:
        phases = row["phases_us"]
        if row["verified"] != "yes" or not 0 < row["low_us"] <= row["median_us"] <= row["high_us"] or min(phases.values()) < 0:
            yield f"{row['method']}: {row}"
        messages = 1 if row["method"] in LIBRARY else 18  # sides on which the one other process is
        if (row["sent_bytes"], row["packed_bytes"], row["messages"]) != (SENT_BYTES, PACKED_BYTES, messages):
            yield f"{row['method']}: {row['sent_bytes']} of {row['packed_bytes']} bytes in {row['messages']} messages"
        if row["method"] in LIBRARY and set(row["baselines_us"]) != OTHERS:
            yield f"{row['method']}: is compared with {row['baselines_us']}"
    if not any(row["direction"] == "overlap" and row["exchange_us"] > 0 and row["interior_us"] > 0 for row in result["rows"]):
        yield "no row of an overlap"


found = list(problems(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))))
print("\n".join(found) or "all rows are there")
sys.exit(bool(found))
