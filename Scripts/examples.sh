#!/usr/bin/env bash
# Builds, tests and runs the packages in Examples, offline: Scripts/examples.sh OPTION-OF-SWIFT-BUILD...
#
# `make examples` passes the folder of `make demo`, so that the modules that it has compiled are used.
set -euo pipefail
cd "$(dirname "$0")/.."

build=("$@")
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

example() { # FOLDER COMMAND...: runs a swift command in an example
    local folder=$1 command=$2
    shift 2
    # The packages share the build, so the manifest of one must not be taken for that of another.
    swift "$command" --disable-build-manifest-caching --package-path "Examples/$folder" "${build[@]}" "$@"
}

says() { # WORDS COMMAND...: runs a command, shows its output, and fails when the words are not in it
    local words=$1
    shift
    "$@" 2>&1 | tee "$data/said"
    grep -qF -- "$words" "$data/said" || { echo "examples.sh: the output does not contain \"$words\": $*" >&2; exit 1; }
}

example EmbedTheLibrary build
bin=$(example EmbedTheLibrary build --show-bin-path)
says "5 users are up to date" "$bin/EmbedTheLibrary" "$data/users.sqlite"
says "5 users are stored; the source cannot be queried in offline mode" "$bin/EmbedTheLibrary" "$data/users.sqlite" offline

example WriteAStorage build --build-tests
example WriteAStorage test --skip-build
mine=(--storage append-only --set "storage.path=$data/users.append-only")
says "20 users, recorded in sample.har" "$bin/PatchbayWithMine" list users "${mine[@]}"
says "20 users" "$bin/PatchbayWithMine" list users --offline "${mine[@]}"
says "append-only" "$bin/PatchbayWithMine" plugins list
says "storage.path" "$bin/PatchbayWithMine" plugins show append-only
"$bin/PatchbayWithMine" storage copy \
    --from "append-only:$data/users.append-only" --to "sqlite:$data/copy.sqlite"

example WriteASource build --build-tests
example WriteASource test --skip-build
feed=(--set "source.path=Examples/WriteASource/feed.har" --set "storage.path=$data/feed.sqlite")
says "barbara" "$bin/PatchbayWithFeed" list users "${feed[@]}"
says "Ada Lovelace" "$bin/PatchbayWithFeed" show users ada "${feed[@]}"
echo "all examples work"
