import HTTPTypes
package import PatchbayCore
import PatchbayJSON

/// A complete entry of a recording: the request and its answer.
package struct RecordedExchange: Sendable {
    /// The path of the file, and the entry's number in it; the first is 1.
    package let file: String
    /// The position of the entry in the file; the first is 1.
    package let number: Int
    /// The time when the request was sent (`startedDateTime`); nil when the entry has no valid time.
    package let startedAt: Timestamp?
    /// The method of the request, such as `GET`.
    package let method: String
    /// The address of the request as it was recorded, including its query.
    package let url: String
    /// The status code of the answer.
    package let status: Int
    /// The status code of the replayed answer: 200 for a 304 with the contents from a browser's cache.
    package let replayedStatus: Int
    let headerFields: HTTPFields
    /// Why a replay cannot return the body; nil when it can.
    package let bodyProblem: String?
    /// The position of the entry's JSON in the file.
    let offset: Int
    let json: [UInt8]

    /// - Throws: ``UnreadableEntry``.
    init(file: String, number: Int, offset: Int, json: [UInt8]) throws(UnreadableEntry) {
        let request: RecordedRequest, answer: RecordedAnswer
        do throws(JSONError) {
            var reader = JSONReader(json.span.bytes)
            answer = try RecordedAnswer(entry: &reader, in: file)
            reader = JSONReader(json.span.bytes)
            request = try RecordedRequest(entry: &reader)
        } catch {
            let fault = EntryFault.unexpected(number, error.message, at: offset + error.offset)
            throw UnreadableEntry(fault, number: number, in: file)
        }
        do throws(EntryFault) {
            let line = try request.line(number, in: file, at: offset)
            if let fault = line.fault { throw fault }
            (method, url, status, replayedStatus) = (line.method, line.url, line.status, line.replayedStatus)
        } catch {
            throw UnreadableEntry(error, number: number, in: file)
        }
        (self.file, self.number, self.offset, self.json) = (file, number, offset, json)
        startedAt = answer.startedAt
        headerFields = answer.headerFields
        bodyProblem = answer.body.problem
    }

    /// Host and path in canonical form; nil for other addresses, such as `data:`.
    package var place: (host: String, path: String)? {
        RequestKey(method: method, url: url, body: .none).map { ($0.host, $0.path) }
    }

    /// Whether the answer is a page of a list, because it has a `Link` to another page.
    package var isPage: Bool {
        links.contains { !$0.relations.filter(["first", "prev", "next", "last"].contains).isEmpty }
    }

    /// The address of the next page in the answer's `Link`, which may be relative to that of the request.
    package var nextPage: String? {
        links.first { $0.relations.contains("next") }.map { link in
            HTTPAddress(url)?.resolving(link.target)?.text ?? link.target
        }
    }

    private var links: [Link] { headerFields[.link].map(Link.links) ?? [] }

    /// The request for the next page as text for people, without credentials.
    package var nextQuestion: String? {
        nextPage.map {
            RequestKey(method: "GET", url: $0, body: .none)?.description ?? "an invalid address"
        }
    }
}

extension Result where Success == [UInt8], Failure == RecordedAnswer.BodyFault {
    /// The fault of a recorded body, in words that continue after the entry.
    fileprivate var problem: String? {
        guard case .failure(let fault) = self else { return nil }
        return switch fault {
        case .missing: RecordedAnswer.bodiless
        case .unattached(let fault): fault.words()
        case .notBase64: "has a body that is not base64"
        case .compressed: RecordedAnswer.compressed
        case .unknownEncoding: "has a body in an unknown encoding"
        }
    }
}

extension RecordedExchange {
    /// Returns every text of the entry in file order: address, headers, cookies, query, bodies, and unknown members.
    ///
    /// - Throws: ``UnreadableEntry`` when a header, parameter or cookie is not a name and a value.
    package func texts() throws(UnreadableEntry) -> [RecordedText] {
        var texts = RecordedTexts(recording: file)
        var reader = JSONReader(json.span.bytes)
        do throws(JSONError) {
            try texts.walk(&reader, "")
            return texts.found
        } catch {
            let fault = EntryFault.unexpected(number, error.message, at: offset + error.offset)
            throw UnreadableEntry(fault, number: number, in: file)
        }
    }
}

/// Walks through all values of an entry, or of a member outside the entries.
struct RecordedTexts {
    /// The path of the file, beside which bodies may be.
    let recording: String
    private(set) var found: [RecordedText] = []

    init(recording: String) { self.recording = recording }

    mutating func walk(_ reader: inout JSONReader, _ place: String) throws(JSONError) {
        switch try reader.peek() {
        case .string: found.append(RecordedText(place: place, kind: .other, bytes: try reader.readBytes()))
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try walkElement(&reader, place) }
        case .object where place == "response.content" || place == "request.postData":
            try walkBody(&reader, place)
        case .object:
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = key.string()
                try walk(&reader, place.isEmpty ? name : "\(place).\(name)")
            }
        default: try reader.skipValue()
        }
    }

    private mutating func walkElement(_ reader: inout JSONReader, _ place: String) throws(JSONError) {
        let list = place.split(separator: ".").last ?? ""
        let isInEntry = !place.hasPrefix("log.")
        let isPair = isInEntry && ["headers", "cookies", "queryString", "params"].contains(list)
        guard isPair, try reader.peek() == .object else { return try walk(&reader, place) }
        let pair = try NameAndValue(&reader)
        let kind: RecordedText.Kind =
            switch list {
            case "headers": .field(name: pair.name)
            case "cookies": .cookie(name: pair.name)
            default: .parameter(name: pair.name)
            }
        found.append(RecordedText(place: place, kind: kind, bytes: Array(pair.value.utf8)))
    }

    /// Reads a body. Its text is decoded, and its media type determines whether it is a form.
    private mutating func walkBody(_ reader: inout JSONReader, _ place: String) throws(JSONError) {
        var text: [UInt8] = []
        var mediaType = ""
        var isBase64 = false
        var attachment: String?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            guard try reader.peek() == .string else {
                try walk(&reader, "\(place).\(name)")
                continue
            }
            switch name {
            case "text": text = try reader.readBytes()
            case "mimeType": mediaType = try reader.readString()
            case "_file": attachment = try reader.readString()
            case "encoding": isBase64 = try reader.readString() == "base64"
            default: try walk(&reader, "\(place).\(name)")
            }
        }
        if text.isEmpty, let attachment {
            // A body that cannot be read is a fault of its entry.
            text = (try? AttachedBody.bytes(named: attachment, beside: recording)) ?? []
            isBase64 = false
        }
        let bytes = isBase64 ? Base64.decoded(text) ?? text : text
        found.append(RecordedText(place: place, kind: .body(mediaType: mediaType), bytes: bytes))
    }
}

extension JSONReader {
    /// Reads a text without its escapes.
    fileprivate mutating func readBytes() throws(JSONError) -> [UInt8] {
        var bytes: [UInt8] = []
        try readText().append(to: &bytes)
        return bytes
    }
}

/// A decoded text in an entry of a recording, with its place.
package struct RecordedText: Sendable {
    /// The kind of a text, which determines whether it may be a secret.
    package enum Kind: Sendable, Hashable {
        /// The value of a header field.
        case field(name: String)
        /// The value of a cookie.
        case cookie(name: String)
        /// The value of a parameter of a query or a form.
        case parameter(name: String)
        /// The body of a request or an answer.
        case body(mediaType: String)
        /// Any other text, such as an address.
        case other
    }

    /// The path of the text in the entry: `request.headers`, `response.content`.
    package let place: String
    /// The kind of the text, with the name of its header field, cookie or parameter.
    package let kind: Kind
    /// The text; a body is decoded from base64 if the entry declares and uses that.
    package let bytes: [UInt8]
}
