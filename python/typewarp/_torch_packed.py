# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Contiguous stand-ins for the noncontiguous tensors of a call of torch.distributed, and the work whose results go back to them."""
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import torch
from torch._C._distributed_c10d import Work

from . import _core
from ._core import View
from ._torch_direct import as_words

READ, WRITTEN, BOTH = 1, 2, 3


class Packed:
    """Stand-ins for a call: `back` are those of tensors that it writes, with the tensors. Packed is row-major, as contiguous tensors are."""

    def __init__(self) -> None:
        self.back: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.given: list[Any] = []  # in calls that are made as one

    def instead_of(self, given: Any, role: int) -> Any:
        """The same structure of lists, with a stand-in for each tensor that is noncontiguous."""
        if isinstance(given, (list, tuple)):
            return [self.instead_of(each, role) for each in given]
        if plain(given):
            return given
        if role & WRITTEN:
            check_written(given)
        made = contiguous(given) if role & READ else torch.empty(given.shape, dtype=given.dtype, device=given.device)
        if role & WRITTEN:
            self.back.append((made, given))
        return made


def check_written(given: torch.Tensor) -> None:
    if torch._debug_has_internal_overlap(given) == 1:
        raise RuntimeError("unsupported operation: some elements of an output tensor refer to a single memory location")


def plain(given: Any) -> bool:
    """Whether PyTorch's groups take all tensors of an argument as they are, or nobody does."""
    if isinstance(given, (list, tuple)):
        return all(map(plain, given))
    try:
        return given.is_contiguous() or given.layout != torch.strided
    except (AttributeError, RuntimeError):  # no tensor, or a sparse one of some releases
        return True


# Plans move what has no rows in memory, such as a transposed tensor, from so many bytes on. Elsewhere PyTorch's copies are as good: of rows
# by their speed, of short ones as the host takes longer for the call than a GPU. On one H200, with a group of one rank, all-gathers of
# 64 MiB transposed take 110 us by plans and 285 by copy_, of rows of 1 KiB 169 and 135, as NCCL then reads from the cache; of 16 MiB both
# wait for the host. An estimate: nothing in between was measured.
PLANNED = 32 << 20
_ROW = 32  # bytes
_WITH_MEMORY = (torch.Tensor, torch.nn.Parameter)  # other classes may have none


def has_memory(x: torch.Tensor) -> bool:
    """Whether its elements are in memory as they are read."""
    return type(x) in _WITH_MEMORY and not (x.is_quantized or x.is_conj() or x.is_neg())


def _is_planned(x: torch.Tensor) -> bool:
    return x.nbytes >= PLANNED and _row_bytes(x) < _ROW and has_memory(x)


def _row_bytes(x: torch.Tensor) -> int:
    """Of the elements along the last dimension that lie one behind the other."""
    size, stride = next(((size, stride) for size, stride in zip(reversed(x.shape), reversed(x.stride())) if size > 1), (1, 1))
    return x.element_size() * (size if stride == 1 else 1)


def contiguous(x: torch.Tensor) -> torch.Tensor:
    """A copy of a noncontiguous tensor, on the current stream of its GPU."""
    x = x.detach() if x.requires_grad else x
    made = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if _is_planned(x):
        _move(_core.pack, x, made)
    else:
        made.copy_(x)
    return made


def put_back(made: torch.Tensor, x: torch.Tensor) -> None:
    """The reverse: into a noncontiguous tensor."""
    written = x.detach() if x.requires_grad else x
    if _is_planned(x):
        torch.autograd.graph.increment_version(x)
        _move(_core.unpack, made, written)
    else:
        written.copy_(made)


def _move(way: Callable[..., None], source: torch.Tensor, destination: torch.Tensor) -> None:
    stream = torch.cuda.current_stream(source.device).cuda_stream if source.is_cuda else 0
    way(View(as_words(source)), View(as_words(destination)), stream)


def tensors_of(given: Any) -> Iterator[torch.Tensor]:
    """Of nested lists."""
    if isinstance(given, torch.Tensor):
        yield given
    elif isinstance(given, (list, tuple)):
        for each in given:
            yield from tensors_of(each)


def behind(work: Any, given: Any, back: Sequence[tuple[torch.Tensor, torch.Tensor]], results: Any,
           side: "Callable[[torch.device], torch.cuda.Stream] | None") -> Any:
    """The work of a call of `given` tensors, and behind it the way back of what it wrote: on the current stream, or on that of `side` if the
    program may wait for it later, or on another stream."""
    gpus = [tensor.device for _, tensor in back if tensor.is_cuda]
    if not back:
        return work
    if not gpus:
        return UnpackedWork(work, back, results)

    def put_all_back() -> None:
        for made, tensor in back:
            put_back(made, tensor)
    if side is None:
        if work is not None:
            work.wait()
        put_all_back()
        return work
    # NCCL no longer keeps memory that the program gives up, once a stream waits for its work.
    return beside(side(gpus[0]), work, put_all_back, (given, [tensor for _, tensor in back]), results)


def beside(stream: "torch.cuda.Stream", work: Any, enqueue: Callable[[], None], used: Any, results: Any) -> "UnpackedWork":
    """The work of what enqueue() enqueues on `stream`, behind `work`, or behind the current stream if that is None. `used` are its tensors,
    in nested lists: their memory stays until `stream` has used it."""
    with torch.cuda.device(stream.device):
        if work is None:
            stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            if work is not None:
                work.wait()
            enqueue()
        for tensor in tensors_of(used):
            if tensor.is_cuda:
                tensor.record_stream(stream)
        return UnpackedWork(work, [], results, stream)


class UnpackedWork(Work):
    """Of a GPU: what `stream` does by now, which follows the work. Of the host: unpacks when somebody asks whether the work is done."""

    def __init__(self, work: Any, back: Sequence[tuple[torch.Tensor, torch.Tensor]], results: Any,
                 stream: "torch.cuda.Stream | None" = None):
        super().__init__()
        self._work, self._back, self._results, self._stream = work, back, results, stream
        self._event = None if stream is None else stream.record_event()
        self._lock = threading.Lock()  # callbacks of futures run in threads of their own

    def _unpack(self) -> None:
        with self._lock:
            for made, tensor in self._back:
                put_back(made, tensor)
            self._back = ()

    def wait(self, timeout: "timedelta | None" = None) -> bool:
        if self._work is not None:
            self._work.wait() if timeout is None else self._work.wait(timeout)
        if self._event is not None:
            torch.cuda.current_stream(self._stream.device).wait_event(self._event)
        self._unpack()
        return True

    def synchronize(self) -> None:
        self.wait()

    def is_completed(self) -> bool:
        if self._work is not None and not self._work.is_completed():
            return False
        if self._event is not None:
            return self._event.query()
        if self._work.is_success():
            self._unpack()
        return True

    def is_success(self) -> bool:
        return self._work is None or self._work.is_success()

    def exception(self) -> Any:
        return None if self._work is None else self._work.exception()

    def source_rank(self) -> int:
        return self._work._source_rank()

    _source_rank = source_rank

    def result(self) -> list:
        self.wait()
        return self._results

    def get_future(self) -> torch.futures.Future:
        if self._stream is None:
            return self._work.get_future().then(self._told)
        future = torch.futures.Future(devices=[self._stream.device])
        with torch.cuda.stream(self._stream):
            self._stream.wait_event(self._event)
            future.set_result(self._results)
        return future

    def _told(self, future: torch.futures.Future) -> list:
        future.value()  # raises what the work raised
        self._unpack()
        return self._results
