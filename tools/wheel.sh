#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
usage: tools/wheel.sh [python] [option...]

Builds a wheel into build/dist for a Python (default: python3), installs it into an empty environment, build/wheel-test, and runs
the Python tests there. Options go to pip, for instance -C cmake.define.TYPEWARP_MPI=OFF. Fails if the wheel exceeds 40 MB.
END
}

maximum=$((40 * 1000 * 1000))
case ${1:-} in
  --help) usage; exit ;;
  '' | -*) python=python3 ;;
  *) python=$1; shift ;;
esac

rm -rf build/dist build/wheel-test
step wheel "building" "$python" -m pip wheel --no-deps --disable-pip-version-check -w build/dist . "$@"
wheel=$(echo build/dist/typewarp-*.whl)
bytes=$(stat -c %s "$wheel")
say wheel "$wheel, $bytes bytes"
[ "$bytes" -le "$maximum" ] || die "the wheel has $bytes bytes, more than $maximum"

run_tests() {
  "$python" -m venv build/wheel-test &&
    build/wheel-test/bin/python -m pip install --disable-pip-version-check "$wheel" -r tools/requirements/python-tests.txt &&
    build/wheel-test/bin/typewarp --help &&
    build/wheel-test/bin/python -B -m pytest -p no:cacheprovider tests/python
}
step wheel-test "installing it into an empty environment, and testing" run_tests
tail -n 1 "$logs/wheel-test.log"
