#if Live
import Foundation
import Patchbay
import PatchbayCore
import PatchbayPlugins
import PatchbayTestKit
import TestServer
import TestSupport
import Testing

/// Kills a sync at random moments and runs the same command again.
///
/// `PATCHBAY_CRASHES` sets the number of kills for each storage.
@Suite("A sync after SIGKILL", .timeLimit(.minutes(5)))
struct SyncCrashLiveTests {
    private static let storages = StoragePlaces.files
    private static let kills =
        ProcessInfo.processInfo.environment["PATCHBAY_CRASHES"].flatMap(Int.init) ?? 4
    private static let pageCount = max(40, kills * 5), rowsInPage = 25

    private static func path(_ page: Int) -> String {
        page == 0 ? "/users/ada/repos?per_page=100" : "/user/7/repos?page=\(page)"
    }

    /// Starts a server with a list of repositories in linked pages.
    private func server() async throws -> ScriptedServer {
        var answers: [String: [ScriptedServer.Step]] = [:]
        for page in 0..<Self.pageCount {
            let items = (1...Self.rowsInPage).map { place in
                let id = page * Self.rowsInPage + place
                return #"{"id": \#(id), "name": "r\#(id)", "full_name": "ada/r\#(id)", "private": false, "#
                    + #""fork": false, "owner": {"id": 7, "login": "ada"}, "topics": ["x"]}"#
            }
            let next = "Link: <http://\(ScriptedServer.hostMark)\(Self.path(page + 1))>; rel=\"next\""
            answers[Self.path(page)] = [
                .answer(
                    "[" + items.joined(separator: ",") + "]", fields: page + 1 < Self.pageCount ? [next] : [])
            ]
        }
        return try await ScriptedServer(answers)
    }

    @Test(
        "only the last stored page is requested again, and the rows equal those of an uninterrupted sync",
        arguments: storages)
    func killed(_ storage: String) async throws {
        let folder = try TemporaryDirectory()
        let server = try await server()
        let command = Command(in: folder.path)
        let options = [
            "--set", "source=github", "--set", "source.base-url=http://127.0.0.1:\(server.port)", "--set",
            "storage=\(storage)", "--set",
        ]
        let killed = options + ["storage.path=\(folder.path)/killed"]
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<Self.kills {
            let asked = server.seen.requests.count
            // So few requests that the list does not end before the last kill.
            let most = Self.pageCount / (Self.kills + 1)
            let process = try command.start(
                ["sync", "repos", "ada", "--max-requests", "\(most)"] + killed,
                output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
            let further = Int.random(in: 0...most, using: &generator)
            // The process ends by itself once it has sent all its requests.
            while process.isRunning, server.seen.requests.count < asked + further {
                try await Task.sleep(for: .milliseconds(1))
            }
            process.send(SIGKILL)
            await process.ended()
        }
        let last = try await command.finished(["sync", "repos", "ada"] + killed)
        #expect(last.status == 0, "\(last)")
        // After each kill, the last stored page, and the page that was being stored.
        #expect(server.seen.requests.count <= Self.pageCount + 2 * Self.kills)
        let undisturbed = options + ["storage.path=\(folder.path)/undisturbed"]
        #expect(try await command.finished(["sync", "repos", "ada"] + undisturbed).status == 0)
        let count = Self.pageCount * Self.rowsInPage
        let list = ["list", "repos", "ada", "--offline", "--limit", "\(count)", "--format", "jsonl"]
        let rows = try await command.finished(list + killed).output
        #expect(rows.split(separator: "\n").count == count)
        #expect(try await command.finished(list + undisturbed).output == rows)
    }
}
#endif
