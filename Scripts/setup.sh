#!/bin/sh
# Installs the C libraries that the storages link, if they are missing.
set -eu

missing=
[ -e /usr/include/sqlite3.h ] || missing="$missing libsqlite3-dev"
[ -e /usr/include/lmdb.h ] || missing="$missing liblmdb-dev"
[ -e /usr/include/zlib.h ] || missing="$missing zlib1g-dev"
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "missing:$missing (possibly under other names on your system); install them and run this again" >&2
    exit 1
fi
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
echo "installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # one word for each package
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
