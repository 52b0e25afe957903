import PatchbayCore
import PatchbayJSON

/// The entity tag of an answer: the store, its revision, and digests of the question, the content and the notes.
///
/// A tag of the current revision answers a condition without reading a row. A tag of another revision still matches if
/// the content is the same; then rows are read but not sent.
struct AnswerTag: Hashable, Sendable {
    /// Unique to this process, because the next process counts revisions from the beginning.
    let store: String
    /// The revision before the answer was read; nil when it may not identify the answer.
    var revision: UInt64?
    /// A digest of the request and the form of its answer.
    let question: UInt64
    /// A digest of the content; nil for a streamed answer.
    var content: UInt64?

    /// A digest of what the answer says besides its content, such as which page follows; nil for nothing. Whether a row
    /// may be changed does not depend on it.
    var notes: UInt64?

    init(store: String, revision: UInt64?, question: UInt64, content: UInt64? = nil) {
        self.store = store
        self.revision = revision
        self.question = question
        self.content = content
    }

    /// Parses an opaque tag without its quotes; nil for a tag that this API did not write.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (4...5).contains(parts.count), let question = UInt64(parts[2], radix: 36) else { return nil }
        store = String(parts[0])
        revision = UInt64(parts[1], radix: 36)
        self.question = question
        content = UInt64(parts[3], radix: 36)
        guard revision != nil || parts[1].isEmpty, content != nil || parts[3].isEmpty else { return nil }
        guard parts.count == 5 else { return }
        guard let notes = UInt64(parts[4], radix: 36) else { return nil }
        self.notes = notes
    }

    /// The tag as in a header field. It is weak when the content is not known in advance.
    var text: String {
        var words = [store, revision.word, Optional(question).word, content.word]
        if notes != nil { words.append(notes.word) }
        return (content == nil ? "W/" : "") + "\"" + words.joined(separator: "-") + "\""
    }

    /// Whether a client's tag identifies the answer of the same revision, whatever its content.
    func isOfSameRevision(as other: AnswerTag) -> Bool {
        revision != nil && store == other.store && revision == other.revision && question == other.question
    }

    /// Whether a client's tag identifies the same answer.
    func isOfSameAnswer(as other: AnswerTag) -> Bool { isOfSameContent(as: other) && notes == other.notes }

    /// Whether a client's tag identifies the same content, whatever the notes.
    func isOfSameContent(as other: AnswerTag) -> Bool {
        content != nil && question == other.question && content == other.content
    }
}

extension UInt64? {
    fileprivate var word: String { map { String($0, radix: 36) } ?? "" }
}

extension UInt64 {
    /// A digest of bytes that is the same in every run. It does not withstand deliberate collisions.
    init(digestOf bytes: [UInt8]) {
        var hash = SipHash()
        hash.combine(counted: bytes.span.bytes)
        self = UInt64(truncatingIfNeeded: hash.finish())
    }

    init(digestOf text: String) { self.init(digestOf: Array(text.utf8)) }
}
