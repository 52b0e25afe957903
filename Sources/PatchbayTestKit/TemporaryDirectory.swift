import CPlatform
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
        var template = Array("\(parent)/patchbay-XXXXXX".utf8CString)
        // mkdtemp writes the name into the template, which stays alive and keeps its terminating zero.
        guard unsafe template.withUnsafeMutableBufferPointer({ unsafe mkdtemp($0.baseAddress!) }) != nil
        else {
            throw BrokenPromise(
                "no temporary folder can be created in \"\(parent)\"; set TMPDIR to a writable folder")
        }
        self.parent = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = self.parent + "/folder"
        // Only the inner folder's mode restricts access.
        guard unsafe chmod(self.parent, 0o711) == 0 else {
            throw BrokenPromise("\(self.parent) cannot be opened")
        }
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

    /// - Throws: ``BrokenPromise`` when the folder cannot be created.
    static func makeFolder(_ path: String) throws {
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw BrokenPromise("the folder \(path) cannot be created")
        }
    }

    /// Moves a file or folder.
    ///
    /// - Throws: ``BrokenPromise`` when the file does not exist.
    static func move(_ path: String, to other: String) throws {
        guard unsafe rename(path, other) == 0 else { throw BrokenPromise("\(path) does not exist") }
    }
}

/// The process's environment.
enum Environment {
    static func value(of name: String) -> String? {
        // The string is copied at once, because `setenv` would invalidate it; tests do not set variables.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
