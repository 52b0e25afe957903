import CPostgreSQL
import PatchbayCore

/// An error reported by the server or the connection to it.
struct ServerError: Error {
    /// An automatic reaction that may resolve the error.
    enum Remedy {
        case none
        /// Run the same transaction from its start.
        case again
        /// Use another connection.
        case reconnect
        /// Use unnamed statements, because a pooler mixes sessions.
        case unprepared
    }

    /// The SQLSTATE (PostgreSQL, appendix A); empty when the connection failed before the server could report one.
    let state: String
    /// The server's message.
    let message: String
    /// The server's address, without secrets.
    let server: String

    init(state: String, message: String, server: String) {
        self.state = state
        self.message = message.onOneLine
        self.server = server
    }

    /// Creates the error of a failed connection attempt from libpq's verbose message: `FATAL:  28P01: password ...`,
    /// of which the first word is in the server's language.
    init(connecting words: String, server: String) {
        let state = words.split(separator: " ").first { word in
            let characters = word.utf8.dropLast()
            return word.utf8.last == 0x3A && characters.count == 5
                && characters.allSatisfy { $0.isASCIIDigit || $0.isASCIIUppercase }
                && characters.contains(where: \.isASCIIDigit)
        }
        let lines = words.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        self.init(
            state: state.map { String($0.dropLast()) } ?? "", message: lines.joined(separator: "\n"),
            server: server)
    }

    /// Creates the error of a server that has not answered for a number of seconds.
    init(unansweredFor seconds: Int, server: String) {
        self.init(
            state: Self.unanswered,
            message: "the PostgreSQL server has not answered for \(seconds) s", server: server)
    }

    /// Takes the place of an SQLSTATE, of which none has lower case letters.
    private static let unanswered = "no answer"

    /// Whether there is no server at the address, rather than one that is starting or failing over.
    var isAboutAddress: Bool {
        guard state.isEmpty else { return false }
        let parts = message.split(separator: ";").filter { !$0.contains("Is the server running") }
        return parts.allSatisfy { part in
            ["could not translate host name", "failed: No such file or directory"].contains(
                where: part.contains)
        }
    }

    /// The advice for a server that is a standby.
    static let wayToPrimary =
        "set storage.url to the primary, or to all servers with target_session_attrs=read-write"

    /// Whether another writer holds the lock. Waiting for it may take as long as the busy timeout allows.
    var isAboutLock: Bool { state == "55P03" }

    /// Whether the server cannot answer because it is a standby.
    var isAboutRecovery: Bool { state == "55000" }

    /// Whether the server has no connection left for this user, database or program.
    var isAboutConnections: Bool { state == "53300" }

    /// Whether the two sides cannot agree on TLS, which another attempt would not change. libpq finds this itself, and
    /// reports no SQLSTATE.
    private var isAboutTLS: Bool {
        state.isEmpty && ["does not support SSL", "certificate"].contains { message.contains($0) }
    }

    var remedy: Remedy {
        switch state {
        case "": isAboutTLS ? .none : .reconnect
        case Self.unanswered: .reconnect
        case "40001", "40P01", "23505", "55P03": .again
        // Admin shutdown, crash, cannot connect now, idle session timeout, idle in transaction; too many connections;
        // a standby.
        case "57P01", "57P02", "57P03", "57P05", "25P03", "53300", "25006": .reconnect
        case "26000", "42P05": .unprepared
        case _ where state.hasPrefix("08"): .reconnect
        // "cached plan must not change result type": prepare again.
        case "0A000" where message.contains("cached plan"): .reconnect
        default: .none
        }
    }

    /// Whether the connection cannot be used any more.
    var endsConnection: Bool { remedy == .reconnect || remedy == .unprepared }

    var patchbayError: PatchbayError {
        let (code, message) = meaning
        // The message may contain the server's sentence already.
        let cause = message.contains(self.message) ? "SQLSTATE \(state)" : "\(self.message) (\(state))"
        let isServers = !state.isEmpty && state != Self.unanswered
        return PatchbayError(
            code, message, [.server(server)] + (isServers ? [.note("postgresql", cause)] : []))
    }

    private var meaning: (PatchbayError.Code, String) {
        switch state {
        case "" where isAboutTLS:
            (
                .invalidConfiguration,
                "no TLS connection to the server is possible: \(message); correct sslmode or the certificates in "
                    + "storage.url"
            )
        case "" where message.contains("timeout expired"):
            (
                .busy,
                "the PostgreSQL server cannot be reached: \(message) (storage.connect-timeout-seconds); look "
                    + "whether it is running, or correct storage.url"
            )
        case "":
            (.busy, "the PostgreSQL server cannot be reached: \(message); start it or correct storage.url")
        case Self.unanswered:
            (
                .busy,
                "\(message) (storage.answer-timeout-seconds); look whether it is running, or set a longer limit"
            )
        case "57014":
            (
                .busy,
                "the server ended a statement: \(message); try again, or set a longer "
                    + "storage.answer-timeout-seconds"
            )
        case "3D000": (.invalidConfiguration, "\(message); create it (createdb), or correct storage.url")
        case "53300":
            (.busy, "all connections of the server are in use; try again, or raise its max_connections")
        case "55P03":
            (
                .busy,
                "another program is writing to the storage; try again, or set a longer storage.busy-timeout-ms"
            )
        case "40001", "40P01": (.busy, "another program is writing to the same rows; try again")
        case "25P03": (.busy, "the write made no progress for 30 s, and the server ended it; try again")
        case "57P01", "57P02", "57P03", "57P05": (.busy, "the server is starting or stopping; try again")
        case "25006":
            (
                .permissionDenied,
                "the server is a standby or read-only and accepts no writes; \(Self.wayToPrimary)"
            )
        case "42501":
            (.permissionDenied, "the server refuses: \(message); grant the right, or use another user")
        case "42P01", "3F000":
            (.notFound, "the storage was removed or changed while it was open: \(message); open it again")
        case "22021": (.invalidValue, "a text is not UTF-8: \(message)")
        case "54000": (.invalidValue, "a value is too long for PostgreSQL: \(message)")
        case "23505": (.conflict, "another program has stored the same row: \(message)")
        default: meaningOfClass
        }
    }

    private var meaningOfClass: (PatchbayError.Code, String) {
        switch state.prefix(2) {
        case "08": (.busy, "the connection to the server was lost: \(message); try again")
        case "28":
            (
                .permissionDenied,
                "the server refuses the user: \(message); set storage.password, or add the password to ~/.pgpass"
            )
        case "53": (.storageFull, "the server has no room: \(message); nothing of this write is kept")
        case "XX": (.corrupted, "the server found damage: \(message); restore the database from a copy")
        case "42", "23":
            (
                .corrupted,
                "the tables are not as Patchbay made them: \(message); undo the change or restore the database"
            )
        default: (.internalError, "PostgreSQL failed: \(message)")
        }
    }
}

extension String {
    /// The text on one line, without surrounding white space.
    fileprivate var onOneLine: String {
        split(whereSeparator: \.isNewline).map { line in
            String(line.drop(while: \.isWhitespace))
        }.filter { !$0.isEmpty }.joined(separator: "; ")
    }
}
