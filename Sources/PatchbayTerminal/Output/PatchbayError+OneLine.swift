import Patchbay

extension PatchbayError {
    /// The error as a single line for people; line breaks in quoted text are escaped. A refusal is part of the message.
    package var oneLine: String {
        let cause = refusal == nil ? cause : nil
        let reason =
            (cause as? PatchbayError).map { "; because " + $0.oneLine } ?? cause.map { "; because \($0)" }
            ?? ""
        return TerminalText.harmless(Message.withoutSecrets(summary + reason))
    }

    /// Returns which part of querying a source failed: the request, the answer, or storing the answer.
    package func failure(of source: String) -> String {
        switch code {
        case .storageFull: "could not store \(source)'s answer"
        case .corrupted: "could not use the storage"
        case .permissionDenied where isStorageRefusal: "could not write the storage"
        case .notFound, .permissionDenied, .unauthorized, .invalidResponse: "could not fetch from \(source)"
        default: "could not query \(source)"
        }
    }
}
