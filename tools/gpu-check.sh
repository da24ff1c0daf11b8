#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
usage: tools/gpu-check.sh [--machine NAME] [--output DIR] [--gpu-only] [--seconds S]

On a machine with a GPU: sets up what is missing, builds, runs every test, then the GPU tests once more under
compute-sanitizer (memcheck and racecheck), and writes DIR/NAME.json. Exits with 1 if anything failed.

  --machine NAME   default: made of GPU model and count, for instance h200-1gpu
  --output DIR     default: tests/results
  --gpu-only       leaves out the tests that use no GPU
  --seconds S      at most so long for the tests, and twice as long for both tools together: what has not ended then has
                   failed
END
}

command_line="tools/gpu-check.sh $*"
machine=
output=tests/results
seconds=
only=()
while [ $# -gt 0 ]; do
  case $1 in
    --machine | --output | --seconds)
      [ $# -ge 2 ] || die "$1 needs a value"
      declare "${1#--}=$2"
      shift 2
      ;;
    --gpu-only)
      only=(-L '^gpu$')
      shift
      ;;
    --help) usage; exit ;;
    *) usage >&2; die "unknown option '$1'" ;;
  esac
done
[[ -z $seconds || ($seconds =~ ^[1-9][0-9]{0,4}$ && $seconds -lt 86000) ]] || die "--seconds $seconds: must be from 1 to 85999"

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
step gpu-check "configure" configure release -DTYPEWARP_CUDA=ON -DTYPEWARP_NIGHTLY=ON
step gpu-check "build" cmake --build --preset release -j "$jobs"
ctest --preset release "${only[@]}" --show-only=json-v1 >build/results/expected.json
limit=()
tools_limit=()
if [ -n "$seconds" ]; then
  # A time of day, and ctest knows whole hours of time zones only.
  limit=(--stop-time "$(TZ=UTC date -d "+$((seconds + 1)) seconds" +%T)")
  tools_limit=(--seconds $((2 * seconds)))
fi
# What fails here is in the results, and decides the exit status at the end.
TZ=UTC step_tail=0 step gpu-check "test" run_ctest release "$junit" "${only[@]}" "${limit[@]}" || true
# Processes that share a GPU take turns, and ranks that wait for each other spin: 40 on two H100 and 32 cores went well.
gpus=$(nvidia-smi -L | grep -c '^GPU')
at_a_time=$((jobs * 5 / 4 < 20 * gpus ? jobs * 5 / 4 : 20 * gpus))
step_tail=0 step sanitizers "memcheck and racecheck" \
  python3 tools/sanitize_gpu.py --sanitizer "$sanitizer" --gpus "$gpus" --jobs $((at_a_time > 4 ? at_a_time : 4)) \
  "${tools_limit[@]}" --output "$sanitized" || true
python3 tools/gpu_report.py --machine "$machine" --command "$command_line" --sanitizers "$sanitized" \
  --expected build/results/expected.json --output "$output/$machine.json" "$junit"
