import CPostgreSQL
import PatchbayCore

/// Connecting, and the demands on a server.
extension Connection {
    /// Connects a second time if a server refused the first attempt, to learn why: libpq reports an SQLSTATE, which
    /// does not depend on the server's language, only when verbose errors were requested first. Without a server there
    /// is none, and a frozen one would let the second attempt wait as long as the first.
    func finishConnecting(after time: Duration) throws(ServerError) {
        if unsafe pq_status(handle) == PQ_CONNECTION_OK { return }
        if time < Self.refusalTime {
            _ = unsafe pq_setErrorVerbosity(handle, PQ_ERRORS_VERBOSE)
            unsafe pq_reset(handle)
            if unsafe pq_status(handle) == PQ_CONNECTION_OK { return }
        }
        let words = unsafe String(cString: pq_errorMessage(handle))
        // libpq itself finds that the password is missing, and reports no SQLSTATE.
        if unsafe pq_needsPassword(handle) == 1 {
            throw ServerError(state: "28P01", message: "it requires a password", server: server)
        }
        throw ServerError(connecting: words, server: server)
    }

    /// The longest time in which a server refuses a connection.
    private static let refusalTime = Duration.seconds(1)

    func checkServer() throws(PatchbayError) {
        guard serverVersion >= 130_000 else {
            throw PatchbayError(
                .unsupported,
                "the server is PostgreSQL \(LibPQ.text(ofVersion: Int32(serverVersion))); "
                    + "the storage needs 13 or newer",
                [.server(server)])
        }
        let encoding = parameter("server_encoding")
        guard encoding == "UTF8" else {
            throw PatchbayError(
                .unsupported,
                "the database has the encoding \(encoding); make one with UTF8 (createdb --encoding UTF8) and "
                    + "set it in storage.url",
                [.server(server)])
        }
    }

    /// Returns a setting that the server reported when the connection was made.
    func parameter(_ name: String) -> String {
        unsafe pq_parameterStatus(handle, name).map { unsafe String(cString: $0) } ?? ""
    }
}
