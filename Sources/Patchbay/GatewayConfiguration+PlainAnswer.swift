package import PatchbayCore
package import PatchbayDomain
import PatchbayNetworking

extension GatewayConfiguration {
    /// Requests an address without a definition, through all layers.
    ///
    /// The configured token is sent only if the address is below `source.base-url`, in the way that `authorization`
    /// states.
    ///
    /// - Returns: the answer, its address, and whether the token was sent.
    /// - Throws: `unsupported` for a program without a network client; `invalidValue` for an invalid address.
    package func plainAnswer(
        at text: String, authorization: Definition.Authorization = .bearer,
        report: (@Sendable (RequestLogEntry) -> Void)? = nil
    ) async throws -> (answer: RawAnswer?, address: HTTPAddress, hasToken: Bool) {
        guard let address = HTTPAddress(text) else {
            throw PatchbayError(
                .invalidValue,
                "\"\(SecretNames.cleaned(address: text))\" is not an address; write https://HOST/PATH without a name"
            )
        }
        let settings = try plainSettings(for: address)
        var definition = Definition(api: "plain", resources: [])
        definition.baseURL = address.origin
        definition.authorization = authorization
        let api = SourceAPI(
            name: "plain", definition: { [definition] in definition },
            open: { networking, _, _ in
                var source = Source(name: address.authority)
                source.raw = PlainSource(networking: networking)
                return source
            })
        var context = SourceContext(networking: openNetworking)
        context.report = report
        let source = try await ConfiguredSource(network: api, settings).open(context)
        do {
            let answer = try await source.raw?.get(address.text)
            try await source.close?()
            return (answer, address, settings.text("token") != nil)
        } catch {
            // The first error is the one to report.
            try? await source.close?()
            throw error
        }
    }

    /// The configured options of the source with the address's server; empty for another server.
    private func plainSettings(for address: HTTPAddress) throws -> Settings {
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
