import NetworkingRecording
package import PatchbayCore
import PatchbayDomain
import PatchbayJSON

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
