import CPlatform

/// The address of a Unix domain socket, and the calls that need one.
package struct UnixAddress: Sendable {
    private let address: sockaddr_un
    private let length: socklen_t

    /// - Parameter isAbstract: whether the path's first character represents a zero byte (unix(7)).
    /// - Returns: nil for a path that is too long.
    package init?(path: String, isAbstract: Bool = false) {
        var bytes = Array(path.utf8)
        if isAbstract { bytes[0] = 0 }
        var address = sockaddr_un()
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        self.address = address
        // The length ends the name of an abstract socket; a zero byte ends a path.
        length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    }

    /// Creates a socket for connections, whose file has these permissions, less the umask.
    ///
    /// - Returns: its descriptor, which the caller closes.
    package func bind(mode: UInt32) throws(SystemError) -> Int32 {
        let descriptor = try SystemError.retrying { Self.socket(SOCK_STREAM) }
        // Linux creates the file with the socket's mode, so no other user can connect in between. Changing the umask
        // would affect files that other threads create.
        guard fchmod(descriptor, mode) == 0, unsafe call(on: descriptor, with: bindSocket) == 0 else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Connects, and closes the connection at once.
    ///
    /// - Throws: ``SystemError/connectionRefused`` when no server listens.
    package func probe() throws(SystemError) {
        let descriptor = try SystemError.retrying { Self.socket(SOCK_STREAM) }
        defer { close(descriptor) }
        guard unsafe call(on: descriptor, with: connectSocket) == 0 else { throw .last }
    }

    /// Sends a message in one datagram. It is lost when nothing receives it.
    package func send(_ message: String) {
        let descriptor = Self.socket(SOCK_DGRAM)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = unsafe call(on: descriptor) { descriptor, pointer, length in
            unsafe Int32(
                sendto(descriptor, message, message.utf8.count, Int32(MSG_NOSIGNAL), pointer, length))
        }
    }

    private static func socket(_ type: __socket_type) -> Int32 {
        newSocket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private func call(
        on descriptor: Int32, with body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = address
        return unsafe withUnsafePointer(to: &address) { pointer in
            // Every address begins as this type does.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body(descriptor, $0, length)
            }
        }
    }
}

// The C functions, under names that do not clash with the methods above.

private func newSocket(_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32 {
    socket(family, type, `protocol`)
}
private func bindSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32
{
    unsafe bind(descriptor, address, length)
}
private func connectSocket(
    _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 {
    unsafe connect(descriptor, address, length)
}

/// Sockets of any kind.
package enum Socket {
    /// Creates two connected sockets that no other process inherits.
    package static func pair() throws(SystemError) -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe patchbay_socket_pair(&ends) == 0 else { throw .last }
        return (ends[0], ends[1])
    }

    /// Whether a socket is for TCP or UDP.
    package static func isInternet(_ descriptor: Int32) -> Bool {
        var family: Int32 = 0, length = socklen_t(MemoryLayout<Int32>.size)
        // The call fills the variables, which outlive it; a failure leaves the family 0, which is none.
        _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &length)
        return family == AF_INET || family == AF_INET6
    }
}
