import PatchbayCore

/// What a storage refuses before it is open, while it is open, and after it was closed.
extension Promise {
    static let open: [Promise] = [
        Promise(
            "opening", "every operation on a storage that is not open throws the same error",
            refusesWhenClosed),
        Promise(
            "opening", "a storage that is open is busy when it is opened again, and stays open",
            needs: .durable, refusesSecondOpening),
        Promise("opening", "a collection that was not opened is refused", refusesOtherCollections),
    ]

    private static let people = Schema(version: 1, [Sample.people])
    private static let rows = (1...40).map { Sample.person($0, name: "n", stars: -$0) }
    private static let issue = Sample.issue("a", 1, assignee: "ann")

    private static func refusesWhenClosed(_ workbench: Workbench) async throws {
        let isDurable = try await workbench.features().contains(.durable)
        for access in isDurable ? [.creating, .writing, .reading] : [StorageAccess.creating] {
            let storage = try await workbench.makeStorage(workbench.directory)
            let copy = workbench.parent + "/copy"
            try await expectNotOpen(storage, copy, "before it is opened for \(access)")
            try await storage.open(StorageOpening(people, access))
            _ = try await storage.rows(Query(Sample.people))
            for _ in 0..<2 {
                try await storage.close()
                try await expectNotOpen(storage, copy, "after it was opened for \(access) and closed")
            }
        }
    }

    private static func refusesSecondOpening(_ workbench: Workbench) async throws {
        try await workbench.open(people) { storage in
            try await storage.put(rows, in: Sample.people)
            for access in StorageAccess.allCases {
                try await expectRefusal(.busy, of: "opening a storage for \(access) that is open") {
                    try await storage.open(StorageOpening(people, access))
                }
                try await expectEveryIndex(storage, Sample.people, rows)
            }
        }
    }

    private static func expectNotOpen(_ storage: any Storage, _ copy: String, _ when: String) async throws {
        let expected = PatchbayError.storageNotOpen()
        func expect(_ what: String, _ call: () async throws -> Void) async throws {
            do {
                try await call()
            } catch let error as PatchbayError
                where error.code == expected.code && error.message == expected.message
            {
                return
            } catch {
                throw BrokenPromise(
                    "\(what) \(when): expected PatchbayError.storageNotOpen, got another", cause: error)
            }
            throw BrokenPromise("\(what) \(when): expected PatchbayError.storageNotOpen, but it was accepted")
        }
        try await expect("a read") { try await storage.read { _ in } }
        try await expect("a write") { try await storage.write { _ in } }
        try await expect("reading the revision") { _ = try await storage.revision() }
        // Storages without backups may leave maintenance to the protocol, whose defaults do nothing.
        guard storage.features.contains(.backup) else { return }
        try await expect("describing") { _ = try await storage.describe() }
        try await expect("verifying") { _ = try await storage.verifyFiles { _ in } }
        try await expect("compacting") { try await storage.compact { _ in } }
        try await expect("a backup") { try await storage.backup(to: copy) { _ in } }
    }

    private static func refusesOtherCollections(_ workbench: Workbench) async throws {
        try await workbench.open(people) { storage in
            try await storage.read { reader in
                try expectRefusal(.unsupported, of: "a walk of a collection that was not opened") {
                    try reader.scan(Query(Sample.issues)) { _ in .next }
                }
                try expectRefusal(.unsupported, of: "a count of a collection that was not opened") {
                    _ = try reader.count(Query(Sample.issues))
                }
            }
            try await storage.write { writer in
                try expectRefusal(.unsupported, of: "a write to a collection that was not opened") {
                    try writer.put(issue, in: Sample.issues)
                }
                for row in rows { try writer.put(row, in: Sample.people) }
            }
            try await expectEveryIndex(storage, Sample.people, rows)
        }
    }
}
