# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sums of tensors of all ranks, of which each rank gets a part, by one kernel of a DeviceGroup."""
from typing import Any

import torch
from torch.autograd.graph import increment_version

from . import _core
from ._core import View
from ._torch_direct import InStreamOrder, current, stream_handle
from ._torch_packed import contiguous, has_memory, put_back

# Bytes of the longer tensor of a call up to which it goes so.
LONGEST = 16 << 20
# Those that NCCL adds up, too, but for floating-point numbers of 16 bits.
_ELEMENTS = {torch.float64, torch.float32, torch.int64, torch.int32, torch.int8, torch.uint8}


def are_taken(x: torch.Tensor) -> bool:
    """Whether sums of such tensors go so. The same in all ranks."""
    return x.dtype in _ELEMENTS and x.numel() * x.element_size() <= LONGEST


class SummingGroup(InStreamOrder):
    """The GPUs of all ranks of a group. Collective. Raises in all ranks if they cannot reach each other, or lack memory."""

    def __init__(self, device: torch.device, ranks: Any):
        super().__init__(device)
        self._size = ranks.size
        self._group = _core.DeviceGroup(ranks, _core.DeviceGroupOptions(device.index, 0))

    def run(self, x: torch.Tensor, out: torch.Tensor) -> None:
        """On the current stream. Noncontiguous tensors are packed."""
        with current(self.device):
            stream = stream_handle(self.device)
            self.order(stream, torch.cuda.is_current_stream_capturing())
            given = x if _is_plain(x) else contiguous(x)
            wanted = out if _is_plain(out) else torch.empty(out.shape, dtype=out.dtype, device=self.device)
            self._group.reduce_scatter(View(given), View(wanted), [wanted.numel()] * self._size, "sum", stream)
            if wanted is out:
                increment_version(out)
            else:
                put_back(wanted, out)

    def close(self) -> None:
        """Collective. Waits for replays of graphs too."""
        if self.captured:
            torch.cuda.synchronize(self.device)
        self._group.close()


def _is_plain(x: torch.Tensor) -> bool:
    return x.is_contiguous() and has_memory(x)
