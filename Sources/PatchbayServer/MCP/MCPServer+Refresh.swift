import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension MCPTool {
    static let refresh = MCPTool(
        name: "refresh",
        description:
            "Fetches a list or a row from its source, which costs rate limit. If it needs many requests, the "
            + "answer is a plan; call again with its id to run it.",
        arguments: [
            Argument(name: "resource", kind: .text, isRequired: true),
            Argument(name: "list", kind: .text), Argument(name: "of", kind: .texts),
            Argument(
                name: "row", kind: .text, summary: "The handle of a row instead of a list", parameter: "key"),
            Argument(name: "rows", kind: .texts, summary: "The handles of several rows"),
            Argument(name: "details", kind: .boolean, summary: "Also fields that only single rows have"),
            Argument(name: "plan", kind: .text, summary: "The id of a plan"),
        ], isLocal: false
    ) { arguments, server in
        let served = try server.api.gateways.resource(named: arguments.text("resource") ?? "", as: "resource")
        for form in ["row", "rows"] where arguments.isGiven(form) {
            for other in ["row", "rows", "list", "of", "plan"] where other != form && arguments.isGiven(other)
            {
                throw Problem.invalid(
                    other, "the argument does not belong to a refresh of \"\(form)\"; leave it out")
            }
        }
        if let handle = arguments.text("row") { return try await server.refresh(handle, of: served) }
        if arguments["rows"] != nil { return try await server.refresh(arguments.texts("rows"), of: served) }
        return try await server.refresh(
            SyncSubject(served, list: arguments.text("list"), of: arguments.texts("of")), of: served,
            details: arguments.boolean("details"), plan: arguments.text("plan"))
    }
}

extension MCPServer {
    fileprivate func refresh(_ handle: String, of served: ServedResource) async throws -> MCPAnswer {
        let call = try await api.call(
            ["resources", served.name, handle], [("policy", Policy.remoteFirst.rawValue)])
        var answer = MCPAnswer(
            "The row \(Quotation.quoted(handle)) of \(served.name)",
            [("row", MCPRows([call.body], bytesMax: options.answerBytes).rows[0])])
        answer.add(call.provenance, at: api.clock.now())
        if call.provenance?.outcome.error != nil {
            answer.summary += " was not fetched; the stored one follows"
            answer.isError = true
        }
        return answer
    }

    /// Fetches rows one after another. Those that cannot be fetched are named with the reason.
    fileprivate func refresh(_ handles: [String], of served: ServedResource) async throws -> MCPAnswer {
        guard handles.count <= max(options.refreshRequests, 1) else {
            throw Problem.invalid(
                "rows",
                "\(handles.count) rows need a request each; name at most \(max(options.refreshRequests, 1))")
        }
        var rows: [JSONValue] = [], failures: [JSONValue] = []
        for handle in handles {
            var answer: MCPAnswer
            do {
                answer = try await refresh(handle, of: served)
            } catch let error where !(error is CancellationError) {
                answer = MCPAnswer(Problem(error, at: api.clock.now()))
            }
            if let row = answer["row"] { rows.append(row) }
            if let message = answer["message"] {
                failures.append(.object([("row", .text(handle)), ("message", message)]))
            }
        }
        let cut = MCPRows(rows, bytesMax: options.answerBytes)
        var answer = MCPAnswer(
            "\(handles.count - failures.count) of \(handles.count) rows of \(served.name) were fetched",
            [
                ("rows", .array(cut.rows)), ("truncated", .bool(cut.isCut)),
                ("complete", .bool(failures.isEmpty)), ("failures", .array(failures)),
            ])
        answer.isError = !handles.isEmpty && failures.count == handles.count
        return answer
    }

    /// Runs a sync if it is known to be cheap or its plan was named. One of unknown cost stops after the number of
    /// requests that needs no plan, and the next one continues there.
    fileprivate func refresh(
        _ subject: SyncSubject, of served: ServedResource, details: Bool, plan id: String?
    ) async throws -> MCPAnswer {
        if details, served.resource.declaration.show == nil {
            throw Problem.invalid("details", "\(served.resource.plural) have none; leave this out")
        }
        func sync(from start: SyncStart = .whereItStopped, maximum: Int? = nil) throws -> Sync {
            try served.sync(
                list: subject.list, of: subject.of, from: start, details: details, maximumRequests: maximum)
        }
        let plan = try await sync().plan()
        let cost = plan.requestsMax
        if let cost, cost > options.refreshRequests {
            let known = Self.identifier(of: subject, details, cost)
            guard id == known else { return Self.answer(plan, known) }
        }
        let maximum = max(cost ?? options.refreshRequests, 1)
        var (end, progress) = try await sync(maximum: maximum).run()
        // The source no longer has the page at which an earlier refresh stopped.
        if case .failed(let error) = end, error.isAboutVoidCursor, plan.pagesDone > 0 {
            (end, progress) = try await sync(from: .theBeginning, maximum: maximum).run()
        }
        let changes = progress.changes, losses = changes.drift.losses
        let skipped = Self.skipped(progress)
        var answer = MCPAnswer(
            end.summary(of: served.name, skipped: skipped),
            [
                ("state", .text(end.word.rawValue)), ("rows", JSONValue(progress.rows)),
                ("added", JSONValue(changes.added)), ("changed", JSONValue(changes.changed)),
                ("gone", JSONValue(changes.gone)), ("skipped", JSONValue(Int64(progress.skipped))),
                ("complete", .bool(end.isComplete && skipped == nil)),
                ("reason", JSONValue(progress.reason?.withoutSecrets ?? skipped)),
            ])
        if !losses.isEmpty {
            answer["losses"] = JSONValue(losses)
            answer.summary += "; some values were stored otherwise than they were sent, see \"losses\""
        }
        answer["requests_left"] = try await sync().plan().requestsLeft.map { JSONValue(Int64($0)) }
        if case .failed(let error) = end {
            answer.add(error: error.code, error.message.withoutSecrets, retryAt: error.retryAt)
            answer.isError = true
        }
        return answer
    }

    private static func skipped(_ progress: SyncProgress) -> String? {
        switch progress.skipped {
        case 0: nil
        case 1: "a list or row that the source refused"
        case let count: "\(count) lists or rows that the source refused"
        }
    }

    private static func answer(_ plan: SyncPlan, _ id: String) -> MCPAnswer {
        MCPAnswer(
            "Nothing was fetched yet: this needs \(plan.requestsMax ?? plan.requestsMin) requests. Call again with the "
                + "plan's id to run it.",
            [
                ("plan", .object([("id", .text(id))] + plan.cost))
            ])
    }

    /// The identifier of a plan, which cannot be guessed, so that every costly refresh was shown before.
    private static func identifier(of subject: SyncSubject, _ details: Bool, _ cost: Int) -> String {
        let words =
            [secret, subject.resource.collection.name, subject.list ?? "", "\(cost) \(details)"]
            + subject.of
        return String(UInt64(digestOf: words.joined(separator: "\u{0}")), radix: 36)
    }

    private static let secret = String(UInt64.random(in: .min ... .max), radix: 36)
}

extension SyncEnd {
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }

    fileprivate func summary(of name: String, skipped: String?) -> String {
        switch self {
        case .complete: "\(name) were fetched" + (skipped.map { ", except for \($0)" } ?? "")
        case .incomplete: "\(name) were fetched, but rows may be missing"
        case .interrupted: "the refresh was interrupted"
        case .limitReached: "the refresh stopped at its limit of requests; call again to continue"
        case .failed(let error): error.message.withoutSecrets
        }
    }
}
