# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of a key-value cache go from the process that fills them to the one that uses them, as from prefill to decode, on GPUs:

    torchrun --standalone --nproc-per-node 2 examples/kv_cache.py [--layers 8] [--places 4096] [--page 16384] [--pages 256] [--sequences 32]

The receiver registers its cache once, and says where the pages of each sequence belong. The sender puts them there by one launch, of all
layers, and raises a signal that the receiver's stream waits for. The receiver checks every byte.
"""
import argparse
import os
import time

import torch
import torch.distributed as dist

import typewarp as tw


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--layers", type=int, default=8, help="each of which has keys and values")
    parser.add_argument("--places", type=int, default=4096, help="for pages in a cache")
    parser.add_argument("--page", type=int, default=16384, help="bytes")
    parser.add_argument("--pages", type=int, default=256, help="of a sequence")
    parser.add_argument("--sequences", type=int, default=32)
    return parser.parse_args()


def filled(given, device):
    """The sender's cache: each page has numbers of its own."""
    generator = torch.Generator(device).manual_seed(1)
    shape = (given.places, given.page // 2)
    return [torch.randint(-9999, 9999, shape, device=device, generator=generator, dtype=torch.int16).view(torch.bfloat16)
            for _ in range(2 * given.layers)]


def places(given, seed, device):
    return torch.randperm(given.places, device=device, generator=torch.Generator(device).manual_seed(seed))[: given.pages]


def send(given, device, store):
    cache = filled(given, device)
    stream = torch.cuda.current_stream()
    remote = tw.RemoteMemory(store.get("cache"))
    put = tw.IndexedCopy(cache, remote.arrays)
    for sequence in range(given.sequences):
        here = places(given, sequence, device)
        there = torch.tensor([int(place) for place in store.get(f"places {sequence}").split()], device=device)
        with remote.use(stream, signal=0, value=sequence + 1):
            put.copy(here, there, stream)
    stream.synchronize()
    put.check()


def receive(given, device, store):
    cache = [torch.zeros(given.places, given.page // 2, device=device, dtype=torch.bfloat16) for _ in range(2 * given.layers)]
    torch.cuda.synchronize()
    sent = filled(given, device)  # to compare with
    with tw.RegisteredMemory(cache, signals=1, time_limit=60) as mine:
        store.set("cache", mine.handle)
        begin = time.perf_counter()
        for sequence in range(given.sequences):
            there = places(given, 1000 + sequence, device)
            store.set(f"places {sequence}", " ".join(map(str, there.tolist())))
            mine.wait(0, sequence + 1)
            here = places(given, sequence, device)
            for x, y in zip(sent, cache):
                if not torch.equal(x[here].view(torch.int16), y[there].view(torch.int16)):
                    raise SystemExit(f"a page of sequence {sequence} has wrong bytes")
        seconds = time.perf_counter() - begin
    pages = given.sequences * given.pages * 2 * given.layers
    print(f"{pages} pages of {given.page} bytes arrived, every byte right, in {seconds:.2f} s with the comparison", flush=True)


def main():
    given = arguments()
    if not (tw.gpu_present() and torch.cuda.is_available()):
        raise SystemExit("this needs a GPU")
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local % torch.cuda.device_count())
    torch.cuda.set_device(device)
    dist.init_process_group("gloo")
    if dist.get_world_size() != 2:
        raise SystemExit("this needs two processes")
    store = dist.distributed_c10d._get_default_store()
    (receive if dist.get_rank() == 1 else send)(given, device, store)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
