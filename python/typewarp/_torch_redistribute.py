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
from ._torch_meeting import MOST_RANKS

Coordinate = tuple[int, ...]  # of a rank in its mesh


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


class Plan(NamedTuple):
    """A redistribution as one rank sees it. To find one takes time as the square of the number of ranks."""

    crossed: tuple[int, ...]                  #: dimensions of the mesh along which any rank sends
    held: Box                                 #: of the whole tensor, before
    wanted: Box                               #: and after
    sends: list[tuple[Coordinate, Box]]       #: to whom, in the whole tensor
    receives: list[tuple[Coordinate, Box]]    #: from whom


@functools.lru_cache(maxsize=1024)
def route(shape: tuple[int, ...], mesh: tuple[int, ...], current: tuple, target: tuple, own: Coordinate) -> Plan:
    """Of ranks that have the same shard, the nearest one in the mesh sends, by turns if several are as near."""
    ranks = list(itertools.product(*map(range, mesh)))
    owners: dict[Box, list[Coordinate]] = {}
    for at in ranks:
        owners.setdefault(_shard(shape, mesh, current, at), []).append(at)
    crossed, sends, receives = set(), [], []
    for number, at in enumerate(ranks):
        wanted = _shard(shape, mesh, target, at)
        for had, having in owners.items():
            piece = wanted.meeting(had)
            if piece.count == 0:
                continue
            turned = having[number % len(having):] + having[:number % len(having)]
            sender = min(turned, key=lambda other: sum(a != b for a, b in zip(at, other)))
            crossed |= {dim for dim, (a, b) in enumerate(zip(at, sender)) if a != b}
            if sender == own:
                sends.append((at, piece))
            if at == own:
                receives.append((sender, piece))
    return Plan(tuple(sorted(crossed)), _shard(shape, mesh, current, own), _shard(shape, mesh, target, own), sends, receives)


def _is_left(current: tuple, target: tuple) -> bool:
    """Whether PyTorch does as well: by one all-gather, by a view, or by gathers of all, whose memory it can use again."""
    if not any(type(placement) is Shard for placement in target) or not any(type(placement) is Shard for placement in current):
        return True
    changed = [dim for dim, (a, b) in enumerate(zip(current, target)) if a != b]
    if len(changed) != 1:
        return not changed
    before, after, later = current[changed[0]], target[changed[0]], target[changed[0] + 1:]
    return type(before) is Shard and type(after) is Replicate and before.dim not in {one.dim for one in later if type(one) is Shard}


def _is_plain(spec: DTensorSpec, dimensions: int) -> bool:
    """Whether it only has shards that follow each other as the dimensions of the mesh do."""
    if not all(type(placement) is Replicate or (type(placement) is Shard and 0 <= placement.dim < dimensions) for placement in spec.placements):
        return False
    return all(tuple(entry.mesh_dims) == tuple(sorted(entry.mesh_dims)) for entry in getattr(spec, "shard_order", None) or ())


def _group(mesh: Any, crossed: tuple[int, ...]) -> Any:
    """Whose ranks make the exchange. None if there is none yet: to create one takes all ranks of the program."""
    if len(crossed) == 1:
        group = mesh.get_group(crossed[0])
    else:
        group = dist.group.WORLD if mesh.size() == dist.get_world_size() else None
    return group if isinstance(group, TypewarpGroup) else None


def _moves(planned: Plan, mesh: Any, group: Any, shape: tuple[int, ...]) -> Moves:
    _check_shape(planned, shape)

    def rank_of(at: Coordinate) -> int:
        return dist.get_group_rank(group, int(mesh.mesh[at]))

    sends = [piece.seen_from(planned.held, rank_of(at)) for at, piece in planned.sends]
    receives = [piece.seen_from(planned.wanted, rank_of(sender)) for sender, piece in planned.receives]
    return Moves(sends, Side(planned.wanted.sizes, receives))


def _check_shape(planned: Plan, shape: tuple[int, ...]) -> None:
    if planned.held.sizes != shape:
        raise ValueError(f"a DTensor has a shard of {list(shape)} in place of {list(planned.held.sizes)}")


def _is_free(x: torch.Tensor) -> bool:
    """Whether this back end may choose the way. Modes that only observe, such as one that counts in one rank, must not decide it."""
    if (type(x) not in (torch.Tensor, torch.nn.Parameter, AsyncCollectiveTensor) or x.is_meta or torch.compiler.is_compiling()
            or torch._C._are_functorch_transforms_active()):
        return False
    return not _ways.is_traced()


def by_one_exchange(x: torch.Tensor, current: DTensorSpec, target: DTensorSpec) -> "torch.Tensor | None":
    """The new local tensor, or None where PyTorch's own way is taken, as in all ranks of the group."""
    mesh, own = current.mesh, current.mesh.get_coordinate()
    if own is None or mesh != target.mesh or not 1 < mesh.size() <= MOST_RANKS or current.tensor_meta is None or not _is_free(x):
        return None
    shape, placements = tuple(current.shape), (tuple(current.placements), tuple(target.placements))
    if math.prod(shape) == 0 or not all(_is_plain(spec, len(shape)) for spec in (current, target)) or _is_left(*placements):
        return None
    where = shape, tuple(mesh.shape), *placements, tuple(own)
    crossed = (0,) if mesh.ndim == 1 else route(*where).crossed  # a route takes time, and most shapes of some programs come once
    group = _group(mesh, crossed) if crossed else None
    if group is None:
        return None
    ways = _ways.of_group(group.group_name)
    what = _ways.What(shape, (), x.dtype, x.device, None, None, (mesh, *placements))
    kept = ways.kept_for(what)
    if kept is not None and isinstance(kept.found, str):
        return None
    if kept is not None:
        _check_shape(route(*where), tuple(x.shape))
    elif _ways.capturing() or ways.fallback_reason(x.device) is not None or not ways.is_worth(what):
        return None  # to prepare takes all ranks and the host's time, and cannot be captured as NCCL's calls can
    if isinstance(x, AsyncCollectiveTensor):
        x = x.trigger_wait()
    x = x.detach().resolve_conj().resolve_neg().contiguous()
    return ways.exchanged(x, what, lambda: _moves(route(*where), mesh, group, tuple(x.shape)))


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
