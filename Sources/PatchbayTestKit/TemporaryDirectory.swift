#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A new, empty folder that goes away with everything in it when its last reference does.
public final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    public let path: String

    /// Makes a folder under `TMPDIR`, or `/tmp`.
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
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { TemporaryDirectory.remove(path) }

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

    /// Removes a file, a link itself, or a folder with everything in it; what cannot be removed stays.
    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) where name != "." && name != ".." { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        var names: [String] = []
        // An entry is valid until the next readdir; its name is copied before that.
        while let entry = unsafe readdir(folder) {
            unsafe names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        unsafe closedir(folder)
        return names
    }
}

/// The process's environment.
enum Environment {
    static func value(of name: String) -> String? {
        // The string is copied before anybody can change the environment; tests do not set variables.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
