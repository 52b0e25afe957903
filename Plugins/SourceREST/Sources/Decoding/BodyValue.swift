import PatchbayDomain
import PatchbayJSON

/// A single value at a path of an answer's body, such as a cursor, a total or an error's text.
enum BodyValue: Equatable {
    case null
    case boolean(Bool)
    /// The number as written.
    case number(String)
    case text(String)
    /// The JSON of the array.
    case array(ArraySlice<UInt8>)
    /// The JSON of the object.
    case object(ArraySlice<UInt8>)

    /// The value at a path, for a path with `*` the first one; nil when it is missing. A body that is not JSON has no
    /// values, because the decoder of its rows reports the fault.
    init?(at path: JSONPath?, in body: [UInt8]) {
        guard let path else { return nil }
        var reader = JSONReader(body.span.bytes)
        guard let value = try? BodyValue.find(path.steps[...], body, &reader) else { return nil }
        self = value
    }

    /// The members of an object; none for any other type.
    var members: [(name: String, value: BodyValue)] {
        guard case .object(let json) = self else { return [] }
        let body = Array(json)
        var reader = JSONReader(body.span.bytes)
        // The reader has passed the value, so it is valid.
        return (try? BodyValue.members(body, &reader)) ?? []
    }

    /// The path of an array of objects among the members, or among theirs; nil when there is none.
    func rowsPath(depth: Int = 2) -> JSONPath? {
        for (name, value) in members {
            if case .array(let json) = value,
                json.dropFirst().first(where: { $0 > 0x20 }) == UInt8(ascii: "{")
            {
                return JSONPath([.member(name)])
            }
            if depth > 1, let inner = value.rowsPath(depth: depth - 1) {
                return JSONPath([.member(name)] + inner.steps)
            }
        }
        return nil
    }

    private func member(_ name: String) -> BodyValue? { members.last { $0.name == name }?.value }

    /// The members with certain names of the body, with their paths; none when the path does not begin with a member.
    ///
    /// - Parameters:
    ///   - path: a value whose member is left out.
    ///   - isOuter: whether that member is itself searched, because it contains the answer.
    static func members(
        of body: [UInt8], beside path: JSONPath, within isOuter: (String) -> Bool,
        where isWanted: (String) -> Bool
    ) -> [(path: [String], value: BodyValue)] {
        var reader = JSONReader(body.span.bytes), members: [(path: [String], value: BodyValue)] = []
        // A body that is not JSON has no members, because the decoder of its rows reports the fault.
        try? collect(&members, beside: path.steps[...], in: [], body, &reader, isOuter, isWanted)
        return members
    }

    private static func collect(
        _ members: inout [(path: [String], value: BodyValue)], beside steps: ArraySlice<JSONPath.Step>,
        in path: [String], _ body: [UInt8], _ reader: inout JSONReader, _ isOuter: (String) -> Bool,
        _ isWanted: (String) -> Bool
    ) throws(JSONError) {
        guard case .member(let own)? = steps.first, try reader.peek() == .object else {
            return try reader.skipValue()
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            if name == own, isOuter(name) {
                try collect(
                    &members, beside: steps.dropFirst(), in: path + [name], body, &reader, isOuter, isWanted)
            } else if name != own, isWanted(name) {
                members.append((path + [name], try read(try reader.peek(), body, &reader)))
            } else {
                try reader.skipValue()
            }
        }
    }

    private static func members(
        _ body: [UInt8], _ reader: inout JSONReader
    ) throws(JSONError) -> [(name: String, value: BodyValue)] {
        var members: [(name: String, value: BodyValue)] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            members.append((key.string(), try read(try reader.peek(), body, &reader)))
        }
        return members
    }

    /// Reads the next value up to the value at the path. Passes the whole value when it does not contain it.
    private static func find(
        _ steps: ArraySlice<JSONPath.Step>, _ body: [UInt8], _ reader: inout JSONReader
    ) throws(JSONError) -> BodyValue? {
        let kind = try reader.peek()
        guard let step = steps.first else { return try read(kind, body, &reader) }
        let wanted: String? = if case .member(let name) = step { name } else { nil }
        switch kind {
        case .object:
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = key.string()
                if wanted.map({ $0.utf8.elementsEqual(name.utf8) }) ?? true {
                    if let value = try find(steps.dropFirst(), body, &reader) { return value }
                } else {
                    try reader.skipValue()
                }
            }
        case .array:
            var at = 0
            try reader.beginArray()
            while try reader.nextElement() {
                if case .matching(let member, let text) = step {
                    let element = try read(try reader.peek(), body, &reader)
                    guard element.member(member) == .text(text), case .object(let json) = element else {
                        continue
                    }
                    let rest = JSONPath(Array(steps.dropFirst()))
                    if let value = BodyValue(at: rest, in: Array(json)) { return value }
                } else if wanted.map({ Int($0) == at }) ?? true {
                    if let value = try find(steps.dropFirst(), body, &reader) { return value }
                } else {
                    try reader.skipValue()
                }
                at += 1
            }
        default: try reader.skipValue()
        }
        return nil
    }

    private static func read(
        _ kind: JSONReader.Kind, _ body: [UInt8], _ reader: inout JSONReader
    ) throws(JSONError) -> BodyValue {
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
            return kind == .array ? .array(text) : .object(text)
        }
    }

    /// Whether the value is not null, false, zero or an empty text.
    var isMark: Bool {
        if case .number(let text) = self { return Int64(json: text) != 0 }
        return ![.null, .boolean(false), .text("")].contains(self)
    }

    /// Whether the value is null, false, zero or empty, which ends a list and is not an error.
    var isEmpty: Bool {
        switch self {
        case .array(let json), .object(let json): !json.dropFirst().dropLast().contains { $0 > 0x20 }
        default: !isMark
        }
    }

    /// Whether the value ends a list where a cursor or an address is expected: null, false or empty.
    var isEnd: Bool { word == nil && isEmpty }

    /// The value with everything in it.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .boolean(let isTrue): .bool(isTrue)
        case .number(let text): .number(text)
        case .text(let text): .text(text)
        // The reader has passed the value, so it is valid.
        case .array(let json), .object(let json): (try? JSONValue(Array(json))) ?? .null
        }
    }

    /// The value as a cursor or address; nil for an empty text and any other type.
    var word: String? {
        switch self {
        case .text(let text): text.isEmpty ? nil : text
        case .number(let text): text
        default: nil
        }
    }

    /// The value as a definition compares it; nil for an array and an object.
    var shown: String? {
        switch self {
        case .null: "null"
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .number(let text), .text(let text): text
        case .array, .object: nil
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
