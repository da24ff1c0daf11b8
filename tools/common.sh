# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by the scripts of this repository: goes to its root, sets the PATH, and runs steps of one line each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/path.sh

logs=build/logs
jobs=$(nproc)

say() { printf '%-12s %s\n' "$1" "$2"; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The log of the step that runs now. A script that is stopped meanwhile says where it is.
running_log=
tell_running_log() { [ -z "$running_log" ] || printf '\nstopped; the output so far is in %s\n' "$running_log" >&2; }
trap tell_running_log EXIT

# Where to write what each step took, in the order of their ends, if anywhere: a file, since steps may run in the background.
step_times=
# step_took <name> <text> <seconds> <seconds of processor time before>: the latter tell more where a machine does other work.
step_took() {
  [ -n "${step_times:-}" ] || return 0
  read_processor
  printf '%-12s %-12s %5d s, %5d s of processor time\n' "$1" "$2" "$3" $((processor - $4)) >>"$step_times"
}

# read_processor: sets `processor` to the seconds of processor time of all commands that this shell has waited for, if it is asked.
read_processor() {
  local stat
  processor=0
  [ -n "$step_times" ] || return 0
  read -r stat </proc/$BASHPID/stat
  read -r -a stat <<<"${stat##*) }"
  processor=$(((stat[13] + stat[14]) / $(getconf CLK_TCK 2>/dev/null || echo 100)))
}

# How many lines of a log a failure shows. Set here, since a caller's own number reaches the scripts that its command starts.
step_tail=60

# step <name> <text> <command>...: one line on the terminal, all output in build/logs/<name>.log. A failure shows
# the end of that log (the last $step_tail lines) and returns the command's status.
step() {
  local name=$1 text=$2 log=$logs/$1.log start=$SECONDS before status=0
  shift 2
  read_processor
  before=$processor
  mkdir -p "$logs"
  printf '%-12s %-52s ' "$name" "$text"
  running_log=$log
  # In a subshell: this shell's own output stays on the terminal, also where the command is a function.
  ("$@") >"$log" 2>&1 </dev/null || status=$?
  running_log=
  step_took "$name" "$text" $((SECONDS - start)) "$before"
  if [ "$status" -eq 0 ]; then
    printf 'ok, %d s\n' $((SECONDS - start))
    return 0
  fi
  printf 'FAILED after %d s\n' $((SECONDS - start))
  tail -n "$step_tail" "$log" | sed 's/^/  | /' >&2
  printf 'The whole log is in %s\n' "$log" >&2
  return "$status"
}

# The GPUs to compile for: those that TYPEWARP_CUDA_ARCHS names, else those of this machine if one is too old for the default of 90.
# Empty: the default, whose code later GPUs run too.
gpu_architectures() {
  local oldest
  oldest=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sed -n 's/^\([0-9]*\)\.\([0-9]\)$/\1\2/p' | sort -n | head -n 1) || true
  if [ -n "${TYPEWARP_CUDA_ARCHS:-}" ]; then echo "$TYPEWARP_CUDA_ARCHS"; elif [ "${oldest:-90}" -lt 90 ]; then echo "$oldest"; fi
}

# configure <preset> [option...]: hands on what the environment asks for.
configure() {
  local preset=$1 architectures option
  shift
  architectures=$(gpu_architectures)
  if [ -n "$architectures" ]; then set -- "-DTYPEWARP_CUDA_ARCHS=$architectures" "$@"; fi
  for option in TYPEWARP_MPI TYPEWARP_WERROR; do
    if [ -n "${!option:-}" ]; then set -- "$@" "-D$option=${!option}"; fi
  done
  cmake --preset "$preset" "$@"
}

# run_ctest <preset> <results file> [option...]: all output is kept, since the report counts inside of it.
run_ctest() {
  local preset=$1 junit=$2
  shift 2
  # On few cores ranks of MPICH sleep where they wait, in place of spinning: but not in its collectives by shared memory, which are left out.
  # Open MPI's spin unless ranks outnumber cores, but the sanitizers' build and other tests want these cores too.
  [ "$jobs" -gt 4 ] || export MPIR_CVAR_ENABLE_HEAVY_YIELD=1 MPIR_CVAR_DEVICE_COLLECTIVES=none OMPI_MCA_mpi_yield_when_idle=1
  # Between processes of one host Open MPI never takes libfabric, and sleeps for a second in MPI_Init to close it.
  export OMPI_MCA_btl="${OMPI_MCA_btl:-^ofi}"
  ctest --preset "$preset" -j "$jobs" --output-junit "$junit" --test-output-size-passed 4000000 \
    --test-output-size-failed 4000000 "$@"
}
