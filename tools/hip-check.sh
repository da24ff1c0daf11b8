#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: tools/hip-check.sh <architecture> [--engine]
#        tools/hip-check.sh nvidia=<folder of headers> [--engine]
# On a machine with AMD GPUs: builds the engine for them (gfx90a, for instance), says what is there, and runs the suites for GPUs; with
# --engine without those of messages, exchanges and halos. With nvidia=, the same on an NVIDIA GPU, by HIP's headers for these (HIP 5.7,
# the folder that has hip/). See docs/guide/amd.md.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/path.sh
[ $# -ge 1 ] || { sed -n '5,9s/^# //p' "$0"; exit 2; }
case $1 in
  nvidia=*) build=build/hip-nvidia engine=(-DCMAKE_HIP_PLATFORM=nvidia "-DTYPEWARP_HIP_INCLUDE=${1#nvidia=}") ;;
  *) build=build/hip engine=("-DCMAKE_HIP_ARCHITECTURES=$1") ;;
esac
suites=(-L gpu)
if [ "${2:-}" = --engine ]; then suites=(-R '^engine_gpu'); fi
cmake -S . -B "$build" -G Ninja -DTYPEWARP_HIP=ON -DTYPEWARP_CUDA=OFF "${engine[@]}" -DTYPEWARP_NIGHTLY=ON -DTYPEWARP_APPS=OFF -DTYPEWARP_BENCH=OFF
cmake --build "$build"
"$build/bin/typewarp" info
ctest --test-dir "$build" --output-on-failure "${suites[@]}"
