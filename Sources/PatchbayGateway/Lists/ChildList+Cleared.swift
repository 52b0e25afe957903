import PatchbayCore
import PatchbayDomain

extension ChildList {
    /// Marks the children of cleared rows that the source no longer has as gone, and deletes their lists; returns the
    /// number of children.
    ///
    /// Only the lists themselves show that such a row was stored. The source does not have it if its whole list of
    /// rows, fetched since, has not stored it again.
    func removeRowsOfCleared() async throws -> Int64 {
        let kind = ListQuestion(resource, .list(name), arguments: arguments).name
        var count: Int64 = 0, after: Key?
        repeat {
            let from = after
            let (cleared, last) = try await gateway.store.read { reading -> ([Item], Key?) in
                guard parent.declaration.unsure == nil, try parentsConfirmed(in: reading) != nil else {
                    return ([], nil)
                }
                let query = Query(
                    StoredListRun.collection, ListName.withArguments(kind).bounds, after: from,
                    limit: Self.goneMax)
                let runs = try reading.list(StoredListRun.self, query)
                let parents = try runs.compactMap { run in
                    let words = run.list.utf8.dropFirst(kind.utf8.count + 1)
                    return try parent.row(withKey: String(decoding: words, as: UTF8.self))
                }
                let cleared = try parents.filter { try reading.item($0.key, of: parent) == nil }
                return (cleared, runs.count < Self.goneMax ? nil : runs.last.map { .text($0.list) })
            }
            count += try await remove(listsOf: cleared)
            after = last
        } while after != nil
        return count
    }
}

extension Resource {
    /// A row with nothing but the key that the name of its list ends with (``ListQuestion/name``); nil if these words
    /// are not a key.
    fileprivate func row(withKey words: String) throws -> Item? {
        let words = key.count == 1 ? [words] : words.split(separator: " ").map(String.init)
        guard words.count == key.count else { return nil }
        var builder = ItemBuilder()
        builder.begin(self)
        for (field, word) in zip(key, words) {
            if field.type.fieldType == .integer {
                guard let number = Int64(word) else { return nil }
                builder.set(field, number)
            } else {
                guard word.count >= 2, word.hasPrefix("\""), word.hasSuffix("\"") else { return nil }
                builder.set(field, String(word.dropFirst().dropLast()))
            }
        }
        return try builder.finish()
    }
}
