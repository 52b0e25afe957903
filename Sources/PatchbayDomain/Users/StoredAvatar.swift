public import PatchbayCore

/// The picture of a user as it stands in the storage.
///
/// It lies in the storage and not beside it, so that it is copied, verified, backed up and cleared with all else.
public struct StoredAvatar: Hashable, Sendable {
    /// The bytes of a picture that is kept, whatever the source takes.
    public static let bytesMax = 1 << 20

    public var userID: Int64
    /// The address that it was fetched from.
    public var url: String
    public var avatar: Avatar
    /// What the source gave to ask with, whether the picture has changed.
    public var validator: Validator
    /// When it was fetched or confirmed.
    public var fetchedAt: Timestamp

    public init(userID: Int64, url: String, avatar: Avatar, validator: Validator, fetchedAt: Timestamp) {
        self.userID = userID
        self.url = url
        self.avatar = avatar
        self.validator = validator
        self.fetchedAt = fetchedAt
    }
}

extension StoredAvatar: Record {
    static let userID = Column<Int64>(0, "user_id")
    static let url = Column<String>(1, "url")
    static let mediaType = Column<String>(2, "media_type")
    static let bytes = Column<[UInt8]>(3, "bytes")
    static let entityTag = Column<String?>(4, "etag")
    static let lastModified = Column<String?>(5, "last_modified")
    static let partition = Column<String?>(6, "partition")
    static let fetchedAt = Column<Timestamp>(7, "fetched_at_ms")

    public static let collection = Collection(
        "avatars", key: userID.position,
        fields: [
            userID.field, url.field, mediaType.field, bytes.field, entityTag.field, lastModified.field,
            partition.field, fetchedAt.field,
        ])

    public init(_ row: borrowing Row) {
        self.init(
            userID: row[Self.userID], url: row[Self.url],
            avatar: Avatar(bytes: row[Self.bytes], mediaType: row[Self.mediaType]),
            validator: Validator(
                entityTag: row[Self.entityTag], lastModified: row[Self.lastModified],
                partition: row[Self.partition]), fetchedAt: row[Self.fetchedAt])
    }

    public func write(to row: inout RowBuilder) {
        row[Self.userID] = userID
        row[Self.url] = url
        row[Self.mediaType] = avatar.mediaType
        row[Self.bytes] = avatar.bytes
        row[Self.entityTag] = validator.entityTag
        row[Self.lastModified] = validator.lastModified
        row[Self.partition] = validator.partition
        row[Self.fetchedAt] = fetchedAt
    }
}
