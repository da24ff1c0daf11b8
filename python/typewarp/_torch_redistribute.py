# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Redistribution of DTensors from shards to other shards of the same mesh by one exchange, without a permute."""
import functools
import itertools
import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.tensor import Replicate, Shard, _redistribute
from torch.distributed.tensor._dtensor_spec import DTensorSpec

from . import _torch_ways as _ways
from ._boxes import Box, Side
from ._torch_backend import TypewarpGroup
from ._torch_direct import Moves

Coordinate = tuple[int, ...]  # of a rank in its mesh

_MOST_RANKS = 256  # more than GPUs of one host: a route takes time as the square of their number


def _shard(shape: tuple[int, ...], mesh: tuple[int, ...], placements: tuple, at: Coordinate) -> Box:
    """What one rank has of a tensor, as torch.chunk() divides it. The peer means nothing."""
    starts, sizes = [0] * len(shape), list(shape)
    for ranks, placement, place in zip(mesh, placements, at):
        if type(placement) is Shard:
            dim = placement.dim
            length = -(-sizes[dim] // ranks)
            begin = min(place * length, sizes[dim])
            starts[dim], sizes[dim] = starts[dim] + begin, min(length, sizes[dim] - begin)
    return Box(0, tuple(starts), tuple(sizes))


class Route(NamedTuple):
    crossed: tuple[int, ...]                                 #: dimensions of the mesh along which something is sent
    pieces: dict[Coordinate, list[tuple[Coordinate, Box]]]   #: what each rank gets from which, in the whole tensor


@functools.lru_cache(maxsize=256)
def route(shape: tuple[int, ...], mesh: tuple[int, ...], current: tuple, target: tuple) -> Route:
    """Of ranks that have the same shard, the nearest one in the mesh sends, by turns if several are as near."""
    ranks = list(itertools.product(*map(range, mesh)))
    owners: dict[Box, list[Coordinate]] = {}
    for at in ranks:
        owners.setdefault(_shard(shape, mesh, current, at), []).append(at)
    pieces: dict[Coordinate, list[tuple[Coordinate, Box]]] = {}
    crossed = set()
    for number, at in enumerate(ranks):
        wanted = _shard(shape, mesh, target, at)
        pieces[at] = []
        for had, having in owners.items():
            piece = wanted.meeting(had)
            if piece.count > 0:
                turned = having[number % len(having):] + having[:number % len(having)]
                sender = min(turned, key=lambda other: sum(a != b for a, b in zip(at, other)))
                pieces[at].append((sender, piece))
                crossed |= {dim for dim, (a, b) in enumerate(zip(at, sender)) if a != b}
    return Route(tuple(sorted(crossed)), pieces)


def _is_one_collective(current: tuple, target: tuple) -> bool:
    """Whether PyTorch makes it by one all-gather, or by nothing but a view."""
    changed = [(a, b) for a, b in zip(current, target) if a != b]
    later = {placement.dim for placement in target if type(placement) is Shard}
    return not changed or (len(changed) == 1 and type(changed[0][0]) is Shard and type(changed[0][1]) is Replicate and changed[0][0].dim not in later)


def _is_plain(spec: DTensorSpec, dimensions: int) -> bool:
    """Whether it only has shards that follow each other as the dimensions of the mesh do."""
    if not all(type(placement) is Replicate or (type(placement) is Shard and 0 <= placement.dim < dimensions) for placement in spec.placements):
        return False
    return all(tuple(entry.mesh_dims) == tuple(sorted(entry.mesh_dims)) for entry in getattr(spec, "shard_order", None) or ())


class Plan(NamedTuple):
    """A redistribution as this rank sees it."""

    route: Route
    held: Box    #: of the whole tensor, before
    wanted: Box  #: and after


@functools.lru_cache(maxsize=256)
def plan(current: DTensorSpec, target: DTensorSpec) -> "Plan | None":
    """None where PyTorch's own way is taken, as in all ranks. Of a mesh all is read here, as that takes 100 us."""
    mesh, own = current.mesh, current.mesh.get_coordinate()
    if own is None or mesh != target.mesh or mesh.size() > _MOST_RANKS or current.tensor_meta is None:
        return None
    shape, placements = tuple(current.shape), (tuple(current.placements), tuple(target.placements))
    if math.prod(shape) == 0 or not all(_is_plain(spec, len(shape)) for spec in (current, target)) or _is_one_collective(*placements):
        return None
    sizes = tuple(mesh.mesh.shape)
    found = route(shape, sizes, *placements)
    return Plan(found, *(_shard(shape, sizes, one, tuple(own)) for one in placements)) if found.crossed else None


def _group(mesh: Any, crossed: tuple[int, ...]) -> Any:
    """Whose ranks make the exchange. None if there is none yet: to create one takes all ranks of the program."""
    if len(crossed) == 1:
        group = mesh.get_group(crossed[0])
    else:
        group = dist.group.WORLD if mesh.size() == dist.get_world_size() else None
    return group if isinstance(group, TypewarpGroup) else None


def _moves(planned: Plan, mesh: Any, group: Any, shape: tuple[int, ...]) -> Moves:
    found, held, wanted = planned
    if held.sizes != shape:
        raise ValueError(f"a shard of {list(shape)} in place of {list(held.sizes)}")
    own = tuple(mesh.get_coordinate())

    def rank_of(at: Coordinate) -> int:
        return dist.get_group_rank(group, int(mesh.mesh[at]))

    sends = [piece.seen_from(held, rank_of(at)) for at, pieces in found.pieces.items() for sender, piece in pieces if sender == own]
    receives = [piece.seen_from(wanted, rank_of(sender)) for sender, piece in found.pieces[own]]
    return Moves(sends, Side(wanted.sizes, receives))


def by_one_exchange(x: torch.Tensor, current: DTensorSpec, target: DTensorSpec) -> "torch.Tensor | None":
    """The new local tensor, or None where PyTorch's own way is taken, as in all ranks."""
    if (torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack() > 0
            or type(x) not in (torch.Tensor, torch.nn.Parameter, AsyncCollectiveTensor)):
        return None
    planned, mesh = plan(current, target), current.mesh
    group = None if planned is None else _group(mesh, planned.route.crossed)
    if group is None:
        return None
    if isinstance(x, AsyncCollectiveTensor):
        x = x.trigger_wait()
    x = x.detach().resolve_conj().resolve_neg().contiguous()
    what = _ways.What(tuple(current.shape), (), x.dtype, x.device, None, None, (mesh, tuple(current.placements), tuple(target.placements)))
    ways = _ways.of_group(group.group_name)
    if not ways.has_made(what) and _ways.capturing():
        return None  # what NCCL does can be captured at once
    return ways.exchanged(x, what, lambda: _moves(planned, mesh, group, tuple(x.shape)))


def _with_exchanges(original: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    @functools.wraps(original)
    def redistribute_local_tensor(local_tensor: torch.Tensor, current_spec: DTensorSpec, target_spec: DTensorSpec, **options: Any) -> torch.Tensor:
        made = by_one_exchange(local_tensor, current_spec, target_spec)
        return original(local_tensor, current_spec, target_spec, **options) if made is None else made
    redistribute_local_tensor.replaces = original
    return redistribute_local_tensor


def install() -> None:
    """DTensors redistribute so from now on."""
    original = _redistribute.redistribute_local_tensor
    if hasattr(original, "replaces"):
        return
    replaced = _with_exchanges(original)
    for module in [module for name, module in sys.modules.items() if name.startswith("torch.distributed.")]:
        if vars(module).get("redistribute_local_tensor") is original:
            module.redistribute_local_tensor = replaced
