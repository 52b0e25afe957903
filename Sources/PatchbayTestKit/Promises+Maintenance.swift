import PatchbayCore
import PatchbaySystem

extension Promise {
    static let maintenance: [Promise] = [
        Promise("maintenance", "an undamaged storage verifies without faults", verifies),
        Promise("maintenance", "compacting keeps all rows and indexes", compactingKeeps),
        Promise(
            "maintenance", "compacting releases the space of deleted rows", needs: [.durable, .backup],
            compactingShrinks),
        Promise(
            "maintenance", "the description names the files and their sizes",
            needs: [.durable, .backup], describesFiles),
        Promise(
            "maintenance", "a backup opens like the original", needs: [.durable, .backup], backupOpens),
        Promise(
            "maintenance", "a backup made during writes is a consistent snapshot",
            needs: [.durable, .backup],
            backupHoldsOneMoment),
        Promise(
            "maintenance", "a backup never overwrites an existing file", needs: [.durable, .backup],
            backupReplacesNothing),
        Promise(
            "maintenance", "opening with a newer schema keeps a backup of the old state",
            needs: [.durable, .backup], migrationKeepsBackup),
    ]

    private static let half = (0..<1_500).map { Sample.person($0, name: "half", stars: -$0) }

    /// Fills a storage with rows that were put, replaced, deleted and rolled back; returns the remaining ones.
    private static func fill(_ storage: any Storage) async throws -> [Values] {
        try await storage.put((0..<3_000).map { Sample.person($0, name: "first") }, in: Sample.people)
        try await storage.put(half, in: Sample.people)
        try await storage.write { writer in
            for id in 1_000..<3_000 as Range<Int64> {
                _ = try writer.delete(.integer(id), in: Sample.people)
            }
        }
        try await expectRollback(of: storage) { writer in
            try writer.put(Sample.person(9_999), in: Sample.people)
        }
        return Array(half.prefix(1_000))
    }

    private static func verifies(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            try await expectSound(storage, "an empty storage")
            _ = try await fill(storage)
            try await expectSound(storage, "a storage with puts, deletes and a rollback")
        }
        guard try await workbench.features().contains(.durable) else { return }
        try await workbench.open { storage in
            try await expectSound(storage, "the same storage after it was reopened")
        }
    }

    private static func expectSound(_ storage: any Storage, _ steps: String) async throws {
        try expect(await storage.verifyFiles { _ in }, equals: [], "verifying \(steps)")
    }

    private static func compactingKeeps(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            var rows = try await fill(storage)
            try await storage.compact { _ in }
            try await expectEveryIndex(storage, Sample.people, rows)
            rows.append(Sample.person(5_000))
            try await storage.put([rows[rows.count - 1]], in: Sample.people)
            try await storage.compact { _ in }
            try await expectEveryIndex(storage, Sample.people, rows)
            try await expectSound(storage, "a storage that was compacted")
        }
        guard try await workbench.features().contains(.durable) else { return }
        try await workbench.open { storage in
            let rows = half.prefix(1_000) + [Sample.person(5_000)]
            try await expectEveryIndex(storage, Sample.people, Array(rows))
        }
    }

    private static func compactingShrinks(_ storage: any Storage) async throws {
        let text = FieldValue.text(String(repeating: "long ", count: 400))
        try await storage.put((0..<3_000).map { Sample.page("\($0)", body: text) }, in: Sample.pages)
        try await storage.compact { _ in }
        let before = try await bytes(of: storage)
        try await storage.write { writer in
            for number in 0..<2_900 { _ = try writer.delete(.text("\(number)"), in: Sample.pages) }
        }
        try await storage.compact { _ in }
        let after = try await bytes(of: storage)
        guard after < before / 4 else {
            throw BrokenPromise(
                "after 2,900 of 3,000 rows were deleted, compacting left \(after) of \(before) bytes")
        }
    }

    private static func bytes(of storage: any Storage) async throws -> Int {
        try await storage.describe().files.reduce(0) { $0 + $1.bytes }
    }

    private static func describesFiles(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            _ = try await fill(storage)
            let description = try await storage.describe()
            guard let path = description.path, path.hasPrefix(workbench.directory) else {
                throw BrokenPromise(
                    "the description has no path below \(workbench.directory): "
                        + (description.path ?? "none"))
            }
            guard !description.engine.isEmpty, try await bytes(of: storage) > 0 else {
                throw BrokenPromise("the description of a storage with rows is empty: \(description)")
            }
            for file in description.files where !file.path.hasPrefix(path) {
                throw BrokenPromise("the file \(file.path) does not belong to \(path)")
            }
        }
    }

    /// Opens a copy that a storage has made in another folder, with the same name as the original.
    private static func openBackup<Result>(
        _ workbench: Workbench, _ storage: any Storage, _ copy: (String) async throws -> Void,
        _ body: (any Storage) async throws -> Result
    ) async throws -> Result {
        let name = try await relativePath(of: storage, in: workbench)
        return try await TemporaryDirectory.with { directory in
            let other = try Workbench(
                in: directory, makeStorage: workbench.makeStorage, isEmpty: name.isEmpty)
            try await copy(other.directory + name)
            return try await other.open(body: body)
        }
    }

    /// Returns a storage's path below its folder, starting with a slash, or an empty string when it is the folder.
    private static func relativePath(of storage: any Storage, in workbench: Workbench) async throws -> String
    {
        let path = try await storage.describe().path ?? ""
        return String(path.dropFirst(workbench.directory.count))
    }

    private static func backupOpens(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            let rows = try await fill(storage)
            let copy: (String) async throws -> Void = { try await storage.backup(to: $0) { _ in } }
            try await openBackup(workbench, storage, copy) { backup in
                try await expectEveryIndex(backup, Sample.people, rows)
                try await expectSound(backup, "a backup")
                try await backup.put([Sample.person(7_000)], in: Sample.people)
                try await expectEveryIndex(backup, Sample.people, rows + [Sample.person(7_000)])
            }
            try await expectEveryIndex(storage, Sample.people, rows)
        }
    }

    private static func backupHoldsOneMoment(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            /// Returns a page after a number of writes, each of which adds two people and replaces 20 pages.
            @Sendable func page(_ number: Int, after writes: Int64) -> Values {
                Sample.page("\(number)", visits: number < 20 ? writes : 0)
            }
            @Sendable func writePairs() async throws {
                for number in 0..<400 as Range<Int64> {
                    try await storage.write { writer in
                        try writer.put(Sample.person(number), in: Sample.people)
                        try writer.put(Sample.person(1_000_000 - number), in: Sample.people)
                        for place in 0..<20 {
                            try writer.put(page(place, after: number + 1), in: Sample.pages)
                        }
                    }
                }
            }
            try await storage.put((0..<2_000).map { page($0, after: 0) }, in: Sample.pages)
            let copy: (String) async throws -> Void = { path in
                async let writing: Void = writePairs()
                do {
                    try await storage.backup(to: path) { _ in }
                } catch {
                    _ = try await writing
                    throw error
                }
                try await writing
            }
            try await openBackup(workbench, storage, copy) { backup in
                let ids = try await backup.rows(Query(Sample.people)).map { $0[0] }
                let first = (0..<Int64(ids.count / 2)).map { FieldValue.integer($0) }
                let second = first.indices.map { FieldValue.integer(1_000_000 - Int64($0)) }.reversed()
                try expect(
                    ids, equals: first + second, "the keys in a backup made during 400 writes of two rows")
                let pages = (0..<2_000).map { page($0, after: Int64(first.count)) }
                try await expectEveryIndex(backup, Sample.pages, pages, "in a backup made during writes")
                try await expectSound(backup, "a backup made during writes")
            }
        }
    }

    private static func backupReplacesNothing(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            let rows = try await fill(storage)
            let copy: (String) async throws -> Void = { path in
                try await storage.backup(to: path) { _ in }
                try await storage.write { try $0.deleteAll(in: Sample.people) }
                try await expectRefusal(.conflict, of: "a backup to the path of an existing one") {
                    try await storage.backup(to: path) { _ in }
                }
            }
            try await openBackup(workbench, storage, copy) { backup in
                try await expectEveryIndex(backup, Sample.people, rows)
            }
            try await TemporaryDirectory.with { directory in
                for kind in ["file", "folder", "link"] {
                    try await expectKept(kind, at: directory.path + "/" + kind, by: storage)
                }
                let own = try await storage.describe().path ?? ""
                try await expectRefusal(.conflict, of: "a backup to the storage's own path") {
                    try await storage.backup(to: own) { _ in }
                }
                try await expectRefusal(.invalidConfiguration, of: "a backup in a missing folder") {
                    try await storage.backup(to: directory.path + "/none/copy") { _ in }
                }
            }
        }
    }

    /// Expects that a backup does not replace a new file, a new folder or a new link that leads nowhere.
    private static func expectKept(_ kind: String, at path: String, by storage: any Storage) async throws {
        switch kind {
        case "file": try FolderState.write([1, 2, 3], to: path)
        case "folder": try TemporaryDirectory.makeFolder(path)
        default: try FileSystem.makeLink(path, to: "nowhere")
        }
        let state = {
            (
                FileStatus(at: path, isLinkFollowed: false)?.stamp, FileSystem.names(in: path),
                FileSystem.names(in: FileSystem.parent(of: path))
            )
        }
        let before = state()
        guard before.0 != nil else { throw BrokenPromise("the \(kind) \(path) cannot be created") }
        try await expectRefusal(.conflict, of: "a backup to the path of a \(kind)") {
            try await storage.backup(to: path) { _ in }
        }
        guard state() == before else {
            throw BrokenPromise("a refused backup changed the \(kind) at its path, or left a file next to it")
        }
    }

    private static func migrationKeepsBackup(_ workbench: Workbench) async throws {
        let old = CollectionSchema(
            "accounts", key: 0, fields: [Field("id", .integer), Field("login", .text)])
        let new = CollectionSchema(
            "accounts", key: 0, indexes: [Index("by_login", .exact(1))],
            fields: [
                Field("id", .integer), Field("login", .text), Field("name", .text, isOptional: true),
            ])
        let rows: [Values] = (0..<200).map { [.integer($0), .text("login\($0)")] }
        let name = try await workbench.open(Schema(version: 1, [old])) { storage in
            try await storage.put(rows, in: old)
            return try await relativePath(of: storage, in: workbench)
        }
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectEveryIndex(storage, new, rows.map { $0 + [nil] })
        }
        let kept = workbench.directory + name + ".before-schema-2"
        try await TemporaryDirectory.with { directory in
            let other = try Workbench(
                in: directory, makeStorage: workbench.makeStorage, isEmpty: name.isEmpty)
            try TemporaryDirectory.move(kept, to: other.directory + name)
            try await other.open(Schema(version: 1, [old])) { backup in
                try await expectEveryIndex(backup, old, rows)
            }
        }
    }
}
