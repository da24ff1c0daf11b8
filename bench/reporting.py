# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the reports of the benchmarks that have targets share."""
import math
import statistics

LEAST = 1e-3
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def size_name(size):
    unit = next(unit for unit in reversed(UNITS) if size >= UNITS[unit] or unit == "B")
    return f"{size // UNITS[unit]} {unit}"


def table(head, lines):
    widths = [max(len(line[i]) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))))


def geometric_mean(values):
    """Values may be 0 or less where nothing at all was gained: they count as LEAST, so that there is a mean."""
    return math.exp(statistics.mean(math.log(max(value, LEAST)) for value in values))


# What tells a row from others, as far as it has it.
NAMES = ("case", "direction", "memory", "method", "size", "packed_bytes", "application", "order", "chosen")


def summary(rows, targets, group="mpi"):
    """One entry a target and MPI, or what else rows are grouped by: how many rows, and those that miss it. A target is a name, and a
    function that yields from rows those that it is for, each with its value, the value wanted, and whether that is met."""
    result = []
    for name, values in targets:
        groups = {}
        for entry in values(rows):
            groups.setdefault(entry[0][group], []).append(entry)
        if not groups:
            result.append({"target": name, "rows": 0, "misses": []})
        for of, entries in groups.items():
            misses = [{**{key: row[key] for key in NAMES if key in row}, "value": round(value, 3), "wanted": limit}
                      for row, value, limit, met in entries if not met]
            result.append({"target": name, group: of, "rows": len(entries), "misses": misses,
                           "geometric_mean": round(geometric_mean([value for _, value, _, _ in entries]), 3)})
    return sorted(result, key=lambda entry: -len(entry["misses"]))


def verdict(result, size_name):
    """Prints failures, what was left out, and targets, those that are missed first."""
    print()
    for failure in result["failed"]:
        print("FAILED", failure)
    for stop in result["stopped"]:
        print(f"stopped for lack of time: {stop}")
    for skip in {(entry["mpi"], entry["method"], entry["skipped"]) for entry in result["skipped"]}:
        print("skipped:", *skip)
    for entry in result["targets"]:
        state = "not measured" if not entry["rows"] else f"{len(entry['misses'])} of {entry['rows']} missed"
        mean = f", geometric mean {entry['geometric_mean']:.2f}" if entry["rows"] else ""
        print(f"{entry['target']} ({entry.get('mpi', 'any MPI')}): {state}{mean}")
        for miss in entry["misses"]:
            where = f", {miss['memory']} memory" if "memory" in miss else ""
            print(f"    {miss['case']} {size_name(miss['size'])} {miss['method']}: {miss['value']}, wanted {miss['wanted']}{where}")
