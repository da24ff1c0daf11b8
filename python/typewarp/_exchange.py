# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges that are prepared once and started many times."""
from __future__ import annotations

from numbers import Integral

from . import _core
from ._engine import listed, named_view
from ._ranks import Ranks
from ._streams import Stream, handle_of
from ._together import MadeTogether, check_seconds, together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from mpi4py import MPI


class _OverMpi:
    """The ranks of a communicator, and the extension module for its MPI."""

    def __init__(self, comm: "MPI.Comm | None"):
        from ._mpi_library import MPI, core
        self.core, self.given = core, comm
        self._comm = MPI.COMM_WORLD if comm is None else comm

    @property
    def size(self) -> int:
        return self._comm.Get_size()

    def agree(self, well: bool) -> bool:
        return self.core.agree(self.given, well)


class _Gathered:
    """The same for Ranks."""

    core = _core

    def __init__(self, ranks: Ranks):
        self.given, self.size, self.agree = ranks, ranks.size, ranks.agree


def group_of(comm: Any) -> _OverMpi | _Gathered:
    ranks = Ranks.of(comm)
    return _OverMpi(comm) if ranks is None else _Gathered(ranks)


class Exchange(MadeTogether):
    """Created by exchange() and alltoall(). Keeps the memory of all arrays alive. Not thread-safe.

    All ranks must start it equally often; starts of one object are ordered by the stream. Close it with a `with` block or close(), which
    are collective; else it is closed before MPI is finalized. Dropping the last reference does not close it.
    """

    def __init__(self, sends: Iterable, receives: Iterable, group: _OverMpi | _Gathered, time_limit: float):
        def parts():
            check_seconds(time_limit)
            pairs = _pairs("sends", sends), _pairs("receives", receives)
            return pairs, group.core.ExchangeParts(*pairs, time_limit)

        (outgoing, incoming), made = together(group.agree, parts)
        self._views = [view for view, _ in outgoing + incoming]
        self._nbytes = sum(view.nbytes for view, _ in outgoing), sum(view.nbytes for view, _ in incoming)
        self._exchange = group.core.Exchange(group.given, made)

    @property
    def ways(self) -> dict[str, int]:
        """How many nonempty parts go which way: direct_sends and direct_receives are written in place by the sender's GPU,
        carried_sends and carried_receives are packed and sent by the MPI."""
        return self._exchange.ways

    @property
    def fallback_reason(self) -> str | None:
        """Why the first such part of this rank is sent by the MPI; None if GPUs write all of them. Both ends of a part give the same
        reason."""
        ways = self._exchange.ways_of_sends + self._exchange.ways_of_receives
        return next((reason for *_, reason in ways if reason), None)

    def explain(self) -> str:
        """One line for each part of this rank: which way it goes, and the reason if the MPI sends it."""
        exchange = self._exchange
        return "\n".join([_told("sends", "to", *part) for part in enumerate(exchange.ways_of_sends)]
                         + [_told("receives", "from", *part) for part in enumerate(exchange.ways_of_receives)])

    def start(self, stream: Stream = None) -> None:
        """Enqueues one exchange on `stream`: it runs after the work on the stream, and work enqueued later sees what was received. If no
        array is in GPU memory, the arrays are in use until done(). Raises the error of an earlier start."""
        self._exchange.start(handle_of(stream, *self._views))

    def done(self) -> bool:
        """Whether all starts have ended. Raises TimeLimitExceeded, MpiError and GpuError; after that it can only be closed."""
        return self._exchange.done()

    def wait(self) -> None:
        """Returns when done()."""
        self._exchange.wait()

    def __call__(self, stream: Stream = None) -> None:
        """start() and wait()."""
        self.start(stream)
        self.wait()

    def close(self) -> None:
        """Collective: waits for all starts and all ranks, and releases the arrays. A second call does nothing."""
        self._exchange.close()
        self._views = []

    def __repr__(self) -> str:
        if self._exchange.closed:
            return "<typewarp.Exchange, closed>"
        return f"<typewarp.Exchange, sends {self._nbytes[0]} bytes, receives {self._nbytes[1]} bytes>"


def _told(argument: str, word: str, i: int, way: tuple[int, int, bool, str]) -> str:
    peer, nbytes, direct, reason = way
    how = "stored by the sender's GPU where they belong" if direct else f"carried by the MPI: {reason}" if reason else "nothing moves"
    return f"{argument}[{i}] {word} rank {peer}: {nbytes} bytes, {how}"


def _pairs(argument: str, parts: Iterable) -> list:
    made = []
    for i, part in enumerate(listed(argument, parts)):
        if not isinstance(part, (tuple, list)) or len(part) != 2 or not isinstance(part[1], Integral):
            raise TypeError(f"{argument}[{i}]: must be an array and a rank")
        made.append((named_view(f"{argument}[{i}]", part[0]), int(part[1])))
    return made


def exchange(sends: Iterable, receives: Iterable, comm: "MPI.Comm | Ranks | Any" = None, time_limit: float = 0) -> Exchange:
    """Prepares a repeated exchange of arrays. Collective over `comm`: an mpi4py communicator (None: MPI.COMM_WORLD), Ranks, or a process
    group of torch.distributed.

    `sends` and `receives` are lists of (array, rank); the rank may be this one. Parts between the same two ranks match in order, and must
    have equally many elements of the same size. Sends and receives must not overlap. A start that has not ended after `time_limit`
    seconds fails; 0 means no limit. Raises TypeError and ValueError that name "sends[i]" or "receives[i]", and RuntimeError in ranks
    without an error of their own; RuntimeError in all ranks if sender and receiver disagree, or if a part needs an MPI and there is none.
    """
    return Exchange(sends, receives, group_of(comm), time_limit)


def alltoall(sends: Iterable, receives: Iterable, comm: "MPI.Comm | Ranks | Any" = None, time_limit: float = 0) -> Exchange:
    """An exchange() that sends the i-th array of `sends` to rank i and receives the i-th of `receives` from it: one for each rank."""
    group = group_of(comm)

    def numbered(argument, arrays):
        given = listed(argument, arrays)
        if len(given) != group.size:
            raise ValueError(f"{argument}: has {len(given)} arrays, must have one for each of the {group.size} ranks")
        return [(x, rank) for rank, x in enumerate(given)]

    parts = together(group.agree, lambda: (numbered("sends", sends), numbered("receives", receives)))
    return Exchange(*parts, group, time_limit)
