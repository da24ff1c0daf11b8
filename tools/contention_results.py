# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of bench/results/*/contention.json, for docs/contention.md."""
from collections import Counter

from tables import link, machine, mean, results, table

CASES = ("vector", "long vector", "rows", "indexed")
PAPER_WORK = {"add": "SM", "to_device": "CPU to GPU", "to_host": "GPU to CPU"}
KERNELS = ("add", "stencil", "arithmetic", "resident")
# What docs/contention.md proposes, by the memory of the packed bytes and the case.
FEW = "priority=high, max_blocks=16"
PROPOSED = {("pinned", "vector"): FEW, ("pinned", "long vector"): FEW, ("pinned", "indexed"): FEW, ("pinned", "rows"): "default",
            ("device", "long vector"): "priority=high, max_blocks=132"}
STAGED = {**PROPOSED, **{("pinned", case): "staged, priority=high" for case in ("vector", "long vector", "indexed")}}
CHOICES = {"default": {}, "proposed": PROPOSED, "proposed, staged in place of few blocks": STAGED}
PAPER_METHODS = {"default": "pack", "memcpy2d": "`cudaMemcpy2D`"}


def measured():
    for file, result in results("contention.json"):
        yield file, result


def contention_misses(base):
    """A line for each target and processes, those with the largest part missed first."""
    lines = []
    for file, result in measured():
        for entry in (entry for entry in result["targets"] if entry["rows"]):
            misses = sorted(entry["misses"], key=lambda miss: -miss["value"])
            where = Counter(f"{miss['application']}, {miss['memory']}" for miss in misses)
            worst = misses[0] if misses else None
            lines.append((-len(misses) / entry["rows"], [
                entry["target"], entry["processes"], link(file, file.parent.name, base), f"{len(misses)} of {entry['rows']}", f"{entry['geometric_mean']:.2f}",
                f"{worst['wanted']:g}" if worst else "", f"{worst['value']:.2f} ({worst['case']}, {worst['direction']}, {worst['memory']}, {worst['application']})" if worst else "",
                "; ".join(f"{place} {count}" for place, count in where.most_common())]))
    lines.sort(key=lambda line: line[0])
    head = ["target", "processes", "machine", "missed by", "geometric mean", "wanted", "worst", "missed where, rows"]
    return table(head, [line for _, line in lines]) if lines else "Not measured yet."


def contention_rule(base):
    """What choices would do to the first target, of packing by one process."""
    lines = []
    for file, result in measured():
        rows = [row for row in result["rows"] if row["processes"] == "one process" and row["direction"] == "pack" and row["application"] in KERNELS]
        for name, choice in CHOICES.items():
            taken = [row for row in rows if row["method"] == choice.get((row["memory"], row["case"]), "default")]
            cells_ = [link(file, file.parent.name, base), name]
            for of in ([row for row in taken if row["application"] != "resident"], [row for row in taken if row["application"] == "resident"]):
                values = [row["of_better"] for row in of]
                cells_ += [f"{sum(value > 1.15 for value in values)} of {len(values)}", f"{mean(values):.2f} ({max(values):.2f})",
                           f"{mean([row['application_us'] / row['application_alone_us'] for row in of]):.2f}",
                           f"{mean([row['move_us'] / row['move_alone_us'] for row in of]):.2f}"]
            lines.append(cells_)
    head = ["machine", "choice", *(f"{what}{of}" for of in ("", ", `resident`") for what in ("above 1.15", "both", "application", "pack"))]
    return table(head, lines) if lines else "Not measured yet."


def contention_paper(base):
    """As table III of paper 000, for the packing kernel and cudaMemcpy2D."""
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
    if not entry:
        return [""] * 4
    return [*(f"{entry[name]:.2f} ({entry[name + '_worst']:.2f})" for name in ("application", "move", "of_better")), f"{entry['added_us']:.0f}"]


def by_methods(processes, cases, base):
    """For each method of packing, what was found beside kernels, and beside copies."""
    lines = {}
    for file, result in measured():
        for entry in result["methods"]:
            if entry["processes"] in processes and entry["direction"] == "pack" and entry["case"] in cases:
                key = (link(file, file.parent.name, base), entry["processes"], f"{entry['case']}, {entry['memory']}", entry["method"])
                lines.setdefault(key, {})[entry["beside"]] = entry
    return lines


def lines_of(lines, columns):
    """Of the columns of the key, those that are numbered."""
    return [[*(key[column] for column in columns), f"{(found.get('kernels') or found['copies'])['move_alone_us']:.0f}",
             *(cell for beside in ("kernels", "copies") for cell in cells(found.get(beside)))] for key, found in lines.items()]


HEAD = ["alone, us", *(f"{beside}: {what}" for beside in ("kernels", "copies") for what in ("application", "pack", "both", "added, us"))]


def contention_methods(base):
    lines = lines_of(by_methods({"one process"}, CASES, base), (0, 2, 3))
    return table(["machine", "case, to", "method", *HEAD], lines) if lines else "Not measured yet."


def contention_processes(base):
    lines = lines_of(by_methods({"two processes by turns", "two processes under MPS"}, CASES, base), (0, 1, 2, 3))
    return table(["machine", "processes", "case, to", "method", *HEAD], lines) if lines else "Not measured yet."
