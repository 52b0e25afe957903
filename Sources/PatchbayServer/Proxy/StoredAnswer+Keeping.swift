import HTTPTypes
import PatchbayCore
import PatchbayJSON

extension StoredAnswer {
    /// The statuses that are stored: successes and redirects. Failures, refusals and answers that are still being
    /// computed are not stored.
    private static let keptStatuses: Set<Int> = [200, 203, 204, 300, 301, 308]
    /// The temporary redirects, which are stored only if the server states a lifetime or permits it.
    private static let temporaryStatuses: Set<Int> = [302, 303, 307]

    /// Nil for an answer that must not be stored (RFC 9111, section 3).
    init?(
        _ response: Response, to question: ProxyQuestion, requestedAt: Timestamp, receivedAt: Timestamp,
        _ digest: AnswerDigest
    ) {
        let fields = ForwardedFields.response(
            response.head.headerFields, status: response.head.status.code)
        let freshness = Freshness(fields, requestedAt: requestedAt, receivedAt: receivedAt)
        let status = response.head.status.code
        guard question.method == .get,
            Self.keptStatuses.contains(status)
                || Self.temporaryStatuses.contains(status) && Self.isPermitted(fields, freshness.directives),
            response.body.count <= Self.bodyBytesMax, freshness.directives.permitStoring(for: question),
            !fields[values: .vary].contains(where: { $0.contains("*") }), !question.isRepeated(in: response),
            !Self.isCut(response)
        else { return nil }
        let selecting = question.selecting(by: fields)
        self.init(
            place: question.place, variant: question.place.variant(selecting, digest),
            target: question.pathText, selecting: selecting, status: status,
            fields: fields, body: response.body, requestedAt: requestedAt,
            receivedAt: receivedAt, isFullLastPage: Self.isFullLastPage(response, question.target),
            usedAt: receivedAt)
    }

    /// Whether an answer with this status can have been stored. A store from elsewhere may have any number.
    var hasStoredStatus: Bool { Self.keptStatuses.union(Self.temporaryStatuses).contains(status) }

    /// Whether the server states a lifetime or permits storing the answer (RFC 9111, section 3).
    private static func isPermitted(_ fields: HTTPFields, _ directives: CacheDirectives) -> Bool {
        fields.contains(.expires)
            || ["public", "private", "max-age", "s-maxage"].contains(where: directives.has)
    }

    /// Whether the answer may stay in the cache after the server has confirmed it for a client.
    func isStillKept(for question: ProxyQuestion) -> Bool {
        freshness.directives.permitStoring(for: question)
    }

    /// Whether the server can be asked to confirm the answer.
    var canBeConfirmed: Bool {
        entityTag != nil || (fields[.eTag] == nil && fields.usableLastModified != nil)
    }

    /// Whether a JSON body is incomplete. A server that crashes may cut off a body of unannounced length, and the
    /// broken answer would be served for as long as the server is down.
    private static func isCut(_ response: Response) -> Bool {
        guard response.head.headerFields.isJSON, [200, 203].contains(response.head.status.code) else {
            return false
        }
        let start = JSONPreamble.length(in: response.body)
        var reader = JSONReader(response.body.span.bytes.extracting(start...))
        do throws(JSONError) {
            try reader.skipValue()
            try reader.finish()
            return false
        } catch {
            return true
        }
    }

    /// Whether a list ends with a full page. A further page would then not change this answer.
    private static func isFullLastPage(_ response: Response, _ target: String) -> Bool {
        let links = response.head.headerFields[.link]
        guard response.body.first(where: { $0 > 0x20 }) == UInt8(ascii: "["),
            Link.target("next", in: links) == nil
        else { return false }
        let size = target.split { $0 == "?" || $0 == "&" }.first { $0.hasPrefix("per_page=") }
        return elementCount(response.body) == size.flatMap { Int($0.dropFirst("per_page=".count)) } ?? 30
    }

    private static func elementCount(_ body: [UInt8]) -> Int? {
        var reader = JSONReader(body.span.bytes)
        var count = 0
        do throws(JSONError) {
            try reader.beginArray()
            while try reader.nextElement() {
                try reader.skipValue()
                count += 1
            }
            return count
        } catch {
            return nil
        }
    }
}

extension CacheDirectives {
    /// Whether the server permits storing an answer to a client.
    fileprivate func permitStoring(for question: ProxyQuestion) -> Bool {
        // Without credentials, private answers of different clients could not be distinguished.
        !has("no-store") && (!has("private") || question.place.partition != 0)
    }
}
