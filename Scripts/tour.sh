#!/bin/sh
# Shows in a terminal what five apps do with Patchbay's data: offline, with the bundled recording and one storage.
#
#     Scripts/tour.sh sqlite [PATCHBAY]
#
# It works in a folder that is removed at the end, and prints the same for every storage that keeps its rows; `memory`
# forgets them between two commands. Stops at the first command with an unexpected exit status.
set -eu
storage=${1:-sqlite}
patchbay=${2:-$(dirname "$0")/../.build/release/patchbay}
[ -x "$patchbay" ] || { echo "\"$patchbay\" does not exist; build it with: swift build -c release" >&2; exit 2; }
[ "$storage" != memory ] || { echo "memory forgets its rows between two commands; use another storage" >&2; exit 2; }

patchbay=$(cd "$(dirname "$patchbay")" && pwd)/$(basename "$patchbay")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# Replaces times, so that the output does not depend on when the tour runs.
times='s/stored \(just now\|[0-9]* [a-z]* ago\)/stored a moment ago/
s/[0-9-]*T[0-9:]*\.[0-9]*Z/a moment ago/'

say() { printf '\n== %s\n' "$1"; }

# Runs a command that must end with the given status, and shows it with its output.
ends_with() {
    expected=$1
    shift
    printf '\n$ patchbay'
    for word in "$@"; do case $word in *" "*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac; done
    printf '\n'
    status=0
    HOME=$work XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work PATCHBAY_STORAGE=$storage NO_COLOR=1 \
        "$patchbay" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    sed "$times" "$work/out" "$work/err"
    [ "$status" = "$expected" ] || { echo "tour: it ended with $status instead of $expected" >&2; exit 1; }
}
run() { ends_with 0 "$@"; }

say "A browser of users: stored rows come first, then the answer of the source"
run list users --limit 5
run list users --limit 5
run list users --limit 5 --offline
run list users --limit 5 --after 900008107
run list users --limit 20 --maximum 20
run show users Marlow-Quern
run show users Quernwick-Ferries --open
run picture users Marlow-Quern --output marlow.png
run picture users Marlow-Quern --offline --output again.png
cmp marlow.png again.png

say "A viewer of repositories: batches of ten, commits of the visible ones, all of it offline later"
run list repos Marlow-Quern --batch 10
run list repos Marlow-Quern --batch 10 --number 2 --with commits
run list repos Marlow-Quern --batch 10 --number 2 --with commits --offline
run show repos Marlow-Quern/almanac --with commits
run show repos Marlow-Quern/almanac --with commits --offline
run list commits Marlow-Quern/blank-logbook

say "A list of users whose names can be edited: the edit survives every refresh"
run init users
run edit users Ottoline-Brack name="Otti of the Maps"
run edit users Ottoline-Brack name="Otti of the Maps"
run show users Ottoline-Brack --refresh
run revert users Ottoline-Brack
run edit users Ottoline-Brack name="Otti of the Maps"
run clear users --yes --keep-edits
run list users --limit 4 --offline
run init users
run list users --limit 4 --offline
run list users --policy remote-first --limit 4

say "A search: stored rows are found without a connection, and searches are remembered"
run search users TESS --offline
run search users marl --offline
run searches list
run searches remove TESS
run searches list --denied

say "Favourites: lasting copies, grouped by initial"
run list users --limit 10
for login in Marlow-Quern iskra-tumannaya thaleia-astro7 hotaru-hoshikuzu Bramwick4; do run favourites add users "$login"; done
run list users --limit 6 --with favourite --offline
run favourites list users --group initial
run favourites search users wick
run favourites remove users Bramwick4
run clear users --yes
run favourites list users

say "Errors, with their exit statuses"
ends_with 4 show users Marlow-Quern --offline
ends_with 2 list users --limit 0
ends_with 2 list users --offline --refresh
printf '\nThe tour is over.\n'
