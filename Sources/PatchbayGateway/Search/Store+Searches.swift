import PatchbayCore
import PatchbayDomain

extension Store {
    /// Deletes the rows of a text for every searched collection.
    ///
    /// - Parameters:
    ///   - type: a record whose key is the searched collection, then the text.
    ///   - kind: the words after "is not" in the message about a missing row, such as "a recent search".
    /// - Throws: `notFound` when there is none, `invalidValue` for a text that cannot be searched.
    func delete<R: StoredRecord>(_ type: R.Type, _ typed: String, kind: String) async throws {
        let text = try SearchRequest.searchText(typed)
        let count = try await write { writing in
            try writing.delete(Query(type.collection)) {
                type.collection.key(of: $0).values.last == .text(text.key)
            }
        }
        if count == 0 { throw PatchbayError(.notFound, "\"\(typed)\" is not \(kind)") }
    }

    /// Deletes all rows of a kind and returns their number.
    func deleteAll<R: StoredRecord>(_ type: R.Type) async throws -> Int {
        try await write { writing in
            let count = try writing.reading.count(Query(type.collection))
            if count > 0 { try writing.deleteAll(type) }
            return count
        }
    }
}
