#!/bin/sh
# The tests under a sanitizer: `Scripts/sanitize.sh thread` or `Scripts/sanitize.sh address`.
#
# Builds everything anew, in .build-thread or .build-address (a quarter of an hour on two cores, 3 GB). Left out are the
# tests of pages and those that start the command, whose process would be the one to watch. Ends with an error when
# there was a report.
set -eu
cd "$(dirname "$0")/.."

sanitizer=${1:?thread or address}
build=.build-$sanitizer
swift build --build-tests --sanitize "$sanitizer" --scratch-path "$build"
tests=$(swift build --show-bin-path --scratch-path "$build")/patchbayPackageTests.xctest

skipped='CrashTests|PatchbayCLITests|PatchbayCompareTests|ArchitectureTests|SnippetTests|FormatTests'
case $sanitizer in
thread)
    lock=$(mktemp)
    trap 'rm -f "$lock"' EXIT
    clang -O1 -shared -fPIC -o "$lock" Scripts/sanitize.c -ldl
    export LD_PRELOAD="$lock" TSAN_OPTIONS="exitcode=66"
    # They have one thread each.
    skipped="$skipped|Fuzz"
    ;;
# Swift's runtime keeps what it made until the process ends, where nothing points to it any more.
address) export ASAN_OPTIONS="detect_leaks=0" ;;
esac
# Half as many tests at once as usual: each thread costs more memory here.
"$tests" --testing-library swift-testing --experimental-maximum-parallelization-width 32 \
    --skip "$skipped"
