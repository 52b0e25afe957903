import PatchbayCore
import PatchbayJSON

extension HTTPAddress {
    /// The number of rows per page, if the query has it under a common name.
    var pageRows: Int? {
        ["per_page", "limit", "page_size", "pageSize", "count"].lazy.compactMap { queryInteger($0) }.first
            .map { Int(clamping: $0) }
    }

    /// Returns the integer value of a query parameter; nil if it is missing or not an integer.
    func queryInteger(_ name: String) -> Int64? {
        let item = query.split(separator: "&").first {
            HTTPAddress.name(of: $0) == PercentEncoding.decoded(name)
        }
        return item.flatMap { Int64($0.drop { $0 != "=" }.dropFirst()) }
    }

    /// Returns the address with a query parameter, whose name may be encoded, in place of all that have its name.
    func setting(_ name: String, to value: String, isAlone: Bool = false) -> HTTPAddress? {
        setting([(PercentEncoding.decoded(name), value)], isAlone: isAlone)
    }

    /// Returns the address with query parameters in place of all that have their names; with `isAlone` all other
    /// parameters are removed.
    func setting(_ items: [(name: String, value: String)], isAlone: Bool = false) -> HTTPAddress? {
        let names = Set(items.map { Array($0.name.utf8) })
        let known = isAlone ? [] : query.split(separator: "&")
        let kept = known.filter { !names.contains(Array(HTTPAddress.name(of: $0).utf8)) }
        let set = items.map { "\(PercentEncoding.segment($0.name))=\(PercentEncoding.segment($0.value))" }
        return HTTPAddress(origin + pathOnly + "?" + (kept.map(String.init) + set).joined(separator: "&"))
    }

    /// The query's parameters as a JSON object: names are paths, such as `page/size`, with values as
    /// ``JSONValue/init(spelling:)`` reads them.
    var jsonOfQuery: [UInt8] {
        var body = JSONValue.object([])
        for item in query.split(separator: "&") {
            let value = JSONValue(spelling: HTTPAddress.decoded(item.drop { $0 != "=" }.dropFirst()))
            let names = HTTPAddress.name(of: item).split(separator: "/", omittingEmptySubsequences: false)
            body.set(value, at: names[...])
        }
        return body.withArrays.line
    }

    private static func name(of item: Substring) -> String { decoded(item.prefix { $0 != "=" }) }

    private static func decoded(_ text: Substring) -> String {
        PercentEncoding.decoded(text.replacing("+", with: " "))
    }

    /// The address for messages, without the values of credentials in its query.
    var display: String {
        guard path.contains("?") else { return text }
        let items = query.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return SecretNames.mayBeSecret(parameter: HTTPAddress.name(of: item))
                ? "\(name)=..." : String(item)
        }
        return "\(origin)\(pathOnly)?\(items.joined(separator: "&"))"
    }
}
