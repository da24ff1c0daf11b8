# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Times PyTorch's copy of a strided view, which is what .contiguous() does, without the allocation."""
import statistics
import time

import torch

DTYPES = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.float64, 16: torch.complex128}
LEAST, LEAST_WHEN_SLOW, ENOUGH_S, MOST_S = 20, 3, 2e-3, 30e-3  # as Effort in measure.hpp
MOST_BYTES = 17 << 30


def numbers(text):
    return [int(word) for word in text.split()]


def median_us(operation):
    operation()
    samples, total = [], 0.0
    while total < ENOUGH_S or len(samples) < LEAST:
        if total >= MOST_S and len(samples) >= LEAST_WHEN_SLOW:
            break
        begin = time.perf_counter()
        operation()
        samples.append(time.perf_counter() - begin)
        total += samples[-1]
    return 1e6 * statistics.median(samples)


class Torch:
    """The memory of all rows, kept from one to the next."""

    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.pools = {}

    def pool(self, name, elements, dtype):
        """At least so many elements of memory, as a flat tensor."""
        size = elements * dtype.itemsize
        if name not in self.pools or self.pools[name].numel() < size:
            self.pools.pop(name, None)
            rounded = 1 << max(26, (size - 1).bit_length())
            where = {"pin_memory": True} if name == "pinned" else {"device": "cuda"}
            self.pools[name] = torch.empty(rounded, dtype=torch.uint8, **where)
        return self.pools[name][:size].view(dtype)

    def measure(self, row):
        """The time of the row's view in microseconds, or None where it takes too much memory."""
        view = row["view"]
        sizes, strides = numbers(view["sizes"]), numbers(view["strides"])
        dtype = DTYPES[view["itemsize"]]
        elements = view["offset"] + 1 + sum((n - 1) * stride for n, stride in zip(sizes, strides))
        if elements * dtype.itemsize > MOST_BYTES:
            return None
        strided = self.pool("layout", elements, dtype).as_strided(sizes, strides, view["offset"])
        packed = self.pool("pinned" if row["memory"] == "pinned" else "packed", strided.numel(), dtype).view(sizes)
        target, source = (packed, strided) if row["direction"] == "pack" else (strided, packed)

        def operation():
            target.copy_(source, non_blocking=True)
            self.stream.synchronize()

        with torch.cuda.stream(self.stream):
            return median_us(operation)
