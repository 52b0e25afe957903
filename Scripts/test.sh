#!/usr/bin/env bash
# Runs the built tests, and lists those that are still running when the time is up:
#
#     Scripts/test.sh SECONDS [OPTION OF SWIFT TEST...]
set -uo pipefail
limit=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

timeout --kill-after=10 "$limit" swift test --skip-build "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    names() { sed -nE "s/\x1b\[[0-9;]*m//g; s/^[^ ]+ Test (case .* )?(\".*\"|[^ ]+\(.*\)) ($1).*/\2/p" "$log" | sort -u; }
    echo "these tests had not ended after $limit s:"
    comm -23 <(names started) <(names 'passed|failed|skipped|with [0-9]+ test cases')
elif [ "$status" != 0 ]; then
    echo "failures:"
    grep -aE '✘|error:|Fatal error|signal' "$log" | cut -c1-600 | head -40
fi
exit "$status"
