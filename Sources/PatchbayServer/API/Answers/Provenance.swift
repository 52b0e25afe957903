import HTTPTypes
import PatchbayCore
import PatchbayGateway

/// The origin, age and completeness of an answer: the fields `Age`, `Cache-Status` and `Patchbay-Answer`.
struct Provenance: Sendable {
    /// Why a request was sent to the source (RFC 9211, section 2.2).
    enum Forward: String {
        /// The policy requires it.
        case request
        /// Nothing is stored.
        case miss
        /// Only a part of the answer is stored.
        case partial
    }

    let source: String
    let age: Duration?
    let outcome: Outcome
    var forward = Forward.request
    /// Whether the answer is complete; nil if that is not known when its head is sent.
    var isComplete: Bool? = true
    /// Whether the list continues; nil if the answer is not a list.
    var hasMore: Bool?
    /// Why rows may be missing although the source answered; nil when none are.
    var reason: String?
    /// The origin of search results; nil if the answer is not a search.
    var found: String?
    /// The number of results that the source reports; nil if it does not.
    var total: Int64?

    init<Value>(_ answer: Answer<Value>, from source: String) {
        self.init(source: source, age: answer.age, answer.outcome)
    }

    init(source: String, age: Duration?, _ outcome: Outcome) {
        self.source = source
        self.age = age
        self.outcome = outcome
    }

    /// Takes why rows may be missing; nil when none are.
    mutating func note(_ reason: String?) {
        self.reason = reason
        isComplete = reason == nil
    }

    /// Whether the answer comes from the storage alone.
    var isStored: Bool {
        switch outcome {
        case .stored, .localOnly: true
        case .fresh, .unchanged, .failed: false
        }
    }

    func write(to fields: inout HTTPFields) {
        if let age { fields[.age] = String(max(0, age.components.seconds)) }
        fields[.cacheStatus] = "patchbay; \(cacheStatus)"
        fields[.patchbayAnswer] = members.joined(separator: ", ")
    }

    private var cacheStatus: String {
        switch outcome {
        case .stored, .localOnly: "hit"
        case .fresh: "fwd=\(forward.rawValue); stored"
        case .unchanged: "fwd=\(forward.rawValue); stored; detail=unchanged"
        case .failed(let error): "hit; detail=\(error.code.rawValue.replacing(" ", with: "-"))"
        }
    }

    /// What the field says about the rows, whenever and however they were fetched.
    var contentMembers: [String] {
        var members: [String] = []
        if let isComplete { members.append("complete=\(isComplete ? "?1" : "?0")") }
        if let reason { members.append("reason=\(StructuredString(reason))") }
        if let hasMore { members.append("more=\(hasMore ? "?1" : "?0")") }
        if let found { members.append("found-by=\(found)") }
        if let total { members.append("total=\(total)") }
        return members
    }

    private var members: [String] {
        var members = ["state=\(outcome.word)"] + contentMembers
        if case .localOnly = outcome {} else { members.append("source=\(StructuredString(source))") }
        if let error = outcome.error {
            members.append("error=\(StructuredString(error.code.rawValue))")
            if let time = error.retryAt { members.append("retry-at=@\(time.milliseconds / 1_000)") }
        }
        return members
    }
}

/// A string of a structured field (RFC 9651, section 3.3.3); characters that are not allowed are left out.
struct StructuredString: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let kept = text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }
        var escaped = "\""
        for scalar in kept {
            if scalar == "\"" || scalar == "\\" { escaped.unicodeScalars.append("\\") }
            escaped.unicodeScalars.append(scalar)
        }
        description = escaped + "\""
    }
}
