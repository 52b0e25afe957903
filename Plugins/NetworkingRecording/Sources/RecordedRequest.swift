import PatchbayCore
import PatchbayJSON

/// The indexed part of a recorded exchange: its request and the status of its answer.
struct RecordedRequest {
    var method: String?
    var url: String?
    /// 0 if the request got no answer.
    var status: Int?
    /// The name of the file beside the recording that contains the body; see ``AttachedBody``.
    private var attachment: String?
    /// When the request was sent; nil when the entry has no valid time.
    private var startedAt: Timestamp?
    /// The length of the text of the answer's body; nil if it was not recorded.
    private var textBytes: Int?
    private var answerSize = BodySize()
    private var hasAttachedAnswer = false
    private var hasResponse = false
    /// See ``Line/account``.
    private var account: Int?
    /// The parameters of the address, which some tools leave out of `url`.
    private var queryItems: [QueryItem] = []
    private var postMediaType = ""
    private var postText: [UInt8] = []
    private var postParameters: [QueryItem] = []

    /// The parts of an entry that are read.
    enum Part {
        case all, request
        /// The time, the method and the address, each only if it can be read.
        case address
    }

    /// An entry in the index.
    struct Line {
        let method: String
        let url: String
        /// When the request was sent; nil when the entry has no valid time.
        let startedAt: Timestamp?
        /// A digest of the credentials; nil when none were recorded.
        let account: Int?
        fileprivate(set) var body = RequestBody.none
        fileprivate(set) var status = 0
        /// The status of the replayed answer; see ``RecordedAnswer``.
        fileprivate(set) var replayedStatus = 0
        /// Whether the body of the answer was recorded, or the answer has none.
        fileprivate(set) var hasBody = false
        /// Why the entry cannot be replayed, although its address was read; nil when it can.
        var fault: EntryFault?
    }

    /// - Parameters:
    ///   - recording: the path of the file.
    ///   - offset: the position of the entry in it.
    /// - Throws: ``EntryFault`` when the method or the address is missing.
    func line(_ number: Int, in recording: String, at offset: Int) throws(EntryFault) -> Line {
        guard let method else { throw .missing(number, "has no request.method", at: offset) }
        guard var url else { throw .missing(number, "has no request.url", at: offset) }
        if !queryItems.isEmpty, !url.contains(where: { "?#".contains($0) }) {
            url += "?" + queryItems.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        }
        var line = Line(method: method, url: url, startedAt: startedAt, account: account)
        do throws(Problem) {
            line.body = try body(in: recording)
            line.status = try validStatus
            let hasContents = hasAttachedAnswer || textBytes ?? 0 > 0
            line.replayedStatus = RecordedAnswer.replayedStatus(of: line.status, hasContents: hasContents)
            line.hasBody = textBytes != nil || hasContents || answerSize.mayLackText(line.status)
        } catch {
            line.fault = .missing(number, error.words, at: offset)
        }
        return line
    }

    /// A fault in words that continue after the entry.
    private struct Problem: Error { let words: String }

    private var validStatus: Int {
        get throws(Problem) {
            guard let status else { throw Problem(words: "has no response.status") }
            guard (0...999).contains(status) else {
                throw Problem(words: "has the response.status \(status), which is not an HTTP status")
            }
            return status
        }
    }

    /// The body, whose text may be in a file beside the recording.
    private func body(in recording: String) throws(Problem) -> RequestBody {
        if !postText.isEmpty { return RequestBody(postText, mediaType: postMediaType) }
        guard let attachment else { return RequestBody(form: postParameters) }
        do throws(AttachedBody.Fault) {
            return RequestBody(
                try AttachedBody.bytes(named: attachment, beside: recording), mediaType: postMediaType)
        } catch {
            throw Problem(words: error.words(for: "a request body"))
        }
    }

    /// Reads one element of `log.entries`.
    init(entry reader: inout JSONReader, _ part: Part = .all) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "request", part == .address {
                try readAddress(&reader)
            } else if key == "request" {
                try readRequest(&reader)
            } else if key == "response", part == .all, try reader.peek() != .null {
                try readResponse(&reader)
            } else if key == "startedDateTime", try reader.peek() == .string {
                startedAt = Timestamp(try reader.readString())
            } else {
                try reader.skipValue()
            }
        }
        if !hasResponse { status = 0 }
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
            } else if key == "headers", try reader.peek() == .array {
                try readAccount(&reader)
            } else if key == "postData", try reader.peek() != .null {
                try readPostData(&reader)
            } else {
                try reader.skipValue()
            }
        }
    }

    private static let accountHeader = "authorization"

    /// Cookies do not distinguish accounts, because many of them change with every request.
    private mutating func readAccount(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginArray()
        while try reader.nextElement() {
            guard try reader.peek() == .object else {
                try reader.skipValue()
                continue
            }
            var name = "", value = ""
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let mayBeWanted = name.isEmpty || name.lowercased() == Self.accountHeader
                guard key == "name" || key == "value" && mayBeWanted, try reader.peek() == .string else {
                    try reader.skipValue()
                    continue
                }
                if key == "name" { name = try reader.readString() } else { value = try reader.readString() }
            }
            guard name.lowercased() == Self.accountHeader else { continue }
            // Other schemes sign each request, so that every one has another value.
            let scheme = value.prefix { $0 != " " }.lowercased()
            if ["basic", "bearer", "token"].contains(scheme) { account = value.hashValue }
        }
    }

    private mutating func readAddress(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.peek() == .object else { return try reader.skipValue() }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "method", try reader.peek() == .string {
                method = try reader.readString()
            } else if key == "url", try reader.peek() == .string {
                url = try reader.readString()
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
            } else if key == "bodySize", try reader.peek() == .number {
                answerSize.sent = try reader.readDouble()
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
            } else if key == "_file", try reader.peek() == .string {
                hasAttachedAnswer = true
                try reader.skipValue()
            } else if key == "size", try reader.peek() == .number {
                answerSize.inflated = try reader.readDouble()
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
            } else if key == "_file", try reader.peek() == .string {
                attachment = try reader.readString()
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
    /// Reads the status of an answer. If a request got no answer, tools write 0, null or a negative number, such as
    /// the error of a system; the result is then 0.
    mutating func readStatus() throws(JSONError) -> Int {
        if try readNull() { return 0 }
        let status = try Int(readInteger())
        return max(status, 0)
    }
}
