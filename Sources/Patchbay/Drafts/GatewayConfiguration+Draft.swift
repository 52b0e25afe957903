package import PatchbayCore
package import PatchbayDomain
import PatchbayNetworking

extension GatewayConfiguration {
    /// Requests an address without a definition, through all layers.
    ///
    /// The configured token is sent only if the address is below `source.base-url`, in the way that `authorization`
    /// states.
    ///
    /// - Returns: the answer, or the samples that it describes if it is an OpenAPI document.
    /// - Throws: `unsupported` for a program without a network client; `invalidValue` for an invalid address.
    package func samples(
        at text: String, authorization: Definition.Authorization = .bearer,
        report: (@Sendable (RequestLogEntry) -> Void)? = nil
    ) async throws -> [DraftSample] {
        guard let address = HTTPAddress(text) else {
            throw PatchbayError(
                .invalidValue,
                "\"\(SecretNames.cleaned(address: text))\" is not an address; write https://HOST/PATH without a name"
            )
        }
        let settings = try draftSettings(for: address)
        var definition = Definition(api: "draft", resources: [])
        definition.baseURL = address.origin
        definition.authorization = authorization
        let api = SourceAPI(
            name: "draft", definition: { [definition] in definition },
            open: { networking, _, _ in
                var source = Source(name: address.authority)
                source.raw = PlainSource(networking: networking)
                return source
            })
        var context = SourceContext(networking: openNetworking)
        context.report = report
        let source = try await ConfiguredSource(asking: api, settings).open(context)
        do {
            let answer = try await source.raw?.get(address.text)
            try await source.close?()
            return try draft(answer, address, hasToken: settings.text("token") != nil, authorization)
        } catch {
            // The first error is the one to report.
            try? await source.close?()
            throw error
        }
    }

    private func draft(
        _ answer: RawAnswer?, _ address: HTTPAddress, hasToken: Bool,
        _ authorization: Definition.Authorization
    ) throws -> [DraftSample] {
        let name = SecretNames.cleaned(address: address.text)
        return try DraftSample.all(in: answer?.body ?? [], name: name, from: address).map { sample in
            var sample = sample
            // The Link header of a document is not that of the lists it describes.
            if !sample.isDescribed { sample.next = answer?.next }
            if hasToken { sample.authorization = authorization }
            return sample
        }
    }

    /// The configured options of the source with the address's server; empty for another server.
    private func draftSettings(for address: HTTPAddress) throws -> Settings {
        for source in sources {
            let plugin = try plugins.sources.plugin(named: source.plugin)
            guard plugin.options.contains(where: { $0.key == "token" }) else { continue }
            let known = try settings(source.key, readsSecrets: false)
            let server = known.text("base-url").flatMap { HTTPAddress($0) }
            if server?.origin == address.origin { return try settings(source.key) }
        }
        return Settings("source")
    }
}

/// A server without an API.
private struct PlainSource: RawSource {
    let networking: any Networking

    func get(_ path: String) async throws -> RawAnswer {
        guard let address = HTTPAddress(path) else {
            throw PatchbayError(.invalidValue, "\"\(path)\" is not an address")
        }
        let answer = try await PlainAnswer(of: address, over: networking)
        var raw = RawAnswer(status: 200, fields: [], body: answer.body)
        raw.next = answer.next
        return raw
    }
}
