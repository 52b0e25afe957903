/// English nouns in the names of resources.
package enum EnglishNoun {
    /// Nouns that the usual rules get wrong.
    private static let irregular = [
        "aliases": "alias", "caches": "cache", "children": "child", "cookies": "cookie", "indices": "index",
        "movies": "movie", "news": "news", "people": "person", "series": "series", "ties": "tie",
    ]

    /// The noun for one of several: `user` for `users`, `policy` for `policies`, `batch` for `batches`. The last word
    /// counts, and one that is not a plural stays.
    package static func singular(_ plural: String) -> String {
        let last = plural.split { !$0.isLetter }.last.map(String.init) ?? plural
        if let known = irregular[last], plural.hasSuffix(last) { return plural.dropLast(last.count) + known }
        func ends(_ suffixes: String...) -> Bool { suffixes.contains(where: plural.hasSuffix) }
        if ends("ies") { return plural.dropLast(3) + "y" }
        // Those of `status`, `address` and `branch`, but not of `house`, `cause` and `use`.
        let hasLongEnd = ends("ches", "shes", "sses", "xes") || ends("uses") && !ends("auses", "ouses")
        if hasLongEnd, last != "uses" { return String(plural.dropLast(2)) }
        return ends("s") && !ends("ss", "us", "is") && plural != "s" ? String(plural.dropLast()) : plural
    }
}
