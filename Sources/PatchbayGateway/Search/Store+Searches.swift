import PatchbayCore
import PatchbayDomain

extension Store {
    /// Deletes the rows of a text, one for each subject; returns how many there were.
    func delete<R: Record>(
        _ type: R.Type, _ key: @Sendable (SearchSubject) throws -> Key
    ) async throws -> Int {
        try await write { writing in
            var count = 0
            for subject in SearchSubject.allCases where try writing.delete(type, key(subject)) { count += 1 }
            return count
        }
    }

    /// Deletes all rows of a kind; returns how many there were.
    func deleteAll<R: Record>(_ type: R.Type) async throws -> Int {
        try await write { writing in
            let count = try writing.reading.count(Query(type.collection))
            if count > 0 { try writing.deleteAll(type) }
            return count
        }
    }
}
