# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""How the ranks of a group meet beside the program: by a Gloo of their own, since another thread may use the group's meanwhile."""
from typing import Any

import torch
import torch.distributed as dist
from torch.utils._python_dispatch import _disable_current_modes

# Of a group: as many GPUs as a host has.
MOST_RANKS = 16


class Meeting:
    def __init__(self, store: Any, rank: int, size: int, timeout: Any):
        self._size = size
        self._gloo = dist.ProcessGroupGloo(dist.PrefixStore("typewarp", store), rank, size, timeout=timeout)

    def start(self, told: list[torch.Tensor], mine: torch.Tensor) -> Any:
        """Gathers tensors of the host, equally long in all ranks. Returns work to wait for. Collective."""
        return self._gloo.allgather([told], [mine])

    def all_gather(self, value: bytes) -> list[bytes]:
        """The values of all ranks. Collective."""
        with _disable_current_modes():
            lengths = [each.item() for each in self._gathered([len(value)], torch.int64)]
            every = self._gathered(list(value.ljust(max(*lengths, 1), b"\0")), torch.uint8)
            return [bytes(each.tolist())[:length] for each, length in zip(every, lengths)]

    def _gathered(self, numbers: list[int], dtype: torch.dtype) -> list[torch.Tensor]:
        mine = torch.tensor(numbers, dtype=dtype, device="cpu")
        told = [torch.empty_like(mine) for _ in range(self._size)]
        self.start(told, mine).wait()
        return told
