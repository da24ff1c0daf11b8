# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Attention over a sequence that is divided among processes, forward and backward, on GPUs or without:

    torchrun --standalone --nproc-per-node 2 examples/attention.py [--tokens 4096] [--heads 16] [--width 1024] [--steps 3] [--cpu]

Each process has all heads of its part of the sequence, but attention needs the whole sequence of a head. So heads are scattered and
the sequence is gathered before it, and the other way round behind it (DeepSpeed's Ulysses). The result, and the gradients, are those
of one process that has the whole sequence, which is checked at the end.
"""
import argparse
import os
import time

import torch
import torch.distributed as dist

import typewarp.torch


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--tokens", type=int, default=4096, help="of the whole sequence")
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--width", type=int, default=1024, help="numbers of a token")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--cpu", action="store_true", help="use no GPU")
    return parser.parse_args()


class Attention(torch.nn.Module):
    """Of tokens [batch, part of the sequence, width]."""

    def __init__(self, width, heads, divided):
        super().__init__()
        self.heads, self.divided = heads, divided
        self.into = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = self.into(x).view(batch, tokens, 3, self.heads, width // self.heads).unbind(2)
        if self.divided:  # all heads of a part of the sequence become some heads of all of it
            q, k, v = (typewarp.torch.all_to_all(each, scatter_dim=2, gather_dim=1) for each in (q, k, v))
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        seen = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
        if self.divided:
            seen = typewarp.torch.all_to_all(seen, scatter_dim=1, gather_dim=2)
        return self.out(seen.reshape(batch, tokens, width))


def trained(attention, x):
    """What comes out, and the gradient of the weights, of a loss that is a sum over tokens."""
    attention.zero_grad()
    y = attention(x)
    y.square().sum().backward()
    return y.detach(), attention.into.weight.grad


def main():
    given = arguments()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cpu") if given.cpu or not torch.cuda.is_available() else torch.device("cuda", local % torch.cuda.device_count())
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("gloo" if device.type == "cpu" or torch.cuda.device_count() < int(os.environ["LOCAL_WORLD_SIZE"]) else "nccl")
    rank, size = dist.get_rank(), dist.get_world_size()
    if given.tokens % size or given.heads % size or given.width % given.heads:
        raise SystemExit(f"--tokens and --heads must be multiples of {size}, --width one of --heads")
    torch.manual_seed(1)  # the same weights and tokens in all processes
    divided = Attention(given.width, given.heads, True).to(device)
    x = torch.randn(1, given.tokens, given.width, device=device)
    own = x.chunk(size, dim=1)[rank]
    for step in range(given.steps):
        begin = time.perf_counter()
        y, gradient = trained(divided, own)
        if device.type == "cuda":
            torch.cuda.synchronize()
        if rank == 0:
            print(f"step {step}: {1e3 * (time.perf_counter() - begin):.1f} ms")
    dist.all_reduce(gradient)
    whole = Attention(given.width, given.heads, False).to(device)
    whole.load_state_dict(divided.state_dict())
    wanted, wanted_gradient = trained(whole, x)
    well = torch.allclose(y, wanted.chunk(size, dim=1)[rank], rtol=1e-3, atol=1e-3)
    well = well and torch.allclose(gradient, wanted_gradient, rtol=1e-3, atol=1e-3 * wanted_gradient.abs().max().item())
    reason = typewarp.torch.fallback_reason(device)
    print(f"rank {rank} of {size}: {'as without processes' if well else 'WRONG'}, {f'by permutes: {reason}' if reason else 'stored by GPUs'}")
    typewarp.torch.clear()
    dist.destroy_process_group()
    raise SystemExit(0 if well else 1)


if __name__ == "__main__":
    main()
