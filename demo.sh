#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/tools/common.sh"

# Sets up what is missing, builds a stencil and runs it on 2 x 2 ranks. Arguments go to the program, after the defaults here:
# ./demo.sh --size 512 --type float; ./demo.sh --help lists them.

given() {  # given <option> <argument>...: whether the option is among the arguments
  local option=$1 argument
  shift
  for argument; do [[ $argument == "$option" || $argument == "$option"=* ]] && return 0; done
  return 1
}

tools/setup.sh
. tools/path.sh
step demo "configure (release)" configure release
# One launcher for each MPI of the build; Open MPI's if there are several.
name=$(compgen -G 'build/release/bin/mpiexec_*' | sed 's/.*mpiexec_//' | sort -r | head -n 1) || true
[ -n "$name" ] || die "no MPI was found for the build. tools/setup.sh installs one; TYPEWARP_MPI='mine=/path/to/mpicc' names another ($logs/demo.log)"
step demo "build stencil2d with $name" cmake --build --preset release -j "$jobs" --target "stencil2d_$name"

options=()
given --grid "$@" || options+=(--grid 2x2)
given --picture "$@" || options+=(--picture build/stencil2d.png)
if [ -t 1 ] && ! given --progress "$@"; then options+=(--progress update); fi
options+=("$@")
launcher=build/release/bin/mpiexec_$name
program=build/release/bin/stencil2d_$name
printf '\n%s -n 4 %s %s\n\n' "$launcher" "$program" "${options[*]}"
"$launcher" -n 4 "$program" "${options[@]}" ||
  die "'$launcher -n 4 $program' ended with status $?; its output is above, and that of the build in $logs/demo.log"
given --help "$@" && exit
printf '\nShown: halos of rows and columns, exchanged by 4 ranks (in GPU memory if there is a GPU), and times of packing.\n'
given --picture "$@" || printf 'The field is drawn in build/stencil2d.png.\n'
printf 'Next: "./demo.sh --exchange hand" does the same by copies and the MPI; README.md shows how to send your own column.\n'
