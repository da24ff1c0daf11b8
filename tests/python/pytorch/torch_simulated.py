# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What typewarp.torch does for GPUs, with memory of the host and exchanges that processes make through their group."""
import contextlib
import ctypes
import pickle
from types import SimpleNamespace
from unittest import mock

from processes import of_several
import torch
import torch.distributed as dist
import torch_cases as cases

import typewarp.torch
from typewarp import _torch_direct, _torch_ways


class Part:
    """A view that knows where its tensor lies."""

    def __init__(self, x):
        self.x = x

    def at(self, displacement):
        """The tensor that is so many bytes on."""
        x, unit = self.x, self.x.element_size()
        last = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride()))
        memory = (ctypes.c_byte * ((last + 1) * unit)).from_address(x.data_ptr() + displacement)
        return torch.frombuffer(memory, dtype=x.dtype).as_strided(x.shape, x.stride())


class Parts:
    def __init__(self, sends, receives, time_limit, keep, unpacks=()):
        assert not keep and time_limit == 0
        # As Typewarp: the memory of what is sent may go.
        self.sends = [(Part(part.x.detach()), rank) for part, rank in sends]
        self.receives = receives
        self.unpacks = [(packed, Part(part.x.detach())) for packed, part in unpacks]


class Exchange:
    made = closed = 0
    fails = ""

    def __init__(self, ranks, parts):
        self.ranks, self.parts = ranks, parts
        if any(other for other in ranks.gather(Exchange.fails.encode())):
            raise RuntimeError("typewarp::Exchange: " + Exchange.fails)
        Exchange.made += 1
        self.layouts = [parts]

    def add_layout(self, parts):
        first = self.parts
        assert [(part.x.nbytes, rank) for part, rank in parts.sends] == [(part.x.nbytes, rank) for part, rank in first.sends]
        assert all(rank == self.ranks.rank for _, rank in parts.receives)
        peers = [(part, rank) for part, rank in first.receives if rank != self.ranks.rank]
        self.layouts.append(SimpleNamespace(sends=parts.sends, receives=peers + parts.receives, unpacks=parts.unpacks))
        return len(self.layouts) - 1

    def start(self, stream, sends_displaced, own_receives_displaced, layout):
        assert stream == 7
        parts = self.layouts[layout]
        sent = [(rank, part.at(sends_displaced).clone(memory_format=torch.contiguous_format).view(-1).view(torch.uint8).numpy().tobytes()) for part, rank in parts.sends]
        come = [pickle.loads(each) for each in self.ranks.gather(pickle.dumps(sent))]
        for part, rank in parts.receives:
            data, = [data for to, data in come[rank] if to == self.ranks.rank]
            place = part.at(own_receives_displaced if rank == self.ranks.rank else 0)
            place.copy_(torch.frombuffer(bytearray(data), dtype=place.dtype).view(place.shape))
        for packed, part in parts.unpacks:
            assert packed.x.is_contiguous()
            place = part.at(own_receives_displaced)
            place.copy_(packed.x.view(place.shape))

    def close(self):
        Exchange.closed += 1
        self.ranks.gather(b"")


@contextlib.contextmanager
def gpus():
    """CPUs are taken for GPUs."""
    core = SimpleNamespace(ExchangeParts=Parts, Exchange=Exchange, DeviceBuffer=lambda device, nbytes: torch.zeros(nbytes, dtype=torch.uint8))
    stream = SimpleNamespace(wait_stream=lambda other: None)
    Exchange.made, Exchange.closed, Exchange.fails = 0, 0, ""
    typewarp.torch.clear()
    with mock.patch.multiple(_torch_direct, _core=core, View=Part, check_device=lambda device: None, current=contextlib.nullcontext,
                             stream_handle=lambda device: 7), \
            mock.patch.multiple(torch.cuda, stream=contextlib.nullcontext, current_stream=lambda device: stream,
                                is_current_stream_capturing=lambda: False, synchronize=lambda device: None):
        yield
        assert typewarp.torch.fallback_reason("cpu") is None
        typewarp.torch.clear()
        assert Exchange.made == Exchange.closed and typewarp.torch.kept() == []


def dimensions():
    with gpus():
        for _ in range(2):  # once made, once kept
            cases.all_dimensions("cpu")
        assert len(typewarp.torch.kept()) == (len(cases.DIMENSIONS) if dist.get_world_size() > 1 else 0)
        assert len({entry.slot_bytes for entry in typewarp.torch.kept()}) <= 3  # they share it
        cases.gradients("cpu")


def layouts():
    with gpus():
        for _ in range(2):
            cases.all_layouts("cpu")
        cases.all_dtypes("cpu")
        cases.of_groups("cpu")


@of_several
def keeps_few():
    """No more than there may be, those that were used last, and whatever a graph has."""
    with gpus(), mock.patch.object(_torch_ways, "CAPACITY", 2):
        def call(length):
            cases.check(lambda rank: cases.content(rank, cases.shape_of((length, 2, 3), 1)), 1, 0)
        lengths = lambda: [entry.shape[0] for entry in typewarp.torch.kept()]  # noqa: E731
        call(1), call(2), call(1), call(3)
        assert lengths() == [1, 3] and Exchange.made == Exchange.closed + 2
        with mock.patch.object(torch.cuda, "is_current_stream_capturing", lambda: True):
            call(1)
        call(4), call(5), call(6)
        assert lengths() == [1, 5, 6] and [entry.captured for entry in typewarp.torch.kept()] == [True, False, False]
        assert not any(entry.fallback_reason for entry in typewarp.torch.kept())


@of_several
def grows_in_large_steps():
    """Memory for peers, where each tensor is a little larger than the one before."""
    with gpus():
        lengths = range(10, 40)
        for length in lengths:
            cases.check(lambda rank: cases.content(rank, cases.shape_of((length, 2, 3), 1)), 1, 0)
        needed = 4 * 2 * 3 * lengths[-1] * (dist.get_world_size() - 1)
        slots = {entry.slot_bytes for entry in typewarp.torch.kept()}
        assert needed <= max(slots) <= 1.5 * needed and sum(slots) <= 3 * max(slots), (needed, slots)


@of_several
def unmaps_before_it_frees():
    with gpus(), mock.patch.object(_torch_ways, "CAPACITY", 1):
        slots = []
        with mock.patch.object(_torch_ways, "unmap_unused", lambda: slots.append(len(_torch_ways.known()[0]._slots))):
            for length in (1, 2):
                cases.check(lambda rank: cases.content(rank, cases.shape_of((length, 2, 3), 1)), 1, 0)
            assert slots == [1]
            typewarp.torch.clear()
        assert slots == [1, 1]


def orders_streams():
    """What a capture has used does not hide who used a slot outside of it."""
    def stream():
        made = SimpleNamespace(capturing=False, waited=[])
        made.wait_stream = made.waited.append
        return made
    first, second, third, recorded = streams = [stream() for _ in range(4)]

    def used_by(stream, captured):
        with mock.patch.object(torch.cuda, "current_stream", lambda device: stream):
            slot.order(streams.index(stream), captured)
    with gpus(), mock.patch.object(_torch_direct, "_capturing", lambda stream: stream.capturing):
        slot = _torch_direct.Slot(torch.device("cpu"), 16)
        used_by(first, False)
        used_by(first, False)
        recorded.capturing = third.capturing = True
        used_by(recorded, True)
        used_by(third, True)
        recorded.capturing = third.capturing = False
        used_by(second, False)
    assert first.waited == recorded.waited == [] and third.waited == [recorded] and second.waited == [first]


def asks_again_for_memory():
    """When PyTorch has let go of what nobody uses."""
    class GpuError(Exception):
        pass
    with gpus(), mock.patch.object(torch.cuda, "empty_cache") as emptied:
        buffer = mock.Mock(side_effect=[GpuError("out of memory"), torch.zeros(16, dtype=torch.uint8)])
        with mock.patch.multiple(_torch_direct._core, DeviceBuffer=buffer, GpuError=GpuError, create=True):
            assert _torch_direct.Slot(torch.device("cpu"), 16).bytes.numel() == 16
        assert emptied.call_count == 1


@of_several
def names_who_differs():
    size, rank = dist.get_world_size(), dist.get_rank()
    with gpus():
        cases.all_dimensions("cpu")
        x = torch.ones(size, 4 if rank == 1 else 3)
        with cases.raises(RuntimeError, f"float32 of [{size}, 4], dimensions 0 and 1"):
            typewarp.torch.all_to_all(x, 0, 1)
        cases.all_dimensions("cpu")


@of_several
def tells_what_fails():
    size = dist.get_world_size()
    with gpus():
        cases.all_dimensions("cpu")
        before = len(typewarp.torch.kept())
        Exchange.fails = "no way"
        cases.check(lambda rank: cases.content(rank, [size, 11]), 0, 1)
        Exchange.fails = ""
        cases.check(lambda rank: cases.content(rank, [size, 11]), 0, 1)
        last = typewarp.torch.kept()[-1]
        assert len(typewarp.torch.kept()) == before + 1 and last.shape == (size, 11) and "no way" in last.fallback_reason
        typewarp.torch.clear()
        failing = mock.Mock(side_effect=MemoryError("no memory is left"))
        with mock.patch.object(_torch_direct, "Slot", failing if dist.get_rank() == 1 else _torch_direct.Slot):
            assert typewarp.torch.fallback_reason("cpu") == "rank 1: no memory is left"
        typewarp.torch.clear()
