import PatchbayCore

extension Promise {
    static let processes: [Promise] = [
        Promise(
            "processes", "a storage opened twice shows each opener the other's commits",
            needs: [.durable, .sharedBetweenProcesses], secondSeesCommits),
        Promise(
            "processes", "two openers that write at the same time lose no rows",
            needs: [.durable, .sharedBetweenProcesses], twoWritersLoseNothing),
        Promise(
            "processes", "opening a second time is busy until the first opener closes",
            needs: .durable, excludedBy: .sharedBetweenProcesses, secondGetsBusy),
    ]

    /// Opens a storage twice. An engine that refuses this within one process cannot be checked here.
    static func openTwice(
        _ workbench: Workbench, _ opening: StorageOpening = StorageOpening(Sample.schema),
        _ body: (any Storage, any Storage) async throws -> Void
    ) async throws {
        try await workbench.open { first in
            var isOpen = false
            do {
                try await workbench.open(opening) { second, _ in
                    isOpen = true
                    try await body(first, second)
                }
            } catch let error as PatchbayError where error.code == .busy && !isOpen {
                try await first.put([Sample.person(1)], in: Sample.people)
                try await expectRows(first, Sample.people, [Sample.person(1)])
                throw CannotCheck(reason: "the storage does not open a folder twice within one process")
            }
        }
    }

    private static func secondSeesCommits(_ workbench: Workbench) async throws {
        try await openTwice(workbench) { first, second in
            var rows: [Values] = []
            for round in 1...6 as ClosedRange<Int64> {
                let (writing, reading) = round % 2 == 0 ? (first, second) : (second, first)
                let before = try await reading.revision()
                rows.append(Sample.person(round, name: "n", stars: -round))
                try await writing.put([rows[rows.count - 1]], in: Sample.people)
                try await expectEveryIndex(reading, Sample.people, rows)
                guard try await reading.revision() != before else {
                    throw BrokenPromise(
                        "the revision of one opener is still \(before) after the other's commit")
                }
            }
            try await expectRefusal(.conflict, of: "a login that the other opener has taken") {
                try await second.put([Sample.person(9, "PERSON2")], in: Sample.people)
            }
            try await first.write { try $0.deleteAll(in: Sample.people) }
            try await expectEveryIndex(second, Sample.people, [])
        }
    }

    private static func twoWritersLoseNothing(_ workbench: Workbench) async throws {
        try await openTwice(workbench) { first, second in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, storage) in [first, second].enumerated() {
                    group.addTask {
                        for step in 0..<30 as Range<Int64> {
                            try await patiently {
                                try await storage.put(
                                    [Sample.person(Int64(number) * 100 + step)], in: Sample.people)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let people = [0, 100].flatMap { start in (0..<30).map { Sample.person(start + $0) } }
            try await expectEveryIndex(first, Sample.people, people)
            try await expectEveryIndex(second, Sample.people, people)
        }
    }

    /// Retries while the other opener holds the storage, as `busy` permits.
    private static func patiently(_ call: () async throws -> Void) async throws {
        for _ in 0..<1_000 {
            do {
                return try await call()
            } catch let error as PatchbayError where error.code.isRetryable {
                await Task.yield()
            }
        }
        throw BrokenPromise("a write was busy 1,000 times")
    }

    private static func secondGetsBusy(_ workbench: Workbench) async throws {
        try await workbench.open { first in
            try await first.put([Sample.person(1)], in: Sample.people)
            for _ in 0..<2 {
                try await expectRefusal(.busy, of: "opening a folder that is open") {
                    try await workbench.open { _ in }
                }
            }
            try await first.put([Sample.person(2)], in: Sample.people)
            try await expectEveryIndex(first, Sample.people, [Sample.person(1), Sample.person(2)])
        }
        try await workbench.open { second in
            try await expectEveryIndex(second, Sample.people, [Sample.person(1), Sample.person(2)])
        }
    }
}
