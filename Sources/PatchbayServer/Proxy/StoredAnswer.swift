import HTTPTypes
import PatchbayCore

/// A cached answer of the server, with its recipients and times.
struct StoredAnswer: Sendable {
    /// The maximum size of a stored body, in bytes.
    static let bodyBytesMax = 8 << 20

    let place: AnswerPlace
    /// Distinguishes the answer from others of its address.
    let variant: UInt128
    /// The address without its query, which may contain secrets.
    let target: String
    /// The request fields on which the answer depends within its place.
    let selecting: [Selecting]
    let status: Int
    private(set) var fields: HTTPFields
    let body: [UInt8]
    private(set) var requestedAt: Timestamp
    private(set) var receivedAt: Timestamp
    /// Whether the answer is a full last page of a list. Its confirmation would not prove that no page follows.
    let isFullLastPage: Bool
    private(set) var freshness: Freshness
    /// The time of the last use, up to 10 minutes too early.
    var usedAt: Timestamp
    /// The rewritten form for the last client.
    private(set) var prepared = PreparedAnswer()

    /// A field of a request with its value; nil if it was not sent.
    struct Selecting: Hashable, Sendable {
        let name: HTTPField.Name
        let value: String?
    }

    init(
        place: AnswerPlace, variant: UInt128, target: String, selecting: [Selecting], status: Int,
        fields: HTTPFields, body: [UInt8], requestedAt: Timestamp, receivedAt: Timestamp,
        isFullLastPage: Bool, usedAt: Timestamp
    ) {
        self.place = place
        self.variant = variant
        self.target = target
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

    /// The size of the answer in the storage, in bytes.
    var byteCount: Int {
        body.count + target.utf8.count
            + fields.reduce(256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
    }

    /// An upper estimate of the memory that the answer occupies, in bytes.
    ///
    /// The fields are held three times, as received, as ``prepared`` for a client and encoded; a body whose addresses
    /// may be rewritten twice; and 512 bytes are for the fields that change over time. An element of `HTTPFields` has
    /// 64 bytes, and a text that does not fit into it has its own allocation.
    var memoryBytes: Int {
        func allocated(_ text: String) -> Int { text.utf8.count > 15 ? text.utf8.count + 48 : 0 }
        let texts = fields.reduce(allocated(target)) {
            $0 + 288 + 3 * allocated($1.name.rawName) + 2 * allocated($1.value)
        }
        return 1_536 + texts + (fields.isJSON ? 2 : 1) * body.count
    }

    /// The tag with which the server can confirm the answer.
    var entityTag: String? { fields[.eTag].flatMap { EntityTag.isUsable($0) ? $0 : nil } }

    /// Returns the value of a field for comparisons, without white space around the commas of lists.
    static func normalized(_ value: String?) -> String? {
        guard let value, value.utf8.offset(where: { $0 == 0x20 || $0 == 0x09 }) != nil else { return value }
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        return parts.map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }.joined(
            separator: ",")
    }
}

extension StoredAnswer {
    /// The fields of a 304 that do not describe the stored body (RFC 9111, section 3.2).
    private static let kept: Set<HTTPField.Name> = [
        .contentLength, .contentEncoding, .contentRange, .transferEncoding, .setCookie,
    ]

    /// Updates the answer after the server has confirmed it.
    mutating func confirm(_ new: HTTPFields, requestedAt: Timestamp, receivedAt: Timestamp) {
        for name in Set(new.map(\.name)) where !Self.kept.contains(name) {
            // The same tag may be spelled differently; clients have the one that was sent with the body.
            if name == .eTag, let tag = new[name], fields[name].map({ EntityTag.isEqual($0, tag) }) ?? false {
                continue
            }
            fields[fields: name] = new[fields: name]
        }
        // An age belongs to the answer with which it was sent.
        if new[.age] == nil { fields[.age] = nil }
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        freshness = Freshness(fields, requestedAt: requestedAt, receivedAt: receivedAt)
        prepared = PreparedAnswer()
    }
}
