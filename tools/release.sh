#!/usr/bin/env bash
# Collects what a release has, from $BUILD/dist into $BUILD/release: archives, wheels, filled recipes, the bill of materials, and
# SHA256SUMS of them all. With TAG the tag, the version and CHANGELOG.md must agree. `release.sh publish` uploads the folder with
# GitHub's command gh.
set -euo pipefail

dist=${BUILD:-build}/dist
release=${BUILD:-build}/release
version=$(sed -n 's/^project(acutance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
refuse() {
  echo "release: $*" >&2
  exit 1
}

if [ -n "${TAG:-}" ]; then
  [ "$TAG" = "v$version" ] || refuse "the tag is $TAG, and CMakeLists.txt has version $version: tag v$version"
  notes=$(awk -v start="## $version " 'index($0, start) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md)
  [ -n "$notes" ] || refuse "CHANGELOG.md says nothing of $version: it needs '## $version (date)' and what is new"
  ! grep -q "^## $version (not released)" CHANGELOG.md || refuse "CHANGELOG.md has $version as not released: write the date"
fi

case ${1:-} in
  publish)
    [ -n "${TAG:-}" ] || refuse "publishing needs TAG=v$version"
    (cd "$release" && sha256sum --check --strict --quiet SHA256SUMS)
    gh release create "$TAG" --verify-tag --title "acutance $version" --notes "$notes" "$release"/*
    ;;
  "")
    archive=$dist/acutance-$version.tar.xz
    binary=$dist/acutance-$version-linux-$(uname -m).tar.xz
    binaries=("$dist/acutance-$version"-linux-*.tar.xz) # of MACHINE=aarch64, too, where it was made
    wheels=("$dist/acutance-$version"-*.whl)
    zips=("$dist/acutance-$version"-windows-*.zip) # of make windows-zip, where it was made
    [ -e "${zips[0]}" ] || zips=()
    for file in "$archive" "$binary" "${wheels[0]}"; do
      [ -e "$file" ] || refuse "$file is not there: run make dist and make wheels"
    done
    rm -rf "$release"
    mkdir -p "$release"
    cp "$archive" "${binaries[@]}" "${wheels[@]}" "${zips[@]}" "$release/"
    tar -xOf "$binary" "$(basename "$binary" .tar.xz)/share/doc/acutance/acutance.cdx.json" >"$release/acutance-$version.cdx.json"
    tools/recipes.py "$archive" "$release/recipes"
    tar -c --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner -C "$release" recipes |
      gzip -9n >"$release/acutance-$version-recipes.tar.gz"
    rm -rf "$release/recipes"
    (cd "$release" && sha256sum -- *.* >SHA256SUMS && cat SHA256SUMS)
    ;;
  *) refuse "usage: release.sh [publish]" ;;
esac
