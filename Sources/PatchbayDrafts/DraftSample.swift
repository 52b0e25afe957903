package import PatchbayCore
package import PatchbayDomain
package import PatchbayJSON

/// An answer of an API with its request, from which a definition is drafted.
package struct DraftSample: Sendable {
    /// Nil for an answer that was saved without its address. Segments in braces, such as `{user_id}`, match anything.
    package var address: HTTPAddress?
    package var send = ParameterPlace.query
    /// The parameters of the request, decoded, whether sent in the query or in the body.
    package var parameters: [(name: String, value: String)] = []
    /// How the request was authorised, without the secret.
    package var authorization: Definition.Authorization?
    /// Whether a document shows it only by a header among the parameters of requests.
    var isAuthorizationGuess = false
    /// How a second secret was sent beside it.
    var secondAuthorization: Definition.Authorization?
    /// The address that the `Link` header names as the next page.
    package var next: String?
    package var body: JSONValue
    /// Whether a document of the API describes the answer, so that its values and their number are invented.
    package var isDescribed = false
    /// The variable in the address of a single row of this list, if a document describes one.
    var keyVariable: String?
    /// The names of further parameters that a document describes.
    var options: [String] = []
    /// What each parameter that a document describes selects.
    var roles: [String: OpenAPIParameter.Role] = [:]
    /// The names of the parameters that a document requires.
    var required: Set<String> = []
    /// Parameters that select rows if they are not sent, and how.
    var presets: [(parameter: String, value: String)] = []
    /// What a document says about the presence of the members of rows.
    var presence = OpenAPIValues.Presence()
    /// The parameter that takes a cursor from a header of the answer, and the header.
    var cursorHeader: (parameter: String, header: String)?
    /// The parameter for which other lists of the document have a `Link` header, although this one shows none.
    var linkParameter: String?
    /// The further parameters that are named as a cursor.
    var cursorOptions: [String] {
        options.filter { DraftPaging.cursorParameters.contains(DraftWords.folded($0)) }
    }
    /// The headers that a document requires, with the value if there is only one.
    var headers: [(name: String, value: String?)] = []
    /// The variables of a document's server, for which the address contains default values.
    var assumed: [String] = []
    /// What a document has besides lists, as parts of a sentence; of its first sample only.
    var notes: [String] = []
    /// The server of a document that does not contain it.
    static let unknownOrigin = "https://api.example.org"

    package init(_ body: JSONValue, at address: HTTPAddress? = nil) {
        self.body = body
        self.address = address
        parameters = address.map { PercentEncoding.items(ofQuery: $0.query) } ?? []
    }
}

extension JSONValue {
    /// The values in an object or an array and their paths, as an address with `send = json` contains them. Null and
    /// empty values have no spelling.
    package func parameters(below place: String = "") -> [(name: String, value: String)] {
        let inner =
            isObject ? members : elements.enumerated().map { (name: String($0.offset), value: $0.element) }
        return inner.flatMap { name, value in
            let path = place + name.escapedForPath
            if case .bool(let isTrue) = value { return [(name: path, value: "\(isTrue)")] }
            return value.word.map { [(name: path, value: $0)] } ?? value.parameters(below: path + "/")
        }
    }
}

extension HTTPAddress {
    /// The parts of the path between its slashes, as written.
    var segments: [String] {
        pathOnly.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }
}

extension Definition.Authorization {
    /// How a header field with a secret authorises a request; nil for another field. The secret is discarded. In a
    /// recording by Patchbay, a placeholder marks the token in a field of any name.
    package init?(field name: String, value: String) {
        let words = value.split(separator: " ")
        let isMarked = words.count <= 2 && words.last == SecretNames.placeholder[...]
        guard isMarked || SecretNames.isSecret(field: name),
            !["cookie", "set-cookie"].contains(name.lowercased())
        else { return nil }
        guard name.lowercased() == "authorization" else {
            self = .header(name: name, prefix: isMarked && words.count == 2 ? "\(words[0]) " : nil)
            return
        }
        switch words.first?.lowercased() {
        case "basic": self = .basic
        case let scheme? where words.count == 2 && scheme != "bearer" && scheme.allSatisfy(\.isLetter):
            self = .header(name: name, prefix: "\(words[0]) ")
        // A recording does not contain the value; most APIs take a bearer token (RFC 6750).
        default: self = .bearer
        }
    }
}
