#if Live
/// What is wrong with an answer that the parser lets pass.
enum ResponseFault: Error {
    case status(UInt)
    case tooManyInterimAnswers
    case unaskedAnswer
    case bodyTooLarge
    case encoding
}
#endif
