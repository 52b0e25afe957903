#if Live
import PatchbayCore
import TestServer
import TestSupport
import Testing

/// The ring of the real command in a pseudo-terminal, over a server that counts requests.
@Suite("A ring in a terminal", .mayBlock, .timeLimit(.minutes(5)))
struct BrowseRingLiveTests {
    private let command: Command

    init() throws {
        command = try Command(environment: ["TERM": "xterm-256color"])
        try command.write(
            """
            api = market
            base-url = https://market.example.org
            shops.path = /shops
            shops.key = id
            shops.handle = name
            shops.field.id = integer
            shops.field.name = text
            goods.path = /shops/{shops.name}/goods
            goods.key = id
            goods.title = name
            goods.field.id = integer
            goods.field.name = text
            """, to: "market.definition")
    }

    /// Seven shops with one kind of goods each. The goods of some shops are never sent.
    private func server(silent: Set<Int> = []) async throws -> ScriptedServer {
        var answers: [String: [ScriptedServer.Step]] = [:]
        let shops = (1...7).map { #"{"id": \#($0), "name": "shop-\#($0)"}"# }
        answers["/shops"] = [.answer("[\(shops.joined(separator: ","))]")]
        for number in 1...7 where !silent.contains(number) {
            answers["/shops/shop-\(number)/goods"] = [
                .answer(#"[{"id": \#(number), "name": "good-\#(number)"}]"#)
            ]
        }
        return try await ScriptedServer(answers)
    }

    private func browse(
        _ server: ScriptedServer, _ more: String..., body: @escaping @Sendable (PseudoTerminal) throws -> Void
    ) async throws {
        let arguments =
            [
                "browse", "shops", "--ring", "3", "--storage", "sqlite", "--source", "rest",
                "--set", "source.definition=market.definition", "--set",
                "source.base-url=http://127.0.0.1:\(server.port)",
            ] + more
        let command = command
        try await WorkThread("test").run { _ in try body(try PseudoTerminal(command, arguments)) }
    }

    /// The numbers of the shops whose goods were requested, in order.
    private func requested(_ server: ScriptedServer) -> [Int] {
        server.seen.requests.compactMap { head in
            head.firstMatch(of: #/^GET /shops/shop-(\d)/goods /#).flatMap { Int($0.1) }
        }
    }

    @Test("it goes round in both directions, and children are requested for visible rows only")
    func round() async throws {
        let server = try await server()
        try await browse(server) { terminal in
            for number in 1...3 { try terminal.wait(for: "good-\(number)") }
            #expect(terminal.screen.contains("the first row follows the last"))
            #expect(!terminal.screen.contains("shop-4"))
            #expect(requested(server).sorted() == [1, 2, 3])
            terminal.type("k")
            try terminal.wait(for: "good-7")
            #expect(terminal.screen.contains("good-2") && !terminal.screen.contains("shop-3"))
            #expect(requested(server).sorted() == [1, 2, 3, 7])
            // From the first of 7, 1, 2 to the last, and on to 3, 4, 5, 6, 7 and 1.
            terminal.type("jjjj")
            try terminal.wait(for: "good-4")
            terminal.type("jjjj")
            try terminal.wait("shops 6, 7, 1") {
                $0.screen.contains("good-6") && $0.screen.contains("good-1")
            }
            #expect(!terminal.screen.contains("shop-5") && !terminal.screen.contains("shop-2"))
            terminal.type("q")
            #expect(try terminal.ended() == 0)
        }
        // Stored children are not requested again when their row comes back; those of rows that were passed may not be.
        #expect(Set(requested(server)).count == requested(server).count)
        #expect(Set(requested(server)).isSuperset(of: [1, 2, 3, 4, 6, 7]))
    }

    @Test("a row that leaves the ring has its request cancelled, and offline stored children are shown")
    func cancelled() async throws {
        // The source accepts one request at a time, so the others wait for the silent one until it is cancelled.
        let server = try await server(silent: [3])
        try await browse(server) { terminal in
            for number in 1...2 { try terminal.wait(for: "good-\(number)") }
            #expect(terminal.screen.contains("fetching goods…"))
            terminal.type("k")
            try terminal.wait(for: "good-7")
            #expect(!terminal.screen.contains("fetching") && !terminal.screen.contains("did not answer"))
            terminal.type("q")
            #expect(try terminal.ended() == 0)
        }
        try await browse(server, "--offline") { terminal in
            try terminal.wait(for: "good-2")
            try terminal.wait(for: "(not stored)")
            #expect(terminal.screen.contains("offline"))
            terminal.resize(columns: 60, rows: 7)
            try terminal.wait(for: "room for 2 of 3 rows")
            terminal.type("k")
            try terminal.wait(for: "shop-7")
            terminal.type("q")
            #expect(try terminal.ended() == 0)
        }
    }

    @Test("an empty storage offline says how to fill it")
    func empty() async throws {
        let server = try await server()
        try await browse(server, "--offline") { terminal in
            let status = try terminal.ended()
            #expect(status == 4)
            #expect(terminal.output.contains("nothing is stored at"), "\(terminal.output)")
        }
        #expect(server.seen.requests.isEmpty)
    }
}
#endif
