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

    /// Nothing exists at the path.
    package static let missing = SystemError(ENOENT)

    /// Whether nothing exists at the path.
    package var isMissing: Bool { number == ENOENT || isNoFolder }
    /// Whether a part of the path is not a folder.
    package var isNoFolder: Bool { number == ENOTDIR }
    /// Whether something exists at the path of a new file or folder.
    package var isTaken: Bool { number == EEXIST }
    /// Whether the last name of the path is a link, which was not to be followed.
    package var isLink: Bool { number == ELOOP }
    /// Whether the path names a link, a folder, or a pipe without another end.
    package var isUnsuitableFile: Bool { [ELOOP, EISDIR, ENXIO].contains(number) }
}

extension SystemError {
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
