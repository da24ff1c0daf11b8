# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is expected of rows: how many times faster than the best of the others."""

CALL, LEFT_TO_NCCL = " by torch.distributed, ", "all_reduce"
OF_NCCL = 0.98


def _calls(contiguous):
    def those(row):
        call, _, layout = row["case"].partition(CALL)
        return bool(layout) and (layout == "contiguous") == contiguous and (contiguous or (call != LEFT_TO_NCCL and row["bytes"] >= 1 << 20))
    return those


def _at_least(wanted, those):
    def values(rows):
        for row in filter(those, rows):
            faster = min(row["peers_us"].values()) / row["median_us"]
            yield {**row, "size": row["bytes"]}, faster, wanted, faster >= wanted
    return values


# By the program's name.
TARGETS = {"torch_backend": [
    ("noncontiguous calls from 1 MiB on, times faster than contiguous(), NCCL and copy_()", _at_least(1.3, _calls(contiguous=False))),
    ("contiguous calls, of NCCL's speed", _at_least(OF_NCCL, _calls(contiguous=True))),
    ("DTensors of 1 GiB, times faster than PyTorch's own way", _at_least(2, lambda row: "DTensor" in row["case"] and row["bytes"] >= 1 << 30)),
    ("training and attention, of NCCL's speed", _at_least(OF_NCCL, lambda row: CALL not in row["case"] and "DTensor" not in row["case"])),
]}
