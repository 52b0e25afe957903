/// The path of a route below `/-`: `/resources/{name}/{key}`.
struct PathTemplate: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    let text: String
    let segments: [Segment]

    init(_ text: String) {
        self.text = text
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            $0.hasPrefix("{") ? .parameter(String($0.dropFirst().dropLast())) : .literal(String($0))
        }
    }

    /// Returns the values of the parameters, none of them empty; nil if the path does not match.
    func values(of path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): guard literal.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                values[name] = text
            }
        }
        return values
    }

    var parameterCount: Int { segments.count { if case .parameter = $0 { true } else { false } } }

    /// Whether paths of another template also match this one.
    func covers(_ other: PathTemplate) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { mine, others in
                if case .parameter = mine { true } else { mine == others }
            }
    }
}

extension PathTemplate: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}
