#!/bin/sh
# Runs the tests under a sanitizer: `Scripts/sanitize.sh thread` or `Scripts/sanitize.sh address`.
#
# Builds everything again in .build-thread or .build-address (15 minutes on two cores, 3 GB). Tests of pages are left
# out, and so are those that start the command, because they would check the wrong process. Fails when the sanitizer
# reports anything.
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
    # These have only one thread each. A command that a test starts does without the library above.
    skipped="$skipped|Fuzz|CommandTests|WaitingTests"
    # Otherwise the large maps of LMDB may be where the sanitizer has its own.
    fixed="setarch -R"
    ;;
# Swift's runtime keeps its allocations until the process ends, even when nothing refers to them any more.
address) export ASAN_OPTIONS="detect_leaks=0" ;;
esac
# Half as many concurrent tests as usual, because each thread needs more memory here.
${fixed:-} "$tests" --testing-library swift-testing --experimental-maximum-parallelization-width 32 \
    --skip "$skipped"
