# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges in which GPUs write into each other's memory."""
import contextlib
import itertools
from typing import Any, NamedTuple

import torch

from . import _core
from ._boxes import Box, Side, in_runs
from ._core import View
from ._ranks import Ranks

# Elements are moved as words of their size: views know fewer types than PyTorch.
_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}


def check_device(device: torch.device) -> None:
    if device.type != "cuda" or torch.version.cuda is None:
        raise ValueError(f"tensors of {device.type} are not on a GPU with CUDA")


def as_words(x: torch.Tensor) -> torch.Tensor:
    """The same memory, as elements that views know."""
    return x.view(_WORDS[x.element_size()])


class Slot:
    """GPU memory that peers write. Exchanges can share it, since they are ordered by the stream: a peer writes when this rank's stream has
    reached the start of an exchange, and everything has arrived when the stream goes on."""

    def __init__(self, device: torch.device, nbytes: int):
        self.nbytes = nbytes
        self._last: dict[bool, tuple[int, torch.cuda.Stream]] = {}  # streams that used it last, captured and not
        try:
            buffer = _core.DeviceBuffer(device.index, nbytes)
        except _core.GpuError:
            torch.cuda.empty_cache()  # PyTorch keeps what nobody uses
            buffer = _core.DeviceBuffer(device.index, nbytes)
        self.bytes = torch.as_tensor(buffer, device=device)

    @property
    def captured(self) -> bool:
        """Whether a graph has an exchange that uses it."""
        return True in self._last

    def order(self, handle: int, captured: bool) -> None:
        """Makes the current stream, which has this handle, wait for the previous user of the memory, within one capture or outside of any.
        The order of captured graphs is up to whoever replays them."""
        last, before = self._last.get(captured, (None, None))
        if last == handle:
            return
        stream = torch.cuda.current_stream(self.bytes.device)
        self._last[captured] = handle, stream
        if before is not None and _capturing(before) == captured:
            stream.wait_stream(before)


def _capturing(stream: "torch.cuda.Stream") -> bool:
    with torch.cuda.stream(stream):
        return torch.cuda.is_current_stream_capturing()


# torch.cuda.device() and current_stream() take 10 us together, a quarter of a short call.
def current(device: torch.device) -> Any:
    """A context in which the device is the current one."""
    return _NOTHING if device.index == torch._C._cuda_getDevice() else torch.cuda.device(device)


_NOTHING = contextlib.nullcontext()


def capturing(device: torch.device) -> bool:
    with current(device):
        return torch.cuda.is_current_stream_capturing()


def stream_handle(device: torch.device) -> int:
    """Of its current stream."""
    return torch._C._cuda_getCurrentRawStream(device.index)


class Moves(NamedTuple):
    """What one rank does in an exchange of tensors. Between two ranks there is one box at most."""

    sends: list[Box]  #: of the rank's tensor
    result: Side      #: the rank's new tensor, and what it receives


class DirectExchange:
    """For tensors of one layout, or of more that are added. Each rank creates its own, then all call link()."""

    def __init__(self, x: torch.Tensor, moves: Moves, slot: Slot, ranks: Ranks, out: "torch.Tensor | None" = None):
        self.slot, self.captured, self.rank, self._moves = slot, False, ranks.rank, moves
        self.arrived: list[tuple[torch.Tensor, Box]] = []  # what peers write into the slot, and where it belongs
        out = self._new(x) if out is None else out
        receives, end = [], 0
        for is_own, boxes in itertools.groupby(moves.result.boxes, lambda box: box.peer == ranks.rank):
            for whole, parts in [] if is_own else in_runs(boxes):
                begin, end = end, end + whole.count * x.element_size()
                received = slot.bytes[begin:end].view(x.dtype).view(whole.sizes)
                receives += [(View(as_words(received)[part.seen_from(whole, part.peer).index]), part.peer) for part in parts]
                self.arrived.append((received, whole))
        self._bound = [(x.data_ptr(), out.data_ptr())]
        self._first = x, out, self._parts(x, out, receives)

    def _parts(self, x: torch.Tensor, out: torch.Tensor, receives: list) -> _core.ExchangeParts:
        source, words = as_words(x), as_words(out)
        sends = [(View(source[box.index]), box.peer) for box in self._moves.sends]
        own = [(View(words[box.index]), box.peer) for box in self._moves.result.boxes if box.peer == self.rank]
        return _core.ExchangeParts(sends, receives + own, 0, False, self._unpacks(words))

    def _unpacks(self, words: torch.Tensor) -> list[tuple[View, View]]:
        """From where to where, behind each exchange."""
        return [(View(as_words(received)), View(words[whole.index])) for received, whole in self.arrived]

    @staticmethod
    def slot_bytes(moves: Moves, element_bytes: int, rank: int) -> int:
        return element_bytes * sum(box.count for box in moves.result.boxes if box.peer != rank)

    def link(self, ranks: Ranks) -> None:
        """Collective. Raises in all ranks if GPUs cannot write directly."""
        self._exchange = _core.Exchange(ranks, self._first[-1])
        del self._first  # each call says where its tensors are

    def add_layout(self, x: torch.Tensor, out: torch.Tensor) -> int:
        """Returns the number of the layout that these have. Not collective. Raises GpuError."""
        number = self._exchange.add_layout(self._parts(x, out, []))
        self._bound.append((x.data_ptr(), out.data_ptr()))
        return number

    def __call__(self, x: torch.Tensor, out: "torch.Tensor | None" = None, layout: int = 0) -> torch.Tensor:
        """Of tensors of the layout of this number. Without `out`, into a new contiguous one, if the first one was such."""
        with current(x.device):
            stream, captured = stream_handle(x.device), torch.cuda.is_current_stream_capturing()
            self.captured = self.captured or captured
            self.slot.order(stream, captured)
            out = self._new(x) if out is None else out
            bound_x, bound_out = self._bound[layout]
            self._exchange.start(stream, x.data_ptr() - bound_x, out.data_ptr() - bound_out, layout)
            self._finish(x, out, layout)
        return out

    def _new(self, like: torch.Tensor) -> torch.Tensor:
        return torch.empty(self._moves.result.shape, dtype=like.dtype, device=like.device)

    def _finish(self, x: torch.Tensor, out: torch.Tensor, layout: int) -> None:
        """On the current stream."""

    def close(self) -> None:
        """Collective. Waits for replays of graphs too, which the exchange does not know."""
        if self.captured:
            torch.cuda.synchronize(self.slot.bytes.device)
        self._exchange.close()


class Trial:
    """An exchange of a few bytes between all ranks, to see whether GPUs can write directly."""

    def __init__(self, device: torch.device, ranks: Ranks):
        check_device(device)
        self._slot = Slot(device, 16 * ranks.size)
        self._source = torch.empty(16 * ranks.size, dtype=torch.uint8, device=device)
        pairs = [[(View(part), rank) for rank, part in enumerate(each.chunk(ranks.size))] for each in (self._source, self._slot.bytes)]
        self._parts = _core.ExchangeParts(*pairs, 0, keep=False)

    def link(self, ranks: Ranks) -> None:
        """Collective. Raises in all ranks if they cannot."""
        _core.Exchange(ranks, self._parts).close()
