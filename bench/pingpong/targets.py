# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a row is compared with, and what is expected of it."""
import math

KIB, MIB = 1 << 10, 1 << 20
FACES = ("face-x", "face-y")
VECTORS = ("vector-4", "vector-8", "vector-32", "vector-128")
REGULAR = (*VECTORS, *FACES, "transpose", "struct")
# Not the library's: its protocols may become more.
OTHERS = ("mpi", "mpi_device", "memcpy", "memcpy2d_send", "memcpy2d_pipelined")


def ours(row):
    return row["method"] not in OTHERS


def where(row):
    """What rows must share to be compared."""
    return row["mpi"], row["gpus"]


def rate(row):
    """GB/s."""
    return row["packed_bytes"] / row["median_us"] / 1e3


class Join:
    """Finds the rows that others are compared with."""

    def __init__(self, rows, rates):
        self.rates = rates
        self.found = {(*where(row), row["case"], row["memory"], row["method"], row["size"]): row for row in rows}

    def get(self, row, method, memory=None, case=None):
        return self.found.get((*where(row), case or row["case"], memory or row["memory"], method, row["size"]))

    def baselines(self, row):
        """{method: microseconds} of everybody else who moved the same, or as many contiguous bytes."""
        result = {}
        for method in OTHERS:
            other = self.get(row, method)
            if other:
                result[method] = other["median_us"]
        if row["memory"] == "device-device" and row["direction"] == "pingpong":
            for name, other in (("memcpy_contiguous", self.get(row, "memcpy", case="contiguous")),
                                ("mpi_contiguous_on_host", self.get(row, "mpi", "host-host", "contiguous"))):
                if other:
                    result[name] = other["median_us"]
        return result

    def reference(self, row):
        """(name, GB/s) of the rate that this row cannot be expected to exceed; None where there is none."""
        if row["memory"] != "device-device" or row["direction"] != "pingpong":
            return None
        if row["method"] == "pipelined":
            other = self.get(row, "mpi", "host-host", "contiguous")
            link = self.rates.get("to_host_gb_per_s", math.inf)
            return ("contiguous host memory by the MPI, or the link", min(rate(other), link)) if other else None
        if row["method"] in ("gpu_aware", "ucx"):
            other = self.get(row, row["method"], case="contiguous")
            return ("contiguous device memory by the same protocol", rate(other)) if other else None
        if row["gpus"] == 1:
            return ("floor", row["packed_bytes"] / row["floor_us"] / 1e3) if "floor_us" in row else None
        other = self.get(row, "memcpy", case="contiguous")
        return ("cudaMemcpyPeer", rate(other)) if other else None

    def complete(self, row):
        """Adds baselines and the fraction of the reference."""
        row["baselines_us"] = self.baselines(row) if ours(row) else {}
        reference = self.reference(row) if ours(row) else None
        if reference:
            row["reference"] = reference[0]
            row["fraction"] = round(rate(row) / reference[1], 3)


def at_least(name, limits, cases, method="automatic", gpus=2):
    """Fractions of the reference at sizes, {bytes: least}; a size of `None` stands for all from `limits["from"]` on."""
    def values(rows):
        for row in rows:
            limit = limits.get(row["size"], limits.get(None) if row["size"] >= limits.get("from", math.inf) else None)
            if (limit and "fraction" in row and row["gpus"] == gpus and row["method"] in method.split("|")
                    and row["memory"] == "device-device" and (cases is None or row["case"] in cases)):
                yield row, row["fraction"], limit, row["fraction"] >= limit
    return name, values


def at_most(name, size, limits, gpus=2):
    """Microseconds at one size, {case: most}."""
    def values(rows):
        for row in rows:
            if (row["size"] == size and row["case"] in limits and row["gpus"] == gpus and row["method"] == "automatic"
                    and row["memory"] == "device-device"):
                yield row, row["median_us"], limits[row["case"]], row["median_us"] <= limits[row["case"]]
    return name, values


def against_mpi(rows):
    for row in rows:
        if (row["memory"] == "host-host" and row["method"] == "automatic" and row["direction"] == "pingpong"
                and row["case"] != "contiguous" and KIB <= row["size"] <= 64 * MIB and "mpi" in row["baselines_us"]):
            yield row, row["baselines_us"]["mpi"] / row["median_us"], 0.95, row["baselines_us"]["mpi"] / row["median_us"] >= 0.95


TARGETS = [
    at_least("two GPUs, 8 B blocks, of cudaMemcpyPeer", {64 * MIB: 0.72, 256 * MIB: 0.80}, ("vector-8",)),
    at_least("two GPUs, 32 B blocks and structs, of cudaMemcpyPeer", {64 * MIB: 0.82, 256 * MIB: 0.88}, ("vector-32", "struct")),
    at_least("two GPUs, 128 B blocks, contiguous faces, of cudaMemcpyPeer", {64 * MIB: 0.92, 256 * MIB: 0.92},
             ("vector-128", "face-y", "contiguous")),
    at_most("two GPUs, 1 MiB, microseconds", MIB, {"vector-8": 20, "vector-32": 16, "vector-128": 16, "face-y": 16}),
    at_most("two GPUs, 1 KiB, microseconds", KIB, {case: 14 for case in REGULAR}),
    at_least("one GPU, of the floor", {None: 0.75, "from": 64 * MIB}, None, "automatic", 1),
    at_least("pipelined, of contiguous host memory or the link", {None: 0.90, "from": 16 * MIB}, None, "pipelined"),
    at_least("GPU-aware and UCX, of contiguous device memory", {None: 0.85, "from": 16 * MIB}, None, "gpu_aware|ucx"),
    ("host memory, times faster than the MPI", against_mpi),
]
