import HTTPTypes
package import PatchbayCore
import PatchbayJSON

extension Recording {
    /// Opens files for inspection. Unreadable entries are left out of ``questions`` and reported by
    /// ``forEachExchange(_:besides:)``.
    ///
    /// - Parameters:
    ///   - name: the name of the recording in messages.
    ///   - refuse: called with each file that is not HAR; the file is left out unless this throws.
    /// - Throws: any error of `refuse`.
    package static func inspecting(
        files: [String], name: String, refuse: (_ path: String, _ error: PatchbayError) throws -> Void
    ) throws -> Recording {
        Recording(
            name,
            try RecordingIndex(
                inspecting: files,
                softQueryItems: softQueryItemsByAPI.values.reduce(usualSoftQueryItems) { $0.union($1) },
                refuse: refuse))
    }

    /// The entries that cannot be replayed, because they are not HAR entries.
    package var unreadable: [UnreadableEntry] { index.unreadable }

    /// Passes every exchange, or the fault of an invalid entry, to `body`, in file order.
    ///
    /// Uses at most twice the size of the largest entry in memory.
    ///
    /// - Parameter besides: called after the exchanges of a file with each text outside its entries, such as the title
    ///   of a page.
    /// - Throws: `invalidConfiguration` when a file changed on disk; any error of the closures.
    package func forEachExchange(
        _ body: (Result<RecordedExchange, UnreadableEntry>) throws -> Void,
        besides: (_ file: String, RecordedText) throws -> Void = { _, _ in }
    ) throws {
        for file in index.files {
            var others = RecordedTexts(recording: file.path)
            try file.forEachEntry { number, offset, json in
                let exchange = Result { () throws(UnreadableEntry) in
                    try RecordedExchange(file: file.path, number: number, offset: offset, json: json)
                }
                try body(exchange)
            } besides: { name, reader throws(JSONError) in
                try others.walk(&reader, name)
            }
            for text in others.found { try besides(file.path, text) }
        }
    }

    /// The distinct recorded requests, in order of first occurrence.
    package var questions: some Sequence<RecordedQuestion> {
        index.groups.lazy.filter { $0.entries.contains(where: \.isReadable) }
            .map { RecordedQuestion(key: $0.key) }
    }

    /// Returns the number of recorded answers to exactly this request.
    package func answerCount(to question: RecordedQuestion) -> Int {
        index.entries(for: question.key).count
    }

    /// Returns the first difference between this and another recording's answer to a request: status, body or headers.
    ///
    /// Volatile headers (dates, rate limits, server names) are ignored. An unreadable answer is a difference.
    ///
    /// - Parameter number: the index of the answer, from 0; both recordings must have it.
    /// - Returns: text such as `status: 200, 404`; nil when the answers are equal.
    /// - Throws: `invalidConfiguration` when a file changed on disk.
    package func difference(
        from other: Recording, inAnswer number: Int, to question: RecordedQuestion
    ) throws -> String? {
        do {
            let answers = try [self, other].map { try $0.answer($0.index.entries(for: question.key)[number]) }
            return AnswerDifference.words(answers[0], answers[1])
        } catch let error as PatchbayError where error.cause is UnreadableEntry {
            return error.message
        }
    }

    /// Whether a replay answers this request without a condition, possibly with the answer to one that differs in soft
    /// query items.
    package func isAnswered(method: String, url: String) -> Bool {
        let group = RequestKey(method: method, url: url, body: .none).flatMap(index.group)
        return group.map { index.groups[$0].entries.contains { $0.isReadable && $0.status != 304 } } ?? false
    }

    /// Why a replay cannot return the answer of an exchange of this recording; nil when it can.
    package func problem(of exchange: RecordedExchange) -> String? {
        if exchange.status < 100 { return "got no answer when it was recorded, so it is not replayed" }
        if exchange.replayedStatus == 304, !isAnswered(method: exchange.method, url: exchange.url) {
            return Recording.notModified
        }
        return exchange.bodyProblem
    }

    /// Whether the recording has exchanges with the server of this address: scheme, host and port.
    package func knows(serverOf url: String) -> Bool {
        guard let origin = RequestKey(method: "GET", url: url, body: .none)?.origin else { return false }
        return index.groups.contains { $0.key.origin == origin }
    }
}

/// A recorded request, without its answers.
package struct RecordedQuestion: Hashable, Sendable {
    let key: RequestKey

    /// The request as text for people, such as `GET https://api.github.com/users?since=46`, without credentials.
    package var description: String { key.description }
}

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
