# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""A prepared exchange in one direction, as an operation of compiled programs."""
from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import jax
import numpy as np

from . import _jax
from ._boxes import Side
from ._ranks import Ranks
from ._together import together

TARGET = "typewarp_exchange"


def _interface_version() -> tuple[int, ...]:
    """Of XLA's interface for foreign functions, as jaxlib's header tells it."""
    header = pathlib.Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text(encoding="utf-8")
    return tuple(int(number) for number in re.findall(r"#define XLA_FFI_API_(?:MAJOR|MINOR) (\d+)", header))


# XLA refuses those of a newer one, and with them to start at all.
if _interface_version() < _jax.interface_version:
    raise ImportError(f"typewarp.jax was built with a newer jaxlib, whose interface is {_jax.interface_version}, not {_interface_version()}: "
                      "build it with this one or an older one")
for _platform, _handler in _jax.handlers().items():
    jax.ffi.register_ffi_target(TARGET, _handler, platform=_platform)

_next = 0  # number of an exchange, which compiled programs hold


class Move:
    """Boxes of a source array to those of a result. Collective. Raises RuntimeError in all ranks if sender and receiver disagree, or if
    GPUs cannot reach each other."""

    def __init__(self, ranks: Ranks, device: Any, dtype: np.dtype, source: Side, result: Side, in_place: bool, time_limit: float, pure: bool):
        self._ranks, self._dtype, self._source, self._result, self._in_place, self._pure = ranks, dtype, source, result, in_place, pure
        self._on_gpu = device.platform != "cpu"
        self.number = _agreed(ranks, *([[box.peer, box.count * dtype.itemsize] for box in side.boxes] for side in (source, result)))
        if self._on_gpu:
            try:
                together(ranks.agree, lambda: _jax.prepare_on_device(
                    self.number, device.local_hardware_id, ranks.rank, dtype.itemsize, *source.told(), *result.told(), in_place, time_limit))
                _jax.link(self.number, ranks)
            except Exception:
                _jax.remove_on_device(self.number)
                raise
        else:
            _jax.prepare_on_host(self.number, *(int(np.prod(side.shape)) * dtype.itemsize for side in (source, result)), self._on_host)

    def __call__(self, x: Any, after: Any) -> Any:
        # With a side effect, JAX keeps a call whose result this rank does not use: its peers wait for it. What the operands behind the first
        # hold does not matter: they are there before the call.
        made = jax.ShapeDtypeStruct(self._result.shape, self._dtype)
        call = jax.ffi.ffi_call(TARGET, made, has_side_effect=not self._pure, input_output_aliases={0: 0} if self._in_place else None)
        return call(x, *jax.tree.leaves(after), exchange=np.int64(self.number))

    def done(self) -> bool:
        return not self._on_gpu or _jax.done(self.number)

    def close(self) -> None:
        """Collective."""
        if not self._on_gpu:
            return _jax.remove_on_host(self.number)
        _jax.unlink(self.number)
        self._ranks.gather(b"")  # nobody frees what others have mapped
        _jax.remove_on_device(self.number)

    def _on_host(self, source: memoryview, result: memoryview) -> None:
        """Every rank gets the boxes of all, and takes its own."""
        words = np.dtype((np.void, self._dtype.itemsize))
        x, y = (np.frombuffer(memory, words).reshape(side.shape) for memory, side in ((source, self._source), (result, self._result)))
        sent = [(box.peer, x[box.index].tobytes()) for box in self._source.boxes]
        head = json.dumps([self.number, [(peer, len(content)) for peer, content in sent]]).encode()
        arrived: list[list[bytes]] = []
        for rank, message in enumerate(self._ranks.gather(b"\n".join([head, b"".join(content for _, content in sent)]))):
            head, content = message.split(b"\n", 1)
            number, boxes = json.loads(head)
            if number != self.number:
                raise RuntimeError(f"rank {rank} is in exchange {number}: `after` orders calls")
            ends = np.cumsum([0, *(nbytes for _, nbytes in boxes)])
            arrived.append([content[begin:end] for (peer, _), begin, end in zip(boxes, ends, ends[1:]) if peer == self._ranks.rank])
        for box in self._result.boxes:
            y[box.index] = np.frombuffer(arrived[box.peer].pop(0), words).reshape(box.sizes)


def _agreed(ranks: Ranks, sends: list, receives: list) -> int:
    """The same number in all ranks, so that their programs are the same. Collective."""
    global _next
    told = [json.loads(value) for value in ranks.gather(json.dumps([_next, sends, receives]).encode())]
    _next = max(number for number, *_ in told) + 1
    for rank, (_, sent, _) in enumerate(told):
        for peer, (_, _, received) in enumerate(told):
            there, here = ([nbytes for other, nbytes in boxes if other == one] for boxes, one in ((sent, peer), (received, rank)))
            if there != here:
                raise RuntimeError(f"parts: rank {rank} sends {there} bytes to rank {peer}, which receives {here}")
    return _next - 1
