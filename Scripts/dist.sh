#!/bin/sh
# Packs the built command: Scripts/dist.sh PATCHBAY FOLDER
#
# FOLDER receives a tarball, a Debian package, a Python wheel, and their SHA256SUMS. Each has the command, its
# recordings, manual pages, completions, systemd units, and the licences of everything that the command contains.
#
# The times of all files are the commit's, and names are sorted, so that the same program makes the same packages. The
# tarball is compressed with gzip, which is part of every system; a Debian system without more packages has neither
# zstd nor xz.
set -eu
patchbay=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
scripts=$(dirname "$0")
version=$("$patchbay" --version | cut -d ' ' -f 2)
SOURCE_DATE_EPOCH=$(git -C "$scripts" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

rm -f "$folder"/patchbay[-_]* "$folder/SHA256SUMS"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

name=patchbay-$version-linux-$(uname -m)
# Users unpack the tarball, and pip and pipx install a wheel, below ~/.local.
DESTDIR=$work/ UNIT_PREFIX=%h/.local "$scripts/install.sh" "$patchbay" "$name" >/dev/null
tar --directory "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --create "$name" | gzip -9n >"$folder/$name.tar.gz"
python3 "$scripts/wheel.py" "$work/$name" "$version" "$folder" >/dev/null
"$scripts/deb.sh" "$patchbay" "$folder" >/dev/null

cd "$folder"
sha256sum patchbay[-_]* >SHA256SUMS
ls -l
