# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of bench/results/*/contention.json, for docs/contention.md."""
from tables import link, machine, results, table

CASES = ("vector", "long vector")
PAPER_WORK = {"add": "SM", "to_device": "CPU to GPU", "to_host": "GPU to CPU"}
PAPER_METHODS = {"default": "pack", "memcpy2d": "`cudaMemcpy2D`"}


def measured():
    for file, result in results("contention.json"):
        yield file, result


def contention_paper(base):
    """As table III of paper 000: microseconds of the application, the pack and both, for the packing kernel and cudaMemcpy2D."""
    parts = []
    for file, result in measured():
        rows = {(row["method"], row["order"], row["application"]): row for row in result["rows"]
                if (row["processes"], row["case"], row["direction"], row["memory"]) == ("one process", "vector", "pack", "pinned")}
        lines = []
        for method, what in PAPER_METHODS.items():
            alone, first, second = [f"{what}, one after the other"], [f"application, then {what}"], [f"{what}, then application"]
            for work in PAPER_WORK:
                for line, order in ((first, "application first"), (second, "move first")):
                    row = rows[method, order, work]
                    line += [f"{row[key]:.0f}" for key in ("application_us", "move_us", "median_us")]
                alone += [f"{row[key]:.0f}" for key in ("application_alone_us", "move_alone_us", "serial_us")]
            lines += [alone, first, second]
        head = ["order", *(f"{name}: {time}" for name in PAPER_WORK.values() for time in ("application", "pack", "both"))]
        parts.append(f"{link(file, file.parent.name, base)}, {machine(result)}, microseconds:\n\n" + table(head, lines))
    return "\n\n".join(parts) or "Not measured yet."


def cells(entry):
    return [f"{entry[name]:.2f} ({entry[name + '_worst']:.2f})" for name in ("application", "move", "of_better")] if entry else [""] * 3


def by_methods(processes, memory_and_case, base):
    """A line for each method of packing, with what is beside in columns: kernels, copies."""
    lines = {}
    for file, result in measured():
        for entry in result["methods"]:
            if entry["processes"] in processes and entry["direction"] == "pack" and entry["case"] in memory_and_case:
                key = (link(file, file.parent.name, base), entry["processes"], f"{entry['case']}, {entry['memory']}", entry["method"])
                lines.setdefault(key, {})[entry["beside"]] = entry
    return lines


def lines_of(lines, columns):
    """Of the columns of the key, those that are numbered."""
    return [[*(key[column] for column in columns), f"{(found.get('kernels') or found['copies'])['move_alone_us']:.0f}",
             *cells(found.get("kernels")), *cells(found.get("copies"))] for key, found in lines.items()]


HEAD = ["alone, us", *(f"{beside}: {what}" for beside in ("kernels", "copies") for what in ("application", "pack", "both"))]


def contention_methods(base):
    lines = lines_of(by_methods({"one process"}, CASES, base), (0, 2, 3))
    return table(["machine", "case, to", "method", *HEAD], lines) if lines else "Not measured yet."


def contention_processes(base):
    lines = lines_of(by_methods({"two processes by turns", "two processes under MPS"}, CASES, base), (0, 1, 2, 3))
    return table(["machine", "processes", "case, to", "method", *HEAD], lines) if lines else "Not measured yet."
