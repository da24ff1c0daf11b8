#!/usr/bin/env bash
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
  cat <<'END'
usage: tools/release.sh [--dry-run]

Makes a release of the checked-out commit: the wheel for all GPU architectures and MPIs (tools/wheel.sh --release), the source archive,
the rendered site and their checksums in build/release-<version>, and the annotated tag v<version>. It pushes nothing.
Before that it checks that include/typewarp/version.h, CHANGELOG.md, CITATION.cff, the recipes and the tag name one version, that
CHANGELOG.md has its date, and that the tree is clean.

  --dry-run   checks, makes the source archive in a temporary folder, and says what else would be made
END
}

dry_run=false
case ${1:-} in
  '') ;;
  --dry-run) dry_run=true ;;
  --help) usage; exit ;;
  *) usage >&2; die "unknown word '$1'" ;;
esac

version=$(sed -n 's/^#define TYPEWARP_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/typewarp/version.h | paste -sd .)
tag=v$version
folder=build/release-$version

# What a person must mend first; a dry run tells of it and goes on.
unready() { if $dry_run; then say "not ready" "$1"; else die "$1"; fi; }

# names_version <file> <line before the version, as an expression> <what follows it>
names_version() {
  grep -q "^$2${version//./\\.}$3" "$1" || die "$1: does not name version $version of include/typewarp/version.h"
}
names_version CITATION.cff 'version: ' '$'
names_version packaging/conda/recipe.yaml '  version: "' '"$'
for recipe in typewarp py_typewarp; do
  names_version "packaging/spack/spack_repo/typewarp/packages/$recipe/package.py" '    version("' '")$'
done
names_version CHANGELOG.md '## ' ' ('
[ "$(grep -m 1 '^## ' CHANGELOG.md)" = "$(grep "^## ${version//./\\.} (" CHANGELOG.md)" ] || die "CHANGELOG.md: $version does not stand first"
grep -qE "^## ${version//./\\.} \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md || unready "CHANGELOG.md: version $version has no date"

git rev-parse --verify --quiet HEAD >/dev/null || die "this is no clone of the repository: there is no commit to tag"
[ -z "$(git status --porcelain)" ] || unready "the tree has changes that are not committed"
if git rev-parse --verify --quiet "refs/tags/$tag" >/dev/null; then
  [ "$(git cat-file -t "$tag")" = tag ] || die "$tag: is no annotated tag"
  [ "$(git rev-parse "$tag^{commit}")" = "$(git rev-parse HEAD)" ] || die "$tag: is the tag of another commit; is version.h to be raised?"
  tagged=true
else
  tagged=false
fi
say version "$version, $($tagged && echo "with its tag" || echo "without a tag yet")"

# make_archive <folder>: the files of the commit, the same bytes each time.
make_archive() {
  git archive --format=tar --prefix="typewarp-$version/" HEAD | gzip -n >"$1/typewarp-$version.tar.gz"
}

if $dry_run; then
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  make_archive "$scratch"
  tar -xzOf "$scratch/typewarp-$version.tar.gz" "typewarp-$version/CITATION.cff" | grep -q "^version: $version$" ||
    unready "the commit names another version than the tree"
  say archive "typewarp-$version.tar.gz, $(stat -c %s "$scratch/typewarp-$version.tar.gz") bytes"
  say "not made" "wheel (tools/wheel.sh --mpi all --release), site (tools/site.sh), checksums, tag $tag"
  exit
fi

tools/wheel.sh --mpi all --release
tools/site.sh
rm -rf "$folder"
mkdir -p "$folder"
cp build/dist/typewarp-*.whl "$folder"
make_archive "$folder"
tar -czf "$folder/typewarp-$version-site.tar.gz" -C build --transform "s|^site|typewarp-$version-site|" site
(cd "$folder" && sha256sum -- * >SHA256SUMS)
# The section of this version, without its heading and without that of the version before.
notes=$(sed -n "/^## ${version//./\\.} /,/^## /{/^## /!p}" CHANGELOG.md)
$tagged || git tag -a "$tag" -m "Typewarp $version" -m "$notes"
say release "$folder: $(cd "$folder" && echo *)"
say next "git push origin $tag, and publish the files of $folder"
