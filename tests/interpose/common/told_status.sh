#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: told_status.sh <command>...
# Runs the command and tells how it failed: CTest does not look at the status of a test whose output it matches. 77 is
# that of a test that skips.
"$@"
status=$?
[ "$status" = 0 ] || [ "$status" = 77 ] || echo "ended with status $status"
exit "$status"
