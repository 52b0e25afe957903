import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// The line on standard error that says where an answer comes from and how old it is.
struct Status {
    let noun: Noun
    var count: Int
    var from: String
    var age: Duration?
    var outcome: Outcome
    var hint: String?

    /// What is counted, one and several.
    enum Noun: String {
        case users, repositories, commits, pictures

        var one: String {
            switch self {
            case .users: "user"
            case .repositories: "repository"
            case .commits: "commit"
            case .pictures: "picture"
            }
        }
    }

    init<Value>(_ answer: Answer<Value>, _ noun: Noun, count: Int, from source: String) {
        self.noun = noun
        self.count = count
        self.from = source
        self.age = answer.age
        self.outcome = answer.outcome
    }

    var line: String {
        var parts = ["\(count) \(count == 1 ? noun.one : noun.rawValue)", origin]
        if let hint { parts.append(hint) }
        return parts.joined(separator: ", ")
    }

    private var origin: String {
        let stored =
            age.map { $0 < .seconds(1) ? "stored just now" : "stored \(Age.text($0)) ago" }
            ?? "nothing stored"
        switch outcome {
        case .stored, .localOnly: return "\(stored) (offline)"
        case .fresh: return recording.map { "recorded in \($0)" } ?? "fresh from \(from)"
        case .unchanged: return "unchanged " + (recording.map { "in \($0)" } ?? "at \(from)")
        case .failed(let error) where error.isNotRecorded: return "\(stored); \(error.line)"
        case .failed(let error): return "\(stored); \(error.failure(of: from)): \(error.line)"
        }
    }

    /// The recording that the source's name ends with; nil when a server answered. What was recorded is not fresh.
    private var recording: Substring? { from.firstRange(of: ", recorded in ").map { from[$0.upperBound...] } }
}

extension PatchbayError {
    /// What it was that failed, when a source was to be asked: that, its answer, or the storage.
    func failure(of source: String) -> String {
        switch code {
        case .storageFull: "could not keep what \(source) said"
        case .corrupted: "could not read or keep what \(source) said"
        case .notFound, .permissionDenied, .unauthorized, .invalidResponse: "\(source) did not tell"
        default: "could not ask \(source)"
        }
    }
}
