#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# pkg_config.sh <compiler> <pkg-config> <folder of .pc files> <package> <source> <program>
# Builds a program with what pkg-config says, and nothing else.
set -euo pipefail
export PKG_CONFIG_PATH=$3
read -ra cflags <<<"$("$2" --cflags "$4")"
read -ra libraries <<<"$("$2" --libs "$4")"
"$1" -std=c++20 "${cflags[@]}" "$5" -o "$6" "${libraries[@]}"
