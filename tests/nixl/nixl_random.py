#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Agents of NIXL, each in a process of its own, that do random things to each other for some seconds: they register
and deregister memory, make, post and release transfers, send notifications. All at once, while transfers are under way.
Every byte and every notification is compared with a model. Then it tells what there was, and fails if the processes
hold more at the end than after a quarter of the time.

usage: nixl_random.py <folder of libplugin_TYPEWARP.so> <CUDA runtime> [<seconds> [<agents> [<seed>]]]
"""

import collections
import random
import sys
import time
import zlib

from agent_process import AgentProcess, Refused, require
from random_model import Memory, Transfer, random_runs

MOST_MEMORY, MOST_TRANSFERS = 8, 8  # of each agent
# What processes may hold more than before: files; ranges, as up to 256 mappings are kept; KiB.
MARGINS = {"files": 8, "ranges": 300, "KiB": 16384}


class Traffic:
    def __init__(self, order, library, agents):
        self.order = order
        self.agents = {name: AgentProcess(name, library) for name in ("one", "two", "three")[:agents]}
        self.devices = next(iter(self.agents.values())).ask("devices")
        self.memory = {name: [] for name in self.agents}
        self.transfers = {name: [] for name in self.agents}
        self.sent = collections.defaultdict(collections.deque)  # by sender and receiver, not received yet
        self.counts = collections.Counter()
        self.numbers = iter(range(1 << 60))
        self.changed = []  # agents whose peers know too much
        self.added = []  # memory that peers do not know
        self.meet_all()

    def others(self, name):
        return [other for other in self.agents if other != name]

    def meet_all(self):
        for name, agent in self.agents.items():
            for other in self.others(name):
                agent.ask("meet", self.agents[other].ask("metadata"))

    # Each of these chooses something for an agent: a call with its arguments, and what is to be done with the answer,
    # which is None for a call that was refused. Or it returns None.

    def register(self, name):
        if len(self.memory[name]) >= MOST_MEMORY:
            return None
        new = Memory(next(self.numbers), name, self.order, self.devices)

        def then(address):
            new.address = address
            self.memory[name].append(new)
            self.added.append(new)
            self.counts["registrations"] += 1

        return ("register", new.number, new.seed, new.size, new.begin, new.bytes, new.device), then

    def deregister(self, name):
        if len(self.memory[name]) < 2:
            return None
        old = self.order.choice(self.memory[name])
        if any(old in each.memory() and each.is_under_way for each in self.transfers[name]):
            return None  # to use local memory until the end is up to its owner
        self.check_content(old)
        old.is_leaving = True
        self.memory[name].remove(old)
        self.changed.append(name)
        return ("deregister", old.number), lambda _: None

    def make(self, name):
        if len(self.transfers[name]) >= MOST_TRANSFERS:
            return None
        peer = self.order.choice(list(self.agents))
        mine, theirs = (
            [x for x in self.memory[who] if not x.is_leaving and x not in self.added] for who in (name, peer)
        )
        operation = self.order.choice(("READ", "WRITE"))
        if peer == name:  # places of both sides must not overlap
            theirs = mine[::2]
            mine = mine[1::2]
        sides = (mine, theirs) if operation == "WRITE" else (theirs, mine)
        runs = random_runs(self.order, *sides) if mine and theirs else []
        if not runs:
            return None
        message = self.message() if self.order.random() < 0.5 else b""
        new = Transfer(next(self.numbers), name, peer, operation, runs, message)

        def then(_):
            self.transfers[name].append(new)
            self.counts["transfers made"] += 1

        lists = new.rows(is_local=True), new.rows(is_local=False)
        return ("make", new.number, operation, *lists, peer, new.message, self.order.random() < 0.5), then

    def post(self, name):
        ready = [x for x in self.transfers[name] if not x.is_under_way]
        if not ready:
            return None
        chosen = self.order.choices(ready, [0.1 if x.is_stale else 1 for x in ready])[0]
        may_fail = chosen.is_stale or any(memory.is_leaving for memory in chosen.memory())
        if any(memory.is_leaving and memory.owner == name for memory in chosen.memory()) or not chosen.claim():
            return None
        message = self.message() if self.order.random() < 0.3 else b""

        def then(state):
            if state is None:
                assert may_fail or any(memory.is_leaving for memory in chosen.memory()), "a post was refused"
                chosen.give_back()
                chosen.is_stale = True
                self.counts["posts refused, rightly"] += 1
                return
            assert not chosen.is_stale, "a post of a transfer that can be no more was accepted"
            chosen.message = message or chosen.message
            chosen.is_under_way = True
            chosen.apply()
            self.counts["posts"] += 1
            self.counts["bytes"] += sum(run.bytes for run in chosen.runs)

        return ("post", chosen.number, message), then

    def check(self, name):
        going = [x for x in self.transfers[name] if x.is_under_way and not x.is_stale]
        return self.asking(self.order.choice(going), "state") if going else None

    def asking(self, chosen, call):
        def then(state):
            assert state in ("PROC", "DONE"), f"a transfer has failed: {state}"
            if state == "DONE":
                chosen.is_under_way = False
                chosen.give_back()
                if chosen.message:
                    self.sent[chosen.by, chosen.peer].append(chosen.message)

        return (call, chosen.number), then

    def release(self, name):
        """Also of what is under way. Whether it has a notification then nobody knows."""
        may_go = [x for x in self.transfers[name] if not x.is_under_way or not x.message]
        return self.releasing(self.order.choice(may_go)) if may_go else None

    def releasing(self, chosen):
        self.transfers[chosen.by].remove(chosen)

        def then(_):
            self.counts["transfers released under way"] += chosen.is_under_way
            if chosen.is_under_way:
                chosen.give_back()

        return ("release", chosen.number), then

    def send(self, name):
        peer, message = self.order.choice(list(self.agents)), self.message()

        def then(_):
            self.sent[name, peer].append(message)

        return ("send", peer, message), then

    def take(self, name):
        return ("messages",), lambda found: self.received.append((name, found))

    def message(self):
        size = self.order.choice((1, 10, 100, 100, 100, 3000, 128 << 10))
        return self.order.randbytes(size)

    ACTIONS = {register: 2, deregister: 1, make: 15, post: 30, check: 30, release: 8, send: 2, take: 6}

    def act(self):
        """One thing in each process, at once."""
        self.received = []
        told = []
        for name, agent in self.agents.items():
            action = self.order.choices(list(self.ACTIONS), self.ACTIONS.values())[0]
            if (chosen := action(self, name)) is not None:
                agent.tell(*chosen[0])
                told.append((agent, *chosen))
        for agent, (call, *_), then in told:
            try:
                answer = agent.answer()
            except Refused as refused:
                assert call == "post", f"{agent.name} has refused {call}: {refused}"
                answer = None
            then(answer)
        self.compare_messages()
        self.tell_peers()
        owner = self.order.choice(list(self.agents))
        if self.memory[owner]:
            self.check_content(self.order.choice(self.memory[owner]))

    def compare_messages(self):
        for name, found in self.received:
            for sender, messages in found.items():
                for message in messages:
                    expected = self.sent[sender, name].popleft() if self.sent[sender, name] else None
                    assert message == expected, f"{name} got a notification of {sender} that is not the next one"
                    self.counts["notifications"] += 1
        self.received = []

    def check_content(self, memory):
        if memory.writers.any():
            return
        if self.agents[memory.owner].ask("checksum", memory.number) == zlib.crc32(memory.content):
            self.counts["comparisons"] += 1
            return
        found = self.agents[memory.owner].ask("content", memory.number)
        wrong = [i for i, (a, b) in enumerate(zip(found, memory.content)) if a != b]
        raise AssertionError(f"{len(wrong)} bytes of {memory.size} of {memory.owner} are wrong, from {wrong[0]} on")

    def tell_peers(self):
        """What has been registered and deregistered."""
        for name in set(self.changed):
            for transfer in [x for who in self.others(name) for x in self.transfers[who] if x.peer == name]:
                if transfer.is_under_way and not transfer.is_stale and transfer.message:
                    self.now(transfer.by, *self.asking(transfer, "wait"))
            self.take_everything(name)
            for other in self.others(name):
                self.agents[other].ask("forget", name)
                self.agents[other].ask("meet", self.agents[name].ask("metadata"))
                for transfer in self.transfers[other]:
                    transfer.is_stale = transfer.is_stale or transfer.peer == name
        for new in self.added:
            if new.owner not in self.changed:
                for other in self.others(new.owner):
                    self.agents[other].ask("meet", self.agents[new.owner].ask("metadata", new.number))
        self.changed, self.added = [], []

    def take_everything(self, name):
        """What has been sent to an agent: to forget it would lose some."""
        begin = time.monotonic()
        while any(self.sent[sender, name] for sender in self.agents):
            assert time.monotonic() - begin < 30, f"{name} lacks notifications"
            self.received = [(name, self.agents[name].ask("messages"))]
            self.compare_messages()
            for sender in self.others(name):
                self.agents[sender].ask("send", sender, b"")  # any call sends what was kept
                self.sent[sender, sender].append(b"")

    def end_all(self):
        """Returns what each process holds when it has nothing more to do."""
        for name, agent in self.agents.items():
            for transfer in list(self.transfers[name]):
                if transfer.is_under_way and not transfer.is_stale:
                    self.now(name, *self.asking(transfer, "wait"))
                self.now(name, *self.releasing(transfer))
        for name in self.agents:
            self.take_everything(name)
        for name, agent in self.agents.items():
            for memory in self.memory[name]:
                self.check_content(memory)
                agent.ask("deregister", memory.number)
            self.memory[name] = []
            for other in self.others(name):
                self.agents[other].ask("forget", name)
        return {name: dict(zip(MARGINS, agent.ask("held"))) for name, agent in self.agents.items()}

    def now(self, name, call, then):
        then(self.agents[name].ask(*call))


def run(library, seconds, agents, seed):
    print("seed", seed, flush=True)
    traffic = Traffic(random.Random(seed), library, agents)
    begin, before = time.monotonic(), None
    while (passed := time.monotonic() - begin) < seconds:
        traffic.act()
        if before is None and passed > seconds / 4:
            before = traffic.end_all()
            traffic.meet_all()
    after = traffic.end_all()
    for name, agent in traffic.agents.items():
        agent.end()
    for what, count in sorted(traffic.counts.items()):
        print(f"{what}: {count:,}")
    for name in traffic.agents:
        print(f"{name} held after a quarter: {before[name]}, at the end: {after[name]}")
        for what, margin in MARGINS.items():
            assert after[name][what] <= before[name][what] + margin, f"{name} holds ever more: {what}"
    print("right")


def main():
    folder, library, *rest = sys.argv[1:]
    require(folder)
    seconds, agents, seed = [int(x) for x in rest] + [5, 2, random.randrange(1 << 32)][len(rest) :]
    run(library, seconds, agents, seed)


if __name__ == "__main__":
    main()
