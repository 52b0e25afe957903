import PatchbayCore

extension ResourceDeclaration {
    /// The parameter that selects a page and its value for the first one, which a request for that page may lack; nil
    /// when pages are not selected by a parameter with a first value.
    package var firstPage: (parameter: String, value: String)? {
        switch paging {
        case .page(let parameter, let first): (parameter, "\(first)")
        case .offset(let parameter): (parameter, "0")
        case .cursor(let parameter?, _, _): (parameter, "")
        case .cursor, .last, .link, .url, .header, .none: nil
        }
    }

    /// The names of the parameters with the size of a page in the addresses of the lists.
    package var pageSizes: Set<String> {
        let queries = lists.compactMap {
            $0.template.description.split(separator: "?", maxSplits: 1).dropFirst().first
        }
        let names = queries.flatMap(PercentEncoding.items(ofQuery:)).filter { Int($0.value) != nil }.map(
            \.name)
        return Set(names.filter(ResourceDeclaration.isPageSize))
    }

    /// Whether a parameter's name, in any spelling, says that it is the size of a page.
    package static func isPageSize(_ parameter: String) -> Bool {
        let isLetterOrDigit = { (byte: UInt8) in byte >= 0x61 && byte <= 0x7A || byte >= 0x30 && byte <= 0x39
        }
        return sizes.contains(
            String(decoding: parameter.lowercased().utf8.filter(isLetterOrDigit), as: UTF8.self))
    }

    private static let sizes: Set<String> = [
        "limit", "perpage", "pagesize", "pagelength", "count", "size", "maxresults", "first", "top", "take",
        "num", "rows", "pagelimit", "itemsperpage", "per",
    ]
}
