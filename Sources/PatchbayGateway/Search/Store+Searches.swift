import PatchbayCore
import PatchbayDomain

extension Store {
    /// Deletes the rows of a text, one for each subject; returns how many there were.
    func delete<R: Record>(_ type: R.Type, _ text: SearchText) async throws -> Int {
        try await write { writing in
            try SearchSubject.allCases.count(where: { try writing.delete(type, text.rowKey(for: $0)) })
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
