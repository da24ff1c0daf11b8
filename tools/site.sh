#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
case ${1:-} in
  --help | -*)
    echo "usage: tools/site.sh [folder]"
    echo "Makes a static site of README.md, docs/, and the reference of Python, C and C++, in build/site or the folder given."
    echo "Needs Python >= 3.11; gets Sphinx and what it uses from PyPI into .tools/site. Warnings are errors. Nothing is compiled."
    [ "$1" = --help ]
    exit
    ;;
esac
folder=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/site}")
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ ! -e "$folder" ] || [ -e "$folder/objects.inv" ] || [ -z "$(ls -A "$folder")" ] || die "$folder: is neither empty nor a site"
tools/setup.sh --site
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
step site "making pages" .tools/site/bin/python -B -m sphinx -j "$jobs" -q -W --keep-going -b html -c docs/site -d "$scratch" . "$scratch/site"
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
mv "$scratch/site" "$folder"
say site "$folder/index.html"
