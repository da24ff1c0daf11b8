# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Processes that make an exchange without an MPI."""
from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Ranks:
    """Processes that exchange arrays without an MPI; they meet by a function.

    All processes call `all_gather(value)` with bytes, and it must return the list of all values in the order of ranks. Lengths may
    differ. It is called when an exchange is created and closed, in the same order in all processes, and never by start(). Its exceptions
    are passed on. Only arrays on GPUs of one host that reach each other can be exchanged.

    Raises TypeError and ValueError.
    """

    def __init__(self, rank: int, size: int, all_gather: Callable[[bytes], Iterable[bytes]]):
        for name, value in (("rank", rank), ("size", size)):
            if not isinstance(value, int):
                raise TypeError(f"{name}: must be an integer, not {type(value).__name__}")
        if not callable(all_gather):
            raise TypeError(f"all_gather: must be a function, not {type(all_gather).__name__}")
        if size < 1:
            raise ValueError(f"size: {size} must be positive")
        if not 0 <= rank < size:
            raise ValueError(f"rank: {rank} must be one of {size}")
        self.rank, self.size, self._all_gather = rank, size, all_gather

    @classmethod
    def of_torch(cls, group: Any = None) -> Ranks:
        """The ranks of a process group of torch.distributed with any backend (None: the default group)."""
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_initialized():
            raise ValueError("group: torch.distributed is not initialized")
        size = distributed.get_world_size(group)
        if distributed.get_rank(group) < 0:
            raise ValueError("group: this process is not in it")

        def all_gather(value: bytes) -> list[bytes]:
            values: list[Any] = [None] * size
            distributed.all_gather_object(values, value, group=group)
            return values

        return cls(distributed.get_rank(group), size, all_gather)

    @classmethod
    def of(cls, comm: Any) -> Ranks | None:
        """Those of Ranks or of a process group of torch.distributed; None for anything else, such as a communicator."""
        if isinstance(comm, cls):
            return comm
        distributed = sys.modules.get("torch.distributed")
        if distributed is not None and distributed.is_available() and isinstance(comm, distributed.ProcessGroup):
            return cls.of_torch(comm)
        return None

    def gather(self, value: bytes) -> list[bytes]:
        """The values of all ranks. Collective."""
        values = list(self._all_gather(value))
        for i, one in enumerate(values):
            if not isinstance(one, (bytes, bytearray, memoryview)):
                raise TypeError(f"all_gather: returned {type(one).__name__} for rank {i}, must return bytes")
        return [bytes(one) for one in values]

    def agree(self, well: bool) -> bool:
        """Whether `well` is true in all ranks. Collective."""
        return all(value == b"1" for value in self.gather(b"1" if well else b"0"))

    def __repr__(self) -> str:
        return f"<typewarp.Ranks {self.rank} of {self.size}>"
