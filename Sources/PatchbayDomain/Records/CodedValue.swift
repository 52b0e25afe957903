import PatchbayCore
import PatchbayJSON

/// The intermediate form of a value between an item's field, or JSON inside it, and a property of a program's own
/// record.
enum CodedValue {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case time(Timestamp)
    case array([CodedValue])
    case object(Members)

    /// The members of an object, in order.
    struct Members {
        var all: [(name: String, value: CodedValue)] = []

        /// The last member with a name; names are compared by their bytes.
        subscript(_ name: String) -> CodedValue? { all.last { $0.name.utf8.elementsEqual(name.utf8) }?.value }

        /// The last member with a name in any spelling: `nodeID`, `node_id`, `node-id`.
        subscript(spelled name: String) -> CodedValue? {
            self[name] ?? all.last { $0.name.spelling == name.spelling }?.value
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    var object: Members? { if case .object(let members) = self { members } else { nil } }

    /// The kind of value, for messages.
    var words: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .real: "a real"
        case .string: "a text"
        case .time: "a time"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension String {
    /// The name without the differences between spellings.
    fileprivate var spelling: String { filter { $0 != "_" && $0 != "-" }.lowercased() }
}

// MARK: - Fields of an item

extension CodedValue {
    /// The value of a field; nil for JSON that cannot be read.
    init?(_ value: ItemValue?) {
        switch value {
        case nil: self = .null
        case .text(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .boolean(let isTrue): self = .bool(isTrue)
        case .time(let time): self = .time(time)
        case .json(let json): self.init(json: json)
        }
    }

    /// The value in the form of a field of the type; nil when the type does not fit.
    func value(of type: ValueType) -> ItemValue? {
        switch (type, self) {
        case (.text, .string(let text)): return .text(text)
        case (.integer, .integer(let number)): return .integer(number)
        case (.real, .real(let number)): return .real(number)
        case (.real, .integer(let number)): return Double(exactly: number).map { .real($0) }
        case (.boolean, .bool(let isTrue)): return .boolean(isTrue)
        case (.time, .time(let time)): return .time(time)
        case (.json, _):
            var writer = JSONWriter()
            write(to: &writer)
            return .json(String(decoding: writer.bytes, as: UTF8.self))
        default: return nil
        }
    }
}

// MARK: - JSON

extension CodedValue {
    /// Reads JSON; nil for a text that is not JSON.
    init?(json text: String) {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        do {
            try self.init(&reader)
            try reader.finish()
        } catch { return nil }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .null, .end:
            guard try reader.readNull() else {
                throw JSONError(message: "expected a value", offset: reader.offset)
            }
            self = .null
        case .bool: self = .bool(try reader.readBool())
        case .string: self = .string(try reader.readString())
        case .number:
            // When the number is not whole, the reader stays before it.
            if let number = try? reader.readInteger() {
                self = .integer(number)
            } else {
                self = .real(try reader.readDouble())
            }
        case .array:
            var elements: [CodedValue] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try CodedValue(&reader)) }
            self = .array(elements)
        case .object:
            var members = Members()
            try reader.beginObject()
            while let key = try reader.nextKey() {
                members.all.append((key.string(), try CodedValue(&reader)))
            }
            self = .object(members)
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let isTrue): writer.bool(isTrue)
        case .integer(let number): writer.integer(number)
        case .real(let number): writer.real(number)
        case .string(let text): writer.string(text)
        case .time(let time): writer.string(time.description)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members.all {
                writer.key(name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}

// MARK: - Properties of a record

/// A type whose values have no parts.
protocol CodedScalar {
    /// Nil for a value of another type.
    init?(_ value: CodedValue)
    /// Nil for a value that no field can hold.
    var coded: CodedValue? { get }
}

extension CodedScalar where Self: FixedWidthInteger {
    init?(_ value: CodedValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }

    var coded: CodedValue? { Int64(exactly: self).map { .integer($0) } }
}

extension Int: CodedScalar {}
extension Int8: CodedScalar {}
extension Int16: CodedScalar {}
extension Int32: CodedScalar {}
extension Int64: CodedScalar {}
extension UInt: CodedScalar {}
extension UInt8: CodedScalar {}
extension UInt16: CodedScalar {}
extension UInt32: CodedScalar {}
extension UInt64: CodedScalar {}

extension CodedScalar where Self: BinaryFloatingPoint {
    /// Also accepts an integer.
    init?(_ value: CodedValue) {
        switch value {
        case .real(let number): self.init(number)
        case .integer(let number): self.init(exactly: number)
        default: return nil
        }
    }

    var coded: CodedValue? { isFinite ? .real(Double(self)) : nil }
}

extension Double: CodedScalar {}
extension Float: CodedScalar {}

extension Bool: CodedScalar {
    init?(_ value: CodedValue) {
        guard case .bool(let isTrue) = value else { return nil }
        self = isTrue
    }

    var coded: CodedValue? { .bool(self) }
}

extension String: CodedScalar {
    init?(_ value: CodedValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }

    var coded: CodedValue? { .string(self) }
}

extension Timestamp: CodedScalar {
    /// JSON represents times as text.
    init?(_ value: CodedValue) {
        switch value {
        case .time(let time): self = time
        case .string(let text): self.init(text)
        default: return nil
        }
    }

    var coded: CodedValue? { .time(self) }
}
