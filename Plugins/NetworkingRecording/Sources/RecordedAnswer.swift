import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// The answer of a recorded exchange.
struct RecordedAnswer {
    /// When the request was sent (`startedDateTime`); nil when the entry has no valid time.
    private(set) var startedAt: Timestamp?
    /// The status of the replayed answer.
    private(set) var status = 0
    private var reason = ""
    private(set) var headerFields = HTTPFields()
    /// The fields of the request, up to ``fieldsMax``, on which the answer may depend.
    private(set) var requestFields = HTTPFields()
    /// The body as text or base64; nil if it was not recorded.
    private var text: [UInt8]?
    private var encoding: String?
    /// The file beside the recording that contains the body; nil when it was not recorded there.
    private var attachment: Result<[UInt8], AttachedBody.Fault>?
    private var size = BodySize()
    /// Whether the body was compressed on the wire. A recording should contain it inflated.
    private var isCompressed = false

    /// The status of a replayed answer. A browser records the status 304 together with the contents from its cache;
    /// such an answer has the status 200.
    static func replayedStatus(of status: Int, hasContents: Bool) -> Int {
        status == 304 && hasContents ? 200 : status
    }

    /// Reads the `response` and the fields of the `request` of one element of `log.entries`.
    ///
    /// - Parameter recording: the path of the file, beside which the body may be.
    init(entry reader: inout JSONReader, in recording: String) throws(JSONError) {
        var attachmentName: String?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "response", try reader.peek() != .null {
                try readResponse(&reader, &attachmentName)
            } else if key == "request", try reader.peek() == .object {
                try readRequest(&reader)
            } else if key == "startedDateTime", try reader.peek() == .string {
                startedAt = Timestamp(try reader.readString())
            } else {
                try reader.skipValue()
            }
        }
        if text?.isEmpty != false {
            attachment = attachmentName.map { name in
                Result { () throws(AttachedBody.Fault) in
                    try AttachedBody.bytes(named: name, beside: recording)
                }
            }
        }
        let hasContents = attachment != nil || text?.isEmpty == false
        let replayed = Self.replayedStatus(of: status, hasContents: hasContents)
        if replayed != status { (status, reason) = (replayed, "OK") }
    }

    var head: HTTPResponse {
        HTTPResponse(status: .init(code: status, reasonPhrase: reason), headerFields: headerFields)
    }

    /// The body, or why it is missing. A body without text is empty if its size or the status implies that.
    var body: Result<[UInt8], BodyFault> {
        if let attachment { return attachment.mapError { .unattached($0) } }
        guard let text else { return size.mayLackText(status) ? .success([]) : .failure(.missing) }
        guard let encoding, !encoding.isEmpty else {
            // Polly.JS writes the bytes of a compressed body as an array of hexadecimal texts.
            return isCompressed && text.starts(with: #"["1f8b"#.utf8) ? .failure(.compressed) : .success(text)
        }
        guard encoding == "base64" else { return .failure(.unknownEncoding(encoding)) }
        guard let bytes = Base64.decoded(text) else { return .failure(.notBase64) }
        return isCompressed && bytes.starts(with: [0x1F, 0x8B]) ? .failure(.compressed) : .success(bytes)
    }

    /// Why a body that was not recorded is not replayed, in words that continue after the entry.
    static let bodiless = "was recorded without its body; save the recording with contents"

    /// Why a compressed body is not replayed, in words that continue after the entry.
    static let compressed =
        "has a body that is still compressed with gzip; save the recording with decoded bodies"

    /// The maximum number of header fields of an answer. `HTTPFields` stops the process above 65,535.
    static let fieldsMax = 10_000

    enum BodyFault: Error {
        case missing
        /// Its file beside the recording cannot be read.
        case unattached(AttachedBody.Fault)
        case notBase64
        /// It is still compressed with gzip.
        case compressed
        case unknownEncoding(String)
    }
}

// MARK: - Reading

extension RecordedAnswer {
    private mutating func readResponse(
        _ reader: inout JSONReader, _ attachmentName: inout String?
    ) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "status" {
                status = try reader.readStatus()
            } else if key == "statusText", try reader.peek() == .string {
                reason = try reader.readString()
            } else if key == "headers", try reader.peek() != .null {
                try readHeaders(&reader)
            } else if key == "content", try reader.peek() != .null {
                try readContent(&reader, &attachmentName)
            } else if key == "bodySize", try reader.peek() == .number {
                size.sent = try reader.readDouble()
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readRequest(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard key == "headers", try reader.peek() == .array else {
                try reader.skipValue()
                continue
            }
            try reader.beginArray()
            while try reader.nextElement() {
                let pair = try NameAndValue(lenient: &reader)
                guard requestFields.count < RecordedAnswer.fieldsMax, let name = HTTPField.Name(pair.name)
                else { continue }
                requestFields.append(HTTPField(name: name, value: pair.value))
            }
        }
    }

    private mutating func readHeaders(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginArray()
        var count = 0
        while try reader.nextElement() {
            count += 1
            guard count <= RecordedAnswer.fieldsMax else {
                throw JSONError(
                    message: "the answer has more than \(RecordedAnswer.fieldsMax) header fields",
                    offset: reader.offset)
            }
            let pair = try NameAndValue(&reader)
            // Names that RFC 9110 does not allow, such as the `:status` that browsers write, are left out.
            guard let name = HTTPField.Name(pair.name) else { continue }
            isCompressed = isCompressed || name == .contentEncoding
            if RecordedAnswer.framing.contains(name) { continue }
            let isAddress = name == .link || name == .location
            let value = isAddress ? QueryItem.withoutCredentials(pair.value) : pair.value
            headerFields.append(HTTPField(name: name, value: value))
        }
    }

    private mutating func readContent(
        _ reader: inout JSONReader, _ attachmentName: inout String?
    ) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "text", try reader.peek() == .string {
                var bytes: [UInt8] = []
                try reader.readText().append(to: &bytes)
                text = bytes
            } else if key == "encoding", try reader.peek() == .string {
                encoding = try reader.readString()
            } else if key == "size", try reader.peek() == .number {
                size.inflated = try reader.readDouble()
            } else if key == "_file", try reader.peek() == .string {
                attachmentName = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
    }

    /// Headers about the bytes on the wire, which do not apply to the recorded, inflated body.
    private static let framing: Set<HTTPField.Name> = [.contentEncoding, .contentLength, .transferEncoding]
}

/// The condition of a request that wants an answer only if it has changed (RFC 9110, section 13.1).
struct Condition {
    /// The list of `If-None-Match`.
    private let entityTags: String?
    private let modifiedSince: String?

    init(_ request: HTTPRequest) {
        let isRead = request.method == .get || request.method == .head
        entityTags = isRead ? request.headerFields[.ifNoneMatch] : nil
        modifiedSince = isRead && entityTags == nil ? request.headerFields[.ifModifiedSince] : nil
    }

    /// Whether the request has a condition.
    var isPresent: Bool { entityTags != nil || modifiedSince != nil }

    /// Whether the client already has this answer, so that it gets 304.
    func isKnown(_ answer: HTTPFields) -> Bool {
        if let entityTags { return EntityTag.isListed(answer[.eTag], in: entityTags) }
        guard let modifiedSince else { return false }
        return answer[.lastModified] == modifiedSince
    }
}
