# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is so on GPUs alone; and all cases on GPUs, a line for each: python tests/python/jax_gpu_cases.py 2"""
import sys
import tempfile
import time

from jax_cases import ALL, a_rank_that_dies, all_to_all_of, exchanged, modules, of_all, same
from jax_processes import RANKS, serve_on_gpus
from processes import Processes


def large():
    jax, _, _ = modules()
    size, rank = RANKS[0].size, RANKS[0].rank
    xs = of_all((2, 4096, 16 * size, 64), "bfloat16")
    with all_to_all_of(xs[rank], 2, 1) as exchange:
        call = jax.jit(exchange)
        for _ in range(5):
            same(call(xs[rank]), exchanged(xs, 2, 1)[rank])


def nobody_waits():
    """Many calls are enqueued before any has ended, with work of another length in each rank in between."""
    jax, jnp, _ = modules()
    size, rank = RANKS[0].size, RANKS[0].rank
    xs = of_all((8, 64 * size), "float32")
    with all_to_all_of(xs[rank], 1, 0) as exchange:
        @jax.jit
        def step(x):
            busy = jax.lax.fori_loop(0, 50 * (rank + 1), lambda _, m: m @ m / 1e3, jnp.ones((256, 256), "float32") + x[0, 0] * 0)
            return exchange(x + busy[0, 0] * 0).reshape(x.shape)
        got, wanted = jnp.asarray(xs[rank]), xs
        for _ in range(200):
            got = step(got)
            wanted = [y.reshape(xs[0].shape) for y in exchanged(wanted, 1, 0)]
        same(got, wanted[rank])


ON_GPUS = [*ALL, large, nobody_waits, a_rank_that_dies]  # the last one ends a process


def main(size):
    """PASS or FAIL for each case on so many GPUs, or SKIP."""
    with tempfile.TemporaryDirectory() as folder:
        processes = Processes(size, folder, serve_on_gpus)
        failed = 0
        for case in ON_GPUS:
            if size == 1 and getattr(case, "of_several", False):
                print(f"SKIP {case.__name__}: needs two processes", flush=True)
                continue
            begin = time.monotonic()
            try:
                processes(case)
                print(f"PASS {case.__name__} {time.monotonic() - begin:.1f} s", flush=True)
            except BaseException as error:  # noqa: BLE001: told
                failed += 1
                print(f"FAIL {case.__name__}\n{error}", flush=True)
        processes.close()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
