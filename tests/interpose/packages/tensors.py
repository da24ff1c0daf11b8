# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""HeAT: tensors that are cut anew, sorted and multiplied across ranks, and what HeAT calls for that, against NumPy.

usage: tensors.py host|torch <edge>

On GPUs HeAT copies to the host what it sends by an Open MPI, unless its switch says that the MPI takes GPU memory.
"""
import sys

import heat
import numpy
import torch

from measured import PRELOADED, comm, expect_close, measure

kind, edge = sys.argv[1], int(sys.argv[2])
if kind != "host" and not torch.cuda.is_available():
    print("skipped: needs PyTorch and a GPU", file=sys.stderr, flush=True)
    sys.exit(77)
if kind != "host":
    heat.use_device("gpu")
    heat.core.communication.GPU_AWARE_MPI = PRELOADED
    torch.cuda.set_device(comm.rank % torch.cuda.device_count())
random = numpy.random.default_rng(4)


def finish():
    if kind != "host":
        torch.cuda.synchronize()


def measure_finished(what, action):
    def finished():
        action()
        finish()
    measure(what, finished)


def expect_tensor(what, tensor, whole, split):
    """Each rank's part, which needs no further call, and then the whole."""
    assert tensor.split == split
    _, _, mine = tensor.comm.chunk(whole.shape, split)
    expect_close(what, tensor.larray.cpu().numpy(), whole[mine])
    expect_close(f"{what}, gathered", tensor.numpy(), whole)


def cut_anew():
    whole = random.standard_normal((edge + 1, edge, 5))
    rows = heat.array(whole, split=0)
    for axis in (1, 2):
        expect_tensor(f"cut along axis {axis}", heat.resplit(rows, axis), whole, axis)
    in_place = heat.array(whole, split=0)
    in_place.resplit_(1)
    expect_tensor("cut in place", in_place, whole, 1)
    measure_finished("resplit", lambda: heat.resplit(rows, 1))


def sort():
    whole = random.standard_normal((8 * edge, 3))
    tensor = heat.array(whole, split=0)
    in_order, origins = heat.sort(tensor, axis=0)
    expect_tensor("sorted", in_order, numpy.sort(whole, axis=0), 0)
    expect_tensor("where from", origins, numpy.argsort(whole, axis=0), 0)
    measure_finished("sort", lambda: heat.sort(tensor, axis=0))


def multiply():
    left, right = random.standard_normal((edge, edge + 3)), random.standard_normal((edge + 3, edge - 2))
    for cut in ((0, 0), (0, 1), (1, 0), (1, 1)):
        product = heat.matmul(heat.array(left, split=cut[0]), heat.array(right, split=cut[1]))
        expect_close(f"product of cuts {cut}", product.numpy(), left @ right)
    a, b = heat.array(left, split=0), heat.array(right, split=1)
    measure_finished("matmul", lambda: heat.matmul(a, b))


def calls():
    """HeAT's calls on tensors with gaps, of each of which it makes a datatype."""
    every = random.standard_normal((comm.size, 4, 6))
    on_device = lambda array: torch.from_numpy(array.copy()).to(heat.get_device().torch_device)
    sideways = lambda rank: on_device(every[rank]).T
    empty = lambda *shape: on_device(numpy.zeros(shape))
    handle, mine = heat.get_comm(), sideways(comm.rank)

    from_left = empty(4, 6).T
    request = handle.Isend(mine, dest=(comm.rank + 1) % comm.size)
    handle.Recv(from_left, source=(comm.rank - 1) % comm.size)
    request.Wait()
    of_first = mine.clone() if comm.rank == 0 else empty(4, 6).T
    handle.Bcast(of_first, root=0)
    side_by_side = empty(6, 4 * comm.size)
    handle.Allgather(mine, side_by_side, recv_axis=1)
    total = empty(4, 6).T
    handle.Allreduce(mine, total)
    finish()
    for what, seen, right in (("Isend and Recv", from_left, every[comm.rank - 1].T), ("Bcast", of_first, every[0].T),
                              ("Allgather", side_by_side, numpy.concatenate(every).T), ("Allreduce", total, every.sum(axis=0).T)):
        expect_close(f"{what}, with gaps", seen.cpu().numpy(), right)


cut_anew()
sort()
multiply()
calls()
