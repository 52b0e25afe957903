import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// The texts of a resource's rows in a text index.
struct TextFields: Sendable {
    let resource: Resource
    private let fields: [ResourceField]

    /// Nil for a resource whose rows are not found.
    init?(_ resource: Resource) {
        fields = resource.declaration.find.compactMap { resource.field(named: $0) }
        self.resource = resource
        if fields.isEmpty { return nil }
    }

    var table: TextTable { resource.declaration.findTokens == .trigram ? .trigrams : .words }

    /// A text that changes when the same rows have other texts.
    var signature: String {
        let names = fields.map { field in
            "\(field.name) \(field.type == .json ? "texts of json" : field.type.rawValue)"
                + (field.overridePosition == nil ? "" : " edited")
        }
        return ([table.rawValue] + names).joined(separator: ", ")
    }

    /// The first byte of U+0300, the first character that Unicode's composed form may change or join with another one.
    private static let firstMark: UInt8 = 0xCC

    /// The text of the first field and those of the others, as they are shown, in Unicode's composed form, so that each
    /// way to write a character is found by each other one.
    func texts(_ item: Item) -> (title: [UInt8], body: [UInt8]) {
        item.withRow { row in
            var title: [UInt8] = [], body: [UInt8] = []
            append(fields[0], item, row, to: &title)
            for field in fields.dropFirst() { append(field, item, row, to: &body) }
            return (title, body)
        }
    }

    /// The texts and numbers in JSON, separated by spaces, without the names of members, which each row has.
    private static func texts(in json: String) -> [UInt8] {
        let bytes = Array(json.utf8)
        var reader = JSONReader(bytes.span.bytes), texts: [UInt8] = []
        // Another program may have written something else into the column.
        guard (try? append(&reader, bytes, to: &texts)) != nil else { return bytes }
        return texts
    }

    private static func append(
        _ reader: inout JSONReader, _ bytes: [UInt8], to texts: inout [UInt8]
    ) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            try reader.beginObject()
            while let _ = try reader.nextKey() { try append(&reader, bytes, to: &texts) }
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try append(&reader, bytes, to: &texts) }
        case .string:
            if !texts.isEmpty { texts.append(UInt8(ascii: " ")) }
            texts += Array(try reader.readString().utf8)
        case .number:
            let start = reader.offset
            try reader.skipValue()
            if !texts.isEmpty { texts.append(UInt8(ascii: " ")) }
            texts += bytes[start..<reader.offset]
        case .bool, .null, .end: try reader.skipValue()
        }
    }

    private func append(
        _ field: ResourceField, _ item: Item, _ row: borrowing RowView, to text: inout [UInt8]
    ) {
        let start = text.count
        if field.type == .json {
            guard case .json(let json)? = item[field] else { return }
            text += Self.texts(in: json)
        } else if let position = field.shownPosition(in: row) {
            unsafe row.bytes(position).withUnsafeBytes { unsafe text.append(contentsOf: $0) }
        }
        if text[start...].contains(where: { $0 >= Self.firstMark }) {
            text.replaceSubrange(
                start..., with: String(decoding: text[start...], as: UTF8.self).composed.utf8)
        }
        for place in start..<text.count where text[place] == 0 || text[place] == Excerpt.markStart {
            // U+0000 ends a text for some tokenizers; the other bytes would be taken for marks.
            if text[place] == 0 || Excerpt.isMark(text, at: place) { text.replaceMark(at: place) }
        }
        if text.count > start { text.append(UInt8(ascii: "\n")) }
    }
}

extension [UInt8] {
    /// Replaces U+0000, or a mark, by spaces.
    fileprivate mutating func replaceMark(at place: Int) {
        let count = self[place] == 0 ? 1 : 3
        for place in place..<place + count { self[place] = UInt8(ascii: " ") }
    }
}

extension Excerpt {
    /// Noncharacters, which texts in an index do not have, around a found word.
    static let opening = String(marks[0]), closing = String(marks[1])
    private static let marks = [UInt32(0xFDD0), 0xFDD1].compactMap { Unicode.Scalar($0) }
    /// The first byte of both in UTF-8.
    static let markStart: UInt8 = 0xEF

    static func isMark(_ text: [UInt8], at place: Int) -> Bool {
        place + 2 < text.count && text[place] == markStart && text[place + 1] == 0xB7
            && (text[place + 2] == 0x90 || text[place + 2] == 0x91)
    }

    /// Reads a text with marks; white space becomes single spaces.
    init(marked text: String) {
        let marks = Self.marks
        var parts = [""], isSpace = true
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where marks.contains(scalar): parts.append("")
            case _ where scalar.properties.isWhitespace || scalar.properties.generalCategory == .control:
                if !isSpace { parts[parts.count - 1] += " " }
                isSpace = true
                continue
            default: parts[parts.count - 1].unicodeScalars.append(scalar)
            }
            isSpace = false
        }
        while parts[parts.count - 1].last == " " { parts[parts.count - 1].removeLast() }
        self.init(
            parts: parts.enumerated().map { place, part in
                place.isMultiple(of: 2)
                    ? Self.shortened(part, before: place + 1 < parts.count, after: place > 0) : part
            })
    }

    /// The parts of a text without words, such as a row of pictures, that are next to found words.
    private static func shortened(_ text: String, before: Bool, after: Bool) -> String {
        let room = 80
        if text.unicodeScalars.count <= room * (before && after ? 2 : 1) { return text }
        return (after ? text.prefix(room) : "") + "…" + (before ? text.suffix(room) : "")
    }
}
