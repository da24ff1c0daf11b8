# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints a result: times, then failures and targets, those that are missed first."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from reporting import table, verdict  # noqa: E402  (it stands one folder above)

PHASES = ("pack", "wire", "unpack")


def size_name(edge):
    return f"{edge}^3"


def exchanges(rows):
    head = ["microseconds", "exchange", *PHASES, "packs alone", "unpacks alone", "launches", "of the floor", "messages", "MB sent"]
    lines = []
    for row in rows:
        launches = "+".join(f"{row['launches'][phase]:.4g}" for phase in PHASES) if "launches" in row else ""
        alone = row.get("phases_alone_us", {})
        fraction = f"{row['fraction_of_floor']:.2f}" if "fraction_of_floor" in row else ""
        chosen = f" ({row['packing']})" if row["method"] in ("automatic", "tuned") else ""
        lines.append([f"{row['case']} {size_name(row['size'])} {row['method']}{chosen}", f"{row['median_us']:.4g}",
                      *(f"{row['phases_us'][phase]:.4g}" for phase in PHASES),
                      *(f"{alone[phase]:.4g}" if alone else "" for phase in ("pack", "unpack")), launches, fraction, str(row["messages"]),
                      f"{row['sent_bytes'] / 1e6:.4g}"])
    if lines:
        table(head, lines)


def overlaps(rows):
    for row in rows:
        print(f"{row['case']} {size_name(row['size'])} {row['method']}: {row['median_us']:.1f} us; the exchange alone {row['exchange_us']:.1f}, "
              f"the interior alone {row['interior_us']:.1f}: {100 * row['hidden']:.0f} % of the shorter is hidden")


def show(result):
    groups = {}
    for row in result["rows"]:
        groups.setdefault((row["mpi"], row["gpus"], row["memory"]), []).append(row)
    for (mpi, gpus, memory), rows in groups.items():
        print(f"\n== {mpi}, {gpus} GPUs, {memory} memory")
        exchanges([row for row in rows if row["direction"] == "exchange"])
        overlaps([row for row in rows if row["direction"] == "overlap"])
    verdict(result, size_name)
