# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The calls of a process group of torch.distributed that a DeviceGroup does sooner than NCCL."""
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

from . import _core
from ._core import View
from ._device_group import DeviceGroup
from ._ranks import Ranks
from ._torch_direct import InOrder, as_words, check_device
from ._torch_packed import UnpackedWork

# Of the larger tensor of a call. Kernels of so few bytes take 32 multiprocessors at most, so those of NCCL and of a second group run
# beside them: nothing needs to order them. Measured (bench/results/h200-4gpu/peers.json, calls in a row): an all-reduce of 64 KiB takes 23
# us, with NCCL 60; a broadcast 16, with NCCL 51. From 16 MiB on NCCL is as fast.
SHORT = 256 << 10
MULTIPROCESSORS = 128

_OPERATIONS = ((dist.ReduceOp.SUM, "sum"), (dist.ReduceOp.MAX, "max"), (dist.ReduceOp.MIN, "min"), (dist.ReduceOp.PRODUCT, "prod"))
_NUMBERS = {torch.float32, torch.float64, torch.int32, torch.int64}


class Call(NamedTuple):
    """What a group is asked for, with contiguous tensors."""

    given: torch.Tensor
    out: torch.Tensor
    options: Any

    @property
    def operation(self) -> str | None:
        return next((name for op, name in _OPERATIONS if self.options.reduceOp == op), None)


class Row(NamedTuple):
    """Whether a DeviceGroup has a call depends on what all ranks know alone."""

    read: Callable[[tuple], "Call | None"]            #: the arguments of torch.distributed
    can: Callable[[Call, int], bool]                  #: of so many ranks; NCCL refuses what is wrong
    execute: Callable[["DeviceGroup", Call, int], Any]


def _one(arguments: tuple) -> "Call | None":
    tensors, options = arguments[0], arguments[-1]
    return Call(tensors[0], tensors[0], options) if isinstance(tensors, list) and len(tensors) == 1 else None


def _two(arguments: tuple) -> Call:
    return Call(arguments[1], arguments[0], arguments[-1])


def _equal_parts(arguments: tuple) -> "Call | None":
    """Ranks know each other's sizes if none gives any."""
    return Call(arguments[1], arguments[0], arguments[4]) if len(arguments) == 5 and not arguments[2] and not arguments[3] else None


def _moves(call: Call, ranks: int) -> bool:
    return True


def _gathers(call: Call, ranks: int) -> bool:
    return call.out.numel() == call.given.numel() * ranks and call.out.dtype == call.given.dtype


def _exchanges(call: Call, ranks: int) -> bool:
    return call.out.numel() == call.given.numel() and call.out.numel() % ranks == 0 and call.out.dtype == call.given.dtype


def _combines(call: Call, ranks: int) -> bool:
    return call.given.dtype in _NUMBERS and call.operation is not None


def _scatters(call: Call, ranks: int) -> bool:
    return _combines(call, ranks) and _gathers(Call(call.out, call.given, call.options), ranks)


# Of types that views know, so that a tensor needs no second one.
_VIEWED = _NUMBERS | {torch.uint8, torch.int8}


def _view(x: torch.Tensor) -> View:
    x = x.detach() if x.requires_grad else x
    return View(x if x.dtype in _VIEWED else as_words(x))


def _allreduce(group: DeviceGroup, call: Call, stream: int) -> None:
    view = _view(call.given)
    group.allreduce(view, call.operation, view, stream)


def _reduce_scatter(group: DeviceGroup, call: Call, stream: int) -> None:
    group.reduce_scatter(_view(call.given), _view(call.out), call.operation, stream=stream)


def _broadcast(group: DeviceGroup, call: Call, stream: int) -> None:
    group.broadcast(_view(call.given), call.options.rootRank, stream)


def _allgather(group: DeviceGroup, call: Call, stream: int) -> None:
    group.allgather(_view(call.given), _view(call.out), stream=stream)


def _alltoall(group: DeviceGroup, call: Call, stream: int) -> None:
    group.alltoall(_view(call.given), _view(call.out), stream)


_GATHER, _SCATTER = Row(_two, _gathers, _allgather), Row(_two, _scatters, _reduce_scatter)
_EXCHANGE = Row(_equal_parts, _exchanges, _alltoall)
ROWS = {
    "allreduce": Row(_one, _combines, _allreduce),
    "broadcast": Row(_one, _moves, _broadcast),
    "_allgather_base": _GATHER, "all_gather_single": _GATHER,
    "_reduce_scatter_base": _SCATTER, "reduce_scatter_single": _SCATTER,
    "alltoall_base": _EXCHANGE, "all_to_all_single": _EXCHANGE,
}


class DeviceWay(InOrder):
    """The DeviceGroup of a process group, which its ranks make with the first call that is short enough, if they can."""

    def __init__(self, store: Any, rank: int, size: int, timeout: timedelta):
        super().__init__()
        self.reason: str | None = None if 1 < size <= 8 else f"a group of {size}"
        self._store, self._timeout, self._meetings = store, timeout, 0
        self._ranks = Ranks(rank, size, self._gather)
        self._group: DeviceGroup | None = None
        self._side: torch.cuda.Stream | None = None  # of calls that the program waits for later

    def _gather(self, value: bytes) -> list[bytes]:
        self._meetings += 1
        keys = [f"{self._meetings}/{rank}" for rank in range(self._ranks.size)]
        self._store.set(keys[self._ranks.rank], value)
        self._store.wait(keys, self._timeout)
        return [self._store.get(key) for key in keys]

    def run(self, name: str, arguments: tuple) -> "tuple[Any] | None":
        """The work of a call, whose tensors are contiguous; None if NCCL or Gloo should do it."""
        first = arguments[0]
        if type(first) is list and first:
            first = first[0]
        if self.reason is not None or not isinstance(first, torch.Tensor) or not first.is_cuda or first.nbytes > SHORT:
            return None
        row = ROWS[name]
        call = row.read(arguments)
        if call is None or not 0 < max(call.given.nbytes, call.out.nbytes) <= SHORT or not row.can(call, self._ranks.size):
            return None
        if torch.cuda.current_device() == first.device.index:
            return self._entered(row, call)
        with torch.cuda.device(first.device):
            return self._entered(row, call)

    def _entered(self, row: Row, call: Call) -> "tuple[Any] | None":
        if self._group is None and not self._made(call.given.device):
            return None
        return (self._enqueued(row, call),)

    def _made(self, device: torch.device) -> bool:
        if torch.cuda.is_current_stream_capturing():
            return False
        why = self._refusal(device)
        told = [one.decode() for one in self._ranks.gather(why.encode())]
        self.reason = next((f"rank {rank}: {why}" for rank, why in enumerate(told) if why), None)
        if self.reason is None:
            try:
                self._group = DeviceGroup(self._ranks, device.index, self._timeout.total_seconds())
            except (RuntimeError, ValueError) as error:  # in all ranks
                self.reason = str(error)
        return self._group is not None

    def _refusal(self, device: torch.device) -> str:
        try:
            check_device(device)
        except ValueError as error:
            return str(error)
        there = torch.cuda.get_device_properties(device).multi_processor_count
        return "" if there >= MULTIPROCESSORS else f"a GPU of {there} multiprocessors, {MULTIPROCESSORS} are needed"

    def _enqueued(self, row: Row, call: Call) -> Any:
        """On the current stream, as NCCL does it if nobody waits for it later."""
        stream, later = torch.cuda.current_stream(), getattr(call.options, "asyncOp", True)
        captured = torch.cuda.is_current_stream_capturing()
        if later:
            self._side = self._side or torch.cuda.Stream(priority=-1)
            self._side.wait_stream(stream)
            stream = self._side
        self.order(stream, captured)
        try:
            row.execute(self._group, call, stream.cuda_stream)
        except _core.TimeLimitExceeded as error:
            raise dist.DistBackendError(str(error)) from error
        if not later:
            return None
        for x in (call.given, call.out):
            x.record_stream(stream)
        return UnpackedWork(None, [], [call.out], stream)

    def close(self) -> None:
        """Waits for all ranks, as they have its memory mapped: some seconds, since ranks may have died."""
        group, self._group, self.reason = self._group, None, "the group is closed"
        if group is None:
            return
        self._timeout = min(self._timeout, timedelta(seconds=10))
        try:
            group.close()
        except (RuntimeError, TimeoutError):
            _lost.append(group)


_lost: list[DeviceGroup] = []  # of which some ranks did not come to the end
