@testable import PatchbayTestKit
import TestSupport

/// A server that stops when the last reference to it is released.
final class OwnServer: Sendable {
    let url: String
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        url = try OwnServer.value("PATCHBAY_POSTGRES", of: OwnServer.script("start", folder))
    }

    deinit {
        // If stopping fails, the remains are removed with the machine's temporary files.
        _ = try? OwnServer.script("stop", folder)
    }

    /// - Returns: the standby's address.
    func addStandby() throws -> String {
        try OwnServer.value("PATCHBAY_STANDBY", of: OwnServer.script("standby", folder))
    }

    @discardableResult
    func psql(_ sql: String) throws -> String { try OwnServer.psql(sql, at: url) }

    static func psql(_ sql: String, at url: String) throws -> String {
        try Shell.output(of: "psql '\(url)' -qAtc \"\(sql)\"")
    }

    /// Changes a setting of the whole server, and waits until a new session has it.
    func set(_ name: String, to value: String) throws {
        try psql("ALTER SYSTEM SET \(name) = '\(value)'")
        try psql("SELECT pg_reload_conf()")
        while try psql("SHOW \(name)") != value + "\n" {}
    }

    private static func value(_ name: String, of printed: String) throws -> String {
        let line = printed.split(separator: "\n").first { $0.contains("\(name)=") }
        guard let words = line?.split(separator: "'"), words.count == 2 else {
            throw BrokenPromise("no server: \(printed)")
        }
        return String(words[1])
    }

    /// Stops all processes of the server without ending them.
    func freeze() throws { try signal("STOP") }

    func thaw() throws { try signal("CONT") }

    private func signal(_ name: String) throws {
        // The first process is the parent of all others.
        _ = try Shell.output(
            of: """
                first=$(head -n 1 "\(socketFolder)/data/postmaster.pid")
                kill -\(name) $first $(ps -o pid= --ppid $first) 2>&1
                """)
    }

    private var socketFolder: String {
        url.split(separator: " ").first { $0.hasPrefix("host=") }.map { String($0.dropFirst(5)) } ?? ""
    }

    func crash() throws { _ = try OwnServer.script("crash", folder) }

    private static func script(_ verb: String, _ folder: TemporaryDirectory) throws -> String {
        try Shell.output(of: "'\(Checkout.path("Scripts/postgres.sh"))' \(verb) '\(folder.path)' 2>&1")
    }
}
