#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
usage: tools/gpu-check.sh [--machine NAME] [--output DIR]

On a machine with a GPU: sets up what is missing, builds, runs every test, then the GPU tests once more under
compute-sanitizer (memcheck and racecheck), and writes DIR/NAME.json. Exits with 1 if anything failed.

  --machine NAME   default: made of GPU model and count, for instance h200-1gpu
  --output DIR     default: tests/results
END
}

command_line="tools/gpu-check.sh $*"
machine=
output=tests/results
while [ $# -gt 0 ]; do
  case $1 in
    --machine | --output)
      [ $# -ge 2 ] || die "$1 needs a value"
      if [ "$1" = --machine ]; then machine=$2; else output=$2; fi
      shift 2
      ;;
    --help) usage; exit ;;
    *) usage >&2; die "unknown option '$1'" ;;
  esac
done

nvidia-smi -L >/dev/null 2>&1 || die "no GPU: nvidia-smi lists none"
command -v nvcc >/dev/null || die "no nvcc on the PATH or in /usr/local/cuda"
sanitizer=$(command -v compute-sanitizer || ls "$(dirname "$(readlink -f "$(command -v nvcc)")")"/{,../compute-sanitizer/}compute-sanitizer 2>/dev/null | head -n 1) || true
[ -n "$sanitizer" ] || die "no compute-sanitizer on the PATH or beside nvcc"
if [ -z "$machine" ]; then
  machine=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 |
    sed 's/^NVIDIA //; s/ .*//' | tr '[:upper:]' '[:lower:]')-$(nvidia-smi -L | wc -l)gpu
fi

junit=$PWD/build/results/gpu-check.xml
sanitized=build/results/sanitizers.json
mkdir -p build/results
rm -f "$junit" "$sanitized"

tools/setup.sh
. tools/path.sh
step gpu-check "configure" configure release -DTYPEWARP_CUDA=ON
step gpu-check "build" cmake --build --preset release -j "$jobs"
# What fails here is in the results, and decides the exit status at the end.
step_tail=0 step gpu-check "test" run_ctest release "$junit" || true
step_tail=0 step sanitizers "memcheck and racecheck" \
  python3 tools/sanitize_gpu.py --sanitizer "$sanitizer" --output "$sanitized" || true
python3 tools/gpu_report.py --machine "$machine" --command "$command_line" --sanitizers "$sanitized" \
  --output "$output/$machine.json" "$junit"
