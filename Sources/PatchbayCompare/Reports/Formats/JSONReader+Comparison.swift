internal import PatchbayJSON

extension JSONReader {
    /// Reads an object; `read` takes or skips the value of each key.
    ///
    /// - Parameter required: the keys that it must have.
    mutating func object(
        _ required: [String], _ read: (inout JSONReader, String) throws -> Void
    ) throws {
        var missing = Set(required)
        try beginObject()
        while let key = try nextKey()?.string() {
            missing.remove(key)
            try read(&self, key)
        }
        guard let first = missing.sorted().first else { return }
        throw JSONError(message: "the object has no \"\(first)\"", offset: offset)
    }

    mutating func array<Element>(_ read: (inout JSONReader) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try beginArray()
        while try nextElement() { elements.append(try read(&self)) }
        return elements
    }

    /// The value, or nil for `null`.
    mutating func optional<Value>(_ read: (inout JSONReader) throws -> Value) throws -> Value? {
        try readNull() ? nil : try read(&self)
    }

    /// A text that stands for something else, or nil for `null`.
    mutating func parsed<Value>(_ name: String, _ parse: (String) -> Value?) throws -> Value? {
        guard let text = try optional({ try $0.readString() }) else { return nil }
        guard let value = parse(text) else {
            throw JSONError(message: "\"\(text)\" is not \(name)", offset: offset)
        }
        return value
    }

    /// A whole number from 0 on.
    mutating func count() throws -> Int {
        let number = try readInteger()
        guard number >= 0 else { throw JSONError(message: "\(number) is below zero", offset: offset) }
        return Int(number)
    }

    /// A number from 0 on.
    mutating func figure() throws -> Double {
        let number = try readDouble()
        guard number >= 0 else { throw JSONError(message: "\(number) is below zero", offset: offset) }
        return number
    }
}
