import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let query = Route(
        method: .get, path: "/query", operation: "query",
        summary:
            "The answer of a SELECT over the stored rows. Each resource is a table; no request is sent to a source.",
        parameters: [.sql, .queryLimit, .timeout], others: .queryValues,
        content: .schema(QueryAnswer.members.schema)
    ) { request, api in
        var statement = api.statement(
            request.text(.sql) ?? "", rows: request.integer(.queryLimit), seconds: request.integer(.timeout))
        statement.typed = request.others
        return try await api.answer(request, statement)
    }

    static let postQuery = Route(
        method: .post, path: "/query", operation: "postQuery",
        summary: "The same for a statement in the body, which may be longer.",
        body: Body(mediaTypes: ["application/json"], schema: QueryBody.schema),
        content: .schema(QueryAnswer.members.schema)
    ) { request, api in
        let body = try QueryBody(request.body)
        var statement = api.statement(body.sql, rows: body.limit, seconds: body.timeout)
        statement.values = body.values
        return try await api.answer(request, statement)
    }
}

/// The answer of a statement whose rows have been read.
private struct QueryAnswer {
    let columns: [String]
    let rows: [[OutputValue]]
    let reason: String?
    let tables: [(table: StoredQuestions.Table, resource: String)]

    static let members = Members<QueryAnswer> {
        Member("columns") { $0.columns }
        Member(
            "rows", "The values of each row, in the order of the columns. Bytes are base64.",
            ["type": "array", "items": ["type": "array", "items": ["type": ["string", "number", "null"]]]]
        ) { answer, json in
            json.beginArray()
            for row in answer.rows {
                json.beginArray()
                for value in row { json.value(value) }
                json.endArray()
            }
            json.endArray()
        }
        Member("complete", "Whether these are all rows.") { $0.reason == nil }
        Member("reason", "Why they are not.") { $0.reason }
        Member("tables", "The tables that the statement reads.", of: tableMembers) { $0.tables }
    }

    private static let tableMembers = Members<(table: StoredQuestions.Table, resource: String)> {
        Member("name") { $0.table.name }
        Member("resource") { $0.resource }
        Member("lists_synced", "The number of its lists that were fetched to their ends.") {
            $0.table.listsSynced
        }
        Member("lists_partial", "The number of its lists of which rows may be missing.") {
            $0.table.listsPartial
        }
        Member("oldest_sync") { $0.table.oldestSync }
        Member("newest_sync") { $0.table.newestSync }
    }
}

extension Parameter {
    fileprivate static let sql = Parameter(
        "sql", .words(charactersMax: 16_000),
        "A SELECT in SQLite's dialect. Its parameters :name are sent as parameters with these names."
    ).required
    fileprivate static let queryLimit = Parameter(
        "limit", .integer(1...Int64(Limits.pageRows)), "The maximum number of rows; 1,000 by default.")
    fileprivate static let timeout = Parameter(
        "timeout", .integer(1...30), "The number of seconds after which the statement ends; 30 by default.")
    fileprivate static let queryValues = Parameter(
        "values", .anything(charactersMax: 4_096), "The value of a parameter of the statement.")
}

struct QueryBody {
    let sql: String
    private(set) var values: [String: OutputValue] = [:]
    private(set) var limit: Int?
    private(set) var timeout: Int?

    /// - Throws: `Problem` when the body is not an object with a statement.
    init(_ body: [UInt8]) throws(Problem) {
        let members = try JSONBody.members(of: body, with: "the member \"sql\""),
            value = JSONValue.object(members)
        let names = Self.schema["properties"]?.members.map(\.name) ?? []
        if let unknown = members.first(where: { !names.contains($0.name) })?.name {
            throw .invalid(unknown, EditDistance.unknown("member", unknown, in: names))
        }
        guard case .text(let sql)? = value["sql"] else {
            throw .invalid(Parameter.sql.name, "the member is missing or not a text; send a SELECT")
        }
        self.sql = sql
        limit = try Self.integer(.queryLimit, in: value)
        timeout = try Self.integer(.timeout, in: value)
        guard let given = value[Parameter.queryValues.name] else { return }
        guard case .object = given else {
            throw .invalid(Parameter.queryValues.name, "the member is not an object of names and values")
        }
        for (name, value) in given.members { values[name] = try Self.value(value, name) }
    }

    private static func integer(_ parameter: Parameter, in body: JSONValue) throws(Problem) -> Int? {
        guard let value = body[parameter.name] else { return nil }
        guard case .number(let text) = value else {
            throw .invalid(parameter.name, "the member is not a number")
        }
        try parameter.check(text)
        return Int(text)
    }

    private static func value(_ value: JSONValue, _ name: String) throws(Problem) -> OutputValue {
        switch value {
        case .null: return .null
        case .text(let text): return .text(text)
        case .bool(let isTrue): return .integer(isTrue ? 1 : 0)
        case .number(let text):
            if let number = Int64(text) { return .integer(number) }
            if let number = Double(text) { return .real(number) }
            throw .invalid(name, "the number is out of range")
        case .array, .object:
            throw .invalid(name, "the value is neither a text, a number, true, false nor null")
        }
    }

    static let schema: JSONValue = [
        "type": "object", "required": ["sql"], "additionalProperties": false,
        "properties": [
            "sql": ["type": "string", "description": .text(Parameter.sql.summary)],
            "values": [
                "type": "object", "description": "The values of the statement's parameters, by their names.",
                "additionalProperties": ["type": ["string", "number", "boolean", "null"]],
            ],
            "limit": Parameter.queryLimit.schema, "timeout": Parameter.timeout.schema,
        ],
    ]
}

extension API {
    /// The maximum size of the rows of an answer, which is kept in memory.
    private static let bytesMax = 16 << 20
    private static let rowsUsual = 1_000

    fileprivate func statement(_ sql: String, rows: Int?, seconds: Int?) -> StoredQuestions.Statement {
        StoredQuestions.Statement(
            sql, rows: rows ?? Self.rowsUsual, bytes: Self.bytesMax, time: seconds.map { .seconds($0) })
    }

    fileprivate func answer(
        _ request: APIRequest, _ statement: StoredQuestions.Statement
    ) async throws -> ServerResponse {
        let answer = try await ownQuestions.answer(statement)
        var rows: [[OutputValue]] = []
        for try await row in answer.rows {
            ServedCall.current?.add(rows: 1)
            rows.append(row)
        }
        guard let ending = answer.ending() else { throw CancellationError() }
        let read = QueryAnswer(
            columns: answer.columns, rows: rows, reason: ending.reason,
            tables: ending.tables.map { ($0, gateways.name(of: $0.resource)) })
        return response(request, read, QueryAnswer.members)
    }
}

extension ServedGateways {
    /// The name of a resource in addresses.
    func name(of resource: Resource) -> String {
        resources.first { $0.resource == resource }?.name ?? resource.name
    }
}

extension Route {
    static let find = Route(
        method: .get, path: "/find", operation: "find",
        summary:
            "Stored rows in whose texts words occur, the best first, of all resources. No request is sent to a source.",
        parameters: [.words.required, .resources, .limit], content: .schema(foundMembers.schema)
    ) { request, api in
        let resources = try request.names(.resources).map { names in
            try names.map { try api.gateways.resource(named: $0, as: Parameter.resources.name).resource }
        }
        let found = try await api.ownQuestions.find(
            request.text(.words) ?? "", resources, request.integer(.limit) ?? Parameter.rowsUsual)
        ServedCall.current?.add(rows: found.rows.count)
        let rows = found.rows.map { ($0, api.gateways.name(of: $0.resource)) }
        return api.response(request, (found, rows), foundMembers)
    }

    private static let foundMembers = Members<
        (found: FoundRows, rows: [(row: FoundRows.Row, resource: String)])
    > {
        Member("rows", of: rowMembers) { $0.rows }
        Member("matches", "The number of rows that match, or were ranked.") { $0.found.count }
        Member("all_ranked", "Whether all rows that match were ranked, and not only the latest ones.") {
            !$0.found.isCut
        }
        Member("complete", "Whether all rows of the source were searched, with the latest changes.") {
            $0.found.reason == nil
        }
        Member("reason", "Why rows may be missing.") { $0.found.reason }
    }

    private static let rowMembers = Members<(row: FoundRows.Row, resource: String)> {
        Member("resource") { $0.resource }
        Member("source", "The name of the API.") { $0.row.resource.api }
        Member("key") { $0.row.item.keyText }
        Member("handle") { $0.row.item.handle }
        Member("title") { $0.row.item.title }
        Member("excerpt", "A part of the texts: in turn what is before, in and after a word that was found.")
        {
            $0.row.excerpt.parts
        }
        Member("fetched_at") { $0.row.item.state.fetchedAt }
    }
}

extension Parameter {
    fileprivate static let words = Parameter(
        "q", .words(charactersMax: 1_000),
        "Words that must all occur, \"phrases\", beginnings*, and -words that must not occur.")
}
