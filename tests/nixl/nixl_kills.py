#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two agents of NIXL, of which one is killed at each step of what they do together. Calls of the other one answer in
time, its own memory stays right, and it goes on with a new agent of the same name.

usage: nixl_kills.py <folder of libplugin_TYPEWARP.so> <CUDA runtime> [<rounds>]
"""

import sys
import time

from agent_process import AgentProcess, Refused, random_bytes, require

IN_TIME = 5  # seconds for an answer; a busy host is slow
BYTES, PAGE = 1 << 20, 64  # so many pages keep an emulated GPU busy
MINE, OTHER, THEIRS = 1, 2, 3  # pieces of memory: two of the survivor, one of its peer


class Pair:
    """The survivor, and agents that are killed one after the other."""

    def __init__(self, library):
        self.library, self.seed, self.numbers = library, 0, iter(range(10, 1 << 60))
        self.longest = 0.0  # seconds that a call took after a peer had been killed
        self.survivor = AgentProcess("survivor", library)
        self.device = self.survivor.ask("devices") - 1
        self.content = {MINE: random_bytes(MINE, BYTES), OTHER: random_bytes(OTHER, BYTES)}
        self.address = {number: self.register(self.survivor, number, number, 0) for number in self.content}

    def register(self, agent, number, seed, device):
        return agent.ask("register", number, seed, BYTES, 0, BYTES, device)

    def start(self):
        """A new peer that knows the survivor."""
        self.seed += 1
        self.peer = AgentProcess("peer", self.library)
        self.content[THEIRS] = random_bytes(1000 + self.seed, BYTES)
        self.address[THEIRS] = self.register(self.peer, THEIRS, 1000 + self.seed, self.device)
        self.peer.ask("meet", self.survivor.ask("metadata"))

    def meet(self):
        self.survivor.ask("meet", self.peer.ask("metadata"))

    def end(self):
        """Of what a dead peer has left."""
        self.peer.kill()
        self.survivor.ask("forget", "peer")
        self.check()

    def check(self):
        for number in (MINE, OTHER):
            assert self.survivor.ask("content", number) == self.content[number].tobytes(), number

    def rows(self, number, device):
        return [(self.address[number] + begin, PAGE, device) for begin in range(0, BYTES, PAGE)]

    def make(self, agent, mine, theirs, message=b""):
        """A transfer that writes all of `mine`, which is the agent's, to the other one's memory."""
        number = next(self.numbers)
        devices = (0, self.device) if agent is self.survivor else (self.device, 0)
        other = "peer" if agent is self.survivor else "survivor"
        lists = self.rows(mine, devices[0]), self.rows(theirs, devices[1])
        agent.ask("make", number, "WRITE", *lists, other, message, False, within=IN_TIME)
        return number

    def ask(self, call, *arguments):
        begin = time.monotonic()
        try:
            return self.survivor.ask(call, *arguments, within=IN_TIME)
        finally:
            self.longest = max(self.longest, time.monotonic() - begin)

    def refuses(self, call, *arguments, with_=""):
        """That the survivor's call fails, and in time."""
        try:
            answer = self.ask(call, *arguments)
        except Refused as refused:
            assert with_ in str(refused), refused
        else:
            raise AssertionError(f"{call} of a peer that was killed has passed: {answer}")

    def is_right(self):
        """That a peer and the survivor write to each other."""
        for agent, other, mine, theirs in (
            (self.survivor, self.peer, MINE, THEIRS),
            (self.peer, self.survivor, THEIRS, OTHER),
        ):
            number = self.make(agent, mine, theirs, b"done")
            agent.ask("post", number)
            assert agent.ask("wait", number) == "DONE"
            agent.ask("release", number)
            self.content[theirs] = self.content[mine].copy()
            assert other.ask("content", theirs) == self.content[theirs].tobytes()
            assert other.ask("messages") == {agent.name: [b"done"]}

    def refuses_transfer(self, number):
        """Neither what was made nor a new one can be posted."""
        self.refuses("post", number, with_="DISCONNECT")
        self.ask("release", number)

    # The steps at which a peer is killed.

    def before_the_first_metadata(self):
        metadata = self.peer.ask("metadata")
        self.peer.kill()
        self.refuses("meet", metadata)
        self.peer = AgentProcess("peer", self.library)  # one that can be forgotten
        self.survivor.ask("meet", self.peer.ask("metadata"))

    def after_the_metadata(self):
        self.meet()
        self.peer.kill()
        lists = self.rows(MINE, 0), self.rows(THEIRS, self.device)
        self.refuses("make", next(self.numbers), "WRITE", *lists, "peer", b"", False)

    def before_the_first_transfer(self):
        self.meet()
        number = self.make(self.survivor, MINE, THEIRS)
        self.peer.kill()
        time.sleep(0.01)
        self.refuses_transfer(number)

    def while_one_is_under_way(self):
        self.meet()
        number = self.make(self.survivor, MINE, THEIRS, b"done")
        self.survivor.ask("post", number)
        self.peer.kill()
        try:
            assert self.ask("wait", number) == "DONE"
        except Refused as refused:
            assert "DISCONNECT" in str(refused), refused
        time.sleep(0.01)
        self.refuses_transfer(number)

    def while_its_own_is_under_way(self):
        """What it writes is then anything, and nothing else is."""
        self.meet()
        number = self.make(self.peer, THEIRS, OTHER)
        self.peer.ask("post", number)
        self.peer.kill()
        assert self.survivor.ask("content", MINE) == self.content[MINE].tobytes()
        self.ask("deregister", OTHER)
        self.content[OTHER] = random_bytes(OTHER, BYTES)
        self.address[OTHER] = self.register(self.survivor, OTHER, OTHER, 0)

    def between_two_posts(self):
        self.meet()
        number = self.make(self.survivor, MINE, THEIRS)
        self.survivor.ask("post", number)
        assert self.survivor.ask("wait", number) == "DONE"
        self.peer.kill()
        time.sleep(0.01)
        self.refuses_transfer(number)

    def after_a_notification(self):
        self.meet()
        self.survivor.ask("send", "peer", b"question")
        while not self.peer.ask("messages"):
            pass
        self.peer.ask("send", "survivor", b"answer")
        self.peer.kill()
        assert self.ask("messages") == {"peer": [b"answer"]}
        self.refuses("send", "peer", b"thanks")

    def while_it_deregisters(self):
        self.meet()
        number = self.make(self.survivor, MINE, THEIRS)
        self.survivor.ask("post", number)
        self.peer.tell("deregister", THEIRS)
        self.peer.kill()
        self.ask("wait", number)
        time.sleep(0.01)
        self.refuses_transfer(number)

    def while_the_survivor_deregisters(self):
        self.meet()
        number = self.make(self.peer, THEIRS, OTHER)
        self.peer.ask("post", number)
        self.survivor.tell("deregister", OTHER)
        self.peer.kill()
        self.survivor.answer(IN_TIME)
        self.content[OTHER] = random_bytes(OTHER, BYTES)
        self.address[OTHER] = self.register(self.survivor, OTHER, OTHER, 0)

    STEPS = (
        before_the_first_metadata,
        after_the_metadata,
        before_the_first_transfer,
        while_one_is_under_way,
        while_its_own_is_under_way,
        between_two_posts,
        after_a_notification,
        while_it_deregisters,
        while_the_survivor_deregisters,
    )


def main():
    folder, library, *rest = sys.argv[1:]
    require(folder)
    pair = Pair(library)
    before = None
    for _ in range(int(rest[0]) if rest else 1):
        for step in Pair.STEPS:
            print(step.__name__, flush=True)
            pair.start()
            step(pair)
            pair.end()
        pair.start()
        pair.meet()
        pair.is_right()
        pair.end()
        files, *_ = pair.survivor.ask("held")
        assert before is None or files <= before + 2, f"{files} files are open, and {before} were"
        before = before or files
    pair.survivor.end()
    print(f"right; the longest call took {pair.longest * 1e3:.0f} ms, {before} files were open, {files} at the end")


if __name__ == "__main__":
    main()
