import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Writes the addresses of the server and of lists.
extension AirbyteDraft {
    /// Explains a server that does not exist.
    mutating func writeServer(_ server: AirbyteStream.Server, _ head: inout DraftText) {
        switch server {
        case .computed:
            head.comment(
                "The connector computes the server's name. Replace this one, which does not exist, before use, or "
                    + "set source.base-url.")
            summary.corrections.append("base-url, because the connector computes the server's name")
        case .setting(let name):
            let words = manifest.words(about: name).map { " (\(DraftWords.shown($0)))" } ?? ""
            head.comment(
                "The server is the connector's setting \(DraftWords.shown(name))\(words). Replace this one, which "
                    + "does not exist, by yours before use, or set source.base-url.")
            summary.corrections.append(
                "base-url, because the server is the connector's setting \(DraftWords.shown(name))")
        }
    }

    /// The path and the query of a list's address, in each of which the manifest may have a query.
    static func template(
        _ stream: AirbyteStream, _ parameters: [(name: String, value: String)]
    ) -> String {
        let base = HTTPAddress(stream.url)
        var address = base.map { String($0.pathOnly) } ?? ""
        if address.hasSuffix("/") { address.removeLast() }
        let path = stream.path.prefix { $0 != "?" }, query = stream.path.dropFirst(path.count + 1)
        if !path.isEmpty { address += (path.hasPrefix("/") ? "" : "/") + path }
        let own = parameters.map { "\(PercentEncoding.segment($0.name))=\($0.value)" }
            .joined(separator: "&").replacing("%5B", with: "[").replacing("%5D", with: "]")
            .replacing("%2F", with: "/")
        let written = [base.map { String($0.query) } ?? "", String(query)].filter { !$0.isEmpty }
            .joined(separator: "&")
        let items = written.split(separator: "&")
        let others = own.split(separator: "&").filter { !items.contains($0) }
        let all = (items + others).joined(separator: "&")
        let template = (address.isEmpty ? "/" : address) + (all.isEmpty ? "" : "?" + all)
        return DraftSettings.written(template, stream.settings)
    }

    /// The field of the parent to whose rows a stream belongs, in braces, and its type.
    func owner(of stream: AirbyteStream) -> (type: ValueType, text: String)? {
        guard let parent = stream.parent, let other = streams.first(where: { $0.original == parent.stream }),
            let table = fields[parent.stream], let field = table.names[parent.path]
        else { return nil }
        return (table.types[parent.path] ?? .text, "{\(other.name).\(field)}")
    }

    /// The field of the parent with the row or the argument to which the parent's row belongs, in braces.
    func outerOwner(of stream: AirbyteStream) -> (type: ValueType, text: String, name: String)? {
        guard let parent = stream.parent, let other = streams.first(where: { $0.original == parent.stream }),
            let field = ownerFields[parent.stream]
        else { return nil }
        return (field.type, "{\(other.name).\(field.name)}", field.name)
    }
}

/// Chooses the headers, which a definition sends with every request.
extension AirbyteDraft {
    /// The streams whose requests may have the same headers: those that need no other value of a header than most
    /// streams. The others are left out.
    mutating func withEqualHeaders(_ streams: [AirbyteStream]) -> [AirbyteStream] {
        var kept = streams
        for header in streams.flatMap(\.headers).map(\.name).distinct {
            let values = kept.compactMap { $0.header(header) }
            let counts = Dictionary(grouping: values) { $0 }.mapValues(\.count)
            // The first one of those that are equally frequent.
            let most = counts.values.max()
            guard counts.count > 1, let chosen = values.first(where: { counts[$0] == most }) else { continue }
            for stream in kept {
                guard let value = stream.header(header), value != chosen else { continue }
                let words = "\(DraftWords.shown(header)): \(DraftWords.shown(value))"
                refuse(stream, "needs the header \(words), but other lists need \(DraftWords.shown(chosen))")
            }
            kept.removeAll { $0.header(header).map { $0 != chosen } ?? false }
        }
        return kept
    }

    /// Names the headers that the connector does not send for some lists.
    mutating func summarizeHeaders(_ streams: [AirbyteStream]) {
        for header in streams.flatMap(\.headers).map(\.name).distinct {
            let others = streams.filter { $0.header(header) == nil }.map(\.name)
            if others.isEmpty { continue }
            summary.corrections.append(
                "header.\(DraftWords.shown(header)), which the connector does not send for "
                    + DraftWords.list(others))
        }
    }
}

extension AirbyteStream {
    fileprivate func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Writes the pace that the connector keeps for all of its requests.
extension AirbyteDraft {
    func writePace(_ text: inout DraftText) {
        guard let budget = manifest.budget else { return }
        let all = manifest.components("policies", of: budget).filter(isForAll).flatMap(paces)
        guard let pace = all.min(by: { $0.requests / $0.seconds < $1.requests / $1.seconds }) else {
            return
        }
        let units: [(name: String, seconds: Double)] = [("second", 1), ("minute", 60), ("hour", 3_600)]
        // The unit of the connector, else the shortest one with a whole number of requests.
        let unit =
            units.first { $0.seconds == pace.seconds } ?? units.first {
                pace.requests * $0.seconds >= pace.seconds
            }
            ?? units[2]
        let count = Int((pace.requests * unit.seconds / pace.seconds).rounded(.down))
        if count > 0 { text.set("rate", "\(count)/\(unit.name)") }
    }

    /// Whether a policy is not for some addresses only.
    private func isForAll(_ policy: AirbyteManifest.Component) -> Bool {
        manifest.components("matchers", of: policy).allSatisfy { matcher in
            let pattern = matcher.value["url_path_pattern"]?.word ?? ".*"
            return [".*", "^.*$", "^/.*", "/.*"].contains(pattern)
                && ["params", "headers"].allSatisfy { matcher.value[$0]?.members.isEmpty ?? true }
        }
    }

    /// The numbers of requests in numbers of seconds that a policy allows.
    private func paces(_ policy: AirbyteManifest.Component) -> [(requests: Double, seconds: Double)] {
        let limits =
            policy.type == "MovingWindowCallRatePolicy"
            ? manifest.components("rates", of: policy).map { ($0.value["limit"], $0.value["interval"]) }
            : [(policy.value["call_limit"], policy.value["period"])]
        return limits.compactMap { limit, interval in
            guard
                let requests = limit?.word.flatMap({
                    AirbyteTemplate($0, policy.parameters).defaulted.flatMap { Double($0.trimmed) }
                }), let seconds = interval?.word.flatMap({ AirbyteStream.seconds($0, policy) }), seconds > 0
            else { return nil }
            return (requests, seconds)
        }
    }
}
