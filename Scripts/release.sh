#!/bin/sh
# Checks that the checkout can be released: nothing is uncommitted, CHANGELOG.md describes the version, and the fixtures
# of its formats are there, which later versions must read.
set -eu
cd "$(dirname "$0")/.."
fail() {
    echo "release.sh: $1" >&2
    exit 1
}
version=$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/PatchbayCore/PatchbayVersion.swift)
[ -z "$(git status --porcelain)" ] || fail "the checkout has changes; commit them, or use a clean clone"
[ "$(grep -m 1 '^## ' CHANGELOG.md)" = "## $version" ] ||
    fail "the first section of CHANGELOG.md is not \"## $version\"; move what is under \"Unreleased\" into it"
[ -d "Tests/FormatTests/Fixtures/$version" ] || fail "there are no fixtures of $version; run make fixtures"
tag=$(git tag --list "v$version" "$version")
[ -z "$tag" ] || [ "$(git rev-parse "$tag^{commit}")" = "$(git rev-parse HEAD)" ] ||
    fail "$version was released as $tag; raise PatchbayVersion.current"
echo "Patchbay $version, $(git describe --always) of $(git log -1 --format=%cs)"
