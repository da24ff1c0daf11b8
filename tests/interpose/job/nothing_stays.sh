#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: nothing_stays.sh <job>...
# Runs a job of which a rank is killed while the others wait for it in MPI_Init, and looks for what it left.
set -u
left() { { ls /dev/shm; grep -o '@typewarp-.*' /proc/net/unix; } | grep -E 'typewarp-([0-9]|window)' | sort; }

before=$(left)
timeout 30 "$@"
status=$?
if [ "$status" -eq 0 ] || [ "$status" -eq 124 ]; then
  echo "the job ends with $status"
  exit 1
fi
for _ in $(seq 100); do
  new=$(comm -13 <(echo "$before") <(left))
  [ -z "$new" ] && exit 0
  sleep 0.1  # it may be of other jobs
done
echo "left: $new"
exit 1
