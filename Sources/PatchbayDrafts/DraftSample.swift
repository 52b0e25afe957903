import NetworkingRecording
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

extension DraftSample {
    /// The sample answers in a file: those of a recording, those described by an OpenAPI document, or the file itself.
    ///
    /// - Parameters:
    ///   - address: the address from which the text was fetched.
    ///   - reading: reads a file to which a description refers, by its path relative to the description's folder; nil
    ///     for one that does not exist or is outside the folder.
    /// - Throws: `invalidValue` for a text that is neither JSON nor YAML, for a description without lists, with a key
    ///   that comes twice, or in another format, and the errors of reading a file.
    package static func all(
        in text: [UInt8], name: String, from address: HTTPAddress? = nil,
        reading: (_ path: String) throws -> [UInt8]? = { _ in nil }
    ) throws -> [DraftSample] {
        let value = try JSONValue(jsonOrYAML: text, name: name)
        if let document = try OpenAPIDocument(value, reading: reading) {
            if let key = value.repeatedKey {
                throw PatchbayError(
                    .invalidValue,
                    "\(name) has the key \"\(DraftWords.shown(key))\" twice in one object; remove one")
            }
            var samples = document.samples(from: address)
            if !samples.isEmpty {
                samples[0].notes = document.notes(besides: samples.count)
                return samples
            }
            throw PatchbayError(.invalidValue, "\(name) \(document.emptiness)")
        }
        if let format = value.otherDescription {
            throw PatchbayError(
                .invalidValue,
                "\(name) is \(format), which is not supported; use a description in OpenAPI 3 or Swagger 2, or an "
                    + "answer or a recording of the API")
        }
        return [DraftSample(value, at: address)]
    }

    /// The successful JSON answers of a recording: a HAR file, or a folder of HAR files.
    package static func recorded(in path: String) throws -> [DraftSample] {
        var samples: [DraftSample] = []
        let recording = try Recording.inspecting(files: Recording.files(of: path), name: path) { throw $1 }
        try recording.forEachExchange { exchange in
            guard case .success(let exchange) = exchange, (200...299).contains(exchange.replayedStatus),
                let sample = try DraftSample(exchange)
            else { return }
            samples.append(sample)
        }
        return samples
    }

    /// Whether a text looks like a recording.
    package static func isRecording(_ text: [UInt8]) -> Bool {
        // Text that is not JSON is not a recording; its reader reports the error.
        guard let value = try? JSONValue(text) else { return false }
        return value["log"]?["entries"] != nil
    }

    /// Nil for an exchange without JSON.
    private init?(_ exchange: RecordedExchange) throws {
        guard let address = HTTPAddress(exchange.url), exchange.bodyProblem == nil else { return nil }
        var body: [UInt8] = [], form: [UInt8]?, sent: [(name: String, value: String)] = []
        var authorization: Definition.Authorization?
        for text in try exchange.texts() {
            let value = String(decoding: text.bytes, as: UTF8.self)
            switch (text.place, text.kind) {
            case ("response.content", _): body = text.bytes
            case ("request.postData", _): form = text.bytes
            case ("request.postData.params", .parameter(let name)): sent.append((name, value))
            case ("request.headers", .field(let name)):
                let found = Definition.Authorization(field: name, value: value)
                // A recording has placeholders in more fields than the one with the token.
                let isUsual = name.lowercased() == "authorization"
                authorization = isUsual ? found ?? authorization : authorization ?? found
            default: break
            }
        }
        // A picture or a web page is not a sample.
        body.removeFirst(JSONPreamble.length(in: body))
        guard let value = try? JSONValue(body) else { return nil }
        self.init(value, at: address)
        self.authorization = authorization
        next = exchange.nextPage
        guard exchange.method != "GET" else { return }
        // A POST that reads has its parameters in a form, as Slack's methods do, or in a JSON object.
        guard exchange.method == "POST" else { return nil }
        if let object = form.flatMap({ try? JSONValue($0) }), object.isObject {
            send = .json
            parameters += object.parameters()
        } else {
            send = .form
            let items =
                form.map { PercentEncoding.items(ofQuery: String(decoding: $0, as: UTF8.self)[...]) } ?? []
            parameters += items.isEmpty ? sent : items
        }
        // What a login answers is not a list.
        let names = parameters.flatMap { $0.name.split(separator: "/") }
        if names.contains(where: { SecretNames.isOfLogin(parameter: $0) }) { return nil }
    }
}
