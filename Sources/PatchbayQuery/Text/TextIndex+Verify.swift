package import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbaySystem

extension TextIndex {
    /// The file of a storage's index, with the space that it takes; nil when there is none.
    package static func file(of store: Store) async throws -> StorageDescription.File? {
        guard let path = try await TextPlace(of: store.storage).path, let status = FileStatus(at: path)
        else { return nil }
        return StorageDescription.File(path: path, bytes: status.bytesOnDisk)
    }

    /// Brings the index up to date, and compares its texts with those of the rows, and its words with the texts.
    ///
    /// - Returns: at most ``Verification/faultsMax`` faults.
    package func verify(progress: @escaping WorkProgress.Handler) async throws -> [StorageFault] {
        try await WorkThread("texts").run { _ in
            for _ in 0..<Self.roundsMax {
                try await self.update(progress: progress)
                // The index is compared as it is, not made again.
                do {
                    let file = try await self.files.take()
                    defer { self.files.release(file) }
                    defer { file.rollBack() }
                    try file.run("BEGIN")
                    let known = try file.coverage()
                    let faults = try await self.store.read { reading -> [StorageFault]? in
                        let incarnation = try reading.incarnation()
                        guard self.fields.allSatisfy({ self.covers($0, known, incarnation) }) else {
                            return nil
                        }
                        return try self.fields.flatMap { fields in
                            let number = known[fields.resource.collection.name]!.number
                            return try file.faults(fields, number, reading, progress)
                        }
                    }
                    file.rollBack()
                    guard let faults else { continue }
                    return Array((faults + (try file.wordFaults())).prefix(Verification.faultsMax))
                } catch is Unusable {
                    // It was removed after the update.
                } catch let failure as TextFailure where failure.isDamage {
                    return [StorageFault(file: self.place.path, failure.message)]
                } catch let failure as TextFailure {
                    throw failure.error(self.place.path)
                }
            }
            throw PatchbayError(
                .busy, "the rows change too fast to compare the text index with them; stop the writers first")
        }
    }
}

extension TextFile {
    /// The differences between the texts of a resource and those of its rows.
    fileprivate func faults(
        _ fields: TextFields, _ number: Int64, _ reading: borrowing Reading,
        _ progress: WorkProgress.Handler
    ) throws -> [StorageFault] {
        var faults: [StorageFault] = [], count = 0, visited = 0
        func report(_ key: String, _ message: String) {
            let place = "\(fields.resource.singular) \(key)"
            faults.append(StorageFault(file: path, place: place, message))
        }
        try reading.scan(Query(fields.resource.collection)) { row in
            let item = Item(row, of: fields.resource), key = item.keyText
            visited += 1
            if visited.isMultiple(of: 10_000) {
                progress(WorkProgress("comparing texts of \(fields.resource.plural)", done: visited))
            }
            let (title, body) = item.state.goneAt == nil ? fields.texts(item) : ([], [])
            let stored = try text(ofKey: key, number, fields.table)
            count += stored == nil ? 0 : 1
            if let stored, stored.title != title || stored.body != body {
                report(key, title.isEmpty && body.isEmpty ? "has a text too many" : "has another text")
            } else if stored == nil, !title.isEmpty || !body.isEmpty {
                report(key, "has no text")
            }
            return faults.count < Verification.faultsMax ? .next : .stop
        }
        guard faults.isEmpty else { return faults }
        let all = try self.number(
            "SELECT count(*) FROM \(fields.table.rows) WHERE id & \(TextTable.resourceMask) = \(number)")
        if all > count {
            let place = fields.resource.plural
            faults.append(
                StorageFault(file: path, place: place, "\(all - Int64(count)) texts are of unknown rows"))
        }
        return faults
    }

    /// The faults of SQLite's and FTS5's own checks.
    fileprivate func wordFaults() throws -> [StorageFault] {
        var faults: [StorageFault] = []
        do {
            try statement("PRAGMA integrity_check").each { row in
                let words = row.text(0)
                if words != "ok" { faults.append(StorageFault(file: self.path, words)) }
                return true
            }
            for table in TextTable.allCases {
                // Also compares the words with the texts.
                try run("INSERT INTO \(table)(\(table), rank) VALUES('integrity-check', 1)")
            }
        } catch let failure as TextFailure where failure.isDamage {
            faults.append(StorageFault(file: path, failure.message))
        }
        return faults
    }
}
