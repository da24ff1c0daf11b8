# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import pytest
from arrays import library

import typewarp as tw


@pytest.fixture(params=["cupy", "torch"])
def on_gpu(request, comm):
    """Makes arrays of numbers on this rank's own GPU."""
    module = library(request.param)
    rank = comm.Get_rank()
    devices = module.cuda.device_count() if request.param == "torch" else module.cuda.runtime.getDeviceCount()
    if devices < comm.Get_size():
        pytest.skip(f"needs {comm.Get_size()} GPUs")
    if request.param == "torch":
        module.cuda.set_device(rank)
        return lambda numbers: module.tensor(numbers, dtype=module.float64, device=f"cuda:{rank}")
    module.cuda.Device(rank).use()
    return lambda numbers: module.array(numbers, "float64")


def test_what_ranks_get(comm, on_gpu):
    rank, size = comm.Get_rank(), comm.Get_size()
    numbers = list(range(3 * size))

    def of(ranks):
        return [sum(r + 1 for r in ranks) * number for number in numbers]

    with tw.DeviceGroup(comm, time_limit=60) as group:
        x = on_gpu([(rank + 1) * number for number in numbers])
        everywhere = of(range(size))
        assert group.allreduce(x, out=on_gpu(numbers)).tolist() == everywhere
        part = slice(3 * rank, 3 * rank + 3)
        assert group.reduce_scatter(x, on_gpu([0, 0, 0])).tolist() == everywhere[part]
        own = [size - 1, *[0] * (size - 2), 2 * size + 1] if size > 1 else [3]
        places = sum(own[:rank]), sum(own[:rank + 1])
        assert group.reduce_scatter(x, on_gpu([0] * own[rank]), counts=own).tolist() == everywhere[places[0]:places[1]]
        assert group.scan(x, out=on_gpu(numbers)).tolist() == of(range(rank + 1))
        before = group.exscan(x, out=on_gpu(numbers)).tolist()
        assert before == (of(range(rank)) if rank > 0 else numbers)
        at_root = group.reduce(x, size - 1, out=on_gpu(numbers)).tolist()
        assert at_root == (everywhere if rank == size - 1 else numbers)
        assert group.allreduce(x, "max").tolist() == [size * number for number in numbers]
        assert group.allgather(on_gpu([rank, -rank]), on_gpu([0] * 2 * size)).tolist() == [n for r in range(size) for n in (r, -r)]
        gathered = on_gpu([0] * sum(own))
        own_part = gathered[places[0]:places[1]]
        own_part[:] = rank
        assert group.allgather(own_part, gathered, counts=own).tolist() == [r for r in range(size) for _ in range(own[r])]
        assert group.alltoall(on_gpu([10 * rank + r for r in range(size)])).tolist() == [10 * r + rank for r in range(size)]
        y = on_gpu([rank] * 5)
        assert group.broadcast(y, size - 1).tolist() == [size - 1] * 5
        assert group.device == rank


def test_what_ranks_get_in_registered_memory(comm, on_gpu):
    rank, size, many = comm.Get_rank(), comm.Get_size(), 200_000
    x, out = on_gpu([rank]), on_gpu([-1] * size)
    x, out = x.repeat(many), out.repeat(many)
    wanted = [r for r in range(size) for _ in range(many)]
    with tw.DeviceGroup(comm, time_limit=60) as group:
        group.register_memory(out)
        assert group.allgather(x, out).tolist() == wanted
        out[:] = rank
        assert group.broadcast(out, size - 1).tolist() == [size - 1] * size * many
        out[:] = -1
        assert group.alltoall(on_gpu([rank] * size).repeat(many), out).tolist() == wanted
        group.deregister_memory(out)
        out[:] = -1
        assert group.allgather(x, out).tolist() == wanted


def test_one_rank_registers_what_is_wrong(comm, on_gpu):
    x = on_gpu([0.0] * 10)
    wrong = comm.Get_rank() == 0
    with tw.DeviceGroup(comm) as group:
        with pytest.raises(ValueError if wrong else RuntimeError, match="x: has gaps" if wrong else "another rank"):
            group.register_memory(x[::2] if wrong else x[:5])


def test_calls_follow_each_other(comm, on_gpu):
    x = on_gpu([1.0] * 1001)
    with tw.DeviceGroup(comm) as group:
        for _ in range(5):
            group.allreduce(x)
        assert x.tolist() == [float(comm.Get_size() ** 5)] * 1001
        group.wait()


def test_wrong_arguments_of_one_rank(comm):
    wrong = comm.Get_rank() == comm.Get_size() - 1
    with pytest.raises(TypeError if wrong else RuntimeError, match="device: str" if wrong else "another rank"):
        tw.DeviceGroup(comm, "first" if wrong else None)
