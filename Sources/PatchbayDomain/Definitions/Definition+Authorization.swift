package import PatchbayCore

extension Definition.Authorization {
    /// Reads the value of `auth` in a definition.
    ///
    /// - Throws: `invalidValue`.
    package init(described words: String) throws(PatchbayError) {
        do throws(DefinitionFault) {
            self = try DefinitionReader.authorization(words.isEmpty ? "?" : words)
        } catch {
            throw PatchbayError(.invalidValue, "the authorisation \(error.problem)")
        }
    }
}
