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
