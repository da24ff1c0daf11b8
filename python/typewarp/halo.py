# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Halo exchange on regular grids: each process has a part of some arrays, surrounded by halos, copies of the neighbours' edges. An
exchange updates the halos.

    grid = tw.halo.Grid(comm, 2, periodic=(True, False))
    ex = grid.exchange([a, b], width=2)
    ex.start()
    ...                # compute what needs no halo
    ex.wait()
"""
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from ._core import Disagreement, View
from ._engine import listed, named_view
from ._mpi_library import MPI, core
from ._streams import Stream, handle_of
from ._together import MadeTogether, together

Width = int | Sequence


@dataclass
class Field:
    """An array of an exchange that differs from the others.

    `width` is the width of its halos in elements: one number, one for each dimension of the grid, or a pair (below, above) for each
    (default: the width given to exchange()). `staggered` are the dimensions of the grid in which the array has one element more than
    there are cells: its last element is the neighbour's first and comes from there, so the halo above is one element wider. `along` is
    the dimension of the grid for each dimension of the array, or None if that is not divided; it may be omitted if their numbers agree.
    """

    array: Any
    width: Width | None = None
    staggered: int | Sequence[int] = ()
    along: Sequence[int | None] | None = None


class Grid(MadeTogether):
    """A Cartesian grid of processes. Ranks are numbered in row-major order.

    Collective over `comm` (default: MPI.COMM_WORLD). `dims` is the number of processes along each dimension, 0 for the MPI to choose, or
    just the number of dimensions. `periodic` is one boolean, or one for each dimension. Without `dims`, `comm` must be a Cartesian
    communicator, whose grid is used. Raises ValueError and TypeError that name the argument, Disagreement if ranks give different
    arguments, and MpiError.

    Close it with a `with` block or close(), which are collective; else it is closed before MPI is finalized.
    """

    def __init__(self, comm: MPI.Comm | None = None, dims: int | Sequence[int] | None = None, periodic: bool | Sequence[bool] = False):
        sizes, periods = together(lambda well: core.agree(comm, well), lambda: _sizes(comm, dims, periodic))
        if not core.agree(comm, dims is None) and not core.agree(comm, dims is not None):
            raise Disagreement("dims: is given by some processes, but not by all")
        self._grid = core.Grid(comm, sizes, periods)

    @property
    def dims(self) -> tuple[int, ...]:
        """Processes along each dimension."""
        return tuple(self._grid.sizes)

    @property
    def periodic(self) -> tuple[bool, ...]:
        """Whether the last process of a dimension has the first as its neighbour."""
        return tuple(self._grid.periodic)

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Of this process."""
        return tuple(self._grid.coordinates)

    @property
    def rank(self) -> int:
        """Of this process."""
        return self._grid.rank

    def neighbour(self, direction: Sequence[int]) -> int | None:
        """The rank one step (-1, 0 or 1) away along each dimension; None beyond a side that is not periodic."""
        return self._grid.neighbour(_integers("direction", direction))

    def exchange(self, fields: Iterable, width: Width = 1, *, packing: str = "automatic", messages: str = "automatic",
                 diagonals: str = "direct", buffers: str = "automatic", sides: Iterable[Sequence[int]] = (),
                 poison: bool = False) -> "HaloExchange":
        """Prepares an exchange of all fields together. Collective over the grid.

        A field is an array or a Field. Its halos are `width` elements wide on both sides of each dimension of the grid: one number, one
        for each dimension, or a pair (below, above) for each. All other elements are owned. Sizes of neighbours must match. All processes
        must give equally many fields of the same dimensions and element types. Fields are host arrays, or all on one GPU, or pinned.

        Options are those of C++ (docs/guide/halo.md): `packing` automatic, manual or datatype, `buffers` automatic, pinned or
        device (`messages` and `diagonals` change nothing any more); `sides` the only directions from which halos are
        filled; `poison` fills halos with NaNs while an exchange is under way.

        Raises ValueError and TypeError that name "fields[i]" or the option, and Disagreement in the other processes.
        """
        def prepared():
            views, texts = [], []
            for i, field in enumerate(listed("fields", fields)):
                field = field if isinstance(field, Field) else Field(field)
                views.append(named_view(f"fields[{i}]", field.array))
                texts.append(_described(f"fields[{i}]", views[-1], field, width, len(self.dims)))
            if not views:
                raise ValueError("fields: has no arrays, must have one at least")
            for name, word in (("packing", packing), ("messages", messages), ("diagonals", diagonals), ("buffers", buffers)):
                _word(name, word)
            directions = [_integers(f"sides[{i}]", side) for i, side in enumerate(listed("sides", sides))]
            return views, core.HaloFields(texts, packing, messages, diagonals, buffers, directions, bool(poison))

        views, made = together(self._grid.agree, prepared)
        return HaloExchange(core.HaloExchange(self._grid, made), views)

    def close(self) -> None:
        """Collective. Close the exchanges of the grid first. A second call does nothing."""
        self._grid.close()

    def __repr__(self) -> str:
        if self._grid.closed:
            return "<typewarp.halo.Grid, closed>"
        return f"<typewarp.halo.Grid of {self.dims} processes, periodic {self.periodic}>"


class HaloExchange(MadeTogether):
    """Created by Grid.exchange(): call start() and wait() repeatedly. Keeps the memory of all fields alive. Not thread-safe.

    Between start() and wait() do not write fields or read their halos. On a GPU, start() may wait for the work on the stream, and wait()
    waits for the messages; work enqueued on the same stream afterwards sees the halos.

    Close it with a `with` block or close(), which are collective; else it is closed before MPI is finalized. Dropping the last reference
    does not close it. After an error of start() or wait(), all further calls raise.
    """

    def __init__(self, exchange: core.HaloExchange, views: list[View]):
        self._exchange, self._views, self._stream, self._kept = exchange, views, 0, None

    def start(self, stream: Stream = None) -> None:
        """Packs and sends what neighbours need, after the work on `stream`."""
        self._stream = handle_of(stream, *self._views)
        self._kept = stream  # whose handle wait() uses
        self._exchange.start(self._stream)

    def done(self) -> bool:
        """Makes progress, and tells whether wait() would return at once."""
        return self._exchange.done()

    def wait(self) -> None:
        """Waits for all data. For GPU fields, returns when unpacking is enqueued on the stream of start()."""
        self._exchange.wait(self._stream)

    def __call__(self, stream: Stream = None) -> None:
        """start() and wait()."""
        self._exchange.exchange(handle_of(stream, *self._views))

    def accumulate(self, operation: str = "sum", stream: Stream = None) -> None:
        """The reverse: combines the values in halos with the elements of their owners, always in the same order, by an operation of MPI
        ('sum', 'min', 'max', 'prod', 'land', 'band', 'lor', 'bor', 'lxor', 'bxor', 'minloc', 'maxloc'). Halos keep their values.
        ValueError for elements that are not numbers."""
        _word("operation", operation)
        self._exchange.accumulate(operation, handle_of(stream, *self._views))

    def bind(self, fields: Iterable) -> None:
        """Switches to other arrays of the same shapes, strides, types and devices, as for double buffering. Switching back costs nothing.
        Only between exchanges. ValueError names "fields[i]"."""
        views = [named_view(f"fields[{i}]", x) for i, x in enumerate(listed("fields", fields))]
        if len(views) != len(self._views):
            raise ValueError(f"fields: has {len(views)} arrays, must have {len(self._views)}")
        for i, (new, old) in enumerate(zip(views, self._views)):
            for name in ("shape", "strides", "dtype", "device"):
                if getattr(new, name) != getattr(old, name):
                    raise ValueError(f"fields[{i}]: has {name} {getattr(new, name)}, must have {getattr(old, name)} as before")
        self._exchange.bind(views)
        self._views = views

    def set_width(self, width: int) -> None:
        """From now on fills only the `width` halo elements next to the owned ones. The same in all processes."""
        if not isinstance(width, Integral):
            raise TypeError(f"width: {type(width).__name__} is not an integer")
        if not -2**63 <= width < 2**63:
            raise ValueError(f"width: {width} must fit 64 bits")
        self._exchange.set_width(int(width))

    def tune(self, stream: Stream = None) -> None:
        """Collective: tries the ways of packing and keeps the fastest. Fills halos."""
        self._exchange.tune(handle_of(stream, *self._views))

    @property
    def packing(self) -> str:
        """The way of packing that was chosen: 'manual' or 'datatype'."""
        return self._exchange.packing

    def close(self) -> None:
        """Collective: completes what is in flight and releases the arrays. A second call does nothing."""
        self._exchange.close()
        self._views = []

    def __repr__(self) -> str:
        if self._exchange.closed:
            return "<typewarp.halo.HaloExchange, closed>"
        return f"<typewarp.halo.HaloExchange of {len(self._views)} fields>"


def _sizes(comm, dims, periodic):
    if dims is None:
        if not isinstance(comm, MPI.Cartcomm):
            raise TypeError("dims: must be given, since comm is not a Cartesian communicator")
        return [], []
    sizes = [0] * int(dims) if isinstance(dims, Integral) else _integers("dims", dims)
    if not sizes:
        raise ValueError(f"dims: {dims!r} must be the number of dimensions, or the processes along each")
    periods = [bool(one) for one in periodic] if hasattr(periodic, "__len__") else [bool(periodic)] * len(sizes)
    return sizes, periods


def _word(argument: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{argument}: {type(value).__name__} is not a string")


def _integers(argument: str, values: Any) -> list[int]:
    numbers = listed(argument, values)
    if not all(isinstance(number, Integral) for number in numbers):
        raise TypeError(f"{argument}: {values!r} must hold integers")
    return [int(number) for number in numbers]


def _widths(argument: str, width: Width, dimensions: int) -> list[tuple[int, int]]:
    """Below and above, for each dimension of the grid."""
    each = [width] * dimensions if isinstance(width, Integral) else listed(argument, width)
    pairs = [(one, one) if isinstance(one, Integral) else tuple(listed(argument, one)) for one in each]
    if len(pairs) != dimensions or any(len(pair) != 2 or not all(isinstance(n, Integral) and n >= 0 for n in pair) for pair in pairs):
        raise ValueError(f"{argument}: {width!r} must be a number that is not negative, one for each of {dimensions} dimensions, or a "
                         "pair for each")
    return pairs


def _described(argument: str, view: View, field: Field, width: Width, dimensions: int):
    """What core.HaloFields takes of a field."""
    widths = _widths("width" if field.width is None else f"{argument}.width", width if field.width is None else field.width, dimensions)
    staggered = [field.staggered] if isinstance(field.staggered, Integral) else listed(f"{argument}.staggered", field.staggered)
    along = list(range(dimensions)) if field.along is None else listed(f"{argument}.along", field.along)
    if len(along) != view.ndim:
        rule = "as many as the grid, or along must be given" if field.along is None else "as many as along has entries"
        raise ValueError(f"{argument}: has {view.ndim} dimensions, must have {rule}")
    if any(d not in range(dimensions) for d in staggered):
        raise ValueError(f"{argument}.staggered: {field.staggered!r} must be dimensions of the grid, which has {dimensions}")
    if any(d is not None and d not in range(dimensions) for d in along):
        raise ValueError(f"{argument}.along: {field.along!r} must be dimensions of the grid, which has {dimensions}, or None")
    below = [0 if d is None else widths[d][0] for d in along]
    above = [0 if d is None else widths[d][1] + (d in staggered) for d in along]
    for d, size in enumerate(view.shape):
        if size <= below[d] + above[d]:
            raise ValueError(f"{argument}: has {size} indices in dimension {d}, must have more than its halos, {below[d]} and {above[d]}")
    return view, below, above, [-1 if d is None else d for d in along]
