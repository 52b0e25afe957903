extension ResourceDeclaration {
    /// The parameter that selects a page and its value for the first one, which a request for that page may lack; nil
    /// when pages are not selected by a parameter with a first value.
    package var firstPage: (parameter: String, value: String)? {
        switch paging {
        case .page(let parameter, let first): (parameter, "\(first)")
        case .offset(let parameter): (parameter, "0")
        case .cursor(let parameter?, _, _): (parameter, "")
        case .cursor, .last, .link, .url, .none: nil
        }
    }

    /// The names of the parameters with the size of a page in the addresses of the lists.
    package var pageSizes: Set<String> {
        let queries = lists.compactMap {
            $0.template.description.split(separator: "?", maxSplits: 1).dropFirst().first
        }
        let items = queries.flatMap { DraftSample.items(ofQuery: $0) }
        return Set(
            items.filter { Int($0.value) != nil && DraftPaging.limits.contains(DraftWords.folded($0.name)) }
                .map(\.name))
    }
}
