import PatchbayCore
import PatchbayDomain

/// Former names: what a source redirects permanently is remembered (semantics 26).
extension Reading {
    /// The id of the row that a former name leads to.
    func alias(_ kind: StoredAlias.Kind, _ name: String) throws -> Int64? {
        guard let key = StoredAlias.key(kind, name) else { return nil }
        return try get(StoredAlias.self, key)?.id
    }
}

extension Writing {
    /// Remembers that a name led to a row with another name; forgets it when the name is the row's own.
    mutating func note(
        _ kind: StoredAlias.Kind, asked: String, told name: String, id: Int64, at time: Timestamp
    ) throws {
        guard let key = StoredAlias.key(kind, asked),
            let alias = StoredAlias(kind, asked, id: id, notedAt: time)
        else { return }
        if asked.isSameName(as: name) {
            try delete(StoredAlias.self, key)
            return
        }
        try put(alias)
        let surplus = try reading.count(Query(StoredAlias.collection)) - StoredAlias.countMax
        guard surplus > 0 else { return }
        let oldest = Query(StoredAlias.collection, by: StoredAlias.byTime, limit: surplus)
        for alias in try reading.list(StoredAlias.self, oldest) { try delete(alias) }
    }

    /// Forgets the former names of one kind of rows.
    mutating func deleteAliases(_ kind: StoredAlias.Kind) throws {
        let all = Query(StoredAlias.collection, .equal(.text(kind.rawValue)))
        for alias in try reading.list(StoredAlias.self, all) { try delete(alias) }
    }

    private mutating func delete(_ alias: StoredAlias) throws {
        try delete(StoredAlias.self, [.text(alias.kind.rawValue), .text(alias.name)])
    }
}

extension String {
    /// Whether two logins or full names are one: the case of A to Z does not count.
    func isSameName(as other: String) -> Bool {
        let fold: (UInt8) -> UInt8 = { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return utf8.lazy.map(fold).elementsEqual(other.utf8.lazy.map(fold))
    }
}
