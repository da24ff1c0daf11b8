# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Faster messages between the ranks of a communicator."""
from typing import Any

from ._mpi_library import MPI, core
from ._together import MadeTogether, together

_OPTIONS = ("protocol", "eager_bytes", "direct_bytes", "chunk_bytes", "pool_bytes", "device_pool_bytes", "time_limit", "progress_thread")


class Session(MadeTogether):
    """Makes messages between the ranks of a communicator faster: they go from GPU to GPU, or packing, sending and unpacking overlap.

    Collective over `comm` (default: MPI.COMM_WORLD). No message between its ranks may be in flight when it is created or closed. A
    process can have one Session. Close it with a `with` block or close(), which are collective; else it is closed before MPI is finalized.

    While it is open, both ends of a message of 509 bytes or more must be calls of this package, not of mpi4py. Only calls of this package
    make progress: a rank that has a message in flight and waits for something else, such as a barrier of mpi4py, must call progress()
    meanwhile or use `progress_thread=True`.

    Options are those of C++ (docs/reference/options.md): protocol, eager_bytes, direct_bytes, chunk_bytes, pool_bytes,
    device_pool_bytes, time_limit in seconds (0: none), progress_thread. Defaults come from the environment and the machine's profile.
    Raises ValueError and TypeError for wrong options, RuntimeError if the process has a Session already, and MpiError. If one rank
    raises, all do.
    """

    def __init__(self, comm: MPI.Comm | None = None, **options: Any):
        self._session = core.Session(comm, together(lambda well: core.agree(comm, well), lambda: _checked(options)))

    @property
    def options(self) -> dict[str, Any]:
        """The options in force."""
        return self._session.options

    def possible(self, protocol: str) -> bool:
        """Whether any message can use the protocol 'direct', 'gpu_aware', 'ucx', ...; if not, 'automatic' is used instead."""
        return self._session.possible(protocol)

    def close(self) -> None:
        """Collective: waits for all ranks. A second call does nothing."""
        self._session.close()

    def __repr__(self) -> str:
        return "<typewarp.Session, closed>" if self._session.closed else f"<typewarp.Session, protocol {self.options['protocol']}>"


def _checked(options: dict[str, Any]) -> Any:
    for name, value in options.items():
        if name not in _OPTIONS:
            raise TypeError(f"{name}: is not an option of a Session: those are {', '.join(_OPTIONS)}")
        try:
            core.SessionOptions({name: value})
        except RuntimeError:  # nanobind's, for a value of another type
            raise TypeError(f"{name}: {type(value).__name__} is not what it takes") from None
    return core.SessionOptions(options)
