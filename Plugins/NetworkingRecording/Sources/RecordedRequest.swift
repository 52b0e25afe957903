import PatchbayJSON

/// The indexed part of a recorded exchange: its request and the status of its answer.
struct RecordedRequest {
    var method: String?
    var url: String?
    var body: RequestBody = .none
    var status: Int?
    private var hasContents = false
    private var postMediaType = ""
    private var postText: [UInt8]?
    private var postParameters: [QueryItem] = []

    /// The required members of an entry.
    struct Line {
        let method: String
        let url: String
        let body: RequestBody
        let status: Int
        /// The status of the replayed answer; see ``RecordedAnswer``.
        let replayedStatus: Int
    }

    /// - Throws: ``EntryFault`` when a member is missing or the status is not valid in HTTP.
    func line(_ number: Int) throws(EntryFault) -> Line {
        guard let method else { throw EntryFault.missing(number, "has no request.method") }
        guard let url else { throw EntryFault.missing(number, "has no request.url") }
        guard let status else { throw EntryFault.missing(number, "has no response.status") }
        guard (0...999).contains(status) else {
            throw EntryFault.missing(number, "has the response.status \(status), which is not an HTTP status")
        }
        return Line(
            method: method, url: url, body: body, status: status,
            replayedStatus: RecordedAnswer.replayedStatus(of: status, hasContents: hasContents))
    }

    /// Reads one element of `log.entries`.
    init(entry reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "request" {
                try readRequest(&reader)
            } else if key == "response" {
                try readResponse(&reader)
            } else {
                try reader.skipValue()
            }
        }
        body =
            postText.map { RequestBody($0, mediaType: postMediaType) } ?? RequestBody(form: postParameters)
    }

    private mutating func readRequest(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "method" {
                method = try reader.readString()
            } else if key == "url" {
                url = try reader.readString()
            } else if key == "postData", try !reader.readNull() {
                try readPostData(&reader)
            } else if !(key == "postData") {
                try reader.skipValue()
            }
        }
    }

    private mutating func readResponse(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "status" {
                status = try Int(reader.readInteger())
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
                hasContents = try !reader.readText().bytes.isEmpty
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readPostData(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "mimeType" {
                postMediaType = try reader.readString()
            } else if key == "text" {
                var text: [UInt8] = []
                try reader.readText().append(to: &text)
                postText = text
            } else if key == "params" {
                try readParameters(&reader)
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readParameters(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginArray()
        while try reader.nextElement() {
            let pair = try NameAndValue(&reader)
            postParameters.append(QueryItem(name: pair.name.utf8, value: pair.value.utf8))
        }
    }
}
