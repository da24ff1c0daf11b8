#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints one hash of what src/ and include/ hold now: results name the sources that they were measured on by it.
# Committed sources always give the same hash. "-dirty" follows if HEAD holds anything else, "-unversioned" if there is
# no repository to compare with (a copy of the tree).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v git >/dev/null || {
  echo "error: tools/source_hash.sh needs git" >&2
  exit 1
}

# Where nothing has changed since HEAD, its trees say it at once.
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$PWD" ] && git diff --quiet HEAD -- src include 2>/dev/null &&
  [ -z "$(git ls-files --others --exclude-standard src include)" ]; then
  git rev-parse HEAD:src HEAD:include | git hash-object --stdin
  exit
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

combined() { printf '%s\n' "$@" | git hash-object --stdin; }

# The trees are made in a repository of their own, so that nothing is added to the real one.
in_scratch() { git --git-dir="$scratch/repository" --work-tree=. "$@"; }
git init --quiet --bare "$scratch/repository"
in_scratch config core.bare false
in_scratch config core.autocrlf false
in_scratch add --all src include
tree=$(in_scratch write-tree)
now=$(combined "$(in_scratch rev-parse "$tree:src")" "$(in_scratch rev-parse "$tree:include")")

suffix=-unversioned
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$PWD" ]; then
  suffix=-dirty
  if src=$(git rev-parse --quiet --verify HEAD:src) && include=$(git rev-parse --quiet --verify HEAD:include) &&
    [ "$(combined "$src" "$include")" = "$now" ]; then
    suffix=
  fi
fi
echo "$now$suffix"
