#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# pkg_config.sh <compiler> <pkg-config> <folder of .pc files> <package> <source> <program>
# Builds a program with what pkg-config says, and where it finds what it is linked with.
set -euo pipefail
export PKG_CONFIG_PATH=$3
read -ra cflags <<<"$("$2" --cflags "$4")"
read -ra libraries <<<"$("$2" --libs "$4")"
case $5 in
  *.c) standard=c11 ;;
  *) standard=c++20 ;;
esac
"$1" -std=$standard "${cflags[@]}" "$5" -o "$6" "${libraries[@]}" -Wl,-rpath,"$("$2" --variable=libdir "$4")"
