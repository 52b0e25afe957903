import CPostgreSQL
import PatchbayCore

/// What the server, or the way to it, answered instead of a result.
struct ServerError: Error {
    /// What may help without anybody's doing.
    enum Remedy {
        case none
        /// The same transaction from its start.
        case again
        /// The same on another connection.
        case reconnect
        /// The same with unnamed statements: somebody between us and the server mixes sessions.
        case unprepared
    }

    /// Five characters (PostgreSQL, appendix A); empty when the connection failed before the server could say one.
    let state: String
    /// The server's own words.
    let message: String
    /// The address, without secrets.
    let server: String

    init(state: String, message: String, server: String) {
        self.state = state
        self.message = message.trimmed
        self.server = server
    }

    /// The error of a connection that was not made, from libpq's words in full: `FATAL:  28P01: password ...`, of which
    /// the first is in the server's language.
    init(connecting words: String, server: String) {
        let state = words.split(separator: " ").first { word in
            let characters = word.utf8.dropLast()
            return word.utf8.last == 0x3A && characters.count == 5
                && characters.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
                && characters.contains { (0x30...0x39).contains($0) }
        }
        let lines = words.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        self.init(
            state: state.map { String($0.dropLast()) } ?? "", message: lines.joined(separator: "\n"),
            server: server)
    }

    var remedy: Remedy {
        switch state {
        case "": .reconnect
        case "40001", "40P01", "23505": .again
        // Admin shutdown, crash, cannot connect now, idle too long; too many connections; a standby.
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
        var context = ["server": server]
        if !state.isEmpty { context["postgresql"] = "\(self.message) (\(state))" }
        return PatchbayError(code, message, context)
    }

    private var meaning: (PatchbayError.Code, String) {
        switch state {
        case "":
            (.busy, "the PostgreSQL server cannot be reached: \(message); start it, or correct storage.url")
        case "3D000": (.invalidConfiguration, "\(message); create it (createdb), or correct storage.url")
        case "53300": (.busy, "the server has no connection left; try again, or raise its max_connections")
        case "55P03", "57014":
            (.busy, "another program is writing to the storage; try again, or set a longer busy-timeout-ms")
        case "40001", "40P01": (.busy, "another program writes to the same rows; try again")
        case "25P03": (.busy, "the write stood still for a minute, and the server ended it; try again")
        case "57P01", "57P02", "57P03", "57P05": (.busy, "the server is starting or stopping; try again")
        case "25006": (.permissionDenied, "the server takes no writes; it is a standby, or set to read only")
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
                "the server does not let the user in: \(message); set storage.password, or write ~/.pgpass"
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
    /// Without spaces and line ends around it, and on one line.
    fileprivate var trimmed: String {
        split(whereSeparator: \.isNewline).map { line in
            String(line.drop(while: \.isWhitespace))
        }.filter { !$0.isEmpty }.joined(separator: "; ")
    }
}
