import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayNetworking

extension Route {
    static let home = Route(
        method: .get, path: "/", operation: "home",
        summary: "The paths of the API; for browsers, the web page.",
        answers: [.json, .html],
        content: .schema(["type": "object", "additionalProperties": ["type": "string"]])
    ) { request, api in
        if request.mediaType == .html { return PageFile.document.response(to: request.fields) }
        let paths = Set(api.routes.routes.map(\.path.text))
        let words = [
            "resources", "changes", "favourites", "search", "syncs", "events", "limits", "metrics",
            "openapi.json",
        ].filter { paths.contains("/" + $0) }
        return api.response(request, .object(words.map { ($0, .text(RequestTarget.prefix + $0)) }))
    }

    static let live = Route(
        method: .get, path: "/live", operation: "live", summary: "Whether the server is running.",
        content: .schema(stateSchema("live"))
    ) { request, api in api.response(request, ["state": "live"]) }

    static let ready = Route(
        method: .get, path: "/ready", operation: "ready",
        summary: "Whether every storage can be read; otherwise the answer is a problem.",
        content: .schema(stateSchema("ready"))
    ) { request, api in
        do {
            for store in api.gateways.stores { _ = try await store.store.revision() }
        } catch {
            throw Problem(
                .serviceUnavailable, (error as? PatchbayError)?.code ?? .internalError,
                "a storage cannot be read: \((error as? PatchbayError)?.message ?? "an unexpected error occurred")"
            )
        }
        return api.response(request, ["state": "ready"])
    }

    static let metrics = Route(
        method: .get, path: "/metrics", operation: "metrics", summary: "Metrics for Prometheus.",
        answers: [.metrics], content: .schema(["type": "string"])
    ) { request, api in
        await api.measureBudgets()
        api.metrics.setPlain("patchbay_event_listeners", api.listeners.count)
        return api.response(request, Array(api.metrics.text(at: api.clock.now()).utf8))
    }

    static let limits = Route(
        method: .get, path: "/limits", operation: "limits",
        summary:
            "The remaining rate limits of the sources, from their last answers, and those of the client at the server "
            + "\"patchbay\".",
        content: .schema(limitsSchema)
    ) { request, api in
        let budgets = try await api.budgets()
        let own = (ServedCall.current?.left ?? []).map { kind, allowance, left, resetsAt -> JSONValue in
            [
                "server": "patchbay", "token": "", "resource": .text(kind),
                "limit": JSONValue(allowance.amount), "remaining": JSONValue(left),
                "resets_at": .text(resetsAt.description),
            ]
        }
        return api.response(
            request,
            .array(
                own
                    + budgets.map { budget in
                        [
                            "server": .text(budget.origin),
                            "token": .text(api.client == nil ? budget.token : ""),
                            "resource": .text(budget.resource), "limit": JSONValue(budget.limit),
                            "remaining": JSONValue(budget.remaining),
                            "resets_at": .text(budget.resetsAt.description),
                        ]
                    }))
    }

    static let events = Route(
        method: .get, path: "/events", operation: "events",
        summary:
            "Changes of resources and progress of syncs, as server-sent events. The first event has "
            + "the current revision; after a reconnect it names all requested resources.",
        parameters: [.resources], answers: [.events]
    ) { request, api in
        let resources = try api.followed(by: request)
        guard !api.listeners.isFull else { throw api.listeners.full }
        let events = EventStream(
            api: api, resources: resources, isContinued: request.fields[.lastEventID] != nil)
        return ServerResponse(head: api.head(of: request), body: .stream { try await events.write(to: $0) })
    }

    private static func stateSchema(_ state: JSONValue) -> JSONValue {
        ["type": "object", "required": ["state"], "properties": ["state": ["const": state]]]
    }

    private static let limitsSchema: JSONValue = [
        "type": "array",
        "items": [
            "type": "object", "required": ["server", "resource", "limit", "remaining", "resets_at"],
            "properties": [
                "server": ["type": "string"],
                "token": ["type": "string", "description": "A fingerprint; empty without a token."],
                "resource": ["type": "string"], "limit": ["type": "integer"],
                "remaining": ["type": "integer"],
                "resets_at": ["type": "string", "format": "date-time"],
            ],
        ],
    ]
}

extension API {
    /// Returns the budgets that the sources have reported and that are not full yet.
    fileprivate func budgets() async throws -> [StoredBudget] {
        let now = clock.now()
        var budgets: [StoredBudget] = []
        for store in gateways.stores where store.store.schema.has(StoredBudget.collection) {
            budgets += try await store.store.read {
                try $0.list(StoredBudget.self, Query(StoredBudget.collection, limit: Limits.pageRows))
            }
        }
        budgets.removeAll { $0.resetsAt <= now || $0.isEstimate }
        guard client?.grants != nil else { return budgets }
        let origins = Set(
            gateways.gateways.compactMap { $0.source.upstream.flatMap { HTTPAddress($0.baseURL)?.origin } })
        return budgets.filter { origins.contains($0.origin) }
    }

    /// Updates the metrics of the remaining limits; limits that cannot be read stay unchanged.
    fileprivate func measureBudgets() async {
        // The metrics of the process are useful even when a storage cannot be read.
        for budget in (try? await budgets()) ?? [] {
            metrics.setGauge(
                "patchbay_limit_remaining",
                MetricFamily.Labels([
                    ("server", budget.origin), ("token", budget.token), ("resource", budget.resource),
                ]),
                Double(budget.remaining))
        }
    }
}
