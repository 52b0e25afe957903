#!/bin/sh
# Writes the documentation of all library modules as a static site: Scripts/docs.sh FOLDER [BASE-PATH]
#
# Any web server can serve FOLDER. BASE-PATH is the path of FOLDER below the root of that server: patchbay for
# https://example.org/patchbay. The first warning of docc, such as a broken link, is an error. The exception is a parameter
# without a description, because only parameters whose names do not say enough are described.
set -eu
cd "$(dirname "$0")/.."
site=$1
base=${2:-/}
work=.build/documentation
rm -rf "$work"
mkdir -p "$work"
Scripts/symbol-graphs.sh "$work/graphs"

# Each module follows those that it links to; the others come last.
first="PatchbayCore PatchbayDomain PatchbayGateway PatchbayTestKit"
modules="$first $(ls "$work/graphs" | grep -vxF "$(echo "$first" | tr ' ' '\n')")"
archives=
dependencies=
for module in $modules; do
    catalog=Sources/$module/$module.docc
    [ -d "$catalog" ] || catalog=Plugins/$module/Sources/$module.docc
    # shellcheck disable=SC2086 # one word for each option
    docc convert "$catalog" --additional-symbol-graph-dir "$work/graphs/$module" \
        --output-path "$work/$module.doccarchive" --fallback-display-name "$module" \
        --fallback-bundle-identifier "patchbay.$module" --ide-console-output \
        --enable-experimental-external-link-support --transform-for-static-hosting --hosting-base-path "$base" \
        $dependencies >"$work/$module.log" 2>&1 || {
        cat "$work/$module.log" >&2
        exit 1
    }
    grep ': warning: ' "$work/$module.log" | grep -v "Parameter '.*' is missing documentation" >>"$work/warnings" || true
    archives="$archives $work/$module.doccarchive"
    dependencies="$dependencies --dependency $work/$module.doccarchive"
done
if [ -s "$work/warnings" ]; then
    cat "$work/warnings" >&2
    exit 1
fi
rm -rf "$site"
# shellcheck disable=SC2086 # one word for each archive
docc merge $archives --output-path "$site" --synthesized-landing-page-name Patchbay \
    --synthesized-landing-page-kind Library >/dev/null
Scripts/site-landing.py "$site"
echo "documentation of $(echo "$archives" | wc -w) modules in $site"
