#!/bin/sh
# The long tests of what storages keep: Scripts/crash.sh [COMMAND]
#
# Runs the Swift tests with many kills, random operations and mutated input, and then Scripts/faults: proof that its
# tests catch defects, 300 kills at exact disk calls, failing disk calls, power cuts, and 2,000 damaged copies for each
# storage with files. Takes about an hour on two cores and stops at the first loss. With a COMMAND, such as
# .build/debug/patchbay, runs only Scripts/faults, on that command.
set -eu
cd "$(dirname "$0")/.."

patchbay=${1:-}
if [ -z "$patchbay" ]; then
    PATCHBAY_CRASHES=${PATCHBAY_CRASHES:-300} PATCHBAY_STEPS=${PATCHBAY_STEPS:-10000} \
    PATCHBAY_FUZZ_ROUNDS=${PATCHBAY_FUZZ_ROUNDS:-1000000} \
        swift test --filter 'CrashTests|ConformanceTests|Fuzz|RowCheckTests'
    swift build -c release --static-swift-stdlib --product patchbay
    patchbay=$(swift build -c release --show-bin-path)/patchbay
fi

python3 Scripts/faults/selftest.py
for storage in sqlite lmdb flatfile; do
    for test in kills failing-calls power-cuts damage; do
        # SQLite's files have no checksums.
        unchecked=
        if [ $storage = sqlite ]; then unchecked=--unchecked; fi
        python3 Scripts/faults/faults.py $test $storage $unchecked "$patchbay" selftest
    done
done
