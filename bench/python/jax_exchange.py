#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges within compiled programs of JAX, one process for each GPU: typewarp.jax against XLA's own by NCCL. An all-to-all of attention
heads and back, against jax.lax.all_to_all; and halos of a field that is divided along its last dimension, against jax.lax.ppermute of slices.
A program makes 20 of them, one after the other or in a loop, and the times are of one:

    mpiexec -n 2 python bench/python/jax_exchange.py
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from mpi4py import MPI

import typewarp.jax
from ranks import free_port, tell_rows

TIMES = 20
BATCH, HEADS, DEPTH, WIDTH = 2, 32, 128, 2
# Tokens of a rank: half precision, from 64 KiB to 256 MiB a rank. Cells along each side of what a rank owns, in single precision.
CASES = [(kind, size, looped) for looped in (False, True) for kind, sizes in (("heads", (4, 64, 512, 4096, 16384)), ("halo", (32, 64, 128, 256, 400)))
         for size in sizes]


def shard_map(function, mesh):
    places = PartitionSpec("ranks")
    if hasattr(jax, "shard_map"):
        return jax.shard_map(function, mesh=mesh, in_specs=places, out_specs=places, check_vma=False)
    from jax.experimental.shard_map import shard_map as made
    return made(function, mesh=mesh, in_specs=places, out_specs=places, check_rep=False)


class Way:
    """A compiled program that repeats `step`, of this rank's array or, with a mesh, of all ranks'."""

    def __init__(self, step, x, steps, looped, mesh=None):
        def repeated(x):
            return jax.lax.fori_loop(0, steps, lambda _, x: step(x), x, unroll=not looped)
        self.call = jax.jit(repeated if mesh is None else shard_map(repeated, mesh))
        self.x = x
        if mesh is not None:
            shape = (mesh.size * x.shape[0], *x.shape[1:])
            self.x = jax.make_array_from_single_device_arrays(shape, NamedSharding(mesh, PartitionSpec("ranks")), [x])

    latest = None

    def __call__(self):
        Way.latest = self.call(self.x)
        return Way.latest.addressable_data(0)


def heads(tokens, size):
    x = content((BATCH, tokens, HEADS, DEPTH), jnp.float16)
    there = typewarp.jax.all_to_all(x, 2, 1, gradient=False)
    back = typewarp.jax.all_to_all(jax.ShapeDtypeStruct((BATCH, tokens * size, HEADS // size, DEPTH), x.dtype), 1, 2, gradient=False)

    def by_xla(x):
        x = jax.lax.all_to_all(x, "ranks", 2, 1, tiled=True)
        return jax.lax.all_to_all(x, "ranks", 1, 2, tiled=True)
    return x, TIMES // 2, lambda x: back(there(x)), by_xla, [there, back]


def halo(cells, size):
    rank = MPI.COMM_WORLD.Get_rank()
    x = content((cells, cells, cells + 2 * WIDTH), jnp.float32)
    above, below = (rank + 1) % size, (rank - 1) % size
    own_low, own_high = np.s_[..., WIDTH:2 * WIDTH], np.s_[..., cells:cells + WIDTH]
    low, high = np.s_[..., :WIDTH], np.s_[..., cells + WIDTH:]
    exchange = typewarp.jax.Exchange(x, [(above, own_high, None), (below, None, low), (below, own_low, None), (above, None, high)], gradient=False)

    def by_xla(x):
        up = jax.lax.ppermute(x[own_high], "ranks", [(one, (one + 1) % size) for one in range(size)])
        down = jax.lax.ppermute(x[own_low], "ranks", [(one, (one - 1) % size) for one in range(size)])
        return x.at[low].set(up).at[high].set(down)
    return x, TIMES, exchange, by_xla, [exchange]


def content(shape, dtype):
    return jnp.asarray(np.random.default_rng(MPI.COMM_WORLD.Get_rank()).integers(-1000, 1000, shape), dtype)


def measured(size, case, medians):
    kind, number, looped = case
    x, steps, ours, theirs, exchanges = {"heads": heads, "halo": halo}[kind](number, size)
    mesh = Mesh(np.array(jax.devices()), ("ranks",))
    ways = {"typewarp": Way(ours, x, steps, looped), "XLA": Way(theirs, x, steps, looped, mesh)}
    once = [Way(ours, x, 1, looped), Way(theirs, x, 1, looped, mesh)]
    for a, b in (once, ways.values()):
        if not MPI.COMM_WORLD.allreduce(bool(jnp.array_equal(a(), b())), MPI.LAND):
            raise SystemExit(f"{case}: other bytes than by XLA")
    us = medians(ways)
    for exchange in exchanges:
        exchange.done()
        exchange.close()
    return {name: value / TIMES for name, value in us.items()}


def row(case):
    kind, number, looped = case
    nbytes = BATCH * number * HEADS * DEPTH * 2 if kind == "heads" else 2 * number * number * WIDTH * 4
    return {"case": f"{kind} in a {'loop' if looped else 'program'} of JAX", "bytes": nbytes}


if __name__ == "__main__":
    rank, size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
    jax.distributed.initialize(f"127.0.0.1:{free_port()}", size, rank, local_device_ids=[rank])
    tell_rows(__doc__.split(":")[0], CASES, row, measured, lambda: jax.block_until_ready(Way.latest), jax.device_count())
    jax.distributed.shutdown()
