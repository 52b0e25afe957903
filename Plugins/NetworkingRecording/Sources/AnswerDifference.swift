import HTTPTypes
import PatchbayJSON

/// Compares two recorded answers to the same request.
enum AnswerDifference {
    /// Returns the first difference as text; nil when the answers are equal.
    static func words(_ left: RecordedAnswer, _ right: RecordedAnswer) -> String? {
        if left.status != right.status { return "status: \(left.status), \(right.status)" }
        return body(left, right) ?? headers(left.headerFields, right.headerFields)
    }

    private static func body(_ left: RecordedAnswer, _ right: RecordedAnswer) -> String? {
        switch (left.body, right.body) {
        case (.failure, .failure): return nil
        case (.failure, _): return "body: it was recorded only in the second"
        case (_, .failure): return "body: it was recorded only in the first"
        case (.success(let left), .success(let right)):
            if left == right { return nil }
            // Bodies that are not JSON are compared byte by byte.
            guard let first = try? JSONValue(left), let second = try? JSONValue(right) else {
                let place = zip(left, right).prefix { $0 == $1 }.count
                return "body: byte \(place)"
            }
            return first.difference(from: second).map { "body: " + $0 }
        }
    }

    private static func headers(_ left: HTTPFields, _ right: HTTPFields) -> String? {
        let (left, right) = (values(left), values(right))
        let names = Set(left.keys).union(right.keys)
        return names.filter { left[$0] != right[$0] }.min().map { "header: \($0)" }
    }

    /// The values of each header in order, without volatile headers.
    private static func values(_ fields: HTTPFields) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for field in fields where !isVolatile(field.name.canonicalName) {
            values[field.name.canonicalName, default: []].append(field.value)
        }
        return values
    }

    /// Whether a header may differ between equal answers: dates, rate limits, caches, identifiers of servers and
    /// requests.
    private static func isVolatile(_ name: String) -> Bool {
        volatileNames.contains(name) || volatilePrefixes.contains(where: name.hasPrefix)
    }

    private static let volatilePrefixes = ["x-ratelimit-", "x-cache", "cf-", "x-fastly-", "x-amz-"]
    private static let volatileNames: Set<String> = [
        "age", "connection", "content-md5", "date", "expires", "github-authentication-token-expiration",
        "keep-alive", "nel", "report-to", "server", "server-timing", "set-cookie", "x-github-request-id",
        "x-request-id", "x-runtime", "x-runtime-rack", "x-served-by", "x-timer", "via",
    ]
}

extension JSONValue {
    /// Returns the path of the first difference, such as `[3].owner.login`, with a description; nil for equal values.
    /// The order of an object's members is ignored.
    func difference(from other: JSONValue, at place: String = "") -> String? {
        switch (self, other) {
        case (.null, .null): return nil
        case (.bool(let left), .bool(let right)) where left == right: return nil
        case (.number(let left), .number(let right)) where left == right: return nil
        case (.text(let left), .text(let right)) where left.utf8.elementsEqual(right.utf8): return nil
        case (.array(let left), .array(let right)):
            for (index, pair) in zip(left, right).enumerated() {
                if let found = pair.0.difference(from: pair.1, at: "\(place)[\(index)]") { return found }
            }
            return left.count == right.count
                ? nil : "\(JSONValue.name(place)): \(left.count) elements, \(right.count)"
        case (.object(let left), .object(let right)):
            return JSONValue.difference(left, right, at: place)
        default: return "\(JSONValue.name(place)) differs"
        }
    }

    private static func difference(
        _ left: [(name: String, value: JSONValue)], _ right: [(name: String, value: JSONValue)],
        at place: String
    ) -> String? {
        let others = Dictionary(right.map { ($0.name, $0.value) }) { $1 }
        for (name, value) in left {
            let path = place.isEmpty ? name : "\(place).\(name)"
            guard let other = others[name] else { return "\(path) is only in the first" }
            if let found = value.difference(from: other, at: path) { return found }
        }
        let names = Set(left.map(\.name))
        return right.first { !names.contains($0.name) }.map { member in
            "\(place.isEmpty ? member.name : "\(place).\(member.name)") is only in the second"
        }
    }

    private static func name(_ place: String) -> String { place.isEmpty ? "the whole" : place }
}
