# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""GPUs that combine arrays, without an MPI: of one process, or of threads that stand for processes."""
import sys

import numpy as np
import pytest
from arrays import gpu_present, library
from test_ranks import alone, in_ranks

import typewarp as tw


@pytest.mark.parametrize("arguments, error, text", [
    ({"device": "a"}, TypeError, "device: str is not the number of a GPU"),
    ({"device": -1}, ValueError, "device: -1 must not be negative"),
    ({"time_limit": "a"}, TypeError, "time_limit: str is not a number of seconds"),
    ({"time_limit": -1}, ValueError, "time_limit: -1.0 must be seconds from 0"),
])
def test_wrong_arguments_of_one_rank(arguments, error, text):
    results = in_ranks(2, lambda ranks: tw.DeviceGroup(ranks, **(arguments if ranks.rank == 1 else {})))
    assert isinstance(results[1], error) and str(results[1]).startswith(text)
    assert isinstance(results[0], RuntimeError) and "another rank" in str(results[0])


def test_ranks_without_a_gpu():
    if gpu_present():
        pytest.skip("needs a machine without a GPU")
    for result in in_ranks(2, tw.DeviceGroup):
        assert isinstance(result, RuntimeError)
        assert str(result) == ("typewarp::DeviceGroup: each rank needs a GPU of its own, all of one host: "
                               "rank 0 has no memory of a GPU that others can map")


def test_more_ranks_than_there_may_be():
    for result in in_ranks(9, tw.DeviceGroup):
        assert isinstance(result, RuntimeError)
        assert str(result) == "typewarp::DeviceGroup: there are 9 ranks, must be at most 8"


def test_ranks_of_one_gpu():
    library("cupy")
    for result in in_ranks(2, lambda ranks: tw.DeviceGroup(ranks, device=0)):
        assert isinstance(result, RuntimeError) and "rank 1 has the same GPU as rank 0" in str(result)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32", "float64", "complex64", "complex128"])
def test_one_rank_gets_what_it_gives(dtype):
    cupy = library("cupy")
    x = (cupy.arange(1001) % 2).astype(dtype)
    op = "lor" if dtype == "bool" else "sum"
    with tw.DeviceGroup(tw.Ranks(0, 1, alone), time_limit=60) as group:
        assert (group.rank, group.size) == (0, 1)
        for call in (group.allreduce, group.scan, lambda x, op, out: group.reduce(x, 0, op, out),
                     lambda x, op, out: group.reduce_scatter(x, out, op), lambda x, op, out: group.allgather(x, out),
                     lambda x, op, out: group.alltoall(x, out)):
            out = cupy.zeros_like(x)
            assert call(x, op, out=out) is out
            assert (out == x).all()
        assert group.allreduce(x, op) is x and group.broadcast(x, 0) is x
        group.wait()
        assert group.done()
    group.close()
    assert repr(group) == "<typewarp.DeviceGroup, closed>"
    with pytest.raises(RuntimeError, match="was closed"):
        group.broadcast(x, 0)


def test_registered_arrays_live_until_they_are_deregistered():
    cupy = library("cupy")
    x, out = cupy.arange(1 << 20), cupy.zeros(1 << 20, int)
    with tw.DeviceGroup(tw.Ranks(0, 1, alone)) as group:
        owners = sys.getrefcount(out)
        group.register_memory(out)
        assert sys.getrefcount(out) > owners
        assert (group.allgather(x, out) == x).all()
        for wrong, text in ((out, "x: .* must not be registered already"), (out[::2], "x: has gaps"), (out[:0], "x: 0 must be positive")):
            with pytest.raises(ValueError, match=text):
                group.register_memory(wrong)
        group.deregister_memory(out)
        assert sys.getrefcount(out) == owners
        with pytest.raises(ValueError, match="x: .* must be where registered memory begins"):
            group.deregister_memory(out)
        group.register_memory(out)
    assert sys.getrefcount(out) == owners


def test_wrong_arrays_are_named():
    cupy = library("cupy")
    x = cupy.zeros(8)
    with tw.DeviceGroup(tw.Ranks(0, 1, alone)) as group:
        for error, text, call in (
                (ValueError, "x: has gaps", lambda: group.allreduce(x[::2])),
                (ValueError, "x: has elements of float16, which 'sum' does not combine", lambda: group.allreduce(x.astype("float16"))),
                (ValueError, "x: has elements of float64, which 'band' does not combine", lambda: group.allreduce(x, "band")),
                (ValueError, "op: 'mean' must be sum", lambda: group.allreduce(x, "mean")),
                (ValueError, "out: has 4 elements, must have 8", lambda: group.scan(x, out=cupy.zeros(4))),
                (ValueError, "out: has elements of float32", lambda: group.allreduce(x, out=cupy.zeros(8, "float32"))),
                (ValueError, "out: memory that overlaps", lambda: group.allreduce(x[:4], out=x[2:6])),
                (ValueError, "x: has 8 elements, must have 4", lambda: group.allgather(x, cupy.zeros(4))),
                (ValueError, "out: has elements of another type", lambda: group.allgather(x, cupy.zeros(8, "float32"))),
                (ValueError, "out: has 4 elements, must have 8", lambda: group.alltoall(x, cupy.zeros(4))),
                (ValueError, "root: 1 must be a rank of 1", lambda: group.broadcast(x, 1)),
                (TypeError, "'float' object", lambda: group.reduce_scatter(x, x, counts=[8.0])),
                (ValueError, "counts: must add up to the 8 elements", lambda: group.reduce_scatter(x, x, counts=[4])),
                (ValueError, "x: memory that device 0 does not reach", lambda: group.allreduce(np.zeros(3))),
                (TypeError, "x: NoneType", lambda: group.broadcast(None, 0))):
            with pytest.raises(error) as caught:
                call()
            assert str(caught.value).startswith(text)
