# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Messages between the ranks of an mpi4py communicator."""
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

    `comm` is an mpi4py communicator (default: MPI.COMM_WORLD). The call waits for all work on `stream`, so that the GPU has finished the
    array. Raises MpiError for a rank or tag that the MPI rejects, GpuError, and TimeLimitExceeded in a Session with a time limit.
    """
    v = named_view("x", x)
    core.send(v, dest, tag, comm, handle_of(stream, v))


def ssend(x: Any, dest: int, tag: int = 0, comm: MPI.Comm | None = None, stream: Stream = None) -> None:
    """Like send(), but returns only when a receive has matched."""
    v = named_view("x", x)
    core.ssend(v, dest, tag, comm, handle_of(stream, v))


def recv(x: Any, source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None,
         stream: Stream = None) -> Status:
    """Receives into the elements of an array, and leaves the bytes between them alone. Returns when the elements are in place, visible to
    all work enqueued afterwards on any stream.

    Without `source` or `tag` it takes a message from any rank, with any tag. The array is written after the work on `stream`. A shorter
    message is allowed (see Status.nbytes); a longer one raises MpiError of class MPI.ERR_TRUNCATE.
    """
    v = named_view("x", x)
    return core.recv(v, source, tag, comm, handle_of(stream, v))


def isend(x: Any, dest: int, tag: int = 0, comm: MPI.Comm | None = None, stream: Stream = None) -> Request:
    """Starts a send(). Do not write the array until the request is complete; the request keeps its memory alive."""
    v = named_view("x", x)
    return core.isend(v, dest, tag, comm, handle_of(stream, v))


def issend(x: Any, dest: int, tag: int = 0, comm: MPI.Comm | None = None, stream: Stream = None) -> Request:
    """Starts an ssend()."""
    v = named_view("x", x)
    return core.issend(v, dest, tag, comm, handle_of(stream, v))


def irecv(x: Any, source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None,
          stream: Stream = None) -> Request:
    """Starts a recv(). Do not read or write the array until the request is complete; the request keeps its memory alive."""
    v = named_view("x", x)
    return core.irecv(v, source, tag, comm, handle_of(stream, v))


def sendrecv(x: Any, dest: int, y: Any, source: int | None = None, sendtag: int = 0, recvtag: int | None = None,
             comm: MPI.Comm | None = None, stream: Stream = None) -> Status:
    """Sends `x` and receives into `y` at the same time; the two must not overlap."""
    v, w = named_view("x", x), named_view("y", y)
    return core.sendrecv(v, dest, w, source, sendtag, recvtag, comm, handle_of(stream, v, w))


def wait_all(requests: Iterable[Request]) -> list[Status]:
    """Waits for all requests and returns the Status of each. If any failed, raises the first error after all have ended."""
    given = listed("requests", requests)
    for i, request in enumerate(given):
        if not isinstance(request, Request):
            raise TypeError(f"requests[{i}]: {type(request).__name__} is not a Request")
    return core.wait_all(given)


def probe(source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None) -> Status:
    """Waits for a message and returns its source, tag and size. Receive it with this package, not with mpi4py."""
    return core.probe(source, tag, comm)


def iprobe(source: int | None = None, tag: int | None = None, comm: MPI.Comm | None = None) -> Status | None:
    """Like probe(), but does not wait: None if there is no message."""
    return core.iprobe(source, tag, comm)


def progress() -> None:
    """Makes progress on the messages of the Session without waiting. For ranks that wait for something else and have no progress thread."""
    core.progress()
