import PatchbayCore
import PatchbayJSON

/// One `name=value` of a query or form, in canonical percent-encoding.
struct QueryItem: Hashable, Comparable, Sendable {
    let name: String
    let value: String

    init(name: some Swift.Collection<UInt8>, value: some Swift.Collection<UInt8>) {
        self.name = PercentEncoding.queryPart(name)
        self.value = PercentEncoding.queryPart(value)
    }

    /// The items of `a=1&b=2`, sorted and without credentials.
    static func items(of query: some Swift.Collection<UInt8>) -> [QueryItem] {
        let items = query.split(separator: UInt8(ascii: "&")).map { item in
            let nameEnd = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            return QueryItem(name: item[..<nameEnd], value: item[nameEnd...].dropFirst())
        }
        return items.isEmpty ? [] : matched(items)
    }

    /// The items that take part in matching: all except credentials, sorted.
    ///
    /// Recordings contain placeholders for credentials, or leave them out. A placeholder marks a credential of any
    /// name, which a replayed request lacks.
    static func matched(_ items: [QueryItem]) -> [QueryItem] {
        items.filter { !isCredential($0.name) && $0.value != SecretNames.placeholder }.sorted()
    }

    static func < (left: QueryItem, right: QueryItem) -> Bool {
        left.name == right.name ? left.value < right.value : left.name < right.name
    }

    /// The item for messages; a value that looks like a secret is left out.
    var display: String {
        let isSecret = SecretNames.mayBeSecret(parameter: name)
        return isSecret ? name + "=..." : value.isEmpty ? name : name + "=" + value
    }

    /// Removes credentials from the addresses in a `Link` or `Location`, because a page is stored together with the
    /// address of the next one.
    static func withoutCredentials(_ field: String) -> String {
        field.replacing(/\?([^#>\s]+)/) { address in
            let items = address.1.split(separator: "&").filter { item in
                !isCredential(PercentEncoding.decoded(item.prefix { $0 != "=" }))
            }
            return items.isEmpty ? "" : "?" + items.joined(separator: "&")
        }
    }

    private static func isCredential(_ name: some StringProtocol) -> Bool {
        name == "client_id" || SecretNames.isSecret(parameter: name)
    }
}

/// A `{"name": ..., "value": ...}` of HAR: a header or a parameter.
struct NameAndValue {
    var name = ""
    var value = ""

    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "name" {
                name = try reader.readString()
            } else if key == "value" {
                value = try reader.readLenientText()
            } else {
                try reader.skipValue()
            }
        }
    }
}

extension NameAndValue {
    /// Reads a pair whose parts may be of any kind; a part that is not a text is read as an empty one.
    init(lenient reader: inout JSONReader) throws(JSONError) {
        guard try reader.peek() == .object else {
            try reader.skipValue()
            return
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "name", try reader.peek() == .string {
                name = try reader.readString()
            } else if key == "value", try reader.peek() == .string {
                value = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
    }
}

extension JSONReader {
    /// Reads a text, or a whole number as a text. Some tools write null where a text is missing; null and other values
    /// are read as an empty text.
    mutating func readLenientText() throws(JSONError) -> String {
        switch try peek() {
        case .string: return try readString()
        case .number: return try String(readInteger())
        default:
            try skipValue()
            return ""
        }
    }
}
