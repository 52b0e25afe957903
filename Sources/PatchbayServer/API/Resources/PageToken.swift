import PatchbayCore
import PatchbayJSON

/// Where a page begins.
enum PagePosition: Hashable, Sendable {
    /// After this place of an index.
    case key(Key)
    /// It ends before this place of an index; nil for the last page.
    case before(Key?)
    /// After this value of a list that comes in an order.
    case order(Int64)
    /// After so many rows.
    case rows(Int)
}

/// Where a page begins, as a client gets and returns it: opaque text that is good for one question only.
///
/// It is the position with a digest of it and of the question; who makes one up reads nothing that the question does
/// not show.
enum PageToken {
    private static let digestBytes = 8

    static func text(_ position: PagePosition, of question: UInt64) -> String {
        var json = JSONWriter()
        json.beginArray()
        switch position {
        case .key(let key):
            json.string("k")
            for value in key.values { json.value(value) }
        case .before(let key):
            json.string("b")
            for value in key?.values ?? [] { json.value(value) }
        case .order(let value):
            json.string("o")
            json.integer(value)
        case .rows(let count):
            json.string("r")
            json.integer(Int64(count))
        }
        json.endArray()
        let bytes = digest(json.bytes, question) + json.bytes
        var text: [UInt8] = []
        Base64.append(bytes.span.bytes, to: &text)
        return String(decoding: text.filter { $0 != UInt8(ascii: "=") }.map(inAddress), as: UTF8.self)
    }

    /// - Throws: `Problem` with 404 for a token of another question, or of nobody.
    static func position(
        _ text: String, of question: UInt64, as parameter: Parameter = .after
    ) throws(Problem) -> PagePosition {
        guard let position = read(text, question) else { throw unknown(parameter) }
        return position
    }

    /// The problem of a token that leads nowhere.
    static func unknown(_ parameter: Parameter) -> Problem {
        .notFound(
            "there is no such page of this list; begin again without \"\(parameter.name)\"",
            parameter: parameter.name)
    }

    private static func read(_ text: String, _ question: UInt64) -> PagePosition? {
        var letters = text.utf8.map(inBase64)
        letters += Array(repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        guard let bytes = Base64.decode(letters.span.bytes), bytes.count > digestBytes else { return nil }
        let json = Array(bytes.dropFirst(digestBytes))
        guard Array(bytes.prefix(digestBytes)) == digest(json, question) else { return nil }
        // Anything may follow a digest that somebody made up.
        guard let elements = (try? JSONValue(json))?.elements else { return nil }
        let values = elements.dropFirst()
        switch elements.first?.word {
        case "k":
            let keys = values.compactMap(Key.init)
            return keys.count == values.count && !keys.isEmpty ? .key(.compound(keys)) : nil
        case "b":
            let keys = values.compactMap(Key.init)
            return keys.count == values.count ? .before(keys.isEmpty ? nil : .compound(keys)) : nil
        case "o": return values.first.flatMap(Key.init)?.number.map(PagePosition.order)
        case "r": return values.first.flatMap(Key.init)?.number.map { .rows(Int(clamping: $0)) }
        default: return nil
        }
    }

    private static func digest(_ json: [UInt8], _ question: UInt64) -> [UInt8] {
        var hash = SipHash(key0: question)
        hash.combine(counted: json.span.bytes)
        let digest = UInt64(truncatingIfNeeded: hash.finish())
        return (0..<digestBytes).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) }
    }

    // The two letters of base64 that an address has other uses for (RFC 4648, section 5).
    private static func inAddress(_ letter: UInt8) -> UInt8 {
        letter == UInt8(ascii: "+")
            ? UInt8(ascii: "-") : letter == UInt8(ascii: "/") ? UInt8(ascii: "_") : letter
    }

    private static func inBase64(_ letter: UInt8) -> UInt8 {
        letter == UInt8(ascii: "-")
            ? UInt8(ascii: "+") : letter == UInt8(ascii: "_") ? UInt8(ascii: "/") : letter
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ key: Key) {
        switch key {
        case .null: null()
        case .integer(let number): integer(number)
        case .text(let text): string(text)
        case .compound: preconditionFailure("a key is not nested")
        }
    }
}

extension Key {
    fileprivate init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .number(let digits):
            guard let number = Int64(digits) else { return nil }
            self = .integer(number)
        case .text(let text): self = .text(text)
        case .bool, .array, .object: return nil
        }
    }

    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}
