#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/tools/common.sh"

usage() {
  cat <<'END'
usage: ./test.sh [--quick]

Sets up what is missing, builds, and runs every test: optimised, with CUDA if nvcc is there, with Open MPI and
MPICH; then once more on the host, with MPICH, under AddressSanitizer and UndefinedBehaviorSanitizer.
GPU tests are skipped, and counted so, where there is no GPU. What was skipped is told by reason. The last line
reads 'N passed, N failed, N skipped'.

  --quick   on the host, with one MPI, optimised
END
}

quick=false
for argument; do
  case $argument in
    --quick) quick=true ;;
    --help) usage; exit ;;
    *) usage >&2; die "unknown option '$argument'" ;;
  esac
done

results=()
broken=()

# run_tests <preset> [option...]: configures, builds, runs; remembers the results file, or the step that prevents one.
run_tests() {
  local preset=$1 junit=$PWD/build/results/$1.xml
  shift
  rm -f "$junit"
  mkdir -p build/results
  step "$preset" "configure" configure "$preset" "$@" &&
    step "$preset" "build" cmake --build --preset "$preset" -j "$jobs" || { broken+=("$preset build"); return 0; }
  # The report at the end prints what failed.
  step_tail=0 step "$preset" "test" run_ctest "$preset" "$junit" || true
  if [ -e "$junit" ]; then results+=("$junit"); else broken+=("$preset ctest"); fi
}

wanted=(--with-lint)
$quick || wanted+=(--with-mpi4py-abi)
tools/setup.sh "${wanted[@]}"
step_took "set up" "" $SECONDS
. tools/path.sh
# One MPI shows what sanitizers can show of our code; MPICH keeps no memory of its own that looks leaked.
one_mpi=()
if [ -z "${TYPEWARP_MPI:-}" ] && [ -e .tools/mpich/.complete ]; then
  one_mpi=("-DTYPEWARP_MPI=mpich=$PWD/.tools/mpich/bin/mpicc")
fi
# What "every test" leaves out here. Continuous integration must leave nothing out.
absent=()
if $quick; then
  run_tests quick "${one_mpi[@]}"
  absent+=("what --quick leaves out: CUDA, benchmarks, applications, other MPIs and ABIs, sanitizers")
else
  run_tests release
  run_tests asan "${one_mpi[@]}"
fi
for mpi in openmpi mpich; do
  if [ -z "${TYPEWARP_MPI:-}" ] && [ ! -e ".tools/$mpi/.complete" ]; then absent+=("everything with $mpi"); fi
done
command -v nvcc >/dev/null || absent+=("everything with CUDA")
if [ "${CI:-}" = true ]; then as=--missing; else as=--skip; fi
tell_times
python3 tools/test_report.py "${results[@]}" "${broken[@]/#/--missing=}" "${absent[@]/#/$as=}"
