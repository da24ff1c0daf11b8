# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is expected of packing beside an application's kernel, and what was found for each method."""
import math
import statistics

KERNELS = ("add", "stencil", "arithmetic", "resident")
MOST_OF_BETTER = 1.15
MOST_OF_ALONE = 2
MOST_LOST = 1.03


def application_over_alone(row):
    return row["application_us"] / row["application_alone_us"]


def move_over_alone(row):
    return row["move_us"] / row["move_alone_us"]


def added_us(row):
    """By how much both take longer than the application alone: what the move costs a program that has other work meanwhile."""
    return row["median_us"] - row["application_alone_us"]


def beside_kernels(method, value_of, most):
    def values(rows):
        for row in rows:
            if row["method"] == method and row["application"] in KERNELS:
                value = value_of(row)
                yield row, value, most, value <= most
    return values


TARGETS = [
    ("default hints beside a kernel, both over the better of serial and bound",
     beside_kernels("default", lambda row: row["of_better"], MOST_OF_BETTER)),
    ("priority=high beside a kernel, move over alone", beside_kernels("priority=high", move_over_alone, MOST_OF_ALONE)),
    ("avoid=multiprocessors, application's kernel over alone",
     beside_kernels("avoid=multiprocessors", application_over_alone, MOST_LOST)),
]


def mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def methods(rows):
    """One entry for each way to share the GPU, kind of work, case, direction, memory, and method: geometric means over work and orders, and
    the worst."""
    groups = {}
    for row in rows:
        kind = "kernels" if row["application"] in KERNELS else "copies"
        groups.setdefault((row["processes"], kind, row["case"], row["direction"], row["memory"], row["method"]), []).append(row)
    for key, members in groups.items():
        entry = dict(zip(("processes", "beside", "case", "direction", "memory", "method"), key))
        for name, value in (("application", application_over_alone), ("move", move_over_alone), ("of_better", lambda row: row["of_better"])):
            values = [value(row) for row in members]
            entry |= {name: round(mean(values), 3), f"{name}_worst": round(max(values), 3)}
        yield {**entry, "rows": len(members), "added_us": round(statistics.mean(map(added_us, members)), 2),
               "move_alone_us": round(statistics.median(row["move_alone_us"] for row in members), 2)}
