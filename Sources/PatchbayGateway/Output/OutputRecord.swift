package import PatchbayJSON

/// A record to print or send: named values in order.
///
///     OutputRecord([("login", .text("octocat")), ("id", .integer(583231)), ("email", .null)])
///
/// The records of one list have the same names in the same order.
package struct OutputRecord: Sendable {
    package var fields: [(name: String, value: OutputValue)]
    /// Fields that JSON also contains; other formats contain them when they are requested by name.
    package var more: [(name: String, value: OutputValue)] = []

    package init(_ fields: [(name: String, value: OutputValue)]) { self.fields = fields }

    package var names: [String] { fields.map(\.name) }

    /// The value of a field that the record must have.
    package subscript(_ name: String) -> OutputValue {
        let field = fields.first { $0.name == name } ?? more.first { $0.name == name }
        guard let field else {
            preconditionFailure("the record has no field \"\(name)\"")
        }
        return field.value
    }

    /// The record with only these fields, in this order. All of them must exist.
    package func choosing(_ names: [String]) -> OutputRecord { OutputRecord(names.map { ($0, self[$0]) }) }
}

/// The field names of a kind of record.
package struct FieldNames: Sendable {
    /// The fields that every format contains.
    package let usual: [String]
    /// The fields that JSON also contains, and other formats on request.
    package let more: [String]

    package init(_ usual: [String], more: [String] = []) {
        self.usual = usual
        self.more = more
    }

    /// All names, in the order of JSON.
    package var all: [String] { usual + more }

    package static func + (names: FieldNames, others: [String]) -> FieldNames {
        FieldNames(names.usual + others, more: names.more)
    }
}

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
        // JSON has no infinity, which sums in SQL can be.
        case .real(let number): if number.isFinite { real(number) } else { string(number.infinityWord) }
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

extension Double {
    /// The word for an infinite number in text.
    var infinityWord: String { self < 0 ? "-Infinity" : "Infinity" }
}
