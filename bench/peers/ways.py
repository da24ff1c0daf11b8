# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The ways in which arrays.py sends: what a user of PyTorch would write, and this library's own calls of Python.

A way makes of a layout, and of the arrays of a rank, what sends, receives, and waits (`message`), and what all ranks call (`together`).
"""
import numpy
import torch
import torch.distributed as dist

from cases import CALLINGS
from subjects import runs


def synchronize():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


class Nccl:
    """contiguous(), send and recv, copy_()."""
    callings = CALLINGS

    def __init__(self, world, _words):
        self.world = world

    def allocate(self, words):
        """Memory to receive into."""
        return torch.empty(words, dtype=torch.int64, device=self.world.device)

    def wait(self):
        """Until all is done that this rank has called."""
        synchronize()

    def close(self):
        """Of what a case has made."""

    def message(self, layout, x, y, peer):
        packed = y if layout.contiguous else torch.empty_like(layout.packed(x))

        def receive():
            dist.recv(packed, peer)
            if packed is not y:
                layout.unpack(y, packed)

        return lambda: dist.send(layout.packed(x), peer), receive, self.wait

    def together(self, kind, layout, x, y):
        whole = y.flatten() if kind == "allgather" else y
        if kind == "alltoallw":
            received = torch.empty_like(x[..., :16].contiguous())

            def exchange():
                dist.all_to_all_single(received, x[..., :16].contiguous())
                y[..., :16].copy_(received)

            return exchange
        return {"allgather": lambda: dist.all_gather_into_tensor(whole, x),
                "bcast": lambda: dist.broadcast(x if self.world.rank == 0 else y, 0),
                "allreduce": lambda: dist.all_reduce(y)}[kind]


class Symmetric(Nccl):
    """Slices of a peer's memory, and signals."""
    ONE_SHOT = 256 << 10  # bytes up to which each rank adds up all

    def __init__(self, world, words):
        super().__init__(world, words)
        import torch.distributed._symmetric_memory as symmetric
        self.arena = symmetric.empty(words, dtype=torch.int64, device=world.device)
        self.group = dist.group.WORLD
        self.handle = symmetric.rendezvous(self.arena, self.group)

    def allocate(self, words):
        return self.arena[:words]

    def there(self, y, peer):
        return self.handle.get_buffer(peer, y.shape, y.dtype)

    def message(self, layout, x, y, peer):
        there = self.there(y, peer)

        def send():
            layout.store(there, x)
            self.handle.put_signal(peer)

        return send, lambda: self.handle.wait_signal(peer), self.wait

    def together(self, kind, layout, x, y):
        rank, ranks = self.world.rank, self.world.size
        if kind == "allreduce":
            ops = torch.ops.symm_mem
            reduce = ops.one_shot_all_reduce if y.nbytes <= self.ONE_SHOT else ops.two_shot_all_reduce_
            return lambda: reduce(y, "sum", self.group.group_name)
        others = [(rank + i) % ranks for i in range(ranks)]
        there = [self.there(y, peer) for peer in others]

        def call():
            for peer, memory in zip(others, there):
                if kind == "alltoallw":
                    layout.store(memory[rank], x[peer])
                elif kind == "allgather":
                    memory[rank].copy_(x)
                elif rank == 0 and peer != 0:
                    memory.copy_(x)
            self.handle.barrier()

        return call


class SymmetricWaiting(Symmetric):
    """With a barrier before a call's copies, too: as in the ways that keep what the call before has brought until it is read."""

    def message(self, layout, x, y, peer):
        return None

    def together(self, kind, layout, x, y):
        store = super().together(kind, layout, x, y)

        def call():
            self.handle.barrier()
            store()

        return None if kind == "allreduce" else call


class Exchange(Nccl):
    """This library's, which streams order."""

    def __init__(self, world, words):
        super().__init__(world, words)
        import typewarp
        self.tw, self.made = typewarp, []

    def exchange(self, sends, receives):
        self.made.append(self.tw.exchange(sends, receives, comm=self.world.comm))
        return self.made[-1]

    def wait(self):
        for made in self.made:
            made.wait()

    def close(self):
        for made in self.made:
            made.close()
        self.made = []

    def message(self, layout, x, y, peer):
        sends, receives = [(layout.view(self.tw, x, False), peer)], [(layout.view(self.tw, y, True), peer)]
        first = self.world.rank == 0
        there = self.exchange(sends if first else [], [] if first else receives)
        back = self.exchange([] if first else sends, receives if first else [])
        out, into = (there, back) if first else (back, there)
        return out.start, into.start, into.wait

    def together(self, kind, layout, x, y):
        ranks = range(self.world.size)
        if kind == "alltoallw":
            made = self.exchange([(x[rank, :, :16], rank) for rank in ranks], [(y[rank, :, :16], rank) for rank in ranks])
        elif kind == "allgather":
            made = self.exchange([(x, rank) for rank in ranks], [(y[rank], rank) for rank in ranks])
        elif kind == "bcast" and self.world.rank == 0:
            made = self.exchange([(x, rank) for rank in ranks[1:]], [])
        elif kind == "bcast":
            made = self.exchange([], [(y, 0)])
        else:
            return None
        return made.start


class DeviceGroup(Nccl):
    """This library's collective calls of GPUs, which streams order."""

    def __init__(self, world, words):
        super().__init__(world, words)
        import typewarp
        self.tw, self.group = typewarp, typewarp.DeviceGroup(world.comm)

    def message(self, layout, x, y, peer):
        return None

    def together(self, kind, layout, x, y):
        x, y = self.tw.view(x), self.tw.view(y)  # once, as of what is used often

        def add():
            self.group.allreduce(y)  # in place

        return {"allgather": lambda: self.group.allgather(x, y), "allreduce": add,
                "bcast": lambda: self.group.broadcast(x if self.world.rank == 0 else y, 0)}.get(kind)


class RegisteredGroup(DeviceGroup):
    """The same with registered arrays."""

    def __init__(self, world, words):
        super().__init__(world, words)
        self.registered = []

    def together(self, kind, layout, x, y):
        call = super().together(kind, layout, x, y)
        if call:
            self.registered = [x, y]
            for array in self.registered:
                self.group.register_memory(array)
        return call

    def close(self):
        for array in self.registered:
            self.group.deregister_memory(array)
        self.registered = []


class Messages(Nccl):
    """This library's sends and receives of views, over the MPI of mpi4py."""
    callings = ("blocking",)

    def __init__(self, world, words):
        super().__init__(world, words)
        import typewarp
        self.tw, self.session = typewarp, typewarp.Session()

    def message(self, layout, x, y, peer):
        sent, received = layout.view(self.tw, x, False), layout.view(self.tw, y, True)
        return lambda: self.tw.send(sent, peer), lambda: self.tw.recv(received, peer), lambda: None

    def together(self, kind, layout, x, y):
        return None


class Nixl(Nccl):
    """Lists of places and lengths, written into memory of a peer, who is notified."""
    callings = ("blocking",)
    BACK_END = "UCX"

    def __init__(self, world, words):
        super().__init__(world, words)
        from nixl._api import nixl_agent, nixl_agent_config
        self.agent = nixl_agent(f"rank{world.rank}", nixl_agent_config(backends=[self.BACK_END]))
        self.memory = "VRAM" if world.device.type == "cuda" else "DRAM"
        self.x, self.y = (torch.zeros(words, dtype=torch.int64, device=world.device) for _ in range(2))
        for mine in (self.x, self.y):
            self.agent.register_memory([mine])
        told = [None] * world.size
        dist.all_gather_object(told, (self.agent.get_agent_metadata(), self.y.data_ptr(), world.rank))
        _, self.there, self.device_there = told[1 - world.rank]
        self.peer = self.agent.add_remote_agent(told[1 - world.rank][0])
        self.handle, self.heard = None, 0

    def allocate(self, words):
        return self.y[:words]

    def close(self):
        self.agent.release_xfer_handle(self.handle)

    def descriptors(self, places, lengths, device):
        table = numpy.stack([places, lengths, numpy.full(len(places), device if self.memory == "VRAM" else 0)], axis=1)
        return self.agent.get_xfer_descs(table.astype(numpy.uint64), self.memory)

    def message(self, layout, x, y, peer):
        self.x[:x.nbytes // 8].copy_(x.flatten().view(torch.int64))
        out, into, lengths = runs(layout)
        mine = self.descriptors(out + self.x.data_ptr(), lengths, self.world.rank)
        theirs = self.descriptors(into + self.there, lengths, self.device_there)
        self.handle = self.agent.initialize_xfer("WRITE", mine, theirs, self.peer, b"there")

        def send():
            state = self.agent.transfer(self.handle)
            while state == "PROC":
                state = self.agent.check_xfer_state(self.handle)
            if state != "DONE":
                raise RuntimeError(f"NIXL: {state}")

        def receive():
            while not self.heard:
                self.heard += sum(map(len, self.agent.get_new_notifs().values()))
            self.heard -= 1

        return send, receive, lambda: None

    def together(self, kind, layout, x, y):
        return None


class NixlWithTypewarp(Nixl):
    """The same by this library's back end, from NIXL_PLUGIN_DIR."""
    BACK_END = "TYPEWARP"


WAYS = {"PyTorch + NCCL": Nccl, "symmetric memory": Symmetric, "symmetric memory with two barriers": SymmetricWaiting,
        "Exchange": Exchange, "DeviceGroup": DeviceGroup, "registered DeviceGroup": RegisteredGroup,
        "send and recv of Python": Messages, "NIXL": Nixl, "NIXL with Typewarp": NixlWithTypewarp}
