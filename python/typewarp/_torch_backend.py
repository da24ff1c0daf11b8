# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The back end "typewarp" of torch.distributed: process groups whose calls take noncontiguous tensors."""
import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from ._ranks import Ranks
from ._torch_calls import KINDS
from ._torch_collectives import Collectives, on_gpu
from ._torch_meeting import MOST_RANKS, Meeting
from ._torch_packed import BOTH, READ, WRITTEN, Packed, behind, check_written, plain

# What each call does with the tensors of its first arguments. The names of several releases of PyTorch.
CALLS = {
    "broadcast": (BOTH,), "allreduce": (BOTH,), "allreduce_coalesced": (BOTH,), "reduce": (BOTH,),
    "send": (READ,), "recv": (WRITTEN,), "recv_anysource": (WRITTEN,),
    **dict.fromkeys(["allgather", "allgather_coalesced", "gather", "scatter", "reduce_scatter", "alltoall",
                     "_allgather_base", "all_gather_single", "allgather_into_tensor_coalesced", "all_gather_single_coalesced",
                     "_reduce_scatter_base", "reduce_scatter_single", "reduce_scatter_tensor_coalesced",
                     "reduce_scatter_single_coalesced", "alltoall_base", "all_to_all_single", "gather_into_tensor",
                     "gather_single"], (WRITTEN, READ)),
}


class TypewarpGroup(dist.ProcessGroup):
    """A process group of PyTorch, whose back ends (Gloo, NCCL) get contiguous tensors whatever the caller has. What is not here is as it
    is in PyTorch."""

    def __init__(self, store: Any, rank: int, size: int):
        try:
            super().__init__(store, rank, size)
        except TypeError:  # PyTorch 2.11 and others let no subclass have a store
            super().__init__(rank, size)
        # The same back ends: a call that a subclass overrides would only come back here.
        options = getattr(dist.ProcessGroup, "Options", None)  # before PyTorch 2.6
        self._inner = dist.ProcessGroup(store, rank, size, *[] if options is None else [options("undefined")])
        self._store, self._rank, self._size = store, rank, size
        self._coalesced: tuple[Packed, torch.device] | None = None
        self._sides: dict[tuple, torch.cuda.Stream] = {}
        self.collectives: Collectives | None = None  # where there may be exchanges
        self.ranks_apart: Ranks | None = None  # that meet beside the program's own calls

    def add(self, device: str, kind: Any, backend: Any) -> None:
        for group in (self, self._inner):
            group._register_backend(torch.device(device), kind, backend)
            if hasattr(group, "_set_default_backend"):  # from PyTorch 2.6 on
                group._set_default_backend(kind)

    # PyTorch's own ones look for a method of a subclass first, which takes a microsecond.
    def rank(self) -> int:
        return self._rank

    def size(self) -> int:
        return self._size

    # PyTorch's own one, of a subclass, keeps Python's lock while it waits for a lock of Gloo, whose thread may wait for Python's.
    def barrier(self, *arguments: Any, **keywords: Any) -> Any:
        return self._inner.barrier(*arguments, **keywords)

    def getBackendName(self) -> str:
        return self._inner.name() if hasattr(self, "_set_default_backend") else "typewarp"

    def get_group_store(self) -> Any:
        return self._store

    def _start_coalescing(self, device: torch.device) -> None:
        self._inner._start_coalescing(device)
        self._coalesced = Packed(), device

    def _end_coalescing(self, device: torch.device) -> Any:
        (packed, _), self._coalesced = self._coalesced, None
        work = self._inner._end_coalescing(device)
        return behind(work, packed.given, packed.back, [tensor for _, tensor in packed.back], self.side)

    def _run(self, name: str, roles: tuple[int, ...], arguments: tuple, keywords: dict) -> Any:
        if self._coalesced is not None:
            return self._collected(name, roles, arguments, keywords)
        packed = Packed()
        given, work = self._with_packed(packed, name, roles, arguments, keywords)
        later = getattr(arguments[-1], "asyncOp", True)
        side = functools.partial(self.side, of=arguments[1] if name == "recv" else None) if later else None
        return behind(work, given, packed.back, _results(arguments[0]), side)

    def _with_packed(self, packed: Packed, name: str, roles: tuple[int, ...], arguments: tuple, keywords: dict) -> tuple[list, Any]:
        given = [packed.instead_of(x, role) for x, role in zip(arguments, self._roles(name, roles, arguments))]
        return given, getattr(self._inner, name)(*given, *arguments[len(given):], **keywords)

    def _collected(self, name: str, roles: tuple[int, ...], arguments: tuple, keywords: dict) -> Any:
        """One of calls that are made as one. An error ends them, which PyTorch does not, so that the next call is one of its own."""
        packed, device = self._coalesced
        try:
            given, work = self._with_packed(packed, name, roles, arguments, keywords)
        except BaseException:
            self._coalesced = None
            distributed_c10d._world.pg_coalesce_state.pop(self, None)
            with contextlib.suppress(RuntimeError):  # the first error is what matters
                self._inner._end_coalescing(device)
            raise
        packed.given += given
        return work

    def side(self, device: torch.device, of: "int | None" = None) -> "torch.cuda.Stream":
        """For the way back of collective calls, and of messages of a rank: as NCCL has them, since one must not wait for the other."""
        if (device, of) not in self._sides:
            self._sides[device, of] = torch.cuda.Stream(device, priority=-1)
        return self._sides[device, of]

    def _roles(self, name: str, roles: tuple[int, ...], arguments: tuple) -> tuple[int, ...]:
        root = getattr(arguments[-1], "rootRank", None)
        if root is not None and name == "broadcast":
            return (READ if root == self._rank else WRITTEN,)
        if root is not None and name == "reduce":
            return (BOTH if root == self._rank else READ,)
        return roles


def _results(written: Any) -> list:
    """As the futures of PyTorch's back ends tell them."""
    if isinstance(written, torch.Tensor):
        return [written]
    return list(written[0]) if written and isinstance(written[0], (list, tuple)) else list(written)


def _call(name: str, roles: tuple[int, ...]) -> Callable[..., Any]:
    count, kind = len(roles), KINDS.get(name)

    def call(self: TypewarpGroup, *arguments: Any, **keywords: Any) -> Any:
        # Of calls that are made as one, all tensors have to be known: any of them may be noncontiguous.
        plainly = len(arguments) < count or (self._coalesced is None and all(map(plain, arguments[:count])))
        collectives = self.collectives
        counts = (kind is not None and collectives is not None and len(arguments) > count and self._coalesced is None
                  and on_gpu(arguments[0]))
        if counts and (work := collectives.made(self, kind, plainly, arguments)) is not NotImplemented:
            return work
        try:
            return getattr(self._inner, name)(*arguments, **keywords) if plainly else self._run(name, roles, arguments, keywords)
        except BaseException:
            if counts:
                collectives.undo()
            raise
    call.__name__ = call.__qualname__ = name
    return call


for _name, _roles in CALLS.items():
    if hasattr(dist.ProcessGroup, _name):
        setattr(TypewarpGroup, _name, _call(_name, _roles))


def _batched(original: Callable[..., Any]) -> Callable[..., Any]:
    """batch_isend_irecv() of releases that make one call of a batch for PyTorch's own groups alone, as 2.11 does. As several, a message of
    NCCL would wait behind another one that waits for the peer's."""
    @functools.wraps(original)
    def batch_isend_irecv(p2p_op_list: list) -> list:
        distributed_c10d._check_p2p_op_list(p2p_op_list)
        group, device = p2p_op_list[0].group or dist.group.WORLD, p2p_op_list[0].tensor.device
        if not isinstance(group, TypewarpGroup) or not getattr(group._get_backend(device), "supports_coalescing", device.type == "cuda"):
            return original(p2p_op_list)
        for op in p2p_op_list:
            if op.op is dist.irecv:
                check_written(op.tensor)
        with distributed_c10d._coalescing_manager(group, device, async_ops=True) as manager:
            for op in p2p_op_list:
                op.op(op.tensor, op.peer, op.group, op.tag)
        return manager.works
    return batch_isend_irecv


def _has_own_batches(function: Callable[..., Any]) -> bool:
    """Whether it asks for the very class of a group. To replace it where it does not would hide it from torch.compile."""
    try:
        return "type(group) is" in inspect.getsource(function)
    except OSError:  # no sources are installed
        return True


def create(given: Any, options: Any = None) -> TypewarpGroup:
    """As torch.distributed calls it, in each process of the group."""
    group = TypewarpGroup(given.store, given.group_rank, given.group_size)
    kinds = dist.ProcessGroup.BackendType
    asked = getattr(given, "process_group", None)
    if asked is not None and asked.bound_device_id is not None:
        group.bound_device_id = group._inner.bound_device_id = asked.bound_device_id
    if dist.is_gloo_available():
        group.add("cpu", kinds.GLOO, _made("gloo", _gloo, given))
    if dist.is_nccl_available() and torch.cuda.is_available():
        group.add("cuda", kinds.NCCL, _made("nccl", _nccl, given, options))
        _redistribute_by_exchanges()
    # Also in a rank without a GPU: all ranks make it.
    if dist.is_gloo_available() and dist.is_nccl_available() and 1 < given.group_size <= MOST_RANKS:
        meeting = Meeting(given.store, given.group_rank, given.group_size, given.timeout)
        group.collectives = Collectives(meeting, given.group_rank, given.group_size)
        group.ranks_apart = Ranks(given.group_rank, given.group_size, meeting.all_gather)
    return group


def _redistribute_by_exchanges() -> None:
    with contextlib.suppress(ImportError, AttributeError):  # the DTensor of another release
        from . import _torch_redistribute
        _torch_redistribute.install()


def _gloo(given: Any, options: Any) -> Any:
    return dist.ProcessGroupGloo(given.store, given.group_rank, given.group_size, timeout=given.timeout)


def _nccl(given: Any, options: Any) -> Any:
    options = dist.ProcessGroupNCCL.Options() if options is None else options
    options._timeout = given.timeout
    options.global_ranks_in_group, options.group_name = given.global_ranks_in_group, given.group_id
    return dist.ProcessGroupNCCL(given.store, given.group_rank, given.group_size, options)


def _made(name: str, older: Callable[[Any, Any], Any], given: Any, options: Any = None) -> Any:
    """A back end of PyTorch, by its own function where it tells it, as 2.15 does, with a part of the store to itself."""
    if hasattr(dist.Backend, "_ensure_backend_registered"):
        dist.Backend._ensure_backend_registered(name)
    plugin, store = dist.Backend._plugins.get(name.upper()), given.store
    given.store = dist.PrefixStore(name, store)
    try:
        if plugin is not None:
            return plugin.creator_fn(given, options)
        made = older(given, options)
        made._set_sequence_number_for_group()
        return made
    finally:
        given.store = store


def register() -> None:
    """Also an entry point of torch.distributed.backends."""
    if "TYPEWARP" not in dist.Backend._plugins:
        dist.Backend.register_backend("typewarp", create, extended_api=True, devices=["cpu", "cuda"])
        if _has_own_batches(distributed_c10d.batch_isend_irecv):
            dist.batch_isend_irecv = distributed_c10d.batch_isend_irecv = _batched(distributed_c10d.batch_isend_irecv)
