from collections.abc import Generator, Sequence
from typing import Any

import typewarp._core


def end_all() -> None:
    """
    Ends all that ranks have made together, also the messages that were dropped. Before MPI_Finalize.
    """

def agree(comm: object | None, well: bool) -> bool:
    """Collective: whether all is well in all ranks."""

class Status:
    """What a complete message moved."""

    @property
    def source(self) -> int | None:
        """The rank that sent it; None of a send."""

    @property
    def tag(self) -> int | None:
        """Its tag; None of a send."""

    @property
    def nbytes(self) -> int:
        """Bytes that it had."""

    @property
    def cancelled(self) -> bool:
        """Whether cancel() came before a message."""

    def __repr__(self) -> str: ...

class Request:
    """
    A message in flight: what isend() and irecv() return. It keeps the memory of its array alive until
    it is complete. If you drop it, a send goes on and arrives; a receive is cancelled unless a message
    has matched it. One thread at a time may use it. Can be awaited.
    """

    def wait(self) -> Status:
        """
        Returns its Status when the bytes are in place, or, of a send, when the array may be written.
        Other threads of Python run meanwhile. Raises MpiError, GpuError and TimeLimitExceeded; the
        request is over then, too.
        """

    def test(self) -> Status | None:
        """Its Status if it is complete, else None. Raises what wait() does."""

    def done(self) -> bool:
        """
        Moves the message on, and says whether wait() would return, or raise, at once.
        """

    def cancel(self) -> None:
        """
        Ends a receive that no message has matched yet; its Status says so. Wait for it all the same.
        """

    @property
    def active(self) -> bool:
        """Whether it is still to be waited for."""

    def __await__(self) -> Generator[Any, None, Status]: ...

    def __repr__(self) -> str: ...

def wait_all(requests: Sequence[Request]) -> list[Status]: ...

def send(x: typewarp._core.View, dest: object | None, tag: object | None, comm: object | None, stream: int) -> None: ...

def ssend(x: typewarp._core.View, dest: object | None, tag: object | None, comm: object | None, stream: int) -> None: ...

def recv(x: typewarp._core.View, source: object | None, tag: object | None, comm: object | None, stream: int) -> Status: ...

def isend(x: typewarp._core.View, dest: object | None, tag: object | None, comm: object | None, stream: int) -> Request: ...

def issend(x: typewarp._core.View, dest: object | None, tag: object | None, comm: object | None, stream: int) -> Request: ...

def irecv(x: typewarp._core.View, source: object | None, tag: object | None, comm: object | None, stream: int) -> Request: ...

def sendrecv(x: typewarp._core.View, dest: object | None, y: typewarp._core.View, source: object | None, sendtag: object | None, recvtag: object | None, comm: object | None, stream: int) -> Status: ...

def probe(source: object | None, tag: object | None, comm: object | None) -> Status: ...

def iprobe(source: object | None, tag: object | None, comm: object | None) -> Status | None: ...

def progress() -> None: ...

class SessionOptions:
    def __init__(self, arg: dict, /) -> None: ...

class Session:
    def __init__(self, comm: object | None, options: SessionOptions) -> None: ...

    @property
    def options(self) -> dict: ...

    def possible(self, protocol: str) -> bool: ...

    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...

class ExchangeParts:
    def __init__(self, sends: Sequence[tuple[typewarp._core.View, int]], receives: Sequence[tuple[typewarp._core.View, int]], time_limit: float, keep: bool = True) -> None: ...

class Exchange:
    def __init__(self, ranks: object | None, parts: ExchangeParts) -> None: ...

    def start(self, stream: int, sends_displaced: int = 0, own_receives_displaced: int = 0) -> None: ...

    def done(self) -> bool: ...

    def wait(self) -> None: ...

    @property
    def ways(self) -> dict: ...

    @property
    def ways_of_sends(self) -> list: ...

    @property
    def ways_of_receives(self) -> list: ...

    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...

class Grid:
    def __init__(self, comm: object | None, sizes: Sequence[int], periodic: Sequence[bool]) -> None: ...

    @property
    def sizes(self) -> list[int]: ...

    @property
    def periodic(self) -> list[bool]: ...

    @property
    def coordinates(self) -> list[int]: ...

    @property
    def rank(self) -> int: ...

    def agree(self, well: bool) -> bool: ...

    def neighbour(self, direction: Sequence[int]) -> object: ...

    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...

class HaloFields:
    def __init__(self, fields: Sequence[tuple[typewarp._core.View, Sequence[int], Sequence[int], Sequence[int]]], packing: str, messages: str, diagonals: str, buffers: str, sides: Sequence[Sequence[int]], poison: bool) -> None: ...

class HaloExchange:
    def __init__(self, grid: Grid, fields: HaloFields) -> None: ...

    def start(self, stream: int) -> None: ...

    def done(self) -> bool: ...

    def wait(self, stream: int) -> None: ...

    def exchange(self, stream: int) -> None: ...

    def accumulate(self, operation: str, stream: int) -> None: ...

    def tune(self, stream: int) -> None: ...

    def set_width(self, width: int) -> None: ...

    def bind(self, views: Sequence[typewarp._core.View]) -> None: ...

    @property
    def packing(self) -> str: ...

    @property
    def messages(self) -> str: ...

    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...
