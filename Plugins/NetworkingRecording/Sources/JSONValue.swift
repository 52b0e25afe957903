import PatchbayJSON

/// A whole JSON text in memory, for comparing two.
indirect enum JSONValue {
    case null
    case bool(Bool)
    /// As it is written: `1.0` is another number than `1`.
    case number(String)
    case text(String)
    case array([JSONValue])
    /// In the order of the text; of two members of one name the last counts.
    case object([(name: String, value: JSONValue)])

    /// Nil when the bytes are not JSON.
    init?(_ bytes: [UInt8]) {
        var reader = JSONReader(bytes.span.bytes)
        do throws(JSONError) {
            self = try JSONValue(&reader, bytes)
            try reader.finish()
        } catch {
            // What is not JSON is compared byte by byte.
            return nil
        }
    }

    private init(_ reader: inout JSONReader, _ bytes: [UInt8]) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            var members: [(name: String, value: JSONValue)] = []
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = key.string()
                members.append((name, try JSONValue(&reader, bytes)))
            }
            self = .object(members)
        case .array:
            var elements: [JSONValue] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try JSONValue(&reader, bytes)) }
            self = .array(elements)
        case .string: self = .text(try reader.readString())
        case .bool: self = .bool(try reader.readBool())
        case .number, .null, .end: self = try JSONValue.scalar(&reader, bytes)
        }
    }

    private static func scalar(
        _ reader: inout JSONReader, _ bytes: [UInt8]
    ) throws(JSONError) -> JSONValue {
        if try reader.readNull() { return .null }
        let start = reader.offset
        try reader.skipValue()
        return .number(String(decoding: bytes[start..<reader.offset], as: UTF8.self))
    }
}

extension JSONValue {
    /// The member that differs first, such as `[3].owner.login`, and how; nil when both are alike. The order of the
    /// members of an object does not count.
    func difference(from other: JSONValue, at place: String = "") -> String? {
        switch (self, other) {
        case (.null, .null): return nil
        case (.bool(let left), .bool(let right)) where left == right: return nil
        case (.number(let left), .number(let right)) where left == right: return nil
        case (.text(let left), .text(let right)) where left.utf8.elementsEqual(right.utf8): return nil
        case (.array(let left), .array(let right)):
            for (index, pair) in zip(left, right).enumerated() {
                if let found = pair.0.difference(from: pair.1, at: "\(place)[\(index)]") { return found }
            }
            return left.count == right.count
                ? nil : "\(JSONValue.name(place)): \(left.count) elements, \(right.count)"
        case (.object(let left), .object(let right)):
            return JSONValue.difference(left, right, at: place)
        default: return "\(JSONValue.name(place)) differs"
        }
    }

    private static func difference(
        _ left: [(name: String, value: JSONValue)], _ right: [(name: String, value: JSONValue)],
        at place: String
    ) -> String? {
        let others = Dictionary(right.map { ($0.name, $0.value) }) { $1 }
        for (name, value) in left {
            let path = place.isEmpty ? name : "\(place).\(name)"
            guard let other = others[name] else { return "\(path) is only in the first" }
            if let found = value.difference(from: other, at: path) { return found }
        }
        let names = Set(left.map(\.name))
        return right.first { !names.contains($0.name) }.map { member in
            "\(place.isEmpty ? member.name : "\(place).\(member.name)") is only in the second"
        }
    }

    private static func name(_ place: String) -> String { place.isEmpty ? "the whole" : place }
}
