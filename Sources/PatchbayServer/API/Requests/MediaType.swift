import HTTPTypes

/// The form of an answer.
enum MediaType: String, Sendable {
    case json = "application/json"
    case jsonLines = "application/jsonl"
    case ndjson = "application/x-ndjson"
    /// The web page.
    case html = "text/html"
    /// A picture in the type that the source sent.
    case picture = "image/*"
    case events = "text/event-stream"
    /// The text format of Prometheus.
    case metrics = "text/plain"

    /// The answer's `Content-Type`.
    var contentType: String {
        switch self {
        case .metrics: "text/plain; version=0.0.4; charset=utf-8"
        default: rawValue
        }
    }

    /// Returns the form that the client prefers (RFC 9110, section 12.5.1); the first of equal ones.
    ///
    /// - Parameter accept: the `Accept` field; a missing or empty one accepts everything.
    /// - Returns: nil when the client accepts none.
    static func chosen(from offered: [MediaType], accept: String?) -> MediaType? {
        guard let accept, !accept.allSatisfy({ $0 == " " || $0 == "\t" }) else { return offered.first }
        let ranges = ContentType.list(accept).map(MediaRange.init)
        var best: (type: MediaType, weight: Int)?
        for type in offered {
            let fitting = ranges.filter { $0.takes(type.rawValue) }.max { $0.precision < $1.precision }
            guard let fitting, fitting.weight > 0, fitting.weight > best?.weight ?? 0 else { continue }
            best = (type, fitting.weight)
        }
        return best?.type
    }
}

/// An element of an `Accept` field.
private struct MediaRange {
    private let type: String
    /// In thousandths.
    let weight: Int

    init(_ range: ContentType) {
        type = range.name
        weight = range.parameters.first { $0.name == "q" }.map { Self.weight($0.value) } ?? 1_000
    }

    private static func weight(_ text: String) -> Int {
        guard let value = Double(text), (0...1).contains(value) else { return 0 }
        return Int(value * 1_000)
    }

    /// The precision of the range: 2 for a full type, 0 for `*/*`.
    var precision: Int { type == "*/*" ? 0 : type.hasSuffix("/*") ? 1 : 2 }

    func takes(_ other: String) -> Bool {
        type == "*/*" || type == other || (type.hasSuffix("/*") && other.hasPrefix(type.dropLast()))
    }
}
