package import PatchbayCore

/// The stored picture of a row.
///
/// It is stored in the storage and not in a file, so that it is copied, verified, backed up and cleared with its row.
package struct StoredPicture: Hashable, Sendable {
    /// The maximum size of a stored picture, whatever the source accepts.
    package static let bytesMax = 1 << 20

    package var row: StoredRowKey
    /// The address that it was fetched from.
    package var url: String
    /// The picture, at most ``bytesMax`` bytes.
    package var picture: Picture
    /// The validator that the source returned with it.
    package var validator: Validator
    /// When it was fetched or confirmed.
    package var fetchedAt: Timestamp

    package init(
        of row: StoredRowKey, url: String, picture: Picture, validator: Validator, fetchedAt: Timestamp
    ) {
        self.row = row
        self.url = url
        self.picture = picture
        self.validator = validator
        self.fetchedAt = fetchedAt
    }
}

extension StoredPicture: StoredRecord {
    static let url = RowColumn<String>(2, "url")
    static let mediaType = RowColumn<String>(3, "media_type")
    static let bytes = RowColumn<[UInt8]>(4, "bytes")
    static let entityTag = RowColumn<String?>(5, "etag")
    static let lastModified = RowColumn<String?>(6, "last_modified")
    static let partition = RowColumn<String?>(7, "partition")
    static let fetchedAt = RowColumn<Timestamp>(8, "fetched_at_ms")

    /// The columns in a storage; the key is the row's collection and key.
    package static let collection = CollectionSchema(
        "pictures", key: RowKeyColumns.collection.position, RowKeyColumns.text.position,
        fields: [
            RowKeyColumns.collection.field, RowKeyColumns.text.field, url.field, mediaType.field,
            bytes.field, entityTag.field, lastModified.field, partition.field, fetchedAt.field,
        ])

    /// Reads a stored picture, including its bytes.
    package init(_ row: borrowing RowView) {
        self.init(
            of: StoredRowKey(row), url: row[Self.url],
            picture: Picture(bytes: row[Self.bytes], mediaType: row[Self.mediaType]),
            validator: Validator(
                entityTag: row[Self.entityTag], lastModified: row[Self.lastModified],
                partition: row[Self.partition]), fetchedAt: row[Self.fetchedAt])
    }

    /// Writes all columns.
    package func write(to row: inout RowBuilder) {
        RowKeyColumns.write(self.row, to: &row)
        row[Self.url] = url
        row[Self.mediaType] = picture.mediaType
        row[Self.bytes] = picture.bytes
        row[Self.entityTag] = validator.entityTag
        row[Self.lastModified] = validator.lastModified
        row[Self.partition] = validator.partition
        row[Self.fetchedAt] = fetchedAt
    }
}

/// Fetches the avatars of rows.
public protocol PictureSource: Sendable {
    /// Returns the picture at the address that a row names as its avatar.
    ///
    /// - Throws: `invalidValue` for an address that does not belong to the source, `invalidResponse` for an answer that
    ///   is not a picture or exceeds the source's limit.
    func picture(at url: String, ifChangedFrom validator: Validator) async throws -> Fetched<Picture>
}

/// A picture as the source sent it.
public struct Picture: Hashable, Sendable {
    /// The file as the source sent it.
    public var bytes: [UInt8]
    /// Such as `image/png`.
    public var mediaType: String

    /// Creates a picture; its bytes are not checked against its media type.
    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}
