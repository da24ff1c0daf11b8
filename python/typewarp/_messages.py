# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Messages between ranks of communicators of mpi4py."""
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._engine import listed, named_view
from ._mpi_library import MPI, core
from ._streams import Stream, handle_of

if TYPE_CHECKING:
    from ._with_mpi import Request, Status
else:
    Request, Status = core.Request, core.Status


def send(x: Any, dest: int, tag: int = 0, comm: MPI.Comm | None = None, stream: Stream = None) -> None:
    """Sends the elements of an array to rank `dest`. Returns when the array may be written.

    `comm` is a communicator of mpi4py; without it, MPI.COMM_WORLD. What a GPU may be doing to the array on `stream` is sent when it is
    done; the call waits for that. Raises MpiError for a rank and a tag that the MPI refuses, GpuError, and TimeLimitExceeded in a
    Session that has a limit.
    """
    v = named_view("x", x)
    core.send(v, dest, tag, comm, handle_of(stream, v))


def ssend(x: Any, dest: int, tag: int = 0, comm: MPI.Comm | None = None, stream: Stream = None) -> None:
    """As send(), and returns only when a receive has matched."""
    v = named_view("x", x)
    core.ssend(v, dest, tag, comm, handle_of(stream, v))


def recv(x: Any, source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None,
         stream: Stream = None) -> Status:
    """Receives into the elements of an array, and no byte between them. Returns when they are in place: what is enqueued then, on any
    stream, sees them.

    Without `source` or `tag`, from any rank, of any tag. What `stream` holds is done before the array is written. Fewer bytes than the
    array has may come, which Status.nbytes tells; more raise MpiError of the class MPI.ERR_TRUNCATE.
    """
    v = named_view("x", x)
    return core.recv(v, source, tag, comm, handle_of(stream, v))


def isend(x: Any, dest: int, tag: int = 0, comm: MPI.Comm | None = None, stream: Stream = None) -> Request:
    """Starts a send(). The array must not be written until the request is complete, which keeps its memory."""
    v = named_view("x", x)
    return core.isend(v, dest, tag, comm, handle_of(stream, v))


def issend(x: Any, dest: int, tag: int = 0, comm: MPI.Comm | None = None, stream: Stream = None) -> Request:
    """Starts an ssend()."""
    v = named_view("x", x)
    return core.issend(v, dest, tag, comm, handle_of(stream, v))


def irecv(x: Any, source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None,
          stream: Stream = None) -> Request:
    """Starts a recv(). The array must be neither read nor written until the request is complete, which keeps its memory."""
    v = named_view("x", x)
    return core.irecv(v, source, tag, comm, handle_of(stream, v))


def sendrecv(x: Any, dest: int, y: Any, source: int | None = None, sendtag: int = 0, recvtag: int | None = None,
             comm: MPI.Comm | None = None, stream: Stream = None) -> Status:
    """Sends `x` and receives into `y` at once; they must not overlap."""
    v, w = named_view("x", x), named_view("y", y)
    return core.sendrecv(v, dest, w, source, sendtag, recvtag, comm, handle_of(stream, v, w))


def wait_all(requests: Iterable[Request]) -> list[Status]:
    """Returns the Status of each when all are complete. An error is raised, the first one, when all are over."""
    given = listed("requests", requests)
    for i, request in enumerate(given):
        if not isinstance(request, Request):
            raise TypeError(f"requests[{i}]: {type(request).__name__} is not a Request")
    return core.wait_all(given)


def probe(source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None) -> Status:
    """Waits for a message, and tells who sent it, its tag and its bytes. It must be received by this package."""
    return core.probe(source, tag, comm)


def iprobe(source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None) -> Status | None:
    """The same without waiting: None if there is no message."""
    return core.iprobe(source, tag, comm)


def progress() -> None:
    """Moves the messages of the Session on, without waiting: for a rank that waits for something else and has no progress thread."""
    core.progress()
