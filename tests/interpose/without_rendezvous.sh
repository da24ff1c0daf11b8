#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: without_board.sh <program>...
# Runs a rank that cannot enter the file in which the ranks of a host meet: there is a folder of that name.
set -eu
read -ra launcher < "/proc/$PPID/stat"
rendezvous=/dev/shm/typewarp-$(id -u)-$PPID-${launcher[21]}
mkdir "$rendezvous"
trap 'rmdir "$rendezvous"' EXIT
"$@"
