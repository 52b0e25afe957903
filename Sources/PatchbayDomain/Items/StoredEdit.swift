package import PatchbayCore

/// An edit of a row that is no longer stored; it applies again when the row comes back.
///
/// The edits of a stored row are columns of the row (``Resource/editable``).
package struct StoredEdit: Hashable, Sendable {
    package var row = StoredRowKey()
    /// The name of the edited field.
    package var field = ""
    package var value = ""

    package init() {}

    package init(_ row: StoredRowKey, _ field: String, _ value: String) {
        self.row = row
        self.field = field
        self.value = value
    }
}

extension StoredEdit: ColumnRecord {
    static let resource = RecordColumn(0, "collection", \Self.row.collection)
    static let key = RecordColumn(1, "row_key", \Self.row.text)
    static let field = RecordColumn(2, "field", \Self.field)

    package static let columns = [resource, key, field, RecordColumn(3, "value", \Self.value)]

    package static let collection = CollectionSchema(
        "edits", key: resource.position, key.position, field.position, fields: fields)
}

/// A text that replaces the source's value of a field locally.
///
/// White space at both ends is removed. The rest must not exceed ``bytesMax`` bytes of UTF-8 or contain U+0000. An
/// empty text shows the field as null. It is not normalised: an accented letter stays one or two scalars, as it was
/// typed.
package struct EditedText: Sendable {
    package let text: String

    /// A little more than 255 characters of four bytes, the longest name that most APIs accept.
    package static let bytesMax = 1_024

    /// - Parameter field: the name of the field.
    /// - Throws: `invalidValue` for a text that is too long or contains U+0000, and for an empty one in a field that
    ///   identifies the row.
    package init(_ text: String, of field: String, in resource: ResourceDeclaration) throws {
        let trimmed = text.trimmed
        guard !trimmed.isEmpty || !(resource.key + [resource.handle?.field]).contains(field) else {
            throw PatchbayError(
                .invalidValue,
                "the \(field) identifies the \(resource.singular), so it cannot be empty; give one, or revert to the "
                    + "\(field) of the source")
        }
        guard trimmed.utf8.count <= Self.bytesMax else {
            throw PatchbayError(
                .invalidValue,
                "the \(field) has \(trimmed.utf8.count) bytes of UTF-8; use at most \(Self.bytesMax)",
                [.limit(Self.bytesMax)])
        }
        guard !trimmed.utf8.contains(0) else {
            throw PatchbayError(
                .invalidValue, "the \(field) contains U+0000, which cannot be stored; leave it out")
        }
        self.text = trimmed
    }

    /// Whether `other`, nil for null, is this text byte by byte: composed and decomposed spellings of a letter differ.
    package func isSpelled(_ other: String?) -> Bool { (other ?? "").utf8.elementsEqual(text.utf8) }
}
