#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: on_gpu.sh <command>...
# Runs the command on a host that has a GPU, and elsewhere skips it (77) without the seconds that a launcher takes.
if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || [ -e /dev/kfd ]; then exec "$@"; fi
echo "skipped: needs a GPU"
exit 77
