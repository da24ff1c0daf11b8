#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/tools/common.sh"

usage() {
  cat <<'END'
usage: ./test.sh [--quick | --nightly]

Sets up what is missing, builds, and runs the tests: optimised, with CUDA if nvcc is there, with Open MPI and
MPICH; then once more on the host, with MPICH, under AddressSanitizer and UndefinedBehaviorSanitizer.
GPU tests are skipped, and counted so, where there is no GPU. What was skipped is told by reason. The last line
reads 'N passed, N failed, N skipped'.

  --quick     on the host, with one MPI, optimised
  --nightly   also what runs seldom: MPI's standard ABI, benchmarks and applications, each header alone, the wheel, soak,
              Python, NCCL and halos over every MPI, every way to send by every number of ranks, what a call costs,
              programs for GPUs without a GPU, LAMMPS and HeAT (3 GB to fetch), the sanitizers on the interface of C, the
              command line and emulated GPUs with warps of 64 threads, and ThreadSanitizer on what has threads
END
}

quick=false
nightly=false
for argument; do
  case $argument in
    --quick) quick=true ;;
    --nightly) nightly=true ;;
    --help) usage; exit ;;
    *) usage >&2; die "unknown option '$argument'" ;;
  esac
done

$quick && $nightly && die "--quick and --nightly: one of them"

results=()
broken=()

# build <preset> [option...]
build() {
  local preset=$1
  shift
  step "$preset" "configure" configure "$preset" "$@" && step "$preset" "build" cmake --build --preset "$preset" -j "$jobs"
}

# run_tests <preset>: remembers the results file, or that there is none.
run_tests() {
  local junit=$PWD/build/results/$1.xml
  rm -f "$junit"
  mkdir -p build/results
  # The report at the end prints what failed.
  step_tail=0 step "$1" "test" run_ctest "$1" "$junit" || true
  if [ -e "$junit" ]; then results+=("$junit"); else broken+=("$1 ctest"); fi
}

mkdir -p "$logs"
step_times=$logs/times
: >"$step_times"
wanted=(--with-lint)
$quick || wanted+=(--with-jax --with-mpi-packages)
! $nightly || wanted+=(--with-mpi4py-abi --with-large-mpi-packages)
tools/setup.sh "${wanted[@]}"
step_took "set up" "" "$SECONDS" 0
. tools/path.sh
# One MPI shows what sanitizers can show of our code; MPICH keeps no memory of its own that looks leaked.
one_mpi=()
if [ -z "${TYPEWARP_MPI:-}" ] && [ -e .tools/mpich/.complete ]; then
  one_mpi=("-DTYPEWARP_MPI=mpich=$PWD/.tools/mpich/bin/mpicc")
fi
# What "every test" leaves out here. Continuous integration must leave nothing out.
absent=()
# What is left out everywhere but where it is asked for.
told=()
if $quick; then
  if build quick "${one_mpi[@]}"; then run_tests quick; else broken+=("quick build"); fi
  absent+=("what --quick leaves out: CUDA, Python, benchmarks, applications, other MPIs and ABIs, sanitizers, jobs that take long")
else
  # The preset builds applications and benchmarks, for whoever wants them. Only the tests of the night start them.
  seldom=(-DTYPEWARP_NIGHTLY=ON)
  if ! $nightly; then
    seldom=(-DTYPEWARP_NIGHTLY=OFF -DTYPEWARP_APPS=OFF -DTYPEWARP_BENCH=OFF -DTYPEWARP_STANDARD_ABI=OFF)
    told+=("what --nightly runs besides: the standard ABI, benchmarks, applications, each header alone, the wheel, LAMMPS and HeAT, soak, all combinations")
  fi
  if build release "${seldom[@]}"; then built=true; else built=false broken+=("release build"); fi
  # The tests leave a part of the processors, where they wait: at the lowest priority, a build takes that and no more. It is a group of
  # processes of its own, which ends with this script.
  set -m
  (renice -n 19 "$BASHPID" >/dev/null; build asan "${one_mpi[@]}" "${seldom[@]}") >"$logs/asan.steps" 2>&1 &
  asan=$!
  set +m
  trap 'tell_running_log; kill -- "-$asan" 2>/dev/null || true' EXIT
  if $built; then run_tests release; fi
  if wait "$asan"; then built=true; else built=false broken+=("asan build"); fi
  cat "$logs/asan.steps"
  if $built; then run_tests asan; fi
  if $nightly; then
    if build tsan "${one_mpi[@]}"; then run_tests tsan; else broken+=("tsan build"); fi
  fi
fi
for mpi in openmpi mpich; do
  if [ -z "${TYPEWARP_MPI:-}" ] && [ ! -e ".tools/$mpi/.complete" ]; then absent+=("everything with $mpi"); fi
done
command -v nvcc >/dev/null || absent+=("everything with CUDA")
$quick || [ -e .tools/mpi-packages/.complete ] || absent+=("mpi4py-fft and pylops-mpi")
! $nightly || [ -e .tools/heat/.complete ] || absent+=("HeAT")
! $nightly || command -v lmp >/dev/null || absent+=("LAMMPS")
if [ "${CI:-}" = true ]; then as=--missing; else as=--skip; fi
step_took total "" "$SECONDS" 0
cat "$step_times"
python3 tools/test_report.py "${results[@]}" "${broken[@]/#/--missing=}" "${absent[@]/#/$as=}" "${told[@]/#/--skip=}"
