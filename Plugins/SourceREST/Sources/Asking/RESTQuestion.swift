import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// A request to an API, conditional if possible.
struct RESTQuestion {
    /// The address with all parameters in its query, even if they are sent in the body.
    let address: HTTPAddress
    let partition: String
    private var request: HTTPRequest
    private var body: [UInt8] = []
    /// Whether 304 is a possible answer.
    private let isConditional: Bool

    /// Sends the entity tag if there is one, otherwise the date. The request is unconditional when
    /// the validator belongs to another kind of answer or other credentials, or when parameters are
    /// sent in a body.
    init(
        _ address: HTTPAddress, _ headers: HTTPFields, sending place: ParameterPlace = .query,
        ifChangedFrom validator: Validator = Validator(), in partition: String
    ) {
        self.address = address
        self.partition = partition
        request = HTTPRequest(
            method: place == .query ? .get : .post, scheme: address.scheme, authority: address.authority,
            path: place == .query ? address.path : String(address.pathOnly))
        request.headerFields = headers
        let isOurs = validator.partition == partition && place == .query
        let tag = isOurs ? validator.usableEntityTag : nil
        let date = isOurs && tag == nil ? validator.lastModified : nil
        request.headerFields[.ifNoneMatch] = tag
        request.headerFields[.ifModifiedSince] = date
        isConditional = tag != nil || date != nil
        switch place {
        case .query: break
        case .form:
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            body = Array(address.query.utf8)
        case .json:
            request.headerFields[.contentType] = "application/json; charset=utf-8"
            body = address.jsonOfQuery
        }
    }

    /// Returns the request for another media type than the API's.
    func accepting(_ mediaType: String) -> RESTQuestion {
        var question = self
        question.request.headerFields = [
            .accept: mediaType, .userAgent: request.headerFields[.userAgent] ?? "patchbay",
        ]
        question.request.headerFields[.ifNoneMatch] = request.headerFields[.ifNoneMatch]
        question.request.headerFields[.ifModifiedSince] = request.headerFields[.ifModifiedSince]
        return question
    }

    func ask(_ networking: any Networking, _ rules: ErrorRules) async throws -> RESTAnswer {
        do {
            var response = try await networking.send(request, body: body)
            // A reader of JSON may ignore a byte order mark (RFC 8259, section 8.1).
            if response.body.starts(with: [0xEF, 0xBB, 0xBF]) { response.body.removeFirst(3) }
            return RESTAnswer(
                address: address, partition: partition, wasConditional: isConditional, response: response,
                rules: rules)
        } catch let error as PatchbayError where error.code == .notFound {
            // This error comes from a recording, not from the server, so nothing is known about the row.
            var missing = PatchbayError(.unsupported, error.message, error.details)
            missing.isNotRecorded = true
            throw missing
        }
    }
}

extension Validator {
    /// The entity tag, unless it is empty (`W/""`): such a tag identifies nothing.
    var usableEntityTag: String? { entityTag.flatMap { EntityTag.isUsable($0) ? $0 : nil } }
}

extension HTTPField.Name {
    static let link = HTTPField.Name("Link")!
}
