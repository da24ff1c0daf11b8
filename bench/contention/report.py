# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints a result: failures, targets, those that are missed first, then what was found for each method."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from reporting import table  # noqa: E402  (it stands one folder above)


def show_methods(entries):
    head = ["times over alone, geometric mean (worst)", "move alone, us", "application", "move", "both over the better", "added, us"]
    table(head, [["/".join(entry[key] for key in ("processes", "beside", "case", "direction", "memory", "method")), f"{entry['move_alone_us']:.4g}",
                  *(f"{entry[name]:.2f} ({entry[name + '_worst']:.2f})" for name in ("application", "move", "of_better")), f"{entry['added_us']:.4g}"]
                 for entry in entries])


def show(result):
    for failure in result["failed"]:
        print("FAILED", failure)
    for stop in result["stopped"]:
        print(f"stopped for lack of time: {stop}")
    for skip in result["skipped"]:
        print(f"skipped: {skip['mpi']}: {skip['skipped']}")
    for entry in result["targets"]:
        state = f"{len(entry['misses'])} of {entry['rows']} missed, geometric mean {entry['geometric_mean']:.2f}" if entry["rows"] else "not measured"
        print(f"{entry['target']} ({entry.get('processes', 'any')}): {state}")
        for miss in sorted(entry["misses"], key=lambda miss: -miss["value"]):
            print(f"    {miss['value']}, wanted {miss['wanted']}: {miss['case']} {miss['direction']} {miss['memory']} {miss['method']} "
                  f"({miss['chosen']}) beside {miss['application']}, {miss['order']}")
    print()
    show_methods(result["methods"])
