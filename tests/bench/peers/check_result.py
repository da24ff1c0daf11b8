#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Says what is missing from a result of bench/peers: `rows` of a run over host memory, or what the `stand_in` does.

usage: check_result.py rows|stand_in <result>
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench" / "peers"))
from cases import cases  # noqa: E402  (it stands there)

MOST = 64 << 10


def problems_of_rows(result):
    """Every case, by the program of each MPI and by that of bench/pingpong, with plausible times."""
    if not result["complete"]:
        yield f"not complete: {result['failed']} {result['stopped']}"
    found = {(row["way"], row["case"], row["size"]): row for row in result["rows"]}
    wanted = [case for case in cases(2) if case[1] <= MOST]
    for way in ("MPICH, preloaded", "named"):
        for case in wanted:
            if (way, *case) not in found:
                yield f"no row of {case} by {way}"
    if ("send and recv of C++", "face-x", 65536) not in found:
        yield "no row of bench/pingpong"
    for key, row in found.items():
        if not 0 < row["low_us"] <= row["median_us"] <= row["high_us"] or row["samples"] < 1 or not 0.7 * row["size"] <= row["packed_bytes"] <= row["size"]:
            yield f"{key}: {row}"
    if not any(entry["peer"] == "named" and entry["rows"] == len(wanted) for entry in result["summary"]):
        yield f"the MPI that was named is not compared: {result['summary']}"


def problems_of_stand_in(result):
    errors = [(failure["case"], failure["size"], failure["error"].split()[0]) for failure in result["failed"]]
    # What dies is followed by the next size, what does not end by the next case.
    if errors[:2] != [("face-x", 1024, "exit"), ("face-y", 65536, "nothing")] or {error[0] for error in errors[2:]} != {"struct"}:
        yield f"failed: {errors}"
    cases_found = {(row["case"], row["size"]) for row in result["rows"]}
    if ("face-x", 65536) not in cases_found or any(case == "face-y" for case, _ in cases_found) or ("allreduce", 1024) not in cases_found:
        yield f"rows: {sorted(cases_found)}"
    if not any(row["way"] == "kept" for row in result["rows"]):
        yield "a row of the earlier result is lost"
    # Recorded times of doubles every 64 B are 46 us and 869,000; 53,600 and 1,600,000 of rows of 128 B.
    recorded = next(entry for entry in result["summary"] if entry["peer"].endswith("(recorded)"))
    if recorded["worst"] != 4.6 or "doubles every 64 B, 1 KiB" != recorded["worst_case"]:
        yield f"summary: {recorded}"
    if [(entry["ratio"], entry["peer"]) for entry in result["behind"]] != [(0.5, "kept")]:
        yield f"behind: {result['behind']}"


what, file = sys.argv[1:]
found = list(globals()[f"problems_of_{what}"](json.loads(pathlib.Path(file).read_text(encoding="utf-8"))))
print("\n".join(found) or "all is there")
sys.exit(bool(found))
