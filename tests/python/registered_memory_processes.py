# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of a cache that two processes have: one registers, the other puts and gets. Called by test_registered_memory.py with a library."""
import subprocess
import sys

import numpy as np

import typewarp as tw

LAYERS, PLACES, PAGE, STEPS = 3, 64, 40, 5


def library(name):
    """How to copy an array to the GPU and back, the stream, and what waits for the GPU."""
    if name == "torch":
        import torch
        return (lambda x: torch.as_tensor(x, device="cuda")), (lambda x: x.cpu().numpy()), torch.cuda.current_stream(), torch.cuda.synchronize
    import cupy
    return cupy.asarray, cupy.asnumpy, cupy.cuda.get_current_stream(), cupy.cuda.Device().synchronize


def pages(seed):
    return [np.random.default_rng((seed, layer)).integers(0, 1 << 30, (PLACES, PAGE), dtype=np.int32) for layer in range(LAYERS)]


def lists(step):
    order = np.random.default_rng(step).permutation(PLACES).astype(np.int64)
    return order[:20], order[20:40]


def peer(name):
    """Swaps: puts its pages at places of the owner's, and gets others."""
    to_gpu, to_host, stream, synchronize = library(name)
    handle = sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(8), "little"))
    remote = tw.RemoteMemory(handle)
    assert [x.shape for x in remote.arrays] == [(PLACES, PAGE)] * LAYERS and remote.signals == 1
    put, get = ([to_gpu(x) for x in pages(seed)] for seed in (2, 3))
    putting, getting = tw.IndexedCopy(put, remote.arrays), tw.IndexedCopy(remote.arrays, get)
    for step in range(1, STEPS + 1):
        mine, theirs = lists(step)
        with remote.use(stream):
            getting.copy(theirs, mine, stream)
        with remote.use(stream, signal=0, value=step):
            putting.copy(to_gpu(mine), to_gpu(theirs), stream)
        sys.stdin.buffer.read(1)
        synchronize()
        remote.check()
    try:
        with remote.use(stream, signal=7):
            pass
    except ValueError as error:
        assert str(error) == "signal: 7 is none of 1"
    else:
        raise AssertionError("there is no signal 7")
    sys.stdout.buffer.write(b"".join(to_host(x).tobytes() for x in get))


def owner(name):
    to_gpu, to_host, stream, synchronize = library(name)
    cache = [to_gpu(x) for x in pages(1)]
    expected, got, put = pages(1), pages(3), pages(2)
    with tw.RegisteredMemory(cache, signals=1, time_limit=60) as mine:
        other = subprocess.Popen([sys.executable, __file__, name, "peer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        other.stdin.write(len(mine.handle).to_bytes(8, "little") + mine.handle)
        other.stdin.flush()
        for step in range(1, STEPS + 1):
            if step % 2:
                mine.wait_on_host(0, step)
            else:
                mine.wait(0, step)
            here, there = lists(step)
            for layer in range(LAYERS):
                got[layer][here] = expected[layer][there]
                expected[layer][there] = put[layer][here]
                assert (to_host(cache[layer]) == expected[layer]).all(), (step, layer)
            assert mine.signal(0) == step
            other.stdin.write(b"x")
            other.stdin.flush()
        found = other.communicate(timeout=60)[0]
        assert other.returncode == 0 and found == b"".join(x.tobytes() for x in got)
    try:
        mine.wait(0, 1)
    except RuntimeError as error:
        assert "ended" in str(error)
    else:
        raise AssertionError("it has been ended")
    print("right")


if __name__ == "__main__":
    peer(sys.argv[1]) if sys.argv[2:] else owner(sys.argv[1])
