import PatchbayCore
import PatchbaySystem

/// A folder that a comparison creates, and its files.
struct DataFolder: Sendable {
    let path: String

    /// Creates the folder for its owner only.
    ///
    /// - Throws: `conflict` when the name exists, `permissionDenied`, `storageFull`, or `invalidConfiguration` when the
    ///   parent folder does not exist.
    init(making path: String) throws {
        try PatchbayError.reporting("cannot create the folder \"\(path)\"") { () throws(SystemError) in
            try FileSystem.makeFolder(path)
        }
        self.path = path
    }

    /// Creates a folder with a unique name inside another.
    init(unique prefix: String, in parent: String) throws {
        path = try PatchbayError.reporting("cannot create a folder in \"\(parent)\"") {
            () throws(SystemError) in
            try FileSystem.makeUniqueFolder("\(parent)/\(prefix)")
        }
    }

    /// Removes the contents of the folder.
    func empty() throws {
        for entry in DataFolder.entries(of: path) { FileSystem.removeAll(entry) }
        guard DataFolder.entries(of: path).isEmpty else {
            throw PatchbayError(.permissionDenied, "cannot empty the folder \"\(path)\"")
        }
    }

    /// Removes the folder with its contents, as far as the system permits it.
    func remove() { FileSystem.removeAll(path) }

    /// Removes the folder of a subject like ``remove()``, then the parent folder if it is empty, because the comparison
    /// that created that one may have been killed.
    func removeWithParent() {
        remove()
        // A folder that is not empty stays.
        try? FileSystem.removeFolder(FileSystem.parent(of: path))
    }

    /// The size of the files in the folder on the disk.
    var bytesOnDisk: Int {
        DataFolder.files(in: path).reduce(0) {
            $0 + (FileStatus(at: $1, isLinkFollowed: false)?.bytesOnDisk ?? 0)
        }
    }

    /// Writes the files to the disk and asks the system to drop them from the page cache.
    func dropCache() throws {
        for path in DataFolder.files(in: path) {
            try PatchbayError.reporting("cannot drop \"\(path)\" from memory") { () throws(SystemError) in
                let file = try OpenFile(path, .reading)
                try file.sync()
                try file.dropFromCache()
            }
        }
    }

    /// The system's name for the file system of a folder, such as `ext4`, from the longest matching mount point.
    ///
    /// - Parameter path: absolute and without links.
    static func fileSystem(of path: String) -> String {
        let place = path + "/"
        var best: [Substring] = ["", "", "unknown"]
        for line in (SystemFile.text("/proc/self/mounts") ?? "").split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2, place.hasPrefix(words[1] == "/" ? "/" : words[1] + "/") else { continue }
            // The last one of a mount point hides the others.
            if words[1].utf8.count >= best[1].utf8.count { best = words }
        }
        return String(best[2])
    }

    private static func files(in folder: String) -> [String] {
        entries(of: folder).flatMap { FileSystem.isFolder($0) ? files(in: $0) : [$0] }
    }

    private static func entries(of folder: String) -> [String] {
        (FileSystem.names(in: folder) ?? []).map { "\(folder)/\($0)" }
    }
}
