import PatchbayDomain
import PatchbayJSON

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
