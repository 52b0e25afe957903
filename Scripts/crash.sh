#!/bin/sh
# The long versions of the tests with kills, damaged copies, random operations and mutated input.
#
# Then, if the folder ../shared (or PATCHBAY_SHARED) contains tools/crash_loop.py and its siblings, the same for the
# release build with faults at exact disk calls: kills before, in and after them, a failing n-th call for every n, and
# the images that a power cut could leave. Takes about half an hour on two cores and stops at the first loss.
set -eu
cd "$(dirname "$0")/.."

PATCHBAY_CRASHES=${PATCHBAY_CRASHES:-300} PATCHBAY_DAMAGES=${PATCHBAY_DAMAGES:-2000} \
PATCHBAY_STEPS=${PATCHBAY_STEPS:-10000} PATCHBAY_FUZZ_ROUNDS=${PATCHBAY_FUZZ_ROUNDS:-1000000} \
    swift test --filter 'CrashTests|ConformanceTests|Fuzz|RowCheckTests'

tools=${PATCHBAY_SHARED:-../shared}/tools
if [ ! -e "$tools/crash_loop.py" ]; then
    echo "skipped: no fault tools in $tools"
    exit 0
fi
swift build -c release --static-swift-stdlib --product patchbay
patchbay=$(swift build -c release --show-bin-path)/patchbay
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -o "$work/failfs.so" "$tools/failfs.c" -ldl -lpthread

for storage in sqlite lmdb flatfile; do
    write="$patchbay selftest write --store $storage:{dir} --start {start}"
    verify="$patchbay selftest verify --store $storage:{dir}"
    echo "== $storage: kills"
    python3 "$tools/crash_loop.py" --dir "$work/kills" --rounds 300 --mix --failfs "$work/failfs.so" \
        --write "$write" --verify "$verify"
    echo "== $storage: failing disk calls"
    python3 "$tools/io_fault_sweep.py" --dir "$work/faults" --failfs "$work/failfs.so" --again \
        --write "$write --count 10" --verify "$verify"
    echo "== $storage: power cuts"
    python3 "$tools/powerloss.py" --work "$work/power" --failfs "$work/failfs.so" --model strict \
        --points 100 --variants 3 --write "$write --count 60" --verify "$verify"
done
