# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pages that go to random places of a cache that another process registered: an IndexedCopy between use() and a signal, and what a user of
PyTorch would write for memory that is mapped. On the GPU of the sender, and on another one where there are two."""
import subprocess
import sys

import torch

import typewarp as tw
from measuring import rows_asked_for, tell
from pages import CACHE, LAYERS, SIZES, Pages

OWN = "own"  # what the other process is called with


class SharedPages(Pages):
    """Of a cache that another process has on GPU `to`."""

    def __init__(self, count, page, to):
        super().__init__(count, page, 0)
        self.row["case"] = f"pages to another process {'on the same GPU' if to == 0 else 'on another GPU'}"
        self.of, self.step = to, 0

    def make(self):
        super().make()
        self.destination.clear()
        torch.cuda.empty_cache()
        self.owner = subprocess.Popen([sys.executable, __file__, OWN, str(self.page), str(self.of)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.remote = tw.RemoteMemory(self.owner.stdout.read(int.from_bytes(self.owner.stdout.read(8), "little")))
        self.destination = [torch.as_tensor(x, device="cuda") for x in self.remote.arrays]
        if any(y.data_ptr() != x.__cuda_array_interface__["data"][0] for x, y in zip(self.remote.arrays, self.destination)):
            raise SystemExit("PyTorch has copied the memory of the other process")

    def by_typewarp(self):
        self.step += 1
        with self.remote.use(self.stream, signal=0, value=self.step):
            self.move.copy(*self.next(), self.stream)

    def measured(self):
        try:
            return super().measured()
        finally:
            self.destination.clear()
            self.move = self.remote = None
            self.owner.communicate()
            if self.owner.returncode:
                raise SystemExit("the owner of the cache has failed")


def own(page, device):
    """Has a cache until the sender is done with it, and checks that signals have come."""
    torch.cuda.set_device(device)
    cache = [torch.zeros(CACHE // LAYERS // page, page // 8, dtype=torch.int64, device="cuda") for _ in range(LAYERS)]
    torch.cuda.synchronize()
    with tw.RegisteredMemory(cache, signals=1, time_limit=60) as mine:
        sys.stdout.buffer.write(len(mine.handle).to_bytes(8, "little") + mine.handle)
        sys.stdout.buffer.flush()
        sys.stdin.buffer.read()
        if mine.signal(0) == 0:
            raise SystemExit("no signal has come")


def main():
    if sys.argv[1:2] == [OWN]:
        return own(*map(int, sys.argv[2:]))
    gpus = min(2, torch.cuda.device_count())
    tell(mpi="python " + sys.version.split()[0], gpus=gpus)
    for index, subject, late in rows_asked_for(__doc__, [SharedPages(count, page, to) for to in range(gpus) for count, page in SIZES]):
        if late:
            tell(stopped=True, case="pages to another process", memory="device", method="all", size=index)
            break
        tell(begin={"index": index, **subject.row})
        us, peers = subject.measured()
        tell(index=index, **subject.row, median_us=us, peers_us=peers)
        vars(subject).clear()
        torch.cuda.empty_cache()
    tell(finished=True)


if __name__ == "__main__":
    main()
