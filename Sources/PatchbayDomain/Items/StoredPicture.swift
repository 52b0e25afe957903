package import PatchbayCore

/// The stored picture of a row.
///
/// It is stored in the storage and not in a file, so that it is copied, verified, backed up and cleared with its row.
package struct StoredPicture: Hashable, Sendable {
    /// The maximum size of a stored picture, whatever the source accepts.
    package static let bytesMax = 1 << 20

    package var row = StoredRowKey()
    /// The address that it was fetched from.
    package var url = ""
    /// The picture, at most ``bytesMax`` bytes.
    package var picture = Picture(bytes: [], mediaType: "")
    /// The validator that the source returned with it.
    package var validator = Validator()
    /// When it was fetched or confirmed.
    package var fetchedAt = Timestamp(milliseconds: 0)

    package init() {}

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

extension StoredPicture: ColumnRecord {
    static let resource = RecordColumn(0, "collection", \Self.row.collection)
    static let key = RecordColumn(1, "row_key", \Self.row.text)

    package static let columns = [
        resource, key, RecordColumn(2, "url", \Self.url),
        RecordColumn(3, "media_type", \Self.picture.mediaType),
        RecordColumn(4, "bytes", \Self.picture.bytes), RecordColumn(5, "etag", \Self.validator.entityTag),
        RecordColumn(6, "last_modified", \Self.validator.lastModified),
        RecordColumn(7, "partition", \Self.validator.partition),
        RecordColumn(8, "fetched_at_ms", \Self.fetchedAt),
    ]

    /// The columns in a storage; the key is the row's collection and key.
    package static let collection = CollectionSchema(
        "pictures", key: resource.position, key.position, fields: fields)
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
