import HTTPTypes

extension HTTPFields {
    /// The type of the body in small letters, without parameters; empty when the fields do not name one.
    var mediaType: String { self[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? "" }

    var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }
}
