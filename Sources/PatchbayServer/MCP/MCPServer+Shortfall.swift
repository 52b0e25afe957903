import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// What an answer from the storage lacks, and the cost of fetching it.
extension MCPServer {
    /// Adds to rows why some may be missing, and the refresh that would fetch them.
    ///
    /// - Parameter list: the list that the rows are of; nil for rows along an index.
    func addShortfall(
        to answer: inout MCPAnswer, ofList list: (name: String?, words: [String])?, _ served: ServedResource
    ) async throws {
        guard case .bool(false)? = answer["complete"], let reason = answer["reason"]?.word else { return }
        let refresh =
            if let list { try await offer(list: list.name, of: list.words, served) } else {
                try await offer(of: served)
            }
        answer.add(shortfall: reason, refresh)
    }

    /// Adds to the answer of a statement the refreshes of tables that may lack rows.
    func addShortfall(to answer: inout MCPAnswer, of tables: [JSONValue]) async throws {
        var offers: [JSONValue] = []
        for table in tables where table["lists_synced"]?.word == "0" || table["lists_partial"]?.word != "0" {
            guard let served = table["resource"]?.word.flatMap(api.gateways.known) else { continue }
            if let offer = try await offer(of: served) { offers.append(offer) }
        }
        if !offers.isEmpty { answer["refresh"] = .array(offers) }
    }

    /// The refresh of a resource's usual list; nil if each of its lists needs arguments.
    private func offer(of served: ServedResource) async throws -> JSONValue? {
        served.resource.hasUsualList ? try await offer(list: nil, of: [], served) : nil
    }

    /// The refresh of a list, as the arguments of the tool and its cost; nil for a list that the client cannot fetch.
    /// Reads the storage only.
    func offer(list: String?, of words: [String], _ served: ServedResource) async throws -> JSONValue? {
        guard !served.isPartial, !served.gateway.source.isClosed, served.gateway.source.feed != nil else {
            return nil
        }
        let plan = try await served.sync(list: list, of: words, maximumRequests: nil).plan()
        var members: [(name: String, value: JSONValue)] = [("resource", .text(served.name))]
        if let list { members.append(("list", .text(list))) }
        if !words.isEmpty { members.append(("of", JSONValue(words))) }
        return .object(members + plan.cost)
    }
}

extension SyncPlan {
    /// The number of requests, without a maximum if the end of the list is not known.
    var cost: [(name: String, value: JSONValue)] {
        let all: [(name: String, value: Int?)] = [
            ("requests_min", requestsMin), ("requests_max", requestsMax), ("free_if_unchanged", conditional),
            ("requests_left", requestsLeft),
        ]
        return all.compactMap { name, value in value.map { (name, JSONValue(Int64($0))) } }
    }

    /// The rest of the source's limit, or of the client's budget if that is less; nil if neither is known.
    var requestsLeft: Int? {
        let own = ServedCall.current?.left.first { $0.kind == "requests" }.map { Int($0.left) }
        return [budget?.remaining, own].compactMap(\.self).min()
    }
}
