# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges of a program without an MPI, of one process or of threads that stand for processes."""
import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from arrays import library

import typewarp as tw


def alone(value):
    return [value]


class Meeting:
    """all_gather of threads."""

    def __init__(self, size):
        self.values, self.barrier = [None] * size, threading.Barrier(size, timeout=30)

    def of(self, rank):
        def all_gather(value):
            self.values[rank] = value
            self.barrier.wait()
            values = list(self.values)
            self.barrier.wait()
            return values
        return tw.Ranks(rank, len(self.values), all_gather)


def in_ranks(size, work):
    """What work(ranks) returns or raises in each."""
    meeting, results = Meeting(size), [None] * size

    def run(rank):
        try:
            results[rank] = work(meeting.of(rank))
        except Exception as error:  # noqa: BLE001: looked at by the test
            results[rank] = error
    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_an_exchange_of_nothing():
    with tw.exchange([(np.zeros(3), -1)], [], tw.Ranks(0, 1, alone)) as exchange:
        exchange()
        assert exchange.done() and exchange.ways["direct_sends"] == 0


def test_arrays_of_the_host_have_no_way():
    def work(ranks):
        tw.alltoall([np.zeros(3)] * 2, [np.zeros(3), np.zeros(3)], ranks)
    for result in in_ranks(2, work):
        assert isinstance(result, RuntimeError) and "without an MPI nothing else carries it: the sender has it in memory" in str(result)


def test_a_wrong_argument_of_one_is_told_to_all():
    def work(ranks):
        x = np.zeros(3)
        if ranks.rank == 1:
            x.flags.writeable = False
        tw.exchange([], [(x, 1 - ranks.rank)], ranks)
    results = in_ranks(2, work)
    assert isinstance(results[1], ValueError) and "receives[0]: is read-only" in str(results[1])
    assert isinstance(results[0], RuntimeError) and "another rank" in str(results[0])


def test_parts_that_do_not_match():
    def work(ranks):
        sends = [(np.zeros(3), 1)] if ranks.rank == 0 else []
        tw.exchange(sends, [], ranks)
    for result in in_ranks(2, work):
        assert isinstance(result, RuntimeError) and "0 parts from rank 0, which sends 1" in str(result)


def test_what_the_function_raises_goes_on():
    def late(value):
        raise KeyError("nobody is there")
    with pytest.raises(KeyError, match="nobody is there"):
        tw.exchange([], [], tw.Ranks(0, 1, late))


def test_what_the_function_must_not_return():
    for returned, error, text in (([b"", b""], RuntimeError, "returned 2 values, must return one for each of 1 ranks"),
                                  (["1"], TypeError, "all_gather: returned str for rank 0, must return bytes")):
        gathered = iter([[b"1"]])  # well, at first
        with pytest.raises(error, match=text):
            tw.exchange([], [], tw.Ranks(0, 1, lambda value: next(gathered, returned)))


def test_a_program_may_end_without_closing():
    code = ("import numpy as np, typewarp as tw\n"
            "tw.kept = tw.exchange([(np.zeros(3), -1)], [], tw.Ranks(0, 1, lambda value: [value]))\n")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout + ran.stderr == ""


def test_it_is_let_go():
    class Gatherer:
        def __call__(self, value):
            return [value]
    gatherer = Gatherer()
    alive = weakref.ref(gatherer)
    tw.exchange([], [], tw.Ranks(0, 1, gatherer)).close()
    del gatherer
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "rank: must be an integer, not str", lambda: tw.Ranks("0", 1, alone)),
    (TypeError, "all_gather: must be a function, not int", lambda: tw.Ranks(0, 1, 3)),
    (ValueError, "size: 0 must be positive", lambda: tw.Ranks(0, 0, alone)),
    (ValueError, "rank: 1 must be one of 1", lambda: tw.Ranks(1, 1, alone)),
    (ValueError, "rank: -1 must be one of 1", lambda: tw.Ranks(-1, 1, alone)),
])
def test_wrong_arguments(error, text, call):
    with pytest.raises(error, match=text):
        call()


def test_needs_no_mpi():
    assert "mpi4py" not in sys.modules or "MPI4PY_LIBMPI" in __import__("os").environ
    with pytest.raises(ValueError, match="group: torch.distributed is not initialized"):
        tw.Ranks.of_torch()


def test_arrays_of_a_gpu_within_a_process():
    cupy = library("cupy")
    x, y = cupy.arange(24.0).reshape(4, 6), cupy.zeros((2, 4))
    with tw.exchange([(x[:, 2], 0)], [(y[1], 0)], tw.Ranks(0, 1, alone)) as exchange:
        for step in range(3):
            x += 1
            exchange.start()
            assert (y[1] == x[:, 2]).all() and not y[0].any()
        exchange.wait()
        assert exchange.ways["direct_sends"] == 1 and exchange.fallback_reason is None
        assert exchange.explain().splitlines()[0] == "sends[0] to rank 0: 32 bytes, stored by the sender's GPU where they belong"
