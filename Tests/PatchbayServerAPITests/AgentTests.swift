import HTTPTypes
@testable import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayServer

/// A conversation over two streams, as `patchbay mcp` has it.
private struct Conversation: Sendable {
    private let said = Said()
    let session: MCPSession

    private final class Said: Sendable { let messages = Mutex<[JSONValue]>([]) }

    init(_ fixture: APIFixture) async throws {
        let ledger = try await ClientLedger([], nil, clock: fixture.clock.layerClock) {
            error in
            Issue.record(error)
        }
        session = MCPSession(fixture.api, ledger) { [said] line in
            said.messages.withLock { $0.append((try? JSONValue(line)) ?? .text("not JSON")) }
        }
    }

    var messages: [JSONValue] { said.messages.withLock { $0 } }

    /// Sends lines and returns everything that was answered once they are.
    static func lines(_ fixture: APIFixture, _ lines: String...) async throws -> [JSONValue] {
        let conversation = try await Conversation(fixture)
        await conversation.session.receive(Array(lines.joined(separator: "\n").utf8))
        await conversation.session.end()
        return conversation.messages
    }

    /// Sends a request and waits for its answer.
    @discardableResult
    func request(_ id: Int, _ method: String, _ parameters: String) async throws -> JSONValue {
        let line = #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
        await session.receive(Array((line + "\n").utf8))
        return try await message { $0["id"]?.word == String(id) }
    }

    /// Waits for a message.
    func message(_ isWanted: (JSONValue) -> Bool) async throws -> JSONValue {
        while true {
            if let found = messages.first(where: isWanted) { return found }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// `_meta` of the era without `initialize`.
private let meta = metadata(of: "2026-07-28")

private func metadata(of version: String) -> String {
    let start = #""_meta":{"io.modelcontextprotocol/protocolVersion":"#
    return #"\#(start)"\#(version)","io.modelcontextprotocol/clientCapabilities":{}}"#
}

extension APIFixture {
    /// Calls a tool and returns its structured content.
    fileprivate func tool(
        _ name: String, _ arguments: String = "{}", _ options: MCPOptions = MCPOptions()
    ) async throws -> (content: JSONValue, isError: Bool) {
        let server = MCPServer(api: api.api, options: options, isOverStream: true)
        let parameters = try JSONValue(Array(#"{"name":"\#(name)","arguments":\#(arguments)}"#.utf8))
        let result = JSONValue.object(try await server.call(parameters))
        // The text has the same content, apart from words of ours.
        let text = result["content"]?.elements.first?["text"]?.word ?? ""
        let last = text.split(separator: "\n").last ?? ""
        #expect(last == String(decoding: result["structuredContent"]!.line, as: UTF8.self))
        let isError = if case .bool(true)? = result["isError"] { true } else { false }
        let content = result["structuredContent"]
        let isBare = isError && content?["rows"] == nil && content?["row"] == nil
        #expect(text.contains("untrusted data") != isBare)
        return (result["structuredContent"] ?? .null, isError)
    }
}

extension JSONValue {
    /// The truth of a Boolean; nil for any other value.
    fileprivate var isTrue: Bool? { if case .bool(let isTrue) = self { isTrue } else { nil } }
}

@Suite("Agents")
struct AgentTests {
    @Test("both eras of the protocol are answered, each with its own members")
    func eras() async throws {
        let fixture = try await APIFixture()
        let answers = try await Conversation.lines(
            fixture,
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
            #"{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":"b","method":"tools/list","params":{\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":"c","method":"ping","params":{\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"ping"}"#)
        let byID = Dictionary(uniqueKeysWithValues: answers.map { ($0["id"]?.word ?? "", $0) })
        #expect(byID.count == 6)
        #expect(byID["1"]?["result"]?["protocolVersion"]?.word == "2025-06-18")
        #expect(byID["1"]?["result"]?["serverInfo"]?["name"]?.word == "patchbay")
        #expect(byID["2"]?["result"]?["resultType"] == nil)
        #expect(byID["b"]?["result"]?["resultType"]?.word == "complete")
        #expect(byID["b"]?["result"]?["cacheScope"]?.word == "private")
        let versions = byID["a"]?["result"]?["supportedVersions"]?.elements.compactMap(\.word)
        #expect(versions == ["2026-07-28", "2025-11-25", "2025-06-18"])
        #expect(byID["c"]?["error"]?["code"]?.word == "-32601")
        #expect(byID["3"]?["result"]?.isObject == true)
    }

    @Test("the definitions of all tools are small")
    func definitions() {
        let bytes = JSONValue.array(MCPTool.all.map(\.definition)).line.count
        #expect(bytes <= 8_000, "\(bytes) bytes")
    }

    @Test(
        "a wrong message is answered with the error of its kind, and nothing ends",
        arguments: [
            ("{", "-32700"), ("[]", "-32600"), ("null", "-32600"), (#"{"id":1}"#, "-32600"),
            (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":1}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#, "-32601"),
            (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, "-32602"),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rowz"}}"#, "-32602"),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}"#,
                "-32602"
            ),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{\#(metadata(of: "1900-01-01"))}}"#,
                "-32022"
            ),
        ])
    func errors(_ line: String, _ code: String) async throws {
        let fixture = try await APIFixture()
        let answers = try await Conversation.lines(
            fixture, line, #"{"jsonrpc":"2.0","id":"after","method":"ping"}"#)
        #expect(answers.contains { $0["error"]?["code"]?.word == code }, "\(answers)")
        #expect(answers.contains { $0["id"]?.word == "after" && $0["result"] != nil })
    }

    @Test("a line that is too long is an error, and the next one is answered")
    func longLine() async throws {
        let fixture = try await APIFixture()
        let answers = try await Conversation.lines(
            fixture, String(repeating: "x", count: 1 << 20 + 1),
            #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        #expect(answers.map { $0["error"]?["code"]?.word } == ["-32600", nil])
    }

    @Test("rows are found in lists and by indexed fields, page by page, without requests")
    func rows() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let sent = fixture.feed.requests.count
        var ids: [String] = [], cursor = ""
        repeat {
            let page = try await fixture.tool(
                "rows", #"{"resource":"people","limit":20,"fields":["id"]\#(cursor)}"#)
            ids += page.content["rows"]?.elements.compactMap { $0["id"]?.word } ?? []
            cursor = page.content["cursor"]?.word.map { #","cursor":"\#($0)""# } ?? ""
        } while !cursor.isEmpty
        #expect(ids == (1...50).map(String.init))
        let found = try await fixture.tool("rows", #"{"resource":"people","where":{"login":"user-7"}}"#)
        #expect(found.content["rows"]?.elements.compactMap { $0["id"]?.word } == ["7"])
        let begun = try await fixture.tool(
            "rows",
            #"{"resource":"people","prefix":{"login":"user-4"},"order":"descending","fields":["login"]}"#)
        #expect(begun.content["rows"]?.elements.first?["login"]?.word == "user-49")
        let wrong = try await fixture.tool("rows", #"{"resource":"people","where":{"name":"x","id":1}}"#)
        #expect(wrong.isError && wrong.content["argument"]?.word == "where")
        #expect(fixture.feed.requests.count == sent)
    }

    @Test("an answer has at most the configured size, and its cursor continues with the next row")
    func size() async throws {
        let fixture = try await APIFixture(fetching: "people")
        var options = MCPOptions()
        options.answerBytes = 1_000
        var ids: [String] = [], cursor = "", pages = 0
        repeat {
            let (content, _) = try await fixture.tool("rows", #"{"resource":"people"\#(cursor)}"#, options)
            let rows = content["rows"]?.elements ?? []
            #expect(!rows.isEmpty && rows.reduce(0) { $0 + $1.line.count } <= 1_000)
            ids += rows.compactMap { $0["id"]?.word }
            cursor = content["cursor"]?.word.map { #","cursor":"\#($0)""# } ?? ""
            pages += 1
        } while !cursor.isEmpty
        #expect(ids == (1...50).map(String.init) && pages > 2)
        var seen = 0, position = ""
        repeat {
            let (content, _) = try await fixture.tool("changes", #"{"limit":50\#(position)}"#, options)
            seen += content["changes"]?.elements.count ?? 0
            position = #","since":"\#(content["position"]?.word ?? "")""#
            if case .bool(false)? = content["more"] { break }
        } while true
        #expect(seen == 50)
        let (content, _) = try await fixture.tool("query", #"{"sql":"SELECT * FROM people"}"#, options)
        let count = content["rows"]?.elements.count ?? 0
        #expect((1..<50).contains(count))
        if case .bool(true)? = content["complete"] { Issue.record("a part is not complete") }
        #expect(content["reason"]?.word?.hasPrefix("the answer has room for \(count) of 50 rows") == true)
    }

    @Test("the last page of a list that has more rows than pages reach is not complete")
    func endOfPages() async throws {
        let fixture = try await APIFixture(projects: 1...10_010)
        try await fixture.fetch("projects", "octocat")
        var options = MCPOptions()
        options.answerBytes = 1_000_000
        var count = 0, cursor = "", last = JSONValue.null
        repeat {
            last = try await fixture.tool(
                "rows", #"{"resource":"projects","of":["octocat"],"limit":1000,"fields":["id"]\#(cursor)}"#,
                options
            ).content
            count += last["rows"]?.elements.count ?? 0
            cursor = last["cursor"]?.word.map { #","cursor":"\#($0)""# } ?? ""
        } while !cursor.isEmpty
        #expect(count == 10_000 && last["complete"]?.isTrue == false)
        #expect(last["reason"]?.word?.hasPrefix("the pages of a list end at its row 10000") == true)
    }

    @Test("a resource that is read says that it is the first rows, because no cursor continues it")
    func readResource() async throws {
        let fixture = try await APIFixture(people: 1...60)
        try await fixture.fetch("people")
        let server = MCPServer(api: fixture.api.api, options: MCPOptions(), isOverStream: true)
        let read = JSONValue.object(try await server.read(["uri": "patchbay://test/people"]))
        let text = read["contents"]?.elements.first?["text"]?.word ?? ""
        let content = try JSONValue(Array(text.utf8))
        #expect(content["rows"]?.elements.count == 50 && content["truncated"]?.isTrue == true)
        #expect(content["complete"]?.isTrue == false)
        #expect(text.split(separator: #""complete":"#).count == 2, "\(text)")
        #expect(content["reason"]?.word?.hasPrefix("these are the first 50 rows") == true)
    }

    @Test("text of rows is only after the line that calls it untrusted")
    func mark() {
        var answer = MCPAnswer("1 row", [("rows", [["name": "do this"]])])
        answer.add(shortfall: "two rows differ (name \"do this\")", nil)
        for isError in [false, true] {
            answer.isError = isError
            let text = JSONValue.object(answer.result)["content"]?.elements.first?["text"]?.word ?? ""
            let parts = text.split(separator: "untrusted data")
            #expect(parts.count == 2 && parts.first?.contains("do this") == false, "\(text)")
        }
    }

    @Test("long texts are shortened before rows are left out, and state their length")
    func shortened() {
        let long = String(repeating: "x", count: 5_000)
        let rows = [JSONValue.object([("id", 1), ("body", .text(long))]), ["id": 2, "none": .null]]
        let whole = MCPRows(rows, bytesMax: 10_000)
        #expect(whole.rows[0]["body"]?.word == long && !whole.isCut)
        #expect(whole.rows[1].members.map(\.name) == ["id"])
        let cut = MCPRows(rows, bytesMax: 2_000)
        #expect(!cut.isCut && cut.rows[0]["body"]?.word?.hasSuffix("… [5000 characters, shortened]") == true)
    }

    @Test("a row with long arrays and objects fits into an answer, and so does a message about a long value")
    func longValues() async throws {
        let numbers = (0..<20_000).map { JSONValue(Int64($0)) }
        let names = JSONValue.object(numbers.prefix(500).map { ("number \($0.word ?? "")", $0) })
        let row: JSONValue = [
            "id": 1, "numbers": .array(numbers), "some": [["deep": .array(numbers)]],
            "names": [names, names],
            "long": .object([(String(repeating: "x", count: 9_000), 1)]),
        ]
        let cut = MCPRows([row, row], bytesMax: 3_000)
        #expect(!cut.isCut && cut.rows[0].line.count < 1_500 && cut.rows[0]["id"]?.word == "1")
        let kept = cut.rows[0]["numbers"]?.elements ?? []
        #expect(kept.last?.word == "… [\(20_000 - (kept.count - 1)) more]" && kept[1].word == "1")
        #expect(MCPRows([.array(numbers)], bytesMax: 1_000).rows[0].elements.count == 20_000, "columns stay")
        let fixture = try await APIFixture()
        let long = String(repeating: "x", count: 100_000)
        let wrong = try await fixture.tool("rows", #"{"resource":"\#(long)"}"#)
        #expect(wrong.isError && wrong.content.line.count < 3_000)
    }

    @Test(
        "a wrong argument is named as the tool names it",
        arguments: [
            ("rows", #"{"resource":"people","where":{"id":5.0}}"#, "where"),
            ("rows", #"{"resource":"people","cursor":"zz"}"#, "cursor"),
            ("rows", #"{"resource":"people","order":"up"}"#, "order"),
            ("rows", #"{"resource":"people","limt":5}"#, "limt"),
            ("find", #"{"text":""}"#, "text"), ("find", #"{"text":"x","resources":["nope"]}"#, "resources"),
            ("changes", #"{"resources":["nope"]}"#, "resources"),
            ("row", #"{"resource":"people","handle":"?"}"#, "handle"),
        ])
    func argumentNames(_ tool: String, _ arguments: String, _ name: String) async throws {
        let fixture = try await APIFixture { $0.resources[0].find = ["login"] }
        let wrong = try await fixture.tool(tool, arguments)
        #expect(wrong.isError && wrong.content["argument"]?.word == name, "\(wrong.content.line.count)")
        let message = wrong.content["message"]?.word ?? ""
        for other in ["equal: ", "after: ", "q: ", "of: "] {
            #expect(!message.hasPrefix(other), "\(message)")
        }
    }

    @Test("a row is read by its handle or its key")
    func rowByKey() async throws {
        let fixture = try await APIFixture(fetching: "people")
        for name in ["user-7", "7"] {
            let found = try await fixture.tool("row", #"{"resource":"people","handle":"\#(name)"}"#)
            #expect(found.content["row"]?["login"]?.word == "user-7", "\(name)")
        }
    }

    @Test(
        "handles that look like encoded dots are those of their own rows",
        arguments: ["%2E", "%2e%2E", "."])
    func encodedDots(_ login: String) async throws {
        let fixture = try await APIFixture(people: 1...2)
        fixture.feed.change("people") { rows in
            rows[0]["login"] = .text(login)
            rows[1]["login"] = .text("..")
        }
        try await fixture.fetch("people")
        let found = try await fixture.tool("row", #"{"resource":"people","handle":"\#(login)"}"#)
        #expect(found.content["row"]?["id"]?.word == "1", "\(login)")
    }

    @Test("a refresh sends requests, but one that needs many only after its plan was shown")
    func refresh() async throws {
        let fixture = try await APIFixture()
        let first = try await fixture.tool("refresh", #"{"resource":"people"}"#)
        #expect(first.content["state"]?.word == "complete" && first.content["rows"]?.word == "50")
        var options = MCPOptions()
        options.refreshRequests = 2
        let sent = fixture.feed.requests.count
        let planned = try await fixture.tool("refresh", #"{"resource":"people"}"#, options)
        let id = try #require(planned.content["plan"]?["id"]?.word)
        #expect(planned.content["plan"]?["requests_max"]?.word == "3")
        #expect(fixture.feed.requests.count == sent)
        let guessed = try await fixture.tool("refresh", #"{"resource":"people","plan":"x"}"#, options)
        #expect(guessed.content["plan"] != nil && fixture.feed.requests.count == sent)
        let run = try await fixture.tool("refresh", #"{"resource":"people","plan":"\#(id)"}"#, options)
        #expect(run.content["state"]?.word == "complete" && fixture.feed.requests.count > sent)
    }

    @Test("several rows are fetched by one call, which names those that cannot be")
    func refreshOfRows() async throws {
        let fixture = try await APIFixture()
        func fetch(_ names: String) async throws -> (content: JSONValue, isError: Bool) {
            var options = MCPOptions()
            options.refreshRequests = 3
            return try await fixture.tool("refresh", #"{"resource":"people","rows":[\#(names)]}"#, options)
        }
        let some = try await fetch(#""user-1","nobody","user-2""#)
        #expect(some.content["rows"]?.elements.compactMap { $0["id"]?.word } == ["1", "2"] && !some.isError)
        #expect(some.content["failures"]?.elements.compactMap { $0["row"]?.word } == ["nobody"])
        let isComplete = if case .bool(false)? = some.content["complete"] { false } else { true }
        #expect(!isComplete)
        #expect(try await fetch(#""nobody""#).isError)
        let sent = fixture.feed.requests.count
        let none = try await fetch("")
        #expect(!none.isError && none.content["rows"]?.elements.count == 0, "an empty array is not a list")
        let tooMany = try await fetch(#""user-1","user-2","user-3","user-4""#)
        #expect(tooMany.isError && tooMany.content["argument"]?.word == "rows")
        #expect(fixture.feed.requests.count == sent)
    }

    @Test(
        "a refresh of rows refuses the arguments of lists, except those that say nothing",
        arguments: [
            (#""row":"user-1","list":"all""#, "list"), (#""row":"user-1","of":["x"]"#, "of"),
            (#""rows":["user-1"],"plan":"x""#, "plan"), (#""row":"user-1","rows":["user-2"]"#, "rows"),
            (#""row":"user-1","of":[],"details":false,"rows":[]"#, nil),
        ] as [(String, String?)])
    func refreshForms(_ arguments: String, _ refused: String?) async throws {
        let fixture = try await APIFixture()
        let answer = try await fixture.tool("refresh", #"{"resource":"people",\#(arguments)}"#)
        #expect(answer.content["argument"]?.word == refused && answer.isError == (refused != nil))
        #expect(fixture.feed.requests.isEmpty == (refused != nil))
    }

    @Test("a number without a fraction is whole, however it is written")
    func wholeNumbers() async throws {
        let fixture = try await APIFixture(fetching: "people")
        for limit in ["2", "2.0", "2e0"] {
            let found = try await fixture.tool("rows", #"{"resource":"people","limit":\#(limit)}"#)
            #expect(found.content["rows"]?.elements.count == 2, "\(limit)")
        }
        for limit in ["2.5", "0", "-1", "1e300"] {
            #expect(
                try await fixture.tool("rows", #"{"resource":"people","limit":\#(limit)}"#).isError,
                "\(limit)")
        }
    }

    @Test("a refresh of a row that could not be fetched is an error, with the stored row")
    func failedRefreshOfRow() async throws {
        let fixture = try await APIFixture()
        try await fixture.fetch("people")
        fixture.feed.answers.fail(with: PatchbayError(.invalidResponse, "the source is out of order"))
        let failed = try await fixture.tool("refresh", #"{"resource":"people","row":"user-7"}"#)
        #expect(failed.isError && failed.content["row"]?["id"]?.word == "7")
        #expect(failed.content["message"]?.word?.contains("out of order") == true)
    }

    @Test("an answer that may lack rows says so, with the refresh that fetches them and its cost")
    func shortfalls() async throws {
        let fixture = try await APIFixture { $0.resources[0].find = ["login"] }
        let empty = try await fixture.tool("rows", #"{"resource":"people"}"#).content
        #expect(empty["reason"]?.word == "this list was never fetched" && empty["as_of"] == nil)
        let unfound = try await fixture.tool("find", #"{"text":"user"}"#).content
        #expect(unfound["reason"]?.word == "never synced to the end: people")
        let calls = [
            ("rows", #"{"resource":"people","limit":50}"#),
            ("rows", #"{"resource":"people","where":{"id":7}}"#),
            ("query", #"{"sql":"SELECT count(*) FROM people"}"#),
        ]
        func expect(complete: Bool, _ comment: Comment) async throws {
            for (name, arguments) in calls {
                let content = try await fixture.tool(name, arguments).content
                let isComplete = if case .bool(true)? = content["complete"] { true } else { false }
                #expect(isComplete == complete && (content["reason"] == nil) == complete, comment)
                let offer = content["refresh"]?.elements.first ?? content["refresh"]
                #expect((offer?["resource"]?.word == "people") == !complete, comment)
            }
        }
        try await expect(complete: false, "nothing was fetched")
        var options = MCPOptions()
        options.refreshRequests = 1
        _ = try await fixture.tool("refresh", #"{"resource":"people"}"#, options)
        try await expect(complete: false, "the first page was fetched")
        let sent = fixture.feed.requests.count
        let offer = try await fixture.tool("limits", #"{"resource":"people"}"#).content["refresh"]
        #expect(offer?["requests_min"]?.word == "1" && offer?["requests_max"] == nil)
        #expect(fixture.feed.requests.count == sent)
        _ = try await fixture.tool("refresh", #"{"resource":"people"}"#)
        try await expect(complete: true, "all pages were fetched")
        _ = await (try fixture.gateway.sync("people", from: .theBeginning, maximumRequests: 1)).run()
        try await expect(complete: true, "a later sync that was interrupted takes no rows away")
    }

    @Test("a list of unknown length stops after the requests that need no plan, and says so")
    func unknownLength() async throws {
        let fixture = try await APIFixture()
        var options = MCPOptions()
        options.refreshRequests = 1
        let first = try await fixture.tool("refresh", #"{"resource":"people"}"#, options)
        #expect(first.content["state"]?.word == "limit reached" && first.content["rows"]?.word == "20")
        if case .bool(true)? = first.content["complete"] { Issue.record("a part is not complete") }
    }

    @Test("a query only reads, and a wrong argument names itself")
    func query() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let counted = try await fixture.tool(
            "query", #"{"sql":"SELECT count(*) AS n FROM people WHERE id > :least","values":{"least":40}}"#)
        #expect(counted.content["rows"]?.elements.first?.elements.first?.word == "10")
        for arguments in [#"{"sql":"DELETE FROM people"}"#, #"{"sql":1,"x":2}"#, "{}", #"{"sql":["a"]}"#] {
            #expect(try await fixture.tool("query", arguments).isError, "\(arguments)")
        }
    }

    @Test(
        "a subscription reports the rows that it names, and ends with the conversation",
        .timeLimit(.minutes(5)))
    func subscription() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let conversation = try await Conversation(fixture)
        let uris = #"["patchbay://test/people/user-1","patchbay://test/people/user-2"]"#
        await conversation.session.receive(
            Array(
                (#"{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{\#(meta),"#
                    + #""notifications":{"resourceSubscriptions":\#(uris)}}}"# + "\n").utf8))
        let agreed = try await conversation.message { $0["method"]?.word?.hasSuffix("acknowledged") == true }
        #expect(agreed["params"]?["notifications"]?["resourceSubscriptions"]?.elements.count == 2)
        try await fixture.edit("user-2", name: "Two")
        let updated = try await conversation.message { $0["method"]?.word?.hasSuffix("updated") == true }
        #expect(updated["params"]?["uri"]?.word == "patchbay://test/people/user-2")
        #expect(updated["params"]?["_meta"]?["io.modelcontextprotocol/subscriptionId"]?.word == "s")
        await conversation.session.end()
        _ = try await conversation.message { $0["id"]?.word == "s" && $0["result"] != nil }
        #expect(!conversation.messages.contains { $0["params"]?["uri"]?.word?.hasSuffix("user-1") == true })
    }

    @Test(
        "a subscription of the older era reports changes that follow its answer, and only those of its rows",
        .timeLimit(.minutes(5)))
    func olderSubscription() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let conversation = try await Conversation(fixture)
        let uris = ["patchbay://test/people", "patchbay://test/people/user-2", "patchbay://test/people/2"]
        for (id, uri) in uris.enumerated() {
            try await conversation.request(id, "resources/subscribe", #"{"uri":"\#(uri)"}"#)
        }
        // As another process, of which the revision shows only that it has written something.
        let store = fixture.gateway.store
        let other = try await fixture.otherGateway()
        store.changes.send(Set(store.schema.collections.map(\.name)))
        try await other.edit(other.resource("people"), "user-2", "name", to: "Two")
        store.changes.send(Set(store.schema.collections.map(\.name)))
        for uri in uris {
            _ = try await conversation.message { $0["params"]?["uri"]?.word == uri }
        }
        await conversation.session.end()
        #expect(conversation.messages.count { $0["method"] != nil } == uris.count)
    }

    @Test(
        "subscriptions have a limit of their own, which leaves room for other requests",
        .timeLimit(.minutes(5)))
    func subscriptionLimit() async throws {
        let fixture = try await APIFixture()
        let conversation = try await Conversation(fixture)
        func send(_ id: Int, _ method: String, _ number: Int) async throws -> JSONValue {
            try await conversation.request(
                id, method, #"{"uri":"patchbay://test/people/user-\#(number)"}"#)
        }
        let most = MCPSession.subscriptionsMax
        for number in 1...most {
            #expect(try await send(number, "resources/subscribe", number)["result"] != nil)
        }
        let refused = try await send(most + 1, "resources/subscribe", most + 1)
        #expect(refused["error"]?["message"]?.word?.hasPrefix("there are \(most) subscriptions") == true)
        #expect(try await send(most + 2, "resources/subscribe", 1)["result"] != nil, "it is replaced")
        #expect(try await send(most + 3, "ping", 0)["result"] != nil)
        #expect(try await send(most + 4, "resources/unsubscribe", 1)["result"] != nil)
        #expect(try await send(most + 5, "resources/subscribe", most + 1)["result"] != nil)
        await conversation.session.end()
    }

    @Test("what is still being answered ends with the session", .timeLimit(.minutes(5)))
    func stopped() async throws {
        let fixture = try await APIFixture(GatedFeed())
        let conversation = try await Conversation(fixture)
        let parameters = #"{"name":"refresh","arguments":{"resource":"people"}}"#
        let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":\#(parameters)}"#
        await conversation.session.receive(Array((call + "\n").utf8))
        await conversation.session.stop()
        #expect(conversation.messages.isEmpty)
    }

    @Test(
        "a subscription that was cancelled is not answered, and neither is a response",
        .timeLimit(.minutes(5)))
    func unanswered() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let conversation = try await Conversation(fixture)
        let uris = #"{"resourceSubscriptions":["patchbay://test/people/user-1"]}"#
        let listen = #""method":"subscriptions/listen","params":{\#(meta),"notifications":\#(uris)}"#
        await conversation.session.receive(Array((#"{"jsonrpc":"2.0","id":"s",\#(listen)}"# + "\n").utf8))
        _ = try await conversation.message { $0["method"]?.word?.hasSuffix("acknowledged") == true }
        for line in [
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}"#,
            #"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            #"{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"x"}}"#,
        ] {
            await conversation.session.receive(Array((line + "\n").utf8))
        }
        for id in 10..<20 { try await conversation.request(id, "ping", "{}") }
        await conversation.session.end()
        let ids = conversation.messages.compactMap { $0["id"]?.word }
        #expect(ids == (10..<20).map { "\($0)" })
    }

    @Test("a request that was cancelled is not answered")
    func cancelled() async throws {
        let gate = GatedFeed()
        let fixture = try await APIFixture(gate)
        let conversation = try await Conversation(fixture)
        let parameters = #"{"name":"refresh","arguments":{"resource":"people"}}"#
        let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":\#(parameters)}"#
        await conversation.session.receive(Array((call + "\n").utf8))
        let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
        await conversation.session.receive(Array((cancel + "\n").utf8))
        gate.open()
        await conversation.session.receive(Array((#"{"jsonrpc":"2.0","id":2,"method":"ping"}"# + "\n").utf8))
        await conversation.session.end()
        #expect(conversation.messages.compactMap { $0["id"]?.word } == ["2"])
    }

    @Test(
        "over HTTP, header fields must agree with the message",
        arguments: [
            ([:], 200, nil),
            (["MCP-Protocol-Version": "2025-11-25"], 400, "-32020"),
            (["Mcp-Method": "tools/call"], 400, "-32020"),
            (["Content-Type": "text/plain"], 415, nil), (["Accept": "text/html"], 406, nil),
        ] as [([String: String], Int, String?)])
    func headerFields(_ changes: [String: String], _ status: Int, _ code: String?) async throws {
        let fixture = try await APIFixture()
        let usual = [
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list",
        ]
        let body = #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{\#(meta)}}"#
        let answer = await fixture.send(
            .post, "/-/mcp", usual.merging(changes) { $1 }, body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.json["error"]?["code"]?.word == code)
        if changes.isEmpty { #expect(answer.json["result"]?["tools"]?.elements.count == MCPTool.all.count) }
    }

    @Test("over HTTP, only POST carries messages, and a notification has no answer")
    func methods() async throws {
        let fixture = try await APIFixture()
        let got = await fixture.get("/-/mcp")
        #expect(got.status == 405 && got["Allow"] == "POST")
        let fields = ["Content-Type": "application/json"]
        let noted = await fixture.send(
            .post, "/-/mcp", fields, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        #expect(noted.status == 202 && noted.bytes.isEmpty)
        let unknown = await fixture.send(
            .post, "/-/mcp", fields, #"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#)
        #expect(unknown.status == 404 && unknown.json["error"]?["code"]?.word == "-32601")
    }
}
