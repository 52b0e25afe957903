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
