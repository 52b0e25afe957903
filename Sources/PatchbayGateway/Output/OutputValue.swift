import PatchbayCore
package import PatchbayDomain
import PatchbayJSON

/// A value that a command prints or a server sends.
package enum OutputValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case bool(Bool)
    case text(String)
    /// An array of texts: JSON in every format except tables, which separate the texts by spaces.
    case list([String])
    /// JSON stored as text: embedded in JSON, the text in other formats.
    case json(String)
}

extension OutputValue: CustomStringConvertible {
    /// The value in a table, and except for lists in a CSV field: empty for null, texts unchanged.
    package var description: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .text(let text), .json(let text): text
        case .list(let texts): texts.joined(separator: " ")
        }
    }
}

extension OutputValue {
    package init(_ text: String?) { self = text.map(OutputValue.text) ?? .null }
    package init(_ number: Int64?) { self = number.map(OutputValue.integer) ?? .null }
    package init(_ isTrue: Bool?) { self = isTrue.map(OutputValue.bool) ?? .null }

    /// A JSON array of texts becomes a list.
    package init(_ value: ItemValue?) {
        self =
            switch value {
            case nil: .null
            case .text(let text): .text(text)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .boolean(let isTrue): .bool(isTrue)
            case .time(let time): .text(time.description)
            case .json(let text): OutputValue.texts(text).map(OutputValue.list) ?? .json(text)
            }
    }

    /// The elements of a JSON array of texts; nil for any other JSON.
    private static func texts(_ json: String) -> [String]? {
        guard json.utf8.first == UInt8(ascii: "[") else { return nil }
        let bytes = Array(json.utf8)
        var reader = JSONReader(bytes.span.bytes)
        var texts: [String] = []
        do {
            try reader.beginArray()
            while try reader.nextElement() { texts.append(try reader.readString()) }
            try reader.finish()
        } catch {
            return nil
        }
        return texts
    }
}
