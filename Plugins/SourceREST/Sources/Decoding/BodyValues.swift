import PatchbayDomain
import PatchbayJSON

/// Single values of an answer's body, found by their paths: a cursor, a total, an error's text.
struct BodyValues {
    enum Value: Equatable {
        case null
        case boolean(Bool)
        /// As it is written.
        case number(String)
        case text(String)
        /// An object or array; whether it has nothing in it.
        case container(isEmpty: Bool)
    }

    /// By the order of the paths; nil where there is nothing. Of several values of a path with `*` the first.
    private(set) var values: [Value?]

    /// Reads what can be read: a body that is not JSON has no values.
    init(_ paths: [JSONPath], in body: [UInt8]) {
        values = Array(repeating: nil, count: paths.count)
        guard !paths.isEmpty else { return }
        var reader = JSONReader(body.span.bytes)
        // A body that cannot be read explains nothing; whoever needs its rows reports the fault.
        try? read(PathTree(paths), body, &reader)
    }

    /// The value at one path.
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
            return .container(isEmpty: !text.dropFirst().dropLast().contains { $0 > 0x20 })
        }
    }
}

extension BodyValues.Value {
    /// Whether it is something other than null, false or nothing.
    var isMark: Bool { self != .null && self != .boolean(false) && self != .text("") }

    /// Whether it is null, false, zero or empty: what ends a list.
    var isNothing: Bool { !isMark || self == .container(isEmpty: true) || self == .number("0") }

    /// A cursor or an address; nil for null, false and an empty text.
    var word: String? {
        switch self {
        case .text(let text): text.isEmpty ? nil : text
        case .number(let text): text
        default: nil
        }
    }
}
