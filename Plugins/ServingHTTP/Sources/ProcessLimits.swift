#if Live
import NIOCore
import PatchbayCore
import PatchbaySystem

/// The limits of the process (getrlimit(2)) that the server needs. Below them, SwiftNIO ends the process when it cannot
/// start a thread or open a descriptor.
enum ProcessLimits {
    /// The descriptors that are not connections of clients: standard streams, event loops, the storage's files, and
    /// connections to sources.
    static let ownFiles = 64
    /// The number of connections below which a server is not useful.
    static let connectionsMin = 16
    /// The address space of the program, its libraries and its data, in bytes.
    private static let ownMemory = 192 << 20
    /// The address space that the C library reserves for the allocations of a thread, in bytes.
    private static let heapOfThread = 64 << 20

    /// Raises the limit of open files as far as the system allows without privileges, and checks the limits.
    ///
    /// - Returns: the number of connections that the limit of open files allows.
    /// - Throws: `unsupported` when a limit is too low for a server.
    static func prepare() throws -> Int {
        if let bytes = CurrentProcess.limit(.memory), bytes < memoryNeeded {
            throw lack("use \(bytes >> 10) KiB of memory (ulimit -v)", "at least \(memoryNeeded >> 10)")
        }
        CurrentProcess.raise(.files)
        let files = CurrentProcess.limit(.files) ?? .max, needed = ownFiles + connectionsMin
        guard files >= needed else { throw lack("open \(files) files (ulimit -n)", "at least \(needed)") }
        return files - ownFiles
    }

    /// The address space that the threads need: event loops of clients, one of the network, those of the runtime and
    /// of the storage, and the main thread.
    private static var memoryNeeded: Int {
        let stack = CurrentProcess.limit(.stack) ?? 8 << 20
        let threads = EventLoops.count + EventLoops.ofSocketsCount + System.coreCount + 4
        return ownMemory + threads * (min(stack, 64 << 20) + heapOfThread / 2)
    }

    private static func lack(_ allowed: String, _ needed: String) -> PatchbayError {
        PatchbayError(
            .unsupported,
            "the process may \(allowed); a server needs \(needed); raise the limit and start it again")
    }
}
#endif
