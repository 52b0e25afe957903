#if Live
/// A fault in an answer that the parser accepts.
enum ResponseFault: Error {
    case status(UInt)
    case tooManyInterimAnswers
    case unaskedAnswer
    case bodyTooLarge
    case encoding
}
#endif
