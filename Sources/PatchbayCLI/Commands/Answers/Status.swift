import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// Where an answer comes from, how old it is and what it lacks: a line on standard error, and a part of JSON.
struct Status {
    let noun: Noun
    var count: Int
    var from: String
    var age: Duration?
    var outcome: Outcome
    var hint: String?
    /// Whether the answer holds all that was asked for.
    var isComplete = true
    /// Whether there is more behind it; nil for what is no list.
    var goesOn: Bool?
    /// What to ask for next: an id, a page or a batch.
    var next: Int64?
    /// Who found what a search shows.
    var found: SearchOrigin?
    /// Whether a search continues on the pages that were stored a short while ago.
    var isContinued = false
    /// Whether the storage holds anything of this kind, when it holds nothing of what was asked for.
    var isStoreEmpty = true

    /// Who found what a search shows.
    enum SearchOrigin: String {
        case source, local, denied
    }

    /// What is counted, one and several.
    struct Noun {
        let one: String
        let many: String

        init(_ one: String, _ many: String) {
            self.one = one
            self.many = many
        }

        /// The rows of a resource.
        init(_ resource: ResourceDeclaration) { self.init(resource.singular, resource.plural) }

        func counted(_ count: Int) -> String { "\(count) \(count == 1 ? one : many)" }
    }

    init<Value>(_ answer: Answer<Value>, _ noun: Noun, count: Int, from source: String) {
        self.noun = noun
        self.count = count
        self.from = source
        self.age = answer.age
        self.outcome = answer.outcome
    }

    var line: String {
        if found == .denied { return deniedLine }
        var parts = [counted, origin]
        if let hint { parts.append(hint) }
        return parts.joined(separator: ", ")
    }

    /// The start of the line, while the source is being asked.
    var storedLine: String { "\(counted), \(stored)" }

    private var counted: String { noun.counted(count) }

    private var stored: String {
        age.map { $0 < .seconds(1) ? "stored just now" : "stored \(Age.text($0)) ago" }
            ?? (isStoreEmpty ? "nothing stored" : "nothing stored here")
    }

    fileprivate var interruption: String { "interrupted before \(from) answered" }

    private var deniedLine: String {
        let when = age.map { $0 < .seconds(1) ? "just now" : Age.text($0) + " ago" } ?? "before"
        return "0 \(noun.many), nothing found \(when) at \(from), not asked again; --refresh asks"
    }

    private var origin: String {
        if isContinued { return "\(stored), continued; --refresh asks" }
        switch outcome {
        case .stored, .localOnly: return "\(stored) (offline)"
        case .fresh: return recording.map { "recorded in \($0)" } ?? "fresh from \(from)"
        case .unchanged: return "unchanged " + (recording.map { "in \($0)" } ?? "at \(from)")
        case .failed(let error) where error.isNotRecorded: return "\(stored); \(error.line)"
        case .failed(let error) where error.code == .cancelled: return "\(stored); \(interruption)"
        case .failed(let error): return "\(stored); \(error.failure(of: from)): \(error.line)"
        }
    }

    /// The recording that the source's name ends with; nil when a server answered. A recorded answer is not fresh.
    private var recording: Substring? { from.firstRange(of: ", recorded in ").map { from[$0.upperBound...] } }
}

extension Status {
    /// Whether `--strict` takes it for a failure: rows are missing, or the source was asked and did not confirm them.
    var isDoubtful: Bool {
        if case .failed = outcome { return true }
        return !isComplete
    }

    /// Whether the line tells a failure, which is told also when no summary is wanted.
    var isFailure: Bool { if case .failed = outcome { true } else { false } }

    /// What JSON says of the answer beside its items.
    var record: OutputRecord {
        var error: PatchbayError?
        if case .failed(let failure) = outcome { error = failure }
        return OutputRecord([
            ("source", isLocal ? .null : .text(from)), ("origin", .text(originWord)), ("state", .text(state)),
            ("age_seconds", OutputValue(age.map { max(0, $0.components.seconds) })),
            ("complete", .bool(isComplete)), ("more", OutputValue(goesOn)), ("next", OutputValue(next)),
            ("error", OutputValue(error?.code.rawValue)),
            ("message", OutputValue(error.map { $0.code == .cancelled ? interruption : $0.line })),
            ("retry_at", OutputValue(error?.retryAt?.description)),
        ])
    }

    /// Whether the source was not opened.
    private var isLocal: Bool {
        if case .localOnly = outcome { found != .denied && !isContinued } else { false }
    }

    private var originWord: String {
        if let found, found != .source { return found.rawValue }
        switch outcome {
        case .fresh, .unchanged: return "source"
        case .stored, .localOnly, .failed: return "storage"
        }
    }

    /// How the answer came about, in one word.
    private var state: String {
        switch outcome {
        case .stored: "stored"
        case .failed(let error) where error.code == .cancelled: "stored"
        case .localOnly: found == .denied || isContinued ? "stored" : "offline"
        case .fresh: recording == nil ? "fresh" : "recorded"
        case .unchanged: "unchanged"
        case .failed: "failed"
        }
    }
}

extension Status {
    /// Takes over how a list continues. All rows that were asked for are there when the source has just sent or
    /// confirmed them, when they are as many as were wanted, or when the list ends with them.
    ///
    /// - Parameter isPartial: whether rows are missing because they could not be fetched.
    mutating func show(goesOn: Bool?, isPartial: Bool, limit: Int) {
        self.goesOn = goesOn
        isComplete = !isPartial && (outcome.isConfirmed || count >= limit || goesOn == false)
    }

    /// Whether there is more, and nothing of what was asked for is missing before it.
    var mayAskForMore: Bool { goesOn == true && isComplete && count > 0 }
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
