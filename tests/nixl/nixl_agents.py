#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two processes, each with an agent of NIXL itself, whose back end is Typewarp's: pages are written and read in random
order, and every byte is checked. Then one is killed.

usage: nixl_agents.py <folder of libplugin_TYPEWARP.so> [<CUDA runtime>]
"""

import random
import sys
import time

from agent_process import AgentProcess, Refused, random_bytes, require

PAGES = 200
SIZES = (8192, 4096, 384)  # of a page, an array each


class Side:
    """An agent with arrays that it has registered, and what they should hold."""

    def __init__(self, name, library, seed):
        self.process = AgentProcess(name, library)
        self.device = 0 if name == "initiator" else self.process.ask("devices") - 1
        self.content, self.arrays = [], []
        for number, size in enumerate(SIZES):
            self.content.append(bytearray(random_bytes(seed + number, PAGES * size)))
            self.arrays.append(
                self.process.ask("register", number, seed + number, PAGES * size, 0, PAGES * size, self.device)
            )

    def is_right(self):
        return all(self.process.ask("content", number) == content for number, content in enumerate(self.content))

    def rows(self, places):
        return [(self.arrays[array] + page * SIZES[array], SIZES[array], self.device) for array, page in places]

    def messages(self):
        while not (found := self.process.ask("messages")):
            pass
        return found


def move(here, there, operation, seed):
    """Pages of random places to random places, in one transfer, twice. Returns both lists of places."""
    order = random.Random(seed)
    mine, theirs = (
        [(array, page) for array in range(len(SIZES)) for page in order.sample(range(PAGES), PAGES // 2)]
        for _ in range(2)
    )
    message = f"{operation} {seed}".encode()
    here.process.ask("make", seed, operation, here.rows(mine), there.rows(theirs), "target", message, False)
    for _ in range(2):
        here.process.ask("post", seed)
        assert here.process.ask("wait", seed) == "DONE"
    here.process.ask("release", seed)
    return mine, theirs


def apply(to, to_places, from_, from_places):
    for (array, page), (other, read) in zip(to_places, from_places):
        assert array == other
        size = SIZES[array]
        to[array][page * size : (page + 1) * size] = from_[array][read * size : (read + 1) * size]


def main():
    folder, library = [*sys.argv[1:2], *(sys.argv[2:] or ["libcudart.so"])]
    require(folder)
    here, there = Side("initiator", library, 100), Side("target", library, 200)
    peer = here.process.ask("meet", there.process.ask("metadata"))
    assert peer in ("target", b"target"), peer
    for seed in range(5):
        mine, theirs = move(here, there, "WRITE", seed)
        apply(there.content, theirs, here.content, mine)
        assert there.messages() == {"initiator": [f"WRITE {seed}".encode()] * 2}
        assert there.is_right(), seed
        mine, theirs = move(here, there, "READ", seed + 100)
        assert there.messages() == {"initiator": [f"READ {seed + 100}".encode()] * 2}
        apply(here.content, mine, there.content, theirs)
        assert here.is_right(), seed
    there.process.kill()
    time.sleep(0.1)
    try:
        move(here, there, "WRITE", 7)
    except Refused as refused:
        assert "DISCONNECT" in str(refused), refused
    else:
        raise AssertionError("a transfer to a process that was killed has passed")
    here.process.ask("forget", "target")
    for number in range(len(SIZES)):
        here.process.ask("deregister", number)
    here.process.end()
    print("right")


if __name__ == "__main__":
    main()
