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
        parameters: [.list, .of, details.ofStretch, restart, requests], status: .accepted,
        content: .schema(schema), stretch: .syncs, isOffered: { !$0.isPartial }
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
        var response = api.response(request, run.description(as: served.name))
        response.head.headerFields[.location] = run.address
        return response
    }

    static let listSyncs = Route(
        method: .get, path: "/syncs", operation: "syncs",
        summary: "Running syncs and those that ended recently, the newest first.",
        content: .schema(["type": "array", "items": schema])
    ) { request, api in
        api.response(request, .array(api.described(api.syncs.all)))
    }

    static let showSync = Route(
        method: .get, path: "/syncs/{sync}", operation: "showSync", summary: "The progress of a sync.",
        content: .schema(schema)
    ) { request, api in
        let run = try run(request, api)
        return api.response(request, api.described([run])[0])
    }

    static let interruptSync = Route(
        method: .delete, path: "/syncs/{sync}", operation: "interruptSync",
        summary:
            "Interrupts a sync and removes it from the list. Saved rows stay, and the next sync resumes from there.",
        answers: [],
        status: .noContent
    ) { request, api in
        await api.syncs.remove(try run(request, api).number)
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

    private static let schema: JSONValue = [
        "type": "object",
        "required": ["sync", "address", "resource", "state", "started_at", "requests", "rows"],
        "properties": [
            "sync": ["type": "integer", "description": "The number of the sync."],
            "address": ["type": "string"], "resource": ["type": "string"],
            "list": ["type": ["string", "null"]], "of": ["type": "array", "items": ["type": "string"]],
            "state": [
                "enum": ["running", "complete", "incomplete", "interrupted", "limit reached", "failed"]
            ],
            "started_at": ["type": "string", "format": "date-time"],
            "ended_at": ["type": ["string", "null"], "format": "date-time"],
            "fetching": ["type": ["string", "null"], "description": "The list that is being fetched."],
            "requests": ["type": "integer"], "unchanged": ["type": "integer"], "rows": ["type": "integer"],
            "added": ["type": "integer"], "changed": ["type": "integer"], "gone": ["type": "integer"],
            "skipped": ["type": "integer"], "pages": ["type": "integer"],
            "page_count": ["type": ["integer", "null"]],
            "reason": [
                "type": ["string", "null"],
                "description": "Why rows may be missing although the source answered.",
            ],
            "emptied": [
                "type": "object",
                "description":
                    "The numbers of values stored as null, because they have another type, by field.",
            ],
            "altered": [
                "type": "object",
                "description":
                    "The numbers of texts with U+FFFD in place of U+0000 or half a pair, by field.",
            ],
            "appeared": [
                "type": "array", "items": ["type": "string"],
                "description": "The members that are new since the last sync and not read by the definition.",
            ],
            "notes": [
                "type": "array", "items": ["type": "string"],
                "description":
                    "What a reader of the lists should know although their rows are right, at most 100 messages.",
            ],
            "error": ["type": ["string", "null"]],
            "message": ["type": ["string", "null"]], "retry_at": ["type": ["string", "null"]],
        ],
    ]
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
        if declaration.parent != nil, words.isEmpty, list?.words.count == 1, !details {
            return gateway.syncChildren(
                full, list: name ?? list?.name, from: start, maximumRequests: maximumRequests)
        }
        let question = try NamedList(name, of: words, self).question()
        return gateway.sync(question, from: start, details: details, maximumRequests: maximumRequests)
    }
}

extension API {
    /// Descriptions of those syncs that the client may know of.
    func described(_ runs: [SyncRuns.Run]) -> [JSONValue] {
        runs.compactMap { run in
            let served = gateways.resources.first { $0.full == run.subject.resource && !$0.isPartial }
            return served.map { run.description(as: $0.name) }
        }
    }
}

extension SyncRuns.Run {
    var address: String { "/-/syncs/\(number)" }

    /// - Parameter resource: the name of the resource in addresses.
    func description(as resource: String) -> JSONValue {
        let error: PatchbayError? = if case .failed(let error) = end { error } else { nil }
        let fetching = end == nil && !progress.list.isEmpty ? progress.list : nil
        let what: JSONValue = [
            "sync": JSONValue(Int64(number)), "address": .text(address), "resource": .text(resource),
            "list": JSONValue(subject.list),
            "of": JSONValue(subject.of), "state": .text(state), "started_at": .text(startedAt.description),
            "ended_at": JSONValue(endedAt?.description), "fetching": JSONValue(fetching),
        ]
        let howFar: JSONValue = [
            "requests": JSONValue(Int64(progress.requests)),
            "unchanged": JSONValue(Int64(progress.unchanged)),
            "rows": JSONValue(progress.rows), "added": JSONValue(progress.changes.added),
            "changed": JSONValue(progress.changes.changed), "gone": JSONValue(progress.changes.gone),
            "skipped": JSONValue(Int64(progress.skipped)), "pages": JSONValue(progress.pages),
            "page_count": JSONValue(progress.pageCount),
        ]
        return what.adding(howFar).adding([
            "reason": JSONValue(progress.shortfalls.first?.shortfall.reason.withoutSecrets),
            "emptied": JSONValue(counts: progress.changes.drift.emptied),
            "altered": JSONValue(counts: progress.changes.drift.altered),
            "appeared": JSONValue(progress.changes.drift.appeared.map(\.withoutSecrets)),
            "notes": JSONValue(notes.map(\.withoutSecrets)),
            "error": JSONValue(error?.code.rawValue), "message": JSONValue(error?.message.withoutSecrets),
            "retry_at": JSONValue(error?.retryAt?.description),
        ])
    }

    private var state: String { end?.word ?? "running" }
}

extension SyncEnd {
    /// The end as a word in JSON.
    var word: String {
        switch self {
        case .complete: "complete"
        case .incomplete: "incomplete"
        case .interrupted: "interrupted"
        case .limitReached: "limit reached"
        case .failed: "failed"
        }
    }
}

extension JSONValue {
    fileprivate init(counts: [String: Int]) {
        self = .object(
            counts.sorted { $0.key < $1.key }.map { (name: $0.key, value: JSONValue(Int64($0.value))) })
    }
}
