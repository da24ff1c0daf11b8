# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# CLI11, which reads the command lines of programs: header only, Debian's libcli11-dev.
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp)
if(NOT CLI11_INCLUDE_DIR)
  message(FATAL_ERROR "apps and bench/tune need CLI11 (Debian: libcli11-dev; elsewhere set CLI11_INCLUDE_DIR), "
                      "or configure with -DTYPEWARP_APPS=OFF -DTYPEWARP_BENCH=OFF")
endif()
