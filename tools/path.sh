# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Source this (". tools/path.sh") to have the CMake and ninja that tools/setup.sh installed, and nvcc, on the PATH.
typewarp_tools=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/.." && pwd)/.tools/python/bin
if [ -d "$typewarp_tools" ] && [[ :$PATH: != *:"$typewarp_tools":* ]]; then
  PATH=$typewarp_tools:$PATH
fi
if ! command -v nvcc >/dev/null 2>&1 && [ -x /usr/local/cuda/bin/nvcc ]; then
  PATH=$PATH:/usr/local/cuda/bin
fi
export PATH
unset typewarp_tools
