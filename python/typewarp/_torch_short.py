# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Short collective calls of the back end "typewarp", each by one kernel of a DeviceGroup in place of NCCL's."""
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.autograd.graph import increment_version

from . import _core
from . import _torch_ways as _ways
from ._torch_direct import InStreamOrder, capturing, current, stream_handle
from ._torch_packed import check_written, contiguous, has_memory, put_back

# Bytes of the longer tensor of a call up to which it is made so.
LONGEST = 4 << 20
# So many such calls of a group go by NCCL before: a DeviceGroup takes memory, and many groups make few calls.
FIRST = 2
# Of a group.
MOST_RANKS = 8

_ELEMENTS = {torch.float64: "float64", torch.float32: "float32", torch.int64: "int64", torch.int32: "int32", torch.int16: "int16",
             torch.int8: "int8", torch.uint8: "uint8"}
_OPERATIONS = [(dist.ReduceOp.SUM, "sum"), (dist.ReduceOp.MAX, "max"), (dist.ReduceOp.MIN, "min"), (dist.ReduceOp.PRODUCT, "prod")]


class ShortCall(NamedTuple):
    """All but the tensors is the same in all ranks."""

    x: torch.Tensor | None    #: what is read
    out: torch.Tensor | None  #: what is written, perhaps x
    nbytes: int               #: of the longer tensor
    start: Callable[[Any, int, int, int], None]  #: by the group of GPUs, of the addresses of both, on a stream


def _is_one(tensors: Any) -> bool:
    return isinstance(tensors, (list, tuple)) and len(tensors) == 1


def _combining(x: torch.Tensor, options: Any) -> tuple[str, str] | None:
    """How numbers are named; None for those that only NCCL combines."""
    element = _ELEMENTS.get(x.dtype)
    asked = getattr(options, "reduceOp", None)
    operation = next((name for op, name in _OPERATIONS if asked == op), None)
    return (element, operation) if element and operation else None


# Of the arguments that PyTorch's functions give. Others, of which the groups' methods have more forms, have no such call.
def _allreduce(_group: Any, tensors: list, options: Any) -> ShortCall | None:
    if not _is_one(tensors) or not (how := _combining(tensors[0], options)):
        return None
    x, = tensors
    count = x.numel()
    return ShortCall(x, x, x.nbytes, lambda gpus, x, out, stream: gpus.allreduce_at(x, out, count, *how, stream))


def _broadcast(group: Any, tensors: list, options: Any) -> ShortCall | None:
    if not _is_one(tensors):
        return None
    (x,), root = tensors, getattr(options, "rootRank", None)
    if root is None:
        return None
    nbytes, gives = x.nbytes, root == group.rank()
    return ShortCall(x if gives else None, None if gives else x, nbytes,
                     lambda gpus, x, out, stream: gpus.broadcast_at(x or out, nbytes, root, stream))


def _allgather(group: Any, out: torch.Tensor, x: torch.Tensor, _options: Any) -> ShortCall | None:
    nbytes = x.nbytes
    if x.dtype != out.dtype or x.device != out.device or out.numel() != x.numel() * group.size():
        return None
    return ShortCall(x, out, out.nbytes, lambda gpus, x, out, stream: gpus.allgather_at(x, out, nbytes, stream))


def _reduce_scatter(group: Any, out: torch.Tensor, x: torch.Tensor, options: Any) -> ShortCall | None:
    count = out.numel()
    if x.dtype != out.dtype or x.device != out.device or x.numel() != count * group.size() or not (how := _combining(x, options)):
        return None
    return ShortCall(x, out, x.nbytes, lambda gpus, x, out, stream: gpus.reduce_scatter_at(x, out, count, *how, stream))


def _alltoall(group: Any, out: torch.Tensor, x: torch.Tensor, out_splits: list, splits: list, _options: Any) -> ShortCall | None:
    size = group.size()
    if (splits or out_splits or x.dtype != out.dtype or x.device != out.device or x.numel() != out.numel()
            or not all(y.dim() > 0 and y.shape[0] % size == 0 for y in (x, out))):
        return None
    nbytes = x.nbytes // size
    return ShortCall(x, out, x.nbytes, lambda gpus, x, out, stream: gpus.alltoall_at(x, out, nbytes, stream))


# By the names of several releases of PyTorch.
CALLS = {"allreduce": _allreduce, "broadcast": _broadcast, "_allgather_base": _allgather, "all_gather_single": _allgather,
         "_reduce_scatter_base": _reduce_scatter, "reduce_scatter_single": _reduce_scatter,
         "alltoall_base": _alltoall, "all_to_all_single": _alltoall}


_ARGUMENTS = {name: call.__code__.co_argcount - 1 for name, call in CALLS.items()}


def may_be_summed(x: torch.Tensor, options: Any) -> bool:
    """Whether the sum of such tensors is a short call wherever there are any."""
    return x.nbytes <= LONGEST and x.dtype in _ELEMENTS and not is_later(options)


def is_later(options: Any) -> bool:
    """Whether the program may wait for the call later. The work of such a call takes Python longer than NCCL takes."""
    return getattr(options, "asyncOp", True)


class GroupOfDevices(InStreamOrder):
    """The GPUs of all ranks of a group. Collective."""

    def __init__(self, device: torch.device, ranks: Any):
        super().__init__(device)
        self.made = _core.DeviceGroup(ranks, _core.DeviceGroupOptions(device.index, 0))

    def close(self) -> None:
        """Collective. Waits for replays of graphs too."""
        if self.captured:
            torch.cuda.synchronize(self.device)
        self.made.close()


class ShortCalls:
    """The calls of one rank of a group. All ranks choose alike: by what a call is, how long, and whether it is waited for later, not by where
    its tensors lie."""

    def __init__(self) -> None:
        self._count = 0  # of what could be made so
        self.are_off = False

    def made(self, group: Any, name: str, arguments: tuple) -> None:
        """A call of `group`, which the current stream has then. NotImplemented if PyTorch's group is to make it."""
        if self.are_off or is_later(arguments[-1]) or (torch._C._len_torch_dispatch_stack() > 0 and _ways.is_traced()):
            return NotImplemented
        call = CALLS[name](group, *arguments) if len(arguments) == _ARGUMENTS[name] else None
        if call is None or not 0 < call.nbytes <= LONGEST:
            return NotImplemented
        tensors = [tensor for tensor in (call.x, call.out) if tensor is not None]
        if any(tensor.layout is not torch.strided for tensor in tensors):
            return NotImplemented
        if call.out is not None and not call.out.is_contiguous():
            check_written(call.out)
        device, ways = tensors[0].device, group.ways()
        with ways.lock:
            gpus = ways.device_groups.get(device) or self._prepared(ways, device)
            if gpus is None:
                return NotImplemented
            self._run(gpus, call)
            return None

    def _prepared(self, ways: _ways.GroupWays, device: torch.device) -> GroupOfDevices | None:
        """As in all ranks. Collective."""
        if capturing(device):
            return None
        self._count += 1
        if self._count <= FIRST:
            return None
        try:
            made = ways.device_groups[device] = GroupOfDevices(device, ways.ranks)
        except Exception:  # noqa: BLE001: in all ranks, where one has no GPU of its own that the others reach
            self.are_off = True
            return None
        return made

    def _run(self, gpus: GroupOfDevices, call: ShortCall) -> None:
        """On the current stream."""
        with current(gpus.device):
            stream = stream_handle(gpus.device)
            gpus.order(stream, torch.cuda.is_current_stream_capturing())
            x = call.x if _is_plain(call.x) else contiguous(call.x)
            if call.out is call.x:
                out = x
            elif _is_plain(call.out):
                out = call.out
            else:
                out = torch.empty(call.out.shape, dtype=call.out.dtype, device=gpus.device)
            call.start(gpus.made, _address(x), _address(out), stream)
            if out is not call.out:
                put_back(out, call.out)
            elif out is not None:
                increment_version(out)


def _is_plain(x: torch.Tensor | None) -> bool:
    return x is None or (x.is_contiguous() and has_memory(x))


def _address(x: torch.Tensor | None) -> int:
    return 0 if x is None else x.data_ptr()
