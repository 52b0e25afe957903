import PatchbayCore

extension PathSegment {
    /// A segment that names something.
    ///
    /// - Parameter noun: what it should be, for messages: `a login`.
    /// - Throws: `invalidValue` for what cannot be a name.
    init(_ text: String, noun: String) throws {
        guard !text.isEmpty, text != ".", text != "..", text.utf8.count <= 255 else {
            throw PatchbayError(
                .invalidValue, "\(Quotation.quoted(text)) cannot be \(noun); give 1 to 255 bytes")
        }
        self.init(text)
    }
}
