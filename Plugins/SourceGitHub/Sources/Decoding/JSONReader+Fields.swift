import PatchbayCore
import PatchbayJSON

extension JSONReader {
    /// A text that every storage keeps: U+0000 in it becomes U+FFFD.
    mutating func text() throws(JSONError) -> String {
        let text = try readText()
        let string = text.string()
        // Unescaped, U+0000 is no valid JSON.
        guard text.hasEscapes, string.utf8.contains(0) else { return string }
        return String(String.UnicodeScalarView(string.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }

    mutating func optionalText() throws(JSONError) -> String? { try readNull() ? nil : text() }

    mutating func optionalInteger() throws(JSONError) -> Int64? { try readNull() ? nil : readInteger() }

    mutating func optionalBool() throws(JSONError) -> Bool? { try readNull() ? nil : readBool() }

    /// A moment in ISO 8601.
    mutating func optionalDate() throws(JSONError) -> Timestamp? {
        guard let text = try optionalText() else { return nil }
        guard let date = Timestamp(text) else {
            throw JSONError(
                message: "expected a date such as 2008-01-14T04:33:35Z, found another text", offset: offset)
        }
        return date
    }
}

// MARK: - Small containers

extension JSONReader {
    /// One text of an object, of which nothing else matters; nil for null, without the member, or if it is no text.
    mutating func member(_ name: StaticString) throws(JSONError) -> String? {
        guard try !readNull() else { return nil }
        var member: String?
        try beginObject()
        while let key = try nextKey() {
            if key == name, try peek() == .string { member = try text() } else { try skipValue() }
        }
        return member
    }

    /// Texts; none for null.
    mutating func texts() throws(JSONError) -> [String] {
        guard try !readNull() else { return [] }
        var texts: [String] = []
        try beginArray()
        while try nextElement() { texts.append(try text()) }
        return texts
    }
}
