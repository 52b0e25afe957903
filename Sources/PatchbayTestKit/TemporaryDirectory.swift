#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// A new, empty folder that goes away with everything in it when its last reference does.
public final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    public let path: String
    /// Holds nothing else, so that what a storage puts beside its folder goes away too.
    private let parent: String

    /// Makes a folder in a new one under `TMPDIR`, or `/tmp`.
    ///
    /// - Throws: ``BrokenPromise`` when the folder cannot be made.
    public init() throws {
        let parent = Environment.value(of: "TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/patchbay-XXXXXX".utf8CString)
        // mkdtemp writes the name into the template, which stays alive and keeps its terminating zero.
        guard unsafe template.withUnsafeMutableBufferPointer({ unsafe mkdtemp($0.baseAddress!) }) != nil
        else {
            throw BrokenPromise(
                "no temporary folder can be made in \"\(parent)\"; set TMPDIR to a folder you may write")
        }
        self.parent = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = self.parent + "/folder"
        // The inner one alone says who may come in.
        guard chmod(self.parent, 0o711) == 0 else { throw BrokenPromise("\(self.parent) cannot be opened") }
        try TemporaryDirectory.makeFolder(path)
    }

    deinit { Folder.removeAll(parent) }

    /// Hands a new folder to `body` and removes it afterwards.
    public static func with<Result>(_ body: (TemporaryDirectory) async throws -> Result) async throws
        -> Result
    {
        let directory = try TemporaryDirectory()
        let result = try await body(directory)
        withExtendedLifetime(directory) {}
        return result
    }

    /// - Throws: ``BrokenPromise`` when the folder cannot be made.
    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 else { throw BrokenPromise("the folder \(path) cannot be made") }
    }

    /// Moves a file or folder.
    ///
    /// - Throws: ``BrokenPromise`` when there is nothing to move.
    static func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw BrokenPromise("there is no \(path)") }
    }
}

/// The process's environment.
enum Environment {
    static func value(of name: String) -> String? {
        // The string is copied before anybody can change the environment; tests do not set variables.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
