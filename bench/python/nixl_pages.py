#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pages that an agent of NIXL writes to random places of a cache of another process: by this library's back end, and by that of UCX. As
engines for language models do it, all places of both caches are prepared once, and each transfer names those that it moves. A time is that
of one transfer, until its agent knows that it is over; those of making it (prepare_us) and posting it are parts of it. What it takes to
post it once more is posting_again_us. Each layer is a registration of its own."""
import json
import os
import pathlib
import pickle
import statistics
import subprocess
import sys
import time

from measuring import rows_asked_for, tell

CACHE = 2 << 30  # bytes of all layers
LAYERS = 64
SIZES = [(1, 16384), (16, 16384), (128, 16384), (1750, 8192)]  # pages of each layer, and their bytes
CALLS = 15
BACK_ENDS = {"NIXL": "UCX", "Typewarp": "TYPEWARP"}


def agent_of(name, back_end):
    from nixl._api import nixl_agent, nixl_agent_config
    return nixl_agent(name, nixl_agent_config(backends=[back_end]))


def cache_of(layers, device):
    """On that GPU, each number another one in the layers that are named, and 0 in the others."""
    import torch
    torch.cuda.set_device(device)
    numbers = torch.arange(CACHE // LAYERS // 8, dtype=torch.int64, device="cuda")
    return [numbers * LAYERS + layer + 1 if layer in layers else torch.zeros_like(numbers) for layer in range(LAYERS)]


def tell_other(to, what):
    pickle.dump(what, to)
    to.flush()


def next_of(stream):
    try:
        return pickle.load(stream)
    except EOFError:
        return None


def own(back_end, device):
    """Has a cache, and says whether it has the pages that it is told of, and no others."""
    import torch
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # NIXL prints
    cache, sent = cache_of((), device), cache_of(range(LAYERS), device)
    agent = agent_of("owner", back_end)
    agent.register_memory(cache)
    tell_other(output, (agent.get_agent_metadata(), [x.data_ptr() for x in cache]))
    while (asked := next_of(sys.stdin.buffer)) is not None:
        if asked == "clear":
            for x in cache:
                x.zero_()
            torch.cuda.synchronize()
            tell_other(output, True)
            continue
        page, read, written = asked
        while not agent.get_new_notifs():
            pass
        places = CACHE // LAYERS // page
        right = True
        for layer, (x, source) in enumerate(zip(cache, sent)):
            from_, to = (torch.from_numpy(list_[list_ // places == layer] % places).cuda().long() for list_ in (read, written))
            expected = torch.zeros_like(x).view(places, -1)
            expected[to] = source.view(places, -1)[from_]
            right = right and torch.equal(x.view(places, -1), expected)
        tell_other(output, right)


class Sender:
    def __init__(self, back_end, device):
        import numpy
        import torch
        self.numpy, self.device = numpy, device
        self.owner = subprocess.Popen([sys.executable, __file__, "own", back_end, str(device)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        metadata, self.there = pickle.load(self.owner.stdout)
        self.cache = cache_of(range(LAYERS), 0)
        torch.cuda.synchronize()
        self.agent = agent_of("sender", back_end)
        self.agent.register_memory(self.cache)
        self.peer = self.agent.add_remote_agent(metadata)

    def places(self, bases, page, device):
        offsets = self.numpy.arange(CACHE // LAYERS // page, dtype=self.numpy.uint64) * page
        table = [self.numpy.stack([offsets + base, self.numpy.full_like(offsets, page), self.numpy.full_like(offsets, device)], axis=1) for base in bases]
        return self.agent.get_xfer_descs(self.numpy.concatenate(table), "VRAM")

    def prepared(self, page):
        """Lists of all places here and there."""
        here = self.places([x.data_ptr() for x in self.cache], page, 0)
        return self.agent.prep_xfer_dlist("", here), self.agent.prep_xfer_dlist(self.peer, self.places(self.there, page, self.device))

    def chosen(self, count, page):
        """Numbers of pages of each layer."""
        places = CACHE // LAYERS // page
        return self.numpy.concatenate([self.numpy.random.permutation(places)[:count] + layer * places for layer in range(LAYERS)]).astype(self.numpy.int32)

    def call(self, lists, read, written, message=b""):
        begin = time.perf_counter()
        handle = self.agent.make_prepped_xfer("WRITE", lists[0], read, lists[1], written, message)
        made = time.perf_counter()
        posting = self.moved(handle)
        end = time.perf_counter()
        posting_again = 0 if message else self.moved(handle)
        self.agent.release_xfer_handle(handle)
        return end - begin, made - begin, posting, posting_again

    def moved(self, handle):
        """How long posting took of it."""
        begin = time.perf_counter()
        state = self.agent.transfer(handle)
        posted = time.perf_counter()
        while state == "PROC":
            state = self.agent.check_xfer_state(handle)
        if state != "DONE":
            raise SystemExit(f"NIXL: {state}")
        return posted - begin

    def check(self, lists, count, page):
        read, written = self.chosen(count, page), self.chosen(count, page)
        self.ask("clear")
        self.call(lists, read, written, b"check")
        if not self.ask((page, read, written)):
            raise SystemExit("NIXL has moved other pages than those that were named")

    def ask(self, what):
        tell_other(self.owner.stdin, what)
        return pickle.load(self.owner.stdout)

    def measured(self, count, page):
        lists = self.prepared(page)
        self.check(lists, count, page)
        times = [self.call(lists, self.chosen(count, page), self.chosen(count, page)) for _ in range(CALLS)]
        for prepared in lists:
            self.agent.release_dlist_handle(prepared)
        return [statistics.median(each) * 1e6 for each in zip(*times)]


def send(back_end, device):
    """Answers each line of stdin, the number of a row, with its times."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sender = Sender(back_end, device)
    for line in sys.stdin:
        print(json.dumps(sender.measured(*SIZES[int(line)])), file=output, flush=True)
    sender.owner.stdin.close()
    sender.owner.wait()


class Process:
    """One that sends, for a back end: NIXL looks for all of them in one folder."""

    def __init__(self, back_end, device):
        environment = dict(os.environ)
        if back_end == "TYPEWARP":
            environment["NIXL_PLUGIN_DIR"] = str(pathlib.Path(environment["PYTHONPATH"].split(os.pathsep)[0]).resolve().parent / "lib/nixl")
        self.process = subprocess.Popen([sys.executable, __file__, "send", back_end, str(device)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)

    def ask(self, row):
        print(row, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a sender has failed")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    if sys.argv[1:2] in (["own"], ["send"]):
        return {"own": own, "send": send}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
    import torch
    gpus = min(2, torch.cuda.device_count())
    tell(mpi="python " + sys.version.split()[0], gpus=gpus)
    processes = {name: Process(back_end, gpus - 1) for name, back_end in BACK_ENDS.items()}
    case = f"pages by NIXL to another process {'on another GPU' if gpus == 2 else 'on the same GPU'}"
    for index, (count, page), late in rows_asked_for(__doc__, SIZES):
        if late:
            tell(stopped=True, case=case, memory="device", method="all", size=index)
            break
        row = {"case": case, "pages": LAYERS * count, "page": page, "bytes": LAYERS * count * page}
        tell(begin={"index": index, **row})
        found = {name: process.ask(index) for name, process in processes.items()}
        (whole, *parts), (of_peer, *parts_of_peer) = found["Typewarp"], found["NIXL"]
        keys = ("prepare_us", "posting_us", "posting_again_us")
        tell(index=index, **row, median_us=whole, **dict(zip(keys, parts)), peers_us={"NIXL": of_peer},
             **{"peer_" + key: part for key, part in zip(keys, parts_of_peer)})
    for process in processes.values():
        process.end()
    tell(finished=True)


if __name__ == "__main__":
    main()
