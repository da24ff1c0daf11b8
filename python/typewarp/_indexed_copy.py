# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Copies of items whose places are lists that change with each call."""
from __future__ import annotations

from array import array

from . import _core
from ._core import View
from ._engine import listed, named_view, named_views, pack
from ._streams import Stream, handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class IndexedCopy:
    """Copies items of arrays along an axis, between places that each call gives: pages of a cache, rows of a table, particles.

    Many pairs of arrays, such as the keys and values of all layers, share the lists. One kernel moves up to 199 pairs whose items are
    regular and have one size and alignment, and nothing is prepared for a list. Keeps the memory of all arrays alive. Not thread-safe.
    """

    def __init__(self, source: Any, destination: Any, axis: int = 0):
        """`source` and `destination` are an array each, or lists of equally many arrays. Both arrays of a pair have the same elements and,
        but for `axis`, equally many; all sources are equally long along `axis`, and all destinations. Either all are host memory, or a GPU
        reaches all. Raises ValueError that names the array."""
        self._source, self._destination = named_views("source", source), named_views("destination", destination)
        self._copy = _core.Indexed(self._source, self._destination, axis)
        # One of each library and device, whose current streams a call takes.
        self._streams = list({(v.device, type(v.array)): v for v in self._source + self._destination}.values())

    def copy(self, from_: Any = None, to: Any = None, stream: Stream = None) -> None:
        """Copies item `from_[k]` of each source to item `to[k]` of its destination. A list is a one-dimensional array of int32 or int64 in
        any memory, or any iterable of integers; None is 0, 1, 2, ... An item that is written twice gets some bytes of each. No item that is
        read may overlap one that is written.

        Lists of the host are read before the call returns. ValueError names an index that is out of range, and nothing is moved; negative
        indices are out of range. Lists in GPU memory are read when the stream comes to them: keep them until then. The GPU leaves out an
        item whose index is out of range, and check() or a later call raises. May be captured into a CUDA graph if no list is the host's;
        keep lists and object as long as the graph.
        """
        lists, count = lists_of(from_, to, stream)
        self._copy.copy(*lists, count, handle_of(stream, *self._streams, *(x for x in lists if x is not None)))

    def check(self) -> None:
        """Raises ValueError that names an index if a GPU has found one out of range. Synchronise the stream first."""
        self._copy.check()

    def __repr__(self) -> str:
        return f"<typewarp.IndexedCopy from {len(self._source)} to {len(self._destination)} arrays>"


def lists_of(from_: Any, to: Any, stream: Stream) -> tuple[list[View | None], int]:
    """Views of both lists, without gaps, and how long they are. Raises ValueError that names "from_" or "to"."""
    lists = [_list("from_", from_, stream), _list("to", to, stream)]
    lengths = [x.shape[0] for x in lists if x is not None]
    if not lengths:
        raise ValueError("from_: must be given where to is not")
    if lengths[0] != lengths[-1]:
        raise ValueError(f"to: has {lengths[1]} indices, must have {lengths[0]} as from_")
    return lists, lengths[0]


def _list(argument: str, indices: Any, stream: Stream) -> View | None:
    """Integers without gaps."""
    if indices is None:
        return None
    try:
        view = named_view(argument, indices)
    except TypeError:
        values = listed(argument, indices)
        try:
            view = View(array("q", values))
        except TypeError as error:
            raise TypeError(f"{argument}: {error}") from None
        except OverflowError:
            raise ValueError(f"{argument}: has an index beyond 64 bits") from None
    if view.ndim != 1:
        raise ValueError(f"{argument}: has {view.ndim} dimensions, must have one")
    return view if view.contiguous else View(pack(view, stream=stream))
