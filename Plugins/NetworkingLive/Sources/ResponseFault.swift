#if Live
/// A fault in an answer that the parser accepts.
enum ResponseFault: Error {
    case status(UInt)
    case tooManyInterimAnswers
    case unaskedAnswer
    case bodyTooLarge
    /// An unknown coding.
    case encoding(String)
    /// A compressed body that ends early, or is followed by other data.
    case truncatedBody
    /// A compressed body that is invalid.
    case brokenBody
}
#endif
