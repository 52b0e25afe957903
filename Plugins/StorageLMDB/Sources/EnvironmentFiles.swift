import CLMDB
import PatchbayCore
import PatchbaySystem

/// The files of environments and copies, and the folders that they are in.
enum EnvironmentFiles {
    /// The names in a folder, sorted.
    static func names(in path: String) throws -> [String] {
        guard let names = FileSystem.names(in: path) else {
            throw PatchbayError.system(SystemError.last.number, "cannot open \"\(path)\"")
        }
        return names
    }

    /// Opens a folder, to lock or sync it.
    static func open(folder path: String) throws -> OpenFile {
        try PatchbayError.reporting("cannot open \"\(path)\"") { () throws(SystemError) in
            try OpenFile(path, .folder, isLinkFollowed: true)
        }
    }

    /// Calls `body` with a path that leads to the folder even if it is renamed or replaced meanwhile, so that what was
    /// checked is what is used. Without /proc, the path is used as it is.
    static func anchoring(_ path: String, _ body: (String) throws -> Void) throws {
        let folder = try open(folder: path)
        let anchored = "/proc/self/fd/\(folder.descriptor)"
        try withExtendedLifetime(folder) { try body(showsOpenFiles ? anchored : path) }
    }

    private static let showsOpenFiles = FileSystem.exists(at: "/proc/self/fd")

    /// Makes the names in a folder durable.
    static func sync(folder path: String) throws {
        let folder = try open(folder: path)
        try PatchbayError.reporting("cannot sync \"\(path)\"", folder.sync)
    }

    /// Removes the folder of an environment, even an incomplete one.
    ///
    /// - Throws: when the path is not a folder, or the folder contains anything else, which stays.
    static func removeEnvironment(_ path: String) throws {
        guard let status = try FileStatus(path: path, isLinkFollowed: false) else { return }
        guard status.kind == .folder else { throw inTheWay(path) }
        for file in [Folder.dataFile, Folder.lockFile].map({ path + "/" + $0 }) {
            try remove(file, FileSystem.remove)
        }
        try remove(path, FileSystem.removeFolder)
    }

    private static func remove(_ path: String, _ call: (String) throws(SystemError) -> Void) throws {
        do throws(SystemError) {
            try call(path)
        } catch  where error == .missing {
            // Nothing is left to remove.
        } catch {
            throw PatchbayError.system(error.number, "cannot remove \"\(path)\"")
        }
    }

    /// Makes a folder for a new environment, which gets its place only when it is on the disk. The folder of an attempt
    /// that was killed is replaced; nothing is left on an error.
    static func makeEnvironment(
        _ path: String, _ fill: (String) throws -> Void, place: () throws -> Void
    ) throws {
        try removeEnvironment(path)
        try PatchbayError.reporting("cannot create \"\(path)\"") { () throws(SystemError) in
            try FileSystem.makeFolder(path)
        }
        do {
            try fill(path)
            // The names are synced before the rename, because otherwise the rename could lose them.
            try sync(folder: path)
            try place()
        } catch {
            try? removeEnvironment(path)  // the first error says more
            throw error
        }
    }

    /// Opens a file of an environment for reading.
    ///
    /// - Throws: `invalidConfiguration` for a link and for a non-file, such as a pipe, without waiting for it.
    static func openForReading(_ path: String) throws -> OpenFile {
        try open(path, .reading) { $0.kind == .file }
    }

    /// Opens a lock.mdb, which LMDB will overwrite, creating it if it is missing.
    ///
    /// - Parameter name: the path for messages, when another one leads to the file.
    /// - Throws: `invalidConfiguration` for a link and for a file with a second name (hard link), which stay unchanged.
    static func openLockFile(_ path: String, named name: String? = nil) throws -> OpenFile {
        try open(path, .creatingIfMissing, named: name) { $0.kind == .file && $0.links == 1 }
    }

    private static func open(
        _ path: String, _ access: OpenFile.Access, named name: String? = nil, isRight: (FileStatus) -> Bool
    ) throws -> OpenFile {
        let name = name ?? path
        do throws(SystemError) {
            let file = try OpenFile(path, access)
            if isRight(try file.status()) { return file }
        } catch  where !error.isLink {
            throw PatchbayError.system(error.number, "cannot open \"\(name)\"")
        } catch {}
        throw inTheWay(name)
    }

    /// The error for something that is not LMDB's where LMDB would write.
    static func inTheWay(_ path: String) -> PatchbayError {
        PatchbayError(
            .invalidConfiguration,
            "\"\(path)\" is a link or not an LMDB file; it was left unchanged; move it away",
            [.file(path)])
    }
}
