import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// A server of an API: its address, headers and partition of answers.
struct RESTServer: Sendable {
    let definition: Definition
    let hooks: RESTHooks
    let baseURL: String
    /// The scope of validators: the server's address, the credentials and the headers of the definition. Entity tags do
    /// not always distinguish these, and the links in an answer belong to the address it came from.
    let partition: String
    private let networking: any Networking
    private let base: HTTPAddress?
    private let headers: HTTPFields

    init(
        _ definition: Definition, hooks: RESTHooks, networking: any Networking, baseURL: String,
        fingerprint: String?
    ) {
        self.definition = definition
        self.hooks = hooks
        self.networking = networking
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        base = HTTPAddress(self.baseURL)
        let origin = base.map { $0.path == "/" ? $0.origin : $0.text } ?? self.baseURL
        let values = definition.headers.map(\.value)
        partition = ([origin, fingerprint ?? "anonymous"] + values).joined(separator: " ")
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
                "the next page \(Quotation.quoted(link)) is not at \(baseURL); list from the start",
                cause: ForeignLink())
        }
        return address
    }

    func isOurs(_ link: String) -> Bool { HTTPAddress(link)?.origin == base?.origin && base != nil }

    /// Requests an address, conditionally if there is a validator.
    func answer(
        at address: HTTPAddress, sending place: ParameterPlace = .query,
        ifChangedFrom validator: Validator = Validator()
    ) async throws -> RESTAnswer {
        try await answer(to: question(address, sending: place, ifChangedFrom: validator))
    }

    func question(
        _ address: HTTPAddress, sending place: ParameterPlace = .query, ifChangedFrom validator: Validator
    ) -> RESTQuestion {
        RESTQuestion(address, headers, sending: place, ifChangedFrom: validator, in: partition)
    }

    func answer(to question: RESTQuestion) async throws -> RESTAnswer {
        try await question.ask(networking, definition.errors)
    }
}
