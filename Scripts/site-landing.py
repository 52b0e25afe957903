#!/usr/bin/env python3
"""Gives the documentation site a page to start from: Scripts/site-landing.py SITE

`docc merge` makes a page with one tile for each module, and nothing at the root of the site. This puts the text and the
articles of the module Patchbay on that page, followed by the modules in groups, and has the root lead there.
"""

import json
import pathlib
import sys

GROUPS = {
    "Programs that use Patchbay": ["Patchbay", "PatchbayPlugins", "PatchbayGateway", "PatchbayDomain", "PatchbayMetrics",
                                   "PatchbayQuery", "PatchbayServer", "PatchbayCLI"],
    "Programs that extend it": ["PatchbayCore", "PatchbayNetworking", "PatchbayJSON", "PatchbayTestKit"],
    "Sources": ["SourceGitHub", "SourceREST", "SourceSynthetic"],
    "Storages": ["StorageSQLite", "StorageLMDB", "StorageFlatFile", "StoragePostgreSQL"],
    "Network": ["NetworkingLive", "NetworkingRecording", "ServingHTTP"],
}
REDIRECT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Patchbay</title>
<meta http-equiv="refresh" content="0; url=documentation/"><link rel="canonical" href="documentation/"></head>
<body><p>The documentation is at <a href="documentation/">documentation/</a>.</p></body></html>
"""


def grouped(landing):
    """Sections of all modules, in the order of GROUPS. A module without a group is an error."""
    modules = {reference["title"]: identifier for identifier, reference in landing["references"].items()}
    if lost := set(modules) - set(sum(GROUPS.values(), [])):
        sys.exit(f"Scripts/site-landing.py: no group has {', '.join(sorted(lost))}")
    for title, names in GROUPS.items():
        if identifiers := [modules[name] for name in names if name in modules]:
            yield {"title": title, "anchor": title.replace(" ", "-"), "identifiers": identifiers}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    site = pathlib.Path(sys.argv[1])
    path = site / "data" / "documentation.json"
    landing = json.loads(path.read_text())
    module = json.loads((site / "data" / "documentation" / "patchbay.json").read_text())
    sections = list(grouped(landing))
    articles = [
        section for section in module["topicSections"]
        if all(module["references"][identifier].get("role") == "article" for identifier in section["identifiers"])
    ]
    landing |= {
        "abstract": module["abstract"],
        "primaryContentSections": [
            section for section in module["primaryContentSections"] if section["kind"] == "content"
        ],
        "topicSections": articles + sections,
        "topicSectionsStyle": "list",
        "references": module["references"] | landing["references"],
    }
    landing["metadata"]["roleHeading"] = "Documentation"
    path.write_text(json.dumps(landing))
    (site / "index.html").write_text(REDIRECT)


if __name__ == "__main__":
    main()
