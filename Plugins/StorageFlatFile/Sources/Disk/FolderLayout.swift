import PatchbayCore

/// The names of the files in a storage's folder.
struct FolderLayout: Sendable {
    let path: String

    /// - Parameter path: the folder; slashes at its end do not count.
    init(path: String) {
        let end = path.lastIndex { $0 != "/" }
        self.path = end.map { String(path[...$0]) } ?? path
    }

    var lock: String { "\(path)/lock" }
    var schema: String { "\(path)/schema.json" }
    /// Files that can be made anew from the data.
    var index: String { "\(path)/index" }
    var checkpoint: String { "\(path)/index/checkpoint.json" }

    func data(_ collectionName: String) -> String { "\(path)/\(collectionName).jsonl" }

    /// The end of the name of a file that is not complete yet.
    static let unfinished = ".new"

    /// Makes sure that the path is a folder of ours, or an empty one. Creates a missing one.
    ///
    /// - Returns: whether it holds a storage.
    /// - Throws: `invalidConfiguration` when it is something else; nothing is touched then.
    func prepare(_ disk: Disk) throws -> Bool {
        switch try disk.kind(of: path) {
        case .nothing:
            try checkParent(disk)
            try disk.makeFolder(path)
            return false
        case .file: throw refusal("is a file; set the path of a folder")
        case .folder: break
        }
        if try disk.kind(of: schema) == .file { return true }
        for name in try disk.names(in: path) where try !isLeftOver(name, disk) {
            throw refusal("holds \"\(name)\" but no schema.json, so it is not a storage; set another path")
        }
        return false
    }

    /// - Throws: `invalidConfiguration` when there is no folder for the storage's own folder.
    func checkParent(_ disk: Disk) throws {
        let parent = FolderLayout.parent(of: path)
        switch try disk.kind(of: parent) {
        case .folder: return
        case .file: throw PatchbayError(.invalidConfiguration, "\"\(parent)\" is a file; set another path")
        case .nothing:
            throw PatchbayError(
                .invalidConfiguration,
                "the folder \"\(parent)\" does not exist; create it or set another path")
        }
    }

    static func parent(of path: String) -> String {
        let end = path.utf8.last == UInt8(ascii: "/") && path.utf8.count > 1 ? path.dropLast() : path[...]
        guard let slash = end.lastIndex(of: "/") else { return "." }
        return slash == end.startIndex ? "/" : String(end[..<slash])
    }

    /// Whether a file can be there because making the storage did not come to its end: no file with rows.
    private func isLeftOver(_ name: String, _ disk: Disk) throws -> Bool {
        if name == "lock" || name == "index" || name.hasSuffix(FolderLayout.unfinished) { return true }
        guard name.hasSuffix(".jsonl") else { return false }
        // A file that is not ours was not left over.
        let log = try? Log.open("\(path)/\(name)", String(name.dropLast(6)), disk)
        return try log.map { try $0.file.byteCount() == $0.headerBytes } ?? false
    }

    private func refusal(_ problem: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, "\"\(path)\" \(problem)")
    }

    /// Writes a small file so that either the old or the new content is there, whatever happens.
    func replace(_ path: String, with content: ByteBuffer, isSynced: Bool, _ disk: Disk) throws {
        let unfinished = path + FolderLayout.unfinished
        let file = try DiskFile(unfinished, .create, disk)
        try content.withBytes { try file.write($0, at: 0) }
        if isSynced { try file.sync() }
        try disk.rename(unfinished, to: path)
        if isSynced { try disk.syncFolder(FolderLayout.parent(of: path)) }
    }
}
