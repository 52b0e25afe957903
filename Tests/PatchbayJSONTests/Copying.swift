import PatchbayJSON

/// Returns the mistake that `skipValue` finds in the bytes, or nil if they are one JSON text.
func mistake(in text: [UInt8]) -> JSONError? {
    var reader = JSONReader(text.span.bytes)
    do {
        try reader.skipValue()
        try reader.finish()
        return nil
    } catch {
        return error
    }
}

/// Reads one JSON text with every method of the reader and writes it again.
func copy(of text: [UInt8], indentation: Int? = nil) throws(JSONError) -> [UInt8] {
    var reader = JSONReader(text.span.bytes)
    var writer = JSONWriter(indentation: indentation)
    try copyValue(from: &reader, to: &writer)
    try reader.finish()
    return writer.bytes
}

private func copyValue(from reader: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
    switch try reader.peek() {
    case .object: try copyObject(from: &reader, to: &writer)
    case .array: try copyArray(from: &reader, to: &writer)
    case .string: writer.string(try reader.readString())
    case .number: try copyNumber(from: &reader, to: &writer)
    case .bool: writer.bool(try reader.readBool())
    case .null: if try reader.readNull() { writer.null() }
    case .end: try reader.skipValue()
    }
}

private func copyObject(from reader: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
    try reader.beginObject()
    writer.beginObject()
    while let key = try reader.nextKey() {
        var name: [UInt8] = []
        key.append(to: &name)
        writer.key(String(decoding: name, as: UTF8.self))
        try copyValue(from: &reader, to: &writer)
    }
    writer.endObject()
}

private func copyArray(from reader: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
    try reader.beginArray()
    writer.beginArray()
    while try reader.nextElement() { try copyValue(from: &reader, to: &writer) }
    writer.endArray()
}

private func copyNumber(from reader: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
    do {
        writer.integer(try reader.readInteger())
    } catch {
        // A fraction may be whole as a double, which is then read as a whole number.
        let number = try reader.readDouble()
        Int64(exactly: number).map { writer.integer($0) } ?? writer.real(number)
    }
}
