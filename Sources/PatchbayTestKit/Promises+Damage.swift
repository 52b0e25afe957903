import PatchbayCore

/// What a storage returns after its files were damaged.
extension Promise {
    static let damage: [Promise] = [
        Promise(
            "maintenance", "a truncated file causes an error, or leaves the rows of an earlier commit",
            needs: .durable, excludedBy: .sharedBetweenMachines, truncationInventsNothing)
    ]

    private static let people = Schema(version: 1, [Sample.people])
    private static let commits: [[Values]] = (0..<3).map { commit in
        (1...40).map { Sample.person(commit * 40 + $0, name: "n") }
    }

    private static func truncationInventsNothing(_ workbench: Workbench) async throws {
        try await workbench.open(people) { storage in
            for rows in commits { try await storage.put(rows, in: Sample.people) }
        }
        let files = try FolderState(workbench.parent).files
        for path in files.keys.sorted() {
            let bytes = files[path]!.bytes
            for quarters in 1...3 {
                for access in StorageAccess.allCases {
                    try FolderState.write(Array(bytes.prefix(bytes.count * quarters / 4)), to: path)
                    try await expectCommitOrRefusal(
                        workbench, access, "with the first \(quarters) of 4 quarters of \(path)")
                    for (path, file) in files { try FolderState.write(file.bytes, to: path) }
                }
            }
        }
    }

    private static func expectCommitOrRefusal(
        _ workbench: Workbench, _ access: StorageAccess, _ steps: String
    ) async throws {
        do {
            let rows = try await workbench.open(StorageOpening(people, access)) { storage, _ in
                try await storage.rows(Query(Sample.people))
            }
            let states = (0...commits.count).map { Array(commits.prefix($0).joined()) }
            guard states.contains(rows) else {
                throw BrokenPromise("opening for \(access) \(steps): the rows are not those of any commit")
            }
        } catch let error as PatchbayError {
            guard [.corrupted, .invalidConfiguration].contains(error.code) else {
                throw BrokenPromise("opening for \(access) \(steps): expected \"corrupted\"", cause: error)
            }
        }
    }
}
