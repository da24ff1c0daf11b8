#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
usage: tools/wheel.sh [--mpi <mpi>] [--release] [--python <program>] [option...]

Builds the wheel for this machine's MPI and CUDA in build/dist. Its tag names the oldest C library that it runs with. Fails if the wheel
exceeds 40 MB. Compiled files stay in build/wheel, logs in build/logs. The wheel runs with the Python that built it or, if that is 3.12
or later, with all later ones.

  --mpi <mpi>          openmpi or mpich of tools/setup.sh, <name>=<path of mpicc>, none, or all: those of tools/setup.sh and the standard
                       ABI. The default is TYPEWARP_MPI, else the mpicc on the PATH, else all. Each MPI takes about the same time
  --release            for GPUs from sm_80 to sm_100, and later ones by PTX, instead of TYPEWARP_CUDA_ARCHS or this machine's
  --python <program>   the Python to build with (default: .tools/python-tests, which tools/setup.sh makes)
  option               passed to pip, for instance -C cmake.define.TYPEWARP_MPI=OFF
END
}

# The MPI of an mpicc, by the name of its ABI, which its header tells.
mpi_of() {
  local macros
  macros=$("$1" -E -dM -x c - <<<'#include <mpi.h>' 2>/dev/null) || return 0
  case $macros in
    *OPEN_MPI*) echo "openmpi=$1" ;;
    *MPICH_NUMVERSION* | *I_MPI_VERSION*) echo "mpich=$1" ;;
  esac
}

# What TYPEWARP_MPI is to be; empty for all.
chosen_mpi() {
  local own
  case $mpi in
    all) ;;
    none) echo OFF ;;
    *=*) echo "$mpi" ;;
    openmpi | mpich)
      [ -x ".tools/$mpi/bin/mpicc" ] || die "--mpi $mpi: there is no .tools/$mpi/bin/mpicc: run tools/setup.sh, or say $mpi=<path of mpicc>"
      echo "$mpi=$PWD/.tools/$mpi/bin/mpicc" ;;
    '')
      own=$(type -P mpicc || true)
      case $own in
        '' | "$PWD"/.tools/*) ;;
        *) mpi_of "$own" ;;
      esac ;;
    *) die "--mpi $mpi: must be openmpi, mpich, <name>=<path of mpicc>, none or all" ;;
  esac
}

# Says every 20 seconds how far the build is that writes this log.
tell_progress() {
  local log=$1 begin=$SECONDS compiled
  while sleep "${progress_seconds:-20}" >/dev/null 2>&1; do
    compiled=$(grep -o '\[[0-9]*/[0-9]*\]' "$log" | tail -n 1 | tr -d '[]') || true
    # Behind the line of the step, which has no end yet, and which "ok" ends.
    printf '\n%-12s %-52s ' progress "${compiled:-nothing} compiled after $((SECONDS - begin)) s"
  done
}

maximum=$((40 * 1000 * 1000))
builder=.tools/python-tests/bin/python
python=
mpi=
architectures=$(gpu_architectures)
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit ;;
    --mpi) mpi=${2:?--mpi: which one?}; shift ;;
    --release) architectures='80-real;90-real;100' ;;
    --python) python=${2:?--python: which program?}; shift ;;
    -*) break ;;
    *) usage >&2; die "unknown word '$1'" ;;
  esac
  shift
done

if [ -n "$python" ]; then
  builder=build/wheel-builder/bin/python
  step builder "making an environment to build in" \
    sh -c "'$python' -m venv --clear build/wheel-builder && $builder -m pip install -r tools/requirements/wheel.txt"
fi
[ -x "$builder" ] ||
  die "there is no $builder: run tools/setup.sh, which makes it if Python has its headers (Debian: python3-dev)"
# Not in pip's own environment, and with CMake's choice of compilers, not Python's: what ccache has of other builds is not compiled again.
export CC=${CC:-cc} CXX=${CXX:-c++}
rm -f build/wheel/CMakeCache.txt  # what an earlier call was told
options=(--no-build-isolation --no-deps --disable-pip-version-check -C build-dir=build/wheel)
standard_abi=
if [ -n "$mpi" ] || [ -z "${TYPEWARP_MPI:-}" ]; then
  TYPEWARP_MPI=$(chosen_mpi)
  [ -z "$TYPEWARP_MPI" ] || standard_abi=OFF  # the library of another ABI would be a second one
fi
for option in "TYPEWARP_CUDA_ARCHS=$architectures" "TYPEWARP_MPI=$TYPEWARP_MPI" "TYPEWARP_STANDARD_ABI=$standard_abi" "TYPEWARP_WERROR=${TYPEWARP_WERROR:-}"; do
  if [ -n "${option#*=}" ]; then options+=(-C "cmake.define.$option"); fi
done
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}

rm -rf build/dist
say wheel "for ${TYPEWARP_MPI:-all MPIs of tools/setup.sh (--mpi names one)}; all output goes to $logs/wheel.log"
mkdir -p "$logs"
: >"$logs/wheel.log"
tell_progress "$logs/wheel.log" &
progress=$!
trap 'tell_running_log; kill "$progress" 2>/dev/null || true' EXIT
step wheel "building" "$builder" -m pip wheel -v "${options[@]}" -w build/dist/raw . "$@"
kill "$progress" 2>/dev/null || true
# Nothing is copied into the wheel: the MPI is the one that the process has.
PATH=$PWD/$(dirname "$builder"):$PATH step tag "naming the C library it needs" \
  "$builder" -m auditwheel repair --exclude 'libmpi.so.*' --exclude 'libmpi_abi.so.*' -w build/dist build/dist/raw/typewarp-*.whl
rm -r build/dist/raw
wheel=$(echo build/dist/typewarp-*.whl)
bytes=$(stat -c %s "$wheel")
say wheel "$wheel, $bytes bytes"
"$builder" -m zipfile -l "$wheel" | grep -c '/_jax[.]' >/dev/null ||
  say wheel "without typewarp.jax: there is no jaxlib (tools/setup.sh --with-jax, or -C cmake.define.TYPEWARP_JAX_INCLUDE=<its folder include>)"
[ "$bytes" -le "$maximum" ] || die "the wheel has $bytes bytes, more than $maximum"
