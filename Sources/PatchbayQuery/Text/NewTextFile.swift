import PatchbayCore
import PatchbaySystem
import Synchronization

/// The file in which an index is made, before it takes the place of the index.
///
/// A lock on it makes processes take turns; a process that ends loses it.
final class NewTextFile: Sendable {
    let path: String
    private let target: String
    /// Nil when it was closed. Closing a file releases all locks of the process on it, also those of SQLite, so the
    /// index must not be open then.
    private let file: Mutex<OpenFile?>

    /// Waits for the lock, and empties the file.
    ///
    /// - Parameters:
    ///   - target: the path of the index.
    ///   - mode: the permissions.
    init(for target: String, mode: UInt32, patience: Duration) async throws {
        let path = target + ".new", deadline = ContinuousClock.now + patience
        while true {
            let file = try Self.reporting("write", path) { () throws(SystemError) in
                try OpenFile(path, .creatingIfMissing)
            }
            try await Self.lock(file, path, until: deadline)
            // Another process may have finished with it while this one waited.
            guard FileStatus(at: path)?.identity == FileStatus(descriptor: file.descriptor)?.identity else {
                continue
            }
            try Self.reporting("write", path) { () throws(SystemError) in
                try file.truncate(to: 0)
                try file.setMode(mode)
            }
            self.path = path
            self.target = target
            self.file = Mutex(file)
            return
        }
    }

    private static func lock(
        _ file: OpenFile, _ path: String, until deadline: ContinuousClock.Instant
    ) async throws {
        while try !reporting("lock", path, { () throws(SystemError) in try file.lock() }) {
            guard ContinuousClock.now < deadline else {
                throw PatchbayError(
                    .busy, "another process is making the text index \"\(path)\"; wait for it to finish",
                    [.file(path)])
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Puts the file in the place of the index. Its connection must be closed.
    func replace() throws {
        try Self.reporting("write", target) { () throws(SystemError) in
            try file.withLock { file throws(SystemError) in try file!.sync() }
            // A journal that a damaged index has left over would be taken for one of the new file.
            try? FileSystem.remove(target + "-journal")
            try TextFile.opening.withLock { _ throws(SystemError) in
                try FileSystem.rename(path, to: target)
                file.withLock { $0 = nil }
            }
        }
    }

    // The next one empties a file that could not be removed.
    func discard() { try? FileSystem.remove(path) }

    private static func reporting<Result>(
        _ verb: String, _ path: String, _ call: () throws(SystemError) -> Result
    ) throws -> Result {
        try PatchbayError.reporting(
            "cannot \(verb) the text index \"\(path)\"", details: [.file(path)], call)
    }
}
