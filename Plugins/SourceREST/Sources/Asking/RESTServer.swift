import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// A server of an API: its address, headers and partition of answers.
struct RESTServer: Sendable {
    let definition: Definition
    let hooks: RESTHooks
    let baseURL: String
    /// The scope of validators and of interrupted syncs: the server's address, the credentials, the headers and the
    /// settings. Entity tags do not always distinguish them, and the links in an answer belong to the address it came
    /// from. That of rows ends with the fingerprint of their resource, because "not modified" confirms them only as
    /// they were requested and decoded.
    ///
    /// It changes when the credentials are replaced.
    var partition: String {
        ([origin, fingerprint() ?? Validator.withoutCredentials] + conditions).joined(separator: " ")
    }
    /// Whether next pages at other servers are requested at the base URL.
    let keepsBaseURL: Bool
    private let networking: any Networking
    private let base: HTTPAddress?
    private let headers: HTTPFields
    private let origin: String
    private let fingerprint: @Sendable () -> String?
    /// The parts of the partition after the credentials.
    private let conditions: [String]

    init(
        _ definition: Definition, hooks: RESTHooks, networking: any Networking, baseURL: String,
        fingerprint: @escaping @Sendable () -> String?, keepsBaseURL: Bool
    ) {
        self.keepsBaseURL = keepsBaseURL
        self.definition = definition
        self.hooks = hooks
        self.networking = networking
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        base = HTTPAddress(self.baseURL)
        origin = base.map { $0.path == "/" ? $0.origin : $0.text } ?? self.baseURL
        self.fingerprint = fingerprint
        // The links that were stored without the option lead nowhere with it.
        let kept = keepsBaseURL ? ["keep-base-url"] : []
        conditions = definition.headers.map(\.value) + kept + definition.givenSettings
        headers = RESTServer.headers(definition)
    }

    private static func headers(_ definition: Definition) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in definition.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if fields[.accept] == nil { fields[.accept] = "application/json" }
        if fields[.userAgent] == nil { fields[.userAgent] = "patchbay/\(PatchbayVersion.current)" }
        return fields
    }

    /// The name of the server in messages: its host.
    var host: String { base?.authority ?? baseURL }

    /// Returns the address of a path with its query; the path starts with a slash.
    func address(_ target: String) throws -> HTTPAddress {
        guard base != nil, let address = HTTPAddress(baseURL + target) else {
            throw PatchbayError(
                .invalidConfiguration,
                "source.base-url: \(Quotation.quoted(baseURL)) is not a URL; set one such as "
                    + (definition.baseURL ?? "https://api.example.org"))
        }
        return address
    }

    /// Returns the address of a next page, which must be on this server.
    ///
    /// - Throws: `invalidResponse` with a ``ForeignLink`` as its cause.
    func address(next link: String) throws -> HTTPAddress {
        guard let address = HTTPAddress(link), isOurs(link) else {
            throw PatchbayError(
                .invalidResponse,
                "the next page \(Quotation.quoted(address: link)) is not at \(baseURL); list from the start",
                cause: ForeignLink())
        }
        return address
    }

    func isOurs(_ link: String) -> Bool { HTTPAddress(link)?.origin == base?.origin && base != nil }

    /// The address on this server of a page that an API calls by another one, such as an internal name behind a proxy.
    /// Nil if it is not an address, or if the base URL is not kept (`source.keep-base-url`).
    ///
    /// A proxy may add folders to the path: if the base URL ends with `/gitlab/api/v4`, and the link begins with
    /// `/api/v4`, the link's beginning is replaced.
    func kept(_ link: String) -> String? {
        guard keepsBaseURL, let base, let address = HTTPAddress(link) else { return nil }
        let folders = base.path.split(separator: "/")
        for count in (0...folders.count).reversed() {
            let ending = folders.suffix(count).map { "/\($0)" }.joined()
            let rest = address.path.dropFirst(ending.count)
            guard address.path.hasPrefix(ending), rest.isEmpty || "/?".contains(rest.first!) else { continue }
            return baseURL + rest
        }
        return nil
    }

    /// Requests an address, conditionally if possible.
    ///
    /// Sends the entity tag if there is one, otherwise the date. The request is unconditional when the validator
    /// belongs to another kind of answer or other credentials, or when parameters are sent in a body.
    ///
    /// - Parameters:
    ///   - address: all parameters are in its query, even if they are sent in the body.
    ///   - mediaType: another media type than the API's.
    ///   - resource: the resource whose rows the answer has.
    func answer(
        at address: HTTPAddress, sending place: ParameterPlace = .query, accepting mediaType: String? = nil,
        of resource: ResourceDeclaration? = nil, ifChangedFrom validator: Validator = Validator()
    ) async throws -> RESTAnswer {
        let requested = resource?.identity(at: partition) ?? partition
        var (request, body) = message(address, sending: place)
        if let mediaType {
            request.headerFields = [
                .accept: mediaType, .userAgent: headers[.userAgent] ?? "patchbay",
            ]
        }
        let isOurs = validator.partition == requested && place == .query
        let tag = isOurs ? validator.usableEntityTag : nil
        let date = isOurs && tag == nil ? validator.lastModified : nil
        request.headerFields[.ifNoneMatch] = tag
        request.headerFields[.ifModifiedSince] = date
        do {
            var response = try await networking.send(request, body: body)
            response.body.removeFirst(JSONPreamble.length(in: response.body))
            // The request may have been sent again with new credentials.
            let answered = resource?.identity(at: partition) ?? partition
            return RESTAnswer(
                address: address, partition: answered, wasConditional: tag != nil || date != nil,
                canSendToken: definition.authorization != .none, response: response,
                rules: definition.errors)
        } catch let error as PatchbayError where error.code == .notFound {
            // This error comes from a recording, not from the server, so nothing is known about the row.
            var missing = PatchbayError(.unsupported, error.message, error.details)
            missing.isNotRecorded = true
            throw missing
        }
    }

    private func message(
        _ address: HTTPAddress, sending place: ParameterPlace
    ) -> (HTTPRequest, body: [UInt8]) {
        var request = HTTPRequest(
            method: place == .query ? .get : .post, scheme: address.scheme, authority: address.authority,
            path: place == .query ? address.path : String(address.pathOnly))
        request.headerFields = headers
        switch place {
        case .query: return (request, [])
        case .form:
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            return (request, Array(address.query.utf8))
        case .json:
            request.headerFields[.contentType] = "application/json; charset=utf-8"
            return (request, address.jsonOfQuery)
        }
    }
}

extension Validator {
    /// The entity tag, unless it is empty (`W/""`): such a tag identifies nothing.
    var usableEntityTag: String? { entityTag.flatMap { EntityTag.isUsable($0) ? $0 : nil } }
}
