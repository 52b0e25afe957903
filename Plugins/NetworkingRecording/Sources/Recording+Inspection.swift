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
