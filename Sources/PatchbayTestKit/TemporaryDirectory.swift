import PatchbayCore
import PatchbaySystem

/// A new, empty folder that is removed with its contents when its last reference is released.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    package let path: String
    /// The enclosing folder, removed as well, with any files that a storage creates next to its own folder.
    private let parent: String

    /// Creates a folder within a new one in `TMPDIR` or `/tmp`.
    ///
    /// - Throws: ``BrokenPromise`` when the folder cannot be created.
    package init() throws {
        let parent = Environment.value(of: "TMPDIR") ?? "/tmp"
        do throws(SystemError) {
            self.parent = try FileSystem.makeUniqueFolder("\(parent)/patchbay")
            // Only the inner folder's mode restricts access.
            try FileSystem.setMode(0o711, of: self.parent)
        } catch {
            throw BrokenPromise(
                "no temporary folder can be created in \"\(parent)\"; set TMPDIR to a writable folder")
        }
        path = self.parent + "/folder"
        try TemporaryDirectory.makeFolder(path)
    }

    deinit { FileSystem.removeAll(parent) }

    /// Passes a new folder to `body`, and removes it afterwards.
    package static func with<Result>(_ body: (TemporaryDirectory) async throws -> Result) async throws
        -> Result
    {
        let directory = try TemporaryDirectory()
        let result = try await body(directory)
        withExtendedLifetime(directory) {}
        return result
    }

    /// Writes a file, or replaces it.
    ///
    /// - Returns: its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let path = "\(path)/\(name)"
        let file = try OpenFile(path, .creatingIfMissing)
        try file.truncate(to: 0)
        try unsafe file.write(text.utf8.span.bytes)
        try file.setMode(0o644)
        return path
    }

    /// - Throws: ``BrokenPromise`` when the folder cannot be created.
    static func makeFolder(_ path: String) throws {
        do throws(SystemError) {
            try FileSystem.makeFolder(path)
        } catch {
            throw BrokenPromise("the folder \(path) cannot be created")
        }
    }

    /// Moves a file or folder.
    ///
    /// - Throws: ``BrokenPromise`` when the file does not exist.
    static func move(_ path: String, to other: String) throws {
        do throws(SystemError) {
            try FileSystem.rename(path, to: other)
        } catch {
            throw BrokenPromise("\(path) does not exist")
        }
    }
}

/// The process's environment.
enum Environment {
    static func value(of name: String) -> String? { CurrentProcess.variable(name) }
}
