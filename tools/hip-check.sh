#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: tools/hip-check.sh <architecture> [--engine]
# On a machine with AMD GPUs: builds the engine for them (gfx90a, for instance), says what is there, and runs the suites for GPUs; with
# --engine without those of messages, exchanges and halos. See docs/guide/amd.md.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/path.sh
[ $# -ge 1 ] || { sed -n '5,7s/^# //p' "$0"; exit 2; }
architecture=$1
suites=(-L gpu)
if [ "${2:-}" = --engine ]; then suites=(-R '^engine_gpu'); fi
cmake -S . -B build/hip -G Ninja -DTYPEWARP_HIP=ON -DTYPEWARP_CUDA=OFF "-DCMAKE_HIP_ARCHITECTURES=$architecture" -DTYPEWARP_NIGHTLY=ON \
      -DTYPEWARP_APPS=OFF -DTYPEWARP_BENCH=OFF
cmake --build build/hip
build/hip/bin/typewarp info
ctest --test-dir build/hip --output-on-failure "${suites[@]}"
