import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// The start of a page.
enum PagePosition: Hashable, Sendable {
    /// After this key of an index.
    case key(Key)
    /// The page ends before this key of an index; nil for the last page.
    case before(Key?)
    /// After this value of an ordered list.
    case order(Int64)
    /// After the given number of rows.
    case rows(Int)
    /// After these rows of a list; the number of rows up to the last of them says where they were.
    case list(FormerRows, Int)
}

/// The start of a page as opaque text that a client sends back. It is valid for one question only.
///
/// It consists of the position and a digest of the position and the question. A forged token reveals nothing beyond the
/// rows of the question.
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
        case .list(let rows, let passed):
            json.string("l")
            json.integer(Int64(passed))
            json.integer(Int64(rows.count))
            json.string(rows.first.text)
            json.string(rows.last.text)
        }
        json.endArray()
        let bytes = digest(json.bytes, question) + json.bytes
        return Base64.addressText(bytes)
    }

    /// - Throws: `Problem` with 404 for a token that was not issued for this question.
    static func position(
        _ text: String, of question: UInt64, as parameter: Parameter = .after
    ) throws(Problem) -> PagePosition {
        guard let position = read(text, question) else { throw unknown(parameter) }
        return position
    }

    /// Returns the problem of an invalid token.
    static func unknown(_ parameter: Parameter) -> Problem {
        .notFound(
            "there is no such page of this list; start again without \"\(parameter.name)\"",
            parameter: parameter.name)
    }

    private static func read(_ text: String, _ question: UInt64) -> PagePosition? {
        guard let bytes = Base64.bytes(ofAddressText: text), bytes.count > digestBytes else { return nil }
        let json = Array(bytes.dropFirst(digestBytes))
        guard Array(bytes.prefix(digestBytes)) == digest(json, question) else { return nil }
        // A forged token may contain anything after its digest.
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
        case "l":
            let numbers = values.prefix(2).compactMap { Key($0)?.number.map { Int(clamping: $0) } }
            let keys = values.dropFirst(2).compactMap(\.word).map(KeyText.init(stored:))
            guard numbers.count == 2, keys.count == 2, (1...Limits.pageRows).contains(numbers[1]),
                (numbers[1]..<Limits.pageRows).contains(numbers[0])
            else { return nil }
            return .list(FormerRows(first: keys[0], last: keys[1], count: numbers[1]), numbers[0])
        default: return nil
        }
    }

    private static func digest(_ json: [UInt8], _ question: UInt64) -> [UInt8] {
        var hash = SipHash(key0: question)
        hash.combine(counted: json.span.bytes)
        let digest = UInt64(truncatingIfNeeded: hash.finish())
        return (0..<digestBytes).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) }
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ key: Key) {
        switch key {
        case .null: null()
        case .integer(let number): integer(number)
        case .text(let text): string(text)
        case .compound: preconditionFailure("a key must not be nested")
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
