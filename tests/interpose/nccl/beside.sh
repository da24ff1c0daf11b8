#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: beside.sh <folder with the libraries> <libnccl.so.2> <program> -- <launcher>...
# The library as in an installation of Python packages, without TYPEWARP_NCCL: it takes the NCCL that stands beside it, and none that
# other users can change, or that lies further above.
set -eu
folder=$1 nccl=$2 program=$3
shift 4
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
site=$top/site-packages
mkdir -p "$site/typewarp/lib" "$site/nvidia/nccl/lib" "$top/none"
: >"$top/none/libnccl.so.2" # what is no library hides the system's
cp "$folder"/libtypewarp_mpi*.so "$site/typewarp/lib"
cp "$nccl" "$site/nvidia/nccl/lib/libnccl.so.2"
chmod -R go-w "$top"

# expect <used|unused> <what is said>
expect() {
  local said
  said=$("${launcher[@]}" -n 2 env LD_LIBRARY_PATH="$top/none${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    LD_PRELOAD="$site/typewarp/lib/libtypewarp_mpi.so" TYPEWARP_TRANSPORT=1 TYPEWARP_GPU_AWARE=0 \
    TYPEWARP_NCCL_BYTES=200 TYPEWARP_DEVICE_POOL_BYTES=100000 TYPEWARP_VERBOSE=1 "$program" device "$1" 2>&1) || true
  if [[ $said != *"$2"* || $said != *"all as expected"* ]]; then
    printf '%s: expected "%s"\n%s\n' "$1" "$2" "$said"
    exit 1
  fi
}
launcher=("$@")
expect used "NCCL 22809 between 2 ranks"
chmod o+w "$site/nvidia/nccl/lib"
expect unused "other users can change it"
chmod o-w "$site/nvidia/nccl/lib"
if [ "$(id -u)" = 0 ]; then
  chown 65534 "$site/nvidia"
  expect unused "other users can change it"
  chown 0 "$site/nvidia"
fi
mv "$site/nvidia" "$top"
expect unused "no NCCL: "
echo "as expected in all installations"
