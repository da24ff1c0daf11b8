#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: tools/lint.sh [file...]
# Checks the format, the rules for sources, and with clang-tidy the C++ files given, or all of src, apps and bench, as the
# dev preset compiles them, each on its own. All of them take several minutes, so test.sh leaves clang-tidy out.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tools/setup.sh --with-lint
. tools/path.sh
step lint "format" tools/format.sh --check
step lint "sources" python3 tools/check_sources.py
step lint "configure (dev)" configure dev
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(find src apps bench -name '*.cpp' | sort)
fi
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$jobs" .tools/lint/bin/clang-tidy --quiet -p build/dev
