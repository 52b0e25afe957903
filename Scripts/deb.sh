#!/bin/sh
# Packs the built command as a Debian package: Scripts/deb.sh PATCHBAY FOLDER makes FOLDER/patchbay_VERSION_ARCH.deb.
#
# The installed package needs only the C library, and libpq for PostgreSQL.
set -eu
patchbay=$1
folder=$2
version=$("$patchbay" --version | cut -d ' ' -f 2)
arch=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

umask 022
DESTDIR=$root ZSH_FUNCTIONS=share/zsh/vendor-completions "$(dirname "$0")/install.sh" "$patchbay" /usr >/dev/null
gzip -9n "$root"/usr/share/man/man1/patchbay.1 "$root"/usr/share/man/man5/patchbay.conf.5

mkdir -p "$root/DEBIAN" "$folder"
cat >"$root/DEBIAN/control" <<CONTROL
Package: patchbay
Version: $version
Architecture: $arch
Maintainer: ${DEBFULLNAME:-Patchbay} <${DEBEMAIL:-patchbay@localhost}>
Depends: libc6 (>= 2.34)
Recommends: ca-certificates
Suggests: libpq5 (>= 14)
Section: utils
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Description: local-first data gateway with exchangeable sources and storages
 Reads a source such as GitHub's REST API or a recording of it, stores its
 data in SQLite, LMDB or flat files, and answers from there first.
CONTROL
dpkg-deb --root-owner-group --build "$root" "$folder/patchbay_${version}_$arch.deb"
