# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The all-to-all in which GPUs write into each other's memory."""
import torch

from . import _core
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
        self._streams: dict[bool, torch.cuda.Stream] = {}  # that used it last, captured and not
        try:
            buffer = _core.DeviceBuffer(device.index, nbytes)
        except _core.GpuError:
            torch.cuda.empty_cache()  # PyTorch keeps what nobody uses
            buffer = _core.DeviceBuffer(device.index, nbytes)
        self.bytes = torch.as_tensor(buffer, device=device)

    def order(self, stream: "torch.cuda.Stream", captured: bool) -> None:
        """Makes `stream` wait for the previous user of the memory, within one capture or outside of any. The order of captured graphs is
        up to whoever replays them."""
        before = self._streams.get(captured)
        self._streams[captured] = stream
        if before is not None and before != stream and _capturing(before) == captured:
            stream.wait_stream(before)


def _capturing(stream: "torch.cuda.Stream") -> bool:
    with torch.cuda.stream(stream):
        return torch.cuda.is_current_stream_capturing()


class DirectAllToAll:
    """For tensors of one shape and strides. Each rank creates its own, then all call link()."""

    def __init__(self, x: torch.Tensor, scatter_dim: int, gather_dim: int, shape: list[int], slot: Slot, ranks: Ranks):
        self.slot, self.captured = slot, False
        self._shape, self._gather_dim = shape, gather_dim
        out, source = torch.empty(shape, dtype=x.dtype, device=x.device), as_words(x)
        size = shape[gather_dim] // ranks.size
        others = list(shape)
        others[gather_dim] = size * (ranks.size - 1)
        received = slot.bytes[:x.nbytes // ranks.size * (ranks.size - 1)].view(source.dtype).view(others)
        # What comes from ranks before this one, and from those behind it: where it lies in the slot, and where it belongs.
        before, behind = size * ranks.rank, size * (ranks.size - 1 - ranks.rank)
        self._pieces = [(View(received.narrow(gather_dim, begin, length)), place, length)
                        for begin, place, length in ((0, 0, before), (before, before + size, behind)) if length > 0]
        sends = [(View(part), rank) for rank, part in enumerate(source.chunk(ranks.size, scatter_dim))]
        receives = [(View(as_words(out).narrow(gather_dim, before, size)) if rank == ranks.rank else
                     View(received.narrow(gather_dim, size * (rank - (rank > ranks.rank)), size)), rank) for rank in range(ranks.size)]
        self._bound = source.data_ptr(), out.data_ptr()
        self._first = source, out, _core.ExchangeParts(sends, receives, 0, keep=False)

    def link(self, ranks: Ranks) -> None:
        """Collective. Raises in all ranks if GPUs cannot write directly."""
        self._exchange = _core.Exchange(ranks, self._first[-1])
        del self._first  # each call says where its tensors are

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        with torch.cuda.device(x.device):
            stream = torch.cuda.current_stream()
            captured = torch.cuda.is_current_stream_capturing()
            self.captured = self.captured or captured
            self.slot.order(stream, captured)
            out = torch.empty(self._shape, dtype=x.dtype, device=x.device)
            words = as_words(out)
            self._exchange.start(stream.cuda_stream, x.data_ptr() - self._bound[0], out.data_ptr() - self._bound[1])
            for received, place, length in self._pieces:
                _core.copy(received, View(words.narrow(self._gather_dim, place, length)), stream.cuda_stream)
        return out

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
