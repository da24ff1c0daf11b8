# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""All-to-all of PyTorch tensors between the processes of torch.distributed.

Between GPUs of one host that reach each other, each GPU writes its slices straight to their final places in the others: no copy is made
first, the host does not wait, and a step calls nothing of torch.distributed. Everywhere else it is permute, all_to_all_single and permute.
"""
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

from . import _torch_ways as _ways

__all__ = ["Kept", "all_to_all", "clear", "fallback_reason", "kept"]


def all_to_all(x: torch.Tensor, scatter_dim: int, gather_dim: int, group: "dist.ProcessGroup | None" = None) -> torch.Tensor:
    """Splits `x` along `scatter_dim` into a slice for each rank of `group`, and joins the slices received from all ranks along
    `gather_dim`. With P ranks, [B, S/P, H, D] becomes [B, S, H/P, D] by scatter_dim=2, gather_dim=1; 1, 2 is the reverse.

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
    scatter_dim, gather_dim = _dimension("scatter_dim", scatter_dim, x), _dimension("gather_dim", gather_dim, x)
    if scatter_dim == gather_dim:
        raise ValueError(f"gather_dim: {gather_dim} must be another than scatter_dim")
    ranks = group.size()
    if x.shape[scatter_dim] % ranks != 0:
        raise ValueError(f"x: its size {x.shape[scatter_dim]} along scatter_dim {scatter_dim} must be divisible by the {ranks} ranks")
    return _apply(x, scatter_dim, gather_dim, group.group_name)


def _apply(x: torch.Tensor, scatter_dim: int, gather_dim: int, group_name: str) -> torch.Tensor:
    # The operator takes 20 us more, and 90 with gradients, as long as 32 MB over NVLink: only where something observes operators.
    if (torch.compiler.is_compiling() or type(x) not in _PLAIN or torch._C._len_torch_dispatch_stack()
            or torch._C._are_functorch_transforms_active()):
        return _all_to_all(x, scatter_dim, gather_dim, group_name)
    if x.requires_grad and torch.is_grad_enabled():
        return _Differentiable.apply(x, scatter_dim, gather_dim, group_name)
    return _run(x, scatter_dim, gather_dim, group_name)


_PLAIN = (torch.Tensor, torch.nn.Parameter)


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
    return x.new_empty(_ways.shape_after(x.shape, scatter_dim, gather_dim, _ways.resolve(group_name).size()))


def _keep(ctx, inputs, output):
    _, ctx.scatter_dim, ctx.gather_dim, ctx.group_name = inputs


def _backward(ctx, gradient):
    return _all_to_all(gradient, ctx.gather_dim, ctx.scatter_dim, ctx.group_name), None, None, None


_all_to_all.register_autograd(_backward, setup_context=_keep)


class Kept(NamedTuple):
    """A kept exchange, and its key."""

    group: str                   #: its name
    shape: tuple[int, ...]       #: of x
    strides: tuple[int, ...]     #: of x, in elements; 0 for dimensions of size 1
    dtype: torch.dtype
    device: torch.device
    scatter_dim: int
    gather_dim: int
    slot_bytes: int              #: of GPU memory that peers write; exchanges of a group share it if it is large enough
    captured: bool               #: into a graph: kept until clear()
    fallback_reason: str | None  #: why it goes by permutes and all_to_all_single


def kept(group: "dist.ProcessGroup | None" = None) -> list[Kept]:
    """The exchanges of a group (None: of all groups) that this rank keeps, in the order of their last use."""
    return [Kept(found.name, *entry) for found in _ways.known(None if group is None else _member(group)) for entry in found.kept()]


def fallback_reason(device: "torch.device | str | int", group: "dist.ProcessGroup | None" = None) -> str | None:
    """Why tensors of this device go by permutes and all_to_all_single between the ranks of `group`; None if GPUs write directly. The same
    in all ranks. Collective, unless this or all_to_all() was called for the group and the device before."""
    return _ways.of_group(_member(group).group_name).fallback_reason(torch.device(device))


def clear(group: "dist.ProcessGroup | None" = None) -> None:
    """Frees all kept exchanges of `group` (None: of each group), including the memory that peers write, after waiting for their starts.
    Collective. Graphs that captured an exchange must not be replayed afterwards. The next call prepares again. Call it before
    torch.distributed.destroy_process_group()."""
    _ways.clear(None if group is None else _member(group))


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


def _dimension(argument: str, value: Any, x: torch.Tensor) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{argument}: {type(value).__name__} is not an integer")
    if not -x.dim() <= value < x.dim():
        raise ValueError(f"{argument}: {value} is not a dimension of a tensor of {x.dim()}")
    return value % x.dim()
