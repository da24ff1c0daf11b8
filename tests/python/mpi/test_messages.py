# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import asyncio
import gc
import threading
import time
import weakref

import numpy as np
import pytest
from arrays import library, parts, raw, together, untyped
from hypothesis import given
from resident import grown

import typewarp as tw


def changed(data, rank):
    """Bytes that no other rank has."""
    return np.frombuffer(data, np.uint8) ^ np.uint8(rank + 1)


@together(60)
@given(parts())
def test_any_part_is_sent(comm, case):
    rank, size = comm.Get_rank(), comm.Get_size()
    before, behind = (rank - 1) % size, (rank + 1) % size
    base, part = case
    plain = raw(part)
    flat = base.reshape(-1).view(np.uint8)
    flat[...] = changed(flat, rank)
    received = np.zeros(part.shape, untyped(part).dtype)
    request = tw.irecv(received, before, 3)
    tw.send(untyped(part), behind, 3)
    status = request.wait()
    assert (status.source, status.tag, status.nbytes) == (before, 3, part.nbytes)
    assert raw(received) == changed(plain, before).tobytes()


@together(60)
@given(parts())
def test_any_part_is_received_into(comm, case):
    rank, size = comm.Get_rank(), comm.Get_size()
    base, part = case
    before, sent = untyped(base).copy(), untyped(part).copy(order="C")
    part[...] = np.zeros((), part.dtype)
    request = tw.irecv(untyped(part), (rank - 1) % size)
    tw.send(sent, (rank + 1) % size)
    request.wait()
    assert raw(part) == raw(sent)
    assert raw(base) == raw(before)


@pytest.mark.parametrize("start", ["isend", "issend"])
@pytest.mark.parametrize("n", [3, 200_000])
def test_messages_that_are_waited_for(ring, start, n):
    rank, before, behind = ring
    x, y = np.zeros((n, 3)), np.zeros((2, n))
    x[:, 1] = np.arange(n) + rank
    sent = getattr(tw, start)(x[:, 1], behind, 5)
    got = tw.irecv(y[1], before, 5)
    statuses = tw.wait_all([sent, got])
    assert statuses[1].nbytes == 8 * n and not statuses[0].cancelled
    assert (y[1] == np.arange(n) + before).all() and not y[0].any()
    assert not sent.active and sent.done() and got.test().nbytes == 0  # over: nothing more to tell


def test_blocking_calls(ring):
    rank, before, behind = ring
    x, y = np.full((4, 4), rank), np.zeros((4, 4), int)
    if rank == behind:
        pytest.skip("one rank would wait for itself")
    for call in (tw.send, tw.ssend):
        if rank % 2 == 0:
            call(x.T, behind)
        status = tw.recv(y[::-1], before)
        if rank % 2 == 1:
            call(x.T, behind)
        assert (y == before).all() and status.source == before


def test_sendrecv(ring):
    rank, before, behind = ring
    x, y = np.full((4, 4), rank), np.full((4, 4), -1)
    status = tw.sendrecv(x[:, ::2], behind, y[::2], before, sendtag=4, recvtag=4)
    assert (status.source, status.tag, status.nbytes) == (before, 4, 64)
    assert (y[::2] == before).all() and (y[1::2] == -1).all()


def test_any_source_and_no_rank(comm, ring):
    from mpi4py import MPI
    rank, before, behind = ring
    y = np.zeros(2)
    request = tw.irecv(y)
    tw.send(np.full(2, float(rank)), behind, 9)
    status = request.wait()
    assert (status.source, status.tag) == (before, 9) and (y == before).all()
    tw.send(y, MPI.PROC_NULL)
    assert tw.recv(y, MPI.PROC_NULL).nbytes == 0 and (y == before).all()


def test_communicators_keep_messages_apart(comm, ring):
    rank, before, behind = ring
    other = comm.Dup()
    y, z = np.zeros(1), np.zeros(1)
    first, second = tw.irecv(y, before, comm=comm), tw.irecv(z, before, comm=other)
    tw.send(np.full(1, 2.0), behind, comm=other)
    second.wait()
    assert z == 2 and not y.any()
    comm.Barrier()
    tw.send(np.full(1, 1.0), behind)
    first.wait()
    assert y == 1
    other.Free()


def test_probes(ring):
    rank, before, behind = ring
    assert tw.iprobe(before, 13) is None
    request = tw.isend(np.arange(5.0)[::2], behind, 12)
    status = tw.probe(before)
    assert (status.source, status.tag, status.nbytes) == (before, 12, 24)
    assert tw.iprobe().nbytes == 24
    y = np.zeros(3)
    tw.recv(y, before, 12)
    request.wait()
    assert (y == [0, 2, 4]).all()


def test_mpi4py_is_understood(comm, ring):
    rank, before, behind = ring
    x, y, z = np.arange(24.0).reshape(4, 6) + rank, np.zeros(4), np.zeros(4)
    request = comm.Irecv(y, before)
    tw.send(x[:, 2], behind)
    request.Wait()
    request = tw.irecv(z[::-1], before)
    comm.Send(x[:, 2].copy(), behind)
    request.wait()
    assert (y == np.arange(24.0).reshape(4, 6)[:, 2] + before).all() and (z[::-1] == y).all()


def test_a_message_that_is_too_long(ring):
    from mpi4py import MPI
    rank, before, behind = ring
    y = np.full((4, 2), -1.0)
    request = tw.irecv(y[:, 0], before)
    sent = tw.isend(np.zeros(5), behind)
    with pytest.raises(tw.MpiError) as caught:
        request.wait()
    assert caught.value.error_class == MPI.ERR_TRUNCATE and caught.value.code != MPI.SUCCESS
    sent.wait()
    assert (y == -1).all() and not request.active
    # wait_all tells it when all are over.
    requests = [tw.irecv(y[:, 0], before, 1), tw.irecv(y[:, 1], before, 2)]
    for tag, n in ((1, 5), (2, 4)):
        tw.isend(np.zeros(n), behind, tag).wait()
    with pytest.raises(tw.MpiError):
        tw.wait_all(requests)
    assert not y[:, 1].any() and not any(r.active for r in requests)


@pytest.mark.parametrize("call, error, text", [
    (lambda: tw.send(None, 0), TypeError, "x: NoneType"),
    (lambda: tw.send(np.zeros(2), 0, comm=3), TypeError, "comm: int is not a communicator"),
    (lambda: tw.send(np.zeros(2), 0, stream="s"), TypeError, "stream: str"),
    (lambda: tw.recv(bytes(4), 0), ValueError, "x: is read-only"),
    (lambda: tw.irecv(np.broadcast_to(np.zeros(1), 4), 0), ValueError, "x: "),
    (lambda: tw.recv(np.zeros(2), "a"), TypeError, "source: str"),
    (lambda: tw.recv(np.zeros(2), 0, 1.5), TypeError, "tag: float"),
    (lambda: tw.sendrecv(np.zeros(2), 0, 7), TypeError, "y: int"),
    (lambda: tw.sendrecv(np.zeros(2), 0, bytes(2)), ValueError, "y: is read-only"),
    (lambda: tw.send(np.zeros(2), "a"), TypeError, "dest: str"),
    (lambda: tw.isend(np.zeros(2), 0, None), TypeError, "tag: NoneType"),
    (lambda: tw.sendrecv(np.zeros(2), 0, np.zeros(2), sendtag=0.5), TypeError, "sendtag: float"),
    (lambda: tw.irecv(np.zeros(2), 1 << 40), ValueError, "source: 1099511627776 does not fit"),
    (lambda: tw.wait_all(None), TypeError, "requests: NoneType"),
    (lambda: tw.wait_all([None]), TypeError, "requests[0]: NoneType is not a Request"),
    (lambda: tw.send(np.zeros(2), 1 << 20), tw.MpiError, "dest = 1048576: MPI_"),
    (lambda: tw.isend(np.zeros(2), 0, -7), tw.MpiError, "tag = -7: MPI_"),
])
def test_wrong_input_is_named(comm, call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


def test_the_null_communicator(comm):
    from mpi4py import MPI
    with pytest.raises(ValueError, match="^comm: MPI_COMM_NULL"):
        tw.send(np.zeros(2), 0, comm=MPI.COMM_NULL)


def test_a_request_keeps_the_array(ring):
    rank, before, behind = ring
    x = np.full(2**16, float(rank))
    alive = weakref.ref(x)
    request = tw.issend(x[::2], behind)
    del x
    gc.collect()
    assert alive() is not None
    y = np.zeros(2**15)
    tw.recv(y, before)
    request.wait()
    gc.collect()
    assert alive() is None and (y == before).all()


def test_a_request_in_a_cycle_keeps_the_array_until_it_is_over(ring):
    class Array(np.ndarray):
        pass

    rank, before, behind = ring
    y = np.zeros(3).view(Array)
    alive = weakref.ref(y)
    y.own = tw.irecv(y, before)
    tw.send(np.arange(3.0), behind)
    y.own.wait()
    del y
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("n", [3, 2**18])
def test_a_dropped_send_arrives(ring, n):
    rank, before, behind = ring
    x = np.full((n, 2), float(rank))
    alive = weakref.ref(x)
    tw.isend(x[:, 0], behind)  # nobody waits
    del x
    gc.collect()
    y = np.zeros(n)
    tw.recv(y, before)
    assert (y == before).all()
    while alive() is not None:  # forgotten at a later drop, when it is complete
        tw.isend(np.zeros(0), rank, 77)
        tw.recv(np.zeros(0), rank, 77)


def test_a_dropped_receive_takes_no_message(comm, ring):
    rank, before, behind = ring
    y, z = np.full(3, -1.0), np.zeros(3)
    tw.irecv(y[::-1], before)
    comm.Barrier()
    tw.sendrecv(np.arange(3.0), behind, z, before)
    assert (z == np.arange(3)).all() and (y == -1).all()


def test_cancel(ring):
    rank, before, behind = ring
    request = tw.irecv(np.zeros(3), before, 55)
    assert not request.done() and request.test() is None
    request.cancel()
    status = request.wait()
    assert status.cancelled and "cancelled" in repr(status)


def test_asyncio(ring):
    rank, before, behind = ring
    y, turns = np.zeros(3), []

    async def others():
        for _ in range(3):
            turns.append(1)
            await asyncio.sleep(0)
        await tw.completed(tw.isend(np.arange(3.0), behind))

    async def main():
        request = tw.irecv(y, before)
        return (await asyncio.gather(request, others()))[0]

    assert asyncio.run(main()).nbytes == 24
    assert (y == np.arange(3)).all() and len(turns) == 3


def test_other_threads_run_while_a_call_waits(ring):
    from mpi4py import MPI
    if MPI.Query_thread() != MPI.THREAD_MULTIPLE:
        pytest.skip("the MPI does not grant MPI_THREAD_MULTIPLE")
    rank, _, _ = ring

    def later():
        time.sleep(0.05)
        tw.send(np.arange(3.0), rank, 66)

    thread = threading.Thread(target=later)
    thread.start()
    y = np.zeros(3)
    tw.recv(y, rank, 66)
    thread.join()
    assert (y == np.arange(3)).all()


def test_messages_leave_nothing(comm, ring):
    """A million in a program of one rank."""
    rank, _, _ = ring
    x, y = np.zeros((8, 8)), np.zeros((8, 8))

    def work():
        request = tw.irecv(y[:, ::2], rank)
        tw.send(x[::2], rank)
        request.wait()

    assert grown(work, 500_000 if comm.Get_size() == 1 else 50_000) < 800_000


def test_errors_leave_nothing(ring):
    rank, _, _ = ring
    y = np.zeros((8, 2))

    def work():
        request = tw.irecv(y[:4, 0], rank)
        tw.send(y[:, 1], rank)
        try:
            request.wait()
        except tw.MpiError:
            pass

    assert grown(work, 5_000) < 800_000


@pytest.mark.parametrize("name", ["cupy", "torch"])
@pytest.mark.parametrize("n", [3, 500_000])
def test_messages_of_gpus(ring, name, n):
    module = library(name)
    rank, before, behind = ring
    x = module.zeros((n, 3), device="cuda") if name == "torch" else module.zeros((n, 3))
    y = module.zeros_like(x)
    for turn in range(3):
        x[:, 1] = rank + turn  # on the current stream, which the message follows
        request = tw.irecv(y[:, 2], before)
        tw.send(x[:, 1], behind)
        assert request.wait().nbytes == n * x.itemsize
        assert bool((y[:, 2] == before + turn).all()) and not bool(y[:, :2].any())


def test_every_name_has_a_description(comm):
    assert set(tw._LATER) < set(dir(tw))
    for name in tw._LATER:
        assert (getattr(tw, name).__doc__ or "").strip(), name
