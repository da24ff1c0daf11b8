# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Operations that are prepared once and started many times."""
from __future__ import annotations

from . import _core
from ._core import View
from ._engine import named_view, view
from ._streams import Stream, handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Persistent:
    """Created by pack_init(), unpack_init() and copy_init(). A start costs the launch of a GPU graph and allocates nothing.

    Keeps the memory of both arrays alive. Starts run one after the other, even on different streams. Not thread-safe.
    """

    def __init__(self, operation: _core.Prepared, text: str, source: View, destination: View):
        self._operation, self._text, self._source, self._destination = operation, text, source, destination

    def start(self, stream: Stream = None) -> None:
        """Enqueues the operation; without a GPU the bytes are moved at once."""
        self._operation.start(handle_of(stream, self._source, self._destination))

    def done(self) -> bool:
        """Whether all starts are complete. True before the first."""
        return self._operation.done()

    def wait(self) -> None:
        """Waits until done(). Spins, but lets other Python threads run."""
        self._operation.wait()

    def __repr__(self) -> str:
        return f"<typewarp.Persistent {self._text} of {self._source!r} into {self._destination!r}>"


def pack_init(x: Any, out: Any) -> Persistent:
    """A prepared pack(). Raises ValueError also if one side is pageable host memory and the other GPU memory."""
    source, destination = view(x), named_view("out", out)
    return Persistent(_core.Prepared.pack(source, destination), "pack", source, destination)


def unpack_init(packed: Any, x: Any) -> Persistent:
    """A prepared unpack(); see pack_init()."""
    source, destination = named_view("packed", packed), view(x)
    return Persistent(_core.Prepared.unpack(source, destination), "unpack", source, destination)


def copy_init(source: Any, destination: Any) -> Persistent:
    """A prepared copy(); see pack_init()."""
    from_, to = named_view("source", source), named_view("destination", destination)
    return Persistent(_core.Prepared.copy(from_, to), "copy", from_, to)
