import CPlatform

/// An open file, folder or end of a pipe, which is closed with the last reference to it.
///
/// Calls that a signal interrupts are repeated, reads and writes are complete, and no other program inherits the
/// descriptor.
package final class OpenFile: Sendable {
    package enum Access: Sendable {
        case reading, readingAndWriting
        /// Fails when the name is taken, even by a link.
        case creating
        /// Opens an existing file, or creates it.
        case creatingIfMissing
        /// Opens a folder.
        case folder

        fileprivate var flags: Int32 {
            switch self {
            case .reading: O_RDONLY
            case .readingAndWriting: O_RDWR
            case .creating: O_RDWR | O_CREAT | O_EXCL
            case .creatingIfMissing: O_RDWR | O_CREAT
            case .folder: O_RDONLY | O_DIRECTORY
            }
        }
    }

    package let descriptor: Int32

    /// Takes over a descriptor, which it closes.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Opens a file without waiting for the other end of a pipe. A new one may be read and written by its owner alone.
    ///
    /// - Parameters:
    ///   - folder: the open folder in which the path starts; nil for the current one.
    ///   - isLinkFollowed: whether the last name of the path may be a link.
    package convenience init(
        _ path: String, _ access: Access, in folder: OpenFile? = nil, isLinkFollowed: Bool = false
    ) throws(SystemError) {
        let flags = access.flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (isLinkFollowed ? 0 : O_NOFOLLOW)
        let start = folder?.descriptor ?? AT_FDCWD
        self.init(
            descriptor: try SystemError.retrying { unsafe openat(start, path, flags, 0o600) })
    }

    deinit { close(descriptor) }

    package func status() throws(SystemError) -> FileStatus {
        guard let status = FileStatus(descriptor: descriptor) else { throw .last }
        return status
    }

    package func setMode(_ mode: UInt32) throws(SystemError) {
        _ = try SystemError.retrying { fchmod(descriptor, mode) }
    }
}

// MARK: - Reading and writing

extension OpenFile {
    /// Reads up to `count` bytes to `memory`, which must have room for them; fewer only at the end of the file.
    package func read(
        _ count: Int, at offset: Int, into memory: UnsafeMutableRawPointer
    ) throws(SystemError) -> Int {
        try unsafe Self.read(descriptor, count, at: offset, into: memory)
    }

    private static func read(
        _ descriptor: Int32, _ count: Int, at offset: Int, into memory: UnsafeMutableRawPointer
    ) throws(SystemError) -> Int {
        var done = 0
        while done < count {
            // At most the rest of the room is written.
            let step = try SystemError.retrying {
                unsafe pread(descriptor, memory + done, count - done, off_t(offset + done))
            }
            if step == 0 { break }
            done += step
        }
        return done
    }

    /// Reads up to `count` bytes; fewer only at the end of the file.
    package func bytes(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        try Self.bytes(count, at: offset, of: descriptor)
    }

    /// Reads up to `count` bytes of a file that was opened elsewhere.
    package static func bytes(
        _ count: Int, at offset: Int, of descriptor: Int32
    ) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            do throws(SystemError) {
                filled = try unsafe read(descriptor, count, at: offset, into: start)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Reads from the current position to the end, but at most `max` bytes and one more, which shows that there are
    /// more.
    package func rest(max: Int) throws(SystemError) -> [UInt8] {
        var rest: [UInt8] = [], part = [UInt8](repeating: 0, count: min(max + 1, 1 << 16))
        while rest.count <= max {
            // The array has room for as many bytes as are requested.
            let count = try SystemError.retrying { unsafe CPlatform.read(descriptor, &part, part.count) }
            if count == 0 { break }
            rest += part[..<count]
        }
        return Array(rest.prefix(max + 1))
    }

    package func write(_ bytes: RawSpan, at offset: Int) throws(SystemError) {
        try unsafe writeAll(bytes) { unsafe pwrite(descriptor, $0, $1, off_t(offset + $2)) }
    }

    /// Writes at the current position.
    package func write(_ bytes: RawSpan) throws(SystemError) {
        try unsafe writeAll(bytes) { start, count, _ in unsafe CPlatform.write(descriptor, start, count) }
    }

    /// - Parameter call: writes some bytes at an address, given the number of those before them.
    private func writeAll(
        _ bytes: RawSpan, _ call: (UnsafeRawPointer, Int, Int) -> Int
    ) throws(SystemError) {
        try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in
            var done = 0
            while done < bytes.count {
                // The rest ends where the bytes do, and they outlive the call.
                let step = try SystemError.retrying {
                    unsafe call(bytes.baseAddress! + done, bytes.count - done, done)
                }
                guard step > 0 else { throw SystemError(ENOSPC) }
                done += step
            }
        }
    }

    package func truncate(to byteCount: Int) throws(SystemError) {
        _ = try SystemError.retrying { ftruncate(descriptor, off_t(byteCount)) }
    }

    /// Waits until everything is on the disk: bytes, length and times, or the names in a folder.
    package func sync() throws(SystemError) { _ = try SystemError.retrying { fsync(descriptor) } }

    /// Waits until the bytes and the length are on the disk.
    package func syncData() throws(SystemError) { _ = try SystemError.retrying { fdatasync(descriptor) } }

    /// Asks the system to drop the file from the page cache, where bytes that were not synced stay.
    package func dropFromCache() throws(SystemError) {
        let number = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        guard number == 0 else { throw SystemError(number) }
    }
}

// MARK: - Locks

extension OpenFile {
    /// Takes the file's lock, which the system releases when the process ends; false when another opening of the file
    /// holds it.
    ///
    /// - Parameter isShared: whether others may hold the lock, too, if they share it.
    package func lock(isShared: Bool = false) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try SystemError.retrying { flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch  where error.number == EWOULDBLOCK {
            return false
        }
    }

    /// Releases the lock. To close the file alone would leave it to a child process that is just being started, which
    /// holds the same open file until its `exec`.
    package func unlock() { flock(descriptor, LOCK_UN) }
}

// MARK: - Names in an open folder

extension OpenFile {
    /// The names in the folder, as ``FileSystem/names(in:)-(String)`` returns them.
    package func names() throws(SystemError) -> [String] {
        guard let names = FileSystem.names(in: descriptor) else { throw .last }
        return names
    }

    /// The status of a name in the folder, which is not followed if it is a link; nil when it is not taken.
    package func status(of name: String) throws(SystemError) -> FileStatus? {
        if let status = FileStatus(at: name, in: descriptor, isLinkFollowed: false) { return status }
        guard errno == ENOENT else { throw .last }
        return nil
    }

    /// Creates a folder, accessible only to the user.
    package func makeFolder(_ name: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe mkdirat(descriptor, name, 0o700) }
    }

    /// Renames a file, which replaces an existing one.
    package func rename(_ name: String, to newName: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe renameat(descriptor, name, descriptor, newName) }
    }

    /// Removes a file, or a link itself.
    package func remove(_ name: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe unlinkat(descriptor, name, 0) }
    }

    /// Removes an empty folder.
    package func removeFolder(_ name: String) throws(SystemError) {
        _ = try SystemError.retrying { unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }
    }
}
