public import PatchbayCore

extension Recording {
    /// Opens files to look into them: entries that are no HAR entries are left out of ``questions``, and
    /// ``forEachExchange(_:)`` reports them.
    ///
    /// - Parameters:
    ///   - name: what messages call the recording.
    ///   - refuse: called with each file that is no HAR, which is left out unless this throws.
    /// - Throws: what `refuse` throws.
    public static func inspecting(
        files: [String], name: String, refuse: (_ path: String, _ error: PatchbayError) throws -> Void
    ) throws -> Recording {
        Recording(
            name,
            try RecordingIndex(inspecting: files, softQueryItems: usualSoftQueryItems, refuse: refuse))
    }

    /// What is no HAR entry in a recording that was opened for a look into it.
    public var unreadable: [UnreadableEntry] { index.unreadable }

    /// Hands over every exchange in the order of the files, one at a time, or why an entry is none.
    ///
    /// The largest entry is in memory twice, and no more.
    ///
    /// - Throws: `invalidConfiguration` when a file changed on disk; what `body` throws.
    public func forEachExchange(
        _ body: (Result<RecordedExchange, UnreadableEntry>) throws -> Void
    ) throws {
        for file in index.files {
            try file.forEachEntry { number, json in
                let exchange = Result { () throws(UnreadableEntry) in
                    try RecordedExchange(file: file.path, number: number, json: json)
                }
                try body(exchange)
            }
        }
    }

    /// Every request that was recorded, once, in the order in which it was first.
    public var questions: some Sequence<RecordedQuestion> {
        index.groups.lazy.map { RecordedQuestion(key: $0.key) }
    }

    /// How many answers were recorded to exactly this request; 0 when it was never asked.
    public func answerCount(to question: RecordedQuestion) -> Int {
        index.entries(for: question.key).count
    }

    /// What is different first between this recording's answer to a request and another's: status, body, headers.
    ///
    /// Headers that change with each request (dates, budgets, names of servers) do not count. An answer that cannot be
    /// read is a difference.
    ///
    /// - Parameter number: which of the answers, the first being number 0; both recordings must have it.
    /// - Returns: `status: 200, 404` or the like; nil when they are alike.
    /// - Throws: `invalidConfiguration` when a file changed on disk.
    public func difference(
        from other: Recording, inAnswer number: Int, to question: RecordedQuestion
    ) throws -> String? {
        do {
            let answers = try [self, other].map { try $0.answer($0.index.entries(for: question.key)[number]) }
            return AnswerDifference.words(answers[0], answers[1])
        } catch let error as PatchbayError where error.cause is UnreadableEntry {
            return error.message
        }
    }

    /// Whether a replay has an answer to this request; one that differs in soft query items counts.
    public func isAnswered(method: String, url: String) -> Bool {
        RequestKey(method: method, url: url, body: .none).flatMap(index.group) != nil
    }

    /// Whether anything was recorded of the server of this address: scheme, host and port.
    public func knows(serverOf url: String) -> Bool {
        guard let origin = RequestKey(method: "GET", url: url, body: .none)?.origin else { return false }
        return index.groups.contains { $0.key.origin == origin }
    }
}

/// A request that was recorded, apart from its answers.
public struct RecordedQuestion: Hashable, Sendable {
    let key: RequestKey

    /// The request for people, such as `GET https://api.github.com/users?since=46`, without credentials.
    public var description: String { key.description }
}
