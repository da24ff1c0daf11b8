# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Copies of items between tensors, and the prepared ones that are kept."""
import threading
from collections import OrderedDict
from collections.abc import Sequence

import torch

from ._core import Indexed
from ._engine import named_view
from ._indexed_copy import lists_of
from ._torch_direct import as_words

# Prepared copies that are kept, but for those of graphs.
CAPACITY = 32


class Prepared:
    """A copy between places of tensors. It keeps none of them: what it prepares holds for any that lie there."""

    def __init__(self, source: Sequence[torch.Tensor], destination: Sequence[torch.Tensor], dim: int):
        _check("source", source, dim)
        _check("destination", destination, dim)
        for i, (x, y) in enumerate(zip(source, destination)):
            if x.dtype != y.dtype:
                raise ValueError(f"destination[{i}]: has elements of {y.dtype}, source[{i}] of {x.dtype}; bytes are moved, never converted")
        sides = [[named_view(f"{name}[{i}]", as_words(x.detach())) for i, x in enumerate(side)]
                 for name, side in (("source", source), ("destination", destination))]
        self.captured = False
        self._copy = Indexed(*sides, dim, keep=False)
        self._device = next((x.device for pair in zip(source, destination) for x in pair if x.is_cuda and x.numel() > 0), None)

    def __call__(self, from_: "torch.Tensor | None", to: "torch.Tensor | None") -> None:
        if self._device is None:
            return self._copy.copy(*_lists(from_, to, 0), 0)
        with torch.cuda.device(self._device):
            stream = torch.cuda.current_stream().cuda_stream
            self.captured = self.captured or torch.cuda.is_current_stream_capturing()
            self._copy.copy(*_lists(from_, to, stream), stream)

    def check(self) -> None:
        self._copy.check()


def _lists(from_: "torch.Tensor | None", to: "torch.Tensor | None", stream: int) -> tuple:
    lists, count = lists_of(from_, to, stream)
    return *lists, count


def _check(name: str, side: Sequence[torch.Tensor], dim: int) -> None:
    for i, x in enumerate(side):
        if x.is_quantized:
            raise ValueError(f"{name}[{i}]: must not be quantized")
        if x.is_conj() or x.is_neg():
            raise ValueError(f"{name}[{i}]: is conjugated or negated only when it is read; call resolve_conj() or resolve_neg()")
        if not -x.dim() <= dim < x.dim():
            raise ValueError(f"dim: {dim} is not a dimension of {name}[{i}], which has {x.dim()}")


def _place(x: torch.Tensor) -> tuple:
    """All that what is prepared depends on. An address may be page-locked once, and not when it comes again."""
    pinned = x.device.type == "cpu" and x.is_pinned()
    return x.data_ptr(), x.shape, x.stride(), x.dtype, x.device, pinned, x.is_conj(), x.is_neg()


_lock = threading.Lock()
_kept: OrderedDict[tuple, Prepared] = OrderedDict()  # the one that was used longest ago first
_told: list[ValueError] = []  # by those that are no longer kept


def copy(source: Sequence[torch.Tensor], destination: Sequence[torch.Tensor], from_: "torch.Tensor | None", to: "torch.Tensor | None",
         dim: int) -> None:
    key = dim, tuple(map(_place, source)), tuple(map(_place, destination))
    with _lock:
        found = _kept.get(key)
        if found is None:
            found = Prepared(source, destination, dim)
            _make_room()
            _kept[key] = found
        _kept.move_to_end(key)
        found(from_, to)


def gather(source: Sequence[torch.Tensor], from_: torch.Tensor, dim: int) -> torch.Tensor:
    out = source[0].new_empty(shape_after(source, from_, dim))
    copy(source, out.unbind(), from_, None, dim)
    return out


def shape_after(source: Sequence[torch.Tensor], from_: torch.Tensor, dim: int) -> list[int]:
    shape = [len(source), *source[0].shape]
    shape[1 + dim % source[0].dim()] = from_.shape[0]
    return shape


def _make_room() -> None:
    loose = [key for key, prepared in _kept.items() if not prepared.captured]
    for key in loose[:max(0, len(loose) - CAPACITY + 1)]:
        try:
            _kept.pop(key).check()
        except ValueError as error:  # of another call than this
            _told.append(error)


def check() -> None:
    with _lock:
        if _told:
            raise _told.pop(0)
        for prepared in _kept.values():
            prepared.check()


def clear() -> None:
    with _lock:
        _kept.clear()
        _told.clear()
