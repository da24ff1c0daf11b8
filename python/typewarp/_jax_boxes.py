# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Boxes of arrays, each of a peer."""
from __future__ import annotations

import itertools
import math
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

    def overlaps(self, other: Box) -> bool:
        return all(max(a, b) < min(a + m, b + n) for a, m, b, n in zip(self.starts, self.sizes, other.starts, other.sizes))


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
