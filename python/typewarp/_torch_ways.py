# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges of a group that are prepared and kept, and all_to_all() where there is none."""
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _resolve_process_group as resolve
from torch.utils import checkpoint
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ._boxes import shape_of_all_to_all, sides_of_all_to_all
from ._core import unmap_unused
from ._ranks import Ranks
from ._torch_direct import DirectExchange, Moves, Slot, Trial

# Exchanges that are kept for a group, but for those of graphs.
CAPACITY = 32
# Calls of a group within which an exchange counts as in use, and others are remembered: more than a step of training makes.
IN_USE = 1024


class What(NamedTuple):
    """The key of an exchange. The same in all ranks, except for the device number."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device
    scatter_dim: int | None
    gather_dim: int | None
    placements: "tuple[Any, tuple, tuple] | None" = None  # of a DTensor, in its mesh, before and after
    call: str | None = None  # of torch.distributed

    @classmethod
    def of(cls, x: torch.Tensor, scatter_dim: int, gather_dim: int) -> "What":
        strides = tuple(stride if size > 1 else 0 for size, stride in zip(x.shape, x.stride()))
        return cls(tuple(x.shape), strides, x.dtype, x.device, scatter_dim, gather_dim)

    def __str__(self) -> str:
        tensor = f"{self.dtype} of {list(self.shape)}"
        if self.call is not None:
            return f"{self.call} of {tensor}"
        if self.placements is None:
            return f"{tensor}, dimensions {self.scatter_dim} and {self.gather_dim}"
        mesh, current, target = self.placements
        return f"{tensor}, {list(current)} to {list(target)} in {mesh}"


def by_permutes(x: torch.Tensor, scatter_dim: int, gather_dim: int, group: Any) -> torch.Tensor:
    """Permute, all_to_all_single of bytes, permute."""
    slices = x.unflatten(scatter_dim, (group.size(), -1)).movedim(scatter_dim, 0).contiguous()
    received = torch.empty_like(slices)
    dist.all_to_all_single(received.view(-1).view(torch.uint8), slices.view(-1).view(torch.uint8), group=group)
    return received.movedim(0, gather_dim).flatten(gather_dim, gather_dim + 1).contiguous()


class Entry:
    """An exchange, or why there is none."""

    def __init__(self, found: DirectExchange | str):
        self.found: DirectExchange | str | None
        self.found, self.is_gone = found, False
        self.last = 0  # its last use

    def drop(self) -> None:
        """Releases the exchange, even if others still have this entry."""
        self.found, self.is_gone = None, True


class GroupWays:
    """The exchanges of one group. All ranks must make the collective calls in the same order."""

    def __init__(self, group: Any):
        self.group, self.name = group, group.group_name
        self.ranks = getattr(group, "ranks_apart", None) or Ranks.of_torch(group)
        self.lock = threading.RLock()  # backward runs in threads of its own
        self._reasons: dict[torch.device, str | None] = {}
        self._kept: dict[What, Entry] = {}
        self._seen: OrderedDict[What, None] = OrderedDict()  # what came, and was not prepared for that
        self._uses = 0  # of what is kept, and calls of what is not
        self._slots: dict[torch.device, Slot] = {}  # the largest of each device
        self.cleared = False

    def all_to_all(self, x: torch.Tensor, scatter_dim: int, gather_dim: int) -> torch.Tensor:
        how = x.shape, scatter_dim, gather_dim, self.ranks.size
        if x.numel() == 0:
            return x.new_empty(shape_of_all_to_all(*how))
        if self.ranks.size == 1:
            return x.clone(memory_format=torch.contiguous_format)

        def moves() -> Moves:
            source, result = sides_of_all_to_all(*how)
            return Moves(source.boxes, result)
        made = self.exchanged(x, What.of(x, scatter_dim, gather_dim), moves)
        return by_permutes(x, scatter_dim, gather_dim, self.group) if made is None else made

    def exchanged(self, x: torch.Tensor, what: What, moves: Callable[[], Moves]) -> "torch.Tensor | None":
        """What GPUs write into each other's memory, a new tensor; None if they do not, as in all ranks. `what` tells everything on which
        x's strides and `moves` depend. Collective."""
        with self.lock:
            kept = self.prepared(what, x, lambda *how: DirectExchange(x, *how), moves)
            if kept is None:
                return None
            self.use(kept)
            return kept.found(x) if isinstance(kept.found, DirectExchange) else None

    def prepared(self, what: What, x: torch.Tensor, make: Callable[..., DirectExchange], moves: Callable[[], Moves]) -> Entry | None:
        """The exchange of such elements as x's that is kept, or that make(moves(), slot, ranks) makes, or why it failed; None if GPUs do not
        write directly. As in all ranks. Collective."""
        with self.lock:
            if self.fallback_reason(x.device) is not None:
                return None
            if what not in self._kept:
                self._compare(what)
                gone = self._make_room()
                made, reason = self._linked(lambda: self._made(x, make, moves()))
                del gone  # their memory, which all have unmapped by now
                self._kept[what] = Entry(reason or made)
            return self._kept[what]

    def use(self, kept: Entry) -> None:
        """Notes that a call goes by it. In all ranks alike."""
        self._uses += 1
        kept.last = self._uses

    def kept_for(self, what: What) -> Entry | None:
        """What was prepared before."""
        with self.lock:
            return self._kept.get(what)

    def is_worth(self, what: What) -> bool:
        """Whether to prepare an exchange that a program did not ask for: if the same came before, and takes the place of none that is in use.
        The same in all ranks."""
        with self.lock:
            self._uses += 1
            came_before, going = what in self._seen, self._to_go()
            self._seen[what] = None
            self._seen.move_to_end(what)
            if len(self._seen) > IN_USE:
                self._seen.popitem(last=False)
            return came_before and (not going or self._uses - self._kept[going[-1]].last > IN_USE)

    def fallback_reason(self, device: torch.device) -> str | None:
        if device.type == "cuda" and device.index is None:
            device = torch.device("cuda", torch.cuda.current_device())
        with self.lock:
            if device not in self._reasons:
                _refuse_capture("the first exchange of a group")
                self._reasons[device] = self._linked(lambda: Trial(device, self.ranks))[1]
            return self._reasons[device]

    def kept(self) -> list[dict[str, Any]]:
        with self.lock:
            return [described(what, kept.found) for what, kept in sorted(self._kept.items(), key=lambda entry: entry[1].last)]

    def clear(self) -> None:
        with self.lock:
            self.cleared = True
            for kept in self._kept.values():
                if isinstance(kept.found, DirectExchange):
                    kept.found.close()
                kept.drop()
            if None in self._reasons.values():  # as in all ranks
                unmap_unused()
                self.ranks.gather(b"")  # nobody frees what others have mapped
            self._kept.clear()
            self._seen.clear()
            self._slots.clear()
            self._reasons.clear()

    def _made(self, x: torch.Tensor, make: Callable[..., DirectExchange], moves: Moves) -> DirectExchange:
        needed = DirectExchange.slot_bytes(moves, x.element_size(), self.ranks.rank)
        slot = self._slots.get(x.device)
        if slot is None or slot.nbytes < needed:
            # The smaller one stays for exchanges that have it: together they are no more than three times the largest.
            slot = self._slots[x.device] = Slot(x.device, max(needed, slot.nbytes * 3 // 2 if slot is not None else 1))
        return make(moves, slot, self.ranks)

    def _to_go(self) -> list[What]:
        """The least recently used ones, without which there is room for another one. Those of graphs stay."""
        free = [what for what, kept in self._kept.items() if not (isinstance(kept.found, DirectExchange) and kept.found.captured)]
        return sorted(free, key=lambda what: self._kept[what].last)[:max(0, len(free) + 1 - CAPACITY)]

    def _make_room(self) -> list[DirectExchange]:
        """Closes the least recently used exchanges, the same in all ranks, and returns them."""
        going = [self._kept.pop(what) for what in self._to_go()]
        gone = [kept.found for kept in going if isinstance(kept.found, DirectExchange)]
        for kept in going:
            kept.drop()
        for found in gone:
            found.close()
        if gone:
            unmap_unused()
        return gone

    def _compare(self, what: What) -> None:
        _refuse_capture(f"the first exchange of {what}")
        for rank, other in enumerate(self.ranks.gather(str(what).encode())):
            if other != str(what).encode():
                raise RuntimeError(f"x: has {what} in rank {self.ranks.rank}, but {other.decode()} in rank {rank}")

    def _first(self, reason: str | None) -> tuple[int, str] | None:
        """The first rank that has a reason, and its reason. Collective."""
        for rank, other in enumerate(self.ranks.gather((reason or "").encode())):
            if other:
                return rank, other.decode()
        return None

    def _linked(self, make: Callable[[], Any]) -> tuple[Any, str | None]:
        """What `make` returns, linked between all ranks, or why it failed in one of them. Collective."""
        made, failure = _attempt(make)
        if found := self._first(failure):
            return None, "rank {}: {}".format(*found)
        _, failure = _attempt(lambda: made.link(self.ranks))
        found = self._first(failure)  # which names the rank itself
        return made, found and found[1]


def described(what: What, found: DirectExchange | str) -> dict[str, Any]:
    """For typewarp.torch.kept()."""
    is_exchange = isinstance(found, DirectExchange)
    return {**what._asdict(), "slot_bytes": found.slot.nbytes if is_exchange else 0, "captured": is_exchange and found.captured,
            "fallback_reason": None if is_exchange else found}


def _attempt(step: Callable[[], Any]) -> tuple[Any, str | None]:
    """The result of `step`, or why it failed, for fallback_reason() and kept()."""
    try:
        return step(), None
    except Exception as error:  # noqa: BLE001: other ranks must hear of any
        return None, str(error) or type(error).__name__


# Modes whose tensors have no bytes, and those that keep what collective calls return: they must find the same calls when they compute again.
_KEYS = [getattr(torch._C._TorchDispatchModeKey, name, None) for name in ("FAKE", "PROXY", "FUNCTIONAL")]
_KEEPING = tuple(getattr(checkpoint, name) for name in ("_CachingTorchDispatchMode", "_CachedTorchDispatchMode") if hasattr(checkpoint, name))


def is_traced() -> bool:
    """Whether such a mode is active. Those that only observe, maybe in one rank, must not decide how a call is made."""
    return torch._C._len_torch_dispatch_stack() > 0 and (
        any(key is not None and torch._C._get_dispatch_mode(key) for key in _KEYS)
        or any(isinstance(mode, _KEEPING) for mode in _get_current_dispatch_mode_stack()))


def capturing() -> bool:
    return torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()


def _refuse_capture(what: str) -> None:
    if capturing():
        raise RuntimeError(f"x: {what} cannot be captured into a graph: call it once before")


_groups: dict[str, GroupWays] = {}
_lost: list[GroupWays] = []  # of groups that were destroyed before clear(): peers may still have their memory mapped


_lock = threading.Lock()  # of both


def of_group(name: str) -> GroupWays:
    group = resolve(name)
    with _lock:
        found = _groups.get(name)
        if found is None or found.group is not group:
            _lose_destroyed()
            found = _groups[name] = GroupWays(group)
        return found


def _lose_destroyed() -> None:
    """Keeps no group of PyTorch's alive that the program has destroyed."""
    for name, found in list(_groups.items()):
        try:
            exists = resolve(name) is found.group
        except (RuntimeError, ValueError):
            exists = False
        if not exists:
            _lost.append(_groups.pop(name))
            found.group = found.ranks = None


def clear(group: Any = None) -> None:
    with _lock:
        _lose_destroyed()
    for found in sorted(known(group), key=lambda each: each.name):  # in one order in all ranks
        found.clear()
        with _lock:
            del _groups[found.name]


def known(group: Any = None) -> list[GroupWays]:
    with _lock:
        return [found for found in _groups.values() if group is None or found.group is group]
