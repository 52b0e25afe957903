import PatchbayCore
import PatchbayJSON

/// The indexed part of a recorded exchange: its request and the status of its answer.
struct RecordedRequest {
    var method: String?
    var url: String?
    var body: RequestBody = .none
    /// 0 if the request got no answer.
    var status: Int?
    /// When the request was sent; nil when the entry has no valid time.
    private var startedAt: Timestamp?
    /// The length of the body's text; nil if it was not recorded.
    private var textBytes: Int?
    /// Whether the recording states that the body is empty.
    private var isEmpty = false
    private var hasResponse = false
    /// The parameters of the address, which some tools leave out of `url`.
    private var queryItems: [QueryItem] = []
    private var postMediaType = ""
    private var postText: [UInt8] = []
    private var postParameters: [QueryItem] = []

    /// The required members of an entry.
    struct Line {
        let method: String
        let url: String
        let body: RequestBody
        let status: Int
        /// The status of the replayed answer; see ``RecordedAnswer``.
        let replayedStatus: Int
        /// Whether the body of the answer was recorded, or the answer has none.
        let hasBody: Bool
        /// When the request was sent; nil when the entry has no valid time.
        let startedAt: Timestamp?
    }

    /// - Throws: ``EntryFault`` when a member is missing or the status is not valid in HTTP.
    func line(_ number: Int) throws(EntryFault) -> Line {
        guard let method else { throw EntryFault.missing(number, "has no request.method") }
        guard var url else { throw EntryFault.missing(number, "has no request.url") }
        if !queryItems.isEmpty, !url.contains(where: { "?#".contains($0) }) {
            url += "?" + queryItems.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        }
        guard let status else { throw EntryFault.missing(number, "has no response.status") }
        guard (0...999).contains(status) else {
            throw EntryFault.missing(number, "has the response.status \(status), which is not an HTTP status")
        }
        return Line(
            method: method, url: url, body: body, status: status,
            replayedStatus: RecordedAnswer.replayedStatus(of: status, hasContents: textBytes ?? 0 > 0),
            hasBody: textBytes != nil || RecordedAnswer.mayLackText(status, isEmpty: isEmpty),
            startedAt: startedAt)
    }

    /// Reads one element of `log.entries`.
    init(entry reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "request" {
                try readRequest(&reader)
            } else if key == "response", try reader.peek() != .null {
                try readResponse(&reader)
            } else if key == "startedDateTime", try reader.peek() == .string {
                startedAt = Timestamp(try reader.readString())
            } else {
                try reader.skipValue()
            }
        }
        if !hasResponse { status = 0 }
        body =
            postText.isEmpty
            ? RequestBody(form: postParameters) : RequestBody(postText, mediaType: postMediaType)
    }

    private mutating func readRequest(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "method" {
                method = try reader.readString()
            } else if key == "url" {
                url = try reader.readString()
            } else if key == "queryString", try reader.peek() == .array {
                queryItems = try RecordedRequest.parameters(&reader)
            } else if key == "postData", try reader.peek() != .null {
                try readPostData(&reader)
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readResponse(_ reader: inout JSONReader) throws(JSONError) {
        hasResponse = true
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "status" {
                status = try reader.readStatus()
            } else if key == "content", try reader.peek() == .object {
                try readContent(&reader)
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readContent(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "text", try reader.peek() == .string {
                textBytes = try reader.readText().bytes.byteCount
            } else if key == "size", try reader.peek() == .number {
                isEmpty = try reader.readDouble() == 0
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readPostData(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "mimeType" {
                postMediaType = try reader.readLenientText()
            } else if key == "text", try reader.peek() == .string {
                try reader.readText().append(to: &postText)
            } else if key == "params", try reader.peek() != .null {
                postParameters = try RecordedRequest.parameters(&reader)
            } else {
                try reader.skipValue()
            }
        }
    }

    private static func parameters(_ reader: inout JSONReader) throws(JSONError) -> [QueryItem] {
        var parameters: [QueryItem] = []
        try reader.beginArray()
        while try reader.nextElement() {
            let pair = try NameAndValue(&reader)
            parameters.append(QueryItem(name: pair.name.utf8, value: pair.value.utf8))
        }
        return parameters
    }
}

extension JSONReader {
    /// Reads the status of an answer. Tools write 0, -1 or null if a request got no answer; the result is then 0.
    mutating func readStatus() throws(JSONError) -> Int {
        if try readNull() { return 0 }
        let status = try Int(readInteger())
        return status == -1 ? 0 : status
    }
}
