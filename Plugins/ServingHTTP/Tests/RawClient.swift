#if Live
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore

/// A client that sends raw bytes, on its own thread.
actor RawClient {
    private let executor = BlockingExecutor(label: "patchbay.test.client")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let descriptor: CInt
    private var received: [UInt8] = []
    /// Whether the server has reset the connection instead of closing it.
    private(set) var wasReset = false

    struct Refused: Error {}

    /// Connects to an address that a server reports.
    init(_ address: String) throws {
        // Assigned only after everything that can throw, because an actor whose `init` throws later would close the
        // descriptor twice, when its number may belong to another test's socket.
        descriptor =
            address.hasPrefix("unix:")
            ? try Self.connected(AF_UNIX, Self.unixName(address.dropFirst(5)))
            : try Self.connected(AF_INET, Self.portName(UInt16(address.split(separator: ":").last!)!))
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    static func unixName(_ path: Substring) -> sockaddr_un {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return name
    }

    private static func portName(_ port: UInt16) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return name
    }

    private static func connected<Name>(_ family: CInt, _ name: Name) throws -> CInt {
        // Processes started by other tests must not keep the connection open.
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard unsafe withName(name, { unsafe connect(descriptor, $0, $1) == 0 }) else {
            close(descriptor)
            throw Refused()
        }
        return descriptor
    }

    static func withName<Name, Result>(
        _ name: Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        unsafe withUnsafePointer(to: name) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<Name>.size))
            }
        }
    }

    /// Sends a text, or as much of it as the server accepts.
    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns all data until the server closes the connection or is silent for 30 s.
    func untilClosed() -> String {
        while receive() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// Returns all data until the server closes the connection, and lets other calls send data meanwhile.
    func whileSending() async -> String {
        while receive(flags: CInt(MSG_DONTWAIT)) || errno == EAGAIN {
            // A failure means that the task is cancelled.
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { break }
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Closes this half of the connection: the server reads the end of the data, but can still answer.
    func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Returns all data up to and including a text.
    func until(_ end: String) -> String {
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let found = text.firstRange(of: end) {
                let taken = text[..<found.upperBound]
                received.removeFirst(taken.utf8.count)
                return String(taken)
            }
            guard receive() else { return text + " [end]" }
        }
    }

    /// Sends a request and returns all data until the connection ends.
    func ask(_ text: String) -> String {
        send(text)
        return untilClosed()
    }

    private func receive(flags: CInt = 0) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &bytes, bytes.count, flags)
        guard count > 0 else {
            if count < 0, errno == ECONNRESET { wasReset = true }
            return false
        }
        received += bytes[..<count]
        return true
    }
}

extension String {
    /// The statuses of all answers in the text.
    var statuses: [Int] { matches(of: #/HTTP/1\.[01] (\d{3}) /#).compactMap { Int($0.output.1) } }

    /// Returns the value of the first field with a name.
    func field(_ name: String) -> String? {
        split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }.map {
            String($0.dropFirst(name.utf8.count + 2))
        }
    }

    var afterHead: String { firstRange(of: "\r\n\r\n").map { String(self[$0.upperBound...]) } ?? "" }
}
#endif
