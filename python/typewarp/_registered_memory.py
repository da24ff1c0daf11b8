# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of GPUs that other processes of the host read and write."""
from __future__ import annotations

import json
import operator
import re

from . import _core
from ._engine import listed, named_views
from ._streams import Stream, given, handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._core import View


class RegisteredMemory:
    """Arrays in memory of GPUs that other processes of this user on this host may read and write, without a call of this one: pages of a
    cache, say. `handle` is bytes that go to them in any way (torch.distributed's store, a socket, a file); they make a RemoteMemory of it.

    `arrays` is an array, or a list of arrays, in any layout; each lies in one allocation of cudaMalloc, as arrays of PyTorch and CuPy do
    unless expandable segments, virtual memory or asynchronous pools are asked for. Peers map all of that allocation. `signals` is how many
    numbers there are, all 0 at first, by which peers tell how far they are. A call that has waited for peers for `time_limit` seconds fails; 0
    means no limit. Raises TypeError and ValueError that name the argument, with the reason where memory is of another kind.

    Keeps the arrays. Use a `with` block, or call end(), before their memory is used for something else. Not thread-safe.
    """

    def __init__(self, arrays: Any, signals: int = 0, time_limit: float = 0):
        self._views = named_views("arrays", arrays if isinstance(arrays, (list, tuple)) else [arrays])
        self._memory = _core.Registered(self._views, signals, time_limit)
        core = self._memory.handle
        about = json.dumps([_description(view) for view in self._views]).encode()
        self._handle = len(core).to_bytes(8, "little") + core + about

    @property
    def handle(self) -> bytes:
        """For RemoteMemory in other processes, until end(). Whoever has it, as the same user, can read and write the memory."""
        return self._handle

    def signal(self, signal: int) -> int:
        """The last number that a peer gave this signal. What the peer enqueued before it is there."""
        return self._memory.signal(signal)

    def wait(self, signal: int, value: int, stream: Stream = None) -> None:
        """Makes `stream`, or the current stream of the arrays' library, wait until the signal is at least `value`. The call itself waits
        only if 32 waits are under way. Cannot be captured into a CUDA graph. end() releases a stream that waits for a peer that is gone."""
        self._memory.wait(signal, value, handle_of(stream, *self._views))

    def wait_on_host(self, signal: int, value: int) -> None:
        """Returns when the signal is at least `value`. Raises TimeLimitExceeded."""
        self._memory.wait_here(signal, value)

    def end(self) -> None:
        """Refuses further work of peers, and returns when what they have enqueued is done, or their process has ended. Then lets all streams
        go on that wait here. Raises TimeLimitExceeded, after which it may be called again."""
        self._memory.end()

    def __enter__(self) -> RegisteredMemory:
        return self

    def __exit__(self, *error: Any) -> None:
        self.end()


class RemoteArray:
    """An array of a RemoteMemory, with __cuda_array_interface__: of use to IndexedCopy, copy(), CuPy, torch.as_tensor(x, device="cuda").
    Elements of a type that NumPy lacks, as bfloat16, are bytes of which nothing is known. Keeps the other process's memory mapped."""

    def __init__(self, memory: _core.Remote, address: int, shape: tuple[int, ...], strides: tuple[int, ...], typestr: str):
        self._memory = memory
        self.__cuda_array_interface__ = {"shape": shape, "strides": strides, "typestr": typestr, "data": (address, False), "version": 3}

    @property
    def shape(self) -> tuple[int, ...]:
        return self.__cuda_array_interface__["shape"]

    def __repr__(self) -> str:
        return f"<typewarp.RemoteArray of {list(self.shape)}>"


class RemoteMemory:
    """The arrays of another process's RegisteredMemory, by its handle. Pages are put and got by an IndexedCopy between `arrays` and arrays of
    one's own, within use():

        put = tw.IndexedCopy(mine, remote.arrays)
        with remote.use(stream, signal=0, value=step):
            put.copy(from_, to, stream)

    `device` is the number of the GPU that moves the bytes; None means the current one. Raises ValueError that names "handle" or "device";
    RuntimeError where the memory is of another host, user or container, its process has ended it or itself, the GPU does not reach it, or 64
    peers have it. Not thread-safe.
    """

    def __init__(self, handle: bytes, device: int | None = None):
        if not isinstance(handle, (bytes, bytearray, memoryview)):
            raise TypeError(f"handle: {type(handle).__name__} is not bytes")
        core, about = _parts(bytes(handle))
        self._memory = _core.Remote(core, -1 if device is None else device)
        if len(about) != len(self._memory.ranges):
            raise ValueError("handle: must be that of a RegisteredMemory")
        #: As they were registered.
        self.arrays = [self._array(*each) for each in zip(self._memory.ranges, about)]

    def _array(self, place: tuple[int, int], about: dict) -> RemoteArray:
        (address, nbytes), (shape, strides) = place, (about["shape"], about["strides"])
        width = int(about["typestr"][2:])
        low = sum(min(0, (n - 1) * stride) for n, stride in zip(shape, strides))
        high = sum(max(0, (n - 1) * stride) for n, stride in zip(shape, strides)) + width
        if 0 not in shape and high - low > nbytes:
            raise ValueError("handle: has an array that does not lie in its memory")
        return RemoteArray(self._memory, address - low, tuple(shape), tuple(strides), about["typestr"])

    @property
    def device(self) -> int:
        return self._memory.device

    @property
    def signals(self) -> int:
        return self._memory.signals

    def check(self) -> None:
        """Raises RuntimeError if the memory has been ended, or its process has. What was got is right if this passes after the stream has
        done it."""
        self._memory.check()

    def use(self, stream: Stream, signal: int | None = None, value: int = 0) -> Use:
        """For a `with` block that enqueues work on `stream` which reads or writes the arrays: end() of the owner waits for that. When the
        stream has done it, signal `signal` gets `value`, unless the block raises. Raises as check(). Cannot be captured into a CUDA graph."""
        value, signal = operator.index(value), -1 if signal is None else operator.index(signal)
        if not -1 <= signal < self.signals:
            raise ValueError(f"signal: {signal} is none of {self.signals}")
        if value < 0:
            raise ValueError(f"value: {value} must not be negative")
        return Use(self._memory, given(stream), signal, value)


class Use:
    """What RemoteMemory.use() returns."""

    __slots__ = "_memory", "_notice", "_stream"

    def __init__(self, memory: _core.Remote, stream: int, signal: int, value: int):
        self._memory, self._stream, self._notice = memory, stream, (signal, value)

    def __enter__(self) -> None:
        self._memory.begin(self._stream)

    def __exit__(self, kind: Any, *error: Any) -> None:
        self._memory.finish(self._stream, *(self._notice if kind is None else (-1, 0)))


def _description(view: View) -> dict:
    number = re.fullmatch("(int|uint|float|complex)([0-9]+)", view.dtype)
    kind = "|b" if view.dtype == "bool" else "<" + number[1][0] if number else "|V"
    return {"shape": view.shape, "strides": view.strides, "typestr": kind + str(view.itemsize)}


def _parts(handle: bytes) -> tuple[bytes, list[dict]]:
    """The library's own handle, and what the arrays are. Another process wrote both."""
    try:
        end = 8 + int.from_bytes(handle[:8], "little")
        about = json.loads(handle[end:])
        for each in about:
            shape, strides = (listed("handle", each[name]) for name in ("shape", "strides"))
            sound = len(shape) == len(strides) and all(type(n) is int for n in shape + strides) and min(shape, default=0) >= 0
            if not sound or not re.fullmatch("(<[iufc]|[|][bV])[0-9]{1,9}", each["typestr"]):
                raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("handle: must be that of a RegisteredMemory") from None
    return handle[8:end], about
