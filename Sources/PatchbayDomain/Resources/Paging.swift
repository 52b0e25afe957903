import PatchbayCore

/// How the next page of a list is found. `link` is the `Link` header (RFC 8288), `url` an address in the body.
package enum Paging: Hashable, Sendable {
    case link
    case none
    case url(JSONPath)
    /// The body contains a cursor, which becomes a parameter; without a name, each of the cursor's members becomes one.
    /// If `isAlone`, the next request has no others.
    case cursor(parameter: String?, JSONPath, isAlone: Bool)
    /// The next page starts after the last row's value of a field, or with that value if it `isIncluded`.
    case last(parameter: String, field: String, isIncluded: Bool)
    case page(parameter: String, first: Int64)
    /// The parameter is the number of rows before the page.
    case offset(parameter: String)
    /// A field of the answer's header has the value of the parameter: `X-Next-Page`.
    case header(parameter: String, name: String)
}

/// What ends a list, besides an answer that names no next page.
package struct ListEnd: Hashable, Sendable {
    /// A page without rows. This always ends a list whose pages have numbers or offsets.
    package var isEmptyPage = false
    /// A place in the body that is absent, null, false, zero or empty at the end.
    package var unless: JSONPath?
    /// A place in the body that has another value at the end.
    package var mark: JSONPath?
    /// An answer with this status, and if ``text`` is not nil, with an error text that contains it.
    package var status: Int?
    /// The part of the error text that an answer with ``status`` must contain, in lower case; nil accepts any text.
    package var text: String?
    /// Creates the default rules, which add no end to that of the paging.
    package init() {}
}

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
