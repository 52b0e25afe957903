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
