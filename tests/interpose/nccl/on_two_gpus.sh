#!/bin/sh
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: on_two_gpus.sh <command>...
# Runs it where there are two GPUs; exits with 77 elsewhere.
if [ "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" -lt 2 ]; then
  echo "skipped: needs two GPUs"
  exit 77
fi
exec "$@"
