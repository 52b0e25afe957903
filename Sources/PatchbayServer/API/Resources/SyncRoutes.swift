import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    private static let details = Parameter(
        "details", .choice(["true", "false"]), "Whether details are also fetched for rows that lack them."
    )
    private static let restart = Parameter(
        "restart", .choice(["true", "false"]), "Whether to start over instead of resuming.")
    private static let requests = Parameter(
        "max-requests", .integer(1...1_000_000), "The number of requests after which the sync stops.")

    static let startSync = Route(
        method: .post, path: "/resources/{name}/sync", operation: "sync",
        summary: "Fetches a list of the source in the background, resuming where it was interrupted. "
            + "If the list is already being fetched, the answer names the running sync.",
        parameters: [.list, .of, details, restart, requests], status: .accepted,
        content: .schema(DescribedRun.members.schema), isOffered: { !$0.isPartial }
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        let withDetails = request.text(details) == "true"
        guard !withDetails || served.resource.declaration.show != nil else {
            throw Problem.invalid(
                details.name, "\(served.resource.plural) have no details; the source provides only lists")
        }
        let start: SyncStart = request.text(restart) == "true" ? .theBeginning : .whereItStopped
        let sync = try await request.naming(.of) {
            try served.sync(
                list: request.text(.list), of: request.texts(.of), from: start, details: withDetails,
                maximumRequests: request.integer(requests))
        }
        let subject = SyncSubject(served, list: request.text(.list), of: request.texts(.of))
        let run = try api.syncs.start(subject, sync)
        let described = DescribedRun(run: run, resource: served.name)
        var response = api.response(request, described, DescribedRun.members)
        response.head.headerFields[.location] = described.address
        return response
    }

    static let listSyncs = Route(
        method: .get, path: "/syncs", operation: "syncs",
        summary: "Running syncs and those that ended recently, the newest first.",
        content: .schema(DescribedRun.members.schemaOfArray)
    ) { request, api in
        api.response(request, api.described(api.syncs.all), DescribedRun.members)
    }

    static let showSync = Route(
        method: .get, path: "/syncs/{sync}", operation: "showSync", summary: "The progress of a sync.",
        content: .schema(DescribedRun.members.schema)
    ) { request, api in
        let run = try run(request, api)
        return api.response(request, api.described([run])[0], DescribedRun.members)
    }

    static let interruptSync = Route(
        method: .delete, path: "/syncs/{sync}", operation: "interruptSync",
        summary:
            "Interrupts a sync and removes it from the list. Saved rows stay, and the next sync resumes from there. "
            + "A client with a token of its own interrupts only its own syncs.",
        answers: [],
        status: .noContent
    ) { request, api in
        let run = try run(request, api)
        if let client = api.client, run.client != .named(client.name) {
            throw Problem(
                .forbidden, .permissionDenied,
                "another client has started this sync; only that client and the owner may interrupt it")
        }
        await api.syncs.remove(run.number)
        return ServerResponse(head: HTTPResponse(status: .noContent))
    }

    private static func run(_ request: APIRequest, _ api: API) throws(Problem) -> SyncRuns.Run {
        let number = request.pathValue("sync")
        guard let run = Int(number).flatMap({ api.syncs.run($0) }), !api.described([run]).isEmpty else {
            throw .notFound(
                "there is no sync \(number), or it ended too long ago; see /-/syncs", parameter: "sync")
        }
        return run
    }
}

extension ServedResource {
    /// Returns the sync of one list, or of the lists of all stored rows if a list belongs to a row and none is named.
    func sync(
        list name: String?, of words: [String], from start: SyncStart = .whereItStopped,
        details: Bool = false,
        maximumRequests: Int?
    ) throws -> Sync {
        try requireWhole()
        let declaration = resource.declaration
        let list = declaration.list(named: name) ?? declaration.lists.first
        if declaration.each != nil, words.isEmpty, list?.name == nil, !details {
            return gateway.syncEach(full, from: start, maximumRequests: maximumRequests)
        }
        if list?.template.parent != nil, words.isEmpty, list?.words.count == 1, !details {
            return gateway.syncChildren(
                full, list: name ?? list?.name, from: start, maximumRequests: maximumRequests)
        }
        let question = try NamedList(name, of: words, self).question()
        return gateway.sync(question, from: start, details: details, maximumRequests: maximumRequests)
    }
}

extension API {
    /// Those syncs that the client may know of.
    func described(_ runs: [SyncRuns.Run]) -> [DescribedRun] {
        runs.compactMap { run in
            let served = gateways.resources.first { $0.full == run.subject.resource && !$0.isPartial }
            return served.map { DescribedRun(run: run, resource: $0.name) }
        }
    }
}

extension SyncProgress {
    /// Why rows may be missing from the first list of which this is known, with its name among several.
    var reason: String? {
        shortfalls.first.map { $0.list == list ? $0.shortfall.reason : "\($0.list): \($0.shortfall.reason)" }
    }
}

/// A sync as the API describes it.
struct DescribedRun: Sendable {
    let run: SyncRuns.Run
    /// The name of the resource in addresses.
    let resource: String

    var address: String { "/-/syncs/\(run.number)" }

    private var progress: SyncProgress { run.progress }
    private var drift: Drift { progress.changes.drift }
    private var error: PatchbayError? { if case .failed(let error) = run.end { error } else { nil } }
    private var fetching: String? { run.end == nil && !progress.list.isEmpty ? progress.list : nil }

    static let members = Members<DescribedRun> {
        Member("sync", "The number of the sync.") { $0.run.number }
        Member("address") { $0.address }
        Member("resource") { $0.resource }
        Member("list") { $0.run.subject.list }
        Member("of") { $0.run.subject.of }
        Member("state", among: ["running"] + SyncEnd.Word.allCases.map(\.rawValue)) {
            $0.run.end?.word.rawValue ?? "running"
        }
        Member("started_at") { $0.run.startedAt }
        Member("ended_at") { $0.run.endedAt }
        Member("fetching", "The list that is being fetched.") { $0.fetching }
        Member("requests") { $0.progress.requests }
        Member("unchanged") { $0.progress.unchanged }
        Member("rows") { $0.progress.rows }
        Member("added") { $0.progress.changes.added }
        Member("changed") { $0.progress.changes.changed }
        Member("gone") { $0.progress.changes.gone }
        Member("skipped") { $0.progress.skipped }
        Member("pages") { $0.progress.pages }
        Member("page_count") { $0.progress.pageCount }
        Member("reason", "Why rows may be missing although the source answered.") {
            $0.progress.reason?.withoutSecrets
        }
        Member("emptied", "The numbers of values stored as null, because they have another type, by field.") {
            $0.drift.emptied
        }
        Member("altered", "The numbers of texts with U+FFFD in place of U+0000 or half a pair, by field.") {
            $0.drift.altered
        }
        Member("vanished", "The numbers of values that became null, because no row of a page has the field.")
        {
            $0.drift.vanished
        }
        Member("appeared", "The members that are new since the last sync and not read by the definition.") {
            $0.drift.appeared.map(\.withoutSecrets)
        }
        Member(
            "notes",
            "Skipped lists and rows with their errors, and remarks about lists whose rows are right; at most 100."
        ) { $0.run.notes.map(\.withoutSecrets) }
        Member("error") { $0.error?.code.rawValue }
        Member("message") { $0.error?.message.withoutSecrets }
        Member("retry_at") { $0.error?.retryAt }
    }
}

extension SyncEnd {
    /// The ends in JSON.
    enum Word: String, CaseIterable {
        case complete, incomplete, interrupted
        case limitReached = "limit reached"
        case failed
    }

    var word: Word {
        switch self {
        case .complete: .complete
        case .incomplete: .incomplete
        case .interrupted: .interrupted
        case .limitReached: .limitReached
        case .failed: .failed
        }
    }
}
