#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
usage: tools/wheel.sh [--release] [--python <program>] [option...]

Builds the wheel for this machine's MPIs and CUDA into build/dist, and names the oldest C library that it runs with in its tag. Fails if
it exceeds 40 MB. What was compiled stays in build/wheel. The wheel is for one Python before 3.12, or for 3.12 and all later ones.

  --release            for GPUs from sm_80 to sm_100, and later ones by PTX, in place of TYPEWARP_CUDA_ARCHS (90)
  --python <program>   which Python to build with (.tools/python-tests, which tools/setup.sh makes)
  option               for pip, for instance -C cmake.define.TYPEWARP_MPI=OFF
END
}

maximum=$((40 * 1000 * 1000))
builder=.tools/python-tests/bin/python
python=
architectures=${TYPEWARP_CUDA_ARCHS:-}
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit ;;
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
[ -x "$builder" ] || die "there is no $builder: run tools/setup.sh"
# Not in pip's own environment, and with CMake's choice of compilers, not Python's: what ccache has of other builds is not compiled again.
export CC=${CC:-cc} CXX=${CXX:-c++}
rm -f build/wheel/CMakeCache.txt  # what an earlier call was told
options=(--no-build-isolation --no-deps --disable-pip-version-check -C build-dir=build/wheel)
for option in "TYPEWARP_CUDA_ARCHS=$architectures" "TYPEWARP_MPI=${TYPEWARP_MPI:-}" "TYPEWARP_WERROR=${TYPEWARP_WERROR:-}"; do
  if [ -n "${option#*=}" ]; then options+=(-C "cmake.define.$option"); fi
done
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}

rm -rf build/dist
step wheel "building" "$builder" -m pip wheel -v "${options[@]}" -w build/dist/raw . "$@"
# Nothing is copied into the wheel: the MPI is the one that the process has.
PATH=$PWD/$(dirname "$builder"):$PATH step tag "naming the C library it needs" \
  "$builder" -m auditwheel repair --exclude 'libmpi.so.*' --exclude 'libmpi_abi.so.*' -w build/dist build/dist/raw/typewarp-*.whl
rm -r build/dist/raw
wheel=$(echo build/dist/typewarp-*.whl)
bytes=$(stat -c %s "$wheel")
say wheel "$wheel, $bytes bytes"
[ "$bytes" -le "$maximum" ] || die "the wheel has $bytes bytes, more than $maximum"
