# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Halo exchange on regular grids: each process has a part of some arrays, surrounded by copies of what its neighbours have, which
an exchange brings up to date.

    grid = tw.halo.Grid(comm, 2, periodic=(True, False))
    ex = grid.exchange([a, b], width=2)
    ex.start()
    ...                # what needs no halo
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
    """An array of an exchange that is not as the others.

    `width` is that of its halos, in elements: one number, one for each dimension of the grid, or a pair (below, above) for each; without
    it, what exchange() is given. `staggered` are the dimensions of the grid in which it has one element more than there are cells: its
    last is the neighbour's first, and comes from there, so the halo above has one element more. `along` tells for each dimension of the
    array the one of the grid that it lies along, or None where it is not divided; it may be left out where they are equally many.
    """

    array: Any
    width: Width | None = None
    staggered: int | Sequence[int] = ()
    along: Sequence[int | None] | None = None


class Grid(MadeTogether):
    """A Cartesian grid of processes; ranks are numbered with the last dimension fastest.

    Collective over `comm`, or MPI.COMM_WORLD. `dims` are the processes along each dimension, 0 where the MPI is to choose, or the number
    of dimensions. `periodic` is one truth value, or one for each dimension. Without `dims`, `comm` is a Cartesian communicator, and the
    grid is that. Raises ValueError and TypeError that name the argument, Disagreement where ranks do not give the same; MpiError.

    It ends with the `with` block or close(), which are collective, or before MPI is finalized.
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
        """The rank at a step of -1, 0 or 1 along each dimension, perhaps this one; None beyond a side that is not periodic."""
        return self._grid.neighbour(_integers("direction", direction))

    def exchange(self, fields: Iterable, width: Width = 1, *, packing: str = "automatic", messages: str = "automatic",
                 diagonals: str = "direct", buffers: str = "automatic", sides: Iterable[Sequence[int]] = (),
                 poison: bool = False) -> "HaloExchange":
        """Prepares the exchange of all fields at once. Collective over the grid.

        A field is an array, or a Field. Its halos have `width` elements on both sides of each dimension of the grid: one number, one for
        each dimension, or a pair (below, above) for each. All other elements are owned; what neighbours send and receive must fit. The
        number of fields, their dimensions and elements are the same in all processes. Fields are NumPy's, or all on one GPU, or pinned.

        Options are those of C++ (docs/guide/halo.md): `packing` automatic, manual or datatype, `buffers` automatic, pinned or
        device (`messages` and `diagonals` change nothing any more); `sides` the only directions from which halos are
        filled; `poison` fills halos with NaNs while an exchange is under way.

        Raises ValueError and TypeError that name "fields[i]", or the option; Disagreement in the other processes.
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
        """Collective, after the exchanges of the grid are closed. Again does nothing."""
        self._grid.close()

    def __repr__(self) -> str:
        if self._grid.closed:
            return "<typewarp.halo.Grid, closed>"
        return f"<typewarp.halo.Grid of {self.dims} processes, periodic {self.periodic}>"


class HaloExchange(MadeTogether):
    """What Grid.exchange() makes: start() and wait(), again and again. Keeps the memory of all fields. Not to be used by several threads
    at once.

    From start() until wait() fields must not be written, nor their halos read. On a GPU nothing waits but start(), perhaps for what the
    stream holds, and wait() for the messages: the halos are there for what is enqueued on the same stream afterwards.

    It ends with the `with` block or close(), which are collective, or before MPI is finalized: to drop it alone ends nothing. After an
    error of start() or wait() all further calls raise.
    """

    def __init__(self, exchange: core.HaloExchange, views: list[View]):
        self._exchange, self._views, self._stream, self._kept = exchange, views, 0, None

    def start(self, stream: Stream = None) -> None:
        """Packs and sends what neighbours need, behind what `stream` holds."""
        self._stream = handle_of(stream, *self._views)
        self._kept = stream  # whose handle wait() uses
        self._exchange.start(self._stream)

    def done(self) -> bool:
        """Moves messages on, and says whether wait() would return at once."""
        return self._exchange.done()

    def wait(self) -> None:
        """Returns when all data has come; of fields of a GPU, when it is enqueued on the stream of start() to put it in place."""
        self._exchange.wait(self._stream)

    def __call__(self, stream: Stream = None) -> None:
        """start() and wait()."""
        self._exchange.exchange(handle_of(stream, *self._views))

    def accumulate(self, operation: str = "sum", stream: Stream = None) -> None:
        """The other way round: what halos hold is combined with the element that its owner has, in an order that is always the same:
        by an operation of MPI ('sum', 'min', 'max', 'prod', 'land', 'band', 'lor', 'bor', 'lxor', 'bxor', 'minloc', 'maxloc'). Halos keep what they hold. Of numbers only: ValueError for others."""
        _word("operation", operation)
        self._exchange.accumulate(operation, handle_of(stream, *self._views))

    def bind(self, fields: Iterable) -> None:
        """From now on works on other arrays, of the same shapes, strides, types and devices: for arrays that take turns. Those that were
        bound before cost nothing. Only between exchanges. ValueError names "fields[i]"."""
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
        """From now on fills at most `width` elements of a halo, those next to what is owned. The same in all processes."""
        if not isinstance(width, Integral):
            raise TypeError(f"width: {type(width).__name__} is not an integer")
        if not -2**63 <= width < 2**63:
            raise ValueError(f"width: {width} must fit 64 bits")
        self._exchange.set_width(int(width))

    def tune(self, stream: Stream = None) -> None:
        """Collective: tries the ways of packing, and keeps the fastest. Fills halos."""
        self._exchange.tune(handle_of(stream, *self._views))

    @property
    def packing(self) -> str:
        """What was chosen: 'manual' or 'datatype'."""
        return self._exchange.packing

    def close(self) -> None:
        """Collective: completes what is in flight. Lets go of the arrays. Again does nothing."""
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
