#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times messages over the length of their fragments with every MPI, and writes bench/results/<machine>/fragments.json.

With two GPUs each rank has one; without, host memory is measured. Beside the rows it says of each message how long fragments are best, and
what the length that is built in, and the one that the model says, take more.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import ranks  # noqa: E402  (it stands one folder above)
from parts import gpus, write_result  # noqa: E402
from reporting import geometric_mean, table  # noqa: E402


def size_name(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def judged(rows):
    """One entry a message: the fragments that are best, those that are built in, and those that the model takes for best."""
    groups = {}
    for row in rows:
        if "predicted_us" in row:
            groups.setdefault((row["mpi"], row["method"], row["memory"], row["size"]), []).append(row)
    entries = []
    for (mpi, method, memory, size), found in groups.items():
        swept = [row for row in found if row["built_in"] == "no"]
        own = next((row for row in found if row["built_in"] == "yes"), None)
        if not swept or own is None:
            continue
        best = min(swept, key=lambda row: row["median_us"])
        told = min(swept, key=lambda row: row["predicted_us"])
        entries.append({"mpi": mpi, "method": method, "memory": memory, "size": size, "best": best["fragment"], "best_us": best["median_us"],
                        "built_in": own["fragment"], "built_in_us": own["median_us"], "told": told["fragment"], "told_us": told["median_us"],
                        "measured_over_predicted": round(geometric_mean([row["median_us"] / row["predicted_us"] for row in swept]), 3)})
    return entries


def main():
    parser = ranks.parser(__doc__, "fragments", "method/memory/bytes/fragment", 256 << 20, "bytes of data", 60)
    parser.set_defaults(row_seconds=0.1)
    arguments = parser.parse_args()
    ranks.complete(parser, arguments, "fragments", [])
    which = ["--no-gpu"] if arguments.no_gpu or not gpus() else []
    launches = [ranks.Launch(mpi, options=[*which, "--filter", arguments.filter]) for mpi in arguments.mpis]
    parts = ranks.run_all(arguments, "fragments", launches, False)
    rows = [row for part in parts for row in part.rows]
    result = write_result(arguments.output, parts, "bench/fragments/run.py", [], more={"messages": judged(rows)})
    table(["", "best", "us", "built in", "us", "the model's", "us", "measured over predicted"],
          [[f"{entry['mpi']} {entry['method']} {size_name(entry['size'])}", size_name(entry["best"]), f"{entry['best_us']:.0f}", size_name(entry["built_in"]),
            f"{entry['built_in_us']:.0f}", size_name(entry["told"]), f"{entry['told_us']:.0f}", f"{entry['measured_over_predicted']:.2f}"]
           for entry in result["messages"]])
    print(f"wrote {arguments.output}")
    if result["failed"]:
        sys.exit(f"bench_fragments: {result['failed']}")
    if result["stopped"]:
        print("stopped for lack of time:", *result["stopped"])


if __name__ == "__main__":
    main()
