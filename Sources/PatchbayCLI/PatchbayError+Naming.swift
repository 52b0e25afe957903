import Patchbay

extension PatchbayError {
    /// The same error with the option or command that does what the end of its message advises. Libraries cannot name
    /// one, because other programs have neither.
    func naming(_ means: String) -> PatchbayError { adding(" with " + means) }

    /// The same error with words after its message.
    func adding(_ words: String) -> PatchbayError {
        var error = PatchbayError(code, message + words, details, cause: cause)
        error.isUnreachable = isUnreachable
        error.isTimeout = isTimeout
        error.isNotRecorded = isNotRecorded
        return error
    }

    /// The error for a row that is not stored with the command that fetches the row; every other error unchanged.
    var namingFetch: PatchbayError {
        guard code == .notFound, let collection,
            let resource = CommandLineTool.resources.first(where: { $0.collection == collection })
        else { return self }
        let others = details.filter { $0 != .collection(collection) }
        let verb = resource.declaration.show == nil ? "list" : "show"
        return PatchbayError(code, message, others, cause: cause)
            .naming("\"patchbay \(verb) \(resource.noun)\"")
    }
}

extension DeclaredResource {
    /// The name of the collection of its rows.
    var collection: String { "\(word)_\(declaration.name)" }
}
