import PatchbayCore
import PatchbaySystem

/// The path of a storage's folder, which may not exist yet.
struct FolderPath: Sendable {
    let text: String
    let disk: Disk

    /// - Parameter path: the folder; slashes at its end are ignored.
    init(_ path: String, _ disk: Disk) {
        text = FileSystem.trimmed(path)
        self.disk = disk
    }

    /// The last part of the path.
    var name: String {
        String(text[(text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex)...])
    }

    /// Opens the folder.
    ///
    /// - Throws: `notFound` when nothing has the path, `invalidConfiguration` when it is not a folder.
    func open() throws -> Folder {
        guard try StoragePlace.isFolder(at: text) else { throw StoragePlace.notFound(text) }
        return try Folder(text, disk)
    }

    /// Opens the folder, creating it when it is missing.
    func openOrMake() throws -> Folder {
        if try !StoragePlace.isFolder(at: text) {
            let parent = try openParent()
            do { _ = try parent.makeFolder(name) } catch {
                // Another process may just have created it.
                guard try parent.kind(name) == .folder else { throw error }
            }
        }
        return try Folder(text, disk)
    }

    /// Opens the folder that contains this one.
    ///
    /// - Throws: `invalidConfiguration` when it does not exist.
    func openParent() throws -> Folder {
        try StoragePlace.checkMayBeMade(at: text)
        return try Folder(FileSystem.parent(of: text), disk)
    }
}

/// The names in a storage's folder.
enum FileName {
    /// Locked by the process that writes.
    static let lock = "lock"
    static let schema = "schema.json"
    /// The folder of files that can be rebuilt from the data.
    static let index = "index"
    /// In ``index``.
    static let checkpoint = "checkpoint.json"
    /// The end of the name of a file that is not complete yet.
    static let unfinished = ".new"

    static func data(_ collectionName: String) -> String { collectionName + ".jsonl" }

    /// In ``index``.
    static func pages(_ number: UInt64) -> String { "\(number).pages" }

    /// The number in the name of a file of pages; nil for the name of another file.
    static func pagesNumber(_ name: String) -> UInt64? {
        name.hasSuffix(".pages") ? UInt64(name.dropLast(6)) : nil
    }

    /// Whether a storage makes files of this name in its folder, or in its folder ``index``.
    static func isOwn(_ name: String, inIndex isInIndex: Bool) -> Bool {
        if isInIndex {
            return [checkpoint, checkpoint + unfinished].contains(name) || pagesNumber(name) != nil
        }
        return [lock, schema].contains(name)
            || [".jsonl", ".json" + unfinished, ".jsonl" + unfinished].contains { name.hasSuffix($0) }
    }
}
