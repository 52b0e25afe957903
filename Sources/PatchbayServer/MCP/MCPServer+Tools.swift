import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayNetworking

extension MCPServer {
    /// Calls a tool. What goes wrong in it is a result that the agent can read; only an unknown tool is an error of the
    /// protocol.
    func call(_ params: JSONValue) async throws(RPCError) -> [(name: String, value: JSONValue)] {
        guard let tool = MCPTool.named(in: params) else {
            let names = MCPTool.all.map(\.name)
            throw RPCError(
                .invalidParams, EditDistance.unknown("tool", params["name"]?.word ?? "", in: names))
        }
        let call = ServedCall.current
        call?.note(tool: tool.name)
        var answer: MCPAnswer
        do {
            let arguments = try MCPArguments(params["arguments"], of: tool)
            answer = try await RateLimit.$waits.withValue(false) { try await tool.run(arguments, self) }
            call?.add(toolRows: answer.rowCount)
        } catch {
            answer = MCPAnswer(tool.naming(Problem(error, at: api.clock.now())))
        }
        answer.requestsSent = call?.requestsSent ?? 0
        if answer.isError { call?.noteFailure() }
        return answer.result
    }

    static let pageRowsUsual = 50

    /// Reads a page whose rows fit into an answer. If some do not, it is read again with a smaller limit, so that rows
    /// and continuation belong together.
    fileprivate func page(
        _ path: [String], _ query: [(name: String, value: String?)], limit: Int?,
        rows: (JSONValue) -> [JSONValue]
    ) async throws -> (call: MCPCall, rows: [JSONValue], isCut: Bool) {
        var limit = limit ?? Self.pageRowsUsual, isCut = false
        while true {
            let call = try await api.call(path, query + [("limit", "\(limit)")])
            let fitting = MCPRows(rows(call.body), bytesMax: options.answerBytes)
            guard fitting.isCut else { return (call, fitting.rows, isCut) }
            (limit, isCut) = (fitting.rows.count, true)
        }
    }
}

extension MCPTool {
    static let resources = MCPTool(
        name: "resources",
        description:
            "Lists sources and resources with stored rows, including those no longer listed, lists and ages; with "
            + "name, one with all fields.",
        arguments: [Argument(name: "name", kind: .text)]
    ) { arguments, server in
        let all = try await server.api.call(["resources"]).body.elements
        guard let name = arguments.text("name") else {
            return MCPAnswer(
                "\(all.count) resources", [("resources", .array(all.map { .object($0.outline) }))])
        }
        let served = try server.api.gateways.resource(named: name)
        let found = all.first { $0["name"]?.word == served.name } ?? .null
        let fields = (found["fields"]?.elements ?? []).map { field in
            "\(field["name"]?.word ?? "") \(field["type"]?.word ?? "")"
        }
        let indexes = (found["indexes"]?.elements ?? []).map { index in
            JSONValue((index["fields"]?.elements ?? []).compactMap { $0["name"]?.word })
        }
        return MCPAnswer(
            "The resource \(served.name)",
            found.outline + [
                ("key", found["key"] ?? .null), ("fields", JSONValue(fields)), ("indexes", .array(indexes)),
            ])
    }

    static let rows = MCPTool(
        name: "rows",
        description:
            "Stored rows of a resource, of one of its lists, or whose indexed fields have some values.",
        arguments: [
            Argument(name: "resource", kind: .text, isRequired: true),
            Argument(name: "list", kind: .text, summary: "The list's name"),
            Argument(name: "of", kind: .texts, summary: "What the list needs, such as its owner"),
            Argument(
                name: "where", kind: .values, summary: "Fields of an index with their values",
                parameter: Parameter.equal.name),
            Argument(name: "prefix", kind: .values, summary: "One field with the beginning of its value"),
            Argument(name: "order", kind: .text, summary: "ascending or descending, along the index"),
            Argument(name: "fields", kind: .texts), Argument(name: "limit", kind: .integer),
            Argument(
                name: "cursor", kind: .text, summary: "From the previous answer",
                parameter: Parameter.after.name),
        ]
    ) { arguments, server in
        let served = try server.api.gateways.resource(named: arguments.text("resource") ?? "", as: "resource")
        var query: [(name: String, value: String?)] = [
            ("list", arguments.text("list")), ("order", arguments.text("order")),
            ("after", arguments.text("cursor")), ("policy", Policy.localOnly.rawValue),
            ("fields", arguments.joined("fields")),
        ]
        query += arguments.texts("of").map { ("of", $0) }
        query += try served.resource.walk(
            equal: arguments.pairs("where"), prefix: arguments.pairs("prefix"))
        let page = try await server.page(
            ["resources", served.name], query, limit: arguments.integer("limit"), rows: \.elements)
        let next = page.call.next
        var answer = MCPAnswer(
            "\(page.rows.count) stored rows of \(served.name)" + (next == nil ? "" : "; more follow"),
            [("rows", .array(page.rows)), ("truncated", .bool(page.isCut)), ("cursor", JSONValue(next))])
        answer.add(page.call.provenance, at: server.api.clock.now())
        let list = arguments.text("list"), words = arguments.texts("of")
        let isNamed = list != nil || !words.isEmpty || served.resource.hasUsualList
        let isWalk = query.contains { $0.name == "by" || $0.name == "order" && $0.value != nil }
        try await server.addShortfall(
            to: &answer, ofList: isNamed && !isWalk ? (list, words) : nil, served)
        if next == nil, page.call.provenance?.hasMore == true {
            answer.add(
                endOfPages: "the pages of a list end at its row \(Limits.pageRows); \"order\" reads all "
                    + "stored rows, and \"query\" selects some")
        }
        return answer
    }

    static let row = MCPTool(
        name: "row", description: "One stored row by its handle or key.",
        arguments: [
            Argument(name: "resource", kind: .text, isRequired: true),
            Argument(name: "handle", kind: .text, isRequired: true, parameter: "key"),
            Argument(name: "fields", kind: .texts),
        ]
    ) { arguments, server in
        let served = try server.api.gateways.resource(named: arguments.text("resource") ?? "", as: "resource")
        let handle = arguments.text("handle") ?? ""
        func read(_ handle: String) async throws -> MCPCall {
            try await server.api.call(
                ["resources", served.name, handle],
                [("policy", Policy.localOnly.rawValue), ("fields", arguments.joined("fields"))])
        }
        let call: MCPCall
        do {
            call = try await read(handle)
        } catch let problem as Problem where problem.status == .notFound {
            guard let known = try await served.handle(ofKey: handle) else {
                throw Problem.notFound(
                    "\(served.resource.singular) \"\(handle)\" is not stored; \"refresh\" with \"row\" fetches it",
                    parameter: "handle")
            }
            call = try await read(known)
        }
        let cut = MCPRows([call.body], bytesMax: server.options.answerBytes)
        var answer = MCPAnswer(
            "The row \(Quotation.quoted(handle)) of \(served.name)", [("row", cut.rows[0])])
        answer.add(call.provenance, at: server.api.clock.now())
        if call.provenance?.isComplete == false {
            let reason = "only what lists contain is stored; \"refresh\" with \"row\" fetches the details"
            answer.members.append(("reason", .text(reason)))
        }
        return answer
    }

    static let find = MCPTool(
        name: "find",
        description:
            "Stored rows of all resources in whose texts words occur, the best first, with excerpts.",
        arguments: [
            Argument(
                name: "text", kind: .text, summary: "words, \"phrases\", beginnings*, -not", isRequired: true,
                parameter: "q"),
            Argument(name: "resources", kind: .texts, parameter: Parameter.of.name),
            Argument(name: "limit", kind: .integer),
        ]
    ) { arguments, server in
        let found = try await server.api.call(
            ["find"],
            [
                ("q", arguments.text("text")), ("of", arguments.joined("resources")),
                ("limit", "\(arguments.integer("limit") ?? findRowsUsual)"),
            ]
        ).body
        let cut = MCPRows(found["rows"]?.elements ?? [], bytesMax: server.options.answerBytes)
        var answer = MCPAnswer(
            "\(cut.rows.count) of \(found["matches"]?.word ?? "0") rows",
            [("rows", .array(cut.rows)), ("truncated", .bool(cut.isCut))]
                + ["matches", "all_ranked", "complete", "reason"].map { ($0, found[$0] ?? .null) })
        answer.add(oldest: cut.rows, "fetched_at", at: server.api.clock.now())
        if let reason = found["reason"]?.word { answer.add(shortfall: reason, nil) }
        return answer
    }

    static let query = MCPTool(
        name: "query",
        description:
            "The answer of one SELECT in SQLite's dialect over the stored rows. Each resource is a table; "
            + "find('words', 'TABLE') ranks rows by words, key is the _key of the table.",
        arguments: [
            Argument(name: "sql", kind: .text, isRequired: true),
            Argument(name: "values", kind: .values, summary: "Values of parameters such as :name"),
            Argument(name: "limit", kind: .integer),
        ]
    ) { arguments, server in
        var body: [(name: String, value: JSONValue)] = [
            ("sql", .text(arguments.text("sql") ?? "")),
            ("limit", JSONValue(Int64(arguments.integer("limit") ?? Self.queryRowsUsual))),
        ]
        if let values = arguments["values"] { body.append(("values", values)) }
        let answered = try await server.api.call(["query"], body: .object(body)).body
        let cut = MCPRows(answered["rows"]?.elements ?? [], bytesMax: server.options.answerBytes)
        let tables = answered["tables"]?.elements ?? []
        let room = "the answer has room for \(cut.rows.count) of \(cut.allCount) rows"
        let reasons = [cut.isCut ? room : nil, answered["reason"]?.word].compactMap(\.self)
        var answer = MCPAnswer(
            Count.words(cut.rows.count, "row")
                + (cut.isCut ? "; the rest does not fit, so select fewer rows or columns" : ""),
            [
                ("columns", answered["columns"] ?? .null), ("rows", .array(cut.rows)),
                ("truncated", .bool(cut.isCut)),
                ("complete", cut.isCut ? false : answered["complete"] ?? .null),
                ("reason", reasons.isEmpty ? .null : .text(reasons.joined(separator: "; "))),
                ("tables", .array(tables)),
            ])
        answer.add(oldest: tables, "oldest_sync", at: server.api.clock.now())
        try await server.addShortfall(to: &answer, of: tables)
        return answer
    }

    static let changes = MCPTool(
        name: "changes",
        description: "Rows that changed since a position, oldest change first; without one, all rows.",
        arguments: [
            Argument(name: "since", kind: .text, summary: "The position of an earlier answer"),
            Argument(name: "resources", kind: .texts, parameter: Parameter.of.name),
            Argument(name: "limit", kind: .integer),
        ]
    ) { arguments, server in
        let query = [("since", arguments.text("since")), ("of", arguments.joined("resources"))]
        let page = try await server.page(["changes"], query, limit: arguments.integer("limit")) {
            $0["changes"]?.elements ?? []
        }
        return MCPAnswer(
            Count.words(page.rows.count, "change"),
            [("changes", .array(page.rows)), ("truncated", .bool(page.isCut))]
                + ["position", "more", "restart"].map { ($0, page.call.body[$0] ?? .null) })
    }

    static let limits = MCPTool(
        name: "limits",
        description:
            "What is left of rate limits and budgets; with a resource, also what a refresh would cost.",
        arguments: [
            Argument(name: "resource", kind: .text), Argument(name: "list", kind: .text),
            Argument(name: "of", kind: .texts),
        ]
    ) { arguments, server in
        let limits = try await server.api.call(["limits"]).body
        var answer = MCPAnswer("\(limits.elements.count) limits are known", [("limits", limits)])
        if let name = arguments.text("resource") {
            let served = try server.api.gateways.resource(named: name, as: "resource")
            answer["refresh"] = try await server.offer(
                list: arguments.text("list"), of: arguments.texts("of"), served)
        }
        return answer
    }

    private static let queryRowsUsual = 200
    private static let findRowsUsual = 20
}

extension MCPArguments {
    /// The texts of an argument as one list; nil if it was not given.
    fileprivate func joined(_ name: String) -> String? {
        let texts = texts(name)
        return texts.isEmpty ? nil : texts.joined(separator: ",")
    }
}

extension JSONValue {
    /// What a list of resources says of one.
    fileprivate var outline: [(name: String, value: JSONValue)] {
        let lists = (self["lists"]?.elements ?? []).map { list in
            JSONValue.object(
                (list["name"]?.word.map { [("list", .text($0))] } ?? []) + [("of", list["of"] ?? .null)])
        }
        return [
            ("name", self["name"] ?? .null), ("source", self["source"] ?? .null),
            ("rows", self["count"] ?? .null), ("synced_at", self["fetched_at"] ?? .null),
            ("handle", self["handle"] ?? .null), ("lists", .array(lists)),
        ]
    }
}
