#!/bin/sh
# Makes a folder from which a program is linked with static C libraries: Scripts/static-libraries.sh FOLDER
#
# The folder has links to the archives, and descriptions for `swift build --pkg-config-path FOLDER`, which names the
# folder to the linker before those of the system. The program then needs only libraries that every system with the GNU
# C library has. A library without an archive is linked as usual. libgcc_s stays shared: in its static form it needs a
# newer C library than all the rest, and the C library itself loads it.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
rm -f "$folder"/*

for library in sqlite3 lmdb z stdc++; do
    # The toolchain's own compiler knows the folders of the system.
    archive=$(clang -print-file-name="lib$library.a")
    case $archive in
        /*) ln -s "$(realpath "$archive")" "$folder/lib$library.a" ;;
        *) echo "static-libraries.sh: there is no static $library; the program will need the shared one" >&2 ;;
    esac
done
describe() { # describe PACKAGE LIBRARY
    printf 'Name: %s\nDescription: %s\nVersion: 0\nLibs: -L%s -l%s\n' "$1" "$1" "$folder" "$2" >"$folder/$1.pc"
}
describe sqlite3 sqlite3
describe zlib z
