# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Many arrays, packed and unpacked together."""
from __future__ import annotations

from itertools import accumulate

from . import _core, _libraries
from ._engine import listed, named_view
from ._streams import Stream, handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Batch:
    """Arrays of any shapes and types, packed one behind the other and unpacked: by one kernel, if one GPU reaches all of them.

    Prepared once, so that a call costs one launch. Keeps the memory of all arrays alive. Not thread-safe.
    """

    def __init__(self, views: Iterable[Any], packed: Any = None):
        """`packed` is a contiguous array with as many bytes as all views; without it, the library of the first view makes one. Raises
        ValueError that names `views[i]` or `packed`."""
        self._views = [named_view(f"views[{i}]", x) for i, x in enumerate(listed("views", views))]
        ends = list(accumulate((v.nbytes for v in self._views), initial=0))
        #: Where each view's bytes begin in `packed`, in bytes.
        self.places = ends[:-1]
        if packed is None:
            if not self._views:
                raise ValueError("packed: must be given where there are no views")
            packed = _libraries.empty_bytes(self._views[0], ends[-1])
        #: The packed bytes of all views.
        self.packed = packed
        self._packed = named_view("packed", packed)
        self._pieces = _core.Pieces(self._views, self._packed)

    def pack(self, stream: Stream = None) -> Any:
        """Packs all views. Returns `packed`."""
        self._pieces.pack(handle_of(stream, *self._views, self._packed))
        return self.packed

    def unpack(self, stream: Stream = None) -> None:
        """Unpacks all views from `packed`."""
        self._pieces.unpack(handle_of(stream, self._packed, *self._views))

    def __repr__(self) -> str:
        return f"<typewarp.Batch of {len(self._views)} views, {self._packed.nbytes} bytes on {self._packed.device}>"
