# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What each process of a test of typewarp.jax does. Arrays of all ranks follow from a seed, so each process knows what it should get."""
import os
import random
import threading
import time

import numpy as np
from jax_processes import RANKS
from processes import of_several, raises

DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int64", "bool", "complex64", "complex128", "float8_e4m3fn"]


def modules():
    import jax
    import jax.numpy as jnp

    import typewarp.jax
    return jax, jnp, typewarp.jax


def content(rank, shape, dtype="float32", seed=0):
    _, jnp, _ = modules()
    generator = np.random.default_rng([seed, rank])
    numbers = generator.integers(-100, 100, shape)
    if dtype == "bool":
        return numbers % 2 == 0
    if dtype.startswith("complex"):
        numbers = numbers + 1j * generator.integers(-100, 100, shape)
    return numbers.astype(jnp.dtype(dtype))


def of_all(shape, dtype="float32", seed=0):
    return [content(rank, shape, dtype, seed) for rank in range(RANKS[0].size)]


def exchanged(arrays, scatter_dim, gather_dim):
    """What each rank gets of the arrays of all."""
    return [np.concatenate([np.split(x, len(arrays), scatter_dim)[rank] for x in arrays], gather_dim) for rank in range(len(arrays))]


def same(got, wanted):
    got = np.asarray(got)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, (got.shape, wanted.shape, got.dtype, wanted.dtype)
    assert got.tobytes() == np.ascontiguousarray(wanted).tobytes(), (got, wanted)


def all_to_all_of(x, *dims, **options):
    return modules()[2].all_to_all(x, *dims, comm=RANKS[0], time_limit=30, **options)


def all_dimensions():
    jax, _, _ = modules()
    size, rank = RANKS[0].size, RANKS[0].rank
    for shape, scatter_dim, gather_dim in [((2, 6, 4 * size, 8), 2, 1), ((2, 6 * size, 4, 8), 1, 2), ((3 * size, 5), 0, 1), ((3, 5 * size), -1, -2),
                                           ((1, 7, 3 * size, 5), 2, 1), ((4, 1, 2, 3, 2 * size), 4, 0), ((6 * size, 5), 0, 0), ((size,), 0, 0)]:
        xs = of_all(shape)
        with all_to_all_of(xs[rank], scatter_dim, gather_dim) as exchange:
            same(exchange(xs[rank]), exchanged(xs, scatter_dim, gather_dim)[rank])
            same(jax.jit(lambda x: exchange(x + 1) * 2)(xs[rank]), exchanged([(x + 1) * 2 for x in xs], scatter_dim, gather_dim)[rank])
            assert exchange.done()


def all_dtypes():
    size, rank = RANKS[0].size, RANKS[0].rank
    for dtype in DTYPES:
        xs = of_all((3, 5, 2 * size, 7), dtype)
        with all_to_all_of(xs[rank], 2, 1, gradient=False) as exchange:
            same(exchange(xs[rank]), exchanged(xs, 2, 1)[rank])


class Traffic:
    """Random parts between all ranks, whose arrays have shapes of their own. `apart`: no source overlaps another one."""

    def __init__(self, seed):
        choose = random.Random(seed)
        size, self.parts = RANKS[0].size, []  # (from, source, to, destination)
        dimensions = choose.randint(1, 4)
        self.shapes = [tuple(choose.randint(1, 9) for _ in range(dimensions)) for _ in range(size)]
        taken = [np.zeros(shape, bool) for shape in self.shapes]
        for _ in range(choose.randint(0, 6 * size)):
            a, b = choose.randrange(size), choose.randrange(size)
            sizes = [choose.randint(0, min(pair)) for pair in zip(self.shapes[a], self.shapes[b])]
            source, destination = (tuple(slice(start, start + n) for n, start in ((n, choose.randint(0, whole - n)) for n, whole in
                                                                                zip(sizes, self.shapes[one]))) for one in (a, b))
            if not taken[b][destination].any():
                taken[b][destination] = True
                self.parts.append((a, source, b, destination))

    def of_rank(self, rank):
        """As an Exchange takes them, with some that nothing is of."""
        given = [(None, (slice(0, 1),), (slice(0, 1),)), (-1, 0, ...)]
        for a, source, b, destination in self.parts:
            if a == b == rank:
                given.append((a, source, destination))
            elif a == rank:
                given.append((b, source, None))
            elif b == rank:
                given.append((a, None, destination))
        return given

    def moved(self, arrays):
        results = [x.copy() for x in arrays]
        for a, source, b, destination in self.parts:
            results[b][destination] = arrays[a][source]
        return results


def neighbours():
    jax, jnp, tw = modules()
    rank, dtypes = RANKS[0].rank, ["float32", "uint8", "bfloat16", "complex128"]
    for seed in range(16):
        traffic = Traffic(seed)
        xs = [content(one, shape, dtypes[seed % 4], seed) for one, shape in enumerate(traffic.shapes)]
        with tw.Exchange(xs[rank], traffic.of_rank(rank), comm=RANKS[0], time_limit=30, gradient=False) as exchange:
            wanted = traffic.moved(xs)[rank]
            x = jnp.asarray(xs[rank])
            same(exchange(x), wanted)
            same(x, xs[rank])
            same(jax.jit(exchange, donate_argnums=0)(x), wanted)
            assert x.is_deleted()


def gradients():
    """Of sum(w * y^2) of all ranks, twice for an all-to-all."""
    jax, jnp, tw = modules()
    size, rank = RANKS[0].size, RANKS[0].rank
    xs, vs = of_all((2, 4, 3 * size), "float64", 1), of_all((2, 4, 3 * size), "float64", 2)
    ys = exchanged(xs, 2, 1)
    ws = of_all(ys[0].shape, "float64", 3)
    with all_to_all_of(xs[rank], 2, 1) as exchange:
        def once(x):
            return jax.grad(lambda x: jnp.sum(ws[rank] * exchange(x) ** 3))(x)
        wanted = exchanged([3 * w * y ** 2 for w, y in zip(ws, ys)], 1, 2)[rank]
        same(once(jnp.asarray(xs[rank])), wanted)
        same(jax.jit(once)(jnp.asarray(xs[rank])), wanted)
        v_ys = exchanged(vs, 2, 1)
        same(jax.jit(jax.grad(lambda x: jnp.sum(once(x) * vs[rank])))(jnp.asarray(xs[rank])),
             exchanged([6 * w * y * v for w, y, v in zip(ws, ys, v_ys)], 1, 2)[rank])
    for seed in range(6):
        traffic = Traffic(seed)
        xs = [content(one, shape, "float64", seed) for one, shape in enumerate(traffic.shapes)]
        ws = [content(one, shape, "float64", seed + 1000) for one, shape in enumerate(traffic.shapes)]
        weighted = [2 * w * y for w, y in zip(ws, traffic.moved(xs))]
        wanted = [x.copy() for x in weighted]
        for a, source, b, destination in traffic.parts:
            wanted[b][destination] = 0
        for a, source, b, destination in traffic.parts:
            wanted[a][source] += weighted[b][destination]
        with tw.Exchange(xs[rank], traffic.of_rank(rank), comm=RANKS[0], time_limit=30) as exchange:
            same(jax.jit(jax.grad(lambda x: jnp.sum(ws[rank] * exchange(x) ** 2)))(jnp.asarray(xs[rank])), wanted[rank])


def halo_of(width, length):
    """Along a ring of columns, as a program would have it: both ways."""
    size, rank = RANKS[0].size, RANKS[0].rank
    before, behind = (rank - 1) % size, (rank + 1) % size
    w = width
    return [(behind, np.s_[:, length - 2 * w:length - w], None), (before, None, np.s_[:, :w]),
            (before, np.s_[:, w:2 * w], None), (behind, None, np.s_[:, length - w:])]


def loops():
    """The same exchange in each step of a scan and of a fori_loop, and their gradients, against the steps on one array of all ranks."""
    jax, jnp, tw = modules()
    size, rank, length, steps = RANKS[0].size, RANKS[0].rank, 8, 7
    xs = of_all((3, length), "float64", 5)

    def step(x):
        return x.at[:, 1:-1].set((x[:, :-2] + 2 * x[:, 1:-1] + x[:, 2:]) / 4)

    def whole(inner):  # of all ranks, without halos
        for _ in range(steps):
            inner = (jnp.roll(inner, 1, 1) + 2 * inner + jnp.roll(inner, -1, 1)) / 4
        return inner
    inner = jnp.concatenate([x[:, 1:-1] for x in xs], 1)
    own = np.s_[:, rank * (length - 2):(rank + 1) * (length - 2)]
    with tw.Exchange(xs[rank], halo_of(1, length), comm=RANKS[0], time_limit=30) as exchange:
        def scanned(x):
            return jax.lax.scan(lambda x, _: (step(exchange(x)), None), x, None, length=steps)[0][:, 1:-1]

        def counted(x):
            return jax.lax.fori_loop(0, steps, lambda _, x: step(exchange(x)), x)[:, 1:-1]
        for loop in (scanned, counted):
            for _ in range(3):
                np.testing.assert_allclose(jax.jit(loop)(xs[rank]), whole(inner)[own], rtol=1e-12)
        gradient = jax.jit(jax.grad(lambda x: jnp.sum(scanned(x) ** 2)))(jnp.asarray(xs[rank]))
        wanted = jax.grad(lambda inner: jnp.sum(whole(inner) ** 2))(inner)
        np.testing.assert_allclose(gradient[:, 1:-1], wanted[own], rtol=1e-12, atol=1e-9)


def several_in_a_program():
    """Independent calls that `after` orders, of one exchange and of two, also in a loop and with gradients."""
    jax, jnp, _ = modules()
    size, rank = RANKS[0].size, RANKS[0].rank
    xs, zs = of_all((4, 6 * size), seed=1), of_all((4, 6 * size), seed=2)
    a, b = exchanged(xs, 1, 0)[rank], exchanged(zs, 1, 0)[rank]
    with all_to_all_of(xs[rank], 1, 0) as one, all_to_all_of(xs[rank], 1, 0) as other:
        for second in (one, other):
            @jax.jit
            def both(x, z):
                first = one(x)
                return first, second(z, after=first)

            def loss(x, z):
                return sum(jnp.sum(y ** 2) for y in both(x, z))
            for _ in range(3):
                for got, wanted in zip(both(xs[rank], zs[rank]), (a, b)):
                    same(got, wanted)
            same(jax.jit(jax.grad(loss))(jnp.asarray(xs[rank]), zs[rank]), 2 * xs[rank])

            def turn(carry, _):
                x, z = carry
                x, z = both(x, z)
                return (x.reshape(xs[rank].shape), z.reshape(zs[rank].shape)), None
            for _ in range(2):
                got = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length=5))((xs[rank], zs[rank]))[0]
            for _ in range(5):
                xs_, zs_ = ([y.reshape(arrays[0].shape) for y in exchanged(arrays, 1, 0)] for arrays in ((xs_, zs_) if _ else (xs, zs)))
            same(got[0], xs_[rank])
            same(got[1], zs_[rank])


@of_several
def a_result_that_is_not_used():
    """The call is made all the same: the peers wait for it."""
    jax, _, _ = modules()
    rank = RANKS[0].rank
    xs = of_all((4, 6 * RANKS[0].size))
    with all_to_all_of(xs[rank], 1, 0) as exchange:
        @jax.jit
        def step(x):
            y = exchange(x)
            return y if rank == 0 else x
        same(step(xs[rank]), exchanged(xs, 1, 0)[rank] if rank == 0 else xs[rank])


def repeats_pure_calls():
    """jax.checkpoint does. Others it refuses, or repeats as well, by its release."""
    jax, jnp, _ = modules()
    size, rank = RANKS[0].size, RANKS[0].rank
    xs = of_all((4, 6 * size), "float64")

    def loss(exchange):
        return jax.jit(jax.grad(jax.checkpoint(lambda x: jnp.sum(jnp.sin(exchange(jnp.sin(x)))))))
    with all_to_all_of(xs[rank], 1, 0, pure=True) as exchange, all_to_all_of(xs[rank], 1, 0) as other:
        wanted = np.cos(np.sin(xs[rank])) * np.cos(xs[rank])
        np.testing.assert_allclose(loss(exchange)(xs[rank]), wanted)
        try:
            repeated = loss(other)(xs[rank])
        except NotImplementedError as error:
            assert "Effects not supported" in str(error)
        else:
            np.testing.assert_allclose(repeated, wanted)


def within_shard_map():
    """Of this process's one device."""
    jax, jnp, _ = modules()
    size, rank = RANKS[0].size, RANKS[0].rank
    xs = of_all((4, 6 * size), "float64")
    mesh, places = jax.sharding.Mesh(np.array(list(jnp.zeros(()).devices())), ("ranks",)), jax.sharding.PartitionSpec("ranks")
    with all_to_all_of(xs[rank], 1, 0) as exchange:
        call = jax.shard_map(lambda x: exchange(x), mesh=mesh, in_specs=places, out_specs=places, check_vma=False)
        same(jax.jit(call)(xs[rank]), exchanged(xs, 1, 0)[rank])
        same(jax.jit(jax.grad(lambda x: jnp.sum(call(x) ** 2)))(jnp.asarray(xs[rank])), 2 * xs[rank])


def without_parts():
    _, jnp, tw = modules()
    x = content(RANKS[0].rank, (3, 4))
    for parts in ([], [(None, 0, 0)], [(0, np.s_[:0], np.s_[3:])]):
        with tw.Exchange(x, parts, comm=RANKS[0], time_limit=30) as exchange:
            same(exchange(x), x)
    with tw.Exchange(jnp.float32(3), [(RANKS[0].rank, (), ())], comm=RANKS[0], time_limit=30, shape=()) as exchange:
        same(exchange(jnp.float32(5)), np.float32(5))
    with all_to_all_of(np.zeros((0, RANKS[0].size)), 1, 0) as exchange:
        assert exchange(np.zeros((0, RANKS[0].size))).shape == (0, 1)


def is_closed():
    jax, _, _ = modules()
    x = content(RANKS[0].rank, (2, RANKS[0].size))
    exchange = all_to_all_of(x, 1, 0)
    call = jax.jit(exchange)
    call(x).block_until_ready()
    exchange.close()
    exchange.close()
    with raises(Exception, "it was closed, or prepared for another platform"):
        call(x).block_until_ready()


def wrong_arguments():
    jax, jnp, tw = modules()
    size = RANKS[0].size
    x = jnp.ones((2, 4 * size, 3), "float32")

    def refused(kind, text, call, *arguments, **options):
        with raises(kind, text):
            call(*arguments, comm=RANKS[0], **options)
    refused(TypeError, "x: list has no shape and no dtype", tw.all_to_all, [1], 0, 0)
    refused(TypeError, "x: key<fry> is no type of numbers", tw.all_to_all, jax.random.key(0), 0, 0)
    refused(ValueError, "x: elements of int4 are smaller than a byte", tw.all_to_all, jnp.ones(4 * size, "int4"), 0, 0)
    refused(ValueError, "scatter_dim: 3 is none of 3 dimensions", tw.all_to_all, x, 3, 0)
    refused(TypeError, "gather_dim: str is not an integer", tw.all_to_all, x, 1, "0")
    refused(TypeError, "time_limit: str is not a number of seconds", tw.all_to_all, x, 1, 0, time_limit="1")
    refused(ValueError, "time_limit: -1.0 must be seconds", tw.all_to_all, x, 1, 0, time_limit=-1)
    refused(TypeError, "device: int is not a jax.Device", tw.all_to_all, x, 1, 0, device=0)
    refused(TypeError, "parts[1]: must be a peer, a source and a destination", tw.Exchange, x, [(0, None, None), (0, 1)])
    refused(TypeError, "parts[0]: str is not a rank", tw.Exchange, x, [("0", 0, 0)])
    refused(ValueError, f"parts[0]: {size} is none of {size} ranks", tw.Exchange, x, [(size, 0, 0)])
    refused(TypeError, "parts[0]: list is neither a slice nor an integer", tw.Exchange, x, [(0, [0], 0)])
    refused(ValueError, "parts[0]: has a step of 2, must have 1", tw.Exchange, x, [(0, np.s_[:, ::2], 0)])
    refused(ValueError, "parts[0]: 2 is not an index of 2", tw.Exchange, x, [(0, 2, 0)])
    refused(ValueError, "parts[0]: has 4 indices of an array of 3 dimensions", tw.Exchange, x, [(0, (0, 0, 0, 0), 0)])
    refused(ValueError, "parts: what comes from ranks 0 and 0 overlaps", tw.Exchange, x, [(0, 0, 0), (0, 1, np.s_[:2])])
    refused(TypeError, "shape: must be a tuple of integers", tw.Exchange, x, [], shape=3)
    refused(ValueError, "shape: the destinations do not make up an array of [3]", tw.Exchange, x, [], shape=(3,))
    refused(RuntimeError, f"parts: rank 0 sends [{48 * size}] bytes to rank 0, which receives [{96 * size}]", tw.Exchange, x,
            [(0, 0, None), (0, None, np.s_[:])] if RANKS[0].rank == 0 else [])
    if size > 1:
        refused(ValueError, f"x: its size 2 along scatter_dim 0 must be divisible by the {size} ranks" if size > 2 else "x: its size 3",
                tw.all_to_all, x, 0 if size > 2 else 2, 1)
        if RANKS[0].rank == 0:
            refused(ValueError, "parts[0]: 2 is not an index of 2", tw.Exchange, x, [(0, 2, 0)])
        else:
            refused(RuntimeError, "the arguments of another rank were refused", tw.Exchange, x, [])
    with all_to_all_of(x, 1, 0) as exchange:
        with raises(ValueError, f"x: is float32 of [2], must be {x.dtype} of [2, {4 * size}, 3] as prepared"):
            exchange(jnp.ones(2, "float32"))
        with raises(NotImplementedError, "vmap"):
            jax.vmap(exchange)(jnp.stack([x, x]))


@of_several
def a_rank_that_dies():
    """The last one, without a word. The others hear of it within the time limit."""
    jax, _, tw = modules()
    rank, size = RANKS[0].rank, RANKS[0].size
    xs = of_all((4, 6 * size))
    call = tw.all_to_all(xs[rank], 1, 0, comm=RANKS[0], time_limit=3)
    step = jax.jit(call)
    same(step(xs[rank]), exchanged(xs, 1, 0)[rank])
    if rank == size - 1:
        threading.Timer(0.5, os._exit, (0,)).start()
        return
    RANKS[0]._all_gather.seconds = 3
    begin = time.monotonic()
    with raises(Exception, "nobody wrote" if jax.default_backend() == "cpu" else "has waited for"):
        step(xs[rank]).block_until_ready()
        while not call.done() or time.monotonic() < begin + 20:
            time.sleep(0.01)
    assert time.monotonic() < begin + 20


ALL = [all_dimensions, all_dtypes, neighbours, gradients, loops, several_in_a_program, a_result_that_is_not_used, repeats_pure_calls, within_shard_map, without_parts, is_closed,
       wrong_arguments]
