#!/usr/bin/env bash
# Downloads the upstream archives of Debian's source packages, from this machine's own package mirror, through separate lists.
# usage: fetch_sources.sh FOLDER PACKAGE...
set -euo pipefail

mkdir -p "$1/lists/partial" "$1/cache"
cd "$1"
shift
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
signed=
[ ! -e "$keyring" ] || signed="[signed-by=$keyring]"
apt-get indextargets --format "deb-src $signed \$(SITE) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' 'Origin: Debian' |
  sort -u >sources.list
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$PWD/lists"
  -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=)
"${apt[@]}" update </dev/null
"${apt[@]}" source --download-only --tar-only "$@" </dev/null
