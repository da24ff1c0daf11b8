# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Processes with JAX, one for each GPU or all on the CPU, which meet by files."""
import os
import pathlib
import time

from processes import answer

RANKS = []  # of this process, the only one


class Files:
    """all_gather of processes."""

    def __init__(self, folder, rank, size):
        self.folder, self.rank, self.size, self.step, self.seconds = pathlib.Path(folder), rank, size, 0, 60

    def __call__(self, value):
        step, self.step = self.step, self.step + 1
        hidden = self.folder / f"new{self.rank}"
        hidden.write_bytes(value)
        hidden.rename(self.folder / f"{step}.{self.rank}")
        (self.folder / f"{step - 2}.{self.rank}").unlink(missing_ok=True)  # which all have read
        return [self._read(self.folder / f"{step}.{rank}") for rank in range(self.size)]

    def _read(self, file):
        end = time.monotonic() + self.seconds
        while not file.exists():
            if time.monotonic() > end:
                raise TimeoutError(f"nobody wrote {file.name}")
            time.sleep(0.0005)
        return file.read_bytes()


def _prepare(rank, size, folder):
    import jax

    import typewarp as tw
    jax.config.update("jax_enable_x64", True)
    RANKS.append(tw.Ranks(rank, size, Files(folder, rank, size)))


def serve_on_cpu(rank, size, folder, pipe):
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    _prepare(rank, size, folder)
    answer(pipe)


def serve_on_gpus(rank, size, folder, pipe):
    os.environ.update(JAX_PLATFORMS="cuda", XLA_PYTHON_CLIENT_PREALLOCATE="false")
    import jax
    jax.config.update("jax_default_device", jax.local_devices()[rank])
    _prepare(rank, size, folder)
    answer(pipe)
