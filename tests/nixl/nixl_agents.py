#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two processes, each with an agent of NIXL itself, whose back end is Typewarp's: pages are written and read in random
order, and every byte is checked. Then one is killed.

usage: nixl_agents.py <folder of libplugin_TYPEWARP.so> [<CUDA runtime>]
"""

import os
import pickle
import random
import signal
import subprocess
import sys
import time

from agent_process import Cuda, require

PAGES, ARRAYS = 200, 3
SIZES = (8192, 4096, 384)  # of a page, an array each


class Side:
    """An agent with memory that it has registered."""

    def __init__(self, name, library):
        from nixl._api import nixl_agent, nixl_agent_config

        self.cuda = Cuda(library)
        self.device = 0 if name == "initiator" else self.cuda.devices - 1
        self.agent = nixl_agent(name, nixl_agent_config(backends=["TYPEWARP"]))
        self.content = [bytearray(random.Random(f"{name}{i}").randbytes(PAGES * size)) for i, size in enumerate(SIZES)]
        self.arrays = [self.cuda.allocate(content, self.device) for content in self.content]
        regions = [(array, PAGES * size, self.device, "") for array, size in zip(self.arrays, SIZES)]
        self.registered = self.agent.register_memory(regions, "VRAM")

    def found(self):
        return [self.cuda.read(array, PAGES * size) for array, size in zip(self.arrays, SIZES)]


def tell(to, what):
    pickle.dump(what, to)
    to.flush()


def target(library):
    """Does what it is told by stdin."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # NIXL prints
    side = Side("target", library)
    tell(output, (side.agent.get_agent_metadata(), side.arrays, side.device))
    while True:
        asked = pickle.load(sys.stdin.buffer)
        if asked == "messages":
            messages = []
            while not messages:
                messages = side.agent.get_new_notifs().get("initiator", [])
            tell(output, messages)
        elif asked == "content":
            tell(output, side.found())
        else:
            side.agent.deregister_memory(side.registered)
            return


def descriptors(arrays, device, places):
    return [(arrays[array] + page * SIZES[array], SIZES[array], device) for array, page in places]


def finish(side, handle):
    state = side.agent.transfer(handle)
    while state == "PROC":
        state = side.agent.check_xfer_state(handle)
    return state


def move(side, peer, there, operation, seed):
    """Pages of random places to random places, in one transfer, twice. Returns both lists of places."""
    order = random.Random(seed)
    mine = [(array, page) for array in range(ARRAYS) for page in order.sample(range(PAGES), PAGES // 2)]
    theirs = [(array, page) for array in range(ARRAYS) for page in order.sample(range(PAGES), PAGES // 2)]
    handle = side.agent.initialize_xfer(
        operation,
        side.agent.get_xfer_descs(descriptors(side.arrays, side.device, mine), "VRAM"),
        side.agent.get_xfer_descs(descriptors(there.arrays, there.device, theirs), "VRAM"),
        peer,
        f"{operation} {seed}".encode(),
    )
    for _ in range(2):
        assert finish(side, handle) == "DONE"
    side.agent.release_xfer_handle(handle)
    return mine, theirs


class There:
    """The other process."""

    def __init__(self, arguments):
        self.process = subprocess.Popen(
            [sys.executable, __file__, *arguments, "target"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.metadata, self.arrays, self.device = pickle.load(self.process.stdout)
        self.content = [bytearray(random.Random(f"target{i}").randbytes(PAGES * size)) for i, size in enumerate(SIZES)]

    def ask(self, what):
        tell(self.process.stdin, what)
        return pickle.load(self.process.stdout)


def apply(to, to_places, from_, from_places):
    for (array, page), (other, read) in zip(to_places, from_places):
        assert array == other
        size = SIZES[array]
        to[array][page * size : (page + 1) * size] = from_[array][read * size : (read + 1) * size]


def initiator(library, arguments):
    side, there = Side("initiator", library), There(arguments)
    peer = side.agent.add_remote_agent(there.metadata)
    assert peer in ("target", b"target"), peer
    for seed in range(5):
        mine, theirs = move(side, peer, there, "WRITE", seed)
        apply(there.content, theirs, side.content, mine)
        assert there.ask("messages") == [f"WRITE {seed}".encode()] * 2
        assert there.ask("content") == there.content, seed
        mine, theirs = move(side, peer, there, "READ", seed + 100)
        assert there.ask("messages") == [f"READ {seed + 100}".encode()] * 2
        apply(side.content, mine, there.content, theirs)
        assert side.found() == side.content, seed
    there.process.send_signal(signal.SIGKILL)
    there.process.wait()
    time.sleep(0.1)
    try:
        mine, theirs = move(side, peer, there, "WRITE", 7)
    except Exception as error:  # NIXL has classes of its own
        assert "DISCONNECT" in str(error), error
    else:
        raise AssertionError("a transfer to a process that was killed has passed")
    side.agent.remove_remote_agent(peer)
    side.agent.deregister_memory(side.registered)
    print("right")


def main():
    folder, library, *rest = [*sys.argv[1:2], *(sys.argv[2:] or ["libcudart.so"])]
    require(folder)
    target(library) if rest == ["target"] else initiator(library, [folder, library])


if __name__ == "__main__":
    main()
