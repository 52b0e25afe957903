extension JSONWriter {
    /// Copies the next value of a reader: texts with this writer's escapes, numbers digit by digit.
    package mutating func copy(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            try reader.beginObject()
            beginObject()
            while let name = try reader.nextKey() {
                key(name.string())
                try copy(&reader)
            }
            endObject()
        case .array:
            try reader.beginArray()
            beginArray()
            while try reader.nextElement() { try copy(&reader) }
            endArray()
        case .string: string(try reader.readString())
        case .number, .bool, .null, .end:
            let start = reader.offset
            try reader.skipValue()
            separate()
            for place in start..<reader.offset { bytes.append(reader.bytes.byte(at: place)) }
        }
    }
}
