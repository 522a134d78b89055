#!/usr/bin/env bash
# Unpacks Debian's arm64 packages that acutance is built and run with into a folder, which serves as the compiler's and qemu's
# root; the machine's own packages stay as they are. usage: arm_sysroot.sh FOLDER
set -euo pipefail

root=$(realpath -m "$1")
packages=(libc6-dev libstdc++-12-dev libhwy-dev libfmt-dev nlohmann-json3-dev libcli11-dev libdeflate-dev libturbojpeg0-dev
  libgtest-dev libgmock-dev libavformat-dev libavcodec-dev libavutil-dev libvulkan-dev libpython3-dev python3-minimal)
wanted="${packages[*]}"
[ "$(cat "$root/.packages" 2>/dev/null)" != "$wanted" ] || exit 0

apt=$root.apt
rm -rf "$root" "$apt"
mkdir -p "$root" "$apt/lists/partial" "$apt/cache/archives/partial"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
signed=
[ ! -e "$keyring" ] || signed="signed-by=$keyring "
apt-get indextargets --format "deb [${signed}arch=arm64] \$(SITE) \$(RELEASE) \$(COMPONENT)" \
  'Created-By: Packages' 'Origin: Debian' | sort -u >"$apt/sources.list"
: >"$apt/status"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State::status=$apt/status"
  -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists"
  -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
echo "setup: fetching arm64 packages into $root"
apt-get "${options[@]}" update </dev/null
apt-get "${options[@]}" install --download-only -y --no-install-recommends "${packages[@]}" </dev/null >/dev/null
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb --extract "$package" "$root"
done
rm -rf "$apt"
echo "$wanted" >"$root/.packages"
