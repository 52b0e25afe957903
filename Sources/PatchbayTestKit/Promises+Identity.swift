import PatchbayCore

extension Promise {
    static let identity: [Promise] = [
        Promise(
            "opening",
            "a storage keeps its identity when it is opened again, and a copy in its place has another",
            needs: .durable, excludedBy: .sharedBetweenMachines, differsInCopy),
        Promise(
            "opening", "a storage that was closed and is opened again has what is stored by then",
            needs: .durable, opensAgain),
        Promise(
            "transactions", "a write that could not be committed is not visible afterwards",
            needs: .durable, excludedBy: .sharedBetweenMachines, failedCommitIsInvisible),
    ]

    private static let people = Schema(version: 1, [Sample.people])
    private static let row = Sample.person(1)

    private static func differsInCopy(_ workbench: Workbench) async throws {
        func identity(_ when: String) async throws -> StorageIdentity {
            try await workbench.open(people) { storage in
                try await storage.put([row], in: Sample.people)
                guard let identity = try await storage.write({ $0.identity }) else {
                    throw BrokenPromise("the identity that the writer of a durable storage reports is nil")
                }
                try expect(
                    try await storage.write { $0.identity }, equals: identity,
                    "the identity in the next write \(when)")
                return identity
            }
        }
        let first = try await identity("after it was created")
        try expect(try await identity("after it was reopened"), equals: first, "the identity after reopening")
        let original = workbench.parent + "/original"
        let files = try FolderState(workbench.directory)
        try TemporaryDirectory.move(workbench.directory, to: original)
        try files.copy()
        let copied = try await identity("of a copy in its place")
        guard copied.place != first.place else {
            throw BrokenPromise(
                "a copy of the storage in its place has the same identity, \(copied.place), so the loss of commits by "
                    + "a restored backup is not noticed")
        }
    }

    private static func opensAgain(_ workbench: Workbench) async throws {
        let storage = try await workbench.makeStorage(workbench.directory)
        for round in 0..<3 as Range<Int64> {
            try await storage.open(people)
            let before = (0..<2 * round).map { Sample.person($0) }
            try await expectEveryIndex(storage, Sample.people, before, "after opening \(round) times before")
            try await storage.put([Sample.person(2 * round)], in: Sample.people)
            try await storage.close()
            let another = Sample.person(2 * round + 1)
            try await workbench.open(people) { try await $0.put([another], in: Sample.people) }
        }
    }

    private static func failedCommitIsInvisible(_ workbench: Workbench) async throws {
        try await workbench.open(people) { storage in
            try await storage.put([row], in: Sample.people)
            let revision = try await storage.revision()
            try TemporaryDirectory.move(workbench.directory, to: workbench.parent + "/away")
            try await expectRefusal(.notFound, of: "a write after the storage was moved away") {
                try await storage.put([Sample.person(2)], in: Sample.people)
            }
            do {
                try await expectEveryIndex(storage, Sample.people, [row], "after a write that was refused")
                try expect(
                    await storage.revision(), equals: revision, "the revision after a write that was refused")
            } catch let error as PatchbayError where error.code == .notFound {
                // The files are not there, so it may refuse reads as well.
            }
        }
    }
}
