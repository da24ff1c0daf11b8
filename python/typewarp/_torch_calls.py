# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges that do what collective calls of torch.distributed do, for tensors that lie in memory differently from call to call."""
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import increment_version

from ._boxes import Box, Side
from ._core import View
from ._ranks import Ranks
from ._torch_direct import DirectExchange, Moves, capturing
from ._torch_packed import has_memory


class Kind(NamedTuple):
    """What a call does with its tensors."""

    name: str
    divided: bool  #: the input has a part for each rank
    joined: bool   #: the output has a part from each rank
    number: int


GATHER, SCATTER, ALL_TO_ALL = Kind("all_gather", False, True, 0), Kind("reduce_scatter", True, False, 1), Kind("all_to_all", True, True, 2)
# Calls whose tensors are equally long in all ranks, by the names of several releases of PyTorch.
KINDS = {"_allgather_base": GATHER, "all_gather_single": GATHER, "_reduce_scatter_base": SCATTER, "reduce_scatter_single": SCATTER,
         "alltoall_base": ALL_TO_ALL, "all_to_all_single": ALL_TO_ALL}


class Form(NamedTuple):
    """How an exchange sees the tensors of a call: with a dimension of ranks in front where there is a part for each or from each, and the
    dimensions of a part in the order in which inputs have them in memory, since rows that are short there are short for the link."""

    kind: Kind
    given: tuple[int, ...]     #: the input's shape, before its dimensions are put in order
    wanted: tuple[int, ...]    #: the output's
    order: tuple[int, ...]     #: of the dimensions of a part

    @classmethod
    def of(cls, kind: Kind, size: int, x: torch.Tensor, ranks: Ranks) -> "Form":
        """That of the first call. Collective, since all ranks must have one order of dimensions. If they differ, it is the order of indices."""
        given = _with_parts(x.shape, size) if kind.divided else tuple(x.shape)
        part = given[kind.divided:]
        # What cannot be viewed is copied, here without memory.
        strides = torch.empty_strided(x.shape, x.stride(), device="meta").reshape(given).stride()[kind.divided:]
        inner = [stride if length > 1 else 0 for length, stride in zip(part, strides)]
        order = tuple(sorted(range(len(part)), key=lambda dim: inner[dim] or sys.maxsize, reverse=True))
        told = repr((part, order)).encode()
        if any(other != told for other in ranks.gather(told)):
            order = tuple(range(len(part)))
        return cls(kind, given, (size, *part) if kind.joined else part, order)

    # Views. RuntimeError: there is none.
    def of_given(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(self.given).permute(self._dimensions(self.kind.divided))

    def of_wanted(self, out: torch.Tensor) -> torch.Tensor:
        return out.view(self.wanted).permute(self._dimensions(self.kind.joined))

    def moves(self, rank: int) -> Moves:
        """Those of a rank. What it adds up, it does not send to itself."""
        given, wanted = [self._ordered(*side) for side in ((self.given, self.kind.divided), (self.wanted, self.kind.joined))]
        peers = [peer for peer in range((given if self.kind.divided else wanted)[0]) if peer != rank or self.kind is not SCATTER]
        sends = [_part(peer, given) if self.kind.divided else Box(peer, (0,) * len(given), given) for peer in peers]
        result = given if self.kind is SCATTER else wanted
        return Moves(sends, Side(result, [_part(peer, result) for peer in peers]))

    def _dimensions(self, in_parts: bool) -> tuple[int, ...]:
        return (0, *(dim + 1 for dim in self.order)) if in_parts else self.order

    def _ordered(self, shape: tuple[int, ...], in_parts: bool) -> tuple[int, ...]:
        return tuple(shape[dim] for dim in self._dimensions(in_parts))


def _with_parts(shape: "torch.Size", size: int) -> tuple[int, ...]:
    if shape and shape[0] % size == 0:
        return (size, shape[0] // size, *shape[1:])
    return size, shape.numel() // size


def _part(rank: int, shape: tuple[int, ...]) -> Box:
    return Box(rank, (rank, *[0] * (len(shape) - 1)), (1, *shape[1:]))


class Lies(NamedTuple):
    """How two tensors lie in memory."""

    x: tuple[int, ...]
    x_strides: tuple[int, ...]
    out: tuple[int, ...]
    out_strides: tuple[int, ...]

    @classmethod
    def of(cls, x: torch.Tensor, out: torch.Tensor) -> "Lies":
        return cls(x.shape, x.stride(), out.shape, out.stride())


class CallExchange(DirectExchange):
    """Of a call. Tensors of the first few layouts are taken as they are, others copied before and after. Peers see no difference."""

    LAYOUTS = 8

    def __init__(self, form: Form, x: torch.Tensor, out: torch.Tensor, *how: Any):
        self.form = form
        given, wanted = self._taken(x, out)
        self._layouts: dict[Lies, int | None] = {Lies.of(given, wanted): 0}  # the numbers; None of what could not be added
        super().__init__(form.of_given(given), *how, form.of_wanted(wanted))

    def run(self, x: torch.Tensor, out: torch.Tensor) -> None:
        """On the current stream."""
        number = self._layouts.get(Lies.of(x, out))
        if number is not None and has_memory(x) and has_memory(out):
            self(x, out, number)
            increment_version(out)
            return
        given, wanted = self._taken(x, out)
        number = self._added(given, wanted)
        if number is None:
            number, first = 0, next(iter(self._layouts))
            given = _new(x, first.x, first.x_strides).copy_(given.reshape(first.x))
            wanted = _new(x, first.out, first.out_strides)
        self(given, wanted, number)
        if wanted is out:
            increment_version(out)
        else:
            out.detach().copy_(wanted.reshape(out.shape))

    def _taken(self, x: torch.Tensor, out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The tensors, or new contiguous ones in their place where an element has no memory of its own, or too much."""
        return (x if _is_compact(x, self.form.of_given) else _new(x, x.shape).copy_(x),
                out if _is_compact(out, self.form.of_wanted) else _new(out, out.shape))

    def _added(self, given: torch.Tensor, wanted: torch.Tensor) -> int | None:
        lies = Lies.of(given, wanted)
        if lies not in self._layouts and len(self._layouts) < self.LAYOUTS and not capturing(given.device):
            try:
                self._layouts[lies] = self.add_layout(self.form.of_given(given), self.form.of_wanted(wanted))
            except Exception:  # noqa: BLE001: others do not know of it, and wait for this call
                self._layouts[lies] = None  # counts, so that failures are few
        return self._layouts.get(lies)


class Place(NamedTuple):
    """Of some elements in tensors of one layout. To find them anew takes 20 us, half a short call."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    begin: int  #: in elements, from the tensor's first one

    @classmethod
    def of(cls, elements: torch.Tensor, x: torch.Tensor) -> "Place":
        return cls(elements.shape, elements.stride(), elements.storage_offset() - x.storage_offset())

    def in_(self, x: torch.Tensor) -> torch.Tensor:
        x = x.detach() if x.requires_grad else x
        return x.as_strided(self.shape, self.strides, x.storage_offset() + self.begin)


class CallSum(CallExchange):
    """Of reduce_scatter. The result is the sum of this rank's part and of what peers sent, in the order of ranks."""

    def __init__(self, *given: Any):
        self._places: dict[int, tuple[Place, Place]] = {}  # of this rank's part and the result, by layout
        super().__init__(*given)
        self._received = [part for received, _ in self.arrived for part in received]

    def _unpacks(self, words: torch.Tensor) -> "list[tuple[View, View]]":
        return []

    def _finish(self, x: torch.Tensor, out: torch.Tensor, layout: int) -> None:
        if layout not in self._places:
            own, wanted = self.form.of_given(x.detach())[self.rank], self.form.of_wanted(out.detach())
            self._places[layout] = Place.of(own, x), Place.of(wanted, out)
        own, wanted = self._places[layout]
        total, *rest, last = [*self._received[:self.rank], own.in_(x), *self._received[self.rank:]]
        for term in rest:
            total = total + term
        torch.add(total, last, out=wanted.in_(out))  # at the end, as `out` may be one of the terms


def _new(like: torch.Tensor, shape: tuple[int, ...], strides: "tuple[int, ...] | None" = None) -> torch.Tensor:
    if strides is None:
        return torch.empty(shape, dtype=like.dtype, device=like.device)
    return torch.empty_strided(shape, strides, dtype=like.dtype, device=like.device)


def _is_compact(x: torch.Tensor, seen: Callable[[torch.Tensor], torch.Tensor]) -> bool:
    """Whether an exchange can take it: it has memory that `seen` can view, no element is there twice, and not much lies between them."""
    if not has_memory(x):
        return False
    try:
        seen(x.detach())
    except RuntimeError:
        return False
    extent = 1
    for stride, size in sorted((stride, size) for size, stride in zip(x.shape, x.stride()) if size > 1):
        if stride < extent:
            return False
        extent += stride * (size - 1)
    return extent <= 8 * x.numel()
