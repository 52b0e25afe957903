import HTTPTypes

extension HTTPFields {
    /// The media type in lower case, without parameters; empty when it is not stated.
    var mediaType: String { self[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? "" }

    var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }
}
