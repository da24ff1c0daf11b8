# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges that do what collective calls of torch.distributed do, for tensors that lie in memory differently from call to call."""
import sys
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import increment_version

from ._boxes import Box, Side
from ._ranks import Ranks
from ._torch_direct import DirectExchange, Layout, Moves, View
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
    def of(cls, kind: Kind, size: int, x: torch.Tensor, out: torch.Tensor, ranks: Ranks) -> "Form":
        """That of the first call. Collective, since all ranks must have one order of dimensions. Where they have not, it is that of indices."""
        given = _with_parts(x.shape, size) if kind.divided else tuple(x.shape)
        wanted = given[1:] if kind is SCATTER else _with_parts(out.shape, size)
        part = given[kind.divided:]
        strides = x.reshape(given).stride()[kind.divided:]
        inner = [stride if size > 1 else 0 for size, stride in zip(part, strides)]
        order = tuple(sorted(range(len(part)), key=lambda dim: inner[dim] or sys.maxsize, reverse=True))
        told = repr((part, wanted[kind.joined:], order)).encode()
        if part != wanted[kind.joined:] or any(other != told for other in ranks.gather(told)):
            order = tuple(range(len(part)))
        return cls(kind, given, wanted, order)

    def of_given(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(self.given).permute(self._dimensions(self.kind.divided))

    def of_wanted(self, out: torch.Tensor) -> torch.Tensor:
        return out.reshape(self.wanted).permute(self._dimensions(self.kind.joined))

    def back(self, wanted: torch.Tensor, shape: "torch.Size") -> torch.Tensor:
        """The reverse of of_wanted()."""
        there = self._dimensions(self.kind.joined)
        return wanted.permute(sorted(range(len(there)), key=there.__getitem__)).reshape(shape)

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


class CallExchange(DirectExchange):
    """Of a call. Tensors that lie in memory as those of the first one are taken as they are."""

    def __init__(self, form: Form, x: torch.Tensor, out: torch.Tensor, *how: Any):
        self._form = form
        (given, self._x), (wanted, self._out) = _bound(x, form.of_given), _bound(out, form.of_wanted)
        super().__init__(given, *how, wanted)

    def run(self, x: torch.Tensor, out: torch.Tensor) -> None:
        """On the current stream."""
        read = bare(x)
        given = self._form.of_given(read)
        if self._x is None or Layout.of(read) != self._x:
            given = self.given.empty(x).copy_(given)
        if self._out is not None and Layout.of(out) == self._out and has_memory(out):
            increment_version(out)
            self(given, self._form.of_wanted(bare(out)))
        else:
            made = self(given, self.wanted.empty(x))
            out.detach().copy_(self._form.back(made, out.shape))


class CallSum(CallExchange):
    """Of reduce_scatter. The result is the sum of this rank's part and of what peers sent, in the order of ranks."""

    def _unpacks(self, words: torch.Tensor) -> "list[tuple[View, View]]":
        return []

    def _finish(self, x: torch.Tensor, out: torch.Tensor) -> None:
        terms = {self.rank: x[self.rank]}
        for received, whole in self.arrived:
            terms.update(enumerate(received, whole.starts[0]))
        total, *rest, last = [terms[rank] for rank in sorted(terms)]
        for term in rest:
            total = total + term
        torch.add(total, last, out=out)  # at the end, as `out` may be one of the terms


def call_exchange(kind: Kind, *given: Any) -> CallExchange:
    return (CallSum if kind is SCATTER else CallExchange)(*given)


def bare(x: torch.Tensor) -> torch.Tensor:
    """A tensor of which no gradient is asked, whose memory has its elements."""
    x = x.detach() if x.requires_grad else x
    return x if has_memory(x) else torch.empty(x.shape, dtype=x.dtype, device=x.device).copy_(x)


def _bound(x: torch.Tensor, seen: Any) -> "tuple[torch.Tensor, Layout | None]":
    """What an exchange is made for, and the layout of tensors that it takes as they are. None if it can take none: of a tensor that has no
    memory of its own for each element, or much more memory than elements, of which copies would take as much."""
    y = seen(bare(x))
    if has_memory(x) and y.data_ptr() == x.data_ptr() and _is_dense(y):
        return y, Layout.of(x)
    return torch.empty(y.shape, dtype=y.dtype, device=y.device), None


def _is_dense(x: torch.Tensor) -> bool:
    """Whether no element is in memory twice, and not much lies between them."""
    extent = 1
    for stride, size in sorted((stride, size) for size, stride in zip(x.shape, x.stride()) if size > 1):
        if stride < extent:
            return False
        extent = stride * (size - 1) + extent
    return extent <= 8 * x.numel()
