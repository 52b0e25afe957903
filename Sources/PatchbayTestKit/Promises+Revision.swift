import PatchbayCore

extension Promise {
    static let revision: [Promise] = [
        Promise("revision", "every commit that changes something changes the revision", changesWithCommits),
        Promise("revision", "reads and rollbacks leave the revision as it is", staysWithoutCommit),
    ]

    private static func changesWithCommits(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            var known = [try await storage.revision()]
            func expectNew(_ what: String) async throws {
                let revision = try await storage.revision()
                guard !known.contains(revision) else {
                    throw BrokenPromise("the revision is \(revision) again after \(what); before: \(known)")
                }
                known.append(revision)
            }
            for id in 1...3 as ClosedRange<Int64> {
                try await storage.put([Sample.person(id)], in: Sample.people)
                try await expectNew("put \(id)")
            }
            try await storage.put([Sample.person(3, stars: 9)], in: Sample.people)
            try await expectNew("a put that replaces")
            try await storage.write { _ = try $0.delete(1, in: Sample.people) }
            try await expectNew("a delete")
            try await storage.write { try $0.deleteAll(in: Sample.people) }
            try await expectNew("deleting all")
        }
    }

    private static func staysWithoutCommit(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            try await storage.put([Sample.person(1)], in: Sample.people)
            let before = try await storage.revision()
            _ = try await storage.rows(Query(Sample.people))
            _ = try await storage.values(1, in: Sample.people)
            try expect(await storage.revision(), equals: before, "the revision after reads")
            try await expectRefusal(.notFound, of: "a transaction that throws") {
                try await storage.write { writer in
                    try writer.put(Sample.person(2), in: Sample.people)
                    throw PatchbayError(.notFound, "rolled back by the test")
                }
            }
            try expect(await storage.revision(), equals: before, "the revision after a rollback")
        }
    }
}
