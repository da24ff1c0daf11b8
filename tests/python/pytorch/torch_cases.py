# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What each process of a test of typewarp.torch does. Tensors of all ranks follow from a seed, so each process knows what it should get."""

from processes import of_several, raises
import torch
import torch.distributed as dist

import typewarp.torch

# Dimensions to scatter and to gather, and the shape of a rank's tensor, of which P is multiplied to the scattered one.
DIMENSIONS = [((2, 6, 4, 8), 2, 1), ((2, 6, 4, 8), 1, 2), ((3, 5), 0, 1), ((3, 5), -1, -2), ((1, 7, 3, 5), 2, 1), ((4, 1, 2, 3, 2), 4, 0),
              ((3, 5), 0, 0), ((2, 6, 4, 8), 2, -2)]
DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool", "complex64", "complex128",
          "float8_e4m3fn", "float8_e5m2"]


def shape_of(shape, scatter_dim):
    shape = list(shape)
    shape[scatter_dim] *= dist.get_world_size()
    return shape


def content(rank, shape, dtype="float32", seed=0, device="cpu"):
    generator = torch.Generator().manual_seed(1000 * seed + rank)
    if dtype == "bool":
        return torch.randint(2, shape, generator=generator).bool().to(device)
    kind = getattr(torch, dtype)
    if kind.is_floating_point or kind.is_complex:
        return torch.randn(shape, generator=generator, dtype=torch.complex128 if kind.is_complex else torch.float64).to(kind).to(device)
    return torch.randint(-100, 100, shape, generator=generator).to(kind).to(device)


def exchanged(tensors, scatter_dim, gather_dim):
    """What each rank gets of the tensors of all."""
    return [torch.cat([x.chunk(len(tensors), scatter_dim)[rank] for x in tensors], gather_dim) for rank in range(len(tensors))]


def same(got, wanted):
    assert got.shape == wanted.shape and got.dtype == wanted.dtype and got.is_contiguous(), (got.shape, wanted.shape, got.dtype)
    assert torch.equal(*(x.contiguous().view(-1).view(torch.uint8) for x in (got, wanted)))


def of_all(shape, dtype="float32", seed=0, device="cpu"):
    return [content(rank, shape, dtype, seed, device) for rank in range(dist.get_world_size())]


def check(make, scatter_dim, gather_dim, group=None):
    """The exchange of make(rank), a tensor of each rank."""
    ranks = range(dist.get_world_size()) if group is None else dist.get_process_group_ranks(group)
    wanted = exchanged([make(rank) for rank in ranks], scatter_dim, gather_dim)[dist.get_rank(group)]
    same(typewarp.torch.all_to_all(make(dist.get_rank()), scatter_dim, gather_dim, group), wanted)


def all_dimensions(device):
    for shape, scatter_dim, gather_dim in DIMENSIONS:
        check(lambda rank: content(rank, shape_of(shape, scatter_dim), device=device), scatter_dim, gather_dim)


def all_dtypes(device):
    for dtype in DTYPES:
        check(lambda rank: content(rank, shape_of((2, 5, 3, 7), 2), dtype, device=device), 2, 1)
        check(lambda rank: content(rank, shape_of((2, 5, 3, 7), 1), dtype, device=device)[..., 1::2], 1, 2)


def all_layouts(device):
    """Tensors with gaps, in any order, at odd addresses, with elements that are one, conjugated ones."""
    size = dist.get_world_size()
    wide = [2, 6, 3 * size + 1, 9]
    for change in (lambda x: x[:, :, 1:], lambda x: x[:, ::2, :-1, ::4], lambda x: x[:, :, :-1].transpose(1, 3).contiguous().transpose(1, 3),
                   lambda x: x[:, :, 1:, 1:], lambda x: x[:, :, 1:].flip(1), lambda x: x[:1, :1, :-1].expand(4, 5, -1, -1),
                   lambda x: x[:, :, :-1].permute(3, 0, 2, 1)):
        for dtype in ("float32", "bfloat16", "uint8"):
            check(lambda rank: change(content(rank, wide, dtype, device=device)), 2, 1)
    check(lambda rank: content(rank, wide, "complex64", device=device)[:, :, 1:].conj(), 2, 1)
    check(lambda rank: content(rank, wide, "complex64", device=device)[:, :, 1:].conj().imag, 2, 1)


def of_no_bytes(device):
    size = dist.get_world_size()
    for shape in ([2, 0, size, 3], [0, 4, size, 3], [2, 4, 0, 3]):
        got = typewarp.torch.all_to_all(torch.ones(shape, device=device, requires_grad=True), 2, 1)
        assert list(got.shape) == [shape[0], shape[1] * size, shape[2] // size, shape[3]]
        got.sum().backward()


def gradients(device, compiled=False):
    for gather_dim in (1, 2):
        gradients_of(device, compiled, 2, gather_dim)


def gradients_of(device, compiled, scatter_dim, gather_dim):
    """d/dx sum(w * y^3), and d/dx sum(v * that), of the sum over all ranks."""
    rank = dist.get_rank()
    shape = shape_of((2, 4, 3, 5), scatter_dim)
    xs, vs = of_all(shape, "float64", 1, device), of_all(shape, "float64", 2, device)
    ys = exchanged(xs, scatter_dim, gather_dim)
    ws = of_all(ys[0].shape, "float64", 3, device)

    def cubed(x):
        return typewarp.torch.all_to_all(x * 1, scatter_dim, gather_dim) ** 3
    if compiled:
        cubed = torch.compile(cubed, fullgraph=True, backend="aot_eager", dynamic=compiled == "dynamic")
    x = xs[rank].clone().requires_grad_()
    y = cubed(x)
    assert torch.allclose(y.detach(), ys[rank] ** 3)
    once, = torch.autograd.grad((y * ws[rank]).sum(), x, create_graph=not compiled)
    assert torch.allclose(once, exchanged([3 * a ** 2 * w for a, w in zip(ys, ws)], gather_dim, scatter_dim)[rank])
    if compiled:
        return
    twice, = torch.autograd.grad((once * vs[rank]).sum(), x)
    vs = exchanged(vs, scatter_dim, gather_dim)
    assert torch.allclose(twice, exchanged([6 * a * w * v for a, w, v in zip(ys, ws, vs)], gather_dim, scatter_dim)[rank])


def compiles(device):
    gradients(device, "static")
    gradients(device, "dynamic")
    torch._dynamo.reset()
    step = torch.compile(lambda x: typewarp.torch.all_to_all(x + 1, 2, 1) * 2, fullgraph=True, backend="aot_eager", dynamic=True)
    for length in (4, 6, 9):
        xs = of_all(shape_of((2, length, 2, 3), 2), device=device)
        same(step(xs[dist.get_rank()]), exchanged([x + 1 for x in xs], 2, 1)[dist.get_rank()] * 2)


def is_a_proper_operator(device):
    x = content(dist.get_rank(), shape_of((2, 4, 3, 5), 2), device=device).requires_grad_()
    torch.library.opcheck(torch.ops.typewarp.all_to_all.default, (x, 2, 1, dist.group.WORLD.group_name))


def of_groups(device):
    """A group of some, one that this process is not in, and one of its own."""
    size, rank = dist.get_world_size(), dist.get_rank()
    some = dist.new_group(sorted({0, size - 1}))
    alone = [dist.new_group([one]) for one in range(size)][rank]
    if rank in (0, size - 1):
        check(lambda rank: content(rank, [2, 4, 6], device=device), 2, 1, some)
    else:
        with raises(ValueError, "group: this process is not in it"):
            typewarp.torch.all_to_all(torch.ones(2, 4, 6, device=device), 2, 1, some)
    check(lambda rank: content(rank, [2, 4, 6], device=device), 2, 1, alone)
    if rank in (0, size - 1):
        typewarp.torch.clear(some)


def wrong_arguments():
    size = dist.get_world_size()
    x = torch.ones(2, 4 * size, 3)

    def refused(kind, text, *arguments):
        with raises(kind, text):
            typewarp.torch.all_to_all(*arguments)
    refused(TypeError, "x: list is not a tensor", [1, 2], 0, 1)
    refused(ValueError, "x: must be a dense tensor", x.to_sparse(), 1, 0)
    refused(ValueError, "scatter_dim: 3 is none of 3 dimensions", x, 3, 0)
    refused(ValueError, "gather_dim: -4 is none of 3 dimensions", x, 1, -4)
    refused(TypeError, "gather_dim: str is not an integer", x, 1, "0")
    refused(TypeError, "group: int is not a process group", x, 1, 0, 7)
    if size > 1:
        refused(ValueError, f"x: its size {4 * size + 1} along scatter_dim 0 must be divisible by the {size} ranks",
                torch.ones(4 * size + 1, 3), 0, 1)


@of_several
def falls_back():
    all_dimensions("cpu")
    assert typewarp.torch.fallback_reason("cpu") == "rank 0: tensors of cpu are not on a GPU with CUDA"
    assert typewarp.torch.kept() == []
    typewarp.torch.clear()
    all_dimensions("cpu")
