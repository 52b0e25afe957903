import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let changes = Route(
        method: .get, path: "/changes", operation: "changes",
        summary:
            "The rows that have changed since a position, in the order of their last change, and cleared resources. "
            + "Every row comes once, as it is now; without a position, all rows come.",
        parameters: [.resources, .since, .limit, .wait], content: .schema(DescribedChanges.members.schema)
    ) { request, api in
        let resources = try api.followed(by: request)
        let page = try await api.changes(of: resources, request)
        ServedCall.current?.add(rows: page.changes.count)
        let described = DescribedChanges(
            changes: page.changes.map { change in (change, resources.first { $0.full == change.resource }!) },
            position: api.text(of: page, after: request.text(.since)), hasMore: page.hasMore,
            restart: page.restart)
        return api.response(request, described, DescribedChanges.members)
    }
}

private struct DescribedChanges {
    let changes: [(change: Change, of: ServedResource)]
    let position: String
    let hasMore: Bool
    let restart: Changes.Restart?

    static let members = Members<DescribedChanges> {
        Member("changes", of: changeMembers) { $0.changes }
        Member("position", "Send it as \"since\" to continue.") { $0.position }
        Member("more", "Whether more changes follow at once.") { $0.hasMore }
        Member(
            "restart",
            "Why the changes start over, so that the rows known so far are void; null if they continue.",
            among: Changes.Restart.allCases.map(\.rawValue)
        ) { $0.restart?.rawValue }
    }

    private static let changeMembers = Members<(change: Change, of: ServedResource)> {
        Member("resource") { $0.of.name }
        Member(
            "kind", "A row that is listed, one that is no longer listed, or the removal of all rows.",
            among: ["row", "gone", "cleared"]
        ) { $0.change.kind }
        Member(
            "row", "The row as it is stored now.", ["type": "object"],
            ifPresent: { $0.change.kind != "cleared" }
        ) {
            if case .row(let item) = $0.change { $0.of.write(item, to: &$1) }
        }
        Member(ifPresent: "at", "When it was cleared.") {
            if case .cleared(_, let time) = $0.change { time } else { nil }
        }
    }
}

extension Parameter {
    fileprivate static let since = Parameter(
        "since", .token, "The member \"position\" of an earlier answer.")
    fileprivate static let wait = Parameter(
        "wait", .integer(1...60), "The number of seconds to wait for a change if there is none yet.")
}

extension API {
    /// The resources that a request names, or all whose changes the client may follow.
    func followed(by request: APIRequest) throws -> [ServedResource] {
        guard let names = request.names(.resources) else {
            return gateways.resources.filter { !$0.isPartial }
        }
        return try names.map { name in
            let served = try gateways.resource(named: name, as: Parameter.resources.name)
            try served.requireWhole()
            return served
        }
    }

    /// The position after a page of changes. A client that does not see all resources gets that of the last change it
    /// has seen, sealed, because the number of the storage's last change would show changes of others.
    fileprivate func text(of page: Changes, after given: String?) -> String {
        guard let seal = client?.seal else { return page.position.description }
        if page.changes.isEmpty, page.restart == nil, let given { return given }
        return seal.text(of: page.lastSeen.description)
    }

    fileprivate func position(_ text: String) -> ChangePosition? {
        guard let seal = client?.seal else { return ChangePosition(text) }
        return seal.opened(text).flatMap { ChangePosition($0) }
    }

    fileprivate func changes(of served: [ServedResource], _ request: APIRequest) async throws -> Changes {
        guard let gateway = served.first?.gateway, Set(served.map(\.store.id)).count == 1 else {
            throw Problem.invalid(
                Parameter.resources.name, "changes are read from one storage; name resources of one")
        }
        var position: ChangePosition?
        if let text = request.text(.since) {
            position = self.position(text)
            if position == nil {
                throw Problem.notFound(
                    "there is no such position; start again without \"since\"",
                    parameter: Parameter.since.name)
            }
        }
        let resources = served.map(\.full)
        let limit = request.integer(.limit) ?? Parameter.rowsUsual
        let page = try await gateway.changes(of: resources, since: position, limit: limit)
        guard page.changes.isEmpty, page.restart == nil, let seconds = request.integer(.wait) else {
            return page
        }
        let next = gateway.followChanges(of: resources, since: page.position, limit: limit)
        return try await first(of: next, within: .seconds(seconds)) ?? page
    }

    /// Waits for a page with changes; nil if none comes in time, or the server stops.
    private func first(of pages: FollowedChanges, within limit: Duration) async throws -> Changes? {
        try await listeners.listening { stops in
            try await withThrowingTaskGroup(of: Changes?.self) { group in
                group.addTask {
                    for try await page in pages where !page.changes.isEmpty || page.restart != nil {
                        return page
                    }
                    return nil
                }
                group.addTask { [clock] in
                    try await clock.sleep(limit)
                    return nil
                }
                group.addTask {
                    for await _ in stops {}
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
    }
}
