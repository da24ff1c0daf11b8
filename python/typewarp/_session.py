# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Faster messages between the ranks of a communicator."""
from typing import Any

from ._mpi_library import MPI, core
from ._together import MadeTogether, together

_OPTIONS = ("protocol", "eager_bytes", "direct_bytes", "chunk_bytes", "pool_bytes", "device_pool_bytes", "time_limit", "progress_thread")


class Session(MadeTogether):
    """Gives the messages between the ranks of a communicator protocols that overlap packing, sending and unpacking, or go from GPU to GPU.

    Collective, over MPI.COMM_WORLD if `comm` is left out; no message between its ranks may be in flight, here and when it is closed. A
    process has at most one. It ends with the `with` block or close(), which are collective, or before MPI is finalized.

    While it lives, both ends of a message of 509 bytes or more must be calls of this package, not of mpi4py. Progress is made inside the
    calls of this package only: a rank that has a message in flight and waits for something else, a barrier of mpi4py perhaps, calls
    progress() meanwhile, or asks for `progress_thread=True`.

    Options are those of C++ (docs/reference/options.md): protocol, eager_bytes, direct_bytes, chunk_bytes, pool_bytes,
    device_pool_bytes, time_limit in seconds (0: none), progress_thread. Those that are left out are as the environment and the
    machine's profile say. Raises ValueError and TypeError for them, RuntimeError if the process has a Session already; MpiError. Where one
    rank raises, all do.
    """

    def __init__(self, comm: MPI.Comm | None = None, **options: Any):
        self._session = core.Session(comm, together(lambda well: core.agree(comm, well), lambda: _checked(options)))

    @property
    def options(self) -> dict[str, Any]:
        """Those in force."""
        return self._session.options

    def possible(self, protocol: str) -> bool:
        """Whether some message may go by 'direct', 'gpu_aware', 'ucx', ...: what cannot be is automatic."""
        return self._session.possible(protocol)

    def close(self) -> None:
        """Collective: waits until all ranks are here. Again does nothing."""
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
