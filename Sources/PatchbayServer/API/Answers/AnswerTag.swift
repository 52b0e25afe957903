import PatchbayCore

/// The entity tag of an answer: of which store, at which revision, to which question, and what it contains.
///
/// A tag of the present revision answers a condition without a row being read. One of another revision still holds when
/// the content is the same, which costs the reading, but not the sending.
struct AnswerTag: Hashable, Sendable {
    /// Of this process: revisions of storages begin again in the next one.
    let store: String
    /// The revision before the answer was read; nil when it is not known to hold the answer.
    var revision: UInt64?
    /// A digest of what was asked, in which form.
    let question: UInt64
    /// A digest of the content; nil for one that is written while it is read.
    var content: UInt64?

    init(store: String, revision: UInt64?, question: UInt64, content: UInt64? = nil) {
        self.store = store
        self.revision = revision
        self.question = question
        self.content = content
    }

    /// Reads an opaque tag without its quotes; nil for one that the API does not write.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, let question = UInt64(parts[2], radix: 36) else { return nil }
        store = String(parts[0])
        revision = UInt64(parts[1], radix: 36)
        self.question = question
        content = UInt64(parts[3], radix: 36)
        guard revision != nil || parts[1].isEmpty, content != nil || parts[3].isEmpty else { return nil }
    }

    /// As a header field has it. A content that is not known beforehand is only sure to be equivalent.
    var text: String {
        let words = [store, revision.word, Optional(question).word, content.word]
        return (content == nil ? "W/" : "") + "\"" + words.joined(separator: "-") + "\""
    }

    /// Whether a client's tag stands for the answer of the present revision, whatever it contains.
    func isOfSameRevision(as other: AnswerTag) -> Bool {
        revision != nil && store == other.store && revision == other.revision && question == other.question
    }

    /// Whether a client's tag stands for the same content.
    func isOfSameContent(as other: AnswerTag) -> Bool {
        content != nil && question == other.question && content == other.content
    }
}

extension UInt64? {
    fileprivate var word: String { map { String($0, radix: 36) } ?? "" }
}

extension UInt64 {
    /// A digest of some bytes, the same in every run; no proof against a client that wants two to be alike.
    init(digestOf bytes: [UInt8]) {
        var hash = SipHash()
        hash.combine(counted: bytes.span.bytes)
        self = UInt64(truncatingIfNeeded: hash.finish())
    }

    init(digestOf text: String) { self.init(digestOf: Array(text.utf8)) }
}
