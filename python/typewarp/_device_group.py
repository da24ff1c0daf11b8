# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""GPUs of several ranks that combine and move arrays."""
from __future__ import annotations

import operator
from numbers import Integral

from ._core import View
from ._engine import named_view
from ._exchange import group_of
from ._streams import Stream, handle_on
from ._together import MadeTogether, check_seconds, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mpi4py import MPI

    from ._ranks import Ranks


class DeviceGroup(MadeTogether):
    """The GPUs of up to 8 ranks of one host, one for each, which combine or move arrays in calls that streams order, without the MPI or the host.
    Collective over `comm`: an mpi4py communicator (None: MPI.COMM_WORLD), Ranks, or a process group of torch.distributed.

    `device` is the number of this rank's GPU; None means the current one. A call that has waited for a rank for
    `time_limit` seconds fails, in a graph too; 0 means no limit. Raises TypeError and ValueError that name the argument, and RuntimeError in ranks without an
    error of their own; RuntimeError in all ranks if they are not on one host with a GPU each, whose memory the others reach.

    Arrays are contiguous, within reach of the GPU, of bool, integers of 8 to 64 bits, float32, float64, complex64 or complex128, and of
    equal size and type in all ranks. `op` is sum, prod, min, max, land, lor, lxor, band, bor or bxor. All ranks make the same calls in the
    same order. A call is enqueued on `stream`, or the current stream of the arrays' library, and does not wait; calls of one object follow
    each other in stream order. They may be captured into CUDA graphs. Numbers are combined in the order of ranks: all ranks get the same
    bits, each time. Without `out` the result replaces `x`; calls return the array that has it. Arrays that partly overlap are refused.

    Close it with a `with` block or close(), which are collective. Not thread-safe.
    """

    def __init__(self, comm: "MPI.Comm | Ranks | Any" = None, device: int | None = None, time_limit: float = 0):
        group = group_of(comm)

        def options():
            if device is not None and not isinstance(device, Integral):
                raise TypeError(f"device: {type(device).__name__} is not the number of a GPU")
            if device is not None and device < 0:
                raise ValueError(f"device: {device} must not be negative")
            check_seconds(time_limit)
            return group.core.DeviceGroupOptions(-1 if device is None else int(device), time_limit)

        self._agree = group.agree
        self._group = group.core.DeviceGroup(group.given, together(group.agree, options))

    @property
    def rank(self) -> int:
        return self._group.rank

    @property
    def size(self) -> int:
        return self._group.size

    @property
    def device(self) -> int:
        """The number of this rank's GPU."""
        return self._group.device

    def allreduce(self, x: Any, op: str = "sum", out: Any = None, stream: Stream = None) -> Any:
        """All ranks get what the arrays of all make, element by element."""
        return self._combine(self._group.allreduce, x, op, out, stream)

    def reduce(self, x: Any, root: int, op: str = "sum", out: Any = None, stream: Stream = None) -> Any:
        """Rank `root` gets it. Others give no `out`, and keep `x`."""
        out = x if out is None else out
        views, handle = self._prepared(x, out, stream)
        self._group.reduce(*views, root, op, handle)
        return out

    def reduce_scatter(self, x: Any, out: Any, op: str = "sum", counts: Iterable[int] | None = None, stream: Stream = None) -> Any:
        """Rank r gets `counts[r]` elements of it, those after the counts before; without `counts` all get equally many. `out` may be
        this rank's part of `x`."""
        views, handle = self._prepared(x, out, stream)
        self._group.reduce_scatter(*views, self._counts("x", views[0], counts), op, handle)
        return out

    def scan(self, x: Any, op: str = "sum", out: Any = None, stream: Stream = None) -> Any:
        """Rank r gets what the arrays of ranks 0 to r make."""
        return self._combine(self._group.scan, x, op, out, stream)

    def exscan(self, x: Any, op: str = "sum", out: Any = None, stream: Stream = None) -> Any:
        """Rank r gets what the arrays of ranks 0 to r - 1 make; rank 0 gets nothing."""
        return self._combine(self._group.exscan, x, op, out, stream)

    def allgather(self, x: Any, out: Any, counts: Iterable[int] | None = None, stream: Stream = None) -> Any:
        """All ranks get the arrays of all, of any type, one behind the other. Rank r gives `counts[r]` elements; without `counts` all give
        equally many. `x` may be this rank's part of `out`."""
        views, handle = self._prepared(x, out, stream)
        self._group.allgather(*views, self._counts("out", views[1], counts), handle)
        return out

    def alltoall(self, x: Any, out: Any = None, stream: Stream = None) -> Any:
        """`x` is of equal parts, one for each rank, of any type: part r goes to rank r, and part r of the result comes from it."""
        out = x if out is None else out
        views, handle = self._prepared(x, out, stream)
        self._group.alltoall(*views, handle)
        return out

    def broadcast(self, x: Any, root: int, stream: Stream = None) -> Any:
        """All ranks get the array of rank `root`, of any type."""
        view = named_view("x", x)
        self._group.broadcast(view, root, handle_on(self.device, stream, view))
        return x

    def register_memory(self, x: Any) -> None:
        """Collective: all ranks map the memory of `x`, a contiguous array on the GPU of each rank, of the same size on all ranks. A long
        allgather, alltoall (not in place) or broadcast is faster if, on all ranks, the array that receives the bytes lies within registered
        memory. The group keeps `x` alive until it is deregistered, or the group is closed. Raises TypeError and ValueError that name "x",
        and RuntimeError in ranks without an error of their own."""
        def checked():
            view = named_view("x", x)
            self._group.check_registrable(view)
            return view

        self._group.register_memory(together(self._agree, checked))

    def deregister_memory(self, x: Any) -> None:
        """Collective, of what all ranks have registered together: waits for this rank's calls, as wait() does, and then for all ranks.
        Replays of graphs must have ended."""
        self._group.deregister_memory(together(self._agree, lambda: named_view("x", x)))

    def done(self) -> bool:
        """Whether all calls have ended, except those in graphs. Raises TimeLimitExceeded and GpuError; after that it can only be
        closed."""
        return self._group.done()

    def wait(self) -> None:
        """Returns when done()."""
        self._group.wait()

    def close(self) -> None:
        """Collective: waits for all calls and all ranks. A second call does nothing."""
        self._group.close()

    def __repr__(self) -> str:
        if self._group.closed:
            return "<typewarp.DeviceGroup, closed>"
        return f"<typewarp.DeviceGroup, rank {self.rank} of {self.size} on GPU {self.device}>"

    def _prepared(self, x: Any, out: Any, stream: Stream) -> tuple[tuple[View, View], int]:
        """Views of both arrays, in place one for both, as a view takes microseconds; the stream of the call."""
        view = named_view("x", x)
        if out is x:
            return (view, view), handle_on(self.device, stream, view)
        other = named_view("out", out)
        return (view, other), handle_on(self.device, stream, view, other)

    def _counts(self, argument: str, view: View, counts: Iterable[int] | None) -> list[int]:
        """Of elements of each rank, as given, or all of the view in equal parts."""
        if counts is not None:
            return [operator.index(count) for count in counts]
        if view.size % self.size != 0:
            raise ValueError(f"{argument}: has {view.size} elements, must have as many for each of {self.size} ranks, or `counts` must be given")
        return [view.size // self.size] * self.size

    def _combine(self, call: Any, x: Any, op: str, out: Any, stream: Stream) -> Any:
        out = x if out is None else out
        views, handle = self._prepared(x, out, stream)
        call(*views, op, handle)
        return out
