# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import gc
import weakref

import numpy as np
import pytest

import typewarp as tw


def test_messages_of_a_session(ring):
    rank, before, behind = ring
    with tw.Session(eager_bytes=1024) as session:
        assert session.options["eager_bytes"] == 1024 and session.possible("eager") and "automatic" in repr(session)
        for n in (1, 100, 1000, 300_000):
            x, y = np.zeros((n, 3)), np.zeros((n, 2))
            x[:, 2] = np.arange(n) + rank
            got = tw.irecv(y[:, 0], before)
            sent = tw.isend(x[:, 2], behind)
            tw.progress()
            assert tw.wait_all([sent, got])[1].nbytes == 8 * n
            assert (y[:, 0] == np.arange(n) + before).all() and not y[:, 1].any()
    assert repr(session) == "<typewarp.Session, closed>"
    session.close()


def test_a_process_has_one(comm):
    with tw.Session(comm):
        with pytest.raises(RuntimeError, match="one"):
            tw.Session(comm)
    tw.Session(comm).close()


def test_one_that_is_dropped_goes_on(comm):
    session = tw.Session(comm)
    end = session.close
    kept = session._session
    del session
    gc.collect()
    with pytest.raises(RuntimeError):
        tw.Session(comm)
    end()
    assert kept.closed


def test_options(comm):
    with tw.Session(time_limit=2.5, protocol="pipelined", pool_bytes=1 << 20, progress_thread=False) as session:
        assert session.options == {**session.options, "time_limit": 2.5, "protocol": "pipelined", "pool_bytes": 1 << 20}


@pytest.mark.parametrize("given, told", [(0, 0), (1e-300, 0.001), (0.0004, 0.001), (0.0016, 0.002), (0.07, 0.07), (1.001, 1.001), (2.3, 2.3), (999999999, 999999999)])
def test_a_time_limit_is_whole_milliseconds_and_not_none(comm, given, told):
    with tw.Session(comm, time_limit=given) as session:
        assert session.options["time_limit"] == told


@pytest.mark.parametrize("options, error, text", [
    ({"protocol": "fast"}, ValueError, "protocol: 'fast' must be automatic"),
    ({"protocol": 3}, TypeError, "protocol: int"),
    ({"eager_bytes": 1}, ValueError, "eager_bytes: 1"),
    ({"eager_bytes": "1"}, TypeError, "eager_bytes: str"),
    ({"time_limit": -1}, ValueError, "time_limit: -1.0 must be seconds from 0"),
    ({"time_limit": 1e9}, ValueError, "time_limit: 1000000000.0 must be seconds from 0, which is no limit, to less than 1e9"),
    ({"time_limit": float("nan")}, ValueError, "time_limit: nan"),
    ({"eager": 1}, TypeError, "eager: is not an option"),
])
def test_wrong_options_are_named(comm, options, error, text):
    with pytest.raises(error) as caught:
        tw.Session(comm, **options)
    assert str(caught.value).startswith(text)


def test_all_raise_where_one_has_a_wrong_option(comm):
    if comm.Get_size() == 1:
        pytest.skip("needs two ranks")
    wrong = comm.Get_rank() == 1
    with pytest.raises(ValueError if wrong else RuntimeError):
        tw.Session(comm, protocol="fast" if wrong else "automatic")


def test_the_time_limit(comm, ring):
    rank, before, behind = ring
    with tw.Session(comm, time_limit=0.2):
        y = np.zeros((4, 2))
        with pytest.raises(tw.TimeLimitExceeded) as caught:
            tw.recv(y[:, 0], before, 99)
        assert caught.value.peer == before and isinstance(caught.value, TimeoutError)
        request = tw.irecv(y[:, 0], before, 98)
        with pytest.raises(tw.TimeLimitExceeded):
            request.wait()
        assert not request.active


def test_wait_all_keeps_what_was_given_up_behind_another_error(comm, ring):
    rank, before, behind = ring
    with tw.Session(comm, time_limit=0.2):
        y = np.zeros(4)
        alive = weakref.ref(y)
        sent = tw.isend(np.zeros(5), behind, 97)
        tw.probe(before, 97)
        requests = [tw.irecv(np.zeros(1), before, 97), tw.irecv(y, before, 96)]
        with pytest.raises(tw.MpiError):
            tw.wait_all(requests)
        sent.wait()
        del y, requests
        gc.collect()
        assert alive() is not None


def test_a_block_that_raises_does_not_wait_for_others(comm):
    session = tw.Session(comm)
    if comm.Get_rank() == 0:
        with pytest.raises(KeyError), session:
            raise KeyError
        assert "closed" not in repr(session)
    comm.Barrier()  # nobody is in close()
    session.close()
