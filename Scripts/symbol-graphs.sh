#!/bin/sh
# Writes the public symbols of each library module as symbol graphs: Scripts/symbol-graphs.sh FOLDER
#
# Reads the modules of the build for tests. FOLDER then contains one folder per module, for docc and api.py.
set -eu
cd "$(dirname "$0")/.."
folder=$1
build=$(readlink -f .build-test/release)
target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')

# The folders of the C modules with which the Swift modules were built.
maps() {
    find "$build" -maxdepth 2 -name module.modulemap
    find .build-test/checkouts Plugins -name module.modulemap -not -path '*/Benchmarks/*'
}
includes=$(maps | sed 's|/module.modulemap$||; s|^|-I |' | tr '\n' ' ')

rm -rf "$folder"
for catalog in Sources/*/*.docc Plugins/*/Sources/*.docc; do
    module=$(basename "$catalog" .docc)
    mkdir -p "$folder/$module"
    # shellcheck disable=SC2086 # one word for each option
    swift symbolgraph-extract -module-name "$module" -target "$target" -I "$build/Modules" $includes \
        -minimum-access-level public -skip-synthesized-members -output-dir "$folder/$module"
done
