#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: window_level.sh <libtypewarp_mpi.so> <window_level.c>: windows of host memory over the system's Open MPI 4,
# which refuses some of them at MPI_THREAD_MULTIPLE. Exits with 77 where there is no such MPI.
set -euo pipefail
library=$1 source=$2

skip() {
  echo "skipped: $1"
  exit 77
}
for tool in mpicc.openmpi mpirun.openmpi; do
  command -v "$tool" > /dev/null || skip "no $tool"
done
[[ $(mpirun.openmpi --version) == *") 4."* ]] || skip "mpirun.openmpi is not of Open MPI 4"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mpicc.openmpi "$source" -o "$folder/program"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=^ofi OMPI_MCA_mpi_yield_when_idle=1

# run <components for windows> <single copies> <setting of a rank>... <program>
run() {
  OMPI_MCA_osc=$1 OMPI_MCA_btl_vader_single_copy_mechanism=$2 timeout 60 mpirun.openmpi --oversubscribe -n 2 env "${@:3}" 2>&1
}
# expect <what> <text> <words>
expect() {
  [[ $2 == *"$3"* ]] || { echo "$1: no '$3' in"; echo "$2"; exit 1; }
}
preloaded=(LD_PRELOAD="$library" TYPEWARP_TRANSPORT=1 TYPEWARP_TAKE=all TYPEWARP_VERBOSE=1 "$folder/program")
right=$'windows: all are right\nwindows: all are right'

for copies in none cma; do
  [ "$(run ^ucx $copies "$folder/program")" = "$right" ] || skip "Open MPI alone does not make these windows"
  said=$(run ^ucx $copies "${preloaded[@]}")
  expect "single copies by $copies" "$(grep ^windows <<< "$said")" "$right"
  expect "single copies by $copies" "$said" "no transport: "
  expect "single copies by $copies" "$said" "OMPI_MCA_osc=^pt2pt does without"
done
# Where the MPI alone would not have pt2pt either, nothing is lost.
said=$(run ^ucx,pt2pt cma "${preloaded[@]}")
expect "without pt2pt" "$said" "attached "
[[ $said != *"no transport: "* ]] || { echo "no transport without pt2pt"; exit 1; }
