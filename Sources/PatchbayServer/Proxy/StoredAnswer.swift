import HTTPTypes
import PatchbayCore

/// An answer that may be given again: what the server sent, to whom, and when.
struct StoredAnswer: Sendable {
    /// The largest body that is kept, in bytes.
    static let bodyBytesMax = 8 << 20

    let place: AnswerPlace
    /// Tells it from the other answers of its address.
    let variant: UInt128
    /// Address, path and query.
    let target: String
    /// Whose credentials it was asked with; 0 for one that everybody may see.
    let partition: UInt128
    /// The fields of the request that it depends on.
    let selecting: [Selecting]
    let status: Int
    private(set) var fields: HTTPFields
    let body: [UInt8]
    private(set) var requestedAt: Timestamp
    private(set) var receivedAt: Timestamp
    /// Whether it is the full last page of a list, whose confirmation would not prove that no page has come after it.
    let isFullLastPage: Bool
    private(set) var freshness: Freshness
    /// When it was last given to a client, or a little earlier.
    var usedAt: Timestamp
    /// What clients were last given of it.
    private(set) var prepared = PreparedAnswer()

    /// A field of a request: its value, or that it was not sent.
    struct Selecting: Hashable, Sendable {
        let name: HTTPField.Name
        let value: String?
    }

    init(
        place: AnswerPlace, variant: UInt128, target: String, partition: UInt128, selecting: [Selecting],
        status: Int, fields: HTTPFields, body: [UInt8], requestedAt: Timestamp, receivedAt: Timestamp,
        isFullLastPage: Bool, usedAt: Timestamp
    ) {
        self.place = place
        self.variant = variant
        self.target = target
        self.partition = partition
        self.selecting = selecting
        self.status = status
        self.fields = fields
        self.body = body
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        self.isFullLastPage = isFullLastPage
        self.usedAt = usedAt
        freshness = Freshness(fields, requestedAt: requestedAt, receivedAt: receivedAt)
    }

    static func variant(_ partition: UInt128, _ selecting: [Selecting], _ digest: AnswerDigest) -> UInt128 {
        digest.digest(
            of: [AnswerDigest.text(partition)]
                + selecting.flatMap { [$0.name.canonicalName, $0.value.map { "=" + $0 } ?? ""] })
    }

    /// What it takes up, in bytes.
    var byteCount: Int {
        body.count + target.utf8.count
            + fields.reduce(256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
    }

    /// The tag to confirm it by.
    var entityTag: String? { fields[.eTag].flatMap { EntityTag.isUsable($0) ? $0 : nil } }

    /// Whether a request would be answered with it, as far as fields decide.
    func isSelected(by request: HTTPRequest) -> Bool {
        selecting.allSatisfy { $0.value == Self.normalized(request, $0.name) }
    }

    /// The value of a field as it is compared: lists without the white space around their commas.
    static func normalized(_ request: HTTPRequest, _ name: HTTPField.Name) -> String? {
        guard let value = request.headerFields[name] else { return nil }
        guard value.contains(where: { $0 == " " || $0 == "\t" }) else { return value }
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        return parts.map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }.joined(
            separator: ",")
    }
}

extension StoredAnswer {
    /// The fields of a 304 that say nothing of the stored body (RFC 9111, section 3.2).
    private static let kept: Set<HTTPField.Name> = [
        .contentLength, .contentEncoding, .contentRange, .transferEncoding, .setCookie,
    ]

    /// Takes in that the server has confirmed it.
    mutating func confirm(_ new: HTTPFields, requestedAt: Timestamp, receivedAt: Timestamp) {
        for name in Set(new.map(\.name)) where !Self.kept.contains(name) {
            // The same tag may come in another spelling; what was sent with the body is what clients have.
            if name == .eTag, let tag = new[name], fields[name].map({ EntityTag.isEqual($0, tag) }) ?? false {
                continue
            }
            fields[fields: name] = new[fields: name]
        }
        // An age belongs to the answer that it came with.
        if new[.age] == nil { fields[.age] = nil }
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        freshness = Freshness(fields, requestedAt: requestedAt, receivedAt: receivedAt)
        prepared = PreparedAnswer()
    }

    /// The same answer for another client, to whom the server has confirmed it.
    func adopted(by question: ProxyQuestion, _ digest: AnswerDigest) -> StoredAnswer {
        let selecting = question.selecting(by: fields)
        return StoredAnswer(
            place: place, variant: Self.variant(question.partition, selecting, digest), target: target,
            partition: question.partition, selecting: selecting, status: status, fields: fields, body: body,
            requestedAt: requestedAt, receivedAt: receivedAt, isFullLastPage: isFullLastPage, usedAt: usedAt)
    }
}
