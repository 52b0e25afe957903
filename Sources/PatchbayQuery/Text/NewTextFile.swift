import CPlatform
import PatchbayCore
import Synchronization

/// The file in which an index is made, before it takes the place of the index.
///
/// A lock on it makes processes take turns; a process that ends loses it.
final class NewTextFile: Sendable {
    let path: String
    private let target: String
    /// Nil when it was closed.
    private let descriptor: Mutex<Int32?>

    /// Waits for the lock, and empties the file.
    ///
    /// - Parameters:
    ///   - target: the path of the index.
    ///   - mode: the permissions.
    init(for target: String, mode: UInt32, patience: Duration) async throws {
        let path = target + ".new", deadline = ContinuousClock.now + patience
        while true {
            let opened = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard opened >= 0 else {
                throw PatchbayError.system(errno, "cannot write the text index \"\(path)\"", [.file(path)])
            }
            do {
                try await Self.lock(opened, path, until: deadline)
                // Another process may have finished with it while this one waited.
                if FileStatus(at: path)?.identity == FileStatus(descriptor: opened)?.identity {
                    guard ftruncate(opened, 0) == 0, fchmod(opened, mode) == 0 else {
                        throw PatchbayError.system(
                            errno, "cannot write the text index \"\(path)\"", [.file(path)])
                    }
                    self.path = path
                    self.target = target
                    descriptor = Mutex(opened)
                    return
                }
            } catch {
                close(opened)
                throw error
            }
            close(opened)
        }
    }

    deinit { closeDescriptor() }

    private static func lock(
        _ descriptor: Int32, _ path: String, until deadline: ContinuousClock.Instant
    ) async throws {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw PatchbayError.system(errno, "cannot lock the text index \"\(path)\"", [.file(path)])
            }
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
        let isSaved = descriptor.withLock { fsync($0!) == 0 }
        // A journal that a damaged index has left over would be taken for one of the new file.
        if isSaved { unsafe unlink(target + "-journal") }
        let isDone = TextFile.opening.withLock { _ in
            guard isSaved, unsafe rename(path, target) == 0 else { return false }
            closeDescriptor()
            return true
        }
        guard isDone else {
            throw PatchbayError.system(errno, "cannot write the text index \"\(target)\"", [.file(target)])
        }
    }

    /// Removes the file.
    func discard() { unsafe unlink(path) }

    /// Releases the lock. Closing a file releases all locks of the process on it, also those of SQLite, so the index
    /// must not be open.
    private func closeDescriptor() {
        if let open = descriptor.withLock({ $0.take() }) { close(open) }
    }
}
