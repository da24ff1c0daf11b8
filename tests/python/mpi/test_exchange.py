# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import gc
import weakref

import numpy as np
import pytest
from arrays import library, parts, raw, together, untyped
from hypothesis import given

import typewarp as tw


@together(20)
@given(parts())
def test_alltoall_of_any_part(comm, case):
    rank, size = comm.Get_rank(), comm.Get_size()
    base, part = case
    outs = [np.zeros(part.shape, untyped(part).dtype) for _ in range(size)]
    plain = raw(part)
    base.reshape(-1).view(np.uint8)[...] ^= np.uint8(rank)
    with tw.alltoall([untyped(part)] * size, outs, comm) as exchange:
        exchange()
        assert exchange.done()
    for peer, out in enumerate(outs):
        assert raw(out) == (np.frombuffer(plain, np.uint8) ^ np.uint8(peer)).tobytes()


def test_starts_follow_each_other(comm, ring):
    rank, before, behind = ring
    x, y = np.zeros((64, 6)), np.full((6, 64), -1.0)
    # Two parts between the same ranks match by their order.
    exchange = tw.exchange([(x[:, 0], behind), (x[:, 1], behind)], [(y[2], before), (y[4, ::-1], before)], comm)
    for turn in range(5):
        x[:, 0], x[:, 1] = np.arange(64) + rank + turn, -rank - turn
        exchange.start()
        exchange.wait()
        assert (y[2] == np.arange(64) + before + turn).all() and (y[4] == -before - turn).all()
        assert (y[[0, 1, 3, 5]] == -1).all()
    ways = exchange.ways
    assert ways["carried_sends"] + ways["direct_sends"] == 2
    assert "sends 1024 bytes, receives 1024" in repr(exchange)
    exchange.close()
    exchange.close()
    assert repr(exchange) == "<typewarp.Exchange, closed>"
    with pytest.raises(RuntimeError, match="was closed"):
        exchange.start()


def test_what_it_tells_of_its_ways(comm, ring):
    rank, before, behind = ring
    with tw.exchange([(np.zeros(3), behind), (np.zeros(0), behind)], [(np.zeros(3), before), (np.zeros(0), before)], comm) as exchange:
        why = "the sender has it in memory of the host"
        assert exchange.fallback_reason == why
        assert exchange.explain().splitlines() == [
            f"sends[0] to rank {behind}: 24 bytes, carried by the MPI: {why}", f"sends[1] to rank {behind}: 0 bytes, nothing moves",
            f"receives[0] from rank {before}: 24 bytes, carried by the MPI: {why}", f"receives[1] from rank {before}: 0 bytes, nothing moves"]
    with pytest.raises(RuntimeError, match="was closed"):
        exchange.explain()
    with tw.exchange([], [], comm) as exchange:
        assert (exchange.fallback_reason, exchange.explain()) == (None, "")


def test_layouts(comm, ring):
    """Particles that leave a rank go into the free places of the next."""
    rank, before, behind = ring
    x, v = np.arange(40.0) + 100 * rank, -np.arange(40.0) - 100 * rank
    leaving, free = [31, 2, 17], [5, 39, 0]
    arrived = np.zeros((2, 40))
    sent = tw.layout([tw.layout(field, leaving) for field in (x, v)])
    with tw.exchange([(sent, behind)], [(tw.layout([tw.layout(field, free) for field in arrived]), before)], comm) as exchange:
        exchange()
    assert (arrived[0, free] == x[leaving] - 100 * rank + 100 * before).all()
    assert (arrived[1, free] == v[leaving] + 100 * rank - 100 * before).all()
    assert np.count_nonzero(arrived) == 6
    with pytest.raises(ValueError, match=r"receives\[0\]: takes elements more than once"):
        tw.exchange([], [(tw.layout(x, [1, 1]), before)], comm)


def test_nothing_and_no_rank(comm):
    from mpi4py import MPI
    with tw.exchange([], [(np.zeros(3), MPI.PROC_NULL)], comm) as exchange:
        exchange()


def test_one_that_is_dropped_keeps_its_arrays(comm, ring):
    rank, before, behind = ring
    x = np.zeros(8)
    alive = weakref.ref(x)
    exchange = tw.exchange([(x, behind)], [(np.zeros(8), before)], comm)
    close = exchange._exchange.close
    del x, exchange
    gc.collect()
    assert alive() is not None
    close()
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("sends, receives, error, text", [
    ([(None, 0)], [], TypeError, "sends[0]: NoneType"),
    ([np.zeros(3)], [], TypeError, "sends[0]: must be an array and a rank"),
    ([], [(np.zeros(3), "a")], TypeError, "receives[0]: must be an array and a rank"),
    ([], [(np.zeros(3), 0), (bytes(3), 0)], ValueError, "receives[1]: is read-only"),
    ([(np.zeros(3), 1000)], [], ValueError, "sends[0].peer: 1000"),
    ([], None, TypeError, "receives: NoneType is not iterable"),
])
def test_wrong_input_is_named_and_all_raise(comm, sends, receives, error, text):
    wrong = comm.Get_rank() == comm.Get_size() - 1
    with pytest.raises(error if wrong else RuntimeError) as caught:
        tw.exchange(sends if wrong else [], receives if wrong else [], comm)
    if wrong:
        assert str(caught.value).startswith(text)
    comm.Barrier()


@pytest.mark.parametrize("limit, error", [("a", TypeError), (-1, ValueError), (1e9, ValueError)])
def test_a_wrong_limit_is_named(comm, limit, error):
    with pytest.raises(error, match="^time_limit: "):
        tw.exchange([], [], comm, limit)


@pytest.mark.parametrize("receives, error, text", [([], ValueError, "^receives: has 0 arrays"), (None, TypeError, "^receives: NoneType")])
def test_an_array_for_each_rank(comm, receives, error, text):
    wrong = comm.Get_rank() == comm.Get_size() - 1
    arrays = [np.zeros(1)] * comm.Get_size()
    with pytest.raises(error if wrong else RuntimeError, match=text if wrong else "another rank"):
        tw.alltoall(arrays, receives if wrong else [x.copy() for x in arrays], comm)


def test_ranks_that_disagree(comm, ring):
    rank, before, behind = ring
    with pytest.raises(RuntimeError):
        tw.exchange([(np.zeros(3), behind)], [(np.zeros(4), before)], comm)


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_exchanges_of_gpus(comm, ring, name):
    module = library(name)
    rank, before, behind = ring
    x = module.zeros((500, 300, 2), device="cuda") if name == "torch" else module.zeros((500, 300, 2))
    y = module.zeros_like(x)
    with tw.exchange([(x[:, :, 1], behind)], [(y[:, :, 0], before)], comm) as exchange:
        for turn in range(3):
            x[...] = rank + turn
            exchange.start()  # on the current stream: what follows finds what was received
            assert bool((y[:, :, 0] == before + turn).all()) and not bool(y[:, :, 1].any())
            exchange.wait()
        direct = exchange.ways["direct_sends"] + exchange.ways["direct_receives"] == 2
        assert (exchange.fallback_reason is None) == direct, exchange.explain()
        assert exchange.explain().count("stored by the sender's GPU") == exchange.ways["direct_sends"] + exchange.ways["direct_receives"]
