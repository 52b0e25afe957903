import PatchbayCore

extension Promise {
    static let opening: [Promise] = [
        Promise(
            "opening", "opening without a schema opens every stored collection", needs: .durable,
            takesWhatIsStored),
        Promise(
            "opening", "opening returns the requested collections, followed by the other stored ones",
            needs: .durable, returnsAllCollections),
        Promise("opening", "opening for reading changes no file", needs: .durable, readingChangesNothing),
        Promise(
            "opening", "a storage opened for reading refuses writes and continues to read", needs: .durable,
            readingRefusesWrites),
        Promise(
            "opening", "opening for reading refuses a schema that would require a migration",
            needs: .durable, readingMigratesNothing),
        Promise(
            "opening", "a storage that does not exist is not found, and not created", needs: .durable,
            notThereIsNotFound),
        Promise(
            "opening", "an emptied file is never treated as a new storage", needs: .durable,
            excludedBy: .sharedBetweenMachines, emptyIsNotNew),
        Promise(
            "opening", "a write to a storage that was removed or replaced is refused",
            needs: .durable, excludedBy: .sharedBetweenMachines, goneRefusesWrites),
        Promise(
            "opening", "a storage that cannot be written can be read, and the error of a write says why",
            needs: .durable,
            excludedBy: .sharedBetweenMachines, readOnlyIsRead),
        Promise(
            "opening", "a storage opened for reading sees the commits of a writer",
            needs: [.durable, .sharedBetweenProcesses], readingSeesCommits),
    ]

    private static let people = Schema(version: 1, [Sample.people])
    private static let both = Schema(version: 1, [Sample.issues, Sample.people])
    private static let rows = (1...40).map { Sample.person($0, name: "n", stars: -$0) }
    private static let issue = Sample.issue("a", 1, assignee: "ann")

    private static func fill(_ workbench: Workbench) async throws {
        try await workbench.open(both) { storage in
            try await storage.put(rows, in: Sample.people)
            try await storage.put([issue], in: Sample.issues)
        }
    }

    private static func takesWhatIsStored(_ workbench: Workbench) async throws {
        try await workbench.open(Schema(version: 3, [Sample.issues])) {
            try await $0.put([issue], in: Sample.issues)
        }
        try await workbench.open(Schema(version: 3, [Sample.people])) {
            try await $0.put(rows, in: Sample.people)
        }
        for access in StorageAccess.allCases {
            try await workbench.open(StorageOpening(nil, access)) { storage, schema in
                let steps = "opening for \(access) without a schema"
                try expect(schema.version, equals: 3, "the version after \(steps)")
                try expectSame(schema.collections, [Sample.issues, Sample.people], steps)
                for collection in schema.collections {
                    let expected = collection.name == Sample.people.name ? rows : [issue]
                    try await expectEveryIndex(storage, collection, expected)
                    // A newer declaration may have dropped indexes that are still stored.
                    try await expectEveryIndex(storage, collection.withoutIndexes, expected)
                }
            }
        }
    }

    private static func expectSame(
        _ collections: [CollectionSchema], _ expected: [CollectionSchema], _ steps: String
    ) throws {
        try expect(
            collections.map(\.definition).sorted(), equals: expected.map(\.definition).sorted(),
            "the collections after \(steps)")
    }

    private static func returnsAllCollections(_ workbench: Workbench) async throws {
        try await fill(workbench)
        for access in StorageAccess.allCases {
            try await workbench.open(StorageOpening(people, access)) { storage, schema in
                let steps = "opening for \(access) with one of two collections"
                try expectSame(schema.collections, both.collections, steps)
                try expect(schema.collections.first, equals: Sample.people, "the first after \(steps)")
                try await expectEveryIndex(storage, Sample.people, rows)
                try await expectEveryIndex(storage, schema.collections[1], [issue])
            }
        }
        try await workbench.open(StorageOpening(people)) { storage, schema in
            let second = Sample.issue("b", 2)
            try await storage.put([second], in: schema.collections[1])
            try await expectEveryIndex(storage, schema.collections[1], [issue, second])
        }
    }

    private static func readingChangesNothing(_ workbench: Workbench) async throws {
        try await fill(workbench)
        let before = try FolderState(workbench.parent)
        for schema in [nil, both] {
            try await workbench.open(StorageOpening(schema, .reading)) { storage, schema in
                try await expectEveryIndex(storage, Sample.people, rows)
                _ = try await storage.revision()
                _ = try await storage.describe()
                try expect(
                    await storage.verifyFiles { _ in }, equals: [], "verifying a storage opened for reading")
                try before.expectUnchanged("while it is open for reading")
            }
            try before.expectUnchanged("after it was open for reading")
        }
    }

    private static func readingRefusesWrites(_ workbench: Workbench) async throws {
        try await fill(workbench)
        try await workbench.open(StorageOpening(both, .reading)) { storage, _ in
            for _ in 0..<2 {
                try await expectRefusal(.permissionDenied, of: "a write to a storage opened for reading") {
                    try await storage.put([Sample.person(99)], in: Sample.people)
                }
                try await expectEveryIndex(storage, Sample.people, rows)
            }
        }
        try await workbench.open { try await expectEveryIndex($0, Sample.people, rows) }
    }

    private static func readingMigratesNothing(_ workbench: Workbench) async throws {
        try await fill(workbench)
        let before = try FolderState(workbench.parent)
        let wider = Schema(version: 2, [Sample.people, Sample.pages])
        try await expectRefusal(.unsupported, of: "opening for reading with a collection that is not stored")
        {
            try await workbench.open(StorageOpening(wider, .reading)) { _, _ in }
        }
        try before.expectUnchanged("after a refused opening for reading")
    }

    private static func notThereIsNotFound(_ workbench: Workbench) async throws {
        let before = try FolderState(workbench.parent)
        let openings = [
            StorageOpening(nil, .reading), StorageOpening(nil, .writing), StorageOpening(nil, .creating),
            StorageOpening(people, .reading), StorageOpening(people, .writing),
        ]
        for opening in openings {
            let words = "for \(opening.access) " + (opening.schema == nil ? "without a schema" : "")
            try await expectRefusal(.notFound, of: "opening nothing \(words)") {
                try await workbench.open(opening) { _, _ in }
            }
            try before.expectUnchanged("after opening nothing \(words)")
        }
    }

    private static func emptyIsNotNew(_ workbench: Workbench) async throws {
        try await fill(workbench)
        let files = try FolderState(workbench.parent).files
        for file in files.keys.sorted() {
            for access in StorageAccess.allCases {
                try FolderState.write([], to: file)
                try await expectRowsOrRefusal(workbench, access, "with \(file) empty")
                for (path, state) in files { try FolderState.write(state.bytes, to: path) }
            }
        }
    }

    private static func goneRefusesWrites(_ workbench: Workbench) async throws {
        try await fill(workbench)
        let place = workbench.directory, away = place + ".away"
        for isReplaced in [false, true] {
            try await workbench.open(both) { storage in
                try await storage.put([Sample.person(50)], in: Sample.people)
                try TemporaryDirectory.move(place, to: away)
                if isReplaced {
                    try TemporaryDirectory.makeFolder(place)
                    try await fill(workbench)
                }
                for _ in 0..<2 {
                    try await expectRefusal(.notFound, of: "a write after the storage was moved away") {
                        try await storage.put([Sample.person(51)], in: Sample.people)
                    }
                }
            }
            if isReplaced { try TemporaryDirectory.move(place, to: place + ".other") }
            try TemporaryDirectory.move(away, to: place)
            let expected = rows + [Sample.person(50)]
            try await workbench.open(both) { try await expectEveryIndex($0, Sample.people, expected) }
        }
    }

    /// Expects all rows or an error. An empty file is valid only if it can be rebuilt from others, such as an index.
    private static func expectRowsOrRefusal(
        _ workbench: Workbench, _ access: StorageAccess, _ steps: String
    ) async throws {
        do {
            try await workbench.open(StorageOpening(both, access)) { storage, _ in
                try await expectEveryIndex(storage, Sample.people, rows)
                try await expectEveryIndex(storage, Sample.issues, [issue])
            }
        } catch let error as PatchbayError {
            guard [.corrupted, .invalidConfiguration].contains(error.code) else {
                throw BrokenPromise("opening for \(access) \(steps): expected \"corrupted\"", cause: error)
            }
        }
    }

    private static func readOnlyIsRead(_ workbench: Workbench) async throws {
        try await fill(workbench)
        let place = try ReadOnlyFolder(workbench.directory)
        defer { place.end() }
        for access in StorageAccess.allCases {
            try await workbench.open(StorageOpening(both, access)) { storage, _ in
                try await expectEveryIndex(storage, Sample.people, rows)
                try await expectRefusal(.permissionDenied, of: "a write to a read-only folder (\(access))") {
                    try await storage.put([Sample.person(99)], in: Sample.people)
                }
                try await expectEveryIndex(storage, Sample.people, rows)
            }
        }
    }

    private static func readingSeesCommits(_ workbench: Workbench) async throws {
        try await openTwice(workbench, StorageOpening(nil, .reading)) { writing, reading in
            var rows: [Values] = []
            for id in 100...103 as ClosedRange<Int64> {
                let before = try await reading.revision()
                rows.append(Sample.person(id))
                try await writing.put([rows[rows.count - 1]], in: Sample.people)
                guard try await reading.revision() != before else {
                    throw BrokenPromise("the reader's revision is \(before) before and after a commit")
                }
                try await expectEveryIndex(reading, Sample.people, rows)
            }
        }
    }
}
