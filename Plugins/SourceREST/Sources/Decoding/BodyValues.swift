import PatchbayDomain
import PatchbayJSON

/// Single values at paths of an answer's body, such as a cursor, a total or an error's text.
struct BodyValues {
    enum Value: Equatable {
        case null
        case boolean(Bool)
        /// The number as written.
        case number(String)
        case text(String)
        case array(isEmpty: Bool)
        case object(isEmpty: Bool)
    }

    /// The values in the order of the paths; nil for a missing one. A path with `*` has the first of its values.
    private(set) var values: [Value?]

    /// Reads as much as possible; a body that is not JSON has no values.
    init(_ paths: [JSONPath], in body: [UInt8]) {
        values = Array(repeating: nil, count: paths.count)
        guard !paths.isEmpty else { return }
        var reader = JSONReader(body.span.bytes)
        // An unreadable body has no values; the decoder of its rows reports the fault.
        try? read(PathTree(paths), body, &reader)
    }

    /// Returns the value at a path.
    static func value(_ path: JSONPath?, in body: [UInt8]) -> Value? {
        path.flatMap { BodyValues([$0], in: body).values[0] }
    }

    private mutating func read(
        _ tree: PathTree, _ body: [UInt8], _ reader: inout JSONReader
    ) throws(JSONError) {
        let kind = try reader.peek()
        if !tree.leaves.isEmpty {
            let start = reader.offset
            let value = try BodyValues.read(kind, body, &reader)
            for leaf in tree.leaves where values[leaf] == nil { values[leaf] = value }
            guard tree.isInner else { return }
            var again = JSONReader(body.span.bytes.extracting(start..<reader.offset))
            return try readInner(tree, kind, body, &again)
        }
        try readInner(tree, kind, body, &reader)
    }

    private mutating func readInner(
        _ tree: PathTree, _ kind: JSONReader.Kind, _ body: [UInt8], _ reader: inout JSONReader
    ) throws(JSONError) {
        switch kind {
        case .object where tree.isInner:
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let child = tree.keys.index(of: key).map { tree.children[$0] } ?? tree.each
                if let child { try read(child, body, &reader) } else { try reader.skipValue() }
            }
        case .array where tree.isInner:
            var at = 0
            try reader.beginArray()
            while try reader.nextElement() {
                let child = tree.elements[at] ?? tree.each
                if let child { try read(child, body, &reader) } else { try reader.skipValue() }
                at += 1
            }
        default: try reader.skipValue()
        }
    }

    private static func read(
        _ kind: JSONReader.Kind, _ body: [UInt8], _ reader: inout JSONReader
    ) throws(JSONError) -> Value {
        let start = reader.offset
        switch kind {
        case .null:
            _ = try reader.readNull()
            return .null
        case .bool: return .boolean(try reader.readBool())
        case .string: return .text(try reader.readString())
        default:
            try reader.skipValue()
            let text = body[start..<reader.offset]
            if kind == .number { return .number(String(decoding: text, as: UTF8.self)) }
            let isEmpty = !text.dropFirst().dropLast().contains { $0 > 0x20 }
            return kind == .array ? .array(isEmpty: isEmpty) : .object(isEmpty: isEmpty)
        }
    }
}

extension BodyValues.Value {
    /// Whether the value is not null, false or an empty text.
    var isMark: Bool { self != .null && self != .boolean(false) && self != .text("") }

    /// Whether the value is null, false, zero or empty, which ends a list.
    var isNothing: Bool {
        !isMark || self == .array(isEmpty: true) || self == .object(isEmpty: true) || self == .number("0")
    }

    /// The value as a cursor or address; nil for an empty text and any other type.
    var word: String? {
        switch self {
        case .text(let text): text.isEmpty ? nil : text
        case .number(let text): text
        default: nil
        }
    }

    /// The type for messages: "an array".
    var type: String {
        switch self {
        case .null: "null"
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .number: "a number"
        case .text: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
