import NetworkingRecording

/// A request that two recordings answer differently.
package struct RecordingDifference: Sendable {
    /// The kinds of difference.
    package enum Kind: String, Sendable, CaseIterable {
        /// Only the first recording answers the request.
        case onlyInFirst = "only in the first"
        /// Only the second recording answers the request.
        case onlyInSecond = "only in the second"
        /// Both recordings answer the request, with different answers or different numbers of answers.
        case answer = "answered differently"
        /// An entry of either recording is not a HAR entry, so it cannot be compared.
        case unreadable = "unreadable"
    }

    /// The maximum number of differences in the result; further ones are only counted.
    package static let differencesMax = 10_000

    /// Which side has an answer, or that the answers differ or cannot be compared.
    package let kind: Kind
    /// The request without credentials: `GET https://api.github.com/users?since=46`; for an unreadable entry, its
    /// number and file.
    package let request: String
    /// The first difference: `status: 200, 404`, `body: [3].login differs`; nil when one side has no answer.
    package let detail: String?

    /// Compares two recordings, each a HAR file or a folder of HAR files.
    ///
    /// The n-th answer to a request is compared with the n-th in the other recording. The order of requests and of JSON
    /// members is ignored, as are headers that change with each request. Two answers are in memory at a time.
    ///
    /// - Returns: at most ``differencesMax`` differences, and their total number.
    /// - Throws: `invalidConfiguration` when one is not a recording; `permissionDenied`.
    package static func between(
        _ first: String, _ second: String
    ) throws -> (differences: [RecordingDifference], count: Int) {
        let (first, second) = try (open(first), open(second))
        var differences: [RecordingDifference] = []
        var count = 0
        func add(_ kind: Kind, _ request: @autoclosure () -> String, _ detail: String? = nil) {
            count += 1
            guard differences.count < differencesMax else { return }
            differences.append(RecordingDifference(kind: kind, request: request(), detail: detail))
        }
        for entry in first.unreadable + second.unreadable {
            add(.unreadable, "entry \(entry.number) of \(entry.file)", entry.message)
        }
        for question in first.questions {
            if second.answerCount(to: question) == 0 {
                add(.onlyInFirst, question.description)
            } else if let detail = try detail(of: question, first, second) {
                add(.answer, question.description, detail)
            }
        }
        for question in second.questions where first.answerCount(to: question) == 0 {
            add(.onlyInSecond, question.description)
        }
        return (differences, count)
    }

    private static func open(_ path: String) throws -> Recording {
        try Recording.inspecting(files: Recording.files(of: path), name: path) { throw $1 }
    }

    /// The first difference between the answers to a request that both recordings contain.
    private static func detail(
        of question: RecordedQuestion, _ first: Recording, _ second: Recording
    ) throws -> String? {
        let counts = [first, second].map { $0.answerCount(to: question) }
        for number in 0..<min(counts[0], counts[1]) {
            if let found = try first.difference(from: second, inAnswer: number, to: question) {
                return number == 0 ? found : "answer \(number + 1), \(found)"
            }
        }
        return counts[0] == counts[1] ? nil : "\(counts[0]) answers, \(counts[1])"
    }
}
