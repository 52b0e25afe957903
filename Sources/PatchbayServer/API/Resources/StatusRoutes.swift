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
        content: .schema(state("live").schema)
    ) { request, api in api.response(request, (), state("live")) }

    static let ready = Route(
        method: .get, path: "/ready", operation: "ready",
        summary: "Whether every storage can be read; otherwise the answer is a problem.",
        content: .schema(state("ready").schema)
    ) { request, api in
        do {
            for store in api.gateways.stores { _ = try await store.store.revision() }
        } catch {
            throw Problem(
                .serviceUnavailable, (error as? PatchbayError)?.code ?? .internalError,
                "a storage cannot be read: \((error as? PatchbayError)?.message ?? "an unexpected error occurred")"
            )
        }
        return api.response(request, (), state("ready"))
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
        content: .schema(Limit.members.schemaOfArray)
    ) { request, api in
        let own = (ServedCall.current?.left ?? []).map { kind, allowance, left, resetsAt in
            Limit(
                server: "patchbay", token: "", resource: kind, limit: allowance.amount, remaining: left,
                resetsAt: resetsAt)
        }
        let limits = try await api.budgets().map { budget in
            Limit(
                server: budget.origin, token: api.client == nil ? budget.token : "",
                resource: budget.resource,
                limit: budget.limit, remaining: budget.remaining, resetsAt: budget.resetsAt)
        }
        return api.response(request, own + limits, Limit.members)
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

    private static func state(_ word: String) -> Members<Void> {
        Members { Member("state", among: [word]) { word } }
    }
}

/// A rate limit of a server.
private struct Limit {
    let server, token, resource: String
    let limit, remaining: Int64
    let resetsAt: Timestamp

    static let members = Members<Limit> {
        Member("server") { $0.server }
        Member("token", "A fingerprint; empty without a token.") { $0.token }
        Member("resource") { $0.resource }
        Member("limit") { $0.limit }
        Member("remaining") { $0.remaining }
        Member("resets_at") { $0.resetsAt }
    }
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
        budgets.removeAll { !$0.isInForce(at: now) }
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
