#!/bin/sh
# The long tests of what storages keep, on a real process: Scripts/crash.sh PATCHBAY [OPTION OF FAULTS.PY...]
#
# Proof that Scripts/faults catches defects; then 300 kills at exact disk calls, failing disk calls, power cuts, and
# 2,000 damaged copies for each storage with files, or as many as --trials says. Stops at the first loss.
set -eu
cd "$(dirname "$0")/.."

patchbay=${1:?the command to test, such as .build/debug/patchbay}
shift

python3 Scripts/faults/selftest.py
for storage in sqlite lmdb flatfile; do
    for test in kills failing-calls power-cuts damage; do
        # SQLite's files have no checksums.
        unchecked=
        if [ $storage = sqlite ]; then unchecked=--unchecked; fi
        python3 Scripts/faults/faults.py $test $storage $unchecked "$@" "$patchbay" selftest
    done
done
