import PatchbayCore
import PatchbayJSON

extension HTTPAddress {
    /// The path without its query.
    var pathOnly: Substring { path.prefix { $0 != "?" } }

    /// The query without its question mark; empty when there is none.
    var query: Substring { path.dropFirst(pathOnly.count).dropFirst() }

    /// The number of rows per page, if the query has it under a common name.
    var pageRows: Int? {
        ["per_page", "limit", "page_size", "pageSize", "count"].lazy.compactMap { queryInteger($0) }.first
            .map { Int(clamping: $0) }
    }

    /// Returns the integer value of a query parameter; nil if it is missing or not an integer.
    func queryInteger(_ name: String) -> Int64? {
        let item = query.split(separator: "&").first { $0.hasPrefix(name + "=") }
        return item.flatMap { Int64($0.dropFirst(name.count + 1)) }
    }

    /// Returns the address with a query parameter set to a value; with `isAlone` all other parameters are removed.
    func setting(_ name: String, to value: String, isAlone: Bool = false) -> HTTPAddress? {
        let item = "\(PercentEncoding.segment(name))=\(PercentEncoding.segment(value))"
        let kept =
            isAlone ? [] : query.split(separator: "&").filter { !$0.hasPrefix(name + "=") && $0 != name }
        return HTTPAddress(origin + pathOnly + "?" + (kept.map(String.init) + [item]).joined(separator: "&"))
    }

    /// The query's parameters as a JSON object: integers of up to 15 digits as numbers, other values as strings.
    var jsonOfQuery: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? HTTPAddress.decoded(parts[1]) : ""
            writer.key(HTTPAddress.decoded(parts[0]))
            if value.count <= 15, let number = Int64(value), String(number) == value {
                writer.integer(number)
            } else {
                writer.string(value)
            }
        }
        writer.endObject()
        return writer.bytes
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address for messages, without the values of credentials in its query.
    var display: String {
        guard path.contains("?") else { return text }
        let items = query.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return SecretNames.mayBeSecret(parameter: name) ? "\(name)=..." : String(item)
        }
        return "\(origin)\(pathOnly)?\(items.joined(separator: "&"))"
    }
}
