import CPlatform

/// A failed system call.
package struct SystemError: Error, Equatable {
    /// The call's `errno`.
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// The error of the call that failed last on this thread.
    package static var last: SystemError { SystemError(errno) }

    /// The system's words, in lower case like all messages: `no space left on device`.
    package var words: String {
        // The text is copied before this thread can call strerror again.
        unsafe String(cString: strerror(number)).lowercased()
    }

    /// Whether nothing exists at the path.
    package var isMissing: Bool { number == ENOENT || isNoFolder }
    /// Whether a part of the path is not a folder.
    package var isNoFolder: Bool { number == ENOTDIR }
    /// Whether something exists at the path of a new file or folder.
    package var isTaken: Bool { number == EEXIST }
    /// Whether the disk or the quota is full.
    package var isFull: Bool { DiskSpace.isUsedUp(number) }
    /// Whether the last name of the path is a link, which was not to be followed.
    package var isLink: Bool { number == ELOOP }
    /// Whether the path names a link, a folder, or a pipe without another end.
    package var isUnsuitableFile: Bool { [ELOOP, EISDIR, ENXIO].contains(number) }
}

// MARK: - Numbers

extension SystemError {
    /// Nothing exists at the path.
    package static let missing = SystemError(ENOENT)
    package static let taken = SystemError(EEXIST)
    package static let noFolder = SystemError(ENOTDIR)
    package static let isFolder = SystemError(EISDIR)
    package static let folderNotEmpty = SystemError(ENOTEMPTY)
    /// The name is a link that was not to be followed, or leads through too many others.
    package static let link = SystemError(ELOOP)
    package static let tooManyLinks = SystemError(EMLINK)
    package static let nameTooLong = SystemError(ENAMETOOLONG)
    /// A pipe has no other end.
    package static let noOtherEnd = SystemError(ENXIO)

    package static let accessDenied = SystemError(EACCES)
    package static let notPermitted = SystemError(EPERM)
    package static let readOnly = SystemError(EROFS)

    package static let diskFull = SystemError(ENOSPC)
    package static let quotaExceeded = SystemError(EDQUOT)
    package static let fileTooLarge = SystemError(EFBIG)

    package static let tooManyOpenFiles = SystemError(EMFILE)
    package static let tooManyOpenFilesInSystem = SystemError(ENFILE)

    package static let interrupted = SystemError(EINTR)
    package static let notOpen = SystemError(EBADF)
    package static let tryAgain = SystemError(EAGAIN)
    package static let busy = SystemError(EBUSY)
    package static let invalid = SystemError(EINVAL)
    package static let inputOutput = SystemError(EIO)
    package static let noMemory = SystemError(ENOMEM)
    package static let notSupported = SystemError(EOPNOTSUPP)

    package static let addressInUse = SystemError(EADDRINUSE)
    package static let addressNotAvailable = SystemError(EADDRNOTAVAIL)
    package static let connectionRefused = SystemError(ECONNREFUSED)
    package static let connectionReset = SystemError(ECONNRESET)
    package static let notConnected = SystemError(ENOTCONN)
    package static let readerGone = SystemError(EPIPE)

    /// Repeats a call while signals interrupt it, and returns its result, which is not negative.
    package static func retrying<Result: FixedWidthInteger>(
        _ call: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw .last }
        }
    }
}
