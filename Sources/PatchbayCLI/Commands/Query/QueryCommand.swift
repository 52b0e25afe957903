import ArgumentParser
import Patchbay
import PatchbayQuery
import PatchbayTerminal

/// `patchbay query`: answers SQL from the stored rows.
struct QueryCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Answer an SQL query from the stored rows.",
        discussion: """
            Each resource is a table with its fields as columns, in every storage; --tables prints them. A query is \
            one SELECT in SQLite's dialect, and cannot change anything. Local edits are applied. Rows that the \
            source no longer lists are in NAME_all; find('words') has those of "patchbay find". No request is sent \
            unless --fresh is used. Standard error states how old the lists are. If a limit ends the rows early, the \
            exit status is \(ExitStatus.incomplete.rawValue), unless --limit was given.

              patchbay query --tables
              patchbay query "SELECT type, count(*) AS n FROM users GROUP BY type"
              patchbay query --param name=Marlow-Quern "SELECT * FROM repos WHERE owner_login = :name"
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Argument(help: ArgumentHelp("The SELECT; \"-\" reads it from standard input.", valueName: "sql"))
    var statement: String?

    @Option(
        help: ArgumentHelp("Read the SELECT from a file; \"-\" is standard input.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        name: .customLong("param"),
        help: ArgumentHelp(
            "The value of :name in the SELECT, a number if it looks like one; may be repeated.",
            valueName: "name=value"))
    var parameters: [String] = []

    @Flag(help: "Print the tables with their columns and indexes as CREATE TABLE statements.")
    var tables = false

    @Flag(help: "Print how each table would be read: by which index, or all its rows.")
    var explain = false

    @Option(
        help: ArgumentHelp(
            "First sync the lists of the tables that are older than this: 30s, 5m, 1h, 7d.", valueName: "age"),
        transform: RequestOptions.age)
    var fresh: Duration?

    @Option(
        name: .limit, help: ArgumentHelp("Print at most this many rows.", valueName: "count"),
        limits: 1 ... .max, default: "10000")
    var limit: Int?

    @Option(
        help: ArgumentHelp("End the query after this time.", valueName: "seconds"), limits: 1...86_400)
    var timeout = 60

    @Option(name: .format, help: "The output format.")
    var format = OutputFormat.table

    @OptionGroup var verdict: VerdictOptions

    func validate() throws {
        let given = [statement != nil, file != nil, tables].count { $0 }
        if given == 0 { throw ValidationError("write a SELECT, or use --file or --tables") }
        if given > 1 { throw ValidationError("the SELECT, --file and --tables exclude each other") }
        if tables, explain { throw ValidationError("--explain needs a SELECT") }
        for parameter in parameters where !parameter.contains("=") {
            throw ValidationError("--param \"\(parameter)\" is not name=value")
        }
    }

    func run() async throws {
        Interruption.explain(fresh == nil ? "nothing was changed" : "stored rows are kept")
        if tables { return try await withStoredTables { try StandardStream.output.write($0.schema) } }
        let sql = try text()
        let values = try values()
        if let fresh {
            return try await options.withGateways(requests) { gateways in
                var gateways = gateways
                gateways.maximumAge = fresh
                let tables = SQLTables(gateways)
                let fetched = try await QueryRefresh(gateways).run(try await tables.resources(named: sql))
                try await answer(sql, values, tables, skippedLists: fetched.skipped)
                if !fetched.isComplete { throw ExitStatus.incomplete }
            }
        }
        try await options.withGateways(isOffline: true) { try await answer(sql, values, SQLTables($0)) }
    }

    /// - Throws: the fault of the source when it has no tables because it cannot be opened; the errors of the query.
    private func answer(
        _ sql: String, _ values: [String: SQLValue], _ tables: SQLTables, skippedLists: Int = 0
    ) async throws {
        if tables.names.isEmpty, let fault = await (try options.load()).sourceFaults().first { throw fault }
        do {
            try await print(sql, values, tables, skippedLists)
        } catch let error as PatchbayError {
            guard let name = error.note("parameter"), values[name] == nil else { throw error }
            throw PatchbayError(error.code, "\(error.message); set it with --param \(name)=VALUE")
        }
    }

    /// Runs `body` with the tables even if nothing is stored yet.
    private func withStoredTables(_ body: (SQLTables) throws -> Void) async throws {
        do {
            try await options.withGateways(isOffline: true) { try body(SQLTables($0)) }
        } catch let error as PatchbayError where error.code == .notFound {
            try await options.withGatewaysOverWhatIsThere { try body(SQLTables($0)) }
        }
    }

    private func text() throws -> String {
        if let statement, statement != "-" { return statement }
        guard let file = file ?? statement else { return "" }
        let bytes = try InputFile(file).readAll(bytesMax: Self.bytesMax)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PatchbayError(.invalidValue, "the SELECT is not UTF-8 text", [.file(file)])
        }
        return text
    }

    /// More than a statement may have, so that a longer one is refused.
    private static let bytesMax = 2_000_000

    private func values() throws -> [String: SQLValue] {
        var values: [String: SQLValue] = [:]
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard values.updateValue(SQLValue(typed: String(parts[1])), forKey: String(parts[0])) == nil
            else {
                throw ValidationError("--param \(parts[0]) is given twice")
            }
        }
        return values
    }

    private func print(
        _ sql: String, _ values: [String: SQLValue], _ tables: SQLTables, _ skippedLists: Int
    ) async throws {
        var limits = SQLLimits()
        limits.rows = limit ?? limits.rows
        limits.time = .seconds(timeout)
        // The process has no other work.
        limits.bytes = .max
        limits.memory = 1 << 30
        if explain {
            let plan = try await tables.explain(sql, values, limits: limits)
            let records = plan.steps.map {
                OutputRecord([("depth", .integer(Int64($0.depth))), ("step", .text($0.text))])
            }
            let step = TableColumn("step", wraps: true) { record in
                guard case .integer(let depth) = record["depth"] else { return record["step"].description }
                return String(repeating: "  ", count: Int(depth)) + record["step"].description
            }
            return try RecordWriter(format).write(records, header: ["depth", "step"], columns: [step])
        }
        let rows = try await ProgressBar.errors.showing { [limits] progress in
            try await tables.query(sql, values, limits: limits, progress: progress)
        }
        let output = QueryOutput(
            format, limits, isLimitChosen: limit != nil, isStrict: verdict.strict, skippedLists: skippedLists)
        try await output.print(rows)
    }
}

/// Fetches the lists of the tables that a query names, before it is answered.
struct QueryRefresh {
    private let gateways: Gateways

    /// - Parameter gateways: lists younger than their maximum age are not fetched.
    init(_ gateways: Gateways) { self.gateways = gateways }

    /// Fetches lists that need no argument, or only the stored rows that they belong to, after the list of those rows.
    /// Prints what it cost.
    ///
    /// - Returns: the number of lists that the source refused, and whether the others are complete.
    /// - Throws: the error that ended a sync.
    func run(_ resources: [Resource]) async throws -> (skipped: Int, isComplete: Bool) {
        var skipped = 0, isComplete = true
        for resource in withParents(resources) {
            guard let gateway = gateways.all.first(where: { $0.resources.contains(resource) }) else {
                continue
            }
            let declared = CommandLineTool.declared.declared(resource)
            guard let list = declared?.lists.first,
                list.arguments.isEmpty || list.hasOnlyParent || list.hasEach
            else {
                Message.write(
                    "\(resource.plural) are not refreshed, because their lists need an argument: patchbay sync "
                        + (declared?.lists.first?.usage ?? resource.name))
                continue
            }
            let sync =
                list.hasEach
                ? gateway.syncEach(resource)
                : list.hasOnlyParent
                    ? gateway.syncChildren(resource, list: list.list.name)
                    : gateway.sync(try gateway.question(resource, list: list.list.name, arguments: []))
            let run = SyncRun(gateway: gateway, sync: sync, resource: nil, prefix: resource.plural + ": ")
            let (end, progress) = try await run.ended()
            if case .failed(let error) = end { throw error }
            if case .incomplete = end { isComplete = false }
            skipped += progress.skipped
        }
        return (skipped, isComplete)
    }

    /// The resources, each after the one to whose rows its lists belong.
    private func withParents(_ resources: [Resource]) -> [Resource] {
        var all: [Resource] = []
        func add(_ resource: Resource) {
            guard !all.contains(resource) else { return }
            let parent = resource.declaration.lists.first?.template.parent
            if let parent = gateways.resources.first(where: { $0.name == parent && $0.api == resource.api }) {
                add(parent)
            }
            all.append(resource)
        }
        resources.forEach(add)
        return all
    }
}
