/// A decoded text in an entry of a recording, with its place.
package struct RecordedText: Sendable {
    /// The kind of a text, which determines whether it may be a secret.
    package enum Kind: Sendable, Hashable {
        /// The value of a header field.
        case field(name: String)
        /// The value of a cookie.
        case cookie(name: String)
        /// The value of a parameter of a query or a form.
        case parameter(name: String)
        /// A form: `name=value&...` from its first byte.
        case form
        /// Any other text, such as an address or a JSON body.
        case other
    }

    /// The path of the text in the entry: `request.headers`, `response.content`.
    package let place: String
    /// The kind of the text, with the name of its header field, cookie or parameter.
    package let kind: Kind
    /// The text; a body is decoded from base64 if the entry declares and uses that.
    package let bytes: [UInt8]
}
