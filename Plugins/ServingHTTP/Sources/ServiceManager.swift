#if Live
import PatchbayCore
import PatchbaySystem

/// The protocol between systemd and a service (sd_listen_fds(3), sd_notify(3)).
enum ServiceManager {
    /// The first passed descriptor.
    private static let descriptorFirst: CInt = 3

    /// Returns the sockets that systemd opened for this process.
    ///
    /// - Throws: `invalidConfiguration` when there are none.
    static func sockets(
        _ environment: [String: String] = ProcessEnvironment.variables
    ) throws -> [CInt] {
        guard let process = environment["LISTEN_PID"].flatMap({ CInt($0) }), process == CurrentProcess.number,
            let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }), (1...1_024).contains(count)
        else {
            throw PatchbayError(
                .invalidConfiguration,
                "serve.listen = systemd: systemd passed no socket to this process; start it with a socket unit"
            )
        }
        let sockets = Array(descriptorFirst..<descriptorFirst + count)
        sockets.forEach(CurrentProcess.keepFromChildren)
        return sockets
    }

    /// Reports a state in one datagram if `NOTIFY_SOCKET` is set.
    static func notify(
        _ message: String, _ environment: [String: String] = ProcessEnvironment.variables
    ) {
        guard let path = environment["NOTIFY_SOCKET"], let first = path.utf8.first,
            let address = UnixAddress(path: path, isAbstract: first == UInt8(ascii: "@"))
        else { return }
        // There is no one to report to if the service manager cannot be reached.
        address.send(message)
    }
}
#endif
