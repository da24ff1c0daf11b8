#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: tools/format.sh [--check] [file...]
# Formats all C++ and CUDA sources, or the files given, with the pinned clang-format; --check only reports, and exits with
# 77 where that clang-format is not installed.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

formatter=.tools/lint/bin/clang-format
mode=(-i)
if [ "${1:-}" = --check ]; then
  mode=(--dry-run --Werror)
  shift
  if [ ! -x "$formatter" ]; then
    echo "skipped: no $formatter (tools/setup.sh --with-lint installs it)"
    exit 77
  fi
fi
[ -x "$formatter" ] || die "no $formatter: run tools/setup.sh --with-lint"
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(find include src python tests apps bench examples -name '*.[hc]pp' -o -name '*.ipp' -o -name '*.cu' -o -name '*.cuh')
fi
"$formatter" "${mode[@]}" "${files[@]}"
