#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
# arrays.sh <python> <arrays.py>: every kind by PyTorch between two ranks, with right bytes, in memory of the host.
"$1" -c "import torch" 2>/dev/null || { echo "skipped: no PyTorch"; exit 77; }
out=$(CUDA_VISIBLE_DEVICES='' OMP_NUM_THREADS=1 "$1" -m torch.distributed.run --standalone --nproc-per-node 2 "$2" --ways "PyTorch + NCCL" --seed 5 \
  --row-seconds 0 contiguous/1024 vector-8/1024 vector-128/16384 face-x/65536 face-y/65536 indexed/65536 struct/65536 pages-2k/65536 pages-64k/262144 \
  alltoallw/65536 allgather/1024 bcast/1024 allreduce/1024)
echo "$out"
grep -q '"finished"' <<<"$out" && ! grep -qE '"(failed|aborted|skipped)"' <<<"$out" && [ "$(grep -c '"median_us"' <<<"$out")" = 26 ]
