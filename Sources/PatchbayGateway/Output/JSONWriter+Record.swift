package import PatchbayJSON

extension JSONWriter {
    /// Writes the usual fields of a record as an object.
    package mutating func object(_ record: OutputRecord) {
        beginObject()
        for (name, value) in record.fields { member(name, value) }
        endObject()
    }

    /// Writes a member of an object.
    package mutating func member(_ name: String, _ value: OutputValue) {
        key(name)
        self.value(value)
    }

    package mutating func value(_ value: OutputValue) {
        switch value {
        case .null: null()
        case .integer(let number): integer(number)
        case .real(let number): number.isFinite ? real(number) : null()
        case .json(let text): json(text)
        case .bool(let isTrue): bool(isTrue)
        case .text(let text): string(text)
        case .list(let texts):
            beginArray()
            for text in texts { string(text) }
            endArray()
        }
    }

    /// Writes JSON that is stored as text; as a string if it is not valid JSON, which another program may have written.
    private mutating func json(_ text: String) {
        let bytes = Array(text.utf8)
        var check = JSONReader(bytes.span.bytes)
        do {
            try check.skipValue()
            try check.finish()
            var reader = JSONReader(bytes.span.bytes)
            try copy(&reader)
        } catch {
            string(text)
        }
    }
}
