# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls of the back end "typewarp" by exchanges, which take noncontiguous tensors as they are: GPUs write into each other's memory
from one rank's layout, and each rank moves what came into its own."""
import functools
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import Work
from torch.autograd.graph import increment_version

from . import _torch_ways as _ways
from ._boxes import Box, Side
from ._torch_direct import DirectExchange, DirectSum, Layout, Moves
from ._torch_packed import UnpackedWork, check_written, has_memory


class Kind(NamedTuple):
    """What a call does with its tensors."""

    name: str
    divided: bool  #: the input has a part for each rank
    joined: bool   #: the output has one of each


_GATHER, _SCATTER, _EXCHANGE = Kind("all_gather", False, True), Kind("reduce_scatter", True, False), Kind("all_to_all", True, True)
# Calls whose tensors are equally long in all ranks, by the names of several releases of PyTorch.
KINDS = {"_allgather_base": _GATHER, "all_gather_single": _GATHER, "_reduce_scatter_base": _SCATTER, "reduce_scatter_single": _SCATTER,
         "alltoall_base": _EXCHANGE, "all_to_all_single": _EXCHANGE}
_SUMMED = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}

# Of each so many calls, ranks begin to tell each other at one which of them had noncontiguous tensors, and know it from another one on: the
# host does not wait in between.
EVERY, BEGIN, END = 128, 2, 16
_TOLD = 64    # at once
_MOST = 1024  # that are known


def on_gpu(x: Any) -> bool:
    return getattr(x, "is_cuda", False)


class Collectives:
    """The calls of one rank of a group. All ranks choose alike: by the number of calls so far, by lengths, and by what they have told each
    other. Whether a tensor is contiguous, the others do not know."""

    def __init__(self, inner: Any, rank: int, size: int):
        self._inner, self._rank, self._size = inner, rank, size
        self._count = 0
        self._met: dict[int, None] = {}  # calls that had noncontiguous tensors here, of which the others may not know
        self._known: set[int] = set()    # those of which all ranks know
        self._telling: tuple[list[torch.Tensor], Any] | None = None

    def made(self, group: Any, kind: Kind, plainly: bool, arguments: tuple) -> "Work | None":
        """The work of a call of `group`; None if PyTorch's group is to make it. `plainly` says that the tensors are contiguous."""
        self._count += 1
        turn = self._count % EVERY
        if turn == BEGIN:
            self._tell()
        elif turn == END and self._telling is not None:
            self._hear()
        if plainly and not self._known:
            return None
        out, x, *_, options = arguments
        if not self._is_taken(kind, arguments):
            return None
        call = _number(kind.name, x.numel(), x.dtype)
        if call not in self._known:
            if not plainly:
                self._meet(call)
            return None
        if not plainly:
            check_written(out)
        found = self._prepared(group.group_name, kind, out, x)
        return None if found is None else self._run(found, kind, out, x, group.side if getattr(options, "asyncOp", True) else None)

    def _is_taken(self, kind: Kind, arguments: tuple) -> bool:
        """Whether the arguments are right, and such that exchanges can do the same."""
        out, x, *splits, options = arguments
        short, long = (x, out) if kind is _GATHER else (out, x)
        return (x.device == out.device and x.dtype == out.dtype and x.layout is out.layout is torch.strided and x.numel() > 0
                and long.numel() == short.numel() * (1 if kind is _EXCHANGE else self._size) and long.numel() % self._size == 0
                and not any(splits) and (kind is not _SCATTER or (options.reduceOp == dist.ReduceOp.SUM and x.dtype in _SUMMED)))

    def _meet(self, call: int) -> None:
        self._met.pop(call, None)
        self._met[call] = None
        if len(self._met) > _TOLD:
            del self._met[next(iter(self._met))]

    def _tell(self) -> None:
        mine = torch.tensor([*self._met, *[0] * (_TOLD - len(self._met))])
        told = [torch.empty_like(mine) for _ in range(self._size)]
        self._telling = told, self._inner.allgather([told], [mine])

    def _hear(self) -> None:
        (told, work), self._telling = self._telling, None
        work.wait()
        heard = {call for each in told for call in each.tolist()} - {0}
        if len(self._known | heard) > _MOST:
            self._known.clear()
        self._known |= heard
        for call in heard:
            self._met.pop(call, None)

    def _prepared(self, name: str, kind: Kind, out: torch.Tensor, x: torch.Tensor) -> DirectExchange | None:
        ways = _ways.of_group(name)
        what = _ways.What((x.numel(),), (), x.dtype, x.device, None, None, call=kind.name)
        # To prepare takes all ranks and the host's time, and cannot be captured as NCCL's calls can.
        if ways.found(what) is None and (_ways.capturing() or ways.fallback_reason(x.device) is not None or not ways.is_worth(what)):
            return None

        def make(moves: Moves, *how: Any) -> DirectExchange:
            given, wanted = self._parts(kind.divided, bare(x)), self._parts(kind.joined, bare(out))
            return (DirectSum if kind is _SCATTER else DirectExchange)(given, moves, *how, wanted)
        return ways.prepared(what, x, make, lambda: self._moves(kind, self._parts(kind.divided, x), self._parts(kind.joined, out)))

    def _parts(self, are_some: bool, x: torch.Tensor) -> torch.Tensor:
        """With a dimension of ranks in front, if `x` has a part of each. A view, if that is one."""
        if not are_some:
            return x
        shape = x.shape
        if x.dim() > 0 and shape[0] % self._size == 0:
            return x.view(self._size, shape[0] // self._size, *shape[1:])
        return x.reshape(self._size, -1)

    def _moves(self, kind: Kind, x: torch.Tensor, out: torch.Tensor) -> Moves:
        def part(rank: int, shape: "torch.Size") -> Box:
            return Box(rank, (rank, *[0] * (len(shape) - 1)), (1, *shape[1:]))
        ranks = [rank for rank in range(self._size) if rank != self._rank or kind is not _SCATTER]
        sends = [part(rank, x.shape) if kind.divided else Box(rank, (0,) * x.dim(), tuple(x.shape)) for rank in ranks]
        shape = x.shape if kind is _SCATTER else out.shape
        return Moves(sends, Side(tuple(shape), [part(rank, shape) for rank in ranks]))

    def _run(self, found: DirectExchange, kind: Kind, out: torch.Tensor, x: torch.Tensor, side: Any) -> Work:
        if side is None:
            self._move(found, kind, out, x)
            return _Enqueued(x.device)
        with torch.cuda.device(x.device):
            stream = side(x.device)
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._move(found, kind, out, x)
            for tensor in (x, out):
                tensor.record_stream(stream)
            return UnpackedWork(None, [], [out], stream)

    def _move(self, found: DirectExchange, kind: Kind, out: torch.Tensor, x: torch.Tensor) -> None:
        given = self._parts(kind.divided, bare(x))
        if Layout.of(given) != found.given:  # in memory otherwise than when the exchange was prepared
            given = found.given.empty(x).copy_(given.reshape(found.given.shape))
        written = bare(out)
        wanted = self._parts(kind.joined, written)
        if Layout.of(wanted) == found.wanted and wanted.data_ptr() == out.data_ptr():
            increment_version(out)
            found(given, wanted)
        else:
            out.detach().copy_(found(given, found.wanted.empty(x)).reshape(out.shape))


def bare(x: torch.Tensor) -> torch.Tensor:
    """A tensor of which no gradient is asked, whose memory has its elements."""
    x = x.detach() if x.requires_grad else x
    return x if has_memory(x) else torch.empty(x.shape, dtype=x.dtype, device=x.device).copy_(x)


@functools.lru_cache(maxsize=4096)
def _number(*call: Any) -> int:
    """Of a call, in all ranks alike. Not 0."""
    return zlib.crc32(repr(call).encode()) + 1


class _Enqueued(Work):
    """What the current stream does by now."""

    def __init__(self, device: torch.device):
        super().__init__()
        self._device = device

    def wait(self, timeout: Any = None) -> bool:
        return True

    def synchronize(self) -> None:
        pass

    def is_completed(self) -> bool:
        return torch.cuda.current_stream(self._device).query()
