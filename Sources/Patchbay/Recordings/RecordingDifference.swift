import NetworkingRecording

/// A request to which two recordings do not answer alike.
public struct RecordingDifference: Sendable {
    /// How they differ.
    public enum Kind: String, Sendable, CaseIterable {
        case onlyInFirst = "only in the first"
        case onlyInSecond = "only in the second"
        case answer = "answered differently"
        /// An entry of either recording is no HAR entry, so that it cannot be compared.
        case unreadable = "unreadable"
    }

    /// The most differences that are told; more are counted.
    public static let differencesMax = 10_000

    public let kind: Kind
    /// The request without credentials: `GET https://api.github.com/users?since=46`; of an entry that cannot be read,
    /// its number and file.
    public let request: String
    /// What is different first: `status: 200, 404`, `body: [3].login differs`; nil when a side has no answer.
    public let detail: String?

    /// Compares two recordings, each a HAR file or a folder with some.
    ///
    /// The n-th answer to a request is compared with the n-th of the other. The order of requests and of JSON members
    /// does not count, nor do headers that change with each request. Two answers are in memory at once.
    ///
    /// - Returns: at most ``differencesMax`` differences, and how many there are.
    /// - Throws: `invalidConfiguration` when one is no recording; `permissionDenied`.
    public static func between(
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

    /// What is different first in the answers to a request that both know.
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
