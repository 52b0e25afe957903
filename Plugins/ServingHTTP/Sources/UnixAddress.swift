#if Live
// Beside SwiftNIO, the fields of this address belong to the modules of the C libraries.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The address of a Unix domain socket for system calls.
struct UnixAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// - Parameter isAbstract: whether the path's first character stands for a zero byte (unix(7)).
    /// - Returns: nil for a path that is too long.
    init?(path: String, isAbstract: Bool = false) {
        var bytes = Array(path.utf8)
        if isAbstract { bytes[0] = 0 }
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // The length ends the name of an abstract socket; a zero byte ends a path.
        length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    }

    mutating func withPointer<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let length = length
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
#endif
