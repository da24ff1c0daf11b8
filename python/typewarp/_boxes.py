# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Boxes of arrays, each of a peer."""
from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, NamedTuple


class Box(NamedTuple):
    peer: int
    starts: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        return math.prod(self.sizes)

    @property
    def index(self) -> tuple[slice, ...]:
        return tuple(slice(start, start + size) for start, size in zip(self.starts, self.sizes))

    @property
    def ends(self) -> tuple[int, ...]:
        return tuple(start + size for start, size in zip(self.starts, self.sizes))

    def overlaps(self, other: Box) -> bool:
        return self.meeting(other).count > 0

    def meeting(self, other: Box) -> Box:
        """What both have, of this one's peer."""
        starts = tuple(map(max, self.starts, other.starts))
        return Box(self.peer, starts, tuple(max(end - start, 0) for start, end in zip(starts, map(min, self.ends, other.ends))))

    def seen_from(self, other: Box, peer: int) -> Box:
        """The same place in an array that has only `other`."""
        return Box(peer, tuple(a - b for a, b in zip(self.starts, other.starts)), self.sizes)

    def joined(self, other: Box) -> Box | None:
        """Both as one, of this one's peer, if `other` begins where this one ends, along one dimension."""
        differing = [i for i, mine in enumerate(zip(self.starts, self.sizes)) if mine != (other.starts[i], other.sizes[i])]
        if len(differing) != 1 or self.ends[differing[0]] != other.starts[differing[0]]:
            return None
        sizes = list(self.sizes)
        sizes[differing[0]] += other.sizes[differing[0]]
        return Box(self.peer, self.starts, tuple(sizes))


class Side(NamedTuple):
    """An array, and its boxes that move."""

    shape: tuple[int, ...]
    boxes: list[Box]

    def told(self) -> tuple:
        """The same with at least one dimension, for C++."""
        return self.shape or (1,), [(peer, starts or (0,), sizes or (1,)) for peer, starts, sizes in self.boxes]


def box_of(argument: str, peer: int, index: Any, shape: tuple[int, ...]) -> Box:
    """What `index`, of slices and integers, selects of an array of this shape."""
    index = index if isinstance(index, tuple) else (index,)
    for place in [place for place, one in enumerate(index) if one is ...][:1]:
        index = index[:place] + (slice(None),) * (len(shape) - len(index) + 1) + index[place + 1:]
    if len(index) > len(shape):
        raise ValueError(f"{argument}: has {len(index)} indices of an array of {len(shape)} dimensions")
    starts, sizes = [], []
    for one, size in itertools.zip_longest(index, shape, fillvalue=slice(None)):
        if isinstance(one, Integral):
            if not -size <= one < size:
                raise ValueError(f"{argument}: {one} is not an index of {size}")
            one = slice(one % size, one % size + 1)
        elif not isinstance(one, slice):
            raise TypeError(f"{argument}: {type(one).__name__} is neither a slice nor an integer")
        begin, end, step = one.indices(size)
        if step != 1:
            raise ValueError(f"{argument}: has a step of {step}, must have 1")
        starts.append(begin)
        sizes.append(max(end - begin, 0))
    return Box(peer, tuple(starts), tuple(sizes))


def overlapping(boxes: list[Box]) -> tuple[Box, Box] | None:
    """The first two that have an element in common."""
    return next((pair for pair in itertools.combinations(boxes, 2) if pair[0].overlaps(pair[1])), None)


def are_all(boxes: list[Box], shape: tuple[int, ...]) -> bool:
    """Whether these have each element of an array once."""
    return sum(box.count for box in boxes) == math.prod(shape) and overlapping(boxes) is None


def in_a_row(boxes: list[Box]) -> list[Box]:
    """As many elements each, in an array of one dimension, one behind the other."""
    ends = [0, *itertools.accumulate(box.count for box in boxes)]
    return [Box(box.peer, (start,), (box.count,)) for box, start in zip(boxes, ends)]


def dimension(argument: str, value: Any, shape: Sequence[int]) -> int:
    """Which of an array's dimensions a caller means: one that counts from 0."""
    if not isinstance(value, Integral):
        raise TypeError(f"{argument}: {type(value).__name__} is not an integer")
    if not -len(shape) <= value < len(shape):
        raise ValueError(f"{argument}: {value} is none of {len(shape)} dimensions")
    return int(value) % len(shape)


def shape_of_all_to_all(shape: Sequence[int], scatter_dim: int, gather_dim: int, ranks: int) -> tuple[int, ...]:
    """Of the result, which joins along one dimension what was split along another one, or the same. Raises ValueError that names "x"."""
    if shape[scatter_dim] % ranks != 0:
        raise ValueError(f"x: its size {shape[scatter_dim]} along scatter_dim {scatter_dim} must be divisible by the {ranks} ranks")
    after = list(shape)
    after[scatter_dim] //= ranks
    after[gather_dim] *= ranks
    return tuple(after)


def sides_of_all_to_all(shape: Sequence[int], scatter_dim: int, gather_dim: int, ranks: int) -> tuple[Side, Side]:
    """What each rank sends to all, and what it receives from all."""
    after = shape_of_all_to_all(shape, scatter_dim, gather_dim, ranks)
    return Side(tuple(shape), _slices(shape, scatter_dim, ranks)), Side(after, _slices(after, gather_dim, ranks))


def _slices(shape: Sequence[int], dim: int, ranks: int) -> list[Box]:
    sizes, starts = list(shape), [0] * len(shape)
    sizes[dim] //= ranks
    return [Box(rank, (*starts[:dim], rank * sizes[dim], *starts[dim + 1:]), tuple(sizes)) for rank in range(ranks)]


def in_runs(boxes: Iterable[Box]) -> list[tuple[Box, list[Box]]]:
    """One behind the other that are one box together, with that box."""
    runs: list[tuple[Box, list[Box]]] = []
    for box in boxes:
        whole = runs[-1][0].joined(box) if runs else None
        if whole is None:
            runs.append((box, [box]))
        else:
            runs[-1] = whole, [*runs[-1][1], box]
    return runs
