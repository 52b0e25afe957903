internal import PatchbayJSON

/// A message between the processes of a comparison: a JSON array of its name and values.
enum Message {
    static func bytes(_ name: String, _ values: any JSONCoded...) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(name)
        for value in values { value.write(to: &writer) }
        writer.endArray()
        return writer.bytes
    }

    /// - Parameter body: returns the message with a name and takes its values from the reader; nil for an unknown name.
    static func read<Value>(
        _ bytes: [UInt8], _ body: (_ name: String, inout JSONReader) throws -> Value?
    ) throws -> Value {
        do {
            var reader = JSONReader(bytes.span.bytes)
            try reader.beginArray()
            let name: String = try reader.next()
            guard let value = try body(name, &reader), try !reader.nextElement() else { throw Frames.fault }
            try reader.finish()
            return value
        } catch is JSONError {
            throw Frames.fault
        }
    }
}

extension JSONReader {
    /// The next element of an array.
    mutating func next<Value: JSONCoded>() throws -> Value {
        guard try nextElement() else { throw JSONError(message: "a value is missing", offset: offset) }
        return try Value.read(from: &self)
    }
}
