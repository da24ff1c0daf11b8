# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls of the back end "typewarp" by exchanges, which take noncontiguous tensors as they are: GPUs write into each other's memory
from one rank's layout, and each rank moves what arrived into its own."""
import functools
import warnings
import zlib
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import Work
from torch.utils._python_dispatch import _disable_current_modes

from . import _torch_direct as _direct
from . import _torch_ways as _ways
from ._torch_calls import ALL_TO_ALL, GATHER, SCATTER, CallExchange, CallSum, Form, Kind
from ._torch_packed import beside, check_written

_SUMMED = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}

# At one of so many calls, the ranks begin to tell each other which calls had noncontiguous tensors, and use the answer at the next such one.
# So the host does not wait, unless a rank is so many calls ahead.
EVERY, FIRST = 128, 2
_TOLD = 64    # calls, at once
_MOST = 1024  # that are known
# Bytes that a rank receives by an exchange: they have memory that PyTorch cannot use for anything else.
LONGEST = 256 << 20


def on_gpu(x: Any) -> bool:
    return getattr(x, "is_cuda", False)


class Collectives:
    """The calls of one rank of a group, by one thread at a time. All ranks choose alike: by lengths, and by what they have told each other.
    No rank knows whether the tensors of another one are contiguous."""

    def __init__(self, meeting: Any, rank: int, size: int):
        self._meeting, self._rank, self._size = meeting, rank, size
        self._count = self._sum = 0        # of the calls so far
        self._before = 0, 0                # without the last one
        self._told_at = 0
        self._noted: dict[int, None] = {}  # calls with noncontiguous tensors here, of which the others may not know
        self._known: set[int] = set()      # those of which all ranks know
        self._ready: dict[tuple, _ways.Entry] = {}  # by kinds and layouts of calls
        self._telling: tuple[list[torch.Tensor], Any] | None = None
        self._ways: _ways.GroupWays | None = None
        self._off = False

    def made(self, group: Any, kind: Kind, plainly: bool, arguments: tuple) -> "Work | None":
        """The work of a call of `group`, None if the caller's stream has it; NotImplemented if PyTorch's group is to make the call.
        `plainly` says that the tensors are contiguous."""
        self._before = self._count, self._sum
        if self._off or (torch._C._len_torch_dispatch_stack() > 0 and _ways.is_traced()):
            return NotImplemented
        out, x, *splits, options = arguments
        if not plainly:
            check_written(out)
        elements, has_splits = x.numel(), any(splits)
        call = _number(kind.name, elements, x.dtype)
        self._note(kind, 0 if has_splits else elements)  # parts may have other sizes in each rank
        if plainly and call not in self._known:
            return NotImplemented
        # Where one rank has equal parts, another one may not: calls with sizes of parts are left to PyTorch.
        if (has_splits or (kind is SCATTER and options.reduceOp != dist.ReduceOp.SUM)
                or x.layout is not torch.strided or out.layout is not torch.strided):
            return NotImplemented
        # Other questions are asked once of calls whose tensors lie alike.
        key = kind, x.dtype, out.dtype, x.device, out.device, x.shape, x.stride(), out.shape, out.stride()
        ways = self._of(group)
        with ways.lock:
            kept = self._ready.get(key)
            if kept is None or kept.is_gone:
                kept = self._ready_for(kind, call, plainly, out, x)
                if kept is None:
                    return NotImplemented
                if len(self._ready) >= _MOST:
                    self._ready.clear()
                self._ready[key] = kept
            ways.use(kept)
            return self._run(kept.found, out, x, group.side if getattr(options, "asyncOp", True) else None)

    def _ready_for(self, kind: Kind, call: int, plainly: bool, out: torch.Tensor, x: torch.Tensor) -> "_ways.Entry | None":
        """An exchange that is prepared by now, or None, as in all ranks."""
        if not self._is_taken(kind, out, x):
            return None
        if call not in self._known:
            if not plainly:
                self._noted.pop(call, None)
                self._noted[call] = None
                if len(self._noted) > _TOLD:
                    del self._noted[next(iter(self._noted))]
            return None
        what = _ways.What((x.numel(),), (), x.dtype, x.device, None, None, call=kind.name)
        kept = self._ways.kept_for(what) or self._prepared(what, kind, out, x)
        if kept is not None and isinstance(kept.found, str):
            self._ways.use(kept)
            return None
        return kept

    def _is_taken(self, kind: Kind, out: torch.Tensor, x: torch.Tensor) -> bool:
        """Whether the tensors are right, and such that an exchange can do the same."""
        short, long = (x, out) if kind is GATHER else (out, x)
        if x.device != out.device or x.dtype != out.dtype or x.numel() == 0:
            return False
        if kind is ALL_TO_ALL:
            return x.numel() == out.numel() and all(y.dim() > 0 and y.shape[0] % self._size == 0 for y in (x, out))
        return long.numel() == short.numel() * self._size and (kind is GATHER or x.dtype in _SUMMED)

    def undo(self) -> None:
        """The last call was refused, perhaps in this rank alone: it does not count."""
        self._count, self._sum = self._before

    def _note(self, kind: Kind, elements: int) -> None:
        if self._count % EVERY == FIRST and self._count != self._told_at:  # after a call that all ranks have made
            self._told_at = self._count
            with _disable_current_modes():
                if self._telling is not None:
                    self._hear()
                self._tell()
        self._count += 1
        self._sum = hash((self._sum, kind.number, elements))  # the same in all ranks, as it is of integers

    def _tell(self) -> None:
        mine = torch.tensor([self._sum, *self._noted, *[0] * (_TOLD - len(self._noted))], device="cpu")
        told = [torch.empty_like(mine) for _ in range(self._size)]
        self._telling = told, self._meeting.start(told, mine)

    def _hear(self) -> None:
        (told, work), self._telling = self._telling, None
        work.wait()
        sums, *calls = zip(*[each.tolist() for each in told])
        if len(set(sums)) > 1:
            self._off = True
            warnings.warn("typewarp: ranks of a group have made different collective calls: noncontiguous tensors are packed from now on",
                          stacklevel=2)
            return
        heard = {call for each in calls for call in each} - {0}
        if len(self._known | heard) > _MOST:
            self._known.clear()
            self._ready.clear()
        self._known |= heard
        for call in heard:
            self._noted.pop(call, None)

    def _of(self, group: Any) -> _ways.GroupWays:
        if self._ways is None or self._ways.cleared:
            self._ways = _ways.of_group(group.group_name)
        return self._ways

    def _prepared(self, what: _ways.What, kind: Kind, out: torch.Tensor, x: torch.Tensor) -> "_ways.Entry | None":
        ways = self._ways
        received = (x.nbytes if kind is GATHER else out.nbytes // (1 if kind is SCATTER else self._size)) * (self._size - 1)
        # To prepare takes all ranks and the host's time, and cannot be captured as NCCL's calls can.
        if received > LONGEST or _direct.capturing(x.device):
            return None
        if ways.fallback_reason(x.device) is not None:
            self._off = True  # as in all ranks
            return None
        if not ways.is_worth(what):
            return None
        form = Form.of(kind, self._size, x, ways.ranks)
        make = functools.partial(CallSum if kind is SCATTER else CallExchange, form, x, out)
        return ways.prepared(what, x, make, lambda: form.moves(self._rank))

    def _run(self, found: CallExchange, out: torch.Tensor, x: torch.Tensor, side: Any) -> "Work | None":
        if side is None:
            found.run(x, out)
            return None
        # Graphs that captured an exchange are replayed on a stream of the program's, and have the same memory.
        stream = torch.cuda.current_stream(x.device) if found.slot.captured else side(x.device)
        return beside(stream, None, lambda: found.run(x, out), (x, out), [out])


@functools.lru_cache(maxsize=4096)
def _number(*call: Any) -> int:
    """Of a call, in all ranks alike. Not 0."""
    return zlib.crc32(repr(call).encode()) + 1
