internal import CPlatform

/// The system calls for files; no other file in this folder calls C for them.
extension POSIX {
    static func openForReading(_ path: String) -> Result<Int32, Failure> {
        result(of: unsafe open(path, O_RDONLY | O_CLOEXEC))
    }

    /// Creates a file that only its owner may read; fails if the path exists, even as a link.
    package static func create(_ path: String) -> Result<Int32, Failure> {
        result(of: unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    }

    /// Opens a file for appending, and creates it if it does not exist.
    ///
    /// A link is refused, and so is a file with a second hard link, because another user may have created it. The
    /// system's names for the standard streams are links too, but they are allowed. Opening a pipe without a reader
    /// fails instead of waiting.
    static func openForAppending(_ path: String) -> Result<Int32, Failure> {
        let isStream = ["/dev/stdout", "/dev/stderr"].contains(path)
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | (isStream ? 0 : O_NOFOLLOW)
        return result(of: unsafe open(path, flags, 0o600)).flatMap { descriptor in
            var status = stat()
            let isShared =
                unsafe fstat(descriptor, &status) != 0
                || status.st_mode & S_IFMT == S_IFREG && status.st_nlink > 1
            guard isShared, !isStream else { return .success(descriptor) }
            close(descriptor)
            return .failure(Failure(number: EMLINK))
        }
    }

    /// Reads at most `bytesMax` bytes; returns none at the end.
    package static func read(_ descriptor: Int32, bytesMax: Int) -> Result<[UInt8], Failure> {
        var failure: Failure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            // The buffer has room for the requested number of bytes.
            let got = unsafe systemRead(descriptor, buffer.baseAddress, bytesMax)
            count = max(0, got)
            if got < 0 { failure = Failure(number: errno) }
        }
        return failure.map { .failure($0) } ?? .success(bytes)
    }

    package static func sync(_ descriptor: Int32) -> Result<Int32, Failure> { result(of: fsync(descriptor)) }
    package static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    static func rename(_ path: String, to target: String) -> Result<Int32, Failure> {
        result(of: systemRename(path, target))
    }

    package static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Returns whether a file, folder or link exists at the path.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Returns the path with links and dots resolved; unchanged if nothing exists there.
    package static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static func result(of call: Int32) -> Result<Int32, Failure> {
        call < 0 ? .failure(Failure(number: errno)) : .success(call)
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemRename(_ path: String, _ target: String) -> Int32 { unsafe rename(path, target) }
