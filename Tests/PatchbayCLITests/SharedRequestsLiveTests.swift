#if Live
import Foundation
import Patchbay
import PatchbayCore
import Synchronization
import TestServer
import TestSupport
import Testing

/// Runs real processes over one storage; `Scripts/shared-requests.py` is the long version.
@Suite("Processes over one storage share requests", .timeLimit(.minutes(5)))
struct SharedRequestsLiveTests {
    private let command: Command
    private let places = StoragePlaces()

    init() throws { command = try Command() }

    private func show(_ login: String, _ storage: String, _ server: ScriptedServer) -> [String] {
        ["show", "users", login, "--source", "github", "--max-age", "1h"]
            + places.flags(storage, at: "\(command.directory)/store")
            + [
                "--set", "source.base-url=http://127.0.0.1:\(server.port)", "--set",
                "source.wait-at-most-seconds=0",
            ]
    }

    private func user(_ login: String, fields: [String] = []) -> ScriptedServer.Step {
        .answer(
            #"{"login": "\#(login)", "id": 7, "type": "User", "site_admin": false}"#, fields: fields)
    }

    @Test(
        "of eight processes that need a user, one requests it, and if it is killed, one other does",
        arguments: StoragePlaces.shared)
    func killed(_ storage: String) async throws {
        // The first connection gets no answer.
        let connections = Mutex(0)
        let server = try await ScriptedServer { _ in
            let isFirst = connections.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? [:] : ["/users/ada": [user("ada")]]
        }
        // Another test covers two processes that create a storage at the same moment.
        _ = try await command.finished(
            ["show", "users", "bob", "--offline"] + show("bob", storage, server).dropFirst(3))
        let first = try command.start(
            show("ada", storage, server), output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
        try await server.wait { $0.requests.count == 1 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...7 {
                group.addTask {
                    let outcome = try await command.finished(show("ada", storage, server))
                    #expect(outcome.status == 0 && outcome.output.contains("ada"), "\(outcome)")
                }
            }
            first.send(SIGKILL)
            await first.ended()
            try await group.waitForAll()
        }
        #expect(server.seen.requests.count == 2)
    }

    @Test(
        "eight processes with a limit of four send exactly four requests",
        arguments: StoragePlaces.shared)
    func limit(_ storage: String) async throws {
        let left = Mutex(4)
        let reset = Timestamp.now().milliseconds / 1_000 + 3_600
        let logins = (1...8).map { "user\($0)" }
        // Each process sends one request over its own connection.
        let server = try await ScriptedServer { _ in
            let remaining = left.withLock { left in
                left -= 1
                return left
            }
            let fields = [
                "X-RateLimit-Limit: 4", "X-RateLimit-Remaining: \(max(0, remaining))",
                "X-RateLimit-Reset: \(reset)",
            ]
            return Dictionary(
                uniqueKeysWithValues: logins.map { ("/users/\($0)", [user($0, fields: fields)]) })
        }
        _ = try await command.finished(
            ["show", "users", "bob", "--offline"] + show("bob", storage, server).dropFirst(3))
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for login in logins {
                group.addTask { try await command.finished(show(login, storage, server)).status }
            }
            return try await group.reduce(into: [Int32]()) { $0.append($1) }
        }
        #expect(server.seen.requests.count == 4)
        #expect(statuses.count { $0 == 0 } == 4)
    }
}
#endif
