# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""All-to-all of PyTorch tensors between the processes of torch.distributed; copies of items, such as pages of a cache, by lists.

all_to_all: between GPUs of one host that reach each other, each GPU writes its slices straight to their final places in the others: no copy
is made first, the host does not wait, and a step calls nothing of torch.distributed. Everywhere else it is permute, all_to_all_single and
permute. copy_items and gather_items need no torch.distributed: one launch moves the items of all tensors.
"""
from collections.abc import Sequence
from typing import Any, List, NamedTuple, Optional

import torch
import torch.distributed as dist

from . import _torch_backend as _backend
from . import _torch_items as _items
from . import _torch_ways as _ways
from ._boxes import dimension, shape_of_all_to_all

__all__ = ["Kept", "all_to_all", "check_items", "clear", "clear_items", "copy_items", "fallback_reason", "gather_items", "kept"]

_backend.register()


def all_to_all(x: torch.Tensor, scatter_dim: int, gather_dim: int, group: "dist.ProcessGroup | None" = None) -> torch.Tensor:
    """Splits `x` along `scatter_dim` into a slice for each rank of `group`, and joins the slices received from all ranks along
    `gather_dim`. With P ranks, [B, S/P, H, D] becomes [B, S, H/P, D] by scatter_dim=2, gather_dim=1; 1, 2 is the reverse. Both may be
    the same dimension: the shape stays, as in all_to_all_single.

    Collective over `group` (None: the default group). All ranks must call in the same order, with tensors of the same shape, strides, type
    and kind of device, and either all or none may capture the call. `x` may be noncontiguous; its size along `scatter_dim` must be
    divisible by P. Returns a new contiguous tensor. Differentiable any number of times: the backward is the reverse exchange. Works with
    torch.compile, CUDA graphs and any element type.

    On a GPU all work is enqueued on the current stream. The first call with a given shape prepares the exchange: it waits for all ranks and
    the device, and cannot be captured. 32 exchanges are kept for each group (clear(), kept()). Calls of one group run one after the other,
    even on different streams.

    Raises TypeError and ValueError that name "x", "scatter_dim", "gather_dim" or "group"; RuntimeError in all ranks if shapes, types or
    dimensions differ in a first call, or if that is captured; GpuError. If only some ranks raise, or prepare, the others wait for them.
    """
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x: {type(x).__name__} is not a tensor")
    if x.layout != torch.strided or x.is_quantized:
        raise ValueError("x: must be a dense tensor, neither sparse nor quantized")
    group = _member(group)
    scatter_dim, gather_dim = dimension("scatter_dim", scatter_dim, x.shape), dimension("gather_dim", gather_dim, x.shape)
    shape_of_all_to_all(x.shape, scatter_dim, gather_dim, group.size())
    return _apply(x, scatter_dim, gather_dim, group.group_name)


def _apply(x: torch.Tensor, scatter_dim: int, gather_dim: int, group_name: str) -> torch.Tensor:
    # The operator takes 20 us more, and 90 with gradients, as long as 32 MB over NVLink: only where something observes operators.
    if _observed(x):
        return _all_to_all(x, scatter_dim, gather_dim, group_name)
    if x.requires_grad and torch.is_grad_enabled():
        return _Differentiable.apply(x, scatter_dim, gather_dim, group_name)
    return _run(x, scatter_dim, gather_dim, group_name)


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _observed(*tensors: torch.Tensor) -> bool:
    return (torch.compiler.is_compiling() or any(type(x) not in _PLAIN or x.is_meta for x in tensors)
            or torch._C._len_torch_dispatch_stack() > 0 or torch._C._are_functorch_transforms_active())


def _run(x: torch.Tensor, scatter_dim: int, gather_dim: int, group_name: str) -> torch.Tensor:
    return _ways.of_group(group_name).all_to_all(x.detach().resolve_conj().resolve_neg(), scatter_dim, gather_dim)


class _Differentiable(torch.autograd.Function):
    """The same as the operator, with its backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *where: Any) -> torch.Tensor:
        ctx.where = where
        return _run(x, *where)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple:
        scatter_dim, gather_dim, group_name = ctx.where
        return _apply(gradient, gather_dim, scatter_dim, group_name), None, None, None


@torch.library.custom_op("typewarp::all_to_all", mutates_args=())
def _all_to_all(x: torch.Tensor, scatter_dim: int, gather_dim: int, group_name: str) -> torch.Tensor:
    return _run(x, scatter_dim, gather_dim, group_name)


@_all_to_all.register_fake
def _(x, scatter_dim, gather_dim, group_name):
    return x.new_empty(shape_of_all_to_all(x.shape, scatter_dim, gather_dim, _ways.resolve(group_name).size()))


def _keep(ctx, inputs, output):
    _, ctx.scatter_dim, ctx.gather_dim, ctx.group_name = inputs


def _backward(ctx, gradient):
    return _all_to_all(gradient, ctx.gather_dim, ctx.scatter_dim, ctx.group_name), None, None, None


_all_to_all.register_autograd(_backward, setup_context=_keep)


class Kept(NamedTuple):
    """A kept exchange, and its key."""

    group: str                   #: its name
    shape: tuple[int, ...]       #: of x, or of a whole DTensor
    strides: tuple[int, ...]     #: of x, in elements; 0 for dimensions of size 1. () of a DTensor
    dtype: torch.dtype
    device: torch.device
    scatter_dim: int | None      #: None of a DTensor
    gather_dim: int | None       #: None of a DTensor
    slot_bytes: int              #: of GPU memory that peers write; exchanges of a group share it if it is large enough
    captured: bool               #: into a graph: kept until clear()
    fallback_reason: str | None  #: why PyTorch's own calls do it
    placements: "tuple | None" = None  #: of a DTensor: its mesh, and its placements before and after
    call: str | None = None      #: of torch.distributed: all_gather, reduce_scatter or all_to_all; `shape` is the number of its input's elements


def kept(group: "dist.ProcessGroup | None" = None) -> list[Kept]:
    """The exchanges of a group (None: of all groups) that this rank keeps, in the order of their last use."""
    return [Kept(group=found.name, **entry) for found in _ways.known(None if group is None else _member(group)) for entry in found.kept()]


def fallback_reason(device: "torch.device | str | int", group: "dist.ProcessGroup | None" = None) -> str | None:
    """Why tensors of this device go by permutes and all_to_all_single between the ranks of `group`; None if GPUs write directly. The same
    in all ranks. Collective, unless this was called for the group and the device before, or an exchange was tried."""
    return _ways.of_group(_member(group).group_name).fallback_reason(torch.device(device))


def clear(group: "dist.ProcessGroup | None" = None) -> None:
    """Frees all kept exchanges of `group` (None: of each group), including the memory that peers write, after waiting for their starts.
    Collective. Graphs that captured an exchange must not be replayed afterwards. The next call prepares again. Call it before
    torch.distributed.destroy_process_group()."""
    _ways.clear(None if group is None else _member(group))


def copy_items(source: "torch.Tensor | Sequence[torch.Tensor]", destination: "torch.Tensor | Sequence[torch.Tensor]",
               from_: "torch.Tensor | None" = None, to: "torch.Tensor | None" = None, dim: int = 0) -> None:
    """Copies item `from_[k]` of each source to item `to[k]` of its destination, in place, for all k: of one tensor each, or of as many, such
    as the keys and values of all layers, in one launch. An item is what x.select(dim, i) is. For one pair it is
    destination.index_copy_(dim, to, source.index_select(dim, from_)), without the tensor in between.

    `from_` and `to` are tensors of int32 or int64 with one dimension, equally long; None is 0, 1, 2, ... Negative indices are out of range.
    Both tensors of a pair have the same dtype and equally many elements in an item; all sources have equally many items, and so have all
    destinations. They may be noncontiguous, and source and destination the same tensor, if no item that is read overlaps one that is
    written. An item that is written twice gets some bytes of each. Either all tensors and lists are on the CPU, or one GPU reaches all:
    pinned CPU tensors, and those of GPUs with peer access, too.

    On a GPU the copy is enqueued on the current stream, that of the first source's device. Lists on the GPU are read when the stream comes
    to them; those of the CPU are read before the call returns, and cannot be captured. Works with CUDA graphs, and from PyTorch 2.5 on with
    torch.compile; tensors and lists of a captured call must live as long as its graph. The first call with given addresses, shapes and
    strides allocates some GPU memory and prepares: 32 such copies are kept, and those of graphs until clear_items(). None of them keeps a
    tensor alive.

    Raises TypeError and ValueError that name "source[i]", "destination[i]", "from_", "to" or "dim"; GpuError. ValueError names an index of a
    list on the CPU that is out of range, and nothing is copied. Of lists on the GPU such items are left out: check_items(), or a later call
    with the same tensors, raises. No gradient passes: tensors that require one are refused, but under torch.no_grad().
    """
    source, destination = _tensors("source", source), _tensors("destination", destination)
    _check_list("from_", from_)
    _check_list("to", to)
    if not isinstance(dim, int):
        raise TypeError(f"dim: {type(dim).__name__} is not an integer")
    if len(source) != len(destination):
        raise ValueError(f"destination: has {len(destination)} tensors, must have {len(source)} as source")
    if torch.is_grad_enabled():
        for name, side in (("source", source), ("destination", destination)):
            for i, x in enumerate(side):
                if x.requires_grad:
                    raise ValueError(f"{name}[{i}]: requires a gradient, which copy_items does not pass; use detach() or torch.no_grad()")
    if _observed(*source, *destination):
        return _copy_items(source, destination, from_, to, dim)
    for x in destination:
        torch.autograd.graph.increment_version(x)
    _items.copy(source, destination, from_, to, dim)


def gather_items(source: "torch.Tensor | Sequence[torch.Tensor]", from_: torch.Tensor, dim: int = 0) -> torch.Tensor:
    """Returns a new contiguous tensor with the items `from_[k]` of `source`, as source.index_select(dim, from_) does; of several tensors of
    one shape and dtype, that of each, stacked along a new first dimension, in one launch.

    Tensors, list, stream and errors are as those of copy_items(). The items of indices on the GPU that are out of range are undefined.
    Differentiable any number of times. What is kept depends on the address and shape of the result, too: where the allocator gives each
    result another address, or their lengths differ, each call prepares. copy_items() into a tensor of your own does not.
    """
    one = isinstance(source, torch.Tensor)
    source = _tensors("source", source)
    if from_ is None:
        raise TypeError("from_: must be given")
    _check_list("from_", from_)
    if not source:
        raise ValueError("source: has no tensors")
    first = source[0]
    for i, x in enumerate(source):
        if x.shape != first.shape or x.dtype != first.dtype:
            raise ValueError(f"source[{i}]: is {x.dtype} of {list(x.shape)}, must be {first.dtype} of {list(first.shape)} as source[0]")
    dim = dimension("dim", dim, first.shape)
    way = _gather_items if _observed(*source) or torch.is_grad_enabled() and any(x.requires_grad for x in source) else _items.gather
    out = way(source, from_, dim)
    return out[0] if one else out


def check_items() -> None:
    """Raises ValueError that names an index if a GPU has found one out of range in a copy that is kept. Synchronise the stream first. If
    several calls had such an index, each call of this names one at most."""
    _items.check()


def clear_items() -> None:
    """Frees what copy_items() and gather_items() keep. Graphs that captured one must not be replayed afterwards."""
    _items.clear()


@torch.library.custom_op("typewarp::copy_items", mutates_args=("destination",))
def _copy_items(source: List[torch.Tensor], destination: List[torch.Tensor], from_: Optional[torch.Tensor], to: Optional[torch.Tensor],
                dim: int) -> None:
    _items.copy(source, destination, from_, to, dim)


@_copy_items.register_fake
def _(source, destination, from_, to, dim):
    return None


@torch.library.custom_op("typewarp::gather_items", mutates_args=())
def _gather_items(source: List[torch.Tensor], from_: torch.Tensor, dim: int) -> torch.Tensor:
    return _items.gather(source, from_, dim)


@_gather_items.register_fake
def _(source, from_, dim):
    return source[0].new_empty(_items.shape_after(source, from_, dim))


def _keep_list(ctx, inputs, output):
    source, from_, ctx.dim = inputs
    ctx.shape = source[0].shape
    ctx.save_for_backward(from_)


def _add_items(ctx, gradient):
    from_, = ctx.saved_tensors
    from_ = from_.to(gradient.device)
    return [gradient.new_zeros(ctx.shape).index_add(ctx.dim, from_, each) for each in gradient.unbind()], None, None


_gather_items.register_autograd(_add_items, setup_context=_keep_list)


def _tensors(argument: str, given: Any) -> list:
    listed = [given] if isinstance(given, torch.Tensor) else list(given) if isinstance(given, (list, tuple)) else None
    if listed is None:
        raise TypeError(f"{argument}: {type(given).__name__} is neither a tensor nor a list or tuple of tensors")
    for i, x in enumerate(listed):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{argument}[{i}]: {type(x).__name__} is not a tensor")
        if x.layout is not torch.strided:
            raise ValueError(f"{argument}[{i}]: must be a dense tensor, not a sparse one")
    return listed


def _check_list(argument: str, given: Any) -> None:
    if given is None:
        return
    if not isinstance(given, torch.Tensor):
        raise TypeError(f"{argument}: {type(given).__name__} is not a tensor")
    if given.dtype not in (torch.int32, torch.int64) or given.dim() != 1:
        raise ValueError(f"{argument}: must be int32 or int64 of one dimension, is {given.dtype} of {given.dim()}")


def _member(group: Any) -> Any:
    if not dist.is_initialized():
        raise ValueError("group: torch.distributed is not initialized")
    if group is None:
        return dist.group.WORLD
    if group is dist.GroupMember.NON_GROUP_MEMBER:
        raise ValueError("group: this process is not in it")
    if not isinstance(group, dist.ProcessGroup):
        raise TypeError(f"group: {type(group).__name__} is not a process group")
    return group
