/// Where the pictures of users come from.
public protocol AvatarSource: Sendable {
    /// The picture at the address that a user names as its avatar.
    ///
    /// - Throws: `invalidValue` for an address that is not the source's, `invalidResponse` for what is no
    ///   picture or has more bytes than the source takes.
    func avatar(at url: String, ifChangedFrom validator: Validator) async throws -> Fetched<Avatar>
}

/// A picture, as it came.
public struct Avatar: Hashable, Sendable {
    public var bytes: [UInt8]
    /// Such as `image/png`.
    public var mediaType: String

    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}
