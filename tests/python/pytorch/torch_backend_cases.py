# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What each process of a test of the back end "typewarp" does. Tensors of all ranks follow from a seed, so each knows what it should get."""
import datetime
from types import SimpleNamespace
from typing import NamedTuple
from unittest import mock

from processes import of_several, raises
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch_cases import content

from typewarp import _torch_packed as packed

GUARD = 77


def _guarded(shape, device, dtype, change):
    base = torch.full(shape, GUARD, device=device, dtype=getattr(torch, dtype))
    return base, change(base)


# A tensor of two dimensions, in memory where the elements around it are guards.
LAYOUTS = [
    lambda m, n, *kind: _guarded([m, n], *kind, lambda x: x),
    lambda m, n, *kind: _guarded([n, m], *kind, lambda x: x.t()),
    lambda m, n, *kind: _guarded([m, 2 * n + 3], *kind, lambda x: x[:, 1:1 + 2 * n:2]),
    lambda m, n, *kind: _guarded([m + 2, n + 5], *kind, lambda x: x[1:-1, 3:3 + n]),
]


class Call(NamedTuple):
    """`given` are contents of inputs, and `wanted` of outputs: of one that is both, `both` says so."""

    run: object
    given: list
    wanted: list
    both: bool = False


def calls(device, dtype="float32", m=6, n=4):
    size, rank = dist.get_world_size(), dist.get_rank()
    root = size - 1
    all_ = [content(r, [m * size, n], dtype, device=device) for r in range(size)]
    mine = all_[rank]
    parts = [x.chunk(size) for x in all_]
    summed, one = sum(all_[1:], all_[0]), [x[:m] for x in all_]
    at_root = rank == root
    yield "broadcast", Call(lambda i, o, a: dist.broadcast(i[0], root, async_op=a), [mine], [all_[root]], True)
    yield "all_reduce", Call(lambda i, o, a: dist.all_reduce(i[0], async_op=a), [mine], [summed], True)
    yield "reduce", Call(lambda i, o, a: dist.reduce(i[0], root, async_op=a), [mine], [summed] if at_root else [], True)  # Gloo leaves anything to the others
    yield "all_gather", Call(lambda i, o, a: dist.all_gather(o, i[0], async_op=a), [one[rank]], one)
    yield "all_gather_into_tensor", Call(lambda i, o, a: dist.all_gather_into_tensor(o[0], i[0], async_op=a), [one[rank]], [torch.cat(one)])
    yield "gather", Call(lambda i, o, a: dist.gather(i[0], o if at_root else None, root, async_op=a), [one[rank]], one if at_root else [])
    yield "scatter", Call(lambda i, o, a: dist.scatter(o[0], i if at_root else None, root, async_op=a), parts[root] if at_root else [],
                          [parts[root][rank]])
    yield "reduce_scatter", Call(lambda i, o, a: dist.reduce_scatter(o[0], i, async_op=a), parts[rank], [summed.chunk(size)[rank]])
    yield "reduce_scatter_tensor", Call(lambda i, o, a: dist.reduce_scatter_tensor(o[0], i[0], async_op=a), [mine],
                                        [summed.chunk(size)[rank]])
    exchanged = [part[rank] for part in parts]
    if device != "cpu":  # Gloo has none
        yield "all_to_all", Call(lambda i, o, a: dist.all_to_all(o, i, async_op=a), parts[rank], exchanged)
    yield "all_to_all_single", Call(lambda i, o, a: dist.all_to_all_single(o[0], i[0], async_op=a), [mine], [torch.cat(exchanged)])
    # Rank r sends s + 1 rows to rank s, whatever r is.
    splits = [s + 1 for s in range(size)]
    begin = sum(splits[:rank])
    yield "all_to_all_single of unequal parts", Call(
        lambda i, o, a: dist.all_to_all_single(o[0], i[0], [rank + 1] * size, splits, async_op=a), [mine[:sum(splits)]],
        [torch.cat([x[begin:begin + rank + 1] for x in all_])])


def expect(got, wanted, what, exact=True):
    slack = 64 * torch.finfo(wanted.dtype).eps if wanted.dtype.is_floating_point else 0  # sums of another order
    good = torch.equal(got, wanted) if exact else torch.allclose(got, wanted, rtol=slack, atol=slack)
    assert good, (what, got, wanted)


def check(name, call, kinds_in, kinds_out, device, dtype, later):
    """One call, with the inputs and outputs in such layouts."""
    made_in = [LAYOUTS[kinds_in](*x.shape, device, dtype) for x in call.given]
    for (_, view), x in zip(made_in, call.given):
        view.copy_(x)
    made_out = made_in if call.both else [LAYOUTS[kinds_out](*x.shape, device, dtype) for x in call.wanted]
    work = call.run([view for _, view in made_in], [view for _, view in made_out], later)
    if later:
        assert work.wait() is not False
    what = name, kinds_in, kinds_out, later
    for (base, view), wanted in zip(made_out, call.wanted):
        expect(view, wanted, what, exact="reduce" not in name)
        view.fill_(GUARD)
        assert torch.equal(base, torch.full_like(base, GUARD)), what
    if not call.both:
        for (base, view), x in zip(made_in, call.given):
            expect(view, x, what)


def all_calls(device):
    """All mixes of layouts: ranks have other ones than their neighbours."""
    mixes(device)
    with mock.patch.object(packed, "PLANNED", 0):
        mixes(device)


def mixes(device):
    kinds, rank = len(LAYOUTS), dist.get_rank()
    for name, call in calls(device):
        for i in range(kinds):
            for j in range(1 if call.both else kinds):
                for later in (False, True):
                    check(name, call, (i + rank) % kinds, (j + rank) % kinds, device, "float32", later)
                    if rank == 0 and i == j:  # the others are contiguous
                        check(name, call, i, j, device, "float32", later)
                    elif i == j:
                        check(name, call, 0, 0, device, "float32", later)


def all_dtypes(device):
    more = [] if device == "cpu" else ["bfloat16", "bool"]  # Gloo knows fewer
    for dtype in ["float64", "float16", "int8", "uint8", "int32", "int64", *more]:
        for name, call in calls(device, dtype):
            if "reduce" not in name:
                for least in (0, packed.PLANNED):
                    with mock.patch.object(packed, "PLANNED", least):
                        check(name, call, 1, 2, device, dtype, False)


def odd_inputs(device):
    """Expanded ones, negated when read, empty, one of no dimension, a leaf of gradients; outputs whose elements are one."""
    for least in (packed.PLANNED, 0):
        with mock.patch.object(packed, "PLANNED", least):
            odd(device)


def odd(device):
    size, rank = dist.get_world_size(), dist.get_rank()
    every = [content(r, [1, 5], device=device).expand(3, 5) for r in range(size)]
    got = [torch.empty(5, 3, device=device).t() for _ in range(size)]
    dist.all_gather(got, every[rank])
    for x, y in zip(got, every):
        expect(x, y, "expanded")
    every = [content(r, [3, 1], device=device).expand(3, 5) for r in range(size)]
    dist.all_gather(got, every[rank])
    for x, y in zip(got, every):
        expect(x, y, "expanded along the last dimension")
    every = [content(r, [4, 5], "complex64", device=device).conj().imag for r in range(size)]
    got = [torch.empty(4, 5, device=device, dtype=torch.complex64).conj().imag for _ in range(size)]
    assert every[0].is_neg() and got[0].is_neg()
    dist.all_gather(got, every[rank])
    for x, y in zip(got, every):
        expect(x, y, "negated when read")
    dist.all_reduce(torch.empty(0, 4, device=device).t())
    x = torch.arange(3.0, device=device)[1]
    dist.all_reduce(x)
    assert x.item() == size
    with raises(RuntimeError, "single memory location"):
        dist.all_reduce(torch.ones(1, 3, device=device).expand(4, 3))
    x = torch.ones(3, 8, device=device)[:, ::2]
    before = x._version
    dist.broadcast(x, 0)
    if rank > 0 and size > 1:
        assert x._version > before
    leaf = torch.ones(8, 3, device=device).t().requires_grad_()
    dist.all_reduce(leaf)
    assert leaf.is_leaf and leaf.grad_fn is None
    expect(leaf.detach(), torch.full((3, 8), float(size), device=device), "a leaf")
    if device == "cpu":  # Gloo adds these, NCCL does not
        x = torch.sparse_coo_tensor([[rank]], [1.0], (size,))
        dist.all_reduce(x)
        expect(x.to_dense(), torch.ones(size), "sparse")


@of_several
def messages(device):
    """Rings of messages of one at a time, several, and a batch."""
    size, rank = dist.get_world_size(), dist.get_rank()
    to, of = (rank + 1) % size, (rank - 1) % size
    kinds = len(LAYOUTS)
    for kind in range(kinds):
        mine = LAYOUTS[(kind + rank) % kinds](6, 4, device, "float32")[1].copy_(content(rank, [6, 4], device=device))
        base, got = LAYOUTS[kind](6, 4, device, "float32")
        wanted = content(of, [6, 4], device=device)
        if rank % 2 == 0 and rank + 1 < size:
            dist.send(mine, rank + 1)
        elif rank % 2 == 1:
            dist.recv(got, rank - 1)
            expect(got, content(rank - 1, [6, 4], device=device), "recv")
        if device == "cpu":
            works = [dist.isend(mine, to, tag=3), dist.irecv(got, of, tag=3)]
            for work in works:
                work.wait()
            expect(got, wanted, "isend, irecv")
        got.fill_(GUARD)
        others = [(mine, got)] + [(mine.t(), torch.empty(6, 4, device=device).t())]
        batch = [op for ours, theirs in others for op in (dist.P2POp(dist.isend, ours, to), dist.P2POp(dist.irecv, theirs, of))]
        for work in dist.batch_isend_irecv(batch):
            work.wait()
        expect(got, wanted, "batch")
        expect(others[1][1], wanted.t(), "batch")
        got.fill_(GUARD)
        assert (base == GUARD).all()
    if device == "cpu" and rank == 0:
        for _ in range(size - 1):
            got = torch.empty(4, 6).t()
            sender = dist.recv(got)
            expect(got, content(sender, [6, 4]), "from any")
    elif device == "cpu":
        dist.send(content(rank, [6, 4]), 0)


@of_several
def a_batch_is_one_call(device):
    """Of a back end that has such, as NCCL does: it stands in for one here, since Gloo has none."""
    if device != "cpu":
        return
    calls, rank, size = [], dist.get_rank(), dist.get_world_size()

    class Inner:
        def _start_coalescing(self, device):
            calls.append("start")

        def send(self, tensors, to, tag):
            calls.append(("send", to))
            self.sent = tensors[0]

        def recv(self, tensors, of, tag):
            calls.append(("recv", of))
            assert tensors[0].is_contiguous()
            tensors[0].copy_(self.sent)

        def _end_coalescing(self, device):
            calls.append("end")
            return SimpleNamespace(wait=lambda: True)

    group, to, of = dist.group.WORLD, (rank + 1) % size, (rank - 1) % size
    x, got = content(rank, [6, 4]).t(), torch.zeros(6, 4).t()
    with mock.patch.object(group, "_inner", Inner()), \
            mock.patch.object(type(group), "_get_backend", lambda *_: SimpleNamespace(supports_coalescing=True)):
        for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, to), dist.P2POp(dist.irecv, got, of)]):
            work.wait()
        assert calls == ["start", ("send", to), ("recv", of), "end"], calls
        expect(got, x, "batch")
        calls.clear()
        with raises(RuntimeError, "single memory location"):
            dist.batch_isend_irecv([dist.P2POp(dist.isend, x, to), dist.P2POp(dist.irecv, torch.zeros(1, 6).expand(4, 6), of)])
        calls.clear()
        with mock.patch.object(Inner, "recv", mock.Mock(side_effect=RuntimeError("no such rank"))), raises(RuntimeError, "no such rank"):
            dist.batch_isend_irecv([dist.P2POp(dist.isend, x, to), dist.P2POp(dist.irecv, got, of)])
    assert calls == ["start", ("send", to), "end"], calls
    dist.all_reduce(torch.ones(4, 6).t())


def works(device):
    """Futures and callbacks, works that nobody waits for but by asking, coalesced calls."""
    size, rank = dist.get_world_size(), dist.get_rank()
    wanted = sum(content(r, [6, 4], device=device) for r in range(size))

    def started():
        x = torch.empty(4, 6, device=device).t().copy_(content(rank, [6, 4], device=device))
        return x, dist.all_reduce(x, async_op=True)
    x, work = started()
    work.get_future().wait()
    expect(x, wanted, "future", False)
    x, work = started()
    doubled = work.get_future().then(lambda future: future.value()[0] * 2).wait()
    expect(doubled, 2 * wanted, "callback", False)
    x, work = started()
    until = datetime.datetime.now() + datetime.timedelta(seconds=60)
    while not work.is_completed():
        assert datetime.datetime.now() < until
    expect(x, wanted, "is_completed", False)
    if device == "cpu":
        assert work.is_success()  # of which NCCL knows nothing
        return  # Gloo cannot coalesce
    xs = [torch.empty(4, 6, device=device).t().copy_(content(rank, [6, 4], device=device)) for _ in range(3)]
    with dist._coalescing_manager(device=torch.device(device), async_ops=True) as coalesced:
        for x in xs:
            dist.all_reduce(x)
    coalesced.wait()
    for x in xs:
        expect(x, wanted, "coalesced", False)


def barriers_beside_work(device):
    """Barriers while threads of the back end give up tensors, for which they need Python's lock."""
    for step in range(1000):
        x = torch.ones(3, device=device)
        work = dist.broadcast(x, step % dist.get_world_size(), async_op=True)
        work.wait()
        del x, work
        dist.barrier()


def functional_collectives(device):
    size, rank, group = dist.get_world_size(), dist.get_rank(), dist.group.WORLD
    all_ = [content(r, [6 * size, 4], device=device) for r in range(size)]
    mine = torch.empty(4, 6 * size, device=device).t().copy_(all_[rank])
    summed = sum(all_)
    expect(functional.all_reduce(mine, "sum", group) + 0, summed, "all_reduce", False)
    expect(functional.broadcast(mine, 0, group) + 0, all_[0], "broadcast")
    plain = mine.contiguous()
    expect(functional.all_gather_tensor(plain, 0, group) + 0, torch.cat(all_), "all_gather")
    expect(functional.reduce_scatter_tensor(plain, "sum", 0, group) + 0, summed.chunk(size)[rank], "reduce_scatter", False)
    expect(functional.all_to_all_single(plain, [6] * size, [6] * size, group) + 0, torch.cat([x.chunk(size)[rank] for x in all_]), "all_to_all")


def of_groups(device):
    """A group of some, which this process may not be in, one of its own, and a mesh."""
    size, rank = dist.get_world_size(), dist.get_rank()
    members = sorted({0, size - 1})
    some, alone = dist.new_group(members), [dist.new_group([one]) for one in range(size)][rank]
    assert dist.get_backend(alone) == "typewarp"
    x = torch.empty(4, 6, device=device).t().copy_(content(rank, [6, 4], device=device))
    if rank in members:
        dist.all_reduce(x, group=some)
        expect(x, sum(content(r, [6, 4], device=device) for r in members), "some", False)
        dist.destroy_process_group(some)
    dist.all_reduce(x, group=alone)
    mesh = torch.distributed.device_mesh.init_device_mesh(device, (1, size), mesh_dim_names=("a", "b"))
    x = torch.empty(4, 6, device=device).t().copy_(content(rank, [6, 4], device=device))
    dist.all_reduce(x, group=mesh["b"].get_group())
    expect(x, sum(content(r, [6, 4], device=device) for r in range(size)), "mesh", False)


def redistributes(device):
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    size = dist.get_world_size()
    mesh = torch.distributed.device_mesh.init_device_mesh(device, (size,))
    whole = content(0, [4 * size, 6 * size], device=device)
    sharded = distribute_tensor(whole, mesh, [Shard(0)])
    for placement in (Shard(1), Replicate(), Shard(0)):
        expect(sharded.redistribute(mesh, [placement]).full_tensor(), whole, placement)
    expect((sharded @ distribute_tensor(whole.t(), mesh, [Shard(1)])).full_tensor(), whole @ whole.t(), "product", False)


def replicates(device):
    """DistributedDataParallel averages the gradients."""
    torch.manual_seed(1)
    model = torch.nn.Linear(8, 4).to(device)
    every = [content(r, [3, 8], device=device) for r in range(dist.get_world_size())]
    replicated = torch.nn.parallel.DistributedDataParallel(model)
    replicated(every[dist.get_rank()]).square().mean().backward()
    got = model.weight.grad.clone()
    model.zero_grad()
    torch.stack([model(x).square().mean() for x in every]).mean().backward()
    expect(got, model.weight.grad, "gradients", False)


def errors_are_those_of(device, backend):
    """What wrong arguments raise, as plain contiguous tensors do in a group of another back end."""
    other = dist.new_group(backend=backend)

    def told(*run):
        found = []
        for group, change in ((other, lambda x: x), (None, lambda x: x.t().contiguous().t())):
            for one in run:
                try:
                    one(group, change)
                    found.append(None)
                except (RuntimeError, ValueError, TypeError) as error:
                    found.append((type(error), str(error).split("\n")[0][:40]))
        return found[:len(run)], found[len(run):]
    ones = torch.ones(4, 6, device=device)
    theirs, ours = told(lambda g, c: dist.all_gather_into_tensor(c(ones), c(torch.ones(3, 5, device=device)), group=g),
                        lambda g, c: dist.all_to_all_single(c(ones), c(ones), [1], [9], group=g),
                        lambda g, c: dist.all_reduce(c(ones), op=dist.ReduceOp.BAND, group=g))
    assert theirs == ours, (theirs, ours)


ALL = [all_calls, all_dtypes, odd_inputs, messages, a_batch_is_one_call, works, barriers_beside_work, functional_collectives, of_groups, redistributes, replicates]
